// SPDX-License-Identifier: Apache-2.0
// The state of the process that calls share.

#define _GNU_SOURCE
#include "harness/host/environment.h"

#include <assert.h>
#include <fcntl.h>
#include <fenv.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/host/thread_list.h"
#include "ref/base/file.h"
#include "ref/base/hash.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "harness/host/sanitized.h"
#if ASSAY_SANITIZED
size_t __sanitizer_get_current_allocated_bytes(void); // gcc comes without the header
#endif

extern char **environ;

enum {
    MXCSR_FLAGS = 0x3f,
    MXCSR_DAZ = 0x40,
    MXCSR_MASKS = 0x1f80,
    MXCSR_ROUNDING = 0x6000,
    MXCSR_FTZ = 0x8000
};

static void take_floating(struct environment *environment)
{
    environment->floating_other = 0;
#if defined(__x86_64__)
    uint16_t control = 0;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    environment->floating = _mm_getcsr() & ~(unsigned)MXCSR_FLAGS;
    environment->floating_other = control;
#elif defined(__aarch64__)
    uint64_t control = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    environment->floating = control;
#else
    environment->floating = (uint64_t)fegetround();
#endif
}

static uint64_t hash_variables(void)
{
    uint64_t hash = HASH_EMPTY;
    for (char **variable = environ; variable && *variable; variable++)
        hash = hash_add(hash, *variable, strlen(*variable) + 1);
    return hash;
}

// The number behind `name` in /proc/self/status; 0 where there is none.
static unsigned find_number(const char *status, const char *name, int base)
{
    const char *const at = strstr(status, name);
    return at ? (unsigned)strtoul(at + strlen(name), NULL, base) : 0;
}

// Reading umask by the system call sets it, for all threads at once; /proc, which costs ten times
// as much, only shows it.
static void take_file_mask(struct environment *environment)
{
    char text[4096];
    if (thread_list_alone()) {
        environment->file_mask = umask(0);
        umask(environment->file_mask);
        return;
    }
    file_read_start("/proc/self/status", text, sizeof text);
    environment->file_mask = find_number(text, "\nUmask:", 8);
}

// One system call says which descriptors are open. It fails where a limit allows fewer descriptors;
// then none is said to be closed.
static bool find_closed(struct pollfd file[ENVIRONMENT_FILES])
{
    for (int i = 0; i < ENVIRONMENT_FILES; i++)
        file[i] = (struct pollfd){.fd = i};
    return poll(file, ENVIRONMENT_FILES, 0) >= 0;
}

// Each open one costs an fstat.
static void take_files(struct environment *environment)
{
    struct pollfd file[ENVIRONMENT_FILES];
    find_closed(file);
    for (int i = 0; i < ENVIRONMENT_FILES; i++) {
        struct stat status;
        environment->files[i] = 0;
        if ((file[i].revents & POLLNVAL) || fstat(i, &status))
            continue;
        environment->files[i] = (uint64_t)status.st_ino * 31 + (uint64_t)status.st_dev + 1;
    }
}

static void take_limits(struct environment *environment)
{
    static const int timers[ENVIRONMENT_TIMERS] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    for (int i = 0; i < RLIM_NLIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &environment->limits[i]);
    for (int i = 0; i < ENVIRONMENT_TIMERS; i++)
        getitimer((__itimer_which_t)timers[i], &environment->timers[i]);
    sigaltstack(NULL, &environment->signal_stack);
    environment->priority = getpriority(PRIO_PROCESS, 0);
}

static void take_thorough(struct environment *environment)
{
    for (int i = 1; i < ENVIRONMENT_SIGNALS; i++)
        sigaction(i, NULL, &environment->handlers[i]);
    take_files(environment);
    take_file_mask(environment);
    take_limits(environment);
}

