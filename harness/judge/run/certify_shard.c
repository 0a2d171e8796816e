// SPDX-License-Identifier: Apache-2.0
// Everything that is read is bounded here: a part may come from anywhere.

#include "harness/judge/run/certify_shard.h"

#include <assert.h>
#include <string.h>

#include "harness/judge/run/trial.h"
#include "harness/judge/run/window.h"
#include "harness/judge/run/windows.h"
#include "ref/base/bytes.h"

// A number below `limit`; anything else spoils the reader.
static uint64_t get_below(struct shard_reader *reader, uint64_t limit)
{
    const uint64_t value = shard_get_number(reader);
    reader->failed = reader->failed || value >= limit;
    return reader->failed ? 0 : value;
}

static bool get_flag(struct shard_reader *reader)
{
    return get_below(reader, 2) != 0;
}

// ---- the target -------------------------------------------------------------

void judge_put_description(struct shard_payload *payload,
                           const struct host_description *description)
{
    shard_put_text(payload, description->name);
    shard_put_text(payload, description->version);
    shard_put_number(payload, description->capabilities);
    shard_put_number(payload, description->process);
    shard_put_number(payload, description->feed_count);
    for (uint32_t i = 0; i < description->feed_count; i++)
        shard_put_text(payload, description->feeds[i]);
    shard_put_text(payload, description->change);
    shard_put_text(payload, description->model);
}

static void get_fixed(struct shard_reader *reader, char *text, size_t size)
{
    size_t length = 0;
    const char *const bytes = get_flag(reader) ? shard_get_bytes(reader, &length) : NULL;
    reader->failed = reader->failed || !bytes || length >= size || memchr(bytes, '\0', length);
    memset(text, 0, size);
    if (!reader->failed)
        memcpy(text, bytes, length);
}

bool judge_take_description(struct shard_reader *reader, struct host_description *description)
{
    memset(description, 0, sizeof *description);
    get_fixed(reader, description->name, sizeof description->name);
    get_fixed(reader, description->version, sizeof description->version);
    description->capabilities = (uint32_t)get_below(reader, (uint64_t)UINT32_MAX + 1);
    description->process = get_flag(reader);
    description->feed_count = (uint32_t)get_below(reader, HOST_FEEDS_MAX + 1);
    for (uint32_t i = 0; i < description->feed_count; i++)
        get_fixed(reader, description->feeds[i], sizeof description->feeds[i]);
    get_fixed(reader, description->change, sizeof description->change);
    get_fixed(reader, description->model, sizeof description->model);
    return !reader->failed;
}

// ---- steps ------------------------------------------------------------------

static void put_steps(struct shard_payload *payload, const struct judge_steps *steps)
{
    shard_put_number(payload, steps->count);
    shard_put_number(payload, steps->wrong);
    for (unsigned i = 0; i < OPERATION_STEP; i++)
        shard_put_number(payload, (uint64_t)(steps->where[i] + 1)); // no gate is -1
    shard_put_text(payload, steps->gate);
}

// Of a failure the result's case is its first wrong step.
static void take_steps(struct shard_reader *reader, struct arena *arena,
                       struct judge_result *result)
{
    struct judge_steps *const steps = &result->steps;
    steps->count = (size_t)get_below(reader, UINT32_MAX);
    steps->wrong = get_flag(reader);
    for (unsigned i = 0; i < OPERATION_STEP; i++)
        steps->where[i] = (int64_t)get_below(reader, UINT32_MAX) - 1;
    steps->gate = shard_get_text(reader, arena);
    if (reader->failed || !steps->wrong)
        return;
    struct suite_case *const of = arena_take(arena, sizeof *of);
    int64_t *const where = arena_take_array(arena, OPERATION_STEP, sizeof *where);
    reader->failed = !of || !where;
    if (reader->failed)
        return;
    memcpy(where, steps->where, sizeof steps->where);
    where[OPERATION_STEP - 1] = -1;
    *of = *result->of;
    of->step = where;
    result->of = of;
}

// ---- writing a run ----------------------------------------------------------

