// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/cycles.h"

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum { RUNS = 7, ROUNDS = 8192, LINKS = 16 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__x86_64__)
#define LINK "add %1, %0\n\t"
#else
#define LINK "add %0, %0, %1\n\t"
#endif
#define FOUR LINK LINK LINK LINK

static void run_chain(void)
{
    uint64_t sum = 1;
    for (unsigned i = 0; i < ROUNDS; i++)
        __asm__ volatile(FOUR FOUR FOUR FOUR : "+r"(sum) : "r"((uint64_t)i) : "cc");
}

// Whether the counter keeps its rate whatever the core does (CPUID 80000007, EDX bit 8).
static bool counter_is_steady(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#else
    return true; // CNTVCT_EL0 always does
#endif
}

static uint64_t counter_now(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    uint64_t ticks;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

struct cycles cycles_measure(void)
{
    struct cycles cycles = {.counter = counter_is_steady()};
    double least = 0;
    uint64_t fewest = 0;
    const double begin = seconds_now();
    const uint64_t first = counter_now();
    for (unsigned i = 0; i < RUNS; i++) {
        const double start = seconds_now();
        const uint64_t from = counter_now();
        run_chain();
        const uint64_t ticks = counter_now() - from;
        const double seconds = seconds_now() - start;
        least = !i || seconds < least ? seconds : least;
        fewest = !i || ticks < fewest ? ticks : fewest;
    }
    const double links = (double)ROUNDS * LINKS;
    cycles.rate = links / least;
    if (cycles.counter && fewest) {
        cycles.counter_rate = (double)(counter_now() - first) / (seconds_now() - begin);
        cycles.rate = links / (double)fewest * cycles.counter_rate;
    }
    return cycles;
}

#else

struct cycles cycles_measure(void)
{
    (void)seconds_now;
    return (struct cycles){.rate = 0};
}

#endif