static void take_cheap(struct environment *environment)
{
    take_floating(environment);
    pthread_sigmask(SIG_BLOCK, NULL, &environment->mask);
    snprintf(environment->locale, sizeof environment->locale, "%s", setlocale(LC_ALL, NULL));
    environment->thread_locale = uselocale((locale_t)0);
    if (!getcwd(environment->directory, sizeof environment->directory))
        environment->directory[0] = '\0';
    environment->variables = hash_variables();
    siginfo_t info = {0};
    environment->child = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void environment_take(struct environment *environment, bool thorough)
{
    take_cheap(environment);
    environment->thorough = thorough;
    if (thorough)
        take_thorough(environment);
}

void environment_take_from(struct environment *environment, const struct environment *stands)
{
    assert(stands->thorough);
    *environment = *stands;
    take_cheap(environment);
}

bool environment_stands(const struct environment *environment)
{
    return environment->thorough && !environment->child && thread_list_alone();
}

static bool floating_differs(const struct environment *before, const struct environment *after,
                             char *text, size_t size)
{
    if (before->floating == after->floating && before->floating_other == after->floating_other)
        return false;
    const char *what = "the floating-point control word";
#if defined(__x86_64__)
    const uint64_t changed = before->floating ^ after->floating;
    if (changed & MXCSR_ROUNDING)
        what = "the rounding mode";
    else if (changed & (MXCSR_FTZ | MXCSR_DAZ))
        what = (changed & MXCSR_FTZ) ? "flush to zero (FTZ)" : "denormals are zero (DAZ)";
    else if (changed & MXCSR_MASKS)
        what = "the floating-point exception masks";
    else
        what = "the x87 control word";
#elif defined(__aarch64__)
    const uint64_t changed = before->floating ^ after->floating;
    if (changed & (3u << 22))
        what = "the rounding mode";
    else if (changed & (1u << 24))
        what = "flush to zero (FZ)";
#endif
    snprintf(text, size, "%s was changed (control word %#llx, before %#llx)", what,
             (unsigned long long)after->floating, (unsigned long long)before->floating);
    return true;
}

static bool masks_differ(const sigset_t *a, const sigset_t *b)
{
    for (int i = 1; i < SIGRTMAX; i++)
        if (sigismember(a, i) != sigismember(b, i))
            return true;
    return false;
}

static bool limits_differ(const struct environment *before, const struct environment *after,
                          bool again, char *text, size_t size)
{
    // A runtime may bring a stack of its own when it starts, but not take it away, nor bring one at
    // each call.
    const bool taken = (after->signal_stack.ss_flags & SS_DISABLE) &&
                       !(before->signal_stack.ss_flags & SS_DISABLE);
    const bool other = before->signal_stack.ss_sp != after->signal_stack.ss_sp;
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (before->limits[i].rlim_cur != after->limits[i].rlim_cur ||
            before->limits[i].rlim_max != after->limits[i].rlim_max) {
            snprintf(text, size, "limit %d of the process was changed", i);
            return true;
        }
    for (int i = 0; i < ENVIRONMENT_TIMERS; i++)
        if (!timerisset(&before->timers[i].it_value) && timerisset(&after->timers[i].it_value)) {
            snprintf(text, size, "a timer was left running");
            return true;
        }
    if (taken || (again && other))
        snprintf(text, size, "the stack of signal handlers was replaced");
    else if (before->priority != after->priority)
        snprintf(text, size, "the priority was changed from %d to %d", before->priority,
                 after->priority);
    else if (before->file_mask != after->file_mask)
        snprintf(text, size, "the mode of new files was changed from %03o to %03o",
                 before->file_mask, after->file_mask);
    else
        return false;
    return true;
}

static bool thorough_differs(const struct environment *before, const struct environment *after,
                             bool again, char *text, size_t size)
{
    for (int i = 1; i < ENVIRONMENT_SIGNALS; i++)
        if (before->handlers[i].sa_sigaction != after->handlers[i].sa_sigaction) {
            snprintf(text, size, "the handler of signal %d (%s) was replaced", i, strsignal(i));
            return true;
        }
    for (int i = 0; i < ENVIRONMENT_FILES; i++)
        if (before->files[i] && before->files[i] != after->files[i]) {
            snprintf(text, size, "file descriptor %d was %s", i,
                     after->files[i] ? "replaced" : "closed");
            return true;
        }
    return limits_differ(before, after, again, text, size);
}

bool environment_differs(const struct environment *before, const struct environment *after,
                         bool again, char *text, size_t size)
{
    assert(size);
    if (floating_differs(before, after, text, size))
        return true;
    if (masks_differ(&before->mask, &after->mask))
        snprintf(text, size, "the signal mask was changed");
    else if (strcmp(before->locale, after->locale) != 0)
        snprintf(text, size, "the locale was changed to %.64s (before %.64s)", after->locale,
                 before->locale);
    else if (before->thread_locale != after->thread_locale)
        snprintf(text, size, "the locale of the thread was changed");
    else if (strcmp(before->directory, after->directory) != 0)
        snprintf(text, size, "the current directory was changed to %.128s", after->directory);
    else if (before->variables != after->variables)
        snprintf(text, size, "the environment variables were changed");
    else if (after->child && !before->child)
        snprintf(text, size, "a child process was left behind");
    else
        return before->thorough && after->thorough &&
               thorough_differs(before, after, again, text, size);
    return true;
}

void environment_restore(const struct environment *before)
{
#if defined(__x86_64__)
    const uint16_t control = (uint16_t)before->floating_other;
    __asm__ volatile("fldcw %0" : : "m"(control));
    _mm_setcsr((unsigned)before->floating);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before->floating));
