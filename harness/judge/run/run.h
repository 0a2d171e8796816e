// SPDX-License-Identifier: Apache-2.0
// A certification of one target over one suite: what it is asked to do, and what came of it.

#ifndef ASSAY_HARNESS_JUDGE_RUN_RUN_H
#define ASSAY_HARNESS_JUDGE_RUN_RUN_H

#include <signal.h>

#include "harness/host/machine.h"
#include "harness/judge/compare/profiles.h"
#include "harness/judge/compare/verdict.h"
#include "harness/judge/run/pool.h"
#include "ref/base/shard/shard.h"
#include "ref/op/model.h"
#include "vectors/golden_hold.h"

// How the bounds of a case at level bound are derived where it has many steps.
enum judge_mode {
    JUDGE_OBSERVED, // each step from the target's own output of the step before where that is
                    // sound, else as JUDGE_SEQUENCE
    JUDGE_SEQUENCE, // all steps from the inputs of the first
    JUDGE_STEPWISE, // the target is driven one step of one layer at a time, from the states that
                    // the reference reaches
    JUDGE_MODES
};

// "observed", "sequence", "stepwise"; JUDGE_MODES for another word.
const char *judge_mode_name(enum judge_mode mode);
enum judge_mode judge_mode_named(const char *name);

struct judge_run {
    const struct suite *suite;
    struct host_description description;
    struct evaluation_model model; // what the description's text says
    struct machine machine;        // set where known failures are looked up; no verdict needs it
    enum judge_mode mode;
    bool native;          // held to nothing on purpose: what it does may depend on the processor
    const char *held_to;  // class of processors that the library is held to; NULL: none
    const char *selector; // how the command line names the target; NULL: --target and its name
    struct named_profile profile;        // under which the target was judged
    const struct named_profile *allowed; // those that it may be judged under: by_profile_list
    size_t allowed_count;
    bool profile_complete; // `allowed` has all of them
    size_t result_count;
    struct judge_result *result;
    size_t first, step; // the results of a part: first, first + step, ...
    uint64_t explained; // profiles searched
    struct arena arena;
    uint64_t kept;                          // bytes of outputs kept
    const struct golden_manifest *manifest; // held against the reference; NULL: none
};

struct judge_options {
    enum judge_mode mode;
    const char *pattern;           // shell pattern of case ids, NULL: all
    bool quick;                    // one condition a case
    const struct shard_plan *part; // run this part's cases, and choose no profile; NULL: all
    const size_t *parent; // parent[i]: index of the case that step i was cut from; NULL: not cut
    const struct suite *uncut; // the suite whose cases were cut; NULL: none were
    // With `part`: what is run and not judged yet when the suite ends is left there; the caller
    // judges it, or gives it to the next suite. NULL: nothing is left.
    struct judge_backlog *backlog;
    struct judge_pool *pool; // with `part`: its processes share the cases; NULL: each part's are
                             // fixed
    const struct host_conditions *only;  // run each case once, under these; NULL: under a covering
                                         // array of all
    const struct named_profile *profile; // judge under this one; NULL: under the allowed one that
                                         // explains most
    // Of the suite: each answer of the reference is held against it, and where they differ the
    // verdict is VERDICT_HARNESS. NULL: none. Of steps, and of the windows of an output that is too
    // large for one call, there are no vectors.
    const struct golden_manifest *manifest;
    // Searches for what explains the failures, in the end; NULL: nothing does.
    enum error (*explain)(struct judge_run *run, struct diagnostic *diagnostic);
    // A run of the same cases as a part that was stopped: what it holds is not run again, and is
    // not this run's. NULL: nothing was run before.
    const struct judge_run *finished;
    // Once it is not 0, no further case is run: judge_was_stopped. NULL: never. Both need `part`
    // and no steps.
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

// Makes the results of a run before anything was asked: one for every case whose id matches.
// ERROR_INVALID_ARGUMENT when none does.
enum error judge_select(struct judge_run *run, const char *pattern, struct diagnostic *diagnostic);

void judge_release(struct judge_run *run);

// Whether there are cases left to run.
bool judge_was_stopped(const struct judge_run *run);

// How many results have the verdict.
size_t judge_count(const struct judge_run *run, enum verdict verdict);

// Whether the result counts for the `k`th requirement that its case covers: steps that pass count
// for none that only the whole shows.
bool judge_counts(const struct judge_run *run, const struct judge_result *result, size_t k);

// Writes the command that judges this case alone, to be pasted into a shell: at most `size` bytes
// to `text`, which it returns.
const char *judge_reproduce(const struct judge_run *run, const struct judge_result *result,
                            const char *target, char *text, size_t size);

#endif
