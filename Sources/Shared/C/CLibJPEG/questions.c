#include "decoder.h"

// What a decoder knows; none of these calls can fail.

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
