// SPDX-License-Identifier: Apache-2.0
// The notation in which tables of equations are written: variables without their RNN_.
//
//     EQ("z_i", Z0, GATE(I), SUM(T1(B0), T2(P0, C)))     z_i = x.W_i + h'.U_i + B_i + P_i*c'
//     EQ("i", G0, LOGISTIC(Z0))                          i = logistic(z_i)
//     EQ("ua", UPDATE, SUM(T2(ONE_MINUS(A), G0)))        ua = (1 - a)*u
//
// A factor is a variable or ONE_MINUS(v), SLOPE_S(v) = v - v*v, SLOPE_T(v) = 1 - v*v, LESS(v, w).

#ifndef ASSAY_REF_OP_ONEDNN_RNN_NOTATION_H
#define ASSAY_REF_OP_ONEDNN_RNN_NOTATION_H

#include "ref/op/onednn/rnn_cell.h"

// clang-format off
#define EQ(label, to, ...) {.name = (label), .result = RNN_##to, __VA_ARGS__}

// ---- what an equation gives: a sum of products with matrices, of terms, or a function ----

#define LISTED(type, ...) (sizeof((const struct type[]){__VA_ARGS__}) / sizeof(struct type))
#define DOTS(...) .dots = LISTED(rnn_dot, __VA_ARGS__), .dot = {__VA_ARGS__}
#define SUM(...) .terms = LISTED(rnn_term, __VA_ARGS__), .term = {__VA_ARGS__}
#define BLEND(...) .kind = RNN_BLEND, SUM(__VA_ARGS__)
#define OVER_1(v) .denominators = 1, .denominator = {RNN_##v}
#define OVER_2(v, w) .denominators = 2, .denominator = {RNN_##v, RNN_##w}
#define WHEN_PROJECTION .when = RNN_WHEN_PROJECTION
#define WITHOUT_PROJECTION .when = RNN_WITHOUT_PROJECTION
#define WHEN_FOLDED .when = RNN_WHEN_FOLDED
#define WITHOUT_FOLDING .when = RNN_WITHOUT_FOLDING
#define WITH(what) .when = RNN_WITH_##what
#define LOGISTIC(v) .kind = RNN_APPLY_LOGISTIC, .argument = RNN_##v
#define TANH(v) .kind = RNN_APPLY_TANH, .argument = RNN_##v
#define RELU(v) .kind = RNN_APPLY_RELU, .argument = RNN_##v
#define FUNCTION(k, v) .kind = RNN_APPLY_FUNCTION, .function = (k), .argument = RNN_##v
#define RELU_SLOPE(v) .kind = RNN_APPLY_RELU_SLOPE, .argument = RNN_##v

// ---- dots: v . M_g, and BACK: v . M_g transposed; GATE: x.W_g + h'.U_g ----

#define DOT(v, m, g) {.vector = RNN_##v, .matrix = RNN_MATRIX_##m, .gate = (g)}
#define BACK(v, m, g) {.vector = RNN_##v, .matrix = RNN_MATRIX_##m, .gate = (g), .transposed = true}
#define GATE(g) DOTS(DOT(X, LAYER, g), DOT(H, ITER, g))

// ---- terms: products of one to four factors, MINUS: subtracted ----

#define T1(a) {.factors = 1, .factor = {{.x = RNN_##a}}}
#define T2(a, b) {.factors = 2, .factor = {{.x = RNN_##a}, {.x = RNN_##b}}}
#define T3(a, b, c) {.factors = 3, .factor = {{.x = RNN_##a}, {.x = RNN_##b}, {.x = RNN_##c}}}
#define T4(a, b, c, d) \
    {.factors = 4, .factor = {{.x = RNN_##a}, {.x = RNN_##b}, {.x = RNN_##c}, {.x = RNN_##d}}}
#define MINUS_T1(a) {.negative = true, .factors = 1, .factor = {{.x = RNN_##a}}}
#define MINUS_T2(a, b) \
    {.negative = true, .factors = 2, .factor = {{.x = RNN_##a}, {.x = RNN_##b}}}

// What a term makes of ONE_MINUS(v) and its like.
#define RNN_ONE_MINUS(v) RNN_##v, .form = NUM_COMPLEMENT
#define RNN_SLOPE_S(v) RNN_##v, .form = NUM_LESS_SQUARE
#define RNN_SLOPE_T(v) RNN_##v, .form = NUM_COMPLEMENT_SQUARE
#define RNN_LESS(v, w) RNN_##v, .form = NUM_DIFFERENCE, .y = RNN_##w

// ---- gradients of parameters ----

#define OUTER(label, m, g, l, r) \
    {label, RNN_OUTER, RNN_MATRIX_##m, g, RNN_##l, RNN_##r}
#define PRODUCT(label, row, l, r) {label, RNN_PRODUCT, 0, row, RNN_##l, RNN_##r}
#define TOTAL(label, row, r) {label, RNN_TOTAL, 0, row, 0, RNN_##r}
// clang-format on

#endif
