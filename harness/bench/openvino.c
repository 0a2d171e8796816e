// SPDX-License-Identifier: Apache-2.0
// openvino.random_uniform and openvino.range beside OpenVINO, on one core. OpenVINO is reached as
// the target reaches it (harness/targets/openvino), and inferred without copying. Where the output
// does not fit in the cache, range stands beside memset; random_uniform also beside its bare words.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/bench/call.h"
#include "harness/targets/openvino/model.h"
#include "ref/base/isa.h"
#include "ref/num/small_float.h"
#include "ref/op/request.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"

struct state {
    struct request request;
    int64_t size;
    uint64_t input[OPENVINO_INPUTS]; // of any type
    void *data;                      // of the output: `bytes`
    size_t bytes, words;
    // OpenVINO's side:
    struct assay_session *session;
    struct assay_instance *instance;
    ov_status (*infer)(ov_handle *);
    struct bench_call call;
    char name[96];
};

// A whole call, as OpenVINO's is: rules, count, elements.
static void ours(void *context)
{
    struct state *const state = context;
    struct diagnostic diagnostic;
    struct inference inference = {0};
    const struct operation *const operation = state->request.operation;
    if (operation->infer(&state->request, &inference, &diagnostic) ||
        operation->fill(&state->request, &inference,
                        &(struct slice){.count = inference.output[0].shape[0], .data = state->data},
                        &diagnostic))
        abort();
    bench_use(state->data);
}

static void openvino(void *context)
{
    const struct state *const state = context;
    if (state->infer(state->instance->request))
        abort();
}

// As many words as the elements are made of, where their first 4 bytes would be.
static void words(void *context)
{
    const struct state *const state = context;
    const struct philox_stream stream = {{150, 0}, {0, 0, 10, 0}, PHILOX_ROUNDS, 2};
    philox_fill_u32(&stream, 0, state->words, state->data);
    bench_use(state->data);
}

static void memory_set(void *context)
{
    const struct state *const state = context;
    memset(state->data, 0x5a, state->bytes);
    bench_use(state->data);
}

static void stop(struct bench_pair *pair)
{
    struct state *const state = pair->state;
    if (state->instance)
        openvino_release(state->instance);
    if (state->session)
        openvino_close_session(state->session);
    arena_release(&state->call.arena);
    free(state->data);
    free(state);
}

static bool open_openvino(struct state *state, char why[BENCH_WHY_SIZE])
{
    static const struct assay_symbol infer = {"ov_infer_request_infer", 0};
    struct assay_message message = {"out of memory"};
    struct diagnostic diagnostic;
    if (!openvino_open_session(&state->session, &message) &&
        !assay_load_symbols(state->session->library, &infer, 1, &state->infer) &&
        !bench_call_make(&state->call, &state->request, false, &diagnostic)) {
        state->call.request.threads = 1;
        if (!openvino_prepare(state->session, &state->call.request, &state->instance, &message) &&
            !openvino_set_inputs(state->instance, &state->call.request) &&
            !state->infer(state->instance->request))
            return true;
    }
    snprintf(why, BENCH_WHY_SIZE, "%.200s", message.text);
    return false;
}

static void set_attribute(struct request *request, const char *name, int64_t value)
{
    request->attribute[operation_attribute(request->operation, name)] =
        (struct attribute_value){.present = true, .integer = value};
}

static void set_input(struct state *state, int at, enum dtype type, int value)
{
    state->input[at] = num_from_double(type, value);
    state->request.input[at] = (struct tensor){.dtype = type, .data = &state->input[at]};
}

// Whether the row's span is one for which no shorter way is there.
static bool is_any_span(const struct bench_row *row)
{
    return strstr(row->name, "-any") != NULL;
}

