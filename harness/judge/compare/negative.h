// SPDX-License-Identifier: Apache-2.0
// What a case without values asks for, so that its call looks like any other.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_NEGATIVE_H
#define ASSAY_HARNESS_JUDGE_COMPARE_NEGATIVE_H

#include "harness/host/host.h"
#include "yaml/suite.h"

// Makes the call of case `of`, which must be refused or is left undefined. Its outputs are those of
// the nearest valid request: the case's own, where the reference knows their types and shapes; else
// the first of a fixed list of small changes that the reference takes; else one element of every
// output of the operation. `call` points into `request` and the arena, *nearest too: there is what
// the search, which may take long, found. Where an earlier call left it is not searched for again.
enum error negative_make_call(const struct suite *suite, const struct suite_case *of,
                              struct arena *arena, struct request *request,
                              const struct inference **nearest, struct host_request *call,
                              struct diagnostic *diagnostic);

#endif
