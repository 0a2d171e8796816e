// SPDX-License-Identifier: Apache-2.0
// The word whose number is k times that of another, k from 2 to 8: a counter that is stirred gives
// k times the word where its stirring passes multiples on (SplitMix64 from 0: word 2 n is twice
// word n, once in 64). Words of 32 and of 64 bits are counted from 0 and from 1 at the beginning of
// the unit. So the first unit alone shows what begins with the source. Asked is whether the later
// word is k times the earlier one, exactly and up to 2^-8 of the range, and in how many bits it
// differs from the earlier one, as it is or turned by log2 k bits. Null: given all words before the
// later one it is uniform: binomial, exactly. Source: Steele, Lea, Flood,
// doi:10.1145/2660193.2660195 (the generator); as lags.c and sums.c.

#include <stdio.h>

#include "stats/battery/catalogue.h"

enum { UNIT_LOG2 = 18, UNIT = 1 << UNIT_LOG2, FIRST = 2, LAST = 8, TURNS = 2 };
enum figure { EXACT, NEAR, TURNED, FIGURES = TURNED + TURNS };
enum { WIDTHS = 2, BASES = 2, FORMS = (LAST - FIRST + 1) * WIDTHS * BASES };

// One way to pair words.
struct form {
    unsigned k, base, width; // words of 2^width words
};

static struct form form_of(unsigned number)
{
    return (struct form){FIRST + number / (WIDTHS * BASES), number / WIDTHS % BASES,
                         number % WIDTHS};
}

// How many words have a partner: their numbers are from 1 on.
static size_t pairs_of(struct form form)
{
    return (((size_t)UNIT >> form.width) - 1 + form.base) / form.k;
}

static uint64_t word_at(const uint32_t *words, unsigned width, size_t place)
{
    return width ? words[2 * place] | (uint64_t)words[2 * place + 1] << 32 : words[place];
}

// log2 k, rounded down.
static unsigned turn_of(unsigned k)
{
    return k < 4 ? 1 : k < 8 ? 2 : 3;
}

// Words of 32 bits are looked at as the high halves of words of 64.
static inline __attribute__((always_inline)) void count_form(const uint32_t *words,
                                                             struct form form, unsigned width,
                                                             uint64_t figure[FIGURES])
{
    const unsigned bits = width ? 64 : 32, down = 64 - bits, log2 = turn_of(form.k);
    for (size_t n = 1; n <= pairs_of(form); n++) {
        const uint64_t early = word_at(words, width, n - form.base) << down,
                       late = word_at(words, width, n * form.k - form.base) << down,
                       away = late - form.k * early, near = UINT64_C(1) << 56;
        figure[EXACT] += away == 0;
        figure[NEAR] += away + near <= 2 * near;
        figure[TURNED] += (uint64_t)__builtin_popcountll(early ^ late);
        figure[TURNED + 1] += (uint64_t)__builtin_popcountll(
            (early << log2 | early >> down >> (bits - log2) << down) ^ late);
    }
}

static void count_dilations(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    for (unsigned f = 0; f < FORMS; f++) {
        const struct form form = form_of(f);
        if (form.width)
            count_form(words, form, 1, to->count + (size_t)f * FIGURES);
        else
            count_form(words, form, 0, to->count + (size_t)f * FIGURES);
    }
}

static void judge_dilations(const struct totals *total, struct judgement *judgement)
{
    for (unsigned f = 0; f < FORMS; f++) {
        const struct form form = form_of(f);
        const uint64_t n = total->units * pairs_of(form);
        const uint64_t *const figure = total->count + (size_t)f * FIGURES;
        const double one = form.width ? 0x1p-64 : 0x1p-32;
        judgement_add_rare(judgement, f * FIGURES + EXACT, figure[EXACT], n, one);
        judgement_add_binomial(judgement, f * FIGURES + NEAR, figure[NEAR], n, 0x1p-7 + one);
        for (unsigned turn = 0; turn < TURNS; turn++)
            judgement_add_fair(judgement, f * FIGURES + TURNED + turn, figure[TURNED + turn],
                               n * (form.width ? 64 : 32));
    }
}

static void describe_dilations(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const struct form form = form_of(index / FIGURES);
    const unsigned figure = index % FIGURES, bits = form.width ? 64 : 32;
    char what[64];
    if (figure >= TURNED)
        snprintf(what, sizeof what, "fraction of differences from word n turned by %u bits",
                 figure > TURNED ? turn_of(form.k) : 0);
    else
        snprintf(what, sizeof what, "%s %u times word n", figure == EXACT ? "exactly" : "near",
                 form.k);
    snprintf(text, size, "word %u n of %u bits, counted from %u: %s", form.k, bits, form.base,
             what);
}

struct test test_dilations(void)
{
    return (struct test){TEST_FUNCTIONS(dilations),
                         .about = "words are multiples of those whose number is a part of theirs",
                         .unit_log2 = UNIT_LOG2, .counts = FORMS * FIGURES};
}
