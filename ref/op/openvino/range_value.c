// SPDX-License-Identifier: Apache-2.0
// The elements of openvino.range, each written operation rounded once.

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/range.h"

enum { CHUNK = 1024 };

// ---- integers ---------------------------------------------------------------

void range_fill_u32(uint32_t start, uint32_t step, uint64_t count, uint32_t *data)
{
#if defined(__x86_64__)
    if (isa_chosen() == ISA_AVX512) {
        range_fill_u32_avx512(start, step, count, data);
        return;
    }
    if (isa_chosen() == ISA_AVX2) {
        range_fill_u32_avx2(start, step, count, data);
        return;
    }
#endif
    for (uint64_t i = 0; i < count; i++, start += step)
        data[i] = start;
}

static void fill_wrapped(const struct range *range, uint64_t first, uint64_t count, void *data)
{
    const size_t size = dtype_size(range->type);
    uint64_t value = range->first_integer + first * range->step_integer;
    if (size == 4) {
        range_fill_u32((uint32_t)value, (uint32_t)range->step_integer, count, data);
        return;
    }
    for (uint64_t i = 0; i < count; i++, value += range->step_integer)
        element_store(data, size, i, value);
}

// The smallest (or the largest) number of an integer type.
static uint64_t type_end(enum dtype type, bool largest)
{
    const struct num_exact infinite = {.kind = NUM_INFINITE, .negative = !largest};
    return num_pack(type, infinite, NUM_TOWARD_ZERO, NUM_SATURATE);
}

static void fill_integers(const struct range *range, uint64_t first, uint64_t count, void *data)
{
    if (!range->saturate) {
        fill_wrapped(range, first, count, data);
        return;
    }
    const size_t size = dtype_size(range->type);
    const bool rising = range->step > 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t index = first + i;
        const bool before = index < range->inside_first;
        const uint64_t inside = range->first_integer + index * range->step_integer;
        element_store(data, size, i,
                      before || index >= range->inside_end ? type_end(range->type, before != rising)
                                                           : inside);
    }
}

// ---- floating ---------------------------------------------------------------

static void fill_f32_portable(float start, float step, uint64_t first, uint64_t count, float *data)
{
    for (uint64_t i = 0; i < count; i++)
        data[i] = start + (float)(first + i) * step;
}

void range_fill_f32(float start, float step, uint64_t first, uint64_t count, float *data)
{
#if defined(__x86_64__)
    const bool small = first <= INT32_MAX && count <= INT32_MAX - first;
    if (small && isa_chosen() == ISA_AVX512) {
        range_fill_f32_avx512(start, step, (uint32_t)first, count, data);
        return;
    }
    if (small && isa_chosen() == ISA_AVX2) {
        range_fill_f32_avx2(start, step, (uint32_t)first, count, data);
        return;
    }
#endif
    fill_f32_portable(start, step, first, count, data);
}

// In a type narrower than f32, where doubles hold every product.
static double multiply_narrow(const struct range *range, uint64_t index, bool fused)
{
    const double product = range_round(range, (double)index) * range->step;
    return range_round(range,
                       num_sum_to_odd(fused ? product : range_round(range, product), range->start));
}

// Converts `count` elements of dtype `from` to the output's type.
static void convert(const struct range *range, enum dtype from, const void *in, size_t count,
                    void *data)
{
    const bool floating = dtype_kind(range->type) == DTYPE_KIND_FLOAT;
    if (floating && !range->saturate && range->to_float == NUM_NEAREST_EVEN) {
        num_convert_array(range->type, data, from, in, count);
        return;
    }
    const enum num_rounding rounding = floating ? range->to_float : range->to_integer;
    const size_t size = dtype_size(range->type), from_size = dtype_size(from);
    for (size_t i = 0; i < count; i++)
        element_store(data, size, i,
                      num_convert(range->type, from, element_load(in, from_size, i), rounding,
                                  range->saturate ? NUM_SATURATE : NUM_WRAP));
}

static double multiply_and_add(const struct range *range, double from, uint64_t index)
{
    const double i = (double)index;
    return range->accumulator == DTYPE_F64
               ? fma(i, range->step, from)
               : (double)fmaf((float)i, (float)range->step, (float)from);
}

