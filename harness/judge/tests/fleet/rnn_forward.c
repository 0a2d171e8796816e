// SPDX-License-Identifier: Apache-2.0
// The forward pass of the fleet's RNN: each stack of layers, row by row, step by step.

#include <string.h>

#include "harness/judge/tests/fleet/rnn.h"

int fleet_time(const struct rnn *n, int d, int step)
{
    const bool backwards = (n->direction == RIGHT2LEFT || d == 1) && !fleet_does(n, ALWAYS_FORWARD);
    return backwards ? n->times - 1 - step : step;
}

const float *fleet_below(struct rnn *n, int l, int d, int step, int row)
{
    const int t = fleet_time(n, d, step);
    if (l == 0)
        return n->in[X_] + ((size_t)t * (size_t)n->batch + (size_t)row) * (size_t)n->slc;
    const int from = fleet_does(n, READS_OTHER_DIRECTION) && n->directions == 2 ? 1 - d : d;
    const bool before = fleet_does(n, READS_STEP_BEFORE) && step;
    return fleet_vector(
        n, fleet_trace(n, l - 1, from, before ? fleet_time(n, d, step - 1) : t, row), V_H);
}

// ---- cells ------------------------------------------------------------------

static size_t stack_of(const struct rnn *n)
{
    return (size_t)n->l * (size_t)n->directions + (size_t)n->d;
}

static const float *weights(const struct rnn *n, enum tensor_name name, int inputs, int gate)
{
    return n->in[name] +
           (stack_of(n) * (size_t)inputs * (size_t)n->gates + (size_t)gate) * (size_t)n->dhc;
}

static void put_bias(const struct rnn *n, int row, float *z)
{
    for (int o = 0; o < n->dhc; o++)
        z[o] = n->in[B_]
                   ? n->in[B_][(stack_of(n) * (size_t)n->rows + (size_t)row) * (size_t)n->dhc +
                               (size_t)o]
                   : 0;
}

static void add_x(const struct rnn *n, int gate, const float *x, float *z)
{
    fleet_add_products(n, SUM_X, gate, z, n->dhc, x, n->slc, weights(n, W_, n->slc, gate),
                       n->gates * n->dhc);
}

static void add_h(const struct rnn *n, int gate, const float *h, float *z)
{
    fleet_add_products(n, SUM_H, gate, z, n->dhc, h, n->sic, weights(n, U_, n->sic, gate),
                       n->gates * n->dhc);
}

// z of a gate, with a peephole's row (-1: none) of `c`.
static float *add_up(const struct rnn *n, int gate, const float *x, const float *h, int peephole,
                     const float *c, float *v)
{
    float *const z = fleet_vector(n, v, V_Z + gate);
    put_bias(n, gate, z);
    for (int o = 0; o < n->dhc && peephole >= 0 && n->in[P_]; o++)
        z[o] += n->in[P_][(stack_of(n) * 3 + (size_t)peephole) * (size_t)n->dhc + (size_t)o] * c[o];
    add_x(n, gate, x, z);
    if (h)
        add_h(n, gate, h, z);
    for (int o = 0; o < n->dhc; o++)
        z[o] = fleet_value(n, AT_Z, gate, o, z[o]);
    return z;
}

static float *activate(const struct rnn *n, int gate, bool is_tanh, float *v)
{
    float *const y = fleet_vector(n, v, V_GATE + gate);
    const float *const z = fleet_vector(n, v, V_Z + gate);
    for (int o = 0; o < n->dhc; o++)
        y[o] =
            fleet_value(n, AT_GATE, gate, o,
                        is_tanh ? fleet_tanh(n, gate, o, z[o]) : fleet_logistic(n, gate, o, z[o]));
    return y;
}

