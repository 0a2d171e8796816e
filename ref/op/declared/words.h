// SPDX-License-Identifier: Apache-2.0
// The words of the language of declared operators, as a table: a new one is a row here, and a case
// where its class is evaluated.

#ifndef ASSAY_REF_OP_DECLARED_WORDS_H
#define ASSAY_REF_OP_DECLARED_WORDS_H

#include <stdbool.h>

enum word_op {
    // leaves
    WORD_NUMBER,
    WORD_TEXT,
    WORD_INPUT,
    WORD_NODE,
    WORD_ATTRIBUTE,
    WORD_SIZE_NAME,
    WORD_LIST,
    WORD_NAN,
    WORD_INFINITY,
    WORD_PI,
    WORD_ROUNDOFF, // of the node's type: for `within`
    // known from attributes and shapes alone
    WORD_RANK,
    WORD_SIZE,
    WORD_SHAPE,
    WORD_BROADCAST_AXES,
    WORD_PRESENT,
    WORD_TYPE,
    WORD_RANGE,
    WORD_DIVIDE_DOWN,
    WORD_REMAINDER,
    WORD_ITEM,   // of a list, by its place
    WORD_PLACES, // in a list, of what another has
    WORD_OTHERS, // the whole numbers below an end that a list lacks
    WORD_LENGTH, // how many numbers a list has
    // elementwise
    WORD_ADD,
    WORD_SUBTRACT,
    WORD_MULTIPLY,
    WORD_DIVIDE,
    WORD_NEGATE,
    WORD_ABS,
    WORD_SIGN,
    WORD_SQUARE,
    WORD_FLOOR,
    WORD_CEIL,
    WORD_TRUNC,
    WORD_ROUND_EVEN,
    WORD_SQRT,
    WORD_RSQRT,
    WORD_EXP,
    WORD_EXPM1,
    WORD_LOG,
    WORD_LOG1P,
    WORD_TANH,
    WORD_LOGISTIC,
    WORD_ERF,
    WORD_SIN,
    WORD_COS,
    WORD_TAN,
    WORD_SINH,
    WORD_COSH,
    WORD_ASIN,
    WORD_ACOS,
    WORD_ATAN,
    WORD_ASINH,
    WORD_ACOSH,
    WORD_ATANH,
    WORD_POW,
    WORD_LEAST,
    WORD_GREATEST,
    WORD_LESS,
    WORD_LESS_EQUAL,
    WORD_EQUAL,
    WORD_NOT_EQUAL,
    WORD_AND,
    WORD_OR,
    WORD_NOT,
    WORD_SELECT,
    WORD_WITHIN, // the first operand; in bounds off by a share of it
    WORD_IF,
    // over axes
    WORD_SUM,
    WORD_MEAN,
    WORD_MAX,
    WORD_MIN,
    WORD_PRODUCT,
    WORD_ARGMAX,
    WORD_CUMSUM,
    // products
    WORD_EINSUM,
    WORD_MATMUL,
    WORD_DOT_GENERAL, // einsum whose letters are lists of axes
    // what moves elements
    WORD_RESHAPE,
    WORD_SQUEEZE,
    WORD_UNSQUEEZE,
    WORD_SPLIT, // an axis becomes two
    WORD_JOIN,  // and two one
    WORD_TRANSPOSE,
    WORD_BROADCAST,
    WORD_SLICE,
    WORD_CONCAT,
    WORD_PAD,
    WORD_WINDOWS, // what a kernel sees at each of its places
    WORD_SEEN_BY, // the reverse: at which place each element is seen
    WORD_GATHER,
    WORD_IOTA,
    // in and after a scan
    WORD_STEP,   // the part of a tensor that belongs to this step
    WORD_BEFORE, // what a node was at the step before
    WORD_STEPS,  // a node at all steps
    WORD_COUNT
};

enum word_class {
    CLASS_LEAF,
    CLASS_STATIC, // a number or a list that shapes and attributes decide
    CLASS_ELEMENTWISE,
    CLASS_REDUCTION,
    CLASS_SCAN,
    CLASS_PRODUCT,
    CLASS_MOVEMENT,
    CLASS_STEP, // a stored tensor, or the part of it at one step of the scan
};

struct word {
    const char *name; // as it is written before a parenthesis, or between operands
    enum word_class class;
    unsigned least, most;  // operands
    const char *arguments; // for messages
};

// The row of an operation.
const struct word *words_row(enum word_op op);

// The operation that `name` calls, or -1. `max` and `min` of one argument are reductions; whether
// those of two are is for the reader to say.
int words_find(const char *name);

// Operand `index` is a number or a list that shapes and attributes decide.
bool words_operand_is_static(enum word_op op, unsigned index);

// What a reduction over no elements is: 0, 1, or the infinity that is below or above all.
double words_of_none(enum word_op op);

// Words that add up terms.
bool words_is_sum(enum word_op op);

// Sums, differences, products and quotients of rationals are rational.
bool words_is_rational(enum word_op op);

#endif
