// SPDX-License-Identifier: Apache-2.0
// The nights of audits as results, so that a page can show their course.

#ifndef ASSAY_HARNESS_CLI_HISTORY_AUDIT_H
#define ASSAY_HARNESS_CLI_HISTORY_AUDIT_H

#include "ref/base/error.h"

// Writes one evidence record for each closed night of the history at `database`, oldest first, to
// `path`.
enum error history_write_evidence(const char *database, const char *path,
                                  struct diagnostic *diagnostic);

#endif
