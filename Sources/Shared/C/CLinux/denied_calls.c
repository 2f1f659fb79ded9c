// The system calls that a program behind a fence is refused.
//
// A list of what is denied and not of what is allowed: glibc and Swift's runtime choose their calls by version
// and kernel, and a list of those would break workers on the day one of them is new. Denied is what no worker
// needs and what leads around the other half of the fence, or into the parts of a kernel where most holes were.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fence.h"

static const unsigned int denied[] = {
    // Starting programs and processes; clone(2) is looked at more closely below.
    SYS_execve, SYS_execveat,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp,
    SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal,
    // What files look like: Landlock does not see these, and no thumbnail needs them.
    SYS_truncate, SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_fanotify_init, SYS_quotactl, SYS_quotactl_fd, SYS_acct,
    // Mounts and namespaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree, SYS_mount_setattr,
    SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_unshare, SYS_setns,
    // Becoming somebody else.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid,
    SYS_setfsgid, SYS_setgroups, SYS_capset, SYS_personality,
    // Large and seldom used parts of the kernel. What goes through io_uring no filter sees.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_vmsplice,
    // The machine as a whole.
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
    SYS_syslog, SYS_vhangup,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};

// Calls that are newer than Debian 12's headers; numbers from 424 on are the same on every architecture.
static const unsigned int denied_by_number[] = {
    452, // fchmodat2
    463, // setxattrat
    466, // removexattrat
    467, // open_tree_attr
};

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE

enum { count = sizeof denied / sizeof *denied, count_by_number = sizeof denied_by_number / sizeof *denied_by_number };

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))

static struct sock_filter *append(struct sock_filter *end, const struct sock_filter *some, int length) {
    for (int i = 0; i < length; i++) {
        *end++ = some[i];
    }
    return end;
}

#define APPEND(end, some) append(end, some, sizeof some / sizeof *some)

// The kernel works out once which calls pass whatever their arguments are, and runs the filter for the others only.
int linux_deny_calls(void) {
    static const struct sock_filter start[] = {
        // Numbers of another architecture's calls mean something else.
        FIELD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        FIELD(nr),
#ifdef __x86_64__
        // The x32 numbers of the same calls.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        REFUSE(ENOSYS),
#endif
        // Its flags lie in memory, where no filter looks: without it glibc asks clone(2).
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        REFUSE(ENOSYS),
    };
    static const struct sock_filter end[] = {
        // Threads yes, processes no.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        FIELD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        REFUSE(EPERM),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_filter filter[sizeof start / sizeof *start + 2 * (count + count_by_number) + sizeof end / sizeof *end];
    struct sock_filter *next = APPEND(filter, start);
    for (int i = 0; i < count + count_by_number; i++) {
        const unsigned int number = i < count ? denied[i] : denied_by_number[i - count];
        const struct sock_filter refusal[] = {
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
            REFUSE(EPERM),
        };
        next = APPEND(next, refusal);
    }
    next = APPEND(next, end);
    const struct sock_fprog program = {(unsigned short)(next - filter), filter};
    const long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (status > 0) {
        // The number of a thread that has a filter of its own.
        errno = EBUSY;
    }
    return status == 0 ? 0 : -1;
}

#else

int linux_deny_calls(void) {
    errno = ENOSYS;
    return -1;
}

#endif
