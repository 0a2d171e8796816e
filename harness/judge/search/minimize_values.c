// SPDX-License-Identifier: Apache-2.0
// Cuts of values: all, halves, quarters, ... of the elements become zero, then one; what is left
// becomes a power of two, or a number with fewer bits. Attributes become their defaults, then
// likewise plain numbers.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/compare/compare.h"
#include "harness/judge/search/minimize.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/num/text.h"

// ---- values -----------------------------------------------------------------

static bool is_float(enum dtype dtype)
{
    return dtype_kind(dtype) == DTYPE_KIND_FLOAT;
}

static uint64_t mask_of(enum dtype dtype)
{
    const size_t size = dtype_size(dtype);
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static unsigned bit_count(uint64_t value)
{
    unsigned count = 0;
    for (; value; value >>= 1)
        count++;
    return count;
}

static uint64_t magnitude_of(enum dtype dtype, uint64_t bits, bool *negative)
{
    const uint64_t mask = mask_of(dtype);
    *negative = dtype_kind(dtype) == DTYPE_KIND_SIGNED && (bits & (mask ^ mask >> 1));
    return *negative ? (0 - bits) & mask : bits & mask;
}

static unsigned integer_cost(enum dtype dtype, uint64_t bits)
{
    bool negative;
    const uint64_t magnitude = magnitude_of(dtype, bits, &negative);
    if (magnitude < 2)
        return (unsigned)magnitude + negative;
    const bool power = !(magnitude & (magnitude - 1));
    return 2 + negative + (power ? bit_count(magnitude) / 8 : bit_count(magnitude));
}

static unsigned float_cost(enum dtype dtype, uint64_t bits)
{
    if (compare_is_nan(dtype, bits))
        return 80;
    const double value = num_to_double(dtype, bits);
    int exponent = 0;
    if (value == 0)
        return signbit(value) ? 1 : 0;
    if (isinf(value))
        return 70;
    double fraction = frexp(fabs(value), &exponent);
    unsigned significant = 0;
    for (; fraction > 0 && significant < 60; significant++) {
        fraction *= 2;
        fraction -= floor(fraction);
    }
    if (fabs(value) == 1)
        return 1 + (value < 0);
    return 1u + (value < 0) + significant + (unsigned)abs(exponent - 1) / 8;
}

unsigned minimize_value_cost(enum dtype dtype, uint64_t bits)
{
    return is_float(dtype) ? float_cost(dtype, bits) : integer_cost(dtype, bits);
}

static uint64_t bits_of(enum dtype dtype, double value)
{
    char text[64];
    uint64_t bits = 0;
    // Exact: every value asked for here is a number of the dtype.
    const double rounded = is_float(dtype) ? value : trunc(value);
    size_t length = (size_t)snprintf(text, sizeof text, is_float(dtype) ? "%a" : "%.0f", rounded);
    return num_parse(dtype, text, length, &bits, NULL) ? UINT64_MAX : bits;
}

enum { SIMPLER_MAX = 8 };

// Plainer values near `bits`, the plainest first.
static unsigned list_simpler(enum dtype dtype, uint64_t bits, uint64_t *to)
{
    unsigned count = 0;
    bool negative;
    to[count++] = 0;
    if (dtype == DTYPE_BOOL)
        return count;
    to[count++] = is_float(dtype) ? bits_of(dtype, 1) : 1;
    if (!is_float(dtype)) {
        const uint64_t magnitude = magnitude_of(dtype, bits, &negative),
                       power = UINT64_C(1) << (magnitude ? bit_count(magnitude) - 1 : 0);
        const uint64_t candidates[] = {1, power, power << 1, magnitude / 2, magnitude - 1};
        for (unsigned i = 0; i < sizeof candidates / sizeof *candidates; i++)
            to[count++] = (negative ? 0 - candidates[i] : candidates[i]) & mask_of(dtype);
        return count;
    }
    const double value = num_to_double(dtype, bits);
    if (!(fabs(value) > 0) || isinf(value))
        return count;
    int exponent = 0;
    const double fraction = frexp(value, &exponent);
    to[count++] = bits_of(dtype, copysign(1, value));
    to[count++] = bits_of(dtype, ldexp(copysign(0.5, value), exponent));
    to[count++] = bits_of(dtype, trunc(value));
    to[count++] = bits_of(dtype, ldexp(trunc(ldexp(fraction, 3)), exponent - 3));
    to[count++] = bits_of(dtype, ldexp(trunc(ldexp(fraction, 8)), exponent - 8));
    return count;
}

// Sets the elements [first, first + count) of an input that cost more than `bits`.
static bool try_elements(struct minimizer *minimizer, unsigned input, uint64_t first,
                         uint64_t count, uint64_t bits)
{
    struct specimen candidate;
    bool changed = false;
    if (!minimizer_copy(minimizer, &candidate))
        return false;
    const struct tensor *const tensor = &candidate.request.input[input];
    const size_t size = dtype_size(tensor->dtype);
    for (uint64_t i = first; i < first + count; i++)
        if (minimize_value_cost(tensor->dtype, element_load(tensor->data, size, (size_t)i)) >
            minimize_value_cost(tensor->dtype, bits)) {
            element_store(tensor->data, size, (size_t)i, bits);
            changed = true;
        }
    if (changed)
        return minimizer_offer(minimizer, &candidate);
    specimen_release(&candidate);
    return false;
}

// All elements of an input become `bits`, or those halves, quarters, ... that may.
static bool spread(struct minimizer *minimizer, unsigned input, uint64_t bits)
{
    uint64_t count = 0;
    bool cut = false;
    if (!tensor_count(&minimizer_request(minimizer)->input[input], &count) || !count)
        return false;
    for (uint64_t part = count; part; part /= 2)
        for (uint64_t first = 0; first < count; first += part)
            cut = try_elements(minimizer, input, first, part < count - first ? part : count - first,
                               bits) ||
                  cut;
    return cut;
}

static bool simplify(struct minimizer *minimizer, unsigned input)
{
    const struct tensor *tensor = &minimizer_request(minimizer)->input[input];
    const enum dtype dtype = tensor->dtype;
    uint64_t count = 0;
    bool any = false;
    if (!tensor_count(tensor, &count))
        return false;
    for (uint64_t i = 0; i < count; i++)
        for (bool cut = true; cut; any = any || cut) {
            uint64_t simpler[SIMPLER_MAX];
            const uint64_t bits = element_load(minimizer_request(minimizer)->input[input].data,
                                               dtype_size(dtype), (size_t)i);
            const unsigned options = list_simpler(dtype, bits, simpler);
            cut = false;
            for (unsigned k = 0; k < options && !cut; k++)
                cut = try_elements(minimizer, input, i, 1, simpler[k]);
        }
    return any;
}

bool minimize_values(struct minimizer *minimizer)
{
    const unsigned inputs = minimizer_request(minimizer)->operation->input_count;
    bool cut = false;
    for (unsigned i = 0; i < inputs; i++)
        if (tensor_present(&minimizer_request(minimizer)->input[i]))
            cut = spread(minimizer, i, 0) || cut;
    for (unsigned i = 0; i < inputs; i++)
        if (tensor_present(&minimizer_request(minimizer)->input[i])) {
            const enum dtype dtype = minimizer_request(minimizer)->input[i].dtype;
            cut = spread(minimizer, i, is_float(dtype) ? bits_of(dtype, 1) : 1) || cut;
        }
    for (unsigned i = 0; i < inputs; i++)
        if (tensor_present(&minimizer_request(minimizer)->input[i]))
            cut = simplify(minimizer, i) || cut;
    return cut;
}

// ---- attributes -------------------------------------------------------------

static bool try_default(struct minimizer *minimizer, unsigned index)
{
    struct specimen candidate;
    if (!minimizer_copy(minimizer, &candidate))
        return false;
    const struct attribute_spec *const spec = &candidate.request.operation->attributes[index];
    struct attribute_value *const value = &candidate.request.attribute[index];
    *value = (struct attribute_value){.present = spec->presence == ATTRIBUTE_DEFAULT,
                                      .integer =
                                          spec->presence == ATTRIBUTE_DEFAULT ? spec->standard : 0};
    value->real = (double)value->integer;
    if (spec->presence == ATTRIBUTE_DEFAULT && spec->kind == ATTRIBUTE_SIZES &&
        spec->standard >= 0) {
        value->integers = &spec->standard;
        value->count = 1;
    }
    return minimizer_offer(minimizer, &candidate);
}

static bool try_number(struct minimizer *minimizer, unsigned index, size_t at, uint64_t bits)
{
    const struct attribute_spec *const spec =
        &minimizer_request(minimizer)->operation->attributes[index];
    const enum attribute_kind kind = spec->kind;
    const bool outside = (int64_t)bits < spec->minimum || (int64_t)bits > spec->maximum;
    struct specimen candidate;
    if ((kind == ATTRIBUTE_INTEGER && outside) || !minimizer_copy(minimizer, &candidate))
        return false;
    struct attribute_value *const value = &candidate.request.attribute[index];
    if (kind == ATTRIBUTE_SIZES)
        ((int64_t *)(uintptr_t)value->integers)[at] = (int64_t)bits;
    else if (kind == ATTRIBUTE_REALS)
        ((double *)(uintptr_t)value->reals)[at] = (double)float_from_bits((uint32_t)bits);
    else if (kind == ATTRIBUTE_REAL)
        value->real = (double)float_from_bits((uint32_t)bits);
    else
        value->integer = (int64_t)bits;
    return minimizer_offer(minimizer, &candidate);
}

// Fewer sizes in a list.
static bool try_shorter(struct minimizer *minimizer, unsigned index, size_t leave_out)
{
    struct specimen candidate;
    if (!minimizer_copy(minimizer, &candidate))
        return false;
    struct attribute_value *const value = &candidate.request.attribute[index];
    int64_t *const integers = (int64_t *)(uintptr_t)value->integers;
    memmove(&integers[leave_out], &integers[leave_out + 1],
            (value->count - leave_out - 1) * sizeof *integers);
    value->count--;
    return minimizer_offer(minimizer, &candidate);
}

static uint64_t number_at(const struct attribute_spec *spec, const struct attribute_value *value,
                          size_t at)
{
    switch (spec->kind) {
    case ATTRIBUTE_SIZES:
        return (uint64_t)value->integers[at];
    case ATTRIBUTE_REALS:
        return float_bits((float)value->reals[at]);
    case ATTRIBUTE_REAL:
        return float_bits((float)value->real);
    default:
        return (uint64_t)value->integer;
    }
}

static bool simplify_attribute(struct minimizer *minimizer, unsigned index, size_t at)
{
    const struct attribute_spec *const spec =
        &minimizer_request(minimizer)->operation->attributes[index];
    const enum dtype dtype =
        spec->kind == ATTRIBUTE_REAL || spec->kind == ATTRIBUTE_REALS ? DTYPE_F32 : DTYPE_I64;
    bool any = false;
    for (bool cut = true; cut; any = any || cut) {
        uint64_t simpler[SIMPLER_MAX];
        const uint64_t bits = number_at(spec, &minimizer_request(minimizer)->attribute[index], at);
        const unsigned options = list_simpler(dtype, bits, simpler);
        cut = false;
        for (unsigned k = 0; k < options && !cut; k++)
            if (minimize_value_cost(dtype, simpler[k]) < minimize_value_cost(dtype, bits))
                cut = try_number(minimizer, index, at, simpler[k]);
    }
    return any;
}

bool minimize_attributes(struct minimizer *minimizer)
{
    const struct operation *const operation = minimizer_request(minimizer)->operation;
    bool cut = false;
    for (unsigned i = 0; i < operation->attribute_count; i++) {
        const struct attribute_spec *const spec = &operation->attributes[i];
        if (!minimizer_request(minimizer)->attribute[i].present)
            continue;
        if (spec->presence != ATTRIBUTE_REQUIRED)
            cut = try_default(minimizer, i) || cut;
        const struct attribute_value *const value = &minimizer_request(minimizer)->attribute[i];
        const bool list = spec->kind == ATTRIBUTE_SIZES || spec->kind == ATTRIBUTE_REALS;
        if (!value->present || spec->kind == ATTRIBUTE_WORD || spec->kind == ATTRIBUTE_WORDS ||
            spec->kind == ATTRIBUTE_DTYPE || spec->kind == ATTRIBUTE_BOOLEAN)
            continue;
        for (size_t k = 0;
             spec->kind == ATTRIBUTE_SIZES && k < minimizer_request(minimizer)->attribute[i].count;)
            if (try_shorter(minimizer, i, k))
                cut = true;
            else
                k++;
        for (size_t k = 0; k < (list ? minimizer_request(minimizer)->attribute[i].count : 1); k++)
            cut = simplify_attribute(minimizer, i, k) || cut;
    }
    return cut;
}
