// SPDX-License-Identifier: Apache-2.0
// A mistake of the fleet's RNN: what it does, to which value, and where. Rows of these are data
// (rnn_mistakes.c); the network asks at each of its values whether a mistake in force is there.

#ifndef ASSAY_HARNESS_JUDGE_TESTS_FLEET_MISTAKE_H
#define ASSAY_HARNESS_JUDGE_TESTS_FLEET_MISTAKE_H

#include <stddef.h>

// Sets of these are bits: 1 << RELU | 1 << TANH.
enum kind { RELU, TANH, LOGISTIC, LSTM, GRU, LBR_GRU, AUGRU, LBR_AUGRU };
enum type { F32, BF16, F16, U8, I8 };
enum direction { LEFT2RIGHT, RIGHT2LEFT, CONCAT, SUM };
enum propagation { INFERENCE, TRAINING, BACKWARD };

// Values of a cell, sums of products, tensors, and places where a program decides.
enum point {
    NOWHERE,
    // Values, by the equations of the specification: AT_Z and AT_GATE have a gate.
    AT_Z,
    AT_GATE,
    AT_C,
    AT_C_STORED,
    AT_TANH_C,
    AT_M,
    AT_H,
    AT_S,      // r * h'
    AT_W,      // the recurrent sum of a linear-before-reset GRU
    AT_UPDATE, // u after attention
    AT_DH,
    AT_DM,
    AT_DC,
    AT_DC_BEFORE,
    AT_DZ,
    AT_DQ, // the gradient of r * h'
    AT_DH_BEFORE,
    AT_DX,
    AT_DATTENTION,
    AT_SLOPE,     // of a gate's activation
    AT_BLEND_OLD, // a GRU's u * h' and (1 - u) * o
    AT_BLEND_NEW,
    AT_KEPT, // an LSTM's f * c' and i * g
    AT_ADDED,
    AT_DH_DIRECT, // what of dh' does not go through weights
    AT_DC_DIRECT,
    // Arguments of activations of 8-bit data and others
    AT_DEQUANTISED,
    AT_QUANTISED,    // before it is rounded
    AT_COMPENSATION, // Z times the sum of a column
    // Sums of products
    SUM_X,
    SUM_H,
    SUM_PROJECTION,
    SUM_DX,
    SUM_DH,
    SUM_DM,
    SUM_DW,
    SUM_DU,
    SUM_DB,
    SUM_DP,
    SUM_DR,
    // Functions
    OF_TANH,
    OF_LOGISTIC,
    OF_STORE, // an f32 as 16 bits
    OF_ROUND, // a number as 8 bits
    // Tensors
    INPUT,
    ABSENT, // an input that is not given
    OUTPUT,
    // Decisions; they need no action
    RESET_AFTER, // GRU and linear-before-reset GRU exchanged
    ALWAYS_FORWARD,
    READS_OTHER_DIRECTION,
    READS_STEP_BEFORE,
    STATE_UNROUNDED,
    STATE_FORGOTTEN, // the state before a step is 0
    CELL_FORGOTTEN,
    STATE_OF_ROW_BEFORE,
    LAST_STATE_IS_FIRST,
    LAST_CELL_IS_BEFORE,
    PEEPHOLE_OF_OLD_C,
    TANH_OF_STORED_C,
    HALVES_EXCHANGED, // of a concatenation
    SUM_HALVED,
    SUM_OF_ONE,     // direction 0 alone
    ATTENTION_KEPT, // that of the step before
    OVERWRITES,     // gradients, whether asked to or not
    ADDS,
    DX_OF_ONE,      // direction 0 alone
    DX_OVERWRITTEN, // by direction 1
    NO_DIFF_ITER,
    NO_DIFF_ITER_C,
    DIFF_ITER_EVERY_STEP,
    NO_FLOW_IN_TIME,
    NO_FLOW_IN_LAYERS,
    UNDONE_PROJECTION, // the gradient passes by the projection where widths agree
    DU_OF_NEW_STATE,
    DP_OF_OTHER_C,
    FIRST_SCALE_FOR_ALL,
    SCALES_BY_CHANNEL,   // a gate's scale read for every gate
    STATE_NOT_QUANTISED, // an f32 state is taken as it is
    STATE_QUANTISED_WITHOUT_STEPS,
    POINTS
};

enum action {
    IS_ZERO = 1,
    IS_NEGATED,
    IS_ADDED,   // amount
    IS_SCALED,  // by 1 + amount
    IS_SET,     // to amount
    IS_CLIPPED, // to +-amount
    IS_ROUNDED, // to `amount` bits
    IS_TRUNCATED,
    IS_AWAY,       // ties, to `amount` bits
    IS_COMPLEMENT, // 1 - value
    IS_FLUSHED,    // below amount
    IS_MOVED,      // a tensor's element of another index
    // Sums
    WITHOUT_LAST,
    WITHOUT_TAIL,   // what is left of blocks of `amount`
    WITHOUT_BEYOND, // products after the first `amount`
    WITH_FIRST_TWICE,
    WITH_NARROW_OPERANDS, // of `amount` bits
    WITH_NARROW_TOTAL,    // of `amount` bits after each addition
    WITH_NARROW_BLOCKS,   // of 16 products, of `amount` bits
    WITH_TRUNCATION,
    WITH_SATURATION, // pairs of products in 16 bits
    // Functions
    SATURATES_BEYOND, // amount
    IS_LINEAR_BELOW,
    IS_HARD,          // piecewise linear
    IS_OTHER,         // tanh and logistic exchanged
    WRAPS,            // of 8 bits
    SATURATES_INSIDE, // overflow to the largest finite number
};

// Of layer, step, row, channel and index: 0 is any, n from n on, LAST and FIRST these alone.
enum { FIRST = -1, LAST = -2 };

struct mistake {
    const char *name;
    enum point at;
    enum action action;
    double amount;
    // Of tensors: where `axis` is `from` or beyond (as below), the element comes from `by` further
    // along the axis `along`. Axes count from 0.
    const char *tensor;
    int axis, from, along, by;
    // Requests
    unsigned cells, types, directions, propagations; // sets, 0: any
    const char *sizes;          // all of: "C>64 T>1 D=2", letters as in the specification
    const char *with, *without; // inputs
    // Values
    int gate;                      // from 1; 0: any
    int stack;                     // direction, from 1; 0: any
    int layer, step, row, channel; // a step is one in the order in which steps are made
};

extern const struct mistake fleet_mistakes[];
extern const size_t fleet_mistake_count;

#endif
