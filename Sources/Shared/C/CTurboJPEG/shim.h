// The encoder: TurboJPEG takes planes and catches libjpeg's longjmp itself. Only the module JPEG imports this.
#include <turbojpeg.h>
