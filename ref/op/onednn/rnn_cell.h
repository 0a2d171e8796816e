// SPDX-License-Identifier: Apache-2.0
// A cell as a value: its gates and the equations of one step, forward and backward.
//
// Each equation is one node: an exact sum on stored operands, rounded once into the type of its
// result; or one elementary function, correctly rounded. The driver knows nothing of cells, and a
// cell knows nothing of time, layers and directions.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_CELL_H
#define ASSAY_REF_OP_ONEDNN_RNN_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/num/product/expression_form.h"
#include "ref/op/onednn/rnn_problem.h"

// Planes [N, channels] of one step of one layer and direction. Gates are numbered in the order of
// the weights.
enum rnn_variable {
    RNN_NOTHING,
    // Given to the step.
    RNN_X,  // [N, SLC]
    RNN_H,  // [N, SIC] the stored state of the step before
    RNN_C,  // [N, DHC] likewise
    RNN_A,  // [N, 1] attention
    RNN_B0, // [DHC] bias, a row for each gate
    RNN_B1,
    RNN_B2,
    RNN_B3,
    RNN_B4, // of the recurrence, in cells that have two biases
    RNN_B5,
    RNN_B6,
    RNN_B7,
    RNN_P0, // [DHC] peephole
    RNN_P1,
    RNN_P2,
    // Constants of quantised data.
    RNN_SCALE,   // [] S
    RNN_SHIFT,   // [] Z
    RNN_SCALE_0, // [DHC] or []: of the weights of each gate
    RNN_SCALE_1,
    RNN_SCALE_2,
    RNN_SCALE_3,
    RNN_SCALE_R,
    RNN_COLUMN_0, // [DHC] the sum of the weights of each gate and channel
    RNN_COLUMN_1,
    RNN_COLUMN_2,
    RNN_COLUMN_3,
    RNN_COLUMN_R,
    // Made by the forward step: [N, DHC] unless another width is given.
    RNN_ACC0, // exact sums of integers
    RNN_ACC1,
    RNN_ACC2,
    RNN_ACC3,
    RNN_ACC_R,  // [N, DIC]
    RNN_FOLD_0, // bias with the compensation of the zero point
    RNN_FOLD_1,
    RNN_FOLD_2,
    RNN_FOLD_3,
    RNN_Z0,
    RNN_Z1,
    RNN_Z2,
    RNN_Z3,
    RNN_G0,
    RNN_G1,
    RNN_G2,
    RNN_G3,
    RNN_UPDATE,   // the update gate after attention
    RNN_W,        // the recurrent product of a linear-before-reset cell
    RNN_S,        // r*h', a node
    RNN_S_STORED, // as it enters the product
    RNN_C_NEW,    // c before its store
    RNN_T,        // tanh(c)
    RNN_M,        // o*tanh(c)
    RNN_M_STORED, // as it enters the projection
    RNN_H_NEW,    // [N, DIC] the output, a node
    RNN_H_STORED, // [N, DIC] as it recurs, goes up and goes out
    RNN_C_STORED,
    // Given to the backward step.
    RNN_DIFF_ABOVE, // [N, DIC] from diff_dst_layer or the layer above
    RNN_DIFF_NEXT,  // [N, DIC] from the step that came after
    RNN_DIFF_C,     // likewise
    // Made by the backward step.
    RNN_DIFF_H, // [N, DIC]
    RNN_DIFF_M,
    RNN_DIFF_C_TOTAL,
    RNN_DIFF_Z0,
    RNN_DIFF_Z1,
    RNN_DIFF_Z2,
    RNN_DIFF_Z3,
    RNN_DIFF_S,      // q: the gradient of r*h'
    RNN_DIFF_W,      // e: the gradient of the recurrent product of a linear-before-reset cell
    RNN_SLOPE,       // of relu
    RNN_DIFF_H_PREV, // [N, SIC]
    RNN_DIFF_C_PREV,
    RNN_DIFF_X, // [N, SLC]
    RNN_VARIABLES,
};

enum rnn_matrix { RNN_MATRIX_LAYER, RNN_MATRIX_ITER, RNN_MATRIX_PROJECTION, RNN_MATRICES };

