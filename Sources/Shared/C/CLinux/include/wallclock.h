// clock_gettime(2) could be called from Swift, but not `struct timespec` read: depending on the build's
// configuration, Swift finds it in a module of its own overlays that nobody may import.
#ifndef CLINUX_WALLCLOCK_H
#define CLINUX_WALLCLOCK_H

// Milliseconds since 1970-01-01T00:00:00Z; negative before.
long long linux_wall_clock_milliseconds(void);

#endif
