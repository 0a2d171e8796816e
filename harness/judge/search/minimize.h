// SPDX-License-Identifier: Apache-2.0
// A failing case cut down as far as it still fails in the same way.
//
// Every cut is a change of the request that the operation itself still takes (or still refuses,
// where it must), and is kept only when the target shows the same symptom: the same verdict, for
// wrong values no output wrong that was right before or of another type and, when a profile
// explained the bits, the same profile again and no other that a search would name; else the same
// words but for numbers.
// The search first cuts what is large (runs, window, inputs that may be absent, axes: time,
// batch, layers, directions, channels), then values (zero, one, powers of two, fewer bits), then
// attributes (defaults, small numbers), and again from the start until no cut is kept. After
// Zeller and Hildebrandt, doi:10.1109/32.988498, whose order of cuts it follows for values.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_MINIMIZE_H
#define ASSAY_HARNESS_JUDGE_SEARCH_MINIMIZE_H

#include "harness/judge/run/certify.h"
#include "harness/judge/search/specimen.h"

struct minimize_options {
    const struct named_profile
        *profile;     // judge under this one; NULL: the allowed one that explains the case best
    unsigned tries;   // most candidates put to the target; 0: 1,000
    unsigned seconds; // longest; 0: 120
};

// What a failure looks like.
struct symptom {
    enum verdict verdict;
    bool valued;                           // wrong values; else `words` say it
    uint32_t outputs;                      // bit i: output i is wrong
    uint32_t types[OPERATION_OUTPUTS_MAX]; // set of DTYPE_BIT: those that a wrong output i has
    bool explained;                        // by `profile`
    struct profile profile;
    char words[400]; // the reason without its numbers
};

struct minimized {
    struct specimen specimen;
    struct specimen_suite alone; // the suite of `run`
    struct judge_run run;        // of the specimen, under all conditions, explained
    struct symptom symptom;
    uint64_t size_before, size_after;     // elements of inputs and outputs
    uint64_t values_before, values_after; // of the inputs that are not zero
    unsigned tries, cuts;
    bool exhausted; // tries or time ran out before the search was done
};

// Judges the case and, when it fails, cuts it down. ERROR_INVALID_ARGUMENT when it does not fail.
// Release it also after an error.
enum error minimize_case(const struct suite *suite, const struct suite_case *of, struct host *host,
                         const struct minimize_options *options, struct minimized *minimized,
                         struct diagnostic *diagnostic);
void minimize_release(struct minimized *minimized);

// ---- for the files of the search --------------------------------------------

// Offers `candidate`, whose ownership passes: kept when it is legal, cheaper and shows the symptom.
// Returns whether it was kept; the best so far is then another one.
struct minimizer;
bool minimizer_offer(struct minimizer *minimizer, struct specimen *candidate);
// Of the best so far.
const struct request *minimizer_request(const struct minimizer *minimizer);
// A copy of the best so far; false when there is no memory or the search must end.
bool minimizer_copy(struct minimizer *minimizer, struct specimen *candidate);

// The cuts. Each offers what it can and returns whether anything was kept.
bool minimize_frame(
    struct minimizer *minimizer);                // runs, window, outputs, inputs that may be absent
bool minimize_axes(struct minimizer *minimizer); // sizes of inputs
bool minimize_values(struct minimizer *minimizer);     // elements of inputs
bool minimize_attributes(struct minimizer *minimizer); // attributes

// How far a value is from being plain: 0, 1, powers of two, small whole numbers, few significant
// bits, all others.
unsigned minimize_value_cost(enum dtype dtype, uint64_t bits);

#endif
