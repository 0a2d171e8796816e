// SPDX-License-Identifier: Apache-2.0
// The loops of limits.h in one vector width. A file for an instruction set defines WIDTH (bytes of
// a vector), FORM (the table's name), PRODUCT (the low 32 bits of each 64 multiplied) and STREAM (a
// store past the caches) and includes this. It is compiled so that a * b + c is one instruction
// where the set has that: nothing here is a result.

#ifndef ASSAY_HARNESS_BENCH_LIMITS_FORM_H
#define ASSAY_HARNESS_BENCH_LIMITS_FORM_H

#include <string.h>

#include "harness/bench/limits.h"

enum { CHAINS = 12, STEP = 8 }; // more chains than latency times width; vectors a step of a move

typedef double f64_vector __attribute__((vector_size(WIDTH)));
typedef float f32_vector __attribute__((vector_size(WIDTH)));
typedef uint32_t u32_vector __attribute__((vector_size(WIDTH)));
typedef uint64_t u64_vector __attribute__((vector_size(WIDTH)));

// CHAINS values that each step depends on the one before of its own chain alone.
#define RUN_CHAINS(type, start, step)                                                              \
    do {                                                                                           \
        type chain[CHAINS];                                                                        \
        for (unsigned j = 0; j < CHAINS; j++)                                                      \
            chain[j] = (start) + (type){0};                                                        \
        for (uint64_t i = 0; i < rounds; i++)                                                      \
            for (unsigned j = 0; j < CHAINS; j++) {                                                \
                type *const x = &chain[j];                                                         \
                *x = (step);                                                                       \
            }                                                                                      \
        bench_use(chain);                                                                          \
    } while (0)

static void add_f64(uint64_t rounds)
{
    const f64_vector factor = 0.5 + (f64_vector){0}, term = 1 + (f64_vector){0};
    RUN_CHAINS(f64_vector, 1.0, *x * factor + term);
}

static void add_f32(uint64_t rounds)
{
    const f32_vector factor = 0.5F + (f32_vector){0}, term = 1 + (f32_vector){0};
    RUN_CHAINS(f32_vector, 1.0F, *x * factor + term);
}

static void mix_words(uint64_t rounds)
{
    const u32_vector a = 0x9e3779b9U + (u32_vector){0}, b = 0x85ebca6bU + (u32_vector){0};
    RUN_CHAINS(u32_vector, 1U, (*x + a) ^ b);
}

static void multiply_words(uint64_t rounds)
{
    const u64_vector factor = 0xd2511f53U + (u64_vector){0};
    RUN_CHAINS(u64_vector, UINT64_C(3), PRODUCT(*x, factor));
}

static void read_bytes(void *to, const void *from, size_t bytes)
{
    const u64_vector *const source = from;
    u64_vector seen[STEP] = {{0}};
    (void)to;
    for (size_t i = 0; i < bytes / WIDTH; i += STEP)
        for (unsigned j = 0; j < STEP; j++)
            seen[j] |= source[i + j];
    bench_use(seen);
}

static void write_bytes(void *to, const void *from, size_t bytes)
{
    u64_vector *const target = to;
    const u64_vector value = 7 + (u64_vector){0};
    (void)from;
    for (size_t i = 0; i < bytes / WIDTH; i += STEP) {
        for (unsigned j = 0; j < STEP; j++)
            target[i + j] = value;
        bench_use(target);
    }
}

static void stream_bytes(void *to, const void *from, size_t bytes)
{
    u64_vector *const target = to;
    const u64_vector value = 7 + (u64_vector){0};
    (void)from;
    for (size_t i = 0; i < bytes / WIDTH; i++)
        STREAM(&target[i], value);
    bench_use(target);
}

static void copy_bytes(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    bench_use(to);
}

const struct limits_form FORM = {
    .name = FORM_NAME,
    .operations = {2.0 * CHAINS * WIDTH / 8, 2.0 * CHAINS *WIDTH / 4, 2.0 * CHAINS *WIDTH / 4,
                   1.0 * CHAINS *WIDTH / 8, 2.0 * CHAINS},
    .arithmetic = {add_f64, add_f32, mix_words, multiply_words, mix_words},
    .move = {read_bytes, write_bytes, stream_bytes, copy_bytes},
};

#endif
