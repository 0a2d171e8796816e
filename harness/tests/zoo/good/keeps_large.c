// SPDX-License-Identifier: Apache-2.0
// Behaves well: keeps a large entry of each of the last calls, and then replaces the oldest.

#include <stdlib.h>

#include "harness/tests/zoo/zoo.h"

enum { KEPT = 100, BYTES = 1 << 20 };
static void *kept[KEPT];

static bool keep(void)
{
    static unsigned next;
    free(kept[next]);
    kept[next] = malloc(BYTES);
    if (kept[next])
        memset(kept[next], 1, BYTES);
    next = (next + 1) % KEPT;
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "keeps_large", .before = keep};
