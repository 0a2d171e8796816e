// SPDX-License-Identifier: Apache-2.0
// A matrix: names with lists of values, of which a case is written for every combination.
//
// `$name` as a whole plain scalar stands for the value, `$name.field` for a field of a value that
// is a mapping, and `{name}` or
// `{name.field}` in an id for its spelling. The last name varies fastest.

#ifndef ASSAY_YAML_MATRIX_H
#define ASSAY_YAML_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"

enum { MATRIX_NAMES_MAX = 16, MATRIX_COMBINATIONS_MAX = 65536 };

struct matrix {
    const struct document_node *names;  // the mapping, NULL: one combination of nothing
    const struct document_node *except; // combinations that are left out, NULL: none
    uint64_t combinations;              // with those that are left out
};

// One combination: the value of each name.
struct matrix_row {
    const struct document_node *names;
    struct document_node *value[MATRIX_NAMES_MAX];
};

// Checks `names` and `except` (each may be NULL). ERROR_INPUT for anything malformed, for a value
// that stands twice under a name, for an exception that leaves nothing out, and when nothing is
// left.
enum error matrix_read(const struct document_node *names, const struct document_node *except,
                       struct matrix *matrix, struct diagnostic *diagnostic);

// Combination `index` below matrix->combinations into `*row`; false when it is left out.
bool matrix_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row);

// `node` with its values put in. Parts without `$` are shared with `node`, not copied. ERROR_INPUT
// for an unknown name.
enum error matrix_substitute(const struct matrix_row *row, struct document_node *node,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic);

// The text of the scalar `node` with its `{name}` parts put in.
enum error matrix_expand_id(const struct matrix_row *row, const struct document_node *node,
                            struct arena *arena, const char **id, struct diagnostic *diagnostic);

#endif
