// SPDX-License-Identifier: Apache-2.0
// openvino.random_uniform: the elements are those of the written formula in every form, cached and
// streamed, aligned or not, in any number; remainders for spans of every size.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/small_float.h"
#include "ref/op/openvino/random_uniform.h"
#include "ref/op/openvino/random_uniform_forms.h"
#include "ref/op/request.h"

enum { WORDS = 300, SKEWS = 3, ROOM = WORDS + 64 };

static const struct {
    enum isa isa;
    const struct random_uniform_form *form;
    uint64_t most_i32, most_i64; // spans that it has a way for
} forms[] = {
#if defined(__x86_64__)
    {ISA_AVX2, &random_uniform_form_avx2, UINT64_MAX, UINT64_MAX},
    {ISA_AVX512, &random_uniform_form_avx512, UINT64_MAX, UINT64_MAX},
    {ISA_AVX512, &random_uniform_form_avx512i, RANDOM_UNIFORM_I32_SPAN, RANDOM_UNIFORM_I64_SPAN},
#else
    {ISA_SCALAR, NULL, 0, 0},
#endif
};

enum { FORMS = sizeof forms / sizeof *forms };

static bool is_there(unsigned i)
{
    return forms[i].form && isa_available(forms[i].isa) &&
           (forms[i].form->f32 || isa_has_products());
}

// Ends, words around multiples of `span`, and drawn ones.
static void make_words(uint64_t span, uint32_t *word)
{
    uint64_t seed = span;
    for (uint32_t i = 0; i < WORDS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t around = (seed >> 40) * span + i % 5 - 2;
        word[i] = i < 8    ? i % 2 ? UINT32_MAX - i / 2 : i / 2
                  : i % 3  ? (uint32_t)(seed >> 32)
                  : i & 64 ? (uint32_t)(around >> 32)
                           : (uint32_t)around;
    }
}

// Pairs of words around multiples of `span`, and drawn ones.
static void make_pairs(uint64_t span, uint32_t *word)
{
    make_words(span, word);
    for (uint32_t i = 16; i + 1 < WORDS; i += 4) {
        const uint64_t drawn = word[i] | (uint64_t)word[i + 1] << 32,
                       around = drawn - drawn % span + i / 4 % 5 - 2;
        word[i] = (uint32_t)around;
        word[i + 1] = (uint32_t)(around >> 32);
    }
}

// What stands at `data` is `want` and behind it nothing was touched.
static void check(const uint32_t *data, const uint32_t *want, size_t words)
{
    assert_memory_equal(data, want, words * sizeof *want);
    assert_int_equal(data[words], 0xa5a5a5a5);
}

static uint32_t *place(uint32_t room[ROOM], size_t skew)
{
    memset(room, 0xa5, ROOM * sizeof *room);
    return room + (64 - (uintptr_t)room % 64) % 64 / sizeof *room + 2 * skew;
}

static void assert_remainders(uint64_t span)
{
    const uint32_t minimum = 0x9abcdef1;
    static uint32_t word[WORDS], room[ROOM], want[WORDS];
    make_words(span, word);
    const struct random_uniform_integer integer = random_uniform_integer_of(span, minimum, 32);
    for (size_t i = 0; i < WORDS; i++)
        want[i] = (uint32_t)(word[i] % span + minimum);
    struct random_uniform uniform = {
        .type = DTYPE_I32, .minimum = minimum, .maximum = (uint32_t)(minimum + span)};
    for (size_t count = WORDS - 40; count < WORDS; count++) {
        const size_t skew = count % SKEWS;
        uniform.streamed = count % 2;
        uint32_t *data = place(room, skew);
        random_uniform_values(&uniform, word, count, data);
        check(data, want, count);
        for (unsigned f = 0; f < FORMS; f++)
            if (is_there(f) && span <= forms[f].most_i32) {
                data = place(room, skew);
                forms[f].form->i32(&integer, word, count, data, uniform.streamed);
                check(data, want, count);
            }
    }
}

static void remainders_are_those_of_division(void **state)
{
    (void)state;
    static const uint32_t spans[] = {641,        2047,       2048,       2049,       65535,
                                     65536,      65537,      0x7ffffbff, 0x7ffffffc, 0x7fffffff,
                                     0x80000000, 0x80000001, 0xaaaaaaab, 0xfffffffe, 0xffffffff};
    uint64_t seed = 1;
    for (uint32_t span = 1; span <= RANDOM_UNIFORM_I32_SPAN + 1; span++)
        assert_remainders(span);
    for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
        assert_remainders(spans[s]);
    for (unsigned i = 0; i < 2000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        assert_remainders((seed >> 33 | UINT64_C(1) << 31) >> i % 22);
    }
}

