// SPDX-License-Identifier: Apache-2.0
// A test of words, put to fields that follow each other without regard to words: the numbers of a
// library that gives 24 or 31 bits a call, packed one behind the other, or draws of 40 bits. Each
// word that the test sees has a field for its high bits, of 40 bits each word of 64. Its low bits
// are those of the unit that belong to no field.
// Null: the words are the bits of the unit in another order, so that the law of the test is its
// own. Parameters: those of the test, and p[5] bits of a field.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/battery/battery.h"
#include "stats/battery/catalogue.h"

// The bits of a unit, the lowest of a word first, behind the last one the first one again.
struct bits {
    const uint32_t *word;
    size_t last; // word
    uint64_t at;
};

static uint64_t take(struct bits *bits, unsigned count)
{
    uint64_t value = 0;
    for (unsigned have = 0; have < count;) {
        const unsigned in = bits->at % 32, part = 32 - in < count - have ? 32 - in : count - have;
        const uint64_t mask = (UINT64_C(1) << part) - 1;
        value |= (bits->word[bits->at / 32 & bits->last] >> in & mask) << have;
        have += part;
        bits->at += part;
    }
    return value;
}

static void recut(const struct test *test, const uint32_t *words, uint64_t block, uint32_t *to)
{
    const unsigned field = test->p[5], word_bits = field < 32 ? 32 : 64, rest = word_bits - field;
    const size_t unit = (size_t)1 << test->unit_log2, values = unit * 32 / word_bits;
    // The source begins with a field, so that one may reach into the unit.
    const uint64_t before = (block % field << (BATTERY_BLOCK_LOG2 + 5)) % field;
    struct bits fields = {words, unit - 1, (field - before) % field}, rests = fields;
    rests.at += (uint64_t)values * field;
    for (size_t i = 0; i < values; i++) {
        const uint64_t value = take(&fields, field) << rest | take(&rests, rest);
        *to++ = (uint32_t)value;
        if (word_bits == 64)
            *to++ = (uint32_t)(value >> 32);
    }
}

static void count_recut(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t bytes = sizeof *words << test->unit_log2;
    struct counts inner = *to;
    inner.scratch = (char *)to->scratch + bytes;
    recut(test, words, to->block, to->scratch);
    test->inner_count(test, to->scratch, &inner);
}

static void describe_recut(const struct test *test, uint32_t index, char *text, size_t size)
{
    test->inner_describe(test, index, text, size);
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "; words made of fields of %u bits", test->p[5]);
}

struct test test_recut(const char *name, const struct test *of, unsigned bits)
{
    assert(bits > 16 && bits < 64 && bits != 32 && !of->p[5]);
    struct test test = *of;
    test.name = name;
    test.unit_log2 += bits > 32;
    test.scratch += sizeof(uint32_t) << test.unit_log2;
    test.count = count_recut;
    test.describe = describe_recut;
    test.inner_count = of->count;
    test.inner_describe = of->describe;
    test.p[5] = bits;
    return test;
}
