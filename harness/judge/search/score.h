// SPDX-License-Identifier: Apache-2.0
// How many known mistakes the tests of another project notice: the deviant options of our suite are
// run over the requests of those tests and compared with their expected values by their own
// tolerance. The expected values themselves are held against the reference.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_SCORE_H
#define ASSAY_HARNESS_JUDGE_SEARCH_SCORE_H

#include "harness/judge/search/mutants.h"

// How far an element may lie from what is expected. In steps: the number of representable values of
// its type (of integers: the difference), -0 and +0 being one. Else: atol + rtol * |expected|,
// computed in double; where both are 0, integers are compared as such. NaN passes for NaN alone,
// and without steps an infinity for itself alone.
struct score_tolerance {
    bool in_steps;
    uint64_t steps;
    double rtol, atol;
};

// A test of others.
struct score_test {
    const char *id;
    struct request request;                        // its memory is its maker's
    struct tensor expected[OPERATION_OUTPUTS_MAX]; // DTYPE_NONE: not looked at
    struct score_tolerance tolerance;
    bool rounded; // the test's own attributes are reals that the request has rounded: what it
                  // expects is not held against the bounds
};

struct score_option {
    size_t choice, option;          // of the suite
    const struct score_test *first; // of the tests that tell it from what is right; NULL: none
    const struct suite_case *ours;  // a case of ours that does; NULL: none
};

// What of a suite is scored by itself: one declared operator, or all operations that are written in
// C.
struct score_part {
    const struct suite *suite;
    const struct operation *declared; // NULL: those in C
    const struct mutants *mutants;    // of the suite's own cases
};

enum score_flaw_kind {
    SCORE_REFUSED, // the reference refuses the request
    SCORE_SHAPED,  // an output has another type or shape
    SCORE_NARROW,  // the reference fails, although a right implementation gives what is expected
    SCORE_WRONG,   // the reference fails, and no right implementation gives an expected value
    SCORE_OUTSIDE, // the test passes, but no right implementation gives an expected value
};

// What the reference or its bounds have against a test.
struct score_flaw {
    const struct score_test *test;
    enum score_flaw_kind kind;
    const char *reason; // SCORE_REFUSED: what the reference says
    // From SCORE_NARROW on: how many elements of which output, and the first of them.
    unsigned output;
    uint64_t wrong, compared, at;
    enum dtype dtype;
    uint64_t expected, right, lower, upper; // bits
    bool bound;                             // lower and upper are set: the admissible interval
    // An allowed option of the suite under which the test passes; option 0: none.
    size_t choice, option;
};

struct score {
    struct score_part part;
    size_t tests, held; // of the part's operations; of these, tests that the reference passes
    // `wrong`: deviant options, without those whose other bits lie inside the bound of every case
    // (`inside`): they may be right. `allowed`: allowed options that a test refuses.
    size_t wrong_count, allowed_count, flaw_count, inside;
    struct score_option *wrong, *allowed;
    struct score_flaw *flaw;
    struct arena arena;
};

// Operations that tests were looked for, beside those that they have.
struct score_operations {
    size_t count;
    const struct operation *const *list;
};

// Counts a test as held where the reference passes it; only those judge the options, of which those
// count that one of these operations has. An option that is refused, or gives another shape, does
// not pass. The part's mutants were run without a pattern. Release the score also after an error.
enum error score_run(const struct score_part *part, const struct score_operations *looked,
                     const struct score_test *tests, size_t count, struct score *score,
                     struct diagnostic *diagnostic);
void score_release(struct score *score);

// Whether the part has the operation.
bool score_has_operation(const struct score_part *part, const struct operation *operation);

// The declared operator's name, or the suite's.
const char *score_name(const struct score_part *part);

// How many deviant options no test notices, and how many some case of ours does.
size_t score_survivors(const struct score *score);
size_t score_ours(const struct score *score);

// Of the tests' flaws: how many expect what is not right, and how many refuse the reference's
// answer only because their tolerance is narrower than the bound.
size_t score_flawed(const struct score *score);
size_t score_narrow(const struct score *score);

// Whether element `index` of `got` is as near to that of `expected` as the tolerance asks. Both
// have one type.
bool score_is_near(const struct score_tolerance *tolerance, const struct tensor *got,
                   const struct tensor *expected, size_t index);

#endif
