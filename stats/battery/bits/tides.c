// SPDX-License-Identifier: Apache-2.0
// Waves: does the number of ones rise and fall with some period, from a few words to some hundred
// thousand? Such are mains hum, a clock, an interrupt, a modulated noise source. The period may be
// no power of two, and the swing so small that no single block shows it.
// The ones of 2^p[0] words make a point, and 4,096 points a Fourier transform. The power at each
// frequency is summed over transforms. `waves` asks the same of one bit of each word, at every
// frequency of 65,536 words.
// Null: a sum of fair signs times real coefficients is sub-Gaussian. Sine and cosine are orthogonal
// and of equal length, so that E exp(t power) <= 1 / (1 - 2 t v), with v the variance of either
// part. For the sum over U independent transforms Markov's inequality gives P(sum >= y mean) <= (y
// e^(1 - y))^U for y > 1. This bound is proven, and near the exponential law's tail. Discrete
// Fourier tests that count peaks are left out, as their published laws are approximations.
// The transform is in doubles, with twiddle factors from square roots, in one fixed order without
// contraction: it gives the same bits on every machine. Powers are rounded down to 2^-8 of their
// mean, which can only hide a wave.
// Source: Schuster 1898 (the periodogram), doi:10.1029/TM003i001p00013; Hoeffding,
// doi:10.1080/01621459.1963.10500830.
// Parameters: p[0] log2 of words a point, p[1] log2 of points, p[2] bits of a word that count (a
// mask; all of them: 0).

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { TIDE_POINTS_LOG2 = 12, WAVE_POINTS_LOG2 = 16, GRAIN = 256 };

struct transform {
    uint32_t points;
    double *cosine, *sine; // of 2 pi i / points
    double *real, *imaginary;
    uint32_t *place; // where the transform leaves a frequency
    uint8_t *ones;   // of each word of a unit
};

static size_t room_for(unsigned points_log2, unsigned unit_log2)
{
    return ((4 * sizeof(double) + sizeof(uint32_t)) << points_log2) + ((size_t)1 << unit_log2);
}

static struct transform lay_out(const struct test *test, void *scratch)
{
    const uint32_t points = 1u << test->p[1];
    double *const at = scratch;
    uint32_t *const place = (uint32_t *)(void *)(at + 4 * (size_t)points);
    return (struct transform){points,
                              at,
                              at + points,
                              at + 2 * (size_t)points,
                              at + 3 * (size_t)points,
                              place,
                              (uint8_t *)(place + points)};
}

// By halving angles and adding them: correctly rounded operations only.
static void fill_circle(const struct transform *t)
{
    const unsigned points = t->points;
    double c = -1, s = 0; // half a turn
    t->cosine[0] = 1, t->sine[0] = 0;
    t->cosine[points / 2] = c, t->sine[points / 2] = s;
    for (unsigned step = points / 4; step; step /= 2) {
        s = __builtin_sqrt((1 - c) / 2);
        c = step == points / 4 ? 0 : __builtin_sqrt((1 + c) / 2);
        for (unsigned i = step; i < points; i += 2 * step) {
            const double a = t->cosine[i - step], b = t->sine[i - step];
            t->cosine[i] = a * c - b * s;
            t->sine[i] = a * s + b * c;
        }
    }
    t->place[0] = 0;
    for (unsigned i = 1; i < points; i++)
        t->place[i] = t->place[i / 2] / 2 + i % 2 * (points / 2);
}

// Decimation in frequency, in place: the result stands in bit-reversed order.
static void transform(const struct transform *t)
{
    double *const re = t->real, *const im = t->imaginary;
    for (unsigned half = t->points / 2, turn = 1; half; half /= 2, turn *= 2)
        for (unsigned from = 0; from < t->points; from += 2 * half)
            for (unsigned i = 0; i < half; i++) {
                const unsigned a = from + i, b = a + half;
                const double x = re[a] - re[b], y = im[a] - im[b], c = t->cosine[i * turn],
                             s = t->sine[i * turn];
                re[a] += re[b];
                im[a] += im[b];
                re[b] = x * c + y * s;
                im[b] = y * c - x * s;
            }
}

