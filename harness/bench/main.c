// SPDX-License-Identifier: Apache-2.0
// bench [ROW...]: measures rows whose names contain one of the words given, or all. Exit 0 when all
// that ran reached their goals, 1 when one did not, 4 when none ran. `--list` names the rows,
// `--out FILE` also writes them as results for `assay report`.

#define _GNU_SOURCE
#include "harness/bench/bench.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/judge/write/records.h"
#include "ref/base/threads.h"

enum { RUNS = 11, LEAST_NANOSECONDS = 20 * 1000 * 1000 };

static const struct bench_table *const tables[] = {
    &bench_num_product, &bench_num_function, &bench_openvino, &bench_rng,
    &bench_stats,       &bench_onednn_rnn,   &bench_judge,    &bench_declared};

static double seconds_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_calls(clockid_t clock, void (*work)(void *), void *state, unsigned calls)
{
    const double start = seconds_now(clock);
    for (unsigned i = 0; i < calls; i++)
        work(state);
    return (seconds_now(clock) - start) / calls;
}

// Enough calls that the clock and a stray interrupt do not matter.
static unsigned calls_for(clockid_t clock, void (*work)(void *), void *state)
{
    work(state);
    const double once = time_calls(clock, work, state, 1);
    const double wanted = 1e-9 * LEAST_NANOSECONDS / (once > 1e-9 ? once : 1e-9);
    return wanted < 1 ? 1 : wanted > 1e6 ? 1000000 : (unsigned)wanted;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *time)
{
    qsort(time, RUNS, sizeof *time, ascending);
    return time[RUNS / 2];
}

// The first processor that this process may run on, alone; or all of them again.
static void use_processors(bool all)
{
    static cpu_set_t allowed;
    static bool known;
    if (!known)
        known = !sched_getaffinity(0, sizeof allowed, &allowed);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &allowed))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, all ? &allowed : &one);
}

static void print_side(double seconds, uint64_t bytes)
{
    if (bytes)
        printf(" %8.2f GB/s", 1e-9 * (double)bytes / seconds);
    else if (seconds < 1e-3)
        printf(" %10.2f us", 1e6 * seconds);
    else
        printf(" %10.2f ms", 1e3 * seconds);
}

static void print_row(const struct bench_row *row, const struct bench_pair *pair, double ours,
                      double theirs)
{
    const double ratio = theirs / ours;
    printf("%-28s", row->name);
    print_side(ours, pair->bytes);
    print_side(theirs, pair->bytes);
    if (ratio < 0.1)
        printf("  1/%-5.0f x %s", 1 / ratio, pair->peer);
    else
        printf("  %7.2f x %s", ratio, pair->peer);
    if (row->goal > 0)
        printf("  (goal %.2f%s)", row->goal, ratio >= row->goal ? "" : ": NOT REACHED");
    putchar('\n');
    fflush(stdout);
}

// Whether the row reached its goal; *ran tells whether it was measured at all.
static bool measure(const struct bench_row *row, struct records *records, bool *ran)
{
    const struct bench_frame *const frame = row->frame;
    struct bench_pair pair = {0};
    char why[BENCH_WHY_SIZE] = "";
    use_processors(frame->threads);
    *ran = frame->start(row, &pair, why);
    if (!*ran) {
        printf("%-28s skipped: %s\n", row->name, why);
        return true;
    }
    const clockid_t clock = frame->processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    clockid_t other = clock;
    if (frame->processor && pair.process)
        clock_getcpuclockid(pair.process, &other);
    const unsigned calls = calls_for(clock, pair.ours, pair.state),
                   others = calls_for(other, pair.theirs, pair.state);
    double time[2][RUNS];
    for (unsigned i = 0; i < RUNS; i++) {
        time[0][i] = time_calls(clock, pair.ours, pair.state, calls);
        time[1][i] = time_calls(other, pair.theirs, pair.state, others);
    }
    const double ours = median(time[0]), theirs = median(time[1]);
    print_row(row, &pair, ours, theirs);
    records_put_timing(
        records, &(struct records_timing){.what = row->name,
                                          .peer = pair.peer,
                                          .bytes = pair.bytes,
                                          .ours = ours,
                                          .theirs = theirs,
                                          .threads = frame->threads ? threads_available() : 1});
    if (frame->stop)
        frame->stop(&pair);
    return theirs / ours >= row->goal;
}

static bool selected(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc == 1;
}

// Takes `--out FILE` away from the arguments.
static const char *take_out(int *argc, char **argv)
{
    for (int i = 1; i + 1 < *argc; i++)
        if (!strcmp(argv[i], "--out")) {
            const char *const path = argv[i + 1];
            memmove(&argv[i], &argv[i + 2], (size_t)(*argc - i - 1) * sizeof *argv);
            *argc -= 2;
            return path;
        }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *const out = take_out(&argc, argv);
    const struct records_plan plan = {.command = "bench"};
    struct records records = {.records = 0};
    struct diagnostic diagnostic = {.text = ""};
    enum error error = out ? records_begin(&records, &plan, &diagnostic) : ERROR_NONE;
    const bool list = argc == 2 && !strcmp(argv[1], "--list");
    unsigned measured = 0, missed = 0;
    if (!list)
        printf("%-28s %13s %13s  %9s\n", "row", "ours", "peer's", "ratio");
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct bench_row *const row = &tables[t]->row[i];
            bool ran = false;
            if (list)
                printf("%-28s %s\n", row->name, row->what);
            else if (selected(row->name, argc, argv))
                missed += !measure(row, &records, &ran);
            measured += ran;
        }
    if (list)
        return 0;
    printf("%u rows measured, %u below their goal\n", measured, missed);
    if (out && !error)
        error = records_end(&records, out, &diagnostic);
    records_release(&records);
    if (error) {
        fprintf(stderr, "bench: %s\n", diagnostic.text);
        return 3;
    }
    return !measured ? 4 : missed ? 1 : 0;
}

void *bench_take(size_t size)
{
    void *data = NULL;
    if (posix_memalign(&data, 4096, size))
        return NULL;
    memset(data, 1, size);
    return data;
}

void *bench_take_output(size_t size, char why[BENCH_WHY_SIZE])
{
    void *const data = bench_take(size);
    if (!data)
        snprintf(why, BENCH_WHY_SIZE, "no memory for %zu bytes of output", size);
    return data;
}

void bench_use(const void *data)
{
    __asm__ volatile("" : : "r"(data) : "memory");
}
