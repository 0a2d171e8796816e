// SPDX-License-Identifier: Apache-2.0
// mt19937 against the C++ standard and the answers of its authors.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/rng/mt19937.h"

// C++ [rand.predef]: the 10,000th value of a default-constructed mt19937 (seed 5489) is 4123659995.
static void ten_thousandth_value_of_the_cpp_standard(void **state)
{
    (void)state;
    struct mt19937 generator;
    uint32_t word;
    mt19937_seed(&generator, 5489);
    mt19937_skip(&generator, 9999);
    mt19937_fill(&generator, &word, 1);
    assert_int_equal(word, 4123659995);
}

static void words_do_not_depend_on_how_they_are_asked_for(void **state)
{
    (void)state;
    uint32_t whole[2000], piece[2000];
    struct mt19937 generator;
    mt19937_seed(&generator, 1);
    mt19937_fill(&generator, whole, 2000);
    for (unsigned first = 0; first < 2000; first += 611) {
        mt19937_seed(&generator, 1);
        mt19937_skip(&generator, first);
        for (unsigned i = first; i < 2000; i += 7)
            mt19937_fill(&generator, piece + i, i + 7 < 2000 ? 7 : 2000 - i);
        assert_memory_equal(whole + first, piece + first, (2000 - first) * sizeof *whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousandth_value_of_the_cpp_standard),
        cmocka_unit_test(words_do_not_depend_on_how_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
