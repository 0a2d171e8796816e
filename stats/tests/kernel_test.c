// SPDX-License-Identifier: Apache-2.0
// The counting loops of every instruction set against plain ones.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/isa.h"
#include "stats/battery/linear/linear.h"
#include "stats/kernel/kernel.h"

enum { WORDS = 1 << 16 };

static const struct {
    enum isa isa;
    const struct kernel *kernel;
} set[] = {
    {ISA_SCALAR, &kernel_scalar},
#if defined(__x86_64__)
    {ISA_AVX2, &kernel_avx2},
    {ISA_AVX512, &kernel_avx512},
#endif
};

// Butterflies in `groups` groups of 2 * half values against remainders.
static void assert_butterflies(const struct kernel *kernel, size_t half, size_t groups)
{
    uint32_t before[256], parted[256], joined[256], factor[128], quotient[128];
    uint32_t seed = 9;
    assert_true(2 * half * groups <= 256);
    for (size_t i = 0; i < 2 * half * groups; i++) {
        seed = seed * 69069 + 1;
        before[i] = parted[i] = joined[i] = seed % (2u * KERNEL_PRIME);
    }
    for (size_t j = 0; j < half; j++) {
        seed = seed * 69069 + 1;
        factor[j] = seed % KERNEL_PRIME;
        quotient[j] = (uint32_t)(((uint64_t)factor[j] << 32) / KERNEL_PRIME);
    }
    kernel->part(parted, half, groups, factor, quotient);
    kernel->join(joined, half, groups, factor, quotient);
    for (size_t i = 0; i < 2 * half * groups; i++)
        if (i % (2 * half) < half) {
            const uint64_t a = before[i], b = before[half + i], f = factor[i % (2 * half)],
                           back = 2u * KERNEL_PRIME, part = (a + back - b) % KERNEL_PRIME * f,
                           b_f = b * f % KERNEL_PRIME;
            assert_true(parted[i] < back && parted[half + i] < back);
            assert_true(joined[i] < back && joined[half + i] < back);
            assert_int_equal(parted[i] % KERNEL_PRIME, (a + b) % KERNEL_PRIME);
            assert_int_equal(parted[half + i] % KERNEL_PRIME, part % KERNEL_PRIME);
            assert_int_equal(joined[i] % KERNEL_PRIME, (a + b_f) % KERNEL_PRIME);
            assert_int_equal(joined[half + i] % KERNEL_PRIME, (a + back - b_f) % KERNEL_PRIME);
        }
}

static void every_instruction_set_has_the_butterflies_of_a_transform(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof set / sizeof *set; s++)
        for (size_t half = 1; half <= 64 && isa_available(set[s].isa); half *= 2)
            for (size_t groups = 1; 2 * half * groups <= 256; groups += 1 + groups / 3)
                assert_butterflies(set[s].kernel, half, groups);
}

// Sequences of which some are short recurrences, against the plain algorithm.
static void every_instruction_set_finds_the_complexity_of_short_sequences(void **state)
{
    (void)state;
    enum { STRIDES = 600 };
    static uint32_t w[KERNEL_SEQUENCE * STRIDES + 16];
    uint32_t seed = 3;
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
        seed = seed * 69069 + 1;
        w[i] = i % 7 == 3 && i > 35 ? w[i - 35] ^ w[i - 14] : seed >> 8 ^ seed << 20;
    }
    static const size_t strides[] = {1, 2, 7, 31, 35, 256, 257, 511, 513, STRIDES};
    for (size_t s = 0; s < sizeof set / sizeof *set; s++)
        for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
            uint64_t got[KERNEL_SEQUENCE + 1] = {0}, expected[KERNEL_SEQUENCE + 1] = {0};
            uint64_t scratch[256];
            assert_true(linear_scratch(KERNEL_SEQUENCE) <= sizeof scratch);
            if (!isa_available(set[s].isa))
                continue;
            for (unsigned bit = 0; bit < 32; bit += 31)
                set[s].kernel->complexities(w, strides[i], bit, got);
            for (size_t at = 0; at < 2 * strides[i]; at++) {
                uint64_t sequence[KERNEL_SEQUENCE / 64] = {0};
                for (size_t n = 0; n < KERNEL_SEQUENCE; n++)
                    sequence[n / 64] |=
                        (uint64_t)(w[n * strides[i] + at / 2] >> (at % 2 ? 31 : 0) & 1) << n % 64;
                expected[linear_complexity(sequence, KERNEL_SEQUENCE, scratch)]++;
            }
            assert_memory_equal(got, expected, sizeof got);
            assert_true(strides[i] != 7 || got[5] == 2);
        }
}

