// SPDX-License-Identifier: Apache-2.0
// Bits shown as numbers, against the extreme values that IEEE 754, the bfloat16 and the OCP 8-bit
// formats publish.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reports/value.h"

static void extreme_values_are_written_as_published(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        uint64_t bits;
        const char *text;
    } rows[] = {
        {DTYPE_F16, 0x7bff, "65504"},
        {DTYPE_F16, 0x0001, "5.9605e-08"},
        {DTYPE_F16, 0x7c00, "inf"},
        {DTYPE_F16, 0xfe00, "nan"},
        {DTYPE_BF16, 0x7f7f, "3.39e+38"},
        {DTYPE_F32, 0x7f7fffff, "3.4028235e+38"},
        {DTYPE_F32, 0x00000001, "1e-45"},
        {DTYPE_F32, 0x80000000, "-0"},
        {DTYPE_F32, 0x3dcccccd, "0.1"},
        {DTYPE_F64, 0x7fefffffffffffff, "1.7976931348623157e+308"},
        {DTYPE_F64, 0x3fb999999999999a, "0.1"},
        {DTYPE_F8E4M3, 0x7e, "448"},
        {DTYPE_F8E4M3, 0x7f, "nan"},
        {DTYPE_F8E5M2, 0x7b, "57344"},
        {DTYPE_F8E5M2, 0xfc, "-inf"},
        {DTYPE_F8E4M3FNUZ, 0x7f, "240"},
        {DTYPE_F8E4M3FNUZ, 0x80, "nan"},
        {DTYPE_F8E4M3FNUZ, 0x81, "-0.00097656"},
        {DTYPE_F8E5M2FNUZ, 0xff, "-57344"},
        {DTYPE_F8E8M0, 0x00, "5.8775e-39"},
        {DTYPE_F8E8M0, 0x80, "2"},
        {DTYPE_F8E8M0, 0xff, "nan"},
        {DTYPE_F4E2M1, 0x7, "6"},
        {DTYPE_F4E2M1, 0x9, "-0.5"},
        {DTYPE_I4, 0x8, "-8"},
        {DTYPE_U4, 0xf, "15"},
        {DTYPE_I2, 0x3, "-1"},
        {DTYPE_I8, 0x80, "-128"},
        {DTYPE_I64, 0x8000000000000000, "-9223372036854775808"},
        {DTYPE_U64, 0xffffffffffffffff, "18446744073709551615"},
        {DTYPE_BOOL, 1, "true"},
        {DTYPE_BOOL, 2, "neither 0 nor 1"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[VALUE_TEXT_SIZE];
        value_write(rows[i].dtype, rows[i].bits, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void neighbours_are_one_step_apart(void **state)
{
    (void)state;
    int64_t steps;
    assert_true(value_steps(DTYPE_F32, 0x3f800000, 0x3f7fffff, &steps));
    assert_int_equal(steps, -1);
    assert_true(value_steps(DTYPE_F32, 0x80000001, 0x00000001, &steps));
    assert_int_equal(steps, 2);
    assert_true(value_steps(DTYPE_F32, 0x80000000, 0x00000000, &steps));
    assert_int_equal(steps, 0);
    assert_false(value_steps(DTYPE_F16, 0x7e00, 0x3c00, &steps));
    assert_true(value_steps(DTYPE_I32, 0x00000001, 0xffffffff, &steps));
    assert_int_equal(steps, -2);
    assert_true(value_steps(DTYPE_U32, 0x00000000, 0xffffffff, &steps));
    assert_int_equal(steps, 4294967295);
}

static void digits_must_be_those_of_the_dtype(void **state)
{
    (void)state;
    uint64_t bits;
    assert_true(value_parse(DTYPE_F32, "3f337cd6", &bits));
    assert_int_equal(bits, 0x3f337cd6);
    assert_false(value_parse(DTYPE_F32, "3f33", &bits));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extreme_values_are_written_as_published),
        cmocka_unit_test(neighbours_are_one_step_apart),
        cmocka_unit_test(digits_must_be_those_of_the_dtype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
