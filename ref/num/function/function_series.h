// SPDX-License-Identifier: Apache-2.0
// Elementary functions in double, on vectors (vector.h).
//
// Every step is a Taylor series after exact argument reduction, so that the error is a count of
// roundings and a remainder anyone can check; ref/PROOFS.md, "Functions", does. Private to
// function_kernel.h.

#include <math.h>
#include <stdbool.h>

#include "ref/num/function/erf_inv_table.h"
#include "ref/num/function/erf_table.h"

#define INLINE static inline __attribute__((always_inline))

static inline vector horner(vector p, vector z, double coefficient)
{
    return fused(p, z, splat(coefficient));
}

static inline vector with_sign_of(vector magnitude, vector sign)
{
    return (vector)((words)magnitude | ((words)sign & UINT64_C(0x8000000000000000)));
}

// 1.5 * 2^52: adding it rounds to an integer, which then stands in the low bits.
static const double shifter = 0x1.8p52;
static const double log2_e = 0x1.71547652b82fep+0;
static const double ln2_high =
    0x1.62e42fefa3800p-1; // 42 bits: times an integer below 2^11 is exact
static const double ln2_low = 0x1.ef35793c76730p-45;

// x = k ln 2 + r, |r| <= 0.3466: gives r and *scale = 2^k. |x| <= 700.
static inline vector reduced(vector x, vector *scale)
{
    const vector shifted = fused(x, splat(log2_e), splat(shifter));
    const vector k = shifted - shifter;
    *scale = (vector)(((words)shifted + 1023) << 52);
    return fused(k, splat(-ln2_low), fused(k, splat(-ln2_high), x));
}

// exp(r) - 1
static inline vector expm1_series(vector r)
{
    // The series to r^12 / 12!, by Estrin's scheme: short chains that run beside each other.
    const vector z = r * r, zz = z * z;
    const vector p0 = fused(r, splat(1.0 / 6), splat(0.5)),
                 p2 = fused(r, splat(1.0 / 120), splat(1.0 / 24));
    const vector p4 = fused(r, splat(1.0 / 5040), splat(1.0 / 720)),
                 p6 = fused(r, splat(1.0 / 362880), splat(1.0 / 40320));
    const vector p8 =
        fused(z, splat(1.0 / 479001600), fused(r, splat(1.0 / 39916800), splat(1.0 / 3628800)));
    const vector high = fused(zz, p8, fused(z, p6, p4));
    return fused(z, fused(zz, high, fused(z, p2, p0)), r);
}

// Both for |x| <= 700.
static inline vector exp_of(vector x)
{
    vector scale;
    const vector p = expm1_series(reduced(x, &scale));
    return fused(scale, p, scale);
}

#ifdef PIECES
// 2^(j / PIECES)
static const double exp_roots[PIECES] = {
#if PIECES == 8
    0x1.0000000000000p+0, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0,
    0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0};
#else
    0x1.0000000000000p+0, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0, 0x1.ae89f995ad3adp+0};
#endif
static const double exp_short_error = 0x1p-41;

// x = k ln 2 / PIECES + r: with 8 |r| <= 0.0434, and the series to r^6 / 6!, with 4 |r| <= 0.0867,
// and to r^7 / 7!.
static inline vector exp_short_of(vector x)
{
    const vector shifted = fused(x, splat(PIECES * log2_e), splat(shifter)), k = shifted - shifter;
    const vector r = fused(k, splat(-ln2_low / PIECES), fused(k, splat(-ln2_high / PIECES), x)),
                 z = r * r;
    const vector p0 = fused(r, splat(1.0 / 6), splat(0.5)),
                 p2 = fused(r, splat(1.0 / 120), splat(1.0 / 24)),
                 p4 =
                     PIECES == 8 ? splat(1.0 / 720) : fused(r, splat(1.0 / 5040), splat(1.0 / 720));
    const words whole = ((words)shifted & ~(uint64_t)(PIECES - 1)) << (PIECES == 8 ? 49 : 50);
    const vector scale = (vector)((words)CHOOSE(load(exp_roots), PLACES((words)shifted)) + whole);
    return fused(scale, fused(z, fused(z, fused(z, p4, p2), p0), r), scale);
}
#else
static const double exp_short_error = 0x1p-46;
static inline vector exp_short_of(vector x)
{
    return exp_of(x);
}
#endif

static inline vector expm1_of(vector x)
{
    vector scale;
    const vector p = expm1_series(reduced(x, &scale));
    return fused(scale, p, scale - 1);
}

