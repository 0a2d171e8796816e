// SPDX-License-Identifier: Apache-2.0
// Which instruction set the fast forms use.

#include "ref/base/isa.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [ISA_SCALAR] = "scalar", [ISA_AVX2] = "avx2", [ISA_AVX512] = "avx512", [ISA_NEON] = "neon"};

const char *isa_name(enum isa isa)
{
    return names[isa];
}

#if defined(__x86_64__)
int isa_available(enum isa isa)
{
    switch (isa) {
    case ISA_SCALAR:
        return 1;
    case ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case ISA_AVX512:
        return isa_available(ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case ISA_NEON:
        return 0;
    }
    return 0;
}
#elif defined(__aarch64__)
int isa_available(enum isa isa)
{
    return isa == ISA_SCALAR || isa == ISA_NEON;
}
#else
int isa_available(enum isa isa)
{
    return isa == ISA_SCALAR;
}
#endif

static int products_available(void)
{
#if defined(__x86_64__)
    return isa_available(ISA_AVX512) && __builtin_cpu_supports("avx512ifma") &&
           __builtin_cpu_supports("avx512vnni");
#else
    return 0;
#endif
}

static enum isa chosen;
static int products;
static atomic_bool known; // that both are: cheaper to ask for each tile than pthread_once is

static void look(void)
{
    static const enum isa best_first[] = {ISA_AVX512, ISA_AVX2, ISA_NEON};
    const char *const variable = getenv("ASSAY_ISA");
    const char *const wanted = variable && *variable ? variable : NULL;
    if (products_available() && (!wanted || !strcmp(wanted, "avx512i"))) {
        chosen = ISA_AVX512;
        products = 1;
        return;
    }
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++)
        if (isa_available(best_first[i]) && (!wanted || !strcmp(wanted, names[best_first[i]]))) {
            chosen = best_first[i];
            return;
        }
}

static void choose(void)
{
    look();
    atomic_store_explicit(&known, true, memory_order_release);
}

static void choose_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!atomic_load_explicit(&known, memory_order_acquire))
        pthread_once(&once, choose);
}

enum isa isa_chosen(void)
{
    choose_once();
    return chosen;
}

int isa_has_products(void)
{
    choose_once();
    return products;
}
