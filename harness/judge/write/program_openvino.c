// SPDX-License-Identifier: Apache-2.0
// Values for openvino.c.in: RandomUniform-8 and Range-4 on OpenVINO's CPU plugin, as a model of one
// node in IR text, through its C API.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/write/program.h"
#include "harness/targets/helper/openvino_types.h"

enum { INPUTS = 3, ALIGNMENT = 64 };

static const struct {
    const char *ir, *precision, *code;
} types[DTYPE_COUNT] = {
#define ROW(dtype, ir, precision, name, code) [DTYPE_##dtype] = {ir, precision, #name},
    OPENVINO_TYPES(ROW)
#undef ROW
};

struct writer {
    struct program *program;
    struct text *text; // the value that is written
    const char *input[INPUTS];
    const struct tensor *tensor[INPUTS];
    enum dtype output;
    bool uniform;
    size_t offset[INPUTS], constants; // where constants lie
};

static uint64_t count_of(const struct tensor *tensor)
{
    uint64_t count = 0;
    return tensor_count(tensor, &count) ? count : 0;
}

static bool is_constant(const struct writer *writer, int input, bool constant)
{
    return constant && count_of(writer->tensor[input]);
}

static void add_port(struct writer *writer, int id, enum dtype dtype, const struct tensor *tensor,
                     uint64_t rank)
{
    text_print(writer->text, "<port id='%d' precision='%s'>", id, types[dtype].precision);
    for (uint64_t d = 0; d < rank; d++)
        if (tensor)
            text_print(writer->text, "<dim>%" PRIu64 "</dim>", tensor->shape[d]);
        else
            text_print(writer->text, "<dim>-1</dim>");
    text_print(writer->text, "</port>");
}

static void add_input(struct writer *writer, int i, bool all_constant)
{
    const struct tensor *const tensor = writer->tensor[i];
    const bool constant = is_constant(writer, i, all_constant);
    text_print(
        writer->text,
        "    \"<layer id='%d' name='%s' type='%s' version='opset1'><data element_type='%s' shape='",
        i, writer->input[i], constant ? "Const" : "Parameter", types[tensor->dtype].ir);
    for (unsigned d = 0; d < tensor->rank; d++)
        text_print(writer->text, "%s%" PRIu64, d ? "," : "", tensor->shape[d]);
    text_print(writer->text, "'");
    if (constant)
        text_print(writer->text, " offset='%zu' size='%zu'", writer->offset[i],
                   (size_t)count_of(tensor) * dtype_size(tensor->dtype));
    text_print(writer->text, "/><output>");
    add_port(writer, 0, tensor->dtype, tensor, tensor->rank);
    text_print(writer->text, "</output></layer>\"\n");
}

static int64_t integer_of(const struct request *request, const char *name)
{
    const int index = operation_attribute(request->operation, name);
    return index < 0 ? 0 : request->attribute[index].integer;
}

// The inputs' tensors as the model's `port`s.
static void add_ports(struct writer *writer)
{
    for (int i = 0; i < INPUTS; i++)
        add_port(writer, i, writer->tensor[i]->dtype, writer->tensor[i], writer->tensor[i]->rank);
}

static void add_attributes(struct writer *writer)
{
    const struct request *const request = writer->program->request;
    const int alignment = operation_attribute(request->operation, "alignment");
    if (!writer->uniform)
        return;
    const char *const word = request_word(request, (unsigned)alignment);
    text_print(writer->text, " global_seed='%" PRId64 "' op_seed='%" PRId64 "'",
               integer_of(request, "global_seed"), integer_of(request, "op_seed"));
    if (strcmp(word, "tensorflow") != 0)
        text_print(writer->text, " alignment='%s'", word);
}

