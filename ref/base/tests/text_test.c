// SPDX-License-Identifier: Apache-2.0
// The decoder of UTF-8 beside glibc's iconv, over all sequences of two bytes and all code points,
// and text that grows by one byte at a time and by much at once.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <iconv.h>

#include "ref/base/text.h"

// The first character of `size` bytes as iconv reads it; 0 when it finds none.
static uint32_t iconv_first(iconv_t converter, char *bytes, size_t size)
{
    uint32_t code = 0;
    char *out = (char *)&code;
    size_t left = size, room = sizeof code;
    iconv(converter, NULL, NULL, NULL, NULL);
    iconv(converter, &bytes, &left, &out, &room);
    return room ? 0 : code;
}

static void assert_same(iconv_t converter, char *bytes, size_t size)
{
    uint32_t code;
    bytes[size] = '\0';
    const size_t length = utf8_decode(bytes, &code);
    const uint32_t expected = iconv_first(converter, bytes, size);
    assert_int_equal(length > 0, expected > 0);
    assert_int_equal(code, expected ? expected : 0xfffd);
}

static void utf8_is_what_iconv_reads(void **state)
{
    (void)state;
    char bytes[8];
    const iconv_t converter =
        iconv_open(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "UTF-32LE" : "UTF-32BE", "UTF-8");
    assert_ptr_not_equal(converter, (iconv_t)-1);
    for (unsigned first = 1; first < 256; first++)
        for (unsigned second = 1; second < 256; second++) {
            memcpy(bytes, (char[]){(char)first, (char)second, (char)0x80, (char)0xbf}, 4);
            for (size_t size = 1; size <= 4; size++)
                assert_same(converter, bytes, size);
            memcpy(bytes, (char[]){(char)first, (char)second, (char)0x80, 'x'}, 4);
            assert_same(converter, bytes, 4);
        }
    // Every number of 21 bits in the form of four bytes: code points, and those too large.
    for (uint32_t code = 0; code < 1u << 21; code++) {
        for (unsigned i = 0; i < 4; i++)
            bytes[i] = (char)((i ? 0x80 : 0xf0) | (code >> (18 - 6 * i) & 0x3f));
        assert_same(converter, bytes, 4);
    }
    for (uint32_t code = 0; code < 1u << 16; code++) {
        for (unsigned i = 0; i < 3; i++)
            bytes[i] = (char)((i ? 0x80 : 0xe0) | (code >> (12 - 6 * i) & 0x3f));
        assert_same(converter, bytes, 3);
    }
    iconv_close(converter);
}

static void text_grows(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    struct text text = {0};
    for (int i = 0; i < COUNT; i++)
        text_put_bytes(&text, &"0123456789"[i % 10], 1);
    text_print(&text, "%0*d", COUNT, 7);
    text_put(&text, "end");
    assert_false(text.failed);
    assert_int_equal(text.size, 2 * COUNT + 3);
    assert_memory_equal(text.bytes + COUNT - 10, "01234567890000", 14);
    assert_string_equal(text.bytes + 2 * COUNT - 1, "7end");
    text_clear(&text);
    assert_int_equal(text.size, 0);
    text_print(&text, "%s", "");
    assert_string_equal(text.bytes, "");
    text_release(&text);
    assert_null(text.bytes);
}

static void text_that_failed_takes_no_more(void **state)
{
    (void)state;
    struct text text = {0};
    text_put(&text, "before");
    text_put_bytes(&text, "", SIZE_MAX - 8);
    assert_true(text.failed);
    text_clear(&text);
    assert_true(text.failed);
    text_put(&text, "after");
    text_print(&text, "%d", 1);
    assert_string_equal(text.bytes, "before");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_what_iconv_reads),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(text_that_failed_takes_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
