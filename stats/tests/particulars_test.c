// SPDX-License-Identifier: Apache-2.0
// What tests that look at values, bytes and fields one by one, at numbers of words and at what lies
// far before count, and by which law they judge, against plain loops.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/tests/counting.h"

static void gaps_of_each_value_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    enum { UNIT = 1 << 18, VALUES = 256, CELLS = 18, GAPS = 640, SOME = 7 };
    static const unsigned last[CELLS - 1] = {1,   2,   4,   8,   16,  32,  64,  96,  128,
                                             192, 256, 320, 384, 512, 640, 768, 1024};
    uint32_t *const w = malloc(UNIT * sizeof *w);
    memcpy(w, words, UNIT * sizeof *w);
    for (size_t i = 0; i < UNIT; i++)
        w[i] = (w[i] & 0xff00) == 0x4200 ? w[i] ^ 0x100 : w[i]; // one value that never comes
    const struct test test = test_value_gaps(8);
    struct counted got = counted_by(&test, w);
    for (unsigned v = 0x42 % SOME; v < VALUES; v += SOME) {
        uint64_t expected[CELLS] = {0}, seen = 0;
        size_t before = 0;
        for (size_t i = 0; i < UNIT && seen <= GAPS; i++) {
            if ((w[i] >> 8 & 255) != v)
                continue;
            unsigned cell = 0;
            while (cell < CELLS - 1 && i - before > last[cell])
                cell++;
            expected[cell] += seen++ > 0;
            before = i;
        }
        expected[CELLS - 1] += seen ? GAPS + 1 - seen : GAPS;
        assert_memory_equal(got.count + v * CELLS, expected, sizeof expected);
    }
    release(&got);
    judged_by(&test, 5 * CELLS, 3, VALUES * CELLS, 3.0 * GAPS, 1.0 / 256);
    judged_by(&test, 5 * CELLS + CELLS - 1, 3, VALUES * CELLS, 3.0 * GAPS, pow(255.0 / 256, 1024));
    free(w);
}

static void stretches_with_a_value_once_or_never_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    enum { VALUES = 65536, SHIFT = 9, STRETCHES = 4 };
    const struct test test = test_value_counts(SHIFT);
    struct counted got = counted_by(&test, words);
    uint32_t(*const times)[VALUES] = calloc(STRETCHES, sizeof *times);
    for (size_t i = 0; i < 65536 * STRETCHES; i++)
        times[i / 65536][words[i] >> SHIFT & 0xffff]++;
    for (size_t v = 0; v < VALUES; v++) {
        uint64_t once = 0, never = 0;
        for (size_t s = 0; s < STRETCHES; s++) {
            once += times[s][v] == 1;
            never += times[s][v] == 0;
        }
        assert_int_equal(got.count[v], once);
        assert_int_equal(got.count[VALUES + v], never);
    }
    free(times);
    release(&got);
    const double stay = 65535.0 / 65536;
    judged_by(&test, 77, 3, 2 * VALUES, 3 * STRETCHES, pow(stay, 65535));
    judged_by(&test, VALUES + 77, 3, 2 * VALUES, 3 * STRETCHES, pow(stay, 65536));
}

static void bytes_are_predicted_by_what_came_most_often(void **state)
{
    (void)state;
    enum { HALF = 1 << 19, LAG = 1, FROM = 3, OF = 1 };
    static uint32_t together[256][256];
    memset(together, 0, sizeof together);
    uint64_t right = 0;
    for (size_t i = LAG; i < HALF; i++)
        together[words[i - LAG] >> 8 * FROM & 255][words[i] >> 8 * OF & 255]++;
    for (size_t i = HALF; i < 2 * HALF; i++) {
        const uint32_t *const row = together[words[i - LAG] >> 8 * FROM & 255];
        size_t most = 0;
        for (size_t b = 0; b < 256; b++)
            most = row[b] > row[most] ? b : most;
        right += (words[i] >> 8 * OF & 255) == most;
    }
    const struct test test = test_predictions(0, 1);
    struct counted got = counted_by(&test, words);
    assert_int_equal(got.count[LAG * 16 + 4 * FROM + OF], right);
    assert_int_equal(got.count[5], 0); // byte 1 of itself
    release(&got);
    judged_by(&test, 16, 3, 12 + 16, 3.0 * HALF, 1.0 / 256);
}

