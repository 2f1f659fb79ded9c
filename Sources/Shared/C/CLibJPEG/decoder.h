// What the parts of the decoder share; nothing outside of this folder sees it.
#ifndef CLIBJPEG_DECODER_H
#define CLIBJPEG_DECODER_H

#include "CLibJPEG.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

enum { MARKER_END_OF_IMAGE = 0xD9, MAX_PLANES = 4, PIXEL_ROWS = 16, MAX_PLANE_ROWS = 4 * DCTSIZE };

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

static inline clibjpeg_decoder *owner(void *common) { return ((j_common_ptr)common)->client_data; }

// memory.c: counts every later allocation of libjpeg against memory_limit.
void clibjpeg_count_allocations(clibjpeg_decoder *decoder);
// Counts a request of our own, or longjmps out of memory.
void clibjpeg_reserve(j_common_ptr common, size_t bytes);

// messages.c: installs the handlers of errors and warnings.
void clibjpeg_listen(clibjpeg_decoder *decoder);

// source.c: makes the bytes libjpeg's input.
void clibjpeg_read_from(clibjpeg_decoder *decoder, const uint8_t *bytes, size_t count);

#endif
