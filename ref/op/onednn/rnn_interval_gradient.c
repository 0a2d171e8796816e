// SPDX-License-Identifier: Apache-2.0
// Intervals of the gradients of parameters: sums over time and batch in any order, with intervals
// on both sides.

#include <math.h>
#include <string.h>

#include "ref/base/threads.h"
#include "ref/num/product/intervals.h"
#include "ref/op/onednn/rnn_interval.h"

static const double slightly = 1 + 0x1p-20;

static void put(const struct rnn_run *run, enum rnn_output output, size_t at, struct interval value)
{
    const struct interval stored = interval_round(DTYPE_F32, value);
    ((float *)run->lower[output])[at] = (float)stored.lower;
    ((float *)run->upper[output])[at] = (float)stored.upper;
}

// ---- operands ---------------------------------------------------------------

enum { SIDE = RNN_GRADIENT_SIDE, DEPTH = RNN_GRADIENT_DEPTH, WORDS = DEPTH / 64 };

// Vectors of a tile on one side: of those at hand which numbers are not 0, a bit each, and how
// many; of all so far whether some is no single number.
struct marks {
    uint64_t nonzero[WORDS][SIDE], wide[SIDE];
    double leaves[SIDE];
};

// Rows and columns of a gradient whose sums are made together. Of a gradient that is a product
// column by column only panels that face each other are multiplied, and only the diagonal counts.
struct tile {
    const struct rnn_run *run;
    const struct rnn_layer *layer;
    const struct rnn_gradient *gradient;
    const struct rnn_gradient_room *room;
    size_t row, rows, column, columns;
    bool diagonal;
    size_t first, depth; // the numbers of the vectors at hand
    struct marks left, right;
};

static void count_marks(size_t vectors, struct marks *marks)
{
    for (size_t i = 0; i < vectors; i++) {
        int many = 0;
        for (size_t w = 0; w < WORDS; w++)
            many += __builtin_popcountll(marks->nonzero[w][i]);
        marks->leaves[i] = many;
    }
}

// Columns of a variable over some times and rows as panels; ones in the place of no variable.
static void pack(const struct tile *tile, unsigned variable, size_t column, size_t columns,
                 struct marks *marks, double *panels)
{
    static const double one = 1;
    const struct rnn_span_table *const span = rnn_span_chosen();
    const size_t batch = tile->run->problem.batch;
    struct rnn_stretch at = {tile->run, tile->layer->plane, 0, 0, column, columns, true};
    memset(marks->nonzero, 0, sizeof marks->nonzero);
    for (size_t k = 0; k < tile->depth; k++) {
        double middle[SIDE], magnitude[SIDE], radius[SIDE];
        struct rnn_span room;
        at.time = (tile->first + k) / batch;
        at.row = (tile->first + k) % batch;
        const struct rnn_ends ends = variable == RNN_NOTHING
                                         ? (struct rnn_ends){&one, &one}
                                         : rnn_span_view(&at, variable, room.lower, room.upper);
        span->measure(columns, ends.lower, ends.upper, middle, magnitude, radius);
        span->mark(columns, (unsigned)k % 64, ends.lower, ends.upper, marks->nonzero[k / 64],
                   marks->wide);
        num_intervals_pack(columns, middle, magnitude, radius, k, tile->depth, panels);
    }
    count_marks(columns, marks);
}

// ---- sums -------------------------------------------------------------------

// Leaves of the vectors at hand that are not 0.
static double leaves_of(const struct tile *tile, size_t left, size_t right)
{
    const double all = (double)tile->depth, of_left = tile->left.leaves[left],
                 of_right = tile->right.leaves[right];
    int both = 0;
    if (of_left == all || of_right == all)
        return of_left < of_right ? of_left : of_right;
    for (size_t w = 0; w < WORDS; w++)
        both += __builtin_popcountll(tile->left.nonzero[w][left] & tile->right.nonzero[w][right]);
    return both;
}

