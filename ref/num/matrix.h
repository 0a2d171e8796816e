// SPDX-License-Identifier: Apache-2.0
// A matrix product in double, for estimates and bounds: fast, in any order, rounded anyhow. Results that must be exact come from
// product.h.

#ifndef ASSAY_REF_NUM_MATRIX_H
#define ASSAY_REF_NUM_MATRIX_H

#include <stddef.h>

// A matrix of doubles: element [i][j] is values[i * row_stride + j * column_stride], and one of the strides is 1.
struct num_doubles {
    const double *values;
    ptrdiff_t row_stride, column_stride;
};

// c[i * c_stride + j] = sum over k < depth of a[i][k] * b[k][j]. Each is off by at most (depth + 1) * 2^-53 * (1 + 2^-20) of the
// sum of magnitudes (and underflows). c overlaps neither operand. Its bytes may depend on the machine: never store them.
void num_matrix_multiply(size_t rows, size_t columns, size_t depth, struct num_doubles a, struct num_doubles b, double *c,
                         size_t c_stride);

#endif
