// SPDX-License-Identifier: Apache-2.0
// The tables of the battery.

#include "stats/battery/battery.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "stats/battery/catalogue.h"

// Short lags all; beyond, lengths and lags of known generators and the neighbours of powers of two.
static const unsigned lags_wide[] = {
    1,    0, 2,    0, 3,     0, 4,     0, 5,     0, 6,     0, 7,     0, 8,     0, 9,     0, 10,   0,
    11,   0, 12,   0, 13,    0, 14,    0, 15,    0, 16,    0, 17,    0, 18,    0, 19,    0, 20,   0,
    21,   0, 22,   0, 23,    0, 24,    0, 25,    0, 26,    0, 27,    0, 28,    0, 29,    0, 30,   0,
    31,   0, 32,   0, 33,    0, 34,    0, 35,    0, 36,    0, 37,    0, 38,    0, 39,    0, 40,   0,
    41,   0, 42,   0, 43,    0, 44,    0, 45,    0, 46,    0, 47,    0, 48,    0, 49,    0, 50,   0,
    51,   0, 52,   0, 53,    0, 54,    0, 55,    0, 56,    0, 57,    0, 58,    0, 59,    0, 60,   0,
    61,   0, 62,   0, 63,    0, 64,    0, 65,    0, 72,    0, 80,    0, 96,    0, 97,    0, 98,   0,
    99,   0, 100,  0, 112,   0, 120,   0, 127,   0, 128,   0, 129,   0, 160,   0, 192,   0, 200,  0,
    224,  0, 250,  0, 255,   0, 256,   0, 257,   0, 273,   0, 311,   0, 312,   0, 384,   0, 397,  0,
    418,  0, 500,  0, 511,   0, 512,   0, 513,   0, 521,   0, 607,   0, 623,   0, 624,   0, 625,  0,
    768,  0, 1000, 0, 1023,  0, 1024,  0, 1025,  0, 1279,  0, 1280,  0, 1536,  0, 2000,  0, 2047, 0,
    2048, 0, 2049, 0, 2281,  0, 3217,  0, 4095,  0, 4096,  0, 4097,  0, 4423,  0, 8191,  0, 8192, 0,
    8193, 0, 9689, 0, 10000, 0, 16383, 0, 16384, 0, 16385, 0, 32767, 0, 32768, 0, 32769, 0,
};
static const unsigned lags_core[] = {1, 0, 2, 0, 4, 0, 8, 0};
static const unsigned lags_long[] = {3, 0,  5, 0,   6, 0,   7, 0,   16, 0,    32,
                                     0, 64, 0, 128, 0, 256, 0, 512, 0,  1024, 0};
static const unsigned turns_within[] = {0, 1, 0, 2,  0, 3,  0, 4,  0, 5,  0, 6,  0, 7,  0, 8,
                                        0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16};
#define TURNS(lag)                                                                                 \
    lag, 1, lag, 2, lag, 3, lag, 4, lag, 5, lag, 6, lag, 7, lag, 8, lag, 9, lag, 10, lag, 11, lag, \
        12, lag, 13, lag, 14, lag, 15, lag, 16, lag, 17, lag, 18, lag, 19, lag, 20, lag, 21, lag,  \
        22, lag, 23, lag, 24, lag, 25, lag, 26, lag, 27, lag, 28, lag, 29, lag, 30, lag, 31
static const unsigned turns_across[] = {TURNS(1), TURNS(2), TURNS(3), TURNS(4)};
static const unsigned turns_next[] = {TURNS(1)};
static const unsigned turns_far[] = {TURNS(5),  TURNS(6),  TURNS(7),  TURNS(8),  TURNS(9),
                                     TURNS(10), TURNS(11), TURNS(12), TURNS(13), TURNS(14),
                                     TURNS(15), TURNS(16), TURNS(24), TURNS(32)};

#define TURNS_8(lag)                                                                               \
    TURNS(lag), TURNS(lag + 1), TURNS(lag + 2), TURNS(lag + 3), TURNS(lag + 4), TURNS(lag + 5),    \
        TURNS(lag + 6), TURNS(lag + 7)
