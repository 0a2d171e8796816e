// SPDX-License-Identifier: Apache-2.0
// Elementary functions: chunks of a fast look and a rounding test, then the last resort.

#include "ref/num/function/function.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/product/certify.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/function/function_estimate.h"
#include "ref/num/function/pair.h"

const struct function_form *function_form_chosen(void)
{
    return ISA_FORM(isa_chosen(), &function_form, &function_form_portable);
}

// One chunk of any types: `x` has room for NUM_CHUNK. Adds to `open` what stays so.
static void round_chunk(enum num_function function, enum dtype to, void *out, size_t first,
                        size_t count, double *x, double share, struct function_open *open)
{
    double value[NUM_CHUNK], error[NUM_CHUNK];
    uint16_t index[NUM_CHUNK];
    const size_t padded = (count + 7) / 8 * 8;
    memset(x + count, 0, (padded - count) * sizeof *x);
    function_form_chosen()->estimate(function, padded, x, value, error);
    for (size_t i = 0; share != 0 && i < count; i++)
        value[i] += share * error[i];
    const size_t opened = num_certify(to, count, value, error, out, index);
    for (size_t i = 0; i < opened; i++) {
        open->index[open->count] = (uint16_t)(first + index[i]);
        open->operand[open->count++] = x[index[i]];
    }
}

static void leave_all(size_t count, const double *x, struct function_open *open)
{
    for (size_t i = 0; i < count; i++) {
        open->index[i] = (uint16_t)i;
        open->operand[i] = x[i];
    }
    open->count = count;
}

// One chunk of f64 in `x`, which has room for NUM_CHUNK. Adds to `open` what stays so.
static void round_wide_chunk(enum num_function function, void *out, size_t count, double *x,
                             double share, struct function_open *open)
{
    double rounded[NUM_CHUNK];
    const size_t padded = (count + 7) / 8 * 8;
    memset(x + count, 0, (padded - count) * sizeof *x);
    if (function_form_chosen()->round_f64(function, share, count, x, rounded, open))
        memcpy(out, rounded, count * sizeof *rounded);
    else
        leave_all(count, x, open);
}

bool function_pair_at(enum num_function function, double x, struct function_pair *y, double *error)
{
    double at[8] = {x}, high[8], low[8], errors[8];
    if (!function_form_chosen()->pairs(function, 8, at, high, low, errors))
        return false;
    *y = (struct function_pair){high[0], low[0]};
    *error = errors[0];
    return isfinite(*error);
}

// One chunk of elements; returns how many the first look left open.
static size_t round_elements(enum num_function function, enum dtype to, void *out, enum dtype from,
                             const void *in, size_t count, const struct num_path *path)
{
    double x[NUM_CHUNK];
    struct function_open open = {.count = 0};
    const double share = path ? path->perturbation[0] : 0;
    const bool exact = path && path->exact;
    size_t done = 0;
    if (to == DTYPE_F32 && from == DTYPE_F32 && !exact)
        done = function_form_chosen()->round_f32(function, share, count, in, out, &open);
    const struct num_elements elements = {from, (const char *)in + done * dtype_size(from), 0, 1,
                                          0};
    num_elements_load(&elements, 0, 0, 0, count - done, x);
    if (exact)
        leave_all(count, x, &open);
    else if (to == DTYPE_F64)
        round_wide_chunk(function, out, count, x, share, &open);
    else if (done < count)
        round_chunk(function, to, (char *)out + done * dtype_size(to), done, count - done, x, share,
                    &open);
    for (size_t i = 0; i < open.count; i++)
        element_store(out, dtype_size(to), open.index[i],
                      function_exact(function, to, open.operand[i]));
    return open.count;
}

void num_function_array(enum num_function function, enum dtype to, void *out, enum dtype from,
                        const void *in, size_t count, struct num_path *path)
{
    assert(function < NUM_FUNCTION_COUNT);
    assert(dtype_kind(to) == DTYPE_KIND_FLOAT && dtype_kind(from) == DTYPE_KIND_FLOAT);
    uint64_t left = 0;
    for (size_t at = 0; at < count; at += NUM_CHUNK)
        left += round_elements(function, to, (char *)out + at * dtype_size(to), from,
                               (const char *)in + at * dtype_size(from),
                               count - at < NUM_CHUNK ? count - at : NUM_CHUNK, path);
    if (path) {
        path->elements += count;
        path->second += left;
        path->third += left;
    }
}

uint64_t num_function_round(enum num_function function, enum dtype to, enum dtype from,
                            uint64_t bits, struct num_path *path)
{
    unsigned char in[8], out[8];
    element_store(in, dtype_size(from), 0, bits);
    num_function_array(function, to, out, from, in, 1, path);
    return element_load(out, dtype_size(to), 0);
}
