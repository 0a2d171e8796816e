// SPDX-License-Identifier: Apache-2.0
// Products of functions, each form of them: what is rounded is what the form's values give, and
// what their error leaves between two floats is left open.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>

#include "ref/num/tests/function_forms.h"

enum { COUNT = 128 };

static uint64_t seed = 11;

// A number of f32 between -limit and limit, of any magnitude down to 2^-12 of it.
static float draw(double limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(((double)(seed >> 11) * 0x1p-52 - 1) * limit *
                   ldexp(1, -(int)(seed >> 3 & 3) * 4));
}

// Whether all that is within `error` of the value rounds to one float that is not 0.
static bool is_sure(double value, double error)
{
    return (float)(value - error) == (float)(value + error) && fabs(value) > error;
}

// (function + 1) times a float, perhaps times a number, or a double is rounded where its error does
// not matter, and only there.
static void products_of_functions_leave_open_what_may_be_two_numbers(void **state)
{
    static const enum num_function functions[] = {NUM_ERF, NUM_TANH, NUM_LOGISTIC};
    static const double least = 0x1p-50; // two products and a sum rounded, or fewer
    static float x[COUNT], y[COUNT];
    static double wide_x[COUNT], wide_y[COUNT], value[COUNT];
    float got[COUNT];
    uint16_t open[COUNT + 1];
    size_t all = 0;
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned round = 0; round < 48 && isa_available(forms[f].isa); round++) {
            const struct function_product of = {
                .function = functions[round % 3],
                .x = {round & 8 ? wide_x : NULL, x, 0.7071067811865476, -0.0, 2.2},
                .addend = round & 2 || round % 3 == 0 ? 1 : 0,
                .relative = round & 1 ? 0x1p-28 : 0x1p-50,
                .absolute = round & 1 ? 0x1p-60 : 0x1p-34,
                .single = round & 4 ? y : NULL,
                .value = wide_y,
                .times = round & 8 ? 0.5 : -3};
            for (size_t i = 0; i < COUNT; i++) {
                wide_x[i] = (double)(x[i] = draw(3));
                if (of.addend == 0) // nothing is negative
                    wide_x[i] = (double)(x[i] = fabsf(x[i]));
                wide_y[i] = (double)(y[i] = draw(64));
            }
            assert_true(forms[f].form->has_product(COUNT, &of));
            assert_true(forms[f].form->value(of.function, COUNT, &of.x, of.addend, value));
            const size_t terms = COUNT - round / 16 * 5, // not all are whole steps
                count = forms[f].form->product(terms, &of, got, open);
            size_t seen = 0;
            open[count] = COUNT;
            for (size_t i = 0; i < terms; i++) {
                const bool is_open = open[seen] == i;
                const double times = wide_y[i] * (of.single ? of.times : 1), v = value[i] * times,
                             e = of.relative * fabs(v) + of.absolute * fabs(times),
                             around = (fabs(v) + fabs(times)) * least;
                seen += is_open;
                assert_true(!is_open || !is_sure(v, e + around));
                assert_true(is_open || is_sure(v, e > around ? e - around : 0));
                assert_true(is_open || got[i] == (float)v);
            }
            assert_int_equal(seen, count);
            all += count;
        }
    assert_true(all > COUNT / 4);
}

// Factors whose products with `s` lie next to the middle of two floats.
static void find_factors(double s, size_t count, float *to)
{
    for (size_t found = 0; found < count;) {
        const float times = 0.5f + fabsf(draw(0.5f));
        int power;
        const double at = frexp(s * (double)times, &power) * 0x1p24, middle = at - floor(at) - 0.5;
        to[found] = times;
        found += fabs(middle) < 0x1p-15;
    }
}

// (erf + 1) times a float: what is not left open has the bits of MPFR, also where the product is so
// near the middle of two floats that an error beyond what is claimed would show.
static void products_of_erf_round_as_exact_ones_next_to_the_middle(void **state)
{
    enum { FACTORS = 16, ROUNDS = 20 };
    static double x[COUNT];
    static float times[COUNT], got[COUNT];
    mpfr_t sum[COUNT], y;
    (void)state;
    mpfr_init2(y, 300);
    for (size_t i = 0; i < COUNT; i++)
        mpfr_init2(sum[i], 200);
    const struct function_product of = {.function = NUM_ERF,
                                        .x = {x, NULL, 1, -0.0, 3},
                                        .addend = 1,
                                        .relative = 0x1p-50,
                                        .absolute = 0x1p-47,
                                        .single = times,
                                        .times = 1};
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            if (i % FACTORS) {
                x[i] = x[i - 1];
                mpfr_set(sum[i], sum[i - 1], MPFR_RNDN);
                continue;
            }
            x[i] = (double)draw(3);
            mpfr_set_d(y, x[i], MPFR_RNDN);
            mpfr_erf(y, y, MPFR_RNDN);
            mpfr_add_ui(sum[i], y, 1, MPFR_RNDN);
            find_factors(mpfr_get_d(sum[i], MPFR_RNDN), FACTORS, times + i);
        }
        for (size_t f = 0; f < FORMS; f++) {
            uint16_t open[COUNT + 1];
            if (!isa_available(forms[f].isa))
                continue;
            const size_t count = forms[f].form->product(COUNT, &of, got, open);
            assert_true(count < COUNT / 2);
            open[count] = COUNT;
            for (size_t i = 0, seen = 0; i < COUNT; i++) {
                mpfr_mul_d(y, sum[i], (double)times[i], MPFR_RNDN);
                if (open[seen] == i)
                    seen++;
                else
                    assert_true(got[i] == mpfr_get_flt(y, MPFR_RNDN));
            }
        }
    }
    for (size_t i = 0; i < COUNT; i++)
        mpfr_clear(sum[i]);
    mpfr_clear(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_functions_leave_open_what_may_be_two_numbers),
        cmocka_unit_test(products_of_erf_round_as_exact_ones_next_to_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
