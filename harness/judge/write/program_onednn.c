// SPDX-License-Identifier: Apache-2.0
// An RNN primitive of oneDNN 3, forward or as the training pair, through its C API. Weights go
// through the format that the library asks for, as its own documentation advises.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/write/program.h"
#include "ref/base/json.h"
#include "ref/base/bytes.h"

// Every tensor of the primitives, in the order of the calls.
enum slot {
    SRC_LAYER,
    SRC_ITER,
    SRC_ITER_C,
    ATTENTION,
    WEIGHTS_LAYER,
    WEIGHTS_ITER,
    WEIGHTS_PEEPHOLE,
    WEIGHTS_PROJECTION,
    BIAS,
    DST_LAYER,
    DST_ITER,
    DST_ITER_C,
    SLOTS
};

static const struct {
    const char *name, *argument;
} names[SLOTS] = {{"src_layer", "SRC_LAYER"},
                  {"src_iter", "SRC_ITER"},
                  {"src_iter_c", "SRC_ITER_C"},
                  {"attention", "AUGRU_ATTENTION"},
                  {"weights_layer", "WEIGHTS_LAYER"},
                  {"weights_iter", "WEIGHTS_ITER"},
                  {"weights_peephole", "WEIGHTS_PEEPHOLE"},
                  {"weights_projection", "WEIGHTS_PROJECTION"},
                  {"bias", "BIAS"},
                  {"dst_layer", "DST_LAYER"},
                  {"dst_iter", "DST_ITER"},
                  {"dst_iter_c", "DST_ITER_C"}};

struct writer {
    struct program *program;
    const char *cell;
    bool backward;
    struct tensor tensor[SLOTS]; // shapes and types; data of inputs
};

static const char *word_of(const struct request *request, const char *name)
{
    const int index = operation_attribute(request->operation, name);
    return index < 0 || !request->attribute[index].present
               ? ""
               : request->operation->attributes[index].words[request->attribute[index].integer];
}

static enum dtype type_of(const struct request *request, const char *name, enum dtype otherwise)
{
    const int index = operation_attribute(request->operation, name);
    return index < 0 || !request->attribute[index].present
               ? otherwise
               : (enum dtype)request->attribute[index].integer;
}

static const struct tensor *input_named(const struct request *request, const char *prefix,
                                        const char *name)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    const int index = operation_input(request->operation, whole);
    return index >= 0 && tensor_present(&request->input[index]) ? &request->input[index] : NULL;
}

// Shapes of the outputs of the forward pass follow from the inputs.
static void take_tensors(struct writer *writer)
{
    const struct request *const request = writer->program->request;
    struct tensor *const t = writer->tensor;
    for (int i = 0; i < DST_LAYER; i++) {
        const struct tensor *const from = input_named(request, "", names[i].name);
        t[i] = from ? *from : (struct tensor){.dtype = DTYPE_NONE};
    }
    const uint64_t dhc = t[WEIGHTS_LAYER].shape[4];
    const uint64_t dic =
        tensor_present(&t[WEIGHTS_PROJECTION]) ? t[WEIGHTS_PROJECTION].shape[3] : dhc;
    const uint64_t time = t[SRC_LAYER].shape[0], batch = t[SRC_LAYER].shape[1];
    const uint64_t layers = t[WEIGHTS_LAYER].shape[0], directions = t[WEIGHTS_LAYER].shape[1];
    const bool concatenated = !strcmp(word_of(request, "direction"), "bidirectional_concat");
    const enum dtype h = tensor_present(&t[SRC_ITER]) ? t[SRC_ITER].dtype : t[SRC_LAYER].dtype;
    const enum dtype c = tensor_present(&t[SRC_ITER_C]) ? t[SRC_ITER_C].dtype : DTYPE_F32;
    const bool state = !writer->backward || input_named(request, "diff_", "dst_iter") ||
                       input_named(request, "diff_", "dst_iter_c");
    t[DST_LAYER] = (struct tensor){.dtype = type_of(request, "dst_layer_type", t[SRC_LAYER].dtype),
                                   .rank = 3,
                                   .shape = {time, batch, dic * (concatenated ? 2 : 1)}};
    if (state)
        t[DST_ITER] = (struct tensor){.dtype = type_of(request, "dst_iter_type", h),
                                      .rank = 4,
                                      .shape = {layers, directions, batch, dic}};
    if (state && !strcmp(writer->cell, "lstm"))
        t[DST_ITER_C] = (struct tensor){.dtype = type_of(request, "dst_iter_c_type", c),
                                        .rank = 4,
                                        .shape = {layers, directions, batch, dhc}};
}

