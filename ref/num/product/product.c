// SPDX-License-Identifier: Apache-2.0
// Products rounded once: the fast look tile by tile, a double-double look at what it leaves open,
// then the exact sum.
//
// First look. Products of two floats are exact in double, so that a fused step and a separate one
// round alike. A block of depth d is summed in the order of depth, off by at most (d - 1) u of the
// sum of its magnitudes (u = 2^-53; Jeannerod and Rump 2013, doi:10.1137/120894488, for this order
// and any other), and adding m blocks and the leaf, in whatever order, by at most m u more. The sum
// of magnitudes of a row and a column is at most the product of their Euclidean norms. Short blocks
// keep d + m far below the whole depth. Second look. Two-sums keep every addition's error exactly;
// only the sum of n such errors is rounded, which costs at most n^2 u^2 of the sum of magnitudes
// (Ogita, Rump, Oishi 2005, doi:10.1137/030601818); where no addition has an error, nothing is: so
// are ties settled. Sums of zeros alone, of which a first look without error tells, want their
// sign.

#include "ref/num/product/product.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/size.h"
#include "ref/num/product/certify.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/product/kernel.h"
#include "ref/num/product/panel.h"
#include "ref/num/small_float.h"

enum { TILE_ROWS = 64, TILE_COLUMNS = NUM_CHUNK };
enum { LINE = 8, PADDING = LINE }; // of a cache, in doubles: rows a power of two apart share places

static const double unit = 0x1p-53;
static const double inflate = 1 + 0x1p-20; // pays for the roundings in the error bound itself

