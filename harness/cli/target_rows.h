// SPDX-License-Identifier: Apache-2.0
// harness/targets/targets.yaml and a project's own list: targets under other names, what their
// libraries are held to, and the environment that holds them there.

#ifndef ASSAY_HARNESS_CLI_TARGET_ROWS_H
#define ASSAY_HARNESS_CLI_TARGET_ROWS_H

#include "harness/cli/project.h"
#include "harness/cli/target.h"
#include "ref/base/arena.h"
#include "ref/base/error.h"

// Completes the targets found as files by the rows of targets.yaml in `folder`; without that file
// they stay as they are. A row whose plugin or program is not there is left out. *targets, in order
// of kind and name, becomes another array; memory is the arena's.
enum error target_rows_apply(const char *folder, struct arena *arena, struct target **targets,
                             size_t *count, struct diagnostic *diagnostic);

// Adds those of a project, whose rows also name a plugin's file or a command (`plugin`, `exec`), in
// the same way; without a project, or rows in it, nothing.
enum error target_rows_add(const struct project *project, struct arena *arena,
                           struct target **targets, size_t *count, struct diagnostic *diagnostic);

#endif
