// SPDX-License-Identifier: Apache-2.0
// At level bits both answers have the same bits, and the reference is asked about one of them
// elsewhere (judge_outputs). At level bound a right library may add up in another
// order where the batch has another size: both answers are then held to the bounds of the request
// that they have in common, which no right answer leaves, whatever the other is.

#include "harness/judge/run/relate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/compare/convert.h"
#include "harness/judge/compare/nulls.h"
#include "harness/judge/run/by_profile.h"
#include "ref/base/bytes.h"
#include "ref/variant/variant.h"
#include "yaml/relation.h"

// One of the other requests and its answer.
struct trial_part {
    struct request request;
    struct inference inference;
    struct host_request call;
    struct host_call answer;
};

static enum error make_part(const struct judge_run *run, struct trial *trial, size_t index,
                            const struct tensor *before, struct trial_part *part,
                            struct diagnostic *diagnostic)
{
    enum error error = relation_request(run->suite, trial->of, &trial->request, index, before,
                                        &trial->arena, &part->request, diagnostic);
    if (!error)
        error = variant_infer(&part->request, &part->inference, diagnostic);
    if (!error)
        error = judge_convert_request(&part->request, &part->inference, &trial->arena, &part->call,
                                      diagnostic);
    return error;
}

// The outputs of a call by their place in the operation's table.
static void list_outputs(const struct request *request, const struct host_request *call,
                         struct tensor outputs[OPERATION_OUTPUTS_MAX])
{
    memset(outputs, 0, OPERATION_OUTPUTS_MAX * sizeof *outputs);
    for (size_t o = 0; o < call->output_count; o++)
        outputs[operation_output(request->operation, call->outputs[o].name)] =
            call->outputs[o].tensor;
}

static struct trial_part *take_parts(struct trial *trial)
{
    return arena_take_array(&trial->arena, relation_parts(trial->of), sizeof(struct trial_part));
}

enum error relate_ask(const struct judge_run *run, struct host *host, struct trial *trial,
                      enum verdict *verdict, const char **reason, struct diagnostic *diagnostic)
{
    const size_t count = relation_parts(trial->of);
    struct trial_part *const parts = take_parts(trial);
    enum error error = parts ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error && *verdict == VERDICT_PASS; i++) {
        error = make_part(run, trial, i, NULL, &parts[i], diagnostic);
        if (error)
            break;
        parts[i].answer = (struct host_call){
            .request = &parts[i].call, .of = trial->label, .ask = true, .beyond = true};
        host_run(host, &parts[i].answer, 1);
        *verdict = verdict_of_outcome(parts[i].answer.outcome);
        *reason = parts[i].answer.message;
    }
    return error;
}

enum error relate_run(const struct judge_run *run, struct host *host, struct trial *trial,
                      const struct host_call *first, struct diagnostic *diagnostic)
{
    assert(first->answered);
    struct tensor outputs[OPERATION_OUTPUTS_MAX];
    struct trial_part *const parts = take_parts(trial);
    enum error error = parts ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    trial->parts = parts;
    trial->part_count = 0;
    list_outputs(&trial->request, first->request, outputs);
    for (size_t i = 0; i < relation_parts(trial->of) && !error; i++) {
        struct trial_part *const part = &parts[i];
        struct host_request *const copy = arena_take(&trial->arena, sizeof *copy);
        error = copy ? make_part(run, trial, i, outputs, part, diagnostic)
                     : diagnostic_no_memory(diagnostic);
        if (!error)
            error = judge_copy_call(&part->call, &trial->arena, copy, diagnostic);
        if (error)
            break;
        part->answer = (struct host_call){
            .request = copy, .conditions = first->conditions, .of = trial->label, .beyond = true};
        part->answer.conditions.again = part->answer.conditions.together = false;
        host_run(host, &part->answer, 1);
        trial->part_count++;
        if (!part->answer.answered)
            break;
        list_outputs(&part->request, copy, outputs);
    }
    return error;
}

// ---- judging ----------------------------------------------------------------

// Both sides as the target gave them, and what they are held to.
struct sides {
    struct judge_run *run;
    const struct trial *trial;
    struct tensor side[2][OPERATION_OUTPUTS_MAX];
    bool vacuous;
};

__attribute__((format(printf, 3, 4))) static void conclude(struct sides *sides,
                                                           enum verdict verdict, const char *format,
                                                           ...)
{
    char text[HOST_MESSAGE_SIZE + 512];
    struct judge_result *const result = sides->trial->result;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    result->verdict = verdict;
    result->reason = arena_copy_text(&sides->run->arena, text, strlen(text));
}

