// SPDX-License-Identifier: Apache-2.0
// Panels of intervals.

#include "ref/num/product/intervals.h"

#include <math.h>
#include <string.h>

#include "ref/num/product/kernel.h"

// Of `whole` numbers that have their place: a copy of a known size is a move of a vector.
static inline __attribute__((always_inline)) void copy(void *to, const void *from, size_t many,
                                                       size_t whole, size_t size)
{
    if (many >= whole)
        memcpy(to, from, whole * size);
    else
        memcpy(to, from, many * size);
}

void num_intervals_pack(size_t count, const double *middle, const double *magnitude,
                        const double *radius, size_t k, size_t depth, double *panels)
{
    for (size_t first = 0; first < count; first += NUM_PANEL) {
        double *const to = panels + (first / NUM_PANEL * depth + k) * NUM_INTERVAL_NUMBERS;
        const size_t many = count - first;
        if (many < NUM_PANEL)
            memset(to, 0, NUM_INTERVAL_NUMBERS * sizeof *to);
        copy(to, middle + first, many, NUM_PANEL, sizeof *to);
        copy(to + NUM_PANEL, magnitude + first, many, NUM_PANEL, sizeof *to);
        copy(to + 2 * NUM_PANEL, radius + first, many, NUM_PANEL, sizeof *to);
        for (size_t i = 0; i < NUM_PANEL; i++)
            to[3 * NUM_PANEL + i] = fabs(to[i]);
    }
}

void num_widths_pack(size_t count, const float *first, const float *second, size_t k, size_t depth,
                     float *panels)
{
    for (size_t at = 0; at < count; at += NUM_WIDTH_PANEL) {
        float *const to = panels + (at / NUM_WIDTH_PANEL * depth + k) * NUM_WIDTH_NUMBERS;
        const size_t many = count - at;
        if (many < NUM_WIDTH_PANEL)
            memset(to, 0, NUM_WIDTH_NUMBERS * sizeof *to);
        copy(to, first + at, many, NUM_WIDTH_PANEL, sizeof *to);
        copy(to + NUM_WIDTH_PANEL, second + at, many, NUM_WIDTH_PANEL, sizeof *to);
    }
}

void num_widths_add(const struct num_width_tile *tile)
{
    num_kernel_chosen()->multiply_widths(tile);
}

void num_intervals_add(const struct num_interval_tile *tile)
{
    num_kernel_chosen()->multiply_intervals(tile);
}
