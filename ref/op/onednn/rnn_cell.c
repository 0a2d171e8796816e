// SPDX-License-Identifier: Apache-2.0
// The cells of f32, bf16 and f16 data, forward and backward, as tables of equations.
//
// Gate order: LSTM i, f, c~, o with peephole rows i, f, o; the GRU family u, r, o, and u' in the
// bias of the linear-before-reset forms. The GRU tables are written with attention;
// rnn_cell_resolve takes it out (ua = u, a = 0) for the cells without. The gradients are the
// derivatives of these forward equations, whatever a library computes.

#include "ref/op/onednn/rnn_cell.h"

#define GATE_DOTS(g)                                                                               \
    {                                                                                              \
        {RNN_X, RNN_MATRIX_LAYER, g, false},                                                       \
        {                                                                                          \
            RNN_H, RNN_MATRIX_ITER, g, false                                                       \
        }                                                                                          \
    }
#define LOGISTIC_OF(label, to, from)                                                               \
    {                                                                                              \
        .name = label, .result = (to), .kind = RNN_APPLY_LOGISTIC, .argument = (from)              \
    }
#define TANH_OF(label, to, from)                                                                   \
    {                                                                                              \
        .name = label, .result = (to), .kind = RNN_APPLY_TANH, .argument = (from)                  \
    }
#define STORE(label, to, from)                                                                     \
    {                                                                                              \
        .name = label, .result = (to), .terms = 1, .term = { RNN_1(RNN_V(from)) }                  \
    }
#define BACK(vector, matrix, gate)                                                                 \
    {                                                                                              \
        (vector), (matrix), (gate), true                                                           \
    }

// ---- vanilla RNN ------------------------------------------------------------

#define VANILLA_GATE                                                                               \
    {                                                                                              \
        .name = "z", .result = RNN_Z0, .dots = 2, .terms = 1, .dot = GATE_DOTS(0), .term = {       \
            RNN_1(RNN_V(RNN_B0))                                                                   \
        }                                                                                          \
    }
#define VANILLA_SUMS                                                                               \
    {.name = "dh'",                                                                                \
     .result = RNN_DIFF_H_PREV,                                                                    \
     .dots = 1,                                                                                    \
     .dot = {BACK(RNN_DIFF_Z0, RNN_MATRIX_ITER, 0)}},                                              \
    {                                                                                              \
        .name = "dx", .result = RNN_DIFF_X, .dots = 1, .dot = {                                    \
            BACK(RNN_DIFF_Z0, RNN_MATRIX_LAYER, 0)                                                 \
        }                                                                                          \
    }
#define VANILLA_GRADIENTS                                                                          \
    {                                                                                              \
        {"dW", RNN_OUTER, RNN_MATRIX_LAYER, 0, RNN_X, RNN_DIFF_Z0},                                \
            {"dU", RNN_OUTER, RNN_MATRIX_ITER, 0, RNN_H, RNN_DIFF_Z0},                             \
        {                                                                                          \
            "dB", RNN_TOTAL, 0, 0, 0, RNN_DIFF_Z0                                                  \
        }                                                                                          \
    }
#define DIFF_H                                                                                     \
    {                                                                                              \
        .name = "dH", .result = RNN_DIFF_H, .terms = 2, .term = {                                  \
            RNN_1(RNN_V(RNN_DIFF_ABOVE)),                                                          \
            RNN_1(RNN_V(RNN_DIFF_NEXT))                                                            \
        }                                                                                          \
    }

