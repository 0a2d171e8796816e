// SPDX-License-Identifier: Apache-2.0
// Words on runs of doubles with their errors.
//
// Sums, products, quotients and square roots know their own rounding error exactly (Knuth's sum,
// Dekker's product), so that what is exact is known to be. Functions add the error of their series
// to what the error of the argument makes. Where a result is not finite, the element is looked at
// again by itself. A last factor 1 + 2^-40 covers the roundings of the bounds themselves.

#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/function/function.h"
#include "ref/num/function/function_estimate.h"
#include "ref/num/function/interval.h"
#include "ref/op/declared/look.h"

#define WIDER (1 + 0x1p-40)
// Far from the ends of the exponents, where Dekker's product leaves nothing out.
#define LEAST_EXACT 0x1p-900
#define LARGEST_EXACT 0x1p990

static const double infinite = (double)INFINITY;

static inline bool is_exact_range(double x)
{
    return x == 0 || (fabs(x) > LEAST_EXACT && fabs(x) < LARGEST_EXACT);
}

static bool known(double error)
{
    return error < infinite;
}

// A NaN for certain, whatever the other operand is.
static bool either_is_nan(double x, double ex, double y, double ey)
{
    return (isnan(x) && ex == 0) || (isnan(y) && ey == 0);
}

// ---- arithmetic -------------------------------------------------------------

static void sum(size_t count, struct look_run a, struct look_run b, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        double rest;
        const double x = a.value[i], y = b.value[i], s = look_sum(x, y, &rest);
        to.value[i] = s;
        to.error[i] = (a.error[i] + b.error[i] + fabs(rest)) * WIDER;
        if (!isfinite(s)) {
            const bool left = !isfinite(x) && a.error[i] == 0,
                       right = !isfinite(y) && b.error[i] == 0;
            to.error[i] = (left && (right || known(b.error[i]))) || (right && known(a.error[i])) ||
                                  either_is_nan(x, a.error[i], y, b.error[i])
                              ? 0
                              : infinite;
        }
    }
}

static void product(size_t count, struct look_run a, struct look_run b, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i], y = b.value[i], p = x * y, ea = a.error[i], eb = b.error[i];
        const bool exact = is_exact_range(p) && (p != 0 || x == 0 || y == 0) &&
                           fabs(x) < LARGEST_EXACT && fabs(y) < LARGEST_EXACT;
        const double own =
            exact ? fabs(interval_product_left_out(x, y)) : fabs(p) * 0x1p-52 + 0x1p-1000;
        to.value[i] = p;
        to.error[i] = (own + fabs(x) * eb + fabs(y) * ea + ea * eb) * WIDER;
        if (p == 0 && ((x == 0 && ea == 0 && known(eb) && fabs(y) > eb) ||
                       (y == 0 && eb == 0 && known(ea) && fabs(x) > ea) ||
                       (x == 0 && y == 0 && ea == 0 && eb == 0)))
            to.error[i] = 0;
        if (!isfinite(p) || !(to.error[i] < infinite)) {
            const bool whole = ea == 0 && eb == 0 && (!isfinite(x) || !isfinite(y)),
                       left = isinf(x) && ea == 0 && fabs(y) > eb,
                       right = isinf(y) && eb == 0 && fabs(x) > ea;
            to.error[i] = whole || left || right || either_is_nan(x, ea, y, eb) ? 0 : infinite;
        }
    }
}

