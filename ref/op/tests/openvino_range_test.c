// SPDX-License-Identifier: Apache-2.0
// openvino.range: the recurrence without walking equals the walk, parts equal the whole, streamed
// fills equal the formula, saturation equals clamping in 128 bits. Values as such are held against
// a model in exact fractions (openvino_range_test.py).

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/range.h"

__extension__ typedef __int128 int128;

static uint64_t random_next(
    uint64_t *seed) // SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void assert_walk(const struct range *range, uint64_t steps, uint64_t every)
{
    double value = range->start;
    for (uint64_t i = 0; i < steps; i++, value = range_next(range, value))
        if (i % every == 0) {
            const double jumped = range_recurrence_at(range, i);
            if (!(jumped == value || (isnan(jumped) && isnan(value))))
                fail_msg("%s start %a step %a: element %llu is %a, expected %a",
                         dtype_name(range->accumulator), range->start, range->step,
                         (unsigned long long)i, jumped, value);
        }
}

static void a_recurrence_is_found_without_walking(void **state)
{
    (void)state;
    static const enum dtype types[] = {DTYPE_F8E4M3, DTYPE_F8E5M2, DTYPE_F16,
                                       DTYPE_BF16,   DTYPE_F32,    DTYPE_F64};
    uint64_t seed = 3;
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
        for (int n = 0; n < 500; n++) {
            struct range range = {
                .type = types[t], .accumulator = types[t], .saturate = n % 2 != 0};
            const int spread = (int)(random_next(&seed) % 14);
            const int least = num_format_of(types[t])->exponent_min,
                      exponent = n % 5 == 0 ? least : 0;
            const double start = ldexp((double)(int64_t)random_next(&seed), -63 + exponent);
            const double step = ldexp((double)(int64_t)random_next(&seed), -63 - spread + exponent);
            // Short significands of the step make ties frequent.
            const double cut =
                n % 3 ? ldexp(rint(ldexp(step, 12 - exponent)), exponent - 12) : step;
            range.start = num_to_double(types[t], num_from_double(types[t], start));
            range.step = num_to_double(types[t], num_from_double(types[t], cut));
            assert_walk(&range, n % 100 ? 300 : 20000, n % 100 ? 1 : 977);
        }
    const struct range ones = {
        .accumulator = DTYPE_F32, .start = 0, .step = 1}; // stands still at 2^24
    assert_walk(&ones, (1 << 24) + 10, (1 << 20) - 1);
    assert_true(range_recurrence_at(&ones, UINT64_C(1) << 53) == 0x1p24);
    const struct range tenths = {
        .accumulator = DTYPE_F32, .start = 1e7, .step = -0.1F}; // down to zero and beyond
    assert_walk(&tenths, 1 << 20, 4099);
    const struct range overflow = {.accumulator = DTYPE_F32, .start = 0x1.8p127, .step = 0x1p124};
    assert_walk(&overflow, 20, 1);
    for (unsigned t = 0; t < 2; t++) // past the largest 8-bit numbers, which saturate or do not
        for (uint64_t code = 0; code < 2 * 256 * 256; code++) {
            const struct range all = {.type = types[t],
                                      .accumulator = types[t],
                                      .saturate = code >> 16,
                                      .start = num_to_double(types[t], code / 256 % 256),
                                      .step = num_to_double(types[t], code % 256)};
            if (isfinite(all.start) && isfinite(all.step))
                assert_walk(&all, 40, 1);
        }
}

static struct range integers(enum dtype type, int64_t start, int64_t step)
{
    return (struct range){.type = type,
                          .integers = true,
                          .first_integer = (uint64_t)start,
                          .step_integer = (uint64_t)step,
                          .step = (double)step};
}

