// SPDX-License-Identifier: Apache-2.0
// The glance, each form of it: what operands within their errors may give lies within the error of
// the result (MPFR in 300 bits) and numbers within their range, single operations round as the
// exact result does, and what it cannot tell it says.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>

#include "ref/base/isa.h"
#include "ref/num/function/function_estimate.h"
#include "ref/op/declared/glance_form.h"

enum { COUNT = 128, BITS = 300, ROUNDS = 40 };

static const struct {
    enum isa isa;
    const struct glance_form *form;
    const struct function_form *functions;
} forms[] = {
    {ISA_SCALAR, &glance_form_portable, &function_form_portable},
#if defined(__x86_64__)
    {ISA_AVX2, &glance_form_avx2, &function_form_avx2},
    {ISA_AVX512, &glance_form_avx512, &function_form_avx512},
#elif defined(__aarch64__)
    {ISA_NEON, &glance_form_neon, &function_form_neon},
#endif
};
enum { FORMS = sizeof forms / sizeof *forms };

static uint64_t seed = 7;

static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(seed >> 11) * 0x1p-53 - 0.5) * ldexp(1, (int)(seed >> 3 & 31) - 16);
}

// A run of f32 numbers of any kind, exact or off by some share and some number.
struct numbers {
    double value[COUNT];
    float single[COUNT];
    struct glance_run run;
};

static void fill(struct numbers *to, enum glance_kind kind, bool exact, bool positive)
{
    for (size_t i = 0; i < COUNT; i++) {
        to->single[i] = (float)(kind == GLANCE_NUMBER && i ? to->value[0] : draw());
        to->single[i] = positive ? fabsf(to->single[i]) : to->single[i];
        to->value[i] = (double)to->single[i];
    }
    to->run = (struct glance_run){.kind = kind,
                                  .number = to->value[0],
                                  .single = to->single,
                                  .value = to->value,
                                  .relative = exact ? 0 : 0x1p-20,
                                  .absolute = exact ? 0 : 0x1p-30,
                                  .bits = exact ? GLANCE_SINGLE_BITS : 0};
    assert_true(glance_form_portable.range(COUNT, to->value, &to->run.low, &to->run.high));
}

static double off(const struct glance_run *of, double value)
{
    return of->bits ? 0 : of->relative * fabs(value) + of->absolute;
}

// The operand's number, moved to one end of what it may be.
static void take_end(mpfr_t to, const struct numbers *of, size_t i, int side)
{
    mpfr_set_d(to, of->value[i], MPFR_RNDN);
    mpfr_add_d(to, to, side * off(&of->run, of->value[i]), MPFR_RNDN);
}

static void apply(enum word_op op, mpfr_t to, mpfr_srcptr x, mpfr_srcptr y)
{
    switch (op) {
    case WORD_ADD:
        mpfr_add(to, x, y, MPFR_RNDN);
        break;
    case WORD_SUBTRACT:
        mpfr_sub(to, x, y, MPFR_RNDN);
        break;
    case WORD_MULTIPLY:
        mpfr_mul(to, x, y, MPFR_RNDN);
        break;
    case WORD_SQUARE:
        mpfr_sqr(to, x, MPFR_RNDN);
        break;
    case WORD_DIVIDE:
        mpfr_div(to, x, y, MPFR_RNDN);
        break;
    case WORD_NEGATE:
        mpfr_neg(to, x, MPFR_RNDN);
        break;
    case WORD_ABS:
        mpfr_abs(to, x, MPFR_RNDN);
        break;
    case WORD_LEAST:
        mpfr_min(to, x, y, MPFR_RNDN);
        break;
    default:
        mpfr_max(to, x, y, MPFR_RNDN);
    }
}

// |truth - value| <= error, for one choice of the operands' ends.
static bool encloses(enum word_op op, const struct numbers *x, const struct numbers *y, size_t i,
                     int side_x, int side_y, const struct glance_run *got)
{
    mpfr_t a, b, truth;
    mpfr_inits2(BITS, a, b, truth, (mpfr_ptr)0);
    take_end(a, x, i, side_x);
    take_end(b, y, i, side_y);
    apply(op, truth, a, b);
    mpfr_sub_d(truth, truth, got->value[i], MPFR_RNDN);
    const bool inside = fabs(mpfr_get_d(truth, MPFR_RNDA)) <= off(got, got->value[i]);
    mpfr_clears(a, b, truth, (mpfr_ptr)0);
    return inside && got->value[i] >= got->low && got->value[i] <= got->high;
}

