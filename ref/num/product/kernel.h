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

enum { NUM_PRODUCT_ROWS_MAX = 16 };

// Rows of a product with one panel.
struct num_strip {
    size_t rows, depth; // 1 to as many rows as the kernel takes
    const double *left; // [depth][rows]
    const float *panel; // [depth][NUM_PANEL]
    bool begins;        // sums are stored, else added to what is there
    double *to;         // [row][stride], the columns of the panel
    size_t stride;
    const float *soon; // fetched into the second cache for a later strip: as many numbers as the
    size_t pace;       // depth, each `pace` floats
};

// Rows of a product of integers in pairs (upward.h) with one panel of them: what is added to `to`
// is the sum times both units.
struct num_tile {
    size_t rows, pairs, apart;
    const uint32_t *left;                 // [pair][apart], of which the first `rows`
    const uint32_t *right;                // [pair][NUM_UPWARD_PANEL]
    const double *left_unit, *right_unit; // [row], [NUM_UPWARD_PANEL]
    double *to;                           // [row][stride]
    size_t stride;
    const uint32_t *soon; // fetched into the first cache for a later tile: as many numbers as the
    size_t pace;          // pairs, each `pace` integers
};

struct num_interval_tile; // intervals.h
struct num_width_tile;    // likewise

// Sums of products, each from 0 on in the order of the depth.
typedef void num_panel_multiply(const struct num_strip *strip);

struct num_kernel {
    void (*widen)(size_t count, const float *in, double *out);
    // value[i] *= the factor made of x[i] and y[i]; y is read for NUM_DIFFERENCE alone.
    void (*multiply)(enum num_form form, size_t count, const double *x, const double *y,
                     double *value);
    // value[i] += term[i], magnitude[i] += |term[i]|
    void (*add_term)(size_t count, const double *term, double *value, double *magnitude);
    // to[i] += scale * x[i]
    void (*add_scaled)(size_t count, double scale, const double *x, double *to);
    size_t product_rows, integer_rows;       // that num_panel_multiply takes, and a tile
    num_panel_multiply *multiply_panel;      // doubles; products and sums in double
    num_panel_multiply *multiply_magnitudes; // the same with the panel's magnitudes
    void (*multiply_integers)(const struct num_tile *tile);
    void (*multiply_intervals)(const struct num_interval_tile *tile);
    void (*multiply_widths)(const struct num_width_tile *tile);
    // Rounds a block of magnitudes up (upward.h), for one row, or for NUM_PANEL vectors of an
    // operand, NUM_UPWARD_PANEL apart. False where that would be far too coarse.
    bool (*round_up)(size_t count, const double *x, uint32_t *pairs, double *unit);
    bool (*round_panel_up)(size_t count, const float *panel, uint32_t *pairs, double *unit);
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
extern const struct num_kernel num_kernel_avx512i; // needs isa_has_products
#elif defined(__aarch64__)
extern const struct num_kernel num_kernel_neon;
#endif

// The table of the instruction set in force.
const struct num_kernel *num_kernel_chosen(void);

#endif
