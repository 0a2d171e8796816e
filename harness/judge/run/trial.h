// SPDX-License-Identifier: Apache-2.0
// One case on its way through a target: which calls it needs, and what their answers mean.

#ifndef ASSAY_HARNESS_JUDGE_RUN_TRIAL_H
#define ASSAY_HARNESS_JUDGE_RUN_TRIAL_H

#include "harness/host/conditions.h"
#include "harness/judge/compare/profiles.h"
#include "harness/judge/compare/verdict.h"

enum { TRIAL_MORE = 2, TRIAL_FRESH = 2, TRIAL_UNITS_MAX = 10, TRIAL_WHOLE_BYTES_MAX = 64 << 20 };

// Calls on one instance: `runs` of them, one after the other, and a companion when two run at once.
struct trial_unit {
    size_t call;   // index of the first of them in the calls of its pass
    size_t count;  // how many
    unsigned pass; // 0: in order, 1: in reverse order
    bool after;    // a call of the companion comes before the first
    struct host_conditions conditions;
};

// Draws that are asked for beside those of a case that is left to chance.
struct trial_draws {
    const struct request *asked;
    struct host_call *call; // NULL: they cannot be asked for
};

struct trial {
    struct judge_result *result;
    const struct suite_case *of;
    const char *label; // "SUITE/CASE", as a record names it
    struct request request;
    struct inference inference;
    const struct inference *nearest; // of a negative one: what the call asks for; else NULL
    struct host_request call;        // outputs without data
    unsigned runs;
    bool negative; // without values: must be refused, or is undefined (of->survive)
    bool chance;   // left to chance by the specification
    bool repeats;  // and by a seed the same in equal calls
    bool stateful; // a second run of an instance may rightly differ
    bool whole;   // the target has no windows: the whole output is asked for and the window cut out
    bool windows; // too large to be held: asked for window after window
    bool reshaped;       // asked for as another allowed profile has it: trial_reshape
    const char *message; // of a trial that was reshaped: the reason that the first call got
    size_t bytes;        // of one copy of its tensors
    const char *printed; // by the target, up to the last call of a suite's only case; NULL: nothing
    const struct host_received *received; // what every call gave in another shape; NULL: nothing
    struct trial_part *parts;             // of a relation: the other requests (relate.h)
    size_t part_count;                    // that were made
    struct trial *companion;       // whose calls stand between this one's; NULL: none (companion.h)
    const struct host_call *first; // the first call; valid as long as the calls of its pass
    // Of one left to chance: what an audit of more draws found; NULL: there were none.
    const struct judge_result *audit;
    // Of one left to chance: the first call of two processes, started a second apart; NULL: none.
    const struct host_call *fresh[TRIAL_FRESH];
    size_t unit_count;
    struct trial_unit unit[TRIAL_UNITS_MAX];
    struct arena arena;
};

// Makes the call of case `of`, without large inputs where it is only to `ask`. On ERROR_UNSUPPORTED
// the case cannot be put to this target; the diagnostic says why.
enum error trial_make(const struct suite *suite, const struct suite_case *of,
                      const struct host_description *description, bool ask, struct trial *trial,
                      struct diagnostic *diagnostic);
// The call of a case that was asked about. `nearest` is what that trial had.
enum error trial_make_again(const struct suite *suite, const struct suite_case *of,
                            const struct host_description *description,
                            const struct inference *nearest, struct trial *trial,
                            struct diagnostic *diagnostic);
void trial_release(struct trial *trial);

// Makes the call anew as `profile`, an allowed one, has it. ERROR_UNSUPPORTED where that asks for
// the same types and shapes, or cannot be asked; the trial is then as before.
enum error trial_reshape(const struct suite *suite, const struct named_profile *profile,
                         const struct host_description *description, struct trial *trial,
                         struct diagnostic *diagnostic);

// What the case's outputs are held to: what its suite says, else what the reference can say of
// them.
enum level trial_required_level(const struct trial *trial);

// A copy of the trial's call under its first conditions, to be made alone.
enum error trial_make_alone(struct trial *trial, struct host_call **call,
                            struct diagnostic *diagnostic);

// Chooses the conditions of a trial: `index` is its number in the suite, `count` how many there
// are.
void trial_plan(struct trial *trial, const struct host_description *description,
                const struct conditions_plan *plan, size_t index, size_t count);

// The same of a replayed target: the conditions are those that it has answers for.
// ERROR_UNSUPPORTED where what it has is no plan of this case.
enum error trial_plan_recorded(struct trial *trial, const struct host *host,
                               struct diagnostic *diagnostic);

// How many calls the trial makes in `pass`.
size_t trial_call_count(const struct trial *trial, unsigned pass);

// Fills calls[at...] for `pass` with copies of their own and notes where they are.
enum error trial_make_calls(struct trial *trial, unsigned pass, struct host_call *calls, size_t at,
                            struct diagnostic *diagnostic);

// Of a trial that is left to chance: makes the call for as many draws as an audit takes, in `rank`
// dimensions (1 to 4), under the conditions of the first, with `reseed` by another seed, in memory
// of `arena`; NULL to more->call where its shape cannot be changed, or its law is not known.
enum error trial_make_draws(const struct trial *trial, unsigned rank, bool reseed,
                            struct arena *arena, struct trial_draws *more,
                            struct diagnostic *diagnostic);

// Looks at such draws in one dimension and in several, which were run, and has what it found `kept`
// for trial_judge. `arena` is for what is not kept.
enum error trial_audit_draws(struct trial *trial, const struct trial_draws more[TRIAL_MORE],
                             struct arena *kept, struct arena *arena,
                             struct diagnostic *diagnostic);

// Judges the answers, all but the values: sets verdict (VERDICT_PASS when nothing speaks against
// it), reason and condition. `calls` are those of pass 0 and 1. *valued is a call whose outputs
// stand for all, NULL when there is none.
enum error trial_judge(struct trial *trial, const struct host_description *description,
                       struct host_call *const *calls, struct arena *arena,
                       const struct host_call **valued, struct diagnostic *diagnostic);

// Where the compared elements of output `index` of a call start (the window, when the whole was
// asked for).
const void *trial_output_data(const struct trial *trial, const struct host_call *call,
                              size_t index);
uint64_t trial_output_count(const struct trial *trial, size_t index);

#endif
