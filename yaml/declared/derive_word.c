// SPDX-License-Identifier: Apache-2.0
// The slips that each word invites: operands of - and / swapped, an addend or a factor left out,
// sum for mean, max for min, all axes or the mirrored axis, an epsilon moved out of the root, a
// function left out or its neighbour, a transposition left out or added, < for <=, branches
// exchanged, a decimal cut off, a large number for infinity.

#include <stdio.h>
#include <string.h>

#include "ref/num/text.h"
#include "yaml/declared/derive.h"

static const struct graph_expression *expression(const struct deriving *d, uint16_t at)
{
    return &d->reader->expression[at];
}

static enum error make(struct deriving *d, enum word_op op, unsigned count, const uint16_t *operand,
                       uint16_t *to)
{
    return operator_make(d->reader, op, count, operand, to, d->diagnostic);
}

// "without_beta", or, of what has no name, "without_factor".
static enum error add_without(struct deriving *d, uint16_t without, const char *kind, uint16_t rest)
{
    const struct graph_expression *const e = expression(d, without);
    char what[MUTANT_NAME_SIZE];
    const bool named = e->op == WORD_INPUT || e->op == WORD_NODE || e->op == WORD_ATTRIBUTE ||
                       e->op == WORD_SIZE_NAME;
    snprintf(what, sizeof what, "without_%.60s", named ? e->text : kind);
    return derive_add(d, what, rest);
}

static enum error of_arithmetic(struct deriving *d, enum word_op op, const uint16_t *operand)
{
    const uint16_t swapped[2] = {operand[1], operand[0]};
    uint16_t negative = 0;
    enum error error = ERROR_NONE;
    switch (op) {
    case WORD_ADD:
    case WORD_MULTIPLY: {
        const char *const kind = op == WORD_ADD ? "addend" : "factor";
        error = add_without(d, operand[0], kind, operand[1]);
        return error ? error : add_without(d, operand[1], kind, operand[0]);
    }
    case WORD_SUBTRACT:
        error = derive_add_word(d, "minus_swapped", WORD_SUBTRACT, 2, swapped);
        if (!error)
            error = add_without(d, operand[1], "subtrahend", operand[0]);
        if (!error)
            error = make(d, WORD_NEGATE, 1, &operand[1], &negative);
        return error ? error : add_without(d, operand[0], "minuend", negative);
    default:
        error = derive_add_word(d, "quotient_swapped", WORD_DIVIDE, 2, swapped);
        return error ? error : add_without(d, operand[1], "divisor", operand[0]);
    }
}

// An input that is broadcast, laid along the axis before: (n) as (n, 1).
static enum error of_broadcast(struct deriving *d, const struct graph_expression *e)
{
    enum error error = ERROR_NONE;
    for (unsigned o = 0; o < 2 && !error; o++) {
        const struct graph_expression of = *expression(d, e->operand[o]);
        uint16_t size[2], operand[2] = {e->operand[0], e->operand[1]}, reshaped[2];
        char what[MUTANT_NAME_SIZE];
        if (of.op != WORD_INPUT || !of.index)
            continue;
        snprintf(what, sizeof what, "%.60s_as_column", of.text);
        if ((error = derive_number(d, 1, &size[1])) ||
            (error = make(d, WORD_NEGATE, 1, &size[1], &size[0])) ||
            (error = make(d, WORD_LIST, 2, size, &reshaped[1])))
            return error;
        reshaped[0] = operand[o];
        error = make(d, WORD_RESHAPE, 2, reshaped, &operand[o]);
        if (!error)
            error = derive_add_word(d, what, e->op, 2, operand);
    }
    return error;
}

// ---- axes -------------------------------------------------------------------

static enum error add_with_axes(struct deriving *d, const struct graph_expression *e,
                                const char *what, uint16_t axes)
{
    uint16_t operand[GRAPH_OPERANDS_MAX];
    memcpy(operand, e->operand, e->count * sizeof *operand);
    operand[1] = axes;
    return derive_add_word(d, what, e->op, e->count, operand);
}

