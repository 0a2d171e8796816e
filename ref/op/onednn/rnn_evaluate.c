// SPDX-License-Identifier: Apache-2.0
// The entries of onednn.rnn: from a request to a run, and what is left to do when there is no time
// or no batch.

#include <stddef.h>
#include <string.h>

#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_engine.h"
#include "ref/op/onednn/rnn_entries.h"
#include "ref/op/onednn/rnn_interval.h"

static enum error start_run(const struct request *request, const struct rnn_frame *frame,
                            bool bounds, struct rnn_run *run, struct diagnostic *diagnostic)
{
    memset(run, 0, offsetof(struct rnn_run, scratch));
    run->bounds = bounds;
    run->observed = tensor_present(&request->observed);
    run->model = rnn_model_of(request->model);
    enum error error = rnn_problem_read_framed(request, frame, &run->problem, diagnostic);
    if (!error)
        error = rnn_check_observed(&run->problem, diagnostic);
    if (!error)
        rnn_cell_resolve(&run->problem,
                         request->deviation ? request->deviation : rnn_cell_of(&run->problem),
                         &run->cell);
    return error;
}

static bool is_empty(const struct rnn_problem *p)
{
    return p->times == 0 || p->batch == 0;
}

// Whether sums of this run are long enough for the values' own to be the middles of intervals. In a
// backward pass of 16-bit data a value is often at an end of its interval, the other of which is it
// as stored: far from a middle.
static bool goes_with_values(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    const size_t least = p->backward ? RNN_VALUES_WORTHWHILE : RNN_INTEGERS_WORTHWHILE;
    return run->bounds && !run->observed && !p->quantised &&
           (!p->backward ||
            (p->times * p->batch >= RNN_AROUND_LEAVES && dtype_size(p->state) != 2)) &&
           run->model.sum_unit == run->model.unit &&
           p->layer_channels + p->iter_channels >= RNN_AROUND_LEAVES &&
           p->iter_channels * p->hidden_channels >= least;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

enum error rnn_workspace_size(const struct request *request, const struct inference *inference,
                              bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    (void)inference;
    return rnn_framed_workspace_size(request, NULL, bounds, size, diagnostic);
}

enum error rnn_framed_workspace_size(const struct request *request, const struct rnn_frame *frame,
                                     bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    struct rnn_run places[2], *const run = &places[0], *const values = &places[1];
    enum error error = start_run(request, frame, false, values, diagnostic);
    if (!error && bounds)
        error = start_run(request, frame, true, run, diagnostic);
    if (error)
        return error;
    struct rnn_memory memory = {NULL, 0, false}, own = {NULL, 0, false};
    rnn_take(&memory, 1, sizeof *run);
    if (!is_empty(&values->problem))
        rnn_lay_out(values, &memory);
    if (bounds) {
        run->values = goes_with_values(run) ? values : NULL;
        rnn_take(&own, 1, sizeof *run);
        if (!is_empty(&run->problem))
            rnn_lay_out(run, &own);
    }
    memory.used = bounds && run->values ? memory.used + own.used : larger(memory.used, own.used);
    memory.overflow = memory.overflow || own.overflow || memory.used < own.used;
    *size = memory.used;
    return memory.overflow ? diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                             "the workspace of this request does not fit in memory")
                           : ERROR_NONE;
}

static void load_scales(const struct rnn_run *run)
{
    static const enum rnn_attribute attributes[] = {RNN_WEIGHTS_SCALES, RNN_PROJECTION_SCALES};
    for (unsigned i = 0; i < 2 && run->problem.quantised; i++) {
        const struct attribute_value *const scales =
            &run->problem.request->attribute[attributes[i]];
        run->scales[i][0] = 1;
        for (size_t s = 0; s < scales->count; s++)
            run->scales[i][s] = (float)scales->reals[s];
    }
}

// ---- no steps ---------------------------------------------------------------

// Output `output` is input `input`, where it has one, else zeros.
static void pass_on(const struct rnn_run *run, enum rnn_output output, enum dtype dtype,
                    enum rnn_input input)
{
    const struct tensor *const tensor = &run->problem.request->input[input];
    for (unsigned end = 0; end <= (run->bounds ? 1U : 0U); end++) {
        void *const to = end ? run->upper[output] : run->lower[output];
        if (!to)
            continue;
        const struct rnn_problem *const p = &run->problem;
        const bool carried = output == RNN_DST_ITER_C || output == RNN_DIFF_SRC_ITER_C;
        const size_t elements = p->layers * p->directions * p->batch *
                                (carried ? p->hidden_channels : p->iter_channels);
        if (tensor_present(tensor))
            num_convert_array(dtype, to, tensor->dtype, tensor->data, (size_t)elements);
        else
            memset(to, 0, elements * dtype_size(dtype));
    }
}

static void keep_initial(const struct rnn_run *run, enum rnn_output output, enum rnn_input initial,
                         enum rnn_input like)
{
    const struct request *const request = run->problem.request;
    size_t bytes;
    if (!tensor_present(&request->input[like]))
        return;
    struct tensor shape = request->input[like];
    shape.dtype = DTYPE_F32;
    tensor_bytes(&shape, &bytes);
    const bool kept =
        rnn_has(&run->problem, initial) && !request->attribute[RNN_DIFF_WEIGHTS_OVERWRITE].integer;
    for (unsigned end = 0; end <= (run->bounds ? 1U : 0U); end++) {
        void *const to = end ? run->upper[output] : run->lower[output];
        if (to && kept)
            memcpy(to, request->input[initial].data, bytes);
        else if (to)
            memset(to, 0, bytes);
    }
}