// What divides the leaves so far of two vectors of single numbers.
static double bit_of(const struct tile *tile, size_t left, size_t right, double bit)
{
    const size_t panel = tile->depth * NUM_INTERVAL_NUMBERS;
    const double *const a = tile->room->left + left / NUM_PANEL * panel + left % NUM_PANEL,
                        *const b =
                            tile->room->right + right / NUM_PANEL * panel + right % NUM_PANEL;
    for (size_t k = 0; k < tile->depth && bit != 0; k++)
        bit = rnn_leaf_bit(bit, a[k * NUM_INTERVAL_NUMBERS] * b[k * NUM_INTERVAL_NUMBERS]);
    return bit;
}

// Two panels, the vectors of which begin there.
static void add_panels(const struct tile *tile, size_t left, size_t right)
{
    const struct rnn_gradient_room *const room = tile->room;
    const size_t panel = tile->depth * NUM_INTERVAL_NUMBERS;
    const size_t to = (tile->diagonal ? 0 : left) * room->stride + right;
    const struct num_interval_tile numbers = {tile->depth,
                                              room->stride,
                                              room->left + left / NUM_PANEL * panel,
                                              room->right + right / NUM_PANEL * panel,
                                              room->middle + to,
                                              room->magnitude + to,
                                              room->radius + to};
    num_intervals_add(&numbers);
    for (size_t i = 0; i < NUM_PANEL; i++)
        for (size_t o = 0; o < NUM_PANEL; o++) {
            const size_t at = to + i * room->stride + o;
            room->leaves[at] += leaves_of(tile, left + i, right + o);
            if (tile->left.wide[left + i] || tile->right.wide[right + o])
                room->bit[at] = 0;
            else if (!tile->diagonal || i == o)
                room->bit[at] = bit_of(tile, left + i, right + o, room->bit[at]);
        }
}

static void add_block(struct tile *tile)
{
    const struct rnn_gradient *const gradient = tile->gradient;
    const size_t vectors = tile->diagonal ? tile->columns : tile->rows;
    pack(tile, gradient->left, tile->diagonal ? tile->column : tile->row, vectors, &tile->left,
         tile->room->left);
    pack(tile, gradient->right, tile->column, tile->columns, &tile->right, tile->room->right);
    for (size_t o = 0; o < tile->columns; o += NUM_PANEL)
        for (size_t i = tile->diagonal ? o : 0; i < (tile->diagonal ? o + 1 : vectors);
             i += NUM_PANEL)
            add_panels(tile, i, o);
}

// ---- results ----------------------------------------------------------------

// What gradients are added to, or NULL.
static const float *initial_of(const struct tile *tile, const struct rnn_place *place)
{
    const struct request *const request = tile->run->problem.request;
    const struct tensor *const tensor = &request->input[place->initial];
    return tensor_present(tensor) && !request->attribute[RNN_DIFF_WEIGHTS_OVERWRITE].integer
               ? tensor->data
               : NULL;
}

// That is one more leaf of each sum of a row.
static void add_initial(const struct tile *tile, const struct rnn_place *place, size_t at,
                        const struct rnn_leaf_sums *row)
{
    const float *const initial = initial_of(tile, place);
    for (size_t o = 0; initial && o < tile->columns; o++) {
        const double x = (double)initial[at + o];
        row->middle[o] += x;
        row->magnitude[o] += fabs(x);
        row->leaves[o] += x != 0;
        row->bit[o] = row->bit[o] != 0 ? rnn_leaf_bit(row->bit[o], x) : 0;
    }
}

static void close_row(const struct tile *tile, size_t i)
{
    const struct rnn_run *const run = tile->run;
    const struct rnn_gradient_room *const room = tile->room;
    const size_t first = i * room->stride;
    const struct rnn_leaf_sums row = {room->middle + first, room->magnitude + first,
                                      room->radius + first, room->leaves + first,
                                      room->bit + first};
    const struct rnn_place place = rnn_place_of(run, tile->layer, tile->gradient);
    const size_t at = place.first + (tile->row + i) * place.row_stride + tile->column;
    add_initial(tile, &place, at, &row);
    const struct rnn_leaf_rules rules = rnn_leaf_rules_of(&run->model);
    rnn_span_chosen()->close_leaves(tile->columns, &rules, &row,
                                    (float *)run->lower[place.output] + at,
                                    (float *)run->upper[place.output] + at);
    for (size_t o = 0; o < tile->columns; o++)
        if (row.bit[o] != 0) {
            const struct rnn_leaves leaves = {row.middle[o], row.magnitude[o], row.radius[o],
                                              row.leaves[o], row.bit[o]};
            put(run, place.output, at + o, rnn_close_leaves(&run->model, &leaves, 0));
        }
}

