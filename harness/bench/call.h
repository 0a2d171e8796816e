// SPDX-License-Identifier: Apache-2.0
// A request of ref/op as a plugin sees it: for peers that are reached as targets are.

#ifndef ASSAY_HARNESS_BENCH_CALL_H
#define ASSAY_HARNESS_BENCH_CALL_H

#include "harness/plugin.h"
#include "ref/base/arena.h"
#include "ref/op/operation.h"

enum { BENCH_TENSORS_MAX = OPERATION_INPUTS_MAX + OPERATION_OUTPUTS_MAX };

struct bench_call {
    struct assay_request request; // points into the rest, and to the data of the inputs
    struct assay_tensor tensor[BENCH_TENSORS_MAX];
    int64_t shape[BENCH_TENSORS_MAX][TENSOR_RANK_MAX];
    struct arena arena; // to be released
};

// With `outputs` the call has memory for what it gives.
enum error bench_call_make(struct bench_call *call, const struct request *request, bool outputs,
                           struct diagnostic *diagnostic);

#endif
