// Counts the memory that a program takes, for a program that is started with this library preloaded (LD_PRELOAD) and
// asks for these functions by name. Both in bytes; see counter.c for what is counted.
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stddef.h>

/// Forgets the highest count and returns what is taken now.
size_t allocation_counter_start(void);

/// The most that was taken at one time since the start.
size_t allocation_counter_peak(void);

#endif
