// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/compare/picture.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"

// |got - expected| in units in the last place of the expected value: infinity where either is no
// finite number and they differ.
static double ulp_between(enum dtype dtype, uint64_t expected, uint64_t got)
{
    if (compare_same(dtype, expected, got))
        return 0;
    const double e = num_to_double(dtype, expected), g = num_to_double(dtype, got);
    if (!isfinite(e) || !isfinite(g))
        return INFINITY;
    const struct num_format *const format = num_format_of(dtype);
    const int exponent =
        e == 0 || ilogb(e) < format->exponent_min ? format->exponent_min : ilogb(e);
    return ldexp(fabs(g - e), format->precision - 1 - exponent);
}

static unsigned ulp_bin(double ulp)
{
    if (ulp == 0)
        return 0;
    if (ulp < 1)
        return 1;
    const int bin = isfinite(ulp) ? ilogb(ulp) + 2 : PICTURE_ULP_BINS;
    return bin < PICTURE_ULP_BINS ? (unsigned)bin : PICTURE_ULP_BINS - 1;
}

// The used part of the radius, infinity outside of an interval without one; negative where the
// interval says nothing.
static double radius_used(enum dtype dtype, uint64_t lower, uint64_t upper, uint64_t got)
{
    const double l = num_to_double(dtype, lower), u = num_to_double(dtype, upper),
                 g = num_to_double(dtype, got);
    if (isnan(l) || isnan(u))
        return isnan(g) ? -1 : INFINITY;
    if (compare_is_any(dtype, lower, upper))
        return -1;
    if (isnan(g))
        return INFINITY;
    if (l == u)
        return g == l ? 0 : INFINITY;
    if (isinf(u - l))
        return g >= l && g <= u ? -1 : INFINITY;
    const double used = fabs(g - (l + (u - l) / 2)) / ((u - l) / 2);
    if (g >= l && g <= u) // the ends are inside, whatever the division made of them
        return used < 1 ? used : nextafter(1, 0);
    return used >= 1 ? used : 1;
}

static unsigned radius_bin(double used)
{
    return used < 1 ? (unsigned)(used * (PICTURE_RADIUS_BINS - 1)) : PICTURE_RADIUS_BINS - 1;
}

static void plan_map(const struct tensor *tensor, uint64_t count, struct picture *picture)
{
    uint64_t whole = 0;
    if (!tensor->rank || !tensor_count(tensor, &whole) || whole != count)
        return;
    unsigned d = 0;
    while (d + 2 < tensor->rank && tensor->shape[d] == 1)
        d++;
    picture->column_count = tensor->shape[tensor->rank - 1];
    picture->row_count = tensor->rank > 1 ? tensor->shape[d] : 1;
    picture->first = d == 0;
    picture->row_size = 1;
    for (unsigned k = tensor->rank > 1 ? d + 1 : 0; k < tensor->rank; k++)
        picture->row_size *= tensor->shape[k];
    picture->rows =
        picture->row_count < PICTURE_SIDE_MAX ? (unsigned)picture->row_count : PICTURE_SIDE_MAX;
    picture->columns = picture->column_count < PICTURE_SIDE_MAX ? (unsigned)picture->column_count
                                                                : PICTURE_SIDE_MAX;
}

static void mark(struct picture *picture, uint64_t at)
{
    const uint64_t column = at % picture->column_count,
                   row = at / picture->row_size % picture->row_count;
    const uint64_t r = row * picture->rows / picture->row_count,
                   c = column * picture->columns / picture->column_count;
    picture->cells[r * picture->columns + c]++;
}

static bool is_wrong(const struct expected *expected, uint64_t wanted, uint64_t got, double used)
{
    return expected->lower ? used >= 1 : !compare_same(expected->dtype, wanted, got);
}

enum error picture_draw(const struct expected *expected, const struct tensor *got, uint64_t count,
                        const struct comparison *comparison, struct arena *arena,
                        const struct picture **picture, struct diagnostic *diagnostic)
{
    const enum dtype dtype = expected->dtype;
    const size_t size = dtype_size(dtype);
    const bool ulp = num_format_of(dtype) && expected->bits && comparison->wrong;
    *picture = NULL;
    if (!count || (!comparison->wrong && !expected->lower))
        return ERROR_NONE;
    struct picture *const made = arena_take(arena, sizeof *made);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    *made = (struct picture){.cells = NULL};
    if (comparison->wrong && comparison->wrong < count) // all wrong is said in a word
        plan_map(got, count, made);
    if (made->rows && !(made->cells = arena_take_array(arena, (size_t)made->rows * made->columns,
                                                       sizeof *made->cells)))
        return diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t wanted = expected->bits ? element_load(expected->bits, size, (size_t)i) : 0,
                       bits = element_load(got->data, size, (size_t)i);
        const double used = expected->lower
                                ? radius_used(dtype, element_load(expected->lower, size, (size_t)i),
                                              element_load(expected->upper, size, (size_t)i), bits)
                                : -1;
        const double far = ulp ? ulp_between(dtype, wanted, bits) : 0;
        if (used >= 0)
            made->radius[radius_bin(used)]++;
        made->radius_largest = used > made->radius_largest ? used : made->radius_largest;
        if (ulp)
            made->ulp[ulp_bin(far)]++;
        made->ulp_largest = far > made->ulp_largest ? far : made->ulp_largest;
        if (made->rows && is_wrong(expected, wanted, bits, used))
            mark(made, i);
    }
    *picture = made;
    return ERROR_NONE;
}