// -1 - axis: the first for the last.
static enum error add_mirrored(struct deriving *d, const struct graph_expression *e)
{
    uint16_t minus[2], axis = 0;
    enum error error = derive_number(d, 1, &minus[0]);
    if (!error)
        error = make(d, WORD_NEGATE, 1, minus, &minus[0]);
    minus[1] = e->operand[1];
    if (!error)
        error = make(d, WORD_SUBTRACT, 2, minus, &axis);
    return error ? error : add_with_axes(d, e, "axis_mirrored", axis);
}

// Of a range the first axis alone, and all but it; of a list of numbers the axes before.
static enum error of_axes(struct deriving *d, const struct graph_expression *e)
{
    const struct graph_expression axes = *expression(d, e->operand[1]);
    uint16_t one = 0, operand[GRAPH_OPERANDS_MAX], moved = 0;
    enum error error = derive_number(d, 1, &one);
    if (axes.count)
        memcpy(operand, axes.operand, axes.count * sizeof *operand);
    if (!error && axes.op == WORD_RANGE) {
        error = add_with_axes(d, e, "axis_alone", operand[0]);
        if (!error)
            error = make(d, WORD_ADD, 2, (const uint16_t[]){operand[0], one}, &operand[0]);
        if (!error)
            error = make(d, WORD_RANGE, 2, operand, &moved);
        return error ? error : add_with_axes(d, e, "first_axis_left_out", moved);
    }
    if (axes.op != WORD_LIST)
        return error ? error : add_mirrored(d, e);
    for (unsigned i = 0; i < axes.count && !error; i++)
        error = make(d, WORD_SUBTRACT, 2, (const uint16_t[]){operand[i], one}, &operand[i]);
    if (!error)
        error = make(d, WORD_LIST, axes.count, operand, &moved);
    return error || !axes.count ? error : add_with_axes(d, e, "axes_before", moved);
}

// sum / (n - 1), with n as the sum of ones.
static enum error add_sample_mean(struct deriving *d, const struct graph_expression *e)
{
    uint16_t one = 0, ones[2], quotient[2], count[2];
    memcpy(ones, e->operand, e->count * sizeof *ones);
    enum error error = derive_number(d, 1, &one);
    if (!error)
        error = make(d, WORD_EQUAL, 2, (const uint16_t[]){ones[0], ones[0]}, &ones[0]);
    if (!error)
        error = make(d, WORD_SELECT, 3, (const uint16_t[]){ones[0], one, one}, &ones[0]);
    if (!error)
        error = make(d, WORD_SUM, e->count, ones, &count[0]);
    count[1] = one;
    if (!error)
        error = make(d, WORD_SUBTRACT, 2, count, &quotient[1]);
    if (!error)
        error = make(d, WORD_SUM, e->count, e->operand, &quotient[0]);
    return error ? error : derive_add_word(d, "mean_of_one_less", WORD_DIVIDE, 2, quotient);
}

static enum error of_reduction(struct deriving *d, const struct graph_expression *e)
{
    static const struct {
        enum word_op op, other;
        const char *what;
    } others[] = {{WORD_SUM, WORD_MEAN, "sum_as_mean"},
                  {WORD_MEAN, WORD_SUM, "mean_as_sum"},
                  {WORD_MAX, WORD_MIN, "max_as_min"},
                  {WORD_MIN, WORD_MAX, "min_as_max"},
                  {WORD_PRODUCT, WORD_SUM, "product_as_sum"}};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < sizeof others / sizeof *others && !error; i++)
        if (others[i].op == e->op)
            error = derive_add_word(d, others[i].what, others[i].other, e->count, e->operand);
    if (!error && e->op == WORD_MEAN)
        error = add_sample_mean(d, e);
    if (error || e->count < 2)
        return error;
    if (e->op != WORD_ARGMAX)
        error = derive_add_word(d, "all_axes", e->op, 1, e->operand);
    return error ? error : of_axes(d, e);
}

