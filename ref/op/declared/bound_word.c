// SPDX-License-Identifier: Apache-2.0
// Intervals of words.

#include <mpfr.h>

#include "ref/num/mpfr_exact.h"
#include "ref/op/declared/bound.h"
#include "ref/op/declared/look.h"
#include "ref/op/declared/settle_span.h"

static const double infinite = (double)INFINITY;

// ---- roundings --------------------------------------------------------------

static struct interval flushed(const struct bounding *b, struct interval a)
{
    const double least = bound_least_normal(b->type);
    const bool some = a.lower < least && a.upper > -least && !(a.lower == 0 && a.upper == 0);
    return b->model->flush && some ? interval_hull(a, interval_of(0)) : a;
}

struct interval bound_operation(const struct bounding *b, struct interval a)
{
    if (bound_is_nan(a) || interval_is_any(a))
        return a;
    if (b->type == DTYPE_F64) // its ends are such numbers
        return flushed(b, a);
    struct interval hull = interval_hull(a, interval_round(b->type, a));
    // Rounded to f32, a number may lie on the other side.
    if (b->type == DTYPE_F16 || b->type == DTYPE_BF16)
        hull = interval_hull(hull, interval_round(DTYPE_F32, a));
    return flushed(b, hull);
}

// ---- functions --------------------------------------------------------------

// One end of the exact function.
static double end_of(enum word_op op, double x, mpfr_rnd_t rounding)
{
    mpfr_t y;
    mpfr_init2(y, 64);
    mpfr_set_d(y, x, MPFR_RNDN);
    span_end_of(op, y, rounding);
    const double result = mpfr_get_d(y, rounding);
    mpfr_clear(y);
    return result;
}

static struct interval absolute(struct interval x)
{
    if (bound_is_nan(x) || interval_is_any(x))
        return x;
    return x.lower >= 0   ? x
           : x.upper <= 0 ? interval_negate(x)
                          : (struct interval){0, fmax(-x.lower, x.upper)};
}

static int quick_of(enum word_op op)
{
    switch (op) {
    case WORD_EXP:
        return NUM_EXP;
    case WORD_EXPM1:
        return NUM_EXPM1;
    case WORD_TANH:
        return NUM_TANH;
    case WORD_LOGISTIC:
        return NUM_LOGISTIC;
    default:
        return -1;
    }
}

// The exact range over [x.lower, x.upper].
static struct interval range_of(const struct bounding *b, enum word_op op, struct interval x)
{
    struct interval y;
    num_mpfr_on_this_thread();
    if (op == WORD_SIN || op == WORD_COS) {
        const double width = interval_above(x.upper - x.lower);
        y = (struct interval){end_of(op, x.lower, MPFR_RNDD), end_of(op, x.lower, MPFR_RNDU)};
        return bound_is_point(x) ? y : interval_widen(y, width);
    }
    if (b->type != DTYPE_F64 && quick_of(op) >= 0 && isfinite(x.lower) && isfinite(x.upper)) {
        interval_function_array((enum num_function)quick_of(op), &x.lower, &x.upper, 1, &y.lower,
                                &y.upper);
        return y;
    }
    const bool falls = op == WORD_RSQRT || op == WORD_ACOS;
    if (op == WORD_COSH)
        x = absolute(x);
    y = (struct interval){end_of(op, falls ? x.upper : x.lower, MPFR_RNDD),
                          end_of(op, falls ? x.lower : x.upper, MPFR_RNDU)};
    // Over less than pi the tangent of the upper end is the lesser one where a pole lies between.
    const bool pole = op == WORD_TAN && (!(x.upper - x.lower < 3) || y.lower > y.upper);
    return pole ? interval_any() : y;
}

// OpenCL C 3.0, full profile, single precision; those of half and double are not larger.
static double opencl_ulps(enum word_op op)
{
    switch (op) {
    case WORD_LOG1P:
    case WORD_RSQRT:
        return 2;
    case WORD_DIVIDE:
        return 2.5;
    case WORD_EXP:
    case WORD_EXPM1:
    case WORD_LOG:
    case WORD_SQRT:
        return 3;
    case WORD_SIN:
    case WORD_COS:
    case WORD_SINH:
    case WORD_COSH:
    case WORD_ASIN:
    case WORD_ACOS:
    case WORD_ASINH:
    case WORD_ACOSH:
        return 4;
    case WORD_TAN:
    case WORD_ATAN:
    case WORD_ATANH:
        return 5;
    case WORD_ERF:
    case WORD_POW:
        return 16;
    default:
        return -1;
    }
}

