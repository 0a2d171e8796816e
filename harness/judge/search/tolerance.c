// SPDX-License-Identifier: Apache-2.0
// Rounding to nearest keeps order: where atol + rtol * |y| is at least the distance of an end from
// y, as real numbers, and both of its terms are numbers of the type, the comparison holds as it is
// rounded, too. So every number that is given is rounded up to the output's type.

#include "harness/judge/search/tolerance.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "harness/judge/compare/compare.h"
#include "harness/judge/compare/profiles.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"

// ---- numbers ----------------------------------------------------------------

static double up(double value)
{
    return nextafter(value, INFINITY);
}

// |a - b|, rounded up; both are numbers.
static double distance(enum dtype dtype, uint64_t a, uint64_t b)
{
    const enum dtype_kind kind = dtype_kind(dtype);
    if (kind != DTYPE_KIND_FLOAT && dtype_size(dtype) == 8) {
        const bool less = kind == DTYPE_KIND_SIGNED ? (int64_t)a < (int64_t)b : a < b;
        const uint64_t difference = less ? b - a : a - b;
        const double rounded = (double)difference;
        return rounded < 0x1p64 && (uint64_t)rounded < difference ? up(rounded) : rounded;
    }
    const double x = num_to_double(dtype, a), y = num_to_double(dtype, b);
    // What the subtraction loses, exactly (Knuth, TAOCP 4.2.2).
    const double sum = x - y, part = sum - x, lost = (x - (sum - part)) - (y + part);
    return lost != 0 ? up(fabs(sum)) : fabs(sum);
}

// The least number of a float type that is at least `value`, which is not negative.
static double round_up(enum dtype dtype, double value)
{
    if (dtype == DTYPE_F64 || dtype_kind(dtype) != DTYPE_KIND_FLOAT)
        return value;
    uint64_t bits = num_from_double(dtype, value);
    if (compare_is_nan(dtype, bits)) // f8e4m3 has no infinity
        return INFINITY;
    while (num_to_double(dtype, bits) < value) {
        bits++;
        if (compare_is_nan(dtype, bits))
            return INFINITY;
    }
    return num_to_double(dtype, bits);
}

// The least rtol of the type with rtol * y >= d; y > 0.
static double least_rtol(enum dtype dtype, double d, double y)
{
    double rtol = round_up(dtype, d / y);
    while (isfinite(rtol) && fma(rtol, y, -d) < 0)
        rtol = round_up(dtype, up(rtol));
    return rtol;
}

// The least atol of the type with atol + rtol * y >= d, whether the product is rounded to the type
// or not; y >= 0.
static double least_atol(enum dtype dtype, double d, double rtol, double y)
{
    double product = nextafter(rtol * y, 0);
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT) {
        const double typed = num_to_double(
            dtype, num_multiply(dtype, num_from_double(dtype, rtol), num_from_double(dtype, y)));
        product = typed < product ? typed : product;
    }
    return product < d ? round_up(dtype, up(d - product)) : 0;
}

// ---- readings ---------------------------------------------------------------

// An end of element `i` of a reading: of its interval where it has one, else the value.
static uint64_t end_of(const struct evaluation *evaluation, unsigned output, bool upper, uint64_t i)
{
    const struct tensor *const end =
        upper ? &evaluation->upper[output] : &evaluation->lower[output];
    const struct tensor *const from = tensor_present(end) ? end : &evaluation->tensor[output];
    return element_load(from->data, dtype_size(from->dtype), (size_t)i);
}

static bool is_less(enum dtype dtype, uint64_t a, uint64_t b)
{
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT)
        return num_less(dtype, a, b);
    return dtype_kind(dtype) == DTYPE_KIND_SIGNED && dtype_size(dtype) == 8
               ? (int64_t)a < (int64_t)b
           : dtype_size(dtype) == 8 ? a < b
                                    : num_to_double(dtype, a) < num_to_double(dtype, b);
}

// Widens the intervals by a reading. What is a NaN in one and a number in another has none: NaN
// stays in the end.
static void widen(struct tolerance_output *output, const struct evaluation *evaluation,
                  unsigned index)
{
    const enum dtype dtype = output->value.dtype;
    const size_t size = dtype_size(dtype);
    for (uint64_t i = 0; i < output->count; i++) {
        const uint64_t low = end_of(evaluation, index, false, i);
        const uint64_t high = end_of(evaluation, index, true, i);
        const uint64_t lower = element_load(output->lower.data, size, (size_t)i);
        const uint64_t upper = element_load(output->upper.data, size, (size_t)i);
        if (compare_is_nan(dtype, low) || is_less(dtype, low, lower))
            element_store(output->lower.data, size, (size_t)i, low);
        if (compare_is_nan(dtype, high) || is_less(dtype, upper, high))
            element_store(output->upper.data, size, (size_t)i, high);
    }
}

static enum error start(struct tolerance_output *output, const struct request *request,
                        const struct evaluation *evaluation, unsigned index, struct arena *arena,
                        struct diagnostic *diagnostic)
{
    size_t bytes = 0;
    output->value = evaluation->tensor[index];
    tensor_count(&output->value, &output->count);
    if (request->windowed && index == evaluation->windowed_output) {
        output->count = request->window_count;
        output->value.rank = 1;
        output->value.shape[0] = output->count;
    }
    output->lower = output->upper = output->each = output->value;
    output->each.dtype = DTYPE_F64;
    if (!tensor_bytes(&output->value, &bytes))
        return diagnostic_no_memory(diagnostic);
    output->lower.data = arena_take(arena, bytes);
    output->upper.data = arena_take(arena, bytes);
    output->each.data = arena_take_array(arena, (size_t)output->count, sizeof(double));
    if (!output->lower.data || !output->upper.data || !output->each.data)
        return diagnostic_no_memory(diagnostic);
    memcpy(output->lower.data, output->value.data, bytes);
    memcpy(output->upper.data, output->value.data, bytes);
    return ERROR_NONE;
}

