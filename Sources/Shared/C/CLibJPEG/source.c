#include "decoder.h"

// The whole file is in memory. After its end libjpeg is fed an end-of-image
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

void clibjpeg_read_from(clibjpeg_decoder *d, const uint8_t *bytes, size_t count) {
    d->source.init_source = source_start;
    d->source.fill_input_buffer = source_fill;
    d->source.skip_input_data = source_skip;
    d->source.resync_to_restart = jpeg_resync_to_restart;
    d->source.term_source = source_end;
    d->source.next_input_byte = bytes;
    d->source.bytes_in_buffer = count;
    d->file_size = count;
    d->info.src = &d->source;
}
