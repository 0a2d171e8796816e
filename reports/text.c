// SPDX-License-Identifier: Apache-2.0
// Text for people and for markup.

#include "reports/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { FLUSH_SIZE = 1024 * 1024 };

// Controls, marks of direction, and what XML 1.0 forbids.
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfeff || (code & 0xfffe) == 0xfffe || code == 0xfffd;
}

// Puts `words`, each character through `escape`, which gives NULL for one that stays.
static void put_safe(struct text *text, const char *words, bool lines,
                     const char *(*escape)(uint32_t code))
{
    while (*words) {
        uint32_t code;
        const size_t length = utf8_decode(words, &code);
        const char *const instead = escape(code);
        if (code == '\n' || code == '\t')
            text_put(text, lines && code == '\n' ? "\n" : " ");
        else if (!length || is_unsafe(code))
            text_put(text, "\xef\xbf\xbd");
        else if (instead)
            text_put(text, instead);
        else
            text_put_bytes(text, words, length);
        words += length ? length : 1;
    }
}

static const char *escape_nothing(uint32_t code)
{
    (void)code;
    return NULL;
}

static const char *escape_markup(uint32_t code)
{
    return code == '&'    ? "&amp;"
           : code == '<'  ? "&lt;"
           : code == '>'  ? "&gt;"
           : code == '"'  ? "&quot;"
           : code == '\'' ? "&#39;"
                          : NULL;
}

static const char *escape_markdown(uint32_t code)
{
    static const char special[] = "\\`*_{}[]()#+!|~";
    static const char *const escaped[] = {"\\\\", "\\`", "\\*", "\\_", "\\{", "\\}", "\\[", "\\]",
                                          "\\(",  "\\)", "\\#", "\\+", "\\!", "\\|", "\\~"};
    if (code == '<' || code == '>' || code == '&')
        return escape_markup(code);
    const char *const at = code && code < 0x80 ? strchr(special, (int)code) : NULL;
    return at ? escaped[at - special] : NULL;
}

static const char *escape_code(uint32_t code)
{
    return code == '`' ? "'" : code == '|' ? "\\|" : NULL;
}

void text_put_plain(struct text *text, const char *words)
{
    put_safe(text, words, false, escape_nothing);
}

void text_put_markup(struct text *text, const char *words, bool lines)
{
    put_safe(text, words, lines, escape_markup);
}

static void print_safe(struct text *text, const char *(*escape)(uint32_t code), const char *format,
                       va_list arguments)
{
    for (const char *at = format; *at;) {
        const size_t size = strcspn(at, "%");
        text_put_bytes(text, at, size);
        at += size;
        if (!*at)
            break;
        const char *const words = at[1] == 's' ? va_arg(arguments, const char *) : NULL;
        if (words)
            put_safe(text, words, false, escape);
        else if (at[1] == 'z')
            text_put_count(text, va_arg(arguments, size_t));
        else if (at[1] == 'u')
            text_print(text, "%u", va_arg(arguments, unsigned));
        else if (at[1] == '%')
            text_put(text, "%");
        at += at[1] == 'z' ? 3 : 2;
    }
}

void text_print_plain(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_safe(text, escape_nothing, format, arguments);
    va_end(arguments);
}

void text_print_markup(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_safe(text, escape_markup, format, arguments);
    va_end(arguments);
}

void text_put_markdown(struct text *text, const char *words)
{
    put_safe(text, words, false, escape_markdown);
}

void text_put_code(struct text *text, const char *words)
{
    text_put(text, "`");
    put_safe(text, words, false, escape_code);
    text_put(text, "`");
}

enum error text_flush(struct text *text, const struct text_sink *sink, bool now,
                      struct diagnostic *diagnostic)
{
    if (text->failed)
        return diagnostic_no_memory(diagnostic);
    if (!text->size || (!now && text->size < FLUSH_SIZE))
        return ERROR_NONE;
    enum error error = ERROR_NONE;
    if (sink->file)
        error = file_put(sink->file, text->bytes, text->size, diagnostic);
    else if (fwrite(text->bytes, 1, text->size, sink->stream) != text->size)
        error = diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot write: %s", strerror(errno));
    text_clear(text);
    return error;
}

void text_put_count(struct text *text, unsigned long long count)
{
    char digits[24];
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", count);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text_put(text, ",");
        text_put_bytes(text, digits + i, 1);
    }
}
