// SPDX-License-Identifier: Apache-2.0
// Memories, reorders and execution.

#define _GNU_SOURCE
#include "harness/targets/onednn/instance.h"

#include "harness/targets/helper/request.h"

// ---- building ---------------------------------------------------------------

static int make_reorder(struct assay_instance *i, dnn from, dnn to, dnn attributes, dnn *primitive)
{
    const struct dnn_calls *const calls = &i->library->calls;
    dnn descriptor = NULL;
    int status = calls->reorder_create(&descriptor, from, i->library->engine, to,
                                       i->library->engine, attributes);
    if (!status)
        status = calls->primitive_create(primitive, descriptor);
    if (descriptor)
        calls->descriptor_destroy(descriptor);
    return status;
}

// Memory in the format that a primitive wants for an argument, and the reorder that fills it,
// unless plain memory serves.
static int make_own(struct assay_instance *i, struct part *part, dnn descriptor, unsigned slot,
                    dnn *own, dnn *to_own)
{
    const struct dnn_calls *const calls = &i->library->calls;
    const dnn md = calls->query_md(descriptor, DNN_QUERY_ARGUMENT, rnn_argument(slot));
    if (!md || calls->md_equal(md, part->plain))
        return DNN_OK;
    const int status = calls->memory_create(own, md, i->library->engine, DNN_ALLOCATE);
    return status ? status
                  : make_reorder(i, part->plain, md, rnn_is_matrix(slot) ? i->attributes : NULL,
                                 to_own);
}

// The way back from the memory that a primitive of `descriptor` writes.
static int make_from_own(struct assay_instance *i, struct part *part, dnn descriptor, unsigned slot)
{
    const dnn md = i->library->calls.query_md(descriptor, DNN_QUERY_ARGUMENT, rnn_argument(slot));
    return make_reorder(i, md, part->plain, NULL, &part->from_own);
}

static int make_memories(struct assay_instance *i)
{
    const struct dnn_calls *const calls = &i->library->calls;
    int status = DNN_OK;
    for (unsigned slot = 0; slot < RNN_SLOTS && !status; slot++) {
        struct part *const part = &i->part[slot];
        if (!i->rnn.tensor[slot].present)
            continue;
        status = calls->memory_create(&part->memory, part->plain, i->library->engine, DNN_ALLOCATE);
        const bool owned = rnn_is_matrix(slot) || i->rnn.tensor[slot].any;
        if (!status && owned && slot < RNN_DIFF)
            status = make_own(i, part, i->forward_descriptor, slot, &part->own, &part->to_own);
        if (!status && owned && i->backward_descriptor)
            status = make_own(i, part, i->backward_descriptor, slot, &part->own_back,
                              &part->to_own_back);
        if (!status && part->own_back && slot >= RNN_DIFF)
            status = make_from_own(i, part, i->backward_descriptor, slot);
        else if (!status && part->own && slot < RNN_DIFF && rnn_is_result(slot))
            status = make_from_own(i, part, i->forward_descriptor, slot);
    }
    return status;
}

int instance_build(struct assay_instance *i)
{
    const struct dnn_calls *const calls = &i->library->calls;
    int status = calls->primitive_create(&i->forward, i->forward_descriptor);
    if (!status && i->backward_descriptor)
        status = calls->primitive_create(&i->backward, i->backward_descriptor);
    if (!status)
        status = make_memories(i);
    const dnn workspace =
        status ? NULL
               : calls->query_md(i->forward_descriptor, i->library->version->query_workspace, 0);
    return workspace
               ? calls->memory_create(&i->workspace, workspace, i->library->engine, DNN_ALLOCATE)
               : status;
}

// ---- running ----------------------------------------------------------------

