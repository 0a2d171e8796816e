// SPDX-License-Identifier: Apache-2.0
// The counting loops that read every word, one set for each instruction set. All give the same
// counts.

#ifndef ASSAY_STATS_KERNEL_KERNEL_H
#define ASSAY_STATS_KERNEL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum { KERNEL_POSITIONS = 256 }; // bits of eight words
enum { KERNEL_SHIFT_PAD = 16 };
enum { KERNEL_ENDS = 11, KERNEL_FORMULAS = 4 };
enum { KERNEL_PARTS = 6 };         // four bytes, two halves
enum { KERNEL_SEQUENCE = 192 };    // bits of a short sequence
enum { KERNEL_PRIME = 998244353 }; // 119 * 2^23 + 1
enum { KERNEL_FOLD_MAX = 4096, KERNEL_FOLD_PITCH = KERNEL_FOLD_MAX + 16, KERNEL_FOLD_LEVELS = 20 };

struct kernel {
    // Adds to count[p] the number of words i whose bit b is one, p = (i mod 8) * 32 + b. `words` is
    // a multiple of 256.
    void (*positions)(const uint32_t *word, size_t words, uint64_t count[KERNEL_POSITIONS]);

    // The same for word[i] ^ rotate_right(word[i - lag], rotate), i from 0 to words - 1: `lag`
    // words before `word` must exist. Adds to event[0] the number of i for which that is zero, to
    // event[1] that of all ones.
    void (*lag)(const uint32_t *word, size_t words, size_t lag, unsigned rotate,
                uint64_t count[KERNEL_POSITIONS], uint64_t event[2]);

    // Histograms of the number of ones: in[w] of single words, across[w] of word[2i] ^ word[2i +
    // 1]; each has 33 cells.
    void (*weights)(const uint32_t *word, size_t words, uint64_t *in, uint64_t *across);

    // to[i] = a[i] ^ (b << shift)[i] for first <= i < end, little-endian bit order, from the top
    // down; `to` may be `a` or `b`. All three have KERNEL_SHIFT_PAD words on either side, and words
    // below `first` may be overwritten.
    void (*shift_xor)(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t first, size_t end,
                      size_t shift);

    // Bits in which a[i] and b[i] differ, all together.
    uint64_t (*differences)(const uint64_t *a, const uint64_t *b, size_t words);

    // Writes to `at` the places i, rising, of words with kernel_hash(word[i]) <= limit; returns how
    // many. `words` is a multiple of 64.
    size_t (*sample)(const uint32_t *word, size_t words, uint32_t limit, uint32_t *at);

    // Writes to `at` the places, rising, of words whose highest or lowest KERNEL_ENDS bits are all
    // equal; returns how many. `words` is a multiple of 64.
    size_t (*ends)(const uint32_t *word, size_t words, uint32_t *at);

    // Adds to `count` the number of i from 0 to words - 1 for which word[i] is word[i - r] + word[i
    // - s]; their difference, either way; their exclusive or. `words` is a multiple of 16; `s`
    // words before `word` must exist.
    void (*formulas)(const uint32_t *word, size_t words, size_t r, size_t s,
                     uint64_t count[KERNEL_FORMULAS]);

    // Writes one byte for each word: its number of ones.
    void (*popcounts)(const uint32_t *word, size_t words, uint8_t *ones);

    // Adds to count[b] the number of i from 0 to words - 1 for which byte b of word[i] ^
    // rotate_right(word[i - lag], turn) is zero, to count[4 + h] those for which half h is. `words`
    // is a multiple of 16; `lag` words before `word` must exist.
    void (*parts)(const uint32_t *word, size_t words, size_t lag, unsigned turn,
                  uint64_t count[KERNEL_PARTS]);

    // Butterflies of a transform modulo KERNEL_PRIME, in `groups` groups of 2 * half values, one
    // behind the other: of x[j] and x[half + j] of a group, for all j < half, their sum, and their
    // difference times factor[j] (part); the sum and the difference of x[j] and x[half + j] times
    // factor[j] (join). Values come and go below twice the prime; quotient[j] is factor[j] 2^32 /
    // KERNEL_PRIME, rounded down. Which of two equal residues comes out is the same everywhere.
    void (*part)(uint32_t *x, size_t half, size_t groups, const uint32_t *factor,
                 const uint32_t *quotient);
    void (*join)(uint32_t *x, size_t half, size_t groups, const uint32_t *factor,
                 const uint32_t *quotient);

