// SPDX-License-Identifier: Apache-2.0
// The tensors of one case as golden vectors keep them: whole, or by chunks and windows where they
// are large.

#include "vectors/golden_tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/op/stored.h"
#include "ref/variant/variant.h"
#include "vectors/golden_line.h"

enum { WINDOW_ELEMENTS = 64, TENSORS_PER_OUTPUT = 5 };

static enum error no_memory(const struct golden_maker *maker)
{
    return diagnostic_no_memory(maker->diagnostic);
}

// Adds a tensor with room for its bytes, which the caller fills.
static enum error add_tensor(struct golden_maker *maker, const struct golden_tensor *like,
                             unsigned char **bytes)
{
    struct golden_tensor *const to = &maker->tensor[maker->to->count++];
    *to = *like;
    const char *const role = like->output ? "out" : "in";
    char run[24] = "", part[32] = "";
    if (maker->request.runs > 1 && like->output)
        snprintf(run, sizeof run, "/run=%u", like->run);
    if (like->part == GOLDEN_WINDOW)
        snprintf(part, sizeof part, "/at=%" PRIu64, like->first);
    to->name = like->part == GOLDEN_UNDER
                   ? suite_answer_name(maker->of, like->of, maker->under, maker->kept)
                   : arena_print(maker->kept, "%s/%s/%s%s%s", maker->of->id, role, like->of, run,
                                 like->part == GOLDEN_CHUNKS ? "/chunks" : part);
    if (!tensor_bytes(&to->tensor, &to->size))
        return diagnostic_fail(maker->diagnostic, ERROR_TOO_LARGE, "%s does not fit in memory",
                               like->of);
    *bytes = arena_take(maker->kept, to->size);
    to->bytes = *bytes;
    return to->name && *bytes ? ERROR_NONE : no_memory(maker);
}

// Keeps `count` native elements as they are.
static enum error keep(struct golden_maker *maker, const struct golden_tensor *like,
                       const void *native)
{
    unsigned char *bytes;
    uint64_t count = 0;
    const enum error error = add_tensor(maker, like, &bytes);
    if (!error && tensor_count(&like->tensor, &count))
        bytes_copy_little_endian(bytes, native, dtype_size(like->tensor.dtype), (size_t)count);
    return error;
}

// ---- inputs -----------------------------------------------------------------

static enum error digest_little_endian(const struct golden_maker *maker,
                                       const struct tensor *tensor, const void *native,
                                       uint64_t count, unsigned char digest[DIGEST_SIZE])
{
    const size_t size = dtype_size(tensor->dtype);
    unsigned char *const little = arena_take_array(maker->scratch, (size_t)count, size);
    if (!little)
        return no_memory(maker);
    bytes_copy_little_endian(little, native, size, (size_t)count);
    return digest_of(little, (size_t)count * size, digest, maker->diagnostic);
}

enum error golden_put_inputs(struct golden_maker *maker)
{
    const struct operation *const operation = maker->request.operation;
    enum error error = ERROR_NONE;
    json_begin_object_at(&maker->line, "inputs");
    for (unsigned i = 0; i < operation->input_count && !error; i++) {
        const struct tensor *const input = &maker->request.input[i];
        uint64_t count = 0;
        if (!tensor_present(input) || !tensor_count(input, &count))
            continue;
        struct golden_tensor like = {.of = operation->inputs[i].name, .tensor = *input};
        unsigned char digest[DIGEST_SIZE];
        like.tensor.data = NULL;
        error = digest_little_endian(maker, input, input->data, count, digest);
        if (!error && count <= GOLDEN_INPUT_MAX && !suite_case_keeps_digests(maker->of))
            error = keep(maker, &like, input->data);
        json_put_key(&maker->line, like.of);
        golden_line_tensor(&maker->line, input, input->data, count, NULL, digest);
    }
    json_end_object(&maker->line);
    return error;
}

// ---- outputs ----------------------------------------------------------------

struct chunk_job {
    const struct golden_maker *maker;
    const struct inference *inference;
    const void *whole; // the output, where it was computed whole; NULL: it streams
    unsigned output, run;
    uint64_t total;
    size_t size;
    unsigned char *digests;
};

static enum error digest_chunks(void *context, uint64_t first, uint64_t count,
                                struct diagnostic *diagnostic)
{
    const struct chunk_job *const job = context;
    const struct request *const request = &job->maker->request;
    unsigned char *const native = malloc(2 * GOLDEN_CHUNK * job->size);
    if (!native)
        return diagnostic_no_memory(diagnostic);
    unsigned char *const little = native + GOLDEN_CHUNK * job->size;
    enum error error = ERROR_NONE;
    for (uint64_t chunk = first; chunk < first + count && !error; chunk++) {
        const uint64_t at = chunk * GOLDEN_CHUNK, left = job->total - at;
        const size_t elements = left < GOLDEN_CHUNK ? (size_t)left : GOLDEN_CHUNK;
        const void *from = native;
        if (job->whole)
            from = (const char *)job->whole + at * job->size;
        else
            error = variant_fill(request, job->inference,
                                 &(struct slice){.output = job->output,
                                                 .run = job->run,
                                                 .first = at,
                                                 .count = elements,
                                                 .data = native},
                                 1, diagnostic);
        bytes_copy_little_endian(little, from, job->size, elements);
        if (!error)
            error = digest_of(little, elements * job->size, job->digests + chunk * DIGEST_SIZE,
                              diagnostic);
    }
    free(native);
    return error;
}

