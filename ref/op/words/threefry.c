// SPDX-License-Identifier: Apache-2.0
// threefry: the block function itself, on tensors of counters, in all four widths of Random123 and
// with any number of rounds.

#include "ref/rng/threefry.h"

#include "ref/op/words/block.h"

static const struct attribute_spec attributes[] = {BLOCK_ATTRIBUTE_ROWS(THREEFRY_ROUNDS)};

enum { ROTATIONS, PARITY };

// The constant of the key's extra word was another in versions of Threefish before Skein 1.3.
static const struct choice choices[BLOCK_CHOICES] = {
    [ROTATIONS] = {"rotations", OPERATION_WORDS("published", "second_half_first", "pairs_swapped")},
    [PARITY] = {"parity", OPERATION_WORDS("published", "absent", "before_skein_1_3")},
    [BLOCK_ORDER_CHOICE] = {"word_order", OPERATION_WORDS("ascending", "descending")},
    [BLOCK_ROUNDS_CHOICE] = {"rounds", OPERATION_WORDS("asked", "12", "13", "19", "20", "21")},
};

static struct threefry_form form_of(const struct request *request, unsigned words, enum dtype dtype)
{
    const struct threefry_form published = dtype == DTYPE_U64
                                               ? (words == 2 ? threefry2x64 : threefry4x64)
                                               : (words == 2 ? threefry2x32 : threefry4x32);
    struct threefry_form form = published;
    for (unsigned i = 0; i < THREEFRY_ROTATIONS; i++) {
        if (request->profile.option[ROTATIONS] == 1) {
            form.rotation[i][0] = published.rotation[(i + 4) % THREEFRY_ROTATIONS][0];
            form.rotation[i][1] = published.rotation[(i + 4) % THREEFRY_ROTATIONS][1];
        } else if (request->profile.option[ROTATIONS] == 2 && words == 4) {
            form.rotation[i][0] = published.rotation[i][1];
            form.rotation[i][1] = published.rotation[i][0];
        }
    }
    if (request->profile.option[PARITY] == 1)
        form.parity = 0;
    else if (request->profile.option[PARITY] == 2)
        form.parity = form.width == 64 ? UINT64_C(0x5555555555555555) : 0x55555555;
    return form;
}

static void one_block(const struct request *request, unsigned words, enum dtype dtype,
                      unsigned rounds, uint64_t *word, const uint64_t *key)
{
    const struct threefry_form form = form_of(request, words, dtype);
    const struct threefry_words at = {{word[0], word[1], word[2], word[3]}},
                                under = {{key[0], key[1], key[2], key[3]}};
    const struct threefry_words block = threefry_block(&form, at, under, rounds);
    for (unsigned i = 0; i < words; i++)
        word[i] = block.word[i];
}

const struct block_family threefry_family = {1, one_block};

const struct operation threefry_operation = {
    .name = "threefry",
    .summary = "Threefry blocks of given counters and keys (Random123)",
    BLOCK_OPERATION_ROWS(attributes, choices),
};
