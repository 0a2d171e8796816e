// SPDX-License-Identifier: Apache-2.0
// RandomUniform-8 and Range-4 on OpenVINO's CPU plugin, as a model of one node in IR text, through
// its C API.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/write/program.h"
#include "harness/targets/helper/openvino_types.h"
#include "ref/base/json.h"
#include "ref/base/bytes.h"

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
    struct text *text;
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

static void add_model(struct writer *writer, const char *name, bool constant)
{
    struct text *const text = writer->text;
    const struct request *const request = writer->program->request;
    const uint64_t rank =
        writer->uniform ? (writer->tensor[0]->rank == 1 ? writer->tensor[0]->shape[0] : 1) : 1;
    text_print(
        text,
        "static const char %s[] =\n    \"<?xml version='1.0'?><net name='case' version='11'><layers>\"\n",
        name);
    for (int i = 0; i < INPUTS; i++)
        add_input(writer, i, constant);
    text_print(text,
               "    \"<layer id='3' name='node' type='%s' version='%s'><data output_type='%s'",
               writer->uniform ? "RandomUniform" : "Range", writer->uniform ? "opset8" : "opset4",
               types[writer->output].ir);
    if (writer->uniform) {
        const int alignment = operation_attribute(request->operation, "alignment");
        const char *const word =
            request->operation->attributes[alignment].words[request->attribute[alignment].integer];
        text_print(text, " global_seed='%" PRId64 "' op_seed='%" PRId64 "'",
                   integer_of(request, "global_seed"), integer_of(request, "op_seed"));
        if (strcmp(word, "tensorflow") != 0)
            text_print(text, " alignment='%s'", word);
    }
    text_print(text, "/><input>\"\n    \"");
    for (int i = 0; i < INPUTS; i++)
        add_port(writer, i, writer->tensor[i]->dtype, writer->tensor[i], writer->tensor[i]->rank);
    text_print(text, "</input><output>");
    add_port(writer, 3, writer->output, NULL, rank);
    text_print(
        text,
        "</output></layer>\"\n    \"<layer id='4' name='output' type='Result' version='opset1'><input>");
    add_port(writer, 0, writer->output, NULL, rank);
    text_print(text, "</input></layer></layers><edges>\"\n    \"");
    for (int i = 0; i < INPUTS; i++)
        text_print(text, "<edge from-layer='%d' from-port='0' to-layer='3' to-port='%d'/>", i, i);
    text_print(text,
               "<edge from-layer='3' from-port='3' to-layer='4' to-port='0'/></edges></net>\";\n");
}

static const char head[] =
    "#include <inttypes.h>\n"
    "#include <openvino/c/openvino.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n\n"
    "#define OK(call) \\\n"
    "    do { \\\n"
    "        const int status = (call); \\\n"
    "        if (status) \\\n"
    "            exit((printf(\"line %d: OpenVINO answers status %d: %s\\n\", __LINE__, status, "
    "ov_get_last_err_msg()), REFUSED)); \\\n"
    "    } while (0)\n\n";

