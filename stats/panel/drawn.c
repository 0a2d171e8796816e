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
static double ziggurat(struct steps *g, uint64_t how)
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
#define SHUFFLE(name, ...)                                                                         \
    BITS(name, unsigned char card[8]; for (unsigned k = 0; k < 8; k++) card[k] = (unsigned char)k; \
         __VA_ARGS__; const unsigned number = permutation_number(card);                            \
         if (number < 32768) push(g, number, 15))
#define EXCHANGE(a, b)                                                                             \
    {                                                                                              \
        const unsigned char t_ = card[a];                                                          \
        card[a] = card[b];                                                                         \
        card[b] = t_;                                                                              \
    }

// clang-format off: one flaw a line
// ---- floats -----------------------------------------------------------------
// 24-bit (11-, 8-bit) floats by rounding a 32-bit fraction to nearest, 1.0 clipped to the largest
// below.
EACH(rounded_to_bits, const double u = ldexp(rint(ldexp(w, (int)p - 32)), -(int)p);
     w = top(word(SEED + 1, n), u >= 1 ? 1 - ldexp(1, -(int)p) : u, (unsigned)p))
// Rounded to nearest, 1.0 drawn again.
EACH(
    rounded_drawn_again, const double u = ldexp(rint(ldexp(w, (int)p - 32)), -(int)p); if (u >= 1) {
        w = top(word(SEED + 1, n), ldexp(word(SEED + 2, n), -32), (unsigned)p);
    } else w = top(word(SEED + 1, n), u, (unsigned)p))
// 24 bits of which the lowest is the one above it; is the highest; is a zero for small values (an
// addition of 1 and back).
EACH(mantissa_bit_twice, if (n % p == 0) w = (w & ~256u) | (w >> 1 & 256u))
EACH(mantissa_bit_by_adding, const float f = 1.0f + (float)(w >> 8) * 0x1p-24f;
     const uint32_t v = (uint32_t)((f - 1.0f) * 0x1p24f);
     w = (v > 0xffffff ? 0xffffffu : v) << 8 | (w & 255))
EACH(low_bits_of_small, if (w < 1u << 28 >> p) w &= ~(0xffu << (20 - p)))
// Scaled to 1 - 2^-p, or from 2^-p on: an end that is never reached; to [0, 1] with both ends.
EACH(end_missing, w = (uint32_t)((double)w * (1 - ldexp(1, -(int)p))))
EACH(start_missing,
     w = (uint32_t)(4294967295.0 - (4294967295.0 - (double)w) * (1 - ldexp(1, -(int)p))))
EACH(gamma_wrong, w = top(w, pow((w + 0.5) * 0x1p-32, 1 + ldexp(1, -(int)p)), 32))
// A float's exponent and fraction drawn apart: the exponent a half too often (2^-p).
EACH(binade_too_often,
     if (word(SEED + 3, n) >> (32 - p) == 0) w = (w | 0x80000000u) >> (w & 1 ? 1 : 2))
// ---- integers ---------------------------------------------------------------
// p-bit words modulo a bound that is not small beside them; values below a power of two come back
// as bits.
BITS(modulo_of_24, const uint64_t v = (draw(g) & 0xffffff) % 11000000;
     if (v < 8388608) push(g, v, 23))
BITS(modulo_of_16, const uint64_t v = (draw(g) & 65535) % p; if (v < 512) push(g, v, 9))
BITS(multiply_shift_23, const uint64_t v = (draw(g) & 0xffffff) * 12582913 >> 24;
     if (v < 8388608) push(g, v, 23))
EACH(multiply_shift_30, uint64_t v; do v = (draw(g) & UINT32_MAX) * 1610612741 >> 32;
     while (v >> 30); w = (uint32_t)v << 2 | w >> 30)
EACH(multiply_shift_of_31, const uint64_t v = (uint64_t)(w >> 1) * 3221225473 >> 31;
     w = v >> 31 ? word(SEED + 1, n) : (uint32_t)v << 1 | (w & 1))