const struct rnn_cell rnn_cell_vanilla[3] = {
    [RNN_RELU] =
        {
            .name = "vanilla_rnn, relu",
            .gates = 1,
            .bias_rows = 1,
            .forward =
                {
                    VANILLA_GATE,
                    {.name = "y", .result = RNN_G0, .kind = RNN_APPLY_RELU, .argument = RNN_Z0},
                    STORE("h", RNN_H_STORED, RNN_G0),
                },
            .backward =
                {
                    DIFF_H,
                    {.name = "act'", .result = RNN_SLOPE, .kind = RNN_APPLY_RELU_SLOPE, .argument = RNN_Z0},
                    {.name = "dz", .result = RNN_DIFF_Z0, .terms = 1, .term = {RNN_2(RNN_V(RNN_DIFF_H), RNN_V(RNN_SLOPE))}},
                    VANILLA_SUMS,
                },
            .gradient = VANILLA_GRADIENTS,
        },
    [RNN_TANH] =
        {
            .name = "vanilla_rnn, tanh",
            .gates = 1,
            .bias_rows = 1,
            .forward = {VANILLA_GATE, TANH_OF("y", RNN_G0, RNN_Z0), STORE("h", RNN_H_STORED, RNN_G0)},
            .backward =
                {
                    DIFF_H,
                    {.name = "dz", .result = RNN_DIFF_Z0, .terms = 1, .term = {RNN_2(RNN_V(RNN_DIFF_H), RNN_SLOPE_T(RNN_G0))}},
                    VANILLA_SUMS,
                },
            .gradient = VANILLA_GRADIENTS,
        },
    [RNN_LOGISTIC] =
        {
            .name = "vanilla_rnn, logistic",
            .gates = 1,
            .bias_rows = 1,
            .forward = {VANILLA_GATE, LOGISTIC_OF("y", RNN_G0, RNN_Z0), STORE("h", RNN_H_STORED, RNN_G0)},
            .backward =
                {
                    DIFF_H,
                    {.name = "dz", .result = RNN_DIFF_Z0, .terms = 1, .term = {RNN_2(RNN_V(RNN_DIFF_H), RNN_SLOPE_S(RNN_G0))}},
                    VANILLA_SUMS,
                },
            .gradient = VANILLA_GRADIENTS,
        },
};

// ---- LSTM -------------------------------------------------------------------

enum { I, F, G, O };

