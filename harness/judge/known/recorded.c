// SPDX-License-Identifier: Apache-2.0
// A record says less than a run: of values only the first that are wrong, and seldom which feed
// they came from. What is not said stays open: RESULT_ANY_FEED, an answer that is missing.

#include "harness/judge/known/recorded.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/cases.h"
#include "harness/judge/run/trial.h"
#include "ref/base/json.h"
#include "ref/variant/variant.h"

// ---- lines ------------------------------------------------------------------

// The lines of a file, one after the other: a line that was read lives until the next is.
struct lines {
    const struct document_source *file;
    size_t at;
    unsigned number;
    struct document_source line;
    struct arena arena;
};

// *root: NULL at the end.
static enum error next_line(struct lines *lines, const struct document_node **root,
                            struct diagnostic *diagnostic)
{
    const struct document_source *const file = lines->file;
    struct document_node *node = NULL;
    enum error error = ERROR_NONE;
    arena_release(&lines->arena);
    *root = NULL;
    if (lines->at < file->size) {
        const char *const text = file->text + lines->at;
        const char *const end = memchr(text, '\n', file->size - lines->at);
        const size_t size = end ? (size_t)(end - text) : file->size - lines->at;
        lines->line = (struct document_source){file->name, text, size, lines->number++};
        lines->at += size + 1;
        error = json_read(&lines->line, &lines->arena, &node, diagnostic);
        if (!error)
            error = document_expect(node, DOCUMENT_MAPPING, "a record", diagnostic);
    }
    *root = node;
    return error;
}

static uint64_t number_at(const struct document_node *node, const char *key, int base)
{
    const char *const text = document_text(node, key);
    return text ? strtoull(text, NULL, base) : 0;
}

// The list under `key`; one without items where there is none.
static const struct document_node *list_at(const struct document_node *node, const char *key)
{
    static const struct document_node empty = {.kind = DOCUMENT_SEQUENCE};
    const struct document_node *const value = document_find(node, key);
    return value && value->kind == DOCUMENT_SEQUENCE ? value : &empty;
}

// ---- the header -------------------------------------------------------------

enum error recorded_suite_names(const struct document_source *file, struct arena *arena,
                                const char **names, struct diagnostic *diagnostic)
{
    struct lines lines = {.file = file};
    const struct document_node *header;
    enum error error = next_line(&lines, &header, diagnostic);
    *names = "";
    const struct document_node *const suites = error || !header ? NULL : list_at(header, "suites");
    for (size_t i = 0; suites && i < suites->count && *names; i++) {
        const char *const name = document_text(suites->item[i], "name");
        if (name)
            *names = arena_print(arena, "%s%s%s", *names, **names ? "," : "", name);
    }
    arena_release(&lines.arena);
    return *names ? error : diagnostic_no_memory(diagnostic);
}

static void take_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%.*s", (int)size - 1, from ? from : "");
}

// The bounds that the target was held to follow from its model.
static enum error take_model(const struct document_node *target, struct judge_run *run,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(target, "model");
    const char *const text = document_text(target, "model");
    if (text && strlen(text) >= sizeof run->description.model)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a target's model has at most %zu bytes",
                             sizeof run->description.model - 1);
    take_text(run->description.model, sizeof run->description.model, text);
    return judge_read_model(run, diagnostic);
}

