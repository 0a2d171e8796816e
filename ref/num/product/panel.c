// SPDX-License-Identifier: Apache-2.0
// Products of panels: rows in groups whose sums fit in registers, panels in groups that stay in the
// second-level cache while every group of rows meets them.
//
// After Goto and van de Geijn 2008 (doi:10.1145/1356052.1356053), for a right operand that is
// packed once and used often: it stays in float, half as many bytes to stream, and is widened on
// its way into registers. While one group meets all rows, the next is fetched.

#include "ref/num/product/panel.h"

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/product/kernel.h"

enum { GROUP_PANELS = 16 }; // 128 KiB at the full depth of a block

// Rows [first, first + count) of one group out of as many equal ones as are needed.
struct group {
    size_t first, count;
};

static struct group group_of(size_t rows, size_t groups, size_t index)
{
    const size_t first = rows * index / groups;
    return (struct group){first, rows * (index + 1) / groups - first};
}

static size_t groups_of(const struct num_block *block)
{
    const size_t most = num_kernel_chosen()->product_rows;
    return (block->rows + most - 1) / most;
}

void num_panel_pack(const struct num_operand *left, size_t row, const struct num_block *block,
                    double *packed)
{
    const struct num_kernel *const kernel = num_kernel_chosen();
    const size_t groups = groups_of(block);
    for (size_t g = 0; g < groups; g++) {
        const struct group group = group_of(block->rows, groups, g);
        const size_t first = row + group.first;
        if ((left->first + first) % NUM_PANEL == 0 && group.count == NUM_PANEL)
            kernel->widen(NUM_PANEL * block->count,
                          num_operand_vector(left, first) + block->first * NUM_PANEL, packed);
        else
            for (size_t r = 0; r < group.count; r++) {
                const float *const from =
                    num_operand_vector(left, first + r) + block->first * NUM_PANEL;
                for (size_t k = 0; k < block->count; k++)
                    packed[k * group.count + r] = (double)from[k * NUM_PANEL];
            }
        packed += group.count * block->count;
    }
}

void num_panel_pack_doubles(const double *left, size_t depth, const struct num_block *block,
                            double *packed)
{
    const size_t groups = groups_of(block);
    for (size_t g = 0; g < groups; g++) {
        const struct group group = group_of(block->rows, groups, g);
        double *const to = packed + group.first * block->count;
        for (size_t r = 0; r < group.count; r++) {
            const double *const from = left + (group.first + r) * depth + block->first;
            for (size_t k = 0; k < block->count; k++)
                to[k * group.count + r] = from[k];
        }
    }
}

// Columns [from, to) of a panel alone.
static void add_part(num_panel_multiply *multiply, const struct num_strip *strip, size_t from,
                     size_t to)
{
    double whole[NUM_PRODUCT_ROWS_MAX * NUM_PANEL];
    struct num_strip alone = *strip;
    alone.begins = true;
    alone.to = whole;
    alone.stride = NUM_PANEL;
    multiply(&alone);
    for (size_t r = 0; r < strip->rows; r++)
        for (size_t c = from; c < to; c++) {
            double *const sum = &strip->to[r * strip->stride + c - from];
            *sum = whole[r * NUM_PANEL + c] + (strip->begins ? 0 : *sum);
        }
}

// The panel that is wanted when this one, in place `place` of its group, has met all rows and so
// have those that follow it: of the next group before `last`, or of the first one further down, or
// of what follows the operand; or none but itself.
static const float *panel_after(const struct num_operand *right, const struct num_block *block,
                                size_t begin, size_t last, size_t panel, size_t place)
{
    const size_t next = block->first + block->count, onwards = panel + GROUP_PANELS;
    const bool down = onwards >= last && next < right->depth,
               beyond = onwards >= last && next == right->depth && onwards < right->panels;
    const size_t wanted = down ? begin + place : onwards < last || beyond ? onwards : panel;
    const size_t depth = down ? next : beyond ? 0 : block->first;
    return right->values + (wanted * right->depth + depth) * NUM_PANEL;
}

void num_panel_add(const struct num_operand *right, size_t column, size_t columns,
                   const struct num_block *block, const double *packed, double *to, size_t stride)
{
    assert(block->count <= NUM_BLOCK_DEPTH && block->first + block->count <= right->depth);
    const struct num_kernel *const kernel = num_kernel_chosen();
    num_panel_multiply *const multiply =
        block->arithmetic == NUM_NUMBERS ? kernel->multiply_panel : kernel->multiply_magnitudes;
    const size_t begin = right->first + column, end = begin + columns, groups = groups_of(block);
    const size_t last = (end + NUM_PANEL - 1) / NUM_PANEL;
    const size_t next_begin = (block->across ? right->first : begin) / NUM_PANEL,
                 next_last =
                     block->across ? (right->first + right->vectors - 1) / NUM_PANEL + 1 : last;
    struct num_strip strip = {.depth = block->count,
                              .begins = block->begins,
                              .stride = stride,
                              .pace = (NUM_PANEL + groups - 1) / groups};
    for (size_t panels = begin / NUM_PANEL; panels < last; panels += GROUP_PANELS)
        for (size_t g = 0; g < groups; g++) {
            const struct group group = group_of(block->rows, groups, g);
            strip.rows = group.count;
            strip.left = packed + group.first * block->count;
            for (size_t p = panels; p < last && p < panels + GROUP_PANELS; p++) {
                const size_t at = p * NUM_PANEL, from = at < begin ? begin : at;
                const size_t until = at + NUM_PANEL > end ? end : at + NUM_PANEL;
                strip.panel = right->values + (p * right->depth + block->first) * NUM_PANEL;
                strip.to = to + group.first * stride + (from - begin);
                strip.soon = panel_after(right, block, next_begin, next_last, p, p - panels) +
                             g * strip.pace * block->count;
                if (until - from == NUM_PANEL)
                    multiply(&strip);
                else
                    add_part(multiply, &strip, from - at, until - at);
            }
        }
}
