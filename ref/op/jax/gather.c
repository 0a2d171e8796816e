// SPDX-License-Identifier: Apache-2.0

#include "ref/op/jax/gather.h"

#include <inttypes.h>
#include <string.h>

#include "ref/base/bytes.h"

static enum error numbers_below(const struct tensor *a, struct jax_population *population,
                                struct diagnostic *diagnostic)
{
    if (!(DTYPE_BIT(a->dtype) & DTYPES_INTEGER))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "a scalar of type %s; expected an integer or an array",
                               dtype_name(a->dtype));
    const int64_t count = operation_load_integer(a, 0);
    if (count > INT32_MAX || (count < 0 && a->dtype == DTYPE_U64))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "%" PRIu64 " numbers; at most 2^31 - 1 are supported",
                               (uint64_t)count);
    population->numbers = true;
    population->lanes = (struct jax_lanes){1, count < 0 ? 0 : (uint64_t)count, 1};
    return ERROR_NONE;
}

enum error jax_population_of(const struct tensor *a, int64_t axis,
                             struct jax_population *population, struct diagnostic *diagnostic)
{
    const int64_t rank = a->rank ? a->rank : 1;
    *population = (struct jax_population){.lanes = {1, 1, 1}};
    if (axis < -rank || axis >= rank)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "axis is %" PRId64 "; an array of rank %" PRId64 " has %" PRId64
                               " to %" PRId64,
                               axis, rank, -rank, rank - 1);
    population->axis = (unsigned)(axis < 0 ? axis + rank : axis);
    if (!a->rank)
        return numbers_below(a, population, diagnostic);
    for (unsigned i = 0; i < a->rank; i++)
        *(i < population->axis   ? &population->lanes.outer
          : i > population->axis ? &population->lanes.inner
                                 : &population->lanes.length) *= a->shape[i];
    return ERROR_NONE;
}

void jax_gather(const struct jax_population *population, const struct tensor *a,
                const uint32_t *source, uint64_t count, enum dtype dtype, void *out)
{
    if (population->numbers) {
        for (uint64_t i = 0; i < count; i++)
            element_store(out, dtype_size(dtype), i, source[i]);
        return;
    }
    const size_t row = (size_t)population->lanes.inner * dtype_size(dtype);
    for (uint64_t outer = 0; outer < population->lanes.outer; outer++)
        for (uint64_t i = 0; i < count && row; i++)
            memcpy((unsigned char *)out + (outer * count + i) * row,
                   (const unsigned char *)a->data +
                       (outer * population->lanes.length + source[i]) * row,
                   row);
}