#else
    fesetround((int)before->floating);
#endif
    pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
    uselocale(before->thread_locale);
    setlocale(LC_ALL, before->locale);
    if (chdir(before->directory)) {
        // The directory is gone; the next comparison will say so again.
    }
    if (!before->thorough)
        return;
    for (int i = 1; i < ENVIRONMENT_SIGNALS; i++)
        sigaction(i, &before->handlers[i], NULL);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        setrlimit((__rlimit_resource_t)i, &before->limits[i]);
    const struct itimerval none = {.it_value = {.tv_sec = 0}};
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    sigaltstack(&before->signal_stack, NULL);
    umask(before->file_mask);
}

// ---- growth -----------------------------------------------------------------

static uint64_t bytes_in_use(void)
{
#if ASSAY_SANITIZED
    return __sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 now = mallinfo2();
    return (uint64_t)now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

// The sum of the ranges that /proc/self/maps lists; 0 where it cannot be read. Nothing is
// allocated.
static uint64_t sum_of_ranges(void)
{
    enum { FROM, TO, REST } field = FROM;
    uint64_t sum = 0, number = 0, from = 0;
    char text[4096];
    ssize_t size = 0;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && (size = read(file, text, sizeof text)) > 0)
        for (const char *at = text; at < text + size; at++) {
            if (*at == '\n' || (field == FROM && *at == '-') || (field == TO && *at == ' ')) {
                sum += field == TO ? number - from : 0;
                from = number;
                number = 0;
                field = *at == '\n' ? FROM : field == FROM ? TO : REST;
            } else if (field != REST) {
                number = number << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
            }
        }
    if (file >= 0)
        close(file);
    return sum;
}

// Bytes of address space. Where statm, which is cheap, counts what maps lists, it is believed from
// then on. An emulator of another processor counts its own in statm, and shows in maps what the
// program has; then statm tells when to read maps again.
static uint64_t bytes_mapped(void)
{
    static uint64_t pages, bytes;
    static bool believed;
    char text[128];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    file_read_start("/proc/self/statm", text, sizeof text);
    const uint64_t now = strtoull(text, NULL, 10);
    if (now != pages && !believed) {
        bytes = sum_of_ranges();
        // Some kernels list a page of their own.
        believed = bytes == now * page || bytes == (now + 1) * page;
    }
    pages = now;
    return believed ? now * page : bytes;
}