// Whether a reading gives the outputs of the default one in type and shape.
static bool fits(const struct tolerance *tolerance, const struct evaluation *evaluation,
                 const struct evaluation *first)
{
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        if (tensor_present(&tolerance->output[i].value) &&
            (evaluation->tensor[i].dtype != first->tensor[i].dtype ||
             !tensor_same_shape(&evaluation->tensor[i], &first->tensor[i])))
            return false;
    return true;
}

// The profiles of the operation that the suite allows, each once, the default first; `given`: the
// request's own alone.
static enum error list_readings(const struct suite *suite, const struct request *request,
                                bool given, struct arena *arena, struct profile **profiles,
                                size_t *count, bool *complete, struct diagnostic *diagnostic)
{
    const struct suite_case of = {.operation = request->operation, .derived = request->operation};
    struct named_profile *const allowed =
        arena_take_array(arena, PROFILES_ALLOWED_MAX, sizeof *allowed);
    *profiles = arena_take_array(arena, PROFILES_ALLOWED_MAX, sizeof **profiles);
    if (!allowed || !*profiles)
        return diagnostic_no_memory(diagnostic);
    (*profiles)[0] = request->profile;
    *count = 1;
    *complete = true;
    const size_t most =
        given ? 0 : profiles_list_allowed(suite, allowed, PROFILES_ALLOWED_MAX, complete);
    for (size_t i = 0; i < most; i++) {
        struct profile profile = {.option = {0}};
        size_t at = 0;
        profiles_restrict(suite, &of, &allowed[i]);
        profiles_apply(suite, &allowed[i], request->operation, &profile);
        while (at < *count && memcmp(&(*profiles)[at], &profile, sizeof profile) != 0)
            at++;
        if (at == *count)
            (*profiles)[(*count)++] = profile;
    }
    return ERROR_NONE;
}

static enum error add_reading(const struct request *request, const struct profile *profile,
                              const struct evaluation *first, struct tolerance *tolerance,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request asked = *request;
    struct evaluation evaluation;
    struct diagnostic refusal = {.text = ""};
    bool idle = false;
    asked.profile = *profile;
    enum error error = variant_is_idle(&asked, &arena, &idle, &refusal);
    if (!error && !idle)
        error = variant_evaluate_with(&asked, true, &arena, &evaluation, &refusal);
    if (error == ERROR_INTERNAL)
        *diagnostic = refusal;
    const bool other = !idle && (error || !fits(tolerance, &evaluation, first));
    tolerance->others += other;
    tolerance->readings += !other;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !other && !idle; i++)
        if (tensor_present(&tolerance->output[i].value))
            widen(&tolerance->output[i], &evaluation, i);
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// ---- the numbers of an output -----------------------------------------------

static bool is_finite(enum dtype dtype, uint64_t bits)
{
    return dtype_kind(dtype) != DTYPE_KIND_FLOAT || isfinite(num_to_double(dtype, bits));
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static void measure(struct tolerance_output *output, uint64_t i, double rtol)
{
    const enum dtype dtype = output->value.dtype;
    const size_t size = dtype_size(dtype);
    const uint64_t value = element_load(output->value.data, size, (size_t)i);
    const uint64_t low = element_load(output->lower.data, size, (size_t)i);
    const uint64_t high = element_load(output->upper.data, size, (size_t)i);
    double *const each = (double *)output->each.data + i;
    const bool same = compare_same(dtype, low, value) && compare_same(dtype, high, value);
    *each = 0;
    output->nan += compare_is_nan(dtype, value);
    if (same)
        return;
    if (!is_finite(dtype, low) || !is_finite(dtype, high) || !is_finite(dtype, value)) {
        output->unbounded++;
        *each = INFINITY;
        return;
    }
    const double d = greater(distance(dtype, low, value), distance(dtype, high, value));
    const double y = fabs(num_to_double(dtype, value));
    *each = round_up(dtype, d);
    output->atol = greater(output->atol, *each);
    output->between = greater(output->between, round_up(dtype, distance(dtype, high, low)));
    output->beside = greater(output->beside, least_atol(dtype, d, rtol, y));
    if (d > 0)
        output->rtol = greater(output->rtol, y > 0 ? least_rtol(dtype, d, y) : INFINITY);
}

enum error tolerance_derive(const struct suite *suite, const struct request *request, bool given,
                            double rtol, struct arena *arena, struct tolerance *tolerance,
                            struct diagnostic *diagnostic)
{
    assert(rtol >= 0 && isfinite(rtol));
    struct profile *profiles = NULL;
    size_t count = 0;
    struct evaluation first;
    *tolerance = (struct tolerance){.readings = 1};
    if (request->runs > 1)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "a tolerance is derived for one run; the request asks for several");
    enum error error = variant_evaluate_with(request, true, arena, &first, diagnostic);
    if (!error)
        error = list_readings(suite, request, given, arena, &profiles, &count, &tolerance->complete,
                              diagnostic);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error; i++)
        if (tensor_present(&first.tensor[i])) {
            error = start(&tolerance->output[i], request, &first, i, arena, diagnostic);
            if (!error)
                widen(&tolerance->output[i], &first, i);
        }
    for (size_t at = 1; at < count && !error; at++)
        error = add_reading(request, &profiles[at], &first, tolerance, diagnostic);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error; i++)
        for (uint64_t k = 0; k < tolerance->output[i].count; k++)
            measure(&tolerance->output[i], k, rtol);
    return error;
}
