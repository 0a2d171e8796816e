// SPDX-License-Identifier: Apache-2.0
// The calls of a case: what they ask for, whole or window after window, and under which conditions.

#include "harness/judge/run/trial.h"

#include <assert.h>

#include "harness/judge/compare/convert.h"
#include "harness/judge/compare/draws_law.h"
#include "harness/judge/compare/negative.h"
#include "harness/judge/compare/window.h"
#include "ref/base/bytes.h"
#include "ref/base/size.h"
#include "ref/variant/variant.h"

// Both seeds zero, say: type and shape of the outputs are known all the same. Where the operation
// does not say them they are inferred from the same request with a seed.
static enum error infer_by_chance(const struct request *request, struct inference *inference,
                                  struct diagnostic *diagnostic)
{
    struct request seeded = *request;
    const int seed = operation_attribute(request->operation, "op_seed");
    const enum error error = variant_infer(request, inference, diagnostic);
    if (error != ERROR_NONDETERMINISTIC || tensor_present(&inference->output[0]))
        return error == ERROR_NONDETERMINISTIC ? ERROR_NONE : error;
    if (seed < 0)
        return ERROR_NONDETERMINISTIC;
    seeded.attribute[seed].integer = 1;
    return variant_infer(&seeded, inference, diagnostic);
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
    if (description->kept)
        return "a record holds no outputs that are asked for window after window";
    if (request->windowed)
        return "the window that the case asks for is itself so large";
    if (!suite_case_has_values(trial->of) || trial->chance ||
        trial->of->level == SUITE_LEVEL_DISTRIBUTION)
        return "windows are only for what the reference computes";
    if (trial->call.output_count != 1)
        return "windows are only for a case that asks for one output (outputs: [NAME])";
    if ((request->runs ? request->runs : 1) != 1)
        return "a case of several runs has no windows";
    const int output = operation_output(request->operation, trial->call.outputs[0].name);
    if (trial->of->level == SUITE_LEVEL_BOUND ||
        (trial->of->level != SUITE_LEVEL_BITS && trial->inference.level[output] != LEVEL_BITS))
        return "windows are only for outputs whose bits are wanted, not their bounds; "
               "a case can ask for a window itself";
    if (!variant_streams(request))
        return "the reference computes this operation whole; a case can ask for a window itself";
    if (!tensor_count(&trial->inference.output[output], &count) ||
        window_count(count) > WINDOWS_MAX)
        return "for more than 2^36 elements the case itself must ask for a window";
    return NULL;
}

// An attribute of the call that asks how tensors lie in memory; NULL: none does.
static const char *find_layout(const struct trial *trial)
{
    const struct operation *const operation = trial->of->operation;
    for (size_t i = 0; i < trial->call.attribute_count; i++) {
        const int index = operation_attribute(operation, trial->call.attributes[i].name);
        if (index >= 0 && operation->attributes[index].layout)
            return trial->call.attributes[i].name;
    }
    return NULL;
}

static enum error find_way(struct trial *trial, const struct host_description *description,
                           struct diagnostic *diagnostic)
{
    const char *const layout =
        description->capabilities & ASSAY_CAPABILITY_LAYOUTS ? NULL : find_layout(trial);
    if (layout)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "the target takes no requests for places in memory (%s)", layout);
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

