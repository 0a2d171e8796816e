// SPDX-License-Identifier: Apache-2.0
// Values that all programs have; each library's file adds its own, and a template takes them all.

#include "harness/judge/write/program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/reference.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"

static const struct {
    const char *target, *name;
    enum error (*fill)(struct program *program, struct diagnostic *diagnostic);
} templates[] = {{"onednn", "onednn.c.in", program_fill_onednn},
                 {"onednn_plain", "onednn.c.in", program_fill_onednn},
                 {"openvino", "openvino.c.in", program_fill_openvino}};

const char *program_word(enum dtype dtype)
{
    static const char *const words[] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    return words[dtype_size(dtype)];
}

void program_add_elements(struct text *text, const struct tensor *tensor, const void *data,
                          uint64_t count)
{
    enum { A_LINE = 8 };
    const size_t size = dtype_size(tensor->dtype);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(data, size, (size_t)i);
        text_print(text, "%s%s", i ? "," : "", i && i % A_LINE == 0 ? "\n     " : i ? " " : "");
        text_print(text, bits ? "0x%0*" PRIx64 : "%*" PRIx64, bits ? (int)(2 * size) : 0, bits);
    }
}

void program_add_bits(struct text *text, const char *name, const struct tensor *tensor,
                      const void *data, uint64_t count)
{
    text_print(text, "static const %s %s[%" PRIu64 "] = {", program_word(tensor->dtype), name,
               count ? count : 1);
    if (count)
        program_add_elements(text, tensor, data, count);
    else
        text_print(text, "0");
    text_print(text, "};");
    if (count == 1) {
        char decimal[NUM_TEXT_SIZE];
        num_format(tensor->dtype, element_load(data, dtype_size(tensor->dtype), 0), decimal,
                   sizeof decimal);
        text_print(text, " // %s", decimal);
    }
    text_print(text, "\n");
}

void program_add_comparison(const struct program *program, struct text *text,
                            const struct judge_output *output, const char *got)
{
    static const char kinds[] = {[DTYPE_KIND_BOOL] = 'u',
                                 [DTYPE_KIND_SIGNED] = 'i',
                                 [DTYPE_KIND_UNSIGNED] = 'u',
                                 [DTYPE_KIND_FLOAT] = 'f'};
    const enum dtype dtype = output->tensor.dtype;
    if (program->bounded)
        text_print(text,
                   "    wrong += compare(\"%s\", '%c', %zu, least_%s, most_%s, %s, %" PRIu64 ");\n",
                   output->name, kinds[dtype_kind(dtype)], dtype_size(dtype), output->name,
                   output->name, got, output->count);
    else
        text_print(text, "    wrong += compare(\"%s\", %zu, expected_%s, %s, %" PRIu64 ");\n",
                   output->name, dtype_size(dtype), output->name, got, output->count);
}

bool program_is_compared(const struct program *program, const struct judge_output *output)
{
    return !program->minimized->symptom.outputs ||
           (program->minimized->symptom.outputs >> output->index & 1);
}

void program_add_expected(const struct program *program, struct text *text)
{
    for (size_t i = 0; i < program->output_count; i++) {
        const struct judge_output *const output = &program->outputs[i];
        char name[80];
        if (!program_is_compared(program, output))
            continue;
        const struct tensor *const reference = &program->evaluation.tensor[output->index];
        snprintf(name, sizeof name, "%s_%s", program->bounded ? "least" : "expected", output->name);
        // Where the level of an output is bits, the interval is one number.
        const struct tensor *const lower = &program->evaluation.lower[output->index];
        const bool interval = program->bounded && tensor_present(lower);
        program_add_bits(text, name, reference, interval ? lower->data : reference->data,
                         output->count);
        snprintf(name, sizeof name, "most_%s", output->name);
        if (program->bounded)
            program_add_bits(text, name, reference,
                             interval ? program->evaluation.upper[output->index].data
                                      : reference->data,
                             output->count);
    }
    text_print(text, "\n");
}

