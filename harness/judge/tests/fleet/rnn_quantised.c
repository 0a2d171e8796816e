// SPDX-License-Identifier: Apache-2.0
// Steps of 8-bit data: sums are integers, gates and c are f32, states are rounded to 8 bits.

#include <math.h>
#include <string.h>

#include "harness/judge/tests/fleet/rnn.h"

static float round_to_byte(const struct rnn *n, double value)
{
    const struct mistake *const m = n->at[OF_ROUND] ? fleet_mistake(n, OF_ROUND, -1, -1) : NULL;
    const enum action action = m ? m->action : 0;
    const double most = n->type == U8 ? 255 : 127, least = n->type == U8 ? 0 : -128;
    const double whole = action == IS_TRUNCATED ? trunc(value)
                         : action == IS_AWAY    ? round(value)
                                                : nearbyint(value);
    if (action == WRAPS)
        return (float)(whole - 256 * floor((whole - least) / 256));
    const double top = action == IS_CLIPPED ? m->amount : most;
    return (float)(whole > top ? top : whole < least ? least : whole);
}

float fleet_quantised(const struct rnn *n, double value)
{
    return round_to_byte(n,
                         (double)fleet_value(n, AT_QUANTISED, -1, -1,
                                             (float)(value * (double)n->scale + (double)n->shift)));
}

float fleet_dequantised(const struct rnn *n, float q, int zero_points)
{
    const double value = ((double)q - zero_points * (double)n->shift) / (double)n->scale;
    return fleet_value(n, AT_DEQUANTISED, -1, -1, (float)value);
}

static double scale_of(const struct rnn *n, int gate, int o)
{
    if (n->scale_count < 2 || fleet_does(n, FIRST_SCALE_FOR_ALL))
        return n->scale_count ? n->scales[0] : 1;
    return n->scales[fleet_does(n, SCALES_BY_CHANNEL) ? o : gate * n->dhc + o];
}

static float sum_column(const float *w, int count, int stride)
{
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += w[i * stride];
    return sum;
}

static void add_up(const struct rnn *n, int g, const float *x, const float *h, float *z)
{
    const int stride = n->gates * n->dhc;
    const size_t stack = (size_t)n->l * (size_t)n->directions + (size_t)n->d;
    const float *const w = n->in[W_] +
                           (stack * (size_t)n->slc * (size_t)n->gates + (size_t)g) * (size_t)n->dhc,
                       *const u =
                           n->in[U_] +
                           (stack * (size_t)n->sic * (size_t)n->gates + (size_t)g) * (size_t)n->dhc;
    memset(z, 0, (size_t)n->dhc * sizeof *z);
    fleet_add_products(n, SUM_X, g, z, n->dhc, x, n->slc, w, stride);
    fleet_add_products(n, SUM_H, g, z, n->dhc, h, n->sic, u, stride);
    for (int o = 0; o < n->dhc; o++) {
        const float columns = sum_column(w + o, n->slc, stride) + sum_column(u + o, n->sic, stride);
        const double over = (double)(float)scale_of(n, g, o) * (double)n->scale;
        const float less = fleet_value(n, AT_COMPENSATION, g, o, columns * n->shift);
        const float bias =
            n->in[B_]
                ? n->in[B_][(stack * (size_t)n->rows + (size_t)g) * (size_t)n->dhc + (size_t)o]
                : 0;
        z[o] = fleet_value(n, AT_Z, g, o,
                           (float)(((double)z[o] - (double)less) / over + (double)bias));
    }
}

static float *gate(const struct rnn *n, int g, bool is_tanh, const float *x, const float *h,
                   float *v)
{
    float *const z = fleet_vector(n, v, V_Z + g), *const y = fleet_vector(n, v, V_GATE + g);
    add_up(n, g, x, h, z);
    for (int o = 0; o < n->dhc; o++)
        y[o] = fleet_value(n, AT_GATE, g, o,
                           is_tanh ? fleet_tanh(n, g, o, z[o]) : fleet_logistic(n, g, o, z[o]));
    return y;
}

static void project(const struct rnn *n, const float *m, float *h)
{
    const size_t stack = (size_t)n->l * (size_t)n->directions + (size_t)n->d;
    const float *const r = n->in[R_] + stack * (size_t)n->dhc * (size_t)n->dic;
    const bool one = n->projection_scale_count < 2 || fleet_does(n, FIRST_SCALE_FOR_ALL);
    memset(h, 0, (size_t)n->dic * sizeof *h);
    fleet_add_products(n, SUM_PROJECTION, -1, h, n->dic, m, n->dhc, r, n->dic);
    for (int j = 0; j < n->dic; j++) {
        const double scale = n->projection_scale_count ? n->projection_scales[one ? 0 : j] : 1;
        const float less =
            fleet_value(n, AT_COMPENSATION, -1, j, n->shift * sum_column(r + j, n->dhc, n->dic));
        h[j] = round_to_byte(n, ((double)h[j] - (double)less) / (double)(float)scale +
                                    (double)n->shift);
    }
}

static void step_lstm(const struct rnn *n, const float *x, float *v)
{
    const float *const h = fleet_vector(n, v, OLD_H), *const old = fleet_vector(n, v, OLD_C);
    float *const c = fleet_vector(n, v, V_CS), *const m = fleet_vector(n, v, V_M),
                 *const out = fleet_vector(n, v, V_H);
    const float *const i = gate(n, 0, false, x, h, v), *const f = gate(n, 1, false, x, h, v),
                       *const g = gate(n, 2, true, x, h, v), *const o_ = gate(n, 3, false, x, h, v);
    for (int o = 0; o < n->dhc; o++) {
        c[o] = fleet_value(n, AT_C, -1, o,
                           fleet_value(n, AT_KEPT, -1, o, f[o] * old[o]) +
                               fleet_value(n, AT_ADDED, -1, o, i[o] * g[o]));
        const float t = fleet_value(n, AT_TANH_C, -1, o, fleet_tanh(n, 4, o, c[o]));
        m[o] = fleet_quantised(n, (double)fleet_value(n, AT_M, -1, o, o_[o] * t));
    }
    if (n->in[R_])
        project(n, m, out);
    else
        memcpy(out, m, (size_t)n->dhc * sizeof *m);
}

static void step_gru(const struct rnn *n, const float *x, float *v)
{
    const float *const h = fleet_vector(n, v, OLD_H);
    float *const s = fleet_vector(n, v, V_S), *const out = fleet_vector(n, v, V_H);
    const double z = (double)n->shift;
    const float *const u = gate(n, 0, false, x, h, v), *const r = gate(n, 1, false, x, h, v);
    for (int o = 0; o < n->dhc; o++)
        s[o] = round_to_byte(n, (double)fleet_value(n, AT_S, -1, o, (h[o] - n->shift) * r[o]) + z);
    const float *const g = gate(n, 2, true, x, s, v);
    for (int o = 0; o < n->dhc; o++) {
        const float old = fleet_value(n, AT_BLEND_OLD, -1, o, u[o] * (h[o] - n->shift)),
                    more = fleet_value(n, AT_BLEND_NEW, -1, o, (1 - u[o]) * g[o]);
        const double blend = (double)old + (double)more * (double)n->scale;
        out[o] = round_to_byte(n, (double)fleet_value(n, AT_QUANTISED, -1, o, (float)(blend + z)));
    }
}

void fleet_step_quantised(struct rnn *n, const float *x, float *v)
{
    if (n->cell == LSTM)
        step_lstm(n, x, v);
    else
        step_gru(n, x, v);
}
