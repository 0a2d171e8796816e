// SPDX-License-Identifier: Apache-2.0
// For authors of targets in C: reading a request of harness/plugin.h, and answering why not.
// Nothing here allocates or keeps state.

#ifndef ASSAY_HARNESS_TARGETS_HELPER_REQUEST_H
#define ASSAY_HARNESS_TARGETS_HELPER_REQUEST_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/plugin.h"

// Returns `status` with its reason, in printf's form.
__attribute__((format(printf, 3, 4))) static inline enum assay_status assay_answer(
    struct assay_message *message, enum assay_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return status;
}

// The attribute of that name, or NULL.
static inline const struct assay_attribute *assay_attribute_named(
    const struct assay_request *request, const char *name)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name))
            return &request->attributes[i];
    return NULL;
}

static inline int64_t assay_integer(const struct assay_request *request, const char *name,
                                    int64_t otherwise)
{
    const struct assay_attribute *const found = assay_attribute_named(request, name);
    return found ? found->integer : otherwise;
}

static inline double assay_real(const struct assay_request *request, const char *name,
                                double otherwise)
{
    const struct assay_attribute *const found = assay_attribute_named(request, name);
    return found ? found->real : otherwise;
}

// The place of an attribute's word in a list that ends with NULL; -1 when the attribute is absent
// or its word not listed.
static inline int assay_word(const struct assay_request *request, const char *name,
                             const char *const *words)
{
    const struct assay_attribute *const found = assay_attribute_named(request, name);
    for (int i = 0; found && found->text && words[i]; i++)
        if (!strcmp(found->text, words[i]))
            return i;
    return -1;
}

// The tensor of that name among `count`, or NULL.
static inline const struct assay_tensor *assay_tensor_named(const struct assay_tensor *tensors,
                                                            size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(tensors[i].name, name))
            return &tensors[i];
    return NULL;
}

static inline const struct assay_tensor *assay_input_named(const struct assay_request *request,
                                                           const char *name)
{
    return assay_tensor_named(request->inputs, request->input_count, name);
}

static inline const struct assay_tensor *assay_output_named(const struct assay_request *request,
                                                            const char *name)
{
    return assay_tensor_named(request->outputs, request->output_count, name);
}

static inline int64_t assay_element_count(const struct assay_tensor *tensor)
{
    int64_t count = 1;
    for (int32_t d = 0; d < tensor->layout.ndim; d++)
        count *= tensor->layout.shape[d];
    return count;
}

// Bytes of the elements, without what strides leave between them.
static inline size_t assay_tensor_bytes(const struct assay_tensor *tensor)
{
    return (size_t)assay_element_count(tensor) * (tensor->layout.dtype.bits / 8u);
}

#endif
