#include "CLibJPEG.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

enum { MARKER_END_OF_IMAGE = 0xD9, MAX_PLANES = 4, PIXEL_ROWS = 16, MAX_PLANE_ROWS = 4 * DCTSIZE };

// Bytes that malloc and libjpeg's pools add to each request: headers, alignment, rounding.
enum { ALLOCATION_OVERHEAD = 64 };

// Damage beyond this is no picture any more. A 10 MP photograph with a restart every four MCUs
// and half of its segments damaged stays below it.
enum { WARNING_LIMIT = 100000 };

// Hardware encoders pad a restart interval to a 32-bit word. More unused bytes before a restart
// marker mean that the interval was decoded out of step: half of all damage shows only in this.
enum { PADDING_BEFORE_RESTART = 3 };

struct clibjpeg_decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf on_error;

    // libjpeg's own allocators, called by the counting ones below.
    struct jpeg_memory_mgr plain;
    size_t memory_limit, allocated;

    size_t file_size;
    int stop_at_damage, decoding, at_end_of_file, raw;
    int good_rows;
    unsigned char scanned[MAX_COMPONENTS];
    uint32_t warnings[CLIBJPEG_WARNING_CLASSES];
    clibjpeg_status status;
    clibjpeg_cause cause;
    char text[JMSG_LENGTH_MAX];

    uint8_t *strip;
    JSAMPROW rows[MAX_PLANES][MAX_PLANE_ROWS];
    JSAMPARRAY planes[MAX_PLANES];
    int strip_rows[MAX_PLANES], rows_done[MAX_PLANES];
};

static clibjpeg_decoder *owner(void *common) { return ((j_common_ptr)common)->client_data; }

// MARK: - Memory: every request is counted against the limit before libjpeg sees it.
// libjpeg's max_memory_to_use alone bounds only the coefficient arrays.

static void reserve(j_common_ptr common, size_t bytes) {
    clibjpeg_decoder *d = owner(common);
    if (bytes > d->memory_limit || d->allocated > d->memory_limit - bytes) ERREXIT1(common, JERR_OUT_OF_MEMORY, 0);
    d->allocated += bytes;
}

static void *counted_small(j_common_ptr c, int pool, size_t bytes) {
    reserve(c, bytes + ALLOCATION_OVERHEAD);
    return owner(c)->plain.alloc_small(c, pool, bytes);
}

static void *counted_large(j_common_ptr c, int pool, size_t bytes) {
    reserve(c, bytes + ALLOCATION_OVERHEAD);
    return owner(c)->plain.alloc_large(c, pool, bytes);
}

static JSAMPARRAY counted_samples(j_common_ptr c, int pool, JDIMENSION width, JDIMENSION rows) {
    reserve(c, (size_t)rows * ((size_t)width + ALLOCATION_OVERHEAD + sizeof(JSAMPROW)) + ALLOCATION_OVERHEAD);
    return owner(c)->plain.alloc_sarray(c, pool, width, rows);
}

static JBLOCKARRAY counted_blocks(j_common_ptr c, int pool, JDIMENSION width, JDIMENSION rows) {
    reserve(c, (size_t)rows * ((size_t)width * sizeof(JBLOCK) + sizeof(JBLOCKROW)) + ALLOCATION_OVERHEAD);
    return owner(c)->plain.alloc_barray(c, pool, width, rows);
}

static jvirt_barray_ptr counted_virtual_blocks(
    j_common_ptr c, int pool, boolean zero, JDIMENSION width, JDIMENSION rows, JDIMENSION access) {
    reserve(c, (size_t)rows * ((size_t)width * sizeof(JBLOCK) + sizeof(JBLOCKROW)) + ALLOCATION_OVERHEAD);
    return owner(c)->plain.request_virt_barray(c, pool, zero, width, rows, access);
}

static void count_allocations(clibjpeg_decoder *d) {
    struct jpeg_memory_mgr *mem = d->info.mem;
    d->plain = *mem;
    mem->alloc_small = counted_small;
    mem->alloc_large = counted_large;
    mem->alloc_sarray = counted_samples;
    mem->alloc_barray = counted_blocks;
    mem->request_virt_barray = counted_virtual_blocks;
    // Also overrides the environment variable JPEGMEM, which would move coefficients elsewhere.
    mem->max_memory_to_use = d->memory_limit > LONG_MAX ? LONG_MAX : (long)d->memory_limit;
}

