// SPDX-License-Identifier: Apache-2.0
// Nodes of f64 that are one word of stored numbers: what the first look leaves open of a run is
// decided at once, without a look at each element. The value that the first look has of a sum, a
// difference, a product, a quotient or a square root of doubles is that number rounded, as IEEE 754
// has it. Functions have arrays of their own.

#include "ref/op/declared/look.h"

#include <math.h>
#include <string.h>

#include "ref/num/function/function.h"
#include "ref/num/function/function_estimate.h"
#include "ref/num/function/pair.h"

// Whether doubles hold the operand.
static bool is_held(const struct plan_value *of)
{
    return of->kind == PLAN_SCALAR
               ? of->exact
               : of->kind == PLAN_STORED && (dtype_kind(of->type) == DTYPE_KIND_FLOAT ||
                                             dtype_size(of->type) < sizeof(double));
}

static bool is_rounded_once(const struct plan *plan, const struct plan_value *root)
{
    switch (plan_op(plan, root)) {
    case WORD_ADD:
    case WORD_SUBTRACT:
    case WORD_MULTIPLY:
    case WORD_DIVIDE:
    case WORD_SQUARE:
    case WORD_SQRT:
        break;
    default:
        return false;
    }
    bool held = true;
    for (unsigned i = 0; i < plan_operands(plan, root); i++)
        held = held && is_held(plan_operand(plan, root, i));
    return held;
}

// The numbers that the root is the function of, each at the place of its value; NULL: it is none,
// or none that is known in pairs.
static const double *numbers_of(const struct plan *plan, const struct plan_value *root,
                                uint64_t first, enum num_function *function)
{
    struct function_pair y;
    double error;
    const int found = look_function_of(plan_op(plan, root));
    if (found < 0 || !function_pair_at((enum num_function)found, 0.5, &y, &error))
        return NULL;
    const struct plan_value *const of = plan_operand(plan, root, 0);
    *function = (enum num_function)found;
    return of->kind == PLAN_STORED && of->type == DTYPE_F64 && of->rank == root->rank &&
                   memcmp(of->size, root->size, root->rank * sizeof *of->size) == 0
               ? (const double *)of->data + (first - of->shift)
               : NULL;
}

size_t single_settle(struct plan *plan, const struct plan_value *root, uint64_t first,
                     const struct look_taken *taken, size_t opened, uint16_t *open, double *out)
{
    double x[LOOK_RUN], y[LOOK_RUN];
    uint16_t place[LOOK_RUN];
    enum num_function function = NUM_EXP;
    struct num_path path = {0};
    size_t count = 0, left = 0;
    if (root->kind != PLAN_FUSED || taken->run)
        return opened;
    const double *const numbers =
        is_rounded_once(plan, root) ? taken->value : numbers_of(plan, root, first, &function);
    if (!numbers)
        return opened;
    for (size_t k = 0; k < opened; k++)
        if (taken->error[open[k]] == 0) {
            open[left++] = open[k];
        } else {
            x[count] = numbers[open[k]];
            place[count++] = open[k];
        }
    if (numbers == taken->value) {
        memcpy(y, x, count * sizeof *y);
    } else {
        num_function_array(function, DTYPE_F64, y, DTYPE_F64, x, count, &path);
        plan->pairs += count - path.third;
        plan->settled += path.third;
    }
    for (size_t k = 0; k < count; k++)
        out[place[k]] = y[k];
    return left;
}
