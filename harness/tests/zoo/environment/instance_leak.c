// SPDX-License-Identifier: Apache-2.0
// Loses a kibibyte with each instance.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static char *volatile lost;

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    enum { BYTES = 1024 };
    lost = malloc(BYTES);
    return lost ? assay_prepare_nothing(session, request, instance, message) : ASSAY_FAILED;
}

static const struct zoo_plugin zoo_plugin = {.name = "instance_leak", .prepare = prepare};