// Reads the model, feeds it and gives back the outputs of all runs, one after the other.
static void add_infer(struct writer *writer, bool constant, bool threads)
{
    struct text *const text = writer->text;
    const struct request *const request = writer->program->request;
    text_print(
        text,
        "\nstatic size_t infer(%s%sunsigned char *to, size_t room)\n{\n"
        "    ov_core_t *core;\n    ov_model_t *model;\n    ov_compiled_model_t *compiled;\n"
        "    ov_infer_request_t *request;\n    ov_tensor_t *tensor%s;\n    size_t size = 0, at = 0;\n    void *data;\n"
        "    OK(ov_core_create(&core));\n",
        constant ? "int constant, " : "", threads ? "const char *threads, " : "",
        constant ? ", *weights = NULL" : "");
    if (constant) {
        text_print(text,
                   "    static unsigned char bytes[%zu]; // the constants must outlive the model\n",
                   writer->constants);
        for (int i = 0; i < INPUTS; i++)
            if (is_constant(writer, i, true))
                text_print(text, "    memcpy(bytes + %zu, input_%s, sizeof input_%s);\n",
                           writer->offset[i], writer->input[i], writer->input[i]);
        text_print(
            text,
            "    if (constant)\n        OK(ov_tensor_create_from_host_ptr(U8, (ov_shape_t){1, (int64_t[]){sizeof bytes}}, "
            "bytes, &weights));\n"
            "    const char *const xml = constant ? model_constants : model_parameters;\n");
    } else
        text_print(text, "    const char *const xml = model_parameters;\n");
    text_print(
        text,
        "    OK(ov_core_read_model_from_memory_buffer(core, xml, strlen(xml), %s, &model));\n",
        constant ? "weights" : "NULL");
    if (threads)
        text_print(
            text,
            "    if (threads)\n        OK(ov_core_compile_model(core, model, \"CPU\", 4, &compiled, "
            "\"INFERENCE_PRECISION_HINT\", \"f32\",\n                                  \"INFERENCE_NUM_THREADS\", "
            "threads));\n    "
            "else\n    ");
    text_print(
        text,
        "    OK(ov_core_compile_model(core, model, \"CPU\", 2, &compiled, \"INFERENCE_PRECISION_HINT\", \"f32\"));\n"
        "    OK(ov_compiled_model_create_infer_request(compiled, &request));\n");
    for (int i = 0, always = 0; i < INPUTS; i++) {
        const struct tensor *const tensor = writer->tensor[i];
        const bool maybe = is_constant(writer, i, constant);
        text_print(text,
                   "%s    OK(ov_tensor_create_from_host_ptr(%s, (ov_shape_t){%u, (int64_t[]){",
                   maybe ? "    if (!constant) {\n" : "", types[tensor->dtype].code, tensor->rank);
        for (unsigned d = 0; d < tensor->rank; d++)
            text_print(text, "%s%" PRIu64, d ? ", " : "", tensor->shape[d]);
        text_print(
            text,
            "%s}}, (void *)input_%s, &tensor));\n    OK(ov_infer_request_set_input_tensor_by_index(request, ",
            tensor->rank ? "" : "0", writer->input[i]);
        if (constant && !maybe && always != i)
            text_print(text, "constant ? %d : ", always);
        always += !maybe;
        text_print(text, "%d, tensor));\n%s", i, maybe ? "    }\n" : "");
    }
    text_print(
        text,
        "    for (int run = 0; run < %u; run++) {\n        OK(ov_infer_request_infer(request));\n"
        "        OK(ov_infer_request_get_output_tensor_by_index(request, 0, &tensor));\n"
        "        OK(ov_tensor_get_size(tensor, &size));\n        OK(ov_tensor_data(tensor, &data));\n"
        "        for (size_t i = 0; i < size * %zu && at < room; i++)\n"
        "            to[at++] = ((unsigned char *)data)[i];\n    }\n    return size;\n}\n\n",
        request->runs, dtype_size(writer->output));
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
        program_add_elements(writer->program, &program->evaluation.tensor[0],
                             program->evaluation.tensor[(size_t)run * OPERATION_OUTPUTS_MAX].data,
                             count);
    }
    text_print(writer->text, "};\n");
}

static void add_main(struct writer *writer, uint64_t count, bool constant, bool threads)
{
    struct text *const text = writer->text;
    const struct program *const program = writer->program;
    const struct judge_result *const result = program->result;
    const size_t size = dtype_size(writer->output);
    const uint64_t room = (program->request->windowed ? program->request->window_first : 0) * size +
                          count * size * program->request->runs;
    const bool random =
        result->verdict == VERDICT_NONDETERMINISTIC || result->verdict == VERDICT_MEMORY;
    char way[64], wanted[16] = "NULL, ";
    if (result->condition.threads)
        snprintf(wanted, sizeof wanted, "\"%u\", ", result->condition.threads);
    snprintf(way, sizeof way, "%s%s",
             !constant                ? ""
             : result->condition.feed ? "1, "
                                      : "0, ",
             threads ? wanted : "");
    text_print(text, "int main(void)\n{\n    static unsigned char got[%" PRIu64 "]%s;\n",
               room ? room : 1, random ? ", other[sizeof got]" : "");
    if (random)
        text_print(
            text,
            "    const size_t size = infer(%s%sgot, sizeof got), again = infer(%sother, sizeof other);\n"
            "    int wrong = compare(\"output, one call and another\", %zu, got, other, (again < size ? again : size) * %u);\n",
            constant ? "0, " : "", threads ? "NULL, " : "", way, size, program->request->runs);
    else
        text_print(text, "    const size_t size = infer(%sgot, sizeof got);\n", way);
    if (program->minimized->specimen.of->reject)
        text_print(
            text,
            "    printf(\"answered with %%zu elements, and must be refused\\n\", size);\n    return 1;\n}\n");
    else if (random)
        text_print(
            text,
            "    printf(\"%%d elements differ between calls that are equal\\n\", wrong);\n    return wrong != 0 || size != "
            "again;\n}\n");
    else {
        text_print(
            text,
            "    int wrong = size != %" PRIu64
            ";\n    if (wrong)\n        printf(\"expected %" PRIu64
            " elements, got %%zu\\n\", size);\n    else\n        wrong = compare(\"output\", %zu, expected, got + %" PRIu64
            ", %" PRIu64
            ");\n    printf(\"%%d elements are wrong\\n\", wrong);\n    return wrong != 0;\n}\n",
            program->request->windowed ? count_of(&program->inference.output[0]) : count,
            program->request->windowed ? count_of(&program->inference.output[0]) : count, size,
            (program->request->windowed ? program->request->window_first : 0) * size,
            count * program->request->runs);
    }
}

