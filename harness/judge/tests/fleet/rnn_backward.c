// SPDX-License-Identifier: Apache-2.0
// The backward pass of the fleet's RNN: the derivative of its forward pass, step by step from the
// last one of the last layer.

#include <string.h>

#include "harness/judge/tests/fleet/rnn.h"

// What one step hands on, beside the step's own vectors: gradients of z of each gate, of h' and c'.
struct gradients {
    float *dh, *dc, *dz[4], *through; // through: what multiplies U of the last gate
    float *dm, *q, *next, *dx;
};

static size_t stack_of(const struct rnn *n)
{
    return (size_t)n->l * (size_t)n->directions + (size_t)n->d;
}

static float slope_tanh(const struct rnn *n, int gate, int o, float y)
{
    return fleet_value(n, AT_SLOPE, gate, o, 1 - y * y);
}

static float slope_logistic(const struct rnn *n, int gate, int o, float y)
{
    return fleet_value(n, AT_SLOPE, gate, o, y - y * y);
}

static float peephole(const struct rnn *n, int row, int o)
{
    return n->in[P_] ? n->in[P_][(stack_of(n) * 3 + (size_t)row) * (size_t)n->dhc + (size_t)o] : 0;
}

// ---- gradients of parameters --------------------------------------------------

static void add_one(const struct rnn *n, enum point point, int gate, int channel, float *to,
                    float product)
{
    const struct mistake *const m = n->at[point] ? fleet_mistake(n, point, gate, channel) : NULL;
    if (m && m->action == WITH_NARROW_TOTAL)
        *to = (float)fleet_narrow((double)(*to + product), (int)m->amount, false, false);
    else if (m && m->action == WITH_TRUNCATION)
        *to = (float)fleet_narrow((double)*to + (double)product, 24, true, false);
    else
        *to += m ? (float)fleet_act(m, (double)product) : product;
}

// to[i][gate][o] += left[i] * right[o]
static void add_outer(const struct rnn *n, enum point point, int gate, float *to, int gates,
                      const float *left, int count, const float *right, int width)
{
    for (int i = 0; i < count; i++)
        for (int o = 0; o < width; o++)
            add_one(n, point, gate, o, &to[(i * gates + (gate < 0 ? 0 : gate)) * width + o],
                    left[i] * right[o]);
}

static void add_bias(const struct rnn *n, int row, const float *dz)
{
    float *const to =
        n->out[DIFF_OUT + B_] + (stack_of(n) * (size_t)n->rows + (size_t)row) * (size_t)n->dhc;
    for (int o = 0; o < n->dhc && n->in[B_]; o++)
        add_one(n, SUM_DB, row, o, &to[o], dz[o]);
}

static void add_parameters(struct rnn *n, const struct gradients *of, const float *x, float *v)
{
    const size_t stack = stack_of(n), block = (size_t)n->gates * (size_t)n->dhc;
    const bool early = n->cell == GRU || n->cell == AUGRU,
               late = n->cell == LBR_GRU || n->cell == LBR_AUGRU;
    for (int g = 0; g < n->gates; g++) {
        const bool last = g == 2 && (early || late);
        const float *const left = fleet_vector(n, v,
                                               fleet_does(n, DU_OF_NEW_STATE) ? V_H
                                               : last && early                ? V_S
                                                                              : OLD_H);
        add_outer(n, SUM_DW, g, n->out[DIFF_OUT + W_] + stack * (size_t)n->slc * block, n->gates, x,
                  n->slc, of->dz[g], n->dhc);
        add_outer(n, SUM_DU, g, n->out[DIFF_OUT + U_] + stack * (size_t)n->sic * block, n->gates,
                  left, n->sic, last && late ? of->through : of->dz[g], n->dhc);
        add_bias(n, g, of->dz[g]);
    }
    if (late)
        add_bias(n, 3, of->through);
    for (int k = 0; k < 3 && n->in[P_]; k++) {
        const bool other = fleet_does(n, DP_OF_OTHER_C);
        const float *const c = fleet_vector(n, v, (k == 2) != other ? V_C : OLD_C);
        float *const to = n->out[DIFF_OUT + P_] + (stack * 3 + (size_t)k) * (size_t)n->dhc;
        for (int o = 0; o < n->dhc; o++)
            add_one(n, SUM_DP, k, o, &to[o], c[o] * of->dz[k == 2 ? 3 : k][o]);
    }
    if (n->in[R_])
        add_outer(n, SUM_DR, -1, n->out[DIFF_OUT + R_] + stack * (size_t)n->dhc * (size_t)n->dic, 1,
                  fleet_vector(n, v, V_M), n->dhc, of->dh, n->dic);
}