static uint64_t count_files(void)
{
    struct pollfd file[ENVIRONMENT_FILES];
    unsigned open = 0;
    const bool told = find_closed(file);
    for (int i = 0; i < ENVIRONMENT_FILES; i++)
        open += told ? !(file[i].revents & POLLNVAL) : fcntl(i, F_GETFD) >= 0;
    return open;
}

static uint64_t count_threads(void)
{
    return thread_list_alone() ? 1 : thread_list_running("self");
}

// What glibc's malloc may keep for one thread of what was freed, and does not take out of what is
// in use (malloc.c, tcache): of 64 sizes, the chunks of 32, 48, ... 1040 bytes, 7 each; from 2.42
// on 16.
enum {
    CACHED_SIZES = 64,
    CACHED_EACH = 16,
    CACHED_BLOCKS = CACHED_SIZES * CACHED_EACH,
    CACHED_BYTES = CACHED_EACH * (CACHED_SIZES * 32 + 16 * CACHED_SIZES * (CACHED_SIZES - 1) / 2)
};

static const struct measure {
    uint64_t (*look)(void);
    bool memory; // a cache may keep some of it
    bool cached; // and more than the allocator's caches of freed blocks explain
    const char *words;
} measures[ENVIRONMENT_GROWTHS] = {
    {count_files, false, false, "a file was left open"},
    {count_threads, false, false, "a thread was left running"},
    {bytes_mapped, true, false, "memory was mapped and kept: "},
    {bytes_in_use, true, true, "memory was kept: "},
};

void environment_growth_start(struct environment_growth *growth, uint64_t granted)
{
    growth->granted = granted;
    for (unsigned i = 0; i < ENVIRONMENT_GROWTHS; i++) {
        const uint64_t level = measures[i].look();
        growth->of[i] = (struct environment_row){.first = level, .last = level};
    }
}

bool environment_growth_end(struct environment_growth *growth)
{
    bool grew = false;
    for (unsigned i = ENVIRONMENT_GROWTHS; i-- > 0;) {
        struct environment_row *const row = &growth->of[i];
        const uint64_t level = measures[i].look();
        row->calls = level > row->last ? row->calls + 1 : 0;
        row->first = row->calls ? row->first : level;
        row->last = level;
        grew = grew || row->calls;
    }
    return grew;
}

// Whether all that the threads' caches can hold is less than what the row took.
static bool exceeds_caches(const struct environment_row *row)
{
    const uint64_t threads = count_threads() + 1; // one may have just ended
    return row->calls > CACHED_BLOCKS * threads || row->last - row->first > CACHED_BYTES * threads;
}

// Whether a row is longer, or holds more, than any cache may.
static bool exceeds_contract(const struct environment_growth *growth, unsigned i, bool instances)
{
    const struct environment_row *const row = &growth->of[i];
    if (row->calls >= ENVIRONMENT_CACHED)
        return true;
    return !instances && row->calls >= ENVIRONMENT_REPEATS &&
           (!measures[i].memory || row->last - row->first > growth->granted);
}

bool environment_growth_proven(const struct environment_growth *growth, bool instances, char *text,
                               size_t size)
{
    assert(size);
    for (unsigned i = 0; i < ENVIRONMENT_GROWTHS; i++) {
        const struct environment_row *const row = &growth->of[i];
        const struct measure *const measure = &measures[i];
        if (!exceeds_contract(growth, i, instances) || (measure->cached && !exceeds_caches(row)))
            continue;
        char much[32] = "";
        if (measure->memory)
            snprintf(much, sizeof much, "%.1f KiB",
                     (double)(row->last - row->first) / 1024 / row->calls);
        snprintf(text, size, "%s%s at each of %u repeated %s", measure->words, much, row->calls,
                 instances ? "instances" : "calls");
        return true;
    }
    return false;
}
