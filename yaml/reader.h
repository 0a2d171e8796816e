// SPDX-License-Identifier: Apache-2.0
// YAML, read strictly into the document tree.
//
// Scalars keep their spelling, so none of YAML's guesses (yes, 1e3, 0o17, dates) is made here.
// Refused with file, line, column and the line itself: repeated keys, keys that are not scalars,
// tags, merge keys, directives, a byte order mark, anchors that are never used, used before they
// are complete or set twice, aliases that multiply the document, and the limits of
// ref/base/document.h. Several documents are parted by `---` at the start of a line.

#ifndef ASSAY_YAML_READER_H
#define ASSAY_YAML_READER_H

#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"

// Aliases may repeat values, but a document in which every alias is written out holds at most so
// many.
enum { YAML_ALIASED_NODES_MAX = 64 * 1024 };

// The one document of `source` into `*root`, whose memory is the arena's; the source must live as
// long. A node that an alias repeats is one node with several parents. ERROR_INPUT when there is
// none, or more than one.
enum error yaml_read(const struct document_source *source, struct arena *arena,
                     struct document_node **root, struct diagnostic *diagnostic);

// A walk over the documents of `source`, of which there must be one at least. One whose first
// character is `{` is JSON and read by json_read; all else is YAML.
struct yaml_stream {
    const struct document_source *source; // the caller's; the rest starts as zero
    size_t from;
    unsigned line;
    size_t count; // documents met, unreadable ones too
};

// The next document into `*root`, NULL after the last. After an error in one document the next call
// goes on behind it, at the next `---`; an error of the whole source (size, byte order mark, no
// document) leaves `count` at zero and ends the walk.
enum error yaml_stream_next(struct yaml_stream *stream, struct arena *arena,
                            struct document_node **root, struct diagnostic *diagnostic);

#endif
