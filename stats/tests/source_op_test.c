// SPDX-License-Identifier: Apache-2.0
// The functions behind operations of the reference: they give the words of the stream, and every
// bit of key, seed and state counts.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/source/avalanche.h"
#include "stats/source/source.h"

static void open_operation(struct source *source, const char *name, uint64_t seed)
{
    struct diagnostic diagnostic;
    assert_int_equal(source_open_operation(source, name, seed, &diagnostic), 0);
    assert_non_null(source->block);
}

static void evaluate(const struct source *source, const uint32_t *input, uint32_t *output)
{
    uint32_t whole[BLOCK_INPUT_MAX] = {0};
    struct diagnostic diagnostic;
    memcpy(whole, input, source->block->input_words * sizeof *whole);
    if (source->block->evaluate)
        source->block->evaluate(source->context, whole, output);
    else
        assert_int_equal(
            source->block->evaluate_all(source->context, whole, 1, output, &diagnostic), 0);
}

// Random123's known answers of philox4x32-10 (kat_vectors): counter and key all zero, all ones, and
// digits of pi.
static void directml_is_philox(void **state)
{
    (void)state;
    static const struct {
        uint32_t input[6], output[4];
    } known[] = {
        {{0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    struct source source;
    open_operation(&source, "directml.random_generator", 5);
    for (unsigned k = 0; k < sizeof known / sizeof *known; k++) {
        uint32_t output[BLOCK_OUTPUT_MAX];
        evaluate(&source, known[k].input, output);
        assert_memory_equal(output, known[k].output, sizeof known[k].output);
    }
    source_close(&source);
}

// Element `at` of the stream under the seed, as the stream packs it.
static uint32_t element(const struct source *source, uint64_t at, unsigned bits)
{
    static _Alignas(64) uint32_t words[2 * SOURCE_GRAIN];
    struct diagnostic diagnostic;
    size_t got;
    const uint64_t first = at * bits / 32 / SOURCE_GRAIN * SOURCE_GRAIN,
                   bit = at * bits - first * 32;
    assert_int_equal(
        source->read(source->context, first, 2 * SOURCE_GRAIN, words, &got, &diagnostic), 0);
    const uint64_t pair = words[bit / 32] | (uint64_t)words[bit / 32 + 1] << 32;
    return (uint32_t)(pair >> bit % 32 & ((UINT64_C(1) << bits) - 1));
}

static void functions_give_the_words_of_the_stream(void **state)
{
    (void)state;
    static const uint64_t seed[] = {UINT64_C(0x0000000100000002), UINT64_C(0xfedcba9876543210)};
    static const uint32_t at[] = {0, 1, 70001, 0xfffffff0};
    static const struct {
        const char *name;
        unsigned bits, elements; // a block
    } row[] = {{"jax.bits", 32, 1},
               {"jax.uniform", 23, 1},
               {"openvino.random_uniform", 23, 4},
               {"directml.random_generator", 32, 4}};
    for (unsigned r = 0; r < sizeof row / sizeof *row; r++)
        for (unsigned s = 0; s < 2; s++) {
            struct source source, other;
            const uint32_t high = (uint32_t)(seed[s] >> 32), low = (uint32_t)seed[s];
            open_operation(&source, row[r].name, seed[s]);
            open_operation(&other, row[r].name,
                           12345); // the function takes nothing from its own seed
            for (unsigned a = 0; a < 4; a++) {
                const uint32_t key[] = {at[a], high, low}, seeds[] = {at[a], low, 0, high, 0},
                               words[] = {at[a], 0, 0, 0, high, low};
                uint32_t output[BLOCK_OUTPUT_MAX];
                evaluate(&other, r < 2 ? key : r == 2 ? seeds : words, output);
                for (unsigned e = 0; e < row[r].elements; e++)
                    assert_int_equal(
                        output[e],
                        element(&source, (uint64_t)at[a] * row[r].elements + e, row[r].bits));
            }
            source_close(&source);
            source_close(&other);
        }
}

static void every_bit_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned hypotheses;
    } row[] = {{"jax.bits", (96 + 9 + 3) * 2 * 32},
               {"jax.uniform", (96 + 9 + 3) * 2 * 23},
               {"jax.split", (192 + 45 + 3) * 14 * 32},
               {"openvino.random_uniform", (160 + 30 + 3) * 14 * 23},
               {"directml.random_generator", (192 + 45 + 3) * 14 * 32}};
    for (unsigned r = 0; r < sizeof row / sizeof *row; r++) {
        struct source source;
        struct judgement judgement;
        struct diagnostic diagnostic;
        open_operation(&source, row[r].name, 1);
        assert_int_equal(avalanche_run(source.block, source.context, 12, 1, 2, UINT32_MAX,
                                       &judgement, &diagnostic),
                         0);
        assert_int_equal(judgement.hypotheses, row[r].hypotheses);
        if (judgement_log_p(&judgement) < -9)
            fail_msg("%s: log p %g", row[r].name, judgement_log_p(&judgement));
        source_close(&source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directml_is_philox),
        cmocka_unit_test(functions_give_the_words_of_the_stream),
        cmocka_unit_test(every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
