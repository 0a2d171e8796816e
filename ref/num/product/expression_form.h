// SPDX-License-Identifier: Apache-2.0
// What an expression is made of: arrays of elements, factors, terms, and where results go.

#ifndef ASSAY_REF_NUM_PRODUCT_EXPRESSION_FORM_H
#define ASSAY_REF_NUM_PRODUCT_EXPRESSION_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/dtype.h"

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

#endif
