// SPDX-License-Identifier: Apache-2.0
// The glance: words on runs of doubles, in vectors, with errors that cost little. It knows finite
// numbers alone and counts a rounding wherever one may be; what it cannot say, look_word says.
// ref/PROOFS.md, "Declared operators", has the bounds.

#ifndef ASSAY_REF_OP_DECLARED_GLANCE_FORM_H
#define ASSAY_REF_OP_DECLARED_GLANCE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/num/function/function_kind.h"
#include "ref/op/declared/words.h"

// A run of values, `count` of them with room up to the next multiple of GLANCE_STEP. Where `bits`
// is not 0 every value is exact and has at most so many significant bits; `error` is not set then.
enum { GLANCE_STEP = 16, GLANCE_BITS = 53 };
struct glance_run {
    double *value, *error;
    unsigned bits;
};

// Sums so far: |sum of the values - value| <= error + (steps + GLANCE_DEPTH) 2^-53 magnitude.
enum { GLANCE_DEPTH = 20 };
struct glance_sum {
    double value, magnitude, error;
};

struct glance_form {
    // `to` = the word of its operands; false: it is not known here, and `to` has no meaning.
    bool (*word)(enum word_op op, size_t count, const struct glance_run *operand,
                 struct glance_run *to);
    // The sum, difference or quotient of two numbers of at most 24 bits, rounded to 53: rounded to
    // f32 after that it is the exact result rounded to f32. False as above, and where a quotient
    // may be below the normal numbers of f32.
    bool (*single)(enum word_op op, size_t count, const struct glance_run *operand,
                   struct glance_run *to);
    // Rounds to f32; false where there is a NaN.
    bool (*narrow)(size_t count, const double *of, float *to);
    // Adds to the estimate's own error what the argument's makes of it; false as above.
    bool (*widen)(enum num_function function, size_t count, const struct glance_run *of,
                  struct glance_run *to);
    // One number in `count` places, a multiple of GLANCE_STEP.
    void (*spread)(double number, size_t count, double *to);
    // Adds a run to the sum as one step.
    void (*sum)(size_t count, const struct glance_run *of, struct glance_sum *to);
    // The largest (`sign` 1) or least (-1) of an exact run; false where there is a NaN, or where it
    // is a zero.
    bool (*extreme)(double sign, size_t count, const double *of, double *to);
};

extern const struct glance_form glance_form_portable;
#if defined(__x86_64__)
extern const struct glance_form glance_form_avx2, glance_form_avx512;
#elif defined(__aarch64__)
extern const struct glance_form glance_form_neon;
#endif

// The form of the instruction set in force.
const struct glance_form *glance_form_chosen(void);

#endif