// MARK: - Errors and warnings

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

// MARK: - Source: the whole file is in memory. After its end libjpeg is fed an end-of-image
// marker, and the fact is remembered.

static const JOCTET end_of_image[2] = {0xFF, MARKER_END_OF_IMAGE};

static void source_start(j_decompress_ptr info) { (void)info; }
static void source_end(j_decompress_ptr info) { (void)info; }

static boolean source_fill(j_decompress_ptr info) {
    clibjpeg_decoder *d = owner(info);
    if (!d->at_end_of_file) WARNMS(info, JWRN_JPEG_EOF);
    d->at_end_of_file = 1;
    d->source.next_input_byte = end_of_image;
    d->source.bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
    clibjpeg_decoder *d = owner(info);
    if (count <= 0) return;
    size_t skipped = (size_t)count < d->source.bytes_in_buffer ? (size_t)count : d->source.bytes_in_buffer;
    d->source.next_input_byte += skipped;
    d->source.bytes_in_buffer -= skipped;
}

// MARK: - Life

clibjpeg_decoder *clibjpeg_create(const uint8_t *bytes, size_t count, size_t memory_limit, int stop_at_damage) {
    clibjpeg_decoder *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    d->memory_limit = memory_limit;
    d->file_size = count;
    d->allocated = sizeof *d;
    d->stop_at_damage = stop_at_damage;
    d->good_rows = INT_MAX;
    d->info.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = fail;
    d->errors.emit_message = warn;
    d->errors.output_message = stay_silent;
    d->info.client_data = d;
    if (setjmp(d->on_error)) {
        jpeg_destroy_decompress(&d->info);
        free(d);
        return NULL;
    }
    jpeg_create_decompress(&d->info);
    count_allocations(d);
    d->source.init_source = source_start;
    d->source.fill_input_buffer = source_fill;
    d->source.skip_input_data = source_skip;
    d->source.resync_to_restart = jpeg_resync_to_restart;
    d->source.term_source = source_end;
    d->source.next_input_byte = bytes;
    d->source.bytes_in_buffer = count;
    d->info.src = &d->source;
    return d;
}

// Never jpeg_finish_decompress: it insists on an end-of-image marker that real files lack.
void clibjpeg_destroy(clibjpeg_decoder *d) {
    if (d == NULL) return;
    jpeg_destroy_decompress(&d->info);
    free(d->strip);
    free(d);
}

static void remember_scan(clibjpeg_decoder *d) {
    for (int i = 0; i < d->info.comps_in_scan; i++) d->scanned[d->info.cur_comp_info[i]->component_index] = 1;
}

clibjpeg_status clibjpeg_read_header(clibjpeg_decoder *d) {
    if (setjmp(d->on_error)) return d->status;
    jpeg_read_header(&d->info, TRUE);
    d->good_rows = (int)d->info.image_height;
    remember_scan(d);
    return CLIBJPEG_OK;
}

// MARK: - Start

static void start(clibjpeg_decoder *d, int scale) {
    d->info.scale_num = (unsigned)scale;
    d->info.scale_denom = DCTSIZE;
    d->info.dct_method = JDCT_ISLOW;
    // Multi-scan files are absorbed step by step, so that the caller can stop in between.
    d->info.buffered_image = jpeg_has_multiple_scans(&d->info);
    d->decoding = 1;
    jpeg_start_decompress(&d->info);
}

static size_t padded_width(const jpeg_component_info *c) {
    size_t blocks = (c->width_in_blocks + (size_t)c->h_samp_factor - 1) / (size_t)c->h_samp_factor;
    return blocks * (size_t)c->h_samp_factor * (size_t)c->DCT_scaled_size;
}

static size_t plane_rows(const jpeg_component_info *c) { return (size_t)c->v_samp_factor * (size_t)c->DCT_scaled_size; }

