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
           size_multiply(vectors, sizeof(double), &norms) && size_add(values, norms, bytes);
}

static const unsigned operand_dtypes =
    DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16) | DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F8E4M3) |
    DTYPE_BIT(DTYPE_F8E5M2) | DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_I16) |
    DTYPE_BIT(DTYPE_U16);

// NUM_PANEL lines of up to NUM_CHUNK numbers, and where they come from.
struct lines {
    double number[NUM_PANEL][NUM_CHUNK];
};

// Reads `count` numbers of each of `lines` lines.
static void read_lines(const struct num_elements *elements, size_t line, size_t lines, size_t at,
                       size_t count, struct lines *to)
{
    for (size_t i = 0; i < lines; i++)
        num_elements_load(elements, line + i, at, 0, count, to->number[i]);
}

// Vectors that lie in one piece each become a panel. Whole ones have a loop of their own, which
// compilers make vectors of.
static void pack_panel(const struct lines *from, size_t vectors, size_t depth, float *panel)
{
    for (size_t k = 0; vectors == NUM_PANEL && k < depth; k++)
        for (size_t v = 0; v < NUM_PANEL; v++)
            panel[k * NUM_PANEL + v] = (float)from->number[v][k];
    for (size_t v = 0; vectors < NUM_PANEL && v < vectors; v++)
        for (size_t k = 0; k < depth; k++)
            panel[k * NUM_PANEL + v] = (float)from->number[v][k];
}

// Lines across the vectors are cut up into panels `stride` numbers apart.
static void pack_across(const struct lines *from, size_t lines, size_t vectors, float *panel,
                        size_t stride)
{
    size_t first = 0;
    for (; first + NUM_PANEL <= vectors; first += NUM_PANEL, panel += stride)
        for (size_t k = 0; k < lines; k++)
            for (size_t v = 0; v < NUM_PANEL; v++)
                panel[k * NUM_PANEL + v] = (float)from->number[k][first + v];
    for (size_t k = 0; k < lines; k++)
        for (size_t v = first; v < vectors; v++)
            panel[k * NUM_PANEL + v - first] = (float)from->number[k][v];
}

// Reads along the source's closer stride, adding up squares: along a vector into one norm, across
// vectors into all.
static void pack(const struct num_view *view, float *values, double *squares, double *largest)
{
    const bool by_vector = labs(view->depth_stride) <= labs(view->vector_stride);
    const size_t lines = by_vector ? view->vectors : view->depth,
                 length = by_vector ? view->depth : view->vectors;
    const size_t stride = NUM_PANEL * view->depth;
    const struct num_elements elements = {view->dtype, view->data,
                                          by_vector ? view->vector_stride : view->depth_stride,
                                          by_vector ? view->depth_stride : view->vector_stride, 0};
    const struct num_kernel *const kernel = num_kernel_chosen();
    struct lines read;
    *largest = 0;
    for (size_t line = 0; line < lines; line += NUM_PANEL)
        for (size_t at = 0; at < length; at += NUM_CHUNK) {
            const size_t count = length - at < NUM_CHUNK ? length - at : NUM_CHUNK;
            const size_t together = lines - line < NUM_PANEL ? lines - line : NUM_PANEL;
            read_lines(&elements, line, together, at, count, &read);
            for (size_t i = 0; i < together; i++)
                if (by_vector)
                    squares[line + i] += kernel->sum_squares(count, read.number[i], largest);
                else
                    kernel->add_squares(count, read.number[i], squares + at, largest);
            if (by_vector)
                pack_panel(&read, together, count,
                           values + line / NUM_PANEL * stride + at * NUM_PANEL);
            else
                pack_across(&read, together, count,
                            values + at / NUM_PANEL * stride + line * NUM_PANEL, stride);
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
    memset(norm, 0, view->vectors * sizeof *norm);
    double largest;
    pack(view, values, norm, &largest);
    for (size_t v = 0; v < view->vectors; v++)
        norm[v] =
            sqrt(norm[v]) * (1 + 0x1p-20); // the sum of squares is off by at most depth * 2^-53
    *operand = (struct num_operand){.vectors = view->vectors,
                                    .depth = view->depth,
                                    .values = values,
                                    .norm = norm,
                                    .largest = largest,
                                    .integral = dtype_kind(view->dtype) != DTYPE_KIND_FLOAT};
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