// Moves the diagonals of the panels into the first row.
static void gather_diagonal(const struct tile *tile)
{
    const struct rnn_gradient_room *const room = tile->room;
    double *const sums[] = {room->middle, room->magnitude, room->radius, room->leaves, room->bit};
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++)
        for (size_t o = 0; o < tile->columns; o++)
            sums[s][o] = sums[s][o % NUM_PANEL * room->stride + o];
}

// ---- around values ----------------------------------------------------------

// Of all numbers of some vectors: how many are not 0, and whether some is no single number.
static void survey(const struct tile *tile, unsigned variable, size_t column, size_t columns,
                   struct marks *marks)
{
    const size_t batch = tile->run->problem.batch, numbers = tile->run->problem.times * batch;
    struct rnn_stretch at = {tile->run, tile->layer->plane, 0, 0, column, columns, true};
    for (size_t k = 0; k < numbers; k++) {
        struct rnn_span room;
        at.time = k / batch;
        at.row = k % batch;
        const struct rnn_ends ends = rnn_span_view(&at, variable, room.lower, room.upper);
        rnn_span_chosen()->mark(columns, (unsigned)k % 64, ends.lower, ends.upper,
                                marks->nonzero[0], marks->wide);
        for (size_t i = 0; (k % 64 == 63 || k + 1 == numbers) && i < columns; i++) {
            marks->leaves[i] += __builtin_popcountll(marks->nonzero[0][i]);
            marks->nonzero[0][i] = 0;
        }
    }
}

static bool has_single(const struct marks *marks, size_t vectors)
{
    bool single = false;
    for (size_t i = 0; i < vectors; i++)
        single = single || !marks->wide[i];
    return single;
}

// Whether the sums of the run of values serve as middles, which they do not where a sum of single
// numbers may be exact.
static bool goes_around(struct tile *tile)
{
    if (!tile->run->values || tile->gradient->kind != RNN_OUTER)
        return false;
    memset(&tile->left, 0, sizeof tile->left);
    memset(&tile->right, 0, sizeof tile->right);
    survey(tile, tile->gradient->left, tile->row, tile->rows, &tile->left);
    survey(tile, tile->gradient->right, tile->column, tile->columns, &tile->right);
    return !has_single(&tile->left, tile->rows) || !has_single(&tile->right, tile->columns);
}

static void pack_widths(const struct tile *tile, unsigned variable, size_t column, size_t columns,
                        const double *factor, float *panels)
{
    const size_t batch = tile->run->problem.batch;
    struct rnn_stretch at = {tile->run, tile->layer->plane, 0, 0, column, columns, true};
    for (size_t k = 0; k < tile->depth; k++) {
        float values[SIDE], first[SIDE], second[SIDE];
        struct rnn_span room;
        at.time = (tile->first + k) / batch;
        at.row = (tile->first + k) % batch;
        const struct rnn_step step = {tile->run, tile->layer, NULL, at.time, 0, batch};
        const struct rnn_ends ends = rnn_span_view(&at, variable, room.lower, room.upper);
        const float *const value =
            rnn_values_view(&step, variable, at.row, column, columns, values);
        rnn_span_chosen()->widths(columns, factor, ends.lower, ends.upper, value, first, second);
        num_widths_pack(columns, first, second, k, tile->depth, panels);
    }
}

