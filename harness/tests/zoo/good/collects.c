// SPDX-License-Identifier: Apache-2.0
// Behaves well: keeps what it worked out at each call, and lets all of it go at each seventeenth.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

enum { ZOO_KEPT = 17, ZOO_KEPT_BYTES = 4096 };
static void *kept[ZOO_KEPT];
static unsigned kept_count;

static bool keep_some(void)
{
    kept[kept_count++] = calloc(1, ZOO_KEPT_BYTES);
    for (; kept_count == ZOO_KEPT; kept_count = 0)
        for (unsigned i = 0; i < ZOO_KEPT; i++)
            free(kept[i]);
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "collects", .before = keep_some};
