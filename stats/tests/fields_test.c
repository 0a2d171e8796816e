// SPDX-License-Identifier: Apache-2.0
// What tests that look at packed fields and remainders count, and by which law they judge, against
// plain loops.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/tests/counting.h"

// ---- fields, remainders -----------------------------------------------------

static void wide_fields_that_repeat_are_counted(void **state)
{
    (void)state;
    for (unsigned bits = 20; bits <= 40; bits += bits < 31 ? 1 : bits < 33 ? 2 : 7) {
        const struct test test = test_wide_fields(bits);
        struct counted got = counted_by(&test, words);
        const size_t fields = bits < 23   ? (size_t)1 << (bits - 8)
                              : bits < 32 ? 1 << 15
                                          : ((UINT64_C(1) << 25) - (bits - 1)) / bits;
        uint64_t *const value = calloc(fields, sizeof *value), repeats = 0;
        // The unit begins with block WHERE of the source: its first whole field.
        const uint64_t start = UINT64_C(32) * 65536 * WHERE,
                       first = (start + bits - 1) / bits * bits - start;
        for (size_t f = 0; f < fields; f++)
            for (unsigned b = 0; b < bits; b++) {
                const uint64_t at = first + f * bits + b;
                value[f] |= (uint64_t)(words[at / 32] >> at % 32 & 1) << b;
            }
        qsort(value, fields, sizeof *value, by_value);
        for (size_t f = 1; f < fields; f++)
            repeats += value[f] == value[f - 1];
        assert_int_equal(got.count[0], repeats);
        // Fields less occupied values, of k values each empty with the chance (1 - 1 / k)^fields.
        const double k = ldexp(1, (int)bits), n = (double)fields,
                     mean = n + k * expm1(n * log1p(-1 / k));
        struct judgement judgement;
        struct bag none = {0};
        judgement_begin(&judgement, UINT32_MAX);
        test.judge(&(struct totals){&test, got.count, &none, 1000}, &judgement);
        assert_int_equal(judgement.hypotheses, 1);
        assert_true(fabs(judgement.law.n - 1000 * mean) <= 1e-6 * 1000 * mean);
        free(value);
        release(&got);
    }
}

static void fields_are_judged_by_their_number(void **state)
{
    (void)state;
    for (unsigned bits = 9; bits <= 15; bits++) {
        const struct test test = test_fields(bits, 0);
        // Whole fields that a block holds wherever the first of them begins.
        uint64_t least = UINT64_MAX;
        for (uint64_t skipped = 0; skipped < bits; skipped++) {
            const uint64_t whole = ((1 << 21) - skipped) / bits;
            least = whole < least ? whole : least;
        }
        // Of a table of equal counts the rarest and the commonest value are one; chi-square is one
        // more.
        judged_by(&test, 100, 3, UINT64_C(1) << bits, 3 * (double)least, ldexp(1, -(int)bits));
    }
}

static void remainders_are_counted_and_judged_by_how_many_words_leave_them(void **state)
{
    (void)state;
    const unsigned modulus = 63063;
    const struct test test = test_residues(modulus, 32), wide = test_residues(modulus, 64);
    struct counted got = counted_by(&wide, words);
    uint64_t *const expected = calloc(modulus, sizeof *expected);
    for (size_t i = 0; i < 65536; i += 2)
        expected[(words[i] | (uint64_t)words[i + 1] << 32) % modulus]++;
    assert_memory_equal(got.count, expected, modulus * sizeof *expected);
    release(&got);
    memset(expected, 0, modulus * sizeof *expected);
    got = counted_by(&test, words);
    for (size_t i = 0; i < 65536; i++)
        expected[words[i] - words[i] / modulus * modulus]++;
    assert_memory_equal(got.count, expected, modulus * sizeof *expected);
    free(expected);
    release(&got);
    for (unsigned divisor = 3; divisor < 1001; divisor++) {
        if (modulus % divisor)
            continue;
        const uint64_t multiples = UINT32_MAX / divisor + UINT64_C(1); // 0 too
        uint64_t divisors = 0, small = 0;
        for (unsigned d = 3; d <= modulus; d++)
            if (modulus % d == 0) {
                divisors++;
                small += d < 1001;
            }
        uint64_t *const count = calloc(modulus, sizeof *count), found = 0;
        for (unsigned r = 0; r < modulus; r++) {
            count[r] = r % 7 + r / 1000;
            found += r % divisor ? 0 : count[r];
        }
        struct judgement judgement;
        struct bag none = {0};
        judgement_begin(&judgement, 2 * divisor + 1);
        test.judge(&(struct totals){&test, count, &none, 4}, &judgement);
        assert_int_equal((uint64_t)judgement.worst[0].observed, found);
        free(count);
        judged_by(&test, 2 * divisor + 1, 4, divisors + small, 4 * 65536.0,
                  (double)multiples * 0x1p-32);
    }
}

