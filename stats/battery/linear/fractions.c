// SPDX-License-Identifier: Apache-2.0
// Fractions whose digits are the words: what multiplies with carry, adds or subtracts with carry,
// or is a feedback register with carry.
// Null: a bound. Of 2^n numbers S of n bits at most 2^(2k + 1) have p and q below 2^k with p = q S
// modulo 2^n and q not 0: of the q that 2^a divides, a the highest, there are 2^(k - a - 1), each
// with fewer than 2^(k - a + 1) p that 2^a divides, and each pair belongs to 2^a numbers. So the
// chance is at most 2^(2k + 1 - n).
// Source: Klapper and Goresky 1997, doi:10.1007/s001459900024 (2-adic span); Wang 1981,
// doi:10.1145/800206.806398 (a fraction from its digits).
// Words in a row are the digits of p / q from the lowest on where each is what the carry leaves,
// and from the highest on where each is the whole part of a remainder times 2^32: both orders are
// read. q is near the multiplier times 2^(32 lag); no multiplier needs to be known.
//
// Euclid's algorithm on 2^n and S stops at the first remainder r below 2^(n / 2). It is t S modulo
// 2^n, up to the sign, and if p and q are below 2^(n / 2 - 1), it is p and t is q up to a factor.

#include <stdio.h>
#include <string.h>

#include "stats/law/real.h"
#include "stats/battery/catalogue.h"
#include "stats/battery/linear/linear.h"

__extension__ typedef unsigned __int128 uint128;

enum { UNIT_LOG2 = 18, BITS = 17408, CLIP = 120, CELLS = CLIP + 1, ORDERS = 2, STRIDES = 5 };

static const unsigned stride[STRIDES] = {1, 2, 3, 4, 8};

// A number of `length` limbs of 64 bits, the lowest first, the highest not 0.
struct number {
    uint64_t *limb;
    size_t length;
};

static size_t bits_of(const struct number *x)
{
    return x->length ? 64 * x->length - (size_t)__builtin_clzll(x->limb[x->length - 1]) : 0;
}

static void trim(struct number *x)
{
    while (x->length && !x->limb[x->length - 1])
        x->length--;
}

