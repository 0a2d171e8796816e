// SPDX-License-Identifier: Apache-2.0
// Golden vectors made in parts: what a part holds, and all parts as one.

#ifndef ASSAY_VECTORS_GOLDEN_SHARD_H
#define ASSAY_VECTORS_GOLDEN_SHARD_H

#include "ref/base/shard/codec.h"
#include "vectors/golden.h"

// One suite of several that are made together.
struct golden_making {
    const struct suite *suite;
    struct golden golden;
    enum error error; // what went wrong with this suite
    struct diagnostic diagnostic;
};

// Evaluates part `index` (from 1) of `count` of all suites' cases (only the portable ones, when so
// asked): every count-th case in the order of ids, on `threads` threads (0: all). No thread waits
// before the last case of the last suite. Outputs above GOLDEN_CHUNK elements are streamed. The
// error of a suite is ERROR_INVALID_ARGUMENT, naming the case, when the reference refuses what it
// should answer, answers what it should refuse or refuses it for another reason. The caller sets
// `suite` and releases every `golden`.
void golden_make(struct golden_making *making, size_t suites, bool only_portable, unsigned index,
                 unsigned count, unsigned threads);

void golden_put(struct shard_payload *payload, const struct golden *golden);

// Adds the cases of one part to `golden`, whose first arena takes them; ERROR_INPUT where the
// payload is not golden_put's. `golden->suite` and `version` are set by the first part and must be
// those of all.
enum error golden_take(struct shard_reader *reader, struct golden *golden,
                       struct diagnostic *diagnostic);

// Sorts the cases by id once all parts are in. ERROR_INPUT when one is there twice.
enum error golden_join(struct golden *golden, struct diagnostic *diagnostic);

#endif
