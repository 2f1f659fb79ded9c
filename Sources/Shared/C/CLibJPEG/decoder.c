#include "decoder.h"

#include <limits.h>
#include <stdlib.h>

// The life of a decoder. Every function that calls libjpeg begins with setjmp.

clibjpeg_decoder *clibjpeg_create(const uint8_t *bytes, size_t count, size_t memory_limit, int stop_at_damage) {
    clibjpeg_decoder *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    d->memory_limit = memory_limit;
    d->allocated = sizeof *d;
    d->stop_at_damage = stop_at_damage;
    d->good_rows = INT_MAX;
    clibjpeg_listen(d);
    if (setjmp(d->on_error)) {
        jpeg_destroy_decompress(&d->info);
        free(d);
        return NULL;
    }
    jpeg_create_decompress(&d->info);
    clibjpeg_count_allocations(d);
    clibjpeg_read_from(d, bytes, count);
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
    clibjpeg_reserve((j_common_ptr)&d->info, bytes);
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
