// The decoder: libjpeg reports errors by longjmp, which must never cross a Swift frame; setjmp lives here.
#ifndef CLIBJPEG_H
#define CLIBJPEG_H
int clibjpeg_version(void);
#endif
