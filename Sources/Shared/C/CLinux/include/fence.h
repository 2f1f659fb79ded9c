// Landlock and seccomp have no wrappers in glibc, and Swift cannot call the variadic syscall(2) and prctl(2).
// Debian 12's <linux/landlock.h> is older than the kernels that this may run on, so rights are plain bits here.
#ifndef CLINUX_FENCE_H
#define CLINUX_FENCE_H
#include <stdint.h>

// Each answers -1 and sets errno when the kernel refuses.

// The version of Landlock's interface, from 1 on.
int linux_landlock_version(void);

// A descriptor of rules under which everything that is handled is denied but what is allowed.
int linux_landlock_rules(uint64_t handled_files, uint64_t handled_tcp, uint64_t scopes);

// Allows `rights` on what `place`, a descriptor opened with O_PATH, is or has beneath it; 0.
int linux_landlock_allow_beneath(int rules, int place, uint64_t rights);

// Allows `rights` on a port of TCP; 0.
int linux_landlock_allow_port(int rules, uint16_t port, uint64_t rights);

// Holds from now on for this thread and those that it starts, for ever; 0.
int linux_landlock_enforce(int rules);

// No program that is started gives this process more rights than it has; 0.
int linux_give_up_new_privileges(void);

// Of root's rights, this thread and those that it starts keep at most those of `kept`, a bit for each CAP_ number; 0.
int linux_keep_capabilities(uint64_t kept);

// Every thread of this process is refused the calls of denied_calls.c, for ever; 0.
int linux_deny_calls(void);

#endif
