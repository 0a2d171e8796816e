// SPDX-License-Identifier: Apache-2.0
// The counting loops, in vectors of KERNEL_LANES words (8 or 16); a file that includes this defines
// KERNEL_LANES and KERNEL_NAME.
//
// A file that defines KERNEL_LEAST, KERNEL_MOST (of unsigned words), KERNEL_PRODUCTS, KERNEL_BITS
// (the highest bit of each lane), KERNEL_MAJORITY and KERNEL_PARITY (of three bits) or
// KERNEL_TURN (to the right) has instructions for that.

#include <stdbool.h>
#include <string.h>

#include "stats/kernel/kernel.h"

typedef uint32_t vector __attribute__((vector_size(4 * KERNEL_LANES), aligned(4), may_alias));
typedef uint64_t vector64 __attribute__((vector_size(4 * KERNEL_LANES), aligned(8), may_alias));

static inline __attribute__((always_inline)) bool any_set(const vector *set)
{
#ifdef KERNEL_BITS
    return KERNEL_BITS(*set) != 0;
#else
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
        bits |= (*set)[lane];
    return bits != 0;
#endif
}

// The least of each lane.
#ifdef KERNEL_LEAST
#define KERNEL_LOWER(a, b) ((a) = KERNEL_LEAST(a, b))
#else
#define KERNEL_LOWER(a, b)                                                                         \
    do {                                                                                           \
        const vector b_ = (b), less_ = (vector)(b_ < (a));                                         \
        (a) = (b_ & less_) | ((a) & ~less_);                                                       \
    } while (0)
#endif

// 64-bit products of the even lanes.
#ifndef KERNEL_PRODUCTS
#define KERNEL_PRODUCTS(a, b) (((vector64)(a)&UINT32_MAX) * ((vector64)(b)&UINT32_MAX))
#endif

#ifndef KERNEL_MAJORITY
#define KERNEL_MAJORITY(a, b, c) (((a) & (b)) | (((a) ^ (b)) & (c)))
#define KERNEL_PARITY(a, b, c) ((a) ^ (b) ^ (c))
#endif

#ifndef KERNEL_TURN
#define KERNEL_TURN(a, right) ((a) >> (right) | (a) << (32 - (right)))
#endif

#include "stats/kernel/kernel_complexity.h"
#include "stats/kernel/kernel_slices.h"

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

static void shift_xor(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t first, size_t end,
                      size_t shift)
{
    enum { STEP = KERNEL_LANES / 2 };
    const ptrdiff_t whole = (ptrdiff_t)(shift / 64);
    const uint64_t left = shift % 64, right = 63 - left;
    for (ptrdiff_t i = (ptrdiff_t)end - STEP; i > (ptrdiff_t)first - STEP; i -= STEP) {
        const vector64 high = *(const vector64 *)(const void *)(b + i - whole);
        const vector64 low = *(const vector64 *)(const void *)(b + i - whole - 1);
        *(vector64 *)(void *)(to + i) =
            *(const vector64 *)(const void *)(a + i) ^ (high << left | low >> 1 >> right);
    }
}

// Words are looked at by 64: what is rare costs the least of a vector, and where it shows each of
// its vectors is asked.
enum { LOOK = 64, LOOK_VECTORS = LOOK / KERNEL_LANES };

// Places of lanes that are set, from place `first` on; returns how many in all are found.
static inline __attribute__((always_inline)) size_t store_places(const vector *set, size_t first,
                                                                 uint32_t *at, size_t found)
{
#ifdef KERNEL_BITS
    for (uint32_t bits = KERNEL_BITS(*set); bits; bits &= bits - 1)
        at[found++] = (uint32_t)first + (uint32_t)__builtin_ctz(bits);
#else
    for (uint32_t lane = 0; lane < KERNEL_LANES; lane++)
        if ((*set)[lane])
            at[found++] = (uint32_t)first + lane;
#endif
    return found;
}

