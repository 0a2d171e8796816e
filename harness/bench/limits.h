// SPDX-License-Identifier: Apache-2.0
// What one core of this machine does at most, measured: arithmetic by independent chains in vector
// registers, bytes read, written, streamed and copied in each cache and in memory. With it the
// least time that a row's work can take (the roofline of Williams, Waterman and Patterson,
// DOI 10.1145/1498765.1498785).

#ifndef ASSAY_HARNESS_BENCH_LIMITS_H
#define ASSAY_HARNESS_BENCH_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/bench/bench.h"

enum limits_arithmetic {
    LIMITS_F64,
    LIMITS_F32,
    LIMITS_WORDS,
    LIMITS_PRODUCTS,
    LIMITS_INSTRUCTIONS, // on whole vectors, of the kinds that the processor has most units for
    LIMITS_ARITHMETIC
};
enum limits_move { LIMITS_READ, LIMITS_WRITE, LIMITS_STREAM, LIMITS_COPY, LIMITS_MOVES };
enum { LIMITS_LEVELS = 4 };

// Instruction sets as `isa_chosen` has them. Each call of `arithmetic` does `rounds` rounds of
// `operations` operations; each call of `move` goes once through `bytes` bytes (a multiple of 512,
// aligned to 64).
struct limits_form {
    const char *name;
    double operations[LIMITS_ARITHMETIC]; // a round
    void (*arithmetic[LIMITS_ARITHMETIC])(uint64_t rounds);
    void (*move[LIMITS_MOVES])(void *to, const void *from, size_t bytes);
};

extern const struct limits_form limits_form_portable, limits_form_avx2, limits_form_avx512;

struct limits {
    const char *form;
    double arithmetic[LIMITS_ARITHMETIC]; // operations a second
    unsigned levels;                      // from the first cache to memory
    struct limits_level {
        const char *name;
        size_t bytes;              // of the cache; 0: memory
        double move[LIMITS_MOVES]; // bytes a second
    } level[LIMITS_LEVELS];
};

// Takes a second or two. Where there is no memory for a level, it is left out.
void limits_measure(struct limits *limits);
void limits_print(const struct limits *limits);

// The least seconds that the work can take by what it counts, and which limit says so ("f64
// arithmetic", "memory, written"), in static storage or the 32 bytes of `name`; 0 when nothing is
// counted.
double limits_least(const struct limits *limits, const struct bench_work *work, char name[32]);

#endif
