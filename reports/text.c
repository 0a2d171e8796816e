// SPDX-License-Identifier: Apache-2.0
// Text for people and for markup.

#include "reports/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { FLUSH_SIZE = 1024 * 1024 };

void text_put(struct json_text *text, const char *words)
{
    json_put_raw(text, words, strlen(words));
}

void text_print(struct json_text *text, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        text->failed = true; // only short text of our own is formatted here
    else
        json_put_raw(text, line, (size_t)length);
}

// The code point at `s` and its length; a byte that begins no valid sequence is U+FFFD of length 1.
static uint32_t decode(const unsigned char *s, size_t *length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = s[0] < 0x80       ? 1
                     : s[0] >> 5 == 6  ? 2
                     : s[0] >> 4 == 14 ? 3
                     : s[0] >> 3 == 30 ? 4
                                       : 0;
    *length = 1;
    if (n < 2)
        return n ? s[0] : 0xfffd;
    uint32_t code = s[0] & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if (s[i] >> 6 != 2)
            return 0xfffd;
        code = code << 6 | (s[i] & 0x3fU);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0xfffd;
    *length = n;
    return code;
}

// Controls, marks of direction, and what XML 1.0 forbids.
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfeff || (code & 0xfffe) == 0xfffe || code == 0xfffd;
}

// Puts `words`, each character through `escape`, which gives NULL for one that stays.
static void put_safe(struct json_text *text, const char *words, bool lines,
                     const char *(*escape)(uint32_t code))
{
    for (const unsigned char *at = (const unsigned char *)words; *at;) {
        size_t length;
        const uint32_t code = decode(at, &length);
        const char *const instead = escape(code);
        if (code == '\n' || code == '\t')
            text_put(text, lines && code == '\n' ? "\n" : " ");
        else if (is_unsafe(code))
            text_put(text, "\xef\xbf\xbd");
        else if (instead)
            text_put(text, instead);
        else
            json_put_raw(text, (const char *)at, length);
        at += length;
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
    static const char special[] = "\\`*_{}[]()#+!|~", *const escaped[] = {
                                                          "\\\\", "\\`", "\\*", "\\_", "\\{",
                                                          "\\}",  "\\[", "\\]", "\\(", "\\)",
                                                          "\\#",  "\\+", "\\!", "\\|", "\\~"};
    if (code == '<' || code == '>' || code == '&')
        return escape_markup(code);
    const char *const at = code && code < 0x80 ? strchr(special, (int)code) : NULL;
    return at ? escaped[at - special] : NULL;
}

static const char *escape_code(uint32_t code)
{
    return code == '`' ? "'" : code == '|' ? "\\|" : NULL;
}

void text_put_plain(struct json_text *text, const char *words)
{
    put_safe(text, words, false, escape_nothing);
}

void text_put_markup(struct json_text *text, const char *words, bool lines)
{
    put_safe(text, words, lines, escape_markup);
}

void text_put_markdown(struct json_text *text, const char *words)
{
    put_safe(text, words, false, escape_markdown);
}

void text_put_code(struct json_text *text, const char *words)
{
    text_put(text, "`");
    put_safe(text, words, false, escape_code);
    text_put(text, "`");
}

enum error text_flush(struct json_text *text, const struct text_sink *sink, bool now,
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
    json_text_clear(text);
    return error;
}

void text_put_count(struct json_text *text, unsigned long long count)
{
    char digits[24];
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", count);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text_put(text, ",");
        json_put_raw(text, digits + i, 1);
    }
}