static size_t sample(const uint32_t *word, size_t words, uint32_t limit, uint32_t *at)
{
    size_t found = 0;
    for (size_t i = 0; i < words; i += LOOK) {
        vector hash[LOOK_VECTORS], least = ~(vector){0};
        for (unsigned v = 0; v < LOOK_VECTORS; v++) {
            const vector w = *(const vector *)(const void *)(word + i + v * KERNEL_LANES);
            hash[v] = (w ^ w >> 15) * UINT32_C(0x9e3779b1);
            KERNEL_LOWER(least, hash[v]);
        }
        const vector low = (vector)(least <= limit);
        if (!any_set(&low))
            continue;
        for (unsigned v = 0; v < LOOK_VECTORS; v++) {
            const vector set = (vector)(hash[v] <= limit);
            found = store_places(&set, i + v * KERNEL_LANES, at, found);
        }
    }
    return found;
}

// The highest bits are all equal when the word, as a signed number, is near zero; the lowest when
// it is once they are the highest.
static size_t find_ends(const uint32_t *word, size_t words, uint32_t *at)
{
    const uint32_t down = 32 - KERNEL_ENDS, near = 1u << down;
    size_t found = 0;
    for (size_t i = 0; i < words; i += LOOK) {
        vector end[LOOK_VECTORS], least = ~(vector){0};
        for (unsigned v = 0; v < LOOK_VECTORS; v++) {
            const vector w = *(const vector *)(const void *)(word + i + v * KERNEL_LANES);
            end[v] = w + near;
            KERNEL_LOWER(end[v], (w << down) + near);
            KERNEL_LOWER(least, end[v]);
        }
        const vector low = (vector)(least < 2 * near);
        if (!any_set(&low))
            continue;
        for (unsigned v = 0; v < LOOK_VECTORS; v++) {
            const vector set = (vector)(end[v] < 2 * near);
            found = store_places(&set, i + v * KERNEL_LANES, at, found);
        }
    }
    return found;
}

static void count_formulas(const uint32_t *word, size_t words, size_t r, size_t s,
                           uint64_t count[KERNEL_FORMULAS])
{
    vector met[KERNEL_FORMULAS] = {{0}};
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector x = *(const vector *)(const void *)(word + i),
                     a = *(const vector *)(const void *)(word + i - r),
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

static void count_parts(const uint32_t *word, size_t words, size_t lag, unsigned turn,
                        uint64_t count[KERNEL_PARTS])
{
    static const uint32_t mask[KERNEL_PARTS] = {0xffu,       0xff00u, 0xff0000u,
                                                0xff000000u, 0xffffu, 0xffff0000u};
    vector zero[KERNEL_PARTS] = {{0}};
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector before = *(const vector *)(const void *)(word + i - lag);
        const vector d = *(const vector *)(const void *)(word + i) ^
                         (before >> turn | before << (32 - turn) % 32);
        for (unsigned p = 0; p < KERNEL_PARTS; p++)
            zero[p] -= (vector)((d & mask[p]) == 0);
    }
    for (unsigned p = 0; p < KERNEL_PARTS; p++)
        for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
            count[p] += zero[p][lane];
}

