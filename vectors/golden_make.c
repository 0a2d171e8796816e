// SPDX-License-Identifier: Apache-2.0
// Golden vectors from the reference: cases in parallel; in each, outputs whole, or by chunks where
// they are large.

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/size.h"
#include "ref/base/threads.h"
#include "ref/op/stored.h"
#include "ref/variant/variant.h"
#include "vectors/golden.h"
#include "vectors/golden_line.h"
#include "vectors/golden_shard.h"
#include "yaml/relation.h"

// Everything about one case while it is made. `kept` outlives it, `scratch` does not.
struct maker {
    const struct suite *suite;
    const struct suite_case *of;
    struct arena *kept, *scratch;
    struct request request;
    const struct profile *under; // of the tensors that are kept; NULL: the default one
    struct golden_case *to;
    struct golden_tensor *tensor;
    size_t capacity;
    struct text line;
    struct diagnostic *diagnostic;
};

enum {
    WINDOW_ELEMENTS = 64,
    TENSORS_PER_OUTPUT = 5,
    CASES_PER_ARENA = 16, // one piece of work, one arena: neighbours need no lock, and few cases no
                          // block of their own
};

static enum error no_memory(const struct maker *maker)
{
    return diagnostic_no_memory(maker->diagnostic);
}

// Adds a tensor with room for its bytes, which the caller fills.
static enum error add_tensor(struct maker *maker, const struct golden_tensor *like,
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
static enum error keep(struct maker *maker, const struct golden_tensor *like, const void *native)
{
    unsigned char *bytes;
    uint64_t count = 0;
    const enum error error = add_tensor(maker, like, &bytes);
    if (!error && tensor_count(&like->tensor, &count))
        bytes_copy_little_endian(bytes, native, dtype_size(like->tensor.dtype), (size_t)count);
    return error;
}

// ---- inputs -----------------------------------------------------------------

static enum error digest_little_endian(const struct maker *maker, const struct tensor *tensor,
                                       const void *native, uint64_t count,
                                       unsigned char digest[DIGEST_SIZE])
{
    const size_t size = dtype_size(tensor->dtype);
    unsigned char *const little = arena_take_array(maker->scratch, (size_t)count, size);
    if (!little)
        return no_memory(maker);
    bytes_copy_little_endian(little, native, size, (size_t)count);
    return digest_of(little, (size_t)count * size, digest, maker->diagnostic);
}

// Of the cases of a sweep and of relations only digests are kept. The names of the former are
// enough to make them anew, unless values are stored; the inputs of the latter have no outputs
// beside them.
static bool keeps_digests_alone(const struct maker *maker)
{
    return (maker->of->form->matrix.drawn && !suite_case_is_stored(maker->of)) ||
           maker->of->relation.kind;
}

static enum error make_inputs(struct maker *maker)
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
        if (!error && count <= GOLDEN_INPUT_MAX && !keeps_digests_alone(maker))
            error = keep(maker, &like, input->data);
        json_put_key(&maker->line, like.of);
        golden_line_tensor(&maker->line, input, input->data, count, NULL, digest);
    }
    json_end_object(&maker->line);
    return error;
}

// ---- outputs ----------------------------------------------------------------

struct chunk_job {
    const struct maker *maker;
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

static enum error make_window(struct maker *maker, const struct chunk_job *job,
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
static enum error make_chunked(struct maker *maker, struct chunk_job *job,
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
static enum error make_whole(struct maker *maker, const struct tensor *tensor, bool windowed,
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
    if (!error && !keeps_digests_alone(maker))
        error = keep(maker, &like, tensor->data);
    if (!error)
        golden_line_tensor(&maker->line, tensor, tensor->data, count, windowed ? window : NULL,
                           digest);
    return error;
}

static enum error make_run(struct maker *maker, const struct evaluation *evaluation,
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

static bool is_wanted(const struct request *request, const struct inference *inference,
                      unsigned output)
{
    return tensor_present(&inference->output[output]) &&
           (!request->outputs || request->outputs >> output & 1);
}

// Whether some output is so large that it is not to be held in memory.
static bool is_large(const struct request *request, const struct inference *inference)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        uint64_t count = 0;
        if (is_wanted(request, inference, i) &&
            (!tensor_count(&inference->output[i], &count) || count > GOLDEN_CHUNK))
            return true;
    }
    return false;
}

static enum error make_outputs(struct maker *maker, const struct inference *inference)
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
        if (!is_wanted(request, inference, i))
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
static enum error make_answered(struct maker *maker, const struct stored_outputs *answered)
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

static enum error make_all_answered(struct maker *maker)
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

// ---- one case ---------------------------------------------------------------

// Puts the case's id before what the reference said.
static enum error fail_case(const struct maker *maker, enum error error, const char *what)
{
    char text[DIAGNOSTIC_TEXT_SIZE];
    snprintf(text, sizeof text, "%s", maker->diagnostic->text);
    return document_fail(maker->of->form->id, error, maker->diagnostic, "case %s: %s%s%.500s",
                         maker->of->id, what, what[0] ? ": " : "", text);
}

static enum error make_refusal(struct maker *maker, enum error error, bool readable)
{
    const struct suite_case *const of = maker->of;
    if (!error)
        return fail_case(maker, ERROR_INVALID_ARGUMENT,
                         "the reference answers what must be refused");
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM)
        return fail_case(maker, error, "");
    if (!strstr(maker->diagnostic->text, of->reject))
        return fail_case(maker, ERROR_INVALID_ARGUMENT,
                         "refused, but not for the reason that the suite states");
    golden_line_refusal(&maker->line, error, of->reject);
    return readable ? make_inputs(maker) : ERROR_NONE;
}

// Whatever the reference does is not kept: the text says nothing of it.
static enum error make_survival(struct maker *maker, enum error error, bool readable)
{
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM)
        return fail_case(maker, error, "");
    golden_line_survival(&maker->line, maker->of->survive);
    return readable ? make_inputs(maker) : ERROR_NONE;
}

