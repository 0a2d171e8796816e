// SPDX-License-Identifier: Apache-2.0
// The tolerance that every conforming implementation meets, for tests that compare by |got -
// expected| <= atol + rtol * |expected|, where `expected` is the reference's value: derived from
// the intervals of each element under every reading that a suite allows. The numbers hold where the
// comparison is computed in the type of the output (numpy.allclose, torch.allclose) and where it is
// computed in f64.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_TOLERANCE_H
#define ASSAY_HARNESS_JUDGE_SEARCH_TOLERANCE_H

#include "yaml/suite.h"

struct tolerance_output {
    struct tensor value;        // of the default reading; DTYPE_NONE: there is no such output
    uint64_t count;             // of elements, of the window where there is one
    struct tensor lower, upper; // of all readings together, in the output's type
    struct tensor each;         // f64: the least atol of each element, beside no rtol
    double atol;                // the least beside rtol 0
    double rtol;                // the least beside atol 0; INFINITY: none, a zero need not be met
    double beside;              // the least atol beside the rtol that was asked for
    double between;             // the least atol for two conforming implementations, beside rtol 0
    uint64_t unbounded;         // elements without a finite interval, which no tolerance covers
    uint64_t nan;               // elements that are NaN: they need equal_nan
};

struct tolerance {
    size_t readings; // that were evaluated; those that answer alike count once each
    size_t others;   // that refuse the request, or answer in another type or shape
    bool complete;   // all that are allowed were
    struct tolerance_output output[OPERATION_OUTPUTS_MAX];
};

// Derives it for a request of one run, whose own profile is the only reading where `given`. `rtol`
// is from 0, finite. Memory is the arena's. Errors are those of variant_evaluate;
// ERROR_UNSUPPORTED for several runs.
enum error tolerance_derive(const struct suite *suite, const struct request *request, bool given,
                            double rtol, struct arena *arena, struct tolerance *tolerance,
                            struct diagnostic *diagnostic);

#endif
