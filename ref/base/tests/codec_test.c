// SPDX-License-Identifier: Apache-2.0
// What is coded comes back as it was; what is cut off, out of bounds or too large to be true fails.

#include "ref/base/shard/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum color { RED, GREEN, BLUE };

struct item {
    enum color color;
    bool flag;
    uint64_t number;
    double real;
    char chars[4];
    const char *text, *none;
};

struct sample {
    size_t count;
    struct item *item;
    struct item *one;
    struct tensor tensor;
};

static void code_item(const struct shard_codec *codec, struct item *item)
{
    SHARD_CODE(codec, item->color, BLUE);
    SHARD_CODE(codec, item->flag, true);
    SHARD_CODE(codec, item->number, UINT64_MAX);
    shard_code_double(codec, &item->real);
    shard_code_chars(codec, item->chars, sizeof item->chars);
    shard_code_text(codec, &item->text);
    shard_code_text(codec, &item->none);
}

static void code_sample(const struct shard_codec *codec, struct sample *sample)
{
    sample->item = shard_code_list(codec, sample->item, &sample->count, sizeof *sample->item, 2);
    for (size_t i = 0; i < sample->count; i++)
        code_item(codec, &sample->item[i]);
    sample->one = shard_code_one(codec, sample->one, sizeof *sample->one);
    if (sample->one)
        code_item(codec, sample->one);
    shard_code_tensor(codec, &sample->tensor);
    sample->tensor.data = shard_code_bytes(codec, sample->tensor.data, 3, 2);
}

static struct shard_payload payload_of(struct item item[2])
{
    struct shard_payload payload = {0};
    struct sample sample = {
        .count = 2,
        .item = item,
        .one = &item[1],
        .tensor = {.dtype = DTYPE_F16, .rank = 2, .shape = {3, 1}, .data = (char[]){"abcdef"}}};
    code_sample(&(struct shard_codec){.to = &payload}, &sample);
    assert_false(payload.bytes.failed);
    return payload;
}

static struct item some[2] = {{BLUE, true, UINT64_MAX, -0.1, "abc", "text", NULL},
                              {RED, false, 0, 0, "", "", NULL}};

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct shard_payload payload = payload_of(some);
    const unsigned char *const bytes = (const unsigned char *)payload.bytes.bytes;
    struct shard_reader reader = {.at = bytes, .end = bytes + payload.bytes.size};
    struct arena arena = {0};
    struct sample got = {0};
    code_sample(&(struct shard_codec){.from = &reader, .arena = &arena}, &got);
    assert_false(reader.failed);
    assert_ptr_equal(reader.at, reader.end);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.item[0].color, BLUE);
    assert_true(got.item[0].flag);
    assert_true(got.item[0].number == UINT64_MAX && got.item[0].real == -0.1);
    assert_string_equal(got.item[0].chars, "abc");
    assert_string_equal(got.item[0].text, "text");
    assert_null(got.item[0].none);
    assert_true(got.one && !got.one->flag && got.one->color == RED);
    assert_string_equal(got.one->text, "");
    assert_int_equal(got.tensor.dtype, DTYPE_F16);
    assert_int_equal(got.tensor.shape[0], 3);
    assert_memory_equal(got.tensor.data, "abcdef", 6);
    arena_release(&arena);
    text_release(&payload.bytes);
}

static void every_cut_fails(void **state)
{
    (void)state;
    struct shard_payload payload = payload_of(some);
    const unsigned char *const bytes = (const unsigned char *)payload.bytes.bytes;
    for (size_t size = 0; size < payload.bytes.size; size++) {
        struct shard_reader reader = {.at = bytes, .end = bytes + size};
        struct arena arena = {0};
        struct sample got = {0};
        code_sample(&(struct shard_codec){.from = &reader, .arena = &arena}, &got);
        assert_true(reader.failed);
        arena_release(&arena);
    }
    text_release(&payload.bytes);
}

static void numbers_are_bounded(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (unsigned value = 0; value < 4; value++) {
        const unsigned char byte = (unsigned char)value;
        struct shard_reader color_of = {.at = &byte, .end = &byte + 1}, flag_of = color_of,
                            list_of = color_of;
        enum color color = GREEN;
        bool flag;
        size_t count;
        SHARD_CODE((&(struct shard_codec){.from = &color_of}), color, BLUE);
        assert_int_equal(color_of.failed, value > BLUE);
        assert_int_equal(color, color_of.failed ? 0 : value);
        SHARD_CODE((&(struct shard_codec){.from = &flag_of}), flag, UINT64_MAX);
        assert_int_equal(flag_of.failed, value > 1);
        // Nothing follows, so only an empty list can be true.
        shard_code_list(&(struct shard_codec){.from = &list_of, .arena = &arena}, NULL, &count, 8,
                        UINT64_MAX);
        assert_int_equal(list_of.failed, value > 0);
        assert_int_equal(count, 0);
    }
    arena_release(&arena);
}

static void bytes_that_overflow_are_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    const unsigned char bytes[] = {8, 0, 0, 0, 0, 0, 0, 0, 0};
    struct shard_reader reader = {.at = bytes, .end = bytes + sizeof bytes};
    // 2^61 + 1 elements of 8 bytes are 8 bytes modulo 2^64.
    assert_null(shard_code_bytes(&(struct shard_codec){.from = &reader, .arena = &arena}, NULL,
                                 (UINT64_C(1) << 61) + 1, 8));
    assert_true(reader.failed);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(every_cut_fails),
        cmocka_unit_test(numbers_are_bounded), cmocka_unit_test(bytes_that_overflow_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
