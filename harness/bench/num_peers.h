// SPDX-License-Identifier: Apache-2.0
// Peers of ref/num that need AVX2: SLEEF, found when it is wanted, and the bare conversion
// instructions.

#ifndef ASSAY_HARNESS_BENCH_NUM_PEERS_H
#define ASSAY_HARNESS_BENCH_NUM_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_sleef;

// NULL when the library or one of its functions is not there. Never given back.
const struct bench_sleef *bench_sleef_load(void);

// out[i] = tanh(in[i]), or 1 / (1 + exp(-in[i])), in double with SLEEF's functions of at most 1
// ulp, rounded to float. `count` is a multiple of 4.
void bench_sleef_evaluate(const struct bench_sleef *sleef, bool tanh, size_t count, const float *in,
                          float *out);

// `count` is a multiple of 8.
void bench_f16c_narrow(size_t count, const float *in, uint16_t *out);
void bench_f16c_widen(size_t count, const uint16_t *in, float *out);

#endif