// Of pairs of values of each width, every hypothesis against a plain loop: counts by the observed
// multiples, and the laws by the exact chances.
static void pairs_of_remainders_are_counted_and_judged_by_their_laws(void **state)
{
    (void)state;
    enum { VIEWS = 6, MODULI = 57, FAMILY = MODULI * 11 };
    for (unsigned bits = 16; bits <= 64; bits *= 2) {
        const struct test test = test_residue_pairs(bits);
        struct counted got = counted_by(&test, words);
        const size_t pairs = 65536 * 16 / bits;
        for (unsigned m = 3; m <= 63; m += m < 33 ? 1 : 5) {
            if (!(m & (m - 1)))
                continue;
            uint64_t multiples[VIEWS - 1] = {0};
            for (size_t i = 0; i < pairs; i++) {
                uint64_t v[2];
                for (unsigned k = 0; k < 2; k++)
                    v[k] = bits == 16 ? words[i] >> 16 * k & 0xffff
                           : bits == 32
                               ? words[2 * i + k]
                               : words[4 * i + 2 * k] | (uint64_t)words[4 * i + 2 * k + 1] << 32;
                const uint64_t a = v[0] % m, b = v[1] % m;
                const bool zero[VIEWS - 1] = {!a, !b, 0, (a + b) % m == 0, a == b};
                for (unsigned view = 0; view < VIEWS - 1; view++)
                    multiples[view] += view == 2 ? zero[0] + zero[1] : zero[view];
            }
            const double values = ldexp(1, (int)bits), more = fmod(values, m),
                         few = (values - more) / m / values, many = few + 1 / values;
            const double zero = more > 0 ? many : few, unequal = more * many * many,
                         equal = unequal + (m - more) * few * few;
            double sum = 0;
            for (unsigned a = 0; a < m; a++)
                sum += (a < more ? many : few) * ((m - a) % m < more ? many : few);
            const double chance[VIEWS - 1] = {zero, zero, zero, sum, equal};
            for (unsigned view = 0; view < VIEWS - 1; view++) {
                const uint32_t index = (m * VIEWS + view) * 2 + 1;
                struct judgement judgement;
                judgement_begin(&judgement, index);
                test.judge(&(struct totals){&test, got.count, &got.bag, 1}, &judgement);
                assert_int_equal((uint64_t)judgement.worst[0].observed, multiples[view]);
                judged_by(&test, index, 3, FAMILY, 3.0 * (double)pairs * (view == 2 ? 2 : 1),
                          chance[view]);
            }
        }
        release(&got);
    }
}

static bool is_prime(unsigned p)
{
    for (unsigned d = 2; d < p; d++)
        if (p % d == 0)
            return false;
    return p > 1;
}

// How many values leave the remainder of a square that is not 0, by Euler's criterion.
static uint64_t squares_of(const uint64_t *count, unsigned p)
{
    uint64_t squares = 0;
    for (unsigned r = 1; r < p; r++) {
        uint64_t power = 1;
        for (unsigned i = 0; i < p / 2; i++)
            power = power * r % p;
        squares += power == 1 ? count[r] : 0;
    }
    return squares;
}

static uint64_t squares_judged(const struct test *test, struct counted *got, unsigned p)
{
    struct judgement judgement;
    judgement_begin(&judgement, 3 * p + 2);
    test->judge(&(struct totals){test, got->count, &got->bag, 1}, &judgement);
    return (uint64_t)judgement.worst[0].observed;
}

