// SPDX-License-Identifier: Apache-2.0

#include "ref/op/words/cousin.h"

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

enum { CHUNK = 512 };

enum error cousin_check_input(const struct request *request, unsigned input, enum dtype dtype,
                              unsigned words, struct diagnostic *diagnostic)
{
    const struct tensor *const tensor = &request->input[input];
    const enum error error = operation_check_dtype(request, input, DTYPE_BIT(dtype), diagnostic);
    if (error || !words)
        return error ? error : operation_check_scalar(request, input, false, diagnostic);
    if (tensor->rank == 1 && tensor->shape[0] == words)
        return ERROR_NONE;
    char text[96];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input %s is %s; expected %s[%u]",
                           request->operation->inputs[input].name,
                           tensor_describe(tensor, text, sizeof text), dtype_name(dtype), words);
}

uint64_t cousin_load(const struct request *request, unsigned input, unsigned index)
{
    const struct tensor *const tensor = &request->input[input];
    return element_load(tensor->data, dtype_size(tensor->dtype), index);
}

enum error cousin_check_seeds(const struct request *request, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < request->operation->input_count && !error; i++)
        if (tensor_present(&request->input[i]))
            error = cousin_check_input(request, i, DTYPE_U64, 0, diagnostic);
    return error;
}

uint64_t cousin_load_or(const struct request *request, unsigned input, uint64_t standard)
{
    return tensor_present(&request->input[input]) ? cousin_load(request, input, 0) : standard;
}

static bool is_below(enum dtype dtype, uint64_t a, uint64_t b)
{
    return dtype == DTYPE_I32 ? (int32_t)a < (int32_t)b : (int64_t)a < (int64_t)b;
}

enum error cousin_read_range(const struct request *request, unsigned minval, enum dtype dtype,
                             struct cousin_range *range, struct diagnostic *diagnostic)
{
    const bool is_float = dtype_kind(dtype) == DTYPE_KIND_FLOAT;
    uint64_t bound[2] = {0, is_float ? num_from_double(dtype, 1) : 1};
    *range = (struct cousin_range){.present = !is_float};
    for (unsigned i = 0; i < 2; i++) {
        if (!tensor_present(&request->input[minval + i])) {
            if (!is_float)
                return diagnostic_fail(
                    diagnostic, ERROR_INVALID_ARGUMENT, "input %s is required for %s",
                    request->operation->inputs[minval + i].name, dtype_name(dtype));
            continue;
        }
        const enum error error = cousin_check_input(request, minval + i, dtype, 0, diagnostic);
        if (error)
            return error;
        bound[i] = cousin_load(request, minval + i, 0);
        range->present = true;
    }
    range->minimum = bound[0];
    range->maximum = bound[1];
    if (!is_float && !is_below(dtype, bound[0], bound[1]))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "minval must be less than maxval");
    return ERROR_NONE;
}

// Every written operation is a node of the type. PyTorch rounds the span of its 16-bit types too,
// but computes product and sum in f32 and rounds the result once more.
static uint64_t in_float_range(const struct cousin_range *range, enum dtype dtype, enum dtype node,
                               bool fused, uint64_t element)
{
    const uint64_t minimum = num_convert(node, dtype, range->minimum, NUM_NEAREST_EVEN, NUM_IEEE);
    const uint64_t u = num_convert(node, dtype, element, NUM_NEAREST_EVEN, NUM_IEEE);
    const uint64_t span =
        num_convert(node, dtype, num_subtract(dtype, range->maximum, range->minimum),
                    NUM_NEAREST_EVEN, NUM_IEEE);
    const uint64_t value = fused ? num_fma(node, u, span, minimum)
                                 : num_add(node, num_multiply(node, u, span), minimum);
    return num_convert(dtype, node, value, NUM_NEAREST_EVEN, NUM_IEEE);
}

static uint64_t in_range(const struct cousin_range *range, const struct mapping *mapping,
                         bool fused, uint64_t element)
{
    const enum dtype dtype = mapping->dtype;
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT) {
        const bool through_f32 = mapping->system == MAPPING_TORCH && dtype_size(dtype) == 2;
        return in_float_range(range, dtype, through_f32 ? DTYPE_F32 : dtype, fused, element);
    }
    const uint64_t span = range->maximum - range->minimum;
    return range->minimum + element % (dtype == DTYPE_I32 ? (uint32_t)span : span);
}

// The mapping of the system with the conventions that the profile turns round.
static struct mapping mapping_read(const struct request *request, enum mapping_system system,
                                   enum dtype dtype, struct word_source *source)
{
    const uint16_t *const option = request->profile.option;
    struct mapping mapping = *mapping_of(system, dtype);
    if (option[COUSIN_FIRST_BLOCK])
        source->first_block = 1 - source->first_block;
    if (option[COUSIN_PAIR])
        mapping.first_high = !mapping.first_high;
    if (option[COUSIN_FRACTION] && mapping.rule == MAPPING_LOW_BITS)
        mapping.rule = MAPPING_HIGH_BITS;
    else if (option[COUSIN_FRACTION] && mapping.rule == MAPPING_HIGH_BITS)
        mapping.rule = MAPPING_LOW_BITS;
    return mapping;
}

void cousin_fill(const struct request *request, enum mapping_system system, enum dtype dtype,
                 struct word_source source, uint64_t first, const struct cousin_range *range,
                 const struct slice *slice)
{
    const struct mapping mapping = mapping_read(request, system, dtype, &source);
    const bool fused = range && request->operation->choice_count > COUSIN_ROUNDING &&
                       request->profile.option[COUSIN_ROUNDING] != 0;
    for (uint64_t done = 0; done < slice->count;) {
        uint32_t word[2 * CHUNK];
        const uint64_t left = slice->count - done;
        const size_t now = left < CHUNK ? (size_t)left : CHUNK;
        word_source_fill(&source, mapping.words, first + slice->first + done, now, word);
        for (size_t i = 0; i < now; i++) {
            const uint64_t element = mapping_element(&mapping, word + i * mapping.words);
            element_store(slice->data, dtype_size(dtype), done + i,
                          range && range->present ? in_range(range, &mapping, fused, element)
                                                  : element);
        }
        done += now;
    }
}
