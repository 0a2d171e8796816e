// SPDX-License-Identifier: Apache-2.0
// Requests as bytes. Both ends are the same program on the same machine, so numbers travel as they
// lie in memory.

#include "harness/host/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/dtype.h"

_Static_assert((int)ASSAY_BOOL == (int)DTYPE_BOOL && (int)ASSAY_F64 == (int)DTYPE_F64 &&
                   (int)ASSAY_DTYPE_LAST == (int)DTYPE_COUNT - 1,
               "the ABI numbers dtypes as ref/base does");

DLDataType wire_dlpack_dtype(enum dtype dtype)
{
    DLDataType type = {.code = kDLOpaqueHandle, .bits = (uint8_t)dtype_bits(dtype), .lanes = 1};
    switch (dtype_kind(dtype)) {
    case DTYPE_KIND_SIGNED:
        type.code = kDLInt;
        break;
    case DTYPE_KIND_UNSIGNED:
        type.code = kDLUInt;
        break;
    case DTYPE_KIND_FLOAT:
        if (type.bits > 8)
            type.code = dtype == DTYPE_BF16 ? kDLBfloat : kDLFloat;
        break;
    default:
        break;
    }
    return type;
}

bool wire_reserve(struct wire_text *text, size_t size)
{
    if (size <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 4096;
    while (capacity < size)
        capacity *= 2;
    unsigned char *const grown = realloc(text->bytes, capacity);
    if (!grown)
        return false;
    text->bytes = grown;
    text->capacity = capacity;
    return true;
}

// `bytes` may be NULL where there are none.
static void put(struct wire_text *text, const void *bytes, size_t size)
{
    if (text->failed || !size)
        return;
    if (!wire_reserve(text, text->size + size)) {
        text->failed = true;
        return;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void put_u32(struct wire_text *text, uint32_t value)
{
    put(text, &value, sizeof value);
}

static void put_u64(struct wire_text *text, uint64_t value)
{
    put(text, &value, sizeof value);
}

static void put_text(struct wire_text *text, const char *value)
{
    const uint64_t length = strlen(value);
    put_u64(text, length);
    put(text, value, length + 1);
}

static void put_attribute(struct wire_text *text, const struct assay_attribute *attribute)
{
    put_text(text, attribute->name);
    put_u32(text, attribute->kind);
    put_u32(text, attribute->count);
    put_u64(text, (uint64_t)attribute->integer);
    put(text, &attribute->real, sizeof attribute->real);
    if (attribute->kind == ASSAY_TEXT)
        put_text(text, attribute->text);
    else if (attribute->kind == ASSAY_INTEGERS)
        put(text, attribute->integers, attribute->count * sizeof *attribute->integers);
    else if (attribute->kind == ASSAY_REALS)
        put(text, attribute->reals, attribute->count * sizeof *attribute->reals);
}

static void put_tensor(struct wire_text *text, const struct host_tensor *tensor,
                       const struct wire_place *place)
{
    put_text(text, tensor->name);
    put_u32(text, (uint32_t)tensor->tensor.dtype);
    put_u32(text, tensor->tensor.rank);
    put(text, tensor->tensor.shape, tensor->tensor.rank * sizeof tensor->tensor.shape[0]);
    if (place)
        put(text, place, sizeof *place);
}

static size_t begin(struct wire_text *text, enum wire_kind kind, uint32_t serial)
{
    const size_t start = text->size;
    put_u32(text, 0);
    put_u32(text, (uint32_t)kind);
    put_u32(text, serial);
    return start;
}

static void end(struct wire_text *text, size_t start)
{
    if (text->failed)
        return;
    const uint32_t length = (uint32_t)(text->size - start - sizeof(uint32_t));
    memcpy(text->bytes + start, &length, sizeof length);
    if (length > WIRE_MESSAGE_MAX)
        text->failed = true;
}

void wire_put_call(struct wire_text *text, enum wire_kind kind, uint32_t serial, uint32_t flags,
                   const struct host_request *request, const struct host_conditions *conditions,
                   const struct wire_place *places)
{
    assert(request->operation && (places || kind == WIRE_SUPPORTS));
    const size_t start = begin(text, kind, serial);
    put_u32(text, flags);
    put_text(text, request->operation);
    put_text(text, request->declaration ? request->declaration : "");
    put_u32(text, (uint32_t)request->attribute_count);
    put_u32(text, (uint32_t)request->input_count);
    put_u32(text, (uint32_t)request->output_count);
    put_u32(text, conditions->threads);
    put_u32(text, conditions->feed);
    put_u32(text, places != NULL);
    put_u64(text, request->window_first);
    put_u64(text, request->window_count);
    for (size_t i = 0; i < request->attribute_count; i++)
        put_attribute(text, &request->attributes[i]);
    for (size_t i = 0; i < request->input_count; i++)
        put_tensor(text, &request->inputs[i], places ? &places[i] : NULL);
    for (size_t i = 0; i < request->output_count; i++)
        put_tensor(text, &request->outputs[i], places ? &places[request->input_count + i] : NULL);
    end(text, start);
}

void wire_put_close(struct wire_text *text, uint32_t serial)
{
    end(text, begin(text, WIRE_CLOSE, serial));
}

// The next `size` bytes, or NULL (and failed) when fewer are left.
static void *take(struct wire_text *text, size_t size)
{
    if (text->failed || size > text->size - text->at) {
        text->failed = true;
        return NULL;
    }
    void *const bytes = text->bytes + text->at;
    text->at += size;
    return bytes;
}

// The next `size` bytes into `value`, which stays as it is when fewer are left.
static void take_into(struct wire_text *text, void *value, size_t size)
{
    const void *const bytes = take(text, size);
    if (bytes)
        memcpy(value, bytes, size);
}

static uint32_t take_u32(struct wire_text *text)
{
    uint32_t value = 0;
    take_into(text, &value, sizeof value);
    return value;
}

static uint64_t take_u64(struct wire_text *text)
{
    uint64_t value = 0;
    take_into(text, &value, sizeof value);
    return value;
}

static const char *take_text(struct wire_text *text)
{
    const uint64_t length = take_u64(text);
    if (length > WIRE_MESSAGE_MAX) {
        text->failed = true;
        return "";
    }
    const char *const bytes = take(text, length + 1);
    return bytes ? bytes : "";
}

// A copy in the arena, aligned whatever the message is.
static void *take_array(struct wire_text *text, struct arena *arena, size_t count, size_t size)
{
    const void *const bytes = take(text, count * size);
    void *const copy = bytes ? arena_take_array(arena, count, size) : NULL;
    if (!copy) {
        text->failed = true;
        return NULL;
    }
    memcpy(copy, bytes, count * size);
    return copy;
}

static void take_attribute(struct wire_text *text, struct arena *arena,
                           struct assay_attribute *attribute)
{
    attribute->name = take_text(text);
    attribute->kind = take_u32(text);
    attribute->count = take_u32(text);
    attribute->integer = (int64_t)take_u64(text);
    take_into(text, &attribute->real, sizeof attribute->real);
    if (attribute->count > WIRE_MESSAGE_MAX)
        text->failed = true;
    else if (attribute->kind == ASSAY_TEXT)
        attribute->text = take_text(text);
    else if (attribute->kind == ASSAY_INTEGERS)
        attribute->integers =
            take_array(text, arena, attribute->count, sizeof *attribute->integers);
    else if (attribute->kind == ASSAY_REALS)
        attribute->reals = take_array(text, arena, attribute->count, sizeof *attribute->reals);
}

static void take_tensor(struct wire_text *text, struct arena *arena, struct assay_tensor *tensor,
                        struct wire_place *place)
{
    tensor->name = take_text(text);
    tensor->dtype = take_u32(text);
    const uint32_t rank = take_u32(text);
    if (rank > TENSOR_RANK_MAX || tensor->dtype >= DTYPE_COUNT) {
        text->failed = true;
        return;
    }
    tensor->layout.device = (DLDevice){.device_type = kDLCPU, .device_id = 0};
    tensor->layout.ndim = (int32_t)rank;
    tensor->layout.dtype = wire_dlpack_dtype((enum dtype)tensor->dtype);
    tensor->layout.shape = take_array(text, arena, rank, sizeof *tensor->layout.shape);
    if (!place)
        return;
    take_into(text, place, sizeof *place);
    if (place->strided && !text->failed)
        tensor->layout.strides = place->strides;
}

bool wire_take_call(unsigned char *bytes, size_t size, struct arena *arena, struct wire_call *call)
{
    struct wire_text text = {.bytes = bytes, .size = size};
    memset(call, 0, sizeof *call);
    call->kind = (enum wire_kind)take_u32(&text);
    call->serial = take_u32(&text);
    if (call->kind == WIRE_CLOSE)
        return !text.failed;
    struct assay_request *const request = &call->request;
    call->flags = take_u32(&text);
    request->size = sizeof *request;
    request->operation = take_text(&text);
    request->declaration = take_text(&text);
    if (request->declaration && !*request->declaration)
        request->declaration = NULL;
    request->attribute_count = take_u32(&text);
    request->input_count = take_u32(&text);
    request->output_count = take_u32(&text);
    request->threads = take_u32(&text);
    request->feed = take_u32(&text);
    const bool placed = take_u32(&text) != 0;
    request->window_first = take_u64(&text);
    request->window_count = take_u64(&text);
    call->tensor_count = request->input_count + request->output_count;
    if (text.failed || request->attribute_count > WIRE_MESSAGE_MAX ||
        call->tensor_count > WIRE_MESSAGE_MAX)
        return false;
    struct assay_attribute *const attributes =
        arena_take_array(arena, request->attribute_count, sizeof *attributes);
    call->tensors = arena_take_array(arena, call->tensor_count, sizeof *call->tensors);
    call->places =
        placed ? arena_take_array(arena, call->tensor_count, sizeof *call->places) : NULL;
    if (!attributes || !call->tensors || (placed && !call->places))
        return false;
    for (size_t i = 0; i < request->attribute_count; i++)
        take_attribute(&text, arena, &attributes[i]);
    for (size_t i = 0; i < call->tensor_count; i++)
        take_tensor(&text, arena, &call->tensors[i], placed ? &call->places[i] : NULL);
    request->attributes = attributes;
    request->inputs = call->tensors;
    request->outputs = call->tensors + request->input_count;
    return !text.failed;
}
