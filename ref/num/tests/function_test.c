// SPDX-License-Identifier: Apache-2.0
// Elementary functions against MPFR: strides through every 16-bit and 32-bit operand, and the ways
// against one another. `make exhaustive` leaves no operand out.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/tests/function_oracle.h"

static void check(enum num_function function, enum dtype to, enum dtype from, uint64_t bits)
{
    const uint64_t got = num_function_round(function, to, from, bits, NULL);
    if (!oracle_agrees(function, to, got, from, bits))
        fail_msg("%s of %s %llx (%a): got %s %llx (%a)", function_name(function), dtype_name(from),
                 (unsigned long long)bits, num_to_double(from, bits), dtype_name(to),
                 (unsigned long long)got, num_to_double(to, got));
}

static void operands_of_16_bits_round_once(void **state)
{
    (void)state;
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++)
        for (uint64_t bits = f; bits < 1 << 16; bits += 19) {
            check(f, DTYPE_F16, DTYPE_F16, bits);
            check(f, DTYPE_BF16, DTYPE_BF16, bits);
        }
}

static void operands_of_32_bits_round_once(void **state)
{
    (void)state;
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++) {
        for (uint64_t bits = f; bits < UINT64_C(1) << 32; bits += 1048573)
            check(f, DTYPE_F32, DTYPE_F32, bits);
        for (uint64_t bits = 0x38000000 + f; bits < 0x42000000;
             bits += 130003) { // 2^-15 to 32: where the functions bend
            check(f, DTYPE_F32, DTYPE_F32, bits);
            check(f, DTYPE_BF16, DTYPE_F32, bits | 0x80000000);
            check(f, DTYPE_F16, DTYPE_F32, bits);
        }
        for (uint64_t n = 1; n < 1 << 20;
             n += 3001) { // fractions, as samplers draw them, to both ends
            check(f, DTYPE_F32, DTYPE_F32, num_from_double(DTYPE_F32, ldexp((double)n, -20)));
            check(f, DTYPE_F32, DTYPE_F32, num_from_double(DTYPE_F32, 1 - ldexp((double)n, -24)));
        }
    }
}

static void operands_of_64_bits_round_once(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++)
        for (int n = 0; n < 150; n++) {
            uint64_t bits = oracle_random(&seed);
            if (n % 3)
                bits = (bits & 0x800fffffffffffff) | (uint64_t)(1023 - 20 + n % 24) << 52;
            check(f, DTYPE_F64, DTYPE_F64, bits);
            check(f, DTYPE_F32, DTYPE_F64, bits);
        }
}

// Those with a first look for results of f64.
static const enum num_function in_pairs[] = {NUM_EXP,  NUM_EXPM1,    NUM_LOG,        NUM_LOG1P,
                                             NUM_TANH, NUM_LOGISTIC, NUM_EXPONENTIAL};

static void both_signs(enum num_function function, double x)
{
    check(function, DTYPE_F64, DTYPE_F64, double_bits(x));
    check(function, DTYPE_F64, DTYPE_F64, double_bits(-x));
}

// Values next to a number or a tie of 53 bits, as the searches of Lefevre and Muller found them
// (doi:10.1109/ARITH.2001.930110); one of them is hard for a function, all are tried on all.
static void the_hardest_operands_of_64_bits_round_once(void **state)
{
    (void)state;
    static const double hard[] = {
        0x1.9e9cbbfd6080bp-31, 0x1.d77fd13d27fffp-11,  0x1.6a4d1af9cc989p-8,
        0x1.accfbe46b4efp-1,   0x1.aca7ae8da5a7bp+0,   0x1.d6336a88077aap+0,
        0x1.42ee3c7dc4946p+1,  0x1.76e7e5d7b6eacp+3,   0x1.a8ead058bc6b8p+3,
        0x1.1d5c2daebe367p+4,  0x1.c44ce0d716a1ap+4,   0x1.290ea09e36479p-3,
        0x1.a2fefefd580dfp-13, 0x1.ed318efb627eap-27,  0x1.1000000000242p-42,
        0x1.ea71d85cee02p-509, 0x1.9476e304cd7c7p-384, 0x1.26e9c4d32796p-232,
        0x1.613955dc802f8p-35, 0x1.62a88613629b6p+678, 0x1.00a0f3cf999acp+2,
        0x1.015bdb2761717p+4,  0x1.01885ae3c818ap+0,   0x1.018a1e31f3a2fp-4,
        0x1.028bf1d22b07dp-2,  0x1.00578555b8adp-12,   0x1.0a402fcc79292p-25,
        0x1.30fc1931f09c9p+4,  0x1.e0000000000fdp-20,  0x1.fffffffffffffp-53};
    for (size_t f = 0; f < sizeof in_pairs / sizeof *in_pairs; f++)
        for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
            both_signs(in_pairs[f], hard[i]);
}

