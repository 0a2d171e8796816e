// SPDX-License-Identifier: Apache-2.0
// The battery: its loops against plain ones, its sums for any number of threads, and each test against the flaw it is there for.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ref/rng/philox.h"
#include "stats/audit.h"
#include "stats/linear.h"
#include "stats/sort.h"
#include "stats/tally.h"
#include "stats/tests.h"

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

// A source made of ChaCha20 with something done to it.
struct spoiled {
    struct source base;
    void (*spoil)(uint32_t *word, size_t words, uint64_t first);
};

static enum error spoiled_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                               struct diagnostic *diagnostic)
{
    const struct spoiled *const spoiled = context;
    const enum error error = spoiled->base.read(spoiled->base.context, first, words, to, got, diagnostic);
    if (!error && spoiled->spoil)
        spoiled->spoil(to, *got, first);
    return error;
}

static void one_bit_stuck(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i += 8)
        w[i] |= 1u << 13;
}

static void sometimes_the_word_before(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if (w[i] % 64 == 5)
            w[i] = w[i - 1];
}

static void turned_copy(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 2; i < n; i++)
        if (w[i] >> 29 == 0)
            w[i] = (w[i] & ~1u) | (w[i - 2] >> 9 & 1);
}

static void a_short_register(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 89; i < n; i++) // bit 0 obeys x^89 + x^38 + 1
        w[i] = (w[i] & ~1u) | ((w[i - 89] ^ w[i - 38]) & 1);
}

static void a_lattice(uint32_t *w, size_t n, uint64_t first)
{
    uint32_t x = (uint32_t)first * 69069u + 1u;
    for (size_t i = 0; i < n; i++)
        w[i] = x = x * 69069u + 1234567u;
}

static void a_repeated_page(uint32_t *w, size_t n, uint64_t first)
{
    if (first % (1 << 18) == 0)
        memcpy(w + n / 2 + 77, w + 13, 65536);
}

static void a_rare_byte(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if ((w[i] >> 16 & 0xff) == 0xa7 && w[i] % 2)
            w[i] ^= 1u << 20;
}

static void steady_words(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (__builtin_popcount(w[i]) > 22)
            w[i] = ~w[i];
}

static void weights_that_remember(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if (w[i] % 8 == 0 && (__builtin_popcount(w[i]) > 16) != (__builtin_popcount(w[i - 1]) > 16))
            w[i] = ~w[i];
}

static void balanced_blocks(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i += 16)
        for (size_t j = 0; j < 8; j++)
            w[i + 8 + j] = ~w[i + j];
}

static void dependent_rows(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i += 2048)
        for (size_t j = 0; j < 8; j++)
            w[i + 800 + j] = w[i + 400 + j] ^ w[i + 160 + j];
}

static void dealt_like_cards(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++) { // a bijection of the position: no value ever twice
        uint32_t x = (uint32_t)(first + i);
        for (int r = 0; r < 4; r++) {
            x ^= x >> 16;
            x *= 0x7feb352du;
            x ^= x >> 15;
            x *= 0x846ca68bu;
        }
        w[i] = x;
    }
}

static void comes_again_soon(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 300; i < n; i++)
        if ((w[i] & 15) == 3)
            w[i] = (w[i] & 0xffff0000u) | (w[i - 20 - (w[i] >> 24)] & 0xffffu);
}

static void a_parity(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i < n; i++) // the parity of four bits is even nine times of sixteen
        if ((__builtin_popcount(w[i] & 0x1842) & 1) && (w[i] >> 28 & 7) == 0)
            w[i] ^= 0x40;
}

static void rising(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 1 < n; i += 2)
        if (w[i] > w[i + 1] && w[i] % 16 == 0) {
            const uint32_t swap = w[i];
            w[i] = w[i + 1];
            w[i + 1] = swap;
        }
}

static void missing_nibble(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 1; i < n; i++)
        if ((w[i] & 15) == (w[i - 1] & 15))
            w[i] ^= 1;
}

