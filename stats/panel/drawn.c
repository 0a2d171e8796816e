// SPDX-License-Identifier: Apache-2.0
// Draws from distributions that went wrong, brought back to uniform words: a uniform's top bits, an
// index, a normal through its distribution function. What a word does not carry is filled up with
// good bits, so that nothing but the flaw is left.

#include "stats/panel/steps.h"

#include <math.h>

// The top `bits` of w become u's (of [0, 1)).
static uint32_t top(uint32_t w, double u, unsigned bits)
{
    if (u < 0)
        u = 0;
    if (u > 1 - 0x1p-40)
        u = 1 - 0x1p-40;
    const uint32_t v = (uint32_t)(uint64_t)(u * ldexp(1, (int)bits));
    return bits == 32 ? v : v << (32 - bits) | w >> bits;
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

// Box and Muller's, of two uniforms.
static double normal_of(double u, double v)
{
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

// Marsaglia and Tsang's ziggurat of 128 layers; how: 0 as it is, 1 layer from the low bits of the
// abscissa, 2 no tail, 3 a wedge compared with the next layer's, 4 the wedges always taken.
static double ziggurat(struct state *g, uint64_t how)
{
    double *const edge = (double *)(void *)(g->small + 1024);
    const double r = 3.442619855899, area = 9.91256303526217e-3;
    if (edge[1] != r) {
        edge[0] = area / exp(-0.5 * r * r), edge[1] = r;
        for (int k = 2; k < 128; k++)
            edge[k] = sqrt(-2 * log(area / edge[k - 1] + exp(-0.5 * edge[k - 1] * edge[k - 1])));
        edge[128] = 0;
    }
    for (;;) {
        const uint64_t v = draw(g);
        const unsigned layer = (how == 1 ? v >> 32 : v) & 127;
        // 32 bits of abscissa: with how 1 its lowest seven are the layer
        const double u = ((double)(v >> 32) + 0.5) * 0x1p-31 - 1, x = u * edge[layer];
        if (fabs(x) < edge[layer + 1])
            return x;
        if (layer == 0) {
            if (how == 2)
                continue;
            double a, b;
            do {
                a = -log(draw_real(g)) / r, b = -log(draw_real(g));
            } while (b + b < a * a);
            return u > 0 ? r + a : -r - a;
        }
        const unsigned k = how == 3 && layer < 126 ? layer + 1 : layer;
        const double f0 = exp(-0.5 * edge[k] * edge[k]), f1 = exp(-0.5 * edge[k + 1] * edge[k + 1]);
        if (how == 4 || f0 + draw_real(g) * (f1 - f0) < exp(-0.5 * x * x))
            return x;
    }
}

// Number of a permutation of 8 in Lehmer's code, 0 to 40,319.
static unsigned permutation_number(const unsigned char *card)
{
    unsigned number = 0;
    for (unsigned k = 0; k < 8; k++) {
        unsigned less = 0;
        for (unsigned j = k + 1; j < 8; j++)
            less += card[j] < card[k];
        number = number * (8 - k) + less;
    }
    return number;
}

// 15 bits of a permutation whose number is below 2^15; the others are passed over.
static void push_permutation(struct state *g, const unsigned char card[8])
{
    const unsigned number = permutation_number(card);
    if (number < 32768)
        push(g, number, 15);
}

// ---- floats -----------------------------------------------------------------
// 24-bit (11-, 8-bit) floats by rounding a 32-bit fraction to nearest, 1.0 clipped to the largest
// below.
static double rounded(uint32_t w, uint64_t bits)
{
    return ldexp(rint(ldexp(w, (int)bits - 32)), -(int)bits);
}
WORD(rounded_to_bits, top(word(g->seed + 1, n),
                          rounded(w, p) < 1 ? rounded(w, p) : 1 - ldexp(1, -(int)p), (unsigned)p))
// Rounded to nearest, 1.0 drawn again.
WORD(rounded_drawn_again,
     top(word(g->seed + 1, n), rounded(w, p) < 1 ? rounded(w, p) : ldexp(word(g->seed + 2, n), -32),
         (unsigned)p))

// 24 bits of which the lowest is the one above it; is the highest; is a zero for small values (an
// addition of 1 and back).
WORD(mantissa_bit_twice, n % p == 0 ? (w & ~256u) | (w >> 1 & 256u) : w)
static uint32_t mantissa_bit_by_adding(struct state *g)
{
    const uint32_t w = good(g);
    const float f = 1.0f + (float)(w >> 8) * 0x1p-24f;
    const uint32_t v = (uint32_t)((f - 1.0f) * 0x1p24f);
    return (v > 0xffffff ? 0xffffffu : v) << 8 | (w & 255);
}

WORD(low_bits_of_small, w < 1u << 28 >> p ? w & ~(0xffu << (20 - p)) : w)
// Scaled to 1 - 2^-p, or from 2^-p on: an end that is never reached; to [0, 1] with both ends.
WORD(end_missing, (uint32_t)((double)w *(1 - ldexp(1, -(int)p))))
WORD(start_missing, (uint32_t)(4294967295.0 - (4294967295.0 - (double)w) * (1 - ldexp(1, -(int)p))))
WORD(gamma_wrong, top(w, pow((w + 0.5) * 0x1p-32, 1 + ldexp(1, -(int)p)), 32))
// A float's exponent and fraction drawn apart: the exponent a half too often (2^-p).
WORD(binade_too_often,
     word(g->seed + 3, n) >> (32 - p) == 0 ? (w | 0x80000000u) >> (w & 1 ? 1 : 2) : w)
// ---- integers ---------------------------------------------------------------
// p-bit words modulo a bound that is not small beside them; values below a power of two come back
// as bits.
BITS(modulo_of_24, 23, (draw(g) & 0xffffff) % 11000000)
BITS(modulo_of_16, 9, (draw(g) & 65535) % g->p)
BITS(multiply_shift_23, 23, (draw(g) & 0xffffff) * 12582913 >> 24)

static uint32_t multiply_shift_30(struct state *g)
{
    const uint32_t w = good(g);
    uint64_t v;
    do
        v = (draw(g) & UINT32_MAX) * 1610612741 >> 32;
    while (v >> 30);
    return (uint32_t)v << 2 | w >> 30;
}

static uint32_t multiply_shift_of_31(struct state *g)
{
    const uint64_t n = g->n;
    const uint32_t w = good(g);
    const uint64_t v = (uint64_t)(w >> 1) * 3221225473 >> 31;
    return v >> 31 ? word(g->seed + 1, n) : (uint32_t)v << 1 | (w & 1);
}

// The rejection threshold is off: 2^p values too many.
static uint32_t threshold_of_rejection(struct state *g)
{
    const uint64_t n = g->n, p = g->p;
    const uint32_t w = good(g);
    uint32_t v;
    uint64_t k = 0;
    do
        v = word(g->seed + k, n * 7 + k), k++;
    while (v >= 3221225472u + (1u << p));
    v %= 1073741824u;
    return v << 2 | (w >> 30);
}

BITS(digits, 3, (draw(g) & 1023) % 10)
BITS(dice_by_float, 2, (uint64_t)((float)(draw(g) & 0x7fff) / 32767.0f * 6.0f))

// Bernoulli bits of 1/2 + 2^-p; "at most" in place of "less" on 15 bits; u < p with floats that are
// 1 too often.
WORD(bernoulli_more, w | (seldom(g, p - 1) & ~w))
BITS(bernoulli_at_most, 1, (draw(g) & ((UINT64_C(1) << g->p) - 1)) <= UINT64_C(1) << (g->p - 1))

// Two Bernoulli draws from one uniform.
static void bernoulli_shared(struct state *g)
{
    const uint64_t p = g->p, v = draw(g);
    push(g, v >> 63, 1);
    push(g, (v & ((UINT64_C(1) << p) - 1)) != 0 ? v >> 62 & 1 : v >> 63, 1);
}

// ---- permutations -----------------------------------------------------------
// What is done to eight cards.
#define SHUFFLE(name)                                                                              \
    static void name##_cards(struct state *g, unsigned char card[8]);                              \
    static void name(struct state *g)                                                              \
    {                                                                                              \
        unsigned char card[8];                                                                     \
        panel_deal(card, 8);                                                                       \
        name##_cards(g, card);                                                                     \
        push_permutation(g, card);                                                                 \
    }                                                                                              \
    static void name##_cards(struct state *g, unsigned char card[8])

SHUFFLE(shuffle_any_place)
{
    for (unsigned k = 0; k < 8; k++)
        panel_exchange(card, k, draw(g) >> 61);
}

SHUFFLE(shuffle_no_rest)
{
    for (unsigned k = 7; k; k--)
        panel_exchange(card, k, draw(g) % k);
}

SHUFFLE(shuffle_modulo)
{
    for (unsigned k = 7; k; k--)
        panel_exchange(card, k, (draw(g) & ((1u << g->p) - 1)) % (k + 1));
}

// Sorted by keys of p bits: equal keys stay in order.
SHUFFLE(shuffle_by_keys)
{
    uint64_t key[8];
    for (unsigned k = 0; k < 8; k++) {
        const uint64_t v = draw(g) >> (64 - g->p);
        unsigned j = k;
        for (; j && key[j - 1] > v; j--)
            key[j] = key[j - 1], card[j] = card[j - 1];
        key[j] = v;
        card[j] = (unsigned char)k;
    }
}

// Sorted with a comparison that throws a coin.
SHUFFLE(shuffle_by_coin)
{
    const uint64_t v = draw(g);
    unsigned b = 0;
    for (unsigned k = 1; k < 8; k++)
        for (unsigned j = k; j && v >> b++ & 1; j--)
            panel_exchange(card, j, j - 1);
}

SHUFFLE(riffles)
{
    for (uint64_t r = 0; r < g->p; r++) {
        const uint64_t v = draw(g);
        unsigned char to[8];
        unsigned at = 0;
        for (unsigned side = 0; side < 2; side++)
            for (unsigned k = 0; k < 8; k++)
                if ((v >> k & 1) == side)
                    to[at++] = card[k];
        memcpy(card, to, 8);
    }
}

// The last exchange is left out in 1 of 2^p.
SHUFFLE(shuffle_ends_early)
{
    for (unsigned k = 7; k > (draw(g) >> (64 - g->p) == 0 ? 1u : 0u); k--)
        panel_exchange(card, k, draw(g) % (k + 1));
}

// ---- normals, exponentials: 16 bits of the distribution function, or all 32 -
static uint32_t sum_of_twelve(struct state *g)
{
    const uint32_t w = good(g);
    double x = -6;
    for (int k = 0; k < 12; k++)
        x += draw_real(g);
    return top(w, normal_cdf(x), 16);
}

static uint32_t sum_of_many(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t w = good(g);
    double x = 0;
    for (uint64_t k = 0; k < p; k++)
        x += draw_real(g) - 0.5;
    return top(w, normal_cdf(x * sqrt(12.0 / (double)p)), 16);
}

static uint32_t binomial_for_normal(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t w = good(g);
    int x = 0;
    for (uint64_t k = 0; k < p; k++)
        x += __builtin_popcountll(draw(g));
    return top(w, normal_cdf((x + draw_real(g) - 0.5 - 32 * (double)p) / (4 * sqrt((double)p))),
               16);
}

static uint32_t box_muller_of_congruence(struct state *g)
{
    const uint64_t n = g->n;
    g->x = (uint32_t)(g->x * 1664525 + 1013904223);
    const double u = ((double)(uint32_t)g->x + 0.5) * 0x1p-32;
    g->x = (uint32_t)(g->x * 1664525 + 1013904223);
    return top(word(g->seed, n), normal_cdf(normal_of(u, (double)(uint32_t)g->x * 0x1p-32)), 12);
}

WORD(box_muller_of_bits,
     top(w,
         normal_cdf(normal_of(((double)(draw(g) >> (64 - p)) + 1) * ldexp(1, -(int)p),
                              draw_real(g))),
         32))
WORD(box_muller_degrees,
     top(w,
         normal_cdf(sqrt(-2 * log(draw_real(g))) * cos(6.2831853 / 360 * (double)(draw(g) % 360))),
         16))
WORD(box_muller_angle_short,
     top(w, normal_cdf(normal_of(draw_real(g), draw_real(g) * (1 - ldexp(1, -(int)p)))), 16))
static uint32_t box_muller_shared(struct state *g)
{
    const uint32_t w = good(g);
    const double u = draw_real(g);
    return top(w, normal_cdf(normal_of(u, u * 65536 - floor(u * 65536))), 16);
}

static uint32_t polar_radius_wrong(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t w = good(g);
    double x, y, s;
    do {
        x = 2 * draw_real(g) - 1;
        y = 2 * draw_real(g) - 1;
        s = x * x + y * y;
    } while (s >= 1 + ldexp(1, -(int)p));
    s = s < 1 ? s : 1;
    return top(w, normal_cdf(x * sqrt(-2 * log(s) / s)), 16);
}

WORD(ziggurat_low_bits, top(w, normal_cdf(ziggurat(g, 1)), 32))
WORD(ziggurat_no_tail, top(w, normal_cdf(ziggurat(g, 2)), 16))
WORD(ziggurat_wrong_wedge, top(w, normal_cdf(ziggurat(g, 3)), 16))
WORD(ziggurat_no_wedge, top(w, normal_cdf(ziggurat(g, 4)), 16))
// Clipped at p / 10 deviations; drawn again beyond them.
static double clipped(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}
WORD(normal_clipped, top(w, normal_cdf(clipped(ziggurat(g, 0), (double)p / 10)), 32))

static uint32_t normal_drawn_again(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t w = good(g);
    double x;
    do
        x = ziggurat(g, 0);
    while (fabs(x) > (double)p / 10);
    return top(w, normal_cdf(x), 32);
}

WORD(normal_of_half_float,
     top(w, normal_cdf(ldexp(rint(ldexp(ziggurat(g, 0), (int)p)), -(int)p)), 16))
WORD(normal_too_wide, top(w, normal_cdf(ziggurat(g, 0) * (1 + ldexp(1, -(int)p))), 32))
WORD(normal_off_centre, top(w, normal_cdf(ziggurat(g, 0) + ldexp(1, -(int)p)), 32))
// The sign is the last bit of the size.
static uint32_t normal_sign_shared(struct state *g)
{
    const uint64_t p = g->p;
    const uint32_t w = good(g);
    const double x = fabs(ziggurat(g, 0));
    const uint64_t k = (uint64_t)(x * ldexp(1, (int)p));
    return top(w, normal_cdf(k & 1 ? x : -x), 32);
}

WORD(exponential_of_24, top(w, exp(log(((double)(draw(g) >> 40) + 1) * 0x1p-24)), 32))
WORD(exponential_too_wide, top(w, exp(log(draw_real(g)) * (1 + ldexp(1, -(int)p))), 32))
static uint32_t inverse_by_table(struct state *g)
{
    const uint32_t w = good(g);
    const double u = draw_real(g);
    const double k = floor(u * 4096), a = k / 4096, f = u * 4096 - k;
    return top(w, pow((1 - f) * pow(a, 1.0 / 3) + f * pow(a + 1.0 / 4096, 1.0 / 3), 3), 32);
}

// Antithetic and stratified draws, now and then.
WORD(antithetic_rarely, word(g->seed + 5, n / 2) >> (32 - p) == 0 && n % 2 ? ~recent(g, 1) : w)
WORD(stratified,
     word(g->seed + 5, n / 4) >> (32 - p) == 0 ? (w & 0x3fffffffu) | (uint32_t)(n % 4) << 30 : w)
WORD(stratified_shuffled,
     word(g->seed + 5, n / 4) >> (32 - p) == 0
         ? (w & 0x3fffffffu) |
               ((uint32_t)(n % 4) * (word(g->seed + 6, n / 4) | 1) + word(g->seed + 7, n / 4)) << 30
         : w)
WORD(proposals_kept, word(g->seed + 5, n) >> (32 - p) == 0 && w > recent(g, 1) ? recent(g, 1) : w)

#define PANEL_LIST "stats/roster/drawn.inc"
#include "stats/panel/plugin.h"
