// SPDX-License-Identifier: Apache-2.0
// The rounding test: which kernel serves which dtype.

#include "ref/num/product/certify.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/product/kernel.h"
#include "ref/num/small_float.h"

static uint64_t round_to(enum dtype to, double value)
{
    return num_convert(to, DTYPE_F64, double_bits(value), NUM_NEAREST_EVEN, NUM_IEEE);
}

static size_t certify_one_by_one(enum dtype to, size_t count, const double *value,
                                 const double *error, void *out, uint16_t *open)
{
    const size_t size = dtype_size(to);
    size_t opened = 0;
    for (size_t i = 0; i < count; i++) {
        const double e =
            error[i] == 0
                ? 0
                : error[i] + fabs(value[i]) * 0x1p-52; // value +- error is off by one rounding
        const uint64_t low = round_to(to, value[i] - e);
        const bool sign = fabs(value[i]) > e || dtype_kind(to) != DTYPE_KIND_FLOAT;
        const bool closed = isfinite(value[i]) && sign && low == round_to(to, value[i] + e);
        element_store(out, size, i, low);
        open[opened] = (uint16_t)i;
        opened += !closed;
    }
    return opened;
}

// Both ends differ unless there is no error: one of them is off by 2^-52 at least.
static size_t certify_f64(size_t count, const double *value, const double *error, void *out,
                          uint16_t *open)
{
    size_t opened = 0;
    memcpy(out, value, count * sizeof *value);
    for (size_t i = 0; i < count; i++) {
        open[opened] = (uint16_t)i;
        opened += !(error[i] == 0 && value[i] != 0 && isfinite(value[i]));
    }
    return opened;
}

size_t num_certify(enum dtype to, size_t count, const double *value, const double *error, void *out,
                   uint16_t *open)
{
    assert(count <= NUM_CHUNK);
    static const struct num_grid f16 = {11, 0x1p-14, 0x1.8p28, 65504},
                                 bf16 = {8, 0x1p-126, 0x1.8p-81, 0x1.fep127};
    float rounded[NUM_CHUNK];
    if (to == DTYPE_F32)
        return num_kernel_chosen()->certify_f32(count, value, error, out, open);
    if (to == DTYPE_F64)
        return certify_f64(count, value, error, out, open);
    if (to != DTYPE_F16 && to != DTYPE_BF16)
        return certify_one_by_one(to, count, value, error, out, open);
    const size_t opened = num_kernel_chosen()->certify_grid(to == DTYPE_F16 ? &f16 : &bf16, count,
                                                            value, error, rounded, open);
    num_convert_array(to, out, DTYPE_F32, rounded, count); // exact
    return opened;
}
