// SPDX-License-Identifier: Apache-2.0
// A foreign floating-point mode is noticed, put right and given back.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ref/num/environment.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void every_rounding_mode_but_nearest_is_noticed_and_put_right(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    assert_true(num_environment_is_standard());
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct num_environment environment;
        fesetround(modes[i]);
        const bool noticed = !num_environment_is_standard(),
                   entered = !num_environment_enter(&environment, NULL);
        const bool right = num_environment_is_standard();
        num_environment_leave(&environment);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_true(noticed && entered && right);
        assert_int_equal(after, modes[i]);
    }
}

static void flushing_is_noticed_and_put_right(void **state)
{
    (void)state;
#if defined(__x86_64__)
    static const unsigned bits[] = {0x8000, 0x0040,
                                    0x8040}; // flush to zero, denormals are zero, both
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct num_environment environment;
        const unsigned standard = _mm_getcsr();
        _mm_setcsr(standard | bits[i]);
        const bool noticed = !num_environment_is_standard(),
                   entered = !num_environment_enter(&environment, NULL);
        const bool right = num_environment_is_standard();
        num_environment_leave(&environment);
        const unsigned after = _mm_getcsr();
        _mm_setcsr(standard);
        assert_true(noticed && entered && right);
        assert_int_equal(after & 0x8040, bits[i]);
    }
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rounding_mode_but_nearest_is_noticed_and_put_right),
        cmocka_unit_test(flushing_is_noticed_and_put_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