static void a_part_equals_its_place_in_the_whole(void **state)
{
    (void)state;
    enum { WHOLE = 5000 };
    static unsigned char whole[WHOLE * 8], part[WHOLE * 8];
    for (enum dtype type = DTYPE_I8; type < DTYPE_COUNT; type++)
        for (unsigned element = ELEMENT_MULTIPLY; element <= ELEMENT_RECURRENCE_F64; element++) {
            struct range range = integers(type, -7, 3);
            if (num_format_of(type))
                range = (struct range){
                    .type = type,
                    .accumulator = type == DTYPE_F64 || element == ELEMENT_MULTIPLY_F64 ? DTYPE_F64
                                                                                        : DTYPE_F32,
                    .element = element,
                    .start = -7,
                    .step = 0x1.99999ap-4};
            const size_t size = dtype_size(type);
            range_fill(&range, 0, WHOLE, whole);
            for (uint64_t first = 0; first < WHOLE; first += 313)
                for (uint64_t count = 0; count < 70 && first + count <= WHOLE;
                     count += 1 + count / 9) {
                    // One byte off alignment too.
                    range_fill(&range, first, count, part + size);
                    assert_memory_equal(part + size, whole + first * size, count * size);
                }
        }
}

static void a_streamed_fill_equals_the_formula(void **state)
{
    (void)state;
    enum { COUNT = (4 << 20) + 5 };
    const uint64_t firsts[] = {0, 12345, INT32_MAX - COUNT, UINT64_C(1) << 40};
    uint32_t *const data = malloc((COUNT + 1) * sizeof *data);
    assert_non_null(data);
    for (unsigned f = 0; f < 4; f++) {
        float *const out = (float *)(void *)(data + 1);
        range_fill_f32(-3.25F, 0.1F, firsts[f], COUNT, out);
        for (uint64_t i = 0; i < COUNT; i++) {
            const volatile float product = (float)(firsts[f] + i) * 0.1F;
            assert_true(out[i] == -3.25F + product);
        }
    }
    range_fill_u32(UINT32_MAX - 10, 0x9e3779b9, COUNT, data + 1);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(data[i + 1] == UINT32_MAX - 10 + i * 0x9e3779b9);
    free(data);
}

static uint64_t saturated(enum dtype type, int64_t start, int64_t step, uint64_t index)
{
    const bool is_signed = dtype_kind(type) == DTYPE_KIND_SIGNED;
    const unsigned width = dtype_bits(type);
    const int128 high = ((int128)1 << (width - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    int128 value = (int128)start + (int128)index * step;
    value = value < low ? low : value > high ? high : value;
    return (uint64_t)value & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

// Through the operation, which finds where the output leaves its type.
static void saturation_clamps(void **state)
{
    (void)state;
    const int output_type = operation_attribute(&openvino_range, "output_type");
    uint64_t seed = 5;
    for (int n = 0; n < 20000; n++) {
        const enum dtype type = DTYPE_I8 + (enum dtype)(n % 8);
        const unsigned shift = (unsigned)(random_next(&seed) % 50);
        int64_t number[3] = {(int64_t)random_next(&seed) >> shift, 0,
                             (int64_t)random_next(&seed) >> (shift + 3)};
        if (!number[RANGE_STEP] ||
            __builtin_add_overflow(number[RANGE_START], 7 * (number[RANGE_STEP] >> 1),
                                   &number[RANGE_STOP]))
            continue;
        struct request request = {.operation = &openvino_range, .runs = 1};
        request.attribute[output_type] =
            (struct attribute_value){.present = true, .given = true, .integer = type};
        for (unsigned i = 0; i < 3; i++)
            request.input[i] = (struct tensor){.dtype = DTYPE_I64, .data = &number[i]};
        request.profile.option[RANGE_INTEGER_OVERFLOW] = OVERFLOW_SATURATE;
        struct inference inference = {0};
        struct diagnostic diagnostic;
        assert_int_equal(openvino_range.infer(&request, &inference, &diagnostic), ERROR_NONE);
        unsigned char data[16 * 8];
        const uint64_t count = inference.output[0].shape[0];
        assert_true(count <= 16);
        assert_int_equal(openvino_range.fill(&request, &inference,
                                             &(struct slice){.count = count, .data = data},
                                             &diagnostic),
                         0);
        for (uint64_t i = 0; i < count; i++)
            assert_int_equal(element_load(data, dtype_size(type), i),
                             saturated(type, number[RANGE_START], number[RANGE_STEP], i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recurrence_is_found_without_walking),
        cmocka_unit_test(a_part_equals_its_place_in_the_whole),
        cmocka_unit_test(a_streamed_fill_equals_the_formula),
        cmocka_unit_test(saturation_clamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
