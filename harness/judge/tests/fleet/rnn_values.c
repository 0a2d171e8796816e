// SPDX-License-Identifier: Apache-2.0
// Numbers of the fleet's RNN: rounding to fewer bits, sums of products, activations, and what
// mistakes make of them.

#include <math.h>
#include <stdlib.h>

#include "harness/judge/tests/fleet/rnn.h"

// ---- rounding ---------------------------------------------------------------

// To `bits` significant bits; exponents are as wide as those of double.
double fleet_narrow(double value, int bits, bool truncate, bool away)
{
    int exponent;
    if (!isfinite(value) || value == 0)
        return value;
    frexp(value, &exponent);
    const double unit = ldexp(1, exponent - bits), units = value / unit;
    return unit * (truncate ? trunc(units) : away ? round(units) : nearbyint(units));
}

static double to_half(double value, bool truncate, bool away)
{
    const double unit = ldexp(1, -24), units = value / unit;
    if (fabs(value) < ldexp(1, -14))
        return unit * (truncate ? trunc(units) : away ? round(units) : nearbyint(units));
    const double narrow = fleet_narrow(value, 11, truncate, away);
    return fabs(narrow) > 65504 && isfinite(value) ? copysign((double)INFINITY, value) : narrow;
}

static double to_brain(double value, bool truncate, bool away)
{
    const double unit = ldexp(1, -133), units = value / unit;
    if (fabs(value) < ldexp(1, -126))
        return unit * (truncate ? trunc(units) : away ? round(units) : nearbyint(units));
    return (double)(float)fleet_narrow(value, 8, truncate, away);
}

float fleet_store(const struct rnn *n, enum type type, float value)
{
    if (type == F32)
        return value;
    const struct mistake *const m = n->at[OF_STORE] ? fleet_mistake(n, OF_STORE, -1, -1) : NULL;
    const enum action action = m ? m->action : 0;
    if (action == IS_FLUSHED && fabs((double)value) < m->amount)
        return 0;
    const bool truncate = action == IS_TRUNCATED, away = action == IS_AWAY;
    const double stored = type == F16 ? to_half((double)value, truncate, away)
                                      : to_brain((double)value, truncate, away);
    if (action == SATURATES_INSIDE && isinf(stored) && isfinite(value))
        return (float)copysign(type == F16 ? 65504 : ldexp(255, 120), (double)value);
    return (float)stored;
}

// ---- mistakes ---------------------------------------------------------------

static bool is_at(int wanted, int at, int count)
{
    return wanted == FIRST ? at == 0 : wanted == LAST ? at == count - 1 : at >= wanted;
}

const struct mistake *fleet_mistake(const struct rnn *n, enum point point, int gate, int channel)
{
    for (int i = 0; i < MISTAKES_MAX; i++) {
        const struct mistake *const m = n->mistake[i];
        if (m && m->at == point && (!m->gate || gate < 0 || m->gate == gate + 1) &&
            (!m->stack || m->stack == n->d + 1) && is_at(m->layer, n->l, n->layers) &&
            is_at(m->step, n->step, n->times) && is_at(m->row, n->row, n->batch) &&
            (!m->channel || channel < 0 || is_at(m->channel, channel, n->dhc)))
            return m;
    }
    return NULL;
}

double fleet_act(const struct mistake *m, double value)
{
    switch (m->action) {
    case IS_ZERO:
        return 0;
    case IS_NEGATED:
        return -value;
    case IS_ADDED:
        return value + m->amount;
    case IS_SCALED:
        return value * (1 + m->amount);
    case IS_SET:
        return m->amount;
    case IS_CLIPPED:
        return value > m->amount ? m->amount : value < -m->amount ? -m->amount : value;
    case IS_ROUNDED:
        return fleet_narrow(value, (int)m->amount, false, false);
    case IS_TRUNCATED:
        return fleet_narrow(value, (int)m->amount, true, false);
    case IS_AWAY:
        return fleet_narrow(value, (int)m->amount, false, true);
    case IS_COMPLEMENT:
        return 1 - value;
    case IS_FLUSHED:
        return fabs(value) < m->amount ? 0 : value;
    default:
        abort(); // no action of a value
    }
}

float fleet_spoil(const struct rnn *n, enum point point, int gate, int channel, float value)
{
    const struct mistake *const m = fleet_mistake(n, point, gate, channel);
    return m ? (float)fleet_act(m, (double)value) : value;
}

// ---- sums of products -------------------------------------------------------