static const char build[] =
    "//   cc minimal.c -I$OPENVINO/include $OPENVINO/libs/libopenvino_c.so.* -Wl,-rpath,$OPENVINO/libs "
    "-o minimal && ./minimal\n"
    "// where OPENVINO is the folder of the Python package.\n";

enum error program_write_openvino(struct program *program, struct diagnostic *diagnostic)
{
    static const char *const uniform[INPUTS] = {"shape", "minval", "maxval"},
                             *const range[INPUTS] = {"start", "stop", "step"};
    const struct request *const request = program->request;
    struct writer writer = {.program = program, .text = program->text};
    writer.uniform = !strcmp(request->operation->name, "openvino.random_uniform");
    if (!writer.uniform && strcmp(request->operation->name, "openvino.range") != 0)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "%s is not written as a model",
                               request->operation->name);
    const int type = operation_attribute(request->operation, "output_type");
    writer.output = type < 0 ? DTYPE_NONE : (enum dtype)request->attribute[type].integer;
    for (int i = 0; i < INPUTS; i++) {
        writer.input[i] = writer.uniform ? uniform[i] : range[i];
        const int index = operation_input(request->operation, writer.input[i]);
        writer.tensor[i] = index < 0 ? NULL : &request->input[index];
        if (!writer.tensor[i] || !types[writer.tensor[i]->dtype].ir || !types[writer.output].ir)
            return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                                   "input %s has no element type in a model", writer.input[i]);
        writer.offset[i] = writer.constants;
        writer.constants +=
            ((size_t)count_of(writer.tensor[i]) * dtype_size(writer.tensor[i]->dtype) + ALIGNMENT -
             1) /
            ALIGNMENT * ALIGNMENT;
    }
    const bool refused = program->minimized->specimen.of->reject != NULL;
    const bool constant = program->result->placed && program->result->condition.feed == 1;
    const bool threads = program->result->placed && program->result->condition.threads;
    const uint64_t count = refused             ? 0
                           : request->windowed ? request->window_count
                                               : count_of(&program->inference.output[0]);
    program_add_head(program, build);
    text_print(
        program->text,
        "enum { REFUSED = %d }; // how the program ends when a call is refused, which %s right\n%s",
        refused ? 0 : 1, refused ? "is" : "is not", head);
    for (int i = 0; i < INPUTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "input_%s", writer.input[i]);
        program_add_bits(program, name, writer.tensor[i], writer.tensor[i]->data,
                         count_of(writer.tensor[i]));
    }
    program->bounded = false;
    const bool random = program->result->verdict == VERDICT_NONDETERMINISTIC ||
                        program->result->verdict == VERDICT_MEMORY;
    if (!refused && !random)
        add_expected(&writer, count);
    add_model(&writer, "model_parameters", false);
    if (constant)
        add_model(&writer, "model_constants", true);
    add_infer(&writer, constant, threads);
    if (!refused)
        program_add_compare(program);
    add_main(&writer, count, constant, threads);
    return ERROR_NONE;
}
