// SPDX-License-Identifier: Apache-2.0
// What is known of Philox from outside this code: published answers, the C++26 standard, and the arithmetic of counters.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/rng/philox.h"

static void assert_words(const struct philox_form *form, struct philox_counter got, const uint64_t *expected)
{
    for (unsigned i = 0; i < form->words; i++)
        assert_int_equal(got.word[i], expected[i]);
}

// Random123 1.14, kat_vectors: zero counter, zero key, ten rounds.
static void published_answer_for_zero(void **state)
{
    (void)state;
    static const struct {
        const struct philox_form *form;
        uint64_t expected[PHILOX_WORDS_MAX];
    } row[] = {
        {&philox2x32, {0xff1dae59, 0x6cd10df2}},
        {&philox4x32, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {&philox2x64, {0xca00a0459843d731, 0x66c24222c9a845b5}},
        {&philox4x64, {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_words(row[i].form,
                     philox_block(row[i].form, (struct philox_counter){{0}}, (struct philox_key){{0}}, PHILOX_ROUNDS),
                     row[i].expected);
}

// C++26 [rand.predef]: the 10,000th value of a default-constructed philox4x32 is 1955073260: word 3 of block 2499 of key 20111115.
static void ten_thousandth_value_of_the_cpp_standard(void **state)
{
    (void)state;
    const struct philox_counter at = philox_advance(&philox4x32, (struct philox_counter){{0}}, 2499);
    assert_int_equal(philox_block(&philox4x32, at, (struct philox_key){{20111115, 0}}, PHILOX_ROUNDS).word[3], 1955073260);
}

static void a_full_word_carries_into_the_next_and_the_last_one_wraps(void **state)
{
    (void)state;
    const uint64_t full = 0xffffffff;
    assert_words(&philox4x32, philox_advance(&philox4x32, (struct philox_counter){{full, full, 0, 0}}, 1),
                 (uint64_t[]){0, 0, 1, 0});
    assert_words(&philox4x32, philox_advance(&philox4x32, (struct philox_counter){{full, full, full, full}}, 2),
                 (uint64_t[]){1, 0, 0, 0});
    assert_words(&philox4x32, philox_advance(&philox4x32, (struct philox_counter){{1, 0, 0, 0}}, UINT64_MAX),
                 (uint64_t[]){0, 0, 1, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answer_for_zero),
        cmocka_unit_test(ten_thousandth_value_of_the_cpp_standard),
        cmocka_unit_test(a_full_word_carries_into_the_next_and_the_last_one_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