static void every_instruction_set_counts_as_a_plain_loop(void **state)
{
    (void)state;
    static uint32_t w[WORDS] __attribute__((aligned(64)));
    uint64_t seed = 7;
    for (size_t i = 0; i < WORDS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        w[i] = (uint32_t)(seed >> 32);
    }
    w[5000] = w[4997]; // an equal pair at lag 3
    w[9000] = ~(w[8997] >> 5 | w[8997] << 27);
    w[100] = w[99] + w[98],
    w[200] = w[198] + w[196]; // sums, differences, exclusive ors of earlier words
    w[300] = w[297] - w[294], w[400] = w[392] - w[396];
    w[500] = w[499] ^ w[498], w[600] = w[598] ^ w[596], w[700] = w[696] ^ w[692];
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        uint64_t got[KERNEL_POSITIONS] = {0}, expected[KERNEL_POSITIONS] = {0}, event[2] = {0},
                 in[33] = {0}, across[33] = {0};
        set[s].kernel->positions(w, WORDS, got);
        for (size_t i = 0; i < WORDS; i++)
            for (unsigned b = 0; b < 32; b++)
                expected[i % 8 * 32 + b] += w[i] >> b & 1;
        assert_memory_equal(got, expected, sizeof got);
        for (unsigned rotate = 0; rotate < 32; rotate += 5) {
            memset(got, 0, sizeof got);
            memset(expected, 0, sizeof expected);
            event[0] = event[1] = 0;
            set[s].kernel->lag(w + 256, WORDS - 256, 3, rotate, got, event);
            for (size_t i = 256; i < WORDS; i++)
                for (unsigned b = 0; b < 32; b++)
                    expected[i % 8 * 32 + b] +=
                        (w[i] >> b & 1) ^ (w[i - 3] >> ((b + rotate) % 32) & 1);
            assert_memory_equal(got, expected, sizeof got);
            assert_int_equal(event[0], rotate == 0);
            assert_int_equal(event[1], rotate == 5);
        }
        for (unsigned turn = 0; turn < 32; turn += 8)
            for (size_t lag = 0; lag < 5; lag++) {
                static const uint32_t mask[KERNEL_PARTS] = {0xff,       0xff00, 0xff0000,
                                                            0xff000000, 0xffff, 0xffff0000};
                uint64_t parts[KERNEL_PARTS] = {0}, equal[KERNEL_PARTS] = {0};
                w[4000] = w[4000 - lag] >> turn | w[4000 - lag] << (32 - turn) % 32; // halves too
                set[s].kernel->parts(w + 256, WORDS - 256, lag, turn, parts);
                for (size_t i = 256; i < WORDS; i++)
                    for (unsigned p = 0; p < KERNEL_PARTS; p++)
                        equal[p] +=
                            !((w[i] ^ (w[i - lag] >> turn | w[i - lag] << (32 - turn) % 32)) &
                              mask[p]);
                assert_memory_equal(parts, equal, sizeof parts);
                assert_true(parts[4] > 0 || !lag);
            }
        uint64_t in_expected[33] = {0}, across_expected[33] = {0};
        set[s].kernel->weights(w, WORDS, in, across);
        for (size_t i = 0; i < WORDS; i++)
            in_expected[__builtin_popcount(w[i])]++;
        for (size_t i = 0; i < WORDS; i += 2)
            across_expected[__builtin_popcount(w[i] ^ w[i + 1])]++;
        assert_memory_equal(in, in_expected, sizeof in);
        assert_memory_equal(across, across_expected, sizeof across);
        static uint32_t at[WORDS];
        size_t found = set[s].kernel->ends(w, WORDS, at), seen = 0;
        for (size_t i = 0; i < WORDS; i++) {
            const uint32_t top = w[i] >> 21, bottom = w[i] & 0x7ff;
            if (top == 0 || top == 0x7ff || bottom == 0 || bottom == 0x7ff)
                assert_int_equal(at[seen++], i);
        }
        assert_int_equal(found, seen);
        assert_true(seen > 100);
        static uint32_t slice[2 * KERNEL_FOLD_LEVELS][KERNEL_FOLD_PITCH];
        for (size_t period = 1; period < 1000; period += 1 + period / 2)
            for (unsigned sixteens = 1; sixteens <= 4; sixteens += 3) {
                const unsigned levels = set[s].kernel->fold(w, period, sixteens, slice[0]);
                assert_int_equal(levels, sixteens == 1 ? 5 : 7);
                for (size_t j = 0; j < period; j++)
                    for (unsigned b = 0; b < 32; b++) {
                        unsigned ones = 0, sum = 0;
                        for (unsigned l = 0; l < levels; l++)
                            ones |= (slice[l][j] >> b & 1) << l;
                        for (size_t r = 0; r < (size_t)16 * sixteens; r++)
                            sum += w[r * period + j] >> b & 1;
                        assert_int_equal(ones, sum);
                    }
            }
        uint64_t formula[KERNEL_FORMULAS] = {0};
        for (unsigned pair = 0; pair < 4; pair++)
            set[s].kernel->formulas(w + 16, WORDS - 16, 1 + pair, 2 + 2 * pair, formula);
        assert_int_equal(formula[0], 2);
        assert_int_equal(formula[1], 1);
        assert_int_equal(formula[2], 1);
        assert_int_equal(formula[3], 3);
    }
}

