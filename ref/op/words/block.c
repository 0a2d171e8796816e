// SPDX-License-Identifier: Apache-2.0

#include "ref/op/words/block.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ref/base/bytes.h"

enum { WORDS_MAX = 4 };

const struct input_spec block_inputs[] = {
    [BLOCK_COUNTER] = {.name = "counter"}, [BLOCK_KEY] = {.name = "key"}};

enum dtype block_plain_dtype(const struct request *request, unsigned input)
{
    const struct attribute_value *const width = &request->attribute[BLOCK_WIDTH];
    if (width->present)
        return width->integer == 64 ? DTYPE_U64 : DTYPE_U32;
    return input == BLOCK_KEY ? request->input[BLOCK_COUNTER].dtype : DTYPE_NONE;
}

static const struct block_family *family_of(const struct request *request)
{
    return request->operation == &threefry_operation ? &threefry_family : &philox_family;
}

static unsigned rounds_of(const struct request *request)
{
    const unsigned option = request->profile.option[BLOCK_ROUNDS_CHOICE];
    return option ? (unsigned)strtoul(
                        request->operation->choices[BLOCK_ROUNDS_CHOICE].options[option], NULL, 10)
                  : (unsigned)request->attribute[BLOCK_ROUNDS].integer;
}

static enum error check_key(const struct request *request, uint64_t words,
                            struct diagnostic *diagnostic)
{
    const struct tensor *const counter = &request->input[BLOCK_COUNTER],
                               *const key = &request->input[BLOCK_KEY];
    if (key->dtype != counter->dtype)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "key has type %s and counter %s; they agree", dtype_name(key->dtype),
                               dtype_name(counter->dtype));
    bool right = key->rank >= 1 && key->shape[key->rank - 1] == words &&
                 (key->rank == 1 || key->rank == counter->rank);
    for (unsigned i = 0; right && key->rank > 1 && i + 1 < key->rank; i++)
        right = key->shape[i] == counter->shape[i];
    if (right)
        return ERROR_NONE;
    char text[96];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "key is %s; expected %" PRIu64
                           " words for each counter, or one key for all",
                           tensor_describe(key, text, sizeof text), words);
}

enum error block_infer(const struct request *request, struct inference *inference,
                       struct diagnostic *diagnostic)
{
    const struct tensor *const counter = &request->input[BLOCK_COUNTER];
    const struct attribute_value *const words = &request->attribute[BLOCK_WORDS],
                                        *const width = &request->attribute[BLOCK_WIDTH];
    const enum error error = operation_check_dtype(
        request, BLOCK_COUNTER, DTYPE_BIT(DTYPE_U32) | DTYPE_BIT(DTYPE_U64), diagnostic);
    if (error)
        return error;
    const uint64_t found = counter->rank ? counter->shape[counter->rank - 1] : 0;
    if ((found != 2 && found != 4) || (words->present && words->integer != (int64_t)found))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "counter has %" PRIu64 " words in its last dimension; expected %s",
                               found,
                               words->present ? (words->integer == 2 ? "2" : "4") : "2 or 4");
    if (width->present && width->integer != 8 * (int64_t)dtype_size(counter->dtype))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "width is %" PRId64 ", but counter has type %s", width->integer,
                               dtype_name(counter->dtype));
    inference->output[0] = *counter;
    inference->output[0].data = NULL;
    return check_key(request, found / family_of(request)->counter_words_per_key_word, diagnostic);
}

enum error block_fill(const struct request *request, const struct inference *inference,
                      const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    const struct block_family *const family = family_of(request);
    const bool descending = request->profile.option[BLOCK_ORDER_CHOICE] != 0;
    const unsigned rounds = rounds_of(request);
    const struct tensor *const counter = &request->input[BLOCK_COUNTER],
                               *const key = &request->input[BLOCK_KEY];
    const uint64_t words = counter->shape[counter->rank - 1],
                   key_words = words / family->counter_words_per_key_word;
    const size_t size = dtype_size(counter->dtype);
    for (uint64_t done = 0; done < slice->count;) {
        const uint64_t block = (slice->first + done) / words;
        uint64_t word[WORDS_MAX] = {0}, under[WORDS_MAX] = {0};
        for (uint64_t i = 0; i < words; i++)
            word[i] = element_load(counter->data, size, block * words + i);
        for (uint64_t i = 0; i < key_words; i++)
            under[i] = element_load(key->data, size, key->rank > 1 ? block * key_words + i : i);
        family->function(request, (unsigned)words, counter->dtype, rounds, word, under);
        for (uint64_t i = (slice->first + done) % words; i < words && done < slice->count;
             i++, done++)
            element_store(slice->data, size, done, word[descending ? words - 1 - i : i]);
    }
    return ERROR_NONE;
}
