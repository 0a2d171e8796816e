// SPDX-License-Identifier: Apache-2.0
// Behaves well: strides, any number of threads, several at once.

#include "harness/tests/zoo/zoo.h"

static const struct zoo_plugin zoo_plugin = {.name = "good",
                                             .capabilities = ASSAY_CAPABILITY_STRIDED |
                                                             ASSAY_CAPABILITY_THREADS |
                                                             ASSAY_CAPABILITY_REENTRANT};
