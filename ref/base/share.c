// SPDX-License-Identifier: Apache-2.0
// Where data files lie: looked for upwards from the program's own folder, so that a build tree and
// an installation are found alike.

#include "ref/base/share.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ASSAY_SHARE_FOLDER
#define ASSAY_SHARE_FOLDER "share/assay"
#endif

void share_program_folder(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *const slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

const char *share_path(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    const char *const home = getenv("ASSAY_HOME");
    if (home && *home) {
        snprintf(path, size, "%s/%s", home, name);
        return path;
    }
    share_program_folder(folder, sizeof folder);
    // From <tree>/build or a folder below it; an installed program sits in <prefix>/bin.
    for (char *cut = folder + strlen(folder); cut; cut = strrchr(folder, '/')) {
        *cut = '\0';
        snprintf(path, size, "%s/%s", folder, name);
        if (!access(path, F_OK))
            return path;
        snprintf(path, size, "%s/" ASSAY_SHARE_FOLDER "/%s", folder, name);
        if (!access(path, F_OK))
            return path;
    }
    snprintf(path, size, "%s", name);
    return path;
}
