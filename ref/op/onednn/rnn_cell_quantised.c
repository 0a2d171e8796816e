// SPDX-License-Identifier: Apache-2.0
// The cells of u8 and i8 data: LSTM, LSTM with projection, GRU. Forward inference only.
//
// q(v) = saturate(round(v*S + Z)), one node; h' and h are quantised, the gates, c, t and m are f32.
// A product of quantised operands is an exact integer; its scale, its zero point and the bias enter
// in one node:
//     z_g = RN((acc_g - Z*column_g + B_g*(ws_g*S)) / (ws_g*S)).
// With the choice int8_bias = folded the bias takes the compensation first: B'_g = RN(B_g -
// Z*column_g/(ws_g*S)).

#include "ref/op/onednn/rnn_notation.h"

// clang-format off
// Exact integers, then the gate in one of its two forms. `vector` is h', or r*h' of the GRU's
// output gate.
#define QUANTISED_GATE(z, fold, vector, g)                                                         \
    EQ("acc", ACC##g, DOTS(DOT(X, LAYER, g), DOT(vector, ITER, g))),                               \
    EQ(z, Z##g, WITHOUT_FOLDING,                                                                   \
       SUM(T1(ACC##g), MINUS_T2(SHIFT, COLUMN_##g), T3(B##g, SCALE_##g, SCALE)),                   \
       OVER_2(SCALE_##g, SCALE)),                                                                  \
    EQ(fold, FOLD_##g, WHEN_FOLDED,                                                                \
       SUM(MINUS_T2(SHIFT, COLUMN_##g), T3(B##g, SCALE_##g, SCALE)), OVER_2(SCALE_##g, SCALE)),    \
    EQ(z, Z##g, WHEN_FOLDED,                                                                       \
       SUM(T1(ACC##g), T3(FOLD_##g, SCALE_##g, SCALE)), OVER_2(SCALE_##g, SCALE))

const struct rnn_cell rnn_cell_quantised_lstm = {
    .name = "lstm, quantised", .gates = 4, .bias_rows = 4, .carries_c = true,
    .forward = {
        QUANTISED_GATE("z_i", "B'_i", H, 0),
        QUANTISED_GATE("z_f", "B'_f", H, 1),
        QUANTISED_GATE("z_c", "B'_c", H, 2),
        QUANTISED_GATE("z_o", "B'_o", H, 3),
        EQ("i", G0, LOGISTIC(Z0)),
        EQ("f", G1, LOGISTIC(Z1)),
        EQ("g", G2, TANH(Z2)),
        EQ("o", G3, LOGISTIC(Z3)),
        EQ("c", C_STORED, SUM(T2(G1, C), T2(G0, G2))),
        EQ("tanh(c)", T, TANH(C_STORED)),
        EQ("m", M, SUM(T2(G3, T))),
        EQ("h quantised", H_STORED, WITHOUT_PROJECTION, SUM(T2(M, SCALE), T1(SHIFT))),
        EQ("m quantised", M_STORED, WHEN_PROJECTION, SUM(T2(M, SCALE), T1(SHIFT))),
        EQ("acc_R", ACC_R, WHEN_PROJECTION, DOTS(DOT(M_STORED, PROJECTION, 0))),
        EQ("h quantised", H_STORED, WHEN_PROJECTION,
           SUM(T1(ACC_R), MINUS_T2(SHIFT, COLUMN_R), T2(SHIFT, SCALE_R)), OVER_1(SCALE_R)),
    },
};

const struct rnn_cell rnn_cell_quantised_gru = {
    .name = "gru, quantised", .gates = 3, .bias_rows = 3,
    .forward = {
        QUANTISED_GATE("z_u", "B'_u", H, 0),
        QUANTISED_GATE("z_r", "B'_r", H, 1),
        EQ("u", G0, LOGISTIC(Z0)),
        EQ("r", G1, LOGISTIC(Z1)),
        EQ("r*h' quantised", S_STORED, SUM(T2(LESS(H, SHIFT), G1), T1(SHIFT))),
        QUANTISED_GATE("z_o", "B'_o", S_STORED, 2),
        EQ("o", G2, TANH(Z2)),
        EQ("h quantised", H_STORED,
           BLEND(T2(G0, LESS(H, SHIFT)), T3(ONE_MINUS(G0), G2, SCALE), T1(SHIFT))),
    },
};
// clang-format on