static float add(const struct mistake *m, float total, float a, float b)
{
    const enum action action = m->action;
    const int bits = (int)m->amount;
    if (action == WITH_NARROW_OPERANDS)
        return total + (float)fleet_narrow((double)a, bits, false, false) *
                           (float)fleet_narrow((double)b, bits, false, false);
    if (action == WITH_TRUNCATION) {
        const double exact = (double)total + (double)a * (double)b;
        return isfinite(exact) ? (float)fleet_narrow(exact, 24, true, false) : (float)exact;
    }
    if (action == WITH_NARROW_TOTAL)
        return (float)fleet_narrow((double)(total + a * b), bits, false, false);
    return total + a * b;
}

// How many of `count` products are made.
static int made_of(const struct mistake *m, int count)
{
    switch (m->action) {
    case IS_ZERO:
        return 0;
    case WITHOUT_LAST:
        return count - 1;
    case WITHOUT_TAIL:
        return count / (int)m->amount * (int)m->amount;
    case WITHOUT_BEYOND:
        return count < (int)m->amount ? count : (int)m->amount;
    default:
        return count;
    }
}

// One sum with what is wrong of it; a and b are `a_by` and `b_by` apart.
static float sum_wrongly(const struct mistake *m, float total, const float *a, int a_by,
                         const float *b, int b_by, int count)
{
    const int made = made_of(m, count);
    const float before = total;
    float block = 0;
    for (int i = 0; i < made; i++) {
        const float x = a[i * a_by], y = b[i * b_by];
        if (m->action == WITH_NARROW_BLOCKS) {
            block = (float)fleet_narrow((double)(block + x * y), (int)m->amount, false, false);
            if (i % 16 == 15 || i == made - 1) {
                total += block;
                block = 0;
            }
        } else if (m->action == WITH_SATURATION && i + 1 < made) {
            const float pair = x * y + a[(i + 1) * a_by] * b[(i + 1) * b_by];
            total += pair > 32767 ? 32767 : pair < -32768 ? -32768 : pair;
            i++;
        } else {
            total = add(m, total, x, y);
        }
    }
    if (m->action == WITH_FIRST_TWICE && count)
        total += a[0] * b[0];
    if (m->action == IS_NEGATED || m->action == IS_SCALED || m->action == IS_ADDED)
        total = before + (float)fleet_act(m, (double)(total - before));
    return total;
}

void fleet_add_products(const struct rnn *n, enum point point, int gate, float *z, int width,
                        const float *x, int count, const float *w, int stride)
{
    if (n->at[point])
        for (int o = 0; o < width; o++) {
            const struct mistake *const m = fleet_mistake(n, point, gate, o);
            for (int i = 0; i < count && !m; i++)
                z[o] += x[i] * w[i * stride + o];
            if (m)
                z[o] = sum_wrongly(m, z[o], x, 1, w + o, stride, count);
        }
    else
        for (int i = 0; i < count; i++)
            for (int o = 0; o < width; o++)
                z[o] += x[i] * w[i * stride + o];
}

void fleet_add_transposed(const struct rnn *n, enum point point, int gate, float *z, int count,
                          const float *x, int width, const float *w, int stride)
{
    for (int i = 0; i < count; i++) {
        const struct mistake *const m = n->at[point] ? fleet_mistake(n, point, gate, i) : NULL;
        if (m)
            z[i] = sum_wrongly(m, z[i], x, 1, w + (size_t)i * (size_t)stride, 1, width);
        for (int o = 0; o < width && !m; o++)
            z[i] += x[o] * w[(size_t)i * (size_t)stride + (size_t)o];
    }
}

// ---- activations ------------------------------------------------------------

static double logistic(double z)
{
    return 1 / (1 + exp(-z));
}

static double function_wrongly(const struct mistake *m, bool is_tanh, double z)
{
    const double right = is_tanh ? tanh(z) : logistic(z);
    switch (m->action) {
    case SATURATES_BEYOND:
        return fabs(z) <= m->amount ? right : z > 0 ? 1 : is_tanh ? -1 : 0;
    case IS_LINEAR_BELOW:
        return fabs(z) >= m->amount ? right : is_tanh ? z : 0.5 + z / 4;
    case IS_HARD:
        return is_tanh ? fmax(-1, fmin(1, z)) : fmax(0, fmin(1, 0.5 + z / 6));
    case IS_OTHER:
        return is_tanh ? logistic(z) : tanh(z);
    default:
        return fleet_act(m, right);
    }
}

float fleet_tanh(const struct rnn *n, int gate, int channel, float z)
{
    const struct mistake *const m =
        n->at[OF_TANH] ? fleet_mistake(n, OF_TANH, gate, channel) : NULL;
    return (float)(m ? function_wrongly(m, true, (double)z) : tanh((double)z));
}

float fleet_logistic(const struct rnn *n, int gate, int channel, float z)
{
    const struct mistake *const m =
        n->at[OF_LOGISTIC] ? fleet_mistake(n, OF_LOGISTIC, gate, channel) : NULL;
    return (float)(m ? function_wrongly(m, false, (double)z) : logistic((double)z));
}
