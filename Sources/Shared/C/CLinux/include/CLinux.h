// Calls that Swift's Glibc module leaves out: allocator settings, and system calls without a wrapper.
#ifndef CLINUX_H
#define CLINUX_H
#include <malloc.h>
#include <sys/eventfd.h>

#include "beneath.h"
#include "fence.h"
#include "wallclock.h"

// Names the calling thread; at most 15 bytes and a NUL, else ERANGE.
int linux_name_this_thread(const char *name);

// Processors the scheduler may run this process on; 0 when the kernel's mask is wider than the C type.
int linux_processors_in_affinity_mask(void);

// Starts the child in `path`; `actions` is a posix_spawn_file_actions_t. Returns 0 or an error number.
// Not spelled out as a type: <spawn.h> here would make sigset_t belong to this module in Swift's eyes.
int linux_spawn_in_folder(void *actions, const char *path);
#endif
