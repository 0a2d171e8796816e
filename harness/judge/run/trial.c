// SPDX-License-Identifier: Apache-2.0
// The calls of a case: what they ask for, whole or window after window, and under which conditions.

#include "harness/judge/run/trial.h"

#include <assert.h>
#include <string.h>

#include "harness/judge/compare/convert.h"
#include "harness/judge/run/window.h"
#include "ref/base/size.h"
#include "ref/variant/variant.h"

// Both seeds zero, say: type and shape of the outputs are known all the same. They are inferred
// from the same request with a seed.
static enum error infer_by_chance(const struct request *request, struct inference *inference,
                                  struct diagnostic *diagnostic)
{
    struct request seeded = *request;
    const int seed = operation_attribute(request->operation, "op_seed");
    if (seed < 0)
        return ERROR_NONDETERMINISTIC;
    seeded.attribute[seed].integer = 1;
    return variant_infer(&seeded, inference, diagnostic);
}

static enum error make_negative(const struct suite *suite, const struct suite_case *of,
                                struct trial *trial, enum error error,
                                struct diagnostic *diagnostic)
{
    if (!error)
        return judge_convert_request(&trial->request, NULL, &trial->arena, &trial->call,
                                     diagnostic);
    struct document_node *node = NULL;
    error = suite_case_document(suite, of, &trial->arena, &node, diagnostic);
    return error ? error : judge_convert_document(node, &trial->arena, &trial->call, diagnostic);
}

// False where it is too much for one call.
static bool measure(struct trial *trial)
{
    bool fits = true;
    trial->bytes = 0;
    for (size_t i = 0; i < trial->call.input_count; i++) {
        size_t bytes = 0;
        fits = fits && tensor_bytes(&trial->call.inputs[i].tensor, &bytes) &&
               size_add(trial->bytes, bytes, &trial->bytes);
    }
    for (size_t i = 0; i < trial->call.output_count; i++) {
        size_t bytes = 0;
        fits = fits &&
               size_multiply(judge_output_count(&trial->call, i),
                             dtype_size(trial->call.outputs[i].tensor.dtype), &bytes) &&
               size_add(trial->bytes, bytes, &trial->bytes);
    }
    return fits && trial->bytes <= TRIAL_WHOLE_BYTES_MAX;
}

// What keeps the trial's case, which is too large, from being judged window after window, in words;
// NULL: nothing. It takes one output whose bits are wanted and which the reference computes in
// slices, and one run.
static const char *find_obstacle(const struct trial *trial,
                                 const struct host_description *description)
{
    const struct request *const request = &trial->request;
    uint64_t count = 0;
    if (!(description->capabilities & ASSAY_CAPABILITY_WINDOW))
        return "the target gives no windows";
    if (request->windowed)
        return "the window that the case asks for is itself so large";
    if (trial->negative || trial->chance || trial->of->level == SUITE_LEVEL_DISTRIBUTION)
        return "windows are only for what the reference computes";
    if (trial->call.output_count != 1)
        return "windows are only for a case that asks for one output (outputs: [NAME])";
    if ((request->runs ? request->runs : 1) != 1)
        return "windows are only for one run";
    const int output = operation_output(request->operation, trial->call.outputs[0].name);
    if (trial->of->level == SUITE_LEVEL_BOUND ||
        (trial->of->level != SUITE_LEVEL_BITS && trial->inference.level[output] != LEVEL_BITS))
        return "windows are only for outputs whose bits are wanted, not their bounds; "
               "a case can ask for a window itself";
    if (!variant_streams(request))
        return "the reference computes this operation whole; a case can ask for a window itself";
    if (!tensor_count(&trial->inference.output[output], &count) ||
        window_count(count) > WINDOWS_MAX)
        return "of more than 2^36 elements a case asks for a window itself";
    return NULL;
}