// Ten rounds of two products make four words. Beside them, of instructions for a vector of words:
// f32  and-or (AVX2: and, or), fused product, sum
// f64  an exchange of words before (three)
// i32  a shift, two products, the merger of their upper halves (two), product, difference,
//      difference, minimum, sum; of a large span with AVX-512 conversion, fused product, product,
//      difference, comparison, two sums; of a small one, by VNNI, four products
// i64  of a large span as i32 (AVX2: five for the conversion, seven for the product); else three
//      shifts, three products, two sums, product, difference, twice difference and minimum, sum
//      (AVX2 has neither the product nor the minimum); of a small one, by IFMA, a shift and three
//      products
// f16  and, conversion, product, fused product, sum; a conversion in two parts (AVX-512: as long as
//      2.6 instructions, measured on Zen 4). AVX-512 takes words in halves: three instructions for
//      two vectors instead of six
// bf16 in halves as well, both vectors at once: looked up twice, tested, chosen (AVX2: not counted)
static void count_words(const struct state *state, const struct bench_row *row,
                        struct bench_work *work)
{
    const enum dtype type = (enum dtype)row->variant;
    const bool f32 = type == DTYPE_F32, f64 = type == DTYPE_F64, i32 = type == DTYPE_I32,
               i64 = type == DTYPE_I64, f16 = type == DTYPE_F16,
               products = isa_has_products() && !is_any_span(row);
    const bool any = is_any_span(row);
    const double avx2 = f32   ? 4
                        : f64 ? 7
                        : i32 ? 10
                        : i64 ? (any ? 18 : 31)
                        : f16 ? 7
                              : 0,
                 avx512 = f32   ? 3
                          : f64 ? 4
                          : i32 ? (products ? 4
                                   : any    ? 7
                                            : 9)
                          : i64 ? (products ? 4
                                   : any    ? 7
                                            : 15)
                          : f16 ? 6.1
                                : 0.5;
    work->products = 5 * (double)state->words;
    work->instructions =
        bench_instructions(4.0 * (double)state->words, BENCH_PHILOX_AVX2 / 2.0 + avx2,
                           BENCH_PHILOX_AVX512 / 2.0 + avx512);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    const bool range = !strncmp(row->name, "range/", 6);
    const enum dtype type = (enum dtype)row->variant;
    struct state *const state = calloc(1, sizeof *state);
    if (!state || !(state->data = bench_take_output(8 * row->size, why))) {
        free(state);
        return false;
    }
    state->bytes = dtype_size(type) * row->size;
    state->words = (dtype_size(type) == 8 ? 2 : 1) * row->size;
    state->size = (int64_t)row->size;
    request_start(&state->request,
                  operation_named(range ? "openvino.range" : "openvino.random_uniform"));
    set_attribute(&state->request, "output_type", type);
    set_input(state, 0, type, 3);
    set_input(state, 1, type, range ? 3 + 2 * (int)row->size : 3);
    set_input(state, 2, type, range ? 2 : is_any_span(row) ? INT32_MAX : 90);
    if (!range) {
        set_attribute(&state->request, "global_seed", 150);
        set_attribute(&state->request, "op_seed", 10);
        state->request.input[0] =
            (struct tensor){.dtype = DTYPE_I64, .rank = 1, .shape = {1}, .data = &state->size};
    }
    *pair = (struct bench_pair){
        .peer = "memset",
        .bytes = state->bytes,
        .ours = ours,
        .theirs = memory_set,
        .state = state,
        .work = {.unit = "byte", .units = (double)state->bytes, .written = (double)state->bytes}};
    if (!range)
        count_words(state, row, &pair->work);
    if (range && row->size > 1 << 20)
        return true;
    if (strstr(row->name, "-words")) {
        pair->peer = "the words alone";
        pair->theirs = words;
        return true;
    }
    if (!open_openvino(state, why)) {
        stop(pair);
        return false;
    }
    snprintf(state->name, sizeof state->name, "OpenVINO %.*s",
             (int)strcspn(state->session->version, "-"), state->session->version);
    pair->peer = state->name;
    pair->theirs = openvino;
    return true;
}

static const struct bench_frame frame = {.start = start, .stop = stop};

static const struct bench_frame words_frame = {.start = start, .stop = stop, .processor = true};

static const struct bench_row rows[] = {
    {"random_uniform/f32-2^14", "16,384 f32 elements in cache, beside OpenVINO", 1 << 14, DTYPE_F32,
     &frame},
    {"random_uniform/f32-2^24", "64 MiB of f32, beside OpenVINO", 1 << 24, DTYPE_F32, &frame},
    {"random_uniform/i32-2^24", "64 MiB of i32, beside OpenVINO", 1 << 24, DTYPE_I32, &frame},
    {"random_uniform/f32-words", "65,536 f32 elements in cache, beside the words they take",
     1 << 16, DTYPE_F32, &words_frame},
    {"random_uniform/i32-words", "the same of i32", 1 << 16, DTYPE_I32, &words_frame},
    {"random_uniform/f64-words", "of f64", 1 << 16, DTYPE_F64, &words_frame},
    {"random_uniform/i64-words", "of i64", 1 << 16, DTYPE_I64, &words_frame},
    {"random_uniform/i32-any-words", "of i32 from a span of 2^31 - 4", 1 << 16, DTYPE_I32,
     &words_frame},
    {"random_uniform/i64-any-words", "of i64 likewise", 1 << 16, DTYPE_I64, &words_frame},
    {"random_uniform/f16-words", "of f16", 1 << 16, DTYPE_F16, &words_frame},
    {"random_uniform/bf16-words", "of bf16", 1 << 16, DTYPE_BF16, &words_frame},
    {"range/f32-2^14", "16,384 f32 elements in cache, beside OpenVINO", 1 << 14, DTYPE_F32, &frame},
    {"range/i32-2^14", "16,384 i32 elements in cache, beside OpenVINO", 1 << 14, DTYPE_I32, &frame},
    {"range/f32-2^26", "256 MiB of f32, beside memset", 1 << 26, DTYPE_F32, &frame},
    {"range/i32-2^26", "256 MiB of i32, beside memset", 1 << 26, DTYPE_I32, &frame},
};

const struct bench_table bench_openvino = {rows, sizeof rows / sizeof *rows};
