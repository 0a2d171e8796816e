// SPDX-License-Identifier: Apache-2.0
// Where data files lie.

#ifndef ASSAY_REF_BASE_SHARE_H
#define ASSAY_REF_BASE_SHARE_H

#include <stddef.h>

// The folder of data files `name` ("yaml/suites", "vectors/golden", "harness/targets"): beside the
// sources when the program runs from a build tree, else under the installed share folder;
// ASSAY_HOME overrides both. Writes at most `size` bytes to `path`, the caller's buffer, and
// returns it.
const char *share_path(const char *name, char *path, size_t size);

// The folder of the program itself, without a final slash.
void share_program_folder(char *path, size_t size);

#endif
