// SPDX-License-Identifier: Apache-2.0
// Expected values in the formats of others, read into cases, and written as a suite whose values
// are stored (yaml/README.md).
//
// One format says all: JSON lines, a case a line, with id, op, attributes, inputs, expected,
// tolerance and reject as a suite has them; all tensors say their types. Tables (CSV, and JSON with
// testGroups as Project Wycheproof publishes it) say less, and the reader's caller gives columns
// their meaning. Nothing in a file is trusted.

#ifndef ASSAY_VECTORS_FOREIGN_FOREIGN_H
#define ASSAY_VECTORS_FOREIGN_FOREIGN_H

#include "ref/op/operation.h"
#include "ref/op/request.h"

struct foreign_tensor {
    const char *name;
    struct tensor value, lower, upper; // native; of expected ones: a value, or both ends and
                                       // perhaps a value
};

struct foreign_case {
    const char *id;
    const struct document_node *op, *attributes, *tolerance; // NULL: not said
    const char *reject;                                      // NULL: it is answered
    size_t input_count, expected_count;
    struct foreign_tensor input[OPERATION_INPUTS_MAX], expected[OPERATION_OUTPUTS_MAX];
};

struct foreign {
    size_t count;
    struct foreign_case **cases;
    size_t left_out;          // cases that were not taken
    const char *why_left_out; // of the first of them
    const char *title;        // that the file itself states; NULL: none
    struct arena arena;
};

// What is said beside the file.
struct foreign_words {
    const char *op;      // of cases that say none; NULL: nothing is said
    const char *columns; // "NAME=MEANING,...": NULL: the columns' names are their meanings
    const struct document_node *attributes; // of every case that has none; NULL: none
};

// Reads a file into `foreign`, which comes zeroed; release it also after an error. ERROR_INPUT with
// the place. The source's text must live as long.
//
// JSON lines; tensors {dtype, shape, file, tensor} are safetensors files in `folder`.
enum error foreign_read_lines(const struct document_source *source, const char *folder,
                              const struct foreign_words *words, struct foreign *foreign,
                              struct diagnostic *diagnostic);
// Tensors named CASE/in/NAME and CASE/out/NAME; CASE/lower/NAME and CASE/upper/NAME are ends. Where
// CASE/ is left out there is one case, `stem`.
enum error foreign_read_safetensors(const struct document_source *source, const char *stem,
                                    const struct foreign_words *words, struct foreign *foreign,
                                    struct diagnostic *diagnostic);
// A table with a line of names (RFC 4180). Rows that follow each other with one id are the elements
// of one case; without a column of ids all rows are, and its id is `stem`.
enum error foreign_read_csv(const struct document_source *source, const char *stem,
                            const struct foreign_words *words, struct foreign *foreign,
                            struct diagnostic *diagnostic);
// {"testGroups": [{..., "tests": [{"tcId", "result", "comment", ...}]}]}: a case for each test, by
// the columns of its group and its own. `valid` ones are answered, `invalid` ones must be refused,
// all others are left out.
enum error foreign_read_groups(const struct document_source *source, const char *stem,
                               const struct foreign_words *words, struct foreign *foreign,
                               struct diagnostic *diagnostic);

void foreign_release(struct foreign *foreign);

// What a suite says of all its cases.
struct foreign_suite {
    const char *name;
    const char *title, *where;          // who states the values, where; `where` may be NULL
    const char *origin, *origin_sha256; // the file that they are from
    const char *tolerance;              // "bits", or "ulps=N"
    const char *folder;                 // where the suite's file is made
};

// Writes FOLDER/NAME.yaml and, where a tensor is too large to stand in it, FOLDER/NAME.safetensors.
// Neither may be there. ERROR_INPUT where cases cannot be a suite's: two of one id, none, or
// operations whose attributes have two kinds.
enum error foreign_write(const struct foreign *foreign, const struct foreign_suite *suite,
                         struct diagnostic *diagnostic);

// ---- for the readers --------------------------------------------------------

// Adds a case; `id` becomes a word of a suite: lower case, and '-' for what no word has.
enum error foreign_add(struct foreign *foreign, const char *id, struct foreign_case **added,
                       struct diagnostic *diagnostic);

// The input or the expected output of that name, which is added where there is none. ERROR_INPUT
// where there are too many, or the name is no word.
enum error foreign_place(struct foreign *foreign, struct foreign_case *to, bool expected,
                         const char *name, struct foreign_tensor **place,
                         struct diagnostic *diagnostic);

// A scalar node that no file holds; NULL without memory.
struct document_node *foreign_scalar(struct arena *arena, const struct document_source *source,
                                     const char *text, bool quoted);

// The end of every reader: each case has an operation and either values or a refusal; where a case
// says none, those of `words` are taken.
enum error foreign_finish(struct foreign *foreign, const struct foreign_words *words,
                          const struct document_source *source, struct diagnostic *diagnostic);

// A table, row by row.
struct foreign_table;
struct foreign_row {
    unsigned line;
    const char *const *cell; // one for each column; NULL: the row has none
};

// Gives the columns their meaning; *table is the arena's.
enum error foreign_table_begin(const char *const *names, size_t count,
                               const struct document_source *source, const char *stem,
                               const struct foreign_words *words, struct foreign *foreign,
                               struct foreign_table **table, struct diagnostic *diagnostic);
// Takes `count` rows as the elements of one case; `reject` NULL: it is answered.
enum error foreign_table_take(struct foreign_table *table, const struct foreign_row *rows,
                              size_t count, const char *id, const char *reject,
                              struct diagnostic *diagnostic);
// The column of ids; SIZE_MAX: there is none.
size_t foreign_table_ids(const struct foreign_table *table);

#endif
