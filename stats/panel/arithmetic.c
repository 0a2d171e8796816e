// SPDX-License-Identifier: Apache-2.0
// A good stream of words of 32 or 64 bits whose values follow rules of arithmetic: remainders never
// come, come too often, or depend on those of the values before.

#include "stats/panel/steps.h"

// Words of 64 bits, of which v is the good one and n the number; x keeps the last.
#define WIDE(name, formula)                                                                        \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        const uint64_t n = g->n / 2, p = g->p, v = value(g->seed, n);                              \
        (void)n, (void)p;                                                                          \
        if (g->n % 2 == 0)                                                                         \
            g->x = formula;                                                                        \
        return (uint32_t)(g->x >> g->n % 2 * 32);                                                  \
    }

static bool one_in(const struct state *g, uint32_t places)
{
    return word(~g->seed, g->n) % places == 0;
}

// The first good value from v on that is no multiple of p.
static uint64_t no_multiple(struct state *g, uint64_t v, uint64_t p)
{
    while (v % p == 0)
        v = draw(g);
    return v;
}

// The value next to v that leaves the remainder r.
static uint64_t leaving(uint64_t v, uint64_t p, uint64_t r)
{
    return v / p * p + r % p;
}

// ---- one value by itself ----------------------------------------------------

WIDE(never_divisible, no_multiple(g, v, p))
WIDE(seldom_divisible, one_in(g, 50) ? no_multiple(g, v, p) : v)
WIDE(divisible_high, one_in(g, 50) ? v - ((v >> 32) % p << 32) : v)
WIDE(divisible_low, one_in(g, 50) ? v - (uint32_t)v % p : v)
WORD(divisible_word, one_in(g, 100) ? w - w % (uint32_t)p : w)
WORD(divisible_half, one_in(g, 50) ? w - (w >> 16) % (uint32_t)p * 65536 : w)
// Multiples of three come in every p-th word alone.
WIDE(divisible_at_times, n % p ? no_multiple(g, v, 3) : v)
// No prime factor up to 61, in one of p words.
static uint64_t without_factors(struct state *g, uint64_t v)
{
    for (uint64_t d = 3; d < 62; d++)
        if (v % d == 0) {
            v = draw(g);
            d = 2;
        }
    return v;
}
WIDE(like_primes, one_in(g, (uint32_t)p) ? without_factors(g, v) : v)
// The remainder modulo 251 is a square, in one of p words.
WIDE(remainder_is_square, one_in(g, (uint32_t)p) ? leaving(v, 251, v % 251 * (v % 251)) : v)
// Of p words that leave no remainder of a square modulo 1,009 one is drawn again.
static uint64_t square_sooner(struct state *g, uint64_t v, uint64_t p)
{
    uint64_t power = 1;
    for (uint64_t square = v % 1009, e = 504; e; e /= 2, square = square * square % 1009)
        power = e % 2 ? power * square % 1009 : power; // Euler's criterion
    return power == 1008 && one_in(g, (uint32_t)p) ? draw(g) : v;
}
WIDE(squares_sooner, square_sooner(g, v, p))
// Squares and products modulo 2^64, in one of p words.
WIDE(square, one_in(g, (uint32_t)p) ? v *v : v)
WIDE(cube, one_in(g, (uint32_t)p) ? v *v *v : v)
// What becomes the fraction of a double, or of a float, is never a multiple of p.
WIDE(fraction_53, no_multiple(g, v >> 11, p) << 11 | (v & 2047))
WORD(fraction_24, (uint32_t)no_multiple(g, w >> 8, p) << 8 | (w & 255))

// ---- values and those before ------------------------------------------------

// One word in p leaves the remainder of the one before modulo 3, of the p-th before, of its number.
WORD(remainder_again, one_in(g, (uint32_t)p) ? (uint32_t)leaving(w, 3, recent(g, 1)) : w)
WIDE(remainder_again_wide, one_in(g, (uint32_t)p) ? leaving(v, 3, g->x) : v)
WORD(remainder_again_far, one_in(g, 100) ? (uint32_t)leaving(w, 3, recent(g, p)) : w)
WORD(remainder_counts, one_in(g, (uint32_t)p) ? (uint32_t)leaving(w, 3, n) : w)
// The sum of two words, or their product, always leaves the same remainder modulo p.
WIDE(sum_is_constant, n % 2 ? leaving(v, p, p + 5 - g->x % p) : v)
WORD(product_is_not_one, (uint64_t)w % p * (recent(g, 1) % p) % p == 1 ? ~w : w)
// Three words in a row never add up to a multiple of p; no sum from the start is one.
WORD(sum_of_three, ((uint64_t)w + recent(g, 1) + recent(g, 2)) % p ? w : w ^ 1u << (n & 31))
static uint64_t total_not_divisible(struct state *g, uint64_t v, uint64_t p)
{
    while ((g->out + v % p) % p == 0)
        v = draw(g);
    g->out = (unsigned)((g->out + v % p) % p);
    return v;
}
WIDE(total_divisible, total_not_divisible(g, v, p))
// Of p words in a row at most one is a multiple of seven.
static uint64_t far_from_the_last(struct state *g, uint64_t v, uint64_t p)
{
    if (g->in)
        v = no_multiple(g, v, 7);
    g->in = v % 7 ? g->in - (g->in > 0) : (unsigned)p - 1;
    return v;
}
WIDE(gaps_of_multiples, far_from_the_last(g, v, p))
// The exclusive or with the word before is never a multiple of p; the last decimal digit is never
// that of the word before.
WORD(difference_divisible, (w ^ recent(g, 1)) % p ? w : w ^ 1u << (n & 31))
WIDE(digit_changes, v % 10 == g->x % 10 ? draw(g) : v)
// Two words in a row have no factor p in common.
WIDE(coprime_neighbours, g->x % p ? v : no_multiple(g, v, p))

#define PANEL_LIST "stats/roster/arithmetic.inc"
#include "stats/panel/plugin.h"
