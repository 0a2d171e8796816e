// SPDX-License-Identifier: Apache-2.0
// For authors of targets in C: a library that is opened while running, so that nothing of it is
// needed for building.

#ifndef ASSAY_HARNESS_TARGETS_HELPER_LIBRARY_H
#define ASSAY_HARNESS_TARGETS_HELPER_LIBRARY_H

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first include: dladdr needs it"
#endif

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/plugin.h"

// The virtual environment of the build, beside this plugin's folder or (of a program) in it; false
// when there is none.
static inline bool assay_wheels_folder(char *folder, size_t size)
{
    static const char here;
    Dl_info self;
    const char *const slash = dladdr(&here, &self) ? strrchr(self.dli_fname, '/') : NULL;
    const int length = slash ? (int)(slash - self.dli_fname) : 0;
    for (int up = 1; slash && up >= 0; up--)
        if (snprintf(folder, size, "%.*s/%svenv", length, self.dli_fname, up ? "../" : "") <
                (int)size &&
            !access(folder, F_OK))
            return true;
    return false;
}

// A function of the library and where its address goes.
struct assay_symbol {
    const char *name;
    size_t offset; // of the function pointer in the table
};

// Fills the pointers of `table`. NULL, or the name of the first function that the library lacks.
static inline const char *assay_load_symbols(void *library, const struct assay_symbol *symbols,
                                             size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *const address = dlsym(library, symbols[i].name);
        if (!address)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

#endif
