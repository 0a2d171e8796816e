// SPDX-License-Identifier: Apache-2.0
// The cells of u8 and i8 data: LSTM, LSTM with projection, GRU. Forward inference only.
//
// q(v) = saturate(round(v*S + Z)), one node; h' and h are quantised, the gates, c, t and m are f32.
// A product of quantised operands is an exact integer; its scale, its zero point and the bias enter
// in one node:
//     z_g = RN((acc_g - Z*column_g + B_g*(ws_g*S)) / (ws_g*S)).
// With the choice int8_bias = folded the bias takes the compensation first: B'_g = RN(B_g -
// Z*column_g/(ws_g*S)).

#include "ref/op/onednn/rnn_cell.h"

#define LOGISTIC_OF(label, to, from)                                                               \
    {                                                                                              \
        .name = label, .result = (to), .kind = RNN_APPLY_LOGISTIC, .argument = (from)              \
    }
#define TANH_OF(label, to, from)                                                                   \
    {                                                                                              \
        .name = label, .result = (to), .kind = RNN_APPLY_TANH, .argument = (from)                  \
    }

// Exact integers, then the gate in one of its two forms. `vector` is h', or r*h' of the GRU's
// output gate.
#define QUANTISED_GATE(z, fold, vector, g)                                                         \
    {.name = "acc",                                                                                \
     .result = RNN_ACC##g,                                                                         \
     .dots = 2,                                                                                    \
     .dot = {{RNN_X, RNN_MATRIX_LAYER, g, false}, {(vector), RNN_MATRIX_ITER, g, false}}},         \
        {.name = z,                                                                                \
         .result = RNN_Z##g,                                                                       \
         .when = RNN_WITHOUT_FOLDING,                                                              \
         .terms = 3,                                                                               \
         .term = {RNN_1(RNN_V(RNN_ACC##g)), RNN_MINUS_2(RNN_V(RNN_SHIFT), RNN_V(RNN_COLUMN_##g)),  \
                  RNN_3(RNN_V(RNN_B##g), RNN_V(RNN_SCALE_##g), RNN_V(RNN_SCALE))},                 \
         .denominators = 2,                                                                        \
         .denominator = {RNN_SCALE_##g, RNN_SCALE}},                                               \
        {.name = fold,                                                                             \
         .result = RNN_FOLD_##g,                                                                   \
         .when = RNN_WHEN_FOLDED,                                                                  \
         .terms = 2,                                                                               \
         .term = {RNN_MINUS_2(RNN_V(RNN_SHIFT), RNN_V(RNN_COLUMN_##g)),                            \
                  RNN_3(RNN_V(RNN_B##g), RNN_V(RNN_SCALE_##g), RNN_V(RNN_SCALE))},                 \
         .denominators = 2,                                                                        \
         .denominator = {RNN_SCALE_##g, RNN_SCALE}},                                               \
    {                                                                                              \
        .name = z, .result = RNN_Z##g, .when = RNN_WHEN_FOLDED, .terms = 2,                        \
        .term = {RNN_1(RNN_V(RNN_ACC##g)),                                                         \
                 RNN_3(RNN_V(RNN_FOLD_##g), RNN_V(RNN_SCALE_##g), RNN_V(RNN_SCALE))},              \
        .denominators = 2, .denominator = {                                                        \
            RNN_SCALE_##g,                                                                         \
            RNN_SCALE                                                                              \
        }                                                                                          \
    }

#define QUANTISE_TERMS(v)                                                                          \
    .terms = 2, .term = {RNN_2(RNN_V(v), RNN_V(RNN_SCALE)), RNN_1(RNN_V(RNN_SHIFT))}

const struct rnn_cell rnn_cell_quantised_lstm = {
    .name = "lstm, quantised",
    .gates = 4,
    .bias_rows = 4,
    .carries_c = true,
    .forward =
        {
            QUANTISED_GATE("z_i", "B'_i", RNN_H, 0),
            QUANTISED_GATE("z_f", "B'_f", RNN_H, 1),
            QUANTISED_GATE("z_c", "B'_c", RNN_H, 2),
            QUANTISED_GATE("z_o", "B'_o", RNN_H, 3),
            LOGISTIC_OF("i", RNN_G0, RNN_Z0),
            LOGISTIC_OF("f", RNN_G1, RNN_Z1),
            TANH_OF("g", RNN_G2, RNN_Z2),
            LOGISTIC_OF("o", RNN_G3, RNN_Z3),
            {.name = "c",
             .result = RNN_C_STORED,
             .terms = 2,
             .term = {RNN_2(RNN_V(RNN_G1), RNN_V(RNN_C)), RNN_2(RNN_V(RNN_G0), RNN_V(RNN_G2))}},
            TANH_OF("tanh(c)", RNN_T, RNN_C_STORED),
            {.name = "m",
             .result = RNN_M,
             .terms = 1,
             .term = {RNN_2(RNN_V(RNN_G3), RNN_V(RNN_T))}},
            {.name = "h quantised",
             .result = RNN_H_STORED,
             .when = RNN_WITHOUT_PROJECTION,
             QUANTISE_TERMS(RNN_M)},
            {.name = "m quantised",
             .result = RNN_M_STORED,
             .when = RNN_WHEN_PROJECTION,
             QUANTISE_TERMS(RNN_M)},
            {.name = "acc_R",
             .result = RNN_ACC_R,
             .when = RNN_WHEN_PROJECTION,
             .dots = 1,
             .dot = {{RNN_M_STORED, RNN_MATRIX_PROJECTION, 0, false}}},
            {.name = "h quantised",
             .result = RNN_H_STORED,
             .when = RNN_WHEN_PROJECTION,
             .terms = 3,
             .term = {RNN_1(RNN_V(RNN_ACC_R)), RNN_MINUS_2(RNN_V(RNN_SHIFT), RNN_V(RNN_COLUMN_R)),
                      RNN_2(RNN_V(RNN_SHIFT), RNN_V(RNN_SCALE_R))},
             .denominators = 1,
             .denominator = {RNN_SCALE_R}},
        },
};

const struct rnn_cell rnn_cell_quantised_gru = {
    .name = "gru, quantised",
    .gates = 3,
    .bias_rows = 3,
    .forward =
        {
            QUANTISED_GATE("z_u", "B'_u", RNN_H, 0),
            QUANTISED_GATE("z_r", "B'_r", RNN_H, 1),
            LOGISTIC_OF("u", RNN_G0, RNN_Z0),
            LOGISTIC_OF("r", RNN_G1, RNN_Z1),
            {.name = "r*h' quantised",
             .result = RNN_S_STORED,
             .terms = 2,
             .term = {RNN_2(RNN_D(RNN_H, RNN_SHIFT), RNN_V(RNN_G1)), RNN_1(RNN_V(RNN_SHIFT))}},
            QUANTISED_GATE("z_o", "B'_o", RNN_S_STORED, 2),
            TANH_OF("o", RNN_G2, RNN_Z2),
            {.name = "h quantised",
             .result = RNN_H_STORED,
             .kind = RNN_BLEND,
             .terms = 3,
             .term = {RNN_2(RNN_V(RNN_G0), RNN_D(RNN_H, RNN_SHIFT)),
                      RNN_3(RNN_1M(RNN_G0), RNN_V(RNN_G2), RNN_V(RNN_SCALE)),
                      RNN_1(RNN_V(RNN_SHIFT))}},
        },
};