// What the header says of a run.
static enum error start_run(const struct document_node *header, const struct document_node *target,
                            const struct document_node *described, const struct suite *suite,
                            struct recorded *recorded, struct diagnostic *diagnostic)
{
    const struct document_node *const machine = document_find(header, "machine");
    struct recorded_run *const to = &recorded->run[recorded->count++];
    struct judge_run *const run = &to->run;
    const char *const mode = document_text(header, "mode"),
                      *const held = document_text(target, "held_to"),
                      *const name = document_text(target, "name"),
                      *const digest = document_text(described, "sha256");
    *to = (struct recorded_run){.run = {.suite = suite, .mode = JUDGE_OBSERVED}};
    to->target = name ? arena_copy_text(&recorded->arena, name, strlen(name)) : "";
    if (digest && strcmp(digest, suite->sha256) != 0) {
        const char *const version = document_text(described, "version");
        to->other_version = arena_print(&recorded->arena, "%s", version ? version : "unknown");
    }
    if (mode && judge_mode_named(mode) != JUDGE_MODES)
        run->mode = judge_mode_named(mode);
    run->held_to = held ? arena_copy_text(&recorded->arena, held, strlen(held)) : NULL;
    run->native = !held;
    take_text(run->description.version, sizeof run->description.version,
              document_text(target, "version"));
    take_text(run->machine.class, sizeof run->machine.class, document_text(machine, "class"));
    run->machine.threads = (unsigned)number_at(machine, "processors", 10);
    run->result = arena_take_array(&run->arena, suite->case_count, sizeof *run->result);
    return run->result && to->target ? take_model(target, run, diagnostic)
                                     : diagnostic_no_memory(diagnostic);
}

static enum error start_runs(const struct document_node *header, const struct suite *suites,
                             size_t suite_count, struct recorded *recorded,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const targets = list_at(header, "targets"), *const described =
                                                                                list_at(header,
                                                                                        "suites");
    enum error error = ERROR_NONE;
    recorded->run = arena_take_array(&recorded->arena, targets->count * described->count + 1,
                                     sizeof *recorded->run);
    if (!recorded->run)
        return diagnostic_no_memory(diagnostic);
    for (size_t t = 0; t < targets->count; t++)
        for (size_t d = 0; d < described->count; d++)
            for (size_t s = 0; s < suite_count && !error; s++) {
                const char *const name = document_text(described->item[d], "name");
                if (name && !strcmp(name, suites[s].name))
                    error = start_run(header, targets->item[t], described->item[d], &suites[s],
                                      recorded, diagnostic);
            }
    return error;
}

// ---- outputs ----------------------------------------------------------------

// A case as the reference is asked about it: inputs without values where that is enough.
struct asked {
    struct request request;
    struct inference inference;
    struct arena arena;
};

// Outputs that the record has beside those of the case: states that gradients were made from.
static enum error ask(const struct judge_run *run, const struct suite_case *of,
                      const struct document_node *record, struct asked *asked,
                      struct diagnostic *diagnostic)
{
    const struct document_node *const outputs = list_at(record, "outputs");
    const enum error error =
        suite_case_shapes(run->suite, of, &asked->arena, &asked->request, diagnostic);
    for (size_t i = 0; !error && i < outputs->count; i++) {
        const char *const name = document_text(outputs->item[i], "name");
        const int index = name ? operation_output(asked->request.operation, name) : -1;
        asked->request.outputs |= index < 0 ? 0 : 1U << index;
    }
    return error ? error : variant_infer(&asked->request, &asked->inference, diagnostic);
}

// The output called `name`, with nothing shown of it; false: the case has none.
static bool find_output(const struct asked *asked, const char *name, struct judge_output *output)
{
    const int index = name ? operation_output(asked->request.operation, name) : -1;
    uint64_t count = 0;
    if (index < 0 || !tensor_count(&asked->inference.output[index], &count))
        return false;
    *output = (struct judge_output){.name = asked->request.operation->outputs[index],
                                    .index = (unsigned)index,
                                    .tensor = asked->inference.output[index]};
    output->tensor.data = NULL;
    output->count = asked->request.windowed ? asked->request.window_count : count;
    return tensor_present(&output->tensor);
}

