// SPDX-License-Identifier: Apache-2.0
// Check words: a word, or a half of one, that is the check of the words right before it, however
// many they are, up to 4,096, and wherever they begin. Checks: cyclic redundancy checks in use,
// sums of halves modulo 65,535 and 65,536, Fletcher's sums of bytes.
// A check of words m + 1 to n is what a register has made of all words up to n, less what it has
// made of those up to m, moved on by as many words. Both are moved back to the beginning of the
// unit, where they can be compared for all m at once; 16 bits of them are.
// Null: given the words before, a word is uniform. So the check that it would be of those, whatever
// it is, has 16 bits that are right with the chance 2^-16: binomial, exactly. A sum modulo less
// than 65,536 is looked for in its reduced form alone, which is one value of a half.
// Source: Peterson and Brown, doi:10.1109/JRPROC.1961.287814; Fletcher,
// doi:10.1109/TCOM.1982.1095369; RFC 1071, doi:10.17487/RFC1071.
// Parameter: p[0] which check.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 16,
    LAGS = 4096,
    PART = 8192, // of the words whose followers may be checks
    PLACES = 4 * PART,
    USED = LAGS + PLACES,
    NO_CHECK = 0xffff // of no sum modulo less
};

struct check {
    const char *name;
    unsigned bits;
    uint32_t polynomial; // 0: a sum
    bool low_first;      // bits of a word enter lowest first
    uint32_t at_first, at_last;
    unsigned modulus; // of a sum of halves
    bool negative, fletcher;
};

static const struct check known[BLOCK_CHECKS] = {
    {"CRC-32", 32, 0xedb88320, true, UINT32_MAX, UINT32_MAX, 0, false, false},
    {"CRC-32 from 0", 32, 0xedb88320, true, 0, 0, 0, false, false},
    {"CRC-32, high bits first,", 32, 0x04c11db7, false, UINT32_MAX, UINT32_MAX, 0, false, false},
    {"CRC-32, high bits first, from 0", 32, 0x04c11db7, false, 0, 0, 0, false, false},
    {"CRC-32C", 32, 0x82f63b78, true, UINT32_MAX, UINT32_MAX, 0, false, false},
    {"CRC-16 of 0x1021 from 0xffff", 16, 0x1021, false, 0xffff, 0, 0, false, false},
    {"CRC-16 of 0x1021 from 0", 16, 0x1021, false, 0, 0, 0, false, false},
    {"CRC-16 of 0x8005 from 0xffff", 16, 0xa001, true, 0xffff, 0, 0, false, false},
    {"CRC-16 of 0x8005 from 0", 16, 0xa001, true, 0, 0, 0, false, false},
    {"sum of halves modulo 65535", 16, 0, false, 0, 0, 65535, false, false},
    {"sum of halves modulo 65535, complemented,", 16, 0, false, 0, 0, 65535, true, false},
    {"sum of halves modulo 65536", 16, 0, false, 0, 0, 65536, false, false},
    {"sum of halves modulo 65536, negated,", 16, 0, false, 0, 0, 65536, true, false},
    {"Fletcher sum of bytes", 16, 0, false, 0, 0, 255, false, true},
};

struct room {
    uint16_t start[USED], end[USED], first[USED], second[USED], step[USED];
};

// ---- registers --------------------------------------------------------------

static uint32_t register_step(const struct check *check, uint32_t value)
{
    if (check->low_first)
        return value >> 1 ^ (value & 1 ? check->polynomial : 0);
    const uint32_t top = value >> (check->bits - 1) & 1, mask = UINT32_MAX >> (32 - check->bits);
    return (value << 1 & mask) ^ (top ? check->polynomial : 0);
}

static uint32_t register_step_back(const struct check *check, uint32_t value)
{
    const uint32_t high = UINT32_C(1) << (check->bits - 1);
    if (check->low_first) // the polynomial's highest bit is set: what was shifted out
        return value & high ? (value ^ check->polynomial) << 1 | 1 : value << 1;
    return value & 1 ? (value ^ check->polynomial) >> 1 | high : value >> 1;
}

static uint32_t register_of(const struct check *check, uint32_t value, uint32_t word)
{
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t bit = check->low_first ? word >> i & 1 : word >> (31 - i) & 1;
        value = register_step(check, value ^ (check->low_first ? bit : bit << (check->bits - 1)));
    }
    return value;
}

// 16 bits of `value` times what `power` stands for.
static uint16_t register_product(const struct check *check, uint32_t value, uint32_t power)
{
    uint32_t product = 0;
    for (unsigned i = 0; i < check->bits; i++) {
        const uint32_t bit = check->low_first ? value >> (check->bits - 1 - i) & 1 : value >> i & 1;
        product ^= power & -bit;
        power = register_step(check, power);
    }
    return (uint16_t)product;
}