// T = 0 or N = 0: states pass through, gradients of parameters keep their contents, all else is
// empty.
static void finish_empty(const struct rnn_run *run)
{
    const struct rnn_problem *const p = &run->problem;
    if (!p->backward) {
        pass_on(run, RNN_DST_ITER, p->dst_iter, RNN_SRC_ITER);
        pass_on(run, RNN_DST_ITER_C, p->c, RNN_SRC_ITER_C);
        return;
    }
    pass_on(run, RNN_DIFF_SRC_ITER, DTYPE_F32, RNN_DIFF_DST_ITER);
    pass_on(run, RNN_DIFF_SRC_ITER_C, DTYPE_F32, RNN_DIFF_DST_ITER_C);
    keep_initial(run, RNN_DIFF_WEIGHTS_LAYER, RNN_INITIAL_WEIGHTS_LAYER, RNN_WEIGHTS_LAYER);
    keep_initial(run, RNN_DIFF_WEIGHTS_ITER, RNN_INITIAL_WEIGHTS_ITER, RNN_WEIGHTS_ITER);
    keep_initial(run, RNN_DIFF_WEIGHTS_PEEPHOLE, RNN_INITIAL_WEIGHTS_PEEPHOLE,
                 RNN_WEIGHTS_PEEPHOLE);
    keep_initial(run, RNN_DIFF_WEIGHTS_PROJECTION, RNN_INITIAL_WEIGHTS_PROJECTION,
                 RNN_WEIGHTS_PROJECTION);
    keep_initial(run, RNN_DIFF_BIAS, RNN_INITIAL_BIAS, RNN_BIAS);
}

// ---- entries ----------------------------------------------------------------

// Memory for a run, and where its outputs go; `upper` NULL: values.
static enum error open_run(const struct request *request, const struct rnn_frame *frame,
                           void *const *lower, void *const *upper, struct rnn_memory *memory,
                           struct rnn_run **run, struct diagnostic *diagnostic)
{
    *run = rnn_take(memory, 1, sizeof **run);
    const enum error error = start_run(request, frame, upper != NULL, *run, diagnostic);
    (*run)->lower = lower;
    (*run)->upper = upper;
    return error;
}

static void lay_out(struct rnn_run *run, struct rnn_memory *memory)
{
    rnn_lay_out(run, memory);
    load_scales(run);
}

static enum error finish(struct rnn_run *run, struct diagnostic *diagnostic)
{
    enum error error = rnn_run_forward(run, diagnostic);
    if (!error)
        rnn_write_forward(run);
    if (!error && run->problem.backward)
        error = rnn_run_backward(run, diagnostic);
    return error;
}

// A run by itself.
static enum error run_alone(const struct request *request, const struct rnn_frame *frame,
                            void *const *lower, void *const *upper, void *workspace,
                            struct diagnostic *diagnostic)
{
    struct rnn_memory memory = {workspace, 0, false};
    struct rnn_run *run;
    const enum error error = open_run(request, frame, lower, upper, &memory, &run, diagnostic);
    if (error)
        return error;
    if (is_empty(&run->problem)) {
        finish_empty(run);
        return ERROR_NONE;
    }
    lay_out(run, &memory);
    return finish(run, diagnostic);
}

enum error rnn_evaluate(const struct request *request, const struct inference *inference,
                        void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    (void)inference;
    return run_alone(request, NULL, data, NULL, workspace, diagnostic);
}

// Whether the sums of the run of values are middles of those of the bounds: until these are there,
// they may lie in their place.
static bool is_gradient(unsigned output)
{
    return output == RNN_DIFF_WEIGHTS_LAYER || output == RNN_DIFF_WEIGHTS_ITER ||
           output == RNN_DIFF_WEIGHTS_PROJECTION;
}

// Where values go along, they are there in the end; else they come first, in the same memory.
static enum error run_bounds(const struct request *request, const struct rnn_frame *frame,
                             void *const *data, void *const *lower, void *const *upper,
                             void *workspace, struct diagnostic *diagnostic)
{
    struct rnn_memory memory = {workspace, 0, false};
    struct rnn_run *run, *values;
    if (request->model && !evaluation_model_is_plain(request->model))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "the bounds of %s know no accumulator of 16 bits, no truncation and "
                               "no key dot or intermediates: these are for declared operators",
                               request->operation->name);
    enum error error = open_run(request, frame, lower, upper, &memory, &run, diagnostic);
    if (error)
        return error;
    if (is_empty(&run->problem) || !goes_with_values(run)) {
        error = data ? run_alone(request, frame, data, NULL, workspace, diagnostic) : ERROR_NONE;
        return error ? error : run_alone(request, frame, lower, upper, workspace, diagnostic);
    }
    error = open_run(request, frame, data, NULL, &memory, &values, diagnostic);
    if (error)
        return error;
    for (unsigned o = 0; o < RNN_OUTPUTS; o++)
        values->place[o] = data && data[o] ? data[o] : is_gradient(o) ? lower[o] : NULL;
    values->lower = values->place;
    run->values = values;
    lay_out(values, &memory);
    lay_out(run, &memory);
    error = finish(run, diagnostic);
    if (!error && data)
        rnn_write_forward(values);
    return error;
}

enum error rnn_evaluate_bounds(const struct request *request, const struct inference *inference,
                               void *const *data, void *const *lower, void *const *upper,
                               void *workspace, struct diagnostic *diagnostic)
{
    (void)inference;
    return run_bounds(request, NULL, data, lower, upper, workspace, diagnostic);
}

enum error rnn_framed_evaluate(const struct request *request, const struct rnn_frame *frame,
                               void *const *data, void *const *lower, void *const *upper,
                               void *workspace, struct diagnostic *diagnostic)
{
    return upper ? run_bounds(request, frame, data, lower, upper, workspace, diagnostic)
                 : run_alone(request, frame, data, NULL, workspace, diagnostic);
}
