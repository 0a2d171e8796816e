// SPDX-License-Identifier: Apache-2.0
// Behaves well, and was built against the first version of the ABI: the frozen header stands in for
// the present one.

#include "harness/tests/zoo/plugin_v1.h" // first: it has the same guard

#include "harness/tests/zoo/zoo.h"

static const struct zoo_plugin zoo_plugin = {
    .name = "frozen_v1", .capabilities = ASSAY_CAPABILITY_STRIDED | ASSAY_CAPABILITY_THREADS};