// ---- one step -----------------------------------------------------------------

static void through_h(const struct rnn *n, int gate, const float *dz, float *to)
{
    fleet_add_transposed(n, SUM_DH, gate, to, n->sic, dz, n->dhc,
                         n->in[U_] +
                             (stack_of(n) * (size_t)n->sic * (size_t)n->gates + (size_t)gate) *
                                 (size_t)n->dhc,
                         n->gates * n->dhc);
}

static void back_vanilla(struct rnn *n, struct gradients *of, float *v)
{
    for (int o = 0; o < n->dhc; o++) {
        const float z = fleet_vector(n, v, V_Z)[o], y = fleet_vector(n, v, V_GATE)[o];
        const float slope = n->cell == TANH ? slope_tanh(n, 0, o, y)
                            : n->cell == LOGISTIC
                                ? slope_logistic(n, 0, o, y)
                                : fleet_value(n, AT_SLOPE, 0, o, z > 0 ? 1 : n->alpha);
        of->dz[0][o] = fleet_value(n, AT_DZ, 0, o, of->dh[o] * slope);
    }
    through_h(n, 0, of->dz[0], of->next);
}

static void back_lstm(struct rnn *n, struct gradients *of, float *v)
{
    const float *const gate = fleet_vector(n, v, V_GATE), *const t = fleet_vector(n, v, V_T),
                       *const old = fleet_vector(n, v, OLD_C);
    const int w = n->width;
    const bool undone = n->dic == n->dhc && fleet_does(n, UNDONE_PROJECTION);
    memset(of->dm, 0, (size_t)w * sizeof *of->dm);
    if (n->in[R_] && !undone)
        fleet_add_transposed(n, SUM_DM, -1, of->dm, n->dhc, of->dh, n->dic,
                             n->in[R_] + stack_of(n) * (size_t)n->dhc * (size_t)n->dic, n->dic);
    else
        memcpy(of->dm, of->dh, (size_t)n->dhc * sizeof *of->dm);
    for (int o = 0; o < n->dhc; o++) {
        const float i = gate[o], f = gate[w + o], g = gate[2 * w + o], out = gate[3 * w + o];
        const float dm = fleet_value(n, AT_DM, -1, o, of->dm[o]);
        float *const dz[] = {&of->dz[0][o], &of->dz[1][o], &of->dz[2][o], &of->dz[3][o]};
        *dz[3] = fleet_value(n, AT_DZ, 3, o, t[o] * dm * slope_logistic(n, 3, o, out));
        float dc = of->dc[o] + slope_tanh(n, 4, o, t[o]) * out * dm;
        if (n->in[P_])
            dc += peephole(n, 2, o) * *dz[3];
        dc = fleet_value(n, AT_DC, -1, o, dc);
        *dz[1] = fleet_value(n, AT_DZ, 1, o, old[o] * dc * slope_logistic(n, 1, o, f));
        *dz[0] = fleet_value(n, AT_DZ, 0, o, g * dc * slope_logistic(n, 0, o, i));
        *dz[2] = fleet_value(n, AT_DZ, 2, o, i * dc * slope_tanh(n, 2, o, g));
        float before = fleet_value(n, AT_DC_DIRECT, -1, o, f * dc);
        if (n->in[P_])
            before += peephole(n, 1, o) * *dz[1] + peephole(n, 0, o) * *dz[0];
        of->dc[o] = fleet_value(n, AT_DC_BEFORE, -1, o, before);
    }
    for (int g = 0; g < 4; g++)
        through_h(n, g, of->dz[g], of->next);
}

