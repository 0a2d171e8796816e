// SPDX-License-Identifier: Apache-2.0
// Records of a fault in the worker. The handler notes what it can and lets the signal kill the
// process.

#define _GNU_SOURCE
#include "harness/host/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness/host/sanitized.h"
#include "harness/host/slot.h"
#include "ref/base/file.h"

static struct wire_fault *fault_record;
static volatile sig_atomic_t has_begun; // a thread is in the handler

enum { FAULT_STACK_SIZE = 64 * 1024 };

// 1: a write, 0: a read, 2: the machine does not say.
static uint32_t is_write(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *const machine = context;
    return (machine->uc_mcontext.gregs[REG_ERR] & 2) ? 1 : 0;
#else
    (void)context;
    return 2;
#endif
}

// Private writable memory in bytes, from /proc/self/statm (sixth number, pages), with calls that a
// handler may make.
static uint64_t data_bytes(void)
{
    char text[128];
    const size_t size = file_read_start("/proc/self/statm", text, sizeof text);
    uint64_t value = 0;
    int field = 0;
    for (size_t i = 0; i < size && field < 6; i++) {
        if (text[i] < '0' || text[i] > '9')
            field++;
        else if (field == 5)
            value = value * 10 + (uint64_t)(text[i] - '0');
    }
    return value * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void on_signal(int signal_number, siginfo_t *info, void *context)
{
    struct wire_fault *const record = fault_record;
    has_begun = 1;
    if (!record->valid) {
        record->signal = signal_number;
        record->code = info->si_code;
        record->address = (uint64_t)(uintptr_t)info->si_addr;
        record->writing =
            signal_number == SIGSEGV || signal_number == SIGBUS ? is_write(context) : 2;
        record->data_bytes = ASSAY_SANITIZED ? 0 : data_bytes();
        uint32_t slot = 0;
        int64_t offset = 0;
        if (signal_number == SIGSEGV || signal_number == SIGBUS)
            record->known_slot = slot_find((uintptr_t)info->si_addr, &slot, &offset);
        record->slot = slot;
        record->offset = offset;
        record->valid = 1;
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

bool fault_install(struct wire_fault *record)
{
    static const int watched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
    fault_record = record;
    void *const stack =
        mmap(NULL, FAULT_STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    const stack_t alternate = {.ss_sp = stack, .ss_size = FAULT_STACK_SIZE};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&alternate, NULL))
        return false;
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        if (sigaction(watched[i], &action, NULL))
            return false;
    return true;
}

void fault_wait(void)
{
    while (has_begun)
        pause();
}