static void check_word(const struct glance_form *form, enum word_op op, const struct numbers *x,
                       const struct numbers *y)
{
    const struct glance_run *const operand[2] = {&x->run, op == WORD_SQUARE ? &x->run : &y->run};
    struct glance_run got;
    double value[COUNT];
    if (op == WORD_DIVIDE && form->least(COUNT, &y->run) < 0x1p-19) // a divisor that may be 0
        return;
    assert_true(glance_bound(op, operand, form->least(COUNT, &y->run), &got));
    assert_true(form->word(op, COUNT, operand, value));
    got.value = value;
    for (size_t i = 0; i < COUNT; i++)
        for (int side = 0; side < 9; side++)
            if (!encloses(op, x, y, i, side % 3 - 1, side / 3 - 1, &got))
                fail_msg("word %d: %a %a: %a +- %a of %a to %a", (int)op, x->value[i], y->value[i],
                         value[i], off(&got, value[i]), got.low, got.high);
}

static void words_enclose_what_their_operands_may_give(void **state)
{
    static const enum word_op words[] = {WORD_ADD,    WORD_SUBTRACT, WORD_MULTIPLY,
                                         WORD_SQUARE, WORD_DIVIDE,   WORD_NEGATE,
                                         WORD_ABS,    WORD_LEAST,    WORD_GREATEST};
    struct numbers x, y;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            for (unsigned how = 0; how < 72 && isa_available(forms[f].isa); how++) {
                fill(&x, (enum glance_kind)(how % 3), how / 9 & 1, how / 9 & 4);
                fill(&y, (enum glance_kind)(how / 3 % 3), how / 9 & 2, how / 9 & 4);
                check_word(forms[f].form, words[w], &x, &y);
            }
}

static void conditions_hold_where_their_ranges_say(void **state)
{
    static const enum word_op words[] = {WORD_LESS, WORD_LESS_EQUAL, WORD_EQUAL, WORD_NOT_EQUAL,
                                         WORD_AND,  WORD_OR,         WORD_NOT};
    struct numbers x, y;
    struct glance_run got;
    double value[COUNT];
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < ROUNDS && isa_available(forms[f].isa); round++)
            for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
                fill(&x, (enum glance_kind)(round % 3), true, round & 1);
                fill(&y, (enum glance_kind)(round / 3 % 3), true, false);
                for (size_t i = 0; i < COUNT && round & 2; i++)
                    y.value[i] = y.single[i] = i % 3 ? x.single[i] : 0;
                y.run.number = y.value[0];
                forms[f].form->range(COUNT, y.value, &y.run.low, &y.run.high);
                const struct glance_run *const operand[2] = {&x.run, &y.run};
                assert_true(glance_bound(words[w], operand, 0, &got));
                assert_true(forms[f].form->word(words[w], COUNT, operand, value));
                for (size_t i = 0; i < COUNT; i++) {
                    const double a = x.value[i],
                                 b = y.run.kind == GLANCE_NUMBER ? y.value[0] : y.value[i];
                    const bool expected[] = {
                        a < b, a <= b, a == b, a != b, a != 0 && b != 0, a != 0 || b != 0, a == 0};
                    assert_true(value[i] == expected[w]);
                    assert_true(value[i] >= got.low && value[i] <= got.high);
                }
            }
}

static void single_operations_round_as_the_exact_result(void **state)
{
    static const enum word_op words[] = {WORD_ADD, WORD_SUBTRACT, WORD_MULTIPLY, WORD_DIVIDE};
    struct numbers x, y;
    float got[COUNT];
    mpfr_t a, b;
    (void)state;
    mpfr_init2(a, BITS);
    mpfr_init2(b, BITS);
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < ROUNDS && isa_available(forms[f].isa); round++) {
            const enum word_op op = words[round % 4];
            fill(&x, (enum glance_kind)(round % 3), true, false);
            fill(&y, GLANCE_DOUBLES, true, false);
            for (size_t i = 0; i < COUNT && round & 4; i++) // next to the middle of two floats
                y.value[i] = ldexp(x.value[i], i % 2 ? -24 : -25) * (i % 4 ? 1 : 0x1.000002p0);
            const struct glance_run *const operand[2] = {&x.run, &y.run};
            assert_true(forms[f].form->single(op, COUNT, operand, got));
            for (size_t i = 0; i < COUNT; i++) {
                mpfr_set_d(a, x.value[i], MPFR_RNDN);
                mpfr_set_d(b, (double)(float)y.value[i], MPFR_RNDN);
                apply(op, a, a, b);
                assert_true(mpfr_get_flt(a, MPFR_RNDN) == got[i]);
            }
        }
    mpfr_clears(a, b, (mpfr_ptr)0);
}

