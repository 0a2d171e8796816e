// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/known/entry.h"

#include <fnmatch.h>

bool known_fits(const struct known_patterns *patterns, const char *text)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!fnmatch(patterns->pattern[i], text, 0))
            return true;
    return !patterns->count;
}