double bound_ulps(const struct evaluation_model *model, enum word_op op)
{
    const double opencl = model->functions == MODEL_OPENCL ? opencl_ulps(op) : -1;
    if (opencl >= 0)
        return opencl;
    switch (op) {
    case WORD_DIVIDE:
    case WORD_SQRT:
        return 0;
    case WORD_TANH:
        return model->tanh_ulps;
    case WORD_RSQRT:
        return 2;
    case WORD_POW:
        return 16;
    default:
        return model->logistic_ulps;
    }
}

// Where small numbers may become 0, a function may end at the least normal number, too.
static double absolute_of(const struct bounding *b, enum word_op op)
{
    const double small = b->model->flush ? 2 * bound_least_normal(b->type) : 0;
    return op == WORD_TANH || op == WORD_LOGISTIC ? b->model->activation_absolute
           : op == WORD_ERF                       ? fmax(small, b->model->erf_absolute)
                                                  : small;
}

// The largest that a magnitude may become that is off by ulps of its own: it grows with it.
static double outer(enum dtype type, double ulps, double far)
{
    return isfinite(far) ? interval_above(far + ulps * num_ulp(type, far)) : far;
}

// The least that magnitudes from `near` to `far` may become. It grows, but where an ulp doubles: at
// powers of two, of which the first above `near` has the least.
static double inner(enum dtype type, double ulps, double near, double far)
{
    const double least = interval_below(near - ulps * num_ulp(type, near)),
                 power = near > 0 ? ldexp(1, ilogb(near) + 1) : far;
    return near > 0 && power <= far
               ? fmin(least, interval_below(power - ulps * num_ulp(type, power)))
               : least;
}

// Every number of the interval, off by ulps of its own.
static struct interval off_by_ulps(enum dtype type, double ulps, struct interval y)
{
    if (y.lower >= 0)
        return (struct interval){inner(type, ulps, y.lower, y.upper), outer(type, ulps, y.upper)};
    if (y.upper <= 0)
        return (struct interval){-outer(type, ulps, -y.lower),
                                 -inner(type, ulps, -y.upper, -y.lower)};
    return (struct interval){-outer(type, ulps, -y.lower), outer(type, ulps, y.upper)};
}

static struct interval widened(const struct bounding *b, enum word_op op, struct interval y)
{
    if (!isfinite(y.lower) && !isfinite(y.upper))
        return y;
    const struct interval off = off_by_ulps(b->type, bound_ulps(b->model, op), y);
    struct interval wide = interval_widen(off, absolute_of(b, op));
    if (op == WORD_EXP) // never below 0
        wide.lower = fmax(wide.lower, 0);
    // What is beyond the type's numbers may be an infinity.
    return flushed(b, interval_hull(wide, interval_round(b->type, wide)));
}

// What C11, F.10, gives exactly: exp(0) = 1, log(1) = 0, tanh(0) = 0 and their like, and
// infinities.
static bool is_exact_at(enum word_op op, double x)
{
    switch (op) {
    case WORD_LOGISTIC:
        return isinf(x);
    case WORD_ATAN:
        return x == 0;
    case WORD_LOG:
        return x == 0 || x == 1 || isinf(x);
    case WORD_LOG1P:
        return x == 0 || x == -1 || isinf(x);
    case WORD_ACOS:
    case WORD_ACOSH:
        return x == 1 || isinf(x);
    case WORD_ATANH:
        return x == 0 || fabs(x) == 1;
    default:
        return x == 0 || isinf(x);
    }
}

// What the function has real values of, and their limits.
static struct interval domain_of(enum word_op op)
{
    switch (op) {
    case WORD_LOG:
    case WORD_RSQRT:
        return (struct interval){0, infinite};
    case WORD_LOG1P:
        return (struct interval){-1, infinite};
    case WORD_ASIN:
    case WORD_ACOS:
    case WORD_ATANH:
        return (struct interval){-1, 1};
    case WORD_ACOSH:
        return (struct interval){1, infinite};
    default:
        return interval_any();
    }
}

