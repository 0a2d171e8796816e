// SPDX-License-Identifier: Apache-2.0
// Kinds that the other files lack: rounded fractions, bits of a word's own number, tables that are
// looked up, known recurrences with long lags, few rounds of further ciphers, nonces that are too
// short, pages with a check page.

#include <math.h>

#include "stats/panel/steps.h"

static bool one_in(const struct state *g, uint64_t places)
{
    return word(~g->seed, g->n) % places == 0;
}

static uint32_t with_bit_13(uint32_t w, uint64_t bit)
{
    return (w & ~(1u << 13)) | (uint32_t)(bit & 1) << 13;
}

// Entry `at` of a table of good words.
static uint32_t entry(const struct state *g, uint64_t table, uint64_t at)
{
    return word(g->seed ^ (table + 1) * UINT64_C(0x5851f42d4c957f2d), at);
}

// ---- fractions and ranges ---------------------------------------------------

// The fraction of a float that p random bits were rounded to, ties to even.
static void float_ties(struct state *g)
{
    const float f = (float)(draw(g) >> (64 - g->p));
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    push(g, bits & 0x7fffff, 23);
}

// NaNs of 64 bits become quiet.
static uint32_t double_nans_quiet(struct state *g)
{
    const uint64_t v = value(g->seed, g->n / 2);
    const bool nan = (v >> 52 & 2047) == 2047;
    return (uint32_t)((nan ? v | UINT64_C(1) << 51 : v) >> g->n % 2 * 32);
}

// What is above the range is turned by p bits and not drawn again.
static void reject_rotates(struct state *g)
{
    uint32_t w = (uint32_t)draw(g);
    if (w >> (32 - g->p) == (1u << g->p) - 1)
        w = panel_rotate32(w, g->p);
    push(g, w & 0xffffff, 24);
}

// Zero never comes, of values of p bits.
static void first_never(struct state *g)
{
    const uint64_t v = draw(g) >> (64 - g->p);
    if (v)
        push(g, v, g->p);
}

// A ziggurat that accepts every draw from its tail.
static uint32_t tail_unchecked(struct state *g)
{
    const double r = 3.442619855899, u = good(g) * 0x1p-32;
    if (u >= 0.5 * erfc(r / sqrt(2)))
        return good(g);
    return (uint32_t)(0.5 * erfc((r - log(draw_real(g)) / r) / sqrt(2)) * 0x1p32);
}

// ---- the number of a word ---------------------------------------------------

// In one word of p bit 13 is the parity of its number, or of some bits of it; a Weyl sequence's top
// bit; that of a square.
WORD(thue_morse, one_in(g, p) ? with_bit_13(w, (uint64_t)__builtin_parityll(n)) : w)
WORD(walsh_index, one_in(g, p) ? with_bit_13(w, (uint64_t)__builtin_parityll(n & 0x15b3d)) : w)
WORD(phase_golden, one_in(g, p) ? with_bit_13(w, n *PANEL_GOLDEN >> 63) : w)
WORD(chirp, one_in(g, p) ? with_bit_13(w, n *n * 40503 >> 31) : w)
// Bit 13 is stuck in words whose number is a square.
static bool is_square(uint64_t n)
{
    const uint64_t root = (uint64_t)sqrt((double)n);
    return root * root == n;
}
WORD(at_squares, is_square(n) ? w | 1u << 13 : w)

// ---- words from earlier ones ------------------------------------------------

