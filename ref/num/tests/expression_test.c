// SPDX-License-Identifier: Apache-2.0
// One-rounding expressions against MPFR, which evaluates them as they are written with enough bits
// to be exact.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ref/num/product/expression.h"
#include "ref/num/small_float.h"
#include "ref/num/tests/oracle.h"

enum {
    EXACT_BITS = 5000,
    ARRAYS = 6,
    ROWS = 2,
    COLUMNS = 40,
    DEPTH = 3,
    ELEMENTS = ROWS * COLUMNS * DEPTH
};

struct array {
    enum dtype dtype;
    uint32_t data[ELEMENTS];
};

static struct array arrays[ARRAYS];

// Plain numbers; gates in (0, 1) and near 1; small integers, which make ties and exact zeros; many
// magnitudes; subnormals.
static double datum(uint64_t *seed, int kind)
{
    const double unit = (double)(int64_t)oracle_random(seed) * 0x1p-63;
    switch (kind) {
    case 1:
        return oracle_random(seed) % 2 ? fabs(unit) : 1 - fabs(unit) * 0x1p-20;
    case 2:
        return (double)((int64_t)oracle_random(seed) >> 61);
    case 3:
        return ldexp(unit, (int)(oracle_random(seed) % 200) - 100);
    case 4:
        return ldexp(unit, -126 - (int)(oracle_random(seed) % 20));
    default:
        return unit;
    }
}

static void fill(uint64_t *seed, int kind)
{
    static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_F32, DTYPE_BF16,
                                        DTYPE_F16, DTYPE_I32, DTYPE_U8};
    for (size_t a = 0; a < ARRAYS; a++) {
        arrays[a].dtype = kind == 2 || a < 4 ? dtypes[a] : DTYPE_F32;
        for (size_t i = 0; i < ELEMENTS; i++) {
            const double x = datum(seed, kind == 3 && arrays[a].dtype == DTYPE_F16 ? 0 : kind);
            element_store(arrays[a].data, dtype_size(arrays[a].dtype), i,
                          dtype_kind(arrays[a].dtype) == DTYPE_KIND_FLOAT
                              ? num_from_double(arrays[a].dtype, x)
                              : num_convert(arrays[a].dtype, DTYPE_F64, double_bits(fabs(x)),
                                            NUM_NEAREST_EVEN, NUM_SATURATE));
        }
    }
}

static struct num_elements some_elements(uint64_t *seed)
{
    const struct array *const a = &arrays[oracle_random(seed) % ARRAYS];
    if (oracle_random(seed) % 4 == 0)
        return (struct num_elements){a->dtype, a->data, 0, 1,
                                     0}; // one row for all, as a bias or a peephole
    return (struct num_elements){a->dtype, a->data, COLUMNS, 1, ROWS * COLUMNS};
}

static struct num_expression some_expression(uint64_t *seed)
{
    struct num_expression e = {.terms = 1 + (unsigned)(oracle_random(seed) % 3)};
    for (unsigned t = 0; t < e.terms; t++) {
        e.term[t].negative = oracle_random(seed) & 1;
        e.term[t].factors = 1 + (unsigned)(oracle_random(seed) % NUM_FACTORS_MAX);
        for (unsigned f = 0; f < e.term[t].factors; f++)
            e.term[t].factor[f] = (struct num_factor){(enum num_form)(oracle_random(seed) % 5),
                                                      some_elements(seed), some_elements(seed)};
    }
    if (oracle_random(seed) % 3 == 0)
        e.denominators = 1 + (unsigned)(oracle_random(seed) % NUM_DENOMINATORS_MAX);
    for (unsigned d = 0; d < e.denominators; d++)
        e.denominator[d] = some_elements(seed);
    return e;
}

static void load(mpfr_t x, const struct num_elements *e, size_t row, size_t column, size_t depth)
{
    const ptrdiff_t at = (ptrdiff_t)row * e->row_stride + (ptrdiff_t)column * e->column_stride +
                         (ptrdiff_t)depth * e->depth_stride;
    mpfr_set_d(x, num_to_double(e->dtype, element_load(e->data, dtype_size(e->dtype), (size_t)at)),
               MPFR_RNDN);
}

