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

// Two numbers, none of which is negative, of each of NUM_WIDTH_PANEL vectors beside one another; a
// panel is [depth] of these.
enum { NUM_WIDTH_PANEL = 16, NUM_WIDTH_NUMBERS = 2 * NUM_WIDTH_PANEL };

// A panel on either side, and [left][right], rows `stride` apart, to which is added first * first +
// second * second over the depth, summed in f32: at most (depth + 2) 2^-24 of itself too small, and
// 2^-149 for each of the depth.
struct num_width_tile {
    size_t depth, stride;
    const float *left, *right;
    double *to;
};

// Line k of panels `depth` long: `count` vectors, and what fills up the last panel.
void num_widths_pack(size_t count, const float *first, const float *second, size_t k, size_t depth,
                     float *panels);

// The sums overlap no panel.
void num_widths_add(const struct num_width_tile *tile);

#endif
