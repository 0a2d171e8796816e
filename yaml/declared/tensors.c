// SPDX-License-Identifier: Apache-2.0
// Attributes, inputs and outputs of a declaration.

#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/text.h"
#include "ref/num/text.h"
#include "yaml/declared/reader.h"

// ---- attributes -------------------------------------------------------------

static const char *const kind_names[] = {"integer",  "boolean", "word",  "dtype",     "sizes",
                                         "integers", "real",    "reals", "onnx_type", NULL};
static const enum attribute_kind kinds[] = {
    ATTRIBUTE_INTEGER, ATTRIBUTE_BOOLEAN, ATTRIBUTE_WORD,  ATTRIBUTE_DTYPE,  ATTRIBUTE_SIZES,
    ATTRIBUTE_SIZES,   ATTRIBUTE_REAL,    ATTRIBUTE_REALS, ATTRIBUTE_INTEGER};
enum { KIND_INTEGERS = 5, KIND_ONNX_TYPE = 8 };

static enum error read_words(struct operator_reader *r, const struct document_node *node,
                             const char *const **words, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "words", diagnostic);
    const char **const to = error ? NULL : arena_take_array(r->arena, node->count + 1, sizeof *to);
    if (!error && !to)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        error = document_expect(node->item[i], DOCUMENT_SCALAR, "a word", diagnostic);
        if (!error && (!node->item[i]->count || strchr(node->item[i]->text, ',')))
            error = document_fail(node->item[i], ERROR_INPUT, diagnostic,
                                  "a word is not empty and has no comma");
        to[i] = node->item[i]->text;
    }
    if (!error && !node->count)
        error = document_fail(node, ERROR_INPUT, diagnostic, "words is empty");
    *words = to;
    return error;
}

static enum error read_types(const struct document_node *node, unsigned *types,
                             struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    const bool list = node->kind == DOCUMENT_SEQUENCE;
    *types = 0;
    if (list && !node->count)
        return document_fail(node, ERROR_INPUT, diagnostic, "types is empty");
    for (size_t i = 0; i < (list ? node->count : 1) && !error; i++) {
        const struct document_node *const item = list ? node->item[i] : node;
        error = document_expect(item, DOCUMENT_SCALAR, "a type", diagnostic);
        const enum dtype type = error ? DTYPE_NONE : dtype_named(item->text);
        if (!error && !type)
            error = document_fail(item, ERROR_INPUT, diagnostic, "'%.40s' is no type", item->text);
        *types |= DTYPE_BIT(type);
    }
    return error;
}

static enum error read_whole(const struct document_node *node, const char *key, int64_t *to,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const value = document_find(node, key);
    long long number = 0;
    if (!value)
        return ERROR_NONE;
    const enum error error =
        document_integer(value, INT64_MIN, INT64_MAX, &number, key, diagnostic);
    *to = number;
    return error;
}

static enum error read_real(const struct document_node *node, struct attribute_spec *spec,
                            struct diagnostic *diagnostic)
{
    uint64_t bits = 0;
    struct diagnostic why = {.text = ""};
    if (num_parse(DTYPE_F32, node->text, node->count, &bits, &why))
        return document_fail(node, ERROR_INPUT, diagnostic, "default: %s", why.text);
    spec->standard_real = (double)float_from_bits((uint32_t)bits);
    return ERROR_NONE;
}

static enum error read_default(const struct document_node *node, struct attribute_spec *spec,
                               struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SCALAR, "default", diagnostic);
    long long number = 0;
    bool flag = false;
    int index;
    if (error)
        return error;
    spec->presence = ATTRIBUTE_DEFAULT;
    switch (spec->kind) {
    case ATTRIBUTE_REAL:
        return read_real(node, spec, diagnostic);
    case ATTRIBUTE_BOOLEAN:
        error = document_boolean(node, &flag, "default", diagnostic);
        spec->standard = flag;
        return error;
    case ATTRIBUTE_WORD:
        index = text_index(spec->words, node->text);
        spec->standard = index;
        return index >= 0 ? ERROR_NONE
                          : document_fail(node, ERROR_INPUT, diagnostic,
                                          "'%.80s' is none of the words", node->text);
    case ATTRIBUTE_DTYPE:
        spec->standard = dtype_named(node->text);
        return DTYPE_BIT(dtype_named(node->text)) & spec->dtypes
                   ? ERROR_NONE
                   : document_fail(node, ERROR_INPUT, diagnostic, "'%.40s' is none of the dtypes",
                                   node->text);
    case ATTRIBUTE_INTEGER:
        error =
            document_integer(node, spec->minimum, spec->maximum, &number, "default", diagnostic);
        spec->standard = number;
        return error;
    default:
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a list has no default: say with present(...) what holds without it");
    }
}

