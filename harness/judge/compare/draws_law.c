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
#include "ref/rng/philox_stream.h"

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

uint64_t draws_wanted_of(const struct draws_law *law, unsigned rank)
{
    return rank > 1 ? DRAWS_REPEATS
                    : draws_wanted(law->kind == DRAWS_UNIFORM ? law->dtype : DTYPE_F64);
}

// ---- weights ----------------------------------------------------------------

// The weights of a row, up to a factor, and their sum: of Multinomial e^(x - the row's largest).
struct row {
    const struct tensor *weights;
    bool logarithms;
    uint64_t index, classes;
    double *weight, all;
};

static bool row_start(struct row *row, const struct draws_law *law, struct arena *arena)
{
    *row =
        (struct row){.weights = law->kind == DRAWS_WEIGHTED ? input(law->request, "input") : NULL,
                     .logarithms = is_named(law->request, "onnx.multinomial"),
                     .index = UINT64_MAX,
                     .classes = law->classes,
                     .weight = arena_take_array(arena, (size_t)law->classes + 1, sizeof(double))};
    return row->weight != NULL;
}

static void row_take(struct row *row, uint64_t index)
{
    double largest = -INFINITY;
    if (row->index == index)
        return;
    row->index = index;
    row->all = 0;
    for (uint64_t i = 0; row->logarithms && i < row->classes; i++) {
        row->weight[i] = load(row->weights, index * row->classes + i);
        largest = fmax(largest, row->weight[i]);
    }
    if (!row->logarithms) {
        row->weight[1] = load(row->weights, index);
        row->weight[0] = 1 - row->weight[1];
    }
    for (uint64_t i = 0; i < row->classes; i++)
        row->all += row->weight[i] =
            row->logarithms ? exp(row->weight[i] - largest) : row->weight[i];
}

// What weights of the input's type may be rounded by, as they are added up.
static double weight_rounding(const struct draws_law *law)
{
    const struct num_format *const format = num_format_of(input(law->request, "input")->dtype);
    return (double)(law->classes + 1) * ldexp(1, 1 - format->precision);
}

// Numbers in [0, 1) that have nothing to do with any draw, two words each.
enum { CHUNK = 1024, WORDS = 2 };
struct apart {
    struct philox_stream stream;
    uint32_t word[CHUNK * WORDS];
};

static void apart_start(struct apart *apart, uint64_t salt)
{
    apart->stream = (struct philox_stream){
        .key = {(uint32_t)salt, 0x6c617721}, .rounds = PHILOX_ROUNDS, .carry_words = 2};
}

// Number `index`, asked for in ascending order from 0.
static double apart_take(struct apart *apart, uint64_t index)
{
    if (index % CHUNK == 0)
        philox_fill_u32(&apart->stream, index * WORDS, CHUNK * WORDS, apart->word);
    const uint32_t *const word = &apart->word[index % CHUNK * WORDS];
    return (double)((uint64_t)word[0] << 21 ^ word[1] >> 11) * 0x1p-53;
}

enum { BITS_ENOUGH = 1024 }; // random bits of one draw: more than any law needs

// Where a draw of a row lies in the sum of its weights; NaN: it cannot be drawn.
static double place_of(const struct row *row, double value, double v, double *bits)
{
    double below = 0;
    const bool inside = value >= 0 && value < (double)row->classes;
    const uint64_t class = inside ? (uint64_t)value : 0;
    if (!inside || value != (double)class)
        return NAN;
    const double own = row->weight[class];
    for (uint64_t i = 0; i < class; i++)
        below += row->weight[i];
    if (*bits < BITS_ENOUGH && own > 0)
        *bits -= log2(own / row->all);
    return own > 0 ? (below + own * v) / row->all : NAN;
}

// ---- draws ------------------------------------------------------------------

static enum error take_places(const struct draws_law *law, const void *data, uint64_t count,
                              uint64_t salt, struct arena *arena, struct draws *draws, bool *right,
                              char *text, size_t size, struct diagnostic *diagnostic)
{
    double *const place = arena_take_array(arena, (size_t)count + 1, sizeof *place);
    struct apart *const apart = arena_take(arena, sizeof *apart);
    struct row row;
    double bits = 0;
    *right = true;
    if (!place || !apart || !row_start(&row, law, arena))
        return diagnostic_no_memory(diagnostic);
    apart_start(apart, salt);
    double chunk[CHUNK];
    for (uint64_t i = 0; i < count && *right; i++) {
        if (i % CHUNK == 0)
            num_convert_array(DTYPE_F64, chunk, law->dtype,
                              (const char *)data + i * dtype_size(law->dtype),
                              count - i < CHUNK ? (size_t)(count - i) : CHUNK);
        const double x = chunk[i % CHUNK];
        if (law->kind == DRAWS_NORMAL) {
            place[i] = isfinite(x) ? erfc((law->low - x) / law->high / sqrt(2)) / 2 : NAN;
        } else {
            row_take(&row, i / law->each);
            place[i] = place_of(&row, x, apart_take(apart, i), &bits);
        }
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
    *right = true;
    if (law->kind != DRAWS_UNIFORM)
        return take_places(law, data, count, salt, arena, draws, right, text, size, diagnostic);
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