static enum error make(const struct suite *suite, const struct suite_case *of,
                       const struct host_description *description, bool ask,
                       const struct inference *nearest, struct trial *trial,
                       struct diagnostic *diagnostic)
{
    *trial = (struct trial){
        .of = of, .runs = 1, .negative = !suite_case_is_answered(of), .nearest = nearest};
    enum error error;
    trial->label = arena_print(&trial->arena, "%s/%s", suite->name, of->id);
    if (!trial->label)
        return diagnostic_no_memory(diagnostic);
    if (trial->negative) {
        error = negative_make_call(suite, of, &trial->arena, &trial->request, &trial->nearest,
                                   &trial->call, diagnostic);
        return error ? error : find_way(trial, description, diagnostic);
    }
    error = (ask ? suite_case_shapes : suite_case_request)(suite, of, &trial->arena,
                                                           &trial->request, diagnostic);
    if (!error)
        error = variant_infer(&trial->request, &trial->inference, diagnostic);
    if (error == ERROR_NONDETERMINISTIC) {
        trial->chance = true;
        trial->repeats = draws_repeat(&trial->request);
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

enum error trial_make(const struct suite *suite, const struct suite_case *of,
                      const struct host_description *description, bool ask, struct trial *trial,
                      struct diagnostic *diagnostic)
{
    return make(suite, of, description, ask, NULL, trial, diagnostic);
}

enum error trial_make_again(const struct suite *suite, const struct suite_case *of,
                            const struct host_description *description,
                            const struct inference *nearest, struct trial *trial,
                            struct diagnostic *diagnostic)
{
    return make(suite, of, description, false, nearest, trial, diagnostic);
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

static bool asks_for_the_same(const struct inference *a, const struct inference *b)
{
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        if (a->output[i].dtype != b->output[i].dtype ||
            !tensor_same_shape(&a->output[i], &b->output[i]))
            return false;
    return true;
}

enum error trial_reshape(const struct suite *suite, const struct named_profile *profile,
                         const struct host_description *description, struct trial *trial,
                         struct diagnostic *diagnostic)
{
    struct trial other = *trial;
    other.inference = (struct inference){0};
    other.reshaped = true;
    profiles_apply(suite, profile, other.request.operation, &other.request.profile);
    enum error error = variant_infer(&other.request, &other.inference, diagnostic);
    if (error || asks_for_the_same(&other.inference, &trial->inference))
        return error == ERROR_INTERNAL ? error : ERROR_UNSUPPORTED;
    const uint64_t first = other.call.window_first, count = other.call.window_count;
    error = judge_convert_request(&other.request, &other.inference, &other.arena, &other.call,
                                  diagnostic);
    trial->arena = other.arena;
    if (other.whole) {
        other.call.window_first = first;
        other.call.window_count = count;
    }
    if (!error)
        error = find_way(&other, description, diagnostic);
    if (!error && other.windows)
        error = ERROR_UNSUPPORTED;
    if (!error)
        *trial = other;
    return error == ERROR_INTERNAL ? error : error ? ERROR_UNSUPPORTED : ERROR_NONE;
}

void trial_release(struct trial *trial)
{
    if (trial->companion)
        arena_release(&trial->companion->arena);
    arena_release(&trial->arena);
}

// ---- conditions -------------------------------------------------------------

static void add_unit(struct trial *trial, unsigned pass, struct host_conditions conditions)
{
    if (trial->unit_count == TRIAL_UNITS_MAX)
        return;
    conditions.place = trial->of->position; // the same in every run
    if (trial->runs > 1 || trial->negative)
        conditions.together = false;
    if (find_layout(trial)) // it says itself where tensors lie
        conditions.padded = false;
    struct trial_unit *const unit = &trial->unit[trial->unit_count++];
    *unit = (struct trial_unit){.pass = pass, .conditions = conditions, .count = trial->runs};
    if (conditions.together)
        unit->count++;
}

// Twice, each time after a call of the companion at the same addresses: on an instance that is made
// beside the companion's, and on that one again once another was made beside it.
static void add_turns(struct trial *trial, struct host_conditions conditions)
{
    conditions.guard = HOST_GUARD_START;
    conditions.padded = conditions.thorough = conditions.together = false;
    conditions.in_place = true;
    for (unsigned turn = 0; turn < 2 && trial->unit_count < TRIAL_UNITS_MAX; turn++) {
        conditions.beside = turn == 0;
        conditions.back = turn == 1;
        add_unit(trial, 0, conditions);
        trial->unit[trial->unit_count - 1].after = true;
    }
}

// Other memory: the next of the three places, and the other poison.
static struct host_conditions elsewhere(struct host_conditions conditions)
{
    conditions.guard = (enum host_guard)((conditions.guard + 1) % (HOST_GUARD_INSIDE + 1));
    conditions.poison = conditions.poison == HOST_POISON_A ? HOST_POISON_B : HOST_POISON_A;
    return conditions;
}

void trial_plan(struct trial *trial, const struct host_description *description,
                const struct conditions_plan *plan, size_t index, size_t count)
{
    // One case of REMADE is made anew, where its tensors are small.
    enum { REMADE = 16, REMADE_BYTES = 1 << 20 };
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
            // All three places, both poisons and two feeds for every case.
            const struct host_conditions first = trial->unit[0].conditions;
            const uint32_t feeds = description->feed_count;
            row.guard = elsewhere(elsewhere(first)).guard;
            row.poison = elsewhere(first).poison;
            if (row.feed == first.feed && feeds > 1)
                row.feed = (row.feed + 1 + (uint32_t)(index % (feeds - 1))) % feeds;
        }
        add_unit(trial, i == 0 ? 0 : 1, row);
        if (i == 0 && description->process && description->feed_count > 1)
            add_unit(trial, 1, row); // the other row may have another feed, and other bits
        if (i > 0 || description->process || trial->stateful || trial->runs > 1)
            continue;
        row = elsewhere(row);
        row.again = true;
        row.remade = index % REMADE == 0 && trial->bytes <= REMADE_BYTES && !trial->chance;
        add_unit(trial, 0, row);
        if (trial->companion)
            add_turns(trial, trial->unit[0].conditions);
    }
}

// Whether the unit that begins with `first` goes on with `next`, a call of the same instance.
static bool goes_on(const struct trial_unit *unit, const struct host_conditions *next)
{
    return unit->conditions.together ? unit->count == 1 : next->again && next->counts;
}

enum error trial_plan_recorded(struct trial *trial, const struct host *host,
                               struct diagnostic *diagnostic)
{
    enum { CALLS_MAX = 256 };
    struct host_recorded recorded[CALLS_MAX];
    size_t count = 0;
    struct trial_unit *unit = NULL;
    trial->unit_count = 0;
    const enum error error =
        host_recorded(host, trial->label, &trial->call, recorded, CALLS_MAX, &count, diagnostic);
    if (error)
        return error;
    if (count > CALLS_MAX)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "the record has more answers to it than a case is asked for");
    for (size_t i = 0; i < count; i++) {
        const struct host_conditions *const conditions = &recorded[i].conditions;
        if (unit && goes_on(unit, conditions)) {
            unit->count++;
            continue;
        }
        if (trial->unit_count == TRIAL_UNITS_MAX)
            return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                   "the record has more answers to it than a case is asked for");
        unit = &trial->unit[trial->unit_count++];
        *unit =
            (struct trial_unit){.pass = recorded[i].reverse, .count = 1, .conditions = *conditions};
    }
    for (size_t u = 0; u < trial->unit_count; u++)
        if (trial->unit[u].count != trial->runs + trial->unit[u].conditions.together)
            return diagnostic_fail(
                diagnostic, ERROR_UNSUPPORTED,
                "the record has another number of runs of it than the case asks for");
    return trial->unit_count
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "the record has no answer to it");
}

