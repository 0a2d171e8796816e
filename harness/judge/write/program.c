// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/write/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/reference.h"
#include "ref/base/bytes.h"
#include "ref/base/json.h"
#include "ref/num/text.h"

static const struct {
    const char *target;
    enum error (*write)(struct program *program, struct diagnostic *diagnostic);
} writers[] = {{"onednn", program_write_onednn},
               {"onednn_plain", program_write_onednn},
               {"openvino", program_write_openvino}};

const char *program_word(enum dtype dtype)
{
    static const char *const words[] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    return words[dtype_size(dtype)];
}

void program_add_head(struct program *program, const char *build)
{
    const struct judge_run *const run = &program->minimized->run;
    const struct suite *const suite = program->minimized->specimen.suite;
    text_print(program->text, "// %s %s: ", run->description.name, run->description.version);
    for (size_t i = 0; i < program->result->of->covers_count; i++)
        text_print(program->text, "%s%s", i ? "; " : "",
                   suite->requirement[program->result->of->covers[i]].text);
    text_print(
        program->text,
        ".\n// Cut down from the case %s of %s by `assay minimize`. Ends with 1 when the failure is there.\n%s",
        program->result->of->id, suite->name, build);
}

void program_add_elements(struct program *program, const struct tensor *tensor, const void *data,
                          uint64_t count)
{
    enum { A_LINE = 8 };
    const size_t size = dtype_size(tensor->dtype);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(data, size, (size_t)i);
        text_print(program->text, "%s%s", i ? "," : "",
                   i && i % A_LINE == 0 ? "\n     "
                   : i                  ? " "
                                        : "");
        text_print(program->text, bits ? "0x%0*" PRIx64 : "%*" PRIx64, bits ? (int)(2 * size) : 0,
                   bits);
    }
}

void program_add_bits(struct program *program, const char *name, const struct tensor *tensor,
                      const void *data, uint64_t count)
{
    text_print(program->text, "static const %s %s[%" PRIu64 "] = {", program_word(tensor->dtype),
               name, count ? count : 1);
    if (count)
        program_add_elements(program, tensor, data, count);
    else
        text_print(program->text, "0");
    text_print(program->text, "};");
    if (count == 1) {
        char decimal[NUM_TEXT_SIZE];
        num_format(tensor->dtype, element_load(data, dtype_size(tensor->dtype), 0), decimal,
                   sizeof decimal);
        text_print(program->text, " // %s", decimal);
    }
    text_print(program->text, "\n");
}

static const char compare_bits[] =
    "static int compare(const char *name, size_t size, const void *expected, const void *got, size_t count)\n"
    "{\n"
    "    int wrong = 0;\n"
    "    for (size_t i = 0; i < count; i++) {\n"
    "        uint64_t e = 0, g = 0;\n"
    "        memcpy(&e, (const char *)expected + i * size, size);\n"
    "        memcpy(&g, (const char *)got + i * size, size);\n"
    "        if (e != g && ++wrong <= 8)\n"
    "            printf(\"%s[%zu]: expected %0*\" PRIx64 \", got %0*\" PRIx64 \"\\n\", name, i, (int)size * 2, e, (int)size * "
    "2, g);\n"
    "    }\n"
    "    return wrong;\n"
    "}\n\n";

static const char compare_bounds[] =
    "// Bits as a number that grows with the value: 'f' sign and magnitude, 'i' two's complement, 'u' unsigned.\n"
    "static int64_t rank(uint64_t bits, size_t size, char kind)\n"
    "{\n"
    "    const uint64_t sign = UINT64_C(1) << (8 * size - 1);\n"
    "    if (kind == 'u' || !(bits & sign))\n"
    "        return (int64_t)bits;\n"
    "    return kind == 'f' ? -(int64_t)(bits - sign) : (int64_t)(bits | ~(sign - 1));\n"
    "}\n\n"
    "static int compare(const char *name, char kind, size_t size, const void *least, const void *most, const void *got, size_t "
    "count)\n"
    "{\n"
    "    int wrong = 0, digits = (int)size * 2;\n"
    "    for (size_t i = 0; i < count; i++) {\n"
    "        uint64_t l = 0, m = 0, g = 0;\n"
    "        memcpy(&l, (const char *)least + i * size, size);\n"
    "        memcpy(&m, (const char *)most + i * size, size);\n"
    "        memcpy(&g, (const char *)got + i * size, size);\n"
    "        if ((rank(g, size, kind) < rank(l, size, kind) || rank(g, size, kind) > rank(m, size, kind)) && ++wrong <= 8)\n"
    "            printf(\"%s[%zu]: expected %0*\" PRIx64 \" to %0*\" PRIx64 \", got %0*\" PRIx64 \"\\n\", name, i, digits, l, "
    "digits, m, digits, g);\n"
    "    }\n"
    "    return wrong;\n"
    "}\n\n";

