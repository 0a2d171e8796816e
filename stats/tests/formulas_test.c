// SPDX-License-Identifier: Apache-2.0
// What tests that look for a formula of words, registers and waves count (copies, formulas, checks,
// triples, tides, displaced repeats, words that return), and by which law they judge, against plain
// loops.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/tests/counting.h"

// ---- copies -----------------------------------------------------------------

static void copies_are_judged_by_how_many_bytes_and_halves_are_equal(void **state)
{
    (void)state;
    const struct test test = test_copies(4);
    struct counted got = counted_by(&test, words);
    const double n = 65536 - 256;
    // Within a word six different pairs of bytes (one of a turn of 8 stands for its mirror image)
    // and five of halves.
    const uint64_t family = 6 + 3 + 16 * 7;
    for (uint32_t i = 0; i < 18 * 7; i++) {
        char text[200];
        test.describe(&test, i, text, sizeof text);
        const unsigned c = i / 7, part = i % 7, lag = c < 2 ? 0 : (c - 2) / 4 + 1,
                       turn = c < 2 ? 8 * c + 8 : (c - 2) % 4 * 8;
        if ((!lag && part == 6) || (c == 1 && (part == 2 || part == 3 || part == 5)))
            continue;
        uint64_t expected = 0;
        for (size_t k = 256; k < 65536; k++)
            for (unsigned b = 0; b < 6; b++) {
                const uint32_t from = words[k - lag],
                               turned = turn ? from >> turn | from << (32 - turn) : from;
                const uint32_t d =
                    (words[k] ^ turned) >> (b < 4 ? 8 * b : 16 * (b - 4)) & (b < 4 ? 0xff : 0xffff);
                expected += (part == 6 ? b < 4 : b == part) && d == 0;
            }
        struct judgement judgement;
        struct bag none = {0};
        judgement_begin(&judgement, i);
        test.judge(&(struct totals){&test, got.count, &none, 1}, &judgement);
        assert_int_equal((uint64_t)judgement.worst[0].observed, expected);
        judged_by(&test, i, 9, family, 9 * (part == 6 ? 4 * n : n),
                  part == 4 || part == 5 ? 0x1p-16 : 0x1p-8);
        char name[60];
        snprintf(name, sizeof name, "that %u bits higher of the ", turn);
        if (part < 6 && !strstr(text, "byte 2") && part == 2)
            fail_msg("%s", text);
        assert_non_null(strstr(text, name));
    }
    release(&got);
}

// ---- formulas ---------------------------------------------------------------

static void formulas_name_what_was_planted(void **state)
{
    (void)state;
    const struct test test = test_formulas(8);
    const uint32_t kept = words[1000];
    static const char *const name[] = {"the sum of those 3 and 7 before",
                                       "the nearer less the farther of those 3 and 7 before",
                                       "the farther less the nearer of those 3 and 7 before",
                                       "the exclusive or of those 3 and 7 before"};
    for (unsigned form = 0; form < 4; form++) {
        const uint32_t near = words[997], far = words[993];
        words[1000] = form == 0   ? near + far
                      : form == 1 ? near - far
                      : form == 2 ? far - near
                                  : near ^ far;
        struct counted got = counted_by(&test, words);
        unsigned found = 0;
        for (uint32_t i = 0; i < test.counts; i++)
            if (got.count[i]) {
                char text[200];
                test.describe(&test, i, text, sizeof text);
                assert_non_null(strstr(text, name[form]));
                found++;
                judged_by(&test, i, 3, 4 * 28, 3 * (65536.0 - 256), 0x1p-32);
            }
        assert_int_equal(found, 1);
        release(&got);
    }
    words[1000] = kept;
}

// ---- formulas of two words ----------------------------------------------------