static void store_popcounts(const uint32_t *word, size_t words, uint8_t *ones)
{
    typedef uint8_t bytes __attribute__((vector_size(KERNEL_LANES)));
    size_t i = 0;
    for (; i + KERNEL_LANES <= words; i += KERNEL_LANES) {
        vector x = *(const vector *)(const void *)(word + i);
        LANE_ONES(x);
        const bytes low = __builtin_convertvector(x, bytes);
        memcpy(ones + i, &low, sizeof low);
    }
    for (; i < words; i++)
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

// With a small `half` known, the groups of several butterflies share a vector.
#define BY_HALF(groups_of)                                                                         \
    do {                                                                                           \
        if (half == 1)                                                                             \
            groups_of(x, 1, groups, factor, quotient);                                             \
        else if (half == 2)                                                                        \
            groups_of(x, 2, groups, factor, quotient);                                             \
        else if (half == 4)                                                                        \
            groups_of(x, 4, groups, factor, quotient);                                             \
        else if (half == 8)                                                                        \
            groups_of(x, 8, groups, factor, quotient);                                             \
        else                                                                                       \
            groups_of(x, half, groups, factor, quotient);                                          \
    } while (0)

static inline __attribute__((always_inline)) void part_groups(uint32_t *restrict x, size_t half,
                                                              size_t groups,
                                                              const uint32_t *restrict factor,
                                                              const uint32_t *restrict quotient)
{
    for (size_t g = 0; g < groups; g++, x += 2 * half)
        for (size_t j = 0; j < half; j++) {
            const uint32_t a = x[j], b = x[half + j];
            x[j] = below_twice(a + b);
            x[half + j] = product(a - b + 2u * KERNEL_PRIME, factor[j], quotient[j]);
        }
}

static void part(uint32_t *x, size_t half, size_t groups, const uint32_t *factor,
                 const uint32_t *quotient)
{
    BY_HALF(part_groups);
}

static inline __attribute__((always_inline)) void join_groups(uint32_t *restrict x, size_t half,
                                                              size_t groups,
                                                              const uint32_t *restrict factor,
                                                              const uint32_t *restrict quotient)
{
    for (size_t g = 0; g < groups; g++, x += 2 * half)
        for (size_t j = 0; j < half; j++) {
            const uint32_t a = x[j], b = product(x[half + j], factor[j], quotient[j]);
            x[j] = below_twice(a + b);
            x[half + j] = below_twice(a - b + 2u * KERNEL_PRIME);
        }
}

static void join(uint32_t *x, size_t half, size_t groups, const uint32_t *factor,
                 const uint32_t *quotient)
{
    BY_HALF(join_groups);
}

// x = w mod modulus, reciprocal = 2^32 / modulus in every even lane: the quotient, of which both
// are rounded down, is right or one too small; of a small x the difference wraps.
#define RESIDUE(x, w, reciprocal, modulus)                                                         \
    do {                                                                                           \
        const vector64 even_ = KERNEL_PRODUCTS(w, reciprocal) >> 32,                               \
                       odd_ = KERNEL_PRODUCTS((vector64)(w) >> 32, reciprocal) >> 32 << 32;        \
        (x) = (w) - (vector)(even_ | odd_) * (modulus);                                            \
        KERNEL_LOWER(x, (x) - (modulus));                                                          \
    } while (0)

static void store_residues(const uint32_t *word, size_t words, uint32_t modulus, uint32_t *to)
{
    const vector reciprocal = (vector){0} + (uint32_t)((UINT64_C(1) << 32) / modulus);
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector w = *(const vector *)(const void *)(word + i);
        RESIDUE(*(vector *)(void *)(to + i), w, reciprocal, modulus);
    }
}

static void store_residue_pairs(const uint32_t *word, size_t words, uint32_t modulus,
                                uint32_t factor, uint32_t *to)
{
    typedef uint32_t half_vector __attribute__((vector_size(2 * KERNEL_LANES), aligned(4)));
    const vector reciprocal = (vector){0} + (uint32_t)((UINT64_C(1) << 32) / modulus),
                 factors = (vector){0} + factor;
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector w = *(const vector *)(const void *)(word + i);
        vector r;
        RESIDUE(r, w, reciprocal, modulus);
        const vector64 pair =
            KERNEL_PRODUCTS((vector64)r >> 32, factors) + ((vector64)r & UINT32_MAX);
        const half_vector low = __builtin_convertvector(pair, half_vector);
        memcpy(to + i / 2, &low, sizeof low);
    }
}

static uint64_t count_equals(const uint16_t *a, const uint16_t *b, size_t values)
{
    typedef uint16_t halves __attribute__((vector_size(4 * KERNEL_LANES), aligned(2), may_alias));
    halves met = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < values; i += 2 * KERNEL_LANES)
        met -= (halves)(*(const halves *)(const void *)(a + i) ==
                        *(const halves *)(const void *)(b + i));
    for (unsigned lane = 0; lane < 2 * KERNEL_LANES; lane++)
        sum += met[lane];
    return sum;
}

