// SPDX-License-Identifier: Apache-2.0
// Small drawings as inline SVG: colours come from the page's style, so that they follow light, dark
// and print. Every drawing has a name and a description for those who do not see it.

#ifndef ASSAY_REPORTS_PAGE_SVG_H
#define ASSAY_REPORTS_PAGE_SVG_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/json.h"

// One bar: its label below, its height, and the class that colours it (NULL: plain).
struct svg_bar {
    const char *label, *class_name;
    uint64_t count;
};

// Upright bars on a logarithmic scale (a count of 1 is visible beside a million). `title` and
// `description` are text from anywhere.
void svg_bars(struct text *text, const char *title, const char *description,
              const struct svg_bar *bars, size_t count);

// A map of rows by columns counts; the more, the stronger. `across` and `down` name the directions.
void svg_map(struct text *text, const char *title, const char *description, unsigned rows,
             unsigned columns, const uint64_t *cells, const char *down, const char *across);

// One course of values over equal steps. `value` is drawn as it is, between `low` and `high`; those
// outside are put on the edge.
struct svg_line {
    const char *label, *class_name;
    const double *value; // NaN leaves a gap
};
enum { SVG_COURSE_LOW, SVG_COURSE_HIGH, SVG_COURSE_FIRST, SVG_COURSE_LAST, SVG_COURSE_LABELS };
void svg_course(struct text *text, const char *title, const char *description,
                const struct svg_line *lines, size_t line_count, size_t count, double low,
                double high, const char *const label[SVG_COURSE_LABELS]);

// Lying bars with a label before and a text behind each; `length` is relative to the longest.
struct svg_row {
    const char *label, *class_name, *text;
    double length;
};
void svg_rows(struct text *text, const char *title, const char *description,
              const struct svg_row *rows, size_t count);

#endif
