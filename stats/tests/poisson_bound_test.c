// SPDX-License-Identifier: Apache-2.0
// Counts of repeats are held against Poisson laws of their exact mean: here that they are no wider,
// in the sense that evidence needs, E f^Y <= e^(mean (f - 1)) for every factor f >= 0. For values
// that come again it is a theorem (stats/law/null.h), and tails are bounded as well: held against
// the exact law of occupancy at the sizes that are used. For spacings it is an expansion: held
// against the exact law of all outcomes of few points, and at the sizes that are used against the
// saddle point of the exact generating function.

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/law/null.h"

static double mean_of(const double *law, unsigned size, double *variance)
{
    double mean = 0, square = 0;
    for (unsigned y = 0; y < size; y++)
        mean += law[y] * y;
    for (unsigned y = 0; y < size; y++)
        square += law[y] * (y - mean) * (y - mean);
    *variance = square;
    return mean;
}

// The largest of log E f^Y - mean (f - 1) over factors from 0 to 10^4, as far as a law of `size`
// counts goes, in parts of 1 + mean f, as which it is rounded.
static double worst_excess(const double *law, unsigned size, double mean)
{
    double worst = -INFINITY;
    for (int step = -1; step <= 400; step++) {
        const double f = step < 0 ? 0 : pow(10, step * 0.015 - 2);
        double sum = 0, power = 1;
        if (size > 100 && mean * f > size / 2.0)
            break;
        for (unsigned y = 0; y < size; y++, power *= f)
            sum += law[y] * power;
        worst = fmax(worst, (log(sum) - mean * (f - 1)) / (1 + mean * f));
    }
    return worst;
}

// ---- values that come again -------------------------------------------------

enum { MOST = 320 };

// Ball after ball: the chance of each number of balls that met another.
static void law_of_collisions(double balls, double cells, double law[MOST])
{
    memset(law, 0, MOST * sizeof *law);
    law[0] = 1;
    for (double ball = 0; ball < balls; ball++)
        for (unsigned y = MOST; y-- > 0;) {
            const double stay = 1 - (ball - y) / cells,
                         from = y ? law[y - 1] * ((ball - (y - 1)) / cells) : 0;
            law[y] = law[y] * stay + from;
        }
}

static void collisions_are_no_wider_than_poisson(void **state)
{
    (void)state;
    static const struct {
        double balls, cells;
    } size[] = {{5, 7},           {20, 25},         {0x1p12, 0x1p20}, {0x1p14, 0x1p22},
                {0x1p15, 0x1p23}, {0x1p15, 0x1p27}, {0x1p17, 0x1p32}, {0x1p18, 0x1p32}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        static double law[MOST];
        law_of_collisions(size[i].balls, size[i].cells, law);
        double variance, below = 0;
        const double mean = mean_of(law, MOST, &variance);
        assert_true(fabs(mean / null_collision_mean(size[i].balls, size[i].cells) - 1) < 1e-9);
        assert_true(variance < mean && worst_excess(law, MOST, mean) < 1e-11);
        for (unsigned y = 0; y < MOST && y < mean + 60 * sqrt(mean) && y < size[i].balls; y++) {
            double above = 0;
            for (unsigned z = MOST; z-- > y;)
                above += law[z];
            below += law[y];
            if (y >= mean + 1 && above > 1e-250)
                assert_true(log(above) <= null_poisson_log_upper(y, mean) + 1e-8);
            if (y <= mean - 1)
                assert_true(log(below) <= null_poisson_log_lower(y, mean) + 1e-8);
        }
    }
}

// ---- spacings ---------------------------------------------------------------

enum { POINTS = 12, PLACES = 2304 };

// Sets of `points` places out of `places` by the number of repeated gaps among them: for each gap
// length in turn, how many gaps have it. ways[j][s][y]: of j gaps that sum to s with y repeats,
// divided by j!.
static void law_of_gaps(unsigned points, unsigned places, double law[POINTS])
{
    const unsigned gaps = points - 1;
    const size_t row = POINTS, layer = (size_t)places * row;
    double *const ways = calloc(POINTS * layer, sizeof *ways);
    assert_non_null(ways);
    ways[0] = 1;
    for (unsigned d = 1; d < places; d++)
        for (unsigned j = gaps; j > 0; j--) // what is read has fewer gaps: still without gaps of d
            for (unsigned c = 1; c <= j && c * d < places; c++) {
                const double share = 1 / tgamma(c + 1.0);
                for (unsigned s = c * d; s < places; s++) {
                    double *const to = ways + j * layer + s * row;
                    const double *const from = ways + (j - c) * layer + (s - c * d) * row;
                    for (unsigned y = c - 1; y < gaps; y++)
                        to[y] += from[y - (c - 1)] * share;
                }
            }
    double all = 0;
    memset(law, 0, POINTS * sizeof *law);
    for (unsigned s = 0; s < places; s++) // the first point may stand at any of places - s
        for (unsigned y = 0; y < gaps; y++)
            law[y] += ways[gaps * layer + s * row + y] * (places - s) * tgamma(gaps + 1.0);
    for (unsigned y = 0; y < POINTS; y++)
        all += law[y];
    const double sets =
        exp(lgamma(places + 1.0) - lgamma(points + 1.0) - lgamma(places - points + 1.0));
    assert_true(fabs(all / sets - 1) < 1e-9);
    for (unsigned y = 0; y < POINTS; y++)
        law[y] /= all;
    free(ways);
}

