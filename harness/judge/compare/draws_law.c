// SPDX-License-Identifier: Apache-2.0
// Laws are read by the names that operations share: inputs minval and maxval, attributes low and
// high, mean and scale, sample_size, seed. A Bernoulli draw has two weights, 1 - p and p.

#include "harness/judge/compare/draws_law.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/rng/philox.h"

static double load(const struct tensor *tensor, uint64_t index)
{
    return num_to_double(tensor->dtype,
                         element_load(tensor->data, dtype_size(tensor->dtype), (size_t)index));
}

static const struct attribute_value *attribute(const struct request *request, const char *name)
{
    const int index = operation_attribute(request->operation, name);
    return index >= 0 && request->attribute[index].present ? &request->attribute[index] : NULL;
}

static const struct tensor *input(const struct request *request, const char *name)
{
    const int index = operation_input(request->operation, name);
    return index >= 0 && request->input[index].data ? &request->input[index] : NULL;
}

bool draws_repeat(const struct request *request)
{
    return attribute(request, "seed") && !input(request, "minval");
}

// Ends of a range are rounded to the type of the draws, as they are.
static double as_type(enum dtype dtype, double value)
{
    return dtype_kind(dtype) == DTYPE_KIND_FLOAT
               ? num_to_double(dtype, num_from_double(dtype, value))
               : value;
}

static bool is_named(const struct request *request, const char *name)
{
    return !strcmp(request->operation->name, name);
}

bool draws_take_law(const struct request *request, enum dtype dtype, struct draws_law *law)
{
    const struct tensor *const minval = input(request, "minval"),
                               *const maxval = input(request, "maxval"),
                               *const weights = input(request, "input");
    const struct attribute_value *const low = attribute(request, "low"), *const mean = attribute(
                                                                             request, "mean");
    const enum dtype_kind kind = dtype_kind(dtype);
    *law = (struct draws_law){.dtype = dtype, .request = request, .each = 1};
    if (minval && maxval) {
        law->low = load(minval, 0);
        law->high = load(maxval, 0);
        return (kind == DTYPE_KIND_FLOAT || kind == DTYPE_KIND_SIGNED) &&
               dtype_kind(minval->dtype) == kind && dtype_kind(maxval->dtype) == kind;
    }
    if (low) {
        law->low = as_type(dtype, low->real);
        law->high = as_type(dtype, attribute(request, "high")->real);
        return law->low < law->high;
    }
    if (mean) {
        law->kind = DRAWS_NORMAL;
        law->low = mean->real;
        law->high = attribute(request, "scale")->real;
        return law->high > 0;
    }
    law->kind = DRAWS_WEIGHTED;
    law->classes = 2;
    if (is_named(request, "onnx.multinomial") && weights) {
        law->classes = weights->shape[1];
        law->each = (uint64_t)attribute(request, "sample_size")->integer;
        return true;
    }
    return is_named(request, "onnx.bernoulli") && weights;
}

uint64_t draws_wanted_of(const struct draws_law *law)
{
    return draws_wanted(law->kind == DRAWS_UNIFORM ? law->dtype : DTYPE_F64);
}

// ---- weights ----------------------------------------------------------------

static uint64_t row_of(const struct draws_law *law, uint64_t index)
{
    return index / law->each;
}

// Up to a factor that the row shares: of Multinomial e^(x - the row's largest).
static double weight(const struct draws_law *law, uint64_t row, uint64_t class, double largest)
{
    const struct tensor *const weights = input(law->request, "input");
    if (is_named(law->request, "onnx.multinomial"))
        return exp(load(weights, row * law->classes + class) - largest);
    const double p = load(weights, row);
    return class ? p : 1 - p;
}

static double largest_of(const struct draws_law *law, uint64_t row)
{
    const struct tensor *const weights = input(law->request, "input");
    double largest = -INFINITY;
    for (uint64_t i = 0; is_named(law->request, "onnx.multinomial") && i < law->classes; i++)
        largest = fmax(largest, load(weights, row * law->classes + i));
    return largest;
}

// What weights of the input's type may be rounded by, as they are added up.
static double weight_rounding(const struct draws_law *law)
{
    const struct num_format *const format = num_format_of(input(law->request, "input")->dtype);
    return (double)(law->classes + 1) * ldexp(1, 1 - format->precision);
}

// A number in [0, 1) that has nothing to do with any draw.
static double apart(uint64_t index, uint64_t salt)
{
    const struct philox_counter counter = {{(uint32_t)index, (uint32_t)(index >> 32)}};
    const struct philox_key key = {{(uint32_t)salt, 0x6c617721}};
    const struct philox_counter words = philox_block(&philox4x32, counter, key, PHILOX_ROUNDS);
    return ldexp((double)(words.word[0] << 21 ^ words.word[1] >> 11), -53);
}

// Where draw `value` of element `index` lies in the sum of weights; NaN: it cannot be drawn.
static double place_of(const struct draws_law *law, uint64_t index, double value, double v,
                       double *bits)
{
    const uint64_t row = row_of(law, index);
    const double largest = largest_of(law, row);
    double below = 0, own = 0, all = 0;
    for (uint64_t i = 0; i < law->classes; i++) {
        const double w = weight(law, row, i, largest);
        all += w;
        below += (double)i < value ? w : 0;
        own = (double)i == value ? w : own;
    }
    *bits += own > 0 ? -log2(own / all) : 0;
    return own > 0 ? (below + own * v) / all : NAN;
}