static bool has_type(const struct document_node *node, const struct tensor *tensor)
{
    const struct document_node *const shape = list_at(node, "shape");
    const char *const dtype = document_text(node, "dtype");
    bool same = dtype && !strcmp(dtype, dtype_name(tensor->dtype)) && shape->count == tensor->rank;
    for (size_t d = 0; same && d < shape->count; d++)
        same = shape->item[d]->kind == DOCUMENT_SCALAR &&
               strtoull(shape->item[d]->text, NULL, 10) == tensor->shape[d];
    return same;
}

// False where the record's output is not one of the case.
static bool take_output(const struct document_node *node, const struct asked *asked,
                        struct judge_output *output)
{
    const struct document_node *const elements = list_at(node, "elements");
    if (node->kind != DOCUMENT_MAPPING ||
        !find_output(asked, document_text(node, "name"), output) ||
        !has_type(node, &output->tensor))
        return false;
    struct comparison *const comparison = &output->comparison;
    const uint64_t run = number_at(node, "run", 10);
    const uint32_t runs = asked->request.runs ? asked->request.runs : 1;
    comparison->compared = number_at(node, "compared", 10);
    comparison->wrong = number_at(node, "wrong", 10);
    output->run = (unsigned)run;
    for (size_t i = 0; i < elements->count && i < COMPARE_ELEMENTS_MAX; i++) {
        const struct compare_element element = {.at = number_at(elements->item[i], "at", 10),
                                                .expected =
                                                    number_at(elements->item[i], "expected", 16),
                                                .got = number_at(elements->item[i], "got", 16)};
        if (element.at >= output->count)
            return false;
        comparison->element[comparison->element_count++] = element;
    }
    return run < runs;
}

static enum error take_outputs(const struct document_node *record, const struct asked *asked,
                               struct judge_run *run, struct judge_result *result, bool *fits,
                               struct diagnostic *diagnostic)
{
    const struct document_node *const outputs = list_at(record, "outputs");
    const struct operation *const operation = result->of->operation;
    const bool listed = result->verdict == VERDICT_FAIL;
    const size_t room = listed ? outputs->count : OPERATION_OUTPUTS_MAX;
    result->outputs = arena_take_array(&run->arena, room + 1, sizeof *result->outputs);
    if (!result->outputs)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; listed && *fits && i < outputs->count; i++) {
        *fits = take_output(outputs->item[i], asked, &result->outputs[i]);
        result->output_count += *fits;
    }
    for (size_t i = 0; i < result->output_count; i++)
        if (result->outputs[i].count >
            TRIAL_WHOLE_BYTES_MAX / dtype_size(result->outputs[i].tensor.dtype))
            result->output_count = 0; // judged window after window
    for (unsigned i = 0; !listed && i < OPERATION_OUTPUTS_MAX && operation->outputs[i]; i++)
        result->output_count +=
            find_output(asked, operation->outputs[i], &result->outputs[result->output_count]);
    return ERROR_NONE;
}

// ---- answers ----------------------------------------------------------------

// The number of the feed of that name, which is a new one where it was not met before.
static uint32_t number_feed(struct host_description *description, const char *name)
{
    uint32_t f = 0;
    if (!name)
        return RESULT_ANY_FEED;
    while (f < description->feed_count && strcmp(description->feeds[f], name) != 0)
        f++;
    if (f == HOST_FEEDS_MAX)
        return RESULT_ANY_FEED;
    if (f == description->feed_count)
        take_text(description->feeds[description->feed_count++], sizeof *description->feeds, name);
    return f;
}

static struct judge_answer *add_answer(struct judge_run *run, struct judge_result *result)
{
    enum { MOST = 2 };
    if (!result->answer)
        result->answer = arena_take_array(&run->arena, MOST, sizeof *result->answer);
    assert(result->answer_count < MOST);
    if (!result->answer)
        return NULL;
    struct judge_answer *const answer = &result->answer[result->answer_count++];
    *answer = (struct judge_answer){.feed = RESULT_ANY_FEED, .outcome = HOST_OK};
    return answer;
}