static void put_output(struct shard_payload *payload, const struct judge_output *output)
{
    const struct comparison *const comparison = &output->comparison;
    shard_put_number(payload, output->index);
    shard_put_number(payload, output->run);
    shard_put_number(payload, output->tensor.dtype);
    shard_put_number(payload, output->tensor.rank);
    for (unsigned d = 0; d < output->tensor.rank; d++)
        shard_put_number(payload, output->tensor.shape[d]);
    shard_put_number(payload, output->count);
    shard_put_number(payload, comparison->compared);
    shard_put_number(payload, comparison->wrong);
    shard_put_number(payload, comparison->element_count);
    for (size_t i = 0; i < comparison->element_count; i++) {
        shard_put_number(payload, comparison->element[i].at);
        shard_put_number(payload, comparison->element[i].expected);
        shard_put_number(payload, comparison->element[i].got);
        shard_put_number(payload, comparison->element[i].lower);
        shard_put_number(payload, comparison->element[i].upper);
    }
    shard_put_number(payload, comparison->interval);
    shard_put_number(payload, double_bits(comparison->radius_used));
    shard_put_number(payload, comparison->radius_infinite);
    picture_put_shard(payload, output->picture);
    shard_put_number(payload, output->tensor.data != NULL);
    if (output->tensor.data)
        shard_put_bytes(payload, output->tensor.data,
                        (size_t)output->count * dtype_size(output->tensor.dtype));
}

static void put_answers(struct shard_payload *payload, const struct judge_result *result)
{
    shard_put_number(payload, result->feeds);
    shard_put_number(payload, result->answer_count);
    for (size_t a = 0; a < result->answer_count; a++) {
        const struct judge_answer *const answer = &result->answer[a];
        shard_put_number(payload, answer->feed);
        shard_put_number(payload, answer->outcome);
        shard_put_text(payload, answer->message);
        shard_put_number(payload, answer->output_count);
        for (size_t i = 0; i < answer->output_count; i++)
            put_output(payload, &answer->outputs[i]);
    }
}

static void put_result(struct shard_payload *payload, const struct judge_result *result)
{
    const struct host_conditions *const condition = &result->condition;
    shard_put_text(payload, result->of->id);
    shard_put_number(payload, result->verdict);
    shard_put_number(payload, result->required);
    shard_put_number(payload, result->valued);
    shard_put_number(payload, result->by_default);
    shard_put_text(payload, result->reason);
    shard_put_text(payload, result->printed);
    shard_put_number(payload, result->conditions);
    shard_put_number(payload, result->placed);
    shard_put_number(payload, condition->threads);
    shard_put_number(payload, condition->feed);
    shard_put_number(payload, condition->guard);
    shard_put_number(payload, condition->poison);
    shard_put_number(payload, condition->padded);
    shard_put_number(payload, condition->again);
    shard_put_number(payload, condition->together);
    shard_put_number(payload, condition->thorough);
    shard_put_number(payload, result->nanoseconds);
    shard_put_number(payload, double_bits(result->radius_used));
    shard_put_number(payload, result->compared);
    shard_put_number(payload, result->observed);
    shard_put_number(payload, result->output_count);
    for (size_t i = 0; i < result->output_count; i++)
        put_output(payload, &result->outputs[i]);
    put_answers(payload, result);
    shard_put_number(payload, result->received != NULL);
    if (result->received)
        put_output(payload, result->received);
    shard_put_number(payload, result->windows && result->output_count);
    if (result->windows && result->output_count)
        shard_put_bytes(payload, result->windows,
                        (size_t)window_count(result->outputs->count) * DIGEST_SIZE);
}

static void put_windows(struct shard_payload *payload, const struct judge_result *result)
{
    uint64_t count = 0;
    for (const struct judge_window *window = result->window; window; window = window->next)
        count++;
    shard_put_number(payload, count);
    for (const struct judge_window *window = result->window; window; window = window->next) {
        shard_put_number(payload, window->at);
        put_result(payload, &window->result);
    }
}

void judge_put(struct shard_payload *payload, const struct judge_run *run)
{
    assert(run->suite && run->result_count);
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += run->result[i].mine;
    shard_put_text(payload, run->suite->name);
    shard_put_number(payload, run->result_count);
    shard_put_number(payload, count);
    for (size_t i = 0; i < run->result_count; i++) {
        if (!run->result[i].mine)
            continue;
        shard_put_number(payload, i);
        shard_put_number(payload, run->result[i].windowed);
        if (run->result[i].windowed)
            put_windows(payload, &run->result[i]);
        else
            put_result(payload, &run->result[i]);
        if (run->mode == JUDGE_STEPWISE)
            put_steps(payload, &run->result[i].steps);
    }
}

// ---- reading a run ----------------------------------------------------------

