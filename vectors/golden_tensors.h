// SPDX-License-Identifier: Apache-2.0
// One case while its golden vectors are made, and what puts its tensors there. For golden_make.c.

#ifndef ASSAY_VECTORS_GOLDEN_TENSORS_H
#define ASSAY_VECTORS_GOLDEN_TENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/error.h"
#include "ref/base/text.h"
#include "ref/op/operation.h"
#include "vectors/golden.h"

// Everything about one case while it is made. `kept` outlives it, `scratch` does not.
struct golden_maker {
    const struct suite *suite;
    const struct suite_case *of;
    struct arena *kept, *scratch;
    struct request request;
    const struct profile *under; // of the tensors that are kept; NULL: the default one
    struct golden_case *to;
    struct golden_tensor *tensor;
    struct text line;
    struct diagnostic *diagnostic;
};

// Room for as many tensors as the case may have, which the functions below fill in order; at the
// end those that it has are kept. ERROR_SYSTEM: no memory.
enum error golden_take_tensors(struct golden_maker *maker);
enum error golden_keep_tensors(struct golden_maker *maker);

// Puts the inputs; every output that is wanted, as the reference evaluates it; what a program
// answered under other profiles than the default one. Errors of the evaluation and of memory.
enum error golden_put_inputs(struct golden_maker *maker);
enum error golden_put_outputs(struct golden_maker *maker, const struct inference *inference);
enum error golden_put_answered(struct golden_maker *maker);

// Whether the request asks for output `output`, and there is one.
bool golden_wants(const struct request *request, const struct inference *inference,
                  unsigned output);

#endif
