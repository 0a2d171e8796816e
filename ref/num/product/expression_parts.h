// SPDX-License-Identifier: Apache-2.0
// The two halves of an expression's evaluation, for expression.c and product.c.

#ifndef ASSAY_REF_NUM_PRODUCT_EXPRESSION_PARTS_H
#define ASSAY_REF_NUM_PRODUCT_EXPRESSION_PARTS_H

#include "ref/num/accumulator.h"
#include "ref/num/product/expression_form.h"

// Elements of one chunk, and the error of one term in double, relative, in units of 2^-53: four
// factors of at most three roundings each and three products.
enum { NUM_CHUNK = 512, NUM_TERM_ROUNDINGS = 16 };

// Whether no operand is f64: no product underflows, and double may show that nothing was rounded.
bool num_expression_is_narrow(const struct num_expression *expression);

// Elements [row][column] to [row][column + count): adds the terms at `depth` to value[] and their
// magnitudes to magnitude[], in double. count <= NUM_CHUNK.
void num_expression_estimate(const struct num_expression *expression, size_t row, size_t column,
                             size_t depth, size_t count, double *value, double *magnitude);

// Elements of one chunk as doubles, exactly.
void num_elements_load(const struct num_elements *elements, size_t row, size_t column, size_t depth,
                       size_t count, double *to);

// Adds the terms of element [row][column][depth] exactly.
void num_expression_accumulate(const struct num_expression *expression, size_t row, size_t column,
                               size_t depth, struct num_accumulator *sum);

// The whole expression exactly (`depth` inner steps), rounded to `to`.
uint64_t num_expression_exact(const struct num_expression *expression, size_t row, size_t column,
                              size_t depth, enum dtype to);

// Puts `count` dense rounded elements where [row][column] and its followers belong.
void num_result_store(const struct num_result *out, size_t row, size_t column, size_t count,
                      const void *rounded);

#endif
