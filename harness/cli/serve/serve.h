// SPDX-License-Identifier: Apache-2.0
// Parts of `assay serve`: what one line asks, and the suites that lines name.

#ifndef ASSAY_HARNESS_CLI_SERVE_SERVE_H
#define ASSAY_HARNESS_CLI_SERVE_SERVE_H

#include "ref/base/document.h"
#include "ref/base/text.h"
#include "yaml/suite.h"

enum { SERVE_SUITES_MAX = 512 };

// Suites that were read, each once. Zero-initialised is empty.
struct serve_suites {
    struct arena arena;         // names and paths
    struct operators operators; // declared ones, read when they are asked for
    size_t count;
    struct {
        const char *path;
        struct suite *suite;
    } of[SERVE_SUITES_MAX];
};

// The suite of that name or path. Errors as suites_choose and suite_read.
enum error serve_suite_named(struct serve_suites *suites, const char *name,
                             const struct suite **suite, struct diagnostic *diagnostic);

// The suite by whose choices a request of `operation` is judged: of the project's suites, else of
// those that assay comes with, one that has the operation. Among several that is the one named by
// the operation and the word of an attribute (onednn.rnn.backward), then the operation's namesake.
// ERROR_UNSUPPORTED when none has it.
enum error serve_suite_of(struct serve_suites *suites, const struct document_node *request,
                          const struct suite **suite, struct diagnostic *diagnostic);

// The operation of that name that cases of the suite have; NULL: none.
const struct operation *serve_operation_of(const struct suite *suite, const char *name);

// The case `id` (NULL: there is none) of the suite that the line names.
enum error serve_find_case(struct serve_suites *suites, const struct document_node *line,
                           const char *id, const struct suite **suite, const struct suite_case **of,
                           struct diagnostic *diagnostic);

void serve_release_suites(struct serve_suites *suites);

// Adds the answer to one line, which ends in a newline; what is large may be printed at once. The
// text may have failed.
void serve_line(struct serve_suites *suites, const char *bytes, size_t size, struct text *text);

// What each kind of line asks. They add members to an object that is open; on an error nothing was
// added. Memory of the line's document is the arena's.
typedef enum error (*serve_answer)(struct serve_suites *suites, const struct document_node *line,
                                   struct arena *arena, struct text *text,
                                   struct diagnostic *diagnostic);
enum error serve_check(struct serve_suites *suites, const struct document_node *line,
                       struct arena *arena, struct text *text, struct diagnostic *diagnostic);
enum error serve_case(struct serve_suites *suites, const struct document_node *line,
                      struct arena *arena, struct text *text, struct diagnostic *diagnostic);
enum error serve_cases(struct serve_suites *suites, const struct document_node *line,
                       struct arena *arena, struct text *text, struct diagnostic *diagnostic);
enum error serve_tolerance(struct serve_suites *suites, const struct document_node *line,
                           struct arena *arena, struct text *text, struct diagnostic *diagnostic);

#endif
