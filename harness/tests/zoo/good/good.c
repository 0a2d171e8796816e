// SPDX-License-Identifier: Apache-2.0
// Behaves well: strides, any number of threads, several at once, every element type.

#include "harness/tests/zoo/zoo.h"

static void declare(struct assay_plugin *plugin)
{
    plugin->dtype_last = ASSAY_DTYPE_LAST;
}

static const struct zoo_plugin zoo_plugin = {.name = "good",
                                             .capabilities = ASSAY_CAPABILITY_STRIDED |
                                                             ASSAY_CAPABILITY_THREADS |
                                                             ASSAY_CAPABILITY_REENTRANT,
                                             .alter = declare};
