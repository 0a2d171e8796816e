// SPDX-License-Identifier: Apache-2.0
// The glance, each form of it: what operands within their errors may give lies within the error of
// the result (MPFR in 300 bits), single operations round as the exact result does, and what it
// cannot tell it says.

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
} forms[] = {
    {ISA_SCALAR, &glance_form_portable},
#if defined(__x86_64__)
    {ISA_AVX2, &glance_form_avx2},
    {ISA_AVX512, &glance_form_avx512},
#elif defined(__aarch64__)
    {ISA_NEON, &glance_form_neon},
#endif
};
enum { FORMS = sizeof forms / sizeof *forms };

static uint64_t seed = 7;

static double draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(seed >> 11) * 0x1p-53 - 0.5) * ldexp(1, (int)(seed >> 3 & 31) - 16);
}

// A run of f32 numbers, exact or with errors of some 2^-20.
struct numbers {
    double value[COUNT], error[COUNT];
    struct glance_run run;
};

static void fill(struct numbers *to, bool exact)
{
    for (size_t i = 0; i < COUNT; i++) {
        to->value[i] = (double)(float)draw();
        to->error[i] = exact ? (double)NAN : fabs(to->value[i]) * 0x1p-20;
    }
    to->run = (struct glance_run){to->value, to->error, exact ? 24 : 0};
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
    mpfr_set_d(a, x->value[i], MPFR_RNDN);
    mpfr_set_d(b, y->value[i], MPFR_RNDN);
    if (!x->run.bits)
        mpfr_add_d(a, a, side_x * x->error[i], MPFR_RNDN);
    if (!y->run.bits)
        mpfr_add_d(b, b, side_y * y->error[i], MPFR_RNDN);
    apply(op, truth, a, b);
    mpfr_sub_d(truth, truth, got->value[i], MPFR_RNDN);
    const bool inside = mpfr_cmpabs_ui(truth, 0) == 0 ||
                        (!got->bits && fabs(mpfr_get_d(truth, MPFR_RNDA)) <= got->error[i]);
    mpfr_clears(a, b, truth, (mpfr_ptr)0);
    return inside;
}

static void words_enclose_what_their_operands_may_give(void **state)
{
    static const enum word_op words[] = {WORD_ADD,    WORD_SUBTRACT, WORD_MULTIPLY,
                                         WORD_SQUARE, WORD_DIVIDE,   WORD_NEGATE,
                                         WORD_ABS,    WORD_LEAST,    WORD_GREATEST};
    struct numbers x, y, to;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            for (unsigned exact = 0; exact < 4 && isa_available(forms[f].isa); exact++) {
                fill(&x, exact & 1);
                fill(&y, exact & 2);
                fill(&to, false);
                for (size_t i = 0; i < COUNT; i += 4) { // equal, one of them less certain
                    struct numbers *const wide = i % 8 ? &x : &y;
                    y.value[i] = x.value[i];
                    y.error[i] = fabs(x.value[i]) * 0x1p-20;
                    wide->error[i] = fabs(x.value[i]) * 0x1p-16;
                }
                const struct glance_run operand[2] = {x.run, y.run};
                assert_true(forms[f].form->word(words[w], COUNT, operand, &to.run));
                for (size_t i = 0; i < COUNT; i++)
                    for (int side = 0; side < 9; side++)
                        if (!encloses(words[w], &x, &y, i, side % 3 - 1, side / 3 - 1, &to.run))
                            fail_msg("%s, word %d: %a %a: %a +- %a", isa_name(forms[f].isa),
                                     (int)words[w], x.value[i], y.value[i], to.value[i],
                                     to.run.bits ? 0 : to.error[i]);
            }
}

static void single_operations_round_as_the_exact_result(void **state)
{
    static const enum word_op words[] = {WORD_ADD, WORD_SUBTRACT, WORD_DIVIDE};
    struct numbers x, y, to;
    float got[COUNT];
    mpfr_t a, b;
    (void)state;
    mpfr_init2(a, BITS);
    mpfr_init2(b, BITS);
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < ROUNDS && isa_available(forms[f].isa); round++) {
            const enum word_op op = words[round % 3];
            fill(&x, true);
            fill(&y, true);
            fill(&to, false);
            for (size_t i = 0; i < COUNT && round % 2; i++) // next to the middle of two floats
                y.value[i] = ldexp(x.value[i], i % 2 ? -24 : -25) * (i % 4 ? 1 : 0x1.000002p0);
            const struct glance_run operand[2] = {x.run, y.run};
            assert_true(forms[f].form->single(op, COUNT, operand, &to.run));
            assert_true(forms[f].form->narrow(COUNT, to.value, got));
            for (size_t i = 0; i < COUNT; i++) {
                mpfr_set_d(a, x.value[i], MPFR_RNDN);
                mpfr_set_d(b, y.value[i], MPFR_RNDN);
                apply(op, a, a, b);
                assert_true(mpfr_get_flt(a, MPFR_RNDN) == got[i]);
            }
        }
    mpfr_clears(a, b, (mpfr_ptr)0);
}