// A function of one operand, by ulps of the node's type.
static struct interval function_of(const struct bounding *b, enum word_op op, struct interval x)
{
    const struct interval domain = domain_of(op);
    if (bound_is_nan(x) || interval_is_any(x))
        return x;
    if (x.upper < domain.lower || x.lower > domain.upper)
        return bound_nan();
    // It goes beyond the domain, or rsqrt touches its pole: nothing is known. A logarithm may be
    // -inf there.
    if (x.lower < domain.lower || x.upper > domain.upper ||
        (op == WORD_RSQRT && x.lower == 0 && !bound_is_point(x)))
        return interval_any();
    const bool circular = op == WORD_SIN || op == WORD_COS || op == WORD_TAN;
    if (circular && (isinf(x.lower) || isinf(x.upper)))
        return bound_is_point(x) ? bound_nan() : interval_any();
    if (bound_is_point(x) && is_exact_at(op, x.lower)) {
        const double y = end_of(op, x.lower, MPFR_RNDN);
        return interval_of(y);
    }
    return widened(b, op, range_of(b, op, x));
}

double bound_overflow(enum dtype type, enum word_op op, struct interval x)
{
    const double far = 712; // e^711 > 2^1025
    const bool grows = op == WORD_EXP || op == WORD_EXPM1 || op == WORD_SINH || op == WORD_COSH,
               both = op == WORD_SINH || op == WORD_COSH;
    if (type != DTYPE_F64 || !grows)
        return 0;
    if (both && x.upper <= -far)
        return op == WORD_SINH ? -infinite : infinite;
    return x.lower >= (both ? far : far - 1) ? infinite : 0;
}

// The ends around x^y.
static struct interval power_at(mpfr_t base, mpfr_t exponent, mpfr_t power, double x, double y)
{
    mpfr_set_d(base, x, MPFR_RNDN);
    mpfr_set_d(exponent, y, MPFR_RNDN);
    const bool exact = mpfr_pow(power, base, exponent, MPFR_RNDD) == 0;
    const double low = mpfr_get_d(power, MPFR_RNDD);
    if (!exact)
        mpfr_nextabove(power);
    return (struct interval){low, mpfr_get_d(power, MPFR_RNDU)};
}

static struct interval power_of(const struct bounding *b, struct interval x, struct interval y)
{
    const bool points = bound_is_point(x) && bound_is_point(y);
    if (bound_is_nan(x) || bound_is_nan(y) || interval_is_any(x) || interval_is_any(y))
        return interval_any();
    if (!points && !(x.lower > 0))
        return interval_any();
    num_mpfr_on_this_thread();
    struct interval r = {infinite, -infinite};
    mpfr_t base, exponent, power;
    mpfr_inits2(64, base, exponent, power, (mpfr_ptr)0);
    const unsigned corners = points && x.lower != 0 ? 1 : 4; // the ends of a 0 may have two signs
    for (unsigned i = 0; i < corners; i++) {
        const struct interval at =
            power_at(base, exponent, power, i & 1 ? x.upper : x.lower, i & 2 ? y.upper : y.lower);
        r = bound_is_nan(at) ? bound_nan()
                             : (struct interval){fmin(r.lower, at.lower), fmax(r.upper, at.upper)};
        if (bound_is_nan(at))
            break;
    }
    mpfr_clears(base, exponent, power, (mpfr_ptr)0);
    return bound_is_nan(r) ? r : widened(b, WORD_POW, r);
}

// ---- arithmetic -------------------------------------------------------------

// Words of arithmetic alone: they touch no more of a run than its elements.
static struct interval point_operation(const struct bounding *b, enum word_op op, double x,
                                       double y)
{
    double value, error, none = 0;
    const struct look_run operand[2] = {{&x, &none}, {&y, &none}};
    look_word(op, 1, operand, (struct look_run){&value, &error});
    if (isnan(value))
        return bound_nan();
    if (error == 0)
        return bound_operation(b, interval_of(value));
    const struct interval around = interval_outward(value, value);
    return bound_operation(b, around);
}

