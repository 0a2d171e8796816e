// SPDX-License-Identifier: Apache-2.0
// Mutation testing of a suite: each deviant option of each choice is a faulty implementation, and
// some case must tell it from every allowed one.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_MUTANTS_H
#define ASSAY_HARNESS_JUDGE_SEARCH_MUTANTS_H

#include "harness/judge/compare/profiles.h"

enum { MUTANT_KILLERS_MAX = 64 };

struct mutant {
    size_t choice, option; // of the suite; for all of its operations that have them
    size_t kills;          // cases that kill it; without the matrix 0 or 1
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
// `agrees` when its two answers do not agree. `pattern`: only cases whose id matches, NULL: all.
enum error mutants_run(const struct suite *suite, const char *pattern, bool matrix,
                       struct mutants *mutants, struct diagnostic *diagnostic);
void mutants_release(struct mutants *mutants);

size_t mutants_survivors(const struct mutants *mutants);

#endif
