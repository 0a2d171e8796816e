// SPDX-License-Identifier: Apache-2.0
// A sum has one term for each class of roots; a product of two roots is that of the product, which
// joins the term of its class. A divisor of two terms is multiplied by their difference.

#include "ref/num/surd.h"

void surd_init(struct surd *x)
{
    x->count = 0;
    x->held = 0;
}

void surd_clear(struct surd *x)
{
    for (unsigned i = 0; i < x->held; i++)
        mpq_clears(x->term[i].times, x->term[i].under, (mpq_ptr)0);
    surd_init(x);
}

// A new term, of any value, after the others.
static struct surd_term *append(struct surd *x)
{
    struct surd_term *const term = &x->term[x->count++];
    if (x->count > x->held) {
        mpq_inits(term->times, term->under, (mpq_ptr)0);
        x->held = x->count;
    }
    return term;
}

void surd_set(struct surd *to, const struct surd *from)
{
    to->count = 0;
    for (unsigned i = 0; i < from->count; i++) {
        struct surd_term *const term = append(to);
        mpq_set(term->times, from->term[i].times);
        mpq_set(term->under, from->term[i].under);
    }
}

void surd_set_rational(struct surd *to, mpq_srcptr from)
{
    to->count = 0;
    if (!mpq_sgn(from))
        return;
    struct surd_term *const term = append(to);
    mpq_set(term->times, from);
    mpq_set_ui(term->under, 1, 1);
}

void surd_set_whole(struct surd *to, long from)
{
    mpq_t whole;
    mpq_init(whole);
    mpq_set_si(whole, from, 1);
    surd_set_rational(to, whole);
    mpq_clear(whole);
}

static bool is_rational(const struct surd_term *term)
{
    return !mpq_cmp_ui(term->under, 1, 1);
}

bool surd_rational(const struct surd *x, mpq_ptr to)
{
    if (x->count > 1 || (x->count && !is_rational(&x->term[0])))
        return false;
    if (x->count)
        mpq_set(to, x->term[0].times);
    else
        mpq_set_ui(to, 0, 1);
    return true;
}

void surd_negate(struct surd *x)
{
    for (unsigned i = 0; i < x->count; i++)
        mpq_neg(x->term[i].times, x->term[i].times);
}

void surd_swap(struct surd *x, struct surd *y)
{
    const struct surd held = *x;
    *x = *y;
    *y = held;
}

// x becomes its root where that is rational.
static bool rational_root(mpq_ptr x)
{
    if (!mpz_perfect_square_p(mpq_numref(x)) || !mpz_perfect_square_p(mpq_denref(x)))
        return false;
    mpz_sqrt(mpq_numref(x), mpq_numref(x));
    mpz_sqrt(mpq_denref(x), mpq_denref(x));
    return true;
}

static void leave_out(struct surd *x, unsigned i)
{
    x->count--;
    mpq_swap(x->term[i].times, x->term[x->count].times);
    mpq_swap(x->term[i].under, x->term[x->count].under);
}

// x = x + times * sqrt(under), of a times that is not 0.
static bool add_term(struct surd *x, mpq_srcptr times, mpq_srcptr under)
{
    mpq_t ratio;
    mpq_init(ratio);
    unsigned i = 0;
    for (; i < x->count; i++) {
        mpq_div(ratio, under, x->term[i].under);
        if (rational_root(ratio))
            break;
    }
    const bool fits = i < SURD_TERMS_MAX;
    if (i < x->count) {
        mpq_mul(ratio, ratio, times);
        mpq_add(x->term[i].times, x->term[i].times, ratio);
        if (!mpq_sgn(x->term[i].times))
            leave_out(x, i);
    } else if (fits) {
        struct surd_term *const term = append(x);
        mpq_set(ratio, under);
        mpq_set(term->times, times);
        mpq_set(term->under, under);
        if (rational_root(ratio)) {
            mpq_mul(term->times, term->times, ratio);
            mpq_set_ui(term->under, 1, 1);
        }
    }
    mpq_clear(ratio);
    return fits;
}

bool surd_add(struct surd *x, const struct surd *y)
{
    bool fits = true;
    for (unsigned i = 0; i < y->count && fits; i++)
        fits = add_term(x, y->term[i].times, y->term[i].under);
    return fits;
}

bool surd_multiply(struct surd *x, const struct surd *y)
{
    struct surd sum;
    mpq_t times, under;
    bool fits = true;
    surd_init(&sum);
    mpq_inits(times, under, (mpq_ptr)0);
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned j = 0; j < y->count && fits; j++) {
            mpq_mul(times, x->term[i].times, y->term[j].times);
            mpq_mul(under, x->term[i].under, y->term[j].under);
            fits = add_term(&sum, times, under);
        }
    surd_swap(x, &sum);
    surd_clear(&sum);
    mpq_clears(times, under, (mpq_ptr)0);
    return fits;
}

// x = x / (times * sqrt(under)) = x / (times * under) * sqrt(under).
static bool divide_by_term(struct surd *x, const struct surd_term *by)
{
    struct surd inverse;
    surd_init(&inverse);
    struct surd_term *const term = append(&inverse);
    mpq_mul(term->times, by->times, by->under);
    mpq_inv(term->times, term->times);
    mpq_set(term->under, by->under);
    const bool fits = surd_multiply(x, &inverse);
    surd_clear(&inverse);
    return fits;
}

bool surd_divide(struct surd *x, const struct surd *y)
{
    if (!y->count || y->count > 2)
        return false;
    if (y->count == 1)
        return divide_by_term(x, &y->term[0]);
    struct surd difference, product;
    surd_init(&difference);
    surd_init(&product);
    surd_set(&difference, y);
    mpq_neg(difference.term[1].times, difference.term[1].times);
    surd_set(&product, y); // of sum and difference: one rational, and not 0
    const bool fits = surd_multiply(&product, &difference) && surd_multiply(x, &difference) &&
                      divide_by_term(x, &product.term[0]);
    surd_clear(&difference);
    surd_clear(&product);
    return fits;
}

bool surd_root(struct surd *x)
{
    mpq_t under, one;
    mpq_inits(under, one, (mpq_ptr)0);
    const bool known = surd_rational(x, under) && mpq_sgn(under) >= 0;
    x->count = 0;
    mpq_set_ui(one, 1, 1);
    if (known && mpq_sgn(under))
        add_term(x, one, under);
    mpq_clears(under, one, (mpq_ptr)0);
    return known;
}

// The square of a term, with its sign.
static void square_of(const struct surd_term *term, mpq_ptr to)
{
    mpq_mul(to, term->times, term->times);
    mpq_mul(to, to, term->under);
    if (mpq_sgn(term->times) < 0)
        mpq_neg(to, to);
}

bool surd_sign(const struct surd *x, int *sign)
{
    if (x->count > 2)
        return false;
    mpq_t sum, square;
    mpq_inits(sum, square, (mpq_ptr)0);
    for (unsigned i = 0; i < x->count; i++) {
        square_of(&x->term[i], square);
        mpq_add(sum, sum, square);
    }
    *sign = mpq_sgn(sum);
    mpq_clears(sum, square, (mpq_ptr)0);
    return true;
}