static void parities_of_three_bits_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static const unsigned some[][3] = {{0, 1, 2}, {3, 20, 29}, {0, 30, 31}, {7, 40, 63}};
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        const struct test test = test_parities(bits, 3);
        struct counted got = counted_by(&test, words);
        for (unsigned s = 0; s < (bits == 32 ? 3 : 4); s++) {
            uint64_t expected = 0, at = 0;
            for (unsigned a = 0; a < bits; a++)
                for (unsigned b = a + 1; b < bits; b++)
                    for (unsigned c = b + 1; c < bits; c++)
                        at += a < some[s][0] ||
                              (a == some[s][0] &&
                               (b < some[s][1] || (b == some[s][1] && c < some[s][2])));
            for (size_t i = 0; i < 65536; i += bits / 32) {
                const uint64_t w = words[i] | (bits > 32 ? (uint64_t)words[i + 1] << 32 : 0);
                expected += (w >> some[s][0] ^ w >> some[s][1] ^ w >> some[s][2]) & 1;
            }
            assert_int_equal(got.count[at], expected);
        }
        release(&got);
        judged_by(&test, (3 * 64 + 20) * 64 + 29, 3, test.counts, 3.0 * 65536 * 32 / bits, 0.5);
    }
}

static void parities_of_four_bits_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    const struct test test = test_parities(32, 4);
    struct counted got = counted_by(&test, words);
    uint64_t at = 0;
    for (unsigned a = 0; a < 32; a++)
        for (unsigned b = a + 1; b < 32; b++)
            for (unsigned c = b + 1; c < 32; c++)
                for (unsigned d = c + 1; d < 32; d++, at++) {
                    if (at % 997 && at + 1 < test.counts)
                        continue;
                    uint64_t expected = 0;
                    for (size_t i = 0; i < 65536; i++)
                        expected +=
                            (words[i] >> a ^ words[i] >> b ^ words[i] >> c ^ words[i] >> d) & 1;
                    assert_int_equal(got.count[at], expected);
                }
    assert_int_equal(at, test.counts);
    release(&got);
    judged_by(&test, ((3 * 64 + 11) * 64 + 20) * 64 + 29, 3, test.counts, 3.0 * 65536, 0.5);
}

static void multiples_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static const unsigned bits[] = {24, 31, 32, 53, 64};
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
        const struct test test = test_multiples(bits[b], 1100);
        struct counted got = counted_by(&test, words);
        unsigned at = 0;
        for (unsigned p = bits[b] == 31 ? 3 : 1031; p <= 1100; p += 2) {
            unsigned divisor = 3;
            while (p % divisor)
                divisor += 2;
            if (divisor < p)
                continue;
            uint64_t expected = 0;
            for (size_t i = 0; i<65536; i += bits[b]> 32 ? 2 : 1) {
                const uint64_t w =
                    bits[b] > 32 ? words[i] | (uint64_t)words[i + 1] << 32 : words[i];
                expected += (w >> ((bits[b] > 32 ? 64 : 32) - bits[b])) % p == 0;
            }
            assert_int_equal(got.count[at++], expected);
        }
        assert_int_equal(at, test.counts);
        release(&got);
        judged_by(&test, 1031, 3, test.counts, 3.0 * (bits[b] > 32 ? 32768 : 65536),
                  (floor((ldexp(1, (int)bits[b]) - 1) / 1031) + 1) / ldexp(1, (int)bits[b]));
    }
}

static void sums_of_words_in_a_row_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    enum { LAGS = 4096, MODULUS = 257 };
    const struct test test = test_block_sums(MODULUS);
    struct counted got = counted_by(&test, words);
    for (size_t lag = 1; lag <= LAGS; lag += 819) {
        uint64_t expected = 0;
        for (size_t i = LAGS; i < 65536; i++) {
            uint64_t sum = 0;
            for (size_t j = i - lag + 1; j <= i; j++)
                sum += words[j];
            expected += sum % MODULUS == 0;
        }
        assert_int_equal(got.count[lag - 1], expected);
    }
    release(&got);
    judged_by(&test, 9, 3, LAGS, 3.0 * (65536 - LAGS), 1.0 / MODULUS);
}

