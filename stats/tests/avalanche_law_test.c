// SPDX-License-Identifier: Apache-2.0
// The law of the avalanche's counts, on AES-128 of OpenSSL: exact for one hypothesis, conservative
// and no more for the family; also of blocks of sixteen words in and eight out, and of outputs of
// 23 bits.

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stats/source/avalanche.h"
#include "stats/tests/aes_block.h"

static double run(unsigned input_words, unsigned output_words, unsigned output_bits, uint64_t seed,
                  uint32_t only, struct judgement *judgement)
{
    const struct aes aes = {input_words, output_words,
                            output_bits < 32 ? (1u << output_bits) - 1 : UINT32_MAX};
    const struct block_function block = {.input_words = input_words,
                                         .output_words = output_words,
                                         .counter_words = input_words / 2,
                                         .evaluate_all = aes_evaluate,
                                         .output_bits = output_bits};
    struct diagnostic diagnostic;
    assert_int_equal(avalanche_run(&block, &aes, 12, seed, 1, only, judgement, &diagnostic), 0);
    assert_true(judgement->kept > 0);
    return judgement_log_p(judgement);
}

enum { RUNS = 128, INPUTS = 1 << 12, CELLS = 8 };

static void one_count_is_binomial(void **state)
{
    (void)state;
    // Counts in cells of about the same chance, by their deviation from the mean in halves of 32;
    // the chances from lgamma.
    static const double edge[CELLS - 1] = {-37, -21.5, -10, 0, 10, 21.5, 37};
    double chance[CELLS] = {0};
    unsigned met[CELLS] = {0};
    for (unsigned k = 0; k <= INPUTS; k++) {
        unsigned cell = 0;
        while (cell < CELLS - 1 && k - INPUTS / 2.0 > edge[cell])
            cell++;
        chance[cell] += exp(lgamma(INPUTS + 1.0) - lgamma(k + 1.0) - lgamma(INPUTS - k + 1.0) -
                            INPUTS * log(2));
    }
    for (unsigned r = 0; r < RUNS; r++) {
        struct judgement judgement;
        run(2, 4, 32, 1000 + r, r * 7919 % (70 * 14 * 32), &judgement);
        unsigned cell = 0;
        while (cell < CELLS - 1 && judgement.worst[0].observed * INPUTS - INPUTS / 2.0 > edge[cell])
            cell++;
        met[cell]++;
    }
    double chi_square = 0;
    for (unsigned c = 0; c < CELLS; c++)
        chi_square +=
            (met[c] - RUNS * chance[c]) * (met[c] - RUNS * chance[c]) / (RUNS * chance[c]);
    if (chi_square > 40) // seven degrees of freedom: 1e-6
        fail_msg("chi-square %g", chi_square);
}

static void families_are_conservative_and_no_more(void **state)
{
    (void)state;
    unsigned half = 0, quarter = 0, small = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        struct judgement judgement;
        const double log_p = run(2, 2, 32, 5000 + r, UINT32_MAX, &judgement);
        assert_int_equal(judgement.hypotheses, 70 * 5 * 32);
        half += log_p <= log(0.5), quarter += log_p <= log(0.25), small += log_p <= log(1 / 64.0);
    }
    // At most as many as the chance allows, at five deviations; at least those of a family of
    // independent counts less the same.
    if (half > 93 || quarter > 57 || small > 9 || half < 15 || quarter < 4)
        fail_msg("of %d families %u below 1/2, %u below 1/4, %u below 1/64", RUNS, half, quarter,
                 small);
}

static void wide_blocks_and_narrow_outputs_keep_the_law(void **state)
{
    (void)state;
    struct judgement judgement;
    const double wide = run(16, 8, 32, 1, UINT32_MAX, &judgement);
    assert_int_equal(judgement.hypotheses, (512 + 360 + 3) * 44 * 32);
    const double narrow = run(5, 4, 23, 1, UINT32_MAX, &judgement);
    assert_int_equal(judgement.hypotheses, (160 + 30 + 3) * 14 * 23);
    if (wide < -9 || narrow < -9)
        fail_msg("log p %g and %g", wide, narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_count_is_binomial),
        cmocka_unit_test(families_are_conservative_and_no_more),
        cmocka_unit_test(wide_blocks_and_narrow_outputs_keep_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