static void assert_long_remainders(uint64_t span)
{
    static uint32_t word[WORDS], room[ROOM], want[WORDS];
    const uint64_t minimum = UINT64_MAX - 5;
    struct random_uniform uniform = {
        .type = DTYPE_I64, .minimum = minimum, .maximum = minimum + span};
    make_pairs(span, word);
    const struct random_uniform_integer integer = random_uniform_integer_of(span, minimum, 64);
    for (size_t i = 0; i < WORDS; i += 2) {
        const uint64_t x = word[i] | (uint64_t)word[i + 1] << 32, value = x % span + minimum;
        memcpy(want + i, &value, sizeof value);
    }
    for (size_t count = WORDS / 2 - 20; count <= WORDS / 2; count++) {
        uniform.streamed = count % 2;
        uint64_t *data = (uint64_t *)(void *)place(room, count % SKEWS);
        random_uniform_values(&uniform, word, count, data);
        check((uint32_t *)(void *)data, want, 2 * count);
        for (unsigned f = 0; f < FORMS; f++)
            if (is_there(f) && span <= forms[f].most_i64) {
                data = (uint64_t *)(void *)place(room, count % SKEWS);
                forms[f].form->i64(&integer, word, count, data, uniform.streamed);
                check((uint32_t *)(void *)data, want, 2 * count);
            }
    }
}

static void long_remainders_are_those_of_division(void **state)
{
    (void)state;
    static const uint64_t spans[] = {1000003,
                                     UINT64_C(1) << 32,
                                     (UINT64_C(1) << 32) + 1,
                                     UINT64_C(1) << 63,
                                     (UINT64_C(1) << 63) + 1,
                                     (UINT64_C(1) << 63) - 8192,
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    uint64_t seed = 2;
    for (uint64_t span = 1; span <= 300; span++) {
        assert_long_remainders(span);
        assert_long_remainders(RANDOM_UNIFORM_I64_SPAN + 1 - span);
        assert_long_remainders(span * 1747);
    }
    for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
        assert_long_remainders(spans[s]);
    for (unsigned i = 0; i < 2000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        assert_long_remainders((seed | UINT64_C(1) << 63) >> i % 54);
    }
}

static void reals_are_those_of_the_formula(void **state)
{
    (void)state;
    static uint32_t word[WORDS], room[ROOM], want[WORDS];
    make_words(12345, word);
    for (unsigned way = 0; way < 5; way++) {
        const bool wide = way == 4;
        const struct random_uniform_real real = {way & 1, way & 2 ? (way & 1 ? 8 : 9) : 0,
                                                 wide ? 0x1.123456789abcdp3 : 0x1.23456p3,
                                                 wide ? -0x1.fedcba9876543p1 : -0x1.fedcbap1};
        for (size_t i = 0; i < WORDS && !wide; i++) {
            const uint32_t x = word[i] >> real.shift;
            const float u = real.pytorch ? (float)(x & 0xffffff) * 0x1p-24f
                                         : float_from_bits(0x3f800000 | (x & 0x7fffff)) - 1;
            const volatile float product = u * (float)real.span;
            want[i] = float_bits(product + (float)real.minimum);
        }
        for (size_t i = 0; i < WORDS / 2 && wide; i++) {
            const uint64_t x = (uint64_t)word[2 * i] << 32 | word[2 * i + 1];
            const double u =
                double_from_bits(UINT64_C(0x3ff) << 52 | (x & UINT64_C(0xfffffffffffff))) - 1;
            const volatile double product = u * real.span;
            const uint64_t bits = double_bits(product + real.minimum);
            memcpy(want + 2 * i, &bits, sizeof bits);
        }
        for (unsigned f = 0; f < FORMS; f++)
            for (size_t i = 0; is_there(f) && forms[f].form->f32 && i < SKEWS * 40 * 2; i++) {
                const size_t count = (WORDS - i % 40) / (wide ? 2 : 1);
                uint32_t *const data = place(room, i / 40 % SKEWS);
                if (wide)
                    forms[f].form->f64(&real, word, count, (double *)(void *)data, i % 2);
                else
                    forms[f].form->f32(&real, word, count, (float *)(void *)data, i % 2);
                check(data, want, wide ? 2 * count : count);
            }
    }
}

// Every draw of the 16-bit types, between bounds of any size: looked up, one by one, and by
// vectors.
static void narrow_values_are_those_of_the_nodes(void **state)
{
    (void)state;
    enum { DRAWS = 1 << 10, PAIRS = 3000 };
    static uint32_t word[DRAWS];
    static uint16_t got[DRAWS];
    uint64_t seed = 11;
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        struct random_uniform uniform = {.type = pair % 2 ? DTYPE_F16 : DTYPE_BF16};
        const uint64_t magnitudes = pair % 3 ? 0x7fff : pair % 2 ? 0x7ff : 0xff;
        for (unsigned i = 0; i < 2; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            *(i ? &uniform.maximum : &uniform.minimum) =
                (seed >> 32 & magnitudes) | (seed >> 60 & 1) << 15;
        }
        const double low = num_to_double(uniform.type, uniform.minimum),
                     high = num_to_double(uniform.type, uniform.maximum);
        if (!(low < high))
            continue;
        const unsigned draws = uniform.type == DTYPE_F16 ? 1 << 10 : 1 << 7;
        for (uint32_t i = 0; i < draws; i++)
            word[i] = i | (uint32_t)seed << 10;
        random_uniform_values(&uniform, word, draws, got);
        random_uniform_make_table(&uniform);
        for (uint32_t i = 0; i < draws; i++)
            assert_int_equal(got[i], uniform.narrow[i]);
    }
}