static void remainders_by_primes_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static const unsigned width[] = {24, 32, 53, 64};
    for (unsigned k = 0; k < 4; k++) {
        const unsigned bits = width[k], words_each = bits > 32 ? 2 : 1;
        const struct test test = test_remainders(bits);
        struct counted got = counted_by(&test, words);
        unsigned cells = 0, primes = 0;
        for (unsigned p = bits % 32 ? 3 : 67; p <= 1021; p++) {
            if (!is_prime(p))
                continue;
            static uint64_t expected[1021];
            memset(expected, 0, sizeof expected);
            for (size_t i = 0; i < 65536; i += words_each) {
                const uint64_t high = words[i + words_each - 1],
                               low = words_each == 2 ? words[i] : 0;
                expected[(words_each == 2 ? (high << 32 | low) >> (64 - bits)
                                          : high >> (32 - bits)) %
                         p]++;
            }
            assert_memory_equal(got.count + cells, expected, p * sizeof *expected);
            assert_int_equal(squares_judged(&test, &got, p), squares_of(expected, p));
            cells += p;
            primes++;
        }
        assert_int_equal(cells, test.counts);
        const double values = ldexp(1, (int)bits);
        judged_by(&test, 3 * 641 + 1, 5, 3 * primes, 5 * 65536.0 / words_each,
                  (floor((values - 1) / 641) + 1) / values);
        release(&got);
    }
}

// Every relation of residues against a plain loop over the values themselves.
static void residues_are_compared_with_those_before(void **state)
{
    (void)state;
    enum { RELATIONS = 5, LAGS = 64 };
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        const struct test test = test_residue_lags(bits);
        struct counted got = counted_by(&test, words);
        const size_t values = 65536 * 32 / bits;
        const uint64_t *count = got.count;
        for (unsigned m = 3; m <= 1021; m += 2) {
            const bool power = m == 9 || m == 25 || m == 27 || m == 49;
            if (!is_prime(m) && !power)
                continue;
            static unsigned r[65536];
            for (size_t i = 0; i < values; i++)
                r[i] = (unsigned)((bits == 32 ? words[i]
                                              : words[2 * i] | (uint64_t)words[2 * i + 1] << 32) %
                                  m);
            const unsigned lags = m <= 61 ? LAGS : 4;
            for (unsigned relation = 0; relation < (m <= 61 ? RELATIONS : 4); relation++)
                for (unsigned lag = 1; lag <= lags; lag++, count++) {
                    if (lag > 4 && lag % 13)
                        continue;
                    uint64_t met = 0;
                    for (size_t i = LAGS; i < values; i++) {
                        const size_t e = i - lag;
                        const unsigned before = e ? r[e - 1] : 0; // nothing before the first
                        unsigned sum = 0;
                        for (size_t j = e + 1; j <= i && relation == 4; j++)
                            sum += r[j];
                        const bool is[RELATIONS] = {
                            r[i] == r[e], (r[i] + r[e]) % m == 0,
                            (r[i] + r[i - 1]) % m == (r[e] + before) % m,
                            (r[i] + m - r[i - 1]) % m == (r[e] + m - before) % m, sum % m == 0};
                        met += is[relation];
                    }
                    assert_int_equal(*count, met);
                }
        }
        assert_int_equal(count - got.count, test.counts);
        judged_by(&test, (7 * RELATIONS + 4) * LAGS + 4, 3, test.counts,
                  3.0 * ((double)values - LAGS), 1.0 / 7);
        release(&got);
    }
}

// Bit `at` of the source, of which a unit with these words begins at block `block`.
static unsigned bit_of_stream(const uint32_t *word, uint64_t at)
{
    return word[at / 32] >> at % 32 & 1;
}

static struct counted counted_from(const struct test *test, const uint32_t *word, uint64_t block)
{
    struct counted counted = {calloc(test->counts + 1, sizeof(uint64_t)), {0}};
    void *const scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64);
    assert_non_null(counted.count);
    assert_non_null(scratch);
    test->count(test, word, &(struct counts){counted.count, &counted.bag, scratch, 0, block});
    free(scratch);
    return counted;
}

