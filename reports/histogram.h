// SPDX-License-Identifier: Apache-2.0
// Histograms of many cases added up into fixed bins, so that a target's errors are one picture.

#ifndef ASSAY_REPORTS_HISTOGRAM_H
#define ASSAY_REPORTS_HISTOGRAM_H

#include <stdint.h>

#include "ref/base/document.h"

enum { HISTOGRAM_ULP_BINS = 36, HISTOGRAM_RADIUS_BINS = 11 };

// ulp: bin 0 holds exact elements, bin 1 what is below 1 ulp, bin i >= 2 what lies in [2^(i-2),
// 2^(i-1)), the last all above. radius: bin i holds the used part in [i/10, (i+1)/10), the last all
// from 1 up, which is wrong.
struct histogram {
    uint64_t ulp[HISTOGRAM_ULP_BINS], radius[HISTOGRAM_RADIUS_BINS];
    uint64_t ulp_total, radius_total;
    double ulp_largest, radius_largest; // infinity for nan
};

// Adds the histograms of one record's outputs (checked before). A bin of the record counts where
// its lower edge lies.
void histogram_add(struct histogram *histogram, const struct document_node *outputs);

#endif