// `name`: what requests call it, as an input is called, too.
static enum error read_name(const struct operator_reader *r, const struct document_node *node,
                            struct attribute_spec *spec, struct diagnostic *diagnostic)
{
    const struct document_node *const name = document_find(node, "name");
    if (name) {
        const enum error error = operator_check_name(r, name, diagnostic);
        if (error)
            return error;
        spec->name = name->text;
    }
    for (unsigned i = 0; i < r->to->operation.attribute_count; i++)
        if (!strcmp(r->attributes[i].name, spec->name))
            return document_fail(name ? name : node, ERROR_INPUT, diagnostic,
                                 "there is an attribute %s already", spec->name);
    return ERROR_NONE;
}

static enum error read_attribute(struct operator_reader *r, const struct document_node *key,
                                 const struct document_node *written, struct attribute_spec *spec,
                                 struct diagnostic *diagnostic)
{
    static const char *const attribute_keys[] = {"kind",  "default", "required", "minimum",
                                                 "name",  "maximum", "words",    "dtypes",
                                                 "about", NULL};
    const struct document_node *node = written;
    enum error error = operator_check_name(r, key, diagnostic);
    if (!error)
        error = operator_attribute_in_full(r, written, &node, diagnostic);
    if (!error)
        error = document_only_keys(node, attribute_keys, "an attribute", diagnostic);
    const char *const kind = error ? NULL : document_text(node, "kind");
    const int index = kind ? text_index(kind_names, kind) : -1;
    if (!error && index < 0)
        error = document_fail(document_find(node, "kind") ? document_find(node, "kind") : node,
                              ERROR_INPUT, diagnostic,
                              "kind is one of integer, boolean, word, dtype, sizes, integers, "
                              "real, reals, onnx_type");
    if (error)
        return error;
    *spec = (struct attribute_spec){
        .name = key->text, .kind = kinds[index], .presence = ATTRIBUTE_OPTIONAL};
    if (spec->kind == ATTRIBUTE_DTYPE || index == KIND_ONNX_TYPE)
        spec->dtypes = DTYPES_ALL;
    if (spec->kind == ATTRIBUTE_INTEGER || index == KIND_INTEGERS)
        spec->minimum = INT64_MIN;
    spec->maximum = spec->kind == ATTRIBUTE_INTEGER ? INT64_MAX : 0;
    if ((error = read_name(r, node, spec, diagnostic)))
        return error;
    const struct document_node *const words = document_find(node, "words"),
                                      *const dtypes = document_find(node, "dtypes"),
                                      *const standard = document_find(node, "default"),
                                      *const required = document_find(node, "required");
    bool needed = false;
    if ((spec->kind == ATTRIBUTE_WORD) != (words != NULL))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "words belong to kind word, which needs them");
    if ((words && (error = read_words(r, words, &spec->words, diagnostic))) ||
        (dtypes && (error = read_types(dtypes, &spec->dtypes, diagnostic))) ||
        (error = read_whole(node, "minimum", &spec->minimum, diagnostic)) ||
        (error = read_whole(node, "maximum", &spec->maximum, diagnostic)) ||
        (required && (error = document_boolean(required, &needed, "required", diagnostic))))
        return error;
    if (spec->kind == ATTRIBUTE_INTEGER && spec->minimum > spec->maximum)
        return document_fail(written, ERROR_INPUT, diagnostic, "no integer lies in %lld..%lld",
                             (long long)spec->minimum, (long long)spec->maximum);
    if (needed)
        spec->presence = ATTRIBUTE_REQUIRED;
    return standard ? read_default(standard, spec, diagnostic) : ERROR_NONE;
}

