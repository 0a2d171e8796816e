// SPDX-License-Identifier: Apache-2.0
// Confinement with resource limits and a system call filter; neither needs privileges. A filter,
// not a namespace: it works inside containers and for any user. It guards against accidents and
// careless code, not against malicious code.

#define _GNU_SOURCE
#include "harness/host/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/host/sanitized.h"

#if defined(__x86_64__)
#define CONFINE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

enum { CONFINE_FILE_BYTES_MAX = 1 << 30, CONFINE_FILES_MAX = 1024, CONFINE_FILTER_MAX = 64 };

static void limit(int resource, rlim_t value)
{
    struct rlimit old;
    if (getrlimit((__rlimit_resource_t)resource, &old))
        return;
    if (old.rlim_max != RLIM_INFINITY && old.rlim_max < value)
        value = old.rlim_max;
    const struct rlimit new = {.rlim_cur = value, .rlim_max = value};
    setrlimit((__rlimit_resource_t)resource, &new);
}

#if defined(CONFINE_ARCHITECTURE)
struct filter {
    struct sock_filter step[CONFINE_FILTER_MAX];
    unsigned short count;
};

static void add(struct filter *filter, struct sock_filter step)
{
    if (filter->count < CONFINE_FILTER_MAX)
        filter->step[filter->count++] = step;
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

// Low half of argument `index` (both architectures are little-endian).
static void load_argument(struct filter *filter, unsigned index)
{
    load(filter, offsetof(struct seccomp_data, args) + 8 * index);
}

static void refuse_when_equal(struct filter *filter, uint32_t value, int error)
{
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error));
}

// The call `number` is refused when its first argument is one of `values`.
static void refuse_argument(struct filter *filter, long number, const uint32_t *values,
                            unsigned count, int error)
{
    load(filter, offsetof(struct seccomp_data, nr));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0,
                                             (unsigned char)(1 + 2 * count)));
    load_argument(filter, 0);
    for (unsigned i = 0; i < count; i++)
        refuse_when_equal(filter, values[i], error);
}

static void install_filter(const struct confinement *confinement)
{
    struct filter filter = {.count = 0};
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter,
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_ARCHITECTURE, 1, 0));
    add(&filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    load(&filter, offsetof(struct seccomp_data, nr));
    static const long forbidden[] = {
        SYS_setsid,
        SYS_setpgid,
        SYS_process_vm_writev,
#if !ASSAY_SANITIZED // which traces the process to look for leaks
        SYS_ptrace
#endif
    };
    for (unsigned i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++)
        refuse_when_equal(&filter, (uint32_t)forbidden[i], EPERM);
    const uint32_t harness[] = {(uint32_t)getppid(), (uint32_t)-1};
    static const long signals[] = {SYS_kill, SYS_tgkill, SYS_tkill, SYS_rt_sigqueueinfo,
                                   SYS_rt_tgsigqueueinfo};
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        refuse_argument(&filter, signals[i], harness, 2, EPERM);
    const uint32_t network[] = {AF_INET, AF_INET6, AF_PACKET};
    if (!confinement->allow_network)
        refuse_argument(&filter, SYS_socket, network, 3, EACCES);
    add(&filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const struct sock_fprog program = {.len = filter.count, .filter = filter.step};
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void install_filter(const struct confinement *confinement)
{
    (void)confinement;
}
#endif

void confine_process(const struct confinement *confinement)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0,
          0); // a process that a child leaves behind becomes ours, and is seen
    // No core file, as with 0; and with 1 Linux pipes none to another program either
    // (fs/coredump.c), for which a call would have to wait.
    limit(RLIMIT_CORE, 1);
    limit(RLIMIT_FSIZE, CONFINE_FILE_BYTES_MAX);
    limit(RLIMIT_NOFILE, CONFINE_FILES_MAX);
    if (confinement->memory_bytes && !ASSAY_SANITIZED)
        limit(RLIMIT_DATA, confinement->memory_bytes);
    install_filter(confinement);
}
