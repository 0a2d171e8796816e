// SPDX-License-Identifier: Apache-2.0
// What a run of the glance is off, from the ranges and the errors of its operands.
//
// Rounding is monotone, so that the rounded ends of a range enclose every rounded result. An
// operation's own rounding counts twice what it may be, which covers products and sums of the
// bounds themselves, and 2^-1000 for what falls below the normal numbers. ref/PROOFS.md, "Declared
// operators", has the bounds.

#include <math.h>

#include "ref/op/declared/glance_form.h"

#define OWN 0x1p-52
#define LEAST 0x1p-1000
#define WIDER (1 + 0x1p-40)

static double largest(const struct glance_run *of)
{
    return fmax(fabs(of->low), fabs(of->high));
}

// Errors that say nothing, or are so large that the terms left out below would count.
static bool is_known(const struct glance_run *of)
{
    return isfinite(of->low) && isfinite(of->high) && of->relative < 0x1p-10 &&
           of->absolute < (double)INFINITY;
}

double glance_off(const struct glance_run *of)
{
    return of->bits ? 0 : of->relative * largest(of) + of->absolute;
}

static void sum(double sign, const struct glance_run *x, const struct glance_run *y,
                struct glance_run *to)
{
    to->low = x->low + (sign < 0 ? -y->high : y->low);
    to->high = x->high + (sign < 0 ? -y->low : y->high);
    const bool above = x->low >= 0 && (sign < 0 ? y->high <= 0 : y->low >= 0),
               below = x->high <= 0 && (sign < 0 ? y->low >= 0 : y->high <= 0);
    to->relative = OWN;
    to->absolute = x->absolute + y->absolute;
    if (above || below)
        to->relative += fmax(x->relative, y->relative);
    else
        to->absolute += x->relative * largest(x) + y->relative * largest(y);
}

static void range_of_product(double a, double b, double c, double d, struct glance_run *to)
{
    to->low = fmin(fmin(a * c, a * d), fmin(b * c, b * d));
    to->high = fmax(fmax(a * c, a * d), fmax(b * c, b * d));
}

static void product(const struct glance_run *x, const struct glance_run *y, struct glance_run *to)
{
    if (x == y)
        to->low = x->low > 0 ? x->low * x->low : x->high < 0 ? x->high * x->high : 0;
    else
        range_of_product(x->low, x->high, y->low, y->high, to);
    if (x == y)
        to->high = largest(x) * largest(x);
    to->bits = x->bits && y->bits && x->bits + y->bits <= GLANCE_BITS ? x->bits + y->bits : 0;
    if (to->bits && to->bits <= GLANCE_SINGLE_BITS)
        to->bits = GLANCE_SINGLE_BITS + 1; // it may be below the numbers of f32
    to->relative = x->relative + y->relative + x->relative * y->relative + OWN;
    to->absolute = largest(x) * y->absolute * (1 + x->relative) +
                   largest(y) * x->absolute * (1 + y->relative) + x->absolute * y->absolute;
}

static bool quotient(const struct glance_run *x, const struct glance_run *y, double least,
                     struct glance_run *to)
{
    const double off = y->relative + y->absolute / least; // of the divisor, as a share of it
    if (!(least > 0) || !(off < 0x1p-10))
        return false;
    if (y->low > 0 || y->high < 0)
        range_of_product(x->low, x->high, 1 / y->low, 1 / y->high, to);
    else
        range_of_product(x->low, x->high, -1 / least, 1 / least, to);
    // quotients and products by a reciprocal are not the same
    to->low -= fabs(to->low) * 0x1p-50 + LEAST;
    to->high += fabs(to->high) * 0x1p-50 + LEAST;
    // two roundings: a number's reciprocal is multiplied
    to->relative = (x->relative + off) / (1 - off) + 2 * OWN;
    to->absolute = x->absolute / least / (1 - off);
    return 1 / least < 0x1p1000 && largest(y) < 0x1p1000;
}

static void extreme(bool least, const struct glance_run *x, const struct glance_run *y,
                    struct glance_run *to)
{
    to->low = least ? fmin(x->low, y->low) : fmax(x->low, y->low);
    to->high = least ? fmin(x->high, y->high) : fmax(x->high, y->high);
    to->bits = !x->bits || !y->bits ? 0 : x->bits > y->bits ? x->bits : y->bits;
    to->absolute = fmax(glance_off(x), glance_off(y));
}

