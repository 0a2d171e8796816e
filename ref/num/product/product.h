// SPDX-License-Identifier: Apache-2.0
// Matrix products rounded once: out = RN(sum over p of left_p . right_p + leaf), the whole sum one
// node.
//
// First look: a matrix product in double (panel.h) with an error bound for each element. What the
// bound leaves open is summed again in double-double, and then exactly. Bytes do not depend on
// which was needed. Infinities, NaN, overflow and zeros as in expression.h. The bounds stand in
// ref/PROOFS.md, "Products".

#ifndef ASSAY_REF_NUM_PRODUCT_PRODUCT_H
#define ASSAY_REF_NUM_PRODUCT_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/error.h"
#include "ref/num/path.h"
#include "ref/num/product/expression_form.h"
#include "ref/num/product/operand.h"

enum { NUM_PRODUCTS_MAX = 8 };

struct num_product {
    struct num_operand left;  // `rows` vectors
    struct num_operand right; // `columns` vectors of the same depth
};

struct num_sum {
    size_t rows, columns;
    unsigned products; // 0 to NUM_PRODUCTS_MAX
    struct num_product product[NUM_PRODUCTS_MAX];
    const double
        *begun; // [row][begun_stride] what num_product_begin made of product[0]; NULL: nothing
    size_t begun_stride;
    const struct num_expression
        *leaf; // further terms for each element [row][column], without denominators; NULL: none
};

// For sums that share the right operand of their first product: the estimates of `count` such
// products, of `left[i]` with `right`, in to[i][row][column], rows `stride` numbers long. What is
// streamed once then serves all of them; sums round to the same bits with it or without. All left
// operands have as many vectors. `workspace` has as many numbers as num_begin_numbers.
void num_product_begin(const struct num_operand *left, size_t count,
                       const struct num_operand *right, double *to, size_t stride,
                       double *workspace);
bool num_begin_numbers(size_t rows, size_t count, size_t *numbers);

// Bytes of the workspace of num_sum_round for sums of at most so many rows and columns, one for
// each thread that calls.
size_t num_sum_workspace(size_t rows, size_t columns);

// Rounds every element of the sum into `out`. A sum without any term is +0. `workspace` is aligned
// as a double. ERROR_INVALID_ARGUMENT when depths or counts do not fit together.
enum error num_sum_round(const struct num_sum *sum, const struct num_result *out, void *workspace,
                         struct num_path *path, struct diagnostic *diagnostic);

#endif