// An answer without values: how the reason begins says which.
static enum error take_message(struct judge_run *run, struct judge_result *result, uint32_t feed,
                               struct diagnostic *diagnostic)
{
    static const struct {
        const char *before;
        enum host_outcome outcome;
    } kinds[] = {{"refused: ", HOST_REJECTED},
                 {"failed: ", HOST_FAILED},
                 {"wrong result: ", HOST_WRONG_RESULT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && result->reason; i++) {
        const size_t length = strlen(kinds[i].before);
        if (strncmp(result->reason, kinds[i].before, length) != 0)
            continue;
        struct judge_answer *const answer = add_answer(run, result);
        if (!answer)
            return diagnostic_no_memory(diagnostic);
        answer->feed = feed;
        answer->outcome = kinds[i].outcome;
        answer->message = result->reason + length;
        break;
    }
    return ERROR_NONE;
}

// "element N of output 'NAME' is A in one call and B in an equal one": the two values of that
// element. The second was given under the record's condition.
static enum error take_two(const struct asked *asked, struct judge_run *run,
                           struct judge_result *result, uint32_t feed,
                           struct diagnostic *diagnostic)
{
    unsigned long long at, got[2];
    char name[64];
    struct judge_output output;
    if (!result->reason ||
        sscanf(result->reason, "element %llu of output '%63[^']' is %llx in one call and %llx in",
               &at, name, &got[0], &got[1]) != 4 ||
        !find_output(asked, name, &output) || at >= output.count)
        return ERROR_NONE;
    for (unsigned i = 0; i < 2; i++) {
        struct judge_answer *const answer = add_answer(run, result);
        struct judge_output *const shown = arena_take_array(&run->arena, 1, sizeof *shown);
        if (!answer || !shown)
            return diagnostic_no_memory(diagnostic);
        *shown = output;
        shown->comparison = (struct comparison){
            .compared = output.count, .element_count = 1, .element = {{.at = at, .got = got[i]}}};
        answer->outputs = shown;
        answer->output_count = 1;
        answer->feed = i ? feed : RESULT_ANY_FEED;
    }
    return ERROR_NONE;
}

static enum error take_answers(const struct document_node *record, const struct asked *asked,
                               struct judge_run *run, struct judge_result *result,
                               struct diagnostic *diagnostic)
{
    const uint32_t feed =
        number_feed(&run->description, document_text(document_find(record, "condition"), "feed"));
    if (result->verdict == VERDICT_NONDETERMINISTIC)
        return asked->request.operation ? take_two(asked, run, result, feed, diagnostic)
                                        : ERROR_NONE;
    if (result->verdict != VERDICT_FAIL)
        return ERROR_NONE;
    if (!result->output_count)
        return take_message(run, result, feed, diagnostic);
    struct judge_answer *const answer = add_answer(run, result);
    if (!answer)
        return diagnostic_no_memory(diagnostic);
    answer->outputs = result->outputs;
    answer->output_count = result->output_count;
    return ERROR_NONE;
}

// ---- records ----------------------------------------------------------------

// The profile that a suite's passing cases name is that of the run.
static void take_profile(const struct document_node *record, struct judge_run *run)
{
    const struct document_node *const profile = document_find(record, "profile");
    const struct suite *const suite = run->suite;
    for (size_t i = 0; profile && profile->kind == DOCUMENT_MAPPING && i < profile->count; i++)
        for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
            for (size_t o = 0; o < suite->choice[c].count; o++)
                if (!strcmp(profile->key[i]->text, suite->choice[c].name) &&
                    profile->item[i]->kind == DOCUMENT_SCALAR &&
                    !strcmp(profile->item[i]->text, suite->choice[c].option[o]))
                    run->profile.option[c] = (uint16_t)o;
}

static enum level level_named(const char *name)
{
    return !strcmp(name, "bits")    ? LEVEL_BITS
           : !strcmp(name, "bound") ? LEVEL_BOUND
                                    : LEVEL_DISTRIBUTION;
}

// Steps are other cases than the suite's: nothing of their values can be held. Of a relation that
// says nothing of values there may still be a refusal.
static enum error take_values(const struct document_node *record, struct judge_run *run,
                              struct judge_result *result, bool *fits,
                              struct diagnostic *diagnostic)
{
    struct asked asked = {.arena = {0}};
    struct diagnostic ignored;
    enum error error = ERROR_NONE;
    const bool relates = result->of->relation.kind != RELATION_NONE,
               agrees = relates && list_at(record, "outputs")->count;
    if ((suite_case_has_values(result->of) || agrees) && !document_find(record, "steps") &&
        !(*fits = !ask(run, result->of, record, &asked, &ignored)) &&
        ignored.error == ERROR_INTERNAL)
        error = diagnostic_no_memory(diagnostic);
    else if (*fits && asked.request.operation)
        error = take_outputs(record, &asked, run, result, fits, diagnostic);
    result->valued = result->verdict == VERDICT_PASS || result->output_count;
    if (!error && *fits && (asked.request.operation || relates))
        error = take_answers(record, &asked, run, result, diagnostic);
    arena_release(&asked.arena);
    return error;
}

static enum error take_record(const struct document_node *record, struct recorded *recorded,
                              struct diagnostic *diagnostic)
{
    const char *const target = document_text(record, "target"),
                      *const suite = document_text(record, "suite"),
                      *const reason = document_text(record, "reason"),
                      *const verdict = document_text(record, "verdict"),
                      *const required = document_text(record, "required"),
                      *const id = document_text(record, "case");
    struct recorded_run *to = NULL;
    for (size_t i = 0; i < recorded->count && target && suite && !to; i++)
        if (!strcmp(recorded->run[i].target, target) &&
            !strcmp(recorded->run[i].run.suite->name, suite))
            to = &recorded->run[i];
    const struct suite_case *const of = to && id ? suite_find_case(to->run.suite, id) : NULL;
    if (to && !of)
        to->gone++;
    if (!of || !verdict || verdict_named(verdict) == VERDICT_COUNT || !required ||
        to->run.result_count == to->run.suite->case_count)
        return ERROR_NONE;
    struct judge_run *const run = &to->run;
    struct judge_result *const result = &run->result[run->result_count];
    *result = (struct judge_result){.of = of,
                                    .recorded = true,
                                    .chosen = &run->profile,
                                    .verdict = verdict_named(verdict),
                                    .required = level_named(required)};
    if (reason && !(result->reason = arena_copy_text(&run->arena, reason, strlen(reason))))
        return diagnostic_no_memory(diagnostic);
    take_profile(record, run);
    bool fits = true;
    const enum error error =
        result->verdict == VERDICT_UNSUPPORTED || result->required == LEVEL_DISTRIBUTION
            ? ERROR_NONE
            : take_values(record, run, result, &fits, diagnostic);
    run->result_count += fits;
    to->gone += !fits;
    return error;
}

enum error recorded_read(const struct document_source *file, const struct suite *suites,
                         size_t suite_count, struct recorded *recorded,
                         struct diagnostic *diagnostic)
{
    struct lines lines = {.file = file};
    const struct document_node *node;
    enum error error = next_line(&lines, &node, diagnostic);
    if (!error && node)
        error = start_runs(node, suites, suite_count, recorded, diagnostic);
    while (!error && node) {
        error = next_line(&lines, &node, diagnostic);
        if (!error && node && document_text(node, "case"))
            error = take_record(node, recorded, diagnostic);
    }
    arena_release(&lines.arena);
    return error;
}

void recorded_release(struct recorded *recorded)
{
    for (size_t i = 0; i < recorded->count; i++)
        judge_release(&recorded->run[i].run);
    arena_release(&recorded->arena);
    *recorded = (struct recorded){0};
}
