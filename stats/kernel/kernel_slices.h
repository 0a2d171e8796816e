// SPDX-License-Identifier: Apache-2.0
// Ones counted by bit position, in vectors of KERNEL_LANES words: a part of kernel_body.h.
//
// Vertical counters are bit slices, to which sixteen vectors at a time are added through a tree of
// carry-save adders (Klarqvist, Mula, Lemire, "Efficient computation of positional population
// counts using SIMD instructions", 2019, doi:10.1002/cpe.5557). A carry above the tree waits at its
// level for a second one, as in a binary counter. In the end eight slices at a time become bytes by
// a transposition of 8 by 8 bits (Warren, "Hacker's Delight", 7-3).
//
// The sixteen vectors are words, or words against earlier ones; differences of all zeros or all
// ones are so rare that the least and the greatest of sixteen vectors are looked at, and where they
// show one the words are gone through again.

#ifndef KERNEL_LANES
#error "kernel_body.h includes this"
#endif

enum { LEVELS = 20, TREE = 4, SIXTEEN = 16 * KERNEL_LANES };

struct slices {
    vector sum[LEVELS],
        pending[LEVELS]; // pending[level] counts when that bit of sixteens, above the tree, is set
    uint32_t sixteens;
};

// Which vectors: of word[i], or of word[i] ^ rotate_right(word[i - lag], right).
enum form { PLAIN, DIFFERENCE, TURNED };

struct view {
    const uint32_t *word;
    size_t lag;
    uint32_t right;
};

#define CARRY_SAVE_ADD(high, low, a, b, c)                                                         \
    do {                                                                                           \
        const vector x_ = (a), y_ = (b), z_ = (c);                                                 \
        (high) = KERNEL_MAJORITY(x_, y_, z_);                                                      \
        (low) = KERNEL_PARITY(x_, y_, z_);                                                         \
    } while (0)

// What is known of differences so far: the least and the greatest where there are instructions for
// that, else places of events.
struct extremes {
    vector least, most;
};

static inline __attribute__((always_inline)) void take(vector *to, const struct view *view,
                                                       size_t at, enum form form,
                                                       struct extremes *extremes)
{
    vector d = *(const vector *)(const void *)(view->word + at);
    if (form != PLAIN) {
        vector b = *(const vector *)(const void *)(view->word + at - view->lag);
        if (form == TURNED)
            b = KERNEL_TURN(b, view->right);
        d ^= b;
#ifdef KERNEL_LEAST
        extremes->least = KERNEL_LEAST(extremes->least, d);
        extremes->most = KERNEL_MOST(extremes->most, d);
#else
        extremes->least |= (vector)(d == 0) | (vector)(d == UINT32_MAX);
#endif
    }
    *to = d;
}

static inline __attribute__((always_inline)) void begin_extremes(struct extremes *extremes)
{
#ifdef KERNEL_LEAST
    extremes->least = ~(vector){0};
#else
    extremes->least = (vector){0};
#endif
    extremes->most = (vector){0};
}

static inline __attribute__((always_inline)) bool hold_events(const struct extremes *extremes)
{
#ifdef KERNEL_LEAST
    const vector event = (vector)(extremes->least == 0) | (vector)(extremes->most == UINT32_MAX);
    return any_set(&event);
#else
    return any_set(&extremes->least);
#endif
}