static void take_comparison(struct shard_reader *reader, uint64_t count,
                            struct comparison *comparison)
{
    comparison->compared = shard_get_number(reader);
    comparison->wrong = get_below(reader, count + 1);
    comparison->element_count = (size_t)get_below(reader, COMPARE_ELEMENTS_MAX + 1);
    reader->failed = reader->failed || comparison->compared != count;
    for (size_t i = 0; i < comparison->element_count && !reader->failed; i++) {
        comparison->element[i].at = get_below(reader, count);
        comparison->element[i].expected = shard_get_number(reader);
        comparison->element[i].got = shard_get_number(reader);
        comparison->element[i].lower = shard_get_number(reader);
        comparison->element[i].upper = shard_get_number(reader);
    }
    comparison->interval = get_flag(reader);
    comparison->radius_used = double_from_bits(shard_get_number(reader));
    comparison->radius_infinite = get_flag(reader);
}

static unsigned output_names(const struct operation *operation)
{
    unsigned count = 0;
    while (operation->outputs[count])
        count++;
    return count;
}

static void take_output(struct shard_reader *reader, const struct operation *operation,
                        struct arena *arena, struct judge_output *output)
{
    uint64_t whole = 0;
    size_t size;
    output->index = (unsigned)get_below(reader, output_names(operation));
    output->name = operation->outputs[output->index];
    output->run = (unsigned)get_below(reader, UINT32_MAX);
    output->tensor.dtype = (enum dtype)get_below(reader, DTYPE_COUNT);
    output->tensor.rank = (unsigned)get_below(reader, TENSOR_RANK_MAX + 1);
    for (unsigned d = 0; d < output->tensor.rank; d++)
        output->tensor.shape[d] = shard_get_number(reader);
    output->count = shard_get_number(reader);
    if (!tensor_present(&output->tensor) || !tensor_count(&output->tensor, &whole) ||
        output->count > whole)
        reader->failed = true;
    if (reader->failed)
        return;
    take_comparison(reader, output->count, &output->comparison);
    output->picture = picture_take_shard(reader, arena);
    if (!get_flag(reader))
        return;
    const void *const bytes = shard_get_bytes(reader, &size);
    const uint64_t element = dtype_size(output->tensor.dtype);
    if (!bytes || size / element != output->count || size % element) {
        reader->failed = true;
        return;
    }
    output->tensor.data = arena_take(arena, size);
    if (output->tensor.data)
        memcpy(output->tensor.data, bytes, size);
    reader->failed = !output->tensor.data;
}

static void take_windows(struct shard_reader *reader, struct arena *arena,
                         struct judge_result *result)
{
    size_t size = 0;
    if (!get_flag(reader))
        return;
    const void *const bytes = shard_get_bytes(reader, &size);
    reader->failed = reader->failed || !bytes || result->output_count != 1 ||
                     size / DIGEST_SIZE != window_count(result->outputs->count) ||
                     size % DIGEST_SIZE;
    result->windows = reader->failed ? NULL : arena_take(arena, size);
    if (result->windows)
        memcpy(result->windows, bytes, size);
    reader->failed = !result->windows;
}

// Their number; 0 where they could not be read.
static size_t take_outputs(struct shard_reader *reader, const struct operation *operation,
                           struct arena *arena, struct judge_output **outputs)
{
    // An output takes more than one byte, so a count beyond what is left is a lie.
    const uint64_t count = get_below(reader, (uint64_t)(reader->end - reader->at) + 1);
    *outputs = count ? arena_take_array(arena, (size_t)count, sizeof **outputs) : NULL;
    reader->failed = reader->failed || (count && !*outputs);
    for (size_t i = 0; i < count && !reader->failed; i++)
        take_output(reader, operation, arena, &(*outputs)[i]);
    return reader->failed ? 0 : (size_t)count;
}

static void take_answers(struct shard_reader *reader, struct arena *arena,
                         struct judge_result *result)
{
    result->feeds = (uint32_t)get_below(reader, 1u << HOST_FEEDS_MAX);
    const uint64_t count = get_below(reader, TRIAL_UNITS_MAX + 1);
    result->answer = count ? arena_take_array(arena, (size_t)count, sizeof *result->answer) : NULL;
    reader->failed = reader->failed || (count && !result->answer);
    for (size_t i = 0; i < count && !reader->failed; i++) {
        struct judge_answer *const answer = &result->answer[i];
        answer->feed = (uint32_t)get_below(reader, HOST_FEEDS_MAX);
        answer->outcome = (enum host_outcome)get_below(reader, HOST_LOST + 1);
        answer->message = shard_get_text(reader, arena);
        answer->output_count = take_outputs(reader, result->of->operation, arena, &answer->outputs);
    }
    result->answer_count = reader->failed ? 0 : (size_t)count;
}

static void take_received(struct shard_reader *reader, struct arena *arena,
                          struct judge_result *result)
{
    if (!get_flag(reader))
        return;
    struct judge_output *const received = arena_take(arena, sizeof *received);
    reader->failed = reader->failed || !received;
    if (received)
        take_output(reader, result->of->operation, arena, received);
    reader->failed = reader->failed || !received->tensor.data;
    result->received = reader->failed ? NULL : received;
}

