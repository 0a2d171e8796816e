// SPDX-License-Identifier: Apache-2.0
// Numbers as text, against the C library's correctly rounded conversions and against spellings
// whose bits are published.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"
#include "ref/num/text.h"

static void texts_become_the_bits_they_name(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        const char *text;
        uint64_t bits;
    } row[] = {
        {DTYPE_F32, "0.7011236", 0x3f337cd6},
        {DTYPE_F32, "1", 0x3f800000},
        {DTYPE_F32, "-0", 0x80000000},
        {DTYPE_F32, "+.5", 0x3f000000},
        {DTYPE_F32, "5.e-1", 0x3f000000},
        {DTYPE_F32, "0x1.8p3", 0x41400000},
        {DTYPE_F32, "1e-46", 0},
        {DTYPE_F32, "-1e-99999999999999999999", 0x80000000},
        {DTYPE_F32, "1e99999999999999999999", 0x7f800000},
        {DTYPE_F32, "3.4028236e38", 0x7f800000},
        {DTYPE_F32, "1.00000005960464477539062500", 0x3f800000}, // halfway: even
        {DTYPE_F32, "1.00000005960464477539062500000000000000000000000000000000000000000001",
         0x3f800001},
        {DTYPE_F32, "7.006492321624085354618e-46", 0}, // half of the least subnormal
        {DTYPE_F32, "7.006492321624085354619e-46", 1},
        {DTYPE_F64, "2.2250738585072011e-308", 0x000fffffffffffff}, // the number that once hung PHP
        {DTYPE_F64, "1.7976931348623159e308", 0x7ff0000000000000},
        {DTYPE_F16, "65519.999", 0x7bff},
        {DTYPE_F16, "inf", 0x7c00},
        {DTYPE_BF16, "-inf", 0xff80},
        {DTYPE_BF16, "nan", 0x7fc0},
        {DTYPE_F8E4M3, "448", 0x7e},
        {DTYPE_I32, "-2147483648", 0x80000000},
        {DTYPE_U64, "18446744073709551615", UINT64_MAX},
        {DTYPE_I64, "0x7fffffffffffffff", INT64_MAX},
        {DTYPE_I8, "-0x80", 0x80},
        {DTYPE_U8, "0", 0},
        {DTYPE_I32, "-0", 0},
        {DTYPE_BOOL, "true", 1},
        {DTYPE_BOOL, "false", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t bits = 0;
        struct diagnostic diagnostic;
        if (num_parse(row[i].dtype, row[i].text, strlen(row[i].text), &bits, &diagnostic) !=
            ERROR_NONE)
            fail_msg("%s", diagnostic.text);
        if (bits != row[i].bits)
            fail_msg("%s %s: got %llx", dtype_name(row[i].dtype), row[i].text,
                     (unsigned long long)bits);
    }
}

static void what_is_not_a_number_of_the_dtype_is_refused(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        const char *text;
    } row[] = {
        {DTYPE_I32, "3.0"},         {DTYPE_I32, "1e3"},    {DTYPE_I32, "2147483648"},
        {DTYPE_I32, "-2147483649"}, {DTYPE_I32, ""},       {DTYPE_I32, "0x"},
        {DTYPE_I32, "12 "},         {DTYPE_I32, "007"},    {DTYPE_I32, "0xffffffff"},
        {DTYPE_U8, "-1"},           {DTYPE_U8, "256"},     {DTYPE_U64, "18446744073709551616"},
        {DTYPE_U8, "true"},         {DTYPE_F32, ""},       {DTYPE_F32, "."},
        {DTYPE_F32, "1e"},          {DTYPE_F32, "1.2.3"},  {DTYPE_F32, "0x"},
        {DTYPE_F32, "1f"},          {DTYPE_F32, "NaN"},    {DTYPE_F32, ".inf"},
        {DTYPE_F32, "infinity"},    {DTYPE_F32, " 1"},     {DTYPE_F32, "1_000"},
        {DTYPE_F32, "0x1e+3"},      {DTYPE_F8E4M3, "inf"}, {DTYPE_F8E4M3, "1000"},
        {DTYPE_BOOL, "1"},          {DTYPE_BOOL, "True"},  {DTYPE_F32, "1,5"},
        {DTYPE_F8E4M3FNUZ, "inf"},  {DTYPE_F8E8M0, "0"},   {DTYPE_F8E4M3FNUZ, "248"},
        {DTYPE_F8E8M0, "-2"},       {DTYPE_F4E2M1, "nan"}, {DTYPE_F4E2M1, "7"},
        {DTYPE_F4E2M1, "-inf"},     {DTYPE_I4, "8"},       {DTYPE_U4, "16"},
        {DTYPE_I2, "-3"},           {DTYPE_U2, "4"},       {DTYPE_NONE, "1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t bits = 0xabcdef;
        struct diagnostic diagnostic = {0};
        assert_int_not_equal(
            num_parse(row[i].dtype, row[i].text, strlen(row[i].text), &bits, &diagnostic),
            ERROR_NONE);
        assert_int_equal(bits, 0xabcdef);
        assert_true(row[i].dtype == DTYPE_NONE || strstr(diagnostic.text, row[i].text));
        assert_non_null(strstr(diagnostic.text, dtype_name(row[i].dtype)));
    }
}