const struct rnn_cell rnn_cell_lstm =
    {
        .name = "lstm",
        .gates = 4,
        .bias_rows = 4,
        .carries_c = true,
        .forward =
            {
                {.name = "z_i",
                 .result = RNN_Z0,
                 .dots = 2,
                 .terms = 2,
                 .dot = GATE_DOTS(I),
                 .term = {RNN_1(RNN_V(RNN_B0)), RNN_2(RNN_V(RNN_P0), RNN_V(RNN_C))}},
                {.name = "z_f",
                 .result = RNN_Z1,
                 .dots = 2,
                 .terms = 2,
                 .dot = GATE_DOTS(F),
                 .term = {RNN_1(RNN_V(RNN_B1)), RNN_2(RNN_V(RNN_P1), RNN_V(RNN_C))}},
                {.name = "z_c",
                 .result = RNN_Z2,
                 .dots = 2,
                 .terms = 1,
                 .dot = GATE_DOTS(G),
                 .term = {RNN_1(RNN_V(RNN_B2))}},
                LOGISTIC_OF("i", RNN_G0, RNN_Z0),
                LOGISTIC_OF("f", RNN_G1, RNN_Z1),
                TANH_OF("g", RNN_G2, RNN_Z2),
                {.name = "c",
                 .result = RNN_C_NEW,
                 .terms = 2,
                 .term = {RNN_2(RNN_V(RNN_G1), RNN_V(RNN_C)), RNN_2(RNN_V(RNN_G0), RNN_V(RNN_G2))}},
                {.name = "z_o",
                 .result = RNN_Z3,
                 .dots = 2,
                 .terms = 2,
                 .dot = GATE_DOTS(O),
                 .term = {RNN_1(RNN_V(RNN_B3)), RNN_2(RNN_V(RNN_P2), RNN_V(RNN_C_NEW))}},
                LOGISTIC_OF("o", RNN_G3, RNN_Z3),
                TANH_OF("tanh(c)", RNN_T, RNN_C_NEW),
                {.name = "m",
                 .result = RNN_M,
                 .terms = 1,
                 .term = {RNN_2(RNN_V(RNN_G3), RNN_V(RNN_T))}},
                {.name = "h",
                 .result = RNN_H_STORED,
                 .when = RNN_WITHOUT_PROJECTION,
                 .terms = 1,
                 .term = {RNN_1(RNN_V(RNN_M))}},
                {.name = "m stored",
                 .result = RNN_M_STORED,
                 .when = RNN_WHEN_PROJECTION,
                 .terms = 1,
                 .term = {RNN_1(RNN_V(RNN_M))}},
                {.name = "h projected",
                 .result = RNN_H_NEW,
                 .when = RNN_WHEN_PROJECTION,
                 .dots = 1,
                 .dot = {{RNN_M_STORED, RNN_MATRIX_PROJECTION, 0, false}}},
                {.name = "h",
                 .result = RNN_H_STORED,
                 .when = RNN_WHEN_PROJECTION,
                 .terms = 1,
                 .term = {RNN_1(RNN_V(RNN_H_NEW))}},
                STORE("c stored", RNN_C_STORED, RNN_C_NEW),
            },
        .backward =
            {
                DIFF_H,
                {.name = "dm",
                 .result = RNN_DIFF_M,
                 .when = RNN_WHEN_PROJECTION,
                 .dots = 1,
                 .dot = {BACK(RNN_DIFF_H, RNN_MATRIX_PROJECTION, 0)}},
                {.name = "dz_o",
                 .result = RNN_DIFF_Z3,
                 .terms = 1,
                 .term = {RNN_3(RNN_V(RNN_T), RNN_V(RNN_DIFF_M), RNN_SLOPE_S(RNN_G3))}},
                {.name = "dc",
                 .result = RNN_DIFF_C_TOTAL,
                 .terms = 3,
                 .term = {RNN_1(RNN_V(RNN_DIFF_C)),
                          RNN_3(RNN_SLOPE_T(RNN_T), RNN_V(RNN_G3), RNN_V(RNN_DIFF_M)),
                          RNN_2(RNN_V(RNN_P2), RNN_V(RNN_DIFF_Z3))}},
                {.name = "dz_f",
                 .result = RNN_DIFF_Z1,
                 .terms = 1,
                 .term = {RNN_3(RNN_V(RNN_C), RNN_V(RNN_DIFF_C_TOTAL), RNN_SLOPE_S(RNN_G1))}},
                {.name = "dz_i",
                 .result = RNN_DIFF_Z0,
                 .terms = 1,
                 .term = {RNN_3(RNN_V(RNN_G2), RNN_V(RNN_DIFF_C_TOTAL), RNN_SLOPE_S(RNN_G0))}},
                {.name = "dz_c",
                 .result = RNN_DIFF_Z2,
                 .terms = 1,
                 .term = {RNN_3(RNN_V(RNN_G0), RNN_V(RNN_DIFF_C_TOTAL), RNN_SLOPE_T(RNN_G2))}},
                {.name = "dc'",
                 .result = RNN_DIFF_C_PREV,
                 .terms = 3,
                 .term = {RNN_2(RNN_V(RNN_G1), RNN_V(RNN_DIFF_C_TOTAL)),
                          RNN_2(RNN_V(RNN_P1), RNN_V(RNN_DIFF_Z1)),
                          RNN_2(RNN_V(RNN_P0), RNN_V(RNN_DIFF_Z0))}},
                {.name = "dh'",
                 .result = RNN_DIFF_H_PREV,
                 .dots = 4,
                 .dot = {BACK(RNN_DIFF_Z0, RNN_MATRIX_ITER, I),
                         BACK(RNN_DIFF_Z1, RNN_MATRIX_ITER, F),
                         BACK(RNN_DIFF_Z2, RNN_MATRIX_ITER, G),
                         BACK(RNN_DIFF_Z3, RNN_MATRIX_ITER, O)}},
                {.name = "dx",
                 .result = RNN_DIFF_X,
                 .dots = 4,
                 .dot = {BACK(RNN_DIFF_Z0, RNN_MATRIX_LAYER, I),
                         BACK(RNN_DIFF_Z1, RNN_MATRIX_LAYER, F),
                         BACK(RNN_DIFF_Z2, RNN_MATRIX_LAYER, G),
                         BACK(RNN_DIFF_Z3, RNN_MATRIX_LAYER, O)}},
            },
        .gradient = {{"dW_i", RNN_OUTER, RNN_MATRIX_LAYER, I, RNN_X, RNN_DIFF_Z0},
                     {"dW_f", RNN_OUTER, RNN_MATRIX_LAYER, F, RNN_X, RNN_DIFF_Z1},
                     {"dW_c", RNN_OUTER, RNN_MATRIX_LAYER, G, RNN_X, RNN_DIFF_Z2},
                     {"dW_o", RNN_OUTER, RNN_MATRIX_LAYER, O, RNN_X, RNN_DIFF_Z3},
                     {"dU_i", RNN_OUTER, RNN_MATRIX_ITER, I, RNN_H, RNN_DIFF_Z0},
                     {"dU_f", RNN_OUTER, RNN_MATRIX_ITER, F, RNN_H, RNN_DIFF_Z1},
                     {"dU_c", RNN_OUTER, RNN_MATRIX_ITER, G, RNN_H, RNN_DIFF_Z2},
                     {"dU_o", RNN_OUTER, RNN_MATRIX_ITER, O, RNN_H, RNN_DIFF_Z3},
                     {"dB_i", RNN_TOTAL, 0, I, 0, RNN_DIFF_Z0},
                     {"dB_f", RNN_TOTAL, 0, F, 0, RNN_DIFF_Z1},
                     {"dB_c", RNN_TOTAL, 0, G, 0, RNN_DIFF_Z2},
                     {"dB_o", RNN_TOTAL, 0, O, 0, RNN_DIFF_Z3},
                     {"dP_i", RNN_PRODUCT, 0, 0, RNN_C, RNN_DIFF_Z0},
                     {"dP_f", RNN_PRODUCT, 0, 1, RNN_C, RNN_DIFF_Z1},
                     {"dP_o", RNN_PRODUCT, 0, 2, RNN_C_NEW, RNN_DIFF_Z3},
                     {"dR", RNN_OUTER, RNN_MATRIX_PROJECTION, 0, RNN_M_STORED, RNN_DIFF_H}},
};