static const char *type_name(enum dtype dtype)
{
    return dtype == DTYPE_I8 ? "s8" : dtype_name(dtype);
}

// One row of the table of tensors, its data written into it.
static void add_tensor(struct writer *writer, int slot, bool diff)
{
    struct text *const text = writer->program->text;
    const struct tensor *const tensor = &writer->tensor[slot];
    const struct tensor *const data =
        input_named(writer->program->request, diff ? "diff_" : "", names[slot].name);
    uint64_t count = 0;
    text_print(text, "    {\"%s%s\", DNNL_ARG_%s%s, %u, dnnl_%s, {", diff ? "diff_" : "",
               names[slot].name, diff ? "DIFF_" : "", names[slot].argument, tensor->rank,
               type_name(diff ? DTYPE_F32 : tensor->dtype));
    for (unsigned d = 0; d < tensor->rank; d++)
        text_print(text, "%s%" PRIu64, d ? ", " : "", tensor->shape[d]);
    text_print(text, "}, ");
    if (data && tensor_count(data, &count) && count) {
        text_print(text, "(const %s[]){", program_word(data->dtype));
        program_add_elements(writer->program, data, data->data, count);
        text_print(text, "}");
    } else
        text_print(text, "NULL");
    text_print(text, ", 0, 0, 0, 0},\n");
}

static const char head[] =
    "#include <inttypes.h>\n"
    "#include <oneapi/dnnl/dnnl.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n\n"
    "#define OK(call) \\\n"
    "    do { \\\n"
    "        const int status = (call); \\\n"
    "        if (status) \\\n"
    "            exit((printf(\"line %d: oneDNN answers status %d\\n\", __LINE__, status), 1)); \\\n"
    "    } while (0)\n\n";

static const char declaration[] =
    "static struct tensor {\n"
    "    const char *name;\n"
    "    int argument, rank;\n"
    "    dnnl_data_type_t type;\n"
    "    dnnl_dims_t dims;\n"
    "    const void *data; // NULL: zeros, results a5\n"
    "    dnnl_memory_desc_t plain, asked; // row-major; what the primitive is offered\n"
    "    dnnl_memory_t memory, own;       // row-major; as the primitive wants it\n"
    "} t[] = {\n";

