// SPDX-License-Identifier: Apache-2.0
// Markdown with a head that a program reads (YAML between two lines of dashes), then requirement,
// input, expected, got, explanation and the program, always in this order.

#include "harness/judge/write/finding.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "harness/judge/write/program.h"
#include "ref/base/json.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"
#include "ref/variant/variant.h"
#include "yaml/relation.h"

enum { SHOWN_MAX = 8 };

static void add_value(struct text *text, enum dtype dtype, uint64_t bits)
{
    char hex[2 * sizeof bits + 1], decimal[NUM_TEXT_SIZE];
    bytes_write_hex(hex, bits, dtype_size(dtype));
    num_format(dtype, bits, decimal, sizeof decimal);
    text_print(text, "`%s` (%s)", hex, decimal);
}

static void add_pair(struct text *text, const char *key, const char *value)
{
    text_print(text, "%s: ", key);
    json_put_quoted(text, value ? value : "");
    text_print(text, "\n");
}

// "with `rounding=fused`", or that nothing explains it.
static void add_profile(struct text *text, const struct operation *operation,
                        const struct profile *profile, const char *between, const char *mark)
{
    const char *separator = "";
    for (unsigned i = 0; i < variant_choice_count(operation); i++)
        if (profile->option[i]) {
            text_print(text, "%s%s%s%s%s%s", separator, mark, variant_choice(operation, i)->name,
                       between, variant_choice(operation, i)->options[profile->option[i]], mark);
            separator = ", ";
        }
}

static void add_head(const struct finding *finding, const struct minimized *minimized,
                     const struct survey *survey, struct text *text)
{
    const struct specimen *const specimen = &minimized->specimen;
    text_print(text, "---\n");
    add_pair(text, "library", minimized->run.description.name);
    add_pair(text, "version", minimized->run.description.version);
    text_print(text, "suite: %s\ncase: %s\n", specimen->suite->name, specimen->of->id);
    text_print(text, "op: %s\nattributes: ", specimen->request.operation->name);
    specimen_write_attributes(specimen, text);
    text_print(text, "\nthreads: [");
    for (size_t i = 0; i < survey->thread_count; i++)
        if (survey->threads[i])
            text_print(text, "%s%u", i ? ", " : "", survey->threads[i]);
        else
            text_print(text, "%sall", i ? ", " : "");
    text_print(text, "]\nverdict: %s\nexplained_by: {", verdict_name(minimized->symptom.verdict));
    if (minimized->symptom.explained)
        add_profile(text, specimen->request.operation, &minimized->symptom.profile, ": ", "");
    text_print(text, "}\n");
    add_pair(text, "conditions", survey->text);
    text_print(text, "elements: {whole: %" PRIu64 ", cut: %" PRIu64 "}\n---\n",
               minimized->size_before, minimized->size_after);
    text_print(
        text,
        "<!-- made by `assay findings` from reports/findings/findings.yaml; edit that -->\n\n"
        "# %s\n\n",
        finding->title);
}

static void add_requirement(const struct finding *finding, const struct minimized *minimized,
                            struct text *text)
{
    text_print(text, "## Requirement\n\n");
    if (finding->requirement)
        text_print(text, "%s\n\n", finding->requirement);
    const struct suite_case *const of = minimized->specimen.of;
    for (size_t i = 0; i < of->covers_count && !finding->requirement; i++) {
        const struct suite_requirement *const requirement =
            &minimized->specimen.suite->requirement[of->covers[i]];
        text_print(text, "- %s: %s", requirement->id, requirement->text);
        if (requirement->clause)
            text_print(text, " (%s)", requirement->clause);
        text_print(text, "\n%s", i + 1 == of->covers_count ? "\n" : "");
    }
}

// What the reference says, where the failure is no wrong value.
static enum error add_reference(const struct minimized *minimized, struct text *text,
                                struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request = minimized->specimen.request;
    struct evaluation evaluation;
    profiles_apply(minimized->specimen.suite, &minimized->run.profile, request.operation,
                   &request.profile);
    const enum error error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    for (unsigned i = 0; request.operation->outputs[i] && !error; i++) {
        const struct tensor *const tensor = &evaluation.tensor[i];
        uint64_t count = 0;
        char type[96];
        if (!tensor_present(tensor) || !tensor_count(tensor, &count))
            continue;
        count = request.windowed ? request.window_count : count;
        text_print(text, "`%s` %s", request.operation->outputs[i],
                   tensor_describe(tensor, type, sizeof type));
        for (uint64_t k = 0; k < count && k < SHOWN_MAX; k++) {
            text_print(text, k ? ", " : ": ");
            add_value(text, tensor->dtype,
                      element_load(tensor->data, dtype_size(tensor->dtype), (size_t)k));
        }
        text_print(text, "%s\n", count > SHOWN_MAX ? ", ..." : "");
    }
    text_print(text, "\n");
    arena_release(&arena);
    return error;
}

