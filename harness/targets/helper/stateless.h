// SPDX-License-Identifier: Apache-2.0
// For authors of targets in C: a plugin that keeps nothing between calls. It has a version, what it
// supports and what it runs; session and instance are empty.

#ifndef ASSAY_HARNESS_TARGETS_HELPER_STATELESS_H
#define ASSAY_HARNESS_TARGETS_HELPER_STATELESS_H

#include "harness/plugin.h"

static inline enum assay_status assay_open_nothing(struct assay_session **session,
                                                   struct assay_message *message)
{
    (void)message;
    *session = NULL;
    return ASSAY_OK;
}

static inline void assay_close_nothing(struct assay_session *session)
{
    (void)session;
}

static inline enum assay_status assay_prepare_nothing(struct assay_session *session,
                                                      const struct assay_request *request,
                                                      struct assay_instance **instance,
                                                      struct assay_message *message)
{
    (void)session;
    (void)request;
    (void)message;
    *instance = NULL;
    return ASSAY_OK;
}

static inline void assay_release_nothing(struct assay_instance *instance)
{
    (void)instance;
}

static const char *const assay_one_feed[] = {"parameter"};

// The members of struct assay_plugin but name, capabilities, version, supports and run.
#define ASSAY_STATELESS                                                                            \
    .abi_version = ASSAY_PLUGIN_ABI_VERSION, .size = sizeof(struct assay_plugin), .feed_count = 1, \
    .feeds = assay_one_feed, .open = assay_open_nothing, .prepare = assay_prepare_nothing,         \
    .release = assay_release_nothing, .close = assay_close_nothing, .dtype_last = ASSAY_DTYPE_LAST

#endif
