// SPDX-License-Identifier: Apache-2.0
// JSON out: values, and the commas between them.

#include "ref/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void start_value(struct text *text)
{
    if (text->comma)
        text_put(text, ", ");
    text->comma = true;
}

void json_begin_object(struct text *text)
{
    start_value(text);
    text_put(text, "{");
    text->comma = false;
}

void json_end_object(struct text *text)
{
    text_put(text, "}");
    text->comma = true;
}

void json_begin_list(struct text *text)
{
    start_value(text);
    text_put(text, "[");
    text->comma = false;
}

void json_end_list(struct text *text)
{
    text_put(text, "]");
    text->comma = true;
}

void json_put_quoted(struct text *text, const char *value)
{
    text_put(text, "\"");
    while (*value) {
        uint32_t code;
        const size_t length = utf8_decode(value, &code);
        if (!length)
            text_put(text, "\xef\xbf\xbd");
        else if (code == '"' || code == '\\')
            text_print(text, "\\%c", *value);
        else if (code == '\n')
            text_put(text, "\\n");
        else if (code < 0x20 || code == 0x7f)
            text_print(text, "\\u%04x", (unsigned)code);
        else
            text_put_bytes(text, value, length);
        value += length ? length : 1;
    }
    text_put(text, "\"");
}

void json_put_key(struct text *text, const char *key)
{
    start_value(text);
    json_put_quoted(text, key);
    text_put(text, ": ");
    text->comma = false;
}

void json_put_string(struct text *text, const char *value)
{
    start_value(text);
    json_put_quoted(text, value);
}

void json_put_integer(struct text *text, int64_t value)
{
    start_value(text);
    text_print(text, "%" PRId64, value);
}

void json_put_unsigned(struct text *text, uint64_t value)
{
    start_value(text);
    text_print(text, "%" PRIu64, value);
}

void json_put_boolean(struct text *text, bool value)
{
    start_value(text);
    text_put(text, value ? "true" : "false");
}

void json_put_real(struct text *text, double value)
{
    if (isnan(value) || isinf(value)) {
        json_put_string(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    start_value(text);
    text_print(text, "%.17g", value);
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

static void put_scalar(struct text *text, const struct document_node *node)
{
    const bool plain = !node->quoted && (is_number(node->text) || !strcmp(node->text, "true") ||
                                         !strcmp(node->text, "false"));
    start_value(text);
    if (plain)
        text_put(text, node->text);
    else
        json_put_quoted(text, node->text);
}

// Documents are at most DOCUMENT_DEPTH_MAX deep.
void json_put_document(struct text *text, const struct document_node *node)
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

// ---- members ----------------------------------------------------------------

void json_begin_object_at(struct text *text, const char *key)
{
    json_put_key(text, key);
    json_begin_object(text);
}

void json_begin_list_at(struct text *text, const char *key)
{
    json_put_key(text, key);
    json_begin_list(text);
}

void json_put_pair(struct text *text, const char *key, const char *value)
{
    if (!value)
        return;
    json_put_key(text, key);
    json_put_string(text, value);
}

void json_put_pair_list(struct text *text, const char *const (*pair)[2])
{
    for (; (*pair)[0]; pair++)
        json_put_pair(text, (*pair)[0], (*pair)[1]);
}

void json_put_numbers_at(struct text *text, const char *key, const uint64_t *values, size_t count)
{
    json_begin_list_at(text, key);
    for (size_t i = 0; i < count; i++)
        json_put_unsigned(text, values[i]);
    json_end_list(text);
}

void json_put_digest_at(struct text *text, const char *key, const unsigned char digest[DIGEST_SIZE])
{
    char hex[DIGEST_HEX_SIZE];
    digest_write_hex(digest, hex);
    json_put_pair(text, key, hex);
}

void json_put_unsigned_at(struct text *text, const char *key, uint64_t value)
{
    json_put_key(text, key);
    json_put_unsigned(text, value);
}

void json_put_boolean_at(struct text *text, const char *key, bool value)
{
    json_put_key(text, key);
    json_put_boolean(text, value);
}

void json_put_real_at(struct text *text, const char *key, double value)
{
    json_put_key(text, key);
    json_put_real(text, value);
}

void json_put_document_at(struct text *text, const char *key, const struct document_node *node)
{
    json_put_key(text, key);
    json_put_document(text, node);
}
