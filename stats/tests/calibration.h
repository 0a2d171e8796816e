// SPDX-License-Identifier: Apache-2.0
// Which rows are calibrated, and why the others need not be: what the fixture's program and the
// test of its completeness share.

#ifndef ASSAY_STATS_TESTS_CALIBRATION_H
#define ASSAY_STATS_TESTS_CALIBRATION_H

#include <string.h>

#include "stats/battery/battery.h"
#include "stats/battery/catalogue.h"

enum { CALIBRATION_RUN_LOG2 = 18, CALIBRATION_LONG_LOG2 = 20, CALIBRATION_HEADS = 5 };

// Looks that come before the stream.
enum { CALIBRATION_AVALANCHE, CALIBRATION_FAR, CALIBRATION_BEFORE };
static const char *const calibration_before[] = {"avalanche", "far_lags"};

// AGAIN: the same test far into the stream. IMAGE: what a calibrated row counts in words
// rearranged, so its counts have the very same law. SIZES: the same functions count and judge a
// calibrated row, with other numbers of the same meaning (a longer list, longer sequences, larger
// matrices). LOOPS: a run would take 64 MiB; each p is that of a count that is exactly binomial,
// and particulars_test.c holds the counts against plain loops.
enum calibration_reason { CALIBRATED, AGAIN, IMAGE, SIZES, LOOPS };

// The rows of the quick profile, those that the longer ones have besides, and, of tests that have
// none of a mebibyte or less, the same test at such a size.
static inline int calibration_battery(struct battery *battery)
{
    static const struct birthday_shape small[] = {
        {"birthdays_wide", 2, 20, 0, 1, 1 << 15, 1, 18},
        {"birthdays_wide", 3, 14, 0, 1, 1 << 15, 1, 18},
        {"birthdays_wide", 4, 10, 0, 1, 1 << 15, 1, 18},
        {"birthdays_wide", 4, 10, 1, 1, 1 << 15, 1, 18},
        {"birthdays_wide", 6, 7, 1, 1, 1 << 15, 1, 18},
        {"birthdays_wide", 8, 5, 0, 1, 1 << 15, 1, 18},
        {"birthdays_wide", 8, 5, 1, 1, 1 << 15, 1, 18},
    };
    static struct battery longer;
    if (!battery_named("quick", battery) || !battery_named("nightly", &longer) ||
        longer.rows + sizeof small / sizeof *small > BATTERY_ROWS_MAX)
        return 0;
    for (unsigned r = battery->rows; r < longer.rows; r++)
        battery->row[battery->rows++] = longer.row[r];
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++)
        battery->row[battery->rows++].test = test_birthdays(&small[i]);
    return battery->rows <= BATTERY_ROWS_MAX;
}

static inline int calibration_same(const struct test *a, const struct test *b)
{
    return a->judge == b->judge && !strcmp(a->name, b->name) && !memcmp(a->p, b->p, sizeof a->p) &&
           a->list == b->list;
}

static inline enum calibration_reason calibration_reason(const struct battery *battery,
                                                         unsigned row)
{
    const struct test *const test = &battery->row[row].test;
    const unsigned *const p = test->p;
    const struct {
        const char *name;
        int image, sizes;
    } rule[] = {
        {"linear", p[0] > 0 || p[1] > 1, p[3] > 50000},
        {"linear_short", p[1] != 1 && p[1] != 4, 0},
        {"lags_all", 1, 0},
        {"bit_lags", p[0] > 0, 0},
        {"echoes", p[0] > 0, 0},
        {"birthdays_apart", 1, 0},
        {"cells", p[0] != 0 && p[0] != 4 && p[0] != 7 && p[0] != 9 && p[0] != 11, 0},
        {"quotients", 1, 0},
        {"gaps", p[1] > 0 || p[2], 0},
        {"ascents", p[0] > 0, 0},
        {"copies", 0, p[0] > 4},
        {"collisions", p[0] == 1 || p[0] == 3, p[1] > 18},
        {"collisions_alike", 0, p[0] > 6},
        {"turns_far", 0, 1},
        {"turns_farther", 0, 1},
        {"lanes", 0, p[2] > 64},
        {"frames", 0, p[0] > 3},
        {"sums", 0, p[0] != 32},
        {"field_bits", 0, p[0] > 6},
        {"field_ends", 0, p[0] > 23},
        {"fields_long", 0, 1},
        {"duplicates_dense", 0, 1},
        {"birthdays_wide", 0, test->unit_log2 > 18},
        {"value_gaps", p[0] > 0, 0},
        {"value_counts", p[0] > 0, 0},
        {"predictions", 0, p[0] > 0},
        {"parities", 0, p[0] > 32},
        {"parities_of_4", 0, 1},
        {"multiples", 0, p[0] > 24 || p[1] > 4093},
        {"block_sums", 0, p[0] < 65535},
        {"byte_origins", p[0] > 0, 0},
        {"waves", 0, 1},
        {"recut_lags", 1, 0},
        {"recut_sums", 1, 0},
        {"far_bit_lags", 1, 0},
        {"far_most_lags", 1, 0},
    };
    for (unsigned r = 0; r < row; r++) // far into the stream
        if (calibration_same(&battery->row[r].test, test))
            return AGAIN;
    if (!strcmp(test->name, "far_bit_lags") && !p[0])
        return LOOPS;
    for (unsigned i = 0; i < sizeof rule / sizeof *rule; i++)
        if (!strcmp(test->name, rule[i].name))
            return rule[i].sizes ? SIZES : rule[i].image ? IMAGE : CALIBRATED;
    return CALIBRATED;
}

// Tests whose unit is longer than a mebibyte, or that need more than one unit, see words of their
// own.
static inline unsigned calibration_units(const struct test *test)
{
    return strcmp(test->name, "heads") ? 1 : CALIBRATION_HEADS;
}

static inline int calibration_is_long(const struct test *test)
{
    return test->unit_log2 > CALIBRATION_RUN_LOG2 || calibration_units(test) > 1;
}

#endif