// x, or the nearer limit; a NaN stays.
static inline vector clamped(vector x, double limit)
{
    x = (vector)GREATER(splat(-limit), x);
    return -(vector)GREATER(splat(-limit), -x);
}

// -|x|, and no less than -limit; a NaN stays.
static inline vector minus_absolute(vector x, double limit)
{
    return (vector)GREATER(splat(-limit), with_sign_of(x, splat(-1)));
}

// C = r coth(r/2), which makes exp(r) = (C + r) / (C - r): twice the sum of B(2n) r^2n / (2n)! with
// Bernoulli's numbers, whose terms alternate and fall.
static inline vector coth_series(vector r)
{
    const vector z = r * r, zz = z * z;
    const vector p0 = fused(z, splat(1.0 / 6), splat(2)),
                 p2 = fused(z, splat(1.0 / 15120), splat(-1.0 / 360));
    const vector p4 = fused(z, splat(1.0 / 23950080), splat(-1.0 / 604800));
    return fused(zz, fused(zz, p4, p2), p0);
}

// (1 - e) / (1 + e) with e = exp(-2|x|) = s (C + r) / (C - r) = (C (1 - s) - r (1 + s)) / (C (1 +
// s) - r (1 - s)): s = 1 leaves r / C, and below nothing cancels. tanh(30) is 1 - 2^-85.
static inline vector tanh_of(vector x)
{
    vector s;
    const vector r = reduced(2 * minus_absolute(x, 30), &s), c = coth_series(r);
    const vector difference = 1 - s, sum = 1 + s;
    return with_sign_of(absolute(fused(c, difference, -r * sum) / fused(c, sum, -r * difference)),
                        x);
}

// 1 / (1 + e) or e / (1 + e) with e = exp(-|x|) = s (C + r) / (C - r).
static inline vector logistic_of(vector x)
{
    vector s;
    const vector r = reduced(minus_absolute(x, 700), &s), c = coth_series(r);
    const vector one = c - r, e = c + r;
    return choose(x < 0, s * e, one) / fused(s, e, one);
}

// x positive, finite and normal: x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log m = 2 artanh((m
// - 1) / (m + 1)).
static inline vector log_of(vector x)
{
    const uint64_t least = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const words biased = ((words)x + (one - least)) >> 52; // k + 1023
    const vector m = (vector)((words)x - ((biased - 1023) << 52));
    const vector k = (vector)(biased + UINT64_C(0x4338000000000000)) - (shifter + 1023);
    const vector f = m - 1;
    const vector s = f / (2 + f), z = s * s;
    vector p = splat(2.0 / 21);
    p = horner(p, z, 2.0 / 19);
    p = horner(p, z, 2.0 / 17);
    p = horner(p, z, 2.0 / 15);
    p = horner(p, z, 2.0 / 13);
    p = horner(p, z, 2.0 / 11);
    p = horner(p, z, 2.0 / 9);
    p = horner(p, z, 2.0 / 7);
    p = horner(p, z, 2.0 / 5);
    p = horner(p, z, 2.0 / 3);
    const vector log_m = 2 * s + s * (z * p);
    return k * ln2_high + (k * ln2_low + log_m);
}

// log(u) for u = 1 + x rounded, and what the rounding lost, divided by u.
static inline vector log1p_of(vector x)
{
    const vector u = 1 + x;
    const vector lost = choose(x >= 1, 1 - (u - x), x - (u - 1));
    return log_of(u) + lost / u;
}

static inline vector sin_series(vector r)
{
    const vector z = r * r;
    vector p = splat(1.0 / 355687428096000.0); // 1/17!
    p = horner(p, z, -1.0 / 1307674368000.0);
    p = horner(p, z, 1.0 / 6227020800.0);
    p = horner(p, z, -1.0 / 39916800.0);
    p = horner(p, z, 1.0 / 362880.0);
    p = horner(p, z, -1.0 / 5040.0);
    p = horner(p, z, 1.0 / 120.0);
    p = horner(p, z, -1.0 / 6.0);
    return r + r * (z * p);
}

static inline vector cos_series(vector r)
{
    const vector z = r * r;
    vector p = splat(1.0 / 20922789888000.0); // 1/16!
    p = horner(p, z, -1.0 / 87178291200.0);
    p = horner(p, z, 1.0 / 479001600.0);
    p = horner(p, z, -1.0 / 3628800.0);
    p = horner(p, z, 1.0 / 40320.0);
    p = horner(p, z, -1.0 / 720.0);
    p = horner(p, z, 1.0 / 24.0);
    return 1 - (z * 0.5 - z * (z * p));
}

