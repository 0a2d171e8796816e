// SPDX-License-Identifier: Apache-2.0
// bench [ROW...]: measures rows whose names contain one of the words given, or all. Exit 0 when any
// ran, 4 when none did. `--list` names the rows, `--out FILE` also writes them as results for
// `assay report`, `--rows FILE` as lines for summary.py, which knows the goals.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/bench/cycles.h"
#include "harness/bench/limits.h"
#include "harness/bench/row.h"
#include "harness/judge/write/records.h"
#include "ref/base/threads.h"

static const struct bench_table *const tables[] = {
    &bench_num_product, &bench_num_function, &bench_function_peers, &bench_openvino, &bench_rng,
    &bench_stats,       &bench_onednn_rnn,   &bench_judge,          &bench_declared};

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

// Where the rows go beside standard output.
struct outputs {
    struct records records;
    FILE *rows; // NULL: nowhere
    struct limits limits;
};

// Whether the row could be measured here.
static bool run_row(const struct bench_row *row, struct outputs *to)
{
    const struct bench_frame *const frame = row->frame;
    struct bench_pair pair = {0};
    struct bench_measured measured;
    char why[BENCH_WHY_SIZE] = "";
    use_processors(frame->threads);
    if (!frame->start(row, &pair, why)) {
        printf("%-28s skipped: %s\n", row->name, why);
        return false;
    }
    bench_measure(frame, &pair, &measured);
    bench_print_row(row, &pair, &measured, &to->limits);
    if (to->rows)
        bench_write_row(to->rows, row, &pair, &measured, &to->limits);
    if (pair.theirs)
        records_put_timing(&to->records, &(struct records_timing){
                                             .what = row->name,
                                             .peer = pair.peer,
                                             .bytes = pair.bytes,
                                             .ours = measured.ours,
                                             .theirs = measured.theirs,
                                             .threads = frame->threads ? threads_available() : 1});
    if (frame->stop)
        frame->stop(&pair);
    return true;
}

// Rows of growth are asked for by their name: growth/WHAT/SIZE.
static bool selected(const char *name, int argc, char **argv)
{
    const bool growth = !strncmp(name, "growth/", 7);
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]) && growth == !strncmp(argv[i], "growth/", 7))
            return true;
    return argc == 1 && !growth;
}

// Takes `name FILE` away from the arguments.
static const char *take_file(const char *name, int *argc, char **argv)
{
    for (int i = 1; i + 1 < *argc; i++)
        if (!strcmp(argv[i], name)) {
            const char *const path = argv[i + 1];
            memmove(&argv[i], &argv[i + 2], (size_t)(*argc - i - 1) * sizeof *argv);
            *argc -= 2;
            return path;
        }
    return NULL;
}

static void list_rows(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            printf("%-28s %s\n", tables[t]->row[i].name, tables[t]->row[i].what);
}

static void print_clock(void)
{
    const struct cycles cycles = cycles_measure();
    if (cycles.counter)
        printf("cycles: the time-stamp counter runs at %.2f GHz, and a chain of dependent "
               "additions at %.2f GHz\n",
               1e-9 * cycles.counter_rate, 1e-9 * cycles.rate);
    else if (cycles.rate > 0)
        printf("cycles: no steady time-stamp counter here; by the clock a chain of dependent "
               "additions runs at %.2f GHz\n",
               1e-9 * cycles.rate);
    else
        printf("cycles: none: this machine's cycles are not known\n");
}

// Rows measured.
static unsigned run_rows(struct outputs *to, int argc, char **argv)
{
    unsigned measured = 0, found = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            if (!selected(tables[t]->row[i].name, argc, argv))
                continue;
            if (!found++) {
                use_processors(false);
                limits_measure(&to->limits);
                limits_print(&to->limits);
                print_clock();
                bench_print_head();
            }
            measured += run_row(&tables[t]->row[i], to);
        }
    return measured;
}

int main(int argc, char **argv)
{
    const char *const out = take_file("--out", &argc, argv), *const rows =
                                                                 take_file("--rows", &argc, argv);
    const struct records_plan plan = {.command = "bench"};
    struct outputs to = {.rows = NULL};
    struct diagnostic diagnostic = {.text = ""};
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list_rows();
        return 0;
    }
    enum error error = out ? records_begin(&to.records, &plan, &diagnostic) : ERROR_NONE;
    if (rows && !(to.rows = fopen(rows, "w"))) {
        fprintf(stderr, "bench: %s cannot be written\n", rows);
        return 3;
    }
    if (to.rows)
        bench_write_machine(to.rows);
    const unsigned measured = run_rows(&to, argc, argv);
    bool written = !to.rows || !ferror(to.rows);
    if (to.rows)
        written = !fclose(to.rows) && written;
    if (out && !error)
        error = records_end(&to.records, out, &diagnostic);
    records_release(&to.records);
    if (error || !written) {
        fprintf(stderr, "bench: %s\n", error ? diagnostic.text : "the rows could not be written");
        return 3;
    }
    return measured ? 0 : 4;
}

struct copy {
    void (*work)(void *);
    void *state;
};

static void *run_copy(void *context)
{
    const struct copy *const copy = context;
    copy->work(copy->state);
    return NULL;
}

void bench_at_once(void (*work)(void *), void *one, void *other)
{
    struct copy copy = {work, other};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_copy, &copy))
        abort();
    work(one);
    pthread_join(thread, NULL);
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