static void add_elements(const struct minimized *minimized, struct text *text)
{
    const struct judge_result *const result = &minimized->run.result[0];
    bool interval = false;
    for (size_t i = 0; i < result->output_count; i++)
        interval = interval || result->outputs[i].comparison.interval;
    text_print(text, "| element | expected |%s got |\n|---|---|%s---|\n",
               interval ? " admissible |" : "", interval ? "---|" : "");
    for (size_t i = 0; i < result->output_count; i++) {
        const struct judge_output *const output = &result->outputs[i];
        for (size_t k = 0; k < output->comparison.element_count && k < SHOWN_MAX; k++) {
            const struct compare_element *const element = &output->comparison.element[k];
            text_print(text, "| %s[%" PRIu64 "]", output->name, element->at);
            if (output->run)
                text_print(text, " of run %u", output->run);
            text_print(text, " | ");
            add_value(text, output->tensor.dtype, element->expected);
            text_print(text, " | ");
            if (interval) {
                add_value(text, output->tensor.dtype,
                          output->comparison.interval ? element->lower : element->expected);
                text_print(text, " to ");
                add_value(text, output->tensor.dtype,
                          output->comparison.interval ? element->upper : element->expected);
                text_print(text, " | ");
            }
            add_value(text, output->tensor.dtype, element->got);
            text_print(text, " |\n");
        }
    }
    text_print(text, "\n");
}

static enum error add_values(const struct finding *finding, const struct minimized *minimized,
                             struct text *text, struct diagnostic *diagnostic)
{
    const struct judge_result *const result = &minimized->run.result[0];
    if (minimized->symptom.valued) {
        text_print(text, "## Expected and got\n\n");
        add_elements(minimized, text);
        return ERROR_NONE;
    }
    enum error error = ERROR_NONE;
    char side[2][RELATION_TEXT_SIZE];
    text_print(text, "## Expected\n\n");
    if (minimized->specimen.of->reject)
        text_print(text, "A refusal: %s.\n\n", minimized->specimen.of->reject);
    else if (minimized->specimen.of->survive)
        text_print(text, "Any values, or a refusal: the text leaves %s undefined.\n\n",
                   minimized->specimen.of->survive);
    else if (minimized->specimen.of->relation.kind)
        text_print(text, "The same %s and %s.\n\n",
                   relation_side(minimized->specimen.of, false, side[0]),
                   relation_side(minimized->specimen.of, true, side[1]));
    else
        error = add_reference(minimized, text, diagnostic);
    // Numbers in the words of a library are often addresses and counters.
    const bool words = minimized->symptom.words[0] && result->verdict != VERDICT_FAIL;
    const char *const said = finding->varies ? "other bits at each call"
                             : words || !result->reason || !strncmp(result->reason, "refused", 7)
                                 ? minimized->symptom.words
                                 : result->reason;
    text_print(text, "## Got\n\n```text\n%s: %s\n```\n\n", verdict_name(result->verdict), said);
    return error;
}

static void add_explanation(const struct finding *finding, const struct minimized *minimized,
                            const struct survey *survey, struct text *text)
{
    text_print(text, "## Explanation\n\n");
    if (finding->explanation)
        text_print(text, "%s\n\n", finding->explanation);
    if (minimized->symptom.explained) {
        text_print(text, "The whole case %s with ",
                   minimized->run.result[0].required == LEVEL_BOUND
                       ? "lies inside the radius around the reference"
                       : "equals the reference bit for bit");
        add_profile(text, minimized->specimen.request.operation, &minimized->symptom.profile, "=",
                    "`");
        text_print(text, ".\n\n");
    }
    text_print(text, "It fails %s.", survey->text);
    if (finding->also)
        text_print(text, " The same cause: %s.", finding->also);
    text_print(text, "\n\n");
}

