// SPDX-License-Identifier: Apache-2.0
// Three-term sums: is a value the sum or difference of two earlier ones, up to carries and lost low
// bits? Words, halfwords and bytes of the stream in turn, every pair of lags up to 64 and, for
// words, the lag pairs in use. Null: given the values before, x[n] is uniform, so x[n] +- x[n-r] +-
// x[n-s] is: it falls within 2^-8 of 0, as a fraction of the range, as often as a binomial says,
// exactly. Source: the three-dimensional defect of lagged Fibonacci generators, Knuth, volume
// 2, 3.2.2; subtract with borrow, Tezuka, L'Ecuyer, Couture, doi:10.1145/159737.159749. Parameter:
// p[0] bits of a value: 32, 16 or 8.

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#include "stats/law/null.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, SAMPLES = 4096, START = 12288, NEAR_LAGS = 64, SIGNS = 4, NEAR = 1 << 24 };

static const unsigned known[][2] = {
    {97, 33},    {100, 37},   {127, 30},    {168, 521},   {103, 250},   {273, 607},  {418, 1279},
    {715, 2281}, {576, 3217}, {1029, 2281}, {2098, 4423}, {4187, 9689}, {471, 1586}, {147, 250}};
enum { KNOWN = sizeof known / sizeof *known, PAIRS = NEAR_LAGS * (NEAR_LAGS - 1) / 2 };

static unsigned pairs_of(const struct test *test)
{
    return PAIRS + (test->p[0] == 32 ? KNOWN : 0);
}

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

// How often a + b * p + c * q, with b and c either 1 or -1, is near 0 modulo 2^32.
static uint32_t near_zero(const uint32_t *a, const uint32_t *p, const uint32_t *q, uint32_t b,
                          uint32_t c)
{
    uint32_t near = false;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const uint32_t d =
            a[i] + ((p[i] ^ b) - b) + ((q[i] ^ c) - c) + NEAR; // x ^ m - m is -x for m of all ones
        near += d <= 2u * NEAR;
    }
    return near;
}

static void count_sums(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0], parts = 32 / bits, pairs = pairs_of(test);
    uint32_t *const value = to->scratch;
    for (size_t i = 0; i < START + SAMPLES; i++)
        value[i] = words[i / parts] >> i % parts * bits << (32 - bits);
    for (unsigned pair = 0; pair < pairs; pair++) {
        unsigned r, s;
        pair_at(pair, &r, &s);
        const uint32_t *const at = value + START;
        for (unsigned sign = 0; sign < SIGNS; sign++)
            to->count[pair * SIGNS + sign] +=
                near_zero(at, at - r, at - s, sign & 1 ? UINT32_MAX : 0, sign & 2 ? UINT32_MAX : 0);
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
    pair_at((unsigned)index / SIGNS, &r, &s);
    snprintf(text, size, "%u-bit values near %sthe one %u before %s the one %u before", test->p[0],
             index & 1 ? "" : "minus ", r, index & 2 ? "plus" : "minus", s);
}

struct test test_sums(unsigned bits)
{
    assert(bits == 32 || bits == 16 || bits == 8);
    struct test test = {.name = "sums",
                        .about = "values are sums or differences of earlier ones",
                        .unit_log2 = UNIT_LOG2,
                        .scratch = (START + SAMPLES) * sizeof(uint32_t),
                        .count = count_sums,
                        .judge = judge_sums,
                        .describe = describe_sums,
                        .p = {bits}};
    test.counts = pairs_of(&test) * SIGNS;
    return test;
}