enum {
    RNN_GATES_MAX = 4,
    RNN_DOTS_MAX = 5, // one more than any cell needs
    RNN_TERMS_MAX = 4,
    RNN_DENOMINATORS_MAX = 2,
    RNN_EQUATIONS_MAX = 96, // where each operation is one (variant/onednn_rnn_operations.c)
    RNN_BACKWARD_MAX = 11
};

// vector . matrix_gate, or vector . matrix_gate transposed.
struct rnn_dot {
    uint8_t vector, matrix, gate;
    bool transposed;
};

struct rnn_factor {
    uint8_t form; // enum num_form
    uint8_t x, y; // enum rnn_variable
};

struct rnn_term {
    bool negative;
    uint8_t factors;
    struct rnn_factor factor[NUM_FACTORS_MAX];
};

enum rnn_kind {
    RNN_SUM,              // dots + terms, over denominators, rounded once
    RNN_BLEND,            // a RNN_SUM of the form u*a + (1-u)*b
    RNN_APPLY_LOGISTIC,   // of `argument`
    RNN_APPLY_TANH,       // of `argument`
    RNN_APPLY_RELU,       // argument > 0 ? argument : RN(alpha * argument)
    RNN_APPLY_RELU_SLOPE, // argument > 0 ? 1 : alpha
    RNN_APPLY_FUNCTION,   // the frame's `function` of `argument`, brought into its range
};

enum rnn_when {
    RNN_ALWAYS,
    RNN_WHEN_PROJECTION,
    RNN_WITHOUT_PROJECTION,
    RNN_WHEN_FOLDED,
    RNN_WITHOUT_FOLDING,
    RNN_WITH_INPUT_GATE, // computed
    RNN_WITH_FORGET_GATE,
    RNN_WITH_INPUT_OF_FORGET,
    RNN_WITH_FORGET_OF_INPUT
};

struct rnn_equation {
    const char *name; // of its result, as the literature writes it
    uint8_t result;   // enum rnn_variable
    uint8_t kind;     // enum rnn_kind
    uint8_t when;     // enum rnn_when
    uint8_t argument; // enum rnn_variable
    uint8_t function; // below RNN_FUNCTIONS
    uint8_t dots, terms, denominators;
    struct rnn_dot dot[RNN_DOTS_MAX];
    struct rnn_term term[RNN_TERMS_MAX]; // a term with an absent peephole is left out
    uint8_t denominator[RNN_DENOMINATORS_MAX];
};

// A gradient of parameters: a sum over time and batch, rounded once.
enum rnn_gradient_kind {
    RNN_OUTER,   // of left^T . right, for matrix `place`, gate `gate`
    RNN_PRODUCT, // of left * right, for row `gate` of the peephole
    RNN_TOTAL,   // of right, for row `gate` of the bias
};

struct rnn_gradient {
    const char *name;
    uint8_t kind, matrix, gate, left, right;
};

enum { RNN_GRADIENTS_MAX = 17 };

// How cells are joined; all zero is as specified.
struct rnn_wiring {
    uint8_t up;   // which variable of the layer below is x; RNN_NOTHING: the stored h
    bool crossed; // x comes from the other direction
    bool one_way; // the second direction does not turn time round
};

struct rnn_cell {
    const char *name;
    struct rnn_wiring wiring;
    uint8_t gates, bias_rows;
    bool carries_c, attention;
    bool attention_slope; // the gradient of attention has the factor u - u*u
    // Set by rnn_cell_resolve; in the tables, lists end with RNN_NOTHING.
    unsigned forward_count, backward_count, gradient_count;
    struct rnn_equation forward[RNN_EQUATIONS_MAX], backward[RNN_BACKWARD_MAX];
    struct rnn_gradient gradient[RNN_GRADIENTS_MAX];
};

// The table of the problem's cell.
const struct rnn_cell *rnn_cell_of(const struct rnn_problem *problem);

// `table` for a problem: what the problem lacks (projection, attention, peephole, folding) is left
// out.
void rnn_cell_resolve(const struct rnn_problem *problem, const struct rnn_cell *table,
                      struct rnn_cell *cell);

// The tables, one for each kind of cell; a vanilla RNN has one for each activation, in the order of
// enum rnn_activation.
extern const struct rnn_cell rnn_cell_vanilla[3], rnn_cell_lstm, rnn_cell_gru, rnn_cell_lbr_gru;
extern const struct rnn_cell rnn_cell_quantised_lstm, rnn_cell_quantised_gru;

#endif
