// SPDX-License-Identifier: Apache-2.0
// NaN among many elements, held to the definition of IEEE 754 and to isnan.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/judge/compare/compare.h"
#include "ref/base/bytes.h"

enum { COUNT = 67, PLACES = 5 };
static const size_t places[PLACES] = {0, 1, 31, 64, COUNT - 1};

// Whether `bits` are found wherever they stand among zeros; the answer must be the same at every
// place.
static bool found(enum dtype dtype, uint64_t bits)
{
    unsigned char elements[COUNT * sizeof bits];
    const size_t size = dtype_size(dtype);
    unsigned hits = 0;
    for (size_t i = 0; i < PLACES; i++) {
        memset(elements, 0, sizeof elements);
        element_store(elements, size, places[i], bits);
        hits += compare_has_nan(dtype, elements, COUNT);
        assert_false(compare_has_nan(dtype, elements, places[i]));
    }
    assert_true(hits == 0 || hits == PLACES);
    return hits != 0;
}

static void every_half_is_known(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 1 << 16; bits++) {
        assert_int_equal(found(DTYPE_F16, bits), (bits >> 10 & 31) == 31 && (bits & 1023) != 0);
        assert_int_equal(found(DTYPE_BF16, bits), (bits >> 7 & 255) == 255 && (bits & 127) != 0);
        assert_false(found(DTYPE_U16, bits));
    }
}

static void numbers_with_a_name_are_known(void **state)
{
    (void)state;
    const double values[] = {0,         -0.0, 1,    -1,       INFINITY,
                             -INFINITY, NAN,  -NAN, 0x1p-149, 0x1.fffffep127};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const float narrow = (float)values[i];
        uint32_t bits32;
        uint64_t bits64;
        memcpy(&bits32, &narrow, sizeof bits32);
        memcpy(&bits64, &values[i], sizeof bits64);
        assert_int_equal(found(DTYPE_F32, bits32), isnan(narrow) != 0);
        assert_int_equal(found(DTYPE_F64, bits64), isnan(values[i]) != 0);
        assert_false(found(DTYPE_I32, bits32));
        assert_false(found(DTYPE_U64, bits64));
    }
    // Signalling and quiet, the smallest and the largest payload.
    const uint32_t nans[] = {0x7f800001, 0xff800001, 0x7fc00000, 0xffffffff};
    const uint64_t wide[] = {0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000,
                             0xffffffffffffffff};
    for (size_t i = 0; i < 4; i++) {
        assert_true(found(DTYPE_F32, nans[i]));
        assert_true(found(DTYPE_F64, wide[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_is_known),
        cmocka_unit_test(numbers_with_a_name_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
