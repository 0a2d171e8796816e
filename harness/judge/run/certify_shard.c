// SPDX-License-Identifier: Apache-2.0
// Everything that is read is bounded here: a part may come from anywhere.

#include "harness/judge/run/certify_shard.h"

#include <assert.h>
#include <string.h>

#include "harness/judge/run/trial.h"
#include "harness/judge/compare/window.h"
#include "harness/judge/run/windows.h"

bool judge_code_description(const struct shard_codec *codec, struct host_description *description)
{
    shard_code_chars(codec, description->name, sizeof description->name);
    shard_code_chars(codec, description->version, sizeof description->version);
    SHARD_CODE(codec, description->capabilities, UINT32_MAX);
    SHARD_CODE(codec, description->process, true);
    SHARD_CODE(codec, description->kept, true);
    SHARD_CODE(codec, description->replayed, true);
    SHARD_CODE(codec, description->feed_count, HOST_FEEDS_MAX);
    for (uint32_t i = 0; i < description->feed_count; i++)
        shard_code_chars(codec, description->feeds[i], sizeof description->feeds[i]);
    shard_code_chars(codec, description->change, sizeof description->change);
    shard_code_chars(codec, description->model, sizeof description->model);
    SHARD_CODE(codec, description->threads_most, ASSAY_THREADS_MAX);
    return !shard_code_failed(codec);
}

// Of a failure the result's case is its first wrong step.
static void code_steps(const struct shard_codec *codec, struct judge_result *result)
{
    struct judge_steps *const steps = &result->steps;
    SHARD_CODE(codec, steps->count, UINT32_MAX);
    SHARD_CODE(codec, steps->wrong, true);
    for (unsigned i = 0; i < OPERATION_STEP; i++) {
        uint64_t where = (uint64_t)(steps->where[i] + 1); // no gate is -1
        SHARD_CODE(codec, where, UINT32_MAX);
        steps->where[i] = (int64_t)where - 1;
    }
    shard_code_text(codec, &steps->gate);
    if (codec->to || !steps->wrong)
        return;
    struct suite_case *const of = shard_code_room(codec, NULL, 1, sizeof *of);
    int64_t *const where = shard_code_room(codec, NULL, OPERATION_STEP, sizeof *where);
    if (shard_code_failed(codec))
        return;
    memcpy(where, steps->where, sizeof steps->where);
    where[OPERATION_STEP - 1] = -1;
    *of = *result->of;
    of->step = where;
    result->of = of;
}

static void code_comparison(const struct shard_codec *codec, uint64_t count,
                            struct comparison *comparison)
{
    SHARD_CODE(codec, comparison->compared, count);
    SHARD_CODE(codec, comparison->wrong, count);
    SHARD_CODE(codec, comparison->element_count,
               count < COMPARE_ELEMENTS_MAX ? count : COMPARE_ELEMENTS_MAX);
    shard_code_check(codec, comparison->compared == count);
    for (size_t i = 0; i < comparison->element_count; i++) {
        struct compare_element *const element = &comparison->element[i];
        SHARD_CODE(codec, element->at, count - 1);
        SHARD_CODE(codec, element->expected, UINT64_MAX);
        SHARD_CODE(codec, element->got, UINT64_MAX);
        SHARD_CODE(codec, element->lower, UINT64_MAX);
        SHARD_CODE(codec, element->upper, UINT64_MAX);
    }
    SHARD_CODE(codec, comparison->interval, true);
    shard_code_double(codec, &comparison->radius_used);
    SHARD_CODE(codec, comparison->radius_infinite, true);
}

static unsigned output_names(const struct operation *operation)
{
    unsigned count = 0;
    while (operation->outputs[count])
        count++;
    return count;
}

