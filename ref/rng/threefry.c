// SPDX-License-Identifier: Apache-2.0
// The portable form of Threefry: every width from one piece of code. The SIMD forms of threefry2x32
// stand beside it (threefry_avx2.c, threefry_avx512.c) and give the same words.

#include "ref/rng/threefry.h"

#define PARITY_32 0x1BD11BDA
#define PARITY_64 0x1BD11BDAA9FC1A22

const struct threefry_form threefry2x32 = {
    2, 32, PARITY_32, {{13}, {15}, {26}, {6}, {17}, {29}, {16}, {24}}};
const struct threefry_form threefry4x32 = {
    4,
    32,
    PARITY_32,
    {{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}}};
const struct threefry_form threefry2x64 = {
    2, 64, PARITY_64, {{16}, {42}, {12}, {31}, {16}, {32}, {24}, {21}}};
const struct threefry_form threefry4x64 = {
    4,
    64,
    PARITY_64,
    {{14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32}}};

enum { ROUNDS_PER_KEY = 4 };

static uint64_t in_width(const struct threefry_form *form, uint64_t value)
{
    return form->width == 64 ? value : value & ((UINT64_C(1) << form->width) - 1);
}

static uint64_t rotate_left(const struct threefry_form *form, uint64_t value, unsigned by)
{
    return in_width(form, value << by) | value >> (form->width - by);
}

// A pair of words is mixed by addition, rotation and exclusive or. With four words the odd partners
// change places after every round: 0 meets 1 and 2 meets 3, then 0 meets 3 and 2 meets 1.
static void one_round(const struct threefry_form *form, uint64_t *word, unsigned round)
{
    for (unsigned pair = 0; pair < form->words / 2; pair++) {
        uint64_t *const even = &word[2 * pair];
        uint64_t *const odd = &word[(2 * pair + (round % 2 ? 3 : 1)) % form->words];
        *even = in_width(form, *even + *odd);
        *odd = rotate_left(form, *odd, form->rotation[round % THREEFRY_ROTATIONS][pair]) ^ *even;
    }
}

// The key has one word more than the counter, the exclusive or of the others and a constant, and is
// added turned by one word each time; the last word counts the additions.
static void add_key(const struct threefry_form *form, uint64_t *word, const uint64_t *key,
                    unsigned time)
{
    for (unsigned i = 0; i < form->words; i++)
        word[i] = in_width(form, word[i] + key[(time + i) % (form->words + 1)]);
    word[form->words - 1] = in_width(form, word[form->words - 1] + time);
}

struct threefry_words threefry_block(const struct threefry_form *form,
                                     struct threefry_words counter, struct threefry_words key,
                                     unsigned rounds)
{
    uint64_t extended[THREEFRY_WORDS_MAX + 1] = {0};
    extended[form->words] = form->parity;
    for (unsigned i = 0; i < form->words; i++) {
        extended[i] = key.word[i];
        extended[form->words] ^= key.word[i];
    }
    add_key(form, counter.word, extended, 0);
    for (unsigned r = 0; r < rounds; r++) {
        one_round(form, counter.word, r);
        if (r % ROUNDS_PER_KEY == ROUNDS_PER_KEY - 1)
            add_key(form, counter.word, extended, r / ROUNDS_PER_KEY + 1);
    }
    return counter;
}
