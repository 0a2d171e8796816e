// SPDX-License-Identifier: Apache-2.0
// A matrix: names with lists of values, of which a case is written for every combination, or, with
// a sweep, for as many combinations as are drawn.
//
// `$name` as a whole plain scalar stands for the value, `$name.field` for a field of a value that
// is a mapping, `$name * 2 + 1` for a number, and `{name}` or `{name.field}` in an id for its
// spelling. The last name varies fastest. A list may be a range, {from, to, step}.

#ifndef ASSAY_YAML_MATRIX_H
#define ASSAY_YAML_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"

enum { MATRIX_NAMES_MAX = 16, MATRIX_COMBINATIONS_MAX = 65536, MATRIX_SWEEP_MAX = 10000 };

struct matrix {
    const struct document_node *names;  // the mapping, NULL: one combination of nothing
    const struct document_node *except; // combinations that are left out, NULL: none
    uint64_t combinations;              // with those that are left out
    const struct matrix_row *drawn;     // of a sweep: all of them; NULL: none is drawn
};

// One combination: the value of each name.
struct matrix_row {
    const struct document_node *names;
    struct document_node *value[MATRIX_NAMES_MAX];
    struct document_node *sweep; // "SEED.INDEX", which `{sweep}` stands for; NULL: not drawn
};

// Checks the keys `matrix`, `except` and `sweep` of the case `node`, each of which may be absent.
// ERROR_INPUT for anything malformed, for a value that stands twice under a name, for an exception
// that leaves nothing out, and when nothing is left. Ranges and what is drawn lie in the arena.
enum error matrix_read(const struct document_node *node, struct arena *arena, struct matrix *matrix,
                       struct diagnostic *diagnostic);

// Combination `index` below matrix->combinations into `*row`; false when it is left out.
bool matrix_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row);

// `node` with its values put in. Parts without `$` are shared with `node`, not copied. The value
// `~` leaves out the entry of `node` in which it stands, at whatever depth; *result is NULL where
// `node` itself stands for it. ERROR_INPUT for an unknown name.
enum error matrix_substitute(const struct matrix_row *row, struct document_node *node,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic);

// The text of the scalar `node` with its `{name}` parts put in.
enum error matrix_expand_id(const struct matrix_row *row, const struct document_node *node,
                            struct arena *arena, const char **id, struct diagnostic *diagnostic);

// Whether the value is `~`, written without quotes.
bool matrix_is_absent(const struct document_node *node);

// ---- for the files of a matrix -----------------------------------------------

// The value that `reference` ("name" or "name.field", `length` bytes) means, or NULL.
struct document_node *matrix_look_up(const struct matrix_row *row, const char *reference,
                                     size_t length);

// ERROR_INPUT: the row has no such name.
enum error matrix_unknown_name(const struct matrix_row *row, const struct document_node *node,
                               const char *reference, size_t length, struct diagnostic *diagnostic);

// The value of the scalar "$a * 2 + $b", words apart by one space each; products before sums.
enum error matrix_calculate(const struct matrix_row *row, const struct document_node *node,
                            int64_t *result, struct diagnostic *diagnostic);

// The number as a scalar at the place of `like`; NULL: no memory.
struct document_node *matrix_new_number(struct arena *arena, const struct document_node *like,
                                        int64_t number);

// Whether two values are spelled alike.
bool matrix_same(const struct document_node *a, const struct document_node *b);

// Whether the exception, {name: value, ...}, leaves the combination out.
bool matrix_is_left_out_by(const struct matrix_row *row, const struct document_node *exception);

// Combination `index`, left out or not.
void matrix_take_row(const struct matrix *matrix, uint64_t index, struct matrix_row *row);

#endif
