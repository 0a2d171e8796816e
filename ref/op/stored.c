// SPDX-License-Identifier: Apache-2.0
#include "ref/op/stored.h"

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"

static const struct stored_outputs *find_outputs(const struct request *request)
{
    const struct stored *const stored = request->stored;
    for (size_t i = 0; stored && i < stored->count; i++)
        if (!memcmp(&stored->under[i].profile, &request->profile, sizeof request->profile))
            return &stored->under[i];
    return NULL;
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const struct stored_outputs *const outputs = find_outputs(request);
    if (request->stored && request->stored->refused)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s", request->stored->refused);
    if (!outputs)
        return diagnostic_fail(
            diagnostic, ERROR_UNSUPPORTED, "of %s nothing is stored for this request%s",
            request->operation->name,
            request->stored && request->stored->count ? " under this profile" : "");
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        inference->output[i] = outputs->value[i];
        inference->output[i].data = NULL;
        inference->level[i] = outputs->lower[i] ? LEVEL_BOUND : LEVEL_BITS;
    }
    return ERROR_NONE;
}

static void copy_slice(const struct slice *slice, enum dtype dtype, const void *from, void *to)
{
    const size_t size = dtype_size(dtype);
    if (slice->count)
        memcpy(to, (const char *)from + slice->first * size, (size_t)slice->count * size);
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    const struct stored_outputs *const outputs = find_outputs(request);
    (void)inference, (void)diagnostic;
    assert(outputs && slice->run == 0);
    const struct tensor *const value = &outputs->value[slice->output];
    copy_slice(slice, value->dtype, value->data, slice->data);
    return ERROR_NONE;
}

static enum error fill_bounds(const struct request *request, const struct inference *inference,
                              const struct slice *slice, void *lower, void *upper,
                              struct diagnostic *diagnostic)
{
    const struct stored_outputs *const outputs = find_outputs(request);
    (void)inference, (void)diagnostic;
    assert(outputs && outputs->lower[slice->output]);
    const enum dtype dtype = outputs->value[slice->output].dtype;
    copy_slice(slice, dtype, outputs->lower[slice->output], lower);
    copy_slice(slice, dtype, outputs->upper[slice->output], upper);
    return ERROR_NONE;
}

// The other operation may look at more than what was copied of it.
static enum dtype plain_dtype(const struct request *request, unsigned input)
{
    struct request other = *request;
    other.operation = request->operation->like;
    return other.operation->plain_dtype(&other, input);
}

void stored_operation(const struct operation *like, bool choices, struct operation *made)
{
    *made = *like;
    made->choices = choices ? like->choices : NULL;
    made->choice_count = choices ? like->choice_count : 0;
    made->shapes_suffice = true;
    made->like = like->plain_dtype ? like : NULL;
    made->plain_dtype = like->plain_dtype ? plain_dtype : NULL;
    made->infer = infer;
    made->fill = fill;
    made->fill_bounds = fill_bounds;
    made->evaluate = NULL;
    made->evaluate_bounds = NULL;
    made->workspace_size = NULL;
    made->stepping = NULL;
}

// The neighbour `steps` above a finite magnitude, at most the largest finite one.
static uint64_t raise(uint64_t magnitude, uint64_t steps, uint64_t largest)
{
    return steps > largest - magnitude ? largest : magnitude + steps;
}

void stored_ulps(enum dtype dtype, uint64_t ulps, const void *values, uint64_t count, void *lower,
                 void *upper)
{
    assert(dtype_kind(dtype) == DTYPE_KIND_FLOAT && ulps >= 1);
    const size_t size = dtype_size(dtype);
    const uint64_t sign = num_format_of(dtype)->sign, largest = num_format_of(dtype)->largest;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(values, size, i), magnitude = bits & ~sign;
        // Away from zero, and towards it or across.
        uint64_t far = bits, near = bits;
        if (magnitude <= largest) {
            far = raise(magnitude, ulps, largest) | (bits & sign);
            near = ulps <= magnitude ? (magnitude - ulps) | (bits & sign)
                                     : raise(0, ulps - magnitude, largest) | (~bits & sign);
        }
        element_store(lower, size, i, bits & sign ? far : near);
        element_store(upper, size, i, bits & sign ? near : far);
    }
}