static void spells_and_rises_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    enum { RUN = 16, TAIL = 3 * 64 };
    static uint32_t w[WORDS], still[WORDS / RUN], turning[WORDS / RUN];
    static uint8_t rises[WORDS / 8];
    uint64_t seed = 11;
    for (size_t i = 0; i < WORDS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        // Bits that seldom change, and bits that nearly always do.
        const uint32_t seldom = seed >> 62 ? 0 : 1u << (seed >> 40) % 32;
        w[i] = i < 8 ? (uint32_t)(seed >> 32) : w[i - (i % 8 < 4 ? 8 : 1)] ^ seldom;
        w[i] = i % 2 ? w[i] : w[i] ^ 0xffffu;
    }
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        for (size_t stride = 1; stride <= 8; stride *= 2) {
            const size_t runs = (WORDS - 8) / (RUN * stride);
            uint32_t kept[2] = {0, 0};
            set[s].kernel->spells(w + 8, runs, stride, still, turning);
            for (size_t i = 0; i < runs * stride; i++) {
                const size_t first = 8 + i / stride * stride * RUN + i % stride;
                uint32_t all[2] = {UINT32_MAX, UINT32_MAX};
                for (size_t k = first; k < first + RUN * stride; k += stride) {
                    all[0] &= ~(w[k] ^ w[k - stride]);
                    all[1] &= w[k] ^ w[k - stride];
                }
                assert_int_equal(still[i], all[0]);
                assert_int_equal(turning[i], all[1]);
                kept[0] |= all[0];
                kept[1] |= all[1];
            }
            assert_true(kept[0] || kept[1]);
        }
        for (size_t stride = 1; stride <= 2; stride++)
            for (size_t words = 64; words <= TAIL; words += 64) {
                set[s].kernel->rises(w, words, stride, rises);
                for (size_t i = 0; i < words; i++)
                    assert_int_equal(rises[i / 8] >> i % 8 & 1,
                                     i + stride < words && w[i] < w[i + stride]);
            }
    }
}