static void bits_of_formulas_of_two_words_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    enum { FROM = 256, FORMS = 10, FIGURES = 33, LAGS = 12, PAIRS = LAGS * (LAGS + 1) / 2 };
    const struct test test = test_pair_formulas();
    struct counted got = counted_by(&test, words);
    uint32_t slot = 0;
    assert_int_equal(test.counts, PAIRS * FORMS * FIGURES);
    for (unsigned s = 1; s <= LAGS; s++)
        for (unsigned r = 1; r <= s; r++, slot += FORMS * FIGURES) {
            if ((r * s) % 7 != 1)
                continue;
            uint64_t differs[FORMS][FIGURES] = {{0}};
            for (size_t i = FROM; i < 65536; i++) {
                const uint64_t a = words[i - r], b = words[i - s];
                uint32_t carries = 0; // of long addition; the last one comes back to bit 0
                uint64_t carry = 0;
                for (unsigned bit = 0; bit < 32; bit++) {
                    carry = (carry + (a >> bit & 1) + (b >> bit & 1)) >> 1;
                    carries |= (uint32_t)carry << (bit + 1) % 32;
                }
                const uint32_t value[FORMS] = {(uint32_t)(a * b),         (uint32_t)(a * b >> 32),
                                               (uint32_t)(a & b),         (uint32_t)(a | b),
                                               (uint32_t)((a + b) / 2),   (uint32_t)(2 * a - b),
                                               (uint32_t)(2 * b - a),     (uint32_t)(a < b ? a : b),
                                               (uint32_t)(a < b ? b : a), carries};
                for (unsigned form = 0; form < FORMS; form++) {
                    for (unsigned bit = 0; bit < 32; bit++)
                        differs[form][bit] += (words[i] ^ value[form]) >> bit & 1;
                    differs[form][32] += words[i] == value[form];
                }
            }
            assert_memory_equal(got.count + slot, differs, sizeof differs);
        }
    release(&got);
    const uint64_t family = PAIRS * FORMS * FIGURES;
    judged_by(&test, 5, 3, family, 3.0 * (65536 - FROM), 0.5);
    judged_by(&test, 32, 3, family, 3.0 * (65536 - FROM), 0x1p-32);
    char text[200];
    test.describe(&test, (2 * FORMS + 1) * FIGURES + 32, text, sizeof text);
    assert_string_equal(text,
                        "words that are the high half of the product of those 2 and 2 before");
}

// ---- bytes of two or three words ----------------------------------------------

// What byte 2 of word i is away from the exclusive or of those before; t = s: of two.
static uint32_t away(const uint32_t *w, size_t i, size_t r, size_t s, size_t t)
{
    return (w[i] ^ w[i - r] ^ w[i - s] ^ (t != s ? w[i - t] : 0)) & 0xff0000;
}

// Distances are kept when more than 28 of 2,048 words are met, and not before.
static void hold_distances(size_t r, size_t s, size_t t, const char *named)
{
    enum { FROM = 320, PLACES = 2048, MET = 28 };
    const struct test test = test_byte_origins(2);
    const size_t lag[] = {r, s, t};
    uint32_t *const w = malloc(65536 * sizeof *w);
    memcpy(w, words, 65536 * sizeof *w);
    for (unsigned wanted = MET; wanted <= MET + 1; wanted++) {
        unsigned met = 0;
        for (size_t i = FROM; i < FROM + PLACES; i++)
            met += !away(w, i, r, s, t);
        assert_true(met <= wanted);
        // From the end: no word that has been met is touched again.
        for (size_t i = FROM + PLACES - 1; met < wanted; i--) {
            bool later = false;
            for (unsigned l = 0; l < 3; l++)
                later |= i + lag[l] < FROM + PLACES && !away(w, i + lag[l], r, s, t);
            if (!away(w, i, r, s, t) || later)
                continue;
            w[i] ^= away(w, i, r, s, t);
            met = 0;
            for (size_t k = FROM; k < FROM + PLACES; k++)
                met += !away(w, k, r, s, t);
        }
        struct counted got = counted_by(&test, w);
        assert_int_equal(got.bag.count, wanted > MET);
        assert_true(wanted == MET || got.bag.item[0] == (r << 16 | s << 8 | t));
        release(&got);
    }
    free(w);
    double tail = 0, term = pow(255 / 256.0, PLACES);
    for (unsigned k = 0; k < 200; k++, term *= (PLACES - k + 1.0) / k / 255)
        tail += k > MET ? term : 0;
    const double chance = real_exp(null_binomial_log_upper(MET + 1, PLACES, 0x1p-8));
    assert_true(fabs(chance - tail) < 1e-9 * tail);
    const uint32_t index = (uint32_t)(r << 16 | s << 8 | t);
    judged_by(&test, index, 7, UINT64_C(160) * 159 * 158 / 6 + 159 * 158 / 2, 7, chance);
    char text[200];
    test.describe(&test, index, text, sizeof text);
    assert_non_null(strstr(text, named));
}

static void distances_that_meet_more_than_28_words_are_kept(void **state)
{
    (void)state;
    hold_distances(5, 70, 160, "of those 5, 70 and 160 before");
    hold_distances(5, 70, 70, "of those 5 and 70 before");
}

