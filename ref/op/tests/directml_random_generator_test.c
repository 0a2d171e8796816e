// SPDX-License-Identifier: Apache-2.0
// RANDOM_GENERATOR against its documentation and against blocks computed one by one.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ref/op/request.h"
#include "ref/rng/philox.h"
#include "ref/variant/variant.h"

enum { TYPE, OUTPUT_SIZES, OUTPUT_TYPE, OUTPUT_STATE, OUTPUT_STATE_SIZES, FEATURE_LEVEL };
enum { LEVEL_4_0 = 2, LEVELS = 12 }; // 3.0, 3.1, 4.0 and those above

struct call {
    struct request request;
    uint32_t state[6];
    int64_t sizes[8];
};

static struct call *prepare(struct arena *arena, const uint32_t state[6], const int64_t *sizes,
                            size_t rank)
{
    struct call *const call = arena_take(arena, sizeof *call);
    request_start(&call->request, operation_named("directml.random_generator"));
    memcpy(call->state, state, sizeof call->state);
    memcpy(call->sizes, sizes, rank * sizeof *sizes);
    call->request.attribute[OUTPUT_SIZES].present = true;
    call->request.attribute[OUTPUT_SIZES].integers = call->sizes;
    call->request.attribute[OUTPUT_SIZES].count = rank;
    call->request.attribute[OUTPUT_STATE].integer = 1;
    call->request.input[0] =
        (struct tensor){.dtype = DTYPE_U32, .rank = 4, .shape = {1, 1, 1, 6}, .data = call->state};
    return call;
}

// The documentation adds 324,855 blocks for {3,3,20,7219} to 0x48656c6c'6f46726f'6d536561'74746c65
// and prints the counter that lies as far *below* it; added to that one, the sum is the counter it
// started from.
static void the_documented_example_holds_with_before_and_after_exchanged(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct evaluation evaluation;
    struct diagnostic diagnostic;
    struct call *const call =
        prepare(&arena, (const uint32_t[]){0x746f776e, 0x6d536561, 0x6f46726f, 0x48656c6c, 1, 2},
                (const int64_t[]){3, 3, 20, 7219}, 4);
    call->request.windowed = true;
    call->request.window_count = 1;
    assert_int_equal(variant_evaluate(&call->request, &arena, &evaluation, &diagnostic),
                     ERROR_NONE);
    static const uint32_t expected[6] = {0x74746c65, 0x6d536561, 0x6f46726f, 0x48656c6c, 1, 2};
    assert_memory_equal(evaluation.tensor[1].data, expected, sizeof expected);
    arena_release(&arena);
}

static void elements_are_the_words_of_consecutive_blocks_with_a_128_bit_carry(void **state)
{
    (void)state;
    static const uint32_t full = 0xffffffff;
    static const uint32_t states[][6] = {{0, 0, 0, 0, 7, 9},
                                         {full, 0, 0, 0, 7, 9},
                                         {full, full, 0, 5, 7, 9},
                                         {full, full, full, 5, 7, 9},
                                         {full, full, full, full, 7, 9}};
    for (size_t s = 0; s < sizeof states / sizeof *states; s++)
        for (int64_t size = 0; size < 14; size++) {
            struct arena arena = {0};
            struct evaluation evaluation;
            struct diagnostic diagnostic;
            struct call *const call = prepare(&arena, states[s], &size, 1);
            assert_int_equal(variant_evaluate(&call->request, &arena, &evaluation, &diagnostic),
                             ERROR_NONE);
            const uint32_t *const got = evaluation.tensor[0].data, *const after =
                                                                       evaluation.tensor[1].data;
            struct philox_counter counter = {
                {states[s][0], states[s][1], states[s][2], states[s][3]}};
            for (int64_t i = 0; i < size; i++) {
                const struct philox_counter at =
                    philox_advance(&philox4x32, counter, (uint64_t)i / 4);
                assert_int_equal(
                    got[i],
                    philox_block(&philox4x32, at, (struct philox_key){{7, 9}}, 10).word[i % 4]);
            }
            counter = philox_advance(&philox4x32, counter, ((uint64_t)size + 3) / 4);
            for (unsigned i = 0; i < 4; i++)
                assert_int_equal(after[i], counter.word[i]);
            assert_memory_equal(call->state, states[s],
                                sizeof call->state); // a pure function writes nothing to its input
            arena_release(&arena);
        }
}

static void feature_levels_limit_ranks(void **state)
{
    (void)state;
    static const uint32_t zero[6] = {0};
    for (size_t rank = 0; rank <= 8; rank++)
        for (int level = 0; level < LEVELS; level++) {
            struct arena arena = {0};
            struct inference inference;
            struct diagnostic diagnostic;
            struct call *const call =
                prepare(&arena, zero, (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1}, rank);
            call->request.attribute[FEATURE_LEVEL].integer = level;
            const bool right = level < LEVEL_4_0 ? rank == 4 : rank >= 1;
            assert_int_equal(variant_infer(&call->request, &inference, &diagnostic),
                             right ? ERROR_NONE : ERROR_INVALID_ARGUMENT);
            call->request.input[0].shape[3] = 5;
            assert_int_equal(variant_infer(&call->request, &inference, &diagnostic),
                             ERROR_INVALID_ARGUMENT);
            arena_release(&arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documented_example_holds_with_before_and_after_exchanged),
        cmocka_unit_test(elements_are_the_words_of_consecutive_blocks_with_a_128_bit_carry),
        cmocka_unit_test(feature_levels_limit_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
