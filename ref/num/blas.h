// SPDX-License-Identifier: Apache-2.0
// The matrix product of a fast look: OpenBLAS when it is there, our own loops when not.

#ifndef ASSAY_REF_NUM_BLAS_H
#define ASSAY_REF_NUM_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/num/product.h"

// block[r * block_stride + c] = sum over depth [first, first + count) of left vector r times right vector c, in double, the
// products and sums in any order. rows and columns are at most 2^16, count below 2^31 (but
// for our own loops). `plain`: our own loops.
void num_blas_block(const struct num_operand *left, size_t row, size_t rows, const struct num_operand *right, size_t column,
                    size_t columns, size_t first, size_t count, double *block, size_t block_stride, bool plain);

// "OpenBLAS ..." with what it says of itself, or "plain": a static string.
const char *num_blas_name(void);

#endif
