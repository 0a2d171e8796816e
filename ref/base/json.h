// SPDX-License-Identifier: Apache-2.0
// JSON: strict reading into the document tree (YAJL hands over each number's text and every key in
// order), and writing.

#ifndef ASSAY_REF_BASE_JSON_H
#define ASSAY_REF_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"

// Parses one JSON value that fills `source` (white space around it is allowed) into `*root`, whose
// memory is the arena's; the source must live as long. ERROR_INPUT with line and column for
// anything malformed, repeated keys, invalid UTF-8, NUL in a string, depth over DOCUMENT_DEPTH_MAX
// or more than DOCUMENT_NODES_MAX nodes.
enum error json_read(const struct document_source *source, struct arena *arena,
                     struct document_node **root, struct diagnostic *diagnostic);

// Text that grows. Zero-initialised is empty and ready; json_text_release gives it back. After a
// failed allocation `failed` is set and everything further is ignored, so that a writer checks once
// at the end.
struct json_text {
    char *bytes; // NUL-terminated when size > 0
    size_t size, capacity;
    bool failed;
    bool comma; // the next value in the current list or object needs a comma first
};

void json_text_release(struct json_text *text);
void json_text_clear(struct json_text *text);

// Raw bytes, unescaped.
void json_put_raw(struct json_text *text, const char *bytes, size_t size);

void json_begin_object(struct json_text *text);
void json_end_object(struct json_text *text);
void json_begin_list(struct json_text *text);
void json_end_list(struct json_text *text);
void json_put_key(struct json_text *text, const char *key);
void json_put_string(struct json_text *text, const char *value); // invalid UTF-8 becomes U+FFFD
void json_put_pair(struct json_text *text, const char *key, const char *value); // of strings
void json_put_integer(struct json_text *text, int64_t value);
void json_put_unsigned(struct json_text *text, uint64_t value);
void json_put_boolean(struct json_text *text, bool value);
// A finite number with 17 significant digits; "nan", "inf", "-inf" as strings.
void json_put_real(struct json_text *text, double value);
// A document: plain scalars that JSON knows (numbers, true, false) as they are spelled, all others
// as strings.
void json_put_document(struct json_text *text, const struct document_node *node);

#endif
