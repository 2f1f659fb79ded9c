// Exif tags, by libexif. Only the module Exif imports this.
#include <libexif/exif-data.h>
#include <libexif/exif-log.h>
