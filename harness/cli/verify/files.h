// SPDX-License-Identifier: Apache-2.0
// The files that a certificate names, and whether their bytes are still those.

#ifndef ASSAY_HARNESS_CLI_VERIFY_FILES_H
#define ASSAY_HARNESS_CLI_VERIFY_FILES_H

#include "ref/base/document.h"
#include "ref/base/error.h"

struct arena;

// Where files lie that are not where the certificate expects them; each may be NULL.
struct verify_places {
    const char *target;  // file of the plugin or script
    const char *library; // files and folders, parted by commas
    const char *results, *tool;
    const char *recorded; // the folder of recorded answers
    struct suite *suites; // one's own: verify_read_suites
    size_t suite_count;
};

// Reads suites of one's own, whose paths stand in `names`, parted by commas (NULL: those of the
// project). Release
// them also after an error.
enum error verify_read_suites(struct verify_places *places, const char *names, struct arena *arena,
                              struct diagnostic *diagnostic);
void verify_release_suites(struct verify_places *places);

// The suite of one's own that has this name; NULL: none.
const struct suite *verify_own_suite(const struct verify_places *places, const char *name);

// One line of the answer; `name` comes from the certificate and is made safe for a terminal.
void verify_say(const char *what, const char *name, const char *more);

// Compares the digest of every subject of a checked statement and says a line about each. Adds to
// *faults those that are missing or changed. An error means that this machine failed, not the
// certificate.
enum error verify_files(const struct verify_places *places, const struct document_node *subjects,
                        unsigned *faults, struct diagnostic *diagnostic);

#endif
