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

#include "ref/op/operation.h"

// About the exact value, and how far what a library computes may lie off.
struct normal {
    double value, radius;
};

struct normal_pair {
    struct normal sine, cosine; // r sin(v), r cos(v)
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

// As element `index`: the value in `data`; where that is NULL, the ends of what a library may give
// in `lower` and `upper`. Rounded to f32 and then to a 16-bit `dtype`, to f32, or as it is.
void normal_store(enum dtype dtype, struct normal normal, size_t index, void *data, void *lower,
                  void *upper);

// All elements of a slice like that, each found by itself.
typedef struct normal (*normal_at)(const struct request *request, const struct inference *inference,
                                   uint64_t element);
void normal_fill(const struct request *request, const struct inference *inference,
                 const struct slice *slice, normal_at at, void *data, void *lower, void *upper);

#endif
