// SPDX-License-Identifier: Apache-2.0
// Files that are made from templates, with a name in them.

#ifndef ASSAY_HARNESS_CLI_NEW_TEMPLATE_H
#define ASSAY_HARNESS_CLI_NEW_TEMPLATE_H

#include <stdbool.h>

#include "ref/base/error.h"

// Whether `name` may be a file's name and a word of C: TEMPLATE_NAME, 64 bytes at most.
#define TEMPLATE_NAME "a lower-case letter, then lower-case letters, digits and underscores"
bool template_is_name(const char *name);

// Makes the folder at `path`, unless it is there. ERROR_SYSTEM.
enum error template_folder(const char *path, struct diagnostic *diagnostic);

// Writes the data file `template` (cli_data_path) to `path` with `name` in place of every @NAME@.
// ERROR_INPUT when there is something at `path`, which is left as it is.
enum error template_file(const char *template, const char *name, const char *path,
                         struct diagnostic *diagnostic);

#endif