static const unsigned turns_farther[] = {TURNS_8(17), TURNS_8(25), TURNS_8(33),
                                         TURNS_8(41), TURNS_8(49), TURNS_8(57)};

// Fractions of floats and doubles, and calls of 31 and 63 bits; all others.
static const unsigned widths_known[] = {23, 24, 31, 52, 53, 63};
static const unsigned widths_other[] = {
    9,  10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 25, 26, 27, 28, 29, 30, 33, 34, 35, 36, 37,
    38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 54, 55, 56, 57, 58, 59, 60, 61, 62};
#define LIST(list) (list), sizeof(list) / sizeof *(list)
#define PAIRS(list) (list), sizeof(list) / sizeof *(list) / 2

enum { BLOCKS_IN_A_MEBIBYTE = 1 << (18 - BATTERY_BLOCK_LOG2) };

static void add(struct battery *battery, struct test test, uint64_t mebibytes, double weight)
{
    assert(battery->rows < BATTERY_ROWS_MAX);
    battery->row[battery->rows++] =
        (struct battery_row){test, 0, mebibytes * BLOCKS_IN_A_MEBIBYTE, weight};
}

// A row that joins at the second or third mebibyte: costly tests do not delay the verdict on coarse
// flaws.
static void add_from(struct battery *battery, struct test test, uint64_t from_mebibytes,
                     uint64_t mebibytes, double weight)
{
    add(battery, test, mebibytes, weight);
    const uint64_t unit = UINT64_C(1) << (test.unit_log2 - BATTERY_BLOCK_LOG2),
                   from = from_mebibytes * BLOCKS_IN_A_MEBIBYTE;
    battery->row[battery->rows - 1].from = unit > from ? unit : from;
}

static void add_later(struct battery *battery, struct test test, uint64_t mebibytes, double weight)
{
    add_from(battery, test, 2, mebibytes, weight);
}

static const struct birthday_shape shape[] = {
    {"birthdays", 1, 32, 0, 1, 4096, 16, 16},
    {"birthdays", 1, 32, 0, 2, 4096, 8, 16},
    {"birthdays", 2, 16, 1, 1, 4096, 8, 16},
    {"birthdays", 2, 16, 0, 1, 4096, 8, 16},
    {"birthdays", 4, 8, 1, 1, 4096, 4, 16},
    {"birthdays", 4, 8, 0, 1, 4096, 4, 16},
    {"birthdays", 8, 4, 1, 1, 4096, 2, 16},
    {"birthdays", 3, 10, 0, 1, 4096, 5, 16},
    {"birthdays", 3, 10, 1, 1, 4096, 5, 16},
    {"birthdays_wide", 2, 32, 0, 1, 1 << 18, 2, 20},
    {"birthdays_wide", 3, 21, 0, 1, 1 << 18, 1, 20},
    {"birthdays_wide", 4, 16, 0, 1, 1 << 18, 1, 20},
    {"birthdays_wide", 4, 16, 1, 1, 1 << 18, 1, 20},
    {"birthdays_wide", 8, 8, 1, 1, 1 << 17, 1, 20},
    {"birthdays_wide", 8, 8, 0, 1, 1 << 17, 1, 20},
    {"birthdays_wide", 6, 10, 1, 1, (1 << 19) / 6, 1, 19},
    {"birthdays_wide", 8, 8, 1, 1, 1 << 16, 1, 19},
};

