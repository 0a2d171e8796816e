// SPDX-License-Identifier: Apache-2.0
// The inner loops of the fast looks on arrays of doubles: one table for each instruction set. What
// they compute in double may differ in its last bits from one table to another; what is rounded
// from it may not, and does not.

#ifndef ASSAY_REF_NUM_PRODUCT_KERNEL_H
#define ASSAY_REF_NUM_PRODUCT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/num/product/expression_form.h"

// How a number is tested for rounding to a float dtype of at most 24 bits: NUM_VALUE's precision
// and range in double.
struct num_grid {
    int precision;
    double least_normal; // below it the spacing is fixed
    double shifter;      // 1.5 * 2^52 times that spacing: adding it rounds to the spacing
    double largest;      // beyond it the test stays open
};

enum { NUM_PRODUCT_ROWS_MAX = 12 };

// Adds sums of products to to[row * stride + column], or begins with them there: of 1 to so many
// rows of `left`, [depth][rows], with the NUM_PANEL columns of `panel`, [depth][NUM_PANEL], each
// from 0 on in the order of depth. Of pairs, the other panel begins `apart` floats later, and its
// columns follow.
typedef void num_panel_multiply(size_t rows, size_t depth, const void *left, const float *panel,
                                size_t apart, bool begins, double *to, size_t stride);

struct num_kernel {
    void (*widen)(size_t count, const float *in, double *out);
    // value[i] *= the factor made of x[i] and y[i]; y is read for NUM_DIFFERENCE alone.
    void (*multiply)(enum num_form form, size_t count, const double *x, const double *y,
                     double *value);
    // value[i] += term[i], magnitude[i] += |term[i]|
    void (*add_term)(size_t count, const double *term, double *value, double *magnitude);
    // to[i] += scale * x[i]
    void (*add_scaled)(size_t count, double scale, const double *x, double *to);
    size_t product_rows,
        single_rows; // that num_panel_multiply takes: with doubles on the left, and with floats
    num_panel_multiply *multiply_panel;      // doubles; products and sums in double
    num_panel_multiply *multiply_magnitudes; // the same with the panel's magnitudes
    num_panel_multiply *multiply_singles; // floats of 12 bits, with the panel's magnitudes rounded
                                          // up to 12; sums in float
    num_panel_multiply
        *multiply_single_pairs; // the same for two panels; NULL where one fills the registers
    // Pack lines of an operand (operand.h), and add the squares of each vector's numbers to
    // squares[vector]. Across vectors: `lines` of them, cut up into panels `stride` numbers apart.
    // Along them: NUM_PANEL lines become one panel.
    void (*pack_across)(size_t lines, size_t vectors, const float *const *line, float *panel,
                        size_t stride, double *squares);
    void (*pack_along)(size_t depth, const float *const *line, float *panel, double *squares);
    // The rounding test of certify.h for f32, and for narrower floats, whose rounded values come as
    // f32.
    size_t (*certify_f32)(size_t count, const double *value, const double *error, float *out,
                          uint16_t *open);
    size_t (*certify_grid)(const struct num_grid *grid, size_t count, const double *value,
                           const double *error, float *out, uint16_t *open);
};

extern const struct num_kernel num_kernel_portable;
#if defined(__x86_64__)
extern const struct num_kernel num_kernel_avx2, num_kernel_avx512;
#elif defined(__aarch64__)
extern const struct num_kernel num_kernel_neon;
#endif

// The table of the instruction set in force.
const struct num_kernel *num_kernel_chosen(void);

#endif