size_t trial_call_count(const struct trial *trial, unsigned pass)
{
    assert(pass < 2);
    size_t count = 0;
    for (size_t i = 0; i < trial->unit_count; i++)
        if (trial->unit[i].pass == pass)
            count += trial->unit[i].count + trial->unit[i].after;
    return count;
}

// The companion's call before those of a unit.
static enum error make_other(struct trial *trial, const struct trial_unit *unit,
                             struct host_call *call, struct diagnostic *diagnostic)
{
    struct host_request *const copy = arena_take(&trial->arena, sizeof *copy);
    if (!copy)
        return diagnostic_no_memory(diagnostic);
    *call = (struct host_call){.request = copy, .conditions = unit->conditions};
    call->conditions.beside = call->conditions.in_place = unit->conditions.back;
    call->conditions.back = false;
    return judge_copy_call(&trial->companion->call, &trial->arena, copy, diagnostic);
}

enum error trial_make_calls(struct trial *trial, unsigned pass, struct host_call *calls, size_t at,
                            struct diagnostic *diagnostic)
{
    assert(pass < 2);
    for (size_t u = 0; u < trial->unit_count; u++) {
        struct trial_unit *const unit = &trial->unit[u];
        if (unit->pass != pass)
            continue;
        const enum error before =
            unit->after ? make_other(trial, unit, &calls[at], diagnostic) : ERROR_NONE;
        if (before)
            return before;
        at += unit->after;
        unit->call = at;
        trial->first = u ? trial->first : &calls[at];
        for (size_t i = 0; i < unit->count; i++, at++) {
            struct host_request *const copy = arena_take(&trial->arena, sizeof *copy);
            if (!copy)
                return diagnostic_no_memory(diagnostic);
            const enum error error = judge_copy_call(&trial->call, &trial->arena, copy, diagnostic);
            if (error)
                return error;
            const struct host_call *const like = trial->first + (i < trial->runs ? i : 0);
            calls[at] = (struct host_call){.request = copy,
                                           .conditions = unit->conditions,
                                           .of = trial->label,
                                           .reverse = pass == 1,
                                           .by_chance = trial->chance,
                                           .like = like == &calls[at] ? NULL : like};
            if (unit->conditions.together)
                calls[at].conditions.together = i == 0;
            else if (i > 0)
                calls[at].conditions.again = calls[at].conditions.counts = true;
        }
    }
    return ERROR_NONE;
}