static void back_gru(struct rnn *n, struct gradients *of, float *v)
{
    const float *const u = fleet_vector(n, v, V_GATE), *const r = fleet_vector(n, v, V_GATE + 1),
                       *const y = fleet_vector(n, v, V_GATE + 2),
                       *const ua = fleet_vector(n, v, V_UA), *const h = fleet_vector(n, v, OLD_H),
                       *const w = fleet_vector(n, v, V_W);
    const bool late = n->cell == LBR_GRU || n->cell == LBR_AUGRU;
    const int t = fleet_time(n, n->d, n->step);
    const float keep = n->in[A_] ? 1 - n->in[A_][t * n->batch + n->row] : 1;
    for (int o = 0; o < n->dhc; o++) {
        const float dh = of->dh[o], less = h[o] - y[o];
        of->dz[2][o] = fleet_value(n, AT_DZ, 2, o, (1 - ua[o]) * dh * slope_tanh(n, 2, o, y[o]));
        of->dz[0][o] =
            fleet_value(n, AT_DZ, 0, o, keep * less * dh * slope_logistic(n, 0, o, u[o]));
        if (n->in[A_])
            n->out[DIFF_OUT + A_][t * n->batch + n->row] +=
                fleet_value(n, AT_DATTENTION, -1, o, -(less * dh * u[o]));
        of->next[o] = fleet_value(n, AT_DH_DIRECT, -1, o, dh * ua[o]);
        of->through[o] = r[o] * of->dz[2][o];
    }
    memset(of->q, 0, (size_t)n->width * sizeof *of->q);
    if (!late)
        through_h(n, 2, of->dz[2], of->q);
    for (int o = 0; o < n->dhc; o++) {
        const float q = fleet_value(n, AT_DQ, -1, o, of->q[o]);
        of->dz[1][o] =
            fleet_value(n, AT_DZ, 1, o,
                        (late ? w[o] * of->dz[2][o] : q * h[o]) * slope_logistic(n, 1, o, r[o]));
        if (!late)
            of->next[o] += q * r[o];
    }
    through_h(n, 0, of->dz[0], of->next);
    through_h(n, 1, of->dz[1], of->next);
    if (late)
        through_h(n, 2, of->through, of->next);
}

// ---- the network ------------------------------------------------------------

static float *dx_of(const struct rnn *n, float *dx, int l, int d, int t, int row)
{
    const size_t at =
        (((size_t)l * (size_t)n->directions + (size_t)d) * (size_t)n->times + (size_t)t) *
            (size_t)n->batch +
        (size_t)row;
    return dx + at * (size_t)n->slc;
}

static void back_step(struct rnn *n, struct gradients *of)
{
    const int t = fleet_time(n, n->d, n->step), halves = n->direction == CONCAT ? 2 : 1;
    float *const v = fleet_trace(n, n->l, n->d, t, n->row);
    const float *const above = n->l == n->layers - 1
                                   ? n->in[DIFF_Y] +
                                         ((size_t)t * (size_t)n->batch + (size_t)n->row) *
                                             (size_t)n->dic * (size_t)halves +
                                         (halves == 2 ? (size_t)(n->d * n->dic) : 0)
                                   : dx_of(n, of->dx, n->l + 1, n->d, t, n->row);
    const bool cut = n->l < n->layers - 1 && fleet_does(n, NO_FLOW_IN_LAYERS);
    for (int j = 0; j < n->dic; j++)
        of->dh[j] = fleet_value(n, AT_DH, -1, j, (cut ? 0 : above[j]) + of->dh[j]);
    memset(of->next, 0, (size_t)n->width * sizeof *of->next);
    if (n->cell <= LOGISTIC)
        back_vanilla(n, of, v);
    else if (n->cell == LSTM)
        back_lstm(n, of, v);
    else
        back_gru(n, of, v);
    add_parameters(n, of, fleet_below(n, n->l, n->d, n->step, n->row), v);
    float *const dx = dx_of(n, of->dx, n->l, n->d, t, n->row);
    for (int g = 0; g < n->gates; g++)
        fleet_add_transposed(n, SUM_DX, g, dx, n->slc, of->dz[g], n->dhc,
                             n->in[W_] +
                                 (stack_of(n) * (size_t)n->slc * (size_t)n->gates + (size_t)g) *
                                     (size_t)n->dhc,
                             n->gates * n->dhc);
    for (int i = 0; i < n->slc; i++)
        dx[i] = fleet_value(n, AT_DX, -1, i, dx[i]);
    for (int i = 0; i < n->sic; i++)
        of->dh[i] = fleet_value(n, AT_DH_BEFORE, -1, i, of->next[i]);
}

static void add_initial(const struct rnn *n, struct gradients *of, bool every)
{
    const size_t at = stack_of(n) * (size_t)n->batch + (size_t)n->row;
    for (int j = 0; j < n->dic && n->in[DIFF_H] && !fleet_does(n, NO_DIFF_ITER); j++)
        of->dh[j] += n->in[DIFF_H][at * (size_t)n->dic + (size_t)j];
    for (int j = 0; j < n->dhc && n->in[DIFF_C] && !every && !fleet_does(n, NO_DIFF_ITER_C); j++)
        of->dc[j] += n->in[DIFF_C][at * (size_t)n->dhc + (size_t)j];
}

