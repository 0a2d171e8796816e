// SPDX-License-Identifier: Apache-2.0
// Goes on in whole vectors of 64 bytes after the first elements, which lie before a border: the
// last vector reaches beyond the output where it ends at none.

#include "harness/tests/zoo/zoo.h"

static void spoil(const struct assay_tensor *output)
{
    unsigned char *const begin = output->layout.data;
    unsigned char *const end = begin + assay_element_count(output) * output->layout.dtype.bits / 8;
    const size_t beyond = (64 - (uintptr_t)end % 64) % 64;
    if ((uintptr_t)begin % 64)
        memset(end, 0, beyond);
}

static const struct zoo_plugin zoo_plugin = {.name = "whole_vectors", .after = spoil};
