// SPDX-License-Identifier: Apache-2.0
// Histograms of many cases added up into fixed bins.

#include "reports/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "reports/shape.h"

static unsigned ulp_bin(double edge)
{
    if (!(edge > 0))
        return 0;
    if (edge < 1)
        return 1;
    const int exponent = isfinite(edge) ? ilogb(edge) : HISTOGRAM_ULP_BINS;
    return exponent + 2 < HISTOGRAM_ULP_BINS ? (unsigned)exponent + 2 : HISTOGRAM_ULP_BINS - 1;
}

static unsigned radius_bin(double edge)
{
    if (!(edge > 0))
        return 0;
    return edge < 1 ? (unsigned)(edge * 10 + 0.5) < HISTOGRAM_RADIUS_BINS
                          ? (unsigned)(edge * 10 + 0.5)
                          : HISTOGRAM_RADIUS_BINS - 1
                    : HISTOGRAM_RADIUS_BINS - 1;
}

static void add(const struct document_node *source, unsigned (*bin)(double), uint64_t *bins,
                uint64_t *total, double *largest)
{
    const struct document_node *const edges = document_find(source, "edges");
    const struct document_node *const counts = document_find(source, "counts");
    for (size_t i = 0; i < edges->count; i++) {
        const uint64_t count = strtoull(counts->item[i]->text, NULL, 10);
        bins[bin(shape_real(edges->item[i]))] += count;
        *total += count;
    }
    const double most = fabs(shape_real(document_find(source, "largest")));
    *largest = isnan(most) || most > *largest ? (isnan(most) ? (double)INFINITY : most) : *largest;
}

void histogram_add(struct histogram *histogram, const struct document_node *outputs)
{
    for (size_t i = 0; outputs && i < outputs->count; i++) {
        const struct document_node *const ulp = document_find(outputs->item[i], "ulp"),
                                          *const radius = document_find(outputs->item[i], "radius");
        if (ulp)
            add(ulp, ulp_bin, histogram->ulp, &histogram->ulp_total, &histogram->ulp_largest);
        if (radius)
            add(radius, radius_bin, histogram->radius, &histogram->radius_total,
                &histogram->radius_largest);
    }
}
