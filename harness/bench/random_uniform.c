// SPDX-License-Identifier: Apache-2.0
// openvino.random_uniform beside OpenVINO, on one core.

#include <stdio.h>

#include "harness/bench/bench.h"
#include "harness/bench/openvino.h"
#include "ref/op/request.h"

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    struct bench_openvino_state *const state = bench_openvino_take(row->size, why);
    if (!state)
        return false;
    const enum dtype type = (enum dtype)row->variant;
    const struct operation *const operation = operation_named("openvino.random_uniform");
    request_start(&state->request, operation);
    state->request.attribute[operation_attribute(operation, "output_type")].integer = type;
    state->request.attribute[operation_attribute(operation, "global_seed")].integer = 150;
    state->request.attribute[operation_attribute(operation, "op_seed")].integer = 10;
    state->request.input[0] =
        (struct tensor){.dtype = DTYPE_I64, .rank = 1, .shape = {1}, .data = &state->size};
    for (int i = 0; i < 2; i++) {
        if (type == DTYPE_F32)
            state->input[i].real = i ? 90.0f : 3.0f;
        else
            state->input[i].integer = i ? 90 : 3;
        state->request.input[1 + i] = (struct tensor){.dtype = type, .data = &state->input[i]};
    }
    char node[96];
    const char *const name = dtype_name(type);
    snprintf(node, sizeof node, "<data output_type=\"%s\" global_seed=\"150\" op_seed=\"10\"/>",
             name);
    const struct bench_openvino_input input[BENCH_OPENVINO_INPUTS] = {
        {.type = "i64", .rank = 1, .size = {1}, .data = &state->size},
        {.type = name, .data = &state->input[0]},
        {.type = name, .data = &state->input[1]},
    };
    state->peer = bench_openvino_open((const char *const[]){"RandomUniform", "opset8", node}, name,
                                      1, input, why);
    *pair = (struct bench_pair){.peer = "OpenVINO",
                                .bytes = state->bytes,
                                .ours = bench_openvino_ours,
                                .theirs = bench_openvino_theirs,
                                .state = state};
    if (!state->peer) {
        bench_openvino_stop(pair);
        return false;
    }
    pair->peer = bench_openvino_name(state->peer);
    return true;
}

static const struct bench_frame frame = {.start = start, .stop = bench_openvino_stop};

static const struct bench_row rows[] = {
    {"random_uniform/f32-2^14", "16,384 f32 elements in cache, beside OpenVINO", 0, 1 << 14,
     DTYPE_F32, &frame},
    {"random_uniform/f32-2^24", "64 MiB of f32, beside OpenVINO", 0, 1 << 24, DTYPE_F32, &frame},
    {"random_uniform/i32-2^24", "64 MiB of i32, beside OpenVINO", 0, 1 << 24, DTYPE_I32, &frame},
};

const struct bench_table bench_random_uniform = {rows, sizeof rows / sizeof *rows};
