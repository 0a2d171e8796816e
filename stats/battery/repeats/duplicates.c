// SPDX-License-Identifier: Apache-2.0
// Repeats anywhere: two equal windows of four consecutive words, or of two, mean that the source
// came back to where it had been. A window is kept, as a 64-bit fingerprint, when a hash of its
// first word says so. What is kept depends on the content alone, so a repeat is found at any
// distance, aligned or not.
// Null: of n fingerprints kept, the equal pairs are Poisson with mean n (n - 1) / 2^65. A uniform
// window has a uniform fingerprint (given one half, it is a bijection of the other), and windows
// that overlap agree no more often. Windows of two words are their own fingerprint.
// Source: Knuth, volume 2, 3.3.2 I; sampling by content after Broder,
// doi:10.1109/SEQUEN.1997.666900.
// Parameters: p[0] zero bits that the hash must end in, p[1] words a window, p[2] whether places
// within words are looked at.
//
// With p[2], every 128th unit is also looked through 1 to 31 bits on. So a stretch that comes again
// displaced by a part of a word is found as well. Windows that overlap are equal as seldom as
// others, for each bit of one is then a given bit of the other. Words may also be filled from the
// top, byte by byte. Those windows, one in four of what is kept, are marked, as windows displaced
// upwards and downwards by bits would agree too often where they overlap.
//
// The sieve of repeats.h serves another end: it sees all values of one unit and loses no repeat.
// Here most windows are given away, by their content, so that what is left of all units can be kept
// and compared at the end.

#include <stdbool.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, DENSE = 10, SHIFTED_UNITS = 128, TOP_THINNING = 2 };

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0x9fb21c651e98df25);
    x ^= x >> 29;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

static uint64_t fingerprint(const struct test *test, const uint32_t *word)
{
    const uint64_t a = word[0] | (uint64_t)word[1] << 32;
    return test->p[1] == 2 ? a : mix(a) ^ mix((word[2] | (uint64_t)word[3] << 32) * 3 + 1);
}

// Which displacements a window is compared with: none, or those of words filled from the bottom
// (kept as they are); from the top.
enum { FROM_BOTTOM, FROM_TOP };
static const uint64_t family_mark[] = {0, UINT64_C(0x6a09e667f3bcc908)};

// Keeps windows of one family, and of `also` those that a hash of a quarter of the limit allows.
static void keep(const struct test *test, const uint32_t *words, uint32_t limit, unsigned family,
                 bool also, const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2, share = (unit >> test->p[0]) * 8 + 64,
                 most = to->bag->count + share;
    const size_t last = unit - test->p[1] - 1; // a word is left for shifted windows
    uint32_t *const at = to->scratch;
    const size_t found = kernel_chosen()->sample(words, unit, limit, at);
    for (size_t f = 0; f < found && at[f] <= last; f++) {
        const uint64_t print = fingerprint(test, words + at[f]);
        // A source that is constant does not fill the memory.
        if (to->bag->count < most)
            bag_add(to->bag, print ^ family_mark[family]);
        if (also && to->bag->count < most && kernel_hash(words[at[f]]) <= limit >> TOP_THINNING)
            bag_add(to->bag, print ^ family_mark[FROM_TOP]);
    }
}

static void count_duplicates(const struct test *test, const uint32_t *words,
                             const struct counts *to)
{
    const size_t unit = (size_t)1 << test->unit_log2;
    const uint32_t limit = UINT32_MAX >> test->p[0];
    keep(test, words, limit, FROM_BOTTOM, test->p[2] != 0, to);
    if (!test->p[2] || to->unit % SHIFTED_UNITS)
        return;
    uint32_t *const shifted = (uint32_t *)to->scratch + unit;
    shifted[unit - 1] = 0; // no window reaches it
    for (unsigned turn = 1; turn < 32; turn++) {
        for (size_t i = 0; i + 1 < unit; i++)
            shifted[i] = words[i] >> turn | words[i + 1] << (32 - turn);
        keep(test, shifted, limit, FROM_BOTTOM, false, to);
    }
    for (unsigned turn = 8; turn < 32; turn += 8) {
        for (size_t i = 0; i + 1 < unit; i++)
            shifted[i] = words[i] << turn | words[i + 1] >> (32 - turn);
        keep(test, shifted, limit >> TOP_THINNING, FROM_TOP, false, to);
    }
}

static void judge_duplicates(const struct totals *total, struct judgement *judgement)
{
    if (!bag_sort(total->bag, 64))
        return;
    const uint64_t repeats = sorted_repeats_u64(total->bag->item, total->bag->count);
    // Whole windows are kept when their first word is one of 2^(32 - thinning): two of two words
    // agree so much more easily.
    const double n = (double)total->bag->count,
                 chance = total->test->p[1] == 2
                              ? (double)(UINT64_C(1) << total->test->p[0]) * 0x1p-64
                              : 0x1p-64;
    judgement_add_poisson(judgement, 0, repeats, n * (n - 1) / 2 * chance, false);
}

static void describe_duplicates(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "sequences of %u bits seen before (one in %u sequences is kept)",
             32 * test->p[1], 1u << test->p[0]);
}

struct test test_duplicates(unsigned thinning, unsigned window, bool shifted)
{
    return (struct test){.name = thinning < DENSE ? "duplicates_dense" : "duplicates",
                         .count = count_duplicates,
                         .judge = judge_duplicates,
                         .describe = describe_duplicates,
                         .about = "the source repeats what it gave before",
                         .unit_log2 = UNIT_LOG2,
                         .keeps = true,
                         .scratch = (sizeof(uint32_t) << UNIT_LOG2) * (shifted ? 2 : 1),
                         .p = {thinning, window, shifted != 0}};
}
