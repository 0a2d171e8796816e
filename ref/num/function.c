// SPDX-License-Identifier: Apache-2.0
// Elementary functions: chunks of a fast look and a rounding test, then the last resort.

#include "ref/num/function.h"

#include <stdbool.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/certify.h"
#include "ref/num/expression_parts.h"
#include "ref/num/function_estimate.h"

static const char *const names[NUM_FUNCTION_COUNT] = {
    [NUM_EXP] = "exp",
    [NUM_EXPM1] = "expm1",
    [NUM_LOG] = "log",
    [NUM_LOG1P] = "log1p",
    [NUM_TANH] = "tanh",
    [NUM_LOGISTIC] = "logistic",
    [NUM_ERF_INV] = "erf_inv",
    [NUM_SIN] = "sin",
    [NUM_COS] = "cos",
    [NUM_GUMBEL] = "gumbel",
    [NUM_EXPONENTIAL] = "exponential",
    [NUM_GUMBEL_HIGH] = "gumbel_high",
    [NUM_NORMAL_QUANTILE] = "normal_quantile",
};

const char *num_function_name(enum num_function function)
{
    return names[function];
}

function_estimate function_estimate_chosen(void)
{
#if defined(__x86_64__)
    if (isa_chosen() == ISA_AVX512)
        return function_estimate_avx512;
    if (isa_chosen() == ISA_AVX2)
        return function_estimate_avx2;
#endif
    return function_estimate_portable;
}

// One chunk: `x` has room for NUM_CHUNK.
static void round_chunk(enum num_function function, enum dtype to, void *out, size_t count, double *x, struct num_path *path)
{
    double value[NUM_CHUNK], error[NUM_CHUNK];
    uint16_t open[NUM_CHUNK];
    const size_t padded = (count + 7) / 8 * 8;
    size_t opened;
    memset(x + count, 0, (padded - count) * sizeof *x);
    function_estimate_chosen()(function, padded, x, value, error);
    for (size_t i = 0; path && path->perturbation[0] != 0 && i < count; i++)
        value[i] += path->perturbation[0] * error[i];
    opened = num_certify(to, count, value, error, out, open);
    for (size_t i = 0; i < opened; i++)
        element_store(out, dtype_size(to), open[i], function_exact(function, to, x[open[i]]));
    if (path)
        path->third += opened;
}

void num_function_array(enum num_function function, enum dtype to, void *out, enum dtype from, const void *in, size_t count,
                        struct num_path *path)
{
    const bool fast = to != DTYPE_F64 && !(path && path->exact);
    const size_t to_size = dtype_size(to), from_size = dtype_size(from);
    for (size_t at = 0; at < count; at += NUM_CHUNK) {
        double x[NUM_CHUNK];
        const size_t length = count - at < NUM_CHUNK ? count - at : NUM_CHUNK;
        const struct num_elements elements = {from, (const char *)in + at * from_size, 0, 1, 0};
        char *const to_here = (char *)out + at * to_size;
        num_elements_load(&elements, 0, 0, 0, length, x);
        if (fast) {
            round_chunk(function, to, to_here, length, x, path);
        } else {
            for (size_t i = 0; i < length; i++)
                element_store(to_here, to_size, i, function_exact(function, to, x[i]));
            if (path)
                path->third += length;
        }
    }
    if (path) {
        path->elements += count;
        path->second = path->third;
    }
}

uint64_t num_function_round(enum num_function function, enum dtype to, enum dtype from, uint64_t bits, struct num_path *path)
{
    unsigned char in[8], out[8];
    element_store(in, dtype_size(from), 0, bits);
    num_function_array(function, to, out, from, in, 1, path);
    return element_load(out, dtype_size(to), 0);
}
