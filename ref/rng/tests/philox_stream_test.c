// SPDX-License-Identifier: Apache-2.0
// A stream is the blocks of Random123 put one after the other, whatever form makes it and however
// it is cut.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <Random123/philox.h>

#include "ref/rng/philox_stream.h"

static const enum isa forms[] = {ISA_SCALAR, ISA_AVX2, ISA_AVX512, ISA_NEON};
enum { FORMS = sizeof forms / sizeof *forms };

// The word by Random123, with the carry done by hand in 128 bits.
static uint32_t expected_word(const struct philox_stream *s, uint64_t index)
{
    __extension__ typedef unsigned __int128 uint128;
    uint128 whole = 0, mask = 0;
    for (unsigned i = 0; i < 4; i++)
        whole |= (uint128)s->counter[i] << 32 * i;
    for (unsigned i = 0; i < s->carry_words; i++)
        mask |= (uint128)UINT32_MAX << 32 * i;
    const uint128 at = (whole & ~mask) | ((whole + index / 4) & mask);
    const philox4x32_ctr_t counter = {
        {(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)(at >> 64), (uint32_t)(at >> 96)}};
    const philox4x32_key_t key = {{s->key[0], s->key[1]}};
    switch (s->rounds) {
    case 1:
        return philox4x32_R(1, counter, key).v[index % 4];
    case 2:
        return philox4x32_R(2, counter, key).v[index % 4];
    case 7:
        return philox4x32_R(7, counter, key).v[index % 4];
    case 9:
        return philox4x32_R(9, counter, key).v[index % 4];
    case 16:
        return philox4x32_R(16, counter, key).v[index % 4];
    default:
        assert_int_equal(s->rounds, 10);
        return philox4x32_R(10, counter, key).v[index % 4];
    }
}

static void assert_range(const struct philox_stream *s, uint64_t first, size_t count)
{
    uint32_t *const got = malloc((count + 2) * sizeof *got);
    assert_non_null(got);
    for (unsigned f = 0; f < FORMS; f++) {
        if (!isa_available(forms[f]))
            continue;
        memset(got, 0xa5, (count + 2) * sizeof *got);
        philox_fill_u32_with(forms[f], s, first, count, got + 1);
        for (size_t i = 0; i < count; i++)
            if (got[i + 1] != expected_word(s, first + i))
                fail_msg("%s, word %llu: %08x, expected %08x", isa_name(forms[f]),
                         (unsigned long long)(first + i), got[i + 1], expected_word(s, first + i));
        assert_int_equal(got[0], 0xa5a5a5a5);
        assert_int_equal(got[count + 1], 0xa5a5a5a5);
    }
    free(got);
}

static void ranges_of_every_phase_and_length(void **state)
{
    (void)state;
    const struct philox_stream s = {
        {0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 10, 4};
    for (uint64_t first = 0; first < 9; first++)
        for (size_t count = 0; count < 300; count += count < 20 ? 1 : 7)
            assert_range(&s, first, count);
}

static void random_streams_and_ranges(void **state)
{
    (void)state;
    static const unsigned rounds[] = {1, 2, 7, 9, 10, 16};
    uint32_t seed[8] = {0};
    const struct philox_stream choice = {{20250101, 7}, {0}, 10, 4};
    for (unsigned i = 0; i < 400; i++) {
        philox_fill_u32(&choice, 8 * i, 8, seed);
        struct philox_stream s = {
            {seed[0], seed[1]}, {seed[2], seed[3], seed[4], seed[5]}, rounds[i % 6], 1 + i / 6 % 4};
        if (i % 3 == 0)
            s.counter[0] = UINT32_MAX - seed[7] % 64;
        const uint64_t first = i % 2 ? (uint64_t)seed[6] << (seed[7] % 32) : seed[6] % 64;
        assert_range(&s, first, seed[7] % 997);
    }
}

static void a_carry_crosses_every_word_that_it_may_and_no_other(void **state)
{
    (void)state;
    const uint32_t full = UINT32_MAX;
    const uint32_t start[][4] = {{full - 5, 3, 4, 5},
                                 {full - 5, full, 4, 5},
                                 {full - 5, full, full, 5},
                                 {full - 5, full, full, full}};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned carry_words = 1; carry_words <= 4; carry_words++) {
            const struct philox_stream s = {
                {1, 2}, {start[i][0], start[i][1], start[i][2], start[i][3]}, 10, carry_words};
            assert_range(&s, 0, 200);
        }
    const struct philox_stream s = {{1, 2}, {0, 0, 0, 0}, 10, 4};
    assert_range(&s, (UINT64_C(1) << 34) - 101, 200); // counter 2^32
    assert_range(&s, UINT64_MAX - 150, 151);          // the last words that an index reaches
    const struct philox_stream high = {{1, 2}, {0, 0xc0000000, full, full}, 10, 4};
    assert_range(&high, UINT64_MAX - 150,
                 151); // 2^62 blocks on: the carry runs through words 1, 2 and 3
}

static void an_output_beyond_the_cache_has_the_same_words(void **state)
{
    (void)state;
    enum { COUNT = (1 << 21) + 1234 };
    const struct philox_stream s = {{5, 6}, {UINT32_MAX - 1000, 0, 0, 0}, 10, 4};
    uint32_t *const plain = malloc(COUNT * sizeof *plain), *const got =
                                                               malloc((COUNT + 64) * sizeof *got);
    assert_non_null(plain);
    assert_non_null(got);
    for (size_t i = 0; i < COUNT; i++)
        plain[i] = expected_word(&s, 3 + i);
    for (unsigned f = 0; f < FORMS; f++)
        for (unsigned shift = 0; shift < 20 && isa_available(forms[f]); shift++) {
            memset(got, 0, (COUNT + 64) * sizeof *got);
            philox_fill_u32_with(forms[f], &s, 3, COUNT, got + shift);
            assert_memory_equal(got + shift, plain, COUNT * sizeof *got);
            assert_int_equal(got[shift + COUNT], 0);
        }
    free(plain);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_every_phase_and_length),
        cmocka_unit_test(random_streams_and_ranges),
        cmocka_unit_test(a_carry_crosses_every_word_that_it_may_and_no_other),
        cmocka_unit_test(an_output_beyond_the_cache_has_the_same_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
