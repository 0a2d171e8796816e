// SPDX-License-Identifier: Apache-2.0
// A project of one's own: suites, targets and known failures, which `assay.yaml` names. It is
// looked for in the working directory and upwards, and read anew by each command.

#ifndef ASSAY_HARNESS_CLI_PROJECT_H
#define ASSAY_HARNESS_CLI_PROJECT_H

#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"

#define PROJECT_FILE "assay.yaml"

struct project {
    const char *folder; // "", "../" and so on, what leads to its file; NULL: there is no project
    const struct document_node *suites;  // a list of scalars; NULL: none is named
    const struct document_node *targets; // a list of rows (target_rows.h); NULL: none is named
    const char *known;                   // path of the list of known failures; NULL: none is named
};

// The project around the working directory; without one `folder` is NULL. Memory is the arena's.
// ERROR_INPUT when its file cannot be read, or belongs to another user than this one and root.
enum error project_find(struct arena *arena, struct project *project,
                        struct diagnostic *diagnostic);

// A path as seen from the working directory, of one that is seen from the project's folder.
// Returns NULL without memory.
const char *project_path(const struct project *project, const char *path, struct arena *arena);

#endif