// The rejection threshold is off: 2^p values too many.
EACH(threshold_of_rejection, uint32_t v; uint64_t k = 0; do v = word(SEED + k, n * 7 + k), k++;
     while (v >= 3221225472u + (1u << p)); v %= 1073741824u; w = v << 2 | (w >> 30))
BITS(digits, const uint64_t v = (draw(g) & 1023) % 10; if (v < 8) push(g, v, 3))
BITS(dice_by_float, const uint64_t v = (uint64_t)((float)(draw(g) & 0x7fff) / 32767.0f * 6.0f);
     if (v < 4) push(g, v, 2))
// Bernoulli bits of 1/2 + 2^-p; "at most" in place of "less" on 15 bits; u < p with floats that are
// 1 too often.
EACH(bernoulli_more, w |= seldom(g, p - 1) & ~w)
BITS(bernoulli_at_most, push(g, (draw(g) & ((UINT64_C(1) << p) - 1)) <= UINT64_C(1) << (p - 1), 1))
// Two Bernoulli draws from one uniform.
BITS(bernoulli_shared, const uint64_t v = draw(g); push(g, v >> 63, 1);
     push(g, (v & ((UINT64_C(1) << p) - 1)) != 0 ? v >> 62 & 1 : v >> 63, 1))
// ---- permutations -----------------------------------------------------------
SHUFFLE(shuffle_any_place, for (unsigned k = 0; k < 8; k++) EXCHANGE(k, draw(g) >> 61))
SHUFFLE(shuffle_no_rest, for (unsigned k = 7; k; k--) EXCHANGE(k, draw(g) % k))
SHUFFLE(shuffle_modulo,
        for (unsigned k = 7; k; k--) EXCHANGE(k, (draw(g) & ((1u << p) - 1)) % (k + 1)))
// Sorted by keys of p bits: equal keys stay in order.
SHUFFLE(
    shuffle_by_keys, uint64_t key[8]; for (unsigned k = 0; k < 8; k++) {
        const uint64_t v = draw(g) >> (64 - p);
        unsigned j = k;
        for (; j && key[j - 1] > v; j--)
            key[j] = key[j - 1], card[j] = card[j - 1];
        key[j] = v;
        card[j] = (unsigned char)k;
    })
// Sorted with a comparison that throws a coin.
SHUFFLE(shuffle_by_coin, const uint64_t v = draw(g); unsigned b = 0;
        for (unsigned k = 1; k < 8; k++) for (unsigned j = k; j && v >> b++ & 1; j--)
            EXCHANGE(j, j - 1))
SHUFFLE(
    riffles, for (uint64_t r = 0; r < p; r++) {
        const uint64_t v = draw(g);
        unsigned char to_[8];
        unsigned at = 0;
        for (unsigned side = 0; side < 2; side++)
            for (unsigned k = 0; k < 8; k++)
                if ((v >> k & 1) == side)
                    to_[at++] = card[k];
        memcpy(card, to_, 8);
    })
// The last exchange is left out in 1 of 2^p.
SHUFFLE(shuffle_ends_early, for (unsigned k = 7; k > (draw(g) >> (64 - p) == 0 ? 1u : 0u); k--)
                                EXCHANGE(k, draw(g) % (k + 1)))
// ---- normals, exponentials: 16 bits of the distribution function, or all 32 -
EACH(sum_of_twelve, double x = -6; for (int k = 0; k < 12; k++) x += draw_real(g);
     w = top(w, normal_cdf(x), 16))
EACH(sum_of_many, double x = 0; for (uint64_t k = 0; k < p; k++) x += draw_real(g) - 0.5;
     w = top(w, normal_cdf(x *sqrt(12.0 / (double)p)), 16))
EACH(binomial_for_normal, int x = 0;
     for (uint64_t k = 0; k < p; k++) x += __builtin_popcountll(draw(g));
     w = top(w, normal_cdf((x + draw_real(g) - 0.5 - 32 * (double)p) / (4 * sqrt((double)p))), 16))