static void rounding_leaves_open_what_may_be_two_numbers(void **state)
{
    struct numbers x;
    float got[COUNT];
    uint16_t open[COUNT];
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < ROUNDS && isa_available(forms[f].isa); round++) {
            fill(&x, GLANCE_DOUBLES, false, false);
            x.run.relative = round % 2 ? 0x1p-30 : 0;
            x.run.absolute = round % 2 ? 0 : 0x1p-44;
            x.run.zeros = round & 2;
            for (size_t i = 0; i < COUNT; i++)
                x.value[i] = i % 5 == 0 ? 0 : x.value[i] * (1 + ldexp(draw(), -20 - (int)(i % 8)));
            const size_t count = forms[f].form->round(COUNT, &x.run, got, open);
            size_t expected = 0;
            for (size_t i = 0; i < COUNT; i++) {
                const double e =
                    off(&x.run, x.value[i]) * (1 + 0x1p-20) + fabs(x.value[i]) * 0x1p-50;
                const bool sure =
                    (float)(x.value[i] - e) == (float)(x.value[i] + e) && fabs(x.value[i]) > e;
                const bool is_open = expected < count && open[expected] == i;
                expected += is_open;
                assert_true(is_open || got[i] == (float)x.value[i]);
                assert_true(!is_open || !sure);
                assert_true(is_open || x.value[i] != 0 || x.run.zeros);
                if (!is_open && x.value[i] != 0) {
                    const double least = off(&x.run, x.value[i]);
                    assert_true((float)(x.value[i] - least) == (float)(x.value[i] + least));
                }
            }
            assert_int_equal(expected, count);
        }
}

// x y + z in MPFR.
static void take_product(mpfr_t to, const struct numbers *of, size_t i)
{
    mpfr_set_d(to, glance_number_at(&of[0].run, i), MPFR_RNDN);
    mpfr_mul_d(to, to, glance_number_at(&of[1].run, i), MPFR_RNDN);
    mpfr_add_d(to, to, glance_number_at(&of[2].run, i), MPFR_RNDN);
}

// The float that x y + z rounds to where all that it may be does; NAN: there are two.
static float rounded_product(const struct numbers *of, size_t i, const struct glance_run *product)
{
    mpfr_t truth, end;
    float ends[2];
    mpfr_inits2(BITS, truth, end, (mpfr_ptr)0);
    take_product(truth, of, i);
    for (int side = 0; side < 2; side++) {
        const double error = off(product, mpfr_get_d(truth, MPFR_RNDN)) * (1 - 0x1p-20);
        mpfr_add_d(end, truth, side ? error : -error, MPFR_RNDN);
        ends[side] = mpfr_get_flt(end, MPFR_RNDN);
    }
    mpfr_clears(truth, end, (mpfr_ptr)0);
    return ends[0] == ends[1] ? ends[0] : NAN;
}

// A run of x y + z whose parts have these kinds; `tied`: sums next to the middle of two floats.
static void fill_product(struct numbers *of, const unsigned *kind, bool tied,
                         struct glance_run *product)
{
    for (unsigned p = 0; p < 3; p++)
        fill(&of[p], (enum glance_kind)kind[p], true, false);
    for (size_t i = 0; i < COUNT && tied && kind[2] != GLANCE_NUMBER; i++) {
        const double x =
            glance_number_at(&of[0].run, i) * glance_number_at(&of[1].run, i) * (1 + 0x1p-24);
        of[2].single[i] = (float)((double)(float)x - x + (double)(float)x * 0x1p-25);
        of[2].value[i] = (double)of[2].single[i];
    }
    *product = (struct glance_run){.kind = GLANCE_PRODUCT,
                                   .part = {&of[0].run, &of[1].run, &of[2].run},
                                   .relative = 0x1p-52,
                                   .absolute = 0x1p-1000};
}

