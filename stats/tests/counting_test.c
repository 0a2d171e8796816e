// SPDX-License-Identifier: Apache-2.0
// What tests that look for a rule behind the words count (sums of earlier ones, registers, waves,
// fields, remainders), and by which law they judge, against plain loops and chances that are found
// by trying all values.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/source/source.h"
#include "stats/battery/catalogue.h"

enum { WORDS = 1 << 19, WHERE = 3 };

static uint32_t *words;

static int draw_words(void **state)
{
    (void)state;
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    words = aligned_alloc(64, WORDS * sizeof *words);
    if (!words || source_open_chacha(&source, 77, &diagnostic) ||
        source.read(source.context, 0, WORDS, words, &got, &diagnostic))
        return 1;
    source_close(&source);
    return 0;
}

static int release_words(void **state)
{
    (void)state;
    free(words);
    return 0;
}

struct counted {
    uint64_t *count;
    struct bag bag;
};

static struct counted counted_by(const struct test *test, const uint32_t *w)
{
    struct counted counted = {calloc(test->counts + 1, sizeof(uint64_t)), {0}};
    void *const scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64);
    assert_non_null(counted.count);
    assert_non_null(scratch);
    const struct counts to = {counted.count, &counted.bag, scratch, 0, WHERE};
    test->count(test, w, &to);
    free(scratch);
    return counted;
}

static void release(struct counted *counted)
{
    free(counted->count);
    bag_release(&counted->bag);
}