// Rows that see `mebibytes` far into the stream: a flaw may begin late, and costly rows have long
// been through by then.
static void add_late(struct battery *battery, uint64_t from_mebibytes)
{
    const struct {
        struct test test;
        uint64_t mebibytes;
    } late[] = {
        {test_lags("lags_wide", PAIRS(lags_wide)), 4},
        {test_lags("turns_within", PAIRS(turns_within)), 4},
        {test_lags("turns_across", PAIRS(turns_across)), 4},
        {test_linear(0, 1, 0, 50000), 1},
        {test_linear(31, 1, 0, 50000), 1},
        {test_linear_short(1, 0), 1},
        {test_lanes(0, 2, 64), 1},
        {test_birthdays(&shape[0]), 4},
        {test_birthdays(&shape[9]), 8},
        {test_collisions(0, 18), 8},
        {test_collisions(4, 18), 8},
        {test_collisions(5, 18), 8},
        {test_bytes(), 4},
        {test_weights(), 4},
        {test_balance(6), 4},
        {test_cells(0), 4},
        {test_cells(1), 4},
        {test_rank(256, 4), 4},
        {test_gaps(8, 24, false), 4},
        {test_orders(5, 1), 4},
    };
    for (unsigned i = 0; i < sizeof late / sizeof *late; i++) {
        add(battery, late[i].test, late[i].mebibytes, 0.05);
        battery->row[battery->rows - 1].from = from_mebibytes * BLOCKS_IN_A_MEBIBYTE;
    }
}

// What every profile runs, in four groups whose order is that of the rows: `all` is the
// number of mebibytes of the profile, `scale` multiplies what costly tests see.
static void add_repeats_and_bits(struct battery *battery, uint64_t all, uint64_t scale,
                                 unsigned thinning)
{
    add(battery, test_positions(), all, 4);
    add(battery, test_places(), 512 * scale, 0.5);
    add(battery, test_rhythms(), 4 * scale, 0.25);
    add(battery, test_frame_checks(), 4 * scale, 0.25);
    add(battery, test_duplicates(thinning, 4, true), all, 2);
    add(battery, test_duplicates(thinning, 2, false), all, 1);
    add(battery, test_bursts(), all, 0.5);
    add(battery, test_bit_runs(), 256 * scale, 0.25);
    add(battery, test_spells(), 256 * scale, 0.25);
    add(battery, test_heads(), 8192, 0.5);
    add(battery, test_lags("lags", PAIRS(lags_core)), all, 2);
    add(battery, test_lags("lags_long", PAIRS(lags_long)), 256 * scale, 1);
    add(battery, test_lags("lags_wide", PAIRS(lags_wide)), 16 * scale, 1);
    add(battery, test_lags("turns_within", PAIRS(turns_within)), 2048 * scale, 1);
    add(battery, test_lags("turns_across", PAIRS(turns_across)), 16 * scale, 1);
    add_later(battery, test_lags("turns_next", PAIRS(turns_next)), 128 * scale, 0.5);
    add_later(battery, test_lags("turns_far", PAIRS(turns_far)), 1 * scale, 1);
    add_later(battery, test_lags("turns_farther", PAIRS(turns_farther)), 1 * scale, 0.5);
    add_later(battery, test_lags_all(4096), 1 * scale, 1);
    for (unsigned bit = 0; bit < 32; bit += 31) {
        add_later(battery, test_bit_lags(bit, 1 << 16), 2 * scale, 0.25);
        add_later(battery, test_lanes(bit, 9, 512), 1 * scale, 0.25);
        add(battery, test_far_lanes(bit), 8192, 0.25);
    }
    add(battery, test_echoes(0), 4 * scale, 0.25);
    for (unsigned byte = 0; byte < 3; byte++)
        for (unsigned bit = 8 * byte + 7; bit < 8 * byte + 9; bit++)
            add_later(battery, test_bit_lags(bit, 1 << 16), 2 * scale, 0.1);
    add(battery, test_steadiness(9, false), 1024 * scale, 0.5);
    add(battery, test_steadiness(12, false), 1024 * scale, 0.5);
    add(battery, test_steadiness(16, false), 1024 * scale, 0.5);
    add(battery, test_steadiness(20, false), all, 0.5);
    add(battery, test_steadiness(12, true), 256, 0.1);
    add(battery, test_edges(false), 64 * scale, 0.5);
    add(battery, test_edges(true), all, 0.5);
    add(battery, test_bytes(), 1024 * scale, 1);
    add(battery, test_weights(), 1024 * scale, 1);
    add(battery, test_weight_tuples(4, 4), 256 * scale, 1);
    add(battery, test_weight_tuples(8, 4), 256 * scale, 1);
    add(battery, test_weight_tuples(9, 3), 256 * scale, 1);
    for (unsigned log2 = 2; log2 <= 16; log2 += 2)
        add(battery, test_balance(log2), 256 * scale, 0.25);
}