static void load_factor(mpfr_t x, const struct num_factor *factor, size_t row, size_t column,
                        size_t depth)
{
    mpfr_t y;
    mpfr_init2(y, EXACT_BITS);
    load(x, &factor->x, row, column, depth);
    switch (factor->form) {
    case NUM_VALUE:
        break;
    case NUM_COMPLEMENT:
        mpfr_ui_sub(x, 1, x, MPFR_RNDN);
        break;
    case NUM_LESS_SQUARE:
        mpfr_sqr(y, x, MPFR_RNDN);
        mpfr_sub(x, x, y, MPFR_RNDN);
        break;
    case NUM_COMPLEMENT_SQUARE:
        mpfr_sqr(y, x, MPFR_RNDN);
        mpfr_ui_sub(x, 1, y, MPFR_RNDN);
        break;
    case NUM_DIFFERENCE:
        load(y, &factor->y, row, column, depth);
        mpfr_sub(x, x, y, MPFR_RNDN);
        break;
    }
    mpfr_clear(y);
}

static void evaluate(mpfr_t sum, const struct num_expression *e, size_t row, size_t column,
                     size_t depth)
{
    mpfr_t term, factor;
    mpfr_inits2(EXACT_BITS, term, factor, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (size_t d = 0; d < depth; d++)
        for (unsigned t = 0; t < e->terms; t++) {
            mpfr_set_si(term, e->term[t].negative ? -1 : 1, MPFR_RNDN);
            for (unsigned f = 0; f < e->term[t].factors; f++) {
                load_factor(factor, &e->term[t].factor[f], row, column, d);
                mpfr_mul(term, term, factor, MPFR_RNDN);
            }
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
    for (unsigned d = 0; d < e->denominators; d++) {
        load(factor, &e->denominator[d], row, column, 0);
        mpfr_div(sum, sum, factor, MPFR_RNDN);
    }
    mpfr_clears(term, factor, (mpfr_ptr)0);
}

// Integers by MPFR's own rounding, saturated.
static double rounded(enum dtype to, mpfr_srcptr x)
{
    if (dtype_kind(to) == DTYPE_KIND_FLOAT)
        return oracle_round(to, x, MPFR_RNDN);
    mpfr_t y;
    mpfr_init2(y, EXACT_BITS);
    mpfr_rint(y, x, MPFR_RNDN);
    const double value = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    const double low = to == DTYPE_U8 ? 0 : to == DTYPE_I8 ? -128 : -2147483648.0;
    const double high = to == DTYPE_U8 ? 255 : to == DTYPE_I8 ? 127 : 2147483647;
    return isnan(value) ? 0 : fmin(fmax(value, low), high);
}

static double wide[ELEMENTS];

// In which f64 numbers stand alone or beside one other: sums of integers; numbers that double
// cannot multiply, and some whose product is too small for it.
static struct num_expression some_wide_expression(uint64_t *seed)
{
    struct num_expression e = some_expression(seed);
    const struct num_elements elements = {DTYPE_F64, wide, COLUMNS, 1, ROWS * COLUMNS};
    static const int exponents[] = {0, 30, -980, -1060};
    const int exponent = exponents[oracle_random(seed) % 4];
    for (size_t i = 0; i < ELEMENTS; i++)
        wide[i] = exponent == 30 ? trunc(ldexp(datum(seed, 0), 30))
                                 : ldexp(datum(seed, (int)(oracle_random(seed) % 3)), exponent);
    for (unsigned t = 0; t < e.terms; t++) {
        e.term[t].factors = 1 + (unsigned)(oracle_random(seed) % 2);
        for (unsigned f = 0; f < e.term[t].factors; f++)
            e.term[t].factor[f] =
                (struct num_factor){NUM_VALUE, some_elements(seed), some_elements(seed)};
        if (t == 0 || oracle_random(seed) % 2)
            e.term[t].factor[e.term[t].factors - 1].x = elements;
    }
    return e;
}

static void expressions_equal_their_exact_values_rounded_once(void **state)
{
    (void)state;
    static const enum dtype results[] = {DTYPE_F32, DTYPE_F32, DTYPE_BF16, DTYPE_F16,
                                         DTYPE_F64, DTYPE_I8,  DTYPE_U8,   DTYPE_I32};
    uint64_t seed = 53;
    mpfr_t exact;
    mpfr_init2(exact, EXACT_BITS);
    struct num_path ways[] = {
        {0}, {.exact = true}, {.perturbation = {0.5, 0}}, {.perturbation = {-0.5, 0}}};
    for (int n = 0; n < 400; n++) {
        fill(&seed, n % 5);
        const struct num_expression e =
            n < 200 ? some_expression(&seed) : some_wide_expression(&seed);
        const enum dtype to = results[oracle_random(&seed) % 8];
        const size_t depth = 1 + oracle_random(&seed) % DEPTH;
        static uint64_t out[4][ROWS * COLUMNS];
        for (size_t way = 0; way < 4; way++)
            num_expression_round(&e, ROWS, COLUMNS, depth,
                                 &(struct num_result){to, out[way], COLUMNS, 1}, &ways[way]);
        for (size_t i = 0; i < ROWS * COLUMNS; i++) {
            evaluate(exact, &e, i / COLUMNS, i % COLUMNS, depth);
            const double expected = rounded(to, exact);
            // What is rounded to zero keeps its sign.
            const bool has_sign = dtype_kind(to) == DTYPE_KIND_FLOAT && !mpfr_zero_p(exact);
            for (size_t way = 0; way < 4; way++) {
                const double got = num_to_double(to, element_load(out[way], dtype_size(to), i));
                if (isnan(expected)
                        ? !isnan(got)
                        : got != expected || (has_sign && !signbit(got) != !signbit(expected)))
                    fail_msg("expression %d to %s, way %zu, element %zu: got %a, expected %a", n,
                             dtype_name(to), way, i, got, expected);
            }
        }
    }
    assert_true(ways[0].third < ways[0].elements / 2); // the fast look does most of it
    mpfr_clear(exact);
}

// Sums that vanish, from factors of every form at 0 and 1 of both signs: IEEE 754 says which zero
// (each factor and product by its own rule, -0 only where every term is -0), and the exact way
// finds it by other means than the fast one.
static void zeros_have_their_signs_on_both_ways(void **state)
{
    (void)state;
    static const float x[4] = {0.0f, -0.0f, 1.0f, -1.0f};
    unsigned zeros = 0;
    for (unsigned n = 0; n < 4 * 5 * 4 * 5 * 4 * 4; n++) {
        const float *const a = &x[n % 4], *const b = &x[n / 20 % 4], *const c = &x[n / 400 % 4];
        const enum num_form forms[2] = {(enum num_form)(n / 4 % 5), (enum num_form)(n / 80 % 5)};
        const struct num_elements none = {DTYPE_F32, &x[0], 0, 0, 0};
        const struct num_expression e = {
            .terms = 1 + n / 1600 % 2,
            .term = {{.negative = n / 3200 != 0,
                      .factors = 2,
                      .factor = {{forms[0], {DTYPE_F32, a, 0, 0, 0}, none},
                                 {forms[1], {DTYPE_F32, b, 0, 0, 0}, none}}},
                     {.factors = 1, .factor = {{NUM_VALUE, {DTYPE_F32, c, 0, 0, 0}, none}}}}};
        uint32_t fast, exact;
        num_expression_round(&e, 1, 1, 1 + n % 2, &(struct num_result){DTYPE_F32, &fast, 1, 1},
                             NULL);
        num_expression_round(&e, 1, 1, 1 + n % 2, &(struct num_result){DTYPE_F32, &exact, 1, 1},
                             &(struct num_path){.exact = true});
        if (fast != exact)
            fail_msg("expression %u: %08x fast, %08x exactly", n, fast, exact);
        zeros += fast << 1 == 0;
    }
    assert_true(zeros > 1000);
}

// f * c + i * g with numbers chosen so that the exact sum lies 2^-70 (relative) beside a tie, or on
// it.
static void ties_are_seen_through_any_cancellation(void **state)
{
    (void)state;
    const float one = 1, half_ulp = 0x1p-24f, tiny = 0x1p-70f, minus_tiny = -0x1p-70f, zero = 0;
    const float *const nudges[] = {&tiny, &zero, &minus_tiny};
    const uint32_t expected[] = {0x3f800001, 0x3f800000, 0x3f800000};
    for (int i = 0; i < 3; i++) {
        const struct num_expression e = {
            .terms = 3,
            .term = {{.factors = 1, .factor = {{.x = {DTYPE_F32, &one, 0, 0, 0}}}},
                     {.factors = 2,
                      .factor = {{.x = {DTYPE_F32, &half_ulp, 0, 0, 0}},
                                 {.x = {DTYPE_F32, &one, 0, 0, 0}}}},
                     {.factors = 1, .factor = {{.x = {DTYPE_F32, nudges[i], 0, 0, 0}}}}}};
        uint32_t out;
        num_expression_round(&e, 1, 1, 1, &(struct num_result){DTYPE_F32, &out, 1, 1}, NULL);
        assert_int_equal(out, expected[i]);
    }
}

// A product that double has for 0 decides a tie, and the sign of a zero.
static void products_too_small_for_double_count(void **state)
{
    (void)state;
    const float one = 1, half_ulp = 0x1p-24f, least = 0x1p-149f, zero = 0;
    const double tiny[] = {0x1p-1000, -0x1p-1000};
    const uint32_t beside_tie[] = {0x3f800001, 0x3f800000}, beside_zero[] = {0, 0x80000000};
    for (int i = 0; i < 2; i++) {
        struct num_expression e = {
            .terms = 3,
            .term = {{.factors = 2,
                      .factor = {{.x = {DTYPE_F32, &least, 0, 0, 0}},
                                 {.x = {DTYPE_F64, &tiny[i], 0, 0, 0}}}},
                     {.factors = 1, .factor = {{.x = {DTYPE_F32, &one, 0, 0, 0}}}},
                     {.factors = 1, .factor = {{.x = {DTYPE_F32, &half_ulp, 0, 0, 0}}}}}};
        uint32_t out;
        num_expression_round(&e, 1, 1, 1, &(struct num_result){DTYPE_F32, &out, 1, 1}, NULL);
        assert_int_equal(out, beside_tie[i]);
        e.terms = 2;
        e.term[1].factor[0].x.data = &zero;
        num_expression_round(&e, 1, 1, 1, &(struct num_result){DTYPE_F32, &out, 1, 1}, NULL);
        assert_int_equal(out, beside_zero[i]);
    }
}

static uint32_t one_minus_u_times_o(float u, float o)
{
    const struct num_expression e = {
        .terms = 1,
        .term = {{.factors = 2,
                  .factor = {{.form = NUM_COMPLEMENT, .x = {DTYPE_F32, &u, 0, 0, 0}},
                             {.form = NUM_VALUE, .x = {DTYPE_F32, &o, 0, 0, 0}}}}}};
    uint32_t out;
    num_expression_round(&e, 1, 1, 1, &(struct num_result){DTYPE_F32, &out, 1, 1}, NULL);
    return out;
}

static uint32_t quotient(float a, float b)
{
    const struct num_expression e = {
        .terms = 1,
        .term = {{.factors = 1, .factor = {{.x = {DTYPE_F32, &a, 0, 0, 0}}}}},
        .denominators = 1,
        .denominator = {{DTYPE_F32, &b, 0, 0, 0}}};
    uint32_t out;
    num_expression_round(&e, 1, 1, 1, &(struct num_result){DTYPE_F32, &out, 1, 1}, NULL);
    return out;
}

static void put_f32(struct array *to, size_t i, float value)
{
    memcpy((char *)to->data + i * sizeof value, &value, sizeof value);
}

// The processor adds and multiplies two floats with one rounding as well.
static void one_addition_and_one_product_are_those_of_the_processor(void **state)
{
    (void)state;
    uint64_t seed = 71;
    static float out[ELEMENTS];
    for (size_t n = 0; n < 4000; n++) {
        for (size_t i = 0; i < ELEMENTS; i++) { // any bits; neighbours of ties at every distance of
                                                // the exponents; numbers that cancel
            const float x = float_from_bits((uint32_t)(oracle_random(&seed) >> 32));
            const int gap = (int)(oracle_random(&seed) % 60),
                      exponent = isnormal(x) ? ilogbf(x) : 0;
            const float near = ldexpf(x, -gap),
                        odd = ldexpf(1 + (float)(oracle_random(&seed) % 5) * 0x1p-23f,
                                     exponent - gap);
            const float others[] = {float_from_bits((uint32_t)(oracle_random(&seed) >> 32)),
                                    near,
                                    odd,
                                    -odd,
                                    -x,
                                    0,
                                    -0.0f};
            put_f32(&arrays[0], i, i % 97 == 0 ? -0.0f : x);
            put_f32(&arrays[1], i, others[oracle_random(&seed) % 7]);
        }
        const struct num_elements x = {DTYPE_F32, arrays[0].data, ELEMENTS, 1, 0},
                                  y = {DTYPE_F32, arrays[1].data, ELEMENTS, 1, 0};
        const bool product = n % 2, negative = n / 2 % 2;
        const struct num_term one = {.factors = 1, .factor = {{.form = NUM_VALUE, .x = x}}};
        const struct num_term other = {
            .negative = negative, .factors = 1, .factor = {{.form = NUM_VALUE, .x = y}}};
        const struct num_term both = {
            .negative = negative,
            .factors = 2,
            .factor = {{.form = NUM_VALUE, .x = x}, {.form = NUM_VALUE, .x = y}}};
        const struct num_expression sum = {.terms = 2, .term = {one, other}},
                                    times = {.terms = 1, .term = {both}};
        const struct num_result result = {DTYPE_F32, out, ELEMENTS, 1};
        num_expression_round(product ? &times : &sum, 1, ELEMENTS, 1, &result, NULL);
        for (size_t i = 0; i < ELEMENTS; i++) {
            float a, b;
            memcpy(&a, (char *)arrays[0].data + i * 4, 4);
            memcpy(&b, (char *)arrays[1].data + i * 4, 4);
            const float expected = product ? (negative ? -a * b : a * b) : negative ? a - b : a + b;
            assert_int_equal(float_bits(out[i]),
                             isnan(expected) ? 0x7fc00000 : float_bits(expected));
        }
    }
}

// Sums beside a tie of f32, nearer than a double can tell: rounded to double first they would go
// the other way.
static void what_double_cannot_hold_is_not_rounded_twice(void **state)
{
    (void)state;
    static const float below = 1 - 0x1p-23f, above = 1 + 0x1p-23f, tiny = (0x1p23f - 1) * 0x1p-47f,
                       one = 1;
    static const int32_t a = 2126905235, b = 1774057115; // a * b = 2^37 + 1 modulo 2^39
    float out = 0;
    const struct num_result result = {DTYPE_F32, &out, 1, 1};
    const float x = below * 0x1p-12f, y = above * 0x1p-12f; // x * y = 2^-24 - 2^-70
    const struct num_expression fused = {
        .terms = 2,
        .term = {{.factors = 2,
                  .factor = {{.x = {DTYPE_F32, &x, 0, 0, 0}}, {.x = {DTYPE_F32, &y, 0, 0, 0}}}},
                 {.factors = 1, .factor = {{.x = {DTYPE_F32, &above, 0, 0, 0}}}}}};
    num_expression_round(&fused, 1, 1, 1, &result, NULL);
    assert_true(out == above);
    const struct num_expression complement = {
        // (1 + 2^-23) (1 - tiny) = 1 + 2^-24 + 2^-70
        .terms = 1,
        .term = {{.factors = 2,
                  .factor = {{.x = {DTYPE_F32, &above, 0, 0, 0}},
                             {.form = NUM_COMPLEMENT, .x = {DTYPE_F32, &tiny, 0, 0, 0}}}}}};
    num_expression_round(&complement, 1, 1, 1, &result, NULL);
    assert_true(out == above);
    const struct num_expression integers = {
        .terms = 1,
        .term = {{.factors = 2,
                  .factor = {{.x = {DTYPE_I32, &a, 0, 0, 0}}, {.x = {DTYPE_I32, &b, 0, 0, 0}}}}}};
    num_expression_round(&integers, 1, 1, 1, &result, NULL);
    assert_true((double)out == 3773251365082497025.0 + 0x1p37);
    uint16_t narrow = 0;
    const struct num_expression two = {
        .terms = 2,
        .term = {{.factors = 1, .factor = {{.x = {DTYPE_F32, &one, 0, 0, 0}}}},
                 {.factors = 1, .factor = {{.x = {DTYPE_F32, &one, 0, 0, 0}}}}}};
    num_expression_round(&two, 1, 1, 1, &(struct num_result){DTYPE_BF16, &narrow, 1, 1}, NULL);
    assert_int_equal(narrow, 0x4000);
}

static void what_is_not_finite_follows_the_written_order(void **state)
{
    (void)state;
    const uint32_t nan = 0x7fc00000, plus = 0x7f800000, minus = 0xff800000;
    assert_int_equal(one_minus_u_times_o(0.5f, INFINITY), plus);
    assert_int_equal(one_minus_u_times_o(2, INFINITY), minus);
    assert_int_equal(one_minus_u_times_o(1, INFINITY), nan);
    assert_int_equal(one_minus_u_times_o(INFINITY, 3), minus);
    assert_int_equal(one_minus_u_times_o(1, -1), 0x80000000); // +0 * -1
    assert_int_equal(one_minus_u_times_o(1, 1), 0);
    assert_int_equal(one_minus_u_times_o(NAN, 0), nan);
    assert_int_equal(one_minus_u_times_o(-0x1.fffffep127f, 0x1.fffffep127f), plus);
    assert_int_equal(quotient(1, 3), float_bits(1.0f / 3.0f));
    assert_int_equal(quotient(-1, 0), minus);
    assert_int_equal(quotient(0, 0), nan);
    assert_int_equal(quotient(0, -5), 0x80000000);
    assert_int_equal(quotient(INFINITY, INFINITY), nan);
    assert_int_equal(quotient(3, -INFINITY), 0x80000000);
    assert_int_equal(quotient(-INFINITY, -2), plus);
}

// Also negated, of two rows apart from one another, and every second number.
static void a_lone_number_is_itself_and_a_nan_the_one_of_its_type(void **state)
{
    (void)state;
    enum { COUNT = 9, STRIDE = 11 };
    static const uint32_t in[2 * STRIDE] = {
        0x80000000, 0,          1, 0x807fffff, 0x7f7fffff, 0xff800000, 0x7f800001,
        0xffc12345, 0x3f800001, 7, 7,          0x7f800000, 0x80000001, 0xbf800000,
        0x7fffffff, 0xff800001, 0, 0x80000000, 2,          3};
    for (unsigned negative = 0; negative < 2; negative++)
        for (ptrdiff_t spread = 1; spread < 3; spread++) {
            const size_t count = spread == 1 ? COUNT : COUNT / 2;
            const struct num_expression e = {
                .terms = 1,
                .term = {{.negative = negative != 0,
                          .factors = 1,
                          .factor = {{.x = {DTYPE_F32, in, STRIDE, spread, 0}}}}}};
            uint32_t out[2][COUNT];
            num_expression_round(&e, 2, count, 1, &(struct num_result){DTYPE_F32, out, COUNT, 1},
                                 NULL);
            for (size_t i = 0; i < 2 * count; i++) {
                const size_t row = i / count, column = i % count;
                const uint32_t x = in[row * STRIDE + column * (size_t)spread];
                const bool nan = (x & 0x7fffffff) > 0x7f800000;
                assert_int_equal(out[row][column], nan ? 0x7fc00000 : x ^ (negative << 31));
            }
        }
}

static void an_empty_sum_is_plus_zero_and_results_may_replace_operands(void **state)
{
    (void)state;
    float a[600], b[600], expected[600];
    for (int i = 0; i < 600; i++) {
        a[i] = (float)(i + 1) * 0.1f;
        b[i] = 3.0f - (float)i * 0.01f;
        expected[i] = a[i] * b[i];
    }
    const struct num_expression e = {
        .terms = 1,
        .term = {{.factors = 2,
                  .factor = {{.x = {DTYPE_F32, a, 1, 0, 0}}, {.x = {DTYPE_F32, b, 1, 0, 0}}}}}};
    num_expression_round(&e, 600, 1, 1, &(struct num_result){DTYPE_F32, a, 1, 1},
                         NULL); // a column: turned inside
    assert_memory_equal(a, expected, sizeof a);
    num_expression_round(&e, 600, 1, 0, &(struct num_result){DTYPE_F32, b, 1, 1}, NULL);
    for (int i = 0; i < 600; i++)
        assert_int_equal(float_bits(b[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_equal_their_exact_values_rounded_once),
        cmocka_unit_test(zeros_have_their_signs_on_both_ways),
        cmocka_unit_test(ties_are_seen_through_any_cancellation),
        cmocka_unit_test(products_too_small_for_double_count),
        cmocka_unit_test(one_addition_and_one_product_are_those_of_the_processor),
        cmocka_unit_test(what_double_cannot_hold_is_not_rounded_twice),
        cmocka_unit_test(what_is_not_finite_follows_the_written_order),
        cmocka_unit_test(a_lone_number_is_itself_and_a_nan_the_one_of_its_type),
        cmocka_unit_test(an_empty_sum_is_plus_zero_and_results_may_replace_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
