// SPDX-License-Identifier: Apache-2.0
// The fixture of calibration is complete: every row of every profile is in it, or counts what one
// that is there counts in words rearranged, or is one that is there with other sizes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/tests/calibration.h"

enum { WORDS = 1 << CALIBRATION_LONG_LOG2 };

static uint32_t words[WORDS] __attribute__((aligned(64))),
    rearranged[WORDS] __attribute__((aligned(64)));

static void draw_words(void)
{
    uint64_t state = 7;
    for (size_t i = 0; i < WORDS; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        words[i] = (uint32_t)(z >> 32);
    }
}

// ---- images: where each word that the stand-in sees comes from --------------

static struct test image_linear(const struct test *row)
{
    for (size_t i = 0; i < row->p[3]; i++)
        rearranged[i] = words[row->p[2] + i * row->p[1]] >> row->p[0];
    return test_linear(0, 1, 0, row->p[3]);
}

static struct test image_linear_short(const struct test *row)
{
    for (size_t i = 0; i < row->p[3]; i++)
        rearranged[i] = words[row->p[2] + i * row->p[1]];
    return test_linear_short(1, 0);
}

static struct test image_shifted(const struct test *row)
{
    const int bytes = !strcmp(row->name, "byte_origins");
    for (size_t i = 0; i < (size_t)1 << row->unit_log2; i++)
        rearranged[i] = words[i] >> (bytes ? 8 : 1) * row->p[0];
    return !strcmp(row->name, "value_gaps")     ? test_value_gaps(0)
           : !strcmp(row->name, "value_counts") ? test_value_counts(0)
           : !strcmp(row->name, "far_bit_lags") ? test_far_bit_lags(0)
           : !strcmp(row->name, "byte_origins") ? test_byte_origins(0)
                                                : test_bit_lags(0, row->p[1]);
}

// The values, one a word.
static struct test image_gaps(const struct test *row)
{
    const unsigned a_word = row->p[2] ? 32 / row->p[0] : 1;
    for (size_t i = 0; i < a_word << row->unit_log2; i++)
        rearranged[i] = words[i / a_word] >> (row->p[1] + i % a_word * row->p[0]);
    return test_gaps(row->p[0], 0, false);
}

// A byte four times has a majority where the byte has one. Words are copied, so that there are lags
// to keep.
static struct test image_echoes(const struct test *row)
{
    for (size_t i = 5003; i < WORDS; i += 8)
        words[i] = words[i - 5003];
    for (size_t i = 0; i < (size_t)1 << row->unit_log2; i++)
        rearranged[i] = (words[i] >> 8 * (row->p[0] - 1) & 0xff) * 0x01010101u;
    return test_echoes(0);
}

// Bit by bit: those of the fields, and below them, in the same order, those that belong to none.
static struct test image_recut(const struct test *row)
{
    const unsigned field = row->p[5], size = field < 32 ? 32 : 64;
    const size_t bits = (size_t)32 << row->unit_log2;
    memset(rearranged, 0, bits / 8);
    for (size_t from = 0, rest = bits / size * field, i = 0; i < bits / size; i++)
        for (unsigned b = 0; b < size; b++) {
            const size_t at = b < size - field ? rest++ : from++, to = i * size + b;
            rearranged[to / 32] |= (words[at / 32] >> at % 32 & 1) << to % 32;
        }
    struct test stand_in = !strcmp(row->name, "recut_sums")
                               ? test_sums(32)
                               : test_lags("lags_wide", row->list, row->p[0]);
    stand_in.unit_log2 = row->unit_log2;
    return stand_in;
}

// Bit 0: what most of nine bits are, one by one.
static struct test image_most(const struct test *row)
{
    for (size_t i = 0; i < (size_t)1 << row->unit_log2; i++) {
        unsigned ones = 0;
        for (unsigned bit = row->p[0] - 32; bit < row->p[0] - 32 + 9; bit++)
            ones += words[i] >> bit & 1;
        rearranged[i] = ones >= 5;
    }
    return test_far_bit_lags(0);
}

static struct test image_birthdays_apart(const struct test *row)
{
    const struct birthday_shape shape = {"birthdays_wide", row->p[0], row->p[1],     row->p[2], 1,
                                         row->p[4],        1,         row->unit_log2};
    const size_t apart = row->p[3];
    for (size_t point = 0; point < row->p[4]; point++)
        for (size_t d = 0; d < row->p[0]; d++)
            rearranged[point * row->p[0] + d] =
                words[(point / apart * row->p[0] + d) * apart + point % apart];
    return test_birthdays(&shape);
}

static struct test image_ascents(const struct test *row)
{
    for (size_t i = 0; i < (size_t)1 << (row->unit_log2 - row->p[0]); i++)
        rearranged[i] = words[((i + 1) << row->p[0]) - 1];
    return test_ascents(0);
}

