// SPDX-License-Identifier: Apache-2.0
// What is known of Threefry from outside this code: the answers that Random123 publishes for the
// inputs of its paper (all zeros, all ones, the digits of pi), and Random123 itself on the corners
// of its older list.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

// Random123 has functions by the names of our forms.
#define threefry2x32 random123_threefry2x32
#define threefry4x32 random123_threefry4x32
#define threefry2x64 random123_threefry2x64
#define threefry4x64 random123_threefry4x64
#include <Random123/threefry.h>
#undef threefry2x32
#undef threefry4x32
#undef threefry2x64
#undef threefry4x64

#include "ref/base/bytes.h"
#include "ref/rng/threefry.h"

// The fractional digits of pi, 64 bits at a time.
static const uint64_t pi[] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                              0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c,
                              0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917};

static uint64_t pi_word(const struct threefry_form *form, unsigned index)
{
    return form->width == 64 ? pi[index]
           : index % 2       ? pi[index / 2] & UINT32_MAX
                             : pi[index / 2] >> 32;
}

// The published inputs: 0, 1 and 2 are zeros, ones and pi. Pi fills the counter, then the key; the
// list for threefry4x64 with 20 and 72 rounds has a slip, the second word of the key twice, which
// is part of its inputs.
static void published_input(const struct threefry_form *form, unsigned rounds, unsigned which,
                            struct threefry_words *counter, struct threefry_words *key)
{
    const uint64_t ones = form->width == 64 ? UINT64_MAX : UINT32_MAX;
    const unsigned slip = form == &threefry4x64 && rounds != 13;
    memset(counter, 0, sizeof *counter);
    memset(key, 0, sizeof *key);
    for (unsigned i = 0; which && i < form->words; i++) {
        counter->word[i] = which == 1 ? ones : pi_word(form, i);
        key->word[i] = which == 1 ? ones : pi_word(form, form->words + (slip && i > 1 ? i - 1 : i));
    }
}

static void published_answers(void **state)
{
    (void)state;
    static const struct {
        const struct threefry_form *form;
        unsigned rounds;
        uint64_t expected[3][THREEFRY_WORDS_MAX];
    } row[] = {
        {&threefry2x32,
         13,
         {{0x9d1c5ec6, 0x8bd50731}, {0xfd36d048, 0x2d17272c}, {0xba3e4725, 0xf27d669e}}},
        {&threefry2x32,
         20,
         {{0x6b200159, 0x99ba4efe}, {0x1cb996fc, 0xbb002be7}, {0xc4923a9c, 0x483df7a0}}},
        {&threefry2x32,
         32,
         {{0xcee3d47e, 0xa23dfd5c}, {0x6e2fe0d0, 0xb1b76f82}, {0xe2827716, 0xc3c05cdf}}},
        {&threefry4x32,
         13,
         {{0x531c7e4f, 0x39491ee5, 0x2c855a92, 0x3d6abf9a},
          {0xc4189358, 0x1c9cc83a, 0xd5881c67, 0x6a0a89e0},
          {0x4aa71d8f, 0x734738c2, 0x431fc6a8, 0xae6debf1}}},
        {&threefry4x32,
         20,
         {{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8},
          {0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732},
          {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}}},
        {&threefry4x32,
         72,
         {{0x93171da6, 0x9220326d, 0xb392b7b1, 0xff58a002},
          {0x60743f3d, 0x9961e684, 0xaab21c34, 0x8c65fb7d},
          {0x09930adf, 0x7f27bd55, 0x9ed68ce1, 0x97f803f6}}},
        {&threefry2x64,
         13,
         {{0xf167b032c3b480bd, 0xe91f9fee4b7a6fb5},
          {0xccdec5c917a874b1, 0x4df53abca26ceb01},
          {0xc3aac71561042993, 0x3fe7ae8801aff316}}},
        {&threefry2x64,
         20,
         {{0xc2b6e3a8c2c69865, 0x6f81ed42f350084d},
          {0xe02cb7c4d95d277a, 0xd06633d0893b8b68},
          {0x263c7d30bb0f0af1, 0x56be8361d3311526}}},
        {&threefry2x64,
         32,
         {{0x38ba854d7f13cfb3, 0xd02fca729d54fadc},
          {0x6b532f4f6e288646, 0x0388f1ec135ee18e},
          {0xdad492f32efbd0c4, 0xb6d7d0cd1f193e84}}},
        {&threefry4x64,
         13,
         {{0x4071fabee1dc8e05, 0x02ed3113695c9c62, 0x397311b5b89f9d49, 0xe21292c3258024bc},
          {0x7eaed935479722b5, 0x90994358c429f31c, 0x496381083e07a75b, 0x627ed0d746821121},
          {0x4361288ef9c1900c, 0x8717291521782833, 0x0d19db18c20cf47e, 0xa0b41d63ac8581e5}}},
        {&threefry4x64,
         20,
         {{0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc, 0xee29ec846bd2e40b},
          {0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c, 0xcd29113fde32d168},
          {0xa7e8fde591651bd9, 0xbaafd0c30138319b, 0x84a5c1a729e685b9, 0x901d406ccebc1ba4}}},
        {&threefry4x64,
         72,
         {{0x94eeea8b1f2ada84, 0xadf103313eae6670, 0x952419a1f4b16d53, 0xd83f13e63c9f6b11},
          {0x11518c034bc1ff4c, 0x193f10b8bcdcc9f7, 0xd024229cb58f20d8, 0x563ed6e48e05183f},
          {0xacf412ccaa3b2270, 0xc9e99bd53f2e9173, 0x43dad469dc825948, 0xfbb19d06c8a2b4dc}}},
    };
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (unsigned which = 0; which < 3; which++) {
            struct threefry_words counter, key;
            published_input(row[r].form, row[r].rounds, which, &counter, &key);
            const struct threefry_words got =
                threefry_block(row[r].form, counter, key, row[r].rounds);
            assert_memory_equal(got.word, row[r].expected[which], sizeof got.word);
        }
}