// Two registers at a time, the rest one by one. The first element of a register is rounded to the
// output's type before the others are made of it.
static double element_in_registers(const struct range *range, uint64_t index)
{
    const size_t bytes = range->element == ELEMENT_IN_REGISTERS_OF_32 ? 32 : 64;
    const uint64_t lanes = bytes / dtype_size(range->type), lane = index % lanes;
    if (index >= range->count - range->count % (2 * lanes))
        return multiply_and_add(range, range->start, index);
    const double first = multiply_and_add(range, range->start, index - lane);
    unsigned char stored[sizeof first];
    convert(range, DTYPE_F64, &first, 1, stored);
    return multiply_and_add(
        range, num_to_double(range->type, element_load(stored, dtype_size(range->type), 0)), lane);
}

// Element `index` in the accumulator.
static double element_at(const struct range *range, uint64_t index)
{
    const bool fused = range->element == ELEMENT_FUSED;
    if ((range->element == ELEMENT_IN_REGISTERS_OF_32 ||
         range->element == ELEMENT_IN_REGISTERS_OF_64) &&
        dtype_kind(range->type) == DTYPE_KIND_FLOAT)
        return element_in_registers(range, index);
    if (range->accumulator == DTYPE_F64) {
        const double i = (double)index;
        return fused ? fma(i, range->step, range->start) : range->start + i * range->step;
    }
    if (range->accumulator == DTYPE_F32) {
        const float i = (float)index, start = (float)range->start, step = (float)range->step;
        return (double)(fused ? fmaf(i, step, start) : start + i * step);
    }
    return multiply_narrow(range, index, fused);
}

static bool is_recurrence(const struct range *range)
{
    return range->element == ELEMENT_RECURRENCE || range->element == ELEMENT_RECURRENCE_F64;
}

// f32 throughout, the default for all floats but f64.
static void fill_by_f32(const struct range *range, uint64_t first, uint64_t count, void *data)
{
    const float start = (float)range->start, step = (float)range->step;
    const bool whole = range->type == DTYPE_F32 && isfinite(start) && isfinite(step);
    if (whole) {
        range_fill_f32(start, step, first, count, data);
        return;
    }
    const size_t size = dtype_size(range->type);
    for (uint64_t done = 0; done < count;) {
        float value[CHUNK];
        const size_t part = (size_t)(count - done < CHUNK ? count - done : CHUNK);
        range_fill_f32(start, step, first + done, part, value);
        convert(range, DTYPE_F32, value, part, (char *)data + done * size);
        done += part;
    }
}

// The part that holds element `index`: where it starts; its size goes to *size.
static uint64_t find_part(const struct range *range, uint64_t index, uint64_t *size)
{
    const uint64_t small = range->count / range->parts, more = range->count % range->parts;
    const uint64_t large = (small + 1) * more; // elements in the larger parts
    *size = index < large ? small + 1 : small;
    return index < large ? index / *size * *size : large + (index - large) / *size * *size;
}

// Element `index` of the recurrence; those before *end go on from it.
static double start_recurrence(const struct range *range, uint64_t index, uint64_t *end)
{
    *end = UINT64_MAX;
    if (!range->parts)
        return range_recurrence_at(range, index);
    struct range part = *range;
    uint64_t size = 0;
    const uint64_t first = find_part(range, index, &size);
    *end = first + size;
    part.element = ELEMENT_MULTIPLY;
    part.start = element_at(&part, first);
    part.element = ELEMENT_RECURRENCE;
    return range_recurrence_at(&part, index - first);
}

static void fill_one_by_one(const struct range *range, uint64_t first, uint64_t count, void *data)
{
    const size_t size = dtype_size(range->type);
    const bool recurrence = is_recurrence(range);
    uint64_t end = UINT64_MAX;
    double at = recurrence && count ? start_recurrence(range, first, &end) : 0;
    for (uint64_t done = 0; done < count;) {
        double value[CHUNK];
        const size_t part = (size_t)(count - done < CHUNK ? count - done : CHUNK);
        for (size_t i = 0; i < part; i++) {
            if (recurrence && first + done + i == end)
                at = start_recurrence(range, end, &end);
            value[i] = recurrence ? at : element_at(range, first + done + i);
            at = recurrence ? range_next(range, at) : at;
        }
        convert(range, DTYPE_F64, value, part, (char *)data + done * size);
        done += part;
    }
}

void range_fill(const struct range *range, uint64_t first, uint64_t count, void *data)
{
    if (range->integers)
        fill_integers(range, first, count, data);
    else if (range->accumulator == DTYPE_F32 && range->element == ELEMENT_MULTIPLY)
        fill_by_f32(range, first, count, data);
    else
        fill_one_by_one(range, first, count, data);
}
