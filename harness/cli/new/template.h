// SPDX-License-Identifier: Apache-2.0
// Files that are made from templates, with a name in them.

#ifndef ASSAY_HARNESS_CLI_NEW_TEMPLATE_H
#define ASSAY_HARNESS_CLI_NEW_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/error.h"

// Whether `name` may be a file's name and a word of C: TEMPLATE_NAME, 64 bytes at most.
#define TEMPLATE_NAME "a lower-case letter, then lower-case letters, digits and underscores"
bool template_is_name(const char *name);

// Makes the folder at `path`, unless it is there. ERROR_SYSTEM.
enum error template_folder(const char *path, struct diagnostic *diagnostic);

// What stands in place of a mark of a template: of "@NAME@" the name, say.
struct template_word {
    const char *mark, *text;
};

// Writes the data file `template` (cli_data_path) to `path` with the words in place of their marks.
// ERROR_INPUT when there is something at `path`, which is left as it is.
enum error template_file(const char *template, const struct template_word *words, size_t count,
                         const char *path, struct diagnostic *diagnostic);

#endif