// What a condition of exact operands is everywhere: 1 or 0, else -1.
static int holds(enum word_op op, const struct glance_run *x, const struct glance_run *y)
{
    const int p = x->low > 0 || x->high < 0     ? 1
                  : x->low == 0 && x->high == 0 ? 0
                                                : -1,
              q = y->low > 0 || y->high < 0     ? 1
                  : y->low == 0 && y->high == 0 ? 0
                                                : -1;
    switch (op) {
    case WORD_LESS:
        return x->high < y->low ? 1 : x->low >= y->high ? 0 : -1;
    case WORD_LESS_EQUAL:
        return x->high <= y->low ? 1 : x->low > y->high ? 0 : -1;
    case WORD_AND:
        return p == 1 && q == 1 ? 1 : p == 0 || q == 0 ? 0 : -1;
    case WORD_OR:
        return p == 1 || q == 1 ? 1 : p == 0 && q == 0 ? 0 : -1;
    case WORD_NOT:
        return p < 0 ? p : !p;
    default:
        return -1;
    }
}

static bool select_one(const struct glance_run *const *of, struct glance_run *to)
{
    const int which = holds(WORD_AND, of[0], of[0]);
    if (which >= 0) {
        const struct glance_run *const one = of[which ? 1 : 2];
        to->low = one->low;
        to->high = one->high;
        to->bits = one->bits;
        to->relative = one->relative;
        to->absolute = one->absolute;
        return of[0]->bits != 0;
    }
    to->low = fmin(of[1]->low, of[2]->low);
    to->high = fmax(of[1]->high, of[2]->high);
    to->bits = !of[1]->bits || !of[2]->bits ? 0
               : of[1]->bits > of[2]->bits  ? of[1]->bits
                                            : of[2]->bits;
    to->relative = fmax(of[1]->relative, of[2]->relative);
    to->absolute = fmax(of[1]->absolute, of[2]->absolute);
    return of[0]->bits != 0;
}

// Makes what is exact so, and what is not a little wider.
static bool finish(struct glance_run *to)
{
    to->relative = to->bits ? 0 : to->relative * WIDER;
    to->absolute = to->bits ? 0 : to->absolute * WIDER + LEAST;
    return is_known(to);
}

bool glance_bound(enum word_op op, const struct glance_run *const *operand, double least,
                  struct glance_run *to)
{
    const struct glance_run *const x = operand[0], *const y = operand[1];
    *to = (struct glance_run){.kind = GLANCE_DOUBLES};
    switch (op) {
    case WORD_ADD:
    case WORD_SUBTRACT:
        sum(op == WORD_ADD ? 1 : -1, x, y, to);
        return finish(to);
    case WORD_SQUARE:
        product(x, x, to);
        return finish(to);
    case WORD_MULTIPLY:
        product(x, y, to);
        return finish(to);
    case WORD_DIVIDE:
        return quotient(x, y, least, to) && finish(to);
    case WORD_NEGATE:
        to->low = -x->high;
        to->high = -x->low;
        break;
    case WORD_ABS:
        to->low = x->low > 0 ? x->low : x->high < 0 ? -x->high : 0;
        to->high = largest(x);
        break;
    case WORD_LEAST:
    case WORD_GREATEST:
        extreme(op == WORD_LEAST, x, y, to);
        return finish(to);
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_EQUAL:
    case WORD_NOT_EQUAL:
    case WORD_AND:
    case WORD_OR:
    case WORD_NOT:
        to->low = holds(op, x, op == WORD_NOT ? x : y) == 1;
        to->high = holds(op, x, op == WORD_NOT ? x : y) != 0;
        to->bits = 1;
        return x->bits && (op == WORD_NOT || y->bits);
    case WORD_SELECT:
        return select_one(operand, to) && finish(to);
    default:
        return false;
    }
    to->bits = x->bits;
    to->relative = x->relative;
    to->absolute = x->absolute;
    return true;
}