// The reference's own answers must agree. They are not kept: nothing is held against them.
static enum error make_relation(struct maker *maker, enum error error)
{
    if (!error)
        error = relation_hold(maker->suite, maker->of, &maker->request, maker->scratch,
                              maker->diagnostic);
    if (!error)
        error = relation_put(maker->suite, maker->of, &maker->line, maker->diagnostic);
    return error ? fail_case(maker, error, "") : make_inputs(maker);
}

static enum error make_answer(struct maker *maker, enum error error,
                              const struct inference *inference)
{
    if (maker->of->level == SUITE_LEVEL_DISTRIBUTION) {
        if (error != ERROR_NONDETERMINISTIC)
            return fail_case(maker, error ? error : ERROR_INVALID_ARGUMENT,
                             error ? ""
                                   : "level is distribution, but the reference is deterministic");
        return make_inputs(maker);
    }
    if (error)
        return fail_case(maker, error,
                         suite_case_is_stored(maker->of) ? "" : "the reference refuses it");
    for (unsigned i = 0; maker->request.operation->outputs[i]; i++)
        if (maker->of->level == SUITE_LEVEL_BITS && is_wanted(&maker->request, inference, i) &&
            inference->level[i] != LEVEL_BITS)
            return fail_case(maker, ERROR_INVALID_ARGUMENT,
                             "level is bits, but the reference only bounds an output");
    if ((error = make_inputs(maker)) || (error = make_outputs(maker, inference)) ||
        (error = make_all_answered(maker)))
        return fail_case(maker, error, "");
    return ERROR_NONE;
}

static enum error take_tensors(struct maker *maker)
{
    const struct operation *const operation = maker->request.operation;
    size_t outputs = 0;
    while (operation->outputs[outputs])
        outputs++;
    const struct stored *const stored = maker->request.stored;
    const size_t most = operation->input_count +
                        TENSORS_PER_OUTPUT * outputs * maker->request.runs +
                        (stored ? outputs * stored->count : 0);
    maker->tensor = arena_take_array(maker->kept, most, sizeof *maker->tensor);
    maker->to->tensor = maker->tensor;
    return maker->tensor ? ERROR_NONE : no_memory(maker);
}

static enum error make_case(struct maker *maker)
{
    struct document_node *node;
    struct inference inference = {0};
    enum error error =
        suite_case_document(maker->suite, maker->of, maker->scratch, &node, maker->diagnostic);
    if (error)
        return error;
    maker->to->id = maker->of->id;
    golden_line_begin(&maker->line, maker->suite, maker->of, node);
    error = suite_case_request(maker->suite, maker->of, maker->scratch, &maker->request,
                               maker->diagnostic);
    const bool readable = !error;
    if (readable) {
        error = take_tensors(maker);
        if (error)
            return error;
        error = variant_infer(&maker->request, &inference, maker->diagnostic);
    }
    error = maker->of->survive         ? make_survival(maker, error, readable)
            : maker->of->reject        ? make_refusal(maker, error, readable)
            : maker->of->relation.kind ? make_relation(maker, error)
                                       : make_answer(maker, error, &inference);
    json_end_object(&maker->line);
    if (error)
        return error;
    maker->to->line = maker->line.failed
                          ? NULL
                          : arena_copy_text(maker->kept, maker->line.bytes, maker->line.size);
    return maker->to->line ? ERROR_NONE : no_memory(maker);
}

// The cases of one suite, cut into pieces of CASES_PER_ARENA; those of all suites are handed out
// one after the other.
struct suite_job {
    struct golden_making *making;
    const struct suite_case **selected;
    uint64_t pieces;
    uint64_t failed_piece; // the first of them, as far as is known; UINT64_MAX: none
};

