// SPDX-License-Identifier: Apache-2.0
// Cases as requests alone, for runners on machines where assay is not: each as a target gets it,
// with its digest, and nothing of what is right.

#ifndef ASSAY_HARNESS_CLI_EXPORT_REQUESTS_H
#define ASSAY_HARNESS_CLI_EXPORT_REQUESTS_H

#include <stddef.h>

#include "ref/base/error.h"
#include "yaml/suite.h"

// Writes the cases of all suites to the folder `to`, which is not there yet or empty, in the form
// of harness/host/record/form.h, named "requests". Left out are those that no plain target can be
// asked for: tensors above 64 MiB, places in memory. `pattern` selects cases, NULL: all.
enum error export_requests(const struct suite *suites, size_t count, const char *to,
                           const char *pattern, size_t *written, size_t *left_out,
                           struct diagnostic *diagnostic);

#endif
