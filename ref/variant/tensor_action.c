// SPDX-License-Identifier: Apache-2.0
#include "ref/variant/tensor_action.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

enum { PAIR_BLOCK = 32 };

// How many elements a step along the axis is.
static uint64_t inner_of(const struct tensor *tensor, unsigned axis)
{
    uint64_t inner = 1;
    for (unsigned d = axis + 1; d < tensor->rank; d++)
        inner *= tensor->shape[d];
    return inner;
}

static void move_lines(struct act act, const struct tensor *from, char *to, uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    const uint64_t inner = inner_of(from, act.axis), length = from->shape[act.axis];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i / inner % length;
        const uint64_t source = act.action == ROTATE    ? (at + 1) % length
                                : act.action == REVERSE ? length - 1 - at
                                                        : at & UINT8_MAX;
        memcpy(to + i * size, (const char *)from->data + (i - at * inner + source * inner) * size,
               size);
    }
}

// What lies beyond the lines and columns is read as zero.
static void pair_lines(struct act act, const struct tensor *from, char *to, uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    const uint64_t inner = inner_of(from, act.axis), length = from->shape[act.axis];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i % inner, line = i / inner % length;
        const uint64_t read = 2 * (at % PAIR_BLOCK) + line % 2;
        const uint64_t column = at - at % PAIR_BLOCK + read % PAIR_BLOCK;
        const uint64_t source = line - line % 2 + read / PAIR_BLOCK;
        if (source < length && column < inner)
            memcpy(to + i * size,
                   (const char *)from->data +
                       (i - at - line * inner + source * inner + column) * size,
                   size);
    }
}

// Floats alone: integers that are quantised have no number of opposite sign for each.
static void change_values(struct act act, const struct tensor *from, char *to, uint64_t count)
{
    const size_t size = dtype_size(from->dtype);
    const bool is_float = dtype_kind(from->dtype) == DTYPE_KIND_FLOAT;
    const uint64_t inner = inner_of(from, act.axis), length = from->shape[act.axis];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(from->data, size, i);
        const bool meant = is_float && (act.action < NEGATE_LINE ||
                                        i / inner % length == (unsigned)act.action - NEGATE_LINE);
        element_store(to, size, i,
                      !meant ? bits
                      : act.action == DOUBLE
                          ? num_from_double(from->dtype, 2 * num_to_double(from->dtype, bits))
                          : num_negate(from->dtype, bits));
    }
}

enum error lens_change_tensor(const struct lens_call *call, struct act act, struct tensor *tensor)
{
    size_t bytes;
    uint64_t count;
    if (!tensor_present(tensor) || !tensor->data || !tensor_count(tensor, &count) || !count ||
        !tensor_bytes(tensor, &bytes) || act.axis >= tensor->rank)
        return ERROR_NONE;
    char *const data = arena_take(call->arena, bytes);
    if (!data)
        return diagnostic_no_memory(call->diagnostic);
    if (act.action <= WRAP)
        move_lines(act, tensor, data, count);
    else if (act.action == PAIR)
        pair_lines(act, tensor, data, count);
    else if (act.action != CLEAR)
        change_values(act, tensor, data, count);
    tensor->data = data; // CLEAR: the arena's memory is zero
    return ERROR_NONE;
}
