// SPDX-License-Identifier: Apache-2.0
// Computes otherwise where its output lies at a multiple of 64.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    if ((uintptr_t)output->layout.data % 64 == 0)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
}

static const struct zoo_plugin zoo_plugin = {.name = "alignment", .after = spoil};