static void store_state(const struct rnn *n, const float *wide, int count, float *v)
{
    float *const h = fleet_vector(n, v, V_H), *const kept = fleet_vector(n, v, V_WIDE_H);
    for (int j = 0; j < count; j++) {
        kept[j] = fleet_value(n, AT_H, -1, j, wide[j]);
        h[j] = fleet_store(n, n->type, kept[j]);
    }
}

static void step_vanilla(struct rnn *n, const float *x, float *v)
{
    const float *const z = add_up(n, 0, x, fleet_vector(n, v, OLD_H), -1, NULL, v);
    float *const y = fleet_vector(n, v, V_GATE);
    if (n->cell != RELU)
        activate(n, 0, n->cell == TANH, v);
    for (int o = 0; o < n->dhc && n->cell == RELU; o++)
        y[o] = fleet_value(n, AT_GATE, 0, o, z[o] > 0 ? z[o] : n->alpha * z[o]);
    store_state(n, y, n->dhc, v);
}

static void step_lstm(struct rnn *n, const float *x, float *v)
{
    const float *const h = fleet_vector(n, v, OLD_H), *const old = fleet_vector(n, v, OLD_C);
    float *const c = fleet_vector(n, v, V_C), *const stored = fleet_vector(n, v, V_CS),
                 *const t = fleet_vector(n, v, V_T), *const m = fleet_vector(n, v, V_M);
    for (int g = 0; g < 3; g++) {
        add_up(n, g, x, h, g < 2 ? g : -1, old, v);
        activate(n, g, g == 2, v);
    }
    for (int o = 0; o < n->dhc; o++) {
        const float *const gate = fleet_vector(n, v, V_GATE) + o;
        const float kept = gate[n->width] * old[o], added = gate[0] * gate[2 * n->width];
        c[o] = fleet_value(n, AT_C, -1, o,
                           fleet_value(n, AT_KEPT, -1, o, kept) +
                               fleet_value(n, AT_ADDED, -1, o, added));
        stored[o] = fleet_store(n, n->c_type, fleet_value(n, AT_C_STORED, -1, o, c[o]));
    }
    add_up(n, 3, x, h, 2, fleet_does(n, PEEPHOLE_OF_OLD_C) ? old : c, v);
    const float *const out = activate(n, 3, false, v);
    for (int o = 0; o < n->dhc; o++) {
        const float of = fleet_does(n, TANH_OF_STORED_C) ? stored[o] : c[o];
        t[o] = fleet_value(n, AT_TANH_C, -1, o, fleet_tanh(n, 4, o, of));
        m[o] = fleet_value(n, AT_M, -1, o, out[o] * t[o]);
    }
    if (!n->in[R_]) {
        store_state(n, m, n->dhc, v);
        return;
    }
    float *const wide = fleet_vector(n, v, V_W);
    for (int o = 0; o < n->dhc; o++)
        m[o] = fleet_store(n, n->type, m[o]);
    memset(wide, 0, (size_t)n->dic * sizeof *wide);
    fleet_add_products(n, SUM_PROJECTION, -1, wide, n->dic, m, n->dhc,
                       n->in[R_] + stack_of(n) * (size_t)n->dhc * (size_t)n->dic, n->dic);
    store_state(n, wide, n->dic, v);
}

static float attention(const struct rnn *n, int row)
{
    const bool late = fleet_does(n, ATTENTION_KEPT) && n->step;
    const int t = fleet_time(n, n->d, late ? n->step - 1 : n->step);
    return n->in[A_] ? n->in[A_][t * n->batch + row] : 0;
}

static void reset_after(struct rnn *n, const float *x, const float *r, float *v)
{
    float *const w = fleet_vector(n, v, V_W), *const z = add_up(n, 2, x, NULL, -1, NULL, v);
    put_bias(n, n->rows - 1, w);
    if (n->rows == 3)
        memset(w, 0, (size_t)n->dhc * sizeof *w);
    add_h(n, 2, fleet_vector(n, v, OLD_H), w);
    for (int o = 0; o < n->dhc; o++) {
        w[o] = fleet_value(n, AT_W, 2, o, w[o]);
        z[o] += r[o] * w[o];
    }
}

