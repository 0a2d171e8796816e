// SPDX-License-Identifier: Apache-2.0
// Birthday spacings in 1 to 8 dimensions: n points among k, sorted; how many of the gaps between
// neighbours have been seen. Catches lattices: congruential generators, lagged sums, counters.
// Null: Poisson with the exact mean of a group (null_spacings_mean). The true law is narrower: its
// variance is 1 - 29/36 n^2 / k of the mean (here n^2 / k is 1/64 at most). E f^X <= e^(mean (f -
// 1)) for every f, so that sums over any number of groups and nights hold (derived in null.h). The
// usual n^3 / (4k) is too large by 3 / n and more, which would accuse a perfect source after some
// hundred nights.
// Source: Marsaglia 1985; L'Ecuyer, Simard, doi:10.1016/S0378-4754(00)00253-6.
// Parameters: p[0] dimensions, p[1] bits of each coordinate, p[2] from the low end, p[3] stride,
// p[4] points, p[5] groups in a unit.
//
// birthdays_apart: p[3] is how far the words of one point are apart, and points follow each other
// word by word. Streams of one recurrence may take turns, as many as p[3] or a divisor of it. Then
// such points lie on one lattice, whatever the streams' states are.

#include <assert.h>
#include <stdio.h>

#include "stats/law/null.h"
#include "stats/kernel/repeats.h"
#include "stats/kernel/sort.h"
#include "stats/battery/catalogue.h"

static void spacings_u64(uint64_t *point, uint64_t *spare, size_t n, unsigned bits,
                         uint64_t *repeats)
{
    sort_u64(point, spare, n, bits);
    for (size_t i = 0; i + 1 < n; i++)
        point[i] = point[i + 1] - point[i];
    const size_t kept = repeats_sieve_u64(point, n - 1, (unsigned char *)spare);
    // Spacings are about n times smaller than points, so the upper digits are all zero: they cost
    // one look.
    sort_u64(point, spare, kept, bits);
    *repeats += sorted_repeats_u64(point, kept);
}

static void spacings_u32(uint32_t *point, uint32_t *spare, size_t n, uint64_t *repeats)
{
    sort_u32(point, spare, n);
    for (size_t i = 0; i + 1 < n; i++)
        point[i] = point[i + 1] - point[i];
    sort_u32(point, spare, n - 1);
    *repeats += sorted_repeats_u32(point, n - 1);
}

static void count_birthdays(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned dimensions = test->p[0], bits = test->p[1], low = test->p[2],
                   stride = test->p[3];
    const size_t n = test->p[4];
    const unsigned shift = low ? 0 : 32 - bits;
    const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned g = 0; g < test->p[5]; g++) {
        const uint32_t *const from = words + (size_t)g * n * dimensions * stride;
        if (dimensions * bits <= 32) {
            uint32_t *const point = to->scratch;
            for (size_t i = 0; i < n; i++) {
                uint32_t p = 0;
                for (unsigned d = 0; d < dimensions; d++)
                    p = (bits == 32 ? 0 : p << bits) |
                        (from[(i * dimensions + d) * stride] >> shift & mask);
                point[i] = p;
            }
            spacings_u32(point, point + n, n, to->count);
        } else {
            uint64_t *const point = to->scratch;
            for (size_t i = 0; i < n; i++) {
                uint64_t p = 0;
                for (unsigned d = 0; d < dimensions; d++)
                    p = p << bits | (from[(i * dimensions + d) * stride] >> shift & mask);
                point[i] = p;
            }
            spacings_u64(point, point + n, n, dimensions * bits, to->count);
        }
    }
}

static void count_apart(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned dimensions = test->p[0], bits = test->p[1], shift = test->p[2] ? 0 : 32 - bits;
    const size_t apart = test->p[3], n = test->p[4];
    const uint32_t mask = (1u << bits) - 1;
    uint64_t *const point = to->scratch;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *const first = words + i / apart * dimensions * apart + i % apart;
        uint64_t p = 0;
        for (unsigned d = 0; d < dimensions; d++)
            p = p << bits | (first[d * apart] >> shift & mask);
        point[i] = p;
    }
    spacings_u64(point, point + n, n, dimensions * bits, to->count);
}

static void judge_birthdays(const struct totals *total, struct judgement *judgement)
{
    double cells = 1;
    for (unsigned b = 0; b < total->test->p[0] * total->test->p[1]; b++)
        cells *= 2;
    const double mean =
        null_spacings_mean(total->test->p[4], cells) * (double)total->units * total->test->p[5];
    judgement_add_poisson(judgement, 0, total->count[0], mean, true);
}

static void describe_birthdays(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)index;
    snprintf(text, size, "equal spacings of points made of %u x %u %s bits of words %u apart",
             test->p[0], test->p[1], test->p[2] ? "low" : "high", test->p[3]);
}

struct test test_birthdays(const struct birthday_shape *shape)
{
    assert(shape->dimensions * shape->bits <= 64);
    const unsigned group_words = shape->points * shape->dimensions * shape->stride;
    const unsigned fit = (1u << shape->unit_log2) / group_words;
    return (struct test){.name = shape->name,
                         .about = "points built from consecutive words lie on a lattice",
                         .unit_log2 = shape->unit_log2,
                         .counts = 1,
                         .scratch = 2 * shape->points * sizeof(uint64_t),
                         .count = count_birthdays,
                         .judge = judge_birthdays,
                         .describe = describe_birthdays,
                         .p = {shape->dimensions, shape->bits, shape->low, shape->stride,
                               shape->points, fit < shape->groups ? fit : shape->groups}};
}

struct test test_birthdays_apart(unsigned apart)
{
    assert(apart >= 1 && apart <= 1u << 17);
    enum { UNIT_LOG2 = 20, DIMENSIONS = 8, BITS = 8 };
    const unsigned points = (1u << UNIT_LOG2) / DIMENSIONS / apart * apart;
    return (struct test){.name = "birthdays_apart",
                         .about = "points built from words far apart lie on a lattice",
                         .unit_log2 = UNIT_LOG2,
                         .counts = 1,
                         .scratch = 2 * points * sizeof(uint64_t),
                         .count = count_apart,
                         .judge = judge_birthdays,
                         .describe = describe_birthdays,
                         .p = {DIMENSIONS, BITS, 1, apart, points, 1}};
}