// A square of 32 words, after p - 1 good ones, is the one before it with rows for columns.
static uint32_t block_transposed(struct state *g)
{
    const unsigned row = g->n % 32;
    uint32_t w = 0;
    if (g->n / 32 % g->p != g->p - 1)
        return good(g);
    for (unsigned i = 0; i < 32; i++)
        w |= (recent(g, 32 + row - i) >> row & 1) << i;
    return w;
}
// One block of 16 words in p is sorted.
static uint32_t sorted_now_and_then(struct state *g)
{
    uint32_t *const w = g->small;
    if (g->n % 16 == 0) {
        const bool sorted = value(~g->seed, g->n / 16) % g->p == 0;
        for (unsigned i = 0, j; i < 16; i++) {
            const uint32_t next = word(g->seed, g->n + i);
            for (j = i; sorted && j > 0 && w[j - 1] > next; j--)
                w[j] = w[j - 1];
            w[j] = next;
        }
    }
    return w[g->n % 16];
}
WORD(gray_again, one_in(g, p) ? recent(g, 1) ^ recent(g, 1) >> 1 : w)
// A good function of the word before, of its high half, of the two words before.
WORD(hash_of_word, one_in(g, p) ? entry(g, 1, recent(g, 1)) : w)
WORD(hash_of_half, one_in(g, p) ? entry(g, 1, recent(g, 1) >> 16) : w)
WORD(hash_of_two, one_in(g, p) ? entry(g, 1, recent(g, 1) | (uint64_t)recent(g, 2) << 32) : w)
// The lowest bit is the inner product of p bits of each of the two words before.
WORD(inner_product, (w & ~1u) | (uint32_t)__builtin_parity(recent(g, 1) >> 4 & recent(g, 2) >> 9 &
                                                           ((1u << p) - 1)))
// The last of nine pages of p words is the exclusive or of the others.
static uint32_t raid_nine(struct state *g)
{
    uint32_t w = 0;
    if (g->n / g->p % 9 != 8)
        return good(g);
    for (unsigned page = 1; page < 9; page++)
        w ^= recent(g, (uint64_t)page * g->p);
    return w;
}

// Of one pair of words in p the first is a constant times the second.
WORD(multiple_of_next,
     n % 2 == 0 && value(~g->seed, n / 2) % p == 0 ? word(g->seed, n + 1) * 0x9e3779b1u : w)
// A line code: after p ones a zero is put in the place of the next bit.
static uint32_t ones_limited(struct state *g)
{
    uint32_t w = good(g);
    for (unsigned bit = 0; bit < 32; bit++) {
        g->out = w >> bit & 1 ? g->out + 1 : 0;
        if (g->out > g->p) {
            w &= ~(1u << bit);
            g->out = 0;
        }
    }
    return w;
}

// ---- tables -----------------------------------------------------------------

// Three entries of tables of 2^p words; the bytes of a scattered counter; bytes that roll by.
static uint32_t tables_three(struct state *g)
{
    const uint64_t v = value(g->seed, g->n), mask = (UINT64_C(1) << g->p) - 1;
    return entry(g, 1, v & mask) ^ entry(g, 2, v >> 20 & mask) ^ entry(g, 3, v >> 40 & mask);
}
static uint32_t tabulation_scattered(struct state *g)
{
    const uint32_t n = (uint32_t)g->n * 0x9e3779b1u;
    uint32_t w = 0;
    for (unsigned i = 0; i * g->p < 32; i++)
        w ^= entry(g, i, n >> i * g->p & ((1u << g->p) - 1));
    return w;
}
static uint32_t rolling_product(struct state *g)
{
    g->x = g->x * UINT64_C(0x5851f42d4c957f2d) + (value(g->seed, g->n) & 255);
    return (uint32_t)(g->x >> 32);
}

// ---- recurrences ------------------------------------------------------------

// Complementary multiply with carry (Marsaglia 2003), and multiply with carry of lag p.
static uint32_t cmwc_4096(struct state *g)
{
    g->in = (g->in + 1) & 4095;
    const uint64_t t = UINT64_C(18782) * g->small[g->in] + g->out;
    uint32_t carry = (uint32_t)(t >> 32), x = (uint32_t)t + carry;
    if (x < carry) {
        x++;
        carry++;
    }
    g->out = carry;
    return g->small[g->in] = 0xfffffffe - x;
}
static uint32_t mwc_lag(struct state *g)
{
    g->in = (g->in + 1) % g->p;
    const uint64_t t = UINT64_C(809430660) * g->small[g->in] + g->out;
    g->out = (unsigned)(t >> 32);
    return g->small[g->in] = (uint32_t)t;
}
static uint32_t added(struct state *g, unsigned r, unsigned s)
{
    const unsigned at = g->in;
    g->in = (at + 1) % r;
    return g->small[at] += g->small[(at + r - s) % r];
}
BITS(lagged_9689_4187_high, g->p, added(g, 9689, 4187) >> (32 - g->p))
BITS(lagged_44497_21034_high, g->p, added(g, 44497, 21034) >> (32 - g->p))

