// SPDX-License-Identifier: Apache-2.0
// Bytes and halves of a word that equal others of the same word or of one of those before: copied
// now and then. Single bits, half of which are equal anyhow, would show it sixteen times
// later.
// Null: given the word before, a byte equals one of its bytes with the chance 2^-8, a half one of
// its halves with 2^-16, whatever came earlier: Binomial, exactly. So are the four bytes together,
// which are independent. Within a word the pairs of a turn of 8 or 16 bits are equal as often;
// their sum is not binomial, and a turn of 16 meets each pair twice.
// Source: Knuth, volume 2, 3.3.2 B, E (serial and poker tests, of equal values alone).
// Parameter: p[0] how many words before are looked at.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, CHUNK = 256, TURNS = 4, WITHIN = 2 };
enum { FIGURES = KERNEL_PARTS + 1 };

static unsigned configurations(const struct test *test)
{
    return WITHIN + test->p[0] * TURNS;
}

static unsigned lag_of(unsigned configuration)
{
    return configuration < WITHIN ? 0 : (configuration - WITHIN) / TURNS + 1;
}

static unsigned turn_of(unsigned configuration)
{
    return configuration < WITHIN ? 8 * (configuration + 1)
                                  : 8 * ((configuration - WITHIN) % TURNS);
}

static void count_copies(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2;
    for (unsigned c = 0; c < configurations(test); c++)
        kernel_chosen()->parts(words + CHUNK, unit - CHUNK, lag_of(c), turn_of(c),
                               to->count + (size_t)c * KERNEL_PARTS);
}

static void judge_copies(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * (((uint64_t)1 << total->test->unit_log2) - CHUNK);
    for (unsigned c = 0; c < configurations(total->test); c++) {
        const uint64_t *const part = total->count + (size_t)c * KERNEL_PARTS;
        const bool twice = !lag_of(c) && turn_of(c) == 16;
        for (unsigned i = 0; i < KERNEL_PARTS; i++)
            if (!twice || (i != 2 && i != 3 && i != 5))
                judgement_add_binomial(judgement, c * FIGURES + i, part[i], n,
                                       i < 4 ? 0x1p-8 : 0x1p-16);
        if (lag_of(c))
            judgement_add_binomial(judgement, c * FIGURES + KERNEL_PARTS,
                                   part[0] + part[1] + part[2] + part[3], 4 * n, 0x1p-8);
    }
}

static void describe_copies(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const unsigned c = index / FIGURES, i = index % FIGURES, lag = lag_of(c), turn = turn_of(c);
    char which[24] = "bytes", from[40] = "of the same word";
    if (i < KERNEL_PARTS)
        snprintf(which, sizeof which, "%s %u", i < 4 ? "byte" : "half", i < 4 ? i : i - 4);
    if (lag)
        snprintf(from, sizeof from, "of the word %u before", lag);
    snprintf(text, size, "words whose %s equals that %u bits higher %s", which, turn, from);
}

struct test test_copies(unsigned farthest)
{
    assert(farthest <= CHUNK);
    return (struct test){TEST_FUNCTIONS(copies), .about = "parts of words are copied",
                         .unit_log2 = UNIT_LOG2,
                         .counts = (WITHIN + farthest * TURNS) * KERNEL_PARTS, .p = {farthest}};
}