static void add_widths(const struct tile *tile, const double *factor)
{
    const struct rnn_gradient_room *const room = tile->room;
    float *const left = (float *)(void *)room->left, *const right = (float *)(void *)room->right;
    const size_t panel = tile->depth * NUM_WIDTH_NUMBERS;
    pack_widths(tile, tile->gradient->left, tile->row, tile->rows, factor, left);
    pack_widths(tile, tile->gradient->right, tile->column, tile->columns, NULL, right);
    for (size_t o = 0; o < tile->columns; o += NUM_WIDTH_PANEL)
        for (size_t i = 0; i < tile->rows; i += NUM_WIDTH_PANEL) {
            const struct num_width_tile widths = {
                tile->depth, room->stride, left + i / NUM_WIDTH_PANEL * panel,
                right + o / NUM_WIDTH_PANEL * panel, room->radius + i * room->stride + o};
            num_widths_add(&widths);
        }
}

// The sums of a row of at most `leaves` leaves, around those of the run of values, as
// close_merged_row of rnn_interval_dot.c has them.
static void close_around(const struct tile *tile, size_t i, double leaves, double factor)
{
    const struct rnn_run *const run = tile->run;
    const struct rnn_place place = rnn_place_of(run, tile->layer, tile->gradient);
    const size_t at = place.first + (tile->row + i) * place.row_stride + tile->column;
    const float *const initial = initial_of(tile, &place);
    const float *const value = (const float *)run->values->lower[place.output] + at;
    const double numbers = (double)(run->problem.times * run->problem.batch);
    const double lost = 0x1p-149 + 8 * leaves * run->model.flush + numbers * 0x1p-148;
    double more[SIDE] = {0};
    for (size_t o = 0; initial && o < tile->columns; o++)
        more[o] = factor * fabs((double)initial[at + o]);
    const double *const radius = tile->room->radius + i * tile->room->stride;
    float *const lower = (float *)run->lower[place.output] + at;
    float *const upper = (float *)run->upper[place.output] + at;
    const bool none = tile->left.leaves[i] == 0;
    rnn_span_chosen()->close_around(tile->columns, factor, RNN_OVERFLOW * factor / (1 + factor),
                                    leaves, lost, value, radius, more, lower, upper);
    for (size_t o = 0; !initial && o < tile->columns; o++)
        if ((none || tile->right.leaves[o] == 0) && radius[o] == 0) // 0 times finite numbers
            lower[o] = upper[o] = 0;
}

// No leaf of a row of the gradient is one where its left vector is 0.
static void bound_around(struct tile *tile)
{
    const struct rnn_run *const run = tile->run;
    const size_t numbers = run->problem.times * run->problem.batch;
    const struct rnn_place place = rnn_place_of(run, tile->layer, tile->gradient);
    double leaves[SIDE], factor[SIDE];
    for (size_t i = 0; i < tile->rows; i++) {
        leaves[i] = fmax(1, tile->left.leaves[i] + (initial_of(tile, &place) ? 1 : 0));
        factor[i] = (leaves[i] * run->model.sum_unit + run->model.operands) * slightly;
    }
    memset(tile->room->radius, 0,
           tile->room->stride * tile->room->stride * sizeof *tile->room->radius);
    for (tile->first = 0; tile->first < numbers; tile->first += tile->depth) {
        tile->depth = numbers - tile->first < DEPTH ? numbers - tile->first : DEPTH;
        add_widths(tile, factor);
    }
    for (size_t i = 0; i < tile->rows; i++)
        close_around(tile, i, leaves[i], factor[i]);
}

// ---- all tiles --------------------------------------------------------------

static void bound_tile(struct tile *tile)
{
    const struct rnn_gradient_room *const room = tile->room;
    const size_t numbers = tile->run->problem.times * tile->run->problem.batch,
                 height = tile->diagonal ? NUM_PANEL
                                         : (tile->rows + NUM_PANEL - 1) / NUM_PANEL * NUM_PANEL,
                 elements = height * room->stride;
    double *const sums[] = {room->middle, room->magnitude, room->radius, room->leaves};
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++)
        memset(sums[s], 0, elements * sizeof *sums[s]);
    for (size_t i = 0; i < elements; i++)
        room->bit[i] = (double)INFINITY;
    memset(&tile->left, 0, sizeof tile->left);
    memset(&tile->right, 0, sizeof tile->right);
    for (tile->first = 0; tile->first < numbers; tile->first += tile->depth) {
        tile->depth = numbers - tile->first < DEPTH ? numbers - tile->first : DEPTH;
        add_block(tile);
    }
    if (tile->diagonal)
        gather_diagonal(tile);
    for (size_t i = 0; i < tile->rows; i++)
        close_row(tile, i);
}

