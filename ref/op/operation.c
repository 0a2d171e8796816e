// SPDX-License-Identifier: Apache-2.0
// Looking operations up, and the checks that they share.

#include "ref/op/operation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"

const struct operation *operation_named(const char *name)
{
    assert(name);
    for (unsigned i = 0; i < operation_count; i++)
        if (!strcmp(operation_table[i]->name, name))
            return operation_table[i];
    return NULL;
}

const char *operation_hint(const char *name, char hint[NEAREST_HINT_SIZE])
{
    struct nearest nearest = {.asked = name};
    for (unsigned i = 0; i < operation_count; i++)
        nearest_offer(&nearest, operation_table[i]->name);
    return nearest_hint(&nearest, hint);
}

int operation_attribute(const struct operation *operation, const char *name)
{
    for (unsigned i = 0; i < operation->attribute_count; i++)
        if (!strcmp(operation->attributes[i].name, name))
            return (int)i;
    return -1;
}

int operation_input(const struct operation *operation, const char *name)
{
    for (unsigned i = 0; i < operation->input_count; i++)
        if (!strcmp(operation->inputs[i].name, name))
            return (int)i;
    return -1;
}

int operation_output(const struct operation *operation, const char *name)
{
    for (unsigned i = 0; operation->outputs[i]; i++)
        if (!strcmp(operation->outputs[i], name))
            return (int)i;
    return -1;
}

const char *request_word(const struct request *request, unsigned attribute)
{
    return request->operation->attributes[attribute].words[request->attribute[attribute].integer];
}

int operation_observable(const struct request *request)
{
    const struct operation_stepping *const stepping = request->operation->stepping;
    return stepping ? stepping->observable(request) : -1;
}

enum error operation_take_workspace(const struct request *request,
                                    const struct inference *inference, bool bounds,
                                    struct arena *arena, void **workspace,
                                    struct diagnostic *diagnostic)
{
    size_t size = 0;
    *workspace = NULL;
    if (!request->operation->workspace_size)
        return ERROR_NONE;
    const enum error error =
        request->operation->workspace_size(request, inference, bounds, &size, diagnostic);
    if (error)
        return error;
    *workspace = arena_take_unset(arena, size);
    return *workspace ? ERROR_NONE
                      : diagnostic_fail(diagnostic, ERROR_INTERNAL,
                                        "out of memory for %zu bytes of workspace", size);
}

enum dtype operation_plain_u32(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_U32;
}

enum dtype operation_plain_u64(const struct request *request, unsigned input)
{
    (void)request;
    (void)input;
    return DTYPE_U64;
}

enum error operation_check_dtype(const struct request *request, unsigned input, unsigned dtypes,
                                 struct diagnostic *diagnostic)
{
    assert(input < request->operation->input_count);
    const enum dtype dtype = request->input[input].dtype;
    if (DTYPE_BIT(dtype) & dtypes)
        return ERROR_NONE;
    char known[128];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s has type %s; expected %s",
                           request->operation->inputs[input].name, dtype_name(dtype),
                           dtype_describe_set(dtypes, known, sizeof known));
}

enum error operation_check_rank(const struct request *request, unsigned input, unsigned rank,
                                const char *letters, struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &request->input[input];
    char found[128];
    if (tensor->rank == rank)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s is %s; expected rank %u, [%s]",
                           request->operation->inputs[input].name,
                           tensor_describe(tensor, found, sizeof found), rank, letters);
}

enum error operation_check_shape(const struct request *request, unsigned input, unsigned rank,
                                 const size_t *sizes, const char *letters,
                                 struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &request->input[input];
    bool right = tensor->rank == rank;
    for (unsigned i = 0; right && i < rank; i++)
        right = tensor->shape[i] == sizes[i];
    if (right)
        return ERROR_NONE;
    char found[128], expected[128] = "";
    const char *const comma = strstr(letters, ", ") ? ", " : ",";
    size_t used = 0;
    for (unsigned i = 0; i < rank; i++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%zu", i ? comma : "",
                                 sizes[i]);
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "%s is %s; expected [%s], which is [%s]",
                           request->operation->inputs[input].name,
                           tensor_describe(tensor, found, sizeof found), letters, expected);
}

enum error operation_check_scalar(const struct request *request, unsigned input,
                                  bool one_element_list, struct diagnostic *diagnostic)
{
    assert(input < request->operation->input_count);
    const struct tensor *const tensor = &request->input[input];
    if (tensor->rank == 0 || (one_element_list && tensor->rank == 1 && tensor->shape[0] == 1))
        return ERROR_NONE;
    char text[96];
    return diagnostic_fail(
        diagnostic, ERROR_INVALID_ARGUMENT, "input %s is %s; expected a scalar%s",
        request->operation->inputs[input].name, tensor_describe(tensor, text, sizeof text),
        one_element_list ? " or one element" : "");
}

enum error operation_set_shape(struct tensor *tensor, const int64_t *sizes, size_t count,
                               const char *what, struct diagnostic *diagnostic)
{
    if (count > TENSOR_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "%s has %zu dimensions; at most %d are supported", what, count,
                               TENSOR_RANK_MAX);
    tensor->rank = (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] < 0)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "%s[%zu] is %" PRId64 "; a size is not negative", what, i,
                                   sizes[i]);
        tensor->shape[i] = (uint64_t)sizes[i];
    }
    uint64_t elements;
    if (!tensor_count(tensor, &elements) || elements > INT64_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "%s asks for more than 2^63 - 1 elements", what);
    return ERROR_NONE;
}

int64_t operation_load_integer(const struct tensor *tensor, uint64_t index)
{
    assert(tensor->data && dtype_kind(tensor->dtype) != DTYPE_KIND_FLOAT);
    const size_t size = dtype_size(tensor->dtype);
    const uint64_t bits = element_load(tensor->data, size, index);
    if (dtype_kind(tensor->dtype) != DTYPE_KIND_SIGNED)
        return (int64_t)bits;
    const unsigned unused = 64 - dtype_bits(tensor->dtype);
    return (int64_t)(bits << unused) >> unused;
}
