// SPDX-License-Identifier: Apache-2.0
// The rounding test, portable form.

#include "ref/num/certify.h"

#include <math.h>
#include <stdbool.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

// value +- error in double is off by one rounding; this much more covers it.
static const double outward = 0x1p-52;

static size_t certify_f32(size_t count, const double *value, const double *error, float *out, uint16_t *open)
{
    size_t opened = 0;
    for (size_t i = 0; i < count; i++) {
        const double e = error[i] == 0 ? 0 : error[i] + fabs(value[i]) * outward;
        const float low = (float)(value[i] - e), high = (float)(value[i] + e);
        out[i] = low;
        open[opened] = (uint16_t)i;
        opened += !(float_bits(low) == float_bits(high) && e < INFINITY && fabs(value[i]) < INFINITY && value[i] != 0);
    }
    return opened;
}

static uint64_t round_to(enum dtype to, double value)
{
    return num_convert(to, DTYPE_F64, double_bits(value), NUM_NEAREST_EVEN, NUM_IEEE);
}

size_t num_certify(enum dtype to, size_t count, const double *value, const double *error, void *out, uint16_t *open)
{
    if (to == DTYPE_F32)
        return certify_f32(count, value, error, out, open);
    const size_t size = dtype_size(to);
    size_t opened = 0;
    for (size_t i = 0; i < count; i++) {
        const double e = error[i] == 0 ? 0 : error[i] + fabs(value[i]) * outward;
        const uint64_t low = round_to(to, value[i] - e);
        const bool zero = value[i] == 0 && (e != 0 || dtype_kind(to) == DTYPE_KIND_FLOAT);
        const bool closed = isfinite(value[i]) && isfinite(e) && !zero && low == round_to(to, value[i] + e);
        element_store(out, size, i, low);
        open[opened] = (uint16_t)i;
        opened += !closed;
    }
    return opened;
}
