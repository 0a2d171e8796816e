// SPDX-License-Identifier: Apache-2.0
// Leaves its thread with a locale of its own.

#define _GNU_SOURCE
#include <locale.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "thread_locale", .before = misbehave};