static enum error find_way(struct trial *trial, const struct host_description *description,
                           struct diagnostic *diagnostic)
{
    if (measure(trial))
        return ERROR_NONE;
    const char *const obstacle = find_obstacle(trial, description);
    if (!obstacle) {
        trial->windows = true;
        trial->call.window_first = 0;
        trial->call.window_count = WINDOW_ELEMENTS;
        if (measure(trial))
            return ERROR_NONE;
    }
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "tensors above %d MiB, and %s",
                           TRIAL_WHOLE_BYTES_MAX >> 20,
                           obstacle ? obstacle : "its inputs alone are so large");
}

// Asks beside gradients for the states that they were made from, where the target gives them and
// bounds follow from them.
static enum error ask_for_states(const struct host_description *description, struct trial *trial,
                                 struct diagnostic *diagnostic)
{
    struct request *const request = &trial->request;
    const struct operation *const operation = request->operation;
    const bool can = (description->capabilities & ASSAY_CAPABILITY_STATES) && !request->windowed &&
                     request->runs <= 1 && !request->outputs &&
                     trial->of->level != SUITE_LEVEL_BITS;
    const int seen = can ? operation_observable(request) : -1;
    if (seen < 0 || tensor_present(&trial->inference.output[seen]))
        return ERROR_NONE;
    request->outputs = 1U << seen;
    for (unsigned i = 0; operation->outputs[i]; i++)
        request->outputs |= tensor_present(&trial->inference.output[i]) ? 1U << i : 0;
    trial->inference = (struct inference){0};
    return variant_infer(request, &trial->inference, diagnostic);
}

static bool has_choice(const struct operation *operation, const char *name)
{
    unsigned choice = 0;
    return variant_find(operation, name, NULL, &choice, NULL);
}

enum error trial_make(const struct suite *suite, const struct suite_case *of,
                      const struct host_description *description, bool ask, struct trial *trial,
                      struct diagnostic *diagnostic)
{
    *trial = (struct trial){.of = of, .runs = 1, .negative = of->reject != NULL};
    enum error error = (ask && !trial->negative ? suite_case_shapes : suite_case_request)(
        suite, of, &trial->arena, &trial->request, diagnostic);
    if (trial->negative) {
        error = make_negative(suite, of, trial, error, diagnostic);
        return error ? error : find_way(trial, description, diagnostic);
    }
    if (!error)
        error = variant_infer(&trial->request, &trial->inference, diagnostic);
    if (error == ERROR_NONDETERMINISTIC) {
        trial->chance = true;
        error = infer_by_chance(&trial->request, &trial->inference, diagnostic);
    }
    if (!error && !trial->chance)
        error = ask_for_states(description, trial, diagnostic);
    if (!error)
        error = judge_convert_request(&trial->request, &trial->inference, &trial->arena,
                                      &trial->call, diagnostic);
    if (error)
        return error;
    trial->runs = trial->request.runs ? trial->request.runs : 1;
    trial->stateful = has_choice(trial->request.operation, "state");
    if (trial->request.windowed && !(description->capabilities & ASSAY_CAPABILITY_WINDOW)) {
        trial->whole = true;
        trial->call.window_first = trial->call.window_count = 0;
    }
    return find_way(trial, description, diagnostic);
}

enum level trial_required_level(const struct trial *trial)
{
    static const enum level levels[] = {[SUITE_LEVEL_BITS] = LEVEL_BITS,
                                        [SUITE_LEVEL_BOUND] = LEVEL_BOUND,
                                        [SUITE_LEVEL_DISTRIBUTION] = LEVEL_DISTRIBUTION};
    if (trial->chance)
        return LEVEL_DISTRIBUTION;
    if (trial->of->level != SUITE_LEVEL_AUTOMATIC)
        return levels[trial->of->level];
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        if (tensor_present(&trial->inference.output[i]) && trial->inference.level[i] == LEVEL_BOUND)
            return LEVEL_BOUND;
    return LEVEL_BITS;
}

void trial_release(struct trial *trial)
{
    arena_release(&trial->arena);
}