static enum error evaluate(struct program *program, struct arena *arena,
                           struct diagnostic *diagnostic)
{
    struct request request = *program->request;
    const struct minimized *const minimized = program->minimized;
    memset(&program->inference, 0, sizeof program->inference);
    if (!suite_case_has_values(minimized->specimen.of))
        return ERROR_NONE;
    enum error error = variant_infer(&request, &program->inference, diagnostic);
    profiles_apply(minimized->specimen.suite, &minimized->run.profile, request.operation,
                   &request.profile);
    judge_set_outputs(program->result, &request);
    if (!error)
        judge_set_observed(program->result, &request);
    program->bounded = program->result->required == LEVEL_BOUND;
    if (!error)
        error = variant_evaluate_with(&request, program->bounded, arena, &program->evaluation,
                                      diagnostic);
    return error;
}

// The outputs that the failing call should have written.
static enum error list_outputs(struct program *program, struct arena *arena,
                               struct diagnostic *diagnostic)
{
    struct judge_output *const outputs =
        arena_take_array(arena, OPERATION_OUTPUTS_MAX, sizeof *outputs);
    program->outputs = program->result->outputs;
    program->output_count = program->result->output_count;
    if (program->output_count || !suite_case_has_values(program->minimized->specimen.of))
        return ERROR_NONE;
    if (!outputs)
        return diagnostic_no_memory(diagnostic);
    program->outputs = outputs;
    for (unsigned i = 0; program->request->operation->outputs[i]; i++) {
        const struct tensor *const tensor = &program->evaluation.tensor[i];
        uint64_t count = 0;
        if (!tensor_present(tensor) || !tensor_count(tensor, &count))
            continue;
        outputs[program->output_count++] = (struct judge_output){
            .name = program->request->operation->outputs[i],
            .index = i,
            .tensor = *tensor,
            .count = program->request->windowed ? program->request->window_count : count};
    }
    return ERROR_NONE;
}

static enum error add_values(struct program *program, struct diagnostic *diagnostic)
{
    struct template *const template = &program->template;
    const struct judge_run *const run = &program->minimized->run;
    const struct suite *const suite = program->minimized->specimen.suite;
    const struct suite_case *const of = program->result->of;
    struct template bounded = {.count = 0};
    template_set(template, "LIBRARY", true, run->description.name);
    template_set(template, "VERSION", true, run->description.version);
    template_set(template, "CASE", true, of->id);
    template_set(template, "SUITE", true, suite->name);
    struct text *const requirements = template_add(template, "REQUIREMENTS");
    for (size_t i = 0; i < of->covers_count; i++)
        text_print(requirements, "%s%s", i ? "; " : "", suite->requirement[of->covers[i]].text);
    template_set(&bounded, "BOUNDED", program->bounded, "1");
    const enum error error = template_write(&bounded, program->folder, "compare.c.in",
                                            template_add(template, "COMPARE"), diagnostic);
    template_release(&bounded);
    return error;
}

enum error program_write(const struct minimized *minimized, const char *target, const char *folder,
                         struct text *text, struct diagnostic *diagnostic)
{
    struct program program = {.minimized = minimized,
                              .result = &minimized->run.result[0],
                              .request = &minimized->specimen.request,
                              .folder = folder};
    const size_t count = sizeof templates / sizeof *templates;
    struct arena arena = {0};
    size_t i = 0;
    assert(minimized->run.result_count == 1);
    while (i < count && strcmp(templates[i].target, target) != 0)
        i++;
    if (i == count)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "target %s has no C API that is known here", target);
    if (minimized->specimen.of->relation.kind)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "a program makes one request, and this failure takes two");
    enum error error = evaluate(&program, &arena, diagnostic);
    if (!error)
        error = list_outputs(&program, &arena, diagnostic);
    if (!error)
        error = templates[i].fill(&program, diagnostic);
    if (!error)
        error = add_values(&program, diagnostic);
    if (!error)
        error = template_write(&program.template, folder, templates[i].name, text, diagnostic);
    template_release(&program.template);
    arena_release(&arena);
    return error;
}
