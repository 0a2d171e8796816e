// SPDX-License-Identifier: Apache-2.0
// Sums of products of intervals, all at once, are those of the arithmetic of
// ref/num/function/interval.h, operation by operation, whatever the signs and sizes of the ends and
// for every table, as are the widths of operands. Sums of leaves are closed beside one another as
// one by one.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ref/base/isa.h"
#include "ref/num/function/interval.h"
#include "ref/op/onednn/rnn_interval.h"

enum { COUNT = 251, FACTORS = 2 * RNN_PRODUCTS_MAX };

static const double flush = 0x1p-126;

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 11;
}

// Single numbers, narrow and wide intervals, zeros, tiny ends, and ends at which f32 overflows.
static struct interval draw(uint64_t *seed)
{
    const uint64_t kind = next(seed) % 16;
    const double sign = next(seed) % 2 ? 1 : -1, unit = (double)next(seed) * 0x1p-53;
    const double x = sign * ldexp(1 + unit, kind < 3 ? -100 - (int)(next(seed) % 40)
                                                     : (int)(next(seed) % 12) - 8);
    const double width = kind % 4 == 0 ? 0 : fabs(x) * ldexp(1, -(int)(next(seed) % 24));
    if (kind == 13)
        return (struct interval){ldexp(x, 120), next(seed) % 2 ? INFINITY : ldexp(x + 1, 121)};
    if (kind == 12 && next(seed) % 2)
        return interval_any();
    return kind == 14 ? (struct interval){0, 0} : (struct interval){x, x + width};
}

static struct interval one_by_one(struct interval factor[][2], const struct rnn_product *term,
                                  unsigned terms)
{
    struct interval sum = {0, 0};
    double error = 0;
    for (unsigned t = 0; t < terms; t++) {
        const bool both = term[t].factors > 1;
        struct interval value = both ? interval_multiply(factor[t][0], factor[t][1]) : factor[t][0];
        const double most =
            fmax(1, interval_magnitude(factor[t][0])) * fmax(1, interval_magnitude(factor[t][1]));
        error += both && terms > 1 ? num_half_ulp(DTYPE_F32, interval_magnitude(value)) : 0;
        error += both && interval_magnitude(value) < 0x1p-100 ? flush * most : 0;
        value = term[t].negative ? interval_negate(value) : value;
        sum = t ? interval_add(sum, value) : value;
    }
    sum = interval_widen(sum, error * (1 + 0x1p-20));
    return terms == 1 && term[0].factors > 1 && interval_magnitude(sum) < 0x1p-100
               ? interval_widen(sum, flush)
               : sum;
}

static void holds_for(const struct rnn_span_table *table)
{
    static double lower[FACTORS][COUNT], upper[FACTORS][COUNT], to_lower[COUNT], to_upper[COUNT];
    uint64_t seed = 5;
    for (unsigned shape = 0; shape < 400; shape++) {
        struct rnn_product term[RNN_PRODUCTS_MAX];
        const unsigned terms = 1 + shape % RNN_PRODUCTS_MAX;
        for (unsigned t = 0; t < RNN_PRODUCTS_MAX; t++) {
            term[t] = (struct rnn_product){.factors = 1 + (shape >> (1 + t)) % 2,
                                           .negative = shape >> (3 + t) & 1};
            for (unsigned f = 0; f < 2; f++) {
                term[t].factor[f] = (struct rnn_ends){lower[2 * t + f], upper[2 * t + f]};
                for (size_t i = 0; i < COUNT; i++) {
                    const struct interval x = draw(&seed);
                    lower[2 * t + f][i] = x.lower;
                    upper[2 * t + f][i] = x.upper;
                }
            }
        }
        table->products(COUNT, terms, term, flush, to_lower, to_upper);
        for (size_t i = 0; i < COUNT; i++) {
            struct interval factor[RNN_PRODUCTS_MAX][2];
            for (unsigned f = 0; f < FACTORS; f++)
                factor[f / 2][f % 2] = (struct interval){lower[f][i], upper[f][i]};
            const struct interval expected = one_by_one(factor, term, terms);
            assert_true(to_lower[i] == expected.lower && to_upper[i] == expected.upper);
        }
    }
}