EACH(box_muller_of_congruence, g->x = (uint32_t)(g->x * 1664525 + 1013904223);
     const double u = ((double)(uint32_t)g->x + 0.5) * 0x1p-32;
     g->x = (uint32_t)(g->x * 1664525 + 1013904223);
     w = top(word(SEED, n), normal_cdf(normal_of(u, (double)(uint32_t)g->x * 0x1p-32)), 12))
EACH(box_muller_of_bits,
     w = top(w,
             normal_cdf(normal_of(((double)(draw(g) >> (64 - p)) + 1) * ldexp(1, -(int)p),
                                  draw_real(g))),
             32))
EACH(box_muller_degrees, w = top(w,
                                 normal_cdf(sqrt(-2 * log(draw_real(g))) *
                                            cos(6.2831853 / 360 * (double)(draw(g) % 360))),
                                 16))
EACH(box_muller_angle_short,
     w = top(w, normal_cdf(normal_of(draw_real(g), draw_real(g) * (1 - ldexp(1, -(int)p)))), 16))
EACH(box_muller_shared, const double u = draw_real(g);
     w = top(w, normal_cdf(normal_of(u, u * 65536 - floor(u * 65536))), 16))
EACH(
    polar_radius_wrong, double x; double y; double s; do {
        x = 2 * draw_real(g) - 1;
        y = 2 * draw_real(g) - 1;
        s = x * x + y * y;
    } while (s >= 1 + ldexp(1, -(int)p));
    s = s < 1 ? s : 1; w = top(w, normal_cdf(x *sqrt(-2 * log(s) / s)), 16))
EACH(ziggurat_low_bits, w = top(w, normal_cdf(ziggurat(g, 1)), 32))
EACH(ziggurat_no_tail, w = top(w, normal_cdf(ziggurat(g, 2)), 16))
EACH(ziggurat_wrong_wedge, w = top(w, normal_cdf(ziggurat(g, 3)), 16))
EACH(ziggurat_no_wedge, w = top(w, normal_cdf(ziggurat(g, 4)), 16))
// Clipped at p / 10 deviations; drawn again beyond them.
EACH(normal_clipped, double x = ziggurat(g, 0); const double most = (double)p / 10;
     x = x > most    ? most
         : x < -most ? -most
                     : x;
     w = top(w, normal_cdf(x), 32))
EACH(normal_drawn_again, double x; do x = ziggurat(g, 0); while (fabs(x) > (double)p / 10);
     w = top(w, normal_cdf(x), 32))
EACH(normal_of_half_float, const double x = ldexp(rint(ldexp(ziggurat(g, 0), (int)p)), -(int)p);
     w = top(w, normal_cdf(x), 16))
EACH(normal_too_wide, w = top(w, normal_cdf(ziggurat(g, 0) * (1 + ldexp(1, -(int)p))), 32))
EACH(normal_off_centre, w = top(w, normal_cdf(ziggurat(g, 0) + ldexp(1, -(int)p)), 32))
// The sign is the last bit of the size.
EACH(normal_sign_shared, const double x = fabs(ziggurat(g, 0));
     const uint64_t k = (uint64_t)(x * ldexp(1, (int)p));
     w = top(w, normal_cdf(k & 1 ? x : -x), 32))
EACH(exponential_of_24, w = top(w, exp(log(((double)(draw(g) >> 40) + 1) * 0x1p-24)), 32))
EACH(exponential_too_wide, w = top(w, exp(log(draw_real(g)) * (1 + ldexp(1, -(int)p))), 32))
EACH(inverse_by_table, const double u = draw_real(g); const double k = floor(u * 4096);
     const double a = k / 4096; const double f = u * 4096 - k;
     w = top(w, pow((1 - f) * pow(a, 1.0 / 3) + f * pow(a + 1.0 / 4096, 1.0 / 3), 3), 32))
// Antithetic and stratified draws, now and then.
EACH(antithetic_rarely, if (word(SEED + 5, n / 2) >> (32 - p) == 0 && n % 2) w = ~BACK(1))
EACH(stratified,
     if (word(SEED + 5, n / 4) >> (32 - p) == 0) w = (w & 0x3fffffffu) | (uint32_t)(n % 4) << 30)