// What the threads share.
struct pool {
    pthread_mutex_t lock;
    struct suite_job *job;
};

static enum error make_cases(const struct suite_job *job, uint64_t piece,
                             struct diagnostic *diagnostic)
{
    struct golden *const golden = &job->making->golden;
    const size_t first = (size_t)piece * CASES_PER_ARENA;
    enum error error = ERROR_NONE;
    struct arena scratch = {0};
    for (size_t i = first; i < golden->count && i < first + CASES_PER_ARENA && !error; i++) {
        struct maker maker = {.suite = job->making->suite,
                              .of = job->selected[i],
                              .kept = &golden->arenas[piece],
                              .scratch = &scratch,
                              .to = &golden->cases[i],
                              .diagnostic = diagnostic};
        error = make_case(&maker);
        text_release(&maker.line);
        arena_release(&scratch);
    }
    return error;
}

// An error stays with its suite, and of several the one of the first case stays.
static enum error make_piece(void *context, uint64_t first, uint64_t count,
                             struct diagnostic *diagnostic)
{
    struct pool *const pool = context;
    struct suite_job *job = pool->job;
    (void)count;
    while (first >= job->pieces)
        first -= job++->pieces;
    pthread_mutex_lock(&pool->lock);
    const bool failed = job->failed_piece < first;
    pthread_mutex_unlock(&pool->lock);
    const enum error error = failed ? ERROR_NONE : make_cases(job, first, diagnostic);
    if (!error)
        return ERROR_NONE;
    pthread_mutex_lock(&pool->lock);
    if (first < job->failed_piece) {
        job->failed_piece = first;
        job->making->error = error;
        job->making->diagnostic = *diagnostic;
    }
    pthread_mutex_unlock(&pool->lock);
    return ERROR_NONE;
}

static enum error select_cases(struct suite_job *job, bool only_portable, unsigned index,
                               unsigned count)
{
    const struct suite *const suite = job->making->suite;
    struct golden *const golden = &job->making->golden;
    size_t seen = 0;
    *golden = (struct golden){
        .suite = suite->name, .version = suite->version, .suite_sha256 = suite->sha256};
    golden->cases = calloc(suite->case_count + 1, sizeof *golden->cases);
    golden->arenas = calloc(suite->case_count + 1, sizeof *golden->arenas);
    job->selected = calloc(suite->case_count + 1, sizeof *job->selected);
    job->failed_piece = UINT64_MAX;
    if (!golden->cases || !golden->arenas || !job->selected)
        return diagnostic_no_memory(&job->making->diagnostic);
    for (size_t i = 0; i < suite->case_count; i++)
        if ((!only_portable || suite->sorted[i]->portable) && seen++ % count == index - 1)
            job->selected[golden->count++] = suite->sorted[i];
    golden->arena_count = golden->count / CASES_PER_ARENA + 1;
    job->pieces = (golden->count + CASES_PER_ARENA - 1) / CASES_PER_ARENA;
    return ERROR_NONE;
}

static enum error check_size(const struct golden *golden, struct diagnostic *diagnostic)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < golden->count; i++) {
        bytes += strlen(golden->cases[i].line);
        for (size_t k = 0; k < golden->cases[i].count; k++)
            bytes += golden->cases[i].tensor[k].size;
    }
    return bytes <= GOLDEN_SUITE_BYTES_MAX
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                 "the golden vectors of %s take %" PRIu64
                                 " bytes; at most %d are kept",
                                 golden->suite, bytes, GOLDEN_SUITE_BYTES_MAX);
}

void golden_make(struct golden_making *making, size_t suites, bool only_portable, unsigned index,
                 unsigned count, unsigned threads)
{
    assert(index >= 1 && index <= count);
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .job = calloc(suites + 1, sizeof *pool.job)};
    struct diagnostic ignored; // each suite has its own
    uint64_t pieces = 0;
    for (size_t i = 0; i < suites; i++) {
        making[i].golden = (struct golden){.suite = making[i].suite->name};
        making[i].error = ERROR_NONE;
        if (!pool.job) {
            making[i].error = diagnostic_no_memory(&making[i].diagnostic);
            continue;
        }
        pool.job[i].making = &making[i];
        making[i].error = select_cases(&pool.job[i], only_portable, index, count);
        pieces += pool.job[i].pieces;
    }
    threads_run(threads, pieces, 1, make_piece, &pool, &ignored);
    for (size_t i = 0; i < suites && pool.job; i++) {
        free(pool.job[i].selected);
        if (!making[i].error)
            making[i].error = check_size(&making[i].golden, &making[i].diagnostic);
    }
    free(pool.job);
}

void golden_release(struct golden *golden)
{
    for (size_t i = 0; golden->arenas && i < golden->arena_count; i++)
        arena_release(&golden->arenas[i]);
    free(golden->arenas);
    free(golden->cases);
    *golden = (struct golden){0};
}