static void bits_are_counted_by_the_byte_of_the_word_before(void **state)
{
    (void)state;
    enum { ONES = 4 * 256 * 32 };
    const struct test test = test_bits_after_bytes();
    struct counted got = counted_by(&test, words);
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned value = 0; value < 256; value += 17) {
            uint64_t came = 0, ones[32] = {0};
            for (size_t i = 0; i < 65536; i += 2) {
                if ((words[i] >> 8 * byte & 0xff) != value)
                    continue;
                came++;
                for (unsigned bit = 0; bit < 32; bit++)
                    ones[bit] += words[i + 1] >> bit & 1;
            }
            assert_memory_equal(got.count + (byte * 256 + value) * 32, ones, sizeof ones);
            assert_int_equal(got.count[ONES + byte * 256 + value], came);
            struct judgement judgement;
            judgement_begin(&judgement, (byte * 256 + value) * 32 + 5);
            test.judge(&(struct totals){&test, got.count, &got.bag, 1}, &judgement);
            assert_int_equal(judgement.kept, 1);
            assert_true(fabs(judgement.worst[0].observed - (double)ones[5] / (double)came) < 1e-12);
            assert_true(fabs(judgement.law.n - (double)came) < 0.5);
        }
    struct judgement all;
    judgement_begin(&all, UINT32_MAX);
    test.judge(&(struct totals){&test, got.count, &got.bag, 1}, &all);
    assert_int_equal(all.hypotheses, ONES);
    release(&got);
}

// Words of which the one with number k n is k times that with number n.
static void multiples_of_words_are_those_at_multiples_of_their_number(void **state)
{
    (void)state;
    enum { UNIT = 1 << 18, FORMS = 28, FIGURES = 4 };
    uint32_t *const w = calloc(UNIT, sizeof *w);
    for (unsigned width = 0; width < 2; width++)
        for (unsigned base = 0; base < 2; base++) {
            for (size_t i = 0; i < UNIT; i++) {
                const uint64_t number = (i >> width) + base,
                               product = number * UINT64_C(0x9e3779b97f4a7c15);
                w[i] = (uint32_t)(width ? product >> 32 * (i % 2) : product);
            }
            const struct test test = test_dilations();
            struct counted got = counted_by(&test, w);
            for (unsigned k = 2; k <= 8; k++) {
                const uint64_t pairs = (((uint64_t)UNIT >> width) - 1 + base) / k,
                               *const figure =
                                   got.count + ((k - 2) * 4 + base * 2 + width) * FIGURES,
                               *const other =
                                   got.count + ((k - 2) * 4 + (1 - base) * 2 + width) * FIGURES;
                assert_int_equal(figure[0], pairs);
                assert_int_equal(figure[1], pairs);
                assert_int_equal(other[0], 0);
                uint64_t differences = 0;
                for (uint64_t n = 1; n <= pairs; n++) {
                    const size_t a = (n - base) << width, b = (n * k - base) << width;
                    for (unsigned part = 0; part <= width; part++)
                        differences += (uint64_t)__builtin_popcount(w[a + part] ^ w[b + part]);
                }
                assert_int_equal(figure[2], differences);
            }
            release(&got);
        }
    const struct test test = test_dilations();
    judged_by(&test, 0, 3, FORMS * FIGURES, 3.0 * ((UNIT - 1) / 2), 0x1p-32);
    judged_by(&test, 2, 3, FORMS * FIGURES, 3.0 * 32 * ((UNIT - 1) / 2), 0.5);
    free(w);
}