void program_add_compare(struct program *program)
{
    text_print(program->text, "%s", program->bounded ? compare_bounds : compare_bits);
}

void program_add_comparison(struct program *program, const struct judge_output *output,
                            const char *got)
{
    static const char kinds[] = {[DTYPE_KIND_BOOL] = 'u',
                                 [DTYPE_KIND_SIGNED] = 'i',
                                 [DTYPE_KIND_UNSIGNED] = 'u',
                                 [DTYPE_KIND_FLOAT] = 'f'};
    const enum dtype dtype = output->tensor.dtype;
    if (program->bounded)
        text_print(program->text,
                   "    wrong += compare(\"%s\", '%c', %zu, least_%s, most_%s, %s, %" PRIu64 ");\n",
                   output->name, kinds[dtype_kind(dtype)], dtype_size(dtype), output->name,
                   output->name, got, output->count);
    else
        text_print(program->text,
                   "    wrong += compare(\"%s\", %zu, expected_%s, %s, %" PRIu64 ");\n",
                   output->name, dtype_size(dtype), output->name, got, output->count);
}

bool program_is_compared(const struct program *program, const struct judge_output *output)
{
    return !program->minimized->symptom.outputs ||
           (program->minimized->symptom.outputs >> output->index & 1);
}

void program_add_expected(struct program *program)
{
    for (size_t i = 0; i < program->output_count; i++) {
        const struct judge_output *const output = &program->outputs[i];
        char name[80];
        if (!program_is_compared(program, output))
            continue;
        const struct tensor *const reference = &program->evaluation.tensor[output->index];
        const struct tensor *const lower =
            program->bounded ? &program->evaluation.lower[output->index] : NULL;
        snprintf(name, sizeof name, "%s_%s", program->bounded ? "least" : "expected", output->name);
        // Where the level of an output is bits, the interval is one number.
        const bool interval = lower && tensor_present(lower);
        program_add_bits(program, name, reference, interval ? lower->data : reference->data,
                         output->count);
        snprintf(name, sizeof name, "most_%s", output->name);
        if (program->bounded)
            program_add_bits(program, name, reference,
                             interval ? program->evaluation.upper[output->index].data
                                      : reference->data,
                             output->count);
    }
    text_print(program->text, "\n");
}

static enum error evaluate(struct program *program, struct arena *arena,
                           struct diagnostic *diagnostic)
{
    struct request request = *program->request;
    const struct minimized *const minimized = program->minimized;
    memset(&program->inference, 0, sizeof program->inference);
    if (minimized->specimen.of->reject)
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
    if (program->output_count || program->minimized->specimen.of->reject)
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

enum error program_write(const struct minimized *minimized, const char *target, struct text *text,
                         struct diagnostic *diagnostic)
{
    struct program program = {.minimized = minimized,
                              .result = &minimized->run.result[0],
                              .request = &minimized->specimen.request,
                              .text = text};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (!strcmp(writers[i].target, target)) {
            struct arena arena = {0};
            enum error error = evaluate(&program, &arena, diagnostic);
            if (!error)
                error = list_outputs(&program, &arena, diagnostic);
            if (!error)
                error = writers[i].write(&program, diagnostic);
            if (!error && text->failed)
                error = diagnostic_no_memory(diagnostic);
            arena_release(&arena);
            return error;
        }
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                           "target %s has no C API that is known here", target);
}