// The same number, or none.
static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// What products for both widths are made of, interval by interval.
static void spreads(const struct rnn_span_table *table)
{
    static double lower[COUNT], upper[COUNT], spread[COUNT], down[COUNT], up[COUNT], more[COUNT];
    static float value[COUNT];
    const double factor = 0x1.8p-14, lost = 0x1p-130, limit = 0x1p100, leaves = 700;
    uint64_t seed = 17;
    for (unsigned kind = 0; kind < 200; kind++) {
        size_t some, many, nonzero = 0, wide = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const struct interval few = {(double)(i % 3) - 1,
                                         (double)(i % 3) - 1 + (double)(i % 2)};
            const struct interval x = kind % 50 ? draw(&seed) : few;
            lower[i] = x.lower;
            upper[i] = x.upper;
            value[i] = (float)(kind % 3 ? x.lower : interval_middle(x));
            nonzero += x.lower != 0 || x.upper != 0;
            wide += x.lower != x.upper;
        }
        table->tally(COUNT, lower, upper, &some, &many);
        assert_true(some == nonzero && many == wide);
        table->spread_around(COUNT, factor, lower, upper, value, spread);
        table->close_dots(COUNT, factor, limit, leaves, lost, NULL, value, spread, more, down, up);
        for (size_t i = 0; i < COUNT; i++) {
            const struct interval x = {lower[i], upper[i]};
            const double middle = (double)value[i], total = spread[i] * (1 + 702 * 0x1p-51),
                         share = 702 * 0x1p-52 * (1 + 0x1p-20) / factor,
                         error = total < limit
                                     ? total + share * total + 0x1p-24 * fabs(middle) + lost
                                     : INFINITY;
            const struct interval end = interval_outward(middle - error, middle + error);
            assert_true(same(spread[i], factor * interval_magnitude(x) + interval_radius(x) +
                                            fabs(interval_middle(x) - middle)));
            assert_true(down[i] == end.lower && up[i] == end.upper);
        }
    }
}

static void looks_at_floats(const struct rnn_span_table *table)
{
    float x[COUNT], least[COUNT], odd[COUNT];
    uint32_t nonzero[COUNT] = {0};
    uint64_t seed = 3;
    for (unsigned kind = 0; kind < 200; kind++) {
        for (size_t i = 0; i < COUNT; i++) {
            const int power = (int)(next(&seed) % 276) - 149;
            x[i] = next(&seed) % 9 ? ldexpf((float)(1 + next(&seed) % (1U << next(&seed) % 25)),
                                            power < 103 ? power : 103)
                                   : 0;
            x[i] = next(&seed) % 2 ? x[i] : -x[i];
            least[i] = INFINITY;
            odd[i] = 0;
            nonzero[i] = 7;
        }
        table->low_bits_f32(COUNT, x, least, odd, nonzero);
        for (size_t i = 0; i < COUNT; i++) {
            const double bit = num_low_bit((double)x[i]), size = fabs((double)x[i]);
            assert_true((double)least[i] == bit && (double)odd[i] == (x[i] == 0 ? 0 : size / bit));
            assert_int_equal(nonzero[i], x[i] == 0 ? 7 : 8);
        }
    }
}

static void widths_are_those_of_interval_arithmetic(void **state)
{
    (void)state;
    spreads(&rnn_span_portable);
    looks_at_floats(&rnn_span_portable);
#if defined(__x86_64__)
    if (isa_available(ISA_AVX2)) {
        spreads(&rnn_span_avx2);
        looks_at_floats(&rnn_span_avx2);
    }
    if (isa_available(ISA_AVX512)) {
        spreads(&rnn_span_avx512);
        looks_at_floats(&rnn_span_avx512);
    }
#endif
}

static void sums_of_products_are_those_of_interval_arithmetic(void **state)
{
    (void)state;
    holds_for(&rnn_span_portable);
#if defined(__x86_64__)
    if (isa_available(ISA_AVX2))
        holds_for(&rnn_span_avx2);
    if (isa_available(ISA_AVX512))
        holds_for(&rnn_span_avx512);
#endif
}

// Sums of few and of many leaves, of none, too large ones, and such that are unknown.
static void draw_sums(uint64_t *seed, const struct rnn_leaf_sums *sums)
{
    for (size_t i = 0; i < COUNT; i++) {
        const struct interval x = draw(seed);
        const bool none = next(seed) % 8 == 0;
        sums->middle[i] = none ? 0 : interval_middle(x);
        sums->magnitude[i] = none ? 0 : interval_magnitude(x) * (double)(1 + next(seed) % 3);
        sums->radius[i] = none ? 0 : interval_radius(x);
        sums->leaves[i] = none ? 0 : (double)(1 + next(seed) % 5000);
        sums->bit[i] = 0;
    }
}

