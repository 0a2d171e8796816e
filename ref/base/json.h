// SPDX-License-Identifier: Apache-2.0
// JSON: strict reading into the document tree (YAJL hands over each number's text and every key in
// order), and writing.

#ifndef ASSAY_REF_BASE_JSON_H
#define ASSAY_REF_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/digest.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/text.h"

// Parses one JSON value that fills `source` (white space around it is allowed) into `*root`, whose
// memory is the arena's; the source must live as long. ERROR_INPUT with line and column for
// anything malformed, repeated keys, invalid UTF-8, NUL in a string, depth over DOCUMENT_DEPTH_MAX
// or more than DOCUMENT_NODES_MAX nodes.
enum error json_read(const struct document_source *source, struct arena *arena,
                     struct document_node **root, struct diagnostic *diagnostic);

// Writing: each value is preceded by the comma that it needs, which `text` remembers.
void json_begin_object(struct text *text);
void json_end_object(struct text *text);
void json_begin_list(struct text *text);
void json_end_list(struct text *text);
void json_put_key(struct text *text, const char *key);
void json_put_string(struct text *text, const char *value);
// The string alone, without a comma: in double quotes, escaped as JSON, YAML and C read it. Invalid
// UTF-8 becomes U+FFFD.
void json_put_quoted(struct text *text, const char *value);
void json_put_integer(struct text *text, int64_t value);
void json_put_unsigned(struct text *text, uint64_t value);
void json_put_boolean(struct text *text, bool value);
// A finite number with 17 significant digits; "nan", "inf", "-inf" as strings.
void json_put_real(struct text *text, double value);
// A document: plain scalars that JSON knows (numbers, true, false) as they are spelled, all others
// as strings.
void json_put_document(struct text *text, const struct document_node *node);

// A member of an object: its key, then its value (or the start of it).
void json_begin_object_at(struct text *text, const char *key);
void json_begin_list_at(struct text *text, const char *key);
void json_put_pair(struct text *text, const char *key, const char *value); // NULL: left out
// Several of these: {key, value}, {key, value}, ...
#define json_put_pairs(text, ...)                                                                  \
    json_put_pair_list(text, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})
void json_put_pair_list(struct text *text, const char *const (*pair)[2]);
// An object of such pairs alone.
#define json_put_object(text, ...)                                                                 \
    (json_begin_object(text), json_put_pairs(text, __VA_ARGS__), json_end_object(text))
void json_put_numbers_at(struct text *text, const char *key, const uint64_t *values, size_t count);
void json_put_unsigned_at(struct text *text, const char *key, uint64_t value);
void json_put_boolean_at(struct text *text, const char *key, bool value);
void json_put_real_at(struct text *text, const char *key, double value);
void json_put_digest_at(struct text *text, const char *key,
                        const unsigned char digest[DIGEST_SIZE]);
void json_put_document_at(struct text *text, const char *key, const struct document_node *node);

#endif
