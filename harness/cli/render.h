// SPDX-License-Identifier: Apache-2.0
// Results in the forms that people and programs read: for `report`, and for `certify` when it ends.

#ifndef ASSAY_HARNESS_CLI_RENDER_H
#define ASSAY_HARNESS_CLI_RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/error.h"
#include "ref/base/text.h"

struct results;
struct tally;

enum render_form { RENDER_SUMMARY, RENDER_MARKDOWN, RENDER_JUNIT, RENDER_HTML, RENDER_FORMS };

// Writes each form whose path is not NULL; "-" is standard output.
enum error render_results(const char *const path[RENDER_FORMS], const struct results *results,
                          const struct tally *tally, struct diagnostic *diagnostic);

// What has just been run: its forms, and with `seal` its statements and, with a key, certificates.
struct render_run {
    const char *path[RENDER_FORMS];
    const char *name; // where the results are kept
    bool seal;
    const char *key; // NULL: no target may have a certificate
};

// Renders and signs results that lie in memory, not what stands in a file by now. Appends the
// outcome of all targets, as tally_put_outcome does (NULL: nowhere).
enum error render_run(const struct render_run *run, char *bytes, size_t size, struct text *outcome,
                      struct diagnostic *diagnostic);

#endif