static void products_round_as_their_exact_sums(void **state)
{
    struct numbers of[3];
    struct glance_run product;
    float got[COUNT];
    uint16_t open[COUNT + 1];
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < 54 && isa_available(forms[f].isa); round++) {
            const unsigned kind[3] = {round % 3, round / 3 % 3, round / 9 % 3};
            const size_t bad = round % COUNT;
            fill_product(of, kind, round >= 27, &product);
            if (kind[0] != GLANCE_NUMBER && round % 4 == 3)
                of[0].value[bad] = of[0].single[bad] = round % 8 == 3 ? NAN : INFINITY;
            product.relative = round % 2 ? 0x1p-52 : 0x1p-30;
            const size_t count = forms[f].form->round(COUNT, &product, got, open);
            size_t seen = 0;
            open[count] = COUNT;
            for (size_t i = 0; i < COUNT; i++) {
                const bool is_open = open[seen] == i,
                           finite = isfinite(glance_number_at(&of[0].run, i));
                const float expected = finite ? rounded_product(of, i, &product) : NAN;
                seen += is_open;
                assert_true(finite || is_open);
                assert_true(is_open || got[i] == expected);
            }
            assert_int_equal(seen, count);
            assert_true(count < COUNT / 2);
        }
}

// Also next to the middle of two floats, where two roundings would go the other way.
static void products_and_sums_of_floats_round_once(void **state)
{
    struct numbers of[3];
    struct glance_run product;
    float got[COUNT];
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0;
             round < 16 && forms[f].form->fused_single && isa_available(forms[f].isa); round++) {
            const unsigned kind[3] = {round & 1, round >> 1 & 1, round >> 2 & 1};
            fill_product(of, kind, round & 8, &product);
            product.relative = product.absolute = 0;
            const struct glance_run *const operand[3] = {&of[0].run, &of[1].run, &of[2].run};
            assert_true(forms[f].form->fused_single(COUNT, operand, got));
            for (size_t i = 0; i < COUNT; i++)
                assert_true(got[i] == rounded_product(of, i, &product));
            of[2].single[round * 7 % COUNT] = round % 2 ? NAN : INFINITY;
            if (kind[2] == GLANCE_SINGLES)
                assert_false(forms[f].form->fused_single(COUNT, operand, got));
        }
}

// What one loop makes of an argument, a function and a number is what three make.
static void functions_of_a_product_or_a_sum_are_those_of_its_value(void **state)
{
    static const enum num_function functions[] = {NUM_EXP, NUM_EXPM1, NUM_TANH,    NUM_SIN,
                                                  NUM_COS, NUM_ERF,   NUM_LOGISTIC};
    struct numbers x;
    double argument[COUNT], alone[COUNT], together[COUNT];
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < 28 && isa_available(forms[f].isa); round++) {
            const enum num_function function = functions[round % 7];
            fill(&x, GLANCE_SINGLES, true, false);
            for (size_t i = 0; i < COUNT; i++)
                x.value[i] = x.single[i] = (float)fmod(x.value[i], round & 1 ? 2 : 30);
            const double factor = round & 2 ? 0.7071067811865476 : 1,
                         shift = round & 2 ? -0.0 : -1.5, added = round & 1 ? 1 : -0.0;
            for (size_t i = 0; i < COUNT; i++)
                argument[i] = x.value[i] * factor + shift;
            const double largest = round & 1 ? 4 : 32;
            const struct function_argument plain = {argument, NULL, 1, -0.0, largest},
                                           single = {NULL, x.single, factor, shift, largest},
                                           wide = {x.value, NULL, factor, shift, largest};
            assert_true(forms[f].functions->value(function, COUNT, &plain, -0.0, alone));
            assert_true(forms[f].functions->value(function, COUNT, &single, added, together));
            for (size_t i = 0; i < COUNT; i++)
                assert_true(alone[i] + added == together[i]);
            assert_true(forms[f].functions->value(function, COUNT, &wide, added, together));
            for (size_t i = 0; i < COUNT; i++)
                assert_true(alone[i] + added == together[i]);
        }
}

