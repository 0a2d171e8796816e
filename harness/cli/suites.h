// SPDX-License-Identifier: Apache-2.0
// Which suites a command works on.

#ifndef ASSAY_HARNESS_CLI_SUITES_H
#define ASSAY_HARNESS_CLI_SUITES_H

#include "ref/base/arena.h"
#include "ref/base/error.h"

// The paths of the suites, in the order of their names: all of yaml/suites, or the one that `only` names (by name, or by the
// path of its file). ERROR_INPUT when it does not exist. Memory is the arena's.
enum error cli_find_suites(const char *only, struct arena *arena, const char ***paths, size_t *count,
                           struct diagnostic *diagnostic);

#endif
