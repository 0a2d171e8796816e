// SPDX-License-Identifier: Apache-2.0
// oneDNN 3 as a peer, weights in the library's own format.

#ifndef ASSAY_HARNESS_BENCH_ONEDNN_H
#define ASSAY_HARNESS_BENCH_ONEDNN_H

#include "harness/bench/bench.h"
#include "ref/op/operation.h"

struct bench_onednn;

// Primitives for a request for onednn.rnn, whose inputs are copied; backward stands for the
// training pair. NULL with the reason.
struct bench_onednn *bench_onednn_open(const struct request *request, char why[BENCH_WHY_SIZE]);
// Executes the primitives alone: tensors stay where they are.
void bench_onednn_run(struct bench_onednn *peer);
void bench_onednn_close(struct bench_onednn *peer);
// "oneDNN 3.13.2"
const char *bench_onednn_name(const struct bench_onednn *peer);

#endif
