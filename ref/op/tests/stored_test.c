// SPDX-License-Identifier: Apache-2.0
// Intervals of ulps, held against the C library's nextafter.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/op/stored.h"

// `steps` neighbours of `value` towards `to`, not beyond the largest finite number.
static float step_f32(float value, unsigned steps, float to)
{
    while (steps--) {
        const float next = nextafterf(value, to);
        value = isinf(next) ? value : next;
    }
    return value;
}

static void ulps_of_f32_are_neighbours(void **state)
{
    (void)state;
    static const float values[] = {0.0F,      -0.0F,     1.0F,    -1.0F,    1.5e-45F, -1.5e-45F,
                                   0x1p-126F, 0x1.8p10F, 3.4e38F, -3.4e38F, 0.1F,     2.0F};
    enum { COUNT = sizeof values / sizeof *values };
    for (unsigned ulps = 1; ulps <= 9; ulps += 2) {
        float lower[COUNT], upper[COUNT];
        stored_ulps(DTYPE_F32, ulps, values, COUNT, lower, upper);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(lower[i] == step_f32(values[i], ulps, -(float)INFINITY));
            assert_true(upper[i] == step_f32(values[i], ulps, (float)INFINITY));
        }
    }
}

static void the_largest_stay_finite(void **state)
{
    (void)state;
    const double values[] = {1.7976931348623157e308, -1.7976931348623157e308};
    double lower[2], upper[2];
    stored_ulps(DTYPE_F64, 3, values, 2, lower, upper);
    assert_true(upper[0] == values[0] && lower[1] == values[1]);
    assert_true(lower[0] == nextafter(nextafter(nextafter(values[0], 0), 0), 0));
    const uint8_t small[] = {0x7e, 0xfe}; // 448 and -448, beside which e4m3 has NaN
    uint8_t low[2], high[2];
    stored_ulps(DTYPE_F8E4M3, 1, small, 2, low, high);
    assert_true(low[0] == 0x7d && high[0] == 0x7e && low[1] == 0xfe && high[1] == 0xfd);
}

static void what_is_not_finite_is_met_by_itself(void **state)
{
    (void)state;
    const float values[] = {(float)INFINITY, -(float)INFINITY, (float)NAN};
    float lower[3], upper[3];
    stored_ulps(DTYPE_F32, 5, values, 3, lower, upper);
    assert_memory_equal(lower, values, sizeof values);
    assert_memory_equal(upper, values, sizeof values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ulps_of_f32_are_neighbours),
        cmocka_unit_test(the_largest_stay_finite),
        cmocka_unit_test(what_is_not_finite_is_met_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