static void add_linear(struct battery *battery, uint64_t scale)
{
    add(battery, test_linear(0, 1, 0, 50000), 1 * scale, 1);
    add(battery, test_linear(0, 2, 0, 50000), 1 * scale, 1);
    add(battery, test_linear(31, 1, 0, 50000), 1 * scale, 1);
    add(battery, test_linear(31, 2, 1, 50000), 1 * scale, 1);
    add(battery, test_linear(0, 4, 0, 50000), 1 * scale, 1);
    add(battery, test_linear_short(1, 0), 4 * scale, 1);
    add(battery, test_linear_short(2, 0), 4 * scale, 1);
    add(battery, test_linear_short(2, 1), 4 * scale, 1);
    add(battery, test_linear_short(4, 0), 4 * scale, 1);
    for (unsigned stride = 3; stride <= 16; stride = stride < 8 ? stride + 1 : 2 * stride)
        for (unsigned offset = 0; offset < stride; offset += stride == 16 ? 1 : stride)
            add_later(battery, test_linear_short(stride, offset), 1 * scale, 0.1);
    for (unsigned offset = 1; offset < 8; offset++)
        add_later(battery, test_linear_short(8, offset), 1 * scale, 0.1);
    add_later(battery, test_linear(0, 1, 0, 262144), 1 * scale, 0.5);
    add_later(battery, test_linear(0, 4, 0, 173056), 4 * scale, 0.25);
    add_later(battery, test_linear(31, 1, 0, 120000), 1 * scale, 0.5);
    add_later(battery, test_linear(7, 1, 0, 120000), 1 * scale, 0.5);
    add_later(battery, test_linear(16, 1, 0, 50000), 1 * scale, 0.5);
    add_later(battery, test_linear(15, 2, 1, 50000), 1 * scale, 0.5);
    add_later(battery, test_linear(24, 1, 0, 50000), 1 * scale, 0.5);
    add(battery, test_fractions(), 1 * scale, 0.2);
}

static void add_coincidences_and_relations(struct battery *battery, uint64_t scale)
{
    for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++)
        add(battery, test_birthdays(&shape[i]),
            shape[i].unit_log2 == 20   ? 64 * scale
            : shape[i].unit_log2 == 19 ? 2
                                       : 16,
            0.5);
    // Multiples of most numbers of streams that are in use: powers of 2, alone or times 3, 5, 15 or
    // 375.
    static const unsigned apart[][2] = {{65536, 4}, {61440, 8}, {96000, 16}};
    for (unsigned i = 0; i < sizeof apart / sizeof *apart; i++)
        add(battery, test_birthdays_apart(apart[i][0]), apart[i][1] * scale, 0.1);
    for (unsigned form = 0; form < 6; form++)
        add(battery, test_collisions(form, 18), form ? 64 * scale : 128 * scale, 0.5);
    add(battery, test_collisions(0, 20), 128 * scale, 0.5);
    add(battery, test_followers(), 128 * scale, 0.5);
    for (unsigned bits = 8; bits <= 32; bits *= 2)
        add_from(battery, test_sums(bits), 1, 1 * scale, 0.5);
    for (unsigned bits = 4; bits <= 32; bits *= 2)
        add_later(battery, test_relations(bits, bits == 4 ? 2048 : 4096), 1 * scale, 0.25);
    for (unsigned order = 0; order < 2; order++)
        add_later(battery, test_triples(order, 640), 1 * scale, 0.25);
    add(battery, test_formulas(8), 128 * scale, 0.25);
    for (unsigned form = 0; form < 3; form++)
        add_later(battery, test_origins(form), 4 * scale, 0.25);
    add_later(battery, test_descent(), 4 * scale, 0.25);
    add_later(battery, test_bends(), 1 * scale, 0.25);
    add(battery, test_differences(), 1 * scale, 0.25);
    add(battery, test_copies(4), 64 * scale, 0.5);
    static const unsigned modulus[] = {64000, 63063, 65535}; // 2^9 5^3; 3^2 7^2 11 13; 3 5 17 257
    for (unsigned i = 0; i < sizeof modulus / sizeof *modulus; i++)
        for (unsigned bits = 32; bits <= 64; bits += 32)
            add_later(battery, test_residues(modulus[i], bits), 64 * scale, 0.2);
    for (unsigned bits = 16; bits <= 64; bits *= 2)
        add_later(battery, test_residue_pairs(bits), (bits == 16 ? 8 : 32) * scale, 0.2);
    static const unsigned fraction[] = {24, 32, 53, 64};
    for (unsigned i = 0; i < sizeof fraction / sizeof *fraction; i++)
        add_later(battery, test_remainders(fraction[i]), (fraction[i] < 64 ? 2 : 4) * scale, 0.1);
    for (unsigned bits = 32; bits <= 64; bits += 32)
        add_later(battery, test_residue_lags(bits), 2 * scale, 0.1);
    add(battery, test_tides(2), 64 * scale, 0.25);
    add(battery, test_tides(5), 1024 * scale, 0.25);
}