static void decimals_round_as_the_c_library_rounds_them(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 20000; n++) {
        char text[64];
        const int exponent = (int)(oracle_random(&seed) % 100) - 55;
        snprintf(text, sizeof text, "%llu.%llue%d",
                 (unsigned long long)(oracle_random(&seed) >> (n % 60)),
                 (unsigned long long)oracle_random(&seed), n & 1 ? exponent : exponent * 6);
        uint64_t f32 = 0, f64 = 0;
        assert_int_equal(num_parse(DTYPE_F32, text, strlen(text), &f32, NULL), ERROR_NONE);
        assert_int_equal(num_parse(DTYPE_F64, text, strlen(text), &f64, NULL), ERROR_NONE);
        assert_int_equal(f32, float_bits(strtof(text, NULL)));
        assert_int_equal(f64, double_bits(strtod(text, NULL)));
    }
}

static void formats_are_short_and_familiar(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        uint64_t bits;
        const char *text;
    } row[] = {
        {DTYPE_F32, 0x3f337cd6, "0.7011236"},
        {DTYPE_F32, 0x3dcccccd, "0.1"},
        {DTYPE_F32, 1, "1e-45"},
        {DTYPE_F32, 0x7f7fffff, "3.4028235e38"},
        {DTYPE_F32, 0x40400000, "3.0"},
        {DTYPE_F32, 0x4b800000, "16777216.0"},
        {DTYPE_F32, 0xc2f6e979, "-123.456"},
        {DTYPE_F64, 0x3fb999999999999a, "0.1"},
        {DTYPE_F64, 0x0000000000000001, "5e-324"},
        {DTYPE_F64, 0x7fefffffffffffff, "1.7976931348623157e308"},
        {DTYPE_F64, 0x44b52d02c7e14af6, "1e23"},
        {DTYPE_F64, 0x433fffffffffffff, "9007199254740991.0"},
        {DTYPE_F64, 0x430c6bf526340000, "1000000000000000.0"}, // both sides of each change of form
        {DTYPE_F64, 0x4341c37937e08000, "1e16"},
        {DTYPE_F64, 0x3ee4f8b588e368f1, "0.00001"},
        {DTYPE_F64, 0x3eb0c6f7a0b5ed8d, "1e-6"},
        {DTYPE_F16, 0x2e66, "0.1"},
        {DTYPE_BF16, 0xc000, "-2.0"},
        {DTYPE_F32, 0x80000000, "-0.0"},
        {DTYPE_F32, 0xff800000, "-inf"},
        {DTYPE_F8E4M3, 0xff, "nan"},
        {DTYPE_F8E4M3FNUZ, 0x80, "nan"},
        {DTYPE_F4E2M1, 0x8, "-0.0"},
        {DTYPE_F4E2M1, 0xf, "-6.0"},
        {DTYPE_F8E8M0, 0x7e, "0.5"},
        {DTYPE_I4, 0x8, "-8"},
        {DTYPE_I2, 0x3, "-1"},
        {DTYPE_I8, 0x80, "-128"},
        {DTYPE_U64, UINT64_MAX, "18446744073709551615"},
        {DTYPE_BOOL, 1, "true"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[NUM_TEXT_SIZE];
        assert_int_equal(num_format(row[i].dtype, row[i].bits, text, sizeof text),
                         strlen(row[i].text));
        assert_string_equal(text, row[i].text);
    }
    char small[3];
    assert_int_equal(num_format(DTYPE_F32, 0x3f337cd6, small, sizeof small), 9);
    assert_string_equal(small, "0.");
}

static void everything_reads_back(void **state)
{
    (void)state;
    static const struct {
        enum dtype dtype;
        uint64_t end, stride;
    } row[] = {{DTYPE_F16, 1 << 16, 1},
               {DTYPE_BF16, 1 << 16, 1},
               {DTYPE_F8E4M3, 256, 1},
               {DTYPE_F8E5M2, 256, 1},
               {DTYPE_F8E4M3FNUZ, 256, 1},
               {DTYPE_F8E5M2FNUZ, 256, 1},
               {DTYPE_F8E8M0, 255, 1},
               {DTYPE_F4E2M1, 16, 1},
               {DTYPE_I4, 16, 1},
               {DTYPE_U4, 16, 1},
               {DTYPE_I2, 4, 1},
               {DTYPE_U2, 4, 1},
               {DTYPE_I16, 1 << 16, 7},
               {DTYPE_F32, UINT64_C(1) << 32, 262139},
               {DTYPE_F64, UINT64_MAX, UINT64_C(0x3fffffffffff5)}};
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (uint64_t bits = 0; bits < row[r].end && bits + row[r].stride > bits;
             bits += row[r].stride) {
            if (isnan(num_to_double(row[r].dtype, bits)))
                continue;
            char text[NUM_TEXT_SIZE];
            uint64_t back = ~bits;
            const size_t length = num_format(row[r].dtype, bits, text, sizeof text);
            assert_true(length < sizeof text);
            assert_int_equal(num_parse(row[r].dtype, text, length, &back, NULL), ERROR_NONE);
            assert_int_equal(back, bits);
        }
}

int main(void)
{
    setlocale(LC_ALL, ""); // a decimal comma would show
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_the_bits_they_name),
        cmocka_unit_test(what_is_not_a_number_of_the_dtype_is_refused),
        cmocka_unit_test(decimals_round_as_the_c_library_rounds_them),
        cmocka_unit_test(formats_are_short_and_familiar),
        cmocka_unit_test(everything_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
