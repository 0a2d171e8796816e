// SPDX-License-Identifier: Apache-2.0
// The values of a suite that are stored: tensors in the files of its sources, and what its program
// answered, as the golden vectors hold it.

#ifndef ASSAY_VECTORS_STORED_H
#define ASSAY_VECTORS_STORED_H

#include "yaml/suite.h"

// Reads them into the suite, which was just read; `folder` is that of its golden vectors, which
// need not be there. Nothing is done for a suite whose values are all derived. ERROR_INPUT where a
// file is missing or malformed, has another SHA-256 than the suite says, or, of golden vectors,
// than SHA256SUMS.
enum error stored_load(struct suite *suite, const char *folder, struct diagnostic *diagnostic);

// SHA-256 of each file that the suite's program consists of, in their order. ERROR_INPUT where one
// cannot be read.
enum error stored_digest_program(const struct suite *suite, struct arena *arena,
                                 char (**hex)[DIGEST_HEX_SIZE], struct diagnostic *diagnostic);

#endif
