// SPDX-License-Identifier: Apache-2.0
// A matrix product in double, cut to what one call of the BLAS may see.

#include "ref/num/matrix.h"

#include <stdint.h>

#include "ref/num/blas.h"

enum { SIDE_MAX = 1 << 14 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void num_matrix_multiply(size_t rows, size_t columns, size_t depth, struct num_doubles a, struct num_doubles b, double *c,
                         size_t c_stride)
{
    const struct num_operand left = {
        .vectors = rows, .depth = depth, .vector_stride = a.row_stride, .depth_stride = a.column_stride, .values = a.values};
    const struct num_operand right = {
        .vectors = columns, .depth = depth, .vector_stride = b.column_stride, .depth_stride = b.row_stride, .values = b.values};
    for (size_t i = 0; i < rows; i += SIDE_MAX)
        for (size_t j = 0; j < columns; j += SIDE_MAX)
            num_blas_block(&left, i, least(rows - i, SIDE_MAX), &right, j, least(columns - j, SIDE_MAX), 0, depth,
                           c + i * c_stride + j, c_stride, depth > INT32_MAX);
}
