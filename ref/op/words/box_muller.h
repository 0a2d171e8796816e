// SPDX-License-Identifier: Apache-2.0
// Pairs of normal numbers from pairs of uniform ones (Box, Muller, Ann. Math. Stat. 29 (1958),
// doi:10.1214/aoms/1177706645), as cuRAND and PyTorch write them: r = sqrt(-2 log(u)), and r sin(v)
// beside r cos(v). Logarithm, sine and cosine are the library's own, so each value comes with a
// radius around it, proved in box_muller.c.

#ifndef ASSAY_REF_OP_WORDS_BOX_MULLER_H
#define ASSAY_REF_OP_WORDS_BOX_MULLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"

// r sin(v), r cos(v): about the exact values, and how far what a library computes may lie off.
struct normal_pair {
    double sine, cosine;
    double sine_radius, cosine_radius;
};

// cuRAND: f32 from two words, f64 from four.
struct normal_pair box_muller_curand(enum dtype dtype, const uint32_t *word);

// PyTorch on a CPU, fewer than 16 elements: everything in f64. `angle` and `length` in [0, 1), the
// first draw and the second.
struct normal_pair box_muller_torch_double(double angle, double length);

// PyTorch on a CPU, blocks of 16: in f64 for f64, else in f32. `narrow`: the angle is the f32
// product of 2 pi, instead of the f64 product rounded to f32.
struct normal_pair box_muller_torch_block(enum dtype dtype, bool narrow, double length,
                                          double angle);

// `value` rounded to f32 and then to a 16-bit `dtype`, to f32, or as it is.
uint64_t box_muller_round(enum dtype dtype, double value);

// The ends of the values that a library may give, rounded like that, as element `index` of `lower`
// and `upper`.
void box_muller_store_bounds(enum dtype dtype, const struct normal_pair *pair, bool cosine,
                             size_t index, void *lower, void *upper);

#endif
