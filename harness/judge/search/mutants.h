// SPDX-License-Identifier: Apache-2.0
// Mutation testing of a suite: each deviant option of each choice is a faulty implementation, and
// some case must tell it from every allowed one.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_MUTANTS_H
#define ASSAY_HARNESS_JUDGE_SEARCH_MUTANTS_H

#include "harness/judge/compare/profiles.h"

enum { MUTANT_KILLERS_MAX = 64 };

// What a case makes of a mutant: nothing differs; other bits inside the bounds, which are no
// mistake; it refuses what it must answer; other bits where there is no freedom; outside the
// bounds.
enum mutant_trial { TRIAL_SAME, TRIAL_INSIDE, TRIAL_REFUSED, TRIAL_BITS, TRIAL_OUTSIDE, TRIALS };

struct mutant {
    const struct operation *operation; // a declared one; NULL: all of the suite's that have it
    size_t choice, option;             // of the suite
    size_t kills;                      // cases that kill it, or do together; see mutants_run
    enum mutant_trial best;            // by its first killer; else what cases show at most
    size_t killer_count;
    const struct suite_case *killer[MUTANT_KILLERS_MAX]; // the first ones
};

struct mutants {
    const struct suite *suite;
    size_t count;
    struct mutant *mutant;
    size_t cases; // that the reference answers and the pattern selects; 0: nothing was tried
    uint64_t evaluations;
    size_t allowed; // profiles that mutants were held to
    bool complete;  // those are all that are allowed
    struct arena arena;
};

// Runs every mutant of the suite against its cases until one kills it (all of them when `matrix`),
// on all threads. A case kills a mutant when its outputs differ from those of every allowed profile
// (level bits), lie outside the admissible interval (level bound), or are refused; one with
// `agrees` when its two answers do not agree. A mutant of a declared operator is only then killed
// by a refusal when no case kills it by its answer. Where it has the bits of some allowed profile
// in each case and of none in all, the cases kill it together: one that differs from each profile.
// `pattern`: only cases whose id matches, NULL: all.
enum error mutants_run(const struct suite *suite, const char *pattern, bool matrix,
                       struct mutants *mutants, struct diagnostic *diagnostic);
void mutants_release(struct mutants *mutants);

// Mutants of which cases show nothing.
size_t mutants_survivors(const struct mutants *mutants);

// How many came to this.
size_t mutants_that(const struct mutants *mutants, enum mutant_trial best);

#endif