static struct interval quotient(struct interval x, struct interval y)
{
    if (y.lower <= 0 && y.upper >= 0)
        return interval_any();
    const double p = x.lower / y.lower, q = x.lower / y.upper, r = x.upper / y.lower,
                 s = x.upper / y.upper;
    if (isnan(p) || isnan(q) || isnan(r) || isnan(s))
        return interval_any();
    struct interval to =
        interval_outward(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
    if (y.lower > 0 && x.lower >= 0) // 0 stays where it is
        to.lower = fmax(to.lower, 0);
    if (y.lower > 0 && x.upper <= 0)
        to.upper = fmin(to.upper, 0);
    return to;
}

static bool is_finite(struct interval x)
{
    return isfinite(x.lower) && isfinite(x.upper);
}

static bool is_zero(struct interval x)
{
    return x.lower == 0 && x.upper == 0;
}

static bool has_sign(struct interval x)
{
    return x.lower > 0 || x.upper < 0;
}

static bool is_infinite(struct interval x)
{
    return bound_is_point(x) && isinf(x.lower);
}

// What an infinity or 0 makes of something else that is finite, and has a sign where it matters.
static bool decided(enum word_op op, struct interval x, struct interval y, struct interval *to)
{
    const bool sum = op == WORD_ADD || op == WORD_SUBTRACT;
    if (sum && is_infinite(x) && is_finite(y))
        *to = x;
    else if (sum && is_infinite(y) && is_finite(x))
        *to = op == WORD_ADD ? y : interval_negate(y);
    else if (op == WORD_MULTIPLY && is_zero(is_zero(x) ? x : y) && is_finite(x) && is_finite(y))
        *to = interval_of(0);
    else if (op == WORD_MULTIPLY && is_infinite(x) && is_finite(y) && has_sign(y))
        *to = y.lower > 0 ? x : interval_negate(x);
    else if (op == WORD_MULTIPLY && is_infinite(y) && is_finite(x) && has_sign(x))
        *to = x.lower > 0 ? y : interval_negate(y);
    else if (op == WORD_DIVIDE && is_zero(x) && has_sign(y))
        *to = interval_of(0);
    else if (op == WORD_DIVIDE && is_infinite(x) && is_finite(y) && has_sign(y))
        *to = y.lower > 0 ? x : interval_negate(x);
    else
        return false;
    return true;
}

static struct interval of_two(const struct bounding *b, enum word_op op, struct interval x,
                              struct interval y)
{
    if (bound_is_nan(x) || bound_is_nan(y))
        return bound_nan();
    if (interval_is_any(x) || interval_is_any(y))
        return interval_any();
    if (bound_is_point(x) && bound_is_point(y))
        return point_operation(b, op, x.lower, y.lower);
    struct interval r;
    if (decided(op, x, y, &r))
        return r;
    switch (op) {
    case WORD_ADD:
        r = interval_add(x, y);
        break;
    case WORD_SUBTRACT:
        r = interval_add(x, interval_negate(y));
        break;
    case WORD_MULTIPLY:
        r = interval_multiply(x, y);
        break;
    default:
        r = quotient(x, y);
    }
    return isnan(r.lower) || isnan(r.upper) ? interval_any() : bound_operation(b, r);
}

static struct interval extreme(bool least, struct interval x, struct interval y)
{
    if (bound_is_nan(x) || bound_is_nan(y))
        return bound_nan();
    if (interval_is_any(x) || interval_is_any(y))
        return interval_any();
    return least ? (struct interval){fmin(x.lower, y.lower), fmin(x.upper, y.upper)}
                 : (struct interval){fmax(x.lower, y.lower), fmax(x.upper, y.upper)};
}

// ---- jumps ------------------------------------------------------------------

static const struct interval either = {0, 1};

static struct interval compare(enum word_op op, struct interval x, struct interval y)
{
    bool holds, fails;
    if (bound_is_nan(x) || bound_is_nan(y))
        return interval_of(op == WORD_NOT_EQUAL);
    if (interval_is_any(x) || interval_is_any(y))
        return either;
    switch (op) {
    case WORD_LESS:
        holds = x.upper < y.lower;
        fails = x.lower >= y.upper;
        break;
    case WORD_LESS_EQUAL:
        holds = x.upper <= y.lower;
        fails = x.lower > y.upper;
        break;
    default:
        holds = bound_is_point(x) && bound_is_point(y) && x.lower == y.lower;
        fails = x.upper < y.lower || y.upper < x.lower;
        if (op == WORD_NOT_EQUAL) {
            const bool swapped = holds;
            holds = fails;
            fails = swapped;
        }
    }
    return holds ? interval_of(1) : fails ? interval_of(0) : either;
}

// 1, 0; -1: either.
static int truth(struct interval x)
{
    if (bound_is_nan(x) || x.lower > 0 || x.upper < 0)
        return 1;
    return x.lower == 0 && x.upper == 0 ? 0 : -1;
}

static struct interval logic(enum word_op op, struct interval a, struct interval c)
{
    const int x = truth(a), y = op == WORD_NOT ? 1 : truth(c);
    if (op == WORD_NOT)
        return x < 0 ? either : interval_of(!x);
    const int decides = op == WORD_OR;
    if (x == decides || y == decides)
        return interval_of(decides);
    return x < 0 || y < 0 ? either : interval_of(!decides);
}

static struct interval choose(struct interval condition, struct interval a, struct interval c)
{
    const int which = truth(condition);
    if (which >= 0)
        return which ? a : c;
    if (bound_is_nan(a) || bound_is_nan(c))
        return bound_is_nan(a) && bound_is_nan(c) ? a : interval_any();
    return interval_hull(a, c);
}

static struct interval within(struct interval x, struct interval share)
{
    if (bound_is_nan(x) || interval_is_any(x))
        return x;
    const double most = interval_magnitude(share),
                 e = is_zero(x) || most == 0 ? 0 : interval_above(most * interval_magnitude(x));
    return isnan(most) || isnan(e) ? interval_any() : interval_widen(x, e);
}

static struct interval step(enum word_op op, struct interval x)
{
    if (bound_is_nan(x) || interval_is_any(x))
        return x;
    switch (op) {
    case WORD_SIGN:
        return (struct interval){(x.lower > 0) - (x.lower < 0), (x.upper > 0) - (x.upper < 0)};
    case WORD_FLOOR:
        return (struct interval){floor(x.lower), floor(x.upper)};
    case WORD_CEIL:
        return (struct interval){ceil(x.lower), ceil(x.upper)};
    case WORD_TRUNC:
        return (struct interval){trunc(x.lower), trunc(x.upper)};
    default:
        return (struct interval){nearbyint(x.lower), nearbyint(x.upper)};
    }
}

static struct interval square_root(const struct bounding *b, struct interval x)
{
    if (bound_is_nan(x) || interval_is_any(x))
        return x;
    if (x.upper < 0)
        return bound_nan();
    if (x.lower < 0)
        return interval_any();
    if (bound_is_point(x))
        return point_operation(b, WORD_SQRT, x.lower, 0);
    return bound_operation(b, interval_outward(sqrt(x.lower), sqrt(x.upper)));
}

// What the model lets a quotient or a root be off by.
static struct interval off_by(const struct bounding *b, enum word_op op, struct interval x)
{
    const double ulps = bound_ulps(b->model, op);
    return ulps == 0 || bound_is_nan(x) || !isfinite(interval_magnitude(x))
               ? x
               : off_by_ulps(b->type, ulps, x);
}

static struct interval word(const struct bounding *b, enum word_op op,
                            const struct interval *operand)
{
    switch (op) {
    case WORD_ADD:
    case WORD_SUBTRACT:
    case WORD_MULTIPLY:
        return of_two(b, op, operand[0], operand[1]);
    case WORD_DIVIDE:
        return off_by(b, op, of_two(b, op, operand[0], operand[1]));
    case WORD_SQUARE:
        return of_two(b, WORD_MULTIPLY, absolute(operand[0]), absolute(operand[0]));
    case WORD_NEGATE:
        return bound_is_nan(operand[0]) ? operand[0] : interval_negate(operand[0]);
    case WORD_ABS:
        return absolute(operand[0]);
    case WORD_SQRT:
        return off_by(b, op, square_root(b, operand[0]));
    case WORD_POW:
        return power_of(b, operand[0], operand[1]);
    case WORD_LEAST:
    case WORD_GREATEST:
        return extreme(op == WORD_LEAST, operand[0], operand[1]);
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
        return compare(op, operand[0], operand[1]);
    case WORD_AND:
    case WORD_OR:
        return logic(op, operand[0], operand[1]);
    case WORD_NOT:
        return logic(op, operand[0], operand[0]);
    case WORD_WITHIN:
        return within(operand[0], operand[1]);
    case WORD_SELECT:
        return choose(operand[0], operand[1], operand[2]);
    case WORD_SIGN:
    case WORD_FLOOR:
    case WORD_CEIL:
    case WORD_TRUNC:
    case WORD_ROUND_EVEN:
        return step(op, operand[0]);
    default:
        return function_of(b, op, operand[0]);
    }
}

struct interval bound_word(const struct bounding *b, enum word_op op,
                           const struct interval *operand)
{
    // Of f32 and f64 a hull with its ends' roundings is its own.
    const bool arithmetic = op == WORD_ADD || op == WORD_SUBTRACT || op == WORD_MULTIPLY;
    if (arithmetic && (b->type == DTYPE_F32 || b->type == DTYPE_F64))
        return word(b, op, operand);
    // What only chooses an operand may still be stored in the node's type.
    return bound_operation(b, word(b, op, operand));
}
