// SPDX-License-Identifier: Apache-2.0
// What the battery's tests stand on: the source they are calibrated on, linear complexity, sorting,
// correlation, the commonest value; and the tests that keep only what stands out, against all
// columns and lags counted one by one.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/kernel/correlate.h"
#include "stats/battery/linear/linear.h"
#include "stats/kernel/sort.h"
#include "stats/source/source.h"
#include "stats/battery/catalogue.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

enum { WORDS = 1 << 16 };

static uint32_t *chacha_words(uint64_t seed, size_t words)
{
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    uint32_t *const to = aligned_alloc(64, words * 4);
    assert_non_null(to);
    assert_int_equal(source_open_chacha(&source, seed, &diagnostic), 0);
    assert_int_equal(source.read(source.context, 0, words, to, &got, &diagnostic), 0);
    assert_int_equal(got, words);
    source_close(&source);
    return to;
}

// RFC 8439, appendix A.1: key stream of the zero key, blocks 0 and 1 (the nonce is zero).
static void chacha_is_the_published_key_stream(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(0, WORDS);
    assert_int_equal(w[0], 0xade0b876);
    assert_int_equal(w[15], 0x8665eeb2);
    assert_int_equal(w[16], 0xbee7079f);
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    uint32_t block[16];
    assert_int_equal(source_open_chacha(&source, 0, &diagnostic), 0);
    assert_int_equal(source.read(source.context, 16, 16, block, &got, &diagnostic), 0);
    assert_memory_equal(block, w + 16, sizeof block);
    source_close(&source);
    free(w);
}

// Berlekamp and Massey's algorithm as their papers state it, one bit a byte.
static size_t complexity_by_the_book(const unsigned char *s, size_t n)
{
    unsigned char c[512] = {1}, b[512] = {1}, t[512];
    size_t L = 0, m = 1;
    for (size_t i = 0; i < n; i++) {
        unsigned d = 0;
        for (size_t j = 0; j <= L; j++)
            d ^= c[j] & s[i - j];
        if (!d) {
            m++;
            continue;
        }
        memcpy(t, c, sizeof t);
        for (size_t j = 0; j + m < sizeof c; j++)
            c[j + m] ^= b[j];
        if (2 * L <= i) {
            L = i + 1 - L;
            memcpy(b, t, sizeof b);
            m = 1;
        } else {
            m++;
        }
    }
    return L;
}

static void linear_complexity_is_that_of_the_textbook(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(3, WORDS);
    uint64_t scratch[128];
    assert_true(linear_scratch(300) <= sizeof scratch);
    for (size_t trial = 0; trial < 400; trial++) {
        const size_t n = 1 + trial % 300;
        uint64_t bits[5] = {0};
        unsigned char bytes[320] = {0};
        for (size_t i = 0; i < n; i++) {
            unsigned bit = w[trial * 10 + i / 32] >> i % 32 & 1;
            if (trial % 3 == 0 && i >= 17) // a short register
                bit = bytes[i - 17] ^ bytes[i - 3];
            if (trial % 7 == 0)
                bit = i + 1 == n; // the longest jump
            bytes[i] = (unsigned char)bit;
            bits[i / 64] |= (uint64_t)bit << i % 64;
        }
        assert_int_equal(linear_complexity(bits, n, scratch), complexity_by_the_book(bytes, n));
    }
    free(w);
}

static size_t bits_of(uint128 x)
{
    size_t bits = 0;
    for (; x; x >>= 1)
        bits++;
    return bits;
}

// Euclid's algorithm on numbers of 128 bits, to the first remainder below 2^32.
static size_t fraction_by_the_book(uint64_t s)
{
    uint128 r = (uint128)1 << 64, by = s, t = 0, t_by = 1;
    while (bits_of(by) > 32) {
        const uint128 quotient = r / by, rest = r % by, next = t + quotient * t_by;
        r = by;
        by = rest;
        t = t_by;
        t_by = next;
    }
    return bits_of(by) > bits_of(t_by) ? bits_of(by) : bits_of(t_by);
}