static void bytes_of_a_lagged_sum(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    unsigned char *const b = (unsigned char *)w;
    uint32_t x[64];
    for (size_t i = 0; i < 4 * n; i++) { // the C library's old rand(): its highest byte
        x[i % 64] = i < 40 ? w[i] : x[(i - 3) % 64] + x[(i - 31) % 64];
        b[i] = (unsigned char)(x[i % 64] >> 24);
    }
}

// 3,000 words of a counter in every mebibyte.
static void a_short_counter(uint32_t *w, size_t n, uint64_t first)
{
    if (first % (1 << 18) == 0)
        for (size_t i = 1000; i < 4000 && i < n; i++)
            w[i] = (uint32_t)i * 4;
}

// Every 131st word follows a register of 32 bits.
static void a_poor_lane(uint32_t *w, size_t n, uint64_t first)
{
    uint32_t x = (uint32_t)first + 12345u;
    for (size_t i = 0; i < n; i += 131) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        w[i] = x;
    }
}

static void an_echo_from_far(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 40009; i < n; i++)
        if (w[i] >> 29 == 3)
            w[i] = (w[i] & ~1u) | (w[i - 40009] & 1);
}

// x[n] = f(x[n - 1]) - x[n - 2] for a function f that is nobody's.
static void a_hidden_map(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 2; i < n; i++) {
        uint32_t x = w[i - 1] * 0x2c1b3c6du;
        x = (x ^ x >> 12) * 0x297a2d39u;
        w[i] = (x ^ x >> 15) - w[i - 2];
    }
}

// Every hundred words add up to nothing.
static void a_check_sum(uint32_t *w, size_t n, uint64_t first)
{
    (void)first;
    for (size_t i = 0; i + 100 <= n; i += 100) {
        uint32_t sum = 0;
        for (size_t j = 0; j < 99; j++)
            sum += w[i + j];
        w[i + 99] = 0 - sum;
    }
}

// The first words of a block are those of the block 2^18 words before with one bit turned over.
static void heads_alike(uint32_t *w, size_t n, uint64_t first)
{
    for (size_t i = 0; i < n; i++)
        if ((first + i) % 65536 < 64) {
            uint64_t x = ((first + i) % (1 << 18)) * UINT64_C(0x9e3779b97f4a7c15);
            x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
            w[i] = (uint32_t)(x >> 32) ^ (uint32_t)((first + i) >> 18 & 1);
        }
}

static const struct {
    const char *test;
    void (*spoil)(uint32_t *, size_t, uint64_t);
    unsigned mebibytes;
} flaw[] = {
    {"positions", one_bit_stuck, 1},
    {"duplicates", a_repeated_page, 4},
    {"lags", sometimes_the_word_before, 1},
    {"turns_across", turned_copy, 1},
    {"linear", a_short_register, 1},
    {"linear_short", a_short_register, 1},
    {"birthdays", a_lattice, 1},
    {"birthdays_wide", a_lattice, 4},
    {"collisions", dealt_like_cards, 16},
    {"bytes", a_rare_byte, 1},
    {"weights", steady_words, 1},
    {"weight_tuples", weights_that_remember, 4},
    {"balance", balanced_blocks, 1},
    {"sums", bytes_of_a_lagged_sum, 1},
    {"rank", dependent_rows, 4},
    {"gaps", comes_again_soon, 1},
    {"cells", a_parity, 1},
    {"orders", rising, 4},
    {"ascents", rising, 4},
    {"coupons", missing_nibble, 4},
    {"poker", missing_nibble, 16},
    {"walk", steady_words, 1},
    {"bursts", a_short_counter, 1},
    {"lanes", a_poor_lane, 4},
    {"bit_lags", an_echo_from_far, 4},
    {"followers", a_hidden_map, 4},
    {"collisions", a_check_sum, 1},
    {"heads", heads_alike, 4},
};

static enum error audit(const struct battery *battery, const struct source *source, unsigned threads,
                        struct audit_result *result)
{
    static struct audit_options options;
    struct diagnostic diagnostic;
    options = (struct audit_options){.battery = *battery, .threads = threads};
    return audit_run(&options, source, result, &diagnostic);
}