static bool less(const struct number *a, const struct number *b)
{
    if (a->length != b->length)
        return a->length < b->length;
    for (size_t i = a->length; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    return false;
}

// a -= factor * b * 2^(64 shift), which is not above a.
static void subtract(struct number *a, const struct number *b, uint64_t factor, size_t shift)
{
    uint64_t carry = 0, *const to = a->limb + shift;
    size_t i = 0;
    for (; i < b->length; i++) {
        const uint128 product = (uint128)factor * b->limb[i] + carry;
        carry = (uint64_t)(product >> 64) + (to[i] < (uint64_t)product);
        to[i] -= (uint64_t)product;
    }
    for (; carry; i++) {
        const uint64_t before = to[i];
        to[i] -= carry;
        carry = before < carry;
    }
    trim(a);
}

// a += factor * b * 2^(64 shift); limbs of a beyond its length are 0.
static void add(struct number *a, const struct number *b, uint64_t factor, size_t shift)
{
    uint64_t carry = 0, *const to = a->limb + shift;
    size_t i = 0;
    for (; i < b->length; i++) {
        const uint128 sum = (uint128)factor * b->limb[i] + to[i] + carry;
        to[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    for (; carry; i++) {
        to[i] += carry;
        carry = to[i] < carry;
    }
    a->length = a->length > shift + i ? a->length : shift + i;
    trim(a);
}

// 32 bits of a number, those below bit `top`, which is at least 32.
static uint64_t high_bits(const struct number *x, size_t top)
{
    const size_t from = top - 32, limb = from / 64, by = from % 64;
    uint64_t high = x->limb[limb] >> by;
    if (by > 32 && limb + 1 < x->length)
        high |= x->limb[limb + 1] << (64 - by);
    return high & UINT32_MAX;
}

// One quotient: r = r modulo by, and t grows by as many times t_by.
static void divide(struct number *r, const struct number *by, struct number *t,
                   const struct number *t_by)
{
    while (!less(r, by)) {
        const size_t top = bits_of(r), away = top - bits_of(by);
        uint64_t factor = UINT64_C(1) << (away ? away - 1 : 0) % 64;
        size_t shift = (away ? away - 1 : 0) / 64;
        if (away < 31) {
            // Both are cut after 32 bits of the larger one: too small by less than it takes.
            const uint64_t quotient = high_bits(r, top) / ((high_bits(by, top - away) >> away) + 1);
            factor = quotient ? quotient : 1;
            shift = 0;
        }
        subtract(r, by, factor, shift);
        add(t, t_by, factor, shift);
    }
}

size_t fractions_scratch(size_t bits)
{
    return 4 * (bits / 64 + 4) * sizeof(uint64_t);
}

size_t fraction_size(const uint64_t *digits, size_t bits, void *scratch)
{
    const size_t limbs = bits / 64, room = limbs + 4;
    struct number r[2], t[2];
    memset(scratch, 0, fractions_scratch(bits));
    for (unsigned i = 0; i < 2; i++) {
        r[i] = (struct number){(uint64_t *)scratch + i * room, limbs + 1 - i};
        t[i] = (struct number){(uint64_t *)scratch + (2 + i) * room, i};
    }
    r[0].limb[limbs] = 1;
    memcpy(r[1].limb, digits, limbs * sizeof *digits);
    t[1].limb[0] = 1;
    trim(&r[1]);
    unsigned small = 1;
    while (bits_of(&r[small]) > bits / 2) {
        divide(&r[!small], &r[small], &t[!small], &t[small]);
        small = !small;
    }
    const size_t p = bits_of(&r[small]), q = bits_of(&t[small]);
    return p > q ? p : q;
}

// ---- the row ----------------------------------------------------------------

static void gather(const uint32_t *words, size_t apart, bool backwards, uint64_t *digits)
{
    enum { COUNT = BITS / 32 };
    memset(digits, 0, BITS / 8);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t to = backwards ? COUNT - 1 - i : i;
        digits[to / 2] |= (uint64_t)words[i * apart] << 32 * (to % 2);
    }
}

static void count_fractions(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    uint64_t *const digits = to->scratch;
    for (unsigned h = 0; h < ORDERS * STRIDES; h++) {
        gather(words, stride[h / ORDERS], h % ORDERS, digits);
        const size_t size = fraction_size(digits, BITS, digits + BITS / 64),
                     below = size < BITS / 2 ? BITS / 2 - size : 0;
        to->count[h * CELLS + (below < CLIP ? below : CLIP)]++;
    }
}

// The smallest fraction among the units, by Boole. CLIP bits below, 2^-239 is claimed.
static void judge_fractions(const struct totals *total, struct judgement *judgement)
{
    const double half = BITS / 2, log_2 = real_log(2);
    for (unsigned h = 0; h < ORDERS * STRIDES; h++) {
        unsigned below = CLIP;
        while (below && !total->count[h * CELLS + below])
            below--;
        const double log_p = real_log((double)total->units) + (1 - 2 * (double)below) * log_2;
        judgement_add(judgement, h, log_p < 0 ? log_p : 0, half - below, half);
    }
}

static void describe_fractions(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    snprintf(text, size,
             "bits of the smallest fraction whose digits, the %s first, are %u bits of words %u "
             "apart (beyond %u below half it is cut)",
             index % ORDERS ? "highest" : "lowest", (unsigned)BITS, stride[index / ORDERS],
             (unsigned)CLIP);
}

struct test test_fractions(void)
{
    return (struct test){.name = "fractions",
                         .about = "words are digits of a fraction: they multiply with carry",
                         .unit_log2 = UNIT_LOG2,
                         .counts = STRIDES * ORDERS * CELLS,
                         .scratch = BITS / 8 + fractions_scratch(BITS),
                         .count = count_fractions,
                         .judge = judge_fractions,
                         .describe = describe_fractions};
}
