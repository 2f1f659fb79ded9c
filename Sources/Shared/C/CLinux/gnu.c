// Calls that glibc declares only under _GNU_SOURCE, which Swift's importer does not set.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>

#include "CLinux.h"

int linux_name_this_thread(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

int linux_processors_in_affinity_mask(void) {
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
        return 0;
    }
    return CPU_COUNT(&mask);
}

int linux_spawn_in_folder(void *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}