struct gradients {
    const struct rnn_run *run;
    const struct rnn_layer *layer;
};

static size_t side_of(size_t first, size_t count)
{
    return count - first < SIDE ? count - first : SIDE;
}

// A thread's share of the tiles of all gradients.
static enum error bound_share(void *context, uint64_t share, uint64_t count,
                              struct diagnostic *diagnostic)
{
    const struct gradients *const of = context;
    const struct rnn_run *const run = of->run;
    size_t turn = 0;
    struct tile tile = {run, of->layer, .room = &run->scratch[share].gradients};
    (void)count; // 1
    (void)diagnostic;
    for (unsigned g = 0; g < run->cell.gradient_count; g++) {
        const struct rnn_plane *const plane = of->layer->plane;
        tile.gradient = &run->cell.gradient[g];
        tile.diagonal = tile.gradient->kind == RNN_PRODUCT;
        const size_t columns = plane[tile.gradient->right].columns;
        const size_t rows =
            tile.gradient->kind == RNN_OUTER ? plane[tile.gradient->left].columns : 1;
        if (!run->lower[rnn_place_of(run, of->layer, tile.gradient).output])
            continue;
        for (tile.row = 0; tile.row < rows; tile.row += SIDE)
            for (tile.column = 0; tile.column < columns; tile.column += SIDE) {
                tile.rows = side_of(tile.row, rows);
                tile.columns = side_of(tile.column, columns);
                if (turn++ % run->chunks == share)
                    (goes_around(&tile) ? bound_around : bound_tile)(&tile);
            }
    }
    return ERROR_NONE;
}

enum error rnn_bound_gradients(const struct rnn_run *run, const struct rnn_layer *layer,
                               struct diagnostic *diagnostic)
{
    struct gradients gradients = {run, layer};
    return threads_run(run->chunks, run->chunks, 1, bound_share, &gradients, diagnostic);
}

// u, or u times u - u*u, whose product and difference are rounded.
static struct interval attention_factor(const struct rnn_run *run, struct interval u)
{
    if (!run->cell.attention_slope)
        return u;
    const struct interval rest = interval_subtract((struct interval){1, 1}, u);
    const double half_ulp = num_half_ulp(DTYPE_F32, interval_magnitude(u));
    return interval_multiply(u, interval_widen(interval_multiply(u, rest), 2 * half_ulp));
}

void rnn_bound_attention(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    for (size_t t = 0; t < p->times && run->lower[RNN_DIFF_ATTENTION]; t++)
        for (size_t n = 0; n < p->batch; n++) {
            struct rnn_leaves leaves = {.bit = (double)INFINITY};
            for (size_t i = 0; i < p->layers * p->directions; i++)
                for (size_t o = 0; o < p->hidden_channels; o++) {
                    const struct rnn_plane *const plane = run->layer[i].plane;
                    struct interval gap =
                        interval_subtract(rnn_narrowed_at(run, RNN_G2, &plane[RNN_G2], t, n, o),
                                          rnn_interval_at(&plane[RNN_H], t, n, o));
                    gap = interval_widen(gap, num_half_ulp(DTYPE_F32, interval_magnitude(gap)));
                    const struct interval u = rnn_narrowed_at(run, RNN_G0, &plane[RNN_G0], t, n, o);
                    const struct interval diff =
                        rnn_narrowed_at(run, RNN_DIFF_H, &plane[RNN_DIFF_H], t, n, o);
                    const struct rnn_side left = rnn_side_of(gap),
                                          right = rnn_side_of(
                                              interval_multiply(diff, attention_factor(run, u)));
                    rnn_add_leaf(&leaves, &left, &right);
                    if (interval_magnitude(gap) * interval_magnitude(diff) >= RNN_OVERFLOW)
                        leaves.radius = (double)INFINITY; // u comes last
                }
            put(run, RNN_DIFF_ATTENTION, t * p->batch + n,
                rnn_close_leaves(&run->model, &leaves, run->cell.attention_slope ? 3 : 2));
        }
}