static void conclude_vacuous(struct sides *sides)
{
    if (sides->trial->result->verdict == VERDICT_PASS && sides->vacuous)
        conclude(sides, VERDICT_VACUOUS, "both answers agree, and so would those of nothing");
}

// "element [2, 0, 5] of output 'dst_layer'".
static const char *name_element(const struct sides *sides, unsigned output, uint64_t at, char *text,
                                size_t size)
{
    const struct tensor *const tensor = &sides->side[0][output];
    uint64_t index[TENSOR_RANK_MAX] = {0};
    int used = snprintf(text, size, "element [");
    for (unsigned d = tensor->rank; d-- > 0; at /= tensor->shape[d])
        index[d] = at % tensor->shape[d];
    for (unsigned d = 0; d < tensor->rank; d++)
        used += snprintf(text + used, size - (size_t)used, "%s%" PRIu64, d ? ", " : "", index[d]);
    snprintf(text + used, size - (size_t)used, "] of output '%s'",
             sides->trial->request.operation->outputs[output]);
    return text;
}

static const char *write_bits(enum dtype dtype, const void *data, uint64_t at, char *text)
{
    text[0] = '0';
    text[1] = 'x';
    bytes_write_hex(text + 2, element_load(data, dtype_size(dtype), (size_t)at), dtype_size(dtype));
    return text;
}

enum { HEX_SIZE = 3 + 2 * sizeof(uint64_t), ELEMENT_SIZE = 64 + 24 * TENSOR_RANK_MAX };

static void compare_bits(struct sides *sides)
{
    const struct suite_case *const of = sides->trial->of;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        const struct tensor *const left = &sides->side[0][i], *const right = &sides->side[1][i];
        uint64_t count = 0;
        if (!tensor_present(left) || !tensor_count(left, &count))
            continue;
        const uint64_t at = compare_first_difference(left->dtype, left->data, right->data, count);
        if (at == count)
            continue;
        char element[ELEMENT_SIZE], a[HEX_SIZE], b[HEX_SIZE], word[RELATION_TEXT_SIZE];
        conclude(sides, VERDICT_FAIL, "%s is %s %s and %s %s",
                 name_element(sides, i, at, element, sizeof element),
                 write_bits(left->dtype, left->data, at, a), relation_side(of, false, word),
                 write_bits(left->dtype, right->data, at, b), relation_side(of, true, word));
        return;
    }
}

static struct evaluation_model model_of(const struct sides *sides, bool parts,
                                        const struct request *request)
{
    return relation_model(sides->trial->of, parts,
                          request->model ? request->model : &sides->run->model);
}

// Whether both sides have the same bits and are held to the same bounds of `request`.
static bool sides_are_one(const struct sides *sides, const struct request *request)
{
    bool same =
        relation_common(sides->trial->of) != RELATION_OF_EACH &&
        model_of(sides, false, request).accumulator == model_of(sides, true, request).accumulator;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && same; i++) {
        const struct tensor *const left = &sides->side[0][i], *const right = &sides->side[1][i];
        size_t bytes = 0;
        if (tensor_present(left) || tensor_present(right))
            same = left->dtype == right->dtype && tensor_same_shape(left, right) &&
                   tensor_bytes(left, &bytes) && !memcmp(left->data, right->data, bytes);
    }
    return same;
}

