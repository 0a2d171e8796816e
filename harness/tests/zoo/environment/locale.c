// SPDX-License-Identifier: Apache-2.0
// Changes the locale.

#include <locale.h>

#include "harness/tests/zoo/zoo.h"

static bool misbehave(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    return true;
}

static const struct zoo_plugin zoo_plugin = {.name = "locale", .before = misbehave};
