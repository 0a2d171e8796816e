// SPDX-License-Identifier: Apache-2.0
// jep263.split and jep263.draw_samples: the sketch of JEP 263, "JAX PRNG design", taken at its
// word.
//
// A key is as wide as a sample; hash key count is a block whose counter is the count; split gives
// hash 0 and hash 1, and draw_samples hashes the counts from 1 on. The text's Int256 is a block of
// threefry4x64; threefry2x32 is what jax has. What jax does otherwise is in the errata of the suite
// jax.random.

#include <inttypes.h>

#include "ref/base/bytes.h"
#include "ref/op/jax/operation.h"
#include "ref/rng/threefry.h"

enum { HASH, COUNT, FIRST };

static const struct attribute_spec attributes[] = {
    [HASH] =
        ATTRIBUTE("hash", WORD, DEFAULT, .words = OPERATION_WORDS("threefry4x64", "threefry2x32")),
    [COUNT] = ATTRIBUTE("count", INTEGER, REQUIRED, .maximum = INT32_MAX),
    [FIRST] = ATTRIBUTE("first", INTEGER, DEFAULT, .standard = 1, .maximum = INT32_MAX),
};

enum { COUNTS, COUNT_WORD };

static const struct choice choices[] = {
    [COUNTS] = {"counts", OPERATION_WORDS("as_written", "one_later", "one_earlier")},
    [COUNT_WORD] = {"count_word", OPERATION_WORDS("first", "last")},
};

static const struct threefry_form *form_of(const struct request *request)
{
    return request->attribute[HASH].integer ? &threefry2x32 : &threefry4x64;
}

static enum dtype dtype_of(const struct request *request)
{
    return form_of(request)->width == 64 ? DTYPE_U64 : DTYPE_U32;
}

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    (void)input;
    return dtype_of(request);
}

static enum error infer_blocks(const struct request *request, uint64_t count,
                               struct inference *inference, struct diagnostic *diagnostic)
{
    const struct tensor *const key = &request->input[0];
    const unsigned words = form_of(request)->words;
    if (key->dtype != dtype_of(request) || key->rank != 1 || key->shape[0] != words) {
        char text[96];
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "key is %s; expected %s[%u]",
                               tensor_describe(key, text, sizeof text),
                               dtype_name(dtype_of(request)), words);
    }
    inference->output[0] =
        (struct tensor){.dtype = dtype_of(request), .rank = 2, .shape = {count, words}};
    return ERROR_NONE;
}

static void fill_blocks(const struct request *request, uint64_t first, const struct slice *slice)
{
    static const uint64_t shift[] = {0, 1, UINT64_MAX};
    const struct threefry_form *const form = form_of(request);
    const size_t size = form->width / 8;
    struct threefry_words key = {{0}};
    for (unsigned i = 0; i < form->words; i++)
        key.word[i] = element_load(request->input[0].data, size, i);
    for (uint64_t done = 0; done < slice->count;) {
        const uint64_t at = slice->first + done;
        struct threefry_words counter = {{0}};
        counter.word[request->profile.option[COUNT_WORD] ? form->words - 1 : 0] =
            (first + at / form->words + shift[request->profile.option[COUNTS]]) &
            (form->width == 64 ? UINT64_MAX : UINT32_MAX);
        const struct threefry_words sample = threefry_block(form, counter, key, THREEFRY_ROUNDS);
        for (uint64_t i = at % form->words; i < form->words && done < slice->count; i++, done++)
            element_store(slice->data, size, done, sample.word[i]);
    }
}

// ---- jep263.split -----------------------------------------------------------

static enum error split_infer(const struct request *request, struct inference *inference,
                              struct diagnostic *diagnostic)
{
    return infer_blocks(request, 2, inference, diagnostic);
}

static enum error split_fill(const struct request *request, const struct inference *inference,
                             const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    fill_blocks(request, 0, slice);
    return ERROR_NONE;
}

const struct operation jep263_split_operation = {
    .name = "jep263.split",
    .summary = "two keys from one, as JEP 263 sketches it",
    .attributes = attributes,
    .attribute_count = COUNT,
    OPERATION_INPUT_ROWS({.name = "key"}),
    .outputs = OPERATION_WORDS("keys"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = split_infer,
    .fill = split_fill,
};

// ---- jep263.draw_samples ----------------------------------------------------

static enum error draw_infer(const struct request *request, struct inference *inference,
                             struct diagnostic *diagnostic)
{
    const int64_t count = request->attribute[COUNT].integer,
                  first = request->attribute[FIRST].integer;
    if (count && first > INT32_MAX - count + 1)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "counts %" PRId64 " to %" PRId64 "; a count is an Int32", first,
                               first + count - 1);
    return infer_blocks(request, (uint64_t)count, inference, diagnostic);
}

static enum error draw_fill(const struct request *request, const struct inference *inference,
                            const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    fill_blocks(request, (uint64_t)request->attribute[FIRST].integer, slice);
    return ERROR_NONE;
}

const struct operation jep263_draw_samples_operation = {
    .name = "jep263.draw_samples",
    .summary = "samples of a key, as JEP 263 sketches it",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "key"}),
    .outputs = OPERATION_WORDS("samples"),
    OPERATION_CHOICES(choices),
    .plain_dtype = plain_dtype,
    .infer = draw_infer,
    .fill = draw_fill,
};