// Holds one side against the bounds of `request`, made from its own states where it has them.
static enum error hold(struct sides *sides, bool parts, const struct request *request,
                       struct arena *arena, struct diagnostic *diagnostic)
{
    const struct tensor *const side = sides->side[parts];
    struct request asked = *request;
    struct evaluation evaluation;
    const struct evaluation_model model = model_of(sides, parts, request);
    asked.model = &model;
    const int seen = sides->run->mode == JUDGE_SEQUENCE ? -1 : operation_observable(&asked);
    if (seen >= 0 && tensor_present(&side[seen]))
        asked.observed = side[seen];
    enum error error = variant_evaluate_with(&asked, true, arena, &evaluation, diagnostic);
    if (!error)
        error = relation_cut_evaluation(sides->trial->of, side, arena, &evaluation, diagnostic);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error; i++) {
        struct comparison comparison;
        uint64_t count = 0;
        if (!tensor_present(&side[i]) || !tensor_count(&side[i], &count))
            continue;
        struct expected expected = {.dtype = side[i].dtype, .bits = evaluation.tensor[i].data};
        if (!tensor_same_shape(&side[i], &evaluation.tensor[i]))
            return diagnostic_fail(diagnostic, ERROR_INTERNAL, "a side has another shape");
        if (tensor_present(&evaluation.lower[i])) {
            expected.lower = evaluation.lower[i].data;
            expected.upper = evaluation.upper[i].data;
        }
        compare_elements(&expected, side[i].data, count, &comparison);
        sides->trial->result->compared += count;
        sides->vacuous = sides->vacuous || comparison.radius_infinite ||
                         (expected.lower && null_fits(&expected, count));
        if (comparison.radius_used > sides->trial->result->radius_used)
            sides->trial->result->radius_used = comparison.radius_used;
        if (!comparison.wrong)
            continue;
        const uint64_t at = comparison.element[0].at;
        char element[ELEMENT_SIZE], got[HEX_SIZE], low[HEX_SIZE], high[HEX_SIZE],
            word[RELATION_TEXT_SIZE];
        const void *const lower = expected.lower ? expected.lower : expected.bits,
                          *const upper = expected.upper ? expected.upper : expected.bits;
        conclude(sides, VERDICT_FAIL, "%s is %s %s, outside of [%s, %s]",
                 name_element(sides, i, at, element, sizeof element),
                 write_bits(side[i].dtype, side[i].data, at, got),
                 relation_side(sides->trial->of, parts, word),
                 write_bits(side[i].dtype, lower, at, low),
                 write_bits(side[i].dtype, upper, at, high));
        return ERROR_NONE;
    }
    return error;
}

// What one side is held to under a profile.
static struct request request_of(const struct sides *sides, bool parts,
                                 const struct named_profile *profile)
{
    const struct trial *const trial = sides->trial;
    const enum relation_common common = relation_common(trial->of);
    struct request request = common == RELATION_OF_WHOLE || (common == RELATION_OF_EACH && !parts)
                                 ? trial->request
                                 : trial->parts[0].request;
    profiles_apply(sides->run->suite, profile, request.operation, &request.profile);
    return request;
}

// Under one profile, for both sides.
static enum error hold_both(struct sides *sides, const struct named_profile *profile,
                            struct diagnostic *diagnostic)
{
    const struct trial *const trial = sides->trial;
    struct arena arena = {0};
    enum error error = ERROR_NONE;
    trial->result->verdict = VERDICT_PASS;
    trial->result->reason = NULL;
    trial->result->compared = 0;
    trial->result->radius_used = 0;
    sides->vacuous = false;
    for (unsigned parts = 0; parts < 2 && !error; parts++) {
        const struct request request = request_of(sides, parts, profile);
        if (trial->result->verdict != VERDICT_PASS)
            break;
        if (parts && sides_are_one(sides, &request))
            trial->result->compared *= 2;
        else
            error = hold(sides, parts, &request, &arena, diagnostic);
    }
    arena_release(&arena);
    if (!error)
        conclude_vacuous(sides);
    return error;
}

// Whether neither side can tell the profile from the default one.
static bool is_idle(const struct sides *sides, const struct named_profile *profile)
{
    struct arena arena = {0};
    struct diagnostic refusal;
    bool idle = true;
    for (unsigned parts = 0; parts < 2 && idle; parts++) {
        const struct request request = request_of(sides, parts, profile);
        idle = !variant_is_idle(&request, &arena, &idle, &refusal) && idle;
    }
    arena_release(&arena);
    return idle;
}