static void add_shapes_and_games(struct battery *battery, uint64_t scale)
{
    add(battery, test_rank(256, 4), 16 * scale, 1);
    add_later(battery, test_frames(3, 32), 1 * scale, 0.25);
    add_later(battery, test_frames(33, 64), 1 * scale, 0.2);
    add_later(battery, test_frames(128, 128), 4 * scale, 0.1);
    add(battery, test_gaps(16, 0, false), 64 * scale, 0.5);
    add(battery, test_gaps(16, 16, false), 64 * scale, 0.5);
    add(battery, test_gaps(8, 0, false), 64 * scale, 0.5);
    add(battery, test_gaps(8, 24, false), 64 * scale, 0.5);
    add(battery, test_gaps(16, 0, true), 64 * scale, 0.1);
    add(battery, test_gaps(8, 0, true), 16 * scale, 0.1);
    // The first pattern is that of high halves: a short period makes them too even, which shows
    // late.
    for (unsigned pattern = 0; pattern < CELLS_PATTERNS; pattern++)
        add(battery, test_cells(pattern), (pattern ? 128 : 256) * scale, 0.5);
    static const unsigned quotient[][2] = {{false, 1}, {false, 2}, {true, 1}};
    for (unsigned i = 0; i < sizeof quotient / sizeof *quotient; i++)
        add_later(battery, test_quotients(quotient[i][0], quotient[i][1]), 4 * scale, 0.1);
    // From the first word on: fields follow each other from there.
    for (unsigned bits = 9; bits <= 15; bits++)
        for (unsigned order = 0; order < 2; order++)
            add(battery, test_fields(bits, order), (order ? 16 : 64) * scale, 0.1);
    for (unsigned bits = 20; bits <= 31; bits++)
        add(battery, test_wide_fields(bits), 32 * scale, 0.1);
    add(battery, test_field_bits(LIST(widths_known)), 256 * scale, 0.2);
    add(battery, test_field_bits(LIST(widths_other)), 8 * scale, 0.1);
    for (unsigned bits = 23; bits <= 24; bits++)
        add(battery, test_field_ends(bits), 64 * scale, 0.1);
    add(battery, test_field_ends(31), 16 * scale, 0.05);
    add_later(battery, test_index_parities(), 8 * scale, 0.25);
    add(battery, test_orders(5, 1), 64 * scale, 0.5);
    add(battery, test_orders(3, 2), 64 * scale, 0.5);
    add(battery, test_ascents(0), 64 * scale, 0.5);
    add(battery, test_ascents(1), 256 * scale, 0.25);
    add(battery, test_coupons(4, 0), 64 * scale, 0.5);
    add(battery, test_coupons(4, 28), 64 * scale, 0.5);
    add(battery, test_poker(29, 3, 8), 64 * scale, 0.5);
    add(battery, test_poker(0, 3, 8), 64 * scale, 0.5);
    add(battery, test_poker(30, 2, 4), 256 * scale, 0.25);
    add(battery, test_poker(28, 4, 16), 256 * scale, 0.25);
    add(battery, test_walk(), 64 * scale, 0.5);
}