// Every number of sixteens up to a few carries, counts that do not begin at zero, and words of
// which many are equal or complementary.
static void every_instruction_set_counts_short_runs_and_many_events(void **state)
{
    (void)state;
    enum { LEAD = 256, MOST = 256 * 35 };
    static uint32_t w[LEAD + MOST] __attribute__((aligned(64)));
    uint64_t seed = 3;
    for (size_t i = 0; i < LEAD + MOST; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned kind = (unsigned)(seed >> 61); // one in eight equals the word five before,
                                                      // one in eight is its complement
        w[i] = i < 5 || kind > 1 ? (uint32_t)(seed >> 20) : w[i - 5] ^ (kind ? UINT32_MAX : 0);
    }
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        for (size_t words = 256; words <= MOST; words += words < 2560 ? 256 : 3 * 256) {
            uint64_t ones[KERNEL_POSITIONS], changes[KERNEL_POSITIONS],
                expected[2][KERNEL_POSITIONS], event[2] = {7, 9}, met[2] = {7, 9};
            for (unsigned p = 0; p < KERNEL_POSITIONS; p++)
                ones[p] = changes[p] = expected[0][p] = expected[1][p] = (uint64_t)p << 40;
            for (size_t i = LEAD; i < LEAD + words; i++) {
                const uint32_t d = w[i] ^ w[i - 5];
                for (unsigned b = 0; b < 32; b++) {
                    expected[0][i % 8 * 32 + b] += w[i] >> b & 1;
                    expected[1][i % 8 * 32 + b] += d >> b & 1;
                }
                met[0] += d == 0;
                met[1] += d == UINT32_MAX;
            }
            set[s].kernel->positions(w + LEAD, words, ones);
            set[s].kernel->lag(w + LEAD, words, 5, 0, changes, event);
            assert_memory_equal(ones, expected[0], sizeof ones);
            assert_memory_equal(changes, expected[1], sizeof changes);
            assert_memory_equal(event, met, sizeof met);
            assert_true(met[0] > words / 16 && met[1] > words / 16);
        }
    }
}

static void every_instruction_set_finds_the_bytes_that_are_equal(void **state)
{
    (void)state;
    enum { SOME = 1 << 16, LAGS = 12, FROM = 64 };
    static uint8_t a[SOME], b[SOME];
    for (uint32_t i = 0, x = 1; i < SOME; i++) {
        a[i] = (uint8_t)((x = x * 69069 + 1) >> 16);
        b[i] = (uint8_t)(a[i] ^ (x >> 8 & 7 ? x & 0x11 : 0));
    }
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        uint64_t got[LAGS] = {0}, all[LAGS] = {0};
        if (!isa_available(set[s].isa))
            continue;
        set[s].kernel->equal_bytes(a + FROM, b + FROM + 5, SOME - 2 * FROM, LAGS, got);
        for (size_t lag = 0; lag < LAGS; lag++) {
            uint64_t equal = 0;
            for (size_t i = FROM; i < SOME - FROM; i++)
                equal += a[i] == b[i + 5 - lag];
            assert_int_equal(got[lag], equal);
        }
        memset(b, 7, sizeof b); // every lane is as full as it can be
        set[s].kernel->equal_bytes(b + FROM, b + FROM, SOME - FROM, LAGS, all);
        for (size_t lag = 0; lag < LAGS; lag++)
            assert_int_equal(all[lag], SOME - FROM);
        for (uint32_t i = 0; i < SOME; i++)
            b[i] = (uint8_t)(a[i] ^ (i % 5 ? i & 0x11 : 0));
    }
}

