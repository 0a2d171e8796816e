// SPDX-License-Identifier: Apache-2.0
// The avalanche of block functions with a known weakness, each of which mixes well what it mixes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "stats/source/avalanche.h"

// Two mixings by the finisher of MurmurHash3 (Appleby), which passes the avalanche of single bits.
static uint64_t mix(uint64_t x)
{
    for (int r = 0; r < 2; r++) {
        x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
        x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
        x ^= x >> 29;
    }
    return x;
}

static void put(uint64_t value, uint32_t *output)
{
    output[0] = (uint32_t)value;
    output[1] = (uint32_t)(value >> 32);
}

static uint64_t word(const uint32_t *input, unsigned at)
{
    return input[at] | (uint64_t)input[at + 1] << 32;
}

static void sound(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    put(mix(mix(word(input, 0)) + word(input, 2)), output);
}

static void key_joined_to_counter(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    put(mix(word(input, 0) ^ word(input, 2)), output);
}

static void key_added_to_counter(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    put(mix(mix((uint64_t)(input[0] + input[3]) + 77) + word(input, 1)), output);
}

static void key_words_alike(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    put(mix(mix(word(input, 0)) + mix(input[2]) + mix(input[3])), output);
}

// As of the Data Encryption Standard: the complement of everything gives the complement.
static void complementary(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    const uint64_t turned = 0 - (uint64_t)(input[0] >> 31);
    put(mix(mix(word(input, 0) ^ turned) + (word(input, 2) ^ turned)) ^ turned, output);
}

static void key_truncated(const void *context, const uint32_t *input, uint32_t *output)
{
    (void)context;
    put(mix(mix(word(input, 0)) + (word(input, 2) & INT64_MAX)), output);
}

static void weaknesses_are_seen(void **state)
{
    (void)state;
    static const struct {
        void (*evaluate)(const void *context, const uint32_t *input, uint32_t *output);
        int flawed;
        const char *what;
    } row[] = {
        {sound, 0, ""},
        {key_joined_to_counter, 1, "changed in the same bits"},
        {key_added_to_counter, 1, "input words 0 and 3 moved by opposite amounts"},
        {key_words_alike, 1, "input words 2 and 3 exchanged"},
        {complementary, 1, "the whole input complemented"},
        {key_truncated, 1, "key bit 63 turned over"},
    };
    for (unsigned r = 0; r < sizeof row / sizeof *row; r++) {
        const struct block_function block = {
            .input_words = 4, .output_words = 2, .counter_words = 2, .evaluate = row[r].evaluate};
        struct judgement judgement;
        struct diagnostic diagnostic;
        assert_int_equal(avalanche_run(&block, NULL, 12, 1, 1, UINT32_MAX, &judgement, &diagnostic),
                         0);
        if (row[r].flawed != (judgement_log_p(&judgement) < -100))
            fail_msg("function %u: log p %g", r, judgement_log_p(&judgement));
        char text[256];
        avalanche_describe(&block, judgement.worst[0].index, text, sizeof text);
        if (row[r].flawed && !strstr(text, row[r].what))
            fail_msg("function %u: %s", r, text);
        assert_true(row[r].flawed || judgement_log_p(&judgement) > -9);
    }
}

static enum error truncated_by_many(const void *context, const uint32_t *input, size_t count,
                                    uint32_t *output, struct diagnostic *diagnostic)
{
    (void)context, (void)diagnostic;
    for (size_t i = 0; i < count; i++)
        key_truncated(NULL, input + i * BLOCK_INPUT_MAX, output + i * BLOCK_OUTPUT_MAX);
    return ERROR_NONE;
}

// One by one or many at once, in one batch or several: a bit that nobody reads never turns an
// output.
static void every_input_is_held_against_its_own_output(void **state)
{
    (void)state;
    const struct block_function block[] = {
        {.input_words = 4, .output_words = 2, .counter_words = 2, .evaluate = key_truncated},
        {.input_words = 4,
         .output_words = 2,
         .counter_words = 2,
         .evaluate_all = truncated_by_many}};
    for (unsigned b = 0; b < 2; b++)
        for (unsigned log2 = 12; log2 <= 14; log2++) {
            struct judgement judgement;
            struct diagnostic diagnostic;
            assert_int_equal(
                avalanche_run(&block[b], NULL, log2, 1, 2, UINT32_MAX, &judgement, &diagnostic), 0);
            for (unsigned k = 0; k < judgement.kept; k++)
                assert_true(judgement.worst[k].observed <= 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weaknesses_are_seen),
        cmocka_unit_test(every_input_is_held_against_its_own_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
