// SPDX-License-Identifier: Apache-2.0
// JSON out: a growing text and the commas between its values.

#include "ref/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_text_release(struct json_text *text)
{
    free(text->bytes);
    *text = (struct json_text){0};
}

void json_text_clear(struct json_text *text)
{
    text->size = 0;
    text->comma = text->failed = false;
}

void json_put_raw(struct json_text *text, const char *bytes, size_t size)
{
    if (text->failed)
        return;
    if (text->capacity - text->size <= size) {
        size_t capacity = text->capacity ? text->capacity : 256;
        while (capacity - text->size <= size) {
            if (capacity > SIZE_MAX / 2) {
                text->failed = true;
                return;
            }
            capacity *= 2;
        }
        char *const longer = realloc(text->bytes, capacity);
        if (!longer) {
            text->failed = true;
            return;
        }
        text->bytes = longer;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

static void put_text(struct json_text *text, const char *bytes)
{
    json_put_raw(text, bytes, strlen(bytes));
}

static void start_value(struct json_text *text)
{
    if (text->comma)
        put_text(text, ", ");
    text->comma = true;
}

void json_begin_object(struct json_text *text)
{
    start_value(text);
    put_text(text, "{");
    text->comma = false;
}

void json_end_object(struct json_text *text)
{
    put_text(text, "}");
    text->comma = true;
}

void json_begin_list(struct json_text *text)
{
    start_value(text);
    put_text(text, "[");
    text->comma = false;
}

void json_end_list(struct json_text *text)
{
    put_text(text, "]");
    text->comma = true;
}

// Bytes of the valid UTF-8 sequence at `s`, 0 when it is not one (overlong forms and surrogates
// included).
static size_t utf8_length(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = s[0] < 0x80       ? 1
                          : s[0] >> 5 == 6  ? 2
                          : s[0] >> 4 == 14 ? 3
                          : s[0] >> 3 == 30 ? 4
                                            : 0;
    if (length < 2)
        return length;
    uint32_t code = s[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        code = code << 6 | (s[i] & 0x3fU);
    }
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
                                                                                        : length;
}

static void put_quoted(struct json_text *text, const char *value)
{
    put_text(text, "\"");
    for (const unsigned char *at = (const unsigned char *)value; *at;) {
        const size_t length = utf8_length(at);
        if (!length) {
            put_text(text, "\xef\xbf\xbd");
            at++;
            continue;
        }
        char escape[8] = "";
        if (*at == '"' || *at == '\\')
            snprintf(escape, sizeof escape, "\\%c", *at);
        else if (*at == '\n')
            snprintf(escape, sizeof escape, "\\n");
        else if (*at < 0x20 || *at == 0x7f)
            snprintf(escape, sizeof escape, "\\u%04x", *at);
        if (escape[0])
            put_text(text, escape);
        else
            json_put_raw(text, (const char *)at, length);
        at += length;
    }
    put_text(text, "\"");
}

void json_put_key(struct json_text *text, const char *key)
{
    start_value(text);
    put_quoted(text, key);
    put_text(text, ": ");
    text->comma = false;
}

void json_put_string(struct json_text *text, const char *value)
{
    start_value(text);
    put_quoted(text, value);
}

void json_put_pair(struct json_text *text, const char *key, const char *value)
{
    json_put_key(text, key);
    json_put_string(text, value);
}

void json_put_integer(struct json_text *text, int64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    start_value(text);
    put_text(text, digits);
}

void json_put_unsigned(struct json_text *text, uint64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    start_value(text);
    put_text(text, digits);
}

void json_put_boolean(struct json_text *text, bool value)
{
    start_value(text);
    put_text(text, value ? "true" : "false");
}

void json_put_real(struct json_text *text, double value)
{
    char digits[40];
    if (isnan(value) || isinf(value)) {
        json_put_string(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    snprintf(digits, sizeof digits, "%.17g", value);
    start_value(text);
    put_text(text, digits);
}

// Whether `text` is a number in JSON's grammar.
static bool is_number(const char *text)
{
    static const char digits[] = "0123456789";
    text += *text == '-';
    const size_t whole = strspn(text, digits);
    if (!whole || (*text == '0' && whole > 1))
        return false;
    text += whole;
    if (*text == '.') {
        const size_t fraction = strspn(++text, digits);
        if (!fraction)
            return false;
        text += fraction;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '+' || *text == '-';
        const size_t exponent = strspn(text, digits);
        if (!exponent)
            return false;
        text += exponent;
    }
    return !*text;
}

static void put_scalar(struct json_text *text, const struct document_node *node)
{
    const bool plain = !node->quoted && (is_number(node->text) || !strcmp(node->text, "true") ||
                                         !strcmp(node->text, "false"));
    start_value(text);
    if (plain)
        put_text(text, node->text);
    else
        put_quoted(text, node->text);
}

// Documents are at most DOCUMENT_DEPTH_MAX deep.
void json_put_document(struct json_text *text, const struct document_node *node)
{
    if (node->kind == DOCUMENT_SCALAR) {
        put_scalar(text, node);
        return;
    }
    if (node->kind == DOCUMENT_MAPPING)
        json_begin_object(text);
    else
        json_begin_list(text);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == DOCUMENT_MAPPING)
            json_put_key(text, node->key[i]->text);
        json_put_document(text, node->item[i]);
    }
    if (node->kind == DOCUMENT_MAPPING)
        json_end_object(text);
    else
        json_end_list(text);
}