// Where results overflow, become subnormal or vanish, where the pairs' reductions end, around 0 and
// around the piece of 1.
static void edges_of_64_bits_round_once(void **state)
{
    (void)state;
    static const double edge[] = {0x1.62e42fefa39efp+9,
                                  0x1.74385446d71c3p+9,
                                  0x1.74910d52d3051p+9,
                                  0x1.6232bdd7abcd2p+9,
                                  708,
                                  745,
                                  746,
                                  1000,
                                  60,
                                  30,
                                  20,
                                  18.714973875118524,
                                  36.7,
                                  0x1p-1074,
                                  0x1p-1022,
                                  0x1p-900,
                                  0x1p-540,
                                  0x1p-54,
                                  0x1p-53,
                                  0x1p-27,
                                  0x1p-9,
                                  0x1p-8,
                                  1 - 0x1p-9,
                                  1 + 0x1p-8,
                                  0x1.fffffffffffffp+0,
                                  0x1.6bp-1,
                                  0x1.6bp+0,
                                  0x1.fffffffffffffp+1023};
    for (size_t f = 0; f < sizeof in_pairs / sizeof *in_pairs; f++)
        for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
            both_signs(in_pairs[f], edge[i]);
            both_signs(in_pairs[f], nextafter(edge[i], INFINITY));
            both_signs(in_pairs[f], nextafter(edge[i], 0));
        }
    uint64_t seed = 37;
    for (size_t f = 0; f < sizeof in_pairs / sizeof *in_pairs; f++)
        for (int n = 0; n < 1500; n++)
            check(in_pairs[f], DTYPE_F64, DTYPE_F64,
                  (oracle_random(&seed) & 0x800fffffffffffff) | (uint64_t)(1023 - 12 + n % 16)
                                                                    << 52);
}

static void limits_and_domain_errors_are_those_of_ieee_754(void **state)
{
    (void)state;
    static const double at[] = {0.0,
                                -0.0,
                                1,
                                -1,
                                2,
                                -2,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                0x1p-149,
                                -0x1p-149,
                                0x1.fffffep127,
                                -0x1.fffffep127};
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            check(f, DTYPE_F32, DTYPE_F32, num_from_double(DTYPE_F32, at[i]));
            check(f, DTYPE_F64, DTYPE_F64, double_bits(at[i]));
        }
}

enum { COUNT = 20011 };

static void fill(uint32_t *x)
{
    uint64_t seed = 29;
    for (size_t i = 0; i < COUNT; i++) // mostly 2^-10 to 2^5, some anywhere
        x[i] = i % 8 ? (uint32_t)(oracle_random(&seed) & 0x807fffff) |
                           (uint32_t)(117 + oracle_random(&seed) % 15) << 23
                     : (uint32_t)oracle_random(&seed);
}

static void no_way_changes_a_bit(void **state)
{
    (void)state;
    static uint32_t x[COUNT], usual[COUNT], other[COUNT];
    fill(x);
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++) {
        struct num_path counted = {0};
        num_function_array(f, DTYPE_F32, usual, DTYPE_F32, x, COUNT, &counted);
        assert_int_equal(counted.elements, COUNT);
        for (int side = -1; side <= 1; side += 2) {
            struct num_path inside = {.perturbation = {0.5 * side, 0}};
            num_function_array(f, DTYPE_F32, other, DTYPE_F32, x, COUNT, &inside);
            assert_memory_equal(usual, other, sizeof usual);
        }
        const size_t some = f == NUM_ERF_INV || f == NUM_NORMAL_QUANTILE ? 3000 : COUNT; // patience
        struct num_path exact = {.exact = true};
        num_function_array(f, DTYPE_F32, other, DTYPE_F32, x, some, &exact);
        assert_memory_equal(usual, other, some * sizeof *usual);
        assert_int_equal(exact.third, some);
        memcpy(other, x, sizeof x); // in place
        num_function_array(f, DTYPE_F32, other, DTYPE_F32, other, COUNT, NULL);
        assert_memory_equal(usual, other, sizeof usual);
    }
}