// Flags of a cumulative sum turned round, and another axis.
static enum error of_scan(struct deriving *d, const struct graph_expression *e)
{
    static const char *const what[] = {"exclusive_turned", "direction_turned"};
    enum error error = of_axes(d, e);
    for (unsigned flag = 2; flag < 4 && !error; flag++) {
        uint16_t operand[4], one[2] = {0, 0};
        memcpy(operand, e->operand, e->count * sizeof *operand);
        error = derive_number(d, 1, &one[0]);
        for (unsigned o = e->count; o < 4 && !error; o++)
            error = derive_number(d, 0, &operand[o]);
        one[1] = operand[flag];
        if (!error)
            error = make(d, WORD_SUBTRACT, 2, one, &operand[flag]);
        if (!error)
            error = derive_add_word(d, what[flag - 2], WORD_CUMSUM, 4, operand);
    }
    return error;
}

// ---- products and moved elements --------------------------------------------

// The last two letters of a term of "bij,bjk->bik" change places; false: it has not two.
static bool turn_letters(char *text, unsigned term)
{
    char *end = strchr(text, ',');
    if (term)
        end = strstr(text, "->");
    if (term == 2)
        end = text + strlen(text);
    const char *const first = term == 0 ? text : term == 1 ? strchr(text, ',') : strstr(text, ">");
    if (end - first < 2 + (term > 0) || end[-1] == '.' || end[-2] == '.')
        return false;
    const char last = end[-1];
    end[-1] = end[-2];
    end[-2] = last;
    return true;
}

static enum error of_einsum(struct deriving *d, const struct graph_expression *e)
{
    static const char *const what[] = {"first_transposed", "second_transposed",
                                       "result_transposed"};
    const uint16_t swapped[3] = {e->operand[0], e->operand[2], e->operand[1]};
    enum error error = derive_add_word(d, "operands_swapped", WORD_EINSUM, 3, swapped);
    for (unsigned term = 0; term < 3 && !error; term++) {
        char text[64];
        uint16_t operand[3] = {0, e->operand[1], e->operand[2]};
        snprintf(text, sizeof text, "%s", expression(d, e->operand[0])->text);
        if (strlen(text) + 1 == sizeof text || !turn_letters(text, term))
            continue;
        error = operator_leaf(d->reader, WORD_TEXT, 0, text, &operand[0], d->diagnostic);
        if (!error)
            error = derive_add_word(d, what[term], WORD_EINSUM, 3, operand);
    }
    return error;
}

static enum error of_matmul(struct deriving *d, const struct graph_expression *e)
{
    static const char *const what[] = {"first_transposed", "second_transposed"};
    const uint16_t swapped[2] = {e->operand[1], e->operand[0]};
    enum error error = derive_add_word(d, "operands_swapped", WORD_MATMUL, 2, swapped);
    for (unsigned side = 0; side < 2 && !error; side++) {
        uint16_t operand[2] = {e->operand[0], e->operand[1]};
        error = make(d, WORD_TRANSPOSE, 1, &e->operand[side], &operand[side]);
        if (!error)
            error = derive_add_word(d, what[side], WORD_MATMUL, 2, operand);
    }
    return error;
}

// Lists of axes that belong to the other operand.
static enum error of_dot_general(struct deriving *d, const struct graph_expression *e)
{
    static const char *const what[] = {"batches_swapped", "contracted_swapped", "operands_swapped"};
    enum error error = ERROR_NONE;
    for (unsigned pair = 0; pair < 3 && !error; pair++) {
        uint16_t operand[6];
        memcpy(operand, e->operand, sizeof operand);
        operand[2 * pair] = e->operand[2 * pair + 1];
        operand[2 * pair + 1] = e->operand[2 * pair];
        error = derive_add_word(d, what[pair], WORD_DOT_GENERAL, 6, operand);
    }
    return error;
}

static enum error of_moved(struct deriving *d, const struct graph_expression *e)
{
    uint16_t operand[GRAPH_OPERANDS_MAX];
    memcpy(operand, e->operand, e->count * sizeof *operand);
    switch (e->op) {
    case WORD_TRANSPOSE:
        return derive_add(d, "transpose_left_out", operand[0]);
    case WORD_SQUEEZE:
        return derive_add(d, "squeeze_left_out", operand[0]);
    case WORD_CONCAT:
        operand[1] = e->operand[e->count - 1];
        operand[e->count - 1] = e->operand[1];
        return derive_add_word(d, "operands_swapped", WORD_CONCAT, e->count, operand);
    case WORD_PAD:
        operand[2] = e->operand[3];
        operand[3] = e->operand[2];
        const enum error error = derive_add_word(d, "ends_swapped", WORD_PAD, e->count, operand);
        return error || e->count < 5 ? error
               : e->count > 5 ? derive_add_word(d, "spread_left_out", WORD_PAD, 5, e->operand)
                              : derive_add_word(d, "pad_with_zero", WORD_PAD, 4, e->operand);
    default:
        return ERROR_NONE;
    }
}

