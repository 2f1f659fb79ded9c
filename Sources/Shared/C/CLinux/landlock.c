#define _GNU_SOURCE
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fence.h"

// As in <linux/landlock.h>, version 6 and later. An older kernel takes the longer struct as long as what it
// does not know is zero.
struct rules_attributes {
    uint64_t handled_files;
    uint64_t handled_tcp;
    uint64_t scopes;
};

struct beneath_rule {
    uint64_t rights;
    int32_t place;
} __attribute__((packed));

struct port_rule {
    uint64_t rights;
    uint64_t port;
};

enum { ask_version = 1, rule_beneath = 1, rule_port = 2 };

int linux_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, ask_version);
}

int linux_landlock_rules(uint64_t handled_files, uint64_t handled_tcp, uint64_t scopes) {
    struct rules_attributes attributes = {handled_files, handled_tcp, scopes};
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
}

int linux_landlock_allow_beneath(int rules, int place, uint64_t rights) {
    struct beneath_rule rule = {rights, place};
    return (int)syscall(SYS_landlock_add_rule, rules, rule_beneath, &rule, 0);
}

int linux_landlock_allow_port(int rules, uint16_t port, uint64_t rights) {
    struct port_rule rule = {rights, port};
    return (int)syscall(SYS_landlock_add_rule, rules, rule_port, &rule, 0);
}

int linux_landlock_enforce(int rules) {
    return (int)syscall(SYS_landlock_restrict_self, rules, 0);
}

int linux_give_up_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