static void quotient(size_t count, struct look_run a, struct look_run b, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i], y = b.value[i], q = x / y, ea = a.error[i], eb = b.error[i];
        const bool exact = is_exact_range(q) && is_exact_range(y) && is_exact_range(x);
        // x - q y = (x - p) - rest, where p = RN(q y) is so near to x that x - p is exact
        const double p = q * y, left = exact ? fabs((x - p) - interval_product_left_out(q, y))
                                             : fabs(x) * 0x1p-51 + fabs(y) * 0x1p-1070;
        to.value[i] = q;
        to.error[i] = (left + ea + fabs(q) * eb) / (fabs(y) - eb) * WIDER;
        if (!(fabs(y) > eb) || !isfinite(q) || !(to.error[i] < infinite))
            to.error[i] = (ea == 0 && eb == 0 && (!isfinite(x) || !isfinite(y) || y == 0)) ||
                                  either_is_nan(x, ea, y, eb)
                              ? 0
                              : infinite;
        else if (x == 0 && ea == 0)
            to.error[i] = 0;
    }
}

static void square_root(size_t count, struct look_run a, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i], root = sqrt(x), p = root * root;
        const double left =
            is_exact_range(x) ? fabs((x - p) - interval_product_left_out(root, root)) : x * 0x1p-51;
        to.value[i] = root;
        to.error[i] = (left + a.error[i]) / root * WIDER;
        if (!(x > a.error[i]) || !isfinite(x))
            to.error[i] = a.error[i] == 0 ? 0 : infinite;
    }
}

static void reciprocal_root(size_t count, struct look_run a, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i], e = a.error[i], root = 1 / sqrt(x);
        to.value[i] = root;
        to.error[i] = root * (0x1p-51 + e / (x - e)) * WIDER;
        if (!(x > e) || !isfinite(x)) {
            to.value[i] = x == 0 ? copysign(infinite, x) : x > 0 ? 0 : (double)NAN;
            to.error[i] = e == 0 ? 0 : infinite;
        }
    }
}

static void extreme(bool least, size_t count, struct look_run a, struct look_run b,
                    struct look_run to)
{
    const double sign = least ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i] * sign, y = b.value[i] * sign;
        const double ea = a.error[i], eb = b.error[i];
        const bool apart = fabs(x - y) * (1 - 0x1p-50) > (ea + eb) * WIDER;
        to.value[i] = (x > y ? x : x < y ? y : x == 0 ? x + y : x) * sign;
        to.error[i] = apart ? (x > y ? ea : eb) : ea > eb ? ea : eb;
        if (isnan(x) || isnan(y) || !(to.error[i] < infinite)) {
            to.value[i] = (double)NAN;
            to.error[i] = either_is_nan(x, ea, y, eb) ? 0 : infinite;
        }
    }
}

// ---- functions --------------------------------------------------------------

// Arguments beyond it are brought back by the estimates: the value is then nearer to its limit than
// 2^-990.
enum { STILL_BEYOND = 690 };

// How much an error of the argument moves the function at most, per unit of it: x is the argument,
// v the value, e the error.
static double slope(enum num_function function, double x, double v, double e)
{
    switch (function) {
    case NUM_EXP:
    case NUM_LOGISTIC:
        return v * (1 + 2 * e);
    case NUM_EXPM1:
        return (fabs(v) + 1) * (1 + 2 * e);
    case NUM_LOG:
        return x > 2 * e ? 1 / (x - e) : infinite;
    case NUM_LOG1P:
        return 1 + x > 2 * e ? 1 / (1 + x - e) : infinite;
    case NUM_ERF:
        return 1.2; // 2 / sqrt(pi) is 1.13
    default:
        return 1;
    }
}

static void settle_function(enum num_function function, double x, double ea, double *v, double *e)
{
    const bool special = !isfinite(x) || x == 0;
    const bool limited = function == NUM_EXP || function == NUM_EXPM1 || function == NUM_TANH ||
                         function == NUM_LOGISTIC;
    if (ea == 0 && (special || !isfinite(*v))) {
        *v = double_from_bits(
            num_function_round(function, DTYPE_F64, DTYPE_F64, double_bits(x), NULL));
        *e = special || !isfinite(*v) ? 0 : fabs(*v) * 0x1p-52;
        return;
    }
    const bool grows = function == NUM_EXP || function == NUM_EXPM1;
    if (!(ea <= 0x1p-8) || !isfinite(x) || (grows && x > STILL_BEYOND)) {
        *e = infinite;
        return;
    }
    if (ea > 0)
        *e += ea * slope(function, x, *v, ea);
    if (limited && fabs(x) > STILL_BEYOND)
        *e += 0x1p-900;
    *e = *e * WIDER + 0x1p-1020;
}

