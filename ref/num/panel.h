// SPDX-License-Identifier: Apache-2.0
// Matrix products in double with a right operand in panels, block by block of the depth: what the first look of product.h and the
// bounds of matrix.h stand on.

#ifndef ASSAY_REF_NUM_PANEL_H
#define ASSAY_REF_NUM_PANEL_H

#include <stddef.h>

#include "ref/num/product.h"

enum { NUM_BLOCK_DEPTH = 256 };

// A stretch of the depth, and how many rows stand on the left.
struct num_block {
    size_t rows, first, count; // count <= NUM_BLOCK_DEPTH
};

// Packs rows [row, row + block->rows) of `left` for num_panel_add: block->rows * block->count doubles.
void num_panel_pack(const struct num_operand *left, size_t row, const struct num_block *block, double *packed);

// The same from an array of doubles, [row][depth].
void num_panel_pack_doubles(const double *left, size_t depth, const struct num_block *block, double *packed);

// to[r * stride + c] += the sum over the block of packed row r times right vector column + c, for c < columns: the sum from 0 on in
// the order of the depth, every product and sum of it in double, fused or not. `magnitudes`: of the numbers on the right.
void num_panel_add(const struct num_operand *right, bool magnitudes, size_t column, size_t columns,
                   const struct num_block *block, const double *packed, double *to, size_t stride);

#endif
