// SPDX-License-Identifier: Apache-2.0
// Certification of one target over one suite.
//
// Support is asked for every case before the first is run. Each case is run under several
// conditions; what answered always with the same bits is compared with the reference under one
// allowed profile, the same for the whole suite: the one that explains most.

#ifndef ASSAY_HARNESS_JUDGE_RUN_CERTIFY_H
#define ASSAY_HARNESS_JUDGE_RUN_CERTIFY_H

#include "harness/judge/run/crew.h"
#include "harness/judge/run/profiles.h"
#include "harness/judge/compare/verdict.h"
#include "ref/base/shard/shard.h"
#include "ref/op/model.h"

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

struct judge_options {
    enum judge_mode mode;
    const char *pattern; // shell pattern of case ids, NULL: all
    bool explain;        // search the choices for what reproduces a failure, one option changed
    bool pairs;          // and then two
    bool quick;          // one condition a case
    const struct shard_plan
        *part; // run only the share of this part, and conclude nothing; NULL: all
    const size_t
        *whole; // cases that are pieces: of which whole each is, from 0 on; NULL: each is its own
    struct judge_crew *crew; // with `part`: its share is what others leave to it; NULL: a fixed one
    const struct host_conditions
        *only; // run each case once, under these; NULL: under a covering array of all
    const struct named_profile
        *profile; // judge under this one; NULL: under the allowed one that explains most
    void (*progress)(void *context, size_t done, size_t total);
    void *context;
};

// Where a target was run, as far as verdicts may depend on it.
struct judge_machine {
    char architecture[65], instructions[16];
    char processor[128]; // as the kernel names it, empty where it does not
    char system[160];    // kernel and C library
    unsigned threads;
};

struct judge_run {
    const struct suite *suite;
    struct host_description description;
    struct evaluation_model model; // what the description's text says
    struct judge_machine machine;
    enum judge_mode mode;
    const char *selector; // how the command line names the target; NULL: --target and its name
    struct named_profile profile; // under which the target was judged
    bool profile_complete;        // all allowed profiles were looked at
    size_t result_count;
    struct judge_result *result;
    size_t first, step; // the results of a part: first, first + step, ...
    uint64_t explained; // profiles searched
    struct arena arena;
    uint64_t kept; // bytes of outputs kept
};

// This one.
struct judge_machine judge_machine_here(void);

// Judges every case whose id matches. ERROR_INVALID_ARGUMENT when none does. Release the run also
// after an error. Support is asked for all cases also for a part: under which conditions a case is
// run depends on the others. Pieces of one whole go to one part, which asks about them alone: what
// is done to a piece depends on its place among all pieces.
enum error judge_certify(const struct suite *suite, struct host *host,
                         const struct judge_options *options, struct judge_run *run,
                         struct diagnostic *diagnostic);
void judge_release(struct judge_run *run);

// The results of a run before anything was asked: every case whose id matches.
// ERROR_INVALID_ARGUMENT when none does.
enum error judge_select(struct judge_run *run, const char *pattern, struct diagnostic *diagnostic);

// What judge_certify does once all cases were run: chooses the profile, and explains what fails.
enum error judge_conclude(struct judge_run *run, const struct judge_options *options,
                          struct diagnostic *diagnostic);

size_t judge_count(const struct judge_run *run, enum verdict verdict);

// The command that judges this case alone, to be pasted into a shell. Writes at most `size` bytes
// to `text` and returns it.
const char *judge_reproduce(const struct judge_run *run, const struct judge_result *result,
                            const char *target, char *text, size_t size);

// The reference's outputs for the case under `profile`. Memory is the arena's.
enum error judge_evaluate(const struct suite *suite, const struct suite_case *of,
                          const struct named_profile *profile, struct arena *arena,
                          struct request *request, struct evaluation *evaluation,
                          struct diagnostic *diagnostic);

// Whether the outputs of the result are those of the reference under `profile`.
enum error judge_matches(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *matches,
                         struct diagnostic *diagnostic);

// For a case at level bound: whether its outputs lie inside the radius around the reference under
// `profile`, the radius being that of the default profile.
enum error judge_is_near(const struct suite *suite, const struct judge_result *result,
                         const struct named_profile *profile, bool *near,
                         struct diagnostic *diagnostic);

// Asks for what the target was asked for: with gradients perhaps for the states that they were made
// from.
void judge_set_outputs(const struct judge_result *result, struct request *request);

// What the target gave, as operands of what follows: sets `observed` of a request made of the case
// where the result was judged so.
void judge_set_observed(const struct judge_result *result, struct request *request);

// Searches the choices of the suite: one option changed, then (with `pairs`) two, over all failing
// cases at once; fills the results' explanations. What fits only as many bits as a chance fit would
// is no explanation.
enum error judge_explain(struct judge_run *run, bool pairs, struct diagnostic *diagnostic);

#endif