// A row that sees a single unit.
static void add_once(struct battery *battery, struct test test, double weight)
{
    add_later(battery, test, 1, weight);
    struct battery_row *const row = &battery->row[battery->rows - 1];
    row->blocks = UINT64_C(1) << (test.unit_log2 - BATTERY_BLOCK_LOG2);
}

// Values and bytes one by one, fields, numbers of words: each is cheap for what it sees.
static void add_particulars(struct battery *battery, uint64_t scale)
{
    static const unsigned field[] = {24, 31, 40}, value[] = {24, 31, 32, 53, 64};
    const struct test lags = test_lags("lags_wide", PAIRS(lags_wide)), sums = test_sums(32);
    for (unsigned shift = 0; shift <= 24; shift += 24)
        add(battery, test_value_gaps(shift), 8 * scale, 0.1);
    for (unsigned shift = 0; shift <= 16; shift += 16)
        add(battery, test_value_counts(shift), 16 * scale, 0.1);
    add(battery, test_turned(), 8 * scale, 0.1);
    for (unsigned form = 0; form < 3; form++)
        add(battery, test_returns(form), form ? 64 : 256, form ? 0.05 : 0.1);
    add(battery, test_dilations(), 1, 0.1);
    add_later(battery, test_predictions(0, 1), 4 * scale, 0.1);
    add_later(battery, test_parities(32, 3), scale > 1 ? 8 * scale : 1, 0.1);
    for (unsigned i = 0; i < sizeof value / sizeof *value; i++)
        add_later(battery, test_multiples(value[i], 4093), 1 * scale, 0.1);
    add_once(battery, test_block_sums(65535), 0.1);
    for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
        add_once(battery, test_recut("recut_lags", &lags, field[i]), 0.1);
        add_once(battery, test_recut("recut_sums", &sums, field[i]), 0.1);
    }
}

// What takes too long for the quick profile.
static void add_searches(struct battery *battery, uint64_t scale)
{
    static const unsigned field[] = {20, 30, 48, 53, 63}, value[] = {24, 31, 32, 53, 64},
                          check[] = {255, 257, 65521};
    const struct test lags = test_lags("lags_wide", PAIRS(lags_wide)), sums = test_sums(32);
    for (unsigned bit = 0; bit < 32; bit += 31) {
        add(battery, test_far_bit_lags(bit), 64, 0.1);
        add_later(battery, test_waves(bit), 4 * scale, 0.1);
    }
    for (unsigned lowest = 1; lowest <= 22; lowest += 7)
        add(battery, test_far_bit_lags(32 + lowest), 64, 0.05);
    for (unsigned bit = 1; bit < 31; bit++)
        add_later(battery, test_waves(bit), scale, 0.02);
    add_later(battery, test_predictions(2, 64), 4 * scale, 0.1);
    add_later(battery, test_parities(64, 3), 4 * scale, 0.1);
    add(battery, test_duplicates(2, 2, false), 4 * scale, 0.1);
    for (unsigned form = 6; form < 10; form++)
        add(battery, test_collisions(form, 20), 16 * scale, 0.05);
    for (unsigned bits = 33; bits <= 40; bits++)
        add(battery, test_wide_fields(bits), 64 * scale, 0.05);
    add_later(battery, test_parities(32, 4), 2 * scale, 0.1);
    for (unsigned i = 0; i < sizeof check / sizeof *check; i++)
        add_later(battery, test_block_sums(check[i]), 1 * scale, 0.05);
    for (unsigned byte = 1; byte <= 4; byte++)
        add_once(battery, test_echoes(byte), 0.05);
    add(battery, test_copies(64), 4 * scale, 0.1);
    add_once(battery, test_frames(65, 127), 0.05);
    add_once(battery, test_frames(129, 180), 0.05);
    add_later(battery, test_pair_formulas(), 4, 0.05);
    add(battery, test_bits_after_bytes(), 4 * scale, 0.05);
    for (unsigned byte = 0; byte < 4; byte += 3)
        add_later(battery, test_byte_origins(byte), 2, 0.05);
    for (unsigned which = 0; which < BLOCK_CHECKS; which++)
        add_later(battery, test_block_checks(which), 1, 0.02);
    for (unsigned i = 0; i < sizeof value / sizeof *value; i++)
        add_later(battery, test_multiples(value[i], 65521), 1 * scale, 0.05);
    for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
        add_later(battery, test_recut("recut_lags", &lags, field[i]), 1 * scale, 0.05);
        add_later(battery, test_recut("recut_sums", &sums, field[i]), 1 * scale, 0.05);
    }
}

