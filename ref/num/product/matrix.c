// SPDX-License-Identifier: Apache-2.0
// A matrix product in double, or upward in single precision, block by block of the depth.
//
// Upward: a sum of d nonnegative floats, each product and sum rounded, keeps (1 - 2^-24)^d of every
// product, and the left number 1 - 2^-24 of itself; multiplying that number by 1 + (d + 4) 2^-24
// beforehand makes up for it (d <= 256: 260 * 257 * 2^-48, the second order, is far below 3 *
// 2^-24). What doubles lose is below 2^-30. Both sides are rounded up to 12 bits, so that products
// are exact and fusing them changes nothing. Where every rounding goes up instead, the sum becomes
// (1 + 2^-11)^2 (1 + 260 * 2^-24) (1 + 2^-24)^257 times itself, less than 1 + 2^-9.9.

#include "ref/num/product/matrix.h"

#include <assert.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/base/size.h"
#include "ref/num/product/panel.h"

bool num_matrix_workspace(size_t rows, size_t *bytes)
{
    return size_multiply(rows, NUM_BLOCK_DEPTH * sizeof(double), bytes);
}

static void add(enum num_arithmetic arithmetic, size_t rows, const double *left, double scale,
                const struct num_operand *right, double *to, size_t stride, void *workspace)
{
    for (size_t first = 0; first < right->depth; first += NUM_BLOCK_DEPTH) {
        const size_t rest = right->depth - first;
        const struct num_block block = {
            arithmetic, rows, first, rest < NUM_BLOCK_DEPTH ? rest : NUM_BLOCK_DEPTH, false, false};
        num_panel_pack_doubles(left, right->depth, scale, &block, workspace);
        num_panel_add(right, 0, right->vectors, &block, workspace, to, stride);
    }
}

void num_matrix_add(size_t rows, const double *left, const struct num_operand *right,
                    bool magnitudes, double *to, size_t stride, void *workspace)
{
    assert(stride >= right->vectors);
    add(magnitudes ? NUM_MAGNITUDES : NUM_NUMBERS, rows, left, 1, right, to, stride, workspace);
}

void num_matrix_add_above(size_t rows, const double *left, const struct num_operand *right,
                          double *to, size_t stride, void *workspace)
{
    assert(stride >= right->vectors);
    add(NUM_SINGLES, rows, left, 1 + (NUM_BLOCK_DEPTH + 4) * 0x1p-24, right, to, stride, workspace);
}

// On bits, of which a compiler makes vectors: those of magnitudes are in the order of the numbers.
bool num_operand_is_in_range(const struct num_operand *operand)
{
    const size_t begin = operand->first / NUM_PANEL,
                 end = (operand->first + operand->vectors + NUM_PANEL - 1) / NUM_PANEL;
    const int32_t least = (int32_t)float_bits(0x1p-60F), most = (int32_t)float_bits(0x1p40F);
    int outside = operand->depth > 1 << 20;
    for (size_t i = begin * NUM_PANEL * operand->depth; i < end * NUM_PANEL * operand->depth; i++) {
        const int32_t magnitude = (int32_t)(float_bits(operand->values[i]) & 0x7fffffff);
        outside |= (magnitude != 0) & ((magnitude < least) | (magnitude > most));
    }
    return !outside;
}