// exp(x) is 1 + x + x*x/2 and logistic(x) is 1/2 + x/4 - x*x*x/48: small odd multiples of half an
// ulp and of two ulps lie so near to a tie that only the error bounds keep the first look from
// deciding.
static void values_next_to_a_tie_are_left_to_the_last_resort(void **state)
{
    (void)state;
    enum { NEAR = 512 };
    static uint64_t x[NEAR], usual[NEAR];
    static const struct {
        enum num_function function;
        enum dtype dtype;
        double unit;
    } near[] = {{NUM_EXP, DTYPE_F32, 0x1p-24},
                {NUM_LOGISTIC, DTYPE_F32, 0x1p-23},
                {NUM_EXP, DTYPE_F64, 0x1p-53},
                {NUM_LOGISTIC, DTYPE_F64, 0x1p-52}};
    for (size_t n = 0; n < sizeof near / sizeof *near; n++) {
        const enum dtype dtype = near[n].dtype;
        const size_t size = dtype_size(dtype);
        for (size_t i = 0; i < NEAR; i++)
            element_store(x, size, i, num_from_double(dtype, (double)(2 * i + 1) * near[n].unit));
        for (int side = -1; side <= 1; side++) {
            struct num_path path = {.perturbation = {0.5 * side, 0}};
            num_function_array(near[n].function, dtype, usual, dtype, x, NEAR, &path);
            assert_true(path.third >= 1);
            for (size_t i = 0; i < NEAR; i++)
                if (!oracle_agrees(near[n].function, dtype, element_load(usual, size, i), dtype,
                                   element_load(x, size, i)))
                    fail_msg("%s(%a), moved by %g of its error", function_name(near[n].function),
                             num_to_double(dtype, element_load(x, size, i)), 0.5 * side);
        }
    }
}

static void no_way_changes_a_bit_of_f64(void **state)
{
    (void)state;
    enum { WIDE = 4000 };
    static uint64_t x[WIDE], usual[WIDE], other[WIDE];
    uint64_t seed = 31;
    for (size_t i = 0; i < WIDE; i++) // 2^-30 to 2^9, a few anywhere
        x[i] = i % 16 ? (oracle_random(&seed) & 0x800fffffffffffff) |
                            (uint64_t)(1023 - 30 + oracle_random(&seed) % 40) << 52
                      : oracle_random(&seed);
    for (size_t f = 0; f < sizeof in_pairs / sizeof *in_pairs; f++) {
        struct num_path exact = {.exact = true}, outside = {.perturbation = {0x1p25, 0}};
        num_function_array(in_pairs[f], DTYPE_F64, usual, DTYPE_F64, x, WIDE, &exact);
        assert_int_equal(exact.third, WIDE);
        for (int side = -1; side <= 1; side++) {
            struct num_path inside = {.perturbation = {0.5 * side, 0}};
            num_function_array(in_pairs[f], DTYPE_F64, other, DTYPE_F64, x, WIDE, &inside);
            assert_memory_equal(usual, other, sizeof usual);
            assert_true(inside.second == inside.third &&
                        inside.third < WIDE * 3 / 4); // half of a logarithm's operands are negative
        }
        num_function_array(in_pairs[f], DTYPE_F64, other, DTYPE_F64, x, WIDE, &outside);
        assert_memory_not_equal(usual, other, sizeof usual);
        for (size_t few = 1; few < 20; few++) { // in place, and nothing beyond
            memcpy(other, x, sizeof x);
            num_function_array(in_pairs[f], DTYPE_F64, other + few, DTYPE_F64, other + few, few,
                               NULL);
            assert_memory_equal(other, x, few * sizeof *x);
            assert_memory_equal(other + few, usual + few, few * sizeof *x);
            assert_memory_equal(other + 2 * few, x + 2 * few, (WIDE - 2 * few) * sizeof *x);
        }
    }
}

static void a_fast_look_outside_its_bound_is_caught(void **state)
{
    (void)state;
    static uint32_t x[COUNT], usual[COUNT], other[COUNT];
    fill(x);
    for (enum num_function f = 0; f < NUM_FUNCTION_COUNT; f++) {
        struct num_path outside = {.perturbation = {0x1p16, 0}};
        num_function_array(f, DTYPE_F32, usual, DTYPE_F32, x, COUNT, NULL);
        num_function_array(f, DTYPE_F32, other, DTYPE_F32, x, COUNT, &outside);
        assert_memory_not_equal(usual, other, sizeof usual);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_of_16_bits_round_once),
        cmocka_unit_test(operands_of_32_bits_round_once),
        cmocka_unit_test(operands_of_64_bits_round_once),
        cmocka_unit_test(the_hardest_operands_of_64_bits_round_once),
        cmocka_unit_test(edges_of_64_bits_round_once),
        cmocka_unit_test(limits_and_domain_errors_are_those_of_ieee_754),
        cmocka_unit_test(no_way_changes_a_bit),
        cmocka_unit_test(no_way_changes_a_bit_of_f64),
        cmocka_unit_test(values_next_to_a_tie_are_left_to_the_last_resort),
        cmocka_unit_test(a_fast_look_outside_its_bound_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
