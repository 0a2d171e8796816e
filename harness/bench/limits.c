// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ref/base/isa.h"

enum { RUNS = 7, MEMORY_BYTES = 256 << 20, LEAST_NANOSECONDS = 2000 * 1000 };

static const char *const arithmetic_names[LIMITS_ARITHMETIC] = {
    "f64 arithmetic", "f32 arithmetic", "32-bit operations", "32-bit products",
    "vector instructions"};
static const char *const move_names[LIMITS_MOVES] = {"read", "written", "streamed", "copied"};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The most units a second of some runs, each as long as the clock needs.
static double best_arithmetic(const struct limits_form *form, enum limits_arithmetic what)
{
    uint64_t rounds = 1 << 12;
    double best = 0;
    for (unsigned i = 0; i < RUNS;) {
        const double start = seconds_now();
        form->arithmetic[what](rounds);
        const double passed = seconds_now() - start;
        if (passed < 1e-9 * LEAST_NANOSECONDS) {
            rounds *= 2;
            continue;
        }
        const double rate = (double)rounds * form->operations[what] / passed;
        best = rate > best ? rate : best;
        i++;
    }
    return best;
}

static double best_move(const struct limits_form *form, enum limits_move what, char *memory,
                        size_t bytes)
{
    // A copy goes from one half to the other.
    const size_t moved = what == LIMITS_COPY ? bytes / 2 : bytes;
    uint64_t times = 1;
    double best = 0;
    for (unsigned i = 0; i < RUNS;) {
        const double start = seconds_now();
        for (uint64_t n = 0; n < times; n++)
            form->move[what](memory, memory + bytes - moved, moved);
        const double passed = seconds_now() - start;
        if (passed < 1e-9 * LEAST_NANOSECONDS) {
            times *= 2;
            continue;
        }
        const double rate = (double)times * (double)moved / passed;
        best = rate > best ? rate : best;
        i++;
    }
    return best;
}

static const struct limits_form *form_here(void)
{
#if defined(__x86_64__)
    const enum isa isa = isa_chosen();
    return isa == ISA_AVX512 ? &limits_form_avx512
           : isa == ISA_AVX2 ? &limits_form_avx2
                             : &limits_form_portable;
#else
    return &limits_form_portable;
#endif
}

// Of the first processor, as the kernel reports it (in a virtual machine CPUID may describe the
// host), else as the C library does; 0: not known.
static size_t cache_size(const char *index, int parameter)
{
    char path[80];
    unsigned long size = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/%s/size", index);
    FILE *const file = fopen(path, "r");
    const bool known = file && fscanf(file, "%luK", &size) == 1;
    if (file)
        fclose(file);
    const long told = known ? (long)size * 1024 : sysconf(parameter);
    return told > 0 ? (size_t)told : 0;
}

void limits_measure(struct limits *limits)
{
    const struct limits_form *const form = form_here();
    static const struct {
        const char *name, *index;
        int parameter;
    } caches[] = {{"first cache", "index0", _SC_LEVEL1_DCACHE_SIZE},
                  {"second cache", "index2", _SC_LEVEL2_CACHE_SIZE},
                  {"third cache", "index3", _SC_LEVEL3_CACHE_SIZE}};
    *limits = (struct limits){.form = form->name};
    for (unsigned i = 0; i < LIMITS_ARITHMETIC; i++)
        limits->arithmetic[i] = best_arithmetic(form, (enum limits_arithmetic)i);
    char *const memory = bench_take(MEMORY_BYTES);
    if (!memory)
        return;
    for (unsigned i = 0; i < LIMITS_LEVELS; i++) {
        const size_t size =
            i < LIMITS_LEVELS - 1 ? cache_size(caches[i].index, caches[i].parameter) : 0;
        if (i < LIMITS_LEVELS - 1 && (size < 1024 || size > MEMORY_BYTES / 4))
            continue; // not known, or too large to be told from memory
        struct limits_level *const level = &limits->level[limits->levels++];
        level->name = size ? caches[i].name : "memory";
        level->bytes = size;
        for (unsigned m = 0; m < LIMITS_MOVES; m++)
            level->move[m] = best_move(form, (enum limits_move)m, memory,
                                       size ? size / 2 & ~(size_t)1023 : MEMORY_BYTES);
    }
    free(memory);
}

double bench_instructions(double bytes, double avx2, double avx512)
{
    const enum isa isa = isa_chosen();
    return isa == ISA_AVX512 ? bytes / 64 * avx512 : isa == ISA_AVX2 ? bytes / 32 * avx2 : 0;
}

void limits_print(const struct limits *limits)
{
    printf("one core of this machine, at most (%s):", limits->form);
    for (unsigned i = 0; i < LIMITS_ARITHMETIC; i++)
        printf("%s %s %.1f G/s", i ? "," : "", arithmetic_names[i], 1e-9 * limits->arithmetic[i]);
    printf("\n%-28s", "GB/s");
    for (unsigned m = 0; m < LIMITS_MOVES; m++)
        printf(" %9s", move_names[m]);
    putchar('\n');
    for (unsigned i = 0; i < limits->levels; i++) {
        const struct limits_level *const level = &limits->level[i];
        if (level->bytes)
            printf("%s, %zu KiB%*s", level->name, level->bytes >> 10,
                   (int)(level->bytes < 1 << 20 ? 9 : 6), "");
        else
            printf("%-28s", level->name);
        for (unsigned m = 0; m < LIMITS_MOVES; m++)
            printf(" %9.1f", 1e-9 * level->move[m]);
        putchar('\n');
    }
}

double limits_least(const struct limits *limits, const struct bench_work *work, char name[32])
{
    const double asked[LIMITS_ARITHMETIC] = {work->f64, work->f32, work->words, work->products,
                                             work->instructions};
    double least = 0;
    name[0] = '\0';
    if (work->f64 > 0 && work->f32 > 0) { // the same units of the core do both
        least =
            work->f64 / limits->arithmetic[LIMITS_F64] + work->f32 / limits->arithmetic[LIMITS_F32];
        snprintf(name, 32, "f64 and f32 arithmetic");
    }
    for (unsigned i = 0; i < LIMITS_ARITHMETIC; i++)
        if (asked[i] > 0 && asked[i] / limits->arithmetic[i] > least) {
            least = asked[i] / limits->arithmetic[i];
            snprintf(name, 32, "%s", arithmetic_names[i]);
        }
    const double span = work->span > 0 ? work->span : work->read + work->written;
    unsigned at = 0;
    while (at + 1 < limits->levels && span > (double)limits->level[at].bytes)
        at++;
    if (!limits->levels)
        return least;
    const double *const move = limits->level[at].move;
    const double most =
        move[LIMITS_STREAM] > move[LIMITS_WRITE] ? move[LIMITS_STREAM] : move[LIMITS_WRITE];
    const double moved[2] = {work->read / move[LIMITS_READ], work->written / most};
    for (unsigned i = 0; i < 2; i++)
        if (moved[i] > least) {
            least = moved[i];
            snprintf(name, 32, "%s, %s", limits->level[at].name, move_names[i]);
        }
    return least;
}