enum error operator_read_attributes(struct operator_reader *r, const struct document_node *node,
                                    struct diagnostic *diagnostic)
{
    struct operation *const operation = &r->to->operation;
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "attributes", diagnostic);
    if (!error && node->count > OPERATION_ATTRIBUTES_MAX)
        error = document_fail(node, ERROR_INPUT, diagnostic, "more than %d attributes",
                              OPERATION_ATTRIBUTES_MAX);
    r->attributes = error ? NULL : arena_take_array(r->arena, node->count, sizeof *r->attributes);
    r->attribute_called =
        error ? NULL : arena_take_array(r->arena, node->count, sizeof *r->attribute_called);
    if (!error && (!r->attributes || !r->attribute_called))
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        r->attribute_called[i] = node->key[i]->text;
        error = read_attribute(r, node->key[i], node->item[i], &r->attributes[i], diagnostic);
        operation->attribute_count += !error;
    }
    return error;
}

// ---- shapes -----------------------------------------------------------------

static int find_input(const struct operator_reader *r, const char *name)
{
    for (unsigned i = 0; i < r->to->operation.input_count; i++)
        if (!strcmp(r->inputs[i].name, name))
            return (int)i;
    return -1;
}

// A size: a name, which is new where `may_bind`; an expression; or `...`.
static enum error read_dimension(struct operator_reader *r, const struct document_node *node,
                                 bool may_bind, struct graph_dimension *to,
                                 struct diagnostic *diagnostic)
{
    struct graph *const graph = &r->to->graph;
    enum error error = document_expect(node, DOCUMENT_SCALAR, "a size", diagnostic);
    if (error)
        return error;
    if (!strcmp(node->text, "...")) {
        *to = (struct graph_dimension){DIMENSION_REST, 0};
        return ERROR_NONE;
    }
    for (unsigned i = 0; i < graph->name_count; i++)
        if (!strcmp(graph->name[i], node->text)) {
            *to = (struct graph_dimension){DIMENSION_NAME, (uint16_t)i};
            return ERROR_NONE;
        }
    struct diagnostic ignored;
    bool known = !may_bind;
    for (unsigned i = 0; i < r->to->operation.attribute_count; i++)
        known = known || !strcmp(r->attribute_called[i], node->text);
    if (!known && !operator_check_name(r, node, &ignored)) {
        if (graph->name_count == GRAPH_NAMES_MAX)
            return document_fail(node, ERROR_INPUT, diagnostic, "more than %d names of sizes",
                                 GRAPH_NAMES_MAX);
        *to = (struct graph_dimension){DIMENSION_NAME, (uint16_t)graph->name_count};
        graph->name[graph->name_count++] = node->text;
        return ERROR_NONE;
    }
    to->kind = DIMENSION_SIZE;
    return operator_expression(r, node, &to->index, diagnostic);
}

static enum error read_shape(struct operator_reader *r, const struct document_node *node,
                             bool may_bind, struct graph_shape *shape,
                             struct diagnostic *diagnostic)
{
    *shape = (struct graph_shape){.given = node != NULL, .like = -1};
    if (!node)
        return ERROR_NONE;
    if (node->kind == DOCUMENT_SCALAR) {
        shape->like = find_input(r, node->text);
        return shape->like >= 0
                   ? ERROR_NONE
                   : document_fail(node, ERROR_INPUT, diagnostic,
                                   "shape is a list of sizes, or the name of an input before; "
                                   "found '%.80s'",
                                   node->text);
    }
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, "shape", diagnostic);
    unsigned rests = 0;
    if (!error && node->count > GRAPH_RANK_MAX)
        error = document_fail(node, ERROR_INPUT, diagnostic, "more than %d sizes", GRAPH_RANK_MAX);
    for (size_t i = 0; !error && i < node->count; i++) {
        error = read_dimension(r, node->item[i], may_bind, &shape->dimension[i], diagnostic);
        rests += shape->dimension[i].kind == DIMENSION_REST;
        shape->count++;
    }
    return error || rests <= 1
               ? error
               : document_fail(node, ERROR_INPUT, diagnostic, "'...' may stand once in a shape");
}