// Ones of each word under the mask of p[2].
static void count_ones(const struct test *test, const uint32_t *words, size_t unit, uint8_t *ones)
{
    if (!test->p[2])
        kernel_chosen()->popcounts(words, unit, ones);
    for (size_t i = 0; i < unit && test->p[2]; i++)
        ones[i] = (words[i] & test->p[2]) != 0;
}

static void count_tides(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2, point = (size_t)1 << test->p[0];
    const struct transform t = lay_out(test, to->scratch);
    const unsigned points = t.points;
    const int32_t bits = test->p[2] ? 1 : 32;
    fill_circle(&t);
    count_ones(test, words, unit, t.ones);
    // Two stretches at once, as the real and the imaginary part. A point is twice its ones less its
    // bits, so that the mean power of a wave is points * bits a point.
    const double scale = 1 / ((double)bits * (double)point * points);
    for (size_t at = 0; at < unit; at += 2 * point * points) {
        for (unsigned part = 0; part < 2; part++)
            for (size_t i = 0; i < points; i++) {
                const uint8_t *const ones = t.ones + at + (part * (size_t)points + i) * point;
                int32_t sum = 0;
                for (size_t j = 0; j < point; j++)
                    sum += ones[j];
                (part ? t.imaginary : t.real)[i] = (double)(2 * sum - bits * (int32_t)point);
            }
        transform(&t);
        for (unsigned k = 1; k < points / 2; k++) {
            const unsigned a = t.place[k], b = t.place[points - k];
            const double first = t.real[a] + t.real[b], second = t.imaginary[a] - t.imaginary[b];
            const double third = t.real[a] - t.real[b], fourth = t.imaginary[a] + t.imaginary[b];
            to->count[k] += (uint64_t)((first * first + second * second) * 0.25 * scale * GRAIN);
            to->count[k] += (uint64_t)((third * third + fourth * fourth) * 0.25 * scale * GRAIN);
        }
    }
}

static void judge_tides(const struct totals *total, struct judgement *judgement)
{
    const struct test *const test = total->test;
    const double transforms = (double)(total->units << (test->unit_log2 - test->p[0] - test->p[1]));
    for (uint32_t k = 1; k < test->counts; k++) {
        const double y = (double)total->count[k] / (GRAIN * transforms);
        judgement_add(judgement, k, y > 1 ? transforms * (1 - y + real_log(y)) : 0, y, 1);
    }
}

static void describe_tides(const struct test *test, uint32_t index, char *text, size_t size)
{
    const double words = (double)(UINT64_C(1) << (test->p[0] + test->p[1])) / index;
    if (test->p[2])
        snprintf(text, size, "power of a wave of %.6g words in bit %u", words,
                 (unsigned)__builtin_ctz(test->p[2]));
    else
        snprintf(text, size, "power of a wave of %.6g words in the number of ones", words);
}

struct test test_tides(unsigned log2)
{
    const unsigned two = log2 + TIDE_POINTS_LOG2 + 1, unit_log2 = two > 16 ? two : 16;
    return (struct test){TEST_FUNCTIONS(tides),
                         .about = "the number of ones rises and falls with a period",
                         .unit_log2 = unit_log2,
                         .counts = 1u << (TIDE_POINTS_LOG2 - 1),
                         .scratch = room_for(TIDE_POINTS_LOG2, unit_log2),
                         .p = {log2, TIDE_POINTS_LOG2}};
}

struct test test_waves(unsigned bit)
{
    assert(bit < 32);
    struct test test = test_tides(0);
    test.name = "waves";
    test.about = "a bit is one more often with a period";
    test.unit_log2 = WAVE_POINTS_LOG2 + 1;
    test.counts = 1u << (WAVE_POINTS_LOG2 - 1);
    test.scratch = room_for(WAVE_POINTS_LOG2, test.unit_log2);
    test.p[1] = WAVE_POINTS_LOG2;
    test.p[2] = 1u << bit;
    return test;
}
