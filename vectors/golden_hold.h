// SPDX-License-Identifier: Apache-2.0
// The reference of this build held against a golden manifest, case by case, while a target is
// judged by it: a reference that was changed, or a manifest that was, certifies nothing.

#ifndef ASSAY_VECTORS_GOLDEN_HOLD_H
#define ASSAY_VECTORS_GOLDEN_HOLD_H

#include "ref/variant/variant.h"
#include "vectors/golden.h"

enum { GOLDEN_HOLD_SIZE = 256 };

struct golden_manifest_line {
    const char *id;
    const char *outputs; // the rest of the line from the key on, not NUL-terminated
    size_t size;
};

struct golden_manifest {
    const char *path; // NULL: the suite has none
    size_t count;
    struct golden_manifest_line *line;
    struct arena arena;
};

// Reads SUITE.jsonl of `folder`, where there is one. Lines are looked at when their case is held
// against them. Release the manifest also after an error.
enum error golden_manifest_read(const char *folder, const char *suite,
                                struct golden_manifest *manifest, struct diagnostic *diagnostic);
void golden_manifest_release(struct golden_manifest *manifest);

// Holds every output that the manifest has of case `id` (types, shapes, SHA-256 of content, bits)
// against `evaluation`, which is of `request` under the default profile and without observed
// states. `why` says what differs, "" where nothing does. Errors are the harness's own.
enum error golden_manifest_hold(const struct golden_manifest *manifest, const char *id,
                                const struct request *request, const struct evaluation *evaluation,
                                char why[GOLDEN_HOLD_SIZE], struct diagnostic *diagnostic);

#endif
