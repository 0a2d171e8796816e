// SPDX-License-Identifier: Apache-2.0
// "did you mean": distances of published pairs, and which words are near.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ref/base/nearest.h"

static unsigned distance(const char *a, const char *b)
{
    return nearest_distance(a, strlen(a), b, strlen(b));
}

// kitten and sitting: Wagner and Fischer's example as it is usually told; CA and ABC: 3 by optimal
// string alignment, where the unrestricted distance of Damerau and Levenshtein is 2.
static void distances_are_the_known_ones(void **state)
{
    (void)state;
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("saturday", "sunday"), 3);
    assert_int_equal(distance("ca", "abc"), 3);
    assert_int_equal(distance("certfiy", "certify"), 1);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("abc", ""), 3);
    assert_int_equal(distance("same", "same"), 0);
}

// The hint for `asked` among the commands that are given.
static const char *hint(const char *asked, size_t length)
{
    static char text[NEAREST_HINT_SIZE];
    struct nearest nearest = {.asked = asked, .length = length};
    nearest_offer(&nearest, "list");
    nearest_offer(&nearest, "verify");
    nearest_offer(&nearest, "certify");
    nearest_offer(&nearest, "openvino.random_uniform");
    return nearest_hint(&nearest, text);
}

static void near_words_are_offered_and_others_not(void **state)
{
    (void)state;
    assert_string_equal(hint("certfy", 0), "; did you mean 'certify'?");
    assert_string_equal(hint("certfy=3", 6), "; did you mean 'certify'?");
    assert_string_equal(hint("lst", 0), "; did you mean 'list'?");
    assert_string_equal(hint("openvino", 0), "; did you mean 'openvino.random_uniform'?");
    assert_string_equal(hint("openvino.random_unifrom", 0),
                        "; did you mean 'openvino.random_uniform'?");
    assert_string_equal(hint("banana", 0), "");
    assert_string_equal(hint("xyz", 0), "");
    assert_string_equal(hint("l", 0), "");
    assert_string_equal(hint("", 0), "");
}

static void words_of_any_length_are_taken(void **state)
{
    (void)state;
    char text[3 * NEAREST_WORD_MAX];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_string_equal(hint(text, 0), "");
    struct nearest nearest = {.asked = "aaaa"};
    nearest_offer(&nearest, text);
    assert_string_equal(nearest.best, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_known_ones),
        cmocka_unit_test(near_words_are_offered_and_others_not),
        cmocka_unit_test(words_of_any_length_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