// ---- checks -------------------------------------------------------------------

// A check of bytes as the catalogue of such codes gives it: `low_first` of reflected ones.
static uint32_t crc_of(const uint8_t *byte, size_t bytes, unsigned bits, uint32_t polynomial,
                       bool low_first, uint32_t first, uint32_t last)
{
    uint64_t value = first;
    for (size_t i = 0; i < bytes; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            const uint64_t in = byte[i] >> (low_first ? bit : 7 - bit) & 1,
                           out = (low_first ? value : value >> (bits - 1)) & 1;
            value = low_first ? value >> 1 : value << 1 & ((UINT64_C(1) << bits) - 1);
            value ^= in != out ? polynomial : 0;
        }
    return (uint32_t)value ^ last;
}

// The check that the table of block_checks.c has at that place, of that many words; nine letters
// instead where there are no words, for codes that are known by their check of these.
static uint32_t check_of(unsigned which, const uint32_t *w, size_t count)
{
    static const struct {
        unsigned bits;
        uint32_t polynomial;
        bool low_first;
        uint32_t first, last;
    } code[] = {{32, 0xedb88320, true, UINT32_MAX, UINT32_MAX},
                {32, 0xedb88320, true, 0, 0},
                {32, 0x04c11db7, false, UINT32_MAX, UINT32_MAX},
                {32, 0x04c11db7, false, 0, 0},
                {32, 0x82f63b78, true, UINT32_MAX, UINT32_MAX},
                {16, 0x1021, false, 0xffff, 0},
                {16, 0x1021, false, 0, 0},
                {16, 0xa001, true, 0xffff, 0},
                {16, 0xa001, true, 0, 0}};
    enum { CODES = sizeof code / sizeof *code, WORDS = 64 };
    uint8_t byte[4 * WORDS] = "123456789";
    uint32_t first = 0, second = 0;
    uint64_t sum = 0;
    assert_true(count <= WORDS);
    for (size_t i = 0; i < 4 * count; i++) {
        const bool low_first = which >= CODES || code[which].low_first;
        byte[i] = (uint8_t)(w[i / 4] >> 8 * (low_first ? i % 4 : 3 - i % 4));
        first = (first + byte[i]) % 255;
        second = (second + first) % 255;
        sum += (uint64_t)byte[i] << i % 2 * 8;
    }
    if (which < CODES)
        return crc_of(byte, w ? 4 * count : 9, code[which].bits, code[which].polynomial,
                      code[which].low_first, code[which].first, code[which].last);
    const uint64_t modulus = which < CODES + 2 ? 65535 : 65536;
    return which == CODES + 4   ? first | second << 8
           : which == CODES + 1 ? (uint32_t)(65535 - sum % modulus)
           : which == CODES + 3 ? (uint32_t)((modulus - sum % modulus) % modulus)
                                : (uint32_t)(sum % modulus);
}

