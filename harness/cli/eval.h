// SPDX-License-Identifier: Apache-2.0
// The reference's answer to a request, as a part of a line of JSON.

#ifndef ASSAY_HARNESS_CLI_EVAL_H
#define ASSAY_HARNESS_CLI_EVAL_H

#include <stdbool.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/text.h"

// Evaluates a request, which may have `profile` and `observed`, and adds "outputs" to an object
// that is open, with `bounds` also the ends of intervals. What is finished of a large text is
// printed at once. On an error nothing was added.
enum error eval_put_outputs(const struct document_node *node, bool bounds, struct arena *arena,
                            struct text *text, struct diagnostic *diagnostic);

// Adds "error" with code and message to an object that is open.
void eval_put_error(struct text *text, enum error error, const struct diagnostic *diagnostic);

#endif
