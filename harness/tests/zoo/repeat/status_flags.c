// SPDX-License-Identifier: Apache-2.0
// Takes an overflow that was flagged before the call for its own.

#include <fenv.h>

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    if (fetestexcept(FE_OVERFLOW))
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
}

static const struct zoo_plugin zoo_plugin = {.name = "status_flags", .after = spoil};