// sin(x + quarters * pi/2), |x| <= 2^20: Cody and Waite's reduction with pi/2 in parts of 33, 33
// and 53 bits.
static inline vector sin_of(vector x, int quarters)
{
    const vector shifted = x * 0x1.45f306dc9c883p-1 + shifter;
    const vector k = shifted - shifter;
    const vector r =
        ((x - k * 0x1.921fb5440p+0) - k * 0x1.0b4611a60p-34) - k * 0x1.3198a2e037073p-69;
    const words quadrant = (words)shifted + (uint64_t)quarters;
    const vector y = choose((mask)((quadrant & 1) == 1), cos_series(r), sin_series(r));
    return (vector)((words)y ^ ((quadrant & 2) << 62));
}

static inline vector erf_series(const double *coefficient, vector t)
{
    vector p = splat(coefficient[ERF_TERMS - 1]);
    for (int i = ERF_TERMS - 2; i >= 0; i--)
        p = horner(p, t, coefficient[i]);
    return p;
}

// x P(x^2), and 1 - P(|x|) where |x| is more than 3; beyond 6 erf is 1 to 2^-55.
static inline vector erf_of(vector x)
{
    const mask near = (mask)(absolute(x) <= 3);
    const vector y = x * erf_series(erf_near, fused(x * x, splat(2.0 / 9), splat(-1)));
    if (ALL(near))
        return y;
    const vector at = absolute(clamped(x, 6));
    const vector far = 1 - erf_series(erf_far, fused(at, splat(1 / 1.5), splat(-3)));
    return choose(near, y, with_sign_of(far, x));
}

// erf of ERF_BESIDE vectors within 3: what is made of each first, then the ratio erf(x) / x of all,
// in steps of chains that go beside each other. Long: off by at most erf_long_error of itself.
// Short, whose arguments come times erf_short_scale: erf is off by at most erf_short_relative times
// 1 - |erf|, and erf_short_absolute.
enum { ERF_BESIDE = 4 };
enum erf_way { ERF_LONG, ERF_SHORT };
struct erf_start {
    vector x, t, square;
    words places;
};
// Named one by one, so that compilers keep them in registers.
struct erf_chain {
    vector even, odd;
};
struct erf_chains {
    struct erf_chain a, b, c, d;
};
#if PIECES == 8
static const double erf_long_error = 0x1p-49;
static const double erf_short_relative = 0x1.2p-37, erf_short_absolute = 0x1.5p-48;
enum { ERF_LONG_TERMS = ERF_PIECE_TERMS };
INLINE void erf_begin_long(vector x, struct erf_start *to)
{
    const vector s = fused(x, x, splat(-erf_piece_first));
    const vector shifted = fused(s, splat(1 / erf_piece_width), splat(shifter));
    to->x = x;
    to->t = fused(shifted - shifter, splat(-erf_piece_width), s);
    to->places = (words)PLACES((words)shifted);
}

INLINE vector erf_coefficient_long(int i, const struct erf_start *of)
{
    return (vector)CHOOSE(load(erf_piece[i]), of->places);
}
#else
static const double erf_long_error = 0x1p-48;
enum { ERF_LONG_TERMS = ERF_TERMS };
INLINE void erf_begin_long(vector x, struct erf_start *to)
{
    to->x = x;
    to->t = fused(x * x, splat(2.0 / 9), splat(-1));
}

INLINE vector erf_coefficient_long(int i, const struct erf_start *of)
{
    (void)of;
    return splat(erf_near[i]);
}
#endif

#if PIECES == 8
enum { ERF_SHORT_CHAINS = 1 };
INLINE void erf_begin_short(vector x, struct erf_start *to)
{
    const vector s = fused(x, x, splat(-0.5)), shifted = s + shifter;
    to->x = x;
    to->t = s - (shifted - shifter);
    to->places = (words)PLACES((words)shifted);
}

INLINE vector erf_coefficient_short(int i, const struct erf_start *of)
{
    return (vector)CHOOSE(load(erf_short[i]), of->places);
}
#else
static const double erf_short_scale = 1, erf_short_relative = 0, erf_short_absolute = 0;
enum { ERF_SHORT_TERMS = ERF_LONG_TERMS, ERF_SHORT_CHAINS = 2 };
#define erf_begin_short erf_begin_long
#define erf_coefficient_short erf_coefficient_long
#endif

// Of t, or of t^2 for even and odd powers.
INLINE int erf_chains(enum erf_way way)
{
    return way == ERF_SHORT ? ERF_SHORT_CHAINS : 2;
}

