// SPDX-License-Identifier: Apache-2.0
// oneDNN 3 as a peer: one RNN layer in f32 from left to right, weights in the library's own format,
// without src_iter.

#ifndef ASSAY_HARNESS_BENCH_ONEDNN_H
#define ASSAY_HARNESS_BENCH_ONEDNN_H

#include "harness/bench/bench.h"

struct bench_onednn_layer {
    bool gru;      // else LSTM
    bool training; // forward and backward with their workspace, else inference
    int64_t times, batch, channels;
    const float *src_layer, *weights_layer, *weights_iter, *bias,
        *diff_dst_layer; // row-major; copied
};

struct bench_onednn;

// NULL with the reason. The library is the one beside this program (build/venv) or at ASSAY_ONEDNN.
struct bench_onednn *bench_onednn_open(const struct bench_onednn_layer *layer,
                                       char why[BENCH_WHY_SIZE]);
// Executes the primitives alone: tensors stay where they are.
void bench_onednn_run(struct bench_onednn *peer);
void bench_onednn_close(struct bench_onednn *peer);
// "oneDNN 3.13.2"
const char *bench_onednn_name(const struct bench_onednn *peer);

#endif