static void windows_that_were_turned_are_found(void **state)
{
    (void)state;
    enum { UNIT = 1 << 16, AT = 1000, TO = 40000, LONG = 4000 };
    uint32_t *const w = malloc(UNIT * sizeof *w);
    memcpy(w, words, UNIT * sizeof *w);
    const struct test test = test_turned();
    for (unsigned form = 0; form < 3; form++) {
        for (size_t i = 0; i < LONG; i++) {
            uint32_t x = words[AT + i], back = 0;
            for (unsigned bit = 0; bit < 32; bit++)
                back |= (x >> bit & 1) << (31 - bit);
            x = form == 2 ? back : x;
            w[TO + i] = form ? ~(x << 9 | x >> 23) : x + 1;
        }
        struct counted got = counted_by(&test, w);
        struct judgement judgement;
        judgement_begin(&judgement, UINT32_MAX);
        test.judge(&(struct totals){&test, got.count, &got.bag, 1}, &judgement);
        assert_int_equal(judgement.kept, 1);
        const double n = (double)got.bag.count;
        assert_true(fabs(n - UNIT / 64.0) < 200);
        assert_true(fabs(judgement.worst[0].expected - n * (n - 1) / 2 * 64.1 * 0x1p-50) < 1e-9);
        if (form) // one in 64 is kept
            assert_true(fabs(judgement.worst[0].observed - LONG / 64.0) < 40);
        else
            assert_true(judgement.worst[0].observed < 1);
        release(&got);
    }
    free(w);
}

static uint32_t with_bits_moved(uint32_t x, unsigned flip, unsigned add)
{
    uint32_t moved = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        moved |= (x >> bit & 1) << (((bit ^ flip) + add) % 32);
    return moved;
}

// The word that `map` makes of x, or x itself where the form has no such map.
static uint32_t mapped(unsigned form, unsigned map, uint32_t x)
{
    static const unsigned flip[] = {0, 7, 24, 31};
    return form == 6   ? with_bits_moved(x, 0, map)
           : form == 7 ? (map ? UINT32_MAX - x : x)
           : form == 8 ? (map ? 0u - x : x)
                       : with_bits_moved(x, flip[map], 0);
}

