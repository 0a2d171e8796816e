// SPDX-License-Identifier: Apache-2.0
// Products of matrices of intervals, in double: sums of products of middles and of magnitudes, and
// of what the radii add to a product, one leaf after another. The same bytes on every machine.

#ifndef ASSAY_REF_NUM_PRODUCT_INTERVALS_H
#define ASSAY_REF_NUM_PRODUCT_INTERVALS_H

#include <stddef.h>

#include "ref/num/product/operand.h"

// Of each of NUM_PANEL intervals beside one another: their middles, magnitudes, radii, and the
// magnitudes of their middles. A panel is [depth] of these.
enum { NUM_INTERVAL_NUMBERS = 4 * NUM_PANEL };

// A panel on either side, and the sums of their products, [left][right], rows `stride` apart, to
// which is added in the order of the depth: middle * middle; magnitude * magnitude; radius *
// magnitude + |middle| * radius.
struct num_interval_tile {
    size_t depth, stride;
    const double *left, *right;
    double *middle, *magnitude, *radius;
};

// Line k of panels `depth` long: `count` intervals, and what fills up the last panel.
void num_intervals_pack(size_t count, const double *middle, const double *magnitude,
                        const double *radius, size_t k, size_t depth, double *panels);

// The sums overlap no panel.
void num_intervals_add(const struct num_interval_tile *tile);

#endif