// A fill of `count` elements from `first` on, and one in parts, have the same bytes.
static void assert_parts(enum dtype type, int maximum, uint64_t first, size_t count, size_t part)
{
    enum { SKEW = 3 };
    const size_t size = dtype_size(type);
    int64_t shape = (int64_t)(first + count);
    const uint64_t bounds[2] = {num_from_double(type, -3), num_from_double(type, maximum)};
    const int64_t attributes[] = {type, 150, 10};
    unsigned char *const whole = malloc((count + SKEW) * size), *const got = malloc(part * size);
    struct request request;
    struct inference inference = {0};
    assert_true(whole && got);
    request_start(&request, &openvino_random_uniform);
    for (unsigned i = 0; i < 3; i++)
        request.attribute[i] = (struct attribute_value){.present = true, .integer = attributes[i]};
    request.input[0] = (struct tensor){.dtype = DTYPE_I64, .rank = 1, .shape = {1}, .data = &shape};
    for (unsigned i = 0; i < 2; i++)
        request.input[1 + i] = (struct tensor){.dtype = type, .data = (void *)&bounds[i]};
    assert_int_equal(openvino_random_uniform.infer(&request, &inference, NULL), ERROR_NONE);
    unsigned char *const data = whole + SKEW * size;
    openvino_random_uniform.fill(
        &request, &inference, &(struct slice){.first = first, .count = count, .data = data}, NULL);
    for (size_t done = 0; done < count; done += part) {
        const size_t now = count - done < part ? count - done : part;
        openvino_random_uniform.fill(
            &request, &inference, &(struct slice){.first = first + done, .count = now, .data = got},
            NULL);
        assert_memory_equal(got, data + done * size, now * size);
    }
    free(got);
    free(whole);
}

static const enum dtype types[] = {DTYPE_F32, DTYPE_I32, DTYPE_F64,
                                   DTYPE_I64, DTYPE_F16, DTYPE_BF16};

static void a_streamed_fill_equals_its_parts(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        assert_parts(types[t], 90, 0, (2 << 20) + 21, 100003);
}

// Parts too short for blocks that are drawn and made into values at once, also where the first
// word of the counter wraps.
static void drawn_values_are_those_of_words_in_memory(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint64_t first = 0; first < 5; first++) {
            const uint64_t wrap = (UINT64_C(1) << 34) / (dtype_size(types[t]) == 8 ? 2 : 1);
            assert_parts(types[t], 90, first, 4000, 29);
            assert_parts(types[t], 90, wrap - 777 + first, 4000, 29);
            assert_parts(types[t], dtype_size(types[t]) == 2 ? 3000 : INT32_MAX, first, 4000, 29);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remainders_are_those_of_division),
        cmocka_unit_test(long_remainders_are_those_of_division),
        cmocka_unit_test(reals_are_those_of_the_formula),
        cmocka_unit_test(narrow_values_are_those_of_the_nodes),
        cmocka_unit_test(a_streamed_fill_equals_its_parts),
        cmocka_unit_test(drawn_values_are_those_of_words_in_memory),
    };
    return cmocka_run_group_tests_name("openvino_random_uniform_form", tests, NULL, NULL);
}
