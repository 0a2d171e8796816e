// SPDX-License-Identifier: Apache-2.0
// Three-term sums: is a value the sum or difference of two earlier ones, up to carries and lost low
// bits? Words, halfwords and bytes of the stream are looked at in turn, at every pair of lags up to
// 64 and at the lag pairs of known generators. Of words it also asks whether one is a known
// multiplier times an earlier one, up to the carry.
// Null: given the values before, x[n] is uniform, and so are x[n] +- x[n-r] +- x[n-s] and x[n] +- a
// x[n-r]. They fall within 2^-8 of 0, as a fraction of the range, as often as a binomial says,
// exactly.
// Source: the three-dimensional defect of lagged Fibonacci generators, Knuth, volume 2, 3.2.2;
// subtract with borrow, Tezuka, L'Ecuyer, Couture, doi:10.1145/159737.159749; lagged multiply with
// carry, Marsaglia, doi:10.22237/jmasm/1051747320.
// Parameter: p[0] bits of a value: 32, 16 or 8.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, SAMPLES = 4096, START = 45056, NEAR_LAGS = 64, SIGNS = 4, NEAR = 1 << 24 };

static const unsigned known[][2] = {
    {97, 33},    {100, 37},   {127, 30},     {168, 521},    {103, 250},    {273, 607},
    {418, 1279}, {715, 2281}, {576, 3217},   {1029, 2281},  {2098, 4423},  {4187, 9689},
    {471, 1586}, {147, 250},  {9842, 19937}, {9739, 23209}, {21034, 44497}};

// Lags and multipliers of generators that multiply with carry.
static const uint32_t carrying[][2] = {{1, 698769069},   {2, 1492},         {4, 2111111111},
                                       {256, 809430660}, {1038, 611373678}, {4096, 18782},
                                       {4691, 8193},     {41790, 7010176}};
enum { CARRYING = sizeof carrying / sizeof *carrying, CARRYING_SIGNS = 2 };
enum { KNOWN = sizeof known / sizeof *known, PAIRS = NEAR_LAGS * (NEAR_LAGS - 1) / 2 };

enum { ALL_PAIRS = PAIRS + KNOWN };

static void pair_at(unsigned pair, unsigned *r, unsigned *s)
{
    if (pair >= PAIRS) {
        *r = known[pair - PAIRS][0];
        *s = known[pair - PAIRS][1];
        return;
    }
    *s = 2;
    while (pair >= *s - 1)
        pair -= (*s)++ - 1;
    *r = pair + 1;
}

static void count_sums(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0], parts = 32 / bits;
    uint32_t *const value = to->scratch;
    for (size_t i = 0; i < START + SAMPLES; i++)
        value[i] = words[i / parts] >> i % parts * bits << (32 - bits);
    for (unsigned pair = 0; pair < ALL_PAIRS; pair++) {
        unsigned r, s;
        pair_at(pair, &r, &s);
        const uint32_t *const at = value + START;
        for (unsigned sign = 0; sign < SIGNS; sign++)
            to->count[pair * SIGNS + sign] +=
                kernel_chosen()->near_zero(at, at - r, at - s, sign & 1 ? UINT32_MAX : 1,
                                           sign & 2 ? UINT32_MAX : 1, NEAR, SAMPLES);
    }
    uint64_t *const carried = to->count + ALL_PAIRS * SIGNS;
    for (unsigned i = 0; i < CARRYING * CARRYING_SIGNS && bits == 32; i++) {
        const uint32_t *const c = carrying[i / CARRYING_SIGNS], *const at = value + START;
        carried[i] += kernel_chosen()->near_zero(
            at, at - c[0], at, i % CARRYING_SIGNS ? c[1] : 0 - c[1], 0, NEAR, SAMPLES);
    }
}

static void judge_sums(const struct totals *total, struct judgement *judgement)
{
    const double grain = (double)(UINT64_C(1) << (32 - total->test->p[0])),
                 p = (2.0 * NEAR / grain + 1) * grain / 0x1p32;
    for (uint32_t i = 0; i < total->test->counts; i++)
        judgement_add_binomial(judgement, i, total->count[i], total->units * SAMPLES, p);
}

static void describe_sums(const struct test *test, uint32_t index, char *text, size_t size)
{
    unsigned r, s;
    if (index >= ALL_PAIRS * SIGNS) {
        const uint32_t i = index - ALL_PAIRS * SIGNS, *const c = carrying[i / CARRYING_SIGNS];
        snprintf(text, size, "words near %s%u times the one %u before",
                 i % CARRYING_SIGNS ? "minus " : "", (unsigned)c[1], (unsigned)c[0]);
        return;
    }
    pair_at((unsigned)index / SIGNS, &r, &s);
    snprintf(text, size, "%u-bit values near %sthe one %u before %s the one %u before", test->p[0],
             index & 1 ? "" : "minus ", r, index & 2 ? "plus" : "minus", s);
}

struct test test_sums(unsigned bits)
{
    assert(bits == 32 || bits == 16 || bits == 8);
    return (struct test){TEST_FUNCTIONS(sums),
                         .about = "values are sums or differences of earlier ones",
                         .unit_log2 = UNIT_LOG2,
                         .counts = ALL_PAIRS * SIGNS + (bits == 32 ? CARRYING * CARRYING_SIGNS : 0),
                         .scratch = (START + SAMPLES) * sizeof(uint32_t),
                         .p = {bits}};
}