// Places of sampled words, differences of bit planes and numbers of ones, on words of which some
// must be met.
static void every_instruction_set_samples_and_compares_as_a_plain_loop(void **state)
{
    (void)state;
    enum { PLANE = 333 };
    static uint32_t w[WORDS] __attribute__((aligned(64))), at[WORDS], expected[WORDS];
    static uint8_t ones[WORDS];
    uint64_t seed = 11;
    for (size_t i = 0; i < WORDS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        w[i] = (uint32_t)(seed >> 32);
    }
    w[0] = w[63] = w[64] = w[WORDS - 1] = 0; // whose hash is 0, below every limit
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        static const uint32_t limit[] = {0, 1u << 16, 1u << 22, 0x80000000u, UINT32_MAX};
        for (size_t l = 0; l < sizeof limit / sizeof *limit; l++) {
            size_t found = 0;
            for (uint32_t i = 0; i < WORDS; i++)
                if ((uint32_t)((w[i] ^ w[i] >> 15) * 2654435761u) <= limit[l])
                    expected[found++] = i;
            assert_true(found >= 4);
            assert_int_equal(set[s].kernel->sample(w, WORDS, limit[l], at), found);
            assert_memory_equal(at, expected, found * sizeof *at);
        }
        const uint64_t *const plane = (const uint64_t *)(const void *)w;
        for (size_t n = 0; n <= PLANE; n += 37) {
            uint64_t differ = 0;
            for (size_t b = 0; b < 64 * n; b++)
                differ += (plane[b / 64] >> b % 64 & 1) != (plane[500 + b / 64] >> b % 64 & 1);
            assert_int_equal(set[s].kernel->differences(plane, plane + 500, n), differ);
        }
        set[s].kernel->popcounts(w, WORDS, ones);
        for (size_t i = 0; i < WORDS; i++) {
            unsigned count = 0;
            for (uint32_t rest = w[i]; rest; rest >>= 1)
                count += rest & 1;
            assert_int_equal(ones[i], count);
        }
    }
}

static void every_instruction_set_divides_with_the_right_remainder(void **state)
{
    (void)state;
    enum { SOME = 1 << 12 };
    static const uint32_t modulus[] = {2, 3, 7, 63, 641, 63063, 65536, 1000003, 0x7fffffff};
    static uint32_t w[SOME], got[SOME];
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        for (size_t m = 0; m < sizeof modulus / sizeof *modulus; m++) {
            uint32_t x = 1;
            for (uint32_t i = 0; i < SOME; i++) // multiples and their neighbours, the ends, others
                w[i] = i < 64  ? modulus[m] * (i / 3) + i % 3 - 1
                       : i % 9 ? x = x * 69069 + i
                               : ~i + 64;
            w[SOME - 1] = UINT32_MAX / modulus[m] * modulus[m];
            w[SOME - 2] = w[SOME - 1] - 1;
            set[s].kernel->residues(w, SOME, modulus[m], got);
            for (size_t i = 0; i < SOME; i++)
                assert_int_equal(got[i], w[i] % modulus[m]);
            memcpy(got, w, sizeof got);
            set[s].kernel->residue_pairs(got, SOME, modulus[m], 12345, got);
            for (size_t i = 0; i < SOME / 2; i++)
                assert_int_equal(got[i],
                                 w[2 * i] % modulus[m] + 12345 * (w[2 * i + 1] % modulus[m]));
        }
    }
}

static void every_instruction_set_finds_the_halves_that_are_equal(void **state)
{
    (void)state;
    enum { SOME = 1 << 16 };
    static uint16_t a[SOME], b[SOME];
    for (uint32_t i = 0, x = 1; i < SOME; i++) {
        a[i] = (uint16_t)((x = x * 69069 + 1) >> 16);
        b[i] = (uint16_t)(a[i] ^ (x >> 8 & 7 ? x & 0x101 : 0));
    }
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        for (size_t from = 0; from < 40; from++) {
            uint64_t equal = 0;
            for (size_t i = 0; i < SOME - 64; i++)
                equal += a[from + i] == b[i + 7];
            assert_int_equal(set[s].kernel->equals(a + from, b + 7, SOME - 64), equal);
        }
        assert_int_equal(set[s].kernel->equals(a, a, SOME), SOME);
    }
}

static uint32_t least_of_class(uint32_t w)
{
    uint32_t least = w, back = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        back |= (w >> bit & 1) << (31 - bit);
    for (unsigned form = 0; form < 128; form++) {
        const uint32_t x = form & 1 ? back : w, turned = x << form / 4 | x >> (32 - form / 4) % 32,
                       member = form & 2 ? ~turned : turned;
        least = member < least ? member : least;
    }
    return least;
}

