// SPDX-License-Identifier: Apache-2.0
// First looks at elementary functions, one form for each instruction set.

#ifndef ASSAY_REF_NUM_FUNCTION_FUNCTION_ESTIMATE_H
#define ASSAY_REF_NUM_FUNCTION_FUNCTION_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/num/function/function_kind.h"
#include "ref/num/product/expression_parts.h"

// Elements of a chunk that the first look leaves open, and their operands.
struct function_open {
    size_t count;
    uint16_t index[NUM_CHUNK];
    double operand[NUM_CHUNK];
};

// How far values are off: at most |value| * relative + additional.
struct function_claim {
    double relative, additional;
};

// Arguments: value[i], or single[i] where `value` is NULL, times `factor`, plus `shift`; one of the
// two at most is rounded where `factor` is 1 or `shift` is -0. No magnitude is beyond `largest`.
struct function_argument {
    const double *value;
    const float *single;
    double factor, shift, largest;
};

// Numbers to be rounded to f32: s * single[i] * times, or s * value[i] where `single` is NULL, with
// s = function(x) + addend. What s stands for lies within s * relative + absolute of s, what
// `claim` says included, and so do five roundings of s. The others are exact, |times| in [2^-500,
// 2^500].
struct function_product {
    enum num_function function;
    struct function_argument x;
    double addend, relative, absolute;
    const float *single;
    const double *value;
    double times;
};

struct function_form {
    // `count`, a multiple of 8, values of the function at x[i] (doubles), each within error[i] of
    // the truth; an infinite error says that nothing is known. For targets of at most f32, as
    // function_kernel.h explains. The arrays do not overlap.
    void (*estimate)(enum num_function function, size_t count, const double *x, double *value,
                     double *error);
    // The values alone, plus `addend` (-0: nothing is added), where the series hold for every
    // argument: magnitudes of at most 700, those of logarithms normal and positive. `to` may be
    // x->value. Those that declared operators name; false for the others.
    bool (*value)(enum num_function function, size_t count, const struct function_argument *x,
                  double addend, double *to);
    // What these values are off, before the addition, where no argument is beyond `largest`.
    struct function_claim (*claim)(enum num_function function, double largest);
    // Whether `product` does so many of them, a multiple of 16.
    bool (*has_product)(size_t count, const struct function_product *of);
    // Rounds the products where what they are off does not matter; the places of the others go to
    // `open`, and how many there are is returned. Everything but `open` has room up to the next
    // multiple of 16.
    size_t (*product)(size_t count, const struct function_product *of, float *to, uint16_t *open);
    // One end of the function's range over each of `count` intervals, a multiple of 8, whose end on
    // the same side is x[i]: `side` -1 or 1, for increasing functions. Arguments are brought back
    // to `still` from what lies beyond; what is not known, or lies beyond `limit`, becomes `limit`.
    // `end` may be `x`.
    void (*bound)(enum num_function function, double side, double still, double limit, size_t count,
                  const double *x, double *end);
    // Both looks and rounding test for f32, on as many of the first `count` (at most NUM_CHUNK)
    // elements as the form likes, none for some functions; returns how many. Adds those that stay
    // open, whose place in `out` has no meaning. `share` moves each value by that share of its
    // error. `in` and `out` may be one array.
    size_t (*round_f32)(enum num_function function, double share, size_t count, const float *in,
                        float *out, struct function_open *open);
    // The functions of f64 as high[i] + low[i], where high[i] is that sum rounded, each within
    // error[i] of the truth; an infinite error says that nothing is known. `count` is a multiple of
    // 8. False for functions that the form does not know.
    bool (*pairs)(enum num_function function, size_t count, const double *x, double *high,
                  double *low, double *error);
    // The same with the rounding test, on the first `count` elements of arrays that have room for a
    // multiple of 8, numbers in `in` beyond; adds those that stay open, whose place in `out` has no
    // meaning. `share` moves each value by that share of its error.
    bool (*round_f64)(enum num_function function, double share, size_t count, const double *in,
                      double *out, struct function_open *open);
};

extern const struct function_form function_form_portable;
#if defined(__x86_64__)
extern const struct function_form function_form_avx2, function_form_avx512;
#elif defined(__aarch64__)
extern const struct function_form function_form_neon;
#endif

// The form of the instruction set in force.
const struct function_form *function_form_chosen(void);

struct function_pair;

// The function at x by `pairs` of the form in force; false where nothing is known.
bool function_pair_at(enum num_function function, double x, struct function_pair *y, double *error);

// The last resort: the function at x, whose zeros, infinities, NaN and domain errors are settled
// here too.
uint64_t function_exact(enum num_function function, enum dtype to, double x);

#endif
