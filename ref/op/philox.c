// SPDX-License-Identifier: Apache-2.0
// philox: the block function itself, on tensors of counters, in all four widths of Random123 and with any number of rounds.

#include "ref/op/philox.h"

#include <inttypes.h>

#include "ref/base/bytes.h"
#include "ref/rng/philox.h"

enum { WORDS, WIDTH, ROUNDS };

static const struct attribute_spec attributes[] = {
    [WORDS] = {.name = "words", .kind = ATTRIBUTE_INTEGER, .presence = ATTRIBUTE_OPTIONAL, .minimum = 2, .maximum = 4},
    [WIDTH] = {.name = "width", .kind = ATTRIBUTE_INTEGER, .presence = ATTRIBUTE_OPTIONAL, .minimum = 32, .maximum = 64},
    [ROUNDS] = {.name = "rounds",
                .kind = ATTRIBUTE_INTEGER,
                .presence = ATTRIBUTE_DEFAULT,
                .standard = PHILOX_ROUNDS,
                .minimum = 0,
                .maximum = 1024},
};

enum { COUNTER, KEY };

static const struct input_spec inputs[] = {{.name = "counter"}, {.name = "key"}};

static const char *const outputs[] = {"output", NULL};

enum { KEY_SCHEDULE, MULTIPLIERS, WORD_ORDER };

static const struct choice choices[] = {
    [KEY_SCHEDULE] = {"key_schedule", (const char *const[]){"weyl", "constant", "swapped_constants", NULL}},
    [MULTIPLIERS] = {"multipliers", (const char *const[]){"published", "swapped", NULL}},
    [WORD_ORDER] = {"word_order", (const char *const[]){"ascending", "descending", NULL}},
};

static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    const struct attribute_value *const width = &request->attribute[WIDTH];
    if (width->present)
        return width->integer == 64 ? DTYPE_U64 : DTYPE_U32;
    return input == KEY ? request->input[COUNTER].dtype : DTYPE_NONE;
}

static enum error check_key(const struct request *request, uint64_t words, struct diagnostic *diagnostic)
{
    const struct tensor *const counter = &request->input[COUNTER], *const key = &request->input[KEY];
    if (key->dtype != counter->dtype)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "key has type %s and counter %s; they agree",
                               dtype_name(key->dtype), dtype_name(counter->dtype));
    bool right = key->rank >= 1 && key->shape[key->rank - 1] == words / 2 && (key->rank == 1 || key->rank == counter->rank);
    for (unsigned i = 0; right && key->rank > 1 && i + 1 < key->rank; i++)
        right = key->shape[i] == counter->shape[i];
    if (right)
        return ERROR_NONE;
    char text[96];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "key is %s; expected %" PRIu64 " words for each counter, or one key for all",
                           tensor_describe(key, text, sizeof text), words / 2);
}

static enum error infer(const struct request *request, struct inference *inference, struct diagnostic *diagnostic)
{
    const struct tensor *const counter = &request->input[COUNTER];
    const struct attribute_value *const words = &request->attribute[WORDS], *const width = &request->attribute[WIDTH];
    enum error error = operation_check_dtype(request, COUNTER, DTYPE_BIT(DTYPE_U32) | DTYPE_BIT(DTYPE_U64), diagnostic);
    if (error)
        return error;
    const uint64_t found = counter->rank ? counter->shape[counter->rank - 1] : 0;
    if ((found != 2 && found != 4) || (words->present && words->integer != (int64_t)found))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "counter has %" PRIu64 " words in its last dimension; expected %s", found,
                               words->present ? (words->integer == 2 ? "2" : "4") : "2 or 4");
    if (width->present && width->integer != 8 * (int64_t)dtype_size(counter->dtype))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "width is %" PRId64 ", but counter has type %s",
                               width->integer, dtype_name(counter->dtype));
    inference->output[0] = *counter;
    inference->output[0].data = NULL;
    return check_key(request, found, diagnostic);
}

static struct philox_form form_of(const struct request *request, uint64_t words, enum dtype dtype)
{
    struct philox_form form =
        dtype == DTYPE_U64 ? (words == 2 ? philox2x64 : philox4x64) : (words == 2 ? philox2x32 : philox4x32);
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

static enum error fill(const struct request *request, const struct inference *inference, const struct slice *slice,
                       struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct tensor *const counter = &request->input[COUNTER], *const key = &request->input[KEY];
    const uint64_t words = counter->shape[counter->rank - 1];
    const size_t size = dtype_size(inference->output[0].dtype);
    const struct philox_form form = form_of(request, words, counter->dtype);
    const unsigned rounds = (unsigned)request->attribute[ROUNDS].integer;
    for (uint64_t done = 0; done < slice->count;) {
        const uint64_t block = (slice->first + done) / words;
        struct philox_counter at = {{0}};
        struct philox_key under = {{0}};
        for (uint64_t i = 0; i < words; i++)
            at.word[i] = element_load(counter->data, size, block * words + i);
        for (uint64_t i = 0; i < words / 2; i++)
            under.word[i] = element_load(key->data, size, key->rank > 1 ? block * (words / 2) + i : i);
        const struct philox_counter result = philox_block(&form, at, under, rounds);
        for (uint64_t i = (slice->first + done) % words; i < words && done < slice->count; i++, done++)
            element_store(slice->data, size, done, result.word[request->profile.option[WORD_ORDER] ? words - 1 - i : i]);
    }
    return ERROR_NONE;
}

const struct operation philox_operation = {
    .name = "philox",
    .summary = "Philox blocks of given counters and keys (Random123)",
    .attributes = attributes,
    .attribute_count = OPERATION_ROWS(attributes),
    .inputs = inputs,
    .input_count = OPERATION_ROWS(inputs),
    .outputs = outputs,
    .choices = choices,
    .choice_count = OPERATION_ROWS(choices),
    .plain_dtype = plain_dtype,
    .infer = infer,
    .fill = fill,
};