static void bits_of_fields_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static const unsigned width[] = {9, 23, 31, 53, 63};
    const struct test test = test_field_bits(width, 5);
    for (uint64_t block = 0; block < 64; block += 48) {
        struct counted got = counted_from(&test, words, block);
        const uint64_t *count = got.count;
        for (unsigned f = 0; f < 5; f++) {
            const unsigned w = width[f];
            const uint64_t rows = ((1 << 20) - 16) / (16 * w) * 16;
            uint64_t expected[63] = {0};
            for (uint64_t at = 0; at < rows * w * 32; at++)
                expected[((block << 21) + at) % w] += bit_of_stream(words, at);
            assert_memory_equal(count, expected, w * sizeof *expected);
            count += w;
            judged_by(&test, w << 8 | 3, 5, test.counts, 5.0 * (double)rows * 32, 0.5);
        }
        release(&got);
    }
}

static void ends_of_fields_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static uint32_t word[1 << 16];
    for (size_t i = 0; i < 1 << 16; i++) // long runs, and some
        word[i] = words[i] % 3 ? words[i] : words[i] % 5 % 2 ? UINT32_MAX : 0;
    for (unsigned bits = 23; bits <= 31; bits += 4) {
        const struct test test = test_field_ends(bits);
        for (uint64_t block = 0; block < 12; block += 5) {
            struct counted got = counted_from(&test, word, block);
            const uint64_t first = (bits - (block << 21) % bits) % bits,
                           fields = ((1 << 21) - bits + 1) / bits;
            uint64_t run[4][32] = {{0}};
            for (uint64_t f = 0; f < fields; f++)
                for (unsigned e = 0; e < 4; e++) {
                    unsigned length = 0;
                    for (; length < bits; length++) {
                        const uint64_t at = first + f * bits + (e < 2 ? bits - 1 - length : length);
                        if (bit_of_stream(word, at) != e % 2)
                            break;
                    }
                    run[e][length] += length >= 11;
                }
            assert_memory_equal(got.count, run, sizeof run);
            release(&got);
        }
        judged_by(&test, 2 * 32 + 17, 3, 4 * (bits - 10),
                  3.0 * (double)(((1 << 21) - bits + 1) / bits), 0x1p-17);
    }
}

// A few masks by definition, and the figure by the bound.
static void parities_of_the_index_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    const struct test test = test_index_parities();
    struct counted got = counted_by(&test, words);
    for (uint32_t mask = 0; mask < 65536; mask += 4369 + mask / 7) {
        uint64_t squares = 0;
        for (unsigned bit = 0; bit < 32; bit++) {
            int64_t difference = 0;
            for (uint32_t i = 0; i < 65536; i++)
                difference +=
                    ((uint32_t)__builtin_parity(i & mask) ^ (words[i] >> bit & 1)) ? -1 : 1;
            squares += (uint64_t)(difference * difference);
        }
        assert_int_equal(got.count[mask], squares);
    }
    got.count[77] = 3 * UINT64_C(32) * 65536 / 2; // one and a half times the mean of a unit
    struct judgement judgement;
    judgement_begin(&judgement, 77);
    test.judge(&(struct totals){&test, got.count, &got.bag, 1}, &judgement);
    assert_int_equal(judgement.hypotheses, 1);
    assert_true(fabs(judgement.worst[0].log_p - 16 * (1 - 1.5 + log(1.5))) < 1e-9);
    release(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_fields_that_repeat_are_counted),
        cmocka_unit_test(fields_are_judged_by_their_number),
        cmocka_unit_test(remainders_are_counted_and_judged_by_how_many_words_leave_them),
        cmocka_unit_test(pairs_of_remainders_are_counted_and_judged_by_their_laws),
        cmocka_unit_test(remainders_by_primes_are_those_of_a_plain_loop),
        cmocka_unit_test(residues_are_compared_with_those_before),
        cmocka_unit_test(bits_of_fields_are_those_of_a_plain_loop),
        cmocka_unit_test(ends_of_fields_are_those_of_a_plain_loop),
        cmocka_unit_test(parities_of_the_index_are_those_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, draw_words, release_words);
}
