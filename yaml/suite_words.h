// SPDX-License-Identifier: Apache-2.0
// The small parts that the readers of a suite share. Private to yaml/suite*.c.

#ifndef ASSAY_YAML_SUITE_WORDS_H
#define ASSAY_YAML_SUITE_WORDS_H

#include "yaml/fill.h"
#include "yaml/suite.h"

// Keys of a case that are not part of a request, NULL-terminated.
extern const char *const suite_case_keys[];

// Whether `text` is among the words, NULL-terminated.
bool suite_is_one_of(const char *text, const char *const *words);

// Refuses anything but a word: letters, digits, '.', '_' and '-', first a letter or a digit; lower
// case where `lower`.
enum error suite_check_word(const struct document_node *at, const char *text, bool lower,
                            const char *what, struct diagnostic *diagnostic);

// The scalar under `key` of the mapping `node` as a text that is not empty; NULL when it is absent
// and not `needed`.
enum error suite_read_text(const struct document_node *node, const char *key, bool needed,
                           const char **text, struct diagnostic *diagnostic);

// Index of the requirement `id`, or -1.
int suite_requirement_index(const struct suite *suite, const char *id);

// The form's mapping for one row: without matrix, except and about; id and values put in.
enum error suite_form_expand(const struct suite_form *form, uint64_t index, const char *id,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic);

// The case with all of its keys but matrix, except and about, its id and values put in.
enum error suite_case_expand(const struct suite *suite, const struct suite_case *of,
                             struct arena *arena, struct document_node **node,
                             struct diagnostic *diagnostic);

// Draws in a case's expanded mapping, which becomes its own; `count` says how much could be drawn.
enum error suite_draw_case(const struct suite_case *of, struct arena *arena,
                           struct document_node *node, unsigned *count,
                           struct diagnostic *diagnostic);

// Puts the cases in order by id. ERROR_INPUT when two have the same.
enum error suite_sort_cases(struct suite *suite, struct diagnostic *diagnostic);

// A source of fills that gives types and shapes, and no data.
enum error suite_read_fill(void *context, const struct document_node *node, const char *name,
                           struct arena *arena, struct tensor *tensor,
                           struct diagnostic *diagnostic);

// `bits`, or {ulps: N}.
enum error suite_read_tolerance(const struct document_node *node, struct suite_tolerance *to,
                                struct diagnostic *diagnostic);

// Reads `operations`: those that the suite declares.
enum error suite_read_declared(struct suite *suite, const struct document_node *node,
                               struct diagnostic *diagnostic);

// Reads `sources`, `operations` and `reference` of the suite, before its cases.
enum error suite_read_stored(struct suite *suite, const struct document_node *root,
                             struct diagnostic *diagnostic);

// The operation that a case's `op` names: assay's, or one that the suite declares. NULL: none.
const struct operation *suite_operation_named(const struct suite *suite, const char *name);

// Reads which source states the case's values, and gives it an operation over stored values where
// one does. `of` has its operation, `reject` and `survive`.
enum error suite_read_from(struct suite *suite, const struct document_node *node,
                           struct suite_case *of, struct diagnostic *diagnostic);

// The context of the sources of a case's tensors.
struct suite_context {
    struct fill_names names; // first: it is that of fill_make_tensor
    const struct suite *suite;
};

// A source of tensors that stand in files of the suite's sources; `context` is a suite_context.
// They have type and shape alone until these files were read.
enum error suite_read_file_tensor(void *context, const struct document_node *node, const char *name,
                                  struct arena *arena, struct tensor *tensor,
                                  struct diagnostic *diagnostic);

// Says in words how closely the values of the case, which is stored, must be met.
enum error suite_describe_tolerance(struct suite *suite, const struct document_node *node,
                                    struct suite_case *of, struct diagnostic *diagnostic);

// Gives a request of the case, which is stored, what is stated for it; `node` is the expanded case.
// Values that are still in files leave the request without.
enum error suite_store(const struct suite *suite, const struct suite_case *of,
                       const struct document_node *node, struct arena *arena,
                       struct request *request, struct diagnostic *diagnostic);

// Reads `cases`: forms, cases, the operations they use, and how often each requirement is covered.
enum error suite_read_cases(struct suite *suite, const struct document_node *node,
                            struct diagnostic *diagnostic);

// Reads `choices`, once the operations are known. `node` may be NULL; `root` is where missing ones
// are reported.
enum error suite_read_choices(struct suite *suite, const struct document_node *node,
                              const struct document_node *root, struct diagnostic *diagnostic);

#endif
