#include "decoder.h"

// Errors leave by longjmp; warnings are sorted by what they mean for the picture, and counted.

// Damage beyond this is no picture any more. A 10 MP photograph with a restart every four MCUs
// and half of its segments damaged stays below it.
enum { WARNING_LIMIT = 100000 };

// Hardware encoders pad a restart interval to a 32-bit word. More unused bytes before a restart
// marker mean that the interval was decoded out of step: damage that often shows in nothing else.
enum { PADDING_BEFORE_RESTART = 3 };

static clibjpeg_cause cause_of(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
    case JERR_WIDTH_OVERFLOW:
        return CLIBJPEG_CAUSE_MEMORY;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
        return CLIBJPEG_CAUSE_UNSUPPORTED;
    case JERR_NO_SOI:
    case JERR_NO_IMAGE:
    case JERR_SOF_NO_SOS:
    case JERR_EMPTY_IMAGE:
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF:
        return CLIBJPEG_CAUSE_NO_IMAGE;
    default:
        return CLIBJPEG_CAUSE_MALFORMED;
    }
}

static void fail(j_common_ptr common) {
    clibjpeg_decoder *d = owner(common);
    d->status = CLIBJPEG_FAILED;
    d->cause = cause_of(common->err->msg_code);
    common->err->format_message(common, d->text);
    longjmp(d->on_error, 1);
}

static int is_at_end(const clibjpeg_decoder *d) {
    return d->info.unread_marker == MARKER_END_OF_IMAGE || (d->info.unread_marker == 0 && d->at_end_of_file);
}

static clibjpeg_warning class_of(const clibjpeg_decoder *d) {
    switch (d->errors.msg_code) {
    case JWRN_NOT_SEQUENTIAL: return CLIBJPEG_NOT_SEQUENTIAL;
    case JWRN_EXTRANEOUS_DATA: {
        const int *counts = d->errors.msg_parm.i; // bytes, marker
        int is_restart = counts[1] >= JPEG_RST0 && counts[1] < JPEG_RST0 + 8;
        return is_restart && counts[0] > PADDING_BEFORE_RESTART ? CLIBJPEG_CORRUPT : CLIBJPEG_EXTRANEOUS_BYTES;
    }
    case JWRN_JFIF_MAJOR: return CLIBJPEG_JFIF_VERSION;
    case JWRN_ADOBE_XFORM: return CLIBJPEG_ADOBE_TRANSFORM;
    case JWRN_JPEG_EOF: return CLIBJPEG_END_OF_FILE;
    // The entropy decoder ran into a marker: the end of the image means that data is missing,
    // any other marker that what stood before it was not what the encoder wrote.
    case JWRN_HIT_MARKER: return is_at_end(d) ? CLIBJPEG_TRUNCATED : CLIBJPEG_CORRUPT;
    case JWRN_MUST_RESYNC:
        return d->errors.msg_parm.i[0] == MARKER_END_OF_IMAGE ? CLIBJPEG_TRUNCATED : CLIBJPEG_CORRUPT;
    default: return CLIBJPEG_CORRUPT;
    }
}

static void warn(j_common_ptr common, int level) {
    clibjpeg_decoder *d = owner(common);
    if (level >= 0) return; // a trace message
    clibjpeg_warning which = class_of(d);
    // The arithmetic decoder reads zeros past the end without a word, so the end itself must tell.
    if (which == CLIBJPEG_END_OF_FILE && d->info.arith_code && d->decoding) which = CLIBJPEG_TRUNCATED;
    if (d->warnings[which] < UINT32_MAX) d->warnings[which] += 1;
    if (which != CLIBJPEG_TRUNCATED && which != CLIBJPEG_CORRUPT) return;
    if (d->decoding) {
        int rows = (int)d->info.input_iMCU_row * d->info.max_v_samp_factor * DCTSIZE;
        if (rows < d->good_rows) d->good_rows = rows;
    }
    if (d->stop_at_damage) {
        d->status = CLIBJPEG_DAMAGED;
        longjmp(d->on_error, 1);
    }
    if (d->warnings[CLIBJPEG_TRUNCATED] + d->warnings[CLIBJPEG_CORRUPT] > WARNING_LIMIT) {
        d->status = CLIBJPEG_FAILED;
        d->cause = CLIBJPEG_CAUSE_MALFORMED;
        snprintf(d->text, sizeof d->text, "more than %d damaged places", WARNING_LIMIT);
        longjmp(d->on_error, 1);
    }
}

static void stay_silent(j_common_ptr common) { (void)common; }

void clibjpeg_listen(clibjpeg_decoder *d) {
    d->info.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = fail;
    d->errors.emit_message = warn;
    d->errors.output_message = stay_silent;
    d->info.client_data = d;
}