enum error trial_make_alone(struct trial *trial, struct host_call **call,
                            struct diagnostic *diagnostic)
{
    struct host_request *const copy = arena_take(&trial->arena, sizeof *copy);
    struct host_call *const made = arena_take(&trial->arena, sizeof *made);
    *call = made;
    if (!copy || !made)
        return diagnostic_no_memory(diagnostic);
    *made = (struct host_call){.request = copy,
                               .conditions = trial->unit[0].conditions,
                               .of = trial->label,
                               .beyond = true,
                               .by_chance = trial->chance};
    made->conditions.together = made->conditions.again = made->conditions.thorough = false;
    return judge_copy_call(&trial->call, &trial->arena, copy, diagnostic);
}

enum error trial_make_draws(const struct trial *trial, unsigned rank, bool reseed,
                            struct arena *arena, struct trial_draws *more,
                            struct diagnostic *diagnostic)
{
    struct draws_law law;
    struct request *const asked = arena_take(arena, sizeof *asked);
    struct host_request request, *const copy = arena_take(arena, sizeof *copy);
    struct host_call *const call = arena_take(arena, sizeof *call);
    struct inference inference = {0};
    bool can = false;
    *more = (struct trial_draws){.asked = asked};
    if (!asked || !copy || !call)
        return diagnostic_no_memory(diagnostic);
    *asked = trial->request;
    if (!draws_take_law(asked, trial->call.outputs[0].tensor.dtype, &law))
        return ERROR_NONE;
    enum error error =
        draws_ask(asked, rank, draws_wanted_of(&law, rank), reseed, arena, &can, diagnostic);
    if (error || !can)
        return error;
    error = infer_by_chance(asked, &inference, diagnostic);
    if (!error)
        error = judge_convert_request(asked, &inference, arena, &request, diagnostic);
    if (!error)
        error = judge_copy_call(&request, arena, copy, diagnostic);
    *call = (struct host_call){.request = copy,
                               .conditions = trial->unit[0].conditions,
                               .of = trial->label,
                               .beyond = true};
    call->conditions.together = call->conditions.again = false;
    more->call = error ? NULL : call;
    return error;
}

const void *trial_output_data(const struct trial *trial, const struct host_call *call, size_t index)
{
    assert(index < trial->call.output_count);
    const struct host_call *const holder = call->alike ? call->like : call;
    const struct tensor *const tensor = &holder->request->outputs[index].tensor;
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