INLINE int erf_terms(enum erf_way way)
{
    return way == ERF_SHORT ? ERF_SHORT_TERMS : ERF_LONG_TERMS;
}

INLINE int erf_steps(enum erf_way way)
{
    return (erf_terms(way) + erf_chains(way) - 1) / erf_chains(way);
}

INLINE void erf_begin(enum erf_way way, vector x, struct erf_start *to)
{
    if (way == ERF_SHORT)
        erf_begin_short(x, to);
    else
        erf_begin_long(x, to);
    to->square = to->t * to->t;
}

INLINE vector erf_coefficient(enum erf_way way, int i, const struct erf_start *of)
{
    return way == ERF_SHORT ? erf_coefficient_short(i, of) : erf_coefficient_long(i, of);
}

// All powers of t, or even and odd ones, each from the highest one on.
INLINE void erf_power(enum erf_way way, int step, const struct erf_start *of, struct erf_chain *to)
{
    if (erf_chains(way) == 1) {
        const vector c = erf_coefficient(way, erf_terms(way) - 1 - step, of);
        to->even = step ? fused(to->even, of->t, c) : c;
        return;
    }
    const int even = 2 * (erf_steps(way) - 1 - step),
              odd = erf_terms(way) % 2 ? even - 1 : even + 1;
    const vector a = erf_coefficient(way, even, of),
                 b = erf_coefficient(way, odd < 0 ? 0 : odd, of);
    to->even = step ? fused(to->even, of->square, a) : a;
    if (odd > 0)
        to->odd = step ? fused(to->odd, of->square, b) : b;
}

INLINE void erf_step(enum erf_way way, int step, const struct erf_start *of, struct erf_chains *to)
{
    erf_power(way, step, &of[0], &to->a);
    erf_power(way, step, &of[1], &to->b);
    erf_power(way, step, &of[2], &to->c);
    erf_power(way, step, &of[3], &to->d);
}

INLINE vector erf_end(enum erf_way way, const struct erf_start *of, const struct erf_chain *chain)
{
    return erf_chains(way) == 1 ? chain->even : fused(chain->odd, of->t, chain->even);
}

// erf of ERF_BESIDE vectors within 3, in place.
INLINE void erf_near_beside(vector *x)
{
    struct erf_start start[ERF_BESIDE];
    struct erf_chains chains;
    for (int v = 0; v < ERF_BESIDE; v++)
        erf_begin(ERF_LONG, x[v], &start[v]);
#pragma GCC unroll 32
    for (int step = 0; step < erf_steps(ERF_LONG); step++)
        erf_step(ERF_LONG, step, start, &chains);
    x[0] = x[0] * erf_end(ERF_LONG, &start[0], &chains.a);
    x[1] = x[1] * erf_end(ERF_LONG, &start[1], &chains.b);
    x[2] = x[2] * erf_end(ERF_LONG, &start[2], &chains.c);
    x[3] = x[3] * erf_end(ERF_LONG, &start[3], &chains.d);
}

// The same wherever they are, off by as much as erf_of.
INLINE void erf_beside(vector *x)
{
    mask near = ~(mask){0};
    for (int v = 0; v < ERF_BESIDE; v++)
        near &= (mask)(absolute(x[v]) <= 3);
    const bool all = ALL(near);
    if (all)
        erf_near_beside(x);
    for (int v = 0; v < ERF_BESIDE && !all; v++)
        x[v] = erf_of(x[v]);
}

static double erf_inv_ratio(double squared, double tail)
{
    const double at = squared <= 0.25 ? squared : tail;
    unsigned piece = 0;
    if (squared > 0.25)
        for (piece = 1; piece < ERF_INV_PIECES - 1 && at > erf_inv_piece[piece].to; piece++)
            ;
    const double from = erf_inv_piece[piece].from, to = erf_inv_piece[piece].to;
    const double t = (at - (from + to) / 2) * (2 / (to - from));
    double p = 0;
    for (int i = ERF_INV_TERMS - 1; i >= 0; i--)
        p = p * t + erf_inv_piece[piece].coefficient[i];
    return at <= to ? p : (double)NAN;
}

static inline vector erf_inv_of(vector x)
{
    const vector squared = x * x, logarithm = -log_of((1 - x) * (1 + x));
    vector ratio = {0};
    for (int i = 0; i < LANES; i++)
        ratio[i] = erf_inv_ratio(squared[i], sqrt(logarithm[i]));
    return x * ratio;
}
