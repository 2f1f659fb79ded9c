#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
#include "CLibJPEG.h"

int clibjpeg_version(void) { return JPEG_LIB_VERSION; }
