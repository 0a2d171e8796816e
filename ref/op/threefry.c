// SPDX-License-Identifier: Apache-2.0
// threefry: the block function itself, on tensors of counters, in all four widths of Random123 and with any number of rounds.

#include "ref/rng/threefry.h"

#include "ref/op/block.h"

static const struct attribute_spec attributes[] = {BLOCK_ATTRIBUTE_ROWS(THREEFRY_ROUNDS)};

enum { ROTATIONS, PARITY, WORD_ORDER, ROUNDS };

// The constant of the key's extra word was another in versions of Threefish before Skein 1.3.
static const struct choice choices[] = {
    [ROTATIONS] = {"rotations", (const char *const[]){"published", "second_half_first", "pairs_swapped", NULL}},
    [PARITY] = {"parity", (const char *const[]){"published", "absent", "before_skein_1_3", NULL}},
    [WORD_ORDER] = {"word_order", (const char *const[]){"ascending", "descending", NULL}},
    [ROUNDS] = {"rounds", (const char *const[]){"asked", "12", "13", "19", "20", "21", NULL}},
};

enum { COUNTER_WORDS_PER_KEY_WORD = 1 };

static enum error infer(const struct request *request, struct inference *inference, struct diagnostic *diagnostic)
{
    return block_infer(request, COUNTER_WORDS_PER_KEY_WORD, inference, diagnostic);
}

static struct threefry_form form_of(const struct request *request, unsigned words, enum dtype dtype)
{
    const struct threefry_form published =
        dtype == DTYPE_U64 ? (words == 2 ? threefry2x64 : threefry4x64) : (words == 2 ? threefry2x32 : threefry4x32);
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

static void one_block(const struct request *request, unsigned words, enum dtype dtype, uint64_t *word, const uint64_t *key)
{
    const struct threefry_form form = form_of(request, words, dtype);
    const struct threefry_words at = {{word[0], word[1], word[2], word[3]}}, under = {{key[0], key[1], key[2], key[3]}};
    const struct threefry_words block = threefry_block(&form, at, under, block_rounds(request, &choices[ROUNDS], ROUNDS));
    for (unsigned i = 0; i < words; i++)
        word[i] = block.word[i];
}

static enum error fill(const struct request *request, const struct inference *inference, const struct slice *slice,
                       struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    block_fill(request, COUNTER_WORDS_PER_KEY_WORD, slice, one_block, request->profile.option[WORD_ORDER] != 0);
    return ERROR_NONE;
}

const struct operation threefry_operation = {
    .name = "threefry",
    .summary = "Threefry blocks of given counters and keys (Random123)",
    .attributes = attributes,
    .attribute_count = OPERATION_ROWS(attributes),
    .inputs = block_inputs,
    .input_count = BLOCK_INPUTS,
    .outputs = (const char *const[]){"output", NULL},
    .choices = choices,
    .choice_count = OPERATION_ROWS(choices),
    .plain_dtype = block_plain_dtype,
    .infer = infer,
    .fill = fill,
};
