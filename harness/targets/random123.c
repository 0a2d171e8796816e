// SPDX-License-Identifier: Apache-2.0
// Random123's own headers as a target: philox and threefry in all four forms, any number of rounds
// that the headers allow.

#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <Random123/philox.h>
#include <Random123/threefry.h>
#pragma GCC diagnostic pop

#include "harness/plugin.h"
#include "harness/targets/helper/request.h"
#include "harness/targets/helper/stateless.h"

// What the headers compute: philox up to 16 rounds, threefry up to 72 (32 for two words).
enum { PHILOX_ROUNDS_MAX = 16, THREEFRY2_ROUNDS_MAX = 32, THREEFRY4_ROUNDS_MAX = 72 };

typedef void (*block_function)(unsigned rounds, const void *counter, const void *key, void *output);

#define BLOCK(family, form)                                                                        \
    static void family##_##form(unsigned rounds, const void *counter, const void *key,             \
                                void *output)                                                      \
    {                                                                                              \
        family##form##_ctr_t c, o;                                                                 \
        family##form##_key_t k;                                                                    \
        memcpy(c.v, counter, sizeof c.v);                                                          \
        memcpy(k.v, key, sizeof k.v);                                                              \
        o = family##form##_R(rounds, c, k);                                                        \
        memcpy(output, o.v, sizeof o.v);                                                           \
    }

BLOCK(philox, 2x32)
BLOCK(philox, 4x32)
BLOCK(philox, 2x64)
BLOCK(philox, 4x64)
BLOCK(threefry, 2x32)
BLOCK(threefry, 4x32)
BLOCK(threefry, 2x64)
BLOCK(threefry, 4x64)

struct form {
    const char *operation;
    int64_t words;
    unsigned width, rounds_max, rounds_default;
    int64_t key_words;
    block_function block;
};

static const struct form forms[] = {
    {"philox", 2, 32, PHILOX_ROUNDS_MAX, 10, 1, philox_2x32},
    {"philox", 4, 32, PHILOX_ROUNDS_MAX, 10, 2, philox_4x32},
    {"philox", 2, 64, PHILOX_ROUNDS_MAX, 10, 1, philox_2x64},
    {"philox", 4, 64, PHILOX_ROUNDS_MAX, 10, 2, philox_4x64},
    {"threefry", 2, 32, THREEFRY2_ROUNDS_MAX, 20, 2, threefry_2x32},
    {"threefry", 4, 32, THREEFRY4_ROUNDS_MAX, 20, 4, threefry_4x32},
    {"threefry", 2, 64, THREEFRY2_ROUNDS_MAX, 20, 2, threefry_2x64},
    {"threefry", 4, 64, THREEFRY4_ROUNDS_MAX, 20, 4, threefry_4x64},
};

enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

// The form that the counter asks for, or NULL.
static const struct form *find_form(const struct assay_request *request)
{
    const struct assay_tensor *const counter = assay_input_named(request, "counter");
    if (!counter || counter->layout.ndim < 1 ||
        (counter->dtype != ASSAY_U32 && counter->dtype != ASSAY_U64))
        return NULL;
    for (unsigned i = 0; i < FORM_COUNT; i++)
        if (!strcmp(request->operation, forms[i].operation) &&
            counter->layout.dtype.bits == forms[i].width &&
            counter->layout.shape[counter->layout.ndim - 1] == forms[i].words)
            return &forms[i];
    return NULL;
}

static const char *version(struct assay_session *session)
{
    (void)session;
    return "headers as installed (they state no version)";
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    (void)session;
    static const char fixed[] =
        "the headers take fixed arrays of words: a call of another form does not compile";
    if (strcmp(request->operation, "philox") != 0 && strcmp(request->operation, "threefry") != 0)
        return assay_answer(message, ASSAY_UNSUPPORTED, "Random123 has philox and threefry only");
    const struct form *const form = find_form(request);
    if (!form)
        return assay_answer(message, ASSAY_UNSUPPORTED, "%s", fixed);
    const struct assay_tensor *const counter = assay_input_named(request, "counter");
    const struct assay_tensor *const key = assay_input_named(request, "key");
    if (!key || key->dtype != counter->dtype || key->layout.ndim < 1 ||
        key->layout.shape[key->layout.ndim - 1] != form->key_words)
        return assay_answer(message, ASSAY_UNSUPPORTED, "%s", fixed);
    const int64_t keys = assay_element_count(key) / form->key_words;
    if (keys != 1 && keys != assay_element_count(counter) / form->words)
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "a call takes one counter and one key: others are left over");
    const int64_t rounds = assay_integer(request, "rounds", form->rounds_default);
    if (rounds >= 0 && rounds <= form->rounds_max)
        return ASSAY_OK;
    return assay_answer(message, ASSAY_UNSUPPORTED,
                        "the headers compute at most %u rounds of this form", form->rounds_max);
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    (void)instance;
    const struct form *const form = find_form(request);
    const struct assay_tensor *const counter = assay_input_named(request, "counter");
    const struct assay_tensor *const key = assay_input_named(request, "key");
    if (!form || !key)
        return assay_answer(message, ASSAY_FAILED, "not a call that these headers can take");
    const size_t size = form->width / 8, block = size * (size_t)form->words;
    const int64_t blocks = assay_element_count(counter) / form->words,
                  keys = assay_element_count(key) / form->key_words;
    const unsigned rounds = (unsigned)assay_integer(request, "rounds", form->rounds_default);
    for (int64_t i = 0; i < blocks; i++)
        form->block(rounds, (const char *)counter->layout.data + (size_t)i * block,
                    (const char *)key->layout.data +
                        (keys > 1 ? (size_t)(i * form->key_words) * size : 0),
                    (char *)request->outputs[0].layout.data + (size_t)i * block);
    return ASSAY_OK;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = {
        ASSAY_STATELESS,    .name = "random123",  .capabilities = ASSAY_CAPABILITY_REENTRANT,
        .version = version, .supports = supports, .run = run};
    return &plugin;
}
