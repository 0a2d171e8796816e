// SPDX-License-Identifier: Apache-2.0
// oneDNN's RNN primitives through its C API, forward, and backward as the training pair with its
// workspace. What is unsupported is what the library itself calls unimplemented when a primitive
// descriptor is asked for.

#define _GNU_SOURCE
#include "harness/targets/onednn/target.h"

#include <stdlib.h>

#include "harness/targets/helper/request.h"
#include "harness/targets/onednn/instance.h"

static enum assay_status open_session(struct assay_session **result, struct assay_message *message)
{
    struct assay_session *const session = calloc(1, sizeof *session);
    if (!session)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    const enum assay_status status = dnn_open(&session->library, rnn_target.version, message);
    if (status == ASSAY_OK)
        *result = session;
    else
        free(session);
    return status;
}

static const char *version_of(struct assay_session *session)
{
    return session->library.number;
}

static void close_session(struct assay_session *session)
{
    dnn_close(&session->library);
    free(session);
}

// Threads for the library's next calls; what was set before comes back, 0 when nothing is to be
// restored.
static int set_threads(const struct dnn_library *library, uint32_t threads)
{
    return threads && library->version->set_threads
               ? library->version->set_threads(library, (int)threads)
               : 0;
}

// The library calls attention with several layers or directions invalid; the specification does
// not.
static bool is_unspecified_limit(const struct assay_instance *i)
{
    return i->rnn.cell >= RNN_AUGRU &&
           (i->rnn.direction != RNN_LEFT_TO_RIGHT || i->rnn.tensor[RNN_WEIGHTS_LAYER].dims[0] != 1);
}

// ---- declared operators -----------------------------------------------------

static enum assay_status supports_operator(struct assay_session *session,
                                           const struct assay_request *request,
                                           struct assay_message *message)
{
    struct dnn_operator operator;
    struct operator_run *run;
    if (rnn_target.plain || rnn_target.serial)
        return assay_answer(message, ASSAY_UNSUPPORTED, "this way to call it is for onednn.rnn");
    const char *const why = dnn_operator_read(request, &operator);
    if (why)
        return assay_answer(message, ASSAY_UNSUPPORTED, "oneDNN: %s", why);
    const int status = dnn_operator_make(&session->library, &operator, false, &run);
    if (run)
        dnn_operator_release(run);
    return status == DNN_UNIMPLEMENTED
               ? assay_answer(message, ASSAY_UNSUPPORTED, "oneDNN answers unimplemented")
               : ASSAY_OK;
}

static int prepare_operator(struct assay_session *session, const struct assay_request *request,
                            struct assay_instance **instance)
{
    struct dnn_operator operator;
    struct assay_instance *const i = calloc(1, sizeof *i);
    if (!i || dnn_operator_read(request, &operator)) {
        free(i);
        return i ? DNN_INVALID : DNN_OUT_OF_MEMORY;
    }
    const int before = set_threads(&session->library, request->threads);
    const int status = dnn_operator_make(&session->library, &operator, true, &i->operator);
    set_threads(&session->library, (uint32_t)before);
    i->library = &session->library;
    if (!status)
        *instance = i;
    else if (i->operator)
        instance_release(i);
    else
        free(i);
    return status;
}

// ---- recurrent networks -----------------------------------------------------

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    if (dnn_operator_is(request->operation))
        return supports_operator(session, request, message);
    if (strcmp(request->operation, "onednn.rnn") != 0)
        return assay_answer(message, ASSAY_UNSUPPORTED, "only onednn.rnn and operators");
    struct rnn rnn;
    struct assay_instance *i;
    rnn_read(request, RNN_DENSE, &rnn);
    if (rnn_is_left_over(request, &rnn, message->text, sizeof message->text))
        return ASSAY_OK; // it is wrong, not unsupported
    const int status = instance_describe(session, request, &i);
    const bool limit = i && status == DNN_INVALID && is_unspecified_limit(i);
    const bool overwrite =
        i && i->rnn.overwrite && i->backward_descriptor && !session->library.version->has_overwrite;
    if (i)
        instance_release(i);
    if (limit)
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "oneDNN takes attention with one layer from left to right alone");
    if (overwrite)
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "this version has no flag to overwrite gradients");
    if (status == DNN_UNIMPLEMENTED)
        return assay_answer(message, ASSAY_UNSUPPORTED, "oneDNN answers unimplemented");
    return ASSAY_OK;
}

// What the library said of a request, and when.
static enum assay_status answer_status(struct assay_message *message, int status, const char *when)
{
    if (status == DNN_INVALID)
        return assay_answer(message, ASSAY_REJECTED, "oneDNN answers invalid arguments%s", when);
    if (status == DNN_UNIMPLEMENTED)
        return assay_answer(message, ASSAY_FAILED, "oneDNN answers unimplemented%s", when);
    return assay_answer(message, ASSAY_FAILED, "oneDNN failed with status %d%s", status, when);
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    struct rnn rnn;
    struct assay_instance *i;
    if (dnn_operator_is(request->operation)) {
        const int failed = prepare_operator(session, request, instance);
        return failed ? answer_status(message, failed, "") : ASSAY_OK;
    }
    rnn_read(request, RNN_DENSE, &rnn);
    if (rnn_is_left_over(request, &rnn, message->text, sizeof message->text))
        return ASSAY_REJECTED;
    const int before = set_threads(&session->library, request->threads);
    const int status = instance_make(session, request, &i);
    set_threads(&session->library, (uint32_t)before);
    if (!i)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    const bool described = instance_described(i);
    if (status)
        instance_release(i);
    if (!status)
        *instance = i;
    return status
               ? answer_status(message, status,
                               described ? " when it prepares a primitive that it described" : "")
               : ASSAY_OK;
}

static enum assay_status run(struct assay_instance *i, const struct assay_request *request,
                             struct assay_message *message)
{
    char name[RNN_NAME_SIZE];
    if (i->operator) {
        const int threads = set_threads(i->library, request->threads);
        const int failed = dnn_operator_execute(i->operator, request);
        set_threads(i->library, (uint32_t)threads);
        return failed ? answer_status(message, failed, " when it runs") : ASSAY_OK;
    }
    if (!rnn_outputs_fit(request, &i->rnn, name))
        return assay_answer(message, ASSAY_WRONG_RESULT, "%s has another type or shape", name);
    const int before = set_threads(i->library, request->threads);
    const int status = instance_run(i, request);
    set_threads(i->library, (uint32_t)before);
    return status ? answer_status(message, status, " when it runs") : ASSAY_OK;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const char *feeds[1];
    static struct assay_plugin plugin = {
        .abi_version = ASSAY_PLUGIN_ABI_VERSION,
        .dtype_last = ASSAY_DTYPE_LAST,
        .size = sizeof plugin,
        .feed_count = 1,
        .feeds = feeds,
        .open = open_session,
        .version = version_of,
        .supports = supports,
        .prepare = prepare,
        .run = run,
        .release = instance_release,
        .close = close_session,
    };
    feeds[0] = rnn_target.plain ? "plain" : "any";
    plugin.name = rnn_target.name;
    plugin.capabilities = ASSAY_CAPABILITY_STRIDED | ASSAY_CAPABILITY_STATES |
                          ASSAY_CAPABILITY_LAYOUTS |
                          (rnn_target.version->set_threads ? ASSAY_CAPABILITY_THREADS : 0u);
    return &plugin;
}
