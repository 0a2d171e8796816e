// SPDX-License-Identifier: Apache-2.0
// The reference's answer to a request, as a part of a line of JSON.

#ifndef ASSAY_HARNESS_CLI_SERVE_EVAL_H
#define ASSAY_HARNESS_CLI_SERVE_EVAL_H

#include <stdbool.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/text.h"
#include "yaml/declared/operator.h"

// What an answer shows beside outputs: the ends of intervals; how often each look decides.
struct eval_wanted {
    bool bounds, looks;
    const struct operation *operation; // that the request is of; NULL: found by its name
};

// Evaluates a request, which may have `profile` and `observed`, and adds "outputs" to an object
// that is open, and what is wanted beside them. What is finished of a large text is
// printed at once. On an error nothing was added. `operators` are those declared that there are,
// and takes in what else is asked for.
enum error eval_put_outputs(const struct document_node *node, struct eval_wanted wanted,
                            struct operators *operators, struct arena *arena, struct text *text,
                            struct diagnostic *diagnostic);

// Adds "error" with code and message to an object that is open.
void eval_put_error(struct text *text, enum error error, const struct diagnostic *diagnostic);

// What is said of each request: members of its line.
struct eval_asked {
    enum error (*put)(void *context, const struct document_node *request, struct arena *arena,
                      struct text *text, struct diagnostic *diagnostic);
    void *context;
};

// Prints one line for each request of a file ("-": standard input): its id, and what `asked` puts,
// or the error. Returns an exit code: CLI_INPUT where there was one.
int eval_each(const char *path, const struct eval_asked *asked);

#endif
