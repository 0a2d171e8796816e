// SPDX-License-Identifier: Apache-2.0
// In the worker: the filter that stops the calls which name files, and its hand-over to the
// harness.

#define _GNU_SOURCE
#include "harness/host/watch.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/host/watch_calls.h"

enum { X32_CALLS = 0x40000000 }; // the bit that their numbers have

const struct watch_call watch_calls[] = {
    {SYS_openat, 0, 1, 2, USE_BY_FLAGS},  {WATCH_OPENAT2, 0, 1, 2, USE_BY_FLAGS},
    {SYS_execve, -1, 0, 0, USE_RUN},      {SYS_execveat, 0, 1, 0, USE_RUN},
    {SYS_renameat2, 0, 1, 0, USE_CHANGE}, {SYS_renameat2, 2, 3, 0, USE_MAKE},
    {SYS_unlinkat, 0, 1, 0, USE_CHANGE},  {SYS_linkat, 2, 3, 0, USE_MAKE},
    {SYS_symlinkat, 1, 2, 0, USE_MAKE},   {SYS_mknodat, 0, 1, 0, USE_MAKE},
    {SYS_truncate, -1, 0, 0, USE_CHANGE},
#ifdef SYS_renameat
    {SYS_renameat, 0, 1, 0, USE_CHANGE},  {SYS_renameat, 2, 3, 0, USE_MAKE},
#endif
#ifdef SYS_open
    {SYS_open, -1, 0, 1, USE_BY_FLAGS},   {SYS_creat, -1, 0, 0, USE_MAKE},
    {SYS_rename, -1, 0, 0, USE_CHANGE},   {SYS_rename, -1, 1, 0, USE_MAKE},
    {SYS_unlink, -1, 0, 0, USE_CHANGE},   {SYS_link, -1, 1, 0, USE_MAKE},
    {SYS_symlink, -1, 1, 0, USE_MAKE},    {SYS_mknod, -1, 0, 0, USE_MAKE},
#endif
};
enum { CALLS = sizeof watch_calls / sizeof *watch_calls };
const size_t watch_call_count = CALLS;

static struct sock_filter ask(void)
{
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
}

static int install(void)
{
    if (!WATCH_ARCHITECTURE)
        return -1;
    // Calls of another architecture have other numbers, and what io_uring opens, no filter sees.
    struct sock_filter step[2 * CALLS + 12] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WATCH_ARCHITECTURE, 1, 0),
        ask(),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1),
        ask(),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WATCH_IO_URING_SETUP, 0, 1),
        ask(),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open_by_handle_at, 0, 1),
        ask(),
    };
    unsigned short count = 10;
    for (unsigned i = 0; i < CALLS; i++) {
        step[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                     (uint32_t)watch_calls[i].number, 0, 1);
        step[count++] = ask();
    }
    step[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = count, .filter = step};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

void watch_begin(int socket)
{
    const int listener = getenv(WATCH_ASKED) ? install() : -1;
    unsetenv(WATCH_ASKED);
    char byte = listener >= 0 ? 'w' : 'n';
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof listener)];
    } control = {.bytes = {0}};
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (listener >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof listener);
        memcpy(CMSG_DATA(header), &listener, sizeof listener);
    }
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
    if (listener >= 0)
        close(listener);
}
