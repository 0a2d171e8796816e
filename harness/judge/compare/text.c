// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/compare/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_add(struct json_text *text, const char *format, ...)
{
    char part[1024];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof part) {
        char *const whole = malloc((size_t)length + 1);
        if (whole) {
            vsnprintf(whole, (size_t)length + 1, format, again);
            json_put_raw(text, whole, (size_t)length);
        }
        text->failed = text->failed || !whole;
        free(whole);
    } else if (length > 0)
        json_put_raw(text, part, (size_t)length);
    text->failed = text->failed || length < 0;
    va_end(again);
}

void text_add_quoted(struct json_text *text, const char *value)
{
    text->comma = false;
    json_put_string(text, value);
    text->comma = false;
}