// Lanes of bytes are emptied before they can be full.
static void count_equal_bytes(const uint8_t *now, const uint8_t *before, size_t values, size_t lags,
                              uint64_t *count)
{
    typedef uint8_t bytes __attribute__((vector_size(4 * KERNEL_LANES), aligned(1), may_alias));
    enum { AT_ONCE = 4, WIDTH = 4 * KERNEL_LANES, FULL = 128 * WIDTH };
    for (size_t lag = 0; lag < lags; lag += AT_ONCE) {
        vector sum[AT_ONCE] = {{0}};
        for (size_t from = 0, end; from < values; from = end) {
            bytes met[AT_ONCE] = {{0}};
            end = values - from < FULL ? values : from + FULL;
            for (size_t i = from; i < end; i += WIDTH) {
                const bytes a = *(const bytes *)(now + i);
                for (size_t l = 0; l < AT_ONCE; l++)
                    met[l] -= (bytes)(a == *(const bytes *)(before + i - lag - l));
            }
            for (size_t l = 0; l < AT_ONCE; l++) {
                const vector m = (vector)met[l], pairs = (m & 0x00ff00ff) + (m >> 8 & 0x00ff00ff);
                sum[l] += (pairs & 0xffff) + (pairs >> 16);
            }
        }
        for (size_t l = 0; l < AT_ONCE; l++)
            for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
                count[lag + l] += sum[l][lane];
    }
}

typedef int32_t eight __attribute__((vector_size(32), aligned(4), may_alias));

static inline __attribute__((always_inline)) void add_and_subtract(eight *a, eight *b)
{
    const eight x = *a, y = *b;
    *a = x + y;
    *b = x - y;
}

// Two levels at once, and the halves first, so that they stay in the cache.
static void transform_walsh(int32_t *value, size_t rows)
{
    enum { IN_CACHE = 1024 };
    eight *const at = (eight *)(void *)value;
    const size_t quarter = rows / 4;
    for (size_t from = 0; rows > IN_CACHE && from < rows; from += quarter)
        transform_walsh(value + from * 8, quarter);
    size_t half = rows > IN_CACHE ? quarter : 1;
    for (; 4 * half <= rows; half *= 4)
        for (size_t i = 0; i < rows; i += 4 * half)
            for (size_t j = i; j < i + half; j++) {
                add_and_subtract(&at[j], &at[j + half]);
                add_and_subtract(&at[j + 2 * half], &at[j + 3 * half]);
                add_and_subtract(&at[j], &at[j + 2 * half]);
                add_and_subtract(&at[j + half], &at[j + 3 * half]);
            }
    for (size_t j = 0; half < rows && j < half; j++)
        add_and_subtract(&at[j], &at[j + half]);
}

static uint64_t count_near_zero(const uint32_t *a, const uint32_t *p, const uint32_t *q, uint32_t b,
                                uint32_t c, uint32_t near, size_t words)
{
    vector met = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector x = *(const vector *)(const void *)(a + i) +
                         b * *(const vector *)(const void *)(p + i) +
                         c * *(const vector *)(const void *)(q + i) + near;
        met -= (vector)(x <= 2 * near);
    }
    for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
        sum += met[lane];
    return sum;
}

static uint64_t count_multiples(const uint32_t *word, size_t words, uint32_t inverse, uint32_t most)
{
    vector met = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i += KERNEL_LANES)
        met -= (vector)(*(const vector *)(const void *)(word + i) * inverse <= most);
    for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
        sum += met[lane];
    return sum;
}

static uint64_t count_multiples_64(const uint32_t *word, size_t words, uint64_t inverse,
                                   uint64_t most)
{
    vector64 met = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i += KERNEL_LANES)
        met -= (vector64)(*(const vector64 *)(const void *)(word + i) * inverse <= most);
    for (unsigned lane = 0; lane < KERNEL_LANES / 2; lane++)
        sum += met[lane];
    return sum;
}

static void store_classes(const uint32_t *word, size_t words, uint32_t *to)
{
    for (size_t i = 0; i < words; i += KERNEL_LANES) {
        const vector w = *(const vector *)(const void *)(word + i);
        vector back = (w >> 1 & 0x55555555) | (w & 0x55555555) << 1; // the lowest bit first
        back = (back >> 2 & 0x33333333) | (back & 0x33333333) << 2;
        back = (back >> 4 & 0x0f0f0f0f) | (back & 0x0f0f0f0f) << 4;
        back = (back >> 8 & 0x00ff00ff) | (back & 0x00ff00ff) << 8;
        back = back >> 16 | back << 16;
        vector least = w, other = ~w; // of the complements
        KERNEL_LOWER(least, back);
        KERNEL_LOWER(other, ~back);
        for (unsigned turn = 1; turn < 32; turn++) {
            const vector a = KERNEL_TURN(w, turn), b = KERNEL_TURN(back, turn);
            KERNEL_LOWER(least, a);
            KERNEL_LOWER(least, b);
            KERNEL_LOWER(other, ~a);
            KERNEL_LOWER(other, ~b);
        }
        KERNEL_LOWER(least, other);
        *(vector *)(void *)(to + i) = least;
    }
}

