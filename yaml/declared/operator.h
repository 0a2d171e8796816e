// SPDX-License-Identifier: Apache-2.0
// Operators declared in YAML: one file each, read strictly into what a request can name.
//
// yaml/OPERATORS.md teaches the language, yaml/schema/operator.schema.json checks it in an editor.

#ifndef ASSAY_YAML_DECLARED_OPERATOR_H
#define ASSAY_YAML_DECLARED_OPERATOR_H

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/op/declared/graph.h"

enum { OPERATORS_MAX = 256 };

// Operators that were read, and where others are found by name. Zero-initialised is empty and
// ready; operators_release gives its memory back.
struct operators {
    const char *folder; // of NAME.yaml for a name that is not here; NULL: none
    unsigned count;
    const struct declared_operation *item[OPERATORS_MAX];
    struct arena arena;
};

// Reads one declaration. Memory is the arena's; the source must live as long. ERROR_INPUT with its
// place.
enum error operator_read(const struct document_source *source, struct arena *arena,
                         struct declared_operation **declared, struct diagnostic *diagnostic);

// Reads a file and adds it. ERROR_INPUT also when its name is taken.
enum error operators_add_file(struct operators *operators, const char *path,
                              struct diagnostic *diagnostic);

// Reads every file of the folder.
enum error operators_add_folder(struct operators *operators, struct diagnostic *diagnostic);

// The operation of that name: one of the table, one that was read, or one whose file is in the
// folder, which is then read; NULL when there is none. ERROR_INPUT: the file is no operator.
enum error operators_find(struct operators *operators, const char *name,
                          const struct operation **operation, struct diagnostic *diagnostic);

// The same for request_sources.find; `context` is a struct operators.
enum error operators_source(void *context, const char *name, const struct operation **operation,
                            struct diagnostic *diagnostic);

void operators_release(struct operators *operators);

#endif
