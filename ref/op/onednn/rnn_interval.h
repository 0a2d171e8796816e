// SPDX-License-Identifier: Apache-2.0
// Admissible intervals: what any implementation within the evaluation model may return for each
// element.
//
// The model (ref/op/model.h): f32 operations rounded to nearest (u = 2^-24), sums in any order and
// blocking, products fused or not, results and inputs below 2^-126 perhaps 0, activations within k
// ulp of their f32 argument's exact value, stored types as the tensors'. Where a sum or a product
// may overflow on its way, or an infinity meets a zero, the interval is [-inf, inf], NaN
// included. In 16-bit gradients gates
// and the operands of products may have been stored in the state's type.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_INTERVAL_H
#define ASSAY_REF_OP_ONEDNN_RNN_INTERVAL_H

#include "ref/num/function/interval.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_span.h"

// From here on f32 operations, each of at most 2^-20 more, may give an infinity.
#define RNN_OVERFLOW (0x1p128 * (1 - 0x1p-20))

struct rnn_model rnn_model_of(const struct evaluation_model *declared);

// Elements [column, column + count) of a row at a time.
struct rnn_stretch {
    const struct rnn_run *run;
    const struct rnn_plane *plane;
    size_t time, row, column, count;
    bool backward; // of an equation of the backward pass
};

// Numbers of at least so many leaves may have the values' sums for middles: RNN_AROUND_LEAVES.
enum { RNN_AROUND_LEAVES = 256 };

// Elements of a variable of the run of values, which are at most f32, where they lie, or else
// loaded into the array given; count <= RNN_SPAN.
const float *rnn_values_view(const struct rnn_step *step, unsigned variable, size_t row,
                             size_t column, size_t count, float *room);

// Elements of a variable where they lie, or else loaded into the arrays given.
struct rnn_ends rnn_span_view(const struct rnn_stretch *at, unsigned variable, double *lower,
                              double *upper);

// The product of a term's factors. Returns `flushed`, what becomes of an intermediate product below
// the smallest normal number, or NULL where there is none.
const double *rnn_span_term(const struct rnn_stretch *at, const struct rnn_term *term,
                            struct rnn_span *value, double *flushed);

// One equation on the rows of a step, on planes of intervals.
void rnn_bound_equation(const struct rnn_step *step, const struct rnn_equation *equation);
void rnn_bound_dots(const struct rnn_step *step, const struct rnn_equation *equation);

// Rows [first_row, first_row + rows) of a variable, packed once for the step: what they are made
// of. Where `around` is not 0 it is a factor with which they will be spread around values, unless
// no row is wide.
struct rnn_packed *rnn_pack(const struct rnn_step *step, uint8_t variable, bool transposed,
                            double around);
// The same with the middle, the magnitude and the radius of each number.
struct rnn_packed *rnn_pack_measured(const struct rnn_step *step, uint8_t variable,
                                     bool transposed);
// What all columns multiply in a product for both widths: factor * magnitude + radius, and `around`
// values the distance of the middle from them.
struct rnn_packed *rnn_pack_spread(const struct rnn_step *step, const struct rnn_dot *dot,
                                   double factor, bool around);
// The bits of measured rows that are all single numbers.
void rnn_look_at_bits(struct rnn_packed *packed, size_t rows, size_t depth);

// tanh or logistic of `count` intervals; out may be in.
void rnn_bound_elementary(const struct evaluation_model *model, bool is_tanh, size_t count,
                          const struct rnn_ends *z, double *lower, double *upper);

// The frame's activation of `count` intervals; out may be in.
void rnn_bound_function(const struct rnn_step *step, const struct rnn_equation *equation,
                        size_t count, const struct rnn_ends *z, double *lower, double *upper);

// An equation without dots: rows [first_row, first_row + rows) at `time`, into
// plane[equation->result], whose type in the computation of values is `dtype`.
void rnn_bound_terms(const struct rnn_run *run, const struct rnn_plane *plane,
                     const struct rnn_equation *equation, size_t time, size_t first_row,
                     size_t rows, enum dtype dtype);

// The sum of `count` products left[i] * right[i] and of `initial`: as a gradient is computed.
// `narrow`: operands may have been rounded to that type first (DTYPE_NONE: not).
struct rnn_leaves {
    double middle, magnitude, radius, count;
    double bit; // divides every leaf; 0: some leaf is not a single number, or no f32
};

// A factor of leaves, which many of them share.
struct rnn_side {
    double middle, magnitude, radius;
    bool point;
};
struct rnn_side rnn_side_of(struct interval of);
void rnn_add_leaf(struct rnn_leaves *leaves, const struct rnn_side *left,
                  const struct rnn_side *right);
struct interval rnn_close_leaves(const struct rnn_model *model, const struct rnn_leaves *leaves,
                                 double roundings);

// The same piece by piece: `bit` after one more leaf, a product of single numbers, and what many
// sums without more roundings are closed by where their bit is 0.
double rnn_leaf_bit(double bit, double product);
struct rnn_leaf_rules rnn_leaf_rules_of(const struct rnn_model *model);

// The interval of element [time][row][column] of a plane.
struct interval rnn_interval_at(const struct rnn_plane *plane, size_t time, size_t row,
                                size_t column);

// The type in which 16-bit data let a variable be stored before it is used again, by the backward
// pass where `backward`; DTYPE_NONE where there is none. It may be used as it was, too.
enum dtype rnn_kept_type(const struct rnn_run *run, unsigned variable, bool backward);

// Whether a backward pass makes the variable anew, rather than keep it.
bool rnn_is_remade(unsigned variable);

// Widens the forward intervals of `layer`, at all times, to what a backward pass may make anew of
// what it kept. After the forward pass, its outputs written, and before the backward one.
void rnn_bound_remade(const struct rnn_run *run, const struct rnn_layer *layer);

// The interval of an element as the backward pass uses it.
struct interval rnn_narrowed_at(const struct rnn_run *run, unsigned variable,
                                const struct rnn_plane *plane, size_t time, size_t row,
                                size_t column);

// The gradients of parameters of `layer`, and of attention, as intervals.
enum error rnn_bound_gradients(const struct rnn_run *run, const struct rnn_layer *layer,
                               struct diagnostic *diagnostic);
void rnn_bound_attention(const struct rnn_run *run);

// What bounds need to know of a matrix that has just been made ready in one orientation.
void rnn_bound_open_weights(struct rnn_weights *weights, bool backward);

#endif
