// SPDX-License-Identifier: Apache-2.0
// Evaluation of a request under its profile: lenses before and after, slices over threads.

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "ref/base/threads.h"
#include "ref/num/environment.h"
#include "ref/variant/lens.h"
#include "ref/variant/variant.h"

enum { GRAIN_ELEMENTS = 256 * 1024 };

// The next lens that the profile sets, from number *from of the family on; NULL: none.
static const struct lens *active_lens(const struct request *request, unsigned *from,
                                      unsigned *option)
{
    const struct lens_family *const family = lens_family_of(request->operation);
    while (*from < family->count) {
        const struct lens *const lens = &family->lens[*from];
        *option = request->profile.option[request->operation->choice_count + (*from)++];
        if (*option)
            return lens;
    }
    return NULL;
}

static enum error apply_request_lenses(const struct request *request, struct request *seen,
                                       struct arena *arena, struct diagnostic *diagnostic)
{
    struct lens_call call = {.arena = arena, .diagnostic = diagnostic};
    enum error error = ERROR_NONE;
    *seen = *request;
    for (unsigned from = 0; !error && (call.lens = active_lens(request, &from, &call.option));)
        if (call.lens->request)
            error = call.lens->request(&call, seen);
    return error;
}

static enum error apply_result_lenses(const struct request *request, struct tensor *tensor,
                                      struct arena *arena, struct diagnostic *diagnostic)
{
    struct lens_call call = {.arena = arena, .diagnostic = diagnostic};
    enum error error = ERROR_NONE;
    for (unsigned from = 0; !error && (call.lens = active_lens(request, &from, &call.option));)
        if (call.lens->result)
            error = call.lens->result(&call, request, tensor);
    return error;
}

static bool same_attribute(const struct attribute_value *a, const struct attribute_value *b)
{
    bool same = a->present == b->present && a->integer == b->integer && a->real == b->real &&
                a->count == b->count && !a->integers == !b->integers && !a->reals == !b->reals;
    for (size_t i = 0; i < a->count && same; i++)
        same = (!a->integers || a->integers[i] == b->integers[i]) &&
               (!a->reals || a->reals[i] == b->reals[i]);
    return same;
}

static bool same_tensor(const struct tensor *a, const struct tensor *b)
{
    uint64_t count = 0;
    if (a->dtype != b->dtype || !tensor_present(a))
        return a->dtype == b->dtype;
    return tensor_same_shape(a, b) && tensor_count(a, &count) &&
           (a->data == b->data || !memcmp(a->data, b->data, (size_t)count * dtype_size(a->dtype)));
}

static bool same_deviation(const struct request *request, const void *deviation)
{
    const struct lens_family *const family = lens_family_of(request->operation);
    return request->deviation == deviation ||
           (!request->deviation && family->keeps && family->keeps(request, deviation));
}

static bool same_request(const struct request *a, const struct request *b)
{
    bool same = a->runs == b->runs && same_deviation(a, b->deviation);
    for (unsigned i = 0; i < OPERATION_ATTRIBUTES_MAX && same; i++)
        same = same_attribute(&a->attribute[i], &b->attribute[i]);
    for (unsigned i = 0; i < OPERATION_INPUTS_MAX && same; i++)
        same = same_tensor(&a->input[i], &b->input[i]);
    return same;
}

// Whether an output of that name exists; what has another name may be about any.
static bool is_there(const struct request *request, const struct inference *inference,
                     const char *name)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++)
        if (!strcmp(request->operation->outputs[i], name))
            return tensor_present(&inference->output[i]);
    return true;
}

enum error variant_is_idle(const struct request *request, struct arena *arena, bool *idle,
                           struct diagnostic *diagnostic)
{
    const struct lens_family *const family = lens_family_of(request->operation);
    struct request seen;
    const struct lens *lens;
    unsigned option;
    bool own = false;
    *idle = false;
    for (unsigned i = 0; i < request->operation->choice_count; i++)
        own = own || request->profile.option[i];
    struct inference inference;
    enum error error = variant_infer(request, &inference, diagnostic);
    if (!error && own && !(request->operation->is_idle && request->operation->is_idle(request)))
        return ERROR_NONE;
    for (unsigned from = 0; !error && (lens = active_lens(request, &from, &option));)
        if (lens->result && is_there(request, &inference, lens->choice.name) &&
            (!family->concerns || family->concerns(lens, request, &inference, option)))
            return ERROR_NONE;
    if (!error)
        error = apply_request_lenses(request, &seen, arena, diagnostic);
    *idle = !error && same_request(request, &seen);
    return error;
}

