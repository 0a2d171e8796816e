// SPDX-License-Identifier: Apache-2.0
// The glance: words on runs of finite numbers, in vectors. What is off in a run is said by two
// numbers for all of it, which follow from its range (glance_bound.c), so that the loops compute
// values alone. What it does not know, a look says. ref/PROOFS.md, "Declared operators".

#ifndef ASSAY_REF_OP_DECLARED_GLANCE_FORM_H
#define ASSAY_REF_OP_DECLARED_GLANCE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/num/function/function_kind.h"
#include "ref/op/declared/words.h"

enum { GLANCE_STEP = 16, GLANCE_SINGLE_BITS = 24, GLANCE_BITS = 53 };

enum glance_kind { GLANCE_NUMBER, GLANCE_SINGLES, GLANCE_DOUBLES, GLANCE_PRODUCT, GLANCE_FUNCTION };

// A run of finite numbers: one for all places, floats, or doubles with room up to the next multiple
// of GLANCE_STEP, where some number of the run's range stands. Floats come in whole steps. A
// product of two other runs, plus a third, is computed by who reads it; it may be not finite. That
// of a function is computed by function_form, which rounds it: nobody else reads it.
struct function_product;
struct glance_run {
    enum glance_kind kind;
    double number;
    const float *single;
    const double *value;
    const struct glance_run *part[3];
    const struct function_product *function;
    double low, high;          // every number lies between them; NaN: not looked for yet
    double relative, absolute; // the truth is |number| * relative + absolute off, at most
    bool zeros;                // zeros are exact, with their signs
    unsigned bits;             // not 0: exact, of at most so many significant bits; up to
                               // GLANCE_SINGLE_BITS also a number of f32
};

static inline double glance_number_at(const struct glance_run *of, size_t i)
{
    return of->kind == GLANCE_NUMBER    ? of->number
           : of->kind == GLANCE_SINGLES ? (double)of->single[i]
                                        : of->value[i];
}

static inline double glance_at(const struct glance_run *of, size_t i)
{
    return of->kind == GLANCE_PRODUCT
               ? glance_number_at(of->part[0], i) * glance_number_at(of->part[1], i) +
                     glance_number_at(of->part[2], i)
               : glance_number_at(of, i);
}

// Sums so far: |sum of the values - value| <= (steps + GLANCE_DEPTH) 2^-53 magnitude.
enum { GLANCE_DEPTH = 68 };
struct glance_sum {
    double value, magnitude;
};

struct glance_form {
    // The least and the largest number; false where one is not finite.
    bool (*range_singles)(size_t count, const float *of, double *low, double *high);
    bool (*range)(size_t count, const double *of, double *low, double *high);
    // The least magnitude.
    double (*least)(size_t count, const struct glance_run *of);
    // `to` = the word of its operands, `count` a multiple of GLANCE_STEP; false: no such word here.
    bool (*word)(enum word_op op, size_t count, const struct glance_run *const *operand,
                 double *to);
    // The sum, difference, product or quotient of two runs of f32, rounded to it; false where one
    // is not finite.
    bool (*single)(enum word_op op, size_t count, const struct glance_run *const *operand,
                   float *to);
    // x y + z of floats and numbers of f32 with one rounding; false where one is not finite. NULL:
    // no instruction does that.
    bool (*fused_single)(size_t count, const struct glance_run *const *operand, float *to);
    // Exact doubles rounded to f32.
    void (*narrow)(size_t count, const double *of, float *to);
    // Whether two runs are nowhere within `off` of each other, and the extreme is a zero only where
    // that comes from a run whose zeros are exact.
    bool (*apart)(double sign, double off, size_t count, const struct glance_run *const *operand);
    // Rounds doubles, or a product, to f32 where what they are off does not matter; the places of
    // the others, and of what is not finite, go to `open`, and how many there are is returned.
    size_t (*round)(size_t count, const struct glance_run *of, float *to, uint16_t *open);
    // Adds a run to the sum as one step. Doubles, floats, and products of floats.
    void (*sum)(size_t count, const struct glance_run *of, struct glance_sum *to);
};

extern const struct glance_form glance_form_portable;
#if defined(__x86_64__)
extern const struct glance_form glance_form_avx2, glance_form_avx512;
#elif defined(__aarch64__)
extern const struct glance_form glance_form_neon;
#endif

// The form of the instruction set in force.
const struct glance_form *glance_form_chosen(void);

// What the word makes of its operands: range, error and bits of `to`. False: nothing is known, or
// it might not be finite. `least` (0: not known) is the least magnitude of the second operand, for
// quotients.
bool glance_bound(enum word_op op, const struct glance_run *const *operand, double least,
                  struct glance_run *to);

// How far any number of the run may be off.
double glance_off(const struct glance_run *of);

// The same for functions of num_function, whose own error is `relative` and `additional`.
bool glance_bound_function(enum num_function function, const struct glance_run *of, double relative,
                           double additional, struct glance_run *to);

// Whether a function may be asked for at all of the run's numbers.
bool glance_knows(enum num_function function, const struct glance_run *of);

// One number, off by at most `error` (0: exact).
struct glance_run glance_number(double number, double error);

#endif