// Every 50th word is the check of the 49 before, or half of it is.
static void checks_of_the_words_before_are_found(void **state)
{
    (void)state;
    enum { FRAME = 50, LAGS = 4096, PLACES = 32768 };
    static const struct {
        unsigned which;
        uint32_t of_nine_letters;
    } said[] = {{0, 0xcbf43926}, {2, 0xfc891918}, {4, 0xe3069283}, {5, 0x29b1},
                {6, 0x31c3},     {7, 0x4b37},     {8, 0xbb3d}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_int_equal(check_of(said[i].which, NULL, 0), said[i].of_nine_letters);
    uint32_t *const w = malloc(65536 * sizeof *w);
    for (unsigned which = 0; which < BLOCK_CHECKS; which++) {
        const struct test test = test_block_checks(which);
        const bool whole = test.counts == LAGS, high = !whole && which % 2;
        uint64_t frames = 0, chance = 0;
        memcpy(w, words, 65536 * sizeof *w);
        for (size_t i = FRAME - 1; i < 65536; i += FRAME) {
            const uint32_t kept = check_of(which, w + i - (FRAME - 1), FRAME - 1);
            w[i] = whole ? kept : high ? (w[i] & 0xffff) | kept << 16 : (w[i] & 0xffff0000u) | kept;
            frames += i > LAGS && i <= LAGS + PLACES;
        }
        struct counted got = counted_by(&test, w), good = counted_by(&test, words);
        const uint64_t found = got.count[(high ? LAGS : 0) + FRAME - 2];
        assert_true(found >= frames && found < frames + 10);
        for (size_t i = 0; i < test.counts; i++)
            chance += good.count[i];
        const double mean = test.counts * (double)PLACES / 65536;
        assert_true(fabs((double)chance - mean) < 6 * sqrt(mean));
        release(&got);
        release(&good);
        judged_by(&test, 9, 3, whole ? LAGS : 2 * LAGS, 3.0 * PLACES, 0x1p-16);
    }
    free(w);
}

// ---- triples ----------------------------------------------------------------

static void triples_are_parities_of_three_bits(void **state)
{
    (void)state;
    enum { LAST = 70, BITS = 8192 };
    for (unsigned order = 0; order < 2; order++) {
        const struct test test = test_triples(order, LAST);
        struct counted got = counted_by(&test, words);
        const size_t front = (LAST / 64 + 1) * 64;
        for (unsigned s = 2; s <= LAST; s++)
            for (unsigned r = 1; r < s; r++) {
                uint64_t odd = 0;
                for (size_t i = front; i < front + BITS; i++) {
                    unsigned parity = 0;
                    const size_t at[3] = {i, i - r, i - s};
                    for (unsigned k = 0; k < 3; k++)
                        parity ^= words[at[k] / 32] >> (order ? 31 - at[k] % 32 : at[k] % 32) & 1;
                    odd += parity;
                }
                const uint32_t index = (s - 1) * (s - 2) / 2 + r - 1;
                assert_int_equal(got.count[index], odd);
                char text[200], name[80];
                test.describe(&test, index, text, sizeof text);
                snprintf(name, sizeof name, "the one %u before and the one %u before", r, s);
                assert_non_null(strstr(text, name));
            }
        release(&got);
        judged_by(&test, 9, 11, LAST * (LAST - 1) / 2, 11.0 * BITS, 0.5);
    }
}

// ---- tides ------------------------------------------------------------------

static void tides_are_the_power_of_waves(void **state)
{
    (void)state;
    enum { POINTS = 4096, LOG2 = 2, POINT = 1 << LOG2 };
    const struct test test = test_tides(LOG2);
    struct counted got = counted_by(&test, words);
    const size_t unit = (size_t)1 << test.unit_log2, stretches = unit / POINT / POINTS;
    static const unsigned wave[] = {1, 2, 3, 100, 777, 1024, 2047};
    for (unsigned k = 0; k < sizeof wave / sizeof *wave; k++) {
        double power = 0;
        for (size_t stretch = 0; stretch < stretches; stretch++) {
            double c = 0, s = 0;
            for (size_t i = 0; i < POINTS; i++) {
                double sum = 0;
                for (size_t j = 0; j < POINT; j++)
                    sum += __builtin_popcount(words[(stretch * POINTS + i) * POINT + j]) - 16.0;
                const double angle = 6.283185307179586 * (double)(i * wave[k] % POINTS) / POINTS;
                c += sum * cos(angle);
                s += sum * sin(angle);
            }
            power += (c * c + s * s) / (8.0 * POINT * POINTS);
        }
        // Each stretch is rounded down to 1/256.
        assert_true(fabs((double)got.count[wave[k]] / 256 - power) <=
                    (double)stretches / 256 + 1e-6);
    }
    release(&got);
}

// The power of T stretches exceeds T y at most as often as the sum of T exponential variables, and
// as Chernoff's bound of that allows: log p = T (1 - y + ln y).
static void tides_are_judged_by_the_exponential_bound(void **state)
{
    (void)state;
    const struct test test = test_tides(2);
    const uint64_t units = 16;
    const double stretches = (double)(units << test.unit_log2) / 4 / 4096;
    uint64_t *const count = calloc(test.counts, sizeof *count);
    for (unsigned k = 0; k < 30; k++) {
        const double y = 0.7 + 0.1 * k;
        struct judgement judgement;
        struct bag none = {0};
        memset(count, 0, test.counts * sizeof *count);
        count[55] = (uint64_t)(y * stretches * 256);
        judgement_begin(&judgement, 55);
        test.judge(&(struct totals){&test, count, &none, units}, &judgement);
        const double z = (double)count[55] / 256 / stretches,
                     bound = z > 1 ? stretches * (1 - z + log(z)) : 0;
        assert_int_equal(judgement.kept, 1);
        assert_true(fabs(judgement.worst[0].log_p - bound) <= 1e-9 * (1 - bound));
    }
    free(count);
}

// ---- repeats ----------------------------------------------------------------

// Words whose highest byte is the same: displaced upwards by a byte they are those displaced
// downwards by three bytes, a word before.
static void windows_displaced_upwards_and_downwards_are_not_compared(void **state)
{
    (void)state;
    uint32_t *const w = malloc(65536 * sizeof *w);
    for (size_t i = 0; i < 65536; i++)
        w[i] = words[i] >> 8 | 0x5a000000u;
    const struct test test = test_duplicates(10, 4, 1);
    struct counted got = counted_by(&test, w);
    sort_bag(&got.bag);
    assert_true(got.bag.count > 1000);
    for (size_t i = 1; i < got.bag.count; i++)
        assert_true(got.bag.item[i] != got.bag.item[i - 1]);
    release(&got);
    free(w);
}

// Whether b is a as it is (form 0), but for its 3 low bits (LOW), turned (1) or reversed (2).
enum { AS_THEY_ARE, TURNED, REVERSED, LOW };
static bool alike_in(unsigned form, uint32_t a, uint32_t b)
{
    bool bits = true, bytes = true, in_bytes = true, turned = false;
    if (form == AS_THEY_ARE || form == LOW)
        return a >> (form == LOW ? 3 : 0) == b >> (form == LOW ? 3 : 0);
    for (unsigned i = 0; i < 32; i++) {
        bits &= (a >> i & 1) == (b >> (31 - i) & 1);
        bytes &= (a >> i & 1) == (b >> (24 - i / 8 * 8 + i % 8) & 1);
        in_bytes &= (a >> i & 1) == (b >> (i / 8 * 8 + 7 - i % 8) & 1);
        turned |= b == (uint32_t)((uint64_t)a << i | a >> (32 - i) % 32);
    }
    return form == TURNED ? turned : a == b || bits || bytes || in_bytes;
}

static bool may_return(unsigned form, uint32_t word)
{
    return form == AS_THEY_ARE || form == LOW
               ? (uint64_t)(word / 8 * 8) * 0x9e3779b1u % 0x100000000u < 0x10000000u
               : __builtin_popcount(word) == 11;
}

// What is the same as one before it, of the n that are kept; the mean by the law of empty cells.
static void words_that_return_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static uint32_t w[65536], kept[65536];
    double ways = 1;
    for (unsigned i = 0; i < 11; i++)
        ways = ways * (32 - i) / (i + 1);
    const double cells[] = {0x1p28, ways / 32, ways / 4, 0x1p25};
    for (size_t i = 0; i < 65536; i++) {
        const uint32_t old = w[i % 32768], byte = __builtin_bswap32(old);
        const uint32_t now[] = {old, old ^ 5, old << 7 | old >> 25, byte, old + 8};
        w[i] = i < 32768 || i % 8 > 4 ? words[i] : now[i % 8];
    }
    for (unsigned form = 0; form < 4; form++) {
        size_t n = 0;
        uint64_t expected = 0;
        for (size_t i = 0; i < 65536; i++)
            if (may_return(form, w[i]))
                kept[n++] = w[i];
        for (size_t i = 0; i < n; i++) {
            size_t before = 0;
            while (before < i && !alike_in(form, kept[before], kept[i]))
                before++;
            expected += before < i;
        }
        const struct test test = test_returns(form % LOW);
        struct counted got = counted_by(&test, w);
        struct judgement judgement;
        judgement_begin(&judgement, form == LOW);
        test.judge(&(struct totals){&test, got.count, &got.bag, 1}, &judgement);
        const double k = cells[form], mean = (double)n + k * expm1((double)n * log1p(-1 / k));
        assert_int_equal(got.bag.count, n);
        assert_int_equal((uint64_t)judgement.worst[0].observed, expected);
        assert_true(fabs(judgement.worst[0].expected / mean - 1) < 1e-9);
        assert_int_equal(judgement.law.kind, LAW_POISSON);
        release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_judged_by_how_many_bytes_and_halves_are_equal),
        cmocka_unit_test(formulas_name_what_was_planted),
        cmocka_unit_test(bits_of_formulas_of_two_words_are_those_of_a_plain_loop),
        cmocka_unit_test(distances_that_meet_more_than_28_words_are_kept),
        cmocka_unit_test(checks_of_the_words_before_are_found),
        cmocka_unit_test(triples_are_parities_of_three_bits),
        cmocka_unit_test(tides_are_the_power_of_waves),
        cmocka_unit_test(tides_are_judged_by_the_exponential_bound),
        cmocka_unit_test(windows_displaced_upwards_and_downwards_are_not_compared),
        cmocka_unit_test(words_that_return_are_those_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, draw_words, release_words);
}
