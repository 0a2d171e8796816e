// SPDX-License-Identifier: Apache-2.0
// Writes one byte before the start of its output.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    ((volatile uint8_t *)output->layout.data)[-1] = 0;
}

static const struct zoo_plugin zoo_plugin = {.name = "write_before_start", .after = spoil};
