// SPDX-License-Identifier: Apache-2.0
// Waves: does the number of ones rise and fall with some period, from a few words to some hundred
// thousand? Such are mains hum, a clock, an interrupt, a modulated noise source. The period may be
// no power of two, and the swing so small that no single block shows it.
// The ones of 2^p[0] words make a point, and 4,096 points a Fourier transform. The power at each
// frequency is summed over transforms.
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
// Parameters: p[0] log2 of words a point.

#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { POINTS_LOG2 = 12, POINTS = 1 << POINTS_LOG2, WAVES = POINTS / 2, GRAIN = 256 };

struct transform {
    double cosine[POINTS], sine[POINTS]; // of 2 pi i / POINTS
    double real[POINTS], imaginary[POINTS];
    uint16_t place[POINTS]; // where the transform leaves a frequency
    uint8_t ones[];         // of each word of a unit
};

// By halving angles and adding them: correctly rounded operations only.
static void fill_circle(struct transform *t)
{
    double c = -1, s = 0; // half a turn
    t->cosine[0] = 1, t->sine[0] = 0;
    t->cosine[POINTS / 2] = c, t->sine[POINTS / 2] = s;
    for (unsigned step = POINTS / 4; step; step /= 2) {
        s = __builtin_sqrt((1 - c) / 2);
        c = step == POINTS / 4 ? 0 : __builtin_sqrt((1 + c) / 2);
        for (unsigned i = step; i < POINTS; i += 2 * step) {
            const double a = t->cosine[i - step], b = t->sine[i - step];
            t->cosine[i] = a * c - b * s;
            t->sine[i] = a * s + b * c;
        }
    }
    t->place[0] = 0;
    for (unsigned i = 1; i < POINTS; i++)
        t->place[i] = (uint16_t)(t->place[i / 2] / 2 + (i % 2) * (POINTS / 2));
}

// Decimation in frequency, in place: the result stands in bit-reversed order.
static void transform(struct transform *t)
{
    double *const re = t->real, *const im = t->imaginary;
    for (unsigned half = POINTS / 2, turn = 1; half; half /= 2, turn *= 2)
        for (unsigned from = 0; from < POINTS; from += 2 * half)
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

static void count_tides(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2, point = (size_t)1 << test->p[0];
    struct transform *const t = to->scratch;
    fill_circle(t);
    kernel_chosen()->popcounts(words, unit, t->ones);
    // Two stretches at once, as the real and the imaginary part.
    const double scale =
        1 / (8.0 * (double)point *
             POINTS); // the mean power of a wave: points / 2 * bits a point / 4, twice
    for (size_t at = 0; at < unit; at += 2 * point * POINTS) {
        for (unsigned part = 0; part < 2; part++)
            for (size_t i = 0; i < POINTS; i++) {
                const uint8_t *const ones = t->ones + at + (part * (size_t)POINTS + i) * point;
                int32_t sum = 0;
                for (size_t j = 0; j < point; j++)
                    sum += ones[j];
                (part ? t->imaginary : t->real)[i] = (double)(sum - 16 * (int32_t)point);
            }
        transform(t);
        for (unsigned k = 1; k < WAVES; k++) {
            const unsigned a = t->place[k], b = t->place[POINTS - k];
            const double first = t->real[a] + t->real[b],
                         second = t->imaginary[a] - t->imaginary[b];
            const double third = t->real[a] - t->real[b],
                         fourth = t->imaginary[a] + t->imaginary[b];
            to->count[k] += (uint64_t)((first * first + second * second) * 0.25 * scale * GRAIN);
            to->count[k] += (uint64_t)((third * third + fourth * fourth) * 0.25 * scale * GRAIN);
        }
    }
}

static void judge_tides(const struct totals *total, struct judgement *judgement)
{
    const double transforms =
        (double)(total->units << (total->test->unit_log2 - total->test->p[0] - POINTS_LOG2));
    for (uint32_t k = 1; k < WAVES; k++) {
        const double y = (double)total->count[k] / (GRAIN * transforms);
        judgement_add(judgement, k, y > 1 ? transforms * (1 - y + real_log(y)) : 0, y, 1);
    }
}

static void describe_tides(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "power of a wave of %.6g words in the number of ones",
             (double)((uint64_t)POINTS << test->p[0]) / index);
}

struct test test_tides(unsigned log2)
{
    const unsigned unit_log2 = log2 + POINTS_LOG2 + 1 > 16 ? log2 + POINTS_LOG2 + 1 : 16;
    return (struct test){TEST_FUNCTIONS(tides),
                         .about = "the number of ones rises and falls with a period",
                         .unit_log2 = unit_log2,
                         .counts = WAVES,
                         .scratch = sizeof(struct transform) + ((size_t)1 << unit_log2),
                         .p = {log2}};
}