bool glance_knows(enum num_function function, const struct glance_run *of)
{
    const double still = 690, off = of->relative * largest(of) + of->absolute;
    const bool inside = function == NUM_LOG     ? of->low >= 0x1p-1022 && isfinite(of->high)
                        : function == NUM_LOG1P ? of->low >= -0x1.fp-1 && isfinite(of->high)
                                                : largest(of) <= still;
    return inside && (function == NUM_LOG || off <= 0x1p-8);
}

// What the function makes of its argument's error, r times it and a. exp and its like have the
// slope of their value, or of that and 1, nowhere more than 1 + 2 e times it for e up to 2^-8; the
// others at most 1.2. tanh and erf are concave where x is positive, as is log1p, and expm1 where x
// is negative: x f'(x) <= f(x); for a positive x it is at most 1 + x times expm1(x).
static void add_slope(enum num_function function, const struct glance_run *of,
                      struct glance_run *to)
{
    const double most = largest(of), r = of->relative, a = of->absolute, off = r * most + a;
    switch (function) {
    case NUM_EXP:
    case NUM_LOGISTIC:
        to->relative += off * (1 + 2 * off);
        break;
    case NUM_EXPM1:
        to->relative += (r * (1 + most) + a) * (1 + 4 * off);
        to->absolute += a * (1 + 4 * off);
        break;
    case NUM_TANH:
    case NUM_ERF:
        to->relative += r * (1 + 4 * r);
        to->absolute += a * 1.2;
        break;
    case NUM_LOG:
        to->absolute += (r + a / of->low) * 1.2;
        break;
    case NUM_LOG1P:
        if (of->low >= 0)
            to->relative += r * (1 + 4 * r);
        to->absolute += (of->low >= 0 ? a : off / (1 + of->low)) * 1.2;
        break;
    default:
        to->absolute += off * 1.2;
    }
}

// log 2^k, and a little further in the direction of `side`.
static double logarithm_of_power(double k, double side)
{
    return k * 0x1.62e42fefa39efp-1 + side * (fabs(k) * 0x1p-40 + 0x1p-30);
}

// Between the logarithms of powers of two on both sides.
static void range_of_logarithm(double low, double high, struct glance_run *to)
{
    int least, most;
    frexp(low, &least);
    frexp(high, &most);
    to->low = logarithm_of_power(least - 1, -1);
    to->high = logarithm_of_power(most, 1);
}

bool glance_bound_function(enum num_function function, const struct glance_run *of, double relative,
                           double additional, struct glance_run *to)
{
    const bool grows = function == NUM_EXP || function == NUM_EXPM1;
    const double power =
        grows ? ldexp(1, (int)(of->high * (of->high > 0 ? 1.5 : 1.4)) + 2) : 1 + 0x1p-30;
    *to = (struct glance_run){.kind = GLANCE_DOUBLES, .relative = relative, .absolute = additional};
    to->high = power;
    to->low = function == NUM_EXP || function == NUM_LOGISTIC ? 0
              : function == NUM_EXPM1                         ? -1 - 0x1p-30
                                                              : -to->high;
    if (function == NUM_LOG || function == NUM_LOG1P)
        range_of_logarithm(of->low + (function == NUM_LOG1P), of->high + (function == NUM_LOG1P),
                           to);
    const bool odd = function == NUM_TANH || function == NUM_ERF || function == NUM_LOG1P ||
                     function == NUM_EXPM1;
    to->low = odd && of->low >= 0 ? 0 : to->low;
    to->high = odd && of->high <= 0 ? 0 : to->high;
    if (!of->bits)
        add_slope(function, of, to);
    return finish(to) && (function != NUM_LOG || of->bits || of->absolute <= of->low * 0x1p-8);
}

struct glance_run glance_number(double number, double error)
{
    int exponent;
    const double fraction = frexp(number, &exponent);
    const bool single = (double)(float)number == number;
    unsigned bits = 1;
    while (single && bits < GLANCE_SINGLE_BITS &&
           ldexp(fraction, (int)bits) != rint(ldexp(fraction, (int)bits)))
        bits++;
    return (struct glance_run){.kind = GLANCE_NUMBER,
                               .number = number,
                               .low = number,
                               .high = number,
                               .absolute = error,
                               .bits = error != 0 ? 0
                                       : single   ? bits
                                                  : GLANCE_BITS};
}
