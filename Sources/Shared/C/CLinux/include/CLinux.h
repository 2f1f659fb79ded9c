// Calls that Swift's Glibc module leaves out: allocator settings, and system calls without a wrapper.
#ifndef CLINUX_H
#define CLINUX_H
#include <malloc.h>

#include "beneath.h"
#endif