// [row][stride] of a tile, and of its rows on the left.
struct workspace {
    size_t stride;
    double *value, *leaf_magnitude, *left;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t stride_of(size_t columns)
{
    return (least(columns, TILE_COLUMNS) + LINE - 1) / LINE * LINE + PADDING;
}

size_t num_sum_workspace(size_t rows, size_t columns)
{
    return least(rows, TILE_ROWS) * (2 * stride_of(columns) + NUM_BLOCK_DEPTH) * sizeof(double);
}

static struct workspace workspace_of(const struct num_sum *sum, double *memory)
{
    const size_t stride = stride_of(sum->columns), tile = least(sum->rows, TILE_ROWS) * stride;
    return (struct workspace){stride, memory, memory + tile, memory + 2 * tile};
}

struct tile {
    size_t row, rows, column, columns;
};

// What is known of the sum as a whole before anything is added.
struct plan {
    bool fast, integral, leaf_exact; // the fast looks may serve; every product sum is exact in
                                     // double; so are the leaf's terms
    double depth, blocks, terms;     // the longest block, the number of blocks, of all terms
};

static bool leaf_is_exact(const struct num_expression *leaf)
{
    for (unsigned t = 0; leaf && t < leaf->terms; t++) {
        if (leaf->term[t].factors > 2)
            return false;
        for (unsigned f = 0; f < leaf->term[t].factors; f++) {
            const struct num_factor *const factor = &leaf->term[t].factor[f];
            if (factor->form != NUM_VALUE ||
                (leaf->term[t].factors == 2 && dtype_size(factor->x.dtype) == 4 &&
                 factor->x.dtype != DTYPE_F32))
                return false;
        }
    }
    return true;
}

static struct plan plan_of(const struct num_sum *sum, const struct num_path *path)
{
    struct plan plan = {.fast = !(path && path->exact),
                        .integral = !sum->leaf,
                        .leaf_exact = leaf_is_exact(sum->leaf)};
    double largest_sum = 0;
    for (unsigned p = 0; p < sum->products; p++) {
        const struct num_product *const product = &sum->product[p];
        const size_t depth = product->left.depth;
        const double length = (double)(depth < NUM_BLOCK_DEPTH ? depth : NUM_BLOCK_DEPTH);
        plan.depth = length > plan.depth ? length : plan.depth;
        plan.blocks += (double)((depth + NUM_BLOCK_DEPTH - 1) / NUM_BLOCK_DEPTH);
        plan.terms += (double)depth;
        plan.integral = plan.integral && product->left.integral && product->right.integral;
        largest_sum += (double)depth * product->left.largest * product->right.largest;
    }
    plan.integral = plan.integral && largest_sum < 0x1p53;
    if (sum->leaf) {
        plan.fast = plan.fast && num_expression_is_narrow(sum->leaf);
        plan.terms += sum->leaf->terms;
    }
    return plan;
}

// What the tile's sums begin with, in work->value, where there is anything: the leaf, with the
// magnitudes of its terms, and what was begun.
static bool estimate_beginning(const struct num_sum *sum, const struct tile *tile,
                               const struct workspace *work)
{
    const struct num_kernel *const kernel = num_kernel_chosen();
    for (size_t r = 0; sum->leaf && r < tile->rows; r++) {
        double *const value = work->value + r * work->stride, *const magnitude =
                                                                  work->leaf_magnitude +
                                                                  r * work->stride;
        memset(value, 0, tile->columns * sizeof *value);
        memset(magnitude, 0, tile->columns * sizeof *magnitude);
        num_expression_estimate(sum->leaf, tile->row + r, tile->column, 0, tile->columns, value,
                                magnitude);
    }
    for (size_t r = 0; sum->begun && r < tile->rows; r++) {
        const double *const begun = sum->begun + (tile->row + r) * sum->begun_stride + tile->column;
        if (sum->leaf)
            kernel->add_scaled(tile->columns, 1, begun, work->value + r * work->stride);
        else
            memcpy(work->value + r * work->stride, begun, tile->columns * sizeof *begun);
    }
    return sum->leaf || sum->begun;
}

// The tile's sums in double, in work->value, and the magnitudes of the leaf's terms.
static void estimate(const struct num_sum *sum, const struct tile *tile,
                     const struct workspace *work)
{
    bool begins = !estimate_beginning(sum, tile, work);
    for (unsigned p = sum->begun ? 1 : 0; p < sum->products; p++) {
        const struct num_product *const product = &sum->product[p];
        for (size_t first = 0; first < product->left.depth; first += NUM_BLOCK_DEPTH) {
            const size_t rest = product->left.depth - first;
            const struct num_block block = {
                NUM_NUMBERS, tile->rows, first, least(rest, NUM_BLOCK_DEPTH), begins, false};
            num_panel_pack(&product->left, tile->row, &block, work->left);
            num_panel_add(&product->right, tile->column, tile->columns, &block, work->left,
                          work->value, work->stride);
            begins = false;
        }
    }
    for (size_t r = 0; begins && r < tile->rows; r++)
        memset(work->value + r * work->stride, 0, tile->columns * sizeof *work->value);
}

bool num_begin_numbers(size_t rows, size_t count, size_t *numbers)
{
    return size_multiply(rows, NUM_BLOCK_DEPTH, numbers) && size_multiply(*numbers, count, numbers);
}

// Columns that stay in the second-level cache while all products meet them.
enum { BEGIN_COLUMNS = 128 };

void num_product_begin(const struct num_operand *left, size_t count,
                       const struct num_operand *right, double *to, size_t stride,
                       double *workspace)
{
    assert(left->depth == right->depth && stride >= right->vectors);
    const size_t rows = left->vectors;
    if (right->depth == 0)
        memset(to, 0, count * rows * stride * sizeof *to);
    for (size_t first = 0; first < right->depth; first += NUM_BLOCK_DEPTH) {
        const size_t rest = right->depth - first;
        const struct num_block block = {NUM_NUMBERS, rows, first, least(rest, NUM_BLOCK_DEPTH),
                                        first == 0,  true};
        for (size_t i = 0; i < count; i++)
            num_panel_pack(&left[i], 0, &block, workspace + i * rows * block.count);
        for (size_t column = 0; column < right->vectors; column += BEGIN_COLUMNS) {
            const size_t columns =
                right->vectors - column < BEGIN_COLUMNS ? right->vectors - column : BEGIN_COLUMNS;
            for (size_t i = 0; i < count; i++)
                num_panel_add(right, column, columns, &block, workspace + i * rows * block.count,
                              to + i * rows * stride + column, stride);
        }
    }
}

// The sum of magnitudes over all products at [row][column], bounded by norms.
static double magnitude_bound(const struct num_sum *sum, size_t row, size_t column)
{
    double bound = 0;
    for (unsigned p = 0; p < sum->products; p++)
        bound += sum->product[p].left.norm[row] * sum->product[p].right.norm[column];
    return bound;
}

static void bound_row(const struct num_sum *sum, const struct plan *plan, const struct tile *tile,
                      size_t r, const struct workspace *work, double *restrict error)
{
    const struct num_kernel *const kernel = num_kernel_chosen();
    memset(error, 0, tile->columns * sizeof *error);
    if (plan->integral)
        return;
    const double products = (plan->depth + plan->blocks) * unit * inflate;
    const double leaf = (NUM_TERM_ROUNDINGS + NUM_TERMS_MAX + plan->blocks) * unit * inflate;
    for (unsigned p = 0; p < sum->products; p++) {
        const double row = sum->product[p].left.norm[tile->row + r] * products;
        kernel->add_scaled(tile->columns, row, sum->product[p].right.norm + tile->column, error);
    }
    if (sum->leaf)
        kernel->add_scaled(tile->columns, leaf, work->leaf_magnitude + r * work->stride, error);
}

enum { CHAINS = 4 };

// A sum whose additions' errors are summed beside it, and whether there was any.
struct compensated {
    double sum, error;
    bool rounded;
};

static struct compensated add(struct compensated to, double term)
{
    const double sum = to.sum + term, part = sum - to.sum,
                 error = (to.sum - (sum - part)) + (term - part);
    to.error += error;
    to.rounded = to.rounded || error != 0;
    to.sum = sum;
    return to;
}

static struct compensated dot(struct compensated to, const struct num_product *product, size_t row,
                              size_t column)
{
    const size_t depth = product->left.depth;
    const float *const a = num_operand_vector(&product->left, row);
    const float *const b = num_operand_vector(&product->right, column);
    struct compensated chain[CHAINS] = {{.sum = 0}};
    size_t k = 0;
    for (; k + CHAINS <= depth; k += CHAINS)
        for (size_t j = 0; j < CHAINS; j++)
            chain[j] =
                add(chain[j], (double)a[(k + j) * NUM_PANEL] * (double)b[(k + j) * NUM_PANEL]);
    for (; k < depth; k++)
        chain[0] = add(chain[0], (double)a[k * NUM_PANEL] * (double)b[k * NUM_PANEL]);
    for (size_t j = 0; j < CHAINS; j++) {
        to = add(to, chain[j].sum);
        to.error += chain[j].error;
        to.rounded = to.rounded || chain[j].rounded;
    }
    return to;
}

static uint64_t round_pair(enum dtype to, double high, double low)
{
    return num_convert(to, DTYPE_F64,
                       double_bits(to == DTYPE_F64 ? high + low : num_sum_to_odd(high, low)),
                       NUM_NEAREST_EVEN, NUM_IEEE);
}

// Whether a leaf that is exact has a term whose sign is positive.
static bool leaf_has_positive(const struct num_expression *leaf, size_t row, size_t column)
{
    for (unsigned t = 0; t < leaf->terms; t++) {
        bool negative = leaf->term[t].negative;
        for (unsigned f = 0; f < leaf->term[t].factors; f++) {
            double x;
            num_elements_load(&leaf->term[t].factor[f].x, row, column, 0, 1, &x);
            negative ^= signbit(x) != 0;
        }
        if (!negative)
            return true;
    }
    return false;
}

// Whether a sum that is exactly zero is +0, for some term is not -0; of a leaf that is not exact
// this is not found.
static bool is_positive_zero(const struct num_sum *sum, const struct plan *plan, size_t row,
                             size_t column)
{
    if (sum->leaf && plan->leaf_exact && leaf_has_positive(sum->leaf, row, column))
        return true;
    for (unsigned p = 0; p < sum->products; p++) {
        const struct num_product *const product = &sum->product[p];
        const float *const a = num_operand_vector(&product->left, row);
        const float *const b = num_operand_vector(&product->right, column);
        for (size_t k = 0; k < product->left.depth * NUM_PANEL; k += NUM_PANEL)
            if (!signbit(a[k]) == !signbit(b[k]))
                return true;
    }
    return false;
}

// Whether the double-double sum settles element [row][column].
static bool second_look(const struct num_sum *sum, const struct plan *plan, size_t row,
                        size_t column, enum dtype to, const struct num_path *path, uint64_t *bits)
{
    struct compensated total = {.sum = 0};
    double magnitude = magnitude_bound(sum, row, column);
    if (!plan->leaf_exact || !isfinite(magnitude))
        return false;
    for (unsigned t = 0; sum->leaf && t < sum->leaf->terms; t++) {
        struct num_expression one = {.terms = 1, .term = {sum->leaf->term[t]}};
        double value = 0;
        num_expression_estimate(&one, row, column, 0, 1, &value, &magnitude);
        total = add(total, value);
    }
    for (unsigned p = 0; p < sum->products; p++)
        total = dot(total, &sum->product[p], row, column);
    const double terms = plan->terms + (CHAINS + 1) * sum->products + 1;
    const double high = total.sum + total.error, rest = total.error - (high - total.sum);
    if (high == 0 && !total.rounded && is_positive_zero(sum, plan, row, column)) {
        *bits = 0;
        return true;
    }
    // |error| stays far below |sum| unless everything cancelled; then `rest` is not exact and the
    // next look decides.
    if (!isfinite(high) || fabs(total.error) > fabs(total.sum) || high == 0)
        return false;
    double error = total.rounded ? terms * terms * unit * unit * inflate * magnitude : 0;
    double low = rest;
    if (path)
        low += path->perturbation[1] * error;
    error += fabs(low) * 0x1p-51;
    const uint64_t lower = round_pair(to, high, low - error);
    *bits = lower;
    return lower == round_pair(to, high, low + error);
}

static uint64_t third_look(const struct num_sum *sum, size_t row, size_t column, enum dtype to)
{
    struct num_accumulator exact;
    num_accumulator_clear(&exact);
    if (sum->leaf)
        num_expression_accumulate(sum->leaf, row, column, 0, &exact);
    for (unsigned p = 0; p < sum->products; p++) {
        const struct num_operand *const left = &sum->product[p].left, *const right =
                                                                          &sum->product[p].right;
        num_accumulator_add_dot(&exact, num_operand_vector(left, row),
                                num_operand_vector(right, column), NUM_PANEL, left->depth);
    }
    return num_pack(to, num_accumulator_value(&exact), NUM_NEAREST_EVEN, NUM_IEEE);
}

// `zero`: the first look found a sum without error that is zero.
static uint64_t settle(const struct num_sum *sum, const struct plan *plan, bool zero, size_t row,
                       size_t column, enum dtype to, struct num_path *path)
{
    uint64_t bits;
    if (path)
        path->second++;
    if (zero && is_positive_zero(sum, plan, row, column))
        return 0;
    if (plan->fast && second_look(sum, plan, row, column, to, path, &bits))
        return bits;
    if (path)
        path->third++;
    return third_look(sum, row, column, to);
}

static void round_tile(const struct num_sum *sum, const struct plan *plan, const struct tile *tile,
                       const struct num_result *out, const struct workspace *work,
                       struct num_path *path)
{
    uint64_t rounded[TILE_COLUMNS];
    double error[TILE_COLUMNS];
    uint16_t open[TILE_COLUMNS];
    if (plan->fast)
        estimate(sum, tile, work);
    for (size_t r = 0; r < tile->rows; r++) {
        double *const value = work->value + r * work->stride;
        size_t opened = tile->columns;
        if (plan->fast) {
            bound_row(sum, plan, tile, r, work, error);
            for (size_t c = 0; path && path->perturbation[0] != 0 && c < tile->columns; c++)
                value[c] += path->perturbation[0] * error[c];
            opened = num_certify(out->dtype, tile->columns, value, error, rounded, open);
        } else {
            for (size_t c = 0; c < tile->columns; c++)
                open[c] = (uint16_t)c;
        }
        for (size_t i = 0; i < opened; i++) {
            const bool zero = plan->fast && value[open[i]] == 0 && error[open[i]] == 0;
            element_store(
                rounded, dtype_size(out->dtype), open[i],
                settle(sum, plan, zero, tile->row + r, tile->column + open[i], out->dtype, path));
        }
        num_result_store(out, tile->row + r, tile->column, tile->columns, rounded);
    }
    if (path)
        path->elements += tile->rows * tile->columns;
}

enum error num_sum_round(const struct num_sum *sum, const struct num_result *out, void *workspace,
                         struct num_path *path, struct diagnostic *diagnostic)
{
    if (sum->products > NUM_PRODUCTS_MAX ||
        (sum->leaf && (sum->leaf->terms > NUM_TERMS_MAX || sum->leaf->denominators)))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "a sum has at most %d products and %d terms, without denominators",
                               NUM_PRODUCTS_MAX, NUM_TERMS_MAX);
    for (unsigned p = 0; p < sum->products; p++) {
        const struct num_operand *const left = &sum->product[p].left, *const right =
                                                                          &sum->product[p].right;
        if (left->vectors != sum->rows || right->vectors != sum->columns ||
            left->depth != right->depth)
            return diagnostic_fail(
                diagnostic, ERROR_INVALID_ARGUMENT,
                "product %u of %zu x %zu with %zu x %zu does not fit a result of %zu x %zu", p,
                left->vectors, left->depth, right->depth, right->vectors, sum->rows, sum->columns);
    }
    const struct plan plan = plan_of(sum, path);
    const struct workspace work = workspace_of(sum, workspace);
    for (size_t row = 0; row < sum->rows; row += TILE_ROWS)
        for (size_t column = 0; column < sum->columns; column += TILE_COLUMNS) {
            const struct tile tile = {row, least(sum->rows - row, TILE_ROWS), column,
                                      least(sum->columns - column, TILE_COLUMNS)};
            round_tile(sum, &plan, &tile, out, &work, path);
        }
    return ERROR_NONE;
}