static int by_word(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void words_that_are_alike_are_counted_by_their_cells(void **state)
{
    (void)state;
    enum { UNIT = 1 << 20, FIRST = 6, FORMS = 4, AGAIN = 1000 };
    static const unsigned maps[FORMS] = {32, 2, 2, 4}, spared[FORMS] = {128, 0, 16, 256};
    static const double symmetric[FORMS] = {65536, 0, 2, 196096};
    uint32_t *const w = malloc(UNIT * sizeof *w), *const value = malloc(UNIT * sizeof *value);
    for (unsigned f = 0; f < FORMS; f++) {
        const struct test test = test_collisions(FIRST + f, 20);
        const size_t balls = UNIT - spared[f];
        memcpy(w, words, UNIT * sizeof *w);
        w[5] = w[6] = 0x80000000u;
        w[7] = w[8] = 0x81c3c381u; // any reversal leaves it as it is
        for (size_t i = 0; i < AGAIN; i++)
            w[300000 + 500 * i] = mapped(FIRST + f, 1 + (unsigned)(i % (maps[f] - 1)), w[10 + i]);
        size_t taken = 0;
        for (size_t i = 0; i < UNIT && taken < balls; i++) {
            int moves = 1;
            value[taken] = w[i];
            for (unsigned map = 1; map < maps[f]; map++) {
                const uint32_t to = mapped(FIRST + f, map, w[i]);
                moves &= to != w[i];
                value[taken] = to < value[taken] ? to : value[taken];
            }
            taken += moves != 0;
        }
        assert_int_equal(taken, balls);
        qsort(value, balls, sizeof *value, by_word);
        uint64_t repeats = 0, repeated = 0;
        for (size_t i = 1; i < balls; i++) {
            repeats += value[i] == value[i - 1];
            repeated += value[i] == value[i - 1] && (i == 1 || value[i] != value[i - 2]);
        }
        struct counted got = counted_by(&test, w);
        assert_int_equal(got.count[0], repeats);
        assert_int_equal(got.bag.count, repeated); // all: the least of them are not uniform
        const double k = (0x1p32 - symmetric[f]) / maps[f], n = (double)balls;
        struct judgement judgement;
        judgement_begin(&judgement, 0);
        test.judge(&(struct totals){&test, got.count, &got.bag, 7}, &judgement);
        assert_true(fabs(judgement.law.n - 7 * (n + k * expm1(n * log1p(-1 / k)))) < 1e-3);
        release(&got);
    }
    free(w);
    free(value);
}

// Lags that were planted in each third of the range, and where thirds meet.
static void far_lags_of_a_bit_are_found_and_counted(void **state)
{
    (void)state;
    enum { SEGMENT = 1 << 22, ALL = 4 * SEGMENT, PLANTED = 4 };
    static const size_t lag[PLANTED] = {70001, SEGMENT, SEGMENT + 1, 3 * SEGMENT - 5};
    const struct test test = test_far_bit_lags(3);
    struct bag bag = {0};
    uint8_t *const bit = malloc(ALL);
    uint64_t state_of = 5;
    for (size_t i = 0; i < ALL; i++) {
        state_of = state_of * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bit[i] = (uint8_t)(state_of >> 63);
        for (unsigned p = 0; p < PLANTED && i >= 3 * SEGMENT; p++)
            if ((state_of >> 33) % 64 == p)
                bit[i] = bit[i - lag[p]];
    }
    for (uint64_t at = 0; at < ALL; at += 32) {
        uint64_t piece = at / 32 << 32;
        for (unsigned j = 0; j < 32; j++)
            piece |= (uint64_t)bit[at + j] << j;
        bag_add(&bag, piece);
    }
    struct judgement judgement;
    judgement_begin(&judgement, UINT32_MAX);
    test.judge(&(struct totals){&test, NULL, &bag, 256}, &judgement);
    assert_int_equal(judgement.hypotheses, 3 * SEGMENT);
    assert_true(judgement.kept >= PLANTED);
    for (unsigned p = 0; p < PLANTED; p++) {
        uint64_t differences = 0;
        for (size_t i = 3 * SEGMENT; i < ALL; i++)
            differences += bit[i] ^ bit[i - lag[p]];
        unsigned k = 0;
        while (k < judgement.kept && judgement.worst[k].index != lag[p])
            k++;
        assert_true(k < judgement.kept);
        assert_true(fabs(judgement.worst[k].observed * SEGMENT - (double)differences) < 0.5);
        struct judgement alone;
        judgement_begin(&alone, (uint32_t)lag[p]);
        test.judge(&(struct totals){&test, NULL, &bag, 256}, &alone);
        assert_true(alone.kept == 1 &&
                    fabs(alone.worst[0].log_p - judgement.worst[k].log_p) < 1e-9);
    }
    for (unsigned k = PLANTED; k < judgement.kept; k++) // six deviations are kept
        assert_true(fabs(judgement.worst[k].observed - 0.5) < 8 / (2 * sqrt(SEGMENT)));
    free(bit);
    bag_release(&bag);
}

// What `count` keeps of a unit: bit 3 of each word, with its place.
static void pieces_of_a_bit_are_kept_with_their_place(void **state)
{
    (void)state;
    const struct test test = test_far_bit_lags(3);
    struct bag bag = {0};
    test.count(&test, words, &(struct counts){NULL, &bag, NULL, 5, 0});
    assert_int_equal(bag.count, 65536 / 32);
    for (size_t i = 0; i < 65536; i++) {
        assert_int_equal(bag.item[i / 32] >> 32, 5 * 2048 + i / 32);
        assert_int_equal(bag.item[i / 32] >> i % 32 & 1, words[i] >> 3 & 1);
    }
    bag_release(&bag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_each_value_are_those_of_a_plain_loop),
        cmocka_unit_test(stretches_with_a_value_once_or_never_are_those_of_a_plain_loop),
        cmocka_unit_test(bytes_are_predicted_by_what_came_most_often),
        cmocka_unit_test(parities_of_three_bits_are_those_of_a_plain_loop),
        cmocka_unit_test(parities_of_four_bits_are_those_of_a_plain_loop),
        cmocka_unit_test(multiples_are_those_of_a_plain_loop),
        cmocka_unit_test(sums_of_words_in_a_row_are_those_of_a_plain_loop),
        cmocka_unit_test(bits_are_counted_by_the_byte_of_the_word_before),
        cmocka_unit_test(multiples_of_words_are_those_at_multiples_of_their_number),
        cmocka_unit_test(windows_that_were_turned_are_found),
        cmocka_unit_test(words_that_are_alike_are_counted_by_their_cells),
        cmocka_unit_test(far_lags_of_a_bit_are_found_and_counted),
        cmocka_unit_test(pieces_of_a_bit_are_kept_with_their_place),
    };
    return cmocka_run_group_tests(tests, draw_words, release_words);
}
