// SPDX-License-Identifier: Apache-2.0
// Arrays of threefry2x32 are the blocks of Random123 in JAX's order of counter words, whatever form
// makes them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <Random123/threefry.h>

#include "ref/rng/threefry_stream.h"

static const enum isa forms[] = {ISA_SCALAR, ISA_AVX2, ISA_AVX512, ISA_NEON};
static const enum threefry_element elements[] = {THREEFRY_XOR, THREEFRY_PAIR, THREEFRY_U64,
                                                 THREEFRY_UNIT_F32};
enum { FORMS = sizeof forms / sizeof *forms, ELEMENTS = 4 };

// Element `index` as Random123 and plain arithmetic have it; returns its size.
static size_t expected_element(enum threefry_element element, const uint32_t key[2], uint64_t index,
                               unsigned char *out)
{
    const threefry2x32_ctr_t counter = {{(uint32_t)(index >> 32), (uint32_t)index}};
    const threefry2x32_key_t under = {{key[0], key[1]}};
    const threefry2x32_ctr_t x = threefry2x32_R(20, counter, under);
    const uint32_t mixed = x.v[0] ^ x.v[1];
    const uint64_t both = x.v[0] * UINT64_C(0x100000000) + x.v[1];
    const float unit = (float)(mixed / 512) / 8388608;
    switch (element) {
    case THREEFRY_XOR:
        memcpy(out, &mixed, 4);
        return 4;
    case THREEFRY_PAIR:
        memcpy(out, x.v, 8);
        return 8;
    case THREEFRY_U64:
        memcpy(out, &both, 8);
        return 8;
    case THREEFRY_UNIT_F32:
        memcpy(out, &unit, 4);
        return 4;
    }
    return 0;
}

static void assert_range(const uint32_t key[2], uint64_t first, size_t count, unsigned shift)
{
    unsigned char *const expected = malloc(8 * count + 8), *const room =
                                                               malloc(8 * count + 8 * shift + 8);
    assert_non_null(expected);
    assert_non_null(room);
    for (unsigned e = 0; e < ELEMENTS; e++) {
        size_t bytes = 0;
        for (size_t i = 0; i < count; i++)
            bytes += expected_element(elements[e], key, first + i, expected + bytes);
        for (unsigned f = 0; f < FORMS; f++) {
            if (!isa_available(forms[f]))
                continue;
            unsigned char *const got = room + 8 * (size_t)shift;
            memset(room, 0xa5, 8 * count + 8 * (size_t)shift + 8);
            threefry_fill_with(forms[f], elements[e], key, first, count, got);
            if (memcmp(got, expected, bytes) != 0)
                fail_msg("%s, element %u, from %llu, count %zu", isa_name(forms[f]), e,
                         (unsigned long long)first, count);
            assert_int_equal(got[bytes], 0xa5);
            assert_true(!shift || got[-1] == 0xa5);
        }
    }
    free(expected);
    free(room);
}

static void ranges_of_every_length(void **state)
{
    (void)state;
    for (size_t count = 0; count < 300; count++)
        assert_range((const uint32_t[]){0x13198a2e, 0x03707344}, 1000 + count, count,
                     (unsigned)(count % 3));
}

static void random_keys_and_ranges(void **state)
{
    (void)state;
    uint32_t choice[6];
    for (unsigned i = 0; i < 300; i++) {
        threefry_fill_with(ISA_SCALAR, THREEFRY_XOR, (const uint32_t[]){2025, 1}, UINT64_C(6) * i,
                           6, choice);
        const uint64_t first = ((uint64_t)choice[2] << 32 | choice[3]) >> choice[4] % 64;
        const size_t count = choice[5] % 1500;
        assert_range(choice, first > UINT64_MAX - count ? 0 : first, count, i % 9);
    }
}

static void the_low_word_carries_into_the_high_one(void **state)
{
    (void)state;
    for (uint64_t high = 1; high; high <<= 9)
        assert_range((const uint32_t[]){7, 8}, (high << 32) - 117, 250, 1);
    assert_range((const uint32_t[]){7, 8}, UINT64_MAX - 150, 151, 0);
}

static void an_output_beyond_the_cache_has_the_same_bytes(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 9; shift += 4)
        assert_range((const uint32_t[]){9, 10}, UINT32_MAX - UINT64_C(1000), (1 << 21) + 1234,
                     shift);
}

static void pairs_after_any_number_of_rounds(void **state)
{
    (void)state;
    static const uint32_t key[2] = {0x13198a2e, 0x03707344};
    enum { COUNT = 100 };
    const uint64_t first = UINT64_C(0x1234ffffffc0);
    uint32_t got[2 * COUNT];
    for (unsigned rounds = 1; rounds <= 32; rounds++) {
        threefry_fill_pairs(rounds, key, first, COUNT, got);
        for (size_t i = 0; i < COUNT; i++) {
            const threefry2x32_ctr_t counter = {
                {(uint32_t)((first + i) >> 32), (uint32_t)(first + i)}};
            const threefry2x32_key_t under = {{key[0], key[1]}};
            const threefry2x32_ctr_t x = threefry2x32_R(rounds, counter, under);
            assert_memory_equal(got + 2 * i, x.v, sizeof x.v);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_every_length),
        cmocka_unit_test(random_keys_and_ranges),
        cmocka_unit_test(the_low_word_carries_into_the_high_one),
        cmocka_unit_test(pairs_after_any_number_of_rounds),
        cmocka_unit_test(an_output_beyond_the_cache_has_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
