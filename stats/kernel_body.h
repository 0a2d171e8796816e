// SPDX-License-Identifier: Apache-2.0
// The counting loops, in vectors of KERNEL_LANES words (8 or 16); a file that includes this defines KERNEL_LANES and KERNEL_NAME.
//
// Bits are counted in vertical counters: bit slices, to which sixteen vectors at a time are added through a tree of carry-save
// adders (Klarqvist, Mula, Lemire, "Efficient computation of positional population counts using SIMD instructions", 2019,
// doi:10.1002/cpe.5557). A carry above the tree waits at its level for a second one, as in a binary counter.
//
// Words of all zeros or all ones are so rare that sixteen vectors are looked at together, by their least and greatest words; a file
// that defines KERNEL_LEAST, KERNEL_MOST and KERNEL_ANY (some bit is set) has instructions for that.

#include <string.h>

#include "stats/kernel.h"

typedef uint32_t vector __attribute__((vector_size(4 * KERNEL_LANES), aligned(4), may_alias));

enum { LEVELS = 20, TREE = 4 };

struct slices {
    vector sum[LEVELS], pending[LEVELS];
    uint32_t sixteens;
};

#define CARRY_SAVE_ADD(high, low, a, b, c)                                                                                     \
    do {                                                                                                                       \
        const vector x_ = (a), y_ = (b), z_ = (c), half_ = x_ ^ y_;                                                            \
        (high) = (x_ & y_) | (half_ & z_);                                                                                     \
        (low) = half_ ^ z_;                                                                                                    \
    } while (0)

static inline __attribute__((always_inline)) void add_sixteen(struct slices *s, const vector *x)
{
    vector ones = s->sum[0], twos = s->sum[1], fours = s->sum[2], eights = s->sum[3];
    vector two_a, two_b, four_a, four_b, eight_a, eight_b, carry;
    CARRY_SAVE_ADD(two_a, ones, ones, x[0], x[1]);
    CARRY_SAVE_ADD(two_b, ones, ones, x[2], x[3]);
    CARRY_SAVE_ADD(four_a, twos, twos, two_a, two_b);
    CARRY_SAVE_ADD(two_a, ones, ones, x[4], x[5]);
    CARRY_SAVE_ADD(two_b, ones, ones, x[6], x[7]);
    CARRY_SAVE_ADD(four_b, twos, twos, two_a, two_b);
    CARRY_SAVE_ADD(eight_a, fours, fours, four_a, four_b);
    CARRY_SAVE_ADD(two_a, ones, ones, x[8], x[9]);
    CARRY_SAVE_ADD(two_b, ones, ones, x[10], x[11]);
    CARRY_SAVE_ADD(four_a, twos, twos, two_a, two_b);
    CARRY_SAVE_ADD(two_a, ones, ones, x[12], x[13]);
    CARRY_SAVE_ADD(two_b, ones, ones, x[14], x[15]);
    CARRY_SAVE_ADD(four_b, twos, twos, two_a, two_b);
    CARRY_SAVE_ADD(eight_b, fours, fours, four_a, four_b);
    CARRY_SAVE_ADD(carry, eights, eights, eight_a, eight_b);
    s->sum[0] = ones, s->sum[1] = twos, s->sum[2] = fours, s->sum[3] = eights;
    unsigned level = TREE;
    for (uint32_t n = s->sixteens; n & 1; n >>= 1, level++) {
        vector up;
        CARRY_SAVE_ADD(up, s->sum[level], s->sum[level], s->pending[level], carry);
        carry = up;
    }
    s->pending[level] = carry;
    s->sixteens++;
}

static void add_bits(uint64_t count[KERNEL_POSITIONS], const vector *slice, unsigned level)
{
    for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
        const uint32_t bits = (*slice)[lane];
        uint64_t *const to = count + lane % 8 * 32;
        for (unsigned b = 0; b < 32; b++)
            to[b] += (uint64_t)(bits >> b & 1) << level;
    }
}

static void close_slices(const struct slices *s, uint64_t count[KERNEL_POSITIONS])
{
    for (unsigned level = 0; level < LEVELS && (level < TREE || s->sixteens >> (level - TREE)); level++) {
        add_bits(count, &s->sum[level], level);
        if (level >= TREE && s->sixteens >> (level - TREE) & 1)
            add_bits(count, &s->pending[level], level);
    }
}

static void count_positions(const uint32_t *word, size_t words, uint64_t count[KERNEL_POSITIONS])
{
    struct slices s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < words; i += 16 * KERNEL_LANES)
        add_sixteen(&s, (const vector *)(const void *)(word + i));
    close_slices(&s, count);
}