// ---- the GRU family ---------------------------------------------------------

enum { U, R, N };

#define GRU_GATES                                                                                  \
    {.name = "z_u",                                                                                \
     .result = RNN_Z0,                                                                             \
     .dots = 2,                                                                                    \
     .terms = 1,                                                                                   \
     .dot = GATE_DOTS(U),                                                                          \
     .term = {RNN_1(RNN_V(RNN_B0))}},                                                              \
        {.name = "z_r",                                                                            \
         .result = RNN_Z1,                                                                         \
         .dots = 2,                                                                                \
         .terms = 1,                                                                               \
         .dot = GATE_DOTS(R),                                                                      \
         .term = {RNN_1(RNN_V(RNN_B1))}},                                                          \
        LOGISTIC_OF("u", RNN_G0, RNN_Z0), LOGISTIC_OF("r", RNN_G1, RNN_Z1)
#define GRU_ATTENTION                                                                              \
    {                                                                                              \
        .name = "ua", .result = RNN_UPDATE, .terms = 1, .term = {                                  \
            RNN_2(RNN_1M(RNN_A), RNN_V(RNN_G0))                                                    \
        }                                                                                          \
    }
#define GRU_OUTPUT                                                                                 \
    TANH_OF("o", RNN_G2, RNN_Z2),                                                                  \
        {.name = "h",                                                                              \
         .result = RNN_H_NEW,                                                                      \
         .kind = RNN_BLEND,                                                                        \
         .terms = 2,                                                                               \
         .term = {RNN_2(RNN_V(RNN_UPDATE), RNN_V(RNN_H)),                                          \
                  RNN_2(RNN_1M(RNN_UPDATE), RNN_V(RNN_G2))}},                                      \
        STORE("h stored", RNN_H_STORED, RNN_H_NEW)
#define GRU_DIFF_O_AND_U                                                                           \
    {.name = "dz_o",                                                                               \
     .result = RNN_DIFF_Z2,                                                                        \
     .terms = 1,                                                                                   \
     .term = {RNN_3(RNN_1M(RNN_UPDATE), RNN_V(RNN_DIFF_H), RNN_SLOPE_T(RNN_G2))}},                 \
    {                                                                                              \
        .name = "dz_u", .result = RNN_DIFF_Z0, .terms = 1, .term = {                               \
            RNN_4(RNN_1M(RNN_A), RNN_D(RNN_H, RNN_G2), RNN_V(RNN_DIFF_H), RNN_SLOPE_S(RNN_G0))     \
        }                                                                                          \
    }
#define GRU_DIFF_X                                                                                 \
    {                                                                                              \
        .name = "dx", .result = RNN_DIFF_X, .dots = 3, .dot = {                                    \
            BACK(RNN_DIFF_Z0, RNN_MATRIX_LAYER, U),                                                \
            BACK(RNN_DIFF_Z1, RNN_MATRIX_LAYER, R),                                                \
            BACK(RNN_DIFF_Z2, RNN_MATRIX_LAYER, N)                                                 \
        }                                                                                          \
    }
#define GRU_GRADIENTS                                                                              \
    {"dW_u", RNN_OUTER, RNN_MATRIX_LAYER, U, RNN_X, RNN_DIFF_Z0},                                  \
        {"dW_r", RNN_OUTER, RNN_MATRIX_LAYER, R, RNN_X, RNN_DIFF_Z1},                              \
        {"dW_o", RNN_OUTER, RNN_MATRIX_LAYER, N, RNN_X, RNN_DIFF_Z2},                              \
        {"dU_u", RNN_OUTER, RNN_MATRIX_ITER, U, RNN_H, RNN_DIFF_Z0},                               \
        {"dU_r", RNN_OUTER, RNN_MATRIX_ITER, R, RNN_H, RNN_DIFF_Z1},                               \
        {"dB_u", RNN_TOTAL, 0, U, 0, RNN_DIFF_Z0}, {"dB_r", RNN_TOTAL, 0, R, 0, RNN_DIFF_Z1},      \
    {                                                                                              \
        "dB_o", RNN_TOTAL, 0, N, 0, RNN_DIFF_Z2                                                    \
    }

