// SPDX-License-Identifier: Apache-2.0
// Text that grows, and the characters of UTF-8.

#include "ref/base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

void text_release(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

void text_clear(struct text *text)
{
    text->size = 0;
    text->comma = false;
}

// Makes room for `size` bytes and a NUL behind those that are there.
static bool make_room(struct text *text, size_t size)
{
    size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
    while (!text->failed && capacity - text->size <= size)
        if (__builtin_mul_overflow(capacity, 2, &capacity))
            text->failed = true;
    if (text->failed || capacity == text->capacity)
        return !text->failed;
    char *const longer = realloc(text->bytes, capacity);
    if (!longer) {
        text->failed = true;
        return false;
    }
    text->bytes = longer;
    text->capacity = capacity;
    return true;
}

void text_put_bytes(struct text *text, const char *bytes, size_t size)
{
    assert(!text->bytes || text->size < text->capacity);
    if (!make_room(text, size))
        return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void text_put(struct text *text, const char *words)
{
    text_put_bytes(text, words, strlen(words));
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    text->failed = text->failed || length < 0;
    if (!text->failed && make_room(text, (size_t)length)) {
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

bool text_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

int text_index(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], text))
            return i;
    return -1;
}

size_t utf8_decode(const char *at, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *const s = (const unsigned char *)at;
    assert(*s);
    const size_t length = s[0] < 0x80       ? 1
                          : s[0] >> 5 == 6  ? 2
                          : s[0] >> 4 == 14 ? 3
                          : s[0] >> 3 == 30 ? 4
                                            : 0;
    uint32_t value = length < 2 ? s[0] : s[0] & (0x7fU >> length);
    bool valid = length > 0;
    for (size_t i = 1; i < length && valid; i++) {
        valid = s[i] >> 6 == 2;
        value = value << 6 | (s[i] & 0x3fU);
    }
    valid = valid && value >= least[length] && value <= 0x10ffff &&
            !(value >= 0xd800 && value < 0xe000);
    *code = valid ? value : 0xfffd;
    return valid ? length : 0;
}
