// SPDX-License-Identifier: Apache-2.0
// Writes to the request itself: claims that its output has no elements.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    if (output->layout.ndim)
        output->layout.shape[0] = 0;
}

static const struct zoo_plugin zoo_plugin = {.name = "request_write", .after = spoil};
