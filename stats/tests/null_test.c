// SPDX-License-Identifier: Apache-2.0
// Null distributions against enumeration, against mpmath 1.3.0 at 50 digits (the decimal
// constants), and against identities.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <mpfr.h>
#include <cmocka.h>

#include "stats/law/null.h"
#include "stats/law/real.h"

static void assert_near(double got, double expected, double relative)
{
    const double error = fabs(got - expected), allowed = relative * fmax(1, fabs(expected));
    if (!(error <= allowed))
        fail_msg("got %.17g, expected %.17g: off by %g, allowed %g", got, expected, error, allowed);
}

static void elementary_functions_agree_with_mpfr(void **state)
{
    (void)state;
    mpfr_t x, y;
    mpfr_inits2(120, x, y, (mpfr_ptr)0);
    for (int i = -3000; i <= 3000; i++) {
        const double e = i * 0.231, v = ldexp(1 + (i & 511) / 512.0, i / 4);
        mpfr_set_d(x, e, MPFR_RNDN);
        mpfr_exp(y, x, MPFR_RNDN);
        const double expected = mpfr_get_d(y, MPFR_RNDN);
        if (e < 709 && expected > 1e-300)
            assert_near(real_exp(e) / expected, 1, 4e-16);
        mpfr_set_d(x, v, MPFR_RNDN);
        mpfr_log(y, x, MPFR_RNDN);
        assert_true(fabs(real_log(v) - mpfr_get_d(y, MPFR_RNDN)) <=
                    4e-16 * fabs(mpfr_get_d(y, MPFR_RNDN)) + 1e-300);
        mpfr_set_d(x, (i + 0.5) / 3002, MPFR_RNDN);
        mpfr_log1p(y, x, MPFR_RNDN);
        assert_near(real_log1p((i + 0.5) / 3002), mpfr_get_d(y, MPFR_RNDN), 5e-16);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void gamma_and_normal_agree_with_mpmath(void **state)
{
    (void)state;
    static const double gamma[][2] = {{0.1, 2.2527126517342059},
                                      {0.5, 0.57236494292470009},
                                      {3.7, 1.4280723266653881},
                                      {14.9, 24.924132002217278},
                                      {1000000.5, 12815511.476902766}};
    for (size_t i = 0; i < sizeof gamma / sizeof *gamma; i++)
        assert_near(real_log_gamma(gamma[i][0]), gamma[i][1], 3e-15);
    static const double normal[][2] = {{0, -0.69314718055994531},    {1, -1.8410216450092635},
                                       {-3, -0.0013508099647481938}, {2.4, -4.8039216668706719},
                                       {2.6, -5.3684849226242658},   {10, -53.231285150512471},
                                       {40, -804.60844201375379}};
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++)
        assert_near(real_log_normal_upper(normal[i][0]), normal[i][1], 1e-13);
}

static void binomial_tails_equal_enumeration_of_all_sequences(void **state)
{
    (void)state;
    enum { BITS = 14 };
    unsigned with[BITS + 1] = {0};
    for (unsigned s = 0; s < 1u << BITS; s++)
        with[__builtin_popcount(s)]++;
    unsigned lower = 0;
    for (unsigned k = 0; k <= BITS; k++) {
        assert_near(null_binomial_log_upper(k, BITS, 0.5),
                    log((double)((1 << BITS) - lower) / (1 << BITS)), 1e-13);
        lower += with[k];
        assert_near(null_binomial_log_lower(k, BITS, 0.5), log((double)lower / (1 << BITS)), 1e-13);
        assert_near(null_binomial_log_mass(k, BITS, 0.5), log((double)with[k] / (1 << BITS)),
                    1e-13);
    }
}

static void binomial_tails_agree_with_mpmath_into_the_far_tail(void **state)
{
    (void)state;
    static const struct {
        uint64_t k, n;
        double p, expected, error;
    } row[] = {
        {60, 100, 0.5, -3.5598192034469067, 1e-13},
        {100, 100, 0.5, -69.314718055994531, 1e-13},
        {3, 1000, 1.0 / 1024, -2.5776615689778782, 1e-13},
        {50, 1000, 1.0 / 1024, -151.81913950865704, 1e-13},
        {600000, 1000000, 0.5, -20141.528094297161, 1e-9},
        {502000, 1000000, 0.5, -10.355897462903859, 1e-6},
        {(UINT64_C(1) << 29) + 160000, UINT64_C(1) << 30, 0.5, -50.891446667389047, 1e-7},
        {UINT64_C(1) << 29, UINT64_C(1) << 30, 0.5, -0.69312283135197632, 2e-5},
        {(UINT64_C(1) << 37) + (UINT64_C(1) << 19), UINT64_C(1) << 38, 0.5, -3.783179807138558,
         1e-6},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_near(null_binomial_log_upper(row[i].k, row[i].n, row[i].p), row[i].expected,
                    row[i].error);
        assert_near(null_binomial_log_lower(row[i].n - row[i].k, row[i].n, 1 - row[i].p),
                    row[i].expected, row[i].error);
    }
}

// Both methods meet at a variance of 4e4. Two more tosses give two more heads at most: the tail
// lies between that for k and for k - 2.
static void summed_and_saddle_point_tails_join(void **state)
{
    (void)state;
    for (int z = -40; z <= 40; z++) {
        const uint64_t n = 160000, k = (uint64_t)(80000 + z * 200);
        const double summed = null_binomial_log_upper(k, n, 0.5),
                     saddle = null_binomial_log_upper(k, n, 0.5 + 1e-13);
        assert_near(saddle, summed, 1e-6);
        const double more = null_binomial_log_upper(k, n + 2, 0.5);
        assert_true(more >= summed && more <= null_binomial_log_upper(k - 2, n, 0.5));
        const double mean = 40000, at = mean + z * 200;
        assert_near(null_poisson_log_upper((uint64_t)at, mean * 1.0000001),
                    null_poisson_log_upper((uint64_t)at, mean), 2e-4);
        assert_near(null_poisson_log_lower((uint64_t)at, mean * 1.0000001),
                    null_poisson_log_lower((uint64_t)at, mean), 2e-4);
    }
}

static void poisson_tails_agree_with_mpmath(void **state)
{
    (void)state;
    static const struct {
        uint64_t k;
        double mean, expected, error;
    } row[] = {
        {5, 1, -5.6103339828971544, 1e-13},        {30, 4, -36.931928016566779, 1e-13},
        {100000, 1e5, -0.69230648981872485, 1e-6}, {101500, 1e5, -13.702740098079129, 1e-6},
        {1, 0x1p-20, -13.862944088036026, 1e-13},  {3, 0x1p-20, -43.380591018080494, 1e-13},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_near(null_poisson_log_upper(row[i].k, row[i].mean), row[i].expected, row[i].error);
    for (uint64_t k = 0; k < 30; k++) // P(X <= k) + P(X > k) = 1
        assert_near(
            real_log_add(null_poisson_log_lower(k, 7.5), null_poisson_log_upper(k + 1, 7.5)), 0,
            1e-13);
}

static void chi_square_tails_agree_with_mpmath(void **state)
{
    (void)state;
    static const struct {
        double x, df, upper, lower;
    } row[] = {
        {1, 1, -1.1478744644493182, -0.38171514630212607},
        {60, 1, -32.288987032704742, -9.4857375710738934e-15},
        {3000, 1, -1504.2293081924811, 0},
        {255, 255, -0.71698398982513682, -0.66986536124698474},
        {600, 255, -67.058395663860116, -7.53e-30},
        {67000, 65535, -10.438999500117006, -2.9268905075450317e-5},
        {64000, 65535, -9.7025634572932665e-6, -11.543125284699192},
        {0.01, 10, -2.5933391898395734e-14, -31.283244994104117},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_near(null_chi_square_log_upper(row[i].x, row[i].df), row[i].upper, 1e-12);
        assert_near(null_chi_square_log_lower(row[i].x, row[i].df), row[i].lower, 1e-12);
    }
}

static unsigned complexity_by_trial(unsigned bits, unsigned n)
{
    for (unsigned L = 0; L < n; L++)
        for (unsigned taps = 0; taps < 1u << L; taps++) {
            unsigned i = L;
            while (i < n && ((unsigned)__builtin_popcount((bits >> (i - L)) & taps) & 1u) ==
                                (bits >> i & 1u))
                i++;
            if (i == n)
                return L;
        }
    return n;
}

static void linear_complexity_law_equals_enumeration(void **state)
{
    (void)state;
    for (unsigned n = 7; n <= 10; n++) {
        unsigned with[11] = {0}, lower = 0;
        for (unsigned s = 0; s < 1u << n; s++)
            with[complexity_by_trial(s, n)]++;
        for (unsigned L = 0; L <= n; L++) {
            assert_near(null_linear_complexity_log_upper(L, n),
                        log((double)((1u << n) - lower) / (1u << n)), 1e-13);
            lower += with[L];
            assert_near(null_linear_complexity_log_lower(L, n), log((double)lower / (1u << n)),
                        1e-13);
        }
    }
}

static unsigned rank_of(unsigned matrix, unsigned m)
{
    unsigned rank = 0;
    for (unsigned column = 0; column < m; column++) {
        unsigned row[4], count = 0, pivot = m;
        for (unsigned r = 0; r < m; r++)
            row[count++] = matrix >> (r * m) & ((1u << m) - 1);
        for (unsigned r = rank; r < m && pivot == m; r++)
            if (row[r] >> column & 1)
                pivot = r;
        if (pivot == m)
            continue;
        const unsigned swap = row[rank];
        row[rank] = row[pivot];
        row[pivot] = swap;
        for (unsigned r = rank + 1; r < m; r++)
            if (row[r] >> column & 1)
                row[r] ^= row[rank];
        rank++;
        matrix = 0;
        for (unsigned r = 0; r < m; r++)
            matrix |= row[r] << (r * m);
    }
    return rank;
}

static void rank_law_equals_enumeration_and_its_known_limit(void **state)
{
    (void)state;
    for (unsigned m = 2; m <= 4; m++) {
        unsigned with[5] = {0};
        for (unsigned s = 0; s < 1u << (m * m); s++)
            with[m - rank_of(s, m)]++;
        for (unsigned d = 0; d <= m; d++)
            assert_near(null_rank_probability(m, d), (double)with[d] / (1u << (m * m)), 1e-14);
    }
    assert_near(null_rank_probability(256, 0), 0.28878809508660242, 1e-14); // prod (1 - 2^-i)
}

static void collision_mean_equals_the_exact_occupancy(void **state)
{
    (void)state;
    assert_near(null_collision_mean(5, 10), 0.9049, 1e-14);
    assert_near(null_collision_mean(1000, 1e6), 0.49933387440887583, 1e-13);
    assert_near(null_collision_mean(0x1p18, 0x1p32), 7.9998067263512885, 1e-13);
}

// All outcomes of n draws from few cells that expect 25: how often each p-value comes.
struct outcomes {
    unsigned cells, draws;
    uint64_t count[6];
    double log_factorial[6000], chance[16];
};

static void enter(struct outcomes *all, const double *probability, double log_chance)
{
    const double log_p = null_cells_test(all->count, probability, all->cells, 25).log_p;
    for (int d = 1; d <= 15 && log_p <= -d * log(10); d++)
        all->chance[d] += exp(log_chance);
}

// Cells are equal, so counts that fall stand for all their orders: `log_ways` has factorials of
// what is placed, `run` the equal ones.
static void place(struct outcomes *all, unsigned cell, unsigned left, unsigned most, unsigned run,
                  double log_ways)
{
    const unsigned more = all->cells - cell;
    for (unsigned v = (left + more - 1) / more; v <= left && v <= most; v++) {
        const unsigned equal = cell && all->count[cell - 1] == v ? run + 1 : 1;
        const double log_way = log_ways - all->log_factorial[v] - log(equal);
        all->count[cell] = v;
        if (more > 1)
            place(all, cell + 1, left - v, v, equal, log_way);
        else if (v == left)
            enter(all, NULL, log_way + all->log_factorial[all->cells]);
    }
}

static void hold(struct outcomes *all, unsigned draws)
{
    for (int d = 1; d <= 15; d++) {
        const double times = all->chance[d] * pow(10, d);
        if (times > (all->cells == 2 ? 1.000001 : d < 5 ? 1.08 : 1))
            fail_msg("%u cells, %u draws: p <= 1e-%d comes %g times as often", all->cells, draws, d,
                     times);
        assert_true(d > 3 || times > 0.5);
        all->chance[d] = 0;
    }
}

static void small_tables_have_the_tail_they_claim(void **state)
{
    (void)state;
    enum { EXPECTED = 25, MOST = 250 };
    static struct outcomes all;
    const double *const lf = all.log_factorial;
    for (int i = 1; i < 6000; i++)
        all.log_factorial[i] = all.log_factorial[i - 1] + log(i);
    for (all.cells = 2; all.cells <= 5; all.cells++) {
        const unsigned draws = all.cells * EXPECTED;
        place(&all, 0, draws, draws, 0, lf[draws] - draws * log(all.cells));
        hold(&all, draws);
    }
    // Beside a cell that expects more: two cells, three cells.
    for (unsigned draws = 180; draws <= 4860; draws *= 3) {
        const double p = (double)EXPECTED / draws, two[] = {p, 1 - p}, three[] = {p, p, 1 - 2 * p};
        all.cells = 2;
        for (unsigned a = 0; a <= draws && a < MOST; a++) {
            all.count[0] = a, all.count[1] = draws - a;
            enter(&all, two,
                  lf[draws] - lf[a] - lf[draws - a] + a * log(p) + (draws - a) * log(1 - p));
        }
        hold(&all, draws);
        all.cells = 3;
        for (unsigned a = 0; a <= draws && a < MOST; a++)
            for (unsigned b = 0; a + b <= draws && b < MOST; b++) {
                const unsigned rest = draws - a - b;
                all.count[0] = a, all.count[1] = b, all.count[2] = rest;
                enter(&all, three,
                      lf[draws] - lf[a] - lf[b] - lf[rest] + (a + b) * log(p) +
                          rest * log(1 - 2 * p));
            }
        hold(&all, draws);
    }
}

static void pooling_keeps_every_count_and_expects_enough(void **state)
{
    (void)state;
    uint64_t count[40];
    double probability[40];
    for (int i = 0; i < 40; i++) {
        probability[i] = ldexp(1, -(i < 39 ? i + 1 : 39));
        count[i] = (uint64_t)(1e4 * probability[i] + 0.5);
    }
    const struct null_cells result = null_cells_test(count, probability, 40, 25);
    assert_near(result.df, 8, 0); // 5000 ... 39 alone and the rest together: nine pools
    assert_true(result.log_p == 0 || result.log_p > -1e-3); // as even as counts can be
    count[0] += 1000;
    assert_true(null_cells_test(count, probability, 40, 25).log_p < -30);
    assert_near(null_uniform_test((uint64_t[]){3, 4}, 2, 25).log_p, 0, 0);
}

static void residue_law_equals_enumeration(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits <= 10; bits++)
        for (unsigned m = 2; m < 1100; m++) {
            unsigned count[1100] = {0};
            for (unsigned x = 0; x < 1u << bits; x++)
                count[x % m]++;
            for (unsigned r = 0; r < m; r++)
                assert_near(null_residue_probability(r, m, bits), ldexp(count[r], -(int)bits), 0);
        }
    // 2^64 = 3 * 6148914691236517205 + 1 = 10 * 1844674407370955161 + 6, and 641 divides 2^32 + 1.
    assert_near(null_residue_probability(0, 3, 64), ldexp(6148914691236517206.0, -64), 0);
    assert_near(null_residue_probability(1, 3, 64), ldexp(6148914691236517205.0, -64), 0);
    assert_near(null_residue_probability(6, 10, 64), ldexp(1844674407370955161.0, -64), 0);
    assert_near(null_residue_probability(640, 641, 32), ldexp(6700416.0, -32), 0);
    assert_near(null_residue_probability(0, 641, 32), ldexp(6700417.0, -32), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementary_functions_agree_with_mpfr),
        cmocka_unit_test(gamma_and_normal_agree_with_mpmath),
        cmocka_unit_test(binomial_tails_equal_enumeration_of_all_sequences),
        cmocka_unit_test(binomial_tails_agree_with_mpmath_into_the_far_tail),
        cmocka_unit_test(summed_and_saddle_point_tails_join),
        cmocka_unit_test(poisson_tails_agree_with_mpmath),
        cmocka_unit_test(chi_square_tails_agree_with_mpmath),
        cmocka_unit_test(linear_complexity_law_equals_enumeration),
        cmocka_unit_test(rank_law_equals_enumeration_and_its_known_limit),
        cmocka_unit_test(residue_law_equals_enumeration),
        cmocka_unit_test(collision_mean_equals_the_exact_occupancy),
        cmocka_unit_test(small_tables_have_the_tail_they_claim),
        cmocka_unit_test(pooling_keeps_every_count_and_expects_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