// ---- conditions -------------------------------------------------------------

static void add_unit(struct trial *trial, unsigned pass, struct host_conditions conditions)
{
    if (trial->unit_count == TRIAL_UNITS_MAX)
        return;
    if (trial->runs > 1 || trial->negative)
        conditions.together = false;
    struct trial_unit *const unit = &trial->unit[trial->unit_count++];
    *unit = (struct trial_unit){.pass = pass, .conditions = conditions, .count = trial->runs};
    if (conditions.together)
        unit->count++;
}

static struct host_conditions opposite(struct host_conditions conditions)
{
    conditions.guard = conditions.guard == HOST_GUARD_END ? HOST_GUARD_START : HOST_GUARD_END;
    conditions.poison = conditions.poison == HOST_POISON_A ? HOST_POISON_B : HOST_POISON_A;
    return conditions;
}

void trial_plan(struct trial *trial, const struct host_description *description,
                const struct conditions_plan *plan, size_t index, size_t count)
{
    assert(plan->count && !trial->windows && !trial->unit_count);
    if (plan->alone) {
        add_unit(trial, 0, plan->row[0]);
        return;
    }
    // A suite with few cases runs each under more rows, so that all rows are met.
    const size_t rows = count * 2 >= plan->count ? 2 : (plan->count + count - 1) / count;
    for (size_t i = 0; i < rows; i++) {
        struct host_conditions row = plan->row[(index * rows + i) % plan->count];
        if (i == 0 && !description->process) {
            row.thorough = true;
            row.together = false; // the instance is used again, which two at once cannot be
        } else if (i == 1 && !description->process) {
            // Both guards and both poisons for every case.
            const struct host_conditions other = opposite(trial->unit[0].conditions);
            row.guard = other.guard;
            row.poison = other.poison;
        }
        add_unit(trial, i == 0 ? 0 : 1, row);
        if (i > 0 || description->process || trial->stateful || trial->runs > 1)
            continue;
        row = opposite(row);
        row.again = true;
        add_unit(trial, 0, row);
    }
}

size_t trial_call_count(const struct trial *trial, unsigned pass)
{
    assert(pass < 2);
    size_t count = 0;
    for (size_t i = 0; i < trial->unit_count; i++)
        if (trial->unit[i].pass == pass)
            count += trial->unit[i].count;
    return count;
}

enum error trial_make_calls(struct trial *trial, unsigned pass, struct host_call *calls, size_t at,
                            struct diagnostic *diagnostic)
{
    assert(pass < 2);
    for (size_t u = 0; u < trial->unit_count; u++) {
        struct trial_unit *const unit = &trial->unit[u];
        if (unit->pass != pass)
            continue;
        unit->call = at;
        for (size_t i = 0; i < unit->count; i++, at++) {
            struct host_request *const copy = arena_take(&trial->arena, sizeof *copy);
            if (!copy)
                return diagnostic_no_memory(diagnostic);
            const enum error error = judge_copy_call(&trial->call, &trial->arena, copy, diagnostic);
            if (error)
                return error;
            calls[at] = (struct host_call){.request = copy, .conditions = unit->conditions};
            if (unit->conditions.together)
                calls[at].conditions.together = i == 0;
            else if (i > 0)
                calls[at].conditions.again = true;
        }
    }
    return ERROR_NONE;
}

const void *trial_output_data(const struct trial *trial, const struct host_request *call,
                              size_t index)
{
    assert(index < trial->call.output_count);
    const struct tensor *const tensor = &call->outputs[index].tensor;
    if (!trial->whole || index)
        return tensor->data;
    return (const char *)tensor->data + trial->request.window_first * dtype_size(tensor->dtype);
}

uint64_t trial_output_count(const struct trial *trial, size_t index)
{
    assert(index < trial->call.output_count);
    return trial->whole && index == 0 ? trial->request.window_count
                                      : judge_output_count(&trial->call, index);
}