// The first step again, or the last; the state forgotten, or as it is after the step; the last step
// first.
static enum error of_step(struct deriving *d, const struct graph_expression *e)
{
    const struct graph *const graph = &d->reader->to->graph;
    const struct graph_expression *const first = expression(d, e->operand[0]);
    const bool earlier = first->op == WORD_NODE && graph_in_scan(graph, first->index) &&
                         graph_scan_of(graph, first->index) < graph_scan_of(graph, d->node);
    uint16_t part[5] = {e->operand[0]}, squeezed[2], none = 0;
    enum error error = derive_number(d, 0, &none);
    if (error || e->op == WORD_BEFORE) {
        error = error ? error : derive_add(d, "state_forgotten", e->operand[1]);
        return error || !earlier ? error : derive_add_word(d, "state_after", WORD_STEP, 1, part);
    }
    if (e->op == WORD_STEP && earlier)
        return derive_add(d, "last_step_again", e->operand[0]);
    part[1] = part[2] = none;
    if (e->op == WORD_STEP) {
        if ((error = derive_number(d, 1, &part[3])) ||
            (error = make(d, WORD_SLICE, 4, part, &squeezed[0])) ||
            (error = make(d, WORD_LIST, 1, &none, &squeezed[1])))
            return error;
        return derive_add_word(d, "first_step_again", WORD_SQUEEZE, 2, squeezed);
    }
    if ((error = make(d, WORD_STEPS, 1, e->operand, &part[0])) ||
        (error = derive_number(d, -1, &part[2])) || (error = derive_number(d, -0x1p40, &part[3])))
        return error;
    part[4] = part[2];
    return derive_add_word(d, "last_step_first", WORD_SLICE, 5, part);
}

// ---- elementwise ------------------------------------------------------------

// rsqrt(v + epsilon) as 1 / (sqrt(v) + epsilon); sqrt(v + epsilon) as sqrt(v) + epsilon.
static enum error of_root(struct deriving *d, const struct graph_expression *e)
{
    const struct graph_expression inner = *expression(d, e->operand[0]);
    uint16_t sum[2], quotient[2];
    if (inner.op != WORD_ADD)
        return ERROR_NONE;
    sum[1] = inner.operand[1];
    enum error error = make(d, WORD_SQRT, 1, inner.operand, &sum[0]);
    if (error || e->op == WORD_SQRT)
        return error ? error : derive_add_word(d, "epsilon_moved", WORD_ADD, 2, sum);
    if (!(error = make(d, WORD_ADD, 2, sum, &quotient[1])))
        error = derive_number(d, 1, &quotient[0]);
    return error ? error : derive_add_word(d, "epsilon_moved", WORD_DIVIDE, 2, quotient);
}

static bool names_word(const struct deriving *d, uint16_t at, enum word_op op)
{
    const struct graph_expression *const e = expression(d, at);
    bool found = e->op == op;
    for (unsigned o = 0; o < e->count && !found; o++)
        found = names_word(d, e->operand[o], op);
    return found;
}

static bool looks_at_shapes(const struct deriving *d, uint16_t at)
{
    return names_word(d, at, WORD_TYPE) || names_word(d, at, WORD_RANK) ||
           names_word(d, at, WORD_SIZE);
}