static const char body[] =
    "static dnnl_engine_t engine;\n"
    "static dnnl_stream_t stream;\n"
    "static dnnl_primitive_attr_t attributes;\n\n"
    "static void reorder(dnnl_memory_t from, dnnl_memory_desc_t from_md, dnnl_memory_t to, dnnl_memory_desc_t to_md,\n"
    "                    dnnl_primitive_attr_t with)\n"
    "{\n"
    "    dnnl_primitive_desc_t pd;\n"
    "    dnnl_primitive_t primitive;\n"
    "    OK(dnnl_reorder_primitive_desc_create(&pd, from_md, engine, to_md, engine, with));\n"
    "    OK(dnnl_primitive_create(&primitive, pd));\n"
    "    OK(dnnl_primitive_execute(primitive, stream, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}));\n"
    "}\n\n"
    "static dnnl_exec_arg_t bring(struct tensor *x, dnnl_primitive_desc_t pd)\n"
    "{\n"
    "    const size_t bytes = dnnl_memory_desc_get_size(x->plain);\n"
    "    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, x->argument);\n"
    "    void *mapped;\n"
    "    if (!x->memory) {\n"
    "        OK(dnnl_memory_create(&x->memory, x->plain, engine, DNNL_MEMORY_ALLOCATE));\n"
    "        if (bytes) {\n"
    "            OK(dnnl_memory_map_data(x->memory, &mapped));\n"
    "            x->data ? memcpy(mapped, x->data, bytes) : memset(mapped, strncmp(x->name, \"dst\", 3) ? 0 : 0xa5, bytes);\n"
    "            OK(dnnl_memory_unmap_data(x->memory, mapped));\n"
    "        }\n"
    "    }\n"
    "    if (!md || dnnl_memory_desc_equal(md, x->plain))\n"
    "        return (dnnl_exec_arg_t){x->argument, x->memory};\n"
    "    OK(dnnl_memory_desc_clone(&x->asked, md));\n"
    "    OK(dnnl_memory_create(&x->own, md, engine, DNNL_MEMORY_ALLOCATE));\n"
    "    reorder(x->memory, x->plain, x->own, x->asked, attributes);\n"
    "    return (dnnl_exec_arg_t){x->argument, x->own};\n"
    "}\n\n"
    "static void run(dnnl_primitive_desc_t pd, int count, dnnl_memory_t workspace)\n"
    "{\n"
    "    dnnl_primitive_t primitive;\n"
    "    dnnl_exec_arg_t arguments[sizeof t / sizeof *t + 1];\n"
    "    for (int i = 0; i < count; i++)\n"
    "        arguments[i] = bring(&t[i], pd);\n"
    "    arguments[count] = (dnnl_exec_arg_t){DNNL_ARG_WORKSPACE, workspace};\n"
    "    OK(dnnl_primitive_create(&primitive, pd));\n"
    "    OK(dnnl_primitive_execute(primitive, stream, count + (workspace != NULL), arguments));\n"
    "    OK(dnnl_stream_wait(stream));\n"
    "}\n\n";

static const char result_body[] = "static const void *result(struct tensor *x)\n"
                                  "{\n"
                                  "    void *mapped = NULL;\n"
                                  "    if (x->own)\n"
                                  "        reorder(x->own, x->asked, x->memory, x->plain, NULL);\n"
                                  "    OK(dnnl_stream_wait(stream));\n"
                                  "    OK(dnnl_memory_map_data(x->memory, &mapped));\n"
                                  "    return mapped;\n"
                                  "}\n\n";

static const char start[] =
    "    OK(dnnl_engine_create(&engine, dnnl_cpu, 0));\n"
    "    OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));\n"
    "    OK(dnnl_primitive_attr_create(&attributes));\n"
    "    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {\n"
    "        dnnl_dims_t strides = {0};\n"
    "        for (int d = t[i].rank - 1, s = 1; d >= 0; s *= t[i].dims[d] ? (int)t[i].dims[d] : 1, d--)\n"
    "            strides[d] = s;\n"
    "        OK(dnnl_memory_desc_create_with_strides(&t[i].plain, t[i].rank, t[i].dims, t[i].type, strides));\n"
    "        OK(dnnl_memory_desc_clone(&t[i].asked, t[i].plain));\n"
    "        if (strstr(t[i].name, \"weights\") && !strstr(t[i].name, \"peephole\"))\n"
    "            OK(dnnl_memory_desc_create_with_tag(&t[i].asked, t[i].rank, t[i].dims, t[i].type, "
    "dnnl_format_tag_any));\n"
    "    }\n";

// The slots of a cell's call, in its order.
static bool takes(const char *cell, int slot)
{
    const bool lstm = !strcmp(cell, "lstm"), augru = strstr(cell, "augru") != NULL;
    if (slot == SRC_ITER_C || slot == DST_ITER_C || slot == WEIGHTS_PEEPHOLE ||
        slot == WEIGHTS_PROJECTION)
        return lstm;
    return slot != ATTENTION || augru;
}

