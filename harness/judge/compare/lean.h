// SPDX-License-Identifier: Apache-2.0
// Whether errors lean to one side: a test with a proved rate of false accusations.
//
// Of m independent outputs, each of whose errors is toward zero or away from it with probability
// 1/2, k err toward zero. The bets on every bias at once (Laplace's rule of succession) have won
// e = 2^m / ((m + 1) binomial(m, k)) in the end, and the chance that e reaches 2^40 is at most
// 2^-40. ref/PROOFS.md says when errors are so: sums by round-to-nearest, whatever their tree.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_LEAN_H
#define ASSAY_HARNESS_JUDGE_COMPARE_LEAN_H

#include "harness/judge/compare/compare.h"
#include "ref/num/function/pair.h"

struct lean {
    uint64_t count, toward; // how many err, and how many of these toward zero
    double evidence;        // log2 of e
};

enum { LEAN_EVIDENCE = 40 }; // from here on it is an accusation

// The errors of `got`, whose exact values are exact[i], not 0; NaN: the element does not count.
// Where they lean, the elements of that side are wrong in `comparison`, unless others are.
struct lean compare_lean(const struct expected *expected, const struct function_pair *exact,
                         const void *got, uint64_t count, struct comparison *comparison);

#endif
