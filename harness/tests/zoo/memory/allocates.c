// SPDX-License-Identifier: Apache-2.0
// Takes memory without end.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    enum { BLOCK = 1 << 20 };
    for (;;) {
        char *const block = malloc(BLOCK);
        if (block)
            memset(block, 1, BLOCK);
    }
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "allocates", .before = misbehave};