// A function is left out, or another one stands in its place.
static enum error of_function(struct deriving *d, const struct graph_expression *e)
{
    static const struct {
        enum word_op op, other;
        const char *what;
    } others[] = {{WORD_EXP, WORD_EXPM1, "exp_as_expm1"},
                  {WORD_EXPM1, WORD_EXP, "expm1_as_exp"},
                  {WORD_LOG, WORD_LOG1P, "log_as_log1p"},
                  {WORD_LOG1P, WORD_LOG, "log1p_as_log"},
                  {WORD_TANH, WORD_LOGISTIC, "tanh_as_logistic"},
                  {WORD_LOGISTIC, WORD_TANH, "logistic_as_tanh"},
                  {WORD_ERF, WORD_TANH, "erf_as_tanh"},
                  {WORD_SIN, WORD_COS, "sin_as_cos"},
                  {WORD_COS, WORD_SIN, "cos_as_sin"},
                  {WORD_TAN, WORD_ATAN, "tan_as_atan"},
                  {WORD_SINH, WORD_COSH, "sinh_as_cosh"},
                  {WORD_COSH, WORD_SINH, "cosh_as_sinh"},
                  {WORD_ASIN, WORD_ACOS, "asin_as_acos"},
                  {WORD_ACOS, WORD_ASIN, "acos_as_asin"},
                  {WORD_ATAN, WORD_TAN, "atan_as_tan"},
                  {WORD_ASINH, WORD_ACOSH, "asinh_as_acosh"},
                  {WORD_ACOSH, WORD_ASINH, "acosh_as_asinh"},
                  {WORD_ATANH, WORD_ATAN, "atanh_as_atan"},
                  {WORD_RSQRT, WORD_SQRT, "rsqrt_as_sqrt"},
                  {WORD_FLOOR, WORD_TRUNC, "floor_as_trunc"},
                  {WORD_CEIL, WORD_TRUNC, "ceil_as_trunc"},
                  {WORD_TRUNC, WORD_FLOOR, "trunc_as_floor"},
                  {WORD_ROUND_EVEN, WORD_TRUNC, "round_even_as_trunc"}};
    char what[MUTANT_NAME_SIZE];
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < sizeof others / sizeof *others && !error; i++)
        if (others[i].op == e->op && !names_word(d, e->operand[0], WORD_IOTA))
            error = derive_add_word(d, others[i].what, others[i].other, 1, e->operand);
    snprintf(what, sizeof what, "%s_left_out", words_row(e->op)->name);
    return error ? error : derive_add(d, what, e->operand[0]);
}

static enum error of_comparison(struct deriving *d, const struct graph_expression *e, bool fixed)
{
    const uint16_t turned[2] = {e->count > 1 ? e->operand[1] : 0, e->count ? e->operand[0] : 0};
    enum error error = ERROR_NONE;
    switch (e->op) {
    case WORD_LESS:
        error = derive_add_word(d, "less_or_equal", WORD_LESS_EQUAL, 2, e->operand);
        break;
    case WORD_LESS_EQUAL:
        error = derive_add_word(d, "less", WORD_LESS, 2, e->operand);
        break;
    case WORD_AND:
        return derive_add_word(d, "or", WORD_OR, 2, e->operand);
    case WORD_OR:
        return derive_add_word(d, "and", WORD_AND, 2, e->operand);
    case WORD_NOT:
        return derive_add(d, "not_left_out", e->operand[0]);
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
        return fixed ? ERROR_NONE
                     : derive_add_word(d, e->op == WORD_EQUAL ? "unequal" : "equal",
                                       e->op == WORD_EQUAL ? WORD_NOT_EQUAL : WORD_EQUAL, 2,
                                       e->operand);
    default:
        return ERROR_NONE;
    }
    return error || fixed ? error : derive_add_word(d, "comparison_turned", e->op, 2, turned);
}

// A branch that is never taken; one that is always, unless it may need what is absent. Which branch
// types and ranks choose is no slip of the pen.
static enum error of_branches(struct deriving *d, const struct graph_expression *e)
{
    const uint16_t exchanged[3] = {e->operand[0], e->operand[2], e->operand[1]};
    enum error error = ERROR_NONE;
    if (e->op == WORD_SELECT)
        error = derive_add_word(d, "branches_exchanged", WORD_SELECT, 3, exchanged);
    if (error || looks_at_shapes(d, e->operand[0]))
        return error;
    error = derive_add(d, "never", e->operand[2]);
    return error || names_word(d, e->operand[0], WORD_PRESENT)
               ? error
               : derive_add(d, "always", e->operand[1]);
}