// That of the list, or one that is made of the cut case; `minimized` NULL: of none.
static enum error add_program(const struct finding *finding, const struct minimized *minimized,
                              const char *templates, struct text *text,
                              struct diagnostic *diagnostic)
{
    struct text program = {0};
    enum error error = ERROR_NONE;
    text_print(text, "## Program\n\n");
    if (finding->program)
        text_print(text, "[`%s`](%s), beside this page.\n", finding->program, finding->program);
    else if (!minimized)
        text_print(text, "None.\n");
    else
        error = program_write(minimized, finding->target, templates, &program, diagnostic);
    if (error == ERROR_UNSUPPORTED)
        text_print(text, "None: %s.\n", diagnostic->text);
    else if (!error && program.size)
        text_print(text, "```c\n%s```\n", program.bytes);
    text_release(&program);
    return error == ERROR_UNSUPPORTED ? ERROR_NONE : error;
}

enum error finding_write(const struct finding *finding, const struct minimized *minimized,
                         const struct survey *survey, const char *templates, struct text *text,
                         struct diagnostic *diagnostic)
{
    assert(finding->title && finding->target && minimized->run.result_count == 1);
    char command[512];
    add_head(finding, minimized, survey, text);
    add_requirement(finding, minimized, text);
    text_print(text, "## Input\n\nCut down from `%s`. `%s` shows the whole case.\n\n```yaml\n",
               minimized->specimen.of->id,
               judge_reproduce(&minimized->run, &minimized->run.result[0], finding->target, command,
                               sizeof command));
    enum error error =
        specimen_write_case(&minimized->specimen, minimized->specimen.of->id, 0, text, diagnostic);
    text_print(text, "```\n\n");
    if (!error)
        error = add_values(finding, minimized, text, diagnostic);
    if (error)
        return error;
    add_explanation(finding, minimized, survey, text);
    error = add_program(finding, minimized, templates, text, diagnostic);
    return !error && text->failed ? diagnostic_no_memory(diagnostic) : error;
}

enum error finding_write_seen(const struct finding *finding, const char *why, struct text *text,
                              struct diagnostic *diagnostic)
{
    const struct {
        const char *title, *text;
    } parts[] = {{"Requirement", finding->requirement},
                 {"Input", finding->input},
                 {"Expected", finding->expected},
                 {"Got", finding->got},
                 {"Explanation", finding->explanation}};
    text_print(text, "---\n");
    add_pair(text, "library", finding->library ? finding->library : finding->target);
    add_pair(text, "version", finding->version);
    if (finding->suite)
        text_print(text, "suite: %s\n", finding->suite);
    text_print(text, "case: %s\nverdict: seen\nexplained_by: {}\n---\n",
               finding->id ? finding->id : "none");
    text_print(
        text,
        "<!-- made by `assay findings` from reports/findings/findings.yaml; edit that -->\n\n"
        "# %s\n\nSeen by hand: %s.\n\n",
        finding->title, why);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].text)
            text_print(text, "## %s\n\n%s\n\n", parts[i].title, parts[i].text);
    const enum error error = add_program(finding, NULL, NULL, text, diagnostic);
    return !error && text->failed ? diagnostic_no_memory(diagnostic) : error;
}

// ---- from the list ----------------------------------------------------------

static const char *const keys[] = {"name",    "title",       "target",      "suite",   "case",
                                   "also",    "requirement", "explanation", "library", "version",
                                   "input",   "expected",    "got",         "varies",  "profile",
                                   "program", NULL};

enum error finding_read(const struct document_node *node, struct finding *finding,
                        struct diagnostic *diagnostic)
{
    enum error error = document_only_keys(node, keys, "a finding", diagnostic);
    if (error)
        return error;
    *finding = (struct finding){.name = document_text(node, "name"),
                                .title = document_text(node, "title"),
                                .target = document_text(node, "target"),
                                .suite = document_text(node, "suite"),
                                .id = document_text(node, "case"),
                                .also = document_text(node, "also"),
                                .requirement = document_text(node, "requirement"),
                                .explanation = document_text(node, "explanation"),
                                .library = document_text(node, "library"),
                                .version = document_text(node, "version"),
                                .input = document_text(node, "input"),
                                .expected = document_text(node, "expected"),
                                .got = document_text(node, "got"),
                                .program = document_text(node, "program")};
    if (!finding->name || !finding->title || !finding->target || (finding->id && !finding->suite))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a finding has name, title and target, and with a case its suite");
    const struct document_node *const varies = document_find(node, "varies");
    return varies ? document_boolean(varies, &finding->varies, "varies", diagnostic) : ERROR_NONE;
}
