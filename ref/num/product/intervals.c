// SPDX-License-Identifier: Apache-2.0
// Panels of intervals.

#include "ref/num/product/intervals.h"

#include <math.h>
#include <string.h>

#include "ref/num/product/kernel.h"

void num_intervals_pack(size_t count, const double *middle, const double *magnitude,
                        const double *radius, size_t k, size_t depth, double *panels)
{
    for (size_t first = 0; first < count; first += NUM_PANEL) {
        double *const to = panels + (first / NUM_PANEL * depth + k) * NUM_INTERVAL_NUMBERS;
        const size_t rest = count - first, many = rest < NUM_PANEL ? rest : NUM_PANEL;
        if (many < NUM_PANEL)
            memset(to, 0, NUM_INTERVAL_NUMBERS * sizeof *to);
        memcpy(to, middle + first, many * sizeof *to);
        memcpy(to + NUM_PANEL, magnitude + first, many * sizeof *to);
        memcpy(to + 2 * NUM_PANEL, radius + first, many * sizeof *to);
        for (size_t i = 0; i < NUM_PANEL; i++)
            to[3 * NUM_PANEL + i] = fabs(to[i]);
    }
}

void num_intervals_add(const struct num_interval_tile *tile)
{
    num_kernel_chosen()->multiply_intervals(tile);
}