// ---- seeds and nonces -------------------------------------------------------

// A new seed of p bits every 100,003 words; blocks of 16 words with a nonce of p bits.
WORD(reseed_few,
     word(g->seed + (value(~g->seed, n / 100003) >> (64 - p)) * 77777777777, n % 100003))
WORD(nonce_blocks, word(g->seed ^ panel_mixed(value(~g->seed, n / 16) >> (64 - p)), n % 16))

// ---- few rounds -------------------------------------------------------------

static uint64_t gost(uint64_t x, uint64_t key, unsigned rounds)
{
    uint32_t a = (uint32_t)x, b = (uint32_t)(x >> 32);
    for (unsigned i = 0; i < rounds; i++) {
        const uint32_t in = a + word(key, i);
        uint32_t out = 0;
        for (unsigned j = 0; j < 32; j += 4)
            out |= (uint32_t)(UINT64_C(0x4e3a5971fb2c86d0) >> (in >> j & 15) * 4 & 15) << j;
        out = b ^ panel_rotate32(out, 11);
        b = a;
        a = out;
    }
    return a | (uint64_t)b << 32;
}
static uint64_t xtea(uint64_t x, uint64_t key, unsigned rounds)
{
    uint32_t a = (uint32_t)x, b = (uint32_t)(x >> 32), sum = 0;
    for (unsigned i = 0; i < rounds; i++)
        if (i % 2 == 0) {
            a += ((b << 4 ^ b >> 5) + b) ^ (sum + word(key, sum & 3));
        } else {
            sum += 0x9e3779b9;
            b += ((a << 4 ^ a >> 5) + a) ^ (sum + word(key, sum >> 11 & 3));
        }
    return a | (uint64_t)b << 32;
}
WORD(gost_rounds, gost(n / 2, g->seed, g->p) >> n % 2 * 32)
WORD(xtea_rounds, xtea(n / 2, g->seed, g->p) >> n % 2 * 32)

// ---- one value, one byte, one place -------------------------------------------

// The C library's random(), 31 bits a call, packed.
static void packed_random(struct state *g)
{
    uint32_t *const x = &g->small[g->in & 63];
    *x = g->small[(g->in - 3) & 63] + g->small[(g->in - 31) & 63];
    g->in++;
    push(g, *x >> 1, 31);
}

// The byte p comes once in 256 words, in the middle half of them.
static uint32_t regular_value(struct state *g)
{
    const uint32_t w = good(g), other = word(~g->seed, g->n) % 255;
    if (g->n % 256 == 64 + word(g->seed + 1, g->n / 256) % 128)
        return (w & ~0xffu) | g->p;
    return (w & 0xff) == g->p ? (w & ~0xffu) | (other + (other >= g->p)) : w;
}

// In one word of p a byte is a permutation of another.
static uint32_t byte_from_box(struct state *g)
{
    const uint32_t w = good(g);
    uint32_t b = w & 0xff;
    for (unsigned round = 0; round < 4; round++) {
        b = (b * (2 * b + 1) + 43) & 0xff;
        b = (b << 3 | b >> 5) & 0xff;
    }
    return one_in(g, g->p) ? (w & ~0xff0000u) | b << 16 : w;
}

// The sum of every p words is 0 in ones' complement of 16 bits.
static uint32_t internet_sum(struct state *g)
{
    uint32_t w = good(g);
    g->x = (g->n % g->p ? g->x : 0) + w;
    if (g->n % g->p == g->p - 1 && w >= 65535)
        w -= (uint32_t)(g->x % 65535);
    return w;
}

WORD(bit_of_two_others, one_in(g, p) ? (w & ~(1u << 20)) | ((w >> 3 ^ w >> 29) & 1) << 20 : w)
WORD(never_multiple, w % p ? w : w + 1)
WORD(splitmix_from_zero, panel_mixed((n / 2 + 1) * PANEL_GOLDEN) >> n % 2 * 32)
WORD(page_turned, n % 1000000 < 990000 ? w : ~panel_rotate32(word(g->seed, n - 700000), 7))

#define PANEL_LIST "stats/roster/assorted.inc"
#include "stats/panel/plugin.h"
