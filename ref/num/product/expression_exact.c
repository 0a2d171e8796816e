// SPDX-License-Identifier: Apache-2.0
// Expressions in exact arithmetic: every factor is multiplied out, every monomial is added to an
// exact sum, and a quotient is settled with integers.

#include <math.h>
#include <stdint.h>

#include <gmp.h>

#include "ref/base/bytes.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/small_float.h"

static double element(const struct num_elements *e, size_t row, size_t column, size_t depth)
{
    const ptrdiff_t at = (ptrdiff_t)row * e->row_stride + (ptrdiff_t)column * e->column_stride +
                         (ptrdiff_t)depth * e->depth_stride;
    const size_t size = dtype_size(e->dtype);
    uint64_t bits = element_load((const char *)e->data + at * (ptrdiff_t)size, size, 0);
    return num_to_double(e->dtype, bits);
}

// A factor as a sum of two monomials of at most two values each; an absent one has no values and is
// not used.
struct expanded {
    unsigned monomials;
    struct {
        bool negative;
        unsigned values;
        double value[2];
    } monomial[2];
    double whole; // the factor in double: exact as to sign, zero, infinity and NaN
};

static struct expanded expand(const struct num_factor *factor, double x, double y)
{
    switch (factor->form) {
    case NUM_VALUE:
        break;
    case NUM_COMPLEMENT:
        return (struct expanded){2, {{false, 0, {0}}, {true, 1, {x}}}, 1 - x};
    case NUM_LESS_SQUARE:
        return (struct expanded){2, {{false, 1, {x}}, {true, 2, {x, x}}}, x - x * x};
    case NUM_COMPLEMENT_SQUARE:
        return (struct expanded){2, {{false, 0, {0}}, {true, 2, {x, x}}}, 1 - x * x};
    case NUM_DIFFERENCE:
        return (struct expanded){2, {{false, 1, {x}}, {true, 1, {y}}}, x - y};
    }
    return (struct expanded){1, {{false, 1, {x}}}, x};
}

static void accumulate_term(const struct num_term *term, size_t row, size_t column, size_t depth,
                            struct num_accumulator *sum)
{
    struct expanded factor[NUM_FACTORS_MAX] = {{0}};
    double whole[NUM_FACTORS_MAX];
    bool ordinary = true;
    for (unsigned f = 0; f < term->factors; f++) {
        const struct num_factor *const from = &term->factor[f];
        const double x = element(&from->x, row, column, depth);
        factor[f] = expand(
            from, x, from->form == NUM_DIFFERENCE ? element(&from->y, row, column, depth) : 0);
        whole[f] = factor[f].whole;
        ordinary = ordinary && isfinite(whole[f]) && whole[f] != 0;
    }
    if (!ordinary) { // its zero, infinity or NaN is all that counts
        num_accumulator_add_product(sum, term->negative, term->factors, whole);
        return;
    }
    for (unsigned choice = 0; choice < 1u << term->factors; choice++) {
        double value[ACCUMULATOR_FACTORS_MAX + 1] = {1.0};
        unsigned values = 0;
        bool negative = term->negative, exists = true;
        for (unsigned f = 0; f < term->factors && exists; f++) {
            const unsigned which = choice >> f & 1;
            exists = which < factor[f].monomials;
            if (!exists)
                break;
            negative ^= factor[f].monomial[which].negative;
            for (unsigned v = 0; v < factor[f].monomial[which].values; v++)
                value[values++] = factor[f].monomial[which].value[v];
        }
        bool zero = false;
        for (unsigned v = 0; v < values; v++)
            zero = zero || value[v] == 0;
        if (exists && !zero)
            num_accumulator_add_product(sum, negative, values ? values : 1, value);
    }
}

void num_expression_accumulate(const struct num_expression *expression, size_t row, size_t column,
                               size_t depth, struct num_accumulator *sum)
{
    for (unsigned t = 0; t < expression->terms; t++)
        accumulate_term(&expression->term[t], row, column, depth, sum);
}

// The product of `count` finite nonzero doubles as integer * 2^*exponent, positive.
static void integer_product(mpz_t product, int *exponent, unsigned count, const double *factor)
{
    mpz_t significand;
    mpz_init(significand);
    mpz_set_ui(product, 1);
    *exponent = 0;
    for (unsigned i = 0; i < count; i++) {
        int e;
        mpz_set_d(significand, ldexp(frexp(fabs(factor[i]), &e), 53));
        mpz_mul(product, product, significand);
        *exponent += e - 53;
    }
    mpz_clear(significand);
}