static void code_output(const struct shard_codec *codec, const struct operation *operation,
                        struct judge_output *output)
{
    struct tensor *const tensor = &output->tensor;
    uint64_t whole = 0;
    SHARD_CODE(codec, output->index, output_names(operation) - 1);
    output->name = operation->outputs[output->index];
    SHARD_CODE(codec, output->run, UINT32_MAX);
    shard_code_tensor(codec, tensor);
    SHARD_CODE(codec, output->count, UINT64_MAX);
    if (!shard_code_check(codec, tensor_present(tensor) && tensor_count(tensor, &whole) &&
                                     output->count <= whole))
        return;
    code_comparison(codec, output->count, &output->comparison);
    output->picture = picture_code(codec, output->picture);
    if (shard_code_flag(codec, tensor->data))
        tensor->data =
            shard_code_bytes(codec, tensor->data, output->count, dtype_size(tensor->dtype));
    if (shard_code_flag(codec, output->digest))
        output->digest = shard_code_bytes(codec, (void *)(uintptr_t)output->digest, 1, DIGEST_SIZE);
}

static struct judge_output *code_outputs(const struct shard_codec *codec,
                                         const struct operation *operation,
                                         struct judge_output *outputs, size_t *count)
{
    struct judge_output *const list =
        shard_code_list(codec, outputs, count, sizeof *list, UINT64_MAX);
    for (size_t i = 0; i < *count && !shard_code_failed(codec); i++)
        code_output(codec, operation, &list[i]);
    *count = shard_code_failed(codec) ? 0 : *count;
    return list;
}

static void code_answers(const struct shard_codec *codec, struct judge_result *result)
{
    SHARD_CODE(codec, result->feeds, (1u << HOST_FEEDS_MAX) - 1);
    result->answer = shard_code_list(codec, result->answer, &result->answer_count,
                                     sizeof *result->answer, TRIAL_UNITS_MAX);
    for (size_t i = 0; i < result->answer_count; i++) {
        struct judge_answer *const answer = &result->answer[i];
        SHARD_CODE(codec, answer->feed, HOST_FEEDS_MAX - 1);
        SHARD_CODE(codec, answer->outcome, HOST_LOST);
        shard_code_text(codec, &answer->message);
        answer->outputs =
            code_outputs(codec, result->of->operation, answer->outputs, &answer->output_count);
    }
}

static void code_received(const struct shard_codec *codec, struct judge_result *result)
{
    struct judge_output *const received = shard_code_one(codec, result->received, sizeof *received);
    if (received) {
        code_output(codec, result->of->operation, received);
        shard_code_check(codec, received->tensor.data);
    }
    result->received = shard_code_failed(codec) ? NULL : received;
}

static void code_result(const struct shard_codec *codec, struct judge_result *result)
{
    struct host_conditions *const condition = &result->condition;
    const char *id = result->of->id;
    shard_code_text(codec, &id);
    shard_code_check(codec, id && !strcmp(id, result->of->id));
    SHARD_CODE(codec, result->verdict, VERDICT_COUNT - 1);
    SHARD_CODE(codec, result->required, LEVEL_DISTRIBUTION);
    SHARD_CODE(codec, result->valued, true);
    SHARD_CODE(codec, result->by_default, true);
    SHARD_CODE(codec, result->refused, true);
    result->under =
        shard_code_list(codec, result->under, &result->under_count, 1, PROFILES_ALLOWED_MAX);
    for (size_t i = 0; i < result->under_count; i++)
        SHARD_CODE(codec, result->under[i], VERDICT_COUNT - 1);
    shard_code_text(codec, &result->reason);
    shard_code_text(codec, &result->printed);
    SHARD_CODE(codec, result->conditions, UINT32_MAX);
    SHARD_CODE(codec, result->placed, true);
    SHARD_CODE(codec, condition->threads, UINT32_MAX);
    SHARD_CODE(codec, condition->feed, HOST_FEEDS_MAX - 1);
    SHARD_CODE(codec, condition->guard, HOST_GUARD_INSIDE);
    SHARD_CODE(codec, condition->poison, HOST_POISON_B);
    SHARD_CODE(codec, condition->padded, true);
    SHARD_CODE(codec, condition->again, true);
    SHARD_CODE(codec, condition->remade, true);
    SHARD_CODE(codec, condition->together, true);
    SHARD_CODE(codec, condition->thorough, true);
    SHARD_CODE(codec, result->nanoseconds, UINT64_MAX);
    shard_code_double(codec, &result->radius_used);
    SHARD_CODE(codec, result->compared, UINT64_MAX);
    SHARD_CODE(codec, result->observed, true);
    result->outputs =
        code_outputs(codec, result->of->operation, result->outputs, &result->output_count);
    code_answers(codec, result);
    code_received(codec, result);
    if (shard_code_flag(codec, result->windows && result->output_count) &&
        shard_code_check(codec, result->output_count == 1))
        result->windows = shard_code_bytes(codec, result->windows,
                                           window_count(result->outputs->count), DIGEST_SIZE);
}

