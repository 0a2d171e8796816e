// SPDX-License-Identifier: Apache-2.0
// Ones at each bit of every k-th word, for every k from 3 to 4,096 and every place within it: one
// word of a row, a tile or a call has a bit that is stuck or far from even, however long the row
// is.
// Words are laid in rows of k, and the ones of each column are counted in bit slices. The counts of
// k / 2 are sums of two columns, so only k above 2,048 read the words. Of each k the most uneven
// column is kept, where it is DEVIATIONS standard deviations from even or more. Each k is a
// hypothesis of its own.
// Null: the ones of each bit of each column are Binomial(rows, 1/2), exactly. For the most uneven
// of the 32 k columns of each unit it is the sum of the chances (Boole's inequality), which holds
// however columns of different k overlap.
// Source: Buys and Ballot's table, Whittaker and Robinson, "The Calculus of Observations", section
// 170; as positions.c, doi:10.1002/cpe.5557.
//
// With p[0] the same of running checks in place of the words' own bits (frame_checks): parities and
// sums of all that came before in the unit. Where the words of a frame of k words check each other,
// a check is the same at the end of every frame. The parity of all bits sees sums modulo 2 of any
// width, also rotated ones, and cyclic redundancy checks whose polynomial x + 1 divides; running
// sums see check sums of bytes, halves and words, their lowest bits also differences.
// Null: what a check gains from one row to the next has a new uniform value in it, so that each of
// the 32 bits is fair and independent of those of other rows: Binomial(rows, 1/2), exactly.
// Source: Fletcher, doi:10.1109/TCOM.1982.1095369; Peterson and Brown,
// doi:10.1109/JRPROC.1961.287814.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 20,
    LONGEST = KERNEL_FOLD_MAX,
    SHORTEST = 3,
    DEVIATIONS = 7,
    BITS = 32,
    LOOKED_AT = 64, // columns of one k whose ones are put together
};

struct table {
    uint32_t slice[2 * KERNEL_FOLD_LEVELS][KERNEL_FOLD_PITCH]; // bit l of the ones of a column
    uint32_t most[KERNEL_FOLD_PITCH], least[KERNEL_FOLD_PITCH];
    uint32_t check[]; // with p[0]: 32 checks after each word of the unit
};

static const uint32_t NIBBLE_ENDS = 0x88888888u;

// Whole sixteens of rows are read, with words left behind them that a vector may reach.
static unsigned sixteens_of(unsigned period)
{
    return (((1u << UNIT_LOG2) - KERNEL_FOLD_PITCH + LONGEST) / period) / 16;
}

// Rows of `period` words that a unit has: those of the longest table that this one was folded from.
static unsigned rows_of(unsigned period)
{
    unsigned folds = 0;
    while (period <= LONGEST / 2) {
        period *= 2;
        folds++;
    }
    return (16 * sixteens_of(period)) << folds;
}

// The fewest ones that are too many.
static unsigned too_many(unsigned rows)
{
    unsigned away = 1; // ones beyond the half, twice
    while ((uint64_t)away * away < (uint64_t)DEVIATIONS * DEVIATIONS * rows)
        away++;
    return (rows + away + 1) / 2;
}

// carry[j]: whether the ones of each bit are `bound` or more. They are when 2^levels - bound, added
// to them, carries.
static void compare(const struct table *table, unsigned period, unsigned levels, unsigned bound,
                    uint32_t *carry)
{
    const unsigned rest = (1u << levels) - bound;
    memset(carry, 0, period * sizeof *carry);
    for (unsigned level = 0; level < levels; level++)
        if (rest >> level & 1)
            for (unsigned j = 0; j < period; j++)
                carry[j] |= table->slice[level][j];
        else
            for (unsigned j = 0; j < period; j++)
                carry[j] &= table->slice[level][j];
}

static unsigned ones_of(const struct table *table, unsigned levels, unsigned column, unsigned bit)
{
    unsigned ones = 0;
    for (unsigned level = 0; level < levels; level++)
        ones |= (table->slice[level][column] >> bit & 1) << level;
    return ones;
}

static uint64_t item_of(unsigned period, unsigned ones)
{
    return (uint64_t)period << UNIT_LOG2 | ones;
}

static void look(struct table *table, unsigned period, unsigned levels, unsigned rows,
                 struct bag *bag)
{
    const unsigned high = too_many(rows);
    compare(table, period, levels, high, table->most);
    compare(table, period, levels, rows - high + 1, table->least);
    uint32_t any = 0;
    for (unsigned j = 0; j < period; j++)
        any |= table->most[j] | ~table->least[j];
    unsigned farthest = 0, kept = 0, seen = 0;
    for (unsigned j = 0; any && j < period && seen < LOOKED_AT; j++) {
        const uint32_t far = table->most[j] | ~table->least[j];
        seen += far != 0;
        for (unsigned bit = 0; bit < BITS; bit++)
            if (far >> bit & 1) {
                const unsigned ones = ones_of(table, levels, j, bit),
                               away = 2 * ones > rows ? 2 * ones - rows : rows - 2 * ones;
                kept = away > farthest ? ones : kept;
                farthest = away > farthest ? away : farthest;
            }
    }
    if (any)
        bag_add(bag, item_of(period, kept));
}