    // Ones at each bit of columns of words that lie in 16 * `sixteens` rows of `period` (at most
    // KERNEL_FOLD_MAX) words: bit b of slice[l * KERNEL_FOLD_PITCH + j] is bit l of the number of
    // ones at bit b of words j, period + j, 2 period + j, ... Returns the number of levels that are
    // written, at most KERNEL_FOLD_LEVELS; behind these the slice has as many more for its own use.
    // Reads up to 15 words beyond the last row, and writes as many beyond `period`.
    unsigned (*fold)(const uint32_t *word, size_t period, unsigned sixteens, uint32_t *slice);

    // to[i] = word[i] mod modulus; 1 < modulus < 2^31, `words` is a multiple of 16.
    void (*residues)(const uint32_t *word, size_t words, uint32_t modulus, uint32_t *to);

    // to[i] = word[2 i] mod modulus + factor (word[2 i + 1] mod modulus), modulo 2^32. `words` is a
    // multiple of 32; `to` may be `word`.
    void (*residue_pairs)(const uint32_t *word, size_t words, uint32_t modulus, uint32_t factor,
                          uint32_t *to);

    // For how many i below `values`, a multiple of 32 up to 2^16, a[i] is b[i].
    uint64_t (*equals)(const uint16_t *a, const uint16_t *b, size_t values);

    // Adds to count[l], for all l below `lags`, a multiple of 4, for how many i below `values`, a
    // multiple of 64, now[i] is before[i - l].
    void (*equal_bytes)(const uint8_t *now, const uint8_t *before, size_t values, size_t lags,
                        uint64_t *count);

    // Walsh's transform of eight columns of `rows` values at once, in place: value[8 i + k] becomes
    // the sum over all rows j of value[8 j + k], with the sign of the parity of i & j. `rows` is a
    // power of 2.
    void (*walsh)(int32_t *value, size_t rows);

    // For how many i below `words`, a multiple of 16, a[i] + b p[i] + c q[i] is at most `near`
    // (below 2^31) away from 0, modulo 2^32.
    uint64_t (*near_zero)(const uint32_t *a, const uint32_t *p, const uint32_t *q, uint32_t b,
                          uint32_t c, uint32_t near, size_t words);

    // How many of these words are multiples of the odd number that `inverse` is 1 / it of, modulo
    // 2^32, where `most` is 2^32 - 1 divided by it. `words` is a multiple of 16.
    uint64_t (*multiples)(const uint32_t *word, size_t words, uint32_t inverse, uint32_t most);

    // The same of words of 64 bits (low half first), modulo 2^64. `words` is a multiple of 16.
    uint64_t (*multiples_64)(const uint32_t *word, size_t words, uint64_t inverse, uint64_t most);

    // to[i] is the least of word[i], turned by 0 to 31 bits, read from either end, and of the
    // complements of these. `words` is a multiple of 16.
    void (*classes)(const uint32_t *word, size_t words, uint32_t *to);

    // Of `runs` runs of 16 * stride words, stride 1, 2, 4 or 8: still[r * stride + l] holds the
    // bits that in all 16 words of run r whose place is l modulo the stride are those of the word
    // `stride` before; turning[r * stride + l] those that in none are. `stride` words before `word`
    // must exist.
    void (*spells)(const uint32_t *word, size_t runs, size_t stride, uint32_t *still,
                   uint32_t *turning);

    // Bit i % 8 of rises[i / 8]: whether word[i] is less than word[i + stride]; none is where
    // i + stride is not less than `words`, a multiple of 64.
    void (*rises)(const uint32_t *word, size_t words, size_t stride, uint8_t *rises);

    // Adds to count[L] the number of places below `stride` whose sequence has the linear complexity
    // L: bit `bit` of KERNEL_SEQUENCE words `stride` apart, the first of them at that place. Reads
    // up to 15 words beyond the last.
    void (*complexities)(const uint32_t *word, size_t stride, unsigned bit,
                         uint64_t count[KERNEL_SEQUENCE + 1]);
};

// A bijection of 32-bit words, by which they are sampled.
static inline uint32_t kernel_hash(uint32_t word)
{
    return (word ^ word >> 15) * UINT32_C(0x9e3779b1);
}

// The set of the instruction set in force (ref/base/isa.h).
const struct kernel *kernel_chosen(void);

extern const struct kernel kernel_scalar;
extern const struct kernel kernel_avx2;
extern const struct kernel kernel_avx512;

#endif