static void every_instruction_set_finds_multiples_sums_and_classes(void **state)
{
    (void)state;
    enum { SOME = 1 << 10, FAR = 64 };
    static const uint32_t prime[] = {3, 61, 1031, 65521};
    static uint32_t w[SOME + FAR], got[SOME];
    for (uint32_t i = 0, x = 1; i < SOME + FAR; i++)
        w[i] = i < 64 ? i * 65521 + i % 3 : i % 5 ? x = x * 69069 + i : 1 - w[i - 9] - w[i - 64];
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        if (!isa_available(set[s].isa))
            continue;
        for (size_t p = 0; p < sizeof prime / sizeof *prime; p++) {
            uint64_t inverse = prime[p], single = 0, pairs = 0;
            while (inverse * prime[p] != 1)
                inverse *= 2 - inverse * prime[p];
            for (size_t i = 0; i < SOME; i++) {
                single += w[i] % prime[p] == 0;
                pairs += i % 2 && (w[i - 1] | (uint64_t)w[i] << 32) % prime[p] == 0;
            }
            assert_int_equal(
                set[s].kernel->multiples(w, SOME, (uint32_t)inverse, UINT32_MAX / prime[p]),
                single);
            assert_int_equal(set[s].kernel->multiples_64(w, SOME, inverse, UINT64_MAX / prime[p]),
                             pairs);
        }
        for (uint32_t near = 0; near < 4; near++) {
            uint64_t met = 0;
            for (size_t i = FAR; i < SOME + FAR; i++)
                met += w[i] + w[i - 9] + w[i - 64] + near <= 2 * near;
            assert_int_equal(set[s].kernel->near_zero(w + FAR, w + FAR - 9, w, 1, 1, near, SOME),
                             met);
            assert_true(near ? met >= SOME / 5 : met < SOME / 5);
        }
        set[s].kernel->classes(w, SOME, got);
        for (size_t i = 0; i < SOME; i++)
            assert_int_equal(got[i], least_of_class(w[i]));
    }
}

static void every_instruction_set_has_walshs_transform(void **state)
{
    (void)state;
    enum { ROWS_LOG2_MAX = 12 };
    static int32_t value[8 << ROWS_LOG2_MAX], given[8 << ROWS_LOG2_MAX];
    for (size_t s = 0; s < sizeof set / sizeof *set; s++)
        for (unsigned log2 = 0; log2 <= ROWS_LOG2_MAX && isa_available(set[s].isa); log2++) {
            const uint32_t rows = 1u << log2;
            for (uint32_t i = 0; i < 8 * rows; i++)
                value[i] = given[i] = (int32_t)(i * 69069 >> 7 & 255) - 100;
            set[s].kernel->walsh(value, rows);
            for (uint32_t i = 0; i < rows; i += 1 + rows / 37) // some, each from all rows
                for (uint32_t k = 0; k < 8; k++) {
                    int32_t sum = 0;
                    for (uint32_t j = 0; j < rows; j++)
                        sum += __builtin_parity(i & j) ? -given[8 * j + k] : given[8 * j + k];
                    assert_int_equal(value[8 * i + k], sum);
                }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_divides_with_the_right_remainder),
        cmocka_unit_test(every_instruction_set_finds_multiples_sums_and_classes),
        cmocka_unit_test(every_instruction_set_has_walshs_transform),
        cmocka_unit_test(every_instruction_set_finds_the_halves_that_are_equal),
        cmocka_unit_test(every_instruction_set_finds_the_bytes_that_are_equal),
        cmocka_unit_test(every_instruction_set_has_the_butterflies_of_a_transform),
        cmocka_unit_test(every_instruction_set_finds_the_complexity_of_short_sequences),
        cmocka_unit_test(every_instruction_set_counts_as_a_plain_loop),
        cmocka_unit_test(spells_and_rises_are_those_of_a_plain_loop),
        cmocka_unit_test(every_instruction_set_counts_short_runs_and_many_events),
        cmocka_unit_test(every_instruction_set_samples_and_compares_as_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
