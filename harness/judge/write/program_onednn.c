// SPDX-License-Identifier: Apache-2.0
// Values for onednn.c.in: an RNN primitive of oneDNN 3, forward or as the training pair, through
// its C API. Weights go through the format that the library asks for, as its own documentation
// advises.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/write/program.h"

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

// The name in a request, the argument's in the API, and the attribute that names its format.
static const struct {
    const char *name, *argument, *format;
} names[SLOTS] = {{"src_layer", "SRC_LAYER", "src_layer_format"},
                  {"src_iter", "SRC_ITER", "iter_format"},
                  {"src_iter_c", "SRC_ITER_C", "iter_format"},
                  {"attention", "AUGRU_ATTENTION", NULL},
                  {"weights_layer", "WEIGHTS_LAYER", "weights_layer_format"},
                  {"weights_iter", "WEIGHTS_ITER", "weights_iter_format"},
                  {"weights_peephole", "WEIGHTS_PEEPHOLE", NULL},
                  {"weights_projection", "WEIGHTS_PROJECTION", "projection_format"},
                  {"bias", "BIAS", NULL},
                  {"dst_layer", "DST_LAYER", "dst_layer_format"},
                  {"dst_iter", "DST_ITER", "iter_format"},
                  {"dst_iter_c", "DST_ITER_C", "iter_format"}};

struct writer {
    struct program *program;
    struct text *text; // the value that is written
    const char *cell;
    bool backward;
    struct tensor tensor[SLOTS]; // shapes and types; data of inputs
};

static const char *word_of(const struct request *request, const char *name)
{
    const int index = operation_attribute(request->operation, name);
    return index < 0 || !request->attribute[index].present ? ""
                                                           : request_word(request, (unsigned)index);
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

// The format in which a primitive is offered a tensor: what the request asks for; else the library
// chooses that of weights, and the others are row-major.
static const char *tag_of(const struct request *request, int slot)
{
    const char *const asked = names[slot].format ? word_of(request, names[slot].format) : "";
    const bool matrix = slot == WEIGHTS_LAYER || slot == WEIGHTS_ITER || slot == WEIGHTS_PROJECTION;
    return !asked[0]               ? matrix ? "format_tag_any" : "format_tag_undef"
           : !strcmp(asked, "any") ? "format_tag_any"
                                   : asked;
}

// One row of the table of tensors, its data written into it.
static void add_tensor(struct writer *writer, int slot, bool diff)
{
    struct text *const text = writer->text;
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
        program_add_elements(text, data, data->data, count);
        text_print(text, "}");
    } else
        text_print(text, "NULL");
    text_print(text, ", dnnl_%s, 0, 0, 0, 0},\n", tag_of(writer->program->request, slot));
}

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
                text_print(writer->text, " t[%d].asked,", place(writer, slot, diff));
            else
                text_print(writer->text, " NULL,");
        }
}

// The call that makes a primitive descriptor.
static void add_primitive(struct writer *writer, bool back)
{
    struct text *const text = writer->text;
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
    struct text *const text = writer->text;
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
            program_add_comparison(writer->program, writer->text, output, got);
    }
}

enum error program_fill_onednn(struct program *program, struct diagnostic *diagnostic)
{
    struct template *const template = &program->template;
    const struct judge_result *const result = program->result;
    struct writer writer = {.program = program, .cell = word_of(program->request, "cell")};
    writer.backward = !strcmp(word_of(program->request, "propagation"), "backward");
    if (strcmp(program->request->operation->name, "onednn.rnn") != 0)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "for oneDNN only calls of onednn.rnn are written");
    if (!suite_case_has_values(result->of))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "a call that must be refused is not written for oneDNN");
    if (word_of(program->request, "views")[0])
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "views are not written for oneDNN");
    const bool valued = program->minimized->symptom.valued || result->verdict == VERDICT_MEMORY;
    if (result->verdict != VERDICT_CRASH && !valued)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "a program shows wrong values and crashes, not the verdict %s",
                               verdict_name(result->verdict));
    take_tensors(&writer);
    template_set(template, "VALUED", valued, "1");
    template_set(template, "BACKWARD", writer.backward, "1");
    writer.text = template_add(template, "TENSORS");
    for (int diff = 0; diff <= (writer.backward ? 1 : 0); diff++)
        for (int slot = 0; slot < SLOTS; slot++)
            if (tensor_present(&writer.tensor[slot]))
                add_tensor(&writer, slot, diff);
    writer.text = template_add(template, "EXPECTED");
    if (valued)
        program_add_expected(program, writer.text);
    writer.text = template_add(template, "SCALES");
    add_scales(&writer);
    writer.text = template_add(template, "PRIMITIVES");
    add_primitive(&writer, false);
    if (writer.backward)
        add_primitive(&writer, true);
    text_print(template_add(template, "FORWARD_COUNT"), "%d", place(&writer, SLOTS, false));
    text_print(template_add(template, "BACKWARD_COUNT"), "%d", place(&writer, SLOTS, true));
    writer.text = template_add(template, "COMPARISONS");
    add_comparisons(&writer);
    return ERROR_NONE;
}