static void finish(struct battery *battery)
{
    double sum = 0;
    for (unsigned r = 0; r < battery->rows; r++)
        sum += battery->row[r].weight;
    for (unsigned r = 0; r < battery->rows; r++)
        battery->row[r].weight /= sum;
}

static const struct {
    const char *name;
    uint64_t last_stage, scale; // mebibytes
    unsigned thinning;
} profile[] = {{"quick", 8192, 1, 10},
               {"nightly", UINT64_C(1) << 20, 16, 14},
               {"deep", UINT64_C(1) << 26, 64, 18}};

bool battery_named(const char *name, struct battery *battery)
{
    for (unsigned i = 0; i < sizeof profile / sizeof *profile; i++) {
        if (strcmp(name, profile[i].name) != 0)
            continue;
        *battery = (struct battery){.name = profile[i].name};
        add_repeats_and_bits(battery, profile[i].last_stage, profile[i].scale, profile[i].thinning);
        add_linear(battery, profile[i].scale);
        add_coincidences_and_relations(battery, profile[i].scale);
        add_shapes_and_games(battery, profile[i].scale);
        add_particulars(battery, profile[i].scale);
        add_late(battery, 1008);
        add_late(battery, 6000);
        if (profile[i].scale > 1)
            add_searches(battery, profile[i].scale);
        for (uint64_t stage = 1; stage < profile[i].last_stage;
             stage *= stage == 1 || stage == 2 ? 2 : 4)
            battery->stage[battery->stages++] = stage * BLOCKS_IN_A_MEBIBYTE;
        battery->stage[battery->stages++] = profile[i].last_stage * BLOCKS_IN_A_MEBIBYTE;
        finish(battery);
        return true;
    }
    return false;
}

void battery_limit(struct battery *battery, uint64_t bytes)
{
    assert(battery->stages > 0);
    uint64_t blocks = bytes >> (BATTERY_BLOCK_LOG2 + 2);
    if (!blocks)
        blocks = 1;
    unsigned s = 0;
    while (s < battery->stages && battery->stage[s] < blocks)
        s++;
    if (s < BATTERY_STAGES_MAX) {
        battery->stage[s] = blocks;
        battery->stages = s + 1;
    }
    for (unsigned r = 0; r < battery->rows; r++)
        if (battery->row[r].blocks > blocks)
            battery->row[r].blocks = blocks;
}

uint64_t battery_seen(const struct battery_row *row, uint64_t blocks)
{
    const unsigned log2 = row->test.unit_log2;
    uint64_t seen = blocks < row->from                 ? 0
                    : blocks - row->from < row->blocks ? blocks - row->from
                                                       : row->blocks;
    if (log2 > BATTERY_BLOCK_LOG2)
        seen = seen >> (log2 - BATTERY_BLOCK_LOG2) << (log2 - BATTERY_BLOCK_LOG2);
    return seen;
}

unsigned battery_looks(const struct battery *battery, unsigned row)
{
    assert(row < battery->rows);
    unsigned looks = 0;
    for (unsigned s = 0; s < battery->stages; s++) {
        const uint64_t before = s ? battery_seen(&battery->row[row], battery->stage[s - 1]) : 0;
        looks += battery_seen(&battery->row[row], battery->stage[s]) > before;
    }
    return looks ? looks : 1;
}