// |sum| / |denominators| to 64 bits and the knowledge of what is left over. Both are finite and not
// zero.
static struct num_exact divide(const struct num_accumulator *sum, bool negative, unsigned count,
                               const double *denominator)
{
    enum { WANTED_BITS = 64 };
    mpz_t numerator, divisor, rest;
    int divisor_exponent, top = sum->last;
    // Its carries are spread: words below 2^32 follow some that repeat the sign alone.
    int64_t leading = sum->word[top];
    while (top > sum->first &&
           (leading == 0 || (leading == -1 && sum->word[top - 1] == INT64_C(0xffffffff)))) {
        top--;
        leading = leading ? leading : sum->word[top];
    }
    mpz_inits(numerator, divisor, rest, (mpz_ptr)0);
    mpz_set_d(numerator, (double)leading); // below 2^53
    for (int i = top - 1; i >= sum->first; i--) {
        mpz_mul_2exp(numerator, numerator, 32);
        mpz_add_ui(numerator, numerator, (unsigned long)sum->word[i]);
    }
    mpz_abs(numerator, numerator);
    integer_product(divisor, &divisor_exponent, count, denominator);
    int exponent = ACCUMULATOR_LOWEST + 32 * sum->first - divisor_exponent;
    const long shift =
        (long)mpz_sizeinbase(divisor, 2) + WANTED_BITS + 1 - (long)mpz_sizeinbase(numerator, 2);
    if (shift > 0) {
        mpz_mul_2exp(numerator, numerator, (mp_bitcnt_t)shift);
        exponent -= (int)shift;
    }
    mpz_tdiv_qr(numerator, rest, numerator, divisor);
    bool sticky = mpz_sgn(rest) != 0;
    const long extra = (long)mpz_sizeinbase(numerator, 2) - WANTED_BITS;
    sticky = sticky || mpz_scan1(numerator, 0) < (mp_bitcnt_t)extra;
    mpz_tdiv_q_2exp(numerator, numerator, (mp_bitcnt_t)extra);
    uint64_t significand = 0;
    mpz_export(&significand, NULL, -1, sizeof significand, 0, 0, numerator);
    mpz_clears(numerator, divisor, rest, (mpz_ptr)0);
    return (struct num_exact){NUM_FINITE, negative, sticky, exponent + (int)extra, significand};
}

// The quotient of what may be zero, infinite or NaN, as IEEE 754 has it.
static struct num_exact quotient(struct num_accumulator *sum, unsigned count,
                                 const double *denominator)
{
    struct num_exact value = num_accumulator_value(sum);
    bool infinite = false, zero = false;
    for (unsigned i = 0; i < count; i++) {
        if (isnan(denominator[i]))
            value.kind = NUM_NOT_A_NUMBER;
        infinite = infinite || isinf(denominator[i]);
        zero = zero || denominator[i] == 0;
        value.negative ^= signbit(denominator[i]) != 0;
    }
    const bool is_zero = value.kind == NUM_FINITE && value.significand == 0;
    if ((infinite && zero) || (infinite && value.kind == NUM_INFINITE) || (zero && is_zero))
        value.kind = NUM_NOT_A_NUMBER;
    if (value.kind != NUM_FINITE || is_zero)
        return value;
    if (zero || infinite)
        return (struct num_exact){zero ? NUM_INFINITE : NUM_FINITE, value.negative, false, 0, 0};
    return divide(sum, value.negative, count, denominator);
}

uint64_t num_expression_exact(const struct num_expression *expression, size_t row, size_t column,
                              size_t depth, enum dtype to)
{
    struct num_accumulator sum;
    num_accumulator_clear(&sum);
    for (size_t d = 0; d < depth; d++)
        num_expression_accumulate(expression, row, column, d, &sum);
    if (expression->denominators == 0)
        return num_pack(to, num_accumulator_value(&sum), NUM_NEAREST_EVEN, NUM_IEEE);
    double denominator[NUM_DENOMINATORS_MAX];
    for (unsigned i = 0; i < expression->denominators; i++)
        denominator[i] = element(&expression->denominator[i], row, column, 0);
    return num_pack(to, quotient(&sum, expression->denominators, denominator), NUM_NEAREST_EVEN,
                    NUM_IEEE);
}
