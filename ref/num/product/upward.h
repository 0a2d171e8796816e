// SPDX-License-Identifier: Apache-2.0
// Sums of products of magnitudes from above, in integers. Both sides are rounded up to multiples of
// a power of two of their own for each block of a vector, of 12 bits; such products and their sums
// are exact, so that every order and every instruction set gives the same bytes.

#ifndef ASSAY_REF_NUM_PRODUCT_UPWARD_H
#define ASSAY_REF_NUM_PRODUCT_UPWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/num/product/operand.h"

// Numbers of a block, and vectors that lie beside one another in an operand on the right.
enum { NUM_UPWARD_BLOCK = 256, NUM_UPWARD_PANEL = 16 };

// Vectors of magnitudes: number k of vector v is at most its integer times unit[k / 256][v], which
// is less than one such unit more than the number itself. The unit is less than 2^-10 of the
// largest number of its block.
struct num_upward {
    size_t vectors, depth;
    // Two integers of 16 bits, the even one below: [pair][vector] on the left,
    // [panel][pair][NUM_UPWARD_PANEL] on the right.
    const uint32_t *pairs;
    const double *unit; // [block][vector]; on the right so many vectors as the panels have
};

// Bytes of the buffer for one side; false when they do not fit in a size_t.
bool num_upward_bytes(size_t vectors, size_t depth, size_t *bytes);

// Rounds numbers [vector][depth], none of which is negative, for the left side, or the magnitudes
// of an operand for the right one, into `buffer` (aligned as a double). False where that would be
// far too coarse, and nothing may be multiplied: a number is not finite, the largest of a block is
// beyond 2^500 or below 2^-500, or the integers of a block, where they are not 0, are below 64 on
// average.
bool num_upward_left(struct num_upward *to, size_t vectors, size_t depth, const double *numbers,
                     void *buffer);
bool num_upward_right(struct num_upward *to, const struct num_operand *operand, void *buffer);

// to[i * stride + j] += the sum over k of numbers k of vector i on the left and of vector first + j
// on the right, as rounded; each block is added in double.
void num_upward_add(const struct num_upward *left, const struct num_upward *right, size_t first,
                    size_t columns, double *to, size_t stride);

#endif