// Each pair of vectors goes into the tree as it is made: registers hold the tree, no vector waits
// in memory.
static inline __attribute__((always_inline)) void add_sixteen(struct slices *s,
                                                              const struct view *view, size_t at,
                                                              enum form form,
                                                              struct extremes *extremes)
{
    vector ones = s->sum[0], twos = s->sum[1], fours = s->sum[2], eights = s->sum[3];
    vector two_a, two_b, four_a, four_b, eight_a, eight_b, carry;
#define ADD_TWO(high, pair)                                                                        \
    do {                                                                                           \
        vector p_, q_;                                                                             \
        take(&p_, view, at + 2 * (pair)*KERNEL_LANES, form, extremes);                             \
        take(&q_, view, at + (2 * (pair) + 1) * KERNEL_LANES, form, extremes);                     \
        CARRY_SAVE_ADD(high, ones, ones, p_, q_);                                                  \
    } while (0)
    ADD_TWO(two_a, 0);
    ADD_TWO(two_b, 1);
    CARRY_SAVE_ADD(four_a, twos, twos, two_a, two_b);
    ADD_TWO(two_a, 2);
    ADD_TWO(two_b, 3);
    CARRY_SAVE_ADD(four_b, twos, twos, two_a, two_b);
    CARRY_SAVE_ADD(eight_a, fours, fours, four_a, four_b);
    ADD_TWO(two_a, 4);
    ADD_TWO(two_b, 5);
    CARRY_SAVE_ADD(four_a, twos, twos, two_a, two_b);
    ADD_TWO(two_a, 6);
    ADD_TWO(two_b, 7);
    CARRY_SAVE_ADD(four_b, twos, twos, two_a, two_b);
    CARRY_SAVE_ADD(eight_b, fours, fours, four_a, four_b);
    CARRY_SAVE_ADD(carry, eights, eights, eight_a, eight_b);
#undef ADD_TWO
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

// Adds what is pending to the sums; returns how many levels there are.
static unsigned settle(struct slices *s)
{
    unsigned level = TREE;
    vector carry = {0};
    for (; level < LEVELS && s->sixteens >> (level - TREE); level++) {
        const vector pending = s->sixteens >> (level - TREE) & 1 ? s->pending[level] : (vector){0};
        vector up;
        CARRY_SAVE_ADD(up, s->sum[level], s->sum[level], pending, carry);
        carry = up;
    }
    return level; // no more: sixteens times sixteen is the most that can have been counted
}

// Bits b of byte m of x[a] and bits a of byte m of x[b] change places, for all a, b < 8.
static void transpose_bytes(vector x[8])
{
    static const uint32_t mask[3] = {0x0f0f0f0f, 0x33333333, 0x55555555};
    for (unsigned stage = 0; stage < 3; stage++) {
        const unsigned apart = 4u >> stage;
        for (unsigned i = 0; i < 8; i++)
            if (!(i & apart)) {
                const vector swapped = (x[i] >> apart ^ x[i + apart]) & mask[stage];
                x[i + apart] ^= swapped;
                x[i] ^= swapped << apart;
            }
    }
}

static void close_slices(struct slices *s, uint64_t count[KERNEL_POSITIONS])
{
    const unsigned levels = settle(s);
    vector total[32]; // of each bit
    memset(total, 0, sizeof total);
    for (unsigned first = 0; first < levels; first += 8) {
        vector x[8] = {{0}};
        for (unsigned l = first; l < levels && l < first + 8; l++)
            x[l - first] = s->sum[l];
        transpose_bytes(x);
        for (unsigned k = 0; k < 8; k++)
            for (unsigned byte = 0; byte < 4; byte++)
                total[byte * 8 + k] += (x[k] >> 8 * byte & 255) << first;
    }
    for (unsigned p = 0; p < KERNEL_POSITIONS; p++)
        count[p] += total[p % 32][p / 32] + (KERNEL_LANES > 8 ? total[p % 32][p / 32 + 8] : 0);
}

static void count_positions(const uint32_t *word, size_t words, uint64_t count[KERNEL_POSITIONS])
{
    struct slices s;
    memset(&s, 0, sizeof s);
    const struct view view = {word, 0, 0};
    for (size_t i = 0; i < words; i += SIXTEEN)
        add_sixteen(&s, &view, i, PLAIN, NULL);
    close_slices(&s, count);
}

static __attribute__((noinline)) void count_events(const struct view *view, size_t at,
                                                   uint64_t event[2])
{
    uint32_t same = false, opposite = 0;
    for (size_t i = at; i < at + SIXTEEN; i++) {
        const uint32_t earlier = view->word[i - view->lag];
        const uint32_t d =
            view->word[i] ^ (earlier >> view->right | earlier << (32 - view->right) % 32);
        same += d == 0;
        opposite += d == UINT32_MAX;
    }
    event[0] += same;
    event[1] += opposite;
}

static inline __attribute__((always_inline)) void count_form(struct view view, size_t words,
                                                             enum form form,
                                                             uint64_t count[KERNEL_POSITIONS],
                                                             uint64_t event[2])
{
    struct slices s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < words; i += SIXTEEN) {
        struct extremes extremes;
        begin_extremes(&extremes);
        add_sixteen(&s, &view, i, form, &extremes);
        if (hold_events(&extremes))
            count_events(&view, i, event);
    }
    close_slices(&s, count);
}

static void count_lag(const uint32_t *word, size_t words, size_t lag, unsigned rotate,
                      uint64_t count[KERNEL_POSITIONS], uint64_t event[2])
{
    const struct view view = {word, lag, rotate & 31};
    if (view.right)
        count_form(view, words, TURNED, count, event);
    else
        count_form(view, words, DIFFERENCE, count, event);
}

// Adds the vectors AT(FROM) to AT(FROM + 7) to ones, twos and fours; `eight` is what is over.
#define ADD_EIGHT(eight, AT, FROM)                                                                 \
    do {                                                                                           \
        vector two_a, two_b, four_a, four_b;                                                       \
        CARRY_SAVE_ADD(two_a, ones, ones, AT(FROM), AT(FROM + 1));                                 \
        CARRY_SAVE_ADD(two_b, ones, ones, AT(FROM + 2), AT(FROM + 3));                             \
        CARRY_SAVE_ADD(four_a, twos, twos, two_a, two_b);                                          \
        CARRY_SAVE_ADD(two_a, ones, ones, AT(FROM + 4), AT(FROM + 5));                             \
        CARRY_SAVE_ADD(two_b, ones, ones, AT(FROM + 6), AT(FROM + 7));                             \
        CARRY_SAVE_ADD(four_b, twos, twos, two_a, two_b);                                          \
        CARRY_SAVE_ADD(eight, fours, fours, four_a, four_b);                                       \
    } while (0)

