// SPDX-License-Identifier: Apache-2.0
// The cells of f32, bf16 and f16 data, forward and backward, as tables of equations.
//
// Gate order: LSTM i, f, c~, o with peephole rows i, f, o; the GRU family u, r, o, and u' in the
// bias of the linear-before-reset forms. The GRU tables are written with attention;
// rnn_cell_resolve takes it out (ua = u, a = 0) for the cells without. The gradients are the
// derivatives of these forward equations, whatever a library computes.

#include "ref/op/onednn/rnn_notation.h"

// clang-format off
#define EQ_DIFF_H EQ("dH", DIFF_H, SUM(T1(DIFF_ABOVE), T1(DIFF_NEXT)))

// ---- vanilla RNN ------------------------------------------------------------

// The three differ in the function and in its slope.
#define VANILLA(activation, ACTIVATION, ...)                                   \
    {                                                                          \
        .name = "vanilla_rnn, " activation, .gates = 1, .bias_rows = 1,        \
        .forward = {                                                           \
            EQ("z", Z0, GATE(0), SUM(T1(B0))),                                 \
            EQ("y", G0, ACTIVATION(Z0)),                                       \
            EQ("h", H_STORED, SUM(T1(G0))),                                    \
        },                                                                     \
        .backward = {                                                          \
            EQ_DIFF_H,                                                         \
            __VA_ARGS__,                                                       \
            EQ("dh'", DIFF_H_PREV, DOTS(BACK(DIFF_Z0, ITER, 0))),              \
            EQ("dx", DIFF_X, DOTS(BACK(DIFF_Z0, LAYER, 0))),                   \
        },                                                                     \
        .gradient = {                                                          \
            OUTER("dW", LAYER, 0, X, DIFF_Z0),                                 \
            OUTER("dU", ITER, 0, H, DIFF_Z0),                                  \
            TOTAL("dB", 0, DIFF_Z0),                                           \
        },                                                                     \
    }

const struct rnn_cell rnn_cell_vanilla[3] = {
    [RNN_RELU] = VANILLA("relu", RELU,
                         EQ("act'", SLOPE, RELU_SLOPE(Z0)),
                         EQ("dz", DIFF_Z0, SUM(T2(DIFF_H, SLOPE)))),
    [RNN_TANH] = VANILLA("tanh", TANH,
                         EQ("dz", DIFF_Z0, SUM(T2(DIFF_H, SLOPE_T(G0))))),
    [RNN_LOGISTIC] = VANILLA("logistic", LOGISTIC,
                             EQ("dz", DIFF_Z0, SUM(T2(DIFF_H, SLOPE_S(G0))))),
};

// ---- LSTM -------------------------------------------------------------------

enum { I, F, G, O };

