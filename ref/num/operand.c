// SPDX-License-Identifier: Apache-2.0
// Operands of products: numbers of any type packed as doubles, with what the error bounds need to know of them.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/size.h"
#include "ref/num/expression_parts.h"
#include "ref/num/kernel.h"
#include "ref/num/product.h"

bool num_operand_bytes(size_t vectors, size_t depth, size_t *bytes)
{
    size_t elements;
    return size_multiply(vectors, depth, &elements) && size_add(elements, vectors, &elements) &&
           size_multiply(elements, sizeof(double), bytes);
}

static const unsigned operand_dtypes = DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16) | DTYPE_BIT(DTYPE_F32) |
                                       DTYPE_BIT(DTYPE_F8E4M3) | DTYPE_BIT(DTYPE_F8E5M2) | DTYPE_BIT(DTYPE_I8) |
                                       DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_I16) | DTYPE_BIT(DTYPE_U16);

// Copies line by line along the source's closer stride, adding up squares: along a vector into one norm, across vectors into all.
static void pack(const struct num_view *view, bool by_vector, double *values, double *squares, double *largest)
{
    const size_t lines = by_vector ? view->vectors : view->depth, length = by_vector ? view->depth : view->vectors;
    const struct num_elements elements = {view->dtype, view->data, by_vector ? view->vector_stride : view->depth_stride,
                                          by_vector ? view->depth_stride : view->vector_stride, 0};
    const struct num_kernel *const kernel = num_kernel_chosen();
    *largest = 0;
    for (size_t line = 0; line < lines; line++)
        for (size_t at = 0; at < length; at += NUM_CHUNK) {
            const size_t count = length - at < NUM_CHUNK ? length - at : NUM_CHUNK;
            double *const to = values + line * length + at;
            num_elements_load(&elements, line, at, 0, count, to);
            if (by_vector)
                squares[line] += kernel->sum_squares(count, to, largest);
            else
                kernel->add_squares(count, to, squares + at, largest);
        }
}

enum error num_operand_prepare(struct num_operand *operand, const struct num_view *view, void *buffer,
                               struct diagnostic *diagnostic)
{
    if (!(operand_dtypes & DTYPE_BIT(view->dtype)))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "products take floats and integers of at most 24 bits, found %s",
                               dtype_name(view->dtype));
    const size_t elements = view->vectors * view->depth;
    double *const values = buffer, *const norm = values + elements;
    const bool by_vector = labs(view->depth_stride) <= labs(view->vector_stride);
    memset(norm, 0, view->vectors * sizeof *norm);
    double largest;
    pack(view, by_vector, values, norm, &largest);
    for (size_t v = 0; v < view->vectors; v++)
        norm[v] = sqrt(norm[v]) * (1 + 0x1p-20); // the sum of squares is off by at most depth * 2^-53
    *operand = (struct num_operand){.vectors = view->vectors,
                                    .depth = view->depth,
                                    .vector_stride = by_vector ? (ptrdiff_t)view->depth : 1,
                                    .depth_stride = by_vector ? 1 : (ptrdiff_t)view->vectors,
                                    .values = values,
                                    .norm = norm,
                                    .largest = largest,
                                    .integral = dtype_kind(view->dtype) != DTYPE_KIND_FLOAT};
    return ERROR_NONE;
}

struct num_operand num_operand_slice(const struct num_operand *operand, size_t first, size_t count)
{
    struct num_operand slice = *operand;
    slice.values += (ptrdiff_t)first * operand->vector_stride;
    slice.norm += first;
    slice.vectors = count;
    return slice;
}
