// SPDX-License-Identifier: Apache-2.0
// Bytes that are the exclusive or of those of any two or three of the last 160 words, in one word
// of some dozens, whatever the other bytes do (origins.c asks of two whole words). All twos and
// threes are tried at PLACES words of a unit: what the word and the nearest of them make is
// compared with what the others make. Those that meet more than MET of the words are kept. Null:
// given the words before, a byte is uniform, so a three meets each word with the chance 2^-8,
// whatever came earlier: it is kept with the binomial tail as its chance, exactly, and over the
// units the number of times that it is kept is binomial. Only the three that was kept most often
// needs a figure. Source: Knuth, volume 2, 3.2.2 (feedback from distant values); Ziff,
// doi:10.1063/1.168692 (relations of four terms). Parameter: p[0] which byte, 0 the lowest.

#include <assert.h>
#include <stdio.h>

#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 16, LAGS = 160, PLACES = 2048, MET = 28, KEPT = 64 };

// with[d][i]: the byte of word LAGS + i with that d before; with[0][i]: by itself.
struct room {
    uint8_t with[LAGS][LAGS + PLACES];
};

// At most 128 in one lane of the sum.
static unsigned equal_bytes(const uint8_t *a, const uint8_t *b)
{
    enum { LANES = 64 };
    unsigned sum = 0;
    uint8_t lane[LANES] = {0};
    for (unsigned i = 0; i < PLACES; i += LANES)
        for (unsigned l = 0; l < LANES; l++)
            lane[l] = (uint8_t)(lane[l] + (a[i + l] == b[i + l]));
    for (unsigned l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

static void count_byte_origins(const struct test *test, const uint32_t *words,
                               const struct counts *to)
{
    struct room *const room = to->scratch;
    const unsigned shift = 8 * test->p[0];
    unsigned found = 0;
    for (size_t d = 0; d < LAGS; d++)
        for (size_t i = 0; i < LAGS + PLACES; i++)
            room->with[d][i] =
                (uint8_t)((words[LAGS + i] ^ (d ? words[LAGS + i - d] : 0)) >> shift);
    for (size_t r = 1; r <= LAGS - 2; r++)
        for (size_t s = r + 1; s <= LAGS - 1; s++)
            for (size_t t = s; t <= LAGS && found < KEPT; t++) // t = s: two
                if (equal_bytes(room->with[r] + LAGS, room->with[t - s] + LAGS - s) > MET) {
                    bag_add(to->bag, r << 16 | s << 8 | t);
                    found++;
                }
}

static void judge_byte_origins(const struct totals *total, struct judgement *judgement)
{
    const uint64_t twos = (LAGS - 1) * (LAGS - 2) / 2, threes = LAGS * twos / 3;
    uint32_t index = 1 << 16 | 2 << 8 | 3;
    const uint64_t most = bag_commonest(total->bag, 24, judgement->only, &index);
    judgement_enlarge(judgement, twos + threes - 1);
    judgement_add_rare(judgement, index, most, total->units,
                       real_exp(null_binomial_log_upper(MET + 1, PLACES, 0x1p-8)));
}

static void describe_byte_origins(const struct test *test, uint32_t index, char *text, size_t size)
{
    const unsigned r = index >> 16, t = index & 0xff, s = index >> 8 & 0xff;
    char third[16] = "";
    if (t != s)
        snprintf(third, sizeof third, " and %u", t);
    snprintf(text, size,
             "stretches with more than %d of %d words whose byte %u is the exclusive or of those "
             "%u%s%u%s before",
             MET, PLACES, test->p[0], r, t != s ? ", " : " and ", s, third);
}

struct test test_byte_origins(unsigned byte)
{
    assert(byte < 4);
    return (struct test){TEST_FUNCTIONS(byte_origins),
                         .about = "some bytes are computed from two or three of the words before",
                         .unit_log2 = UNIT_LOG2,
                         .keeps = true,
                         .scratch = sizeof(struct room),
                         .p = {byte}};
}
