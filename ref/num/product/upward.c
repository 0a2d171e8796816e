// SPDX-License-Identifier: Apache-2.0
// Sums of products of magnitudes from above, in integers.
//
// No integer is above 4095, so a sum of 256 products is at most 256 * 4095^2 < 2^32. A sum as
// rounded is at least the sum itself; with a and b for the numbers, p and q for the units of a
// block, it is below the sum of (a + p)(b + q) over the numbers that are not 0.

#include "ref/num/product/upward.h"

#include <assert.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/num/product/kernel.h"

enum { BLOCK_PAIRS = NUM_UPWARD_BLOCK / 2 };

_Static_assert(NUM_UPWARD_PANEL == 2 * NUM_PANEL, "two panels of an operand make one");

static size_t blocks_of(size_t depth)
{
    return (depth + NUM_UPWARD_BLOCK - 1) / NUM_UPWARD_BLOCK;
}

static size_t panels_of(size_t vectors)
{
    return (vectors + NUM_UPWARD_PANEL - 1) / NUM_UPWARD_PANEL;
}

bool num_upward_bytes(size_t vectors, size_t depth, size_t *bytes)
{
    size_t all, numbers, units;
    return size_round_up(vectors, NUM_UPWARD_PANEL, &all) &&
           size_round_up(depth, NUM_UPWARD_BLOCK, &numbers) &&
           size_multiply(all, numbers, &numbers) &&
           size_multiply(numbers, sizeof(uint16_t), &numbers) &&
           size_multiply(all, blocks_of(depth) * sizeof(double), &units) &&
           size_add(numbers, units, bytes);
}

bool num_upward_left(struct num_upward *to, size_t vectors, size_t depth, const double *numbers,
                     void *buffer)
{
    const size_t blocks = blocks_of(depth);
    double *const unit = buffer;
    uint32_t *const pairs = (uint32_t *)(void *)(unit + blocks * vectors);
    bool close = true;
    for (size_t v = 0; v < vectors; v++)
        for (size_t b = 0; b < blocks && close; b++) {
            const size_t first = b * NUM_UPWARD_BLOCK, rest = depth - first,
                         count = rest < NUM_UPWARD_BLOCK ? rest : NUM_UPWARD_BLOCK;
            uint32_t row[BLOCK_PAIRS];
            close = num_kernel_chosen()->round_up(count, numbers + v * depth + first, row,
                                                  unit + b * vectors + v);
            for (size_t k = 0; close && k < (count + 1) / 2; k++)
                pairs[(b * BLOCK_PAIRS + k) * vectors + v] = row[k];
        }
    *to = (struct num_upward){vectors, depth, pairs, unit};
    return close;
}

bool num_upward_right(struct num_upward *to, const struct num_operand *operand, void *buffer)
{
    assert(operand->first == 0);
    const size_t depth = operand->depth, blocks = blocks_of(depth), lines = (depth + 1) / 2;
    const size_t panels = panels_of(operand->vectors), all = panels * NUM_UPWARD_PANEL;
    double *const unit = buffer;
    uint32_t *const pairs = (uint32_t *)(void *)(unit + blocks * all);
    bool close = true;
    for (size_t v = 0; v < all && close; v += NUM_PANEL) {
        uint32_t *const panel =
            pairs + v / NUM_UPWARD_PANEL * lines * NUM_UPWARD_PANEL + v % NUM_UPWARD_PANEL;
        const bool present = v < operand->vectors;
        for (size_t k = 0; k < lines && !present; k++)
            memset(panel + k * NUM_UPWARD_PANEL, 0, NUM_PANEL * sizeof *panel);
        for (size_t b = 0; b < blocks && close; b++) {
            const size_t first = b * NUM_UPWARD_BLOCK, rest = depth - first;
            if (present)
                close = num_kernel_chosen()->round_panel_up(
                    rest < NUM_UPWARD_BLOCK ? rest : NUM_UPWARD_BLOCK,
                    num_operand_vector(operand, v) + first * NUM_PANEL,
                    panel + b * BLOCK_PAIRS * NUM_UPWARD_PANEL, unit + b * all + v);
            else
                memset(unit + b * all + v, 0, NUM_PANEL * sizeof *unit);
        }
    }
    *to = (struct num_upward){operand->vectors, depth, pairs, unit};
    return close;
}

// Columns [from, from + count) of a panel alone.
static void add_part(const struct num_tile *tile, size_t from, size_t count)
{
    double whole[NUM_PRODUCT_ROWS_MAX * NUM_UPWARD_PANEL] = {0};
    struct num_tile alone = *tile;
    alone.to = whole;
    alone.stride = NUM_UPWARD_PANEL;
    num_kernel_chosen()->multiply_integers(&alone);
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < count; c++)
            tile->to[r * tile->stride + c] += whole[r * NUM_UPWARD_PANEL + from + c];
}

// One block of the depth and one panel, for all rows.
static void add_panel(const struct num_upward *left, const struct num_upward *right, size_t block,
                      size_t panel, size_t from, size_t count, double *to, size_t stride)
{
    const size_t lines = (right->depth + 1) / 2, line = block * BLOCK_PAIRS;
    const size_t all = panels_of(right->vectors) * NUM_UPWARD_PANEL;
    const size_t most = num_kernel_chosen()->integer_rows,
                 groups = (left->vectors + most - 1) / most;
    struct num_tile tile = {.pairs = lines - line < BLOCK_PAIRS ? lines - line : BLOCK_PAIRS,
                            .right = right->pairs + (panel * lines + line) * NUM_UPWARD_PANEL,
                            .right_unit = right->unit + block * all + panel * NUM_UPWARD_PANEL,
                            .apart = left->vectors,
                            .stride = stride,
                            .pace = (NUM_UPWARD_PANEL + groups - 1) / groups};
    // What follows in memory is multiplied next: further down, then across.
    const size_t after = panel * lines + line + tile.pairs,
                 last = panels_of(right->vectors) * lines;
    const uint32_t *const soon =
        right->pairs +
        (last - after < tile.pairs ? panel * lines + line : after) * NUM_UPWARD_PANEL;
    for (size_t g = 0; g < groups; g++) {
        const size_t row = left->vectors * g / groups;
        tile.rows = left->vectors * (g + 1) / groups - row;
        tile.left = left->pairs + line * left->vectors + row;
        tile.left_unit = left->unit + block * left->vectors + row;
        tile.to = to + row * stride;
        tile.soon = soon + g * tile.pace % NUM_UPWARD_PANEL * tile.pairs;
        if (count == NUM_UPWARD_PANEL)
            num_kernel_chosen()->multiply_integers(&tile);
        else
            add_part(&tile, from, count);
    }
}

void num_upward_add(const struct num_upward *left, const struct num_upward *right, size_t first,
                    size_t columns, double *to, size_t stride)
{
    assert(left->depth == right->depth && stride >= columns);
    assert(first <= right->vectors && columns <= right->vectors - first);
    const size_t end = first + columns;
    for (size_t at = first, next; at < end; at = next) {
        const size_t panel = at / NUM_UPWARD_PANEL;
        next = (panel + 1) * NUM_UPWARD_PANEL < end ? (panel + 1) * NUM_UPWARD_PANEL : end;
        for (size_t block = 0; block < blocks_of(left->depth); block++)
            add_panel(left, right, block, panel, at % NUM_UPWARD_PANEL, next - at, to + at - first,
                      stride);
    }
}
