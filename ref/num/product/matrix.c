// SPDX-License-Identifier: Apache-2.0
// A matrix product in double, block by block of the depth.

#include "ref/num/product/matrix.h"

#include <assert.h>

#include "ref/base/size.h"
#include "ref/num/product/panel.h"

bool num_matrix_workspace(size_t rows, size_t *bytes)
{
    return size_multiply(rows, NUM_BLOCK_DEPTH * sizeof(double), bytes);
}

void num_matrix_add(size_t rows, const double *left, const struct num_operand *right,
                    bool magnitudes, double *to, size_t stride, void *workspace)
{
    assert(stride >= right->vectors);
    const enum num_arithmetic arithmetic = magnitudes ? NUM_MAGNITUDES : NUM_NUMBERS;
    for (size_t first = 0; first < right->depth; first += NUM_BLOCK_DEPTH) {
        const size_t rest = right->depth - first;
        const struct num_block block = {
            arithmetic, rows, first, rest < NUM_BLOCK_DEPTH ? rest : NUM_BLOCK_DEPTH, false, false};
        num_panel_pack_doubles(left, right->depth, &block, workspace);
        num_panel_add(right, 0, right->vectors, &block, workspace, to, stride);
    }
}
