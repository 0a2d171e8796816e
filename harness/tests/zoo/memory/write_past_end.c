// SPDX-License-Identifier: Apache-2.0
// Writes one element past the end of its output.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    ((volatile uint8_t *)
         output->layout.data)[assay_element_count(output) * output->layout.dtype.bits / 8] = 0;
}

static const struct zoo_plugin zoo_plugin = {.name = "write_past_end", .after = spoil};
