// SPDX-License-Identifier: Apache-2.0
// Matrix products with a right operand in panels, block by block of the depth: what the first look
// of product.h and the bounds of matrix.h stand on.

#ifndef ASSAY_REF_NUM_PRODUCT_PANEL_H
#define ASSAY_REF_NUM_PRODUCT_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/num/product/operand.h"

// The longest block.
enum { NUM_BLOCK_DEPTH = 256 };

// What is multiplied with doubles on the left, in double.
enum num_arithmetic {
    NUM_NUMBERS,    // numbers on the right
    NUM_MAGNITUDES, // the same with magnitudes on the right
};

// Rows on the left, and a stretch of the depth.
struct num_block {
    enum num_arithmetic arithmetic;
    size_t rows, first, count;
    bool begins; // the sums: nothing is there to be added to
    bool across; // what follows is multiplied all across `right` before further down
};

// Packs rows [row, row + block->rows) of `left` for num_panel_add: block->rows * block->count
// doubles.
void num_panel_pack(const struct num_operand *left, size_t row, const struct num_block *block,
                    double *packed);

// The same from an array of doubles, [row][depth].
void num_panel_pack_doubles(const double *left, size_t depth, const struct num_block *block,
                            double *packed);

// to[r * stride + c] += (= when the block begins) the sum over the block of packed row r times
// right vector column + c, for c < columns: the sum from 0 on in the order of the depth, fused or
// not; it is added in double.
void num_panel_add(const struct num_operand *right, size_t column, size_t columns,
                   const struct num_block *block, const double *packed, double *to, size_t stride);

#endif
