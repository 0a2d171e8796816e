// SPDX-License-Identifier: Apache-2.0
// Elementary functions: chunks of a fast look and a rounding test, then the last resort.

#include "ref/num/function/function.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/product/certify.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/function/function_estimate.h"

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

// Adds the elements of a chunk that the second look leaves open, or all of them when only the last
// resort is wanted.
static void round_wide_chunk(enum num_function function, void *out, size_t count, const double *x,
                             bool exact, double share, enum dtype to, struct function_open *open)
{
    for (size_t i = 0; i < count; i++) {
        double y;
        if (to == DTYPE_F64 && !exact && function_second(function, x[i], share, &y)) {
            element_store(out, sizeof y, i, double_bits(y));
        } else {
            open->index[open->count] = (uint16_t)i;
            open->operand[open->count++] = x[i];
        }
    }
}

void num_function_array(enum num_function function, enum dtype to, void *out, enum dtype from,
                        const void *in, size_t count, struct num_path *path)
{
    assert(function < NUM_FUNCTION_COUNT);
    assert(dtype_kind(to) == DTYPE_KIND_FLOAT && dtype_kind(from) == DTYPE_KIND_FLOAT);
    const bool exact = path && path->exact, fast = to != DTYPE_F64 && !exact;
    const double share = path ? path->perturbation[fast ? 0 : 1] : 0;
    const size_t to_size = dtype_size(to), from_size = dtype_size(from);
    uint64_t third = 0;
    for (size_t at = 0; at < count; at += NUM_CHUNK) {
        double x[NUM_CHUNK];
        struct function_open open;
        const size_t length = count - at < NUM_CHUNK ? count - at : NUM_CHUNK;
        const char *const here = (const char *)in + at * from_size;
        char *const to_here = (char *)out + at * to_size;
        size_t done = 0;
        open.count = 0;
        if (fast && to == DTYPE_F32 && from == DTYPE_F32)
            done = function_form_chosen()->round_f32(function, share, length,
                                                     (const float *)(const void *)here,
                                                     (float *)(void *)to_here, &open);
        const struct num_elements elements = {from, here + done * from_size, 0, 1, 0};
        num_elements_load(&elements, 0, 0, 0, length - done, x);
        if (fast && done < length)
            round_chunk(function, to, to_here + done * to_size, done, length - done, x, share,
                        &open);
        if (!fast)
            round_wide_chunk(function, to_here, length, x, exact, share, to, &open);
        for (size_t i = 0; i < open.count; i++)
            element_store(to_here, to_size, open.index[i],
                          function_exact(function, to, open.operand[i]));
        third += open.count;
    }
    if (path) {
        path->elements += count;
        path->second += fast || exact ? third : count;
        path->third += third;
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