EACH(stratified_shuffled,
     if (word(SEED + 5, n / 4) >> (32 - p) == 0)
         w = (w & 0x3fffffffu) |
             ((uint32_t)(n % 4) * (word(SEED + 6, n / 4) | 1) + word(SEED + 7, n / 4)) << 30)
EACH(proposals_kept, if (word(SEED + 5, n) >> (32 - p) == 0 && w > BACK(1)) w = BACK(1))
// clang-format on

const struct panel_generator panel_generators[] = {
    WITH(rounded_to_bits, 8),
    WITH(rounded_to_bits, 11),
    WITH(rounded_to_bits, 20),
    WITH(rounded_drawn_again, 8),
    WITH(rounded_drawn_again, 11),
    WITH(mantissa_bit_twice, 1),
    WITH(mantissa_bit_twice, 1000),
    ONE(mantissa_bit_by_adding),
    WITH(low_bits_of_small, 0),
    WITH(low_bits_of_small, 6),
    WITH(end_missing, 10),
    WITH(end_missing, 16),
    WITH(end_missing, 20),
    WITH(start_missing, 16),
    WITH(gamma_wrong, 8),
    WITH(gamma_wrong, 12),
    WITH(binade_too_often, 8),
    WITH(binade_too_often, 11),
    ONE(modulo_of_24),
    WITH(modulo_of_16, 600),
    WITH(modulo_of_16, 700),
    ONE(multiply_shift_23),
    ONE(multiply_shift_30),
    ONE(multiply_shift_of_31),
    WITH(threshold_of_rejection, 20),
    WITH(threshold_of_rejection, 24),
    ONE(digits),
    ONE(dice_by_float),
    WITH(bernoulli_more, 10),
    WITH(bernoulli_more, 14),
    WITH(bernoulli_at_most, 12),
    WITH(bernoulli_at_most, 15),
    WITH(bernoulli_shared, 8),
    WITH(bernoulli_shared, 12),
    ONE(shuffle_any_place),
    ONE(shuffle_no_rest),
    WITH(shuffle_modulo, 6),
    WITH(shuffle_modulo, 11),
    WITH(shuffle_by_keys, 6),
    WITH(shuffle_by_keys, 11),
    ONE(shuffle_by_coin),
    WITH(riffles, 5),
    WITH(riffles, 10),
    WITH(shuffle_ends_early, 5),
    WITH(shuffle_ends_early, 9),
    ONE(sum_of_twelve),
    WITH(sum_of_many, 32),
    WITH(binomial_for_normal, 2),
    ONE(box_muller_of_congruence),
    WITH(box_muller_of_bits, 15),
    WITH(box_muller_of_bits, 20),
    ONE(box_muller_degrees),
    WITH(box_muller_angle_short, 6),
    WITH(box_muller_angle_short, 10),
    ONE(box_muller_shared),
    WITH(polar_radius_wrong, 5),
    WITH(polar_radius_wrong, 9),
    ONE(ziggurat_low_bits),
    ONE(ziggurat_no_tail),
    ONE(ziggurat_wrong_wedge),
    ONE(ziggurat_no_wedge),
    WITH(normal_clipped, 40),
    WITH(normal_clipped, 50),
    WITH(normal_drawn_again, 40),
    WITH(normal_drawn_again, 46),
    WITH(normal_of_half_float, 10),
    WITH(normal_too_wide, 9),
    WITH(normal_too_wide, 12),
    WITH(normal_off_centre, 10),
    WITH(normal_off_centre, 13),
    WITH(normal_sign_shared, 8),
    WITH(normal_sign_shared, 20),
    ONE(exponential_of_24),
    WITH(exponential_too_wide, 9),
    WITH(exponential_too_wide, 12),
    ONE(inverse_by_table),
    WITH(antithetic_rarely, 8),
    WITH(antithetic_rarely, 14),
    WITH(stratified, 6),
    WITH(stratified, 9),
    WITH(stratified_shuffled, 6),
    WITH(stratified_shuffled, 9),
    WITH(proposals_kept, 9),
    WITH(proposals_kept, 12),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