static void registers_begin(const struct check *check, const uint32_t *words, struct room *room)
{
    uint32_t power = check->low_first ? UINT32_C(1) << (check->bits - 1) : 1, value = 0;
    for (size_t i = 0; i < USED; i++) {
        for (unsigned bit = 0; bit < 32; bit++)
            power = register_step_back(check, power);
        value = register_of(check, value, words[i]);
        room->start[i] = register_product(check, value ^ check->at_first, power);
    }
}

static void registers_end(const struct check *check, const uint32_t *words, unsigned shift,
                          struct room *room)
{
    uint32_t power = check->low_first ? UINT32_C(1) << (check->bits - 1) : 1, value = 0;
    const uint32_t mask = UINT32_MAX >> (32 - check->bits);
    for (size_t i = 0; i < USED; i++) {
        for (unsigned bit = 0; bit < 32; bit++)
            power = register_step_back(check, power);
        value = register_of(check, value, words[i]);
        const uint32_t kept = words[i + 1] >> shift & mask;
        room->end[i] = register_product(check, value ^ kept ^ check->at_last, power);
    }
}

// ---- sums -------------------------------------------------------------------

static void sums(const struct check *check, const uint32_t *words, unsigned shift,
                 struct room *room)
{
    const uint32_t m = check->modulus;
    for (uint32_t i = 0, sum = 0; i < USED; i++) {
        sum = (sum + (words[i] & 0xffff) + (words[i] >> 16)) % m;
        room->start[i] = (uint16_t)sum;
        const uint32_t kept = words[i + 1] >> shift & 0xffff,
                       value = check->negative && m == 65535 ? 65535 - kept
                               : check->negative             ? (m - kept) % m
                                                             : kept;
        room->end[i] = value < m ? (uint16_t)((sum + m - value) % m) : NO_CHECK;
    }
}

// The sum of bytes so far and that of all these sums.
static void fletcher_begin(const struct check *check, const uint32_t *words, unsigned shift,
                           struct room *room)
{
    const uint32_t m = check->modulus;
    for (uint32_t i = 0, first = 0, second = 0; i < USED; i++) {
        for (unsigned byte = 0; byte < 32; byte += 8) {
            first = (first + (words[i] >> byte & 0xff)) % m;
            second = (second + first) % m;
        }
        const uint32_t kept = words[i + 1] >> shift, low = kept & 0xff, high = kept >> 8 & 0xff;
        room->first[i] = (uint16_t)first;
        room->second[i] = (uint16_t)second;
        room->step[i] = (uint16_t)(4 * first % m);
        room->end[i] = low < m && high < m
                           ? (uint16_t)((first + m - low) % m | (second + m - high) % m << 8)
                           : NO_CHECK;
    }
}

// What began at each place, a word later: the first sum has been added four times.
static void fletcher_step(struct room *room)
{
    for (size_t i = 0; i < USED; i++) {
        const uint16_t sum = (uint16_t)(room->second[i] + room->step[i]);
        room->second[i] = (uint16_t)(sum - (sum >= 255 ? 255 : 0));
        room->start[i] = (uint16_t)(room->first[i] | room->second[i] << 8);
    }
}

// ---- the test ---------------------------------------------------------------

static void count_block_checks(const struct test *test, const uint32_t *words,
                               const struct counts *to)
{
    const struct check *const asked = &known[test->p[0]];
    struct room *const room = to->scratch;
    if (asked->polynomial)
        registers_begin(asked, words, room);
    for (unsigned half = 0; half * LAGS < test->counts; half++) {
        if (asked->polynomial)
            registers_end(asked, words, 16 * half, room);
        else if (asked->fletcher)
            fletcher_begin(asked, words, 16 * half, room);
        else
            sums(asked, words, 16 * half, room);
        for (size_t lag = 1; lag <= LAGS; lag++) {
            if (asked->fletcher)
                fletcher_step(room);
            for (size_t from = LAGS; from < USED; from += PART)
                to->count[half * LAGS + lag - 1] +=
                    kernel_chosen()->equals(room->end + from, room->start + from - lag, PART);
        }
    }
}

static void judge_block_checks(const struct totals *total, struct judgement *judgement)
{
    for (uint32_t i = 0; i < total->test->counts; i++)
        judgement_add_rare(judgement, i, total->count[i], total->units * PLACES, 0x1p-16);
}

static void describe_block_checks(const struct test *test, uint32_t index, char *text, size_t size)
{
    const struct check *const asked = &known[test->p[0]];
    snprintf(text, size, "%s that are the %s of the %u words before",
             asked->bits == 32 ? "words"
             : index < LAGS    ? "low halves"
                               : "high halves",
             asked->name, (unsigned)index % LAGS + 1);
}

struct test test_block_checks(unsigned which)
{
    assert(which < BLOCK_CHECKS);
    return (struct test){TEST_FUNCTIONS(block_checks),
                         .about = "some words are the check of the words before them",
                         .unit_log2 = UNIT_LOG2,
                         .counts = known[which].bits == 32 ? LAGS : 2 * LAGS,
                         .scratch = sizeof(struct room),
                         .p = {which}};
}
