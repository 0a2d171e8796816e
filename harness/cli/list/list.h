// SPDX-License-Identifier: Apache-2.0
// What `assay list` lists. Private to harness/cli/list.

#ifndef ASSAY_HARNESS_CLI_LIST_LIST_H
#define ASSAY_HARNESS_CLI_LIST_LIST_H

#include "ref/base/json.h"
#include "ref/base/nearest.h"
#include "yaml/suite.h"

struct list {
    const char *pattern; // shell pattern, NULL: all
    const char *covers;  // only cases that cover this requirement, NULL: all
    bool json, killed;
    size_t listed;
    size_t survivors;       // deviant options that no case kills
    struct nearest nearest; // to the pattern, of names that it does not match
};

// Whether `name` is asked for: it is counted as listed then, and is else a name that may have been
// meant.
bool list_takes(struct list *list, const char *name);

// Ends and prints a JSON line: an object.
void list_end(struct text *line);

enum error list_choices(struct list *list, const struct suite *suite,
                        struct diagnostic *diagnostic);
enum error list_operations(struct list *list, struct diagnostic *diagnostic);
enum error list_operations_of(struct list *list, const struct suite *suite,
                              struct diagnostic *diagnostic);
enum error list_mappings(struct list *list, struct diagnostic *diagnostic);

#endif
