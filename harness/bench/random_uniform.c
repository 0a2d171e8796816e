// SPDX-License-Identifier: Apache-2.0
// openvino.random_uniform beside OpenVINO, on one core.

#include <stdio.h>
#include <stdlib.h>

#include "harness/bench/bench.h"
#include "harness/bench/openvino.h"
#include "ref/op/request.h"

struct state {
    struct request request;
    int64_t size;
    union {
        float real;
        int32_t integer;
    } bound[2];
    void *data;
    struct bench_openvino *peer;
};

static void ours(void *context)
{
    struct state *const state = context;
    struct diagnostic diagnostic;
    struct inference inference = {0};
    const struct operation *const operation = state->request.operation;
    // A whole call, as OpenVINO's is: rules and elements.
    if (operation->infer(&state->request, &inference, &diagnostic) ||
        operation->fill(&state->request, &inference, &(struct slice){.count = (uint64_t)state->size, .data = state->data},
                        &diagnostic))
        abort();
    bench_use(state->data);
}

static void openvino(void *context)
{
    bench_openvino_infer(((struct state *)context)->peer);
}

static void stop(struct bench_pair *pair)
{
    struct state *const state = pair->state;
    if (state->peer)
        bench_openvino_close(state->peer);
    free(state->data);
    free(state);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    struct state *const state = calloc(1, sizeof *state);
    if (!state || !(state->data = bench_take_output(4 * row->size, why))) {
        free(state);
        return false;
    }
    const enum dtype type = (enum dtype)row->variant;
    const struct operation *const operation = operation_named("openvino.random_uniform");
    request_start(&state->request, operation);
    state->request.attribute[operation_attribute(operation, "output_type")].integer = type;
    state->request.attribute[operation_attribute(operation, "global_seed")].integer = 150;
    state->request.attribute[operation_attribute(operation, "op_seed")].integer = 10;
    state->size = (int64_t)row->size;
    state->request.input[0] = (struct tensor){.dtype = DTYPE_I64, .rank = 1, .shape = {1}, .data = &state->size};
    for (int i = 0; i < 2; i++) {
        if (type == DTYPE_F32)
            state->bound[i].real = i ? 90.0f : 3.0f;
        else
            state->bound[i].integer = i ? 90 : 3;
        state->request.input[1 + i] = (struct tensor){.dtype = type, .data = &state->bound[i]};
    }
    char node[96];
    const char *const name = dtype_name(type);
    snprintf(node, sizeof node, "<data output_type=\"%s\" global_seed=\"150\" op_seed=\"10\"/>", name);
    const struct bench_openvino_input input[BENCH_OPENVINO_INPUTS] = {
        {.type = "i64", .rank = 1, .size = {1}, .data = &state->size},
        {.type = name, .data = &state->bound[0]},
        {.type = name, .data = &state->bound[1]},
    };
    state->peer = bench_openvino_open((const char *const[]){"RandomUniform", "opset8", node}, name, 1, input, why);
    if (!state->peer) {
        free(state->data);
        free(state);
        return false;
    }
    *pair = (struct bench_pair){
        .peer = bench_openvino_name(state->peer), .bytes = 4 * row->size, .ours = ours, .theirs = openvino, .state = state};
    return true;
}

static const struct bench_row rows[] = {
    {.name = "random_uniform/f32-2^14",
     .what = "16,384 f32 elements in cache, beside OpenVINO",
     .start = start,
     .stop = stop,
     .size = 1 << 14,
     .variant = DTYPE_F32},
    {.name = "random_uniform/f32-2^24",
     .what = "64 MiB of f32, beside OpenVINO",
     .start = start,
     .stop = stop,
     .size = 1 << 24,
     .variant = DTYPE_F32},
    {.name = "random_uniform/i32-2^24",
     .what = "64 MiB of i32, beside OpenVINO",
     .start = start,
     .stop = stop,
     .size = 1 << 24,
     .variant = DTYPE_I32},
};

const struct bench_table bench_random_uniform = {rows, sizeof rows / sizeof *rows};