// The caller may round some other way or flush subnormals: every entry here computes in the
// standard mode and restores the caller's.

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    memset(inference, 0, sizeof *inference);
    const enum error error = request->operation->infer(request, inference, diagnostic);
    if (error || !request->windowed)
        return error;
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        if (!tensor_present(&inference->output[i]) ||
            (request->outputs && !(request->outputs >> i & 1)))
            continue;
        uint64_t count, end;
        tensor_count(&inference->output[i], &count);
        if (__builtin_add_overflow(request->window_first, request->window_count, &end) ||
            end > count)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "the window [%" PRIu64 ", %" PRIu64 "] ends beyond the %" PRIu64
                                   " elements of %s",
                                   request->window_first, request->window_count, count,
                                   request->operation->outputs[i]);
        return ERROR_NONE;
    }
    return ERROR_NONE;
}

// An output that is asked for and that the request cannot have is refused: it would not be
// compared.
static enum error check_wanted(const struct request *request, const struct inference *inference,
                               struct diagnostic *diagnostic)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++)
        if (request->outputs >> i & 1 && !tensor_present(&inference->output[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "outputs names %s, which this request does not have",
                                   request->operation->outputs[i]);
    return ERROR_NONE;
}

enum error variant_infer(const struct request *request, struct inference *inference,
                         struct diagnostic *diagnostic)
{
    assert(request->operation && request->runs >= 1);
    struct num_environment environment;
    enum error error = num_environment_enter(&environment, diagnostic);
    if (error)
        return error;
    error = infer(request, inference, diagnostic);
    if (!error)
        error = check_wanted(request, inference, diagnostic);
    num_environment_leave(&environment);
    return error;
}

bool variant_streams(const struct request *request)
{
    unsigned from = 0, option;
    return request->operation->fill && !active_lens(request, &from, &option);
}

struct fill_job {
    const struct request *request;
    const struct inference *inference;
    struct slice slice;
    void *lower, *upper; // bounds are wanted instead of values when set
    size_t element_size;
};

static enum error fill_piece(void *context, uint64_t first, uint64_t count,
                             struct diagnostic *diagnostic)
{
    const struct fill_job *const job = context;
    struct slice slice = job->slice;
    slice.first += first;
    slice.count = count;
    if (job->lower)
        return job->request->operation->fill_bounds(
            job->request, job->inference, &slice, (char *)job->lower + first * job->element_size,
            (char *)job->upper + first * job->element_size, diagnostic);
    slice.data = (char *)slice.data + first * job->element_size;
    return job->request->operation->fill(job->request, job->inference, &slice, diagnostic);
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, unsigned threads, struct diagnostic *diagnostic)
{
    struct fill_job job = {request, inference, *slice,
                           NULL,    NULL,      dtype_size(inference->output[slice->output].dtype)};
    return threads_run(threads, slice->count, GRAIN_ELEMENTS, fill_piece, &job, diagnostic);
}

enum error variant_fill(const struct request *request, const struct inference *inference,
                        const struct slice *slice, unsigned threads, struct diagnostic *diagnostic)
{
    assert(request->operation->fill && slice->run < request->runs);
    struct num_environment environment;
    enum error error = num_environment_enter(&environment, diagnostic);
    if (error)
        return error;
    error = fill(request, inference, slice, threads, diagnostic);
    num_environment_leave(&environment);
    return error;
}

// The elements of output `i` that are wanted, and room for them: zeros, unless all are `filled`.
static enum error take_output(const struct request *request, const struct inference *inference,
                              unsigned i, bool windowed, bool filled, struct arena *arena,
                              struct tensor *tensor, uint64_t *first, uint64_t *count,
                              struct diagnostic *diagnostic)
{
    *tensor = inference->output[i];
    *first = windowed ? request->window_first : 0;
    if (windowed)
        *count = request->window_count;
    else
        tensor_count(tensor, count);
    const size_t size = dtype_size(tensor->dtype);
    if (*count > VARIANT_OUTPUT_BYTES_MAX / size)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "output %s has %" PRIu64 " elements; ask for a window",
                               request->operation->outputs[i], *count);
    if (*count > VARIANT_OUTPUT_BYTES_MAX / size / request->runs)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "%u runs of %" PRIu64 " elements in output %s; ask for fewer",
                               (unsigned)request->runs, *count, request->operation->outputs[i]);
    tensor->data = (filled ? arena_take_unset : arena_take)(arena, (size_t)*count * size);
    return tensor->data ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static bool is_wanted(const struct request *request, const struct inference *inference, unsigned i)
{
    return tensor_present(&inference->output[i]) &&
           (!request->outputs || request->outputs >> i & 1);
}

