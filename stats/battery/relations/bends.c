// SPDX-License-Identifier: Apache-2.0
// Sums of several terms: is b x[n] + c x[n - 1] + d x[n - 2], with small factors b, c, d, near x[n
// - r] or its negative for some distance r, modulo 2^32, at PLACES places of a unit? Generators
// that iterate a matrix of running sums keep such relations between the high bits that they give
// out: x[n] - 2 x[n - 1] + x[n - 2] is the value of one round before.
// Null: given the words after it, x[n - r] is uniform. So a place is met with the chance (2 NEAR +
// 1) / 2^32, whatever is met elsewhere: places lie farther apart than the words of one, and the
// earliest word of all is new at each. All of them are met with its power, exactly. Units are
// independent: Binomial(units, chance) for each relation. Only relations that were met need a
// figure.
// Source: L'Ecuyer, Wambergue, Bourceret, Spectral analysis of the MIXMAX random number generators,
// doi:10.1287/ijoc.2018.0878.

#include <stdbool.h>
#include <stdio.h>

#include "stats/battery/catalogue.h"

enum {
    UNIT_LOG2 = 16,
    FIRST = 3,
    LAST = 32768,
    PLACES = 9,
    STEP = 3607,
    NEAR = 1 << 24,
    KEPT = 64,
    LAG_BITS = 16,
    FORM_BITS = 6
};

// Factors of x[n] (1 or 2), of x[n - 1] and x[n - 2] (-2 to 2).
enum { FORMS = 2 * 5 * 5 };

static uint32_t bent(const uint32_t *at, unsigned form)
{
    return (1 + form / 25) * at[0] + (form / 5 % 5) * at[-1] + (form % 5) * at[-2] -
           2 * (at[-1] + at[-2]);
}

static bool is_met(const uint32_t *at, unsigned form, unsigned r, bool minus)
{
    for (unsigned i = 0; i < PLACES; i++, at += STEP) {
        const uint32_t sum = bent(at, form) + (minus ? 0 - at[-(ptrdiff_t)r] : at[-(ptrdiff_t)r]);
        if (sum + NEAR > 2u * NEAR)
            return false;
    }
    return true;
}

static void count_bends(const struct test *test, const uint32_t *words, const struct counts *to)
{
    (void)test;
    const uint32_t *const at = words + LAST;
    unsigned found = 0;
    for (unsigned form = 0; form < FORMS; form++) {
        const uint32_t first = bent(at, form);
        for (unsigned r = FIRST; r <= LAST; r++) {
            const uint32_t x = at[-(ptrdiff_t)r];
            for (int minus = 0; minus < 2; minus++)
                if (first + (minus ? 0 - x : x) + NEAR <= 2u * NEAR && is_met(at, form, r, minus) &&
                    found++ < KEPT) // a source that is constant does not fill the memory
                    bag_add(to->bag, ((uint64_t)r << FORM_BITS | form) << 1 | (unsigned)minus);
        }
    }
}

static void judge_bends(const struct totals *total, struct judgement *judgement)
{
    const double one = (2.0 * NEAR + 1) / 0x1p32;
    double chance = 1;
    for (unsigned i = 0; i < PLACES; i++)
        chance *= one;
    uint32_t index = FIRST << (FORM_BITS + 1);
    const uint64_t most =
        bag_commonest(total->bag, LAG_BITS + FORM_BITS + 1, judgement->only, &index);
    judgement_enlarge(judgement, UINT64_C(2) * FORMS * (LAST - FIRST + 1) - 1);
    judgement_add_rare(judgement, index, most, total->units, chance);
}

static void describe_bends(const struct test *test, uint32_t index, char *text, size_t size)
{
    (void)test;
    const int form = (int)(index >> 1 & ((1u << FORM_BITS) - 1));
    snprintf(text, size,
             "stretches in which %d x[n] %+d x[n - 1] %+d x[n - 2] %s x[n - %u] stays near zero",
             1 + form / 25, form / 5 % 5 - 2, form % 5 - 2, index & 1 ? "-" : "+",
             (unsigned)(index >> (FORM_BITS + 1)));
}

struct test test_bends(void)
{
    return (struct test){TEST_FUNCTIONS(bends), .about = "values are sums of several earlier ones",
                         .unit_log2 = UNIT_LOG2, .keeps = true};
}