// Adds the words of sixteen vectors that are all zeros to same[], those of all ones to opposite[].
static void count_events(const vector *x, vector *same, vector *opposite)
{
    for (unsigned v = 0; v < 16; v++) {
        *same -= (vector)(x[v] == 0);
        *opposite -= (vector)(x[v] == UINT32_MAX);
    }
}

static inline __attribute__((always_inline)) int may_hold_events(const vector *x)
{
#ifdef KERNEL_LEAST
    vector least = x[0], most = x[0];
    for (unsigned v = 1; v < 16; v++) {
        least = KERNEL_LEAST(least, x[v]);
        most = KERNEL_MOST(most, x[v]);
    }
    const vector event = (vector)(least == 0) | (vector)(most == UINT32_MAX);
    return KERNEL_ANY(event);
#else
    (void)x;
    return 1;
#endif
}

static inline __attribute__((always_inline)) void count_turned(const uint32_t *word, size_t words, size_t lag, uint32_t right,
                                                               uint64_t count[KERNEL_POSITIONS], uint64_t event[2])
{
    struct slices s;
    memset(&s, 0, sizeof s);
    vector same = {0}, opposite = {0};
    const uint32_t left = (32 - right) & 31;
    for (size_t i = 0; i < words; i += 16 * KERNEL_LANES) {
        vector x[16];
        for (unsigned v = 0; v < 16; v++) {
            vector b = *(const vector *)(const void *)(word + i + v * KERNEL_LANES - lag);
            if (right)
                b = b >> right | b << left;
            x[v] = *(const vector *)(const void *)(word + i + v * KERNEL_LANES) ^ b;
        }
        if (may_hold_events(x))
            count_events(x, &same, &opposite);
        add_sixteen(&s, x);
    }
    close_slices(&s, count);
    for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
        event[0] += same[lane];
        event[1] += opposite[lane];
    }
}

static void count_lag(const uint32_t *word, size_t words, size_t lag, unsigned rotate, uint64_t count[KERNEL_POSITIONS],
                      uint64_t event[2])
{
    if (rotate)
        count_turned(word, words, lag, rotate & 31, count, event);
    else
        count_turned(word, words, lag, 0, count, event);
}

static void count_weights(const uint32_t *word, size_t words, uint64_t *in, uint64_t *across)
{
    uint32_t a[2][33] = {{0}}, b[33] = {0};
    for (size_t i = 0; i + 2 <= words; i += 2) {
        a[0][__builtin_popcount(word[i])]++;
        a[1][__builtin_popcount(word[i + 1])]++;
        b[__builtin_popcount(word[i] ^ word[i + 1])]++;
    }
    for (unsigned w = 0; w <= 32; w++) {
        in[w] += (uint64_t)a[0][w] + a[1][w];
        across[w] += b[w];
    }
}

typedef uint64_t vector64 __attribute__((vector_size(4 * KERNEL_LANES), aligned(8), may_alias));

static void shift_xor(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t first, size_t end, size_t shift)
{
    enum { STEP = KERNEL_LANES / 2 };
    const ptrdiff_t whole = (ptrdiff_t)(shift / 64);
    const uint64_t left = shift % 64, right = 63 - left;
    for (ptrdiff_t i = (ptrdiff_t)end - STEP; i > (ptrdiff_t)first - STEP; i -= STEP) {
        const vector64 high = *(const vector64 *)(const void *)(b + i - whole);
        const vector64 low = *(const vector64 *)(const void *)(b + i - whole - 1);
        *(vector64 *)(void *)(to + i) = *(const vector64 *)(const void *)(a + i) ^ (high << left | low >> 1 >> right);
    }
}

static uint64_t count_differences(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i++)
        sum += (uint64_t)__builtin_popcountll(a[i] ^ b[i]);
    return sum;
}

static size_t sample(const uint32_t *word, size_t words, uint32_t limit, uint32_t *at)
{
    size_t found = 0;
    for (size_t i = 0; i < words; i += 64) {
        vector any = {0};
        for (unsigned v = 0; v < 64 / KERNEL_LANES; v++) {
            const vector w = *(const vector *)(const void *)(word + i + v * KERNEL_LANES);
            any |= (vector)((w ^ w >> 15) * UINT32_C(0x9e3779b1) <= limit);
        }
#ifdef KERNEL_ANY
        const int hit = KERNEL_ANY(any);
#else
        uint32_t hit = 0;
        for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
            hit |= any[lane];
#endif
        for (size_t j = i; hit && j < i + 64; j++)
            if (kernel_hash(word[j]) <= limit)
                at[found++] = (uint32_t)j;
    }
    return found;
}

