// SPDX-License-Identifier: Apache-2.0
// What the files of this program share.

#ifndef ASSAY_HARNESS_RUNNER_RUNNER_H
#define ASSAY_HARNESS_RUNNER_RUNNER_H

#include "harness/runner/request.h"

struct runner {
    const char *name, *pattern, *path, *requests, *to;
    const struct assay_plugin *plugin;
    struct assay_session *session;
    struct host_description description;
    struct form form;
    struct arena arena;
    struct record_writer record;
    size_t answered, total;
};

// The object of the header, still open. What the plugin has loaded by then is named.
enum error runner_put_header(struct runner *runner, struct text *text,
                             struct diagnostic *diagnostic);

#endif