static enum error make_window(struct golden_maker *maker, const struct chunk_job *job,
                              struct golden_tensor like, uint64_t first)
{
    unsigned char native[WINDOW_ELEMENTS * sizeof(uint64_t)];
    const uint64_t count =
        job->total - first < WINDOW_ELEMENTS ? job->total - first : WINDOW_ELEMENTS;
    const struct slice slice = {
        .output = job->output, .run = job->run, .first = first, .count = count, .data = native};
    enum error error = ERROR_NONE;
    if (job->whole)
        memcpy(native, (const char *)job->whole + first * job->size, (size_t)count * job->size);
    else
        error = variant_fill(&maker->request, job->inference, &slice, 1, maker->diagnostic);
    like.part = GOLDEN_WINDOW;
    like.first = first;
    like.tensor = (struct tensor){.dtype = like.tensor.dtype, .rank = 1, .shape = {count}};
    return error ? error : keep(maker, &like, native);
}

// An output above GOLDEN_CHUNK elements: a digest for each chunk, and windows at the start, in the
// middle and at the end.
static enum error make_chunked(struct golden_maker *maker, struct chunk_job *job,
                               const struct golden_tensor *like)
{
    const uint64_t chunks = (job->total + GOLDEN_CHUNK - 1) / GOLDEN_CHUNK;
    if (chunks > GOLDEN_CHUNKS_MAX)
        return diagnostic_fail(
            maker->diagnostic, ERROR_TOO_LARGE,
            "output %s has %" PRIu64
            " elements; above 2^34 a case asks for a window, and assay stream verifies all of it",
            like->of, job->total);
    struct golden_tensor digests = *like;
    unsigned char all[DIGEST_SIZE];
    digests.part = GOLDEN_CHUNKS;
    digests.tensor = (struct tensor){.dtype = DTYPE_U8, .rank = 2, .shape = {chunks, DIGEST_SIZE}};
    enum error error = add_tensor(maker, &digests, &job->digests);
    if (!error)
        error = threads_run(0, chunks, 1, digest_chunks, job, maker->diagnostic);
    if (!error)
        error = make_window(maker, job, *like, 0);
    if (!error)
        error = make_window(maker, job, *like, chunks / 2 * GOLDEN_CHUNK - WINDOW_ELEMENTS / 2);
    if (!error)
        error = make_window(maker, job, *like, job->total - WINDOW_ELEMENTS);
    if (!error)
        error = digest_of(job->digests, (size_t)chunks * DIGEST_SIZE, all, maker->diagnostic);
    if (!error)
        golden_line_chunks(&maker->line, &like->tensor, chunks, all);
    return error;
}

// An output that is kept as it is; with a window, the tensor that is kept has the window's size.
static enum error make_whole(struct golden_maker *maker, const struct tensor *tensor, bool windowed,
                             struct golden_tensor like)
{
    const uint64_t window[2] = {maker->request.window_first, maker->request.window_count};
    unsigned char digest[DIGEST_SIZE];
    uint64_t count;
    if (windowed)
        like.tensor = (struct tensor){
            .dtype = tensor->dtype, .rank = 1, .shape = {maker->request.window_count}};
    if (!tensor_count(&like.tensor, &count) || count > GOLDEN_CHUNK)
        return diagnostic_fail(maker->diagnostic, ERROR_TOO_LARGE,
                               "a window has at most %d elements", GOLDEN_CHUNK);
    enum error error = digest_little_endian(maker, tensor, tensor->data, count, digest);
    if (!error && !suite_case_keeps_digests(maker->of))
        error = keep(maker, &like, tensor->data);
    if (!error)
        golden_line_tensor(&maker->line, tensor, tensor->data, count, windowed ? window : NULL,
                           digest);
    return error;
}

static enum error make_run(struct golden_maker *maker, const struct evaluation *evaluation,
                           const struct inference *inference, unsigned output, unsigned run)
{
    const struct operation *const operation = maker->request.operation;
    const struct tensor *const inferred = &inference->output[output];
    const struct tensor *const tensor =
        evaluation ? &evaluation->tensor[(size_t)run * OPERATION_OUTPUTS_MAX + output] : NULL;
    const bool windowed =
        evaluation && maker->request.windowed && output == evaluation->windowed_output;
    struct golden_tensor like = {
        .of = operation->outputs[output], .output = true, .run = run, .tensor = *inferred};
    uint64_t total = 0;
    like.tensor.data = NULL;
    tensor_count(inferred, &total);
    if (windowed || total <= GOLDEN_CHUNK)
        return make_whole(maker, tensor, windowed, like);
    struct chunk_job job = {.maker = maker,
                            .inference = inference,
                            .whole = tensor ? tensor->data : NULL,
                            .output = output,
                            .run = run,
                            .total = total,
                            .size = dtype_size(inferred->dtype)};
    return make_chunked(maker, &job, &like);
}