// Where a tensor stands in the table.
static int place(const struct writer *writer, int slot, bool diff)
{
    int at = 0;
    for (int i = 0; i < SLOTS; i++)
        at += tensor_present(&writer->tensor[i]) && (diff || i < slot);
    for (int i = 0; diff && i < slot; i++)
        at += tensor_present(&writer->tensor[i]);
    return at;
}

static void add_descriptors(struct writer *writer, bool diff)
{
    for (int slot = 0; slot < SLOTS; slot++)
        if (takes(writer->cell, slot)) {
            if (tensor_present(&writer->tensor[slot]))
                text_print(writer->program->text, " t[%d].asked,", place(writer, slot, diff));
            else
                text_print(writer->program->text, " NULL,");
        }
}

// The call that makes a primitive descriptor.
static void add_primitive(struct writer *writer, bool back)
{
    struct text *const text = writer->program->text;
    const struct request *const request = writer->program->request;
    const char *const direction = word_of(request, "direction"), *const activation =
                                                                     word_of(request, "activation");
    const bool vanilla = !strcmp(writer->cell, "vanilla_rnn");
    const char *const propagation =
        back ? "dnnl_backward"
        : writer->backward || !strcmp(word_of(request, "propagation"), "forward_training")
            ? "dnnl_forward_training"
            : "dnnl_forward_inference";
    const int alpha = operation_attribute(request->operation, "alpha"),
              overwrite = operation_attribute(request->operation, "diff_weights_overwrite");
    text_print(text, "    OK(dnnl_%s_%s_primitive_desc_create(&%s_pd, engine, %s,", writer->cell,
               back ? "backward" : "forward", back ? "backward" : "forward", propagation);
    if (vanilla)
        text_print(text, " dnnl_eltwise_%s,", activation);
    text_print(text, " dnnl_%s%s,\n       ",
               strncmp(direction, "bidirectional", 13) ? "unidirectional_" : "", direction);
    add_descriptors(writer, false);
    if (back) {
        text_print(text, "\n       ");
        add_descriptors(writer, true);
    }
    text_print(text, "\n        %s,",
               back && overwrite >= 0 && request->attribute[overwrite].integer
                   ? "dnnl_rnn_flags_diff_weights_overwrite"
                   : "0");
    if (vanilla)
        text_print(text, " (float)%.9g, 0,", alpha >= 0 ? request->attribute[alpha].real : 0);
    text_print(text, "%s attributes));\n", back ? " forward_pd," : "");
}

static void add_scales(struct writer *writer)
{
    static const char *const lists[] = {"weights_scales", "projection_scales"};
    static const char *const masks[] = {"weights_scales_mask", "projection_scales_mask"};
    static const char *const calls[] = {"weights", "weights_projection"};
    const struct request *const request = writer->program->request;
    struct text *const text = writer->program->text;
    const int scale = operation_attribute(request->operation, "data_scale"),
              shift = operation_attribute(request->operation, "data_shift");
    if (scale < 0 || !request->attribute[scale].present || shift < 0 ||
        !request->attribute[shift].present)
        return;
    text_print(text, "    OK(dnnl_primitive_attr_set_rnn_data_qparams(attributes, %.9g, %.9g));\n",
               request->attribute[scale].real, request->attribute[shift].real);
    for (int i = 0; i < 2; i++) {
        const int list = operation_attribute(request->operation, lists[i]),
                  mask = operation_attribute(request->operation, masks[i]);
        if (list < 0 || !request->attribute[list].present)
            continue;
        text_print(text,
                   "    OK(dnnl_primitive_attr_set_rnn_%s_qparams(attributes, %zu, %" PRId64
                   ", (const float[]){",
                   calls[i], request->attribute[list].count,
                   mask < 0 ? 0 : request->attribute[mask].integer);
        for (size_t k = 0; k < request->attribute[list].count; k++)
            text_print(text, "%s%.9g", k ? ", " : "", request->attribute[list].reals[k]);
        text_print(text, "}));\n");
    }
}

