// SPDX-License-Identifier: Apache-2.0
// One bit of a word against the same bit of every earlier word up to a great distance: a recurrence or an echo at a lag that no
// list of likely lags holds.
// Null: for each lag the differences within a unit are independent fair bits: Binomial(n, 1/2), exactly; lags are dependent, so
// each stands alone in Holm's family. Source: as lags.c. Parameters: p[0] bit, p[1] greatest lag in words.

#include <stdio.h>
#include <string.h>

#include "stats/kernel.h"
#include "stats/tests.h"

enum { UNIT_LOG2 = 19, PLANE = 1 << (UNIT_LOG2 - 6), TURNS = 64 };

// The bit plane, and it moved up by 0 to 63 bits one after the other: lag 64 q + r is whole words of the plane moved by r.
static void count(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bit = test->p[0], last = test->p[1];
    uint64_t *const plane = to->scratch, *const moved = plane + PLANE;
    for (size_t w = 0; w < PLANE; w++) {
        uint64_t bits = 0;
        for (size_t i = 0; i < 64; i++)
            bits |= (uint64_t)(words[64 * w + i] >> bit & 1) << i;
        plane[w] = bits;
    }
    memcpy(moved, plane, PLANE * sizeof *plane);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        // Words of the plane below last / 64 + 1 have no partner for the greatest lag: all lags leave them out.
        for (unsigned lag = turn ? turn : TURNS; lag <= last; lag += TURNS) {
            const size_t from = last / 64 + 1;
            to->count[lag - 1] += kernel_chosen()->differences(plane + from, moved + from - lag / 64, PLANE - from);
        }
        for (size_t w = PLANE; w-- > 0;)
            moved[w] = moved[w] << 1 | (w ? moved[w - 1] >> 63 : 0);
    }
}

static void judge(const struct test *test, const uint64_t *count, struct bag *bag, uint64_t units, struct judgement *judgement)
{
    (void)bag;
    const uint64_t n = units * (PLANE - test->p[1] / 64 - 1) * 64;
    for (uint32_t lag = 1; lag <= test->p[1]; lag++)
        judgement_add_fair(judgement, lag, count[lag - 1], n);
}

static void describe(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "fraction of differences at bit %u from the word %u words before", test->p[0], (unsigned)index);
}

struct test test_bit_lags(unsigned bit, unsigned lags)
{
    return (struct test){.name = "bit_lags",
                         .about = "words depend on words far before them",
                         .unit_log2 = UNIT_LOG2,
                         .counts = lags,
                         .scratch = (size_t)2 * PLANE * sizeof(uint64_t),
                         .count = count,
                         .judge = judge,
                         .describe = describe,
                         .p = {bit, lags}};
}
