// SPDX-License-Identifier: Apache-2.0
// Cases go through a target in chunks of bounded memory: forwards, then backwards under other
// conditions. While one chunk runs, those before it are judged, so that harness and target both
// have work.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CHUNK_H
#define ASSAY_HARNESS_JUDGE_RUN_CHUNK_H

#include "harness/judge/run/backlog.h"
#include "harness/judge/run/run.h"
#include "harness/judge/run/trial.h"

// What all cases of a certification share.
struct judging {
    struct judge_run *run;
    struct host *host;
    struct conditions_plan plan;
    size_t supported; // how many cases go through the plan
};

struct chunk {
    const struct judging *judging;
    struct trial *trials;
    size_t count;
    struct host_call *calls[2]; // of pass 0 and 1, which lie one after the other
    size_t room;                // for how many calls there is memory
};

// Room for one more trial, zeroed; NULL: out of memory. Not when the chunk is full.
struct trial *chunk_add(struct chunk *chunk);

// Takes the last one back.
void chunk_drop(struct chunk *chunk);

// Whether it is to be run before more is added.
bool chunk_is_full(const struct chunk *chunk);

// Runs the calls of its trials, and what they ask for beside: other shapes, other requests of a
// relation, more draws, which are left to the backlog to be audited.
enum error chunk_run(struct chunk *chunk, struct judge_backlog *backlog,
                     struct diagnostic *diagnostic);

// Leaves a chunk that was run to the backlog, where it is judged; it is empty then. Until that is
// done, the arena of its run and the results of its cases are the backlog's.
enum error chunk_leave(struct chunk *chunk, struct judge_backlog *backlog,
                       struct diagnostic *diagnostic);

void chunk_release(struct chunk *chunk);

#endif
