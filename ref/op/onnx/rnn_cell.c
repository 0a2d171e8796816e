// SPDX-License-Identifier: Apache-2.0
// The cells of ONNX's RNN, GRU and LSTM as tables of equations, as its text writes them.
//
// Gates stand in the text's order: z, r, h of a GRU; i, o, f, c of an LSTM, with peephole rows i,
// o, f. Each gate has two biases: rows of W come first, then as many of R. What lies between the
// tensors is f32; the states are stored in the type of the tensors.

#include "ref/op/onnx/rnn_cell.h"

#include "ref/op/onednn/rnn_notation.h"
#include "ref/op/onnx/rnn.h"

enum { F_GATES, G_CANDIDATE, H_OF_C }; // f, g, h

// clang-format off
const struct rnn_cell onnx_cell_rnn = {
    .name = "onnx.rnn", .gates = 1, .bias_rows = 2,
    .forward = {
        EQ("z_i", Z0, GATE(0), SUM(T1(B0), T1(B1))),
        EQ("f(z_i)", G0, FUNCTION(F_GATES, Z0)),
        EQ("H", H_STORED, SUM(T1(G0))),
    },
};

// ---- GRU --------------------------------------------------------------------

enum { Z, R, N };

#define GRU_GATES                                                              \
    EQ("z_z", Z0, GATE(Z), SUM(T1(B0), T1(B3))),                               \
    EQ("z_r", Z1, GATE(R), SUM(T1(B1), T1(B4))),                               \
    EQ("z", G0, FUNCTION(F_GATES, Z0)),                                        \
    EQ("r", G1, FUNCTION(F_GATES, Z1))

#define GRU_STATE                                                              \
    EQ("h", G2, FUNCTION(G_CANDIDATE, Z2)),                                    \
    EQ("H", H_NEW, BLEND(T2(G0, H), T2(ONE_MINUS(G0), G2))),                   \
    EQ("H stored", H_STORED, SUM(T1(H_NEW)))

const struct rnn_cell onnx_cell_gru = {
    .name = "onnx.gru", .gates = 3, .bias_rows = 6,
    .forward = {
        GRU_GATES,
        EQ("r*H'", S, SUM(T2(G1, H))),
        EQ("z_h", Z2, DOTS(DOT(X, LAYER, N), DOT(S, ITER, N)), SUM(T1(B2), T1(B5))),
        GRU_STATE,
    },
};

const struct rnn_cell onnx_cell_lbr_gru = {
    .name = "onnx.gru, linear before reset", .gates = 3, .bias_rows = 6,
    .forward = {
        GRU_GATES,
        EQ("w", W, DOTS(DOT(H, ITER, N)), SUM(T1(B5))),
        EQ("z_h", Z2, DOTS(DOT(X, LAYER, N)), SUM(T2(G1, W), T1(B2))),
        GRU_STATE,
    },
};

// ---- LSTM -------------------------------------------------------------------

enum { I, O, F, C };

const struct rnn_cell onnx_cell_lstm = {
    .name = "onnx.lstm", .gates = 4, .bias_rows = 8, .carries_c = true,
    .forward = {
        EQ("z_i", Z0, WITH(INPUT_GATE), GATE(I), SUM(T1(B0), T1(B4), T2(P0, C))),
        EQ("z_f", Z2, WITH(FORGET_GATE), GATE(F), SUM(T1(B2), T1(B6), T2(P2, C))),
        EQ("z_c", Z3, GATE(C), SUM(T1(B3), T1(B7))),
        EQ("i", G0, WITH(INPUT_GATE), FUNCTION(F_GATES, Z0)),
        EQ("f", G2, WITH(FORGET_GATE), FUNCTION(F_GATES, Z2)),
        EQ("i = 1 - f", G0, WITH(INPUT_OF_FORGET), SUM(T1(ONE_MINUS(G2)))),
        EQ("f = 1 - i", G2, WITH(FORGET_OF_INPUT), SUM(T1(ONE_MINUS(G0)))),
        EQ("c", G3, FUNCTION(G_CANDIDATE, Z3)),
        EQ("C", C_NEW, SUM(T2(G2, C), T2(G0, G3))),
        EQ("z_o", Z1, GATE(O), SUM(T1(B1), T1(B5), T2(P1, C_NEW))),
        EQ("o", G1, FUNCTION(F_GATES, Z1)),
        EQ("h(C)", T, FUNCTION(H_OF_C, C_NEW)),
        EQ("o*h(C)", M, SUM(T2(G1, T))),
        EQ("H", H_STORED, SUM(T1(M))),
        EQ("C stored", C_STORED, SUM(T1(C_NEW))),
    },
};
// clang-format on

const struct rnn_cell *onnx_cell_of(const struct request *request)
{
    if (request->operation == &onnx_lstm)
        return &onnx_cell_lstm;
    if (request->operation == &onnx_rnn)
        return &onnx_cell_rnn;
    return request->attribute[ONNX_RNN_OWN].integer ? &onnx_cell_lbr_gru : &onnx_cell_gru;
}
