// SPDX-License-Identifier: Apache-2.0
// The glance at elementwise expressions: runs of leaves, words in vectors, and a look at the runs
// of which a vector cannot tell.

#include "ref/op/declared/look.h"

#include <math.h>
#include <string.h>

#include "ref/base/isa.h"
#include "ref/num/function/function_estimate.h"

enum { SINGLE_BITS = 24 };

const struct glance_form *glance_form_chosen(void)
{
    return ISA_FORM(isa_chosen(), &glance_form, &glance_form_portable);
}

static size_t padded(size_t count)
{
    return (count + GLANCE_STEP - 1) / GLANCE_STEP * GLANCE_STEP;
}

// One number in all places of a run.
static void spread(double value, double error, size_t count, struct glance_run *to)
{
    to->bits = error != 0 ? 0 : (double)(float)value == value ? SINGLE_BITS : GLANCE_BITS;
    glance_form_chosen()->spread(value, padded(count), to->value);
    if (!to->bits)
        glance_form_chosen()->spread(error, padded(count), to->error);
}

// What stands beyond the run in its last vectors is what stands first in it.
static void pad(size_t count, struct glance_run *to)
{
    for (size_t i = count; i < padded(count); i++) {
        to->value[i] = to->value[0];
        if (!to->bits)
            to->error[i] = to->error[0];
    }
}

// Exact, but for whole numbers beyond 2^53.
static unsigned bits_of(const struct plan_value *value, size_t count, const double *number)
{
    const size_t size = dtype_size(value->type);
    if (size <= 4 && (dtype_kind(value->type) == DTYPE_KIND_FLOAT || size < 4))
        return SINGLE_BITS;
    if (size == 8 && dtype_kind(value->type) != DTYPE_KIND_FLOAT)
        for (size_t i = 0; i < count; i++)
            if (!(fabs(number[i]) < 0x1p53))
                return 0;
    return GLANCE_BITS;
}

static bool all_exact(size_t count, const double *error)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most += error[i];
    return most == 0;
}

static void load(const struct look *look, const struct plan_value *value, size_t count,
                 struct glance_run *to)
{
    const struct look_leaf *leaf = look->leaf;
    while (leaf->value != value)
        leaf++;
    const ptrdiff_t stride = leaf->stride[look->rank - 1];
    if (stride == 0) {
        double number, error;
        look_load(leaf, 0, 1, (struct look_run){&number, &error});
        spread(number, error, count, to);
        return;
    }
    const bool wide = value->kind == PLAN_KEPT ||
                      (dtype_size(value->type) == 8 && dtype_kind(value->type) != DTYPE_KIND_FLOAT);
    look_load(leaf, stride, count, (struct look_run){to->value, wide ? to->error : NULL});
    to->bits = value->kind != PLAN_KEPT      ? bits_of(value, count, to->value)
               : all_exact(count, to->error) ? GLANCE_BITS
                                             : 0;
    pad(count, to);
}

// The word by a look, which knows every number.
static void look_at(enum word_op op, unsigned operands, size_t count, struct glance_run *operand,
                    struct glance_run *to)
{
    struct look_run of[3];
    for (unsigned o = 0; o < operands; o++) {
        of[o] = (struct look_run){operand[o].value, operand[o].error};
        if (operand[o].bits)
            memset(operand[o].error, 0, count * sizeof(double));
    }
    to->bits = 0;
    look_word(op, count, of, (struct look_run){to->value, to->error});
    for (size_t i = 0; i < count; i++)
        if (!(to->error[i] >= 0))
            to->error[i] = (double)INFINITY; // a NaN says nothing either
    if (all_exact(count, to->error))
        to->bits = GLANCE_BITS;
    pad(count, to);
}

// Whether the word is one operation on numbers of f32, and its result is rounded to f32.
static bool is_single(const struct look *look, enum word_op op, const struct glance_run *operand)
{
    return look->single && (op == WORD_ADD || op == WORD_SUBTRACT || op == WORD_DIVIDE) &&
           operand[0].bits && operand[0].bits <= SINGLE_BITS && operand[1].bits &&
           operand[1].bits <= SINGLE_BITS;
}

void look_glance(const struct look *look, const struct plan_value *value, size_t count,
                 struct glance_run *to)
{
    const struct glance_form *const form = glance_form_chosen();
    if (value->count == 1 || value->kind == PLAN_SCALAR) {
        double number, error;
        look_evaluate(look, value, 1, (struct look_run){&number, &error});
        spread(number, error, count, to);
        return;
    }
    if (value->kind != PLAN_FUSED) {
        load(look, value, count, to);
        return;
    }
    _Alignas(64) double room[3][2][LOOK_RUN];
    struct glance_run operand[3];
    const enum word_op op = plan_op(look->plan, value);
    const unsigned operands = plan_operands(look->plan, value);
    for (unsigned o = 0; o < operands; o++) {
        // cppcheck-suppress legacyUninitvar ; where the rows begin, not what is in them
        operand[o] = (struct glance_run){room[o][0], room[o][1], 0};
        look_glance(look, plan_operand(look->plan, value, o), count, &operand[o]);
    }
    const int function = look_function_of(op);
    bool known;
    if (function >= 0) {
        function_form_chosen()->estimate((enum num_function)function, padded(count),
                                         operand[0].value, to->value, to->error);
        known = form->widen((enum num_function)function, padded(count), operand, to);
    } else {
        known = (value == look->root && is_single(look, op, operand) &&
                 form->single(op, padded(count), operand, to)) ||
                form->word(op, padded(count), operand, to);
    }
    if (!known)
        look_at(op, operands, count, operand, to);
}