// Adds the vectors AT(0) to AT(15) to ones, twos, fours and eights; `carry` is what is over.
#define ADD_SIXTEEN(AT)                                                                            \
    do {                                                                                           \
        vector eight_a, eight_b;                                                                   \
        ADD_EIGHT(eight_a, AT, 0);                                                                 \
        ADD_EIGHT(eight_b, AT, 8);                                                                 \
        CARRY_SAVE_ADD(carry, eights, eights, eight_a, eight_b);                                   \
    } while (0)

// Sixteen rows at a time go through the tree, whose sums wait in memory for the next sixteen.
static unsigned fold(const uint32_t *word, size_t period, unsigned sixteens, uint32_t *slice)
{
    unsigned levels = TREE;
    while (sixteens >> (levels - TREE))
        levels++;
    for (unsigned level = 0; level < levels; level++)
        memset(slice + (size_t)level * KERNEL_FOLD_PITCH, 0,
               (period + KERNEL_LANES) * sizeof *slice);
    for (unsigned n = 0; n < sixteens; n++)
        for (size_t j = 0; j < period; j += KERNEL_LANES) {
            const uint32_t *const row = word + (size_t)16 * n * period + j;
            uint32_t *const to = slice + j;
// Volatile, else a compiler reads it again for the second of its two results.
#define ROW(r) (*(const volatile vector *)(const void *)(row + (r)*period))
#define SLICE(level) (*(vector *)(void *)(to + (size_t)(level)*KERNEL_FOLD_PITCH))
#define PENDING(level) SLICE(KERNEL_FOLD_LEVELS + (level))
            vector ones = SLICE(0), twos = SLICE(1), fours = SLICE(2), eights = SLICE(3), carry;
            ADD_SIXTEEN(ROW);
            SLICE(0) = ones, SLICE(1) = twos, SLICE(2) = fours, SLICE(3) = eights;
            unsigned level = TREE;
            for (unsigned before = n; before & 1; before >>= 1, level++)
                CARRY_SAVE_ADD(carry, SLICE(level), SLICE(level), PENDING(level), carry);
            PENDING(level) = carry;
#undef ROW
        }
    for (size_t j = 0; j < period; j += KERNEL_LANES) {
        uint32_t *const to = slice + j;
        vector carry = {0};
        for (unsigned level = TREE; level < levels; level++) {
            const vector pending = sixteens >> (level - TREE) & 1 ? PENDING(level) : (vector){0};
            CARRY_SAVE_ADD(carry, SLICE(level), SLICE(level), pending, carry);
        }
#undef SLICE
#undef PENDING
    }
    return levels;
}

// Ones of a vector, in lanes of 32 bits.
#define LANE_ONES(x)                                                                               \
    do {                                                                                           \
        (x) -= (x) >> 1 & 0x55555555;                                                              \
        (x) = ((x)&0x33333333) + ((x) >> 2 & 0x33333333);                                          \
        (x) = ((x) + ((x) >> 4)) & 0x0f0f0f0f;                                                     \
        (x) += (x) >> 8;                                                                           \
        (x) = ((x) + ((x) >> 16)) & 0x3f;                                                          \
    } while (0)

static uint64_t count_differences(const uint64_t *a, const uint64_t *b, size_t words)
{
    enum { STEP = KERNEL_LANES / 2, WHOLE = 16 * STEP };
    vector ones = {0}, twos = {0}, fours = {0}, eights = {0}, carry, total = {0};
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + WHOLE <= words; i += WHOLE) {
#define DIFFERENCE(v)                                                                              \
    (*(const vector *)(const void *)(a + i + (v)*STEP) ^                                           \
     *(const vector *)(const void *)(b + i + (v)*STEP))
        ADD_SIXTEEN(DIFFERENCE);
#undef DIFFERENCE
        LANE_ONES(carry);
        total += carry << 4;
    }
    LANE_ONES(ones);
    LANE_ONES(twos);
    LANE_ONES(fours);
    LANE_ONES(eights);
    total += ones + (twos << 1) + (fours << 2) + (eights << 3);
    for (unsigned lane = 0; lane < KERNEL_LANES; lane++)
        sum += total[lane];
    for (; i < words; i++)
        sum += (uint64_t)__builtin_popcountll(a[i] ^ b[i]);
    return sum;
}