// One more than a whole number; a decimal without its last digit.
static enum error of_number(struct deriving *d, const struct graph_expression *e)
{
    char text[MUTANT_NAME_SIZE];
    const size_t length = strlen(e->text);
    const char *const point = strchr(e->text, '.');
    uint64_t bits = 0;
    uint16_t other = 0;
    struct diagnostic ignored;
    if (strspn(e->text, "0123456789.") != length || length >= sizeof text ||
        (point && point + 2 > e->text + length - 1 && e->text[0] == '0' && point[1] == '0'))
        return ERROR_NONE;
    if (point) {
        snprintf(text, sizeof text, "%.*s%s", (int)length - 1, e->text,
                 point + 2 == e->text + length ? "0" : "");
        if (num_parse(DTYPE_F64, text, strlen(text), &bits, &ignored))
            return ERROR_NONE;
    }
    enum error error = derive_number(d, point ? 0 : e->number + 1, &other);
    if (!error && point) {
        error = operator_leaf(d->reader, WORD_NUMBER, 0, text, &other, d->diagnostic);
        memcpy(&d->reader->expression[other].number, &bits, sizeof bits);
    }
    return error ? error : derive_add(d, "constant_off", other);
}

static enum error of_others(struct deriving *d, const struct graph_expression *e)
{
    const uint16_t swapped[2] = {e->count > 1 ? e->operand[1] : 0, e->count ? e->operand[0] : 0};
    uint16_t large = 0;
    enum error error;
    switch (e->op) {
    case WORD_NUMBER:
        return of_number(d, e);
    case WORD_INFINITY:
        error = derive_number(d, 10000, &large);
        return error ? error : derive_add(d, "infinity_as_10000", large);
    case WORD_LEAST:
        error = derive_add_word(d, "min_as_max", WORD_GREATEST, 2, e->operand);
        break;
    case WORD_GREATEST:
        error = derive_add_word(d, "max_as_min", WORD_LEAST, 2, e->operand);
        break;
    case WORD_POW:
        return derive_add_word(d, "power_swapped", WORD_POW, 2, swapped);
    case WORD_NEGATE:
        return derive_add(d, "sign_lost", e->operand[0]);
    case WORD_SELECT:
    case WORD_IF:
        return of_branches(d, e);
    case WORD_SQRT:
    case WORD_RSQRT:
        error = of_root(d, e);
        return error ? error : of_function(d, e);
    default:
        return e->op >= WORD_ABS && e->op <= WORD_ATANH ? of_function(d, e)
                                                        : of_comparison(d, e, false);
    }
    if (!error)
        error = add_without(d, e->operand[0], "operand", e->operand[1]);
    return error ? error : add_without(d, e->operand[1], "operand", e->operand[0]);
}

enum error derive_at(struct deriving *d, uint16_t at)
{
    const struct graph_expression e = *expression(d, at);
    if (e.op == WORD_ADD || e.op == WORD_SUBTRACT || e.op == WORD_MULTIPLY || e.op == WORD_DIVIDE) {
        const enum error error = of_arithmetic(d, e.op, e.operand);
        return error ? error : of_broadcast(d, &e);
    }
    switch (words_row(e.op)->class) {
    case CLASS_REDUCTION:
        return of_reduction(d, &e);
    case CLASS_SCAN:
        return of_scan(d, &e);
    case CLASS_PRODUCT:
        return e.op == WORD_EINSUM   ? of_einsum(d, &e)
               : e.op == WORD_MATMUL ? of_matmul(d, &e)
                                     : of_dot_general(d, &e);
    case CLASS_MOVEMENT:
        return of_moved(d, &e);
    case CLASS_STEP:
        return of_step(d, &e);
    default:
        return of_others(d, &e);
    }
}

enum error derive_at_static(struct deriving *d, uint16_t at)
{
    const struct graph_expression e = *expression(d, at);
    return looks_at_shapes(d, at) || names_word(d, at, WORD_PRESENT) ? ERROR_NONE
                                                                     : of_comparison(d, &e, true);
}