static struct test image_collisions(const struct test *row)
{
    for (size_t i = 0; i < (size_t)1 << (row->p[1] - 1); i++) {
        const size_t at = row->p[0] == 1 ? 2 * i : i / 2 * 4 + i % 2,
                     other = row->p[0] == 1 ? at + 1 : at + 2;
        const unsigned turned = row->p[0] == 1 ? 16 : 0;
        rearranged[2 * i] = words[at] >> turned;
        rearranged[2 * i + 1] = words[other] >> turned;
    }
    return test_collisions(2, row->p[1]);
}

static struct test image_cells(const struct test *row)
{
    // Words that give 16 bits, from which bit up, how far apart; and the pattern of as many words
    // that is calibrated.
    static const struct {
        unsigned words, shift, stride, stand_in;
    } pattern[CELLS_PATTERNS] = {{1, 0, 1, 0},   {1, 16, 1, 0}, {1, 8, 1, 0},   {2, 0, 1, 4},
                                 {2, 24, 1, 4},  {4, 0, 1, 11}, {4, 28, 1, 11}, {8, 0, 1, 7},
                                 {8, 30, 1, 7},  {16, 0, 1, 9}, {16, 31, 1, 9}, {4, 0, 2, 11},
                                 {4, 28, 2, 11}, {2, 12, 4, 4}};
    const unsigned n = pattern[row->p[0]].words, stride = pattern[row->p[0]].stride,
                   as = pattern[row->p[0]].stand_in;
    for (size_t i = 0; i < ((size_t)1 << row->unit_log2) / n; i++)
        for (size_t k = 0; k < n; k++) {
            const size_t from = i / stride * n * stride + i % stride + k * stride;
            const size_t to = i / pattern[as].stride * n * pattern[as].stride +
                              i % pattern[as].stride + k * pattern[as].stride;
            rearranged[to] = words[from] >> pattern[row->p[0]].shift << pattern[as].shift;
        }
    return test_cells(as);
}

// What the word before, made odd, must be multiplied with to give the word, a bit at a time.
static struct test image_quotients(const struct test *row)
{
    for (size_t i = 0; i < (size_t)1 << row->unit_log2; i++) {
        const uint32_t odd = i < row->p[2] ? 1 : words[i - row->p[2]] | 1;
        uint32_t quotient = row->p[1] ? odd * words[i] : 0, left = row->p[1] ? 0 : words[i];
        for (unsigned bit = 0; bit < 32; bit++)
            if (left >> bit & 1) {
                quotient |= 1u << bit;
                left -= odd << bit;
            }
        rearranged[i] = quotient >> 16;
    }
    return test_cells(0);
}

static struct test stand_in_of(const struct test *row)
{
    static const struct {
        const char *name;
        struct test (*image)(const struct test *row);
    } image[] = {{"linear", image_linear},         {"linear_short", image_linear_short},
                 {"bit_lags", image_shifted},      {"gaps", image_gaps},
                 {"echoes", image_echoes},         {"value_gaps", image_shifted},
                 {"recut_lags", image_recut},      {"value_counts", image_shifted},
                 {"far_most_lags", image_most},    {"byte_origins", image_shifted},
                 {"far_bit_lags", image_shifted},  {"recut_sums", image_recut},
                 {"ascents", image_ascents},       {"birthdays_apart", image_birthdays_apart},
                 {"collisions", image_collisions}, {"cells", image_cells},
                 {"quotients", image_quotients}};
    for (size_t i = 0; i < sizeof image / sizeof *image; i++)
        if (!strcmp(image[i].name, row->name))
            return image[i].image(row);
    fail_msg("nothing says of what row %s is the image", row->name);
    return *row;
}

static uint64_t *counts_of(const struct test *test, const uint32_t *from, struct bag *bag)
{
    uint64_t *const count = calloc(test->counts + 1, sizeof *count);
    void *const scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64);
    assert_non_null(count);
    assert_non_null(scratch);
    test->count(test, from, &(struct counts){count, bag, scratch, 0, 0});
    free(scratch);
    return count;
}

static void hold_image(const struct test *row)
{
    const struct test stand_in = stand_in_of(row);
    struct bag bag[2] = {{0}, {0}};
    uint64_t *const count = counts_of(row, words, &bag[0]), *const same = counts_of(
                                                                &stand_in, rearranged, &bag[1]);
    assert_int_equal(row->counts, stand_in.counts);
    assert_ptr_equal(row->judge, stand_in.judge);
    assert_int_equal(bag[0].count, bag[1].count);
    assert_true(strcmp(row->name, "echoes") != 0 || bag[0].count > 0);
    if (memcmp(count, same, row->counts * sizeof *count) != 0 ||
        (bag[0].count && memcmp(bag[0].item, bag[1].item, bag[0].count * sizeof *bag[0].item) != 0))
        fail_msg("%s:%u:%u:%u counts something else than its stand-in", row->name, row->p[0],
                 row->p[1], row->p[2]);
    for (unsigned b = 0; b < 2; b++)
        bag_release(&bag[b]);
    free(count);
    free(same);
}

