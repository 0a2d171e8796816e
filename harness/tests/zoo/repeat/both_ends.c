// SPDX-License-Identifier: Apache-2.0
// Computes in vectors of 64 bytes, and forgets the last elements of an output where some before the
// first border and some behind the last one are left over.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    const int64_t count = assay_element_count(output);
    const uintptr_t begin = (uintptr_t)output->layout.data,
                    end = begin + (uintptr_t)(count * output->layout.dtype.bits / 8);
    if (begin % 64 && end % 64)
        zoo_store(output, count - 1, zoo_load(output, count - 1) ^ 1);
}

static const struct zoo_plugin zoo_plugin = {.name = "both_ends", .after = spoil};
