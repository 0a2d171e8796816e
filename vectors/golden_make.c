// SPDX-License-Identifier: Apache-2.0
// Golden vectors from the reference: cases in parallel, each with what it is: refused, undefined, a
// relation, or answered.

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/threads.h"
#include "ref/variant/variant.h"
#include "vectors/golden.h"
#include "vectors/golden_line.h"
#include "vectors/golden_shard.h"
#include "vectors/golden_tensors.h"
#include "yaml/relation.h"

enum {
    CASES_PER_ARENA = 16, // one piece of work, one arena: neighbours need no lock, and few cases no
                          // block of their own
};

// Puts the case's id before what the reference said.
static enum error fail_case(const struct golden_maker *maker, enum error error, const char *what)
{
    char text[DIAGNOSTIC_TEXT_SIZE];
    snprintf(text, sizeof text, "%s", maker->diagnostic->text);
    return document_fail(maker->of->form->id, error, maker->diagnostic, "case %s: %s%s%.500s",
                         maker->of->id, what, what[0] ? ": " : "", text);
}

static enum error make_refusal(struct golden_maker *maker, enum error error, bool readable)
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
    return readable ? golden_put_inputs(maker) : ERROR_NONE;
}

// The reference's answer is not kept: the text leaves it undefined.
static enum error make_survival(struct golden_maker *maker, enum error error, bool readable)
{
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM)
        return fail_case(maker, error, "");
    golden_line_survival(&maker->line, maker->of->survive);
    return readable ? golden_put_inputs(maker) : ERROR_NONE;
}

// The reference's own answers must agree. They are not kept: nothing is held against them.
static enum error make_relation(struct golden_maker *maker, enum error error)
{
    if (!error)
        error = relation_hold(maker->suite, maker->of, &maker->request, maker->scratch,
                              maker->diagnostic);
    if (!error)
        error = relation_put(maker->suite, maker->of, &maker->line, maker->diagnostic);
    return error ? fail_case(maker, error, "") : golden_put_inputs(maker);
}

static enum error make_answer(struct golden_maker *maker, enum error error,
                              const struct inference *inference)
{
    if (maker->of->level == SUITE_LEVEL_DISTRIBUTION) {
        if (error != ERROR_NONDETERMINISTIC)
            return fail_case(maker, error ? error : ERROR_INVALID_ARGUMENT,
                             error ? ""
                                   : "level is distribution, but the reference is deterministic");
        return golden_put_inputs(maker);
    }
    if (error)
        return fail_case(maker, error,
                         suite_case_is_stored(maker->of) ? "" : "the reference refuses it");
    for (unsigned i = 0; maker->request.operation->outputs[i]; i++)
        if (maker->of->level == SUITE_LEVEL_BITS && golden_wants(&maker->request, inference, i) &&
            inference->level[i] != LEVEL_BITS)
            return fail_case(maker, ERROR_INVALID_ARGUMENT,
                             "level is bits, but the reference only bounds an output");
    if ((error = golden_put_inputs(maker)) || (error = golden_put_outputs(maker, inference)) ||
        (error = golden_put_answered(maker)))
        return fail_case(maker, error, "");
    return ERROR_NONE;
}

static enum error make_case(struct golden_maker *maker)
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
        error = golden_take_tensors(maker);
        if (error)
            return error;
        error = variant_infer(&maker->request, &inference, maker->diagnostic);
    }
    error = maker->of->survive         ? make_survival(maker, error, readable)
            : maker->of->reject        ? make_refusal(maker, error, readable)
            : maker->of->relation.kind ? make_relation(maker, error)
                                       : make_answer(maker, error, &inference);
    json_end_object(&maker->line);
    if (!error)
        error = golden_keep_tensors(maker);
    if (error)
        return error;
    maker->to->line = maker->line.failed
                          ? NULL
                          : arena_copy_text(maker->kept, maker->line.bytes, maker->line.size);
    return maker->to->line ? ERROR_NONE : diagnostic_no_memory(maker->diagnostic);
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
        struct golden_maker maker = {.suite = job->making->suite,
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
    golden->arena_count = 1;
    const enum error error = golden_line_operators(suite, &golden->arenas[0], &golden->operators,
                                                   &job->making->diagnostic);
    if (error)
        return error;
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
