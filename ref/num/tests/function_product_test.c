// SPDX-License-Identifier: Apache-2.0
// Products of functions, each form of them: what is rounded is what the form's values give, and
// what their error leaves between two floats is left open.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

// (function + 1) times a float or a double is rounded where its error does not matter, and only
// there.
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
            const double relative = round & 1 ? 0x1p-28 : 0, absolute = round & 1 ? 0 : 0x1p-34;
            for (size_t i = 0; i < COUNT; i++) {
                wide_x[i] = (double)(x[i] = draw(3));
                wide_y[i] = (double)(y[i] = draw(64));
            }
            const struct function_product of = {
                functions[round % 3],
                {round & 8 ? wide_x : NULL, x, 0.7071067811865476, -0.0, 2.2},
                round & 2 ? 1 : -0.0,
                round & 4 ? y : NULL,
                wide_y};
            assert_true(forms[f].form->has_product(of.function, COUNT, of.x.largest));
            assert_true(forms[f].form->value(of.function, COUNT, &of.x, of.addend, value));
            const size_t terms = COUNT - round / 16 * 5, // not all are whole steps
                count = forms[f].form->product(terms, &of, relative, absolute, got, open);
            size_t seen = 0;
            open[count] = COUNT;
            for (size_t i = 0; i < terms; i++) {
                const bool is_open = open[seen] == i;
                const double v = value[i] * wide_y[i], e = relative * fabs(v) + absolute,
                             around = (fabs(v) + fabs(wide_y[i])) * least;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_functions_leave_open_what_may_be_two_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
