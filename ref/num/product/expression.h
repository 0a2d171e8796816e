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
// The fast look evaluates in double with an error bound (ref/PROOFS.md, "Expressions"); the last
// resort is the exact sum.

#ifndef ASSAY_REF_NUM_PRODUCT_EXPRESSION_H
#define ASSAY_REF_NUM_PRODUCT_EXPRESSION_H

#include <stddef.h>

#include "ref/num/path.h"
#include "ref/num/product/expression_form.h"

// rows * columns results, each the sum over `depth` (1: no inner sum; 0: every result is +0). Never
// fails on valid arguments.
void num_expression_round(const struct num_expression *expression, size_t rows, size_t columns,
                          size_t depth, const struct num_result *out, struct num_path *path);

#endif
