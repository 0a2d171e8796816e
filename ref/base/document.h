// SPDX-License-Identifier: Apache-2.0
// A parsed document, YAML or JSON, as a tree in which every node knows its place.
//
// Scalars keep their spelling: what a scalar means is decided by the place that asks for it, never
// by how it looks.

#ifndef ASSAY_REF_BASE_DOCUMENT_H
#define ASSAY_REF_BASE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/error.h"

enum document_kind { DOCUMENT_SCALAR, DOCUMENT_SEQUENCE, DOCUMENT_MAPPING };

// Limits for everything that is parsed from outside.
enum {
    DOCUMENT_DEPTH_MAX = 64,
    DOCUMENT_NODES_MAX = 4 * 1024 * 1024,
    DOCUMENT_BYTES_MAX = 256 * 1024 * 1024,
    DOCUMENT_UNSORTED_KEYS_MAX = 1024, // in one mapping; any number when they stand in byte order
};

// Where a document came from, for messages.
struct document_source {
    const char *name; // file name, "-" for standard input
    const char *text; // whole, not NUL-terminated
    size_t size;
    unsigned lines_before; // lines of the file above `text`, when that is only a part of it
};

struct document_node {
    enum document_kind kind;
    bool quoted;           // scalar: written in quotes (a JSON string always is)
    unsigned line, column; // from 1
    const struct document_source *source;
    const char *text; // scalar: NUL-terminated, `count` bytes (a NUL inside is possible in JSON,
                      // refused by the reader)
    size_t count;     // scalar: bytes; sequence: items; mapping: entries
    struct document_node **item; // sequence and mapping: the values
    struct document_node **key;  // mapping: the keys, scalars, no two alike
    bool unsorted;               // mapping: the keys do not stand in byte order
};

// The value under `key`, or NULL. `node` must be a mapping.
struct document_node *document_find(const struct document_node *node, const char *key);

// The text of the scalar under `key`; NULL when there is none, or `node` is NULL or no mapping.
const char *document_text(const struct document_node *node, const char *key);

// Fails with the place of `node`, its line and the formatted text.
__attribute__((format(printf, 4, 5))) enum error document_fail(const struct document_node *node,
                                                               enum error error,
                                                               struct diagnostic *diagnostic,
                                                               const char *format, ...);

// Fails with a place in `source`.
__attribute__((format(printf, 6, 7))) enum error document_fail_at(
    const struct document_source *source, unsigned line, unsigned column, enum error error,
    struct diagnostic *diagnostic, const char *format, ...);

// Refuses `node` unless it is of `kind`; `what` names it in the message ("attributes").
enum error document_expect(const struct document_node *node, enum document_kind kind,
                           const char *what, struct diagnostic *diagnostic);

// Refuses a mapping with a key outside `keys` (NULL-terminated); says which are known.
enum error document_only_keys(const struct document_node *node, const char *const *keys,
                              const char *what, struct diagnostic *diagnostic);

// A scalar as a whole number in [minimum, maximum]; `what` names it in the message.
enum error document_integer(const struct document_node *node, long long minimum, long long maximum,
                            long long *value, const char *what, struct diagnostic *diagnostic);

// A scalar spelled true or false.
enum error document_boolean(const struct document_node *node, bool *value, const char *what,
                            struct diagnostic *diagnostic);

// Used by the readers: a new node in `arena`, or NULL.
struct document_node *document_new(struct arena *arena, enum document_kind kind,
                                   const struct document_source *source, unsigned line,
                                   unsigned column);

// Used by the readers: appends `item` (with `key` when `node` is a mapping). ERROR_INPUT for a
// repeated key.
enum error document_append(struct arena *arena, struct document_node *node,
                           struct document_node *key, struct document_node *item,
                           struct diagnostic *diagnostic);

#endif
