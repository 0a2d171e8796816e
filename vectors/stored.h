// SPDX-License-Identifier: Apache-2.0
// The values of a suite that are stored: tensors in the files of its sources, and what its program
// answered, as the golden vectors hold it.

#ifndef ASSAY_VECTORS_STORED_H
#define ASSAY_VECTORS_STORED_H

#include "yaml/suite.h"

// Reads them into the suite, which was just read; `folder` is that of its golden vectors, which
// need not be there. Nothing is done for a suite whose values are all derived. ERROR_INPUT where
// the file of a source is missing or malformed, or has another SHA-256 than the suite says; where
// the golden vectors are, suite->unasked says so.
enum error stored_load(struct suite *suite, const char *folder, struct diagnostic *diagnostic);

// The suite's program and the SHA-256 of each of its files, as the manifest has them (struct
// golden); NULL where the suite has no program. ERROR_INPUT where a file cannot be read.
enum error stored_describe_program(const struct suite *suite, struct arena *arena,
                                   const char **program, struct diagnostic *diagnostic);

#endif