static size_t find_ends(const uint32_t *word, size_t words, uint32_t *at)
{
    const uint32_t top = ~(UINT32_MAX >> (KERNEL_ENDS - 1)), bottom = (1u << (KERNEL_ENDS - 1)) - 1;
    size_t found = 0;
    for (size_t i = 0; i < words; i += 64) {
        vector any = {0};
        for (unsigned v = 0; v < 64 / KERNEL_LANES; v++) {
            const vector w = *(const vector *)(const void *)(word + i + v * KERNEL_LANES);
            any |= (vector)(((w ^ w << 1) & top) == 0) | (vector)(((w ^ w >> 1) & bottom) == 0);
        }
        uint32_t hit = 0;
        for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
            hit |= any[lane];
        for (size_t j = i; hit && j < i + 64; j++)
            if (!((word[j] ^ word[j] << 1) & top) || !((word[j] ^ word[j] >> 1) & bottom))
                at[found++] = (uint32_t)j;
    }
    return found;
}

static void count_formulas(const uint32_t *word, size_t words, size_t r, size_t s, uint64_t count[KERNEL_FORMULAS])
{
    vector met[KERNEL_FORMULAS] = {{0}};
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector x = *(const vector *)(const void *)(word + i), a = *(const vector *)(const void *)(word + i - r),
                     b = *(const vector *)(const void *)(word + i - s);
        met[0] -= (vector)(x == a + b);
        met[1] -= (vector)(x == a - b);
        met[2] -= (vector)(x == b - a);
        met[3] -= (vector)(x == (a ^ b));
    }
    for (unsigned f = 0; f < KERNEL_FORMULAS; f++)
        for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
            count[f] += met[f][lane];
}

static void count_parts(const uint32_t *word, size_t words, size_t lag, unsigned turn, uint64_t count[KERNEL_PARTS])
{
    static const uint32_t mask[KERNEL_PARTS] = {0xffu, 0xff00u, 0xff0000u, 0xff000000u, 0xffffu, 0xffff0000u};
    vector zero[KERNEL_PARTS] = {{0}};
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector before = *(const vector *)(const void *)(word + i - lag);
        const vector d = *(const vector *)(const void *)(word + i) ^ (before >> turn | before << (32 - turn) % 32);
        for (unsigned p = 0; p < KERNEL_PARTS; p++)
            zero[p] -= (vector)((d & mask[p]) == 0);
    }
    for (unsigned p = 0; p < KERNEL_PARTS; p++)
        for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
            count[p] += zero[p][lane];
}

static void store_popcounts(const uint32_t *word, size_t words, uint8_t *ones)
{
    for (size_t i = 0; i < words; i++)
        ones[i] = (uint8_t)__builtin_popcount(word[i]);
}

// a times w modulo the prime, below twice the prime, for any a; q is w 2^32 / prime, rounded down.
static inline uint32_t product(uint32_t a, uint32_t w, uint32_t q)
{
    return a * w - (uint32_t)((uint64_t)a * q >> 32) * KERNEL_PRIME;
}

static inline uint32_t below_twice(uint32_t a)
{
    const uint32_t less = a - 2u * KERNEL_PRIME;
    return less < a ? less : a; // of a small a the difference wraps
}

static void part(uint32_t *restrict x, size_t half, const uint32_t *restrict factor, const uint32_t *restrict quotient)
{
    for (size_t j = 0; j < half; j++) {
        const uint32_t a = x[j], b = x[half + j];
        x[j] = below_twice(a + b);
        x[half + j] = product(a - b + 2u * KERNEL_PRIME, factor[j], quotient[j]);
    }
}

static void join(uint32_t *restrict x, size_t half, const uint32_t *restrict factor, const uint32_t *restrict quotient)
{
    for (size_t j = 0; j < half; j++) {
        const uint32_t a = x[j], b = product(x[half + j], factor[j], quotient[j]);
        x[j] = below_twice(a + b);
        x[half + j] = below_twice(a - b + 2u * KERNEL_PRIME);
    }
}

const struct kernel KERNEL_NAME = {count_positions,   count_lag,   count_weights, shift_xor,
                                   count_differences, sample,      find_ends,     count_formulas,
                                   store_popcounts,   count_parts, part,          join};