// Sums of products: |sum - value| within what a run's additions may lose.
static void sums_of_products_hold(void **state)
{
    struct numbers x, y;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < ROUNDS && isa_available(forms[f].isa); round++) {
            struct glance_sum sum = {0};
            const struct numbers *const other = round % 2 ? &y : &x;
            const struct numbers zero = {.run = {.kind = GLANCE_NUMBER, .number = -0.0}};
            mpfr_t truth, term;
            mpfr_inits2(BITS, truth, term, (mpfr_ptr)0);
            mpfr_set_zero(truth, 1);
            fill(&x, GLANCE_SINGLES, true, false);
            fill(&y, GLANCE_SINGLES, true, false);
            const struct numbers parts[3] = {x, *other, zero};
            const struct glance_run product = {.kind = GLANCE_PRODUCT,
                                               .part = {&x.run, &other->run, &zero.run},
                                               .low = other == &x ? 0 : -0x1p256,
                                               .high = 0x1p256,
                                               .bits = 48};
            for (size_t i = 0; i < COUNT; i++) {
                take_product(term, parts, i);
                mpfr_add(truth, truth, term, MPFR_RNDN);
            }
            forms[f].form->sum(COUNT, &product, &sum);
            mpfr_sub_d(truth, truth, sum.value, MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(truth, MPFR_RNDA)) <=
                        (1 + GLANCE_DEPTH) * 0x1p-53 * sum.magnitude);
            x.single[round] = NAN;
            forms[f].form->sum(COUNT, &product, &sum);
            assert_true(!isfinite(sum.value));
            mpfr_clears(truth, term, (mpfr_ptr)0);
        }
}

static void sums_and_ranges_hold(void **state)
{
    struct numbers x;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t count = 1; count <= COUNT && isa_available(forms[f].isa); count++) {
            const struct glance_form *const form = forms[f].form;
            struct glance_sum sum = {0};
            mpfr_t truth;
            double most = -(double)INFINITY, least = (double)INFINITY, magnitude = least, low, high;
            fill(&x, count % GLANCE_STEP ? GLANCE_DOUBLES : GLANCE_SINGLES, true, count & 2);
            mpfr_init2(truth, BITS);
            mpfr_set_zero(truth, 1);
            for (size_t i = 0; i < count; i++) {
                mpfr_add_d(truth, truth, x.value[i], MPFR_RNDN);
                most = fmax(most, x.value[i]);
                least = fmin(least, x.value[i]);
                magnitude = fmin(magnitude, fabs(x.value[i]));
            }
            form->sum(count, &x.run, &sum);
            mpfr_sub_d(truth, truth, sum.value, MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(truth, MPFR_RNDA)) <=
                        (1 + GLANCE_DEPTH) * 0x1p-53 * sum.magnitude);
            assert_true(form->range(count, x.value, &low, &high));
            assert_true(low == least && high == most);
            assert_true(form->range_singles(count, x.single, &low, &high));
            assert_true(low == least && high == most);
            if (count % GLANCE_STEP == 0)
                assert_true(form->least(count, &x.run) == magnitude);
            mpfr_clear(truth);
        }
}

// Arguments of both signs and of one, within what the function takes.
static void fill_arguments(struct numbers *to, enum num_function function, unsigned round)
{
    const bool positive = function == NUM_LOG || round % 3 == 1;
    fill(to, GLANCE_DOUBLES, false, positive);
    for (size_t i = 0; i < COUNT; i++) {
        to->value[i] =
            function == NUM_LOG ? 0x1p-3 + fmod(to->value[i], 30) : fmod(to->value[i], 30);
        if (function == NUM_LOG1P && !positive)
            to->value[i] = fmod(to->value[i], 0x1.cp-1);
        if (round % 3 == 2 && function != NUM_LOG)
            to->value[i] = -fabs(to->value[i]);
    }
    to->run.relative = round & 1 ? 0x1p-16 : 0;
    to->run.absolute = round & 2 ? 0x1p-17 : 0x1p-60;
    glance_form_portable.range(COUNT, to->value, &to->run.low, &to->run.high);
}

