// SPDX-License-Identifier: Apache-2.0
// The first golden vectors of a suite that a command has just made.

#ifndef ASSAY_HARNESS_CLI_EMIT_FIRST_H
#define ASSAY_HARNESS_CLI_EMIT_FIRST_H

#include <stddef.h>

#include "ref/base/error.h"

// Does what `emit --suite PATH --write` does, and prints what it prints. *differ: how many cases
// hold stored values that differ from the reference.
enum error emit_first(const char *path, size_t *differ, struct diagnostic *diagnostic);

#endif
