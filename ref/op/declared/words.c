// SPDX-License-Identifier: Apache-2.0
// The table of words.

#include "ref/op/declared/words.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// clang-format off
static const struct word words[WORD_COUNT] = {
    [WORD_NUMBER] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_TEXT] = {NULL, CLASS_STATIC, 0, 0, ""},
    [WORD_INPUT] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_NODE] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_ATTRIBUTE] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_SIZE_NAME] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_LIST] = {NULL, CLASS_STATIC, 0, 16, ""},
    [WORD_NAN] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_INFINITY] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_PI] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_ROUNDOFF] = {NULL, CLASS_LEAF, 0, 0, ""},
    [WORD_RANK] = {"rank", CLASS_STATIC, 1, 1, "(tensor)"},
    [WORD_SIZE] = {"size", CLASS_STATIC, 2, 2, "(tensor, axis or axes)"},
    [WORD_SHAPE] = {"shape", CLASS_STATIC, 1, 1, "(tensor)"},
    [WORD_BROADCAST_AXES] = {"broadcast_axes", CLASS_STATIC, 2, 2, "(tensor, tensor)"},
    [WORD_PRESENT] = {"present", CLASS_STATIC, 1, 1, "(input or attribute)"},
    [WORD_TYPE] = {"type", CLASS_STATIC, 1, 1, "(tensor)"},
    [WORD_RANGE] = {"range", CLASS_STATIC, 2, 2, "(first, end)"},
    [WORD_DIVIDE_DOWN] = {"div", CLASS_STATIC, 2, 2, "(a, b)"},
    [WORD_REMAINDER] = {"mod", CLASS_STATIC, 2, 2, "(a, b)"},
    [WORD_ITEM] = {"item", CLASS_STATIC, 2, 2, "(list, place or places)"},
    [WORD_PLACES] = {"places", CLASS_STATIC, 2, 2, "(list, items)"},
    [WORD_OTHERS] = {"others", CLASS_STATIC, 2, 2, "(list, end)"},
    [WORD_LENGTH] = {"count", CLASS_STATIC, 1, 1, "(list)"},
    [WORD_ADD] = {"+", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_SUBTRACT] = {"-", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_MULTIPLY] = {"*", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_DIVIDE] = {"/", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_NEGATE] = {"neg", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ABS] = {"abs", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_SIGN] = {"sign", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_SQUARE] = {"square", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_FLOOR] = {"floor", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_CEIL] = {"ceil", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_TRUNC] = {"trunc", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ROUND_EVEN] = {"round_even", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_SQRT] = {"sqrt", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_RSQRT] = {"rsqrt", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_EXP] = {"exp", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_EXPM1] = {"expm1", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_LOG] = {"log", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_LOG1P] = {"log1p", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_TANH] = {"tanh", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_LOGISTIC] = {"logistic", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ERF] = {"erf", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_SIN] = {"sin", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_COS] = {"cos", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_TAN] = {"tan", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_SINH] = {"sinh", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_COSH] = {"cosh", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ASIN] = {"asin", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ACOS] = {"acos", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ATAN] = {"atan", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ASINH] = {"asinh", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ACOSH] = {"acosh", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_ATANH] = {"atanh", CLASS_ELEMENTWISE, 1, 1, "(x)"},
    [WORD_POW] = {"pow", CLASS_ELEMENTWISE, 2, 2, "(x, y)"},
    [WORD_LEAST] = {"least", CLASS_ELEMENTWISE, 2, 2, "(a, b)"},
    [WORD_GREATEST] = {"greatest", CLASS_ELEMENTWISE, 2, 2, "(a, b)"},
    [WORD_LESS] = {"<", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_LESS_EQUAL] = {"<=", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_EQUAL] = {"==", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_NOT_EQUAL] = {"!=", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_AND] = {"and", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_OR] = {"or", CLASS_ELEMENTWISE, 2, 2, ""},
    [WORD_NOT] = {"not", CLASS_ELEMENTWISE, 1, 1, ""},
    [WORD_SELECT] = {"select", CLASS_ELEMENTWISE, 3, 3, "(condition, then, else)"},
    [WORD_WITHIN] = {"within", CLASS_ELEMENTWISE, 2, 2, "(x, share)"},
    [WORD_IF] = {"if", CLASS_ELEMENTWISE, 3, 3, "(what shapes and attributes decide, then, else)"},
    [WORD_SUM] = {"sum", CLASS_REDUCTION, 1, 2, "(x, axes)"},
    [WORD_MEAN] = {"mean", CLASS_REDUCTION, 1, 2, "(x, axes)"},
    [WORD_MAX] = {"max", CLASS_REDUCTION, 1, 2, "(x, axes) or (a, b)"},
    [WORD_MIN] = {"min", CLASS_REDUCTION, 1, 2, "(x, axes) or (a, b)"},
    [WORD_PRODUCT] = {"product", CLASS_REDUCTION, 1, 2, "(x, axes)"},
    [WORD_ARGMAX] = {"argmax", CLASS_REDUCTION, 2, 2, "(x, axis)"},
    [WORD_CUMSUM] = {"cumsum", CLASS_SCAN, 2, 4, "(x, axis, exclusive, reverse)"},
    [WORD_EINSUM] = {"einsum", CLASS_PRODUCT, 3, 3, "(\"ij,jk->ik\", a, b)"},
    [WORD_MATMUL] = {"matmul", CLASS_PRODUCT, 2, 2, "(a, b)"},
    [WORD_DOT_GENERAL] = {"dot_general", CLASS_PRODUCT, 6, 6,
                          "([batches of a], [of b], [contracted of a], [of b], a, b)"},
    [WORD_RESHAPE] = {"reshape", CLASS_MOVEMENT, 2, 2, "(x, [sizes])"},
    [WORD_SQUEEZE] = {"squeeze", CLASS_MOVEMENT, 2, 2, "(x, [axes])"},
    [WORD_UNSQUEEZE] = {"unsqueeze", CLASS_MOVEMENT, 2, 2, "(x, [axes])"},
    [WORD_SPLIT] = {"split", CLASS_MOVEMENT, 3, 3, "(x, axis, parts)"},
    [WORD_JOIN] = {"join", CLASS_MOVEMENT, 2, 2, "(x, axis)"},
    [WORD_TRANSPOSE] = {"transpose", CLASS_MOVEMENT, 1, 2, "(x, [axes])"},
    [WORD_BROADCAST] = {"broadcast", CLASS_MOVEMENT, 2, 2, "(x, [sizes])"},
    [WORD_SLICE] = {"slice", CLASS_MOVEMENT, 4, 5, "(x, axis, from, to, step)"},
    [WORD_CONCAT] = {"concat", CLASS_MOVEMENT, 2, 9, "(axis, a, b, ...)"},
    [WORD_PAD] = {"pad", CLASS_MOVEMENT, 4, 6, "(x, axes, before, after, value, spread)"},
    [WORD_WINDOWS] = {"windows", CLASS_MOVEMENT, 5, 7,
                      "(x, sizes, strides, dilations, pads, value, ceil)"},
    [WORD_SEEN_BY] = {"seen_by", CLASS_MOVEMENT, 6, 7,
                      "(of windows, shape, sizes, strides, dilations, pads, ceil)"},
    [WORD_GATHER] = {"gather", CLASS_MOVEMENT, 3, 3, "(x, indices, axis)"},
    [WORD_IOTA] = {"iota", CLASS_MOVEMENT, 2, 2, "([sizes], axis)"},
    [WORD_STEP] = {"step", CLASS_STEP, 1, 1, "(input or node before the scan)"},
    [WORD_BEFORE] = {"before", CLASS_STEP, 2, 2, "(node of the scan, what it starts from)"},
    [WORD_STEPS] = {"steps", CLASS_STEP, 1, 1, "(node of the scan)"},
};
// clang-format on

