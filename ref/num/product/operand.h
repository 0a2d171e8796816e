// SPDX-License-Identifier: Apache-2.0
// Operands of products: matrices made ready once, for any number of products on either side.

#ifndef ASSAY_REF_NUM_PRODUCT_OPERAND_H
#define ASSAY_REF_NUM_PRODUCT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/dtype.h"
#include "ref/base/error.h"

// A matrix seen as vectors over which the sum runs: the rows of a left operand, the columns of a
// right one. Strides in elements, of either sign or 0, so a transposed matrix is the same view with
// the strides exchanged.
struct num_view {
    enum dtype dtype; // f16, bf16, f32, f8e4m3, f8e5m2, i8, u8, i16, u16
    const void *data;
    size_t vectors, depth;
    ptrdiff_t vector_stride, depth_stride;
};

enum { NUM_PANEL = 8 };

// A matrix made ready: to be prepared once and used in any number of products, on either side.
// Every number of these types is a float. Panels of NUM_PANEL vectors lie one after another,
// [depth][NUM_PANEL] each, the last one filled up with zeros.
struct num_operand {
    size_t vectors, depth;
    size_t first;        // of the vectors in `values`: where this operand begins
    const float *values; // [panel][depth][NUM_PANEL]
    size_t panels;       // so many lie there
    const double *norm;  // an upper bound of each of the `vectors` Euclidean norms
    bool integral;       // an integer type: products are exact while depth * largest^2 < 2^53
    double largest;      // an upper bound of its magnitudes
};

// Vector v of an operand: its numbers lie NUM_PANEL apart.
static inline const float *num_operand_vector(const struct num_operand *operand, size_t v)
{
    v += operand->first;
    return operand->values + v / NUM_PANEL * NUM_PANEL * operand->depth + v % NUM_PANEL;
}

// Bytes of the buffer that num_operand_prepare wants; false when they do not fit in a size_t.
bool num_operand_bytes(size_t vectors, size_t depth, size_t *bytes);

// Reads `view` into `buffer` (aligned as a double), which must live as long as `operand` is used.
// ERROR_UNSUPPORTED for other dtypes.
enum error num_operand_prepare(struct num_operand *operand, const struct num_view *view,
                               void *buffer, struct diagnostic *diagnostic);

// `count` vectors of `operand` from `first` on, as an operand: nothing is copied.
struct num_operand num_operand_slice(const struct num_operand *operand, size_t first, size_t count);

#endif