enum { RUN = 16 };

// With the stride known, the lanes of a run are folded without loops.
static inline __attribute__((always_inline)) void keep_spells(const uint32_t *word, size_t runs,
                                                              size_t stride, uint32_t *still,
                                                              uint32_t *turning)
{
    for (size_t r = 0; r < runs; r++, word += RUN * stride) {
        vector some = {0}, every = ~(vector){0};
        uint64_t any[KERNEL_LANES / 2], all[KERNEL_LANES / 2]; // lanes two by two
        for (size_t i = 0; i < RUN * stride; i += KERNEL_LANES) {
            const vector change = *(const vector *)(const void *)(word + i) ^
                                  *(const vector *)(const void *)(word + i - stride);
            some |= change;
            every &= change;
        }
        memcpy(any, &some, sizeof any);
        memcpy(all, &every, sizeof all);
        for (size_t half = KERNEL_LANES / 4; 2 * half >= stride && half; half /= 2)
            for (size_t l = 0; l < half; l++) {
                any[l] |= any[l + half];
                all[l] &= all[l + half];
            }
        if (stride == 1) {
            still[r] = ~(uint32_t)(any[0] | any[0] >> 32);
            turning[r] = (uint32_t)(all[0] & all[0] >> 32);
            continue;
        }
        for (size_t l = 0; l < stride / 2; l++)
            any[l] = ~any[l];
        memcpy(still + r * stride, any, stride * sizeof *still);
        memcpy(turning + r * stride, all, stride * sizeof *turning);
    }
}

static void store_spells(const uint32_t *word, size_t runs, size_t stride, uint32_t *still,
                         uint32_t *turning)
{
    switch (stride) {
    case 1:
        keep_spells(word, runs, 1, still, turning);
        break;
    case 2:
        keep_spells(word, runs, 2, still, turning);
        break;
    case 4:
        keep_spells(word, runs, 4, still, turning);
        break;
    default:
        keep_spells(word, runs, 8, still, turning);
    }
}

static void store_rises(const uint32_t *word, size_t words, size_t stride, uint8_t *rises)
{
    for (size_t i = 0; i < words; i += LOOK) {
        uint64_t bits = 0;
        if (i + LOOK + stride <= words)
            for (unsigned v = 0; v < LOOK_VECTORS; v++) {
                const uint32_t *const at = word + i + v * KERNEL_LANES;
                const vector less = (vector)(*(const vector *)(const void *)at <
                                             *(const vector *)(const void *)(at + stride));
#ifdef KERNEL_BITS
                bits |= (uint64_t)KERNEL_BITS(less) << v * KERNEL_LANES;
#else
                for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
                    bits |= (uint64_t)(less[lane] & 1) << (v * KERNEL_LANES + lane);
#endif
            }
        else
            for (size_t k = i; k + stride < words; k++)
                bits |= (uint64_t)(word[k] < word[k + stride]) << (k - i);
        for (unsigned byte = 0; byte < LOOK / 8; byte++)
            rises[i / 8 + byte] = (uint8_t)(bits >> 8 * byte);
    }
}

const struct kernel KERNEL_NAME = {count_positions,
                                   count_lag,
                                   count_weights,
                                   shift_xor,
                                   count_differences,
                                   sample,
                                   find_ends,
                                   count_formulas,
                                   store_popcounts,
                                   count_parts,
                                   part,
                                   join,
                                   fold,
                                   store_residues,
                                   store_residue_pairs,
                                   count_equals,
                                   count_equal_bytes,
                                   transform_walsh,
                                   count_near_zero,
                                   count_multiples,
                                   count_multiples_64,
                                   store_classes,
                                   store_spells,
                                   store_rises,
                                   count_complexities};
