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

#include "harness/plugin.h"

// The folder in which this plugin lies; false when the loader does not know.
static inline bool assay_plugin_folder(char *folder, size_t size)
{
    const struct assay_plugin *(*const entry)(void) = assay_plugin_entry;
    void *address = NULL;
    Dl_info self;
    memcpy(&address, &entry, sizeof address);
    const char *const slash = dladdr(address, &self) ? strrchr(self.dli_fname, '/') : NULL;
    return slash && snprintf(folder, size, "%.*s", (int)(slash - self.dli_fname), self.dli_fname) <
                        (int)size;
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