// Keeps what was asked of outputs that were computed whole.
static void keep_wanted(const struct request *request, const struct inference *inference,
                        unsigned windowed_output, struct tensor *tensor)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        if (!is_wanted(request, inference, i))
            tensor[i] = (struct tensor){.dtype = DTYPE_NONE};
        else if (request->windowed && i == windowed_output)
            tensor[i].data =
                (char *)tensor[i].data + request->window_first * dtype_size(tensor[i].dtype);
    }
}

// Fills `lower` and `upper`; and `data` with all outputs, unless that is NULL (for operations
// without `fill` alone).
static enum error bound(const struct request *request, void *const *data, struct arena *arena,
                        struct evaluation *evaluation, struct diagnostic *diagnostic)
{
    const struct operation *const operation = request->operation;
    const struct inference *const inference = &evaluation->inference;
    evaluation->lower = arena_take_array(arena, OPERATION_OUTPUTS_MAX, sizeof *evaluation->lower);
    evaluation->upper = arena_take_array(arena, OPERATION_OUTPUTS_MAX, sizeof *evaluation->upper);
    if (!evaluation->lower || !evaluation->upper)
        return diagnostic_no_memory(diagnostic);
    void *lower[OPERATION_OUTPUTS_MAX] = {NULL}, *upper[OPERATION_OUTPUTS_MAX] = {NULL};
    enum error error = ERROR_NONE;
    bool any = false;
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        if (!tensor_present(&inference->output[i]) || inference->level[i] != LEVEL_BOUND)
            continue;
        const bool windowed =
            operation->fill_bounds && request->windowed && i == evaluation->windowed_output;
        uint64_t first, count;
        error = take_output(request, inference, i, windowed, false, arena, &evaluation->lower[i],
                            &first, &count, diagnostic);
        if (!error)
            error = take_output(request, inference, i, windowed, false, arena,
                                &evaluation->upper[i], &first, &count, diagnostic);
        lower[i] = evaluation->lower[i].data;
        upper[i] = evaluation->upper[i].data;
        any = true;
        if (!error && operation->fill_bounds) {
            struct fill_job job = {
                request,  inference, {.output = i, .first = first, .count = count},
                lower[i], upper[i],  dtype_size(inference->output[i].dtype)};
            error = threads_run(0, count, GRAIN_ELEMENTS, fill_piece, &job, diagnostic);
        }
    }
    if (error || !any || !operation->evaluate_bounds)
        return error;
    void *workspace;
    error = operation_take_workspace(request, inference, true, arena, &workspace, diagnostic);
    if (!error)
        error = operation->evaluate_bounds(request, inference, data, lower, upper, workspace,
                                           diagnostic);
    if (!error)
        keep_wanted(request, inference, evaluation->windowed_output, evaluation->lower);
    if (!error)
        keep_wanted(request, inference, evaluation->windowed_output, evaluation->upper);
    return error;
}

// Everything of one run, whole, for operations without `fill` and for profiles with lenses.
// `bounded`: bounds of it too, or NULL.
static enum error evaluate_whole(const struct request *seen, const struct request *asked,
                                 const struct inference *inference, unsigned run,
                                 struct arena *arena, struct tensor *tensor,
                                 struct evaluation *bounded, struct diagnostic *diagnostic)
{
    void *data[OPERATION_OUTPUTS_MAX] = {NULL};
    enum error error = ERROR_NONE;
    uint64_t first = 0, count[OPERATION_OUTPUTS_MAX] = {0};
    for (unsigned i = 0; seen->operation->outputs[i] && !error; i++)
        if (tensor_present(&inference->output[i])) {
            error = take_output(seen, inference, i, false, false, arena, &tensor[i], &first,
                                &count[i], diagnostic);
            data[i] = tensor[i].data;
        }
    if (!error && bounded) {
        error = bound(seen, data, arena, bounded, diagnostic);
    } else if (!error && seen->operation->evaluate) {
        void *workspace;
        error = operation_take_workspace(seen, inference, false, arena, &workspace, diagnostic);
        if (!error)
            error = seen->operation->evaluate(seen, inference, data, workspace, diagnostic);
    } else {
        for (unsigned i = 0; seen->operation->outputs[i] && !error; i++)
            if (data[i])
                error = variant_fill(seen, inference, &(struct slice){i, run, 0, count[i], data[i]},
                                     0, diagnostic);
    }
    return error ? error : apply_result_lenses(asked, tensor, arena, diagnostic);
}