static void back_row(struct rnn *n, struct gradients *of)
{
    const size_t at = stack_of(n) * (size_t)n->batch + (size_t)n->row;
    memset(of->dh, 0, (size_t)n->width * sizeof *of->dh);
    memset(of->dc, 0, (size_t)n->width * sizeof *of->dc);
    n->step = n->times ? n->times - 1 : 0;
    add_initial(n, of, false);
    for (n->step = n->times - 1; n->step >= 0; n->step--) {
        if (n->step < n->times - 1 && fleet_does(n, DIFF_ITER_EVERY_STEP))
            add_initial(n, of, true);
        back_step(n, of);
        if (n->step && fleet_does(n, NO_FLOW_IN_TIME)) {
            memset(of->dh, 0, (size_t)n->width * sizeof *of->dh);
            memset(of->dc, 0, (size_t)n->width * sizeof *of->dc);
        }
    }
    n->step = 0;
    memcpy(n->out[DIFF_OUT + H0_] + at * (size_t)n->sic, of->dh, (size_t)n->sic * sizeof *of->dh);
    memcpy(n->out[DIFF_OUT + C0_] + at * (size_t)n->dhc, of->dc, (size_t)n->dhc * sizeof *of->dc);
}

static bool overwrites(const struct rnn *n)
{
    for (size_t i = 0; i < n->request->attribute_count; i++)
        if (!strcmp(n->request->attributes[i].name, "diff_weights_overwrite"))
            return n->request->attributes[i].integer != 0;
    return false;
}

// Gradients of parameters start from what is given.
static void put_initial(struct rnn *n)
{
    const size_t stacks = (size_t)n->layers * (size_t)n->directions, dhc = (size_t)n->dhc,
                 gates = (size_t)n->gates;
    const size_t counts[] = {(size_t)n->slc * gates * dhc, (size_t)n->sic * gates * dhc, 3 * dhc,
                             dhc * (size_t)n->dic, (size_t)n->rows * dhc};
    n->l = n->d = n->step = n->row = 0;
    const bool adds = overwrites(n) ? fleet_does(n, ADDS) : !fleet_does(n, OVERWRITES);
    for (int k = 0; k < 5; k++)
        if (n->in[INITIAL_W + k] && adds)
            memcpy(n->out[DIFF_OUT + W_ + k], n->in[INITIAL_W + k],
                   stacks * counts[k] * sizeof(float));
}

static void join(struct rnn *n, float *dx)
{
    n->l = n->d = n->step = 0;
    for (int t = 0; t < n->times; t++)
        for (n->row = 0; n->row < n->batch; n->row++)
            for (int i = 0; i < n->slc; i++) {
                const float first = dx_of(n, dx, 0, 0, t, n->row)[i],
                            second = n->directions == 2 ? dx_of(n, dx, 0, 1, t, n->row)[i] : 0;
                const bool one = fleet_does(n, DX_OF_ONE), other = fleet_does(n, DX_OVERWRITTEN);
                n->out[DIFF_OUT + X_]
                      [((size_t)t * (size_t)n->batch + (size_t)n->row) * (size_t)n->slc +
                       (size_t)i] = one || n->directions == 1 ? first
                                    : other                   ? second
                                                              : first + second;
            }
}

void fleet_backward(struct rnn *n)
{
    const size_t width = (size_t)n->width;
    struct gradients of = {.dh = fleet_take(n, width),
                           .dc = fleet_take(n, width),
                           .through = fleet_take(n, width),
                           .dm = fleet_take(n, width),
                           .q = fleet_take(n, width),
                           .next = fleet_take(n, width)};
    for (int g = 0; g < 4; g++)
        of.dz[g] = fleet_take(n, width);
    of.dx = fleet_take(n, (size_t)n->layers * (size_t)n->directions * (size_t)n->times *
                              (size_t)n->batch * (size_t)n->slc);
    put_initial(n);
    for (n->l = n->layers - 1; n->l >= 0; n->l--)
        for (n->d = 0; n->d < n->directions; n->d++)
            for (n->row = 0; n->row < n->batch; n->row++)
                back_row(n, &of);
    join(n, of.dx);
}
