// SPDX-License-Identifier: Apache-2.0
// Values that are never, or too often, multiples of a prime that is too large for remainders.c,
// which counts every remainder: here only multiples are counted, so that primes up to 65,521 can be
// asked. The value is the high bits of a word: 32 or 64 for the whole of it, 31 for a number that a
// library gives without a sign, 24 and 53 for what becomes the fraction of a float or a double.
// Null: of 2^bits values floor((2^bits - 1) / p) + 1 are multiples of p: binomial, exactly.
// A value is a multiple of p where, times 1 / p modulo a power of two, it is at most that power
// divided by p.
// Source: Knuth, volume 2, 3.3.2 A; Granlund, Montgomery, doi:10.1145/178243.178249, section 9.
// Parameters: p[0] bits of a value, 24, 31, 32, 53 or 64, p[1] no prime is larger.

#include <assert.h>
#include <stdio.h>

#include "stats/battery/catalogue.h"
#include "stats/battery/values/residues.h"
#include "stats/kernel/kernel.h"
#include "stats/law/null.h"

enum { UNIT_LOG2 = 16, UNIT = 1 << UNIT_LOG2 };

// Other values have been held against smaller primes by remainders.c.
static unsigned first_prime(const struct test *test)
{
    return test->p[0] == 31 ? 3 : 1031;
}

// 1 / odd modulo 2^64: three bits are right at first, and each step makes them twice as many.
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (unsigned right = 3; right < 64; right *= 2)
        x *= 2 - odd * x;
    return x;
}

static void count_multiples(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned bits = test->p[0];
    uint32_t *const high = to->scratch;
    uint64_t *count = to->count;
    residues_take_high(words, UNIT, bits, high);
    for (unsigned p = first_prime(test); p <= test->p[1]; p = residues_prime_from(p + 2))
        *count++ +=
            residues_word_bits(bits) == 32
                ? kernel_chosen()->multiples(high, UNIT, (uint32_t)inverse(p), UINT32_MAX / p)
                : kernel_chosen()->multiples_64(high, UNIT, inverse(p), UINT64_MAX / p);
}

static void judge_multiples(const struct totals *total, struct judgement *judgement)
{
    const unsigned bits = total->test->p[0];
    const uint64_t n = (total->units << UNIT_LOG2) * 32 / residues_word_bits(bits);
    const uint64_t *count = total->count;
    for (unsigned p = first_prime(total->test); p <= total->test->p[1];
         p = residues_prime_from(p + 2))
        judgement_add_binomial(judgement, p, *count++, n, null_residue_probability(0, p, bits));
}

static void describe_multiples(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "multiples of %u among the high %u bits of words of %u bits",
             (unsigned)index, test->p[0], residues_word_bits(test->p[0]));
}

struct test test_multiples(unsigned bits, unsigned last)
{
    assert((bits == 24 || bits == 31 || bits == 32 || bits == 53 || bits == 64) && last < 65536);
    struct test test = {
        TEST_FUNCTIONS(multiples), .about = "values are multiples too seldom or too often",
        .unit_log2 = UNIT_LOG2, .scratch = UNIT * sizeof(uint32_t), .p = {bits, last}};
    for (unsigned p = first_prime(&test); p <= last; p = residues_prime_from(p + 2))
        test.counts++;
    return test;
}
