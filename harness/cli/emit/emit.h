// SPDX-License-Identifier: Apache-2.0
// What the command emit knows while it runs, and how one suite's vectors are written.

#ifndef ASSAY_HARNESS_CLI_EMIT_EMIT_H
#define ASSAY_HARNESS_CLI_EMIT_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "vectors/golden.h"

enum { EMIT_PATH_SIZE = 4096, EMIT_SHOWN = 20 };

struct emit {
    bool check, write, portable, digest, plan;
    bool no_word; // what would be written is named, and nothing written
    const char *only, *reason, *to, *shard;
    char folder[EMIT_PATH_SIZE], changes[EMIT_PATH_SIZE + 16];
    size_t suites, cases, differences, differ; // differ: stored values, from the reference
};

// Whether no vectors of the suite are kept yet.
bool emit_is_first(const struct emit *emit, const struct suite *suite);

// One line of how a case differs from what is kept.
void emit_print_difference(const char *suite, const struct golden_difference *difference);

// Writes what was made in place of what is kept, and says how many cases are new and how many
// changed. Existing cases change only with a reason; without one nothing is written, and what would
// change is printed and counted.
enum error emit_write_suite(struct emit *emit, const struct suite *suite, struct golden *made,
                            struct diagnostic *diagnostic);

// Writes what was made into the folder `emit->to`: nothing is held against what is there.
enum error emit_write_elsewhere(const struct emit *emit, const struct suite *suite,
                                const struct golden *made, struct diagnostic *diagnostic);

#endif
