// The decoder: libjpeg reports errors by longjmp, which must never cross a Swift frame, so
// setjmp lives behind this header. Only the module JPEG imports it.
//
// One decoder = one file in memory = one thread. Calls, in this order: create, read_header,
// start_planes or start_pixels, consume until it says END, next_strip until the caller has what
// it wants, destroy. Any call may fail; after a failure only the questions and destroy are allowed.
#ifndef CLIBJPEG_H
#define CLIBJPEG_H

#include <stddef.h>
#include <stdint.h>

typedef struct clibjpeg_decoder clibjpeg_decoder;

typedef enum {
    CLIBJPEG_OK = 0,      // did one step
    CLIBJPEG_END = 1,     // nothing left to do in this phase
    CLIBJPEG_DAMAGED = 2, // stopped at the first damage, as asked
    CLIBJPEG_FAILED = 3,  // libjpeg gave up: see clibjpeg_failure
} clibjpeg_status;

// Why libjpeg gave up, sorted by what a caller can do about it.
typedef enum {
    CLIBJPEG_CAUSE_NONE = 0,
    CLIBJPEG_CAUSE_MEMORY = 1,      // the memory limit, or malloc itself
    CLIBJPEG_CAUSE_UNSUPPORTED = 2, // a kind of JPEG that this libjpeg cannot decode
    CLIBJPEG_CAUSE_NO_IMAGE = 3,    // no start, no frame or no scan
    CLIBJPEG_CAUSE_MALFORMED = 4,   // anything else: the bytes contradict the standard
} clibjpeg_cause;

typedef enum {
    CLIBJPEG_NOT_SEQUENTIAL = 0,  // wrong scan parameters in a sequential file: harmless
    CLIBJPEG_EXTRANEOUS_BYTES,    // bytes that belong to nothing: harmless
    CLIBJPEG_JFIF_VERSION,        // harmless
    CLIBJPEG_ADOBE_TRANSFORM,     // unknown colour transform, guessed: harmless
    CLIBJPEG_END_OF_FILE,         // the file ended where more could have come
    CLIBJPEG_TRUNCATED,           // picture data was needed after the end
    CLIBJPEG_CORRUPT,             // picture data that cannot be what the encoder wrote
    CLIBJPEG_WARNING_CLASSES
} clibjpeg_warning;

typedef enum { CLIBJPEG_GREY = 1, CLIBJPEG_RGB, CLIBJPEG_YCC, CLIBJPEG_CMYK, CLIBJPEG_YCCK, CLIBJPEG_OTHER } clibjpeg_colour;

// The bytes stay the caller's and must outlive the decoder. memory_limit caps every allocation
// of libjpeg and of the strip, in bytes. NULL when malloc fails.
clibjpeg_decoder *clibjpeg_create(const uint8_t *bytes, size_t count, size_t memory_limit, int stop_at_damage);
void clibjpeg_destroy(clibjpeg_decoder *decoder);

clibjpeg_status clibjpeg_read_header(clibjpeg_decoder *decoder);

// scale is in eighths: 1, 2, 4 or 8. Planes are what the file stores, each at its own resolution;
// pixels are interleaved grey, RGB or CMYK.
clibjpeg_status clibjpeg_start_planes(clibjpeg_decoder *decoder, int scale);
clibjpeg_status clibjpeg_start_pixels(clibjpeg_decoder *decoder, int scale);

// Multi-scan files: reads one row of MCUs of one scan. END once the whole file is absorbed,
// which for single-scan files is at once.
clibjpeg_status clibjpeg_consume(clibjpeg_decoder *decoder);

// Decodes the next strip. Its rows are then at clibjpeg_row until the next call.
clibjpeg_status clibjpeg_next_strip(clibjpeg_decoder *decoder);
// Rows of the strip that belong to the picture; pixels count as component 0.
int clibjpeg_strip_rows(const clibjpeg_decoder *decoder, int component);
const uint8_t *clibjpeg_row(const clibjpeg_decoder *decoder, int component, int row);
int clibjpeg_row_samples(const clibjpeg_decoder *decoder, int component);

// Questions, allowed after read_header.
int clibjpeg_width(const clibjpeg_decoder *decoder);
int clibjpeg_height(const clibjpeg_decoder *decoder);
int clibjpeg_components(const clibjpeg_decoder *decoder);
int clibjpeg_precision(const clibjpeg_decoder *decoder);
clibjpeg_colour clibjpeg_colour_model(const clibjpeg_decoder *decoder);
int clibjpeg_is_progressive(const clibjpeg_decoder *decoder);
int clibjpeg_is_multi_scan(const clibjpeg_decoder *decoder);
int clibjpeg_horizontal_sampling(const clibjpeg_decoder *decoder, int component);
int clibjpeg_vertical_sampling(const clibjpeg_decoder *decoder, int component);
// Allowed after start: the resolution libjpeg chose, and the size of the plane.
int clibjpeg_block_samples(const clibjpeg_decoder *decoder, int component);
int clibjpeg_plane_width(const clibjpeg_decoder *decoder, int component);
int clibjpeg_plane_height(const clibjpeg_decoder *decoder, int component);

// Scans met so far.
int clibjpeg_scans(const clibjpeg_decoder *decoder);
uint32_t clibjpeg_warnings(const clibjpeg_decoder *decoder, clibjpeg_warning which);
// Rows of the full-size picture above the first damage; the height when there is none.
int clibjpeg_good_rows(const clibjpeg_decoder *decoder);
// Whether a component, or part of its coefficients after an early end, never came.
int clibjpeg_is_incomplete(const clibjpeg_decoder *decoder);
// Position behind the end-of-image marker, or -1 when the file has none. Allowed once the last row
// has been decoded.
ptrdiff_t clibjpeg_end_of_image(const clibjpeg_decoder *decoder);
// Bytes that libjpeg and the strip asked for, at their highest.
size_t clibjpeg_allocated(const clibjpeg_decoder *decoder);
clibjpeg_cause clibjpeg_failure(const clibjpeg_decoder *decoder);
// libjpeg's own words about the failure; NUL-terminated, empty when there is none.
const char *clibjpeg_failure_text(const clibjpeg_decoder *decoder);

#endif