// ---- as JSON ----------------------------------------------------------------

static void put_real(struct text *text, double value)
{
    char digits[32];
    if (!isfinite(value)) {
        json_put_string(text, isnan(value) ? "nan" : "inf");
        return;
    }
    snprintf(digits, sizeof digits, value == floor(value) && value < 1e15 ? "%.0f" : "%.6g", value);
    text_put_bytes(text, text->comma ? ", " : "", text->comma ? 2 : 0);
    text_put_bytes(text, digits, strlen(digits));
    text->comma = true;
}

static double ulp_edge(unsigned bin)
{
    return bin < 2 ? 0.5 * bin : ldexp(1, (int)bin - 2);
}

static double radius_edge(unsigned bin)
{
    return (double)bin / (PICTURE_RADIUS_BINS - 1);
}

static void put_histogram(struct text *text, const char *key, const uint64_t *bins, unsigned count,
                          double (*edge)(unsigned), double largest)
{
    while (count && !bins[count - 1])
        count--;
    if (!count)
        return;
    json_begin_object_at(text, key);
    json_begin_list_at(text, "edges");
    for (unsigned i = 0; i < count; i++)
        put_real(text, edge(i));
    json_end_list(text);
    json_put_numbers_at(text, "counts", bins, count);
    json_put_key(text, "largest");
    put_real(text, largest);
    json_end_object(text);
}

// A few fields say no more than the elements that are listed.
static bool worth_a_map(const struct picture *picture)
{
    return picture->rows > 1 ? picture->columns > 1 : picture->rows && picture->columns >= 16;
}

void picture_put(struct text *text, const struct picture *picture, bool time_first)
{
    assert(picture && picture->columns <= PICTURE_SIDE_MAX && picture->rows <= PICTURE_SIDE_MAX);
    put_histogram(text, "ulp", picture->ulp, PICTURE_ULP_BINS, ulp_edge, picture->ulp_largest);
    put_histogram(text, "radius", picture->radius, PICTURE_RADIUS_BINS, radius_edge,
                  picture->radius_largest);
    if (!worth_a_map(picture))
        return;
    json_begin_object_at(text, "map");
    json_put_unsigned_at(text, "rows", picture->rows);
    json_put_unsigned_at(text, "columns", picture->columns);
    json_put_pair(text, "row_name",
                  time_first && picture->first ? "time"
                  : picture->first             ? "first index"
                                               : "row");
    json_put_pair(text, "column_name", time_first ? "channel" : "last index");
    json_put_unsigned_at(text, "row_count", picture->row_count);
    json_put_unsigned_at(text, "column_count", picture->column_count);
    json_begin_list_at(text, "cells");
    for (unsigned i = 0; i < picture->rows * picture->columns; i++)
        json_put_unsigned(text, picture->cells[i]);
    json_end_list(text);
    json_end_object(text);
}

// ---- in parts ---------------------------------------------------------------

const struct picture *picture_code(const struct shard_codec *codec, const struct picture *drawn)
{
    struct picture *const picture = shard_code_one(codec, drawn, sizeof *picture);
    if (!picture)
        return NULL;
    for (unsigned i = 0; i < PICTURE_ULP_BINS; i++)
        SHARD_CODE(codec, picture->ulp[i], UINT64_MAX);
    for (unsigned i = 0; i < PICTURE_RADIUS_BINS; i++)
        SHARD_CODE(codec, picture->radius[i], UINT64_MAX);
    shard_code_double(codec, &picture->ulp_largest);
    shard_code_double(codec, &picture->radius_largest);
    SHARD_CODE(codec, picture->rows, PICTURE_SIDE_MAX);
    SHARD_CODE(codec, picture->columns, PICTURE_SIDE_MAX);
    SHARD_CODE(codec, picture->row_count, UINT64_MAX);
    SHARD_CODE(codec, picture->column_count, UINT64_MAX);
    SHARD_CODE(codec, picture->first, true);
    shard_code_check(codec, !picture->rows == !picture->columns);
    const size_t cells = picture->rows * picture->columns;
    picture->cells = shard_code_room(codec, picture->cells, cells, sizeof *picture->cells);
    for (size_t i = 0; i < cells && picture->cells; i++)
        SHARD_CODE(codec, picture->cells[i], UINT32_MAX);
    return picture;
}
