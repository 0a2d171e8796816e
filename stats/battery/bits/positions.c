// SPDX-License-Identifier: Apache-2.0
// Ones at each bit position, words taken modulo 8, 4, 2 and 1, then halfwords and bytes. Catches
// stuck and biased bits; pooling keeps the power for defects that every word shares.
// Null: each count is Binomial(n, 1/2), exactly.
// Source: Knuth, The Art of Computer Programming, volume 2, 3.3; kernel doi:10.1002/cpe.5557.
//
// field_bits: ones at each bit of fields of 3 to 63 bits that follow each other without regard to
// words: fractions of floats (23, 24, 52 or 53 bits, whose lowest bit is rounded to even), calls of
// 31 bits, digits. As many words as a field has bits hold whole fields. So words that far apart are
// counted together, and then the bits of all fields in them.
// Parameters of field_bits: list of widths (no powers of 2), p[0] how many.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16 };

static const unsigned period[] = {256, 128, 64, 32, 16, 8, 1};
enum { PERIODS = sizeof period / sizeof *period };

static void count_positions(const struct test *test, const uint32_t *words, const struct counts *to)
{
    kernel_chosen()->positions(words, (size_t)1 << test->unit_log2, to->count);
}

static void judge_positions(const struct totals *total, struct judgement *judgement)
{
    const uint64_t bits = total->units << (total->test->unit_log2 + 5);
    uint32_t index = 0;
    for (unsigned f = 0; f < PERIODS; f++) {
        const uint64_t n = bits / period[f];
        for (unsigned position = 0; position < period[f]; position++) {
            uint64_t ones = 0;
            for (unsigned at = position; at < KERNEL_POSITIONS; at += period[f])
                ones += total->count[at];
            judgement_add_fair(judgement, index++, ones, n);
        }
    }
}

static void describe_positions(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    unsigned f = 0;
    while (f + 1 < PERIODS && index >= period[f])
        index -= period[f++];
    if (period[f] == 1)
        snprintf(text, size, "fraction of ones among all bits");
    else
        snprintf(text, size, "fraction of ones at bit %u of every %u", (unsigned)index, period[f]);
}

struct test test_positions(void)
{
    return (struct test){TEST_FUNCTIONS(positions), .about = "a bit is not one half of the time",
                         .unit_log2 = UNIT_LOG2, .counts = KERNEL_POSITIONS};
}

// ---- fields -----------------------------------------------------------------

enum { FIELDS_LOG2 = 20, WIDEST = 63, WORD = 32, ROWS_TOGETHER = 16, PAD = 16 };
enum { BLOCK_LOG2 = 16 }; // words of a block

// Groups of sixteen rows of `bits` words, with words left behind them that a vector may reach.
static unsigned sixteens_of(unsigned bits)
{
    return ((1u << FIELDS_LOG2) - PAD) / (bits * ROWS_TOGETHER);
}

static void count_field_bits(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    uint32_t *const slice = to->scratch;
    uint64_t *count = to->count;
    for (unsigned f = 0; f < test->p[0]; count += test->list[f], f++) {
        const unsigned bits = test->list[f],
                       levels = kernel_chosen()->fold(words, bits, sixteens_of(bits), slice);
        // The source begins with a field; the unit begins at this bit of one.
        const unsigned begin = (unsigned)(to->block % bits * ((WORD << BLOCK_LOG2) % bits) % bits);
        for (unsigned at = 0; at < bits * WORD; at++) {
            uint64_t ones = 0;
            for (unsigned level = 0; level < levels; level++)
                ones |= (uint64_t)(slice[level * KERNEL_FOLD_PITCH + at / WORD] >> at % WORD & 1)
                        << level;
            count[(begin + at) % bits] += ones;
        }
    }
}

static void judge_field_bits(const struct totals *total, struct judgement *judgement)
{
    const uint64_t *count = total->count;
    for (unsigned f = 0; f < total->test->p[0]; f++) {
        const unsigned bits = total->test->list[f];
        const uint64_t fields = total->units * sixteens_of(bits) * ROWS_TOGETHER * WORD;
        for (unsigned bit = 0; bit < bits; bit++)
            judgement_add_fair(judgement, bits << 8 | bit, *count++, fields);
    }
}

static void describe_field_bits(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size, "fraction of ones at bit %u of consecutive fields of %u bits",
             (unsigned)index & 255, (unsigned)index >> 8);
}

struct test test_field_bits(const unsigned *list, unsigned count)
{
    struct test test = {TEST_FUNCTIONS(field_bits),
                        .about = "a bit of values that follow each other is not one half of the "
                                 "time",
                        .unit_log2 = FIELDS_LOG2,
                        .scratch = 2 * KERNEL_FOLD_LEVELS * KERNEL_FOLD_PITCH * sizeof(uint32_t),
                        .p = {count},
                        .list = list,
                        .listed = count};
    for (unsigned f = 0; f < count; f++) {
        assert(list[f] > 2 && list[f] <= WIDEST);
        test.counts += list[f];
    }
    return test;
}
