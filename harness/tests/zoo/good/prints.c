// SPDX-License-Identifier: Apache-2.0
// Prints megabytes; odd, but its results are right.

#include "harness/tests/zoo/zoo.h"

static bool print_much(void)
{
    for (int i = 0; i < 4096; i++)
        fprintf(stderr, "%01023d\n", i);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "prints", .before = print_much};