// The text `name` with the model, its inputs constants or parameters.
static enum error add_model(struct writer *writer, struct text *to, const char *name, bool constant,
                            struct diagnostic *diagnostic)
{
    struct template model = {.count = 0};
    const uint64_t rank =
        writer->uniform && writer->tensor[0]->rank == 1 ? writer->tensor[0]->shape[0] : 1;
    template_set(&model, "NAME", true, name);
    template_set(&model, "TYPE", true, writer->uniform ? "RandomUniform" : "Range");
    template_set(&model, "OPSET", true, writer->uniform ? "opset8" : "opset4");
    template_set(&model, "IR", true, types[writer->output].ir);
    writer->text = template_add(&model, "LAYERS");
    for (int i = 0; i < INPUTS; i++)
        add_input(writer, i, constant);
    writer->text = template_add(&model, "ATTRIBUTES");
    add_attributes(writer);
    writer->text = template_add(&model, "PORTS");
    add_ports(writer);
    writer->text = template_add(&model, "OUTPUT");
    add_port(writer, 3, writer->output, NULL, rank);
    writer->text = template_add(&model, "RESULT");
    add_port(writer, 0, writer->output, NULL, rank);
    const enum error error =
        template_write(&model, writer->program->folder, "openvino_model.in", to, diagnostic);
    template_release(&model);
    return error;
}

// Hands over each input that is no constant, under its number among those.
static void add_feeds(struct writer *writer, bool constant)
{
    struct text *const text = writer->text;
    for (int i = 0, always = 0; i < INPUTS; i++) {
        const struct tensor *const tensor = writer->tensor[i];
        const bool maybe = is_constant(writer, i, constant);
        text_print(text,
                   "%s    OK(ov_tensor_create_from_host_ptr(%s, (ov_shape_t){%u, (int64_t[]){",
                   maybe ? "    if (!constant) {\n" : "", types[tensor->dtype].code, tensor->rank);
        for (unsigned d = 0; d < tensor->rank; d++)
            text_print(text, "%s%" PRIu64, d ? ", " : "", tensor->shape[d]);
        text_print(text,
                   "%s}}, (void *)input_%s, &tensor));\n"
                   "    OK(ov_infer_request_set_input_tensor_by_index(request, ",
                   tensor->rank ? "" : "0", writer->input[i]);
        if (constant && !maybe && always != i)
            text_print(text, "constant ? %d : ", always);
        always += !maybe;
        text_print(text, "%d, tensor));\n%s", i, maybe ? "    }\n" : "");
    }
}

// Expected elements of all runs one after the other.
static void add_expected(struct writer *writer, uint64_t count)
{
    const struct program *const program = writer->program;
    text_print(writer->text, "static const %s expected[%" PRIu64 "] = {",
               program_word(writer->output), count ? count * program->request->runs : 1);
    if (!count)
        text_print(writer->text, "0");
    for (uint32_t run = 0; run < program->request->runs && count; run++) {
        text_print(writer->text, "%s", run ? ",\n    " : "");
        program_add_elements(writer->text, &program->evaluation.tensor[0],
                             program->evaluation.tensor[(size_t)run * OPERATION_OUTPUTS_MAX].data,
                             count);
    }
    text_print(writer->text, "};\n");
}

// ---- values -----------------------------------------------------------------

static enum error take_inputs(struct writer *writer, struct diagnostic *diagnostic)
{
    static const char *const uniform[INPUTS] = {"shape", "minval", "maxval"},
                             *const range[INPUTS] = {"start", "stop", "step"};
    const struct request *const request = writer->program->request;
    for (int i = 0; i < INPUTS; i++) {
        writer->input[i] = writer->uniform ? uniform[i] : range[i];
        const int index = operation_input(request->operation, writer->input[i]);
        writer->tensor[i] = index < 0 ? NULL : &request->input[index];
        if (!writer->tensor[i] || !types[writer->tensor[i]->dtype].ir || !types[writer->output].ir)
            return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                   "input %s has no element type in a model", writer->input[i]);
        writer->offset[i] = writer->constants;
        const size_t bytes =
            (size_t)count_of(writer->tensor[i]) * dtype_size(writer->tensor[i]->dtype);
        writer->constants += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return ERROR_NONE;
}

