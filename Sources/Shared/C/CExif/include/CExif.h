// Exif tags, by libexif. Only the module Exif imports this.
#ifndef CEXIF_H
#define CEXIF_H

#include <libexif/exif-data.h>
#include <stddef.h>

/// Reads Exif without its tags' corrections, taking no more than `limit` bytes of memory at all: entries beyond
/// that are not there. To be given back with `exif_data_unref` on the thread that asked. NULL without memory.
ExifData *cexif_load(const unsigned char *bytes, unsigned int count, size_t limit);

#endif
