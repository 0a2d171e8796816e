// SPDX-License-Identifier: Apache-2.0
// Which targets there are, and how to start them.

#ifndef ASSAY_HARNESS_CLI_TARGET_TABLE_H
#define ASSAY_HARNESS_CLI_TARGET_TABLE_H

#include "harness/cli/target.h"
#include "harness/host/host.h"
#include "ref/base/arena.h"

// All targets that are there, by name. Memory is the arena's.
enum error targets_list(struct arena *arena, struct target **targets, size_t *count,
                        struct diagnostic *diagnostic);

// The targets that the command line names: `names` parted by commas ("all": all), or a plugin, or a
// program with its arguments parted by spaces, in this order; without any, all of the project's
// own. No two have one name.
enum error targets_choose(const char *names, const char *plugin, const char *program,
                          struct arena *arena, struct target **targets, size_t *count,
                          struct diagnostic *diagnostic);

enum error target_open(const struct target *target, unsigned time_ms, struct host **host,
                       struct diagnostic *diagnostic);

#endif
