// SPDX-License-Identifier: Apache-2.0
// Fills against digests made by a Python copy that knows only their description (fill.py), and the
// parameters that are refused.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/base/digest.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "yaml/fill.h"
#include "yaml/reader.h"

static void digest_of_fill(const struct fill *fill, uint64_t part, char *hex)
{
    struct diagnostic d;
    unsigned char result[DIGEST_SIZE];
    const size_t size = dtype_size(fill->tensor.dtype), bytes = size * (size_t)fill->count;
    unsigned char *const native = malloc(bytes + 1), *const little = malloc(bytes + 1);
    for (uint64_t first = 0; first < fill->count; first += part)
        fill_write(fill, first, fill->count - first < part ? fill->count - first : part,
                   native + first * size);
    bytes_copy_little_endian(little, native, size, (size_t)fill->count);
    assert_int_equal(digest_of(little, bytes, result, &d), ERROR_NONE);
    digest_write_hex(result, hex);
    free(native);
    free(little);
}

static void every_kind_equals_its_description_whole_and_in_parts(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diagnostic d;
    struct document_source file;
    unsigned rows = 0;
    assert_int_equal(file_read("yaml/tests/fills.jsonl", &arena, &file, &d), ERROR_NONE);
    for (size_t at = 0; at < file.size; rows++) {
        const char *const end = memchr(file.text + at, '\n', file.size - at);
        const struct document_source line = {.name = file.name,
                                             .text = file.text + at,
                                             .size = (size_t)(end - file.text) - at,
                                             .lines_before = rows};
        struct document_node *root;
        struct fill fill;
        char whole[DIGEST_HEX_SIZE], parts[DIGEST_HEX_SIZE];
        at += line.size + 1;
        assert_int_equal(json_read(&line, &arena, &root, &d), ERROR_NONE);
        if (fill_read(document_find(root, "fill"), &arena, &fill, &d) ||
            fill_set_key(&fill, "suite", "case", "tensor", &d))
            fail_msg("line %u: %s", rows + 1, d.text);
        digest_of_fill(&fill, fill.count ? fill.count : 1, whole);
        digest_of_fill(&fill, 3, parts);
        if (strcmp(whole, document_find(root, "sha256")->text) != 0 || strcmp(parts, whole) != 0)
            fail_msg("line %u: whole %s in parts %s: %.*s", rows + 1, whole, parts, (int)line.size,
                     line.text);
    }
    assert_true(rows > 50);
    arena_release(&arena);
}

static const struct {
    const char *text, *message;
    unsigned column;
} refused[] = {
    {"{fill: noise, dtype: f32, shape: [1]}", "unknown fill 'noise'; known: bits, integers", 8},
    {"{fill: grid, dtype: i8, shape: [1], bits: 4}", "a fill of kind grid does not make i8", 21},
    {"{fill: bits, dtype: f31, shape: [1]}", "unknown dtype 'f31'", 21},
    {"{fill: bits, dtype: f32}", "a fill of kind bits needs the key shape", 1},
    {"{fill: bits, dtype: f32, shape: 3}", "shape is a single value; expected a list", 33},
    {"{fill: bits, dtype: f32, shape: [-1]}", "a size is -1; expected a whole number from 0", 34},
    {"{fill: bits, dtype: f32, shape: [200000, 200000]}", "a fill has at most 2^34 elements", 33},
    {"{fill: bits, dtype: f32, shape: [1], low: 3}",
     "unknown key 'low' in a fill; known: fill, dtype, shape, sparse, as", 38},
    {"{fill: integers, dtype: f16, shape: [1], low: 0, high: 2049}",
     "high is 2049; expected a whole number from 0 to 2048", 56},
    {"{fill: integers, dtype: u8, shape: [1], low: -1, high: 2}",
     "low is -1; expected a whole number from 0 to 255", 46},
    {"{fill: integers, dtype: i8, shape: [1], low: 3, high: 2}",
     "high is 2; expected a whole number from 3 to 127", 55},
    {"{fill: integers, dtype: i64, shape: [1], low: 0, high: 4294967296}",
     "one word cannot reach all of them", 1},
    {"{fill: grid, dtype: f16, shape: [1], bits: 13}",
     "bits is 13; expected a whole number from 1 to 12", 44},
    {"{fill: grid, dtype: f16, shape: [1], bits: 12, scale: -14}",
     "scale is -14; expected a whole number from -13 to 15", 55},
    {"{fill: powers, dtype: f32, shape: [1], lowest: -150, highest: 0}", "lowest is -150", 48},
    {"{fill: floats, dtype: f8e4m3, shape: [1], lowest: 0, highest: 8}", "highest is 8", 63},
    {"{fill: cycle, dtype: f8e4m3, shape: [1], values: [inf]}", "inf", 51},
    {"{fill: integers, dtype: f8e5m2, shape: [1], low: 0, high: 9}", "high is 9", 59},
    {"{fill: floats, dtype: f32, shape: [1], lowest: -127, highest: 0}", "lowest is -127", 48},
    {"{fill: floats, dtype: f64, shape: [1], lowest: -200, highest: 100}",
     "8 bits of a word cannot reach all", 1},
    {"{fill: ramp, dtype: f16, shape: [2050], first: 0, step: 1}",
     "the ramp leaves the whole numbers that f16 holds", 1},
    {"{fill: cycle, dtype: u8, shape: [1], values: []}", "values is empty", 46},
    {"{fill: cycle, dtype: u8, shape: [1], values: [256]}", "256", 47},
    {"{fill: bits, dtype: u8, shape: [4], sparse: {axis: 1, count: 1}}",
     "axis is 1; expected a whole number from 0 to 0", 52},
    {"{fill: bits, dtype: u8, shape: [4], sparse: {axis: 0, count: 5}}",
     "count is 5; expected a whole number from 1 to 4", 62},
    {"{fill: bits, dtype: u8, shape: [4], sparse: {axis: 0, count: 1, else: 256}}",
     "found \"256\", expected an integer in range for u8", 71},
};

static void what_could_not_be_exact_is_refused_at_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct arena arena = {0};
        struct diagnostic d = {.text = ""};
        struct document_node *root;
        struct fill fill;
        char text[160];
        // The stream reader takes what starts with a brace for JSON.
        snprintf(text, sizeof text, "---\n- %s\n", refused[i].text);
        const struct document_source source = {.name = "fill", .text = text, .size = strlen(text)};
        assert_int_equal(yaml_read(&source, &arena, &root, &d), ERROR_NONE);
        if (fill_read(root->item[0], &arena, &fill, &d) != ERROR_INPUT ||
            !strstr(d.text, refused[i].message) || d.column != refused[i].column + 2)
            fail_msg("%s: column %u: %s", refused[i].text, d.column - 2, d.text);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_equals_its_description_whole_and_in_parts),
        cmocka_unit_test(what_could_not_be_exact_is_refused_at_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