static void allocate_strip(clibjpeg_decoder *d, size_t bytes) {
    reserve((j_common_ptr)&d->info, bytes + ALLOCATION_OVERHEAD);
    d->strip = malloc(bytes);
    if (d->strip == NULL) ERREXIT1(&d->info, JERR_OUT_OF_MEMORY, 0);
}

clibjpeg_status clibjpeg_start_planes(clibjpeg_decoder *d, int scale) {
    if (setjmp(d->on_error)) return d->status;
    if (d->info.num_components > MAX_PLANES) ERREXIT2(&d->info, JERR_COMPONENT_COUNT, d->info.num_components, MAX_PLANES);
    d->raw = 1;
    d->info.raw_data_out = TRUE;
    d->info.out_color_space = d->info.jpeg_color_space;
    start(d, scale);
    size_t bytes = 0;
    for (int i = 0; i < d->info.num_components; i++) {
        const jpeg_component_info *c = &d->info.comp_info[i];
        if (plane_rows(c) > MAX_PLANE_ROWS) ERREXIT(&d->info, JERR_BUFFER_SIZE);
        bytes += padded_width(c) * plane_rows(c);
    }
    allocate_strip(d, bytes);
    uint8_t *next = d->strip;
    for (int i = 0; i < d->info.num_components; i++) {
        const jpeg_component_info *c = &d->info.comp_info[i];
        for (size_t row = 0; row < plane_rows(c); row++, next += padded_width(c)) d->rows[i][row] = next;
        d->planes[i] = d->rows[i];
    }
    return CLIBJPEG_OK;
}

clibjpeg_status clibjpeg_start_pixels(clibjpeg_decoder *d, int scale) {
    if (setjmp(d->on_error)) return d->status;
    switch (d->info.jpeg_color_space) {
    case JCS_GRAYSCALE: d->info.out_color_space = JCS_GRAYSCALE; break;
    case JCS_RGB:
    case JCS_YCbCr: d->info.out_color_space = JCS_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: d->info.out_color_space = JCS_CMYK; break;
    default: ERREXIT(&d->info, JERR_CONVERSION_NOTIMPL);
    }
    d->info.do_fancy_upsampling = TRUE;
    start(d, scale);
    size_t width = (size_t)d->info.output_width * (size_t)d->info.output_components;
    allocate_strip(d, width * PIXEL_ROWS);
    for (int row = 0; row < PIXEL_ROWS; row++) d->rows[0][row] = d->strip + width * (size_t)row;
    return CLIBJPEG_OK;
}

// MARK: - Decode

clibjpeg_status clibjpeg_consume(clibjpeg_decoder *d) {
    if (setjmp(d->on_error)) return d->status;
    if (!d->info.buffered_image) return CLIBJPEG_END;
    int answer = jpeg_consume_input(&d->info);
    if (answer == JPEG_REACHED_SOS) remember_scan(d);
    if (answer != JPEG_REACHED_EOI) return CLIBJPEG_OK;
    jpeg_start_output(&d->info, d->info.input_scan_number);
    return CLIBJPEG_END;
}

static void count_plane_rows(clibjpeg_decoder *d) {
    for (int i = 0; i < d->info.num_components; i++) {
        int left = clibjpeg_plane_height(d, i) - d->rows_done[i];
        int rows = (int)plane_rows(&d->info.comp_info[i]);
        d->strip_rows[i] = rows < left ? rows : left;
        d->rows_done[i] += d->strip_rows[i];
    }
}

clibjpeg_status clibjpeg_next_strip(clibjpeg_decoder *d) {
    if (setjmp(d->on_error)) return d->status;
    if (d->info.output_scanline >= d->info.output_height) return CLIBJPEG_END;
    if (!d->raw) {
        d->strip_rows[0] = (int)jpeg_read_scanlines(&d->info, d->rows[0], PIXEL_ROWS);
        return CLIBJPEG_OK;
    }
    jpeg_read_raw_data(&d->info, d->planes, MAX_PLANE_ROWS);
    count_plane_rows(d);
    return CLIBJPEG_OK;
}

int clibjpeg_strip_rows(const clibjpeg_decoder *d, int component) { return d->strip_rows[component]; }

const uint8_t *clibjpeg_row(const clibjpeg_decoder *d, int component, int row) { return d->rows[component][row]; }