// ---- draws ------------------------------------------------------------------

static enum error take_places(const struct draws_law *law, const struct tensor *from,
                              uint64_t count, uint64_t salt, struct arena *arena,
                              struct draws *draws, bool *right, char *text, size_t size,
                              struct diagnostic *diagnostic)
{
    double *const place = arena_take_array(arena, (size_t)count + 1, sizeof *place);
    double bits = 0;
    *right = true;
    if (!place)
        return diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < count && *right; i++) {
        const double x = load(from, i);
        place[i] = law->kind == DRAWS_NORMAL
                       ? (isfinite(x) ? erfc((law->low - x) / law->high / sqrt(2)) / 2 : NAN)
                       : place_of(law, i, x, apart(i, salt), &bits);
        *right = !isnan(place[i]);
        if (!*right)
            snprintf(text, size, "element %llu is %.17g, which cannot be drawn",
                     (unsigned long long)i, x);
    }
    // A draw moves by half a unit in its last place, and so does its place, by the density, which
    // is at most 0.4; z times the density is at most 0.25.
    const struct num_format *const format = num_format_of(law->dtype);
    const double last = law->kind == DRAWS_NORMAL ? ldexp(1, 1 - format->precision) : 0;
    *draws = (struct draws){
        .dtype = DTYPE_F64,
        .data = place,
        .count = count,
        .high = 1,
        .law = law->kind == DRAWS_NORMAL ? "normal" : "of these weights",
        .stray = law->kind == DRAWS_NORMAL ? last * (1 + fabs(law->low) / law->high)
                                           : weight_rounding(law),
        .bits = law->kind == DRAWS_NORMAL ? (double)count * (format->precision - 1) : bits};
    return ERROR_NONE;
}

enum error draws_take(const struct draws_law *law, const void *data, uint64_t count, uint64_t salt,
                      struct arena *arena, struct draws *draws, bool *right, char *text,
                      size_t size, struct diagnostic *diagnostic)
{
    const struct tensor from = {.dtype = law->dtype, .data = (void *)(uintptr_t)data};
    *right = true;
    if (law->kind != DRAWS_UNIFORM)
        return take_places(law, &from, count, salt, arena, draws, right, text, size, diagnostic);
    *draws = (struct draws){
        .dtype = law->dtype, .data = data, .count = count, .low = law->low, .high = law->high};
    *right = draws_in_range(draws, text, size);
    return ERROR_NONE;
}

// ---- more of them -----------------------------------------------------------

enum { RANK_MAX = 4, OUTER = 2 };

// The first `rank` - 1 sizes are 2, the last is what is left.
static void spread(unsigned rank, uint64_t count, uint64_t *sizes)
{
    for (unsigned d = 0; d + 1 < rank; d++, count /= OUTER)
        sizes[d] = OUTER;
    sizes[rank - 1] = count;
}

// A tensor of other sizes, with the elements of `tensor` again and again.
static bool repeat(struct tensor *tensor, unsigned rank, const uint64_t *sizes, uint64_t count,
                   struct arena *arena)
{
    uint64_t had = 0;
    const size_t size = dtype_size(tensor->dtype);
    char *const data = arena_take_array(arena, (size_t)count + 1, size);
    tensor_count(tensor, &had);
    for (uint64_t i = 0; data && had && i < count; i++)
        memcpy(data + i * size, (const char *)tensor->data + i % had * size, size);
    tensor->data = data;
    tensor->rank = rank;
    memcpy(tensor->shape, sizes, rank * sizeof *sizes);
    return data != NULL;
}

enum error draws_ask(struct request *request, unsigned rank, uint64_t count, bool reseed,
                     struct arena *arena, bool *asked, struct diagnostic *diagnostic)
{
    assert(rank && rank <= RANK_MAX);
    const struct operation *const operation = request->operation;
    const int in = operation_input(operation, "shape"), like = operation_input(operation, "input"),
              at = operation_attribute(operation, "shape"),
              samples = operation_attribute(operation, "sample_size"),
              seed = operation_attribute(operation, "seed");
    uint64_t sizes[RANK_MAX];
    int64_t *const list = arena_take_array(arena, rank, sizeof *list);
    if (!list)
        return diagnostic_no_memory(diagnostic);
    spread(rank, count, sizes);
    for (unsigned d = 0; d < rank; d++)
        list[d] = (int64_t)sizes[d];
    *asked = true;
    if (reseed && seed >= 0 && request->attribute[seed].present)
        request->attribute[seed].real += 1;
    if (in >= 0 && dtype_size(request->input[in].dtype) >= sizeof(uint32_t)) {
        const enum dtype dtype = request->input[in].dtype;
        for (unsigned d = 0; d < rank; d++)
            element_store(list, dtype_size(dtype), d, sizes[d]);
        request->input[in] =
            (struct tensor){.dtype = dtype, .rank = 1, .shape = {rank}, .data = list};
    } else if (at >= 0) {
        request->attribute[at].integers = list;
        request->attribute[at].count = rank;
    } else if (samples >= 0 && count % request->input[like].shape[0] == 0) {
        request->attribute[samples].integer = (int64_t)(count / request->input[like].shape[0]);
    } else if (samples < 0 && like >= 0) {
        if (!repeat(&request->input[like], rank, sizes, count, arena))
            return diagnostic_no_memory(diagnostic);
    } else
        *asked = false;
    return ERROR_NONE;
}