const struct rnn_cell rnn_cell_lstm = {
    .name = "lstm", .gates = 4, .bias_rows = 4, .carries_c = true,
    .forward = {
        EQ("z_i", Z0, GATE(I), SUM(T1(B0), T2(P0, C))),
        EQ("z_f", Z1, GATE(F), SUM(T1(B1), T2(P1, C))),
        EQ("z_c", Z2, GATE(G), SUM(T1(B2))),
        EQ("i", G0, LOGISTIC(Z0)),
        EQ("f", G1, LOGISTIC(Z1)),
        EQ("g", G2, TANH(Z2)),
        EQ("c", C_NEW, SUM(T2(G1, C), T2(G0, G2))),
        EQ("z_o", Z3, GATE(O), SUM(T1(B3), T2(P2, C_NEW))),
        EQ("o", G3, LOGISTIC(Z3)),
        EQ("tanh(c)", T, TANH(C_NEW)),
        EQ("m", M, SUM(T2(G3, T))),
        EQ("h", H_STORED, WITHOUT_PROJECTION, SUM(T1(M))),
        EQ("m stored", M_STORED, WHEN_PROJECTION, SUM(T1(M))),
        EQ("h projected", H_NEW, WHEN_PROJECTION, DOTS(DOT(M_STORED, PROJECTION, 0))),
        EQ("h", H_STORED, WHEN_PROJECTION, SUM(T1(H_NEW))),
        EQ("c stored", C_STORED, SUM(T1(C_NEW))),
    },
    .backward = {
        EQ_DIFF_H,
        EQ("dm", DIFF_M, WHEN_PROJECTION, DOTS(BACK(DIFF_H, PROJECTION, 0))),
        EQ("dz_o", DIFF_Z3, SUM(T3(T, DIFF_M, SLOPE_S(G3)))),
        EQ("dc", DIFF_C_TOTAL, SUM(T1(DIFF_C), T3(SLOPE_T(T), G3, DIFF_M), T2(P2, DIFF_Z3))),
        EQ("dz_f", DIFF_Z1, SUM(T3(C, DIFF_C_TOTAL, SLOPE_S(G1)))),
        EQ("dz_i", DIFF_Z0, SUM(T3(G2, DIFF_C_TOTAL, SLOPE_S(G0)))),
        EQ("dz_c", DIFF_Z2, SUM(T3(G0, DIFF_C_TOTAL, SLOPE_T(G2)))),
        EQ("dc'", DIFF_C_PREV, SUM(T2(G1, DIFF_C_TOTAL), T2(P1, DIFF_Z1), T2(P0, DIFF_Z0))),
        EQ("dh'", DIFF_H_PREV, DOTS(BACK(DIFF_Z0, ITER, I), BACK(DIFF_Z1, ITER, F),
                                    BACK(DIFF_Z2, ITER, G), BACK(DIFF_Z3, ITER, O))),
        EQ("dx", DIFF_X, DOTS(BACK(DIFF_Z0, LAYER, I), BACK(DIFF_Z1, LAYER, F),
                              BACK(DIFF_Z2, LAYER, G), BACK(DIFF_Z3, LAYER, O))),
    },
    .gradient = {
        OUTER("dW_i", LAYER, I, X, DIFF_Z0), OUTER("dW_f", LAYER, F, X, DIFF_Z1),
        OUTER("dW_c", LAYER, G, X, DIFF_Z2), OUTER("dW_o", LAYER, O, X, DIFF_Z3),
        OUTER("dU_i", ITER, I, H, DIFF_Z0),  OUTER("dU_f", ITER, F, H, DIFF_Z1),
        OUTER("dU_c", ITER, G, H, DIFF_Z2),  OUTER("dU_o", ITER, O, H, DIFF_Z3),
        TOTAL("dB_i", I, DIFF_Z0),           TOTAL("dB_f", F, DIFF_Z1),
        TOTAL("dB_c", G, DIFF_Z2),           TOTAL("dB_o", O, DIFF_Z3),
        PRODUCT("dP_i", 0, C, DIFF_Z0),      PRODUCT("dP_f", 1, C, DIFF_Z1),
        PRODUCT("dP_o", 2, C_NEW, DIFF_Z3),  OUTER("dR", PROJECTION, 0, M_STORED, DIFF_H),
    },
};

// ---- the GRU family ---------------------------------------------------------

enum { U, R, N };

#define GRU_UPDATE_AND_RESET                                                   \
    EQ("z_u", Z0, GATE(U), SUM(T1(B0))),                                       \
    EQ("z_r", Z1, GATE(R), SUM(T1(B1))),                                       \
    EQ("u", G0, LOGISTIC(Z0)),                                                 \
    EQ("r", G1, LOGISTIC(Z1)),                                                 \
    EQ("ua", UPDATE, SUM(T2(ONE_MINUS(A), G0)))

#define GRU_OUTPUT                                                             \
    EQ("o", G2, TANH(Z2)),                                                     \
    EQ("h", H_NEW, BLEND(T2(UPDATE, H), T2(ONE_MINUS(UPDATE), G2))),           \
    EQ("h stored", H_STORED, SUM(T1(H_NEW)))

