// SPDX-License-Identifier: Apache-2.0
// The reference under another option. ASSAY_ZOO_OPTION is CHOICE=OPTION; operations without that
// choice are as ever. With ASSAY_ZOO_HALF=N it is so for about half of all requests, another half
// for each N below 16, and the others are as by default, or as ASSAY_ZOO_ELSE says: two options
// mixed.

#include <stdlib.h>
#include <string.h>

#include "harness/plugin.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"

// Runs of an instance are counted: a choice may say what the second gives. Each that gives a value
// keeps a block up to the end, as caches do: whoever runs it once more for that gets the next one's
// values.
struct assay_instance {
    unsigned runs;
    struct block {
        struct block *before;
        char bytes[100];
    } * kept;
};

static _Thread_local unsigned run_now;

static void start_request(struct request *request, const struct operation *operation)
{
    request_start(request, operation);
    request->runs = run_now + 1;
}

// One bit of a digest of attributes and inputs.
static bool is_odd(const struct request *request, unsigned bit)
{
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < request->operation->attribute_count; i++)
        hash = (hash ^ (uint32_t)request->attribute[i].integer) * 16777619u;
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        size_t size = 0;
        const struct tensor *const tensor = &request->input[i];
        const unsigned char *const bytes = tensor->data;
        if (!tensor_present(tensor) || !bytes || !tensor_bytes(tensor, &size))
            continue;
        for (size_t k = 0; k < size; k++)
            hash = (hash ^ bytes[k]) * 16777619u;
    }
    return (hash ^ hash >> 16) >> bit & 1;
}

static void set_option(struct request *request)
{
    const char *const half = getenv("ASSAY_ZOO_HALF");
    const bool other = half && !is_odd(request, (unsigned)atoi(half));
    const char *const text = getenv(other ? "ASSAY_ZOO_ELSE" : "ASSAY_ZOO_OPTION");
    const char *const equals = text ? strchr(text, '=') : NULL;
    char choice[64];
    unsigned index = 0, option = 0;
    if (!equals || (size_t)(equals - text) >= sizeof choice)
        return;
    memcpy(choice, text, (size_t)(equals - text));
    choice[equals - text] = '\0';
    if (variant_find(request->operation, choice, equals + 1, &index, &option))
        request->profile.option[index] = (uint16_t)option;
}

static enum error infer_so(struct request *request, struct inference *inference,
                           struct diagnostic *diagnostic)
{
    set_option(request);
    return variant_infer(request, inference, diagnostic);
}

static enum error fill_run(const struct request *request, const struct inference *inference,
                           struct slice *slice, unsigned threads, struct diagnostic *diagnostic)
{
    slice->run = run_now;
    return variant_fill(request, inference, slice, threads, diagnostic);
}

const struct assay_plugin *reference_entry(void);

#define request_start start_request
#define variant_infer infer_so
#define variant_fill fill_run
#define assay_plugin_entry reference_entry
#include "harness/targets/reference.c"
#undef assay_plugin_entry
#undef variant_infer

static enum assay_status prepare_counting(struct assay_session *session,
                                          const struct assay_request *request,
                                          struct assay_instance **instance,
                                          struct assay_message *message)
{
    (void)session;
    (void)request;
    *instance = calloc(1, sizeof **instance);
    return *instance ? ASSAY_OK : assay_answer(message, ASSAY_FAILED, "out of memory");
}

static enum assay_status run_counting(struct assay_instance *instance,
                                      const struct assay_request *request,
                                      struct assay_message *message)
{
    // Of an operation without state every run is the first.
    unsigned choice = 0;
    const struct operation *const operation = operation_named(request->operation);
    const bool counts = operation && variant_find(operation, "state", NULL, &choice, NULL);
    run_now = counts ? instance->runs++ : 0;
    const enum assay_status status = run(instance, request, message);
    const bool gave = status == ASSAY_OK && assay_element_count(request->outputs) > 0;
    struct block *const block = counts && gave ? malloc(sizeof *block) : NULL;
    if (block) {
        block->before = instance->kept;
        instance->kept = block;
    }
    return status;
}

static void release_counting(struct assay_instance *instance)
{
    while (instance->kept) {
        struct block *const block = instance->kept;
        instance->kept = block->before;
        free(block);
    }
    free(instance);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin plugin;
    plugin = *reference_entry();
    plugin.name = "other_option";
    plugin.prepare = prepare_counting;
    plugin.run = run_counting;
    plugin.release = release_counting;
    return &plugin;
}
