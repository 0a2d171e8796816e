// SPDX-License-Identifier: Apache-2.0
// openvino.range beside OpenVINO where the output fits in the cache, and beside memset where it
// does not.

#include <stdio.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/bench/openvino.h"
#include "ref/op/operation.h"

enum { F32, I32 };

static void memory_set(void *context)
{
    const struct bench_openvino_state *const state = context;
    memset(state->data, 0x5a, state->bytes);
    bench_use(state->data);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    struct bench_openvino_state *const state = bench_openvino_take(row->size, why);
    if (!state)
        return false;
    const enum dtype type = row->variant == F32 ? DTYPE_F32 : DTYPE_I32;
    state->request = (struct request){.operation = operation_named("openvino.range"), .runs = 1};
    state->request.attribute[operation_attribute(state->request.operation, "output_type")].integer =
        type;
    const int32_t value[3] = {3, 3 + 2 * (int32_t)row->size, 2};
    for (int i = 0; i < 3; i++) {
        if (row->variant == F32)
            state->input[i].real = (float)value[i];
        else
            state->input[i].integer = value[i];
        state->request.input[i] = (struct tensor){.dtype = type, .data = &state->input[i]};
    }
    *pair = (struct bench_pair){.peer = "memset",
                                .bytes = state->bytes,
                                .ours = bench_openvino_ours,
                                .theirs = memory_set,
                                .state = state};
    if (row->size > 1 << 20)
        return true;
    const char *const name = dtype_name(type);
    char data[64];
    snprintf(data, sizeof data, "<data output_type=\"%s\"/>", name);
    struct bench_openvino_input input[3];
    for (int i = 0; i < 3; i++)
        input[i] = (struct bench_openvino_input){.type = name, .data = &state->input[i]};
    state->peer =
        bench_openvino_open((const char *const[]){"Range", "opset4", data}, name, 1, input, why);
    if (!state->peer) {
        bench_openvino_stop(pair);
        return false;
    }
    pair->peer = bench_openvino_name(state->peer);
    pair->theirs = bench_openvino_theirs;
    return true;
}

static const struct bench_frame frame = {.start = start, .stop = bench_openvino_stop};

static const struct bench_row rows[] = {
    {"range/f32-2^14", "16,384 f32 elements in cache, beside OpenVINO", 3, 1 << 14, F32, &frame},
    {"range/i32-2^14", "16,384 i32 elements in cache, beside OpenVINO", 3, 1 << 14, I32, &frame},
    {"range/f32-2^26", "256 MiB of f32, beside memset", 0.8, 1 << 26, F32, &frame},
    {"range/i32-2^26", "256 MiB of i32, beside memset", 0.8, 1 << 26, I32, &frame},
};

const struct bench_table bench_range = {rows, sizeof rows / sizeof *rows};