// The law by which one hypothesis is judged, and the size of its family.
static void judged_by(const struct test *test, uint32_t only, uint64_t units, uint64_t hypotheses,
                      double n, double p)
{
    uint64_t *const count = calloc(test->counts + 1, sizeof *count);
    struct bag bag = {0};
    struct judgement judgement;
    judgement_begin(&judgement, UINT32_MAX);
    test->judge(&(struct totals){test, count, &bag, units}, &judgement);
    assert_int_equal(judgement.hypotheses, hypotheses);
    judgement_begin(&judgement, only);
    test->judge(&(struct totals){test, count, &bag, units}, &judgement);
    assert_int_equal(judgement.kept, 1);
    assert_true(fabs(judgement.law.n - n) < 0.5);
    assert_true(fabs(judgement.law.p - p) <= 1e-12 * p);
    bag_release(&bag);
    free(count);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// An empty bag has no items to hand to qsort.
static void sort_bag(struct bag *bag)
{
    if (bag->count)
        qsort(bag->item, bag->count, sizeof *bag->item, by_value);
}

// ---- lags of a bit ----------------------------------------------------------

static void lags_of_a_bit_are_counted_as_by_a_plain_loop(void **state)
{
    (void)state;
    enum { LAGS = 150, FROM = 192 }; // whole words of 64 bits
    for (unsigned bit = 0; bit < 32; bit += 31) {
        const struct test test = test_bit_lags(bit, LAGS);
        struct counted got = counted_by(&test, words);
        for (size_t lag = 1; lag <= LAGS; lag++) {
            uint64_t expected = 0;
            for (size_t i = FROM; i < 1 << 19; i++)
                expected += (words[i] ^ words[i - lag]) >> bit & 1;
            assert_int_equal(got.count[lag - 1], expected);
        }
        release(&got);
        judged_by(&test, 7, 3, LAGS, 3.0 * ((1 << 19) - FROM), 0.5);
    }
}

// ---- relations --------------------------------------------------------------

// Values of which the one at n is a known sum: x[n] = s1 x[n - 5] + s2 x[n - 9], whose high bits
// are given out.
static void relations_are_those_that_trying_all_finds(void **state)
{
    (void)state;
    enum { LAGS = 24 };
    static const int form[][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    static const unsigned bits_of[] = {4, 8, 16, 32};
    uint32_t *const w = malloc(65536 * sizeof *w);
    for (unsigned b = 0; b < 4; b++)
        for (unsigned f = 0; f < 4; f++) {
            const unsigned bits = bits_of[b], parts = 32 / bits, places = bits == 4 ? 32 : 9;
            const uint32_t near = bits > 8 ? 1u << (bits - 8) : 1;
            const uint64_t range = UINT64_C(1) << bits;
            uint32_t x[4096];
            memset(w, 0, 65536 * sizeof *w);
            for (unsigned i = 0; i < 4096; i++) {
                x[i] = i < 9 ? words[i]
                             : (uint32_t)(form[f][0] * (int64_t)x[i - 5] +
                                          form[f][1] * (int64_t)x[i - 9]);
                w[i / parts] |= x[i] >> (32 - bits) << i % parts * bits;
            }
            const struct test test = test_relations(bits, LAGS);
            struct counted got = counted_by(&test, w);
            uint64_t expected[512];
            size_t count = 0;
            for (uint64_t r = 1; r <= LAGS; r++)
                for (uint64_t s = 1; s <= LAGS; s++)
                    for (unsigned signs = 0; signs < 3; signs++) { // x + + , x - -, x + -
                        if (signs == 2 ? s == r : s <= r)
                            continue;
                        int all = 1;
                        for (unsigned k = 0; k < places; k++) {
                            const unsigned n = LAGS + 56 * k;
                            const int64_t a = x[n - r] >> (32 - bits), c = x[n - s] >> (32 - bits),
                                          v = x[n] >> (32 - bits);
                            const uint64_t sum =
                                (uint64_t)(v + (signs == 1 ? -a : a) + (signs == 0 ? c : -c)) %
                                range;
                            all = all && (sum <= near || sum >= range - near);
                        }
                        if (all)
                            expected[count++] = (r << 13 | s) * 3 + signs;
                    }
            qsort(expected, count, sizeof *expected, by_value);
            sort_bag(&got.bag);
            // Of three values that sum to nothing the hidden bits may carry two: too much for the
            // tolerance.
            assert_true(count > 0 || f == 1);
            assert_int_equal(got.bag.count, count);
            assert_memory_equal(got.bag.item, expected, count * sizeof *expected);
            release(&got);
        }
    free(w);
}

static void relations_are_judged_by_the_share_of_values_that_meet_them(void **state)
{
    (void)state;
    for (unsigned bits = 4; bits <= 8; bits *= 2) {
        uint64_t met = 0, all = 0;
        for (unsigned a = 0; a < 1u << bits; a += 3)
            for (unsigned b = 0; b < 1u << bits; b += 5)
                for (unsigned x = 0; x < 1u << bits; x++, all++) {
                    const unsigned sum = (x + a - b) % (1u << bits);
                    met += sum <= 1 || sum + 1 == 1u << bits;
                }
        const double one = (double)met / (double)all;
        const struct test test = test_relations(bits, 100);
        judged_by(&test, 3 * (2 << 13 | 1), 7, UINT64_C(2) * 100 * 99, 7,
                  pow(one, bits == 4 ? 32 : 9));
    }
}

// ---- origins ----------------------------------------------------------------

static int word_order(const void *a, const void *b)
{
    const uint32_t x = words[*(const uint32_t *)a], y = words[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static void origins_are_those_that_a_search_finds(void **state)
{
    (void)state;
    enum { REACH = 65536, SAMPLES = 8 };
    static uint32_t place[REACH];
    // Three words that are made of others, one of each form, at places that are looked at.
    const size_t made[3] = {REACH + 8192 + 37, REACH + 3 * 8192 + 111 % 64,
                            REACH + 7 * 8192 + 259 % 64};
    const uint32_t kept[3] = {words[made[0]], words[made[1]], words[made[2]]};
    words[made[0]] = words[made[0] - 60000] ^ words[made[0] - 41];
    words[made[1]] = words[made[1] - 65536] + words[made[1] - 1];
    words[made[2]] = words[made[2] - 65536] - words[made[2] - 300];
    for (unsigned form = 0; form < 3; form++) {
        const struct test test = test_origins(form);
        struct counted got = counted_by(&test, words);
        uint64_t expected[64 * SAMPLES];
        size_t count = 0;
        for (size_t k = 0; k < SAMPLES; k++) {
            const size_t n = REACH + k * 8192 + k * 37 % 64;
            for (uint32_t i = 0; i < REACH; i++)
                place[i] = (uint32_t)n - 1 - i;
            qsort(place, REACH, sizeof *place, word_order);
            for (uint64_t r = 1; r <= REACH; r++) {
                const uint32_t a = words[n - r], wanted = form == 0   ? words[n] ^ a
                                                          : form == 1 ? words[n] - a
                                                                      : a - words[n];
                size_t low = 0, high = REACH;
                while (low < high) {
                    const size_t middle = (low + high) / 2;
                    if (words[place[middle]] < wanted)
                        low = middle + 1;
                    else
                        high = middle;
                }
                for (; low < REACH && words[place[low]] == wanted; low++) {
                    const uint64_t s = n - place[low];
                    if (form == 2 ? s != r : s > r)
                        expected[count++] = (r - 1) << 16 | (s - 1);
                }
            }
        }
        assert_true(count > 0);
        assert_int_equal(got.bag.count, count);
        qsort(expected, count, sizeof *expected, by_value);
        sort_bag(&got.bag);
        assert_memory_equal(got.bag.item, expected, count * sizeof *expected);
        release(&got);
        judged_by(&test, 1, 5, (uint64_t)REACH * (REACH - 1) / (form == 2 ? 1 : 2), 5 * SAMPLES,
                  0x1p-32);
    }
    for (unsigned k = 0; k < 3; k++)
        words[made[k]] = kept[k];
}

// ---- descent ----------------------------------------------------------------

static void descent_is_what_a_search_finds(void **state)
{
    (void)state;
    enum { REACH = 65536 };
    const struct test test = test_descent();
    uint32_t *const w = malloc(2 * REACH * sizeof *w);
    memcpy(w, words, 2 * REACH * sizeof *w);
    w[70000] = w[69996] ^ w[70000 - REACH];
    w[80000] = w[79999] + w[79998];
    w[90000] = w[89997] - w[50000];
    w[131071] = w[131071 - 65536] - w[131069];
    w[100000] = 2 * w[99998]; // made of one word, not of two
    struct counted got = counted_by(&test, w);
    // All earlier words, sorted with their places.
    uint64_t *const sorted = malloc(2 * REACH * sizeof *sorted), expected[1000];
    for (uint64_t i = 0; i < 2 * REACH; i++)
        sorted[i] = (uint64_t)w[i] << 32 | i;
    qsort(sorted, 2 * REACH, sizeof *sorted, by_value);
    size_t count = 0;
    for (uint64_t n = REACH; n < 2 * REACH; n++)
        for (uint64_t r = 1; r <= 4; r++)
            for (uint64_t form = 0; form < 4; form++) {
                const uint32_t x = w[n], a = w[n - r],
                               b = form == 0   ? x ^ a
                                   : form == 1 ? x - a
                                   : form == 2 ? a - x
                                               : x + a;
                size_t low = 0, high = 2 * REACH;
                while (low < high) {
                    const size_t middle = (low + high) / 2;
                    if (sorted[middle] >> 32 < b)
                        low = middle + 1;
                    else
                        high = middle;
                }
                for (; low < 2 * REACH && sorted[low] >> 32 == b; low++) {
                    const uint64_t at = sorted[low] & UINT32_MAX;
                    if (at < n - r && n - at <= REACH)
                        expected[count++] = (form * 4 + r - 1) << 16 | (n - at - 1);
                }
            }
    qsort(expected, count, sizeof *expected, by_value);
    sort_bag(&got.bag);
    assert_true(count >= 4);
    assert_int_equal(got.bag.count, count);
    assert_memory_equal(got.bag.item, expected, count * sizeof *expected);
    static const char *const name[] = {"the exclusive or of those 4 and 65536 before",
                                       "the sum of those 1 and 2 before",
                                       "the nearer less the farther of those 3 and 40000 before",
                                       "the farther less the nearer of those 2 and 65536 before"};
    for (unsigned k = 0; k < 4; k++) {
        unsigned met = 0;
        for (size_t i = 0; i < count; i++) {
            char text[200];
            test.describe(&test, (uint32_t)expected[i], text, sizeof text);
            met += strstr(text, name[k]) != NULL;
        }
        assert_int_equal(met, 1);
    }
    free(sorted);
    free(w);
    release(&got);
    judged_by(&test, 1, 5, 4 * (UINT64_C(65535) + 65534 + 65533 + 65532), 5 * 65536.0, 0x1p-32);
}

// ---- copies -----------------------------------------------------------------

static void copies_are_judged_by_how_many_bytes_and_halves_are_equal(void **state)
{
    (void)state;
    const struct test test = test_copies();
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

// ---- fields, remainders -----------------------------------------------------

static void wide_fields_that_repeat_are_counted(void **state)
{
    (void)state;
    for (unsigned bits = 20; bits <= 31; bits++) {
        const struct test test = test_wide_fields(bits);
        struct counted got = counted_by(&test, words);
        const size_t fields = bits < 23 ? (size_t)1 << (bits - 8) : 1 << 15;
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
    const struct test test = test_residues(modulus);
    struct counted got = counted_by(&test, words);
    uint64_t *const expected = calloc(modulus, sizeof *expected);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lags_of_a_bit_are_counted_as_by_a_plain_loop),
        cmocka_unit_test(relations_are_those_that_trying_all_finds),
        cmocka_unit_test(relations_are_judged_by_the_share_of_values_that_meet_them),
        cmocka_unit_test(origins_are_those_that_a_search_finds),
        cmocka_unit_test(descent_is_what_a_search_finds),
        cmocka_unit_test(copies_are_judged_by_how_many_bytes_and_halves_are_equal),
        cmocka_unit_test(formulas_name_what_was_planted),
        cmocka_unit_test(triples_are_parities_of_three_bits),
        cmocka_unit_test(tides_are_the_power_of_waves),
        cmocka_unit_test(tides_are_judged_by_the_exponential_bound),
        cmocka_unit_test(windows_displaced_upwards_and_downwards_are_not_compared),
        cmocka_unit_test(wide_fields_that_repeat_are_counted),
        cmocka_unit_test(fields_are_judged_by_their_number),
        cmocka_unit_test(remainders_are_counted_and_judged_by_how_many_words_leave_them),
    };
    return cmocka_run_group_tests(tests, draw_words, release_words);
}