static void repeated_gaps_are_no_wider_than_poisson(void **state)
{
    (void)state;
    static const unsigned size[][2] = {{4, 64},  {5, 200},  {6, 576},  {6, 2304},
                                       {8, 256}, {8, 1024}, {12, 144}, {12, 576}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        double gaps[POINTS], law[2 * POINTS] = {0}, taken[POINTS + 1] = {1};
        const unsigned n = size[i][0], k = size[i][1];
        for (unsigned ball = 0; ball < n; ball++)
            for (unsigned m = n + 1; m-- > 0;)
                taken[m] = taken[m] * m / k + (m ? taken[m - 1] * (k - m + 1) / k : 0);
        // Points that meet another are gaps of 0, and all but the first of these repeat it. Chances
        // below 1e-9 are left out.
        for (unsigned m = n; m > 1 && taken[m] > 1e-9; m--) {
            law_of_gaps(m, k, gaps);
            for (unsigned y = 0; y < POINTS; y++)
                law[y + (n - m > 1 ? n - m - 1 : 0)] += taken[m] * gaps[y];
        }
        double variance;
        const double mean = mean_of(law, 2 * POINTS, &variance);
        if (!(variance < mean && worst_excess(law, 2 * POINTS, mean) <= 1e-8))
            fail_msg("%u points, %u places: variance %g of the mean, excess %g", n, k,
                     variance / mean, worst_excess(law, 2 * POINTS, mean));
    }
}

// The integral over l from 0 to z of log(1 + (e^(f l) - 1) / f) / l: gaps of all lengths, their
// expected number falling from z to 0.
static double all_lengths(double z, double f)
{
    enum { STEPS = 400 };
    double sum = 0;
    for (unsigned i = 0; i <= STEPS; i++) {
        const double l = z * i / STEPS, at = i ? log1p(expm1(f * l) / f) / l : 1;
        sum += at * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return sum * z / STEPS / 3;
}

// log of the coefficient of n gaps that sum to k, by its saddle point: the least of 2 sqrt(k H(z))
// - n log z.
static double saddle(double n, double k, double f)
{
    double low = log(n * n / k) - 6, high = log(n * n / k) + 1;
    for (unsigned i = 0; i < 120; i++) {
        const double a = low + (high - low) * 0.382, b = low + (high - low) * 0.618;
        const double at_a = 2 * sqrt(k * all_lengths(exp(a), f)) - n * a,
                     at_b = 2 * sqrt(k * all_lengths(exp(b), f)) - n * b;
        if (at_a < at_b)
            high = b;
        else
            low = a;
    }
    return 2 * sqrt(k * all_lengths(exp(low), f)) - n * low;
}

static void at_full_size_the_excess_is_the_derived_one(void **state)
{
    (void)state;
    // The widest of the battery (n^2 / k is 2^-8), the limit of what is stated, and one between.
    static const double size[][2] = {{0x1p12, 0x1p32}, {0x1p12, 0x1p30}, {0x1p15, 0x1p40}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const double n = size[i][0], k = size[i][1], none = saddle(n, k, 1);
        const double mean = (saddle(n, k, 1.001) - saddle(n, k, 0.999)) / 0.002;
        assert_true(fabs(mean / null_spacings_mean(n, k) - 1) < 4 / n + 1e-4);
        for (double f = 0.25; f <= 512; f *= 2) {
            const double u = f - 1, excess = saddle(n, k, f) - none - mean * u,
                         derived = -29.0 / 288 * u * u * pow(n, 5) / (k * k);
            if (f < 0.6 || f > 1.5)
                assert_true(excess < 0);
            if (f >= 2 && f <= 8)
                assert_true(excess / derived > 1 - 1.2 * f * n * n / k - 0.01 &&
                            excess / derived < 1.01);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_are_no_wider_than_poisson),
        cmocka_unit_test(repeated_gaps_are_no_wider_than_poisson),
        cmocka_unit_test(at_full_size_the_excess_is_the_derived_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