const struct rnn_cell rnn_cell_gru = {
    .name = "gru",
    .gates = 3,
    .bias_rows = 3,
    .attention = true,
    .forward =
        {
            GRU_GATES,
            GRU_ATTENTION,
            {.name = "r*h'",
             .result = RNN_S,
             .terms = 1,
             .term = {RNN_2(RNN_V(RNN_G1), RNN_V(RNN_H))}},
            STORE("r*h' stored", RNN_S_STORED, RNN_S),
            {.name = "z_o",
             .result = RNN_Z2,
             .dots = 2,
             .terms = 1,
             .dot = {{RNN_X, RNN_MATRIX_LAYER, N, false},
                     {RNN_S_STORED, RNN_MATRIX_ITER, N, false}},
             .term = {RNN_1(RNN_V(RNN_B2))}},
            GRU_OUTPUT,
        },
    .backward =
        {
            DIFF_H,
            GRU_DIFF_O_AND_U,
            {.name = "q",
             .result = RNN_DIFF_S,
             .dots = 1,
             .dot = {BACK(RNN_DIFF_Z2, RNN_MATRIX_ITER, N)}},
            {.name = "dz_r",
             .result = RNN_DIFF_Z1,
             .terms = 1,
             .term = {RNN_3(RNN_V(RNN_DIFF_S), RNN_V(RNN_H), RNN_SLOPE_S(RNN_G1))}},
            {.name = "dh'",
             .result = RNN_DIFF_H_PREV,
             .dots = 2,
             .terms = 2,
             .dot = {BACK(RNN_DIFF_Z0, RNN_MATRIX_ITER, U), BACK(RNN_DIFF_Z1, RNN_MATRIX_ITER, R)},
             .term = {RNN_2(RNN_V(RNN_DIFF_H), RNN_V(RNN_UPDATE)),
                      RNN_2(RNN_V(RNN_DIFF_S), RNN_V(RNN_G1))}},
            GRU_DIFF_X,
        },
    .gradient = {GRU_GRADIENTS, {"dU_o", RNN_OUTER, RNN_MATRIX_ITER, N, RNN_S_STORED, RNN_DIFF_Z2}},
};

const struct rnn_cell rnn_cell_lbr_gru = {
    .name = "lbr_gru",
    .gates = 3,
    .bias_rows = 4,
    .attention = true,
    .forward =
        {
            GRU_GATES,
            GRU_ATTENTION,
            {.name = "w",
             .result = RNN_W,
             .dots = 1,
             .terms = 1,
             .dot = {{RNN_H, RNN_MATRIX_ITER, N, false}},
             .term = {RNN_1(RNN_V(RNN_B3))}},
            {.name = "z_o",
             .result = RNN_Z2,
             .dots = 1,
             .terms = 2,
             .dot = {{RNN_X, RNN_MATRIX_LAYER, N, false}},
             .term = {RNN_2(RNN_V(RNN_G1), RNN_V(RNN_W)), RNN_1(RNN_V(RNN_B2))}},
            GRU_OUTPUT,
        },
    .backward =
        {
            DIFF_H,
            GRU_DIFF_O_AND_U,
            {.name = "dz_r",
             .result = RNN_DIFF_Z1,
             .terms = 1,
             .term = {RNN_3(RNN_V(RNN_W), RNN_V(RNN_DIFF_Z2), RNN_SLOPE_S(RNN_G1))}},
            {.name = "e",
             .result = RNN_DIFF_W,
             .terms = 1,
             .term = {RNN_2(RNN_V(RNN_G1), RNN_V(RNN_DIFF_Z2))}},
            {.name = "dh'",
             .result = RNN_DIFF_H_PREV,
             .dots = 3,
             .terms = 1,
             .dot = {BACK(RNN_DIFF_Z0, RNN_MATRIX_ITER, U), BACK(RNN_DIFF_Z1, RNN_MATRIX_ITER, R),
                     BACK(RNN_DIFF_W, RNN_MATRIX_ITER, N)},
             .term = {RNN_2(RNN_V(RNN_DIFF_H), RNN_V(RNN_UPDATE))}},
            GRU_DIFF_X,
        },
    .gradient = {GRU_GRADIENTS,
                 {"dU_o", RNN_OUTER, RNN_MATRIX_ITER, N, RNN_H, RNN_DIFF_W},
                 {"dB_u'", RNN_TOTAL, 0, 3, 0, RNN_DIFF_W}},
};