static int place_named(const struct writer *writer, const char *name)
{
    const bool diff = !strncmp(name, "diff_", 5);
    int slot = 0;
    while (slot < SLOTS - 1 && strcmp(names[slot].name, name + (diff ? 5 : 0)) != 0)
        slot++;
    return place(writer, slot, diff);
}

static void add_comparisons(struct writer *writer)
{
    for (size_t i = 0; i < writer->program->output_count; i++) {
        const struct judge_output *const output = &writer->program->outputs[i];
        char got[32];
        snprintf(got, sizeof got, "result(&t[%d])", place_named(writer, output->name));
        if (program_is_compared(writer->program, output))
            program_add_comparison(writer->program, output, got);
    }
}

static const char build[] =
    "//   cc minimal.c -I$ONEDNN/include -L$ONEDNN/lib -ldnnl -o minimal && ./minimal\n"
    "// (of the wheel, which wants OCL_ICD_FILENAMES=$ONEDNN/lib/libintelocl.so LD_LIBRARY_PATH=$ONEDNN/lib)\n";

enum error program_write_onednn(struct program *program, struct diagnostic *diagnostic)
{
    struct text *const text = program->text;
    const struct judge_result *const result = program->result;
    struct writer writer = {.program = program, .cell = word_of(program->request, "cell")};
    writer.backward = !strcmp(word_of(program->request, "propagation"), "backward");
    if (strcmp(program->request->operation->name, "onednn.rnn") != 0 || result->of->reject)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "a call that must be refused is not written for oneDNN");
    const bool valued = program->minimized->symptom.valued || result->verdict == VERDICT_MEMORY;
    if (result->verdict != VERDICT_CRASH && !valued)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "a program shows wrong values and crashes, not the verdict %s",
                               verdict_name(result->verdict));
    take_tensors(&writer);
    program_add_head(program, build);
    text_print(text, "%s%s", head, declaration);
    for (int diff = 0; diff <= (writer.backward ? 1 : 0); diff++)
        for (int slot = 0; slot < SLOTS; slot++)
            if (tensor_present(&writer.tensor[slot]))
                add_tensor(&writer, slot, diff);
    text_print(text, "};\n");
    if (valued)
        program_add_expected(program);
    text_print(text, "%s", body);
    if (valued) {
        text_print(text, "%s", result_body);
        program_add_compare(program);
    }
    text_print(
        text,
        "int main(void)\n{\n    dnnl_primitive_desc_t forward_pd%s;\n    dnnl_memory_t workspace = NULL;\n%s",
        writer.backward ? ", backward_pd" : "", start);
    add_scales(&writer);
    add_primitive(&writer, false);
    if (writer.backward) {
        add_primitive(&writer, true);
        text_print(
            text,
            "    OK(dnnl_memory_create(&workspace, dnnl_primitive_desc_query_md(forward_pd, dnnl_query_workspace_md, 0), "
            "engine, DNNL_MEMORY_ALLOCATE));\n");
    }
    text_print(text, "    run(forward_pd, %d, workspace);\n", place(&writer, SLOTS, false));
    if (writer.backward)
        text_print(text, "    run(backward_pd, %d, workspace);\n", place(&writer, SLOTS, true));
    if (valued) {
        text_print(text, "    int wrong = 0;\n");
        add_comparisons(&writer);
        text_print(
            text, "    printf(\"%%d elements are wrong\\n\", wrong);\n    return wrong != 0;\n}\n");
    } else
        text_print(text, "    puts(\"no crash\");\n    return 0;\n}\n");
    return ERROR_NONE;
}