static void step_gru(struct rnn *n, const float *x, float *v)
{
    const float *const h = fleet_vector(n, v, OLD_H);
    float *const s = fleet_vector(n, v, V_S), *const ua = fleet_vector(n, v, V_UA),
                 *const wide = fleet_vector(n, v, V_M);
    for (int g = 0; g < 2; g++) {
        add_up(n, g, x, h, -1, NULL, v);
        activate(n, g, false, v);
    }
    const float *const u = fleet_vector(n, v, V_GATE), *const r = fleet_vector(n, v, V_GATE + 1);
    const float less = 1 - attention(n, n->row);
    for (int o = 0; o < n->dhc; o++) {
        s[o] = fleet_store(n, n->type, fleet_value(n, AT_S, -1, o, r[o] * h[o]));
        ua[o] = fleet_value(n, AT_UPDATE, -1, o, n->in[A_] ? less * u[o] : u[o]);
    }
    if ((n->cell == LBR_GRU || n->cell == LBR_AUGRU) != fleet_does(n, RESET_AFTER))
        reset_after(n, x, r, v);
    else
        add_up(n, 2, x, s, -1, NULL, v);
    const float *const o_ = activate(n, 2, true, v);
    for (int o = 0; o < n->dhc; o++)
        wide[o] = fleet_value(n, AT_BLEND_OLD, -1, o, ua[o] * h[o]) +
                  fleet_value(n, AT_BLEND_NEW, -1, o, (1 - ua[o]) * o_[o]);
    store_state(n, wide, n->dhc, v);
}

// ---- the network ------------------------------------------------------------

// The state before the first step.
static void begin(struct rnn *n, float *h, float *c)
{
    const size_t at = stack_of(n) * (size_t)n->batch + (size_t)n->row;
    for (int i = 0; i < n->sic; i++)
        h[i] = n->in[H0_] ? n->in[H0_][at * (size_t)n->sic + (size_t)i] : 0;
    for (int i = 0; i < n->dhc; i++)
        c[i] = n->in[C0_] ? n->in[C0_][at * (size_t)n->dhc + (size_t)i] : 0;
    const bool given = n->in[H0_] && n->h_type != F32,
               passes = !n->times && !fleet_does(n, STATE_QUANTISED_WITHOUT_STEPS);
    if (n->type < U8 || given || passes || fleet_does(n, STATE_NOT_QUANTISED))
        return;
    for (int i = 0; i < n->sic; i++)
        h[i] = fleet_quantised(n, (double)h[i]);
}

static void make_step(struct rnn *n, const float *h, const float *c)
{
    float *const v = fleet_trace(n, n->l, n->d, fleet_time(n, n->d, n->step), n->row);
    const float *const x = fleet_below(n, n->l, n->d, n->step, n->row);
    if (!fleet_does(n, STATE_FORGOTTEN))
        memcpy(fleet_vector(n, v, OLD_H), h, (size_t)n->width * sizeof *h);
    if (!fleet_does(n, CELL_FORGOTTEN))
        memcpy(fleet_vector(n, v, OLD_C), c, (size_t)n->width * sizeof *c);
    if (n->type >= U8)
        fleet_step_quantised(n, x, v);
    else if (n->cell <= LOGISTIC)
        step_vanilla(n, x, v);
    else if (n->cell == LSTM)
        step_lstm(n, x, v);
    else
        step_gru(n, x, v);
}

static void finish(struct rnn *n, const float *h, const float *c)
{
    const size_t at = stack_of(n) * (size_t)n->batch + (size_t)n->row;
    const bool passes = !n->times && !fleet_does(n, STATE_QUANTISED_WITHOUT_STEPS);
    for (int j = 0; j < n->dic; j++)
        n->out[H_OUT][at * (size_t)n->dic + (size_t)j] =
            n->type >= U8 && n->h_type == F32 && !passes ? fleet_dequantised(n, h[j], 1) : h[j];
    for (int j = 0; j < n->dhc; j++)
        n->out[C_OUT][at * (size_t)n->dhc + (size_t)j] = c[j];
}

