// SPDX-License-Identifier: Apache-2.0
// Where the plugins of the zoo lie, for the C tests, which lie in the same build.

#ifndef ASSAY_HARNESS_ZOO_PATH_H
#define ASSAY_HARNESS_ZOO_PATH_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// BUILD/zoo/NAME.so, where the calling program is BUILD/tests/...; NULL where it is not. The text
// is overwritten by the next call.
static inline const char *zoo_path(const char *name)
{
    static char path[4096];
    char self[2048] = "";
    char *const build =
        readlink("/proc/self/exe", self, sizeof self - 1) > 0 ? strstr(self, "/tests/") : NULL;
    if (!build)
        return NULL;
    *build = '\0';
    snprintf(path, sizeof path, "%s/zoo/%s.so", self, name);
    return path;
}

#endif