// The digits of p / q, from the lowest on.
static void write_digits(uint64_t *digits, size_t count, int128 p, uint64_t q)
{
    uint64_t inverse = 1;
    for (unsigned i = 0; i < 6; i++)
        inverse *= 2 - q * inverse;
    for (size_t i = 0; i < count; i++) {
        digits[i] = (uint64_t)p * inverse;
        const uint128 product = (uint128)q * digits[i];
        p = (p >> 64) - (int128)(product >> 64); // the low halves are equal
    }
}

static void fractions_are_found(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(5, WORDS);
    uint64_t digits[64], scratch[4 * 68];
    assert_true(fractions_scratch(64 * 64) <= sizeof scratch);
    for (size_t trial = 0; trial < 4000; trial++) {
        digits[0] = (uint64_t)w[2 * trial] << 32 | w[2 * trial + 1];
        digits[0] >>= trial % 4 ? 0 : trial % 61; // quotients of any size
        assert_int_equal(fraction_size(digits, 64, scratch), fraction_by_the_book(digits[0]));
    }
    for (size_t trial = 0; trial < 200; trial++) {
        const uint64_t p = ((uint64_t)w[4 * trial] << 32 | w[4 * trial + 1]) >> trial % 40,
                       q = (((uint64_t)w[4 * trial + 2] << 32 | w[4 * trial + 3]) >> trial % 53) |
                           1;
        uint64_t a = p, b = q; // the fraction in its lowest terms
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        write_digits(digits, 64, p, q);
        const size_t size = bits_of(p / a) > bits_of(q / a) ? bits_of(p / a) : bits_of(q / a);
        assert_int_equal(fraction_size(digits, 64 * 64, scratch), size);
        digits[40] ^= 1; // and is none any more
        assert_true(fraction_size(digits, 64 * 64, scratch) > 1000);
    }
    free(w);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sorting_sorts(void **state)
{
    (void)state;
    uint32_t *const w = chacha_words(4, WORDS);
    for (size_t n = 1; n <= WORDS / 4; n = n * 3 + 1) {
        uint64_t *const a = malloc(n * 8), *const b = malloc(n * 8), *const spare = malloc(n * 8);
        uint32_t *const c = malloc(n * 4), *const spare32 = malloc(n * 4);
        for (size_t i = 0; i < n; i++) {
            a[i] = b[i] = (w[2 * i] | (uint64_t)w[2 * i + 1] << 32) >> (n % 2 ? 0 : 50);
            c[i] = (uint32_t)a[i];
        }
        qsort(b, n, 8, ascending);
        sort_u64(a, spare, n, 64);
        assert_memory_equal(a, b, n * 8);
        for (size_t i = 0; i < n; i++)
            b[i] = c[i];
        qsort(b, n, 8, ascending);
        sort_u32(c, spare32, n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(c[i], b[i]);
        free(a), free(b), free(spare), free(c), free(spare32);
    }
    free(w);
}

// Keys with the same low bits stay in their order, whatever stands above.
static void sorting_looks_at_low_bits_alone(void **state)
{
    (void)state;
    enum { KEYS = 1 << 15 };
    static uint64_t a[KEYS], spare[KEYS];
    static const size_t size[] = {100, 5000, KEYS};
    uint32_t *const w = chacha_words(11, WORDS);
    for (unsigned bits = 1; bits < 64; bits++)
        for (unsigned s = 0; s < sizeof size / sizeof *size; s++) {
            const uint64_t mask = (UINT64_C(1) << bits) - 1;
            const unsigned kept = bits < 40 ? bits : 40; // few values of many bits: they repeat
            for (size_t i = 0; i < size[s]; i++) {
                const uint64_t low = w[i] & 0xff;
                a[i] = (low << (kept > 8 ? kept - 8 : 0) & mask) |
                       (bits < 48 ? (uint64_t)i << bits : 0);
            }
            sort_u64(a, spare, size[s], bits);
            for (size_t i = 1; i < size[s]; i++) {
                assert_true((a[i - 1] & mask) <= (a[i] & mask));
                if ((a[i - 1] & mask) == (a[i] & mask) && bits < 48)
                    assert_true(a[i - 1] >> bits < a[i] >> bits);
            }
        }
    free(w);
}

static void correlation_counts_as_a_plain_loop(void **state)
{
    (void)state;
    enum { LOG2_MOST = 12 };
    uint32_t *const w = chacha_words(6, WORDS), together[1 << LOG2_MOST];
    void *const scratch = aligned_alloc(64, correlate_scratch(LOG2_MOST));
    assert_non_null(scratch);
    for (unsigned log2 = 6; log2 <= LOG2_MOST; log2++)
        for (unsigned dense = 0; dense < 2; dense++) {
            const size_t n = (size_t)1 << log2, from = n / 2 + 5, lags = n / 2 + 3;
            uint64_t bit[1 << (LOG2_MOST - 6)];
            for (size_t i = 0; i < n / 64; i++)
                bit[i] = dense ? UINT64_MAX : w[2 * i] | (uint64_t)w[2 * i + 1] << 32;
            correlate_bits(bit, bit, log2, from, lags, together, scratch);
            for (size_t k = 1; k <= lags; k++) {
                uint32_t expected = 0;
                for (size_t i = from; i < n; i++)
                    expected +=
                        (bit[i / 64] >> i % 64 & 1) && (bit[(i - k) / 64] >> (i - k) % 64 & 1);
                assert_int_equal(together[k], expected);
            }
        }
    free(scratch);
    free(w);
}

enum { UNIT = 1 << 20 };

// Counts one unit; the bag is the caller's to release.
static void count_unit(const struct test *test, const uint32_t *words, struct bag *bag)
{
    void *const scratch = aligned_alloc(64, (test->scratch + 63) / 64 * 64);
    assert_non_null(scratch);
    uint64_t *const count = calloc(test->counts + 1, sizeof *count);
    assert_non_null(count);
    const struct counts to = {count, bag, scratch, 0, 0};
    test->count(test, words, &to);
    assert_false(bag->failed);
    free(count);
    free(scratch);
}

static unsigned away_from_half(unsigned ones, unsigned n)
{
    return 2 * ones > n ? 2 * ones - n : n - 2 * ones;
}

// What a test of rows keeps of some periods, against ones counted by a plain loop over the words
// that it looks at. How many periods stand out.
static size_t hold_rows(const struct bag *bag, const uint32_t *looked_at, const unsigned *periods,
                        size_t count)
{
    size_t expected = 0;
    for (size_t p = 0; p < count; p++) {
        const unsigned period = periods[p];
        unsigned longest = period, most = 0, column[32] = {0};
        while (longest <= 2048)
            longest *= 2;
        const unsigned rows = (UNIT - 16) / longest / 16 * 16 * (longest / period);
        for (unsigned j = 0; j < period; j++) {
            memset(column, 0, sizeof column);
            for (unsigned r = 0; r < rows; r++)
                for (unsigned b = 0; b < 32; b++)
                    column[b] += looked_at[(size_t)r * period + j] >> b & 1;
            for (unsigned b = 0; b < 32; b++)
                most =
                    away_from_half(column[b], rows) > most ? away_from_half(column[b], rows) : most;
        }
        if (most * most < 49 * rows)
            continue;
        expected++;
        unsigned found = 0;
        for (size_t i = 0; i < bag->count; i++)
            if (bag->item[i] >> 20 == period) {
                assert_int_equal(away_from_half(bag->item[i] & (UNIT - 1), rows), most);
                found++;
            }
        assert_int_equal(found, 1);
    }
    return expected;
}

// Of 97 words one has a bit that is one three times in eight: rows of multiples of 97 show it,
// where there are enough.
static void rows_of_words_are_counted_as_by_a_plain_loop(void **state)
{
    (void)state;
    const struct test test = test_rhythms();
    uint32_t *const w = chacha_words(8, UNIT);
    for (size_t i = 41; i + 2 < UNIT; i += 97)
        w[i] &= ~(1u << 9) | ((w[i + 1] | w[i + 2]) & 1u << 9);
    struct bag bag = {0};
    count_unit(&test, w, &bag);
    unsigned periods[42];
    for (unsigned i = 0; i < 42; i++)
        periods[i] = 97 * (i + 1);
    const size_t expected = hold_rows(&bag, w, periods, 42);
    assert_int_equal(bag.count, expected);
    assert_true(expected > 10 && expected < 42); // the longest rows are too few
    bag_release(&bag);
    free(w);
}

// Ones among bits 0 to `last` of a word.
static unsigned ones_to(uint32_t word, unsigned last)
{
    unsigned ones = 0;
    for (unsigned b = 0; b <= last; b++)
        ones += word >> b & 1;
    return ones;
}

// Totals of words so far, never reduced.
struct totals_so_far {
    uint64_t ones, bytes, halves, words, every_other[2];
    uint8_t odd_ones[2][32];
};

// The checks after one more word.
static uint32_t plain_checks(struct totals_so_far *total, uint32_t word, unsigned odd)
{
    static const unsigned bit[8] = {1, 7, 8, 15, 16, 23, 24, 31},
                          at[8] = {5, 6, 13, 14, 21, 22, 29, 30};
    uint64_t check = 0;
    for (unsigned b = 3; b < 32; b += 4)
        check |= ((total->ones + ones_to(word, b)) & 1) << b;
    for (unsigned b = 0; b < 32; b += 8) {
        total->bytes += word >> b & 0xff;
        check |= (total->bytes & 1) << b | (total->bytes / 128 & 1) << (b + 1);
    }
    for (unsigned b = 0; b < 32; b += 16) {
        total->halves += word >> b & 0xffff;
        check |= (total->halves & 1) << (b + 2) | (total->halves / 32768 & 1) << (b + 10);
    }
    total->ones += ones_to(word, 31);
    total->words += word;
    total->every_other[odd] += word;
    check |= (total->words & 1) << 4 | (total->words >> 31 & 1) << 12;
    check |= (total->every_other[odd] & 1) << 20 | (total->every_other[odd] >> 31 & 1) << 28;
    for (unsigned b = 0; b < 32; b++)
        total->odd_ones[odd][b] ^= word >> b & 1;
    for (unsigned k = 0; k < 8; k++)
        check |= (uint64_t)total->odd_ones[odd][bit[k]] << at[k];
    return (uint32_t)check;
}

// The word with one bit turned over, if need be, that makes check b 0.
static uint32_t word_for(const struct totals_so_far *total, uint32_t word, unsigned odd, unsigned b)
{
    struct totals_so_far then = *total;
    if (!(plain_checks(&then, word, odd) >> b & 1))
        return word;
    for (unsigned turned = 0; turned < 32; turned++) {
        then = *total;
        if (!(plain_checks(&then, word ^ 1u << turned, odd) >> b & 1))
            return word ^ 1u << turned;
    }
    fail_msg("no bit turns check %u", b);
    return 0;
}

// For each of the 32 checks a period of its own at which it is always 0.
static void checks_of_frames_are_counted_as_by_a_plain_loop(void **state)
{
    (void)state;
    static const unsigned prime[32] = {97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149,
                                       151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199,
                                       211, 223, 227, 229, 233, 239, 241, 251, 257, 263};
    const struct test test = test_frame_checks();
    uint32_t *const w = chacha_words(12, UNIT), *const check = calloc(UNIT, sizeof *check);
    assert_non_null(check);
    struct totals_so_far total = {0};
    for (size_t i = 0; i < UNIT; i++) {
        for (unsigned b = 0; b < 32; b++)
            if (i % prime[b] == 60)
                w[i] = word_for(&total, w[i], i % 2, b);
        check[i] = plain_checks(&total, w[i], i % 2);
    }
    struct bag bag = {0};
    count_unit(&test, w, &bag);
    assert_int_equal(hold_rows(&bag, check, prime, 32), 32);
    bag_release(&bag);
    free(check);
    free(w);
}

// Whether bit b is, or (turning) is not, that of the word `stride` before, `length` times in a row.
static bool keeps_still(const uint32_t *w, size_t first, size_t stride, unsigned b, bool turning,
                        unsigned length)
{
    for (size_t k = 0; k < length; k++)
        if ((((w[first + k * stride] ^ w[first + k * stride - stride]) >> b & 1) != 0) != turning)
            return false;
    return true;
}

static void bits_that_keep_still_are_counted_as_by_a_plain_loop(void **state)
{
    (void)state;
    enum { SPELLS_UNIT = 1 << 16 };
    const struct test test = test_spells();
    uint32_t *const w = chacha_words(13, SPELLS_UNIT);
    for (size_t stride = 1; stride <= 8; stride *= 2)
        for (size_t k = 0; k < 160; k++) { // 64 in a row at least, of one group
            const size_t kept = 4096 * stride + 1 + k * stride, turned = kept + 20000;
            w[kept] |= 1u << 7;
            w[turned] = (w[turned] & ~(1u << 8)) | (uint32_t)(k % 2) << 8;
        }
    uint64_t count[24] = {0};
    void *const scratch = aligned_alloc(64, (test.scratch + 63) / 64 * 64);
    assert_non_null(scratch);
    const struct counts to = {count, NULL, scratch, 0, 0};
    test.count(&test, w, &to);
    free(scratch);
    for (unsigned i = 0; i < 24; i++) {
        const size_t stride = (size_t)1 << i / 6, length = (size_t)16 << i % 3;
        const bool turning = i / 3 % 2;
        uint64_t expected = 0;
        for (size_t group = 8; group + length * stride <= SPELLS_UNIT; group += length * stride)
            for (size_t lane = 0; lane < stride; lane++)
                for (unsigned b = 0; b < 32; b++)
                    expected += keeps_still(w, group + lane, stride, b, turning, (unsigned)length);
        assert_int_equal(count[i], expected);
        assert_true(expected > 0);
    }
    free(w);
}

static unsigned what_most_bits_are(uint32_t word)
{
    unsigned ones = 0;
    for (unsigned b = 0; b < 32; b++)
        ones += word >> b & 1;
    return ones > 16 || (ones == 16 && word & 1);
}

// Words that are others, turned, some of which are complemented.
static void far_words_are_compared_as_by_a_plain_loop(void **state)
{
    (void)state;
    static const struct {
        size_t lag, every;
        uint32_t invert;
    } copy[] = {{1, 37, 0}, {65537, 41, UINT32_MAX}, {400009, 43, 0}, {524288, 47, UINT32_MAX}};
    enum { COPIES = sizeof copy / sizeof *copy };
    const struct test test = test_echoes(0);
    uint32_t *const w = chacha_words(9, UNIT);
    for (size_t i = UNIT / 2; i < UNIT; i++)
        for (size_t c = 0; c < COPIES; c++)
            if (i % copy[c].every == 0) {
                const uint32_t far = w[i - copy[c].lag];
                w[i] = (far << 5 | far >> 27) ^ copy[c].invert;
            }
    struct bag bag = {0};
    count_unit(&test, w, &bag);
    assert_int_equal(bag.count, COPIES);
    for (size_t c = 0; c < COPIES; c++) {
        uint64_t differences = 0;
        for (size_t i = UNIT / 2; i < UNIT; i++)
            differences += what_most_bits_are(w[i]) != what_most_bits_are(w[i - copy[c].lag]);
        assert_int_equal(bag.item[c], (uint64_t)copy[c].lag << 20 | differences);
        assert_int_equal(copy[c].invert != 0, differences > UNIT / 4);
    }
    bag_release(&bag);
    free(w);
}

// Pairs of equal words, which a sort of all words brings together; those within six words of each
// other are left out.
static void words_that_come_again_are_found_at_their_distances(void **state)
{
    (void)state;
    const struct test test = test_followers();
    uint32_t *const w = chacha_words(10, UNIT);
    uint64_t *const all = malloc(UNIT * sizeof *all);
    assert_non_null(all);
    for (size_t i = 310007; i < UNIT; i += 100003)
        w[i] = w[i - 300007];
    for (size_t d = 1; d <= 8; d++)
        w[1000 * d + d] = w[1000 * d];
    enum { FIRST = 3, MIDDLE = UNIT - 6 }; // three neighbours on either side
    for (size_t i = 0; i < MIDDLE; i++)
        all[i] = (uint64_t)w[FIRST + i] << 32 | i;
    qsort(all, MIDDLE, sizeof *all, ascending);
    struct bag expected = {0}, bag = {0};
    for (size_t i = 1; i < MIDDLE; i++)
        if (all[i] >> 32 == all[i - 1] >> 32 && all[i] - all[i - 1] > 6)
            bag_add(&expected, all[i] - all[i - 1]);
    count_unit(&test, w, &bag);
    assert_int_equal(bag.count, expected.count);
    qsort(bag.item, bag.count, sizeof *bag.item, ascending);
    qsort(expected.item, expected.count, sizeof *expected.item, ascending);
    assert_memory_equal(bag.item, expected.item, bag.count * sizeof *bag.item);
    uint32_t apart = 0;
    assert_int_equal(bag_commonest(&bag, 20, UINT32_MAX, &apart), 8);
    assert_int_equal(apart, 300007);
    bag_release(&bag);
    bag_release(&expected);
    free(all);
    free(w);
}

static void the_commonest_value_of_a_bag_is_found(void **state)
{
    (void)state;
    static const uint64_t value[] = {7, 3, 9, 3, 7, 1000, 7, 9, 3}; // 3 and 7 alike: the smaller
    struct bag bag = {0};
    uint32_t index = 0;
    assert_int_equal(bag_commonest(&bag, 12, UINT32_MAX, &index), 0);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        bag_add(&bag, value[i]);
    assert_int_equal(bag_commonest(&bag, 12, UINT32_MAX, &index), 3);
    assert_int_equal(index, 3);
    assert_int_equal(bag_commonest(&bag, 12, 9, &index), 2);
    assert_int_equal(index, 9);
    assert_int_equal(bag_commonest(&bag, 12, 1000, &index), 1);
    assert_int_equal(bag_commonest(&bag, 12, 8, &index), 0);
    assert_int_equal(index, 8);
    bag_release(&bag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chacha_is_the_published_key_stream),
        cmocka_unit_test(linear_complexity_is_that_of_the_textbook),
        cmocka_unit_test(fractions_are_found),
        cmocka_unit_test(sorting_sorts),
        cmocka_unit_test(sorting_looks_at_low_bits_alone),
        cmocka_unit_test(correlation_counts_as_a_plain_loop),
        cmocka_unit_test(rows_of_words_are_counted_as_by_a_plain_loop),
        cmocka_unit_test(checks_of_frames_are_counted_as_by_a_plain_loop),
        cmocka_unit_test(bits_that_keep_still_are_counted_as_by_a_plain_loop),
        cmocka_unit_test(far_words_are_compared_as_by_a_plain_loop),
        cmocka_unit_test(words_that_come_again_are_found_at_their_distances),
        cmocka_unit_test(the_commonest_value_of_a_bag_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