// Several parts may hold windows of one case; windows_join sees whether they go together.
static void code_windows(const struct shard_codec *codec, struct judge_result *result)
{
    uint64_t count = 0;
    for (struct judge_window *window = result->window; window && codec->to; window = window->next)
        count++;
    SHARD_CODE(codec, count, WINDOWS_MAX);
    struct judge_window *next = result->window;
    for (; count && !shard_code_failed(codec); count--) {
        struct judge_window *const window = shard_code_room(codec, next, 1, sizeof *window);
        if (!window)
            return;
        SHARD_CODE(codec, window->at, WINDOWS_MAX - 1);
        window->result.of = result->of;
        code_result(codec, &window->result);
        if (codec->from) {
            window->next = result->window;
            result->window = window;
        }
        next = window->next;
    }
}

static void code_case(const struct shard_codec *codec, enum judge_mode mode,
                      struct judge_result *result)
{
    if (result->windowed)
        code_windows(codec, result);
    else
        code_result(codec, result);
    if (mode == JUDGE_STEPWISE)
        code_steps(codec, result);
}

void judge_put(struct shard_payload *payload, struct judge_run *run)
{
    assert(run->suite && run->result_count);
    const struct shard_codec codec = {.to = payload};
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
        SHARD_CODE(&codec, run->result[i].windowed, true);
        code_case(&codec, run->mode, &run->result[i]);
    }
}

static enum error not_of_suite(const struct judge_run *run, unsigned part,
                               struct diagnostic *diagnostic)
{
    return run->arena.failed
               ? diagnostic_no_memory(diagnostic)
               : diagnostic_fail(diagnostic, ERROR_INPUT, "part %u does not hold results of %s",
                                 part, run->suite->name);
}

enum error judge_take(struct shard_reader *reader, unsigned part, struct judge_run *run,
                      struct diagnostic *diagnostic)
{
    assert(part && run->suite && run->result_count);
    const struct shard_codec codec = {.from = reader, .arena = &run->arena};
    const char *const suite = shard_get_text(reader, &run->arena);
    if (!suite || strcmp(suite, run->suite->name) != 0 ||
        shard_get_number(reader) != run->result_count)
        return not_of_suite(run, part, diagnostic);
    uint64_t count = 0, at = 0;
    SHARD_CODE(&codec, count, run->result_count);
    for (; count && !reader->failed; count--) {
        SHARD_CODE(&codec, at, run->result_count - 1);
        struct judge_result *const result = &run->result[at];
        const bool windowed = shard_code_flag(&codec, false);
        if (reader->failed)
            break;
        if (result->mine && !(windowed && result->windowed))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "part %u holds case %s, which another part holds as well", part,
                                   result->of->id);
        result->windowed = windowed;
        code_case(&codec, run->mode, result);
        result->mine = !reader->failed;
    }
    return reader->failed ? not_of_suite(run, part, diagnostic) : ERROR_NONE;
}

enum error judge_join_windows(struct judge_run *run, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < run->result_count && !error; i++)
        if (run->result[i].mine && run->result[i].windowed)
            error = windows_join(run, &run->result[i], diagnostic);
    return error;
}

enum error judge_make_whole(struct judge_run *run, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (!run->result[i].mine)
            return diagnostic_fail(diagnostic, ERROR_INPUT, "no part holds case %s of %s",
                                   run->result[i].of->id, run->suite->name);
    return judge_join_windows(run, diagnostic);
}