int clibjpeg_row_samples(const clibjpeg_decoder *d, int component) {
    if (d->raw) return clibjpeg_plane_width(d, component);
    return (int)d->info.output_width * d->info.output_components;
}

// MARK: - Questions

int clibjpeg_width(const clibjpeg_decoder *d) { return (int)d->info.image_width; }
int clibjpeg_height(const clibjpeg_decoder *d) { return (int)d->info.image_height; }
int clibjpeg_components(const clibjpeg_decoder *d) { return d->info.num_components; }
int clibjpeg_precision(const clibjpeg_decoder *d) { return d->info.data_precision; }

clibjpeg_colour clibjpeg_colour_model(const clibjpeg_decoder *d) {
    switch (d->info.jpeg_color_space) {
    case JCS_GRAYSCALE: return CLIBJPEG_GREY;
    case JCS_RGB: return CLIBJPEG_RGB;
    case JCS_YCbCr: return CLIBJPEG_YCC;
    case JCS_CMYK: return CLIBJPEG_CMYK;
    case JCS_YCCK: return CLIBJPEG_YCCK;
    default: return CLIBJPEG_OTHER;
    }
}

int clibjpeg_is_progressive(const clibjpeg_decoder *d) { return d->info.progressive_mode; }
int clibjpeg_is_multi_scan(const clibjpeg_decoder *d) { return jpeg_has_multiple_scans((j_decompress_ptr)&d->info); }
int clibjpeg_horizontal_sampling(const clibjpeg_decoder *d, int i) { return d->info.comp_info[i].h_samp_factor; }
int clibjpeg_vertical_sampling(const clibjpeg_decoder *d, int i) { return d->info.comp_info[i].v_samp_factor; }
int clibjpeg_block_samples(const clibjpeg_decoder *d, int i) { return d->info.comp_info[i].DCT_scaled_size; }
int clibjpeg_plane_width(const clibjpeg_decoder *d, int i) { return (int)d->info.comp_info[i].downsampled_width; }
int clibjpeg_plane_height(const clibjpeg_decoder *d, int i) { return (int)d->info.comp_info[i].downsampled_height; }

int clibjpeg_scans(const clibjpeg_decoder *d) { return d->info.input_scan_number; }
uint32_t clibjpeg_warnings(const clibjpeg_decoder *d, clibjpeg_warning which) { return d->warnings[which]; }
int clibjpeg_good_rows(const clibjpeg_decoder *d) { return d->good_rows; }

// A component without a scan is flat grey. After an early end the refinements that never came
// leave blocks: coef_bits is 0 where a coefficient has its last bit, -1 where nothing came.
int clibjpeg_is_incomplete(const clibjpeg_decoder *d) {
    for (int i = 0; i < d->info.num_components; i++) {
        if (!d->scanned[i]) return 1;
        if (!d->info.progressive_mode || d->info.coef_bits == NULL) continue;
        if (d->info.coef_bits[i][0] < 0) return 1;
        if (!d->at_end_of_file) continue;
        for (int k = 0; k < DCTSIZE2; k++)
            if (d->info.coef_bits[i][k] != 0) return 1;
    }
    return 0;
}

ptrdiff_t clibjpeg_end_of_image(const clibjpeg_decoder *d) {
    if (d->at_end_of_file) return -1;
    size_t position = d->file_size - d->source.bytes_in_buffer;
    int passed = d->info.unread_marker == MARKER_END_OF_IMAGE || jpeg_input_complete((j_decompress_ptr)&d->info);
    if (passed) return (ptrdiff_t)position;
    const JOCTET *bytes = d->source.next_input_byte;
    for (size_t i = 0; i + 1 < d->source.bytes_in_buffer; i++)
        if (bytes[i] == 0xFF && bytes[i + 1] == MARKER_END_OF_IMAGE) return (ptrdiff_t)(position + i + 2);
    return -1;
}

size_t clibjpeg_allocated(const clibjpeg_decoder *d) { return d->allocated; }
clibjpeg_cause clibjpeg_failure(const clibjpeg_decoder *d) { return d->cause; }
const char *clibjpeg_failure_text(const clibjpeg_decoder *d) { return d->text; }