// A function of num_function: `to` may not be `of`.
static void look_function(enum num_function function, size_t count, struct look_run of,
                          struct look_run to)
{
    const size_t padded = (count + 7) / 8 * 8;
    memset(of.value + count, 0, (padded - count) * sizeof *of.value);
    function_form_chosen()->estimate(function, padded, of.value, to.value, to.error);
    for (size_t i = 0; i < count; i++)
        settle_function(function, of.value[i], of.error[i], &to.value[i], &to.error[i]);
}

// x^y = exp(y log x) for x above its error; nothing is known elsewhere.
static void power(size_t count, struct look_run a, struct look_run b, struct look_run to)
{
    double room[4][LOOK_RUN];
    const struct look_run log = {room[0], room[1]}, times = {room[2], room[3]};
    look_function(NUM_LOG, count, a, log);
    product(count, log, b, times);
    look_function(NUM_EXP, count, times, to);
    for (size_t i = 0; i < count; i++)
        if (!(a.value[i] > a.error[i]) || !isfinite(a.value[i]) || !isfinite(b.value[i]))
            to.error[i] = infinite;
}

static double whole(enum word_op op, double x)
{
    switch (op) {
    case WORD_FLOOR:
        return floor(x);
    case WORD_CEIL:
        return ceil(x);
    case WORD_TRUNC:
        return trunc(x);
    default:
        return nearbyint(x); // to nearest even: num_environment_enter sees to it
    }
}

static void step(enum word_op op, size_t count, struct look_run a, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i], e = a.error[i] * WIDER + fabs(x) * 0x1p-52;
        const double low = a.error[i] == 0 ? x : x - e, high = a.error[i] == 0 ? x : x + e;
        bool same;
        if (op == WORD_SIGN) {
            to.value[i] = isnan(x) ? x : (double)((x > 0) - (x < 0));
            same = a.error[i] == 0 || low > 0 || high < 0;
        } else {
            to.value[i] = whole(op, low);
            same = a.error[i] == 0 || // of NaN with an error nothing is known
                   (low <= high && double_bits(to.value[i]) == double_bits(whole(op, high)));
        }
        to.error[i] = same ? 0 : infinite;
    }
}

// ---- conditions -------------------------------------------------------------

static bool holds(enum word_op op, double x, double y)
{
    return op == WORD_LESS         ? x < y
           : op == WORD_LESS_EQUAL ? x <= y
           : op == WORD_EQUAL      ? x == y
                                   : x != y;
}

static void compare(enum word_op op, size_t count, struct look_run a, struct look_run b,
                    struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const double x = a.value[i], y = b.value[i], e = a.error[i] + b.error[i];
        const double apart = fabs(x - y) * (1 - 0x1p-50);
        to.value[i] = holds(op, x, y);
        to.error[i] = e == 0 || apart > e * WIDER ? 0 : infinite;
    }
}

// 1, 0, or -1 where it is not known.
static int truth(double value, double error)
{
    return error == 0 ? value != 0 : fabs(value) > error ? 1 : -1;
}

static void logic(enum word_op op, size_t count, const struct look_run *operand, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const int x = truth(operand[0].value[i], operand[0].error[i]);
        const int y = op == WORD_NOT ? 1 : truth(operand[1].value[i], operand[1].error[i]);
        const int decides = op == WORD_OR;
        to.value[i] = op == WORD_NOT ? !x : op == WORD_OR ? x | y : x & y;
        to.error[i] = (x >= 0 && y >= 0) ? 0 : infinite;
        if (op != WORD_NOT && (x == decides || y == decides)) {
            to.value[i] = decides;
            to.error[i] = 0;
        }
    }
}