static void sums_and_extremes_hold(void **state)
{
    struct numbers x;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t count = 1; count <= COUNT && isa_available(forms[f].isa); count += 9) {
            struct glance_sum sum = {0};
            mpfr_t truth;
            double most = -(double)INFINITY, got = 0, off = 0;
            fill(&x, count % 2);
            mpfr_init2(truth, BITS);
            mpfr_set_zero(truth, 1);
            for (size_t i = 0; i < count; i++) {
                mpfr_add_d(truth, truth, x.value[i], MPFR_RNDN);
                most = x.value[i] > most ? x.value[i] : most;
                off += x.run.bits ? 0 : x.error[i];
            }
            forms[f].form->sum(count, &x.run, &sum);
            mpfr_sub_d(truth, truth, sum.value, MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(truth, MPFR_RNDA)) <=
                        (1 + GLANCE_DEPTH) * 0x1p-53 * sum.magnitude);
            assert_true(fabs(sum.error - off) <= off * 0x1p-40);
            assert_true(forms[f].form->extreme(1, count, x.value, &got));
            assert_true(got == most);
            mpfr_clear(truth);
        }
}

static void arguments_of_functions_widen_them(void **state)
{
    static const enum num_function functions[] = {NUM_EXP, NUM_EXPM1, NUM_TANH, NUM_LOGISTIC,
                                                  NUM_ERF};
    struct numbers x, to, low, high;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t k = 0; k < 5 && isa_available(forms[f].isa); k++) {
            fill(&x, false);
            for (size_t i = 0; i < COUNT; i++) {
                x.value[i] = fmod(x.value[i], 30);
                x.error[i] = 0x1p-9;
                low.value[i] = x.value[i] - x.error[i];
                high.value[i] = x.value[i] + x.error[i];
            }
            to.run = (struct glance_run){to.value, to.error, 0};
            function_form_portable.estimate(functions[k], COUNT, x.value, to.value, to.error);
            assert_true(forms[f].form->widen(functions[k], COUNT, &x.run, &to.run));
            double at[COUNT], error[COUNT];
            for (int side = 0; side < 2; side++) {
                function_form_portable.estimate(functions[k], COUNT, side ? high.value : low.value,
                                                at, error);
                for (size_t i = 0; i < COUNT; i++)
                    assert_true(fabs(at[i] - to.value[i]) <= to.error[i] + error[i]);
            }
        }
}

static void what_is_not_finite_is_left_to_a_look(void **state)
{
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    struct numbers x, y, to;
    double got;
    float narrowed[COUNT];
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t b = 0; b < 3 && isa_available(forms[f].isa); b++)
            for (size_t at = 0; at < COUNT; at += 17) {
                fill(&x, true);
                fill(&y, true);
                fill(&to, false);
                y.value[at] = bad[b];
                const struct glance_run operand[2] = {x.run, y.run};
                for (enum word_op op = WORD_ADD; op <= WORD_DIVIDE; op++)
                    assert_false(forms[f].form->word(op, COUNT, operand, &to.run));
                assert_false(forms[f].form->word(WORD_GREATEST, COUNT, operand, &to.run));
                assert_false(forms[f].form->single(WORD_DIVIDE, COUNT, operand, &to.run));
                assert_int_equal(forms[f].form->extreme(1, COUNT, y.value, &got), !isnan(bad[b]));
                assert_int_equal(forms[f].form->narrow(COUNT, y.value, narrowed), !isnan(bad[b]));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_enclose_what_their_operands_may_give),
        cmocka_unit_test(single_operations_round_as_the_exact_result),
        cmocka_unit_test(sums_and_extremes_hold),
        cmocka_unit_test(arguments_of_functions_widen_them),
        cmocka_unit_test(what_is_not_finite_is_left_to_a_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