static void run_row(struct rnn *n, float *h, float *c)
{
    begin(n, h, c);
    n->step = 0;
    for (; n->step < n->times; n->step++) {
        const int t = fleet_time(n, n->d, n->step);
        make_step(n, h, c);
        float *const v = fleet_trace(n, n->l, n->d, t, n->row);
        float *const from = fleet_does(n, STATE_OF_ROW_BEFORE) && n->row
                                ? fleet_trace(n, n->l, n->d, t, n->row - 1)
                                : v;
        memcpy(h, fleet_vector(n, from, fleet_does(n, STATE_UNROUNDED) ? V_WIDE_H : V_H),
               (size_t)n->dic * sizeof *h);
        memcpy(c, fleet_vector(n, v, V_CS), (size_t)n->dhc * sizeof *c);
    }
    if (n->times) {
        n->step = n->times - 1;
        const int t = fleet_time(n, n->d, fleet_does(n, LAST_STATE_IS_FIRST) ? 0 : n->step);
        float *const v = fleet_trace(n, n->l, n->d, fleet_time(n, n->d, n->step), n->row);
        memcpy(h, fleet_vector(n, fleet_trace(n, n->l, n->d, t, n->row), V_H),
               (size_t)n->dic * sizeof *h);
        if (fleet_does(n, LAST_CELL_IS_BEFORE))
            memcpy(c, fleet_vector(n, v, OLD_C), (size_t)n->dhc * sizeof *c);
    }
    finish(n, h, c);
}

static float top(const struct rnn *n, int d, int t, int row, int j)
{
    return fleet_vector(n, fleet_trace(n, n->layers - 1, d, t, row), V_H)[j];
}

static float sum_of_directions(const struct rnn *n, int t, int row, int j)
{
    const float first = top(n, 0, t, row, j), second = top(n, 1, t, row, j);
    if (fleet_does(n, SUM_OF_ONE))
        return first;
    const float sum = fleet_does(n, SUM_HALVED) ? (first + second) / 2 : first + second;
    if (n->type < U8)
        return fleet_store(n, n->type, sum);
    const float most = n->type == U8 ? 255 : 127, least = n->type == U8 ? 0 : -128;
    return sum > most ? most : sum < least ? least : sum;
}

static void join(struct rnn *n)
{
    const int halves = n->direction == CONCAT ? 2 : 1;
    n->l = n->layers - 1;
    n->d = 0;
    for (int t = 0; t < n->times; t++)
        for (n->row = 0; n->row < n->batch; n->row++)
            for (int j = 0; j < n->dic * halves; j++) {
                n->step = t;
                const int d = j / n->dic, from = fleet_does(n, HALVES_EXCHANGED) ? 1 - d : d;
                float y = n->direction == SUM
                              ? sum_of_directions(n, t, n->row, j)
                              : top(n, halves == 2 ? from : 0, t, n->row, j % n->dic);
                if (n->type >= U8 && n->y_type == F32)
                    y = fleet_dequantised(n, y, n->direction == SUM ? 2 : 1);
                n->out[Y_OUT][((size_t)t * (size_t)n->batch + (size_t)n->row) * (size_t)n->dic *
                                  (size_t)halves +
                              (size_t)j] = y;
            }
}

void fleet_forward(struct rnn *n)
{
    float *const h = fleet_take(n, (size_t)n->width), *const c = fleet_take(n, (size_t)n->width);
    for (n->l = 0; n->l < n->layers; n->l++)
        for (n->d = 0; n->d < n->directions; n->d++)
            for (n->row = 0; n->row < n->batch; n->row++)
                run_row(n, h, c);
    join(n);
}