// Every lag by bit position of a word: what `lags` counts by position of eight words, added up.
static void hold_lags_all(const struct test *row)
{
    enum { LAGS = 4096, SLOTS = 258, SOME = 32 };
    static unsigned list[2 * SOME];
    struct bag bag = {0};
    uint64_t *const count = counts_of(row, words, &bag);
    assert_int_equal(row->counts, LAGS * 34);
    for (unsigned from = 0; from < LAGS; from += from < SOME ? SOME : 992) {
        for (unsigned i = 0; i < SOME; i++)
            list[2 * i] = from + i + 1;
        const struct test lags = test_lags("lags", list, SOME);
        uint64_t *const each = counts_of(&lags, words, &bag);
        for (unsigned i = 0; i < SOME; i++) {
            uint64_t sum[34] = {0};
            for (unsigned s = 0; s < SLOTS; s++)
                sum[s < 256 ? s % 32 : s - 256 + 32] += each[i * SLOTS + s];
            assert_memory_equal(sum, count + (size_t)(from + i) * 34, sizeof sum);
        }
        free(each);
    }
    free(count);
}

// ---- the fixture ------------------------------------------------------------

static char *fixture;

static int read_fixture(void **state)
{
    (void)state;
    FILE *const file = fopen("stats/tests/calibration.txt", "r");
    if (!file)
        return -1;
    fixture = calloc(1, 1 << 20);
    if (fixture)
        fixture[0] = '\n';
    const size_t got = fixture ? fread(fixture + 1, 1, (1 << 20) - 2, file) : 0;
    fclose(file);
    return got ? 0 : -1;
}

static int forget_fixture(void **state)
{
    (void)state;
    free(fixture);
    return 0;
}

static int is_in_fixture(const struct test *test, int sizes_too)
{
    char line[160];
    if (sizes_too)
        snprintf(line, sizeof line, "\nrow %s:", test->name);
    else
        snprintf(line, sizeof line, "\nrow %s:%u:%u:%u:%u:%u:%u ", test->name, test->p[0],
                 test->p[1], test->p[2], test->p[3], test->p[4], test->p[5]);
    return strstr(fixture, line) != NULL;
}

static void every_row_is_calibrated_or_known_by_one_that_is(void **state)
{
    (void)state;
    static struct battery battery;
    unsigned images = 0;
    assert_true(calibration_battery(&battery));
    draw_words();
    for (unsigned r = 0; r < battery.rows; r++) {
        const struct test *const test = &battery.row[r].test;
        const enum calibration_reason reason = calibration_reason(&battery, r);
        if (reason == CALIBRATED && !is_in_fixture(test, 0))
            fail_msg("%s:%u:%u:%u is not in the fixture", test->name, test->p[0], test->p[1],
                     test->p[2]);
        if (reason == SIZES) { // one of the same functions is calibrated
            unsigned same = 0;
            for (unsigned s = 0; s < battery.rows; s++)
                same += battery.row[s].test.judge == test->judge &&
                        calibration_reason(&battery, s) == CALIBRATED;
            if (!same)
                fail_msg("no row is judged like %s", test->name);
        }
        if (reason == IMAGE && strcmp(test->name, "lags_all") != 0)
            hold_image(test);
        else if (reason == IMAGE)
            hold_lags_all(test);
        images += reason == IMAGE;
    }
    assert_true(images > 30);
}

static void other_profiles_have_the_same_tests(void **state)
{
    (void)state;
    static struct battery battery;
    static const char *const name[] = {"nightly", "deep"};
    unsigned longer = 0;
    for (unsigned i = 0; i < 2; i++) {
        static struct battery quick;
        assert_true(battery_named(name[i], &battery) && battery_named("quick", &quick));
        assert_true(battery.rows > quick.rows); // theirs alone come last
        for (unsigned r = 0; r < quick.rows; r++)
            assert_true(battery.row[r].test.judge == quick.row[r].test.judge &&
                        !strcmp(battery.row[r].test.name, quick.row[r].test.name));
        assert_true(!i || longer == battery.rows);
        longer = battery.rows;
    }
    for (unsigned i = 0; i < CALIBRATION_BEFORE; i++) {
        char line[160];
        snprintf(line, sizeof line, "\nrow %s ", calibration_before[i]);
        assert_non_null(strstr(fixture, line));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_calibrated_or_known_by_one_that_is),
        cmocka_unit_test(other_profiles_have_the_same_tests),
    };
    return cmocka_run_group_tests(tests, read_fixture, forget_fixture);
}
