// SPDX-License-Identifier: Apache-2.0
// One-rounding expressions: sums of products of sums, evaluated exactly and rounded once.
//
//     out[r][c] = RN( (sum over d and over terms t of +- factor_t0 * factor_t1 * ...)[r][c][d] /
//     (denominator_0 * ...)[r][c] )
//
// A NaN operand, inf - inf, 0 * inf and 0 / 0 give NaN; otherwise an infinite term gives its
// infinity; a sum too large for the result's type gives an infinity. An exactly zero sum is +0
// unless every term is -0 (a term's sign is the exclusive or of its factors' signs and its own). x
// / 0 is an infinity. Results of an integer type are rounded to nearest even and saturate, NaN
// becomes 0.
//
// The fast look evaluates in double with an error bound (README.md, "Expressions"); the last resort
// is the exact sum.

#ifndef ASSAY_REF_NUM_PRODUCT_EXPRESSION_H
#define ASSAY_REF_NUM_PRODUCT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/dtype.h"
#include "ref/base/error.h"
#include "ref/num/path.h"

// Elements [row][column][depth] of an array: strides in elements, may be 0 (one element for all) or
// negative. Types: f16, bf16, f32, the 8-bit floats, integers up to 32 bits, bool; f64 where an
// expression says so.
struct num_elements {
    enum dtype dtype;
    const void *data;
    ptrdiff_t row_stride, column_stride, depth_stride;
};

enum num_form {
    NUM_VALUE,             // x
    NUM_COMPLEMENT,        // 1 - x
    NUM_LESS_SQUARE,       // x - x*x
    NUM_COMPLEMENT_SQUARE, // 1 - x*x
    NUM_DIFFERENCE,        // x - y
};

struct num_factor {
    enum num_form form;
    struct num_elements x, y; // y: for NUM_DIFFERENCE alone
};

enum { NUM_FACTORS_MAX = 4, NUM_TERMS_MAX = 8, NUM_DENOMINATORS_MAX = 3 };

struct num_term {
    bool negative;
    unsigned factors; // 1 to NUM_FACTORS_MAX; with an f64 operand at most 2, both of form NUM_VALUE
    struct num_factor factor[NUM_FACTORS_MAX];
};

struct num_expression {
    unsigned terms; // 1 to NUM_TERMS_MAX
    struct num_term term[NUM_TERMS_MAX];
    unsigned denominators;                                 // 0: none
    struct num_elements denominator[NUM_DENOMINATORS_MAX]; // depth_stride is not used
};

// Where results go: strides in elements. An element of `data` may be an operand of the same element
// of the result, not of another.
struct num_result {
    enum dtype dtype; // f16, bf16, f32, f64, or an integer type of at most 32 bits
    void *data;
    ptrdiff_t row_stride, column_stride;
};

// rows * columns results, each the sum over `depth` (1: no inner sum; 0: every result is +0). Never
// fails on valid arguments.
void num_expression_round(const struct num_expression *expression, size_t rows, size_t columns,
                          size_t depth, const struct num_result *out, struct num_path *path);

#endif
