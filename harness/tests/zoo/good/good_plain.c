// SPDX-License-Identifier: Apache-2.0
// Behaves well and can do nothing special.

#include "harness/tests/zoo/zoo.h"

static const struct zoo_plugin zoo_plugin = {.name = "good_plain"};