// How `infer` is declared and called: its inputs as constants or not, with how many threads.
static void set_call(struct writer *writer, bool constant, bool threads)
{
    struct template *const template = &writer->program->template;
    const struct host_conditions *const condition = &writer->program->result->condition;
    text_print(template_add(template, "PARAMETERS"), "%s%s", constant ? "int constant, " : "",
               threads ? "const char *threads, " : "");
    text_print(template_add(template, "USUAL"), "%s%s", constant ? "0, " : "",
               threads ? "NULL, " : "");
    struct text *const call = template_add(template, "CALL");
    if (constant)
        text_put(call, condition->feed ? "1, " : "0, ");
    if (threads)
        text_print(call, "\"%u\", ", condition->threads);
    template_set(template, "CONSTANT", constant, "1");
    template_set(template, "THREADS", threads, "1");
    template_set(template, "WEIGHTS", constant, ", *weights = NULL");
    text_print(template_add(template, "CONSTANT_BYTES"), "%zu", writer->constants);
    struct text *const copies = template_add(template, "COPIES");
    for (int i = 0; i < INPUTS; i++)
        if (is_constant(writer, i, true))
            text_print(copies, "    memcpy(bytes + %zu, input_%s, sizeof input_%s);\n",
                       writer->offset[i], writer->input[i], writer->input[i]);
    writer->text = template_add(template, "FEEDS");
    add_feeds(writer, constant);
}

// How many elements are expected, and where they lie in what comes out.
static void set_sizes(struct writer *writer, uint64_t count)
{
    struct template *const template = &writer->program->template;
    const struct request *const request = writer->program->request;
    const uint64_t size = dtype_size(writer->output),
                   first = (request->windowed ? request->window_first : 0) * size,
                   room = first + count * size * request->runs;
    text_print(template_add(template, "RUNS"), "%u", request->runs);
    text_print(template_add(template, "ELEMENT"), "%" PRIu64, size);
    text_print(template_add(template, "ROOM"), "%" PRIu64, room ? room : 1);
    text_print(template_add(template, "FIRST"), "%" PRIu64, first);
    text_print(template_add(template, "COUNT"), "%" PRIu64, count * request->runs);
    text_print(template_add(template, "WHOLE"), "%" PRIu64,
               request->windowed ? count_of(&writer->program->inference.output[0]) : count);
}

enum error program_fill_openvino(struct program *program, struct diagnostic *diagnostic)
{
    const struct request *const request = program->request;
    const struct judge_result *const result = program->result;
    struct template *const template = &program->template;
    struct writer writer = {.program = program};
    writer.uniform = !strcmp(request->operation->name, "openvino.random_uniform");
    if (!writer.uniform && strcmp(request->operation->name, "openvino.range") != 0)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "%s is not written as a model",
                               request->operation->name);
    const int type = operation_attribute(request->operation, "output_type");
    writer.output = type < 0 ? DTYPE_NONE : (enum dtype)request->attribute[type].integer;
    enum error error = take_inputs(&writer, diagnostic);
    if (error)
        return error;
    const struct suite_case *const of = program->minimized->specimen.of;
    const bool valued = suite_case_has_values(of);
    const bool constant = result->placed && result->condition.feed == 1;
    const bool random = valued && (result->verdict == VERDICT_NONDETERMINISTIC ||
                                   result->verdict == VERDICT_MEMORY);
    const uint64_t count = !valued             ? 0
                           : request->windowed ? request->window_count
                                               : count_of(&program->inference.output[0]);
    program->bounded = false;
    template_set(template, "MAY_REFUSE", !valued, "1");
    template_set(template, "UNDEFINED", of->survive != NULL, "1");
    template_set(template, "MUST_REFUSE", of->reject != NULL, "1");
    template_set(template, "RANDOM", random, "1");
    template_set(template, "VALUED", valued && !random, "1");
    struct text *const inputs = template_add(template, "INPUTS");
    for (int i = 0; i < INPUTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "input_%s", writer.input[i]);
        program_add_bits(inputs, name, writer.tensor[i], writer.tensor[i]->data,
                         count_of(writer.tensor[i]));
    }
    writer.text = template_add(template, "EXPECTED");
    if (valued && !random)
        add_expected(&writer, count);
    set_call(&writer, constant, result->placed && result->condition.threads);
    set_sizes(&writer, count);
    struct text *const models = template_add(template, "MODELS");
    error = add_model(&writer, models, "model_parameters", false, diagnostic);
    return error || !constant ? error
                              : add_model(&writer, models, "model_constants", true, diagnostic);
}
