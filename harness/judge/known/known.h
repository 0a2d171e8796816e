// SPDX-License-Identifier: Apache-2.0
// Known failures: a list of entries (entry.h), read from a file and held against a run.

#ifndef ASSAY_HARNESS_JUDGE_KNOWN_KNOWN_H
#define ASSAY_HARNESS_JUDGE_KNOWN_KNOWN_H

#include "harness/judge/known/entry.h"
#include "harness/judge/run/run.h"

// `classes` are the classes of processors on which what native targets do was looked at. On others
// their failures are unlisted: named, and no error.
struct known_list {
    const char *path;
    struct known_patterns classes;
    size_t count;
    struct known_entry *entry;
    unsigned char digest[DIGEST_SIZE];
    struct arena arena;
};

// Reads the file. Release the list also after an error.
enum error known_read(const char *path, struct known_list *list, struct diagnostic *diagnostic);
void known_release(struct known_list *list);

// Marks the run's results that entries cover: as expected where every wrong answer is what its
// entry says; as cured where they do not fail, though the entry says so. Where they fail otherwise,
// the reason says so. What a native target does on a class that the list does not cover becomes
// unlisted. ERROR_INPUT: an entry names a choice, an option or a feed that there is not.
enum error known_apply(struct known_list *list, const char *target, struct judge_run *run,
                       struct diagnostic *diagnostic);

// Failures that are not expected, and expected ones that did not come.
size_t known_unexpected(const struct judge_run *run);

#endif
