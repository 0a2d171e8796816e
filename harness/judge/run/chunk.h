// SPDX-License-Identifier: Apache-2.0
// Cases go through a target in chunks of bounded memory: forwards, then backwards under other
// conditions. While one chunk runs, those before it are judged, so that harness and target both
// have work.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CHUNK_H
#define ASSAY_HARNESS_JUDGE_RUN_CHUNK_H

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
    struct host_call *calls[2]; // of pass 0 and 1
    size_t room[2];             // for how many calls there is memory
    // On its way through the judge.
    size_t judged;
    enum error error;
    struct diagnostic diagnostic;
};

// Room for one more trial, zeroed; NULL: out of memory. Not when the chunk is full.
struct trial *chunk_add(struct chunk *chunk);

// Takes the last one back.
void chunk_drop(struct chunk *chunk);

// Whether it is to be run before more is added.
bool chunk_is_full(const struct chunk *chunk);

// What is done while a chunk runs: see host_run_beside.
struct beside_run {
    bool (*work)(void *context);
    void *context;
};

enum error chunk_run(struct chunk *chunk, struct beside_run beside, struct diagnostic *diagnostic);

// Judges the next case of a chunk that was run; false when none is left, or one could not be
// judged.
bool chunk_judge_next(void *chunk);

// Judges what is not judged yet of a chunk that was run, and empties it.
enum error chunk_judge(struct chunk *chunk, struct diagnostic *diagnostic);

void chunk_release(struct chunk *chunk);

// Chunks that were run and are not judged yet, in their order. A target may be quick with
// one case and slow with the next, and so may the judge: neither waits for the other as long as
// there is something here, of this suite or of one before, whose run must last. A zeroed one is
// empty.
struct judge_backlog {
    struct backlog_entry *first, *last;
    size_t bytes;
};

// Takes a chunk that was run; it is empty then.
enum error backlog_put(struct judge_backlog *backlog, struct chunk *chunk,
                       struct diagnostic *diagnostic);

// Judges the next case; false when none is left, or one could not be judged. What host_run_beside
// takes.
bool backlog_work(void *backlog);

// Judges chunks until no more than `most` bytes are left; 0: all of them.
enum error backlog_judge(struct judge_backlog *backlog, size_t most, struct diagnostic *diagnostic);

void backlog_release(struct judge_backlog *backlog);

#endif
