// SPDX-License-Identifier: Apache-2.0
// What became of one case.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_VERDICT_H
#define ASSAY_HARNESS_JUDGE_COMPARE_VERDICT_H

#include "harness/host/host.h"
#include "harness/judge/compare/compare.h"
#include "harness/judge/compare/picture.h"
#include "ref/base/verdict.h"
#include "yaml/suite.h"

// The verdict of an answer to a call that should have succeeded: VERDICT_UNSUPPORTED, and
// VERDICT_PASS where nothing speaks against it.
enum verdict verdict_of_outcome(enum host_outcome outcome);

struct named_profile; // harness/judge/compare/profiles.h

// One output of one run, as it was got and how it differs. `tensor.data` is NULL when it was too
// large to keep.
struct judge_output {
    const char *name;
    unsigned index, run; // of the operation's outputs; of the request's runs
    struct tensor tensor;
    uint64_t count; // elements: all, or the window
    struct comparison comparison;
    const unsigned char *digest;   // window_digest of what was too large to keep; NULL: none
    bool vacuous;                  // its bounds admit a null answer
    const struct picture *picture; // NULL: nothing to draw
};

// How a failure is explained: the smallest profile that reproduces its bits.
struct judge_explanation {
    bool searched_any, found;
    uint64_t searched;
    struct profile profile;
};

enum { RESULT_ANY_FEED = HOST_FEEDS_MAX }; // the feed of an answer, where it is not known

// What a target answered under one of the conditions of a case that fails.
struct judge_answer {
    uint32_t feed;
    enum host_outcome outcome;
    const char *message; // where it gave no values
    size_t output_count; // 0: it gave none
    struct judge_output *outputs;
};

struct judge_known {
    const char *why; // NULL: not listed
    bool cured;      // listed, and yet it does not fail
    bool unlisted;   // not listed, on a class of processors that no list covers
    unsigned line;   // of the list: the entry that explains it, or the first that covers it and
                     // does not; 0: none covers it
};

// A case driven one step of one layer at a time: how many steps there are, and the first wrong one.
struct judge_steps {
    size_t count; // 0: the case was not driven so
    bool wrong;
    int64_t where[OPERATION_STEP]; // layer, direction, time, gate; gate -1: none by itself
    const char *gate;              // its name
};

enum { RESULT_SHARED = 1 << 30 };

struct judge_result {
    const struct suite_case *of;
    enum verdict verdict;
    enum level required;
    bool valued; // it answered, always with the same bits; `outputs` hold them where they are not
                 // the default's
    bool by_default;      // it is right by the default profile
    size_t under_count;   // verdicts under each allowed profile of the run (judge/run/run.h);
    unsigned char *under; // 0 and NULL: its outputs are judged again
    bool refused;         // every call was, as invalid; an allowed option has the reference do so
    bool mine;            // of this process or part: it is here that it was asked about or run
    bool keeps;           // there is room to keep its outputs
    bool recorded;        // read from a results file: of outputs only comparison.element is known
    // Of a record: the profile of its run, by which it was perhaps judged; NULL: by the default.
    const struct named_profile *chosen;
    // Of a negative case that was asked about here: what its call asks for; NULL: not known.
    const struct inference *nearest;
    uint64_t bits;       // of a case that was run once, under stated conditions: answers_hash of
                         // what it gave; 0: no values
    uint64_t bytes;      // of its outputs
    const char *reason;  // NULL: nothing to say
    const char *printed; // what the target wrote, NULL: nothing
    unsigned conditions; // under how many it was run
    bool placed;         // `condition` is the first one that gave the verdict
    struct host_conditions condition;
    size_t output_count;
    struct judge_output *outputs;
    uint32_t feeds;      // bit f: fed so by one of its conditions
    size_t answer_count; // of a failure with values or refusals: one for each condition
    struct judge_answer *answer;
    // A small output of another dtype or shape than asked for, the same from every call; NULL:
    // none.
    const struct judge_output *received;
    struct judge_explanation explanation;
    struct judge_known known;
    const char *survey;   // under which of all conditions it fails by itself, NULL: not asked
    uint64_t nanoseconds; // the shortest of its runs
    double radius_used;   // level bound
    uint64_t compared;    // elements of all outputs, runs, windows and steps
    struct judge_steps steps;
    // Of a step: bit g: an element is wrong that is gate g's alone; RESULT_SHARED: one in which all
    // have a part.
    uint32_t wrong_gates;
    // Where to put window_digest of the first output where it differs from the reference's by
    // default; NULL: nowhere.
    unsigned char *digest;
    // Of an output judged window after window: that of each, zeros where it does not differ; NULL:
    // of none.
    unsigned char *windows;
    bool windowed; // is judged so, and windows_join is still to make one result of `window`
    struct judge_window *window; // the windows that were judged here, or in the parts read so far
    bool observed; // level bound: each step was held to the bounds that the target's own step
                   // before it gives
};

#endif
