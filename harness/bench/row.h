// SPDX-License-Identifier: Apache-2.0
// Measuring one row, and the line that says what was seen: for people on standard output, for
// summary.py as JSON.

#ifndef ASSAY_HARNESS_BENCH_ROW_H
#define ASSAY_HARNESS_BENCH_ROW_H

#include <stdio.h>

#include "harness/bench/bench.h"
#include "harness/bench/cycles.h"
#include "harness/bench/limits.h"

struct bench_measured {
    double ours, theirs;  // median seconds of a call; theirs is 0 in a row of growth
    double waited;        // of a call of ours, for what is no work of ours; 0: nothing is known
    double copies;        // of the work of one call of ours, by two copies at once; 0: none
    struct cycles cycles; // of the core just after the row
};

void bench_measure(const struct bench_frame *frame, const struct bench_pair *pair,
                   struct bench_measured *measured);

void bench_print_head(void);
void bench_print_row(const struct bench_row *row, const struct bench_pair *pair,
                     const struct bench_measured *measured, const struct limits *limits);

// Lines of JSON: the machine, and a row.
void bench_write_machine(FILE *file);
void bench_write_row(FILE *file, const struct bench_row *row, const struct bench_pair *pair,
                     const struct bench_measured *measured, const struct limits *limits);

#endif
