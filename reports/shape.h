// SPDX-License-Identifier: Apache-2.0
// The form of a JSON object as a table: which keys, which kind of value, which are needed. What is
// not in the table is an error.

#ifndef ASSAY_REPORTS_SHAPE_H
#define ASSAY_REPORTS_SHAPE_H

#include <stdbool.h>

#include "ref/base/document.h"
#include "ref/base/error.h"

enum shape_kind {
    SHAPE_TEXT,
    SHAPE_WORD,    // one of `words`
    SHAPE_DIGEST,  // 64 hexadecimal digits
    SHAPE_BITS,    // 1 to 8 bytes as hexadecimal digits
    SHAPE_DECIMAL, // 1 to 20 decimal digits as text
    SHAPE_TIME,    // 2026-11-21T12:00:00Z
    SHAPE_COUNT,   // a whole number from `least` to `most` (0: 2^53 - 1)
    SHAPE_REAL,    // a number, or nan, inf, -inf as text
    SHAPE_BOOLEAN,
    SHAPE_TRUE,
    SHAPE_OBJECT,  // with `fields`
    SHAPE_LIST,    // of what fields[0] says, at most `most` (0: any number)
    SHAPE_PROFILE, // any keys, text values
    SHAPE_ANY,     // anything
    SHAPE_TALLY,   // keys out of `words`, whole numbers
};

struct shape {
    const char *key; // NULL ends a table
    enum shape_kind kind;
    bool needed;
    const struct shape *fields;
    const char *const *words; // NULL-terminated
    long long least, most;
};

// A list of what else is given, and a list of objects.
// clang-format off
#define SHAPE_LIST_OF(...) \
    .kind = SHAPE_LIST, .fields = (const struct shape[]){{.key = "item", __VA_ARGS__}}
#define SHAPE_OBJECTS(form) SHAPE_LIST_OF(.kind = SHAPE_OBJECT, .fields = (form))
// clang-format on

// Refuses `node` unless it is an object of that form. ERROR_INPUT with the place.
enum error shape_check(const struct document_node *node, const struct shape *fields,
                       struct diagnostic *diagnostic);

// The text under `key`, or NULL when it is absent.
const char *shape_text(const struct document_node *node, const char *key);

// The whole number under `key`, or `absent`. For trees that have been checked.
unsigned long long shape_count(const struct document_node *node, const char *key,
                               unsigned long long absent);

// A checked real: also nan, inf, -inf.
double shape_real(const struct document_node *node);

#endif
