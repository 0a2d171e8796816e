// SPDX-License-Identifier: Apache-2.0
// Fills of openvino.range, many elements at a time. An including file names its functions FILL_F32
// and FILL_U32, says how many BYTES a vector has, and defines store_past_caches: outputs that no
// cache holds are written past them.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ref/op/openvino/range.h"

enum { LANES = BYTES / 4, STREAMED_ELEMENTS = 2 << 20 };

__extension__ typedef float float_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef int32_t int_lanes __attribute__((vector_size(BYTES)));
__extension__ typedef uint32_t word_lanes __attribute__((vector_size(BYTES)));

// Elements until `data` is aligned, at most `count`.
static uint64_t misaligned(const void *data, uint64_t count)
{
    const uint64_t before = (0 - (uint64_t)(uintptr_t)data) % BYTES / 4;
    return before < count ? before : count;
}

static word_lanes ascending(void)
{
    word_lanes lanes = {0};
    for (unsigned i = 0; i < LANES; i++)
        lanes[i] = i;
    return lanes;
}

void FILL_F32(float start, float step, uint32_t first, uint64_t count, float *data)
{
    uint64_t i = 0;
    for (const uint64_t head = misaligned(data, count); i < head; i++)
        data[i] = start + (float)(int32_t)(first + i) * step;
    word_lanes index =
        ascending() +
        (uint32_t)(first + i); // below 2^31 where it is used, maybe not behind the last one
    const bool streamed = count >= STREAMED_ELEMENTS;
    for (; i + LANES <= count; i += LANES) {
        const float_lanes value =
            start + __builtin_convertvector((int_lanes)index, float_lanes) * step;
        if (streamed)
            store_past_caches(data + i, (word_lanes)value);
        else
            memcpy(data + i, &value, sizeof value);
        index += LANES;
    }
    if (streamed)
        settle_stores();
    for (; i < count; i++)
        data[i] = start + (float)(int32_t)(first + i) * step;
}

void FILL_U32(uint32_t start, uint32_t step, uint64_t count, uint32_t *data)
{
    uint64_t i = 0;
    for (const uint64_t head = misaligned(data, count); i < head; i++, start += step)
        data[i] = start;
    word_lanes value = start + ascending() * step;
    const bool streamed = count >= STREAMED_ELEMENTS;
    for (; i + LANES <= count; i += LANES) {
        if (streamed)
            store_past_caches(data + i, value);
        else
            memcpy(data + i, &value, sizeof value);
        value += step * LANES;
    }
    if (streamed)
        settle_stores();
    for (start = value[0]; i < count; i++, start += step)
        data[i] = start;
}