static void choose(size_t count, const struct look_run *operand, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        const int which = truth(operand[0].value[i], operand[0].error[i]);
        to.value[i] = operand[which ? 1 : 2].value[i];
        to.error[i] = which < 0 ? infinite : operand[which ? 1 : 2].error[i];
    }
}

// ---- the table --------------------------------------------------------------

int look_function_of(enum word_op op)
{
    switch (op) {
    case WORD_EXP:
        return NUM_EXP;
    case WORD_EXPM1:
        return NUM_EXPM1;
    case WORD_LOG:
        return NUM_LOG;
    case WORD_LOG1P:
        return NUM_LOG1P;
    case WORD_TANH:
        return NUM_TANH;
    case WORD_LOGISTIC:
        return NUM_LOGISTIC;
    case WORD_SIN:
        return NUM_SIN;
    case WORD_COS:
        return NUM_COS;
    case WORD_ERF:
        return NUM_ERF;
    default:
        return -1;
    }
}

static void negate(size_t count, struct look_run a, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        to.value[i] = -a.value[i];
        to.error[i] = a.error[i];
    }
}

static void absolute(size_t count, struct look_run a, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        to.value[i] = fabs(a.value[i]);
        to.error[i] = a.error[i];
    }
}

static void nothing(size_t count, struct look_run to)
{
    for (size_t i = 0; i < count; i++) {
        to.value[i] = 0;
        to.error[i] = infinite;
    }
}

// Words of arithmetic; false: it is another.
static bool arithmetic(enum word_op op, size_t count, const struct look_run *operand,
                       struct look_run to)
{
    double room[2][LOOK_RUN];
    const struct look_run scratch = {room[0], room[1]};
    switch (op) {
    case WORD_ADD:
        sum(count, operand[0], operand[1], to);
        return true;
    case WORD_SUBTRACT:
        negate(count, operand[1], scratch);
        sum(count, operand[0], scratch, to);
        return true;
    case WORD_MULTIPLY:
        product(count, operand[0], operand[1], to);
        return true;
    case WORD_SQUARE:
        absolute(count, operand[0], scratch);
        product(count, scratch, scratch, to);
        return true;
    case WORD_DIVIDE:
        quotient(count, operand[0], operand[1], to);
        return true;
    case WORD_NEGATE:
        negate(count, operand[0], to);
        return true;
    case WORD_ABS:
        absolute(count, operand[0], to);
        return true;
    case WORD_WITHIN:
        memcpy(to.value, operand[0].value, count * sizeof *to.value);
        memcpy(to.error, operand[0].error, count * sizeof *to.error);
        return true;
    default:
        return false;
    }
}

void look_word(enum word_op op, size_t count, const struct look_run *operand, struct look_run to)
{
    if (look_function_of(op) >= 0) {
        look_function((enum num_function)look_function_of(op), count, operand[0], to);
        return;
    }
    if (arithmetic(op, count, operand, to))
        return;
    switch (op) {
    case WORD_SQRT:
        square_root(count, operand[0], to);
        break;
    case WORD_RSQRT:
        reciprocal_root(count, operand[0], to);
        break;
    case WORD_POW:
        power(count, operand[0], operand[1], to);
        break;
    case WORD_LEAST:
    case WORD_GREATEST:
        extreme(op == WORD_LEAST, count, operand[0], operand[1], to);
        break;
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
        compare(op, count, operand[0], operand[1], to);
        break;
    case WORD_AND:
    case WORD_OR:
    case WORD_NOT:
        logic(op, count, operand, to);
        break;
    case WORD_SELECT:
        choose(count, operand, to);
        break;
    case WORD_SIGN:
    case WORD_FLOOR:
    case WORD_CEIL:
    case WORD_TRUNC:
    case WORD_ROUND_EVEN:
        step(op, count, operand[0], to);
        break;
    default:
        nothing(count, to);
    }
}
