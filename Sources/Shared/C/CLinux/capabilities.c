#define _GNU_SOURCE
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fence.h"

int linux_keep_capabilities(uint64_t kept) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct halves[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, halves) != 0) {
        return -1;
    }
    for (int half = 0; half < _LINUX_CAPABILITY_U32S_3; half++) {
        const uint32_t bits = (uint32_t)(kept >> (32 * half));
        halves[half].effective &= bits;
        halves[half].permitted &= bits;
        halves[half].inheritable = 0;
    }
    return (int)syscall(SYS_capset, &header, halves);
}