bool golden_wants(const struct request *request, const struct inference *inference, unsigned output)
{
    return tensor_present(&inference->output[output]) &&
           (!request->outputs || request->outputs >> output & 1);
}

// Whether some output is so large that it is not to be held in memory.
static bool is_large(const struct request *request, const struct inference *inference)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        uint64_t count = 0;
        if (golden_wants(request, inference, i) &&
            (!tensor_count(&inference->output[i], &count) || count > GOLDEN_CHUNK))
            return true;
    }
    return false;
}

enum error golden_put_outputs(struct golden_maker *maker, const struct inference *inference)
{
    const struct request *const request = &maker->request;
    const bool streamed =
        !request->windowed && is_large(request, inference) && variant_streams(request);
    struct evaluation evaluation;
    enum error error =
        streamed ? ERROR_NONE
                 : variant_evaluate(request, maker->scratch, &evaluation, maker->diagnostic);
    json_begin_object_at(&maker->line, "outputs");
    for (unsigned i = 0; request->operation->outputs[i] && !error; i++) {
        if (!golden_wants(request, inference, i))
            continue;
        json_put_key(&maker->line, request->operation->outputs[i]);
        if (request->runs > 1)
            json_begin_list(&maker->line);
        for (unsigned run = 0; run < request->runs && !error; run++) {
            // A small output beside a streamed one: its own evaluation.
            struct request alone = *request;
            struct evaluation small;
            const struct evaluation *from = streamed ? NULL : &evaluation;
            uint64_t count = 0;
            if (streamed && tensor_count(&inference->output[i], &count) && count <= GOLDEN_CHUNK) {
                alone.outputs = 1U << i;
                error = variant_evaluate(&alone, maker->scratch, &small, maker->diagnostic);
                from = &small;
            }
            if (!error)
                error = make_run(maker, from, inference, i, run);
        }
        if (request->runs > 1)
            json_end_list(&maker->line);
    }
    json_end_object(&maker->line);
    return error;
}

// What the suite's program answered under one profile.
static enum error make_answered(struct golden_maker *maker, const struct stored_outputs *answered)
{
    const struct operation *const operation = maker->request.operation;
    enum error error = ERROR_NONE;
    maker->under = &answered->profile;
    json_begin_object(&maker->line);
    json_begin_object_at(&maker->line, "profile");
    for (unsigned c = 0; c < operation->choice_count; c++)
        if (answered->profile.option[c])
            json_put_pair(&maker->line, operation->choices[c].name,
                          operation->choices[c].options[answered->profile.option[c]]);
    json_end_object(&maker->line);
    json_begin_object_at(&maker->line, "outputs");
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        const struct tensor *const tensor = &answered->value[i];
        struct golden_tensor like = {
            .of = operation->outputs[i], .output = true, .part = GOLDEN_UNDER, .tensor = *tensor};
        unsigned char digest[DIGEST_SIZE];
        uint64_t count = 0;
        if (!tensor_present(tensor) || !tensor_count(tensor, &count))
            continue;
        like.tensor.data = NULL;
        error = digest_little_endian(maker, tensor, tensor->data, count, digest);
        if (!error)
            error = keep(maker, &like, tensor->data);
        json_put_key(&maker->line, like.of);
        golden_line_tensor(&maker->line, tensor, tensor->data, count, NULL, digest);
    }
    json_end_object(&maker->line);
    json_end_object(&maker->line);
    return error;
}

enum error golden_put_answered(struct golden_maker *maker)
{
    const struct stored *const stored = maker->of->asked ? maker->request.stored : NULL;
    enum error error = ERROR_NONE;
    if (!stored || stored->count < 2)
        return ERROR_NONE;
    json_begin_list_at(&maker->line, "under");
    for (size_t i = 1; i < stored->count && !error; i++)
        error = make_answered(maker, &stored->under[i]);
    json_end_list(&maker->line);
    return error;
}

enum error golden_take_tensors(struct golden_maker *maker)
{
    const struct operation *const operation = maker->request.operation;
    size_t outputs = 0;
    while (operation->outputs[outputs])
        outputs++;
    const struct stored *const stored = maker->request.stored;
    const size_t most = operation->input_count +
                        TENSORS_PER_OUTPUT * outputs * maker->request.runs +
                        (stored ? outputs * stored->count : 0);
    maker->tensor = arena_take_array(maker->scratch, most, sizeof *maker->tensor);
    return maker->tensor ? ERROR_NONE : no_memory(maker);
}

enum error golden_keep_tensors(struct golden_maker *maker)
{
    struct golden_case *const to = maker->to;
    struct golden_tensor *const kept = arena_take_array(maker->kept, to->count, sizeof *kept);
    if (!kept)
        return no_memory(maker);
    if (to->count)
        memcpy(kept, maker->tensor, to->count * sizeof *kept);
    to->tensor = kept;
    return ERROR_NONE;
}
