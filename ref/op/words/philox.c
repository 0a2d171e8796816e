// SPDX-License-Identifier: Apache-2.0
// philox: the block function itself, on tensors of counters, in all four widths of Random123 and
// with any number of rounds. The attribute says how many; options of the choice of the same name do
// another number whatever was asked for.

#include "ref/rng/philox.h"

#include "ref/op/words/block.h"

static const struct attribute_spec attributes[] = {BLOCK_ATTRIBUTE_ROWS(PHILOX_ROUNDS)};

enum { KEY_SCHEDULE, MULTIPLIERS };

static const struct choice choices[BLOCK_CHOICES] = {
    [KEY_SCHEDULE] = {"key_schedule", OPERATION_WORDS("weyl", "constant", "swapped_constants")},
    [MULTIPLIERS] = {"multipliers", OPERATION_WORDS("published", "swapped")},
    [BLOCK_ORDER_CHOICE] = {"word_order", OPERATION_WORDS("ascending", "descending")},
    [BLOCK_ROUNDS_CHOICE] = {"rounds", OPERATION_WORDS("asked", "7", "8", "9", "10", "11")},
};

static struct philox_form form_of(const struct request *request, unsigned words, enum dtype dtype)
{
    struct philox_form form = dtype == DTYPE_U64 ? (words == 2 ? philox2x64 : philox4x64)
                                                 : (words == 2 ? philox2x32 : philox4x32);
    const uint64_t multiplier = form.multiplier[0], weyl = form.weyl[0];
    if (request->profile.option[MULTIPLIERS] && words == 4) {
        form.multiplier[0] = form.multiplier[1];
        form.multiplier[1] = multiplier;
    }
    if (request->profile.option[KEY_SCHEDULE] == 1) {
        form.weyl[0] = form.weyl[1] = 0;
    } else if (request->profile.option[KEY_SCHEDULE] == 2 && words == 4) {
        form.weyl[0] = form.weyl[1];
        form.weyl[1] = weyl;
    }
    return form;
}

static void one_block(const struct request *request, unsigned words, enum dtype dtype,
                      unsigned rounds, uint64_t *word, const uint64_t *key)
{
    const struct philox_form form = form_of(request, words, dtype);
    const struct philox_counter at = {{word[0], word[1], word[2], word[3]}};
    const struct philox_key under = {{key[0], key[1]}};
    const struct philox_counter block = philox_block(&form, at, under, rounds);
    for (unsigned i = 0; i < words; i++)
        word[i] = block.word[i];
}

const struct block_family philox_family = {2, one_block};

const struct operation philox_operation = {
    .name = "philox",
    .summary = "Philox blocks of given counters and keys (Random123)",
    BLOCK_OPERATION_ROWS(attributes, choices),
};
