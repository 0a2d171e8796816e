// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/row.h"

#include <stdlib.h>
#include <time.h>

#include "harness/host/machine.h"
#include "ref/base/isa.h"
#include "ref/base/json.h"

enum { RUNS = 11, FEWER_RUNS = 5, LEAST_NANOSECONDS = 20 * 1000 * 1000 };

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

static double median(double *time, unsigned runs)
{
    qsort(time, runs, sizeof *time, ascending);
    return time[runs / 2];
}

void bench_measure(const struct bench_frame *frame, const struct bench_pair *pair,
                   struct bench_measured *measured)
{
    const clockid_t clock = frame->processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    clockid_t other = clock;
    if (frame->processor && pair->process)
        clock_getcpuclockid(pair->process, &other);
    struct {
        void (*work)(void *);
        clockid_t clock;
        unsigned calls;
        double time[RUNS];
    } side[] = {{.work = pair->ours, .clock = clock},
                {.work = pair->theirs, .clock = other},
                {.work = pair->copies, .clock = clock}};
    enum { SIDES = sizeof side / sizeof *side };
    for (unsigned j = 0; j < SIDES; j++)
        if (side[j].work)
            side[j].calls = calls_for(side[j].clock, side[j].work, pair->state);
    unsigned runs = RUNS;
    for (unsigned i = 0; i < runs; i++) {
        double passed = 0;
        for (unsigned j = 0; j < SIDES; j++)
            if (side[j].work) {
                side[j].time[i] =
                    time_calls(side[j].clock, side[j].work, pair->state, side[j].calls);
                passed += side[j].time[i] * side[j].calls;
            }
        if (passed > 0.5) // seconds
            runs = FEWER_RUNS;
    }
    *measured = (struct bench_measured){.ours = median(side[0].time, runs),
                                        .theirs = median(side[1].time, runs),
                                        .cycles = cycles_measure()};
    if (pair->copies)
        measured->copies = median(side[2].time, runs) / pair->copied;
    if (pair->waited)
        measured->waited = pair->waited(pair->state);
}

// ---- the figures of a row ---------------------------------------------------

// Cycles for each unit of its work.
static double cycles_of(const struct bench_pair *pair, const struct bench_measured *measured)
{
    return measured->ours * measured->cycles.rate / (pair->work.unit ? pair->work.units : 1);
}

// The least time that the row's work can take, and what says so; 0: nothing does.
static double least_of(const struct bench_pair *pair, const struct bench_measured *measured,
                       const struct limits *limits, char name[32])
{
    if (measured->copies > 0) {
        snprintf(name, 32, "two copies side by side");
        return measured->copies;
    }
    if (measured->waited > 0) {
        snprintf(name, 32, "the target's own calls");
        return measured->waited;
    }
    return limits_least(limits, &pair->work, name);
}

static const char *unit_of(const struct bench_pair *pair)
{
    return pair->work.unit ? pair->work.unit : "call";
}

// ---- printing ---------------------------------------------------------------

void bench_print_head(void)
{
    printf("%-28s %13s %13s %10s %18s  %-30s %s\n", "row", "ours", "peer's", "ratio", "cycles",
           "of its limit", "peer");
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

void bench_print_row(const struct bench_row *row, const struct bench_pair *pair,
                     const struct bench_measured *measured, const struct limits *limits)
{
    char name[32];
    printf("%-28s", row->name);
    print_side(measured->ours, pair->bytes);
    if (pair->theirs) {
        const double ratio = measured->theirs / measured->ours;
        print_side(measured->theirs, pair->bytes);
        if (ratio < 0.1)
            printf("  1/%-5.0f x", 1 / ratio);
        else
            printf("  %7.2f x", ratio);
    } else
        printf(" %13s %10s", "", "");
    if (measured->cycles.rate > 0)
        printf(" %9.4g/%-8s", cycles_of(pair, measured), unit_of(pair));
    else
        printf(" %18s", "");
    const double least = least_of(pair, measured, limits, name);
    if (least > 0)
        printf("  %3.0f %% of %-23s", 100 * least / measured->ours, name);
    else
        printf("  %-30s", "");
    printf(" %s\n", pair->theirs ? pair->peer : "");
    fflush(stdout);
}

// ---- writing ----------------------------------------------------------------

static void put_real_at(struct text *text, const char *key, double value)
{
    json_put_key(text, key);
    json_put_real(text, value);
}

static void write_line(FILE *file, struct text *text)
{
    json_end_object(text);
    text_put(text, "\n");
    if (!text->failed && text->size)
        fwrite(text->bytes, 1, text->size, file);
    text_release(text);
}

void bench_write_machine(FILE *file)
{
    struct text text = {0};
    const struct machine machine = machine_here();
    json_begin_object(&text);
    json_put_pairs(&text, {"machine", machine.processor[0] ? machine.processor : "unknown"},
                   {"isa", isa_name(isa_chosen())});
    write_line(file, &text);
}

void bench_write_row(FILE *file, const struct bench_row *row, const struct bench_pair *pair,
                     const struct bench_measured *measured, const struct limits *limits)
{
    struct text text = {0};
    char name[32];
    const double least = least_of(pair, measured, limits, name);
    json_begin_object(&text);
    json_put_pair(&text, "row", row->name);
    put_real_at(&text, "seconds", measured->ours);
    if (pair->theirs) {
        json_put_pair(&text, "peer", pair->peer);
        put_real_at(&text, "ratio", measured->theirs / measured->ours);
    }
    if (measured->cycles.rate > 0) {
        put_real_at(&text, "cycles", cycles_of(pair, measured));
        json_put_pair(&text, "unit", unit_of(pair));
    }
    if (least > 0) {
        json_put_pair(&text, "limit", name);
        put_real_at(&text, "share", least / measured->ours);
    }
    write_line(file, &text);
}