static void every_test_catches_its_flaw(void **state)
{
    (void)state;
    static struct battery all, some;
    assert_int_equal(battery_named("quick", &all), 1);
    for (size_t f = 0; f < sizeof flaw / sizeof *flaw; f++) {
        struct spoiled spoiled = {.spoil = flaw[f].spoil};
        struct diagnostic diagnostic;
        struct audit_result result;
        assert_int_equal(source_open_chacha(&spoiled.base, 1000 + f, &diagnostic), 0);
        const struct source source = {"spoiled", 1, &spoiled, spoiled_read, NULL, 0, NULL};
        some = (struct battery){.name = "some", .stages = 1, .stage = {flaw[f].mebibytes * 4u}};
        for (unsigned r = 0; r < all.rows; r++)
            if (!strcmp(all.row[r].test.name, flaw[f].test))
                some.row[some.rows++] = all.row[r];
        assert_true(some.rows > 0);
        for (unsigned r = 0; r < some.rows; r++) {
            some.row[r].weight = 1.0 / some.rows;
            some.row[r].from = 0;
            some.row[r].blocks = flaw[f].mebibytes * 4u;
        }
        assert_int_equal(audit(&some, &source, 0, &result), 0);
        if (result.verdict != AUDIT_FLAWED)
            fail_msg("%s does not see its flaw: log p %g, %s", flaw[f].test, result.finding.log_p, result.finding.what);
        audit_release(&result);
        spoiled.spoil = NULL; // and is silent without it
        assert_int_equal(audit(&some, &source, 0, &result), 0);
        assert_int_equal(result.verdict, AUDIT_CLEAN);
        source_close(&spoiled.base);
    }
}

static void counts_do_not_depend_on_threads_or_on_the_way_of_reading(void **state)
{
    (void)state;
    static struct battery battery;
    assert_int_equal(battery_named("quick", &battery), 1);
    struct source source;
    struct diagnostic diagnostic;
    assert_int_equal(source_open_chacha(&source, 5, &diagnostic), 0);
    static struct tally one, other;
    assert_int_equal(tally_open(&one, &battery, 1, &diagnostic), 0);
    assert_int_equal(tally_advance(&one, &source, 0, 36, &diagnostic), 0);
    for (unsigned way = 0; way < 3; way++) {
        source.random_access = way != 2;
        assert_int_equal(tally_open(&other, &battery, way + 1, &diagnostic), 0);
        static const uint64_t stop[3][4] = {{4, 12, 16, 36}, {16, 32, 36, 36}, {2, 16, 32, 36}};
        for (unsigned s = 0; s < 4; s++)
            assert_int_equal(tally_advance(&other, &source, 0, stop[way][s], &diagnostic), 0);
        assert_int_equal(other.blocks, 36);
        for (unsigned r = 0; r < battery.rows; r++) {
            assert_memory_equal(one.count[r], other.count[r], battery.row[r].test.counts * sizeof(uint64_t));
            struct judgement a, b;
            assert_int_equal(tally_judge(&one, r, UINT32_MAX, &a, &diagnostic), 0);
            assert_int_equal(tally_judge(&other, r, UINT32_MAX, &b, &diagnostic), 0);
            assert_memory_equal(&a.worst[0], &b.worst[0], sizeof a.worst[0]);
        }
        tally_close(&other);
    }
    tally_close(&one);
    source_close(&source);
}

static void a_perfect_source_is_clean(void **state)
{
    (void)state;
    static struct battery battery;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct source source;
        struct diagnostic diagnostic;
        struct audit_result result;
        assert_int_equal(battery_named("quick", &battery), 1);
        battery_limit(&battery, 4 << 20);
        assert_int_equal(source_open_chacha(&source, seed, &diagnostic), 0);
        assert_int_equal(audit(&battery, &source, 0, &result), 0);
        assert_int_equal(result.verdict, AUDIT_CLEAN);
        assert_int_equal(result.ended, 0);
        assert_true(result.blocks >= 16);
        source_close(&source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chacha_is_the_published_key_stream),
        cmocka_unit_test(linear_complexity_is_that_of_the_textbook),
        cmocka_unit_test(sorting_sorts),
        cmocka_unit_test(every_test_catches_its_flaw),
        cmocka_unit_test(counts_do_not_depend_on_threads_or_on_the_way_of_reading),
        cmocka_unit_test(a_perfect_source_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