// Copies between a tensor of the request (NULL: zeros) and plain memory. What padding there is in
// memory holds no number.
static int copy(struct assay_instance *i, unsigned slot, const struct assay_tensor *tensor, bool in)
{
    const struct dnn_calls *const calls = &i->library->calls;
    const struct rnn_tensor *const shape = &i->rnn.tensor[slot];
    const dnn memory = i->part[slot].memory;
    const size_t span = rnn_span(shape);
    void *mapped = NULL;
    const int status = span ? calls->memory_map(memory, &mapped) : DNN_OK;
    if (status || !mapped)
        return status;
    if (in && (!tensor || shape->padded))
        memset(mapped, tensor ? 0xff : 0, span);
    if (in && tensor)
        rnn_copy(shape, mapped, shape->strides, tensor->layout.data, tensor->layout.strides);
    else if (!in)
        rnn_copy(shape, tensor->layout.data, tensor->layout.strides, mapped, shape->strides);
    return calls->memory_unmap(memory, mapped);
}

static int reorder(struct assay_instance *i, dnn primitive, dnn from, dnn to)
{
    const struct dnn_argument arguments[] = {{DNN_FROM, from}, {DNN_TO, to}};
    return primitive ? i->library->calls.execute(primitive, i->library->stream, 2, arguments)
                     : DNN_OK;
}

// Results start as the request's outputs are, so that what the library leaves unwritten shows.
int instance_load(struct assay_instance *i, const struct assay_request *request)
{
    int status = DNN_OK;
    for (unsigned slot = 0; slot < RNN_SLOTS && !status; slot++) {
        char name[RNN_NAME_SIZE];
        struct part *const part = &i->part[slot];
        if (!i->rnn.tensor[slot].present)
            continue;
        rnn_name(slot, name);
        status = copy(i, slot,
                      rnn_is_result(slot) ? assay_output_named(request, name)
                                          : assay_input_named(request, name),
                      true);
        if (!status)
            status = reorder(i, part->to_own, part->memory, part->own);
        if (!status)
            status = reorder(i, part->to_own_back, part->memory, part->own_back);
    }
    return status;
}

static int execute(struct assay_instance *i, dnn primitive, bool backward)
{
    struct dnn_argument arguments[RNN_SLOTS + 1];
    int count = 0;
    for (unsigned slot = 0; slot < (backward ? RNN_SLOTS : RNN_DIFF); slot++) {
        const struct part *const part = &i->part[slot];
        const dnn own = backward ? part->own_back : part->own;
        if (i->rnn.tensor[slot].present)
            arguments[count++] =
                (struct dnn_argument){rnn_argument(slot), own ? own : part->memory};
    }
    if (i->workspace)
        arguments[count++] = (struct dnn_argument){DNN_WORKSPACE, i->workspace};
    return i->library->calls.execute(primitive, i->library->stream, count, arguments);
}

// What the forward primitive gave, on its way to the backward one.
static int pass_on(struct assay_instance *i)
{
    int status = DNN_OK;
    for (unsigned slot = RNN_DST_LAYER; slot < RNN_DIFF && !status; slot++) {
        const struct part *const part = &i->part[slot];
        status = reorder(i, part->from_own, part->own, part->memory);
        if (!status)
            status = reorder(i, part->to_own_back, part->memory, part->own_back);
    }
    return status;
}

int instance_execute(struct assay_instance *i)
{
    int status = execute(i, i->forward, false);
    if (!status && i->backward)
        status = pass_on(i);
    return status || !i->backward ? status : execute(i, i->backward, true);
}

static int store(struct assay_instance *i, const struct assay_request *request)
{
    int status = DNN_OK;
    for (unsigned slot = 0; slot < RNN_SLOTS && !status;
         slot++) // all are queued before the first wait
        if (i->rnn.tensor[slot].present) {
            const struct part *const part = &i->part[slot];
            status = reorder(i, part->from_own, slot < RNN_DIFF ? part->own : part->own_back,
                             part->memory);
        }
    if (!status)
        status = i->library->calls.stream_wait(i->library->stream);
    for (unsigned slot = 0; slot < RNN_SLOTS && !status; slot++) {
        char name[RNN_NAME_SIZE];
        const struct assay_tensor *const output = assay_output_named(request, rnn_name(slot, name));
        if (output && i->rnn.tensor[slot].present)
            status = copy(i, slot, output, false);
    }
    return status;
}

int instance_run(struct assay_instance *i, const struct assay_request *request)
{
    int status = instance_load(i, request);
    if (!status)
        status = instance_execute(i);
    return status ? status : store(i, request);
}
