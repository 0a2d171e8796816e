// SPDX-License-Identifier: Apache-2.0
// Parities of three bits of the stream, taken as a sequence of bits: x[n] ^ x[n - r] ^ x[n - s] for
// all 0 < r < s up to some hundred. A shift register of two taps shows, and so does what leans on
// one: generators that combine, choose between or shrink registers (the correlation attack), a
// register disturbed by noise.
// Null: given the bits before, x[n] is fair, so that the parities of one pair are independent and
// fair: Binomial(n, 1/2), exactly; pairs are dependent, so each stands alone in Holm's family.
// Source: Siegenthaler, doi:10.1109/TC.1985.1676518; Meier, Staffelbach, doi:10.1007/BF02252874;
// three-point correlations of shift registers, Golomb, "Shift Register Sequences", 1967.
// Parameters: p[0] the order of a word's bits: 0 the lowest first, 1 the highest; p[1] greatest
// distance in bits.

#include <assert.h>
#include <stdio.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 16,
    SPAN = 128,
    TURNS = 64
}; // 64-bit words that a pair is counted on: 2^13 bits

static uint32_t reversed(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return x << 16 | x >> 16;
}

// Words in front of the span, which its first bits are compared with.
static size_t before(unsigned last)
{
    return last / TURNS + 1;
}

// Pairs (r, s), s rising, r rising below it.
static uint32_t pair_index(unsigned r, unsigned s)
{
    return (s - 1) * (s - 2) / 2 + r - 1;
}

static void count_triples(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned last = test->p[1];
    const size_t front = before(last), size = front + SPAN;
    uint64_t *const moved = to->scratch, *const joined =
                                             moved +
                                             TURNS * size; // moved[t]: the sequence, t bits later
    for (size_t i = 0; i < size; i++) {
        const uint32_t low = words[2 * i], high = words[2 * i + 1];
        moved[i] = test->p[0] ? reversed(low) | (uint64_t)reversed(high) << 32
                              : low | (uint64_t)high << 32;
    }
    for (unsigned t = 1; t < TURNS; t++)
        for (size_t i = 0; i < size; i++)
            moved[t * size + i] = moved[i] << t | (i ? moved[i - 1] >> (TURNS - t) : 0);
    for (unsigned s = 2; s <= last; s++) {
        const uint64_t *const far = moved + s % TURNS * size + front - s / TURNS;
        for (size_t i = 0; i < SPAN; i++)
            joined[i] = moved[front + i] ^ far[i];
        for (unsigned r = 1; r < s; r++)
            to->count[pair_index(r, s)] += kernel_chosen()->differences(
                joined, moved + r % TURNS * size + front - r / TURNS, SPAN);
    }
}

static void judge_triples(const struct totals *total, struct judgement *judgement)
{
    for (uint32_t i = 0; i < total->test->counts; i++)
        judgement_add_fair(judgement, i, total->count[i], total->units * SPAN * TURNS);
}

static void describe_triples(const struct test *test, uint32_t index, char *text, size_t size)
{
    unsigned s = 2;
    while (pair_index(1, s + 1) <= index)
        s++;
    snprintf(
        text, size,
        "odd parities of a bit, the one %u before and the one %u before, %s bit of a word first",
        (unsigned)(index - pair_index(1, s)) + 1, s, test->p[0] ? "the highest" : "the lowest");
}

struct test test_triples(unsigned order, unsigned lags)
{
    assert(order < 2 && lags >= 2);
    return (struct test){TEST_FUNCTIONS(triples),
                         .about = "the bits follow a shift register, if only now and then",
                         .unit_log2 = UNIT_LOG2,
                         .counts = lags * (lags - 1) / 2,
                         .scratch = (TURNS * (before(lags) + SPAN) + SPAN) * sizeof(uint64_t),
                         .p = {order, lags}};
}