// Random123's block of the same words, for the numbers of rounds it is asked for here.
static struct threefry_words random123(const struct threefry_form *form,
                                       struct threefry_words counter, struct threefry_words key,
                                       unsigned rounds)
{
    struct threefry_words result = {{0}};
#define OF(NAME)                                                                                   \
    if (form == &NAME) {                                                                           \
        NAME##_ctr_t c;                                                                            \
        NAME##_key_t k;                                                                            \
        for (unsigned i = 0; i < form->words; i++) {                                               \
            element_store(c.v, sizeof c.v[0], i, counter.word[i]);                                 \
            element_store(k.v, sizeof k.v[0], i, key.word[i]);                                     \
        }                                                                                          \
        c = NAME##_R(rounds, c, k);                                                                \
        for (unsigned i = 0; i < form->words; i++)                                                 \
            result.word[i] = c.v[i];                                                               \
    }
    OF(threefry2x32)
    OF(threefry4x32)
    OF(threefry2x64)
    OF(threefry4x64)
#undef OF
    return result;
}

static struct threefry_words with_word(unsigned at, uint64_t value)
{
    struct threefry_words words = {{0}};
    words.word[at] = value;
    return words;
}

// One word at a time is 1, all ones or the highest bit alone, in the counter and in the key, after
// every number of rounds.
static void corners_after_any_number_of_rounds_agree_with_random123(void **state)
{
    (void)state;
    static const struct threefry_form *const forms[] = {&threefry2x32, &threefry4x32, &threefry2x64,
                                                        &threefry4x64};
    for (unsigned f = 0; f < 4; f++) {
        const struct threefry_form *const form = forms[f];
        const uint64_t ones = form->width == 64 ? UINT64_MAX : UINT32_MAX,
                       values[] = {1, ones, ones - (ones >> 1)};
        const unsigned most = form->words == 2 ? 32 : 72; // as far as Random123 goes
        for (unsigned rounds = 0; rounds <= most; rounds++)
            for (unsigned c = 0; c < 3 * form->words; c++)
                for (unsigned k = 0; k < 3 * form->words; k++) {
                    const struct threefry_words counter = with_word(c / 3, values[c % 3]),
                                                key = with_word(k / 3, values[k % 3]);
                    const struct threefry_words got = threefry_block(form, counter, key, rounds);
                    const struct threefry_words expected = random123(form, counter, key, rounds);
                    assert_memory_equal(got.word, expected.word, sizeof got.word);
                }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answers),
        cmocka_unit_test(corners_after_any_number_of_rounds_agree_with_random123),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