static void check_function(const struct function_form *form, enum num_function function,
                           const struct numbers *x)
{
    double value[COUNT], moved[COUNT], at[COUNT], error[COUNT];
    struct glance_run got;
    const double largest = fmax(fabs(x->run.low), fabs(x->run.high));
    const struct function_claim claim = form->claim(function, largest);
    const struct function_argument argument = {x->value, NULL, 1, -0.0, largest};
    assert_true(glance_knows(function, &x->run));
    assert_true(form->value(function, COUNT, &argument, -0.0, value));
    assert_true(glance_bound_function(function, &x->run, claim.relative, claim.additional, &got));
    for (int side = -1; side < 2; side += 2) {
        for (size_t i = 0; i < COUNT; i++)
            moved[i] = x->value[i] + side * off(&x->run, x->value[i]);
        function_form_portable.estimate(function, COUNT, moved, at, error);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(fabs(at[i] - value[i]) <= off(&got, value[i]) + error[i]);
            assert_true(value[i] >= got.low && value[i] <= got.high);
        }
    }
}

static void arguments_of_functions_widen_them(void **state)
{
    static const enum num_function functions[] = {
        NUM_EXP, NUM_EXPM1, NUM_LOG, NUM_LOG1P, NUM_TANH, NUM_SIN, NUM_COS, NUM_ERF, NUM_LOGISTIC};
    struct numbers x;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            for (unsigned round = 0; round < 12 && isa_available(forms[f].isa); round++) {
                fill_arguments(&x, functions[k], round);
                check_function(forms[f].functions, functions[k], &x);
            }
}

static void extremes_say_where_zeros_are_exact(void **state)
{
    static const struct glance_run zero = {.kind = GLANCE_NUMBER, .bits = 1};
    struct numbers x;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t at = 0; at < COUNT && isa_available(forms[f].isa); at += 13) {
            const struct glance_run *const operand[2] = {&x.run, &zero};
            fill(&x, GLANCE_DOUBLES, false, false);
            for (size_t i = 0; i < COUNT; i++)
                x.value[i] += x.value[i] < 0 ? -1 : 1;
            assert_true(forms[f].form->apart(1, 0x1p-10, COUNT, operand));
            x.value[at] = 0x1p-11;
            assert_false(forms[f].form->apart(1, 0x1p-10, COUNT, operand));
            assert_true(forms[f].form->apart(1, 0x1p-12, COUNT, operand));
        }
}

static void what_is_not_finite_is_left_to_a_look(void **state)
{
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    struct numbers x, y;
    double low, high;
    float got[COUNT];
    struct glance_run to;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t b = 0; b < 3 && isa_available(forms[f].isa); b++) {
            const struct glance_run number = glance_number(bad[b], 0);
            for (size_t at = 0; at < COUNT; at += 17) {
                fill(&x, GLANCE_SINGLES, true, false);
                fill(&y, GLANCE_SINGLES, true, false);
                y.value[at] = y.single[at] = (float)bad[b];
                const struct glance_run *const operand[2] = {&y.run, &x.run};
                assert_false(forms[f].form->range(COUNT, y.value, &low, &high));
                assert_false(forms[f].form->range_singles(COUNT, y.single, &low, &high));
                assert_false(forms[f].form->single(WORD_ADD, COUNT, operand, got));
                assert_false(forms[f].form->single(WORD_DIVIDE, COUNT, operand, got));
                const struct glance_run *const with[2] = {&x.run, &number};
                for (enum word_op op = WORD_ADD; op <= WORD_DIVIDE; op++)
                    assert_false(glance_bound(op, with, (double)INFINITY, &to));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_enclose_what_their_operands_may_give),
        cmocka_unit_test(conditions_hold_where_their_ranges_say),
        cmocka_unit_test(single_operations_round_as_the_exact_result),
        cmocka_unit_test(rounding_leaves_open_what_may_be_two_numbers),
        cmocka_unit_test(products_round_as_their_exact_sums),
        cmocka_unit_test(products_and_sums_of_floats_round_once),
        cmocka_unit_test(functions_of_a_product_or_a_sum_are_those_of_its_value),
        cmocka_unit_test(sums_of_products_hold),
        cmocka_unit_test(sums_and_ranges_hold),
        cmocka_unit_test(arguments_of_functions_widen_them),
        cmocka_unit_test(extremes_say_where_zeros_are_exact),
        cmocka_unit_test(what_is_not_finite_is_left_to_a_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
