// SPDX-License-Identifier: Apache-2.0
// What is known of Philox from outside this code: published answers, the C++26 standard, and the
// arithmetic of counters.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/rng/philox.h"

static void assert_words(const struct philox_form *form, struct philox_counter got,
                         const uint64_t *expected)
{
    for (unsigned i = 0; i < form->words; i++)
        assert_int_equal(got.word[i], expected[i]);
}

// The fractional digits of pi, 64 bits at a time.
static const uint64_t pi[] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                              0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c};

static uint64_t pi_word(const struct philox_form *form, unsigned index)
{
    return form->width == 64 ? pi[index]
           : index % 2       ? pi[index / 2] & UINT32_MAX
                             : pi[index / 2] >> 32;
}

// Random123 1.14 publishes the answers for zeros, ones and the digits of pi, which fill the counter
// and then the key.
static void published_answers(void **state)
{
    (void)state;
    static const struct {
        const struct philox_form *form;
        unsigned rounds;
        uint64_t expected[3][PHILOX_WORDS_MAX];
    } row[] = {
        {&philox2x32,
         7,
         {{0x257a3673, 0xcd26be2a}, {0xab302c4d, 0x3dc9d239}, {0xbedbbe6b, 0xe4c770b3}}},
        {&philox2x32,
         10,
         {{0xff1dae59, 0x6cd10df2}, {0x2c3f628b, 0xab4fd7ad}, {0xdd7ce038, 0xf62a4c12}}},
        {&philox4x32,
         7,
         {{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48},
          {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662},
          {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}}},
        {&philox4x32,
         10,
         {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
          {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
          {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
        {&philox2x64,
         7,
         {{0xb41da69fbfefc666, 0x511e9ce1a5534056},
          {0xa4696cc04462015d, 0x724782dae17169e9},
          {0x98ed1534392bf372, 0x67528b1568882fd5}}},
        {&philox2x64,
         10,
         {{0xca00a0459843d731, 0x66c24222c9a845b5},
          {0x65b021d60cd8310f, 0x4d02f3222f86df20},
          {0x0a5e742c2997341c, 0xb0f883d38000de5d}}},
        {&philox4x64,
         7,
         {{0x5dc8ee6268ec62cd, 0x139bc570b6c125a0, 0x84d6deb4fb65f49e, 0xaff7583376d378c2},
          {0x071dd84367903154, 0x48e2bbdc722b37d1, 0x6afa9890bb89f76c, 0x9194c8d8ada56ac7},
          {0x513a366704edf755, 0xf05d9924c07044d3, 0xbef2cb9cbea74c6c, 0x8db948de4caa1f8a}}},
        {&philox4x64,
         10,
         {{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b},
          {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0},
          {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}}},
    };
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (unsigned which = 0; which < 3; which++) {
            const struct philox_form *const form = row[r].form;
            const uint64_t ones = form->width == 64 ? UINT64_MAX : UINT32_MAX;
            struct philox_counter counter = {{0}};
            struct philox_key key = {{0}};
            for (unsigned i = 0; which && i < form->words; i++)
                counter.word[i] = which == 1 ? ones : pi_word(form, i);
            for (unsigned i = 0; which && i < form->words / 2; i++)
                key.word[i] = which == 1 ? ones : pi_word(form, form->words + i);
            assert_words(form, philox_block(form, counter, key, row[r].rounds),
                         row[r].expected[which]);
        }
}

// C++26 [rand.predef]: the 10,000th value of a default-constructed philox4x32 is 1955073260: word 3
// of block 2499 of key 20111115.
static void ten_thousandth_value_of_the_cpp_standard(void **state)
{
    (void)state;
    const struct philox_counter at =
        philox_advance(&philox4x32, (struct philox_counter){{0}}, 2499);
    assert_int_equal(
        philox_block(&philox4x32, at, (struct philox_key){{20111115, 0}}, PHILOX_ROUNDS).word[3],
        1955073260);
}

static void a_full_word_carries_into_the_next_and_the_last_one_wraps(void **state)
{
    (void)state;
    const uint64_t full = 0xffffffff;
    assert_words(&philox4x32,
                 philox_advance(&philox4x32, (struct philox_counter){{full, full, 0, 0}}, 1),
                 (uint64_t[]){0, 0, 1, 0});
    assert_words(&philox4x32,
                 philox_advance(&philox4x32, (struct philox_counter){{full, full, full, full}}, 2),
                 (uint64_t[]){1, 0, 0, 0});
    assert_words(&philox4x32,
                 philox_advance(&philox4x32, (struct philox_counter){{1, 0, 0, 0}}, UINT64_MAX),
                 (uint64_t[]){0, 0, 1, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answers),
        cmocka_unit_test(ten_thousandth_value_of_the_cpp_standard),
        cmocka_unit_test(a_full_word_carries_into_the_next_and_the_last_one_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
