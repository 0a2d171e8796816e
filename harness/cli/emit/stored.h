// SPDX-License-Identifier: Apache-2.0
// What is printed about values that a suite states.

#ifndef ASSAY_HARNESS_CLI_EMIT_STORED_H
#define ASSAY_HARNESS_CLI_EMIT_STORED_H

#include <stddef.h>

#include "ref/base/error.h"

struct suite;

// Judges the stored values of the suite by assay's reference, where it derives such values, and
// prints each case that differs and a line of counts. *differ is how many do; nothing is printed of
// a suite whose values are all derived.
enum error stored_tell(const struct suite *suite, size_t *differ, struct diagnostic *diagnostic);

#endif
