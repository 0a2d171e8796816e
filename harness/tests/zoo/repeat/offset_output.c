// SPDX-License-Identifier: Apache-2.0
// Computes otherwise where its output lies 12 bytes behind a multiple of 64.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    if ((uintptr_t)output->layout.data % 64 == 12)
        zoo_store(output, 0, zoo_load(output, 0) ^ 1);
}

static const struct zoo_plugin zoo_plugin = {.name = "offset_output", .after = spoil};
