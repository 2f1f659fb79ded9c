// Runs a program as on a kernel without Landlock: `OldKernel PROGRAM ARGUMENT…`. The call that asks for it is unknown
// there, as it was before Linux 5.13, by a filter that the program inherits.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

// The same number on every architecture.
enum { create_ruleset = 444 };

int main(int count, char **words) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (count < 2) {
        fprintf(stderr, "usage: OldKernel PROGRAM ARGUMENT...\n");
        return 64;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("OldKernel: no filter");
        return 71;
    }
    execv(words[1], words + 1);
    perror(words[1]);
    return 71;
}