static enum error evaluate_slices(const struct request *request, const struct inference *inference,
                                  unsigned run, unsigned windowed_output, struct arena *arena,
                                  struct tensor *tensor, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; request->operation->outputs[i] && !error; i++) {
        if (!is_wanted(request, inference, i))
            continue;
        struct slice slice = {.output = i, .run = run};
        error = take_output(request, inference, i, request->windowed && i == windowed_output, true,
                            arena, &tensor[i], &slice.first, &slice.count, diagnostic);
        slice.data = tensor[i].data;
        if (!error)
            error = variant_fill(request, inference, &slice, 0, diagnostic);
    }
    return error;
}

// Whether one call can make both the values and their bounds: no lens changes what comes out.
static bool goes_together(const struct request *request, const struct inference *inference)
{
    const struct lens *lens;
    unsigned from = 0, option;
    bool any = false;
    for (unsigned i = 0; request->operation->outputs[i]; i++)
        any = any || (tensor_present(&inference->output[i]) && inference->level[i] == LEVEL_BOUND);
    while ((lens = active_lens(request, &from, &option)))
        any = any && !lens->result;
    return any && request->operation->evaluate_bounds && request->runs == 1;
}

static enum error evaluate(const struct request *request, bool bounded, struct arena *arena,
                           struct evaluation *evaluation, struct diagnostic *diagnostic)
{
    memset(evaluation, 0, sizeof *evaluation);
    struct request seen;
    struct inference
        inference; // of the request as the lenses show it: what the operation worked out for itself
    enum error error = variant_infer(request, &evaluation->inference, diagnostic);
    if (!error)
        error = apply_request_lenses(request, &seen, arena, diagnostic);
    if (!error) // what a deviant option takes away is for the comparison to find missing
        error = infer(&seen, &inference, diagnostic);
    if (error)
        return error;
    while (request->operation->outputs[evaluation->windowed_output + 1] &&
           !is_wanted(request, &inference, evaluation->windowed_output))
        evaluation->windowed_output++;
    evaluation->tensor =
        arena_take_array(arena, request->runs, OPERATION_OUTPUTS_MAX * sizeof *evaluation->tensor);
    if (!evaluation->tensor)
        return diagnostic_no_memory(diagnostic);
    const bool streams = variant_streams(request),
               together = bounded && goes_together(request, &inference);
    for (unsigned run = 0; run < request->runs && !error; run++) {
        struct tensor *const tensor = evaluation->tensor + (size_t)run * OPERATION_OUTPUTS_MAX;
        if (streams) {
            error = evaluate_slices(request, &inference, run, evaluation->windowed_output, arena,
                                    tensor, diagnostic);
        } else {
            error = evaluate_whole(&seen, request, &inference, run, arena, tensor,
                                   together ? evaluation : NULL, diagnostic);
            if (!error)
                keep_wanted(request, &inference, evaluation->windowed_output, tensor);
        }
    }
    if (!error && bounded && !together)
        error = bound(request, NULL, arena, evaluation, diagnostic);
    return error;
}

enum error variant_evaluate(const struct request *request, struct arena *arena,
                            struct evaluation *evaluation, struct diagnostic *diagnostic)
{
    return variant_evaluate_with(request, false, arena, evaluation, diagnostic);
}

enum error variant_evaluate_with(const struct request *request, bool bounds, struct arena *arena,
                                 struct evaluation *evaluation, struct diagnostic *diagnostic)
{
    assert(request->operation && request->runs >= 1);
    struct num_environment environment;
    enum error error = num_environment_enter(&environment, diagnostic);
    if (error)
        return error;
    error = evaluate(request, bounds, arena, evaluation, diagnostic);
    num_environment_leave(&environment);
    return error;
}

enum error variant_bound(const struct request *request, struct arena *arena,
                         struct evaluation *evaluation, struct diagnostic *diagnostic)
{
    struct num_environment environment;
    enum error error = num_environment_enter(&environment, diagnostic);
    if (error)
        return error;
    error = bound(request, NULL, arena, evaluation, diagnostic);
    num_environment_leave(&environment);
    return error;
}
