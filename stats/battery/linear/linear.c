// SPDX-License-Identifier: Apache-2.0
// Linear complexity of bit sequences: the shortest linear recurrence over GF(2) that makes them.
// Null: Rueppel's law, exact for every length.
// Source: Massey 1969, doi:10.1109/TIT.1969.1054260; Rueppel, Analysis and Design of Stream
// Ciphers, 1986.
// Catches every generator that is linear over GF(2), and low bits of counters and congruential
// ones.
//
// Berlekamp and Massey's algorithm without its polynomials: only the products of the two connection
// polynomials with the sequence are kept, whose next bit is the next discrepancy. Half of the steps
// cost one shifted exclusive or of what is left.
// Parameters: p[0] bit (32: all, one after another), p[1] stride, p[2] offset, p[3] length.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/kernel/kernel.h"
#include "stats/battery/linear/linear.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 18, CLIP = 60, CELLS = 2 * CLIP + 1, ALL_BITS = 32, SHORT = 4096 };

size_t linear_scratch(size_t length)
{
    return 2 * ((length + 63) / 64 + 2 * KERNEL_SHIFT_PAD) * sizeof(uint64_t);
}

// Bit n of `current` is the discrepancy that step n meets; bits before n are spent and may hold
// anything. `older` is the product from before the last change of length, and its discrepancy stood
// at bit `older_at`: shifted by the distance it cancels this one.
size_t linear_complexity(const uint64_t *sequence, size_t length, void *scratch)
{
    const size_t words = (length + 63) / 64, span = words + 2 * KERNEL_SHIFT_PAD;
    uint64_t *current = (uint64_t *)scratch + KERNEL_SHIFT_PAD, *older = current + span;
    memset(scratch, 0, 2 * span * sizeof(uint64_t));
    memcpy(current, sequence, words * sizeof *sequence);
    memcpy(older, sequence, words * sizeof *sequence); // as if a discrepancy of the polynomial 1
                                                       // had stood before the sequence
    const struct kernel *const kernel = kernel_chosen();
    size_t L = 0, n = 0;
    ptrdiff_t older_at = -1;
    while (n < length) {
        const uint64_t left = current[n / 64] >> n % 64;
        if (!left) {
            n = (n | 63) + 1;
            continue;
        }
        n += (size_t)__builtin_ctzll(left);
        if (n >= length)
            break;
        const size_t distance = (size_t)((ptrdiff_t)n - older_at);
        if (2 * L <= n) {
            kernel->shift_xor(older, current, older, n / 64, words, distance);
            uint64_t *const swap = older;
            older = current;
            current = swap;
            older_at = (ptrdiff_t)n;
            L = n + 1 - L;
        } else {
            kernel->shift_xor(current, current, older, n / 64, words, distance);
        }
        n++;
    }
    return L;
}

static void gather(const uint32_t *words, unsigned bit, unsigned stride, size_t length,
                   uint64_t *sequence)
{
    for (size_t i = 0; i < length; i += 64) {
        uint64_t bits = 0;
        for (size_t j = 0; j < 64 && i + j < length; j++)
            bits |= (uint64_t)(words[(i + j) * stride] >> bit & 1) << j;
        sequence[i / 64] = bits;
    }
}

static void count_linear(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bit = test->p[0], stride = test->p[1], offset = test->p[2];
    const size_t length = test->p[3];
    uint64_t *const sequence = to->scratch;
    for (unsigned b = bit == ALL_BITS ? 0 : bit; b < (bit == ALL_BITS ? ALL_BITS : bit + 1); b++) {
        gather(words + offset, b, stride, length, sequence);
        const size_t L = linear_complexity(sequence, length, sequence + (length + 63) / 64);
        ptrdiff_t away = (ptrdiff_t)L - (ptrdiff_t)(length / 2);
        away = away < -CLIP ? -CLIP : away > CLIP ? CLIP : away;
        to->count[(bit == ALL_BITS ? b * CELLS : 0) + (size_t)(away + CLIP)]++;
    }
}

// The lowest and the highest complexity among the units: the chance that one of `units` sequences
// falls so far out. CLIP away, 2^-120 at most is claimed.
static void judge_linear(const struct totals *total, struct judgement *judgement)
{
    const uint64_t length = total->test->p[3], half = length / 2;
    const unsigned rows = total->test->p[0] == ALL_BITS ? ALL_BITS : 1;
    for (unsigned row = 0; row < rows; row++) {
        const uint64_t *const cell = total->count + (size_t)row * CELLS;
        unsigned low = 0, high = CELLS - 1;
        while (low < CELLS - 1 && !cell[low])
            low++;
        while (high > 0 && !cell[high])
            high--;
        const double log_units = real_log((double)total->units), mean = (double)length / 2;
        const double lower =
            null_linear_complexity_log_lower(half + low - CLIP, length) + log_units;
        const double upper =
            null_linear_complexity_log_upper(half + high - CLIP, length) + log_units;
        judgement_add(judgement, 2 * row, lower < 0 ? lower : 0, (double)half + low - CLIP, mean);
        judgement_add(judgement, 2 * row + 1, upper < 0 ? upper : 0, (double)half + high - CLIP,
                      mean);
    }
}

static void describe_linear(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(
        text, size,
        "%s linear complexity of %u bits: bit %u of words %u apart, from word %u on (beyond %u "
        "from the mean it is cut)",
        index & 1 ? "largest" : "smallest", test->p[3],
        test->p[0] == ALL_BITS ? (unsigned)index / 2 : test->p[0], test->p[1], test->p[2],
        (unsigned)CLIP);
}

static struct test linear(const char *name, unsigned bit, unsigned stride, unsigned offset,
                          unsigned length)
{
    unsigned unit_log2 = UNIT_LOG2;
    while (offset + (size_t)length * stride > (size_t)1 << unit_log2)
        unit_log2++;
    return (struct test){.name = name,
                         .about = "bits follow a linear recurrence",
                         .unit_log2 = unit_log2,
                         .counts = CELLS * (bit == ALL_BITS ? ALL_BITS : 1),
                         .scratch = (length + 63) / 64 * sizeof(uint64_t) + linear_scratch(length),
                         .count = count_linear,
                         .judge = judge_linear,
                         .describe = describe_linear,
                         .p = {bit, stride, offset, length}};
}

struct test test_linear(unsigned bit, unsigned stride, unsigned offset, unsigned length)
{
    assert(bit < 32 && offset < stride && length > 0);
    return linear("linear", bit, stride, offset, length);
}

struct test test_linear_short(unsigned stride, unsigned offset)
{
    assert(offset < stride);
    return linear("linear_short", ALL_BITS, stride, offset, SHORT);
}
