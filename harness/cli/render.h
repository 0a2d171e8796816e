// SPDX-License-Identifier: Apache-2.0
// Results in the forms that people and programs read: for `report`, and for `certify` when it ends.

#ifndef ASSAY_HARNESS_CLI_RENDER_H
#define ASSAY_HARNESS_CLI_RENDER_H

#include <stddef.h>

#include "ref/base/error.h"

struct results;
struct tally;

enum render_form { RENDER_SUMMARY, RENDER_MARKDOWN, RENDER_JUNIT, RENDER_HTML, RENDER_FORMS };

// Writes each form whose path is not NULL; "-" is standard output.
enum error render_results(const char *const path[RENDER_FORMS], const struct results *results,
                          const struct tally *tally, struct diagnostic *diagnostic);

// The same for a results file that lies in memory, called `name` where something is wrong with it.
enum error render_bytes(const char *const path[RENDER_FORMS], const char *name, char *bytes,
                        size_t size, struct diagnostic *diagnostic);

#endif