// ---- inputs and outputs -----------------------------------------------------

static enum error read_input(struct operator_reader *r, const struct document_node *key,
                             const struct document_node *written, struct diagnostic *diagnostic)
{
    static const char *const input_keys[] = {"types", "type", "shape", "optional", "about", NULL};
    struct operation *const operation = &r->to->operation;
    struct graph_input *const input = &r->to->graph.input[operation->input_count];
    struct input_spec *const spec = &r->inputs[operation->input_count];
    const struct document_node *node = written;
    enum error error = operator_check_name(r, key, diagnostic);
    if (!error)
        error = operator_input_in_full(r, written, &node, diagnostic);
    if (!error)
        error = document_only_keys(node, input_keys, "an input", diagnostic);
    if (error)
        return error;
    const struct document_node *const types = document_find(node, "types"),
                                      *const type = document_find(node, "type"),
                                      *const optional = document_find(node, "optional");
    spec->name = key->text;
    input->type_of = -1;
    if (!types == !type)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "an input has types (a list) or type (that of an input before)");
    if (types) {
        error = read_types(types, &input->types, diagnostic);
    } else if (!(error = document_expect(type, DOCUMENT_SCALAR, "type", diagnostic))) {
        input->type_of = find_input(r, type->text);
        if (input->type_of >= 0)
            input->types = r->to->graph.input[input->type_of].types;
        else
            error = read_types(type, &input->types, diagnostic);
    }
    if (!error)
        error = read_shape(r, document_find(node, "shape"), true, &input->shape, diagnostic);
    if (!error && optional)
        error = document_boolean(optional, &spec->optional, "optional", diagnostic);
    operation->input_count += !error;
    return error;
}

enum error operator_read_inputs(struct operator_reader *r, const struct document_node *node,
                                struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "inputs", diagnostic);
    if (!error && node->count > OPERATION_INPUTS_MAX)
        error = document_fail(node, ERROR_INPUT, diagnostic, "more than %d inputs",
                              OPERATION_INPUTS_MAX);
    r->inputs = error ? NULL : arena_take_array(r->arena, node->count, sizeof *r->inputs);
    if (!error && !r->inputs)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        error = read_input(r, node->key[i], node->item[i], diagnostic);
    return error;
}

static enum error read_output(struct operator_reader *r, const struct document_node *key,
                              const struct document_node *node, struct diagnostic *diagnostic)
{
    static const char *const output_keys[] = {"type", "shape", "level", "about", NULL};
    static const char *const levels[] = {"bits", "bound", NULL};
    struct graph_output *const output = &r->to->graph.output[r->output_count];
    enum error error = operator_check_name(r, key, diagnostic);
    if (!error)
        error = document_only_keys(node, output_keys, "an output", diagnostic);
    if (error)
        return error;
    const struct document_node *const type = document_find(node, "type"), *const level =
                                                                              document_find(
                                                                                  node, "level");
    const int index =
        level && level->kind == DOCUMENT_SCALAR ? text_index(levels, level->text) : -1;
    if (index < 0)
        return document_fail(level ? level : node, ERROR_INPUT, diagnostic,
                             "an output has level bits (the text leaves no freedom) or bound");
    output->level = index ? LEVEL_BOUND : LEVEL_BITS;
    output->typed = type != NULL;
    if (type && (error = operator_read_type(r, type, &output->type, diagnostic)))
        return error;
    r->outputs[r->output_count++] = key->text;
    return read_shape(r, document_find(node, "shape"), false, &output->shape, diagnostic);
}

enum error operator_read_outputs(struct operator_reader *r, const struct document_node *node,
                                 struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "outputs", diagnostic);
    if (!error && (!node->count || node->count >= OPERATION_OUTPUTS_MAX))
        error = document_fail(node, ERROR_INPUT, diagnostic, "1 to %d outputs",
                              OPERATION_OUTPUTS_MAX - 1);
    r->outputs = error ? NULL : arena_take_array(r->arena, node->count + 1, sizeof *r->outputs);
    if (!error && !r->outputs)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++)
        error = read_output(r, node->key[i], node->item[i], diagnostic);
    return error;
}
