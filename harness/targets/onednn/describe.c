// SPDX-License-Identifier: Apache-2.0
// From a request to the library's descriptors.

#define _GNU_SOURCE
#include <stdlib.h>

#include "harness/targets/helper/request.h"
#include "harness/targets/onednn/instance.h"

static int set_scales(struct assay_instance *i, const struct assay_request *request)
{
    static const char *const lists[] = {"weights_scales", "projection_scales"};
    static const char *const masks[] = {"weights_scales_mask", "projection_scales_mask"};
    const struct dnn_calls *const calls = &i->library->calls;
    int status = calls->attributes_create(&i->attributes);
    if (!status && assay_attribute_named(request, "data_scale"))
        status = calls->data_scales(i->attributes, (float)assay_real(request, "data_scale", 1),
                                    (float)assay_real(request, "data_shift", 0));
    for (int n = 0; n < 2 && !status; n++) {
        const struct assay_attribute *const list = assay_attribute_named(request, lists[n]);
        if (!list)
            continue;
        float *const scales = calloc(list->count, sizeof *scales);
        for (uint32_t k = 0; scales && k < list->count; k++)
            scales[k] = (float)list->reals[k];
        status = scales ? (n ? calls->projection_scales : calls->weights_scales)(
                              i->attributes, list->count, (int)assay_integer(request, masks[n], 0),
                              scales)
                        : DNN_OUT_OF_MEMORY;
        free(scales);
    }
    return status;
}

// ldgoi or ldoi: the input index moves fastest.
static struct rnn_tensor transposed(const struct rnn_tensor *tensor)
{
    struct rnn_tensor result = *tensor;
    result.strides[2] = 1;
    int64_t stride = tensor->dims[2];
    for (int d = tensor->rank - 1; d >= 0; d--)
        if (d != 2) {
            result.strides[d] = stride;
            stride *= tensor->dims[d];
        }
    return result;
}

static int describe_parts(struct assay_instance *i)
{
    const struct dnn_version *const version = i->library->version;
    int status = DNN_OK;
    for (unsigned slot = 0; slot < RNN_SLOTS && !status; slot++) {
        const struct rnn_tensor *const tensor = &i->rnn.tensor[slot];
        struct part *const part = &i->part[slot];
        if (!tensor->present)
            continue;
        status = version->md_create(i->library, tensor, false, &part->plain);
        const bool chosen = rnn_is_matrix(slot) && !tensor->formatted; // by the kind of target
        if (!status)
            status = version->md_create(i->library, tensor,
                                        tensor->any || (chosen && !rnn_target.plain), &part->asked);
        if (!status && chosen && rnn_target.plain && slot < RNN_DIFF && tensor->rank > 3) {
            const struct rnn_tensor turned = transposed(tensor);
            status = version->md_create(i->library, &turned, false, &part->asked_back);
        }
    }
    return status;
}

static int describe_as(struct assay_instance *i, const struct assay_request *request,
                       enum rnn_strides strides)
{
    dnn md[RNN_SLOTS];
    rnn_read(request, strides, &i->rnn);
    int status = set_scales(i, request);
    if (!status)
        status = describe_parts(i);
    for (unsigned slot = 0; slot < RNN_SLOTS; slot++)
        md[slot] = i->part[slot].asked;
    if (!status)
        status = i->library->version->describe(i->library, &i->rnn, md, i->attributes,
                                               &i->forward_descriptor);
    for (unsigned slot = 0; slot < RNN_SLOTS; slot++)
        if (i->part[slot].asked_back)
            md[slot] = i->part[slot].asked_back;
    if (!status && i->rnn.propagation == RNN_BACKWARD)
        status = i->library->version->describe_backward(
            i->library, &i->rnn, md, i->attributes, i->forward_descriptor, &i->backward_descriptor);
    return status;
}

static struct assay_instance *new_instance(struct assay_session *session)
{
    struct assay_instance *const i = calloc(1, sizeof *i);
    if (i)
        i->library = &session->library;
    return i;
}

static bool has_padding(const struct rnn *rnn)
{
    for (unsigned slot = 0; slot < RNN_SLOTS; slot++)
        if (rnn->tensor[slot].padded)
            return true;
    return false;
}

bool instance_described(const struct assay_instance *i)
{
    return i->forward_descriptor && (i->rnn.propagation != RNN_BACKWARD || i->backward_descriptor);
}

static int make(struct assay_session *session, const struct assay_request *request, bool build,
                struct assay_instance **instance)
{
    for (enum rnn_strides strides = RNN_ALL_STRIDED;; strides++) {
        *instance = new_instance(session);
        int status = *instance ? describe_as(*instance, request, strides) : DNN_OUT_OF_MEMORY;
        if (!status && build)
            status = instance_build(*instance);
        if (status != DNN_UNIMPLEMENTED || strides == RNN_DENSE || !has_padding(&(*instance)->rnn))
            return status;
        instance_release(*instance);
    }
}

int instance_describe(struct assay_session *session, const struct assay_request *request,
                      struct assay_instance **instance)
{
    return make(session, request, false, instance);
}

int instance_make(struct assay_session *session, const struct assay_request *request,
                  struct assay_instance **instance)
{
    return make(session, request, true, instance);
}

static void destroy(int (*with)(dnn), dnn object)
{
    if (object)
        with(object);
}

void instance_release(struct assay_instance *i)
{
    if (i->operator) {
        dnn_operator_release(i->operator);
        free(i);
        return;
    }
    const struct dnn_calls *const calls = &i->library->calls;
    for (unsigned slot = 0; slot < RNN_SLOTS; slot++) {
        struct part *const part = &i->part[slot];
        dnn const primitives[] = {part->to_own, part->to_own_back, part->from_own};
        dnn const memories[] = {part->memory, part->own, part->own_back};
        dnn const descriptors[] = {part->plain, part->asked, part->asked_back};
        for (int k = 0; k < 3; k++) {
            destroy(calls->primitive_destroy, primitives[k]);
            destroy(calls->memory_destroy, memories[k]);
            if (descriptors[k])
                i->library->version->md_destroy(i->library, descriptors[k]);
        }
    }
    destroy(calls->memory_destroy, i->workspace);
    destroy(calls->primitive_destroy, i->forward);
    destroy(calls->primitive_destroy, i->backward);
    destroy(calls->descriptor_destroy, i->backward_descriptor);
    destroy(calls->descriptor_destroy, i->forward_descriptor);
    destroy(calls->attributes_destroy, i->attributes);
    free(i);
}
