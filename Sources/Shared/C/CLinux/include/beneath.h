// openat2(2) has no wrapper in glibc, and Swift cannot call the variadic syscall(2); O_PATH is hidden
// behind _GNU_SOURCE, which Swift's Glibc module does not define.
#ifndef CLINUX_BENEATH_H
#define CLINUX_BENEATH_H

// O_PATH, for openat(2).
extern const int linux_O_PATH;

// openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS: opens `path` only if no step of it, symbolic
// links included, leads out of `directory`. A descriptor, or -1 and errno.
int linux_open_beneath(int directory, const char *path, int flags);

#endif
