// SPDX-License-Identifier: Apache-2.0
// OpenVINO as a peer: a model of one node whose inputs are parameters, compiled for one thread,
// inferred without copying.

#ifndef ASSAY_HARNESS_BENCH_OPENVINO_H
#define ASSAY_HARNESS_BENCH_OPENVINO_H

#include "harness/bench/bench.h"
#include "ref/op/operation.h"

enum { BENCH_OPENVINO_INPUTS = 3 };

struct bench_openvino_input {
    const char *type;      // "f32", "i32", "i64"
    int64_t rank, size[1]; // scalar or a list
    void *data;
};

struct bench_openvino;

// `node` is the node's type, opset and data element in IR: {"Range", "opset4", "<data
// output_type=\"f32\"/>"}; `output` the type of its output, of `rank` dimensions. NULL with the
// reason.
struct bench_openvino *bench_openvino_open(
    const char *const node[3], const char *output, unsigned rank,
    const struct bench_openvino_input input[BENCH_OPENVINO_INPUTS], char why[BENCH_WHY_SIZE]);
// "OpenVINO 2026.4.1-..."
const char *bench_openvino_name(const struct bench_openvino *model);

// What a row of one operation beside OpenVINO holds, and its two calls.
struct bench_openvino_state {
    struct request request;
    int64_t size;
    union {
        float real;
        int32_t integer;
    } input[BENCH_OPENVINO_INPUTS];
    void *data; // of the output: `bytes`
    size_t bytes;
    struct bench_openvino *peer; // NULL: the row has another
};

// Zeroed, with room for 4-byte elements; NULL with the reason.
struct bench_openvino_state *bench_openvino_take(size_t elements, char why[BENCH_WHY_SIZE]);
void bench_openvino_stop(struct bench_pair *pair);
// A whole call, as OpenVINO's is: rules, count, elements.
void bench_openvino_ours(void *state);
void bench_openvino_theirs(void *state);

#endif