static void take_result(struct shard_reader *reader, struct arena *arena,
                        struct judge_result *result)
{
    struct host_conditions *const condition = &result->condition;
    const char *const id = shard_get_text(reader, arena);
    reader->failed = reader->failed || !id || strcmp(id, result->of->id) != 0;
    result->verdict = (enum verdict)get_below(reader, VERDICT_COUNT);
    result->required = (enum level)get_below(reader, LEVEL_DISTRIBUTION + 1);
    result->valued = get_flag(reader);
    result->by_default = get_flag(reader);
    result->reason = shard_get_text(reader, arena);
    result->printed = shard_get_text(reader, arena);
    result->conditions = (unsigned)get_below(reader, UINT32_MAX);
    result->placed = get_flag(reader);
    condition->threads = (uint32_t)get_below(reader, UINT32_MAX);
    condition->feed = (uint32_t)get_below(reader, HOST_FEEDS_MAX);
    condition->guard = (enum host_guard)get_below(reader, HOST_GUARD_START + 1);
    condition->poison = (enum host_poison)get_below(reader, HOST_POISON_B + 1);
    condition->padded = get_flag(reader);
    condition->again = get_flag(reader);
    condition->together = get_flag(reader);
    condition->thorough = get_flag(reader);
    result->nanoseconds = shard_get_number(reader);
    result->radius_used = double_from_bits(shard_get_number(reader));
    result->compared = shard_get_number(reader);
    result->observed = get_flag(reader);
    result->output_count = take_outputs(reader, result->of->operation, arena, &result->outputs);
    take_answers(reader, arena, result);
    if (!reader->failed)
        take_received(reader, arena, result);
    if (!reader->failed)
        take_windows(reader, arena, result);
}

// Several parts may hold windows of one case; windows_join sees whether they go together.
static void take_some_windows(struct shard_reader *reader, struct arena *arena,
                              struct judge_result *result)
{
    const uint64_t count = get_below(reader, WINDOWS_MAX + 1);
    for (uint64_t i = 0; i < count && !reader->failed; i++) {
        struct judge_window *const window = arena_take(arena, sizeof *window);
        if (!window) {
            reader->failed = true;
            return;
        }
        window->at = get_below(reader, WINDOWS_MAX);
        window->result.of = result->of;
        take_result(reader, arena, &window->result);
        window->next = result->window;
        result->window = window;
    }
}

enum error judge_take(struct shard_reader *reader, unsigned part, struct judge_run *run,
                      struct diagnostic *diagnostic)
{
    assert(part && run->suite && run->result_count);
    struct arena scratch = {0};
    const char *const suite = shard_get_text(reader, &scratch);
    const bool right = suite && !strcmp(suite, run->suite->name), no_memory = scratch.failed;
    arena_release(&scratch);
    if (no_memory)
        return diagnostic_no_memory(diagnostic);
    if (!right || shard_get_number(reader) != run->result_count || reader->failed)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "part %u does not hold results of %s", part,
                               run->suite->name);
    const uint64_t count = get_below(reader, run->result_count + 1);
    for (uint64_t i = 0; i < count && !reader->failed; i++) {
        struct judge_result *const result = &run->result[get_below(reader, run->result_count)];
        const bool windowed = !reader->failed && get_flag(reader);
        if (!reader->failed && result->mine && !(windowed && result->windowed))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "part %u holds case %s, which another part holds as well", part,
                                   result->of->id);
        if (windowed)
            take_some_windows(reader, &run->arena, result);
        else if (!reader->failed)
            take_result(reader, &run->arena, result);
        result->windowed = windowed;
        if (run->mode == JUDGE_STEPWISE && !reader->failed)
            take_steps(reader, &run->arena, result);
        if (!reader->failed)
            result->mine = true;
    }
    if (run->arena.failed)
        return diagnostic_no_memory(diagnostic);
    return reader->failed
               ? diagnostic_fail(diagnostic, ERROR_INPUT, "part %u does not hold results of %s",
                                 part, run->suite->name)
               : ERROR_NONE;
}

enum error judge_make_whole(struct judge_run *run, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < run->result_count && !error; i++)
        if (!run->result[i].mine)
            error = diagnostic_fail(diagnostic, ERROR_INPUT, "no part holds case %s of %s",
                                    run->result[i].of->id, run->suite->name);
        else if (run->result[i].windowed)
            error = windows_join(run, &run->result[i], diagnostic);
    return error;
}