// The table of rows half as long: columns j and half + j become one.
static void fold_in_half(struct table *table, unsigned half, unsigned levels)
{
    uint32_t *const carry = table->most;
    memset(carry, 0, half * sizeof *carry);
    for (unsigned level = 0; level < levels; level++) {
        uint32_t *const a = table->slice[level];
        const uint32_t *const b = a + half;
        for (unsigned j = 0; j < half; j++) {
            const uint32_t differ = a[j] ^ b[j], both = a[j] & b[j];
            a[j] = differ ^ carry[j];
            carry[j] = both | (differ & carry[j]);
        }
    }
    memcpy(table->slice[levels], carry, half * sizeof *carry);
}

// Checks of what came before, which words go on.
struct running {
    uint32_t parity;                               // of all bits
    uint32_t bytes, halves, words, every_other[2]; // sums
    uint32_t bits[2];                              // exclusive or of words of even and odd number
};

// Which bit of the checks holds a bit of a value.
static uint32_t place(uint32_t value, unsigned bit, unsigned at)
{
    return (value >> bit & 1) << at;
}

static uint32_t checks_after(struct running *so_far, uint32_t word, unsigned odd)
{
    static const unsigned alone[8][2] = {{1, 5},   {7, 6},   {8, 13},  {15, 14},
                                         {16, 21}, {23, 22}, {24, 29}, {31, 30}};
    uint32_t parity = word; // bit b: of bits 0 to b
    for (unsigned step = 1; step < BITS; step *= 2)
        parity ^= parity << step;
    parity ^= 0u - so_far->parity;
    so_far->parity = parity >> 31;
    uint32_t check = parity & NIBBLE_ENDS;
    for (unsigned b = 0; b < BITS; b += 8) {
        so_far->bytes += word >> b & 0xff;
        check |= place(so_far->bytes, 0, b) | place(so_far->bytes, 7, b + 1);
    }
    for (unsigned b = 0; b < BITS; b += 16) {
        so_far->halves += word >> b & 0xffff;
        check |= place(so_far->halves, 0, b + 2) | place(so_far->halves, 15, b + 10);
    }
    so_far->words += word;
    so_far->every_other[odd] += word;
    so_far->bits[odd] ^= word;
    check |= place(so_far->words, 0, 4) | place(so_far->words, 31, 12) |
             place(so_far->every_other[odd], 0, 20) | place(so_far->every_other[odd], 31, 28);
    for (unsigned i = 0; i < 8; i++)
        check |= place(so_far->bits[odd], alone[i][0], alone[i][1]);
    return check;
}

static const uint32_t *checks_of(const uint32_t *words, struct table *table)
{
    struct running so_far = {0};
    for (size_t i = 0; i < (size_t)1 << UNIT_LOG2; i++)
        table->check[i] = checks_after(&so_far, words[i], i % 2);
    return table->check;
}

static void count_rhythms(const struct test *test, const uint32_t *words, const struct counts *to)
{
    struct table *const table = to->scratch;
    if (test->p[0])
        words = checks_of(words, table);
    for (unsigned longest = LONGEST / 2 + 1; longest <= LONGEST; longest++) {
        unsigned period = longest, rows = 16 * sixteens_of(longest);
        unsigned levels = kernel_chosen()->fold(words, period, rows / 16, table->slice[0]);
        for (;;) {
            look(table, period, levels, rows, to->bag);
            if (period % 2 || period / 2 < SHORTEST)
                break;
            period /= 2;
            rows *= 2;
            fold_in_half(table, period, levels++);
        }
    }
}

static void judge_rhythms(const struct totals *total, struct judgement *judgement)
{
    unsigned kept[LONGEST + 1] = {0}, farthest[LONGEST + 1] = {0};
    for (size_t i = 0; i < total->bag->count; i++) {
        const unsigned period = (unsigned)(total->bag->item[i] >> UNIT_LOG2),
                       ones = total->bag->item[i] & ((1u << UNIT_LOG2) - 1);
        if (total->bag->item[i] >> UNIT_LOG2 < SHORTEST ||
            total->bag->item[i] >> UNIT_LOG2 > LONGEST || ones > rows_of(period))
            continue; // no count of this test, but of a part from elsewhere
        const unsigned rows = rows_of(period),
                       away = 2 * ones > rows ? 2 * ones - rows : rows - 2 * ones;
        // Of two as uneven as each other the one with more ones, so that the order of units makes
        // no difference.
        if (away > farthest[period] || (away == farthest[period] && ones > kept[period])) {
            farthest[period] = away;
            kept[period] = ones;
        }
    }
    for (unsigned period = SHORTEST; period <= LONGEST; period++) {
        const unsigned rows = rows_of(period);
        double log_p = 0;
        if (farthest[period])
            log_p = null_binomial_log_upper((rows + farthest[period]) / 2, rows, 0.5) +
                    real_log(2.0 * BITS * period) + real_log((double)total->units);
        judgement_add(judgement, period, log_p < 0 ? log_p : 0,
                      farthest[period] ? kept[period] / (double)rows : 0.5, 0.5);
    }
}

static void describe_rhythms(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size,
             "fraction of ones at one %s of every %" PRIu32
             "-th word, the most uneven of all %s and places",
             test->p[0] ? "running check" : "bit", index, test->p[0] ? "checks" : "bits");
}

struct test test_rhythms(void)
{
    return (struct test){TEST_FUNCTIONS(rhythms),
                         .about = "bits of some words of a row are not even",
                         .unit_log2 = UNIT_LOG2, .scratch = sizeof(struct table), .keeps = true};
}

struct test test_frame_checks(void)
{
    struct test test = test_rhythms();
    test.name = "frame_checks";
    test.about = "words of a frame check each other";
    test.scratch += sizeof(uint32_t) << UNIT_LOG2;
    test.p[0] = true;
    return test;
}
