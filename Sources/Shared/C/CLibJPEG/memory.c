#include "decoder.h"

#include <limits.h>

// Every request for memory is counted against the limit before libjpeg sees it.
// libjpeg's max_memory_to_use alone bounds only the coefficient arrays.

// Bytes that malloc and libjpeg's pools add to each request: headers, alignment, rounding.
enum { ALLOCATION_OVERHEAD = 64 };

void clibjpeg_reserve(j_common_ptr common, size_t bytes) {
    clibjpeg_decoder *d = owner(common);
    if (bytes <= SIZE_MAX - ALLOCATION_OVERHEAD) bytes += ALLOCATION_OVERHEAD;
    if (bytes > d->memory_limit || d->allocated > d->memory_limit - bytes) ERREXIT1(common, JERR_OUT_OF_MEMORY, 0);
    d->allocated += bytes;
}

static void *counted_small(j_common_ptr c, int pool, size_t bytes) {
    clibjpeg_reserve(c, bytes);
    return owner(c)->plain.alloc_small(c, pool, bytes);
}

static void *counted_large(j_common_ptr c, int pool, size_t bytes) {
    clibjpeg_reserve(c, bytes);
    return owner(c)->plain.alloc_large(c, pool, bytes);
}

static JSAMPARRAY counted_samples(j_common_ptr c, int pool, JDIMENSION width, JDIMENSION rows) {
    clibjpeg_reserve(c, (size_t)rows * ((size_t)width + ALLOCATION_OVERHEAD + sizeof(JSAMPROW)));
    return owner(c)->plain.alloc_sarray(c, pool, width, rows);
}

static JBLOCKARRAY counted_blocks(j_common_ptr c, int pool, JDIMENSION width, JDIMENSION rows) {
    clibjpeg_reserve(c, (size_t)rows * ((size_t)width * sizeof(JBLOCK) + sizeof(JBLOCKROW)));
    return owner(c)->plain.alloc_barray(c, pool, width, rows);
}

static jvirt_barray_ptr counted_virtual_blocks(
    j_common_ptr c, int pool, boolean zero, JDIMENSION width, JDIMENSION rows, JDIMENSION access) {
    clibjpeg_reserve(c, (size_t)rows * ((size_t)width * sizeof(JBLOCK) + sizeof(JBLOCKROW)));
    return owner(c)->plain.request_virt_barray(c, pool, zero, width, rows, access);
}

void clibjpeg_count_allocations(clibjpeg_decoder *d) {
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
