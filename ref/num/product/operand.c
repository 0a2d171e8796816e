// SPDX-License-Identifier: Apache-2.0
// Operands of products: numbers of any type packed as floats in panels, with what the error bounds
// need to know of them.

#include "ref/num/product/operand.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/size.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/product/kernel.h"

// Numbers of all panels.
static bool values_of(size_t vectors, size_t depth, size_t *values)
{
    return size_round_up(vectors, NUM_PANEL, values) && size_multiply(*values, depth, values);
}

bool num_operand_bytes(size_t vectors, size_t depth, size_t *bytes)
{
    size_t values, norms;
    return values_of(vectors, depth, &values) && size_multiply(values, sizeof(float), &values) &&
           size_round_up(vectors, NUM_PANEL, &norms) &&
           size_multiply(norms, sizeof(double), &norms) && size_add(values, norms, bytes);
}

static const unsigned operand_dtypes =
    DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16) | DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F8E4M3) |
    DTYPE_BIT(DTYPE_F8E5M2) | DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_I16) |
    DTYPE_BIT(DTYPE_U16);

// Numbers [at, at + count) of a line as floats: where they lie, or converted.
static const float *read_line(const struct num_elements *elements, size_t line, size_t at,
                              size_t count, float *converted)
{
    double number[NUM_CHUNK];
    if (elements->dtype == DTYPE_F32 && elements->column_stride == 1)
        return (const float *)elements->data + (ptrdiff_t)line * elements->row_stride + at;
    num_elements_load(elements, line, at, 0, count, number);
    for (size_t i = 0; i < count; i++)
        converted[i] = (float)number[i];
    return converted;
}

// Reads along the source's closer stride, adding up squares: along a vector into one norm, across
// vectors into all. Vectors that fill up the last panel are zeros.
static void pack(const struct num_view *view, float *values, double *squares)
{
    static const float zeros[NUM_CHUNK];
    const bool by_vector = labs(view->depth_stride) <= labs(view->vector_stride);
    const size_t lines = by_vector ? view->vectors : view->depth,
                 length = by_vector ? view->depth : view->vectors;
    const size_t stride = NUM_PANEL * view->depth;
    const struct num_elements elements = {view->dtype, view->data,
                                          by_vector ? view->vector_stride : view->depth_stride,
                                          by_vector ? view->depth_stride : view->vector_stride, 0};
    const struct num_kernel *const kernel = num_kernel_chosen();
    float converted[NUM_PANEL][NUM_CHUNK];
    for (size_t first = 0; first < lines; first += NUM_PANEL)
        for (size_t at = 0; at < length; at += NUM_CHUNK) {
            const size_t count = length - at < NUM_CHUNK ? length - at : NUM_CHUNK;
            const size_t together = lines - first < NUM_PANEL ? lines - first : NUM_PANEL;
            const float *line[NUM_PANEL];
            for (size_t i = 0; i < NUM_PANEL; i++)
                line[i] =
                    i < together ? read_line(&elements, first + i, at, count, converted[i]) : zeros;
            if (by_vector)
                kernel->pack_along(count, line,
                                   values + first / NUM_PANEL * stride + at * NUM_PANEL,
                                   squares + first);
            else
                kernel->pack_across(together, count, line,
                                    values + at / NUM_PANEL * stride + first * NUM_PANEL, stride,
                                    squares + at);
        }
}

enum error num_operand_prepare(struct num_operand *operand, const struct num_view *view,
                               void *buffer, struct diagnostic *diagnostic)
{
    if (!(operand_dtypes & DTYPE_BIT(view->dtype)))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "products take floats and integers of at most 24 bits, found %s",
                               dtype_name(view->dtype));
    size_t elements;
    if (!values_of(view->vectors, view->depth, &elements))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "an operand of %zu vectors of %zu numbers does not fit in memory",
                               view->vectors, view->depth);
    float *const values = buffer;
    double *const norm = (double *)(void *)(values + elements);
    const size_t last = view->vectors / NUM_PANEL * NUM_PANEL;
    memset(values + last * view->depth, 0, (elements - last * view->depth) * sizeof *values);
    memset(norm, 0, (view->vectors + NUM_PANEL - 1) / NUM_PANEL * NUM_PANEL * sizeof *norm);
    pack(view, values, norm);
    for (size_t v = 0; v < view->vectors; v++)
        norm[v] =
            sqrt(norm[v]) * (1 + 0x1p-20); // the sum of squares is off by at most depth * 2^-53
    const bool integral = dtype_kind(view->dtype) != DTYPE_KIND_FLOAT;
    *operand =
        (struct num_operand){.vectors = view->vectors,
                             .depth = view->depth,
                             .values = values,
                             .panels = (view->vectors + NUM_PANEL - 1) / NUM_PANEL,
                             .norm = norm,
                             .largest = integral ? exp2(8 * (double)dtype_size(view->dtype)) : 0,
                             .integral = integral};
    return ERROR_NONE;
}

struct num_operand num_operand_slice(const struct num_operand *operand, size_t first, size_t count)
{
    assert(first <= operand->vectors && count <= operand->vectors - first);
    struct num_operand slice = *operand;
    slice.first += first;
    slice.norm += first;
    slice.vectors = count;
    return slice;
}
