// SPDX-License-Identifier: Apache-2.0
// NaN among many elements, held to the definition of IEEE 754 and to isnan; and which intervals a
// NaN lies in; and which bounds admit null answers.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/judge/compare/lean.h"
#include "harness/judge/compare/nulls.h"
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

// S.1111.111 of f8e4m3, which has no infinity; of f8e5m2 what an exponent of ones and a fraction
// say.
static void every_eighth_is_known(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 1 << 8; bits++) {
        assert_int_equal(found(DTYPE_F8E4M3, bits), (bits & 127) == 127);
        assert_int_equal(found(DTYPE_F8E5M2, bits), (bits >> 2 & 31) == 31 && (bits & 3) != 0);
        assert_false(found(DTYPE_U8, bits) || found(DTYPE_I8, bits));
        for (uint32_t other = 0; other < 1 << 8; other++) {
            const bool both = (bits & 127) == 127 && (other & 127) == 127;
            assert_int_equal(compare_same(DTYPE_F8E4M3, bits, other), bits == other || both);
        }
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

static void a_nan_lies_in_the_interval_of_everything_alone(void **state)
{
    (void)state;
    const float inf = INFINITY, lower[] = {-inf, -inf, 0, inf, NAN},
                upper[] = {inf, 0, inf, inf, NAN}, got[] = {NAN, NAN, NAN, NAN, NAN};
    const struct expected expected = {.dtype = DTYPE_F32, .lower = lower, .upper = upper};
    struct comparison comparison;
    compare_elements(&expected, got, 5, &comparison);
    assert_int_equal(comparison.wrong, 3);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(comparison.element[i].at, i + 1);
    assert_true(comparison.radius_infinite); // so that the verdict is vacuous
    assert_true(compare_is_right(&expected, 0, 0x3f800000));
    assert_false(compare_is_right(&expected, 4, 0x3f800000));
    // e4m3 has no infinity: from -448 to 448 is everything, and NaN.
    const unsigned char low[] = {0xfe, 0xfd}, high[] = {0x7e, 0x7e}, nan[] = {0x7f, 0xff};
    const struct expected narrow = {.dtype = DTYPE_F8E4M3, .lower = low, .upper = high};
    compare_elements(&narrow, nan, 2, &comparison);
    assert_int_equal(comparison.wrong, 1);
    assert_int_equal(comparison.element[0].at, 1);
    assert_true(comparison.radius_infinite);
}

static void what_has_one_sign_and_one_end_says_something(void **state)
{
    (void)state;
    const float inf = INFINITY, got[] = {-inf}, upper[] = {-87}, lower[] = {-inf}, zero[] = {0};
    struct expected expected = {.dtype = DTYPE_F32, .lower = lower, .upper = upper};
    struct comparison comparison;
    compare_elements(&expected, got, 1, &comparison);
    assert_int_equal(comparison.wrong, 0);
    assert_false(comparison.radius_infinite);
    expected.upper = zero;
    compare_elements(&expected, got, 1, &comparison);
    assert_int_equal(comparison.wrong, 0);
    assert_true(comparison.radius_infinite);
}

// Bounds of `radius` around the values, and whether they are vacuous.
static bool says_nothing(const float *values, size_t count, float radius)
{
    float lower[COUNT], upper[COUNT];
    struct comparison comparison;
    for (size_t i = 0; i < count; i++) {
        lower[i] = values[i] - radius;
        upper[i] = values[i] + radius;
    }
    const struct expected expected = {
        .dtype = DTYPE_F32, .bits = values, .lower = lower, .upper = upper};
    compare_elements(&expected, values, count, &comparison);
    assert_int_equal(comparison.wrong, 0);
    return null_fits(&expected, count);
}

static void bounds_that_admit_a_null_answer_are_vacuous(void **state)
{
    (void)state;
    const float wide[] = {1, -2, 3, -4, 5}, alike[] = {9, 9.25f, 9, 9.25f}, zeros[] = {0, -0.0f, 0},
                same[] = {7, 7, 7}, one[] = {-3};
    assert_false(says_nothing(wide, 5, 0.5f));
    assert_false(says_nothing(wide, 5, 2)); // zeros fit in two of five
    assert_true(says_nothing(wide, 5, 3));  // in three
    assert_false(says_nothing(alike, 4, 0.125f));
    assert_true(says_nothing(alike, 4, 0.25f)); // each fits in the place of the next
    assert_false(says_nothing(zeros, 3, 100));  // there is no null answer: zeros are right
    assert_false(says_nothing(same, 3, 6));
    assert_true(says_nothing(one, 1, 3));
    assert_false(says_nothing(one, 1, 2));
}

// e of k errors toward zero among `count` sums of 1.5 or -1.5 and odd multiples of 2^-27.
static double evidence(uint64_t count, uint64_t toward, uint64_t *wrong)
{
    float first[200] = {0}, got[200] = {0}, lower[200] = {0}, upper[200] = {0};
    struct function_pair exact[200] = {{0}};
    for (uint64_t i = 0; i < count; i++) {
        first[i] = i % 2 ? -1.5F : 1.5F;
        exact[i] = pair_two_sum((double)first[i], (double)(2 * i + 1) * 0x1p-27);
        got[i] = first[i] * (i < toward ? 0.5F : 1.25F);
        lower[i] = -2;
        upper[i] = 2;
    }
    const struct expected expected = {
        .dtype = DTYPE_F32, .bits = first, .lower = lower, .upper = upper};
    struct comparison comparison;
    compare_elements(&expected, got, count, &comparison);
    assert_int_equal(comparison.wrong, 0);
    const struct lean lean = compare_lean(&expected, exact, got, count, &comparison);
    assert_int_equal(lean.count, count);
    assert_int_equal(lean.toward, toward);
    *wrong = comparison.wrong;
    return lean.evidence;
}

// Errors of f64 are seen below what a double holds, and what does not count is left out.
static void errors_of_f64_have_sides(void **state)
{
    enum { SUMS = 8 };
    (void)state;
    double got[SUMS];
    struct function_pair exact[SUMS];
    for (unsigned i = 0; i < SUMS; i++) {
        exact[i] = pair_two_sum(i % 2 ? -1.5 : 1.5, (i % 4 < 2 ? 1 : -1) * 0x1p-56);
        got[i] = i % 2 ? -1.5 : 1.5;
    }
    exact[0].high = (double)NAN; // it would be toward zero
    const struct expected expected = {.dtype = DTYPE_F64, .bits = got};
    struct comparison comparison = {0};
    const struct lean lean = compare_lean(&expected, exact, got, SUMS, &comparison);
    assert_int_equal(lean.count, SUMS - 1);
    assert_int_equal(lean.toward, SUMS / 2 - 1);
}

// Of fair signs the chance that e reaches 2^40 is at most 2^-40, whatever their number; and all 64
// errors on one side, or all but one, are enough.
static void errors_that_lean_are_told_from_chance(void **state)
{
    (void)state;
    uint64_t wrong;
    assert_true(fabs(evidence(64, 64, &wrong) - (64 - log2(65))) < 1e-9);
    assert_int_equal(wrong, 64);
    assert_true(evidence(64, 1, &wrong) > LEAN_EVIDENCE);
    assert_int_equal(wrong, 63);
    assert_true(evidence(64, 32, &wrong) < 0);
    assert_int_equal(wrong, 0);
    assert_true(evidence(0, 0, &wrong) == 0);
    for (uint64_t count = 1; count <= 200; count += 13) {
        double chance = 0, share = ldexp(1, -(int)count);
        for (uint64_t k = 0; k <= count; k++) {
            chance += evidence(count, k, &wrong) >= LEAN_EVIDENCE ? share : 0;
            share *= (double)(count - k) / (double)(k + 1);
        }
        assert_true(chance <= 0x1p-40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_is_known),
        cmocka_unit_test(every_eighth_is_known),
        cmocka_unit_test(numbers_with_a_name_are_known),
        cmocka_unit_test(errors_that_lean_are_told_from_chance),
        cmocka_unit_test(errors_of_f64_have_sides),
        cmocka_unit_test(a_nan_lies_in_the_interval_of_everything_alone),
        cmocka_unit_test(what_has_one_sign_and_one_end_says_something),
        cmocka_unit_test(bounds_that_admit_a_null_answer_are_vacuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