static void closes_leaves(const struct rnn_span_table *table)
{
    static double middle[COUNT], magnitude[COUNT], radius[COUNT], leaves[COUNT], bit[COUNT];
    const struct rnn_leaf_sums sums = {middle, magnitude, radius, leaves, bit};
    static const enum model_accumulator accumulators[] = {MODEL_F32, MODEL_F64,
                                                          MODEL_BF16_PRODUCTS};
    uint64_t seed = 11;
    for (unsigned kind = 0; kind < 200; kind++) {
        struct evaluation_model declared = evaluation_model_standard;
        float lower[COUNT], upper[COUNT];
        declared.accumulator = accumulators[kind % 3];
        declared.flush = kind % 2;
        const struct rnn_model model = rnn_model_of(&declared);
        const struct rnn_leaf_rules rules = rnn_leaf_rules_of(&model);
        draw_sums(&seed, &sums);
        table->close_leaves(COUNT, &rules, &sums, lower, upper);
        for (size_t i = 0; i < COUNT; i++) {
            const struct rnn_leaves one = {middle[i], magnitude[i], radius[i], leaves[i], bit[i]};
            const struct interval expected =
                interval_round(DTYPE_F32, rnn_close_leaves(&model, &one, 0));
            assert_true((double)lower[i] == expected.lower && (double)upper[i] == expected.upper);
        }
    }
}

static void leaves_are_closed_as_one_by_one(void **state)
{
    (void)state;
    closes_leaves(&rnn_span_portable);
#if defined(__x86_64__)
    if (isa_available(ISA_AVX2))
        closes_leaves(&rnn_span_avx2);
    if (isa_available(ISA_AVX512))
        closes_leaves(&rnn_span_avx512);
#endif
}

// Operands of widths are not below what they stand for, and hardly above it.
static void is_just_above(float found, double least)
{
    assert_true(least == 0 ? found == 0
                           : isinf(found) || ((double)found >= least &&
                                              (double)found <= least * (1 + 0x1p-20) + 0x1p-148));
    assert_true(!isinf(found) || least > 0x1p127);
}

static void widths_are_from_above(const struct rnn_span_table *table)
{
    static double lower[COUNT], upper[COUNT], factor[COUNT];
    static float value[COUNT], first[COUNT], second[COUNT];
    const double more = 1 + 0x1p-15;
    uint64_t seed = 17;
    for (unsigned kind = 0; kind < 100; kind++) {
        struct interval of[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            do
                of[i] = draw(&seed);
            while (isinf(of[i].upper) || of[i].upper < of[i].lower);
            lower[i] = of[i].lower;
            upper[i] = of[i].upper;
            value[i] = (float)(i % 3 ? lower[i] : lower[i] * 0.75 + upper[i] * 0.25);
            factor[i] = ldexp(1 + (double)(next(&seed) % 100), -24);
        }
        table->widths(COUNT, kind % 2 ? factor : NULL, lower, upper, value, first, second);
        for (size_t i = 0; i < COUNT; i++) {
            const double size = interval_magnitude(of[i]),
                         away = interval_radius(of[i]) +
                                fabs(interval_middle(of[i]) - (double)value[i]);
            is_just_above(first[i], kind % 2 ? (factor[i] * size + away) * more : size);
            is_just_above(second[i], kind % 2 ? fabs((double)value[i]) * more : away);
        }
    }
}

static void operands_of_widths_are_from_above(void **state)
{
    (void)state;
    widths_are_from_above(&rnn_span_portable);
#if defined(__x86_64__)
    if (isa_available(ISA_AVX2))
        widths_are_from_above(&rnn_span_avx2);
    if (isa_available(ISA_AVX512))
        widths_are_from_above(&rnn_span_avx512);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_closed_as_one_by_one),
        cmocka_unit_test(widths_are_those_of_interval_arithmetic),
        cmocka_unit_test(operands_of_widths_are_from_above),
        cmocka_unit_test(sums_of_products_are_those_of_interval_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