static enum error judge_both(void *context, const struct named_profile *profile,
                             enum verdict *verdict, struct diagnostic *diagnostic)
{
    struct sides *const sides = context;
    struct judge_result *const result = sides->trial->result;
    const struct judge_result by_default = *result;
    if (is_idle(sides, profile)) {
        *verdict = result->verdict;
        return ERROR_NONE;
    }
    const enum error error = hold_both(sides, profile, diagnostic);
    *verdict = error ? VERDICT_FAIL : result->verdict;
    *result = by_default;
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// By the default profile, of which all is said, and by the others, of which one may be chosen.
static enum error compare_bounds(struct sides *sides, struct diagnostic *diagnostic)
{
    static const struct named_profile plain;
    struct judge_result *const result = sides->trial->result;
    const enum error error = hold_both(sides, &plain, diagnostic);
    result->by_default = result->verdict != VERDICT_FAIL;
    return error ? error : by_profile_fill(sides->run, result, judge_both, sides, diagnostic);
}

// What came of the other requests, where one of them was not answered. False: all were.
static bool conclude_parts(struct sides *sides)
{
    const struct trial *const trial = sides->trial;
    for (size_t i = 0; i < trial->part_count; i++) {
        const struct host_call *const answer = &trial->parts[i].answer;
        const enum verdict verdict = verdict_of_outcome(answer->outcome);
        char word[RELATION_TEXT_SIZE];
        if (verdict == VERDICT_PASS)
            continue;
        conclude(sides, answer->outcome == HOST_UNSUPPORTED ? VERDICT_FAIL : verdict, "%s: %s: %s",
                 relation_side(trial->of, true, word), host_outcome_name(answer->outcome),
                 answer->message);
        return true;
    }
    return false;
}

// Keeps a side as an answer of its own.
static enum error keep_side(struct sides *sides, bool parts, const struct host_call *first,
                            struct judge_answer *answer, struct diagnostic *diagnostic)
{
    struct arena *const arena = &sides->run->arena;
    *answer = (struct judge_answer){
        .feed = first->conditions.feed,
        .outcome = HOST_OK,
        .outputs = arena_take_array(arena, OPERATION_OUTPUTS_MAX, sizeof *answer->outputs)};
    if (!answer->outputs)
        return diagnostic_no_memory(diagnostic);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        const struct tensor *const tensor = &sides->side[parts][i];
        struct judge_output *const output = &answer->outputs[answer->output_count];
        size_t bytes = 0;
        if (!tensor_present(tensor))
            continue;
        *output = (struct judge_output){
            .name = sides->trial->request.operation->outputs[i], .index = i, .tensor = *tensor};
        if (!tensor_count(tensor, &output->count) || !tensor_bytes(tensor, &bytes) ||
            !(output->tensor.data = arena_take(arena, bytes + 1)))
            return diagnostic_no_memory(diagnostic);
        memcpy(output->tensor.data, tensor->data, bytes);
        output->comparison.compared = output->count;
        answer->output_count++;
    }
    return ERROR_NONE;
}

// Where both sides answer the case's own request, what is known of it can be said of each.
static enum error keep_sides(struct sides *sides, const struct host_call *first,
                             struct diagnostic *diagnostic)
{
    struct judge_result *const result = sides->trial->result;
    enum error error = ERROR_NONE;
    if (result->verdict != VERDICT_FAIL || !result->keeps ||
        relation_common(sides->trial->of) != RELATION_OF_WHOLE)
        return ERROR_NONE;
    result->answer = arena_take_array(&sides->run->arena, 2, sizeof *result->answer);
    if (!result->answer)
        return diagnostic_no_memory(diagnostic);
    for (unsigned parts = 0; parts < 2 && !error; parts++) {
        error = keep_side(sides, parts, first, &result->answer[parts], diagnostic);
        result->answer_count += !error;
    }
    return error;
}

enum error relate_judge(struct judge_run *run, struct trial *trial, const struct host_call *first,
                        struct diagnostic *diagnostic)
{
    struct sides sides = {.run = run, .trial = trial};
    const size_t count = relation_parts(trial->of);
    struct judge_result *const result = trial->result;
    struct tensor outputs[OPERATION_OUTPUTS_MAX];
    struct tensor *const parts =
        arena_take_array(&trial->arena, count * OPERATION_OUTPUTS_MAX, sizeof *parts);
    if (!parts)
        return diagnostic_no_memory(diagnostic);
    if (result->verdict != VERDICT_PASS || conclude_parts(&sides))
        return ERROR_NONE;
    assert(trial->part_count == count);
    list_outputs(&trial->request, first->request, outputs);
    for (size_t i = 0; i < count; i++)
        list_outputs(&trial->parts[i].request, trial->parts[i].answer.request,
                     &parts[i * OPERATION_OUTPUTS_MAX]);
    enum error error = relation_take(trial->of, &trial->request, outputs, parts, &trial->arena,
                                     sides.side[0], sides.side[1], diagnostic);
    result->compared = 0;
    if (!error && result->required == LEVEL_BOUND) {
        error = compare_bounds(&sides, diagnostic);
        if (!error)
            error = keep_sides(&sides, first, diagnostic);
    } else if (!error) {
        compare_bits(&sides);
    }
    return error;
}

bool relate_is_valued(const struct trial *trial)
{
    return trial->result->required == LEVEL_BITS && trial->result->verdict == VERDICT_PASS;
}
