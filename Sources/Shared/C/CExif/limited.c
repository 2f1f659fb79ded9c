// libexif copies each entry's value, and any number of entries may name the same one; its allocator is told neither
// for whom it allocates nor how much may be. So the rest of what may be taken is kept by thread.
#include <CExif.h>
#include <libexif/exif-mem.h>
#include <stdlib.h>

static _Thread_local size_t left;

static void *take(ExifLong size) {
    if (size > left) {
        return NULL;
    }
    left -= size;
    return calloc(1, size);
}

// What is given back is not taken again: a reader that allocates and frees without end ends, too.
static void *retake(void *block, ExifLong size) {
    if (size > left) {
        return NULL;
    }
    left -= size;
    return realloc(block, size);
}

ExifData *cexif_load(const unsigned char *bytes, unsigned int count, size_t limit) {
    left = limit;
    ExifMem *memory = exif_mem_new(take, retake, free);
    if (memory == NULL) {
        return NULL;
    }
    ExifData *data = exif_data_new_mem(memory);
    exif_mem_unref(memory);
    if (data == NULL) {
        return NULL;
    }
    // Following the specification would convert or invent entries; what is stored is wanted.
    exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
    exif_data_set_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS);
    exif_data_set_option(data, EXIF_DATA_OPTION_DONT_CHANGE_MAKER_NOTE);
    exif_data_load_data(data, bytes, count);
    return data;
}