#define GRU_DIFF_O_AND_U                                                       \
    EQ("dz_o", DIFF_Z2, SUM(T3(ONE_MINUS(UPDATE), DIFF_H, SLOPE_T(G2)))),      \
    EQ("dz_u", DIFF_Z0, SUM(T4(ONE_MINUS(A), LESS(H, G2), DIFF_H, SLOPE_S(G0))))

#define GRU_DIFF_X                                                             \
    EQ("dx", DIFF_X, DOTS(BACK(DIFF_Z0, LAYER, U), BACK(DIFF_Z1, LAYER, R),    \
                          BACK(DIFF_Z2, LAYER, N)))

#define GRU_GRADIENTS                                                          \
    OUTER("dW_u", LAYER, U, X, DIFF_Z0), OUTER("dW_r", LAYER, R, X, DIFF_Z1),  \
    OUTER("dW_o", LAYER, N, X, DIFF_Z2),                                       \
    OUTER("dU_u", ITER, U, H, DIFF_Z0),  OUTER("dU_r", ITER, R, H, DIFF_Z1),   \
    TOTAL("dB_u", U, DIFF_Z0), TOTAL("dB_r", R, DIFF_Z1), TOTAL("dB_o", N, DIFF_Z2)

const struct rnn_cell rnn_cell_gru = {
    .name = "gru", .gates = 3, .bias_rows = 3, .attention = true,
    .forward = {
        GRU_UPDATE_AND_RESET,
        EQ("r*h'", S, SUM(T2(G1, H))),
        EQ("r*h' stored", S_STORED, SUM(T1(S))),
        EQ("z_o", Z2, DOTS(DOT(X, LAYER, N), DOT(S_STORED, ITER, N)), SUM(T1(B2))),
        GRU_OUTPUT,
    },
    .backward = {
        EQ_DIFF_H,
        GRU_DIFF_O_AND_U,
        EQ("q", DIFF_S, DOTS(BACK(DIFF_Z2, ITER, N))),
        EQ("dz_r", DIFF_Z1, SUM(T3(DIFF_S, H, SLOPE_S(G1)))),
        EQ("dh'", DIFF_H_PREV, DOTS(BACK(DIFF_Z0, ITER, U), BACK(DIFF_Z1, ITER, R)),
                               SUM(T2(DIFF_H, UPDATE), T2(DIFF_S, G1))),
        GRU_DIFF_X,
    },
    .gradient = {GRU_GRADIENTS, OUTER("dU_o", ITER, N, S_STORED, DIFF_Z2)},
};

const struct rnn_cell rnn_cell_lbr_gru = {
    .name = "lbr_gru", .gates = 3, .bias_rows = 4, .attention = true,
    .forward = {
        GRU_UPDATE_AND_RESET,
        EQ("w", W, DOTS(DOT(H, ITER, N)), SUM(T1(B3))),
        EQ("z_o", Z2, DOTS(DOT(X, LAYER, N)), SUM(T2(G1, W), T1(B2))),
        GRU_OUTPUT,
    },
    .backward = {
        EQ_DIFF_H,
        GRU_DIFF_O_AND_U,
        EQ("dz_r", DIFF_Z1, SUM(T3(W, DIFF_Z2, SLOPE_S(G1)))),
        EQ("e", DIFF_W, SUM(T2(G1, DIFF_Z2))),
        EQ("dh'", DIFF_H_PREV, DOTS(BACK(DIFF_Z0, ITER, U), BACK(DIFF_Z1, ITER, R),
                                    BACK(DIFF_W, ITER, N)), SUM(T2(DIFF_H, UPDATE))),
        GRU_DIFF_X,
    },
    .gradient = {GRU_GRADIENTS, OUTER("dU_o", ITER, N, H, DIFF_W), TOTAL("dB_u'", 3, DIFF_W)},
};
// clang-format on