const struct word *words_row(enum word_op op)
{
    assert(op < WORD_COUNT);
    return &words[op];
}

int words_find(const char *name)
{
    for (int op = 0; op < WORD_COUNT; op++)
        if (words[op].name && !strcmp(words[op].name, name))
            return op;
    return -1;
}

bool words_operand_is_static(enum word_op op, unsigned index)
{
    const enum word_class class = words[op].class;
    switch (op) {
    case WORD_RANK:
    case WORD_SIZE:
    case WORD_SHAPE:
    case WORD_PRESENT:
    case WORD_TYPE:
        return index > 0; // the first gives its shape alone
    case WORD_IF:
    case WORD_EINSUM:
    case WORD_CONCAT:
    case WORD_BEFORE: // a name
        return index == 0;
    case WORD_IOTA:
        return true;
    case WORD_PAD:
        return index > 0 && index != 4;
    case WORD_DOT_GENERAL:
        return index < 4;
    case WORD_WINDOWS:
        return index > 0 && index != 5;
    case WORD_GATHER:
        return index == 2;
    case WORD_MATMUL:
    case WORD_BROADCAST_AXES:
        return false;
    default:
        return class == CLASS_STATIC ||
               (index > 0 &&
                (class == CLASS_REDUCTION || class == CLASS_SCAN || class == CLASS_MOVEMENT));
    }
}

double words_of_none(enum word_op op)
{
    switch (op) {
    case WORD_PRODUCT:
        return 1;
    case WORD_MAX:
        return -(double)INFINITY;
    case WORD_MIN:
        return (double)INFINITY;
    default:
        return 0;
    }
}

bool words_is_sum(enum word_op op)
{
    return op == WORD_SUM || op == WORD_MEAN || words[op].class == CLASS_SCAN ||
           words[op].class == CLASS_PRODUCT;
}

bool words_is_rational(enum word_op op)
{
    switch (op) {
    case WORD_NAN:
    case WORD_INFINITY:
    case WORD_PI:
    case WORD_SQRT:
    case WORD_RSQRT:
    case WORD_EXP:
    case WORD_EXPM1:
    case WORD_LOG:
    case WORD_LOG1P:
    case WORD_TANH:
    case WORD_LOGISTIC:
    case WORD_ERF:
    case WORD_SIN:
    case WORD_COS:
    case WORD_TAN:
    case WORD_SINH:
    case WORD_COSH:
    case WORD_ASIN:
    case WORD_ACOS:
    case WORD_ATAN:
    case WORD_ASINH:
    case WORD_ACOSH:
    case WORD_ATANH:
    case WORD_POW:
        return false;
    default:
        return true;
    }
}
