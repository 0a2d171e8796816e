// SPDX-License-Identifier: Apache-2.0
// A message is a list of fields. A field is a tag (its number and how its value is written) and a
// value: a varint, four bytes, or a length with so many bytes. A message inside another is written
// apart first, since its length comes before it.

#include "vectors/onnx.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/text.h"
#include "ref/op/declared/graph.h"

// IR version 10 knows initializers that are no inputs; some types came later.
enum { IR_VERSION = 10 };

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FOUR_BYTES = 5 };

// Numbers of fields, message by message.
enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7 };
enum { MODEL_OPSET_IMPORT = 8, OPSET_DOMAIN = 1, OPSET_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_FLOATS = 7
};
enum { ATTRIBUTE_INTS = 8, ATTRIBUTE_STRINGS = 9, ATTRIBUTE_TYPE = 20 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_TYPE_ELEMENT = 1 };
enum { TENSOR_TYPE_SHAPE = 2, SHAPE_DIM = 1, DIM_VALUE = 1 };
enum { TENSOR_DIMS = 1, TENSOR_DATA_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW_DATA = 9 };

// AttributeProto.AttributeType.
enum {
    TYPE_FLOAT = 1,
    TYPE_INT = 2,
    TYPE_STRING = 3,
    TYPE_FLOATS = 6,
    TYPE_INTS = 7,
    TYPE_STRINGS = 8
};

// TensorProto.DataType.
static const uint8_t data_types[DTYPE_COUNT] = {
    [DTYPE_F32] = 1,         [DTYPE_U8] = 2,      [DTYPE_I8] = 3,      [DTYPE_U16] = 4,
    [DTYPE_I16] = 5,         [DTYPE_I32] = 6,     [DTYPE_I64] = 7,     [DTYPE_BOOL] = 9,
    [DTYPE_F16] = 10,        [DTYPE_F64] = 11,    [DTYPE_U32] = 12,    [DTYPE_U64] = 13,
    [DTYPE_BF16] = 16,       [DTYPE_F8E4M3] = 17, [DTYPE_F8E5M2] = 19, [DTYPE_F8E4M3FNUZ] = 18,
    [DTYPE_F8E5M2FNUZ] = 20, [DTYPE_F8E8M0] = 24, [DTYPE_F4E2M1] = 23, [DTYPE_U4] = 21,
    [DTYPE_I4] = 22,         [DTYPE_U2] = 25,     [DTYPE_I2] = 26,
};

// ---- the wire format ----------------------------------------------------------

static void put_varint(struct text *text, uint64_t value)
{
    do {
        const char byte = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        text_put_bytes(text, &byte, 1);
        value >>= 7;
    } while (value);
}

static void put_tag(struct text *text, unsigned field, enum wire wire)
{
    put_varint(text, (uint64_t)field << 3 | (unsigned)wire);
}

// Negative numbers are those of 64 bits.
static void put_integer(struct text *text, unsigned field, int64_t value)
{
    put_tag(text, field, WIRE_VARINT);
    put_varint(text, (uint64_t)value);
}

static void put_float(struct text *text, unsigned field, double value)
{
    const uint32_t bits = float_bits((float)value);
    uint32_t bytes;
    put_tag(text, field, WIRE_FOUR_BYTES);
    bytes_copy_little_endian(&bytes, &bits, sizeof bits, 1);
    text_put_bytes(text, (const char *)&bytes, sizeof bytes);
}

static void put_bytes(struct text *text, unsigned field, const char *bytes, size_t size)
{
    put_tag(text, field, WIRE_BYTES);
    put_varint(text, size);
    text_put_bytes(text, bytes, size);
}

static void put_words(struct text *text, unsigned field, const char *words)
{
    put_bytes(text, field, words, strlen(words));
}

// Appends the message `inner`, which is done with.
static void put_message(struct text *text, unsigned field, struct text *inner)
{
    put_bytes(text, field, inner->size ? inner->bytes : "", inner->size);
    text->failed = text->failed || inner->failed;
    text_release(inner);
}

// ---- tensors ------------------------------------------------------------------

// raw_data: little-endian; of 4 and 2 bits as many elements as fit in a byte, the first in the low
// bits, the rest of the last byte 0.
static size_t put_data(const struct tensor *tensor, unsigned char *to, size_t bytes)
{
    const size_t size = dtype_size(tensor->dtype);
    const unsigned bits = dtype_bits(tensor->dtype), each = 8 / bits;
    if (each < 2) {
        if (bytes)
            bytes_copy_little_endian(to, tensor->data, size, bytes / size);
        return bytes;
    }
    memset(to, 0, bytes);
    for (size_t i = 0; i < bytes; i++)
        to[i / each] |= (unsigned char)(((const unsigned char *)tensor->data)[i]
                                        << bits * (unsigned)(i % each));
    return (bytes + each - 1) / each;
}

void onnx_put_tensor(struct text *text, const char *name, const struct tensor *tensor)
{
    size_t bytes = 0;
    assert(tensor_present(tensor) && data_types[tensor->dtype]);
    for (unsigned i = 0; i < tensor->rank; i++)
        put_integer(text, TENSOR_DIMS, (int64_t)tensor->shape[i]);
    put_integer(text, TENSOR_DATA_TYPE, data_types[tensor->dtype]);
    put_words(text, TENSOR_NAME, name);
    unsigned char *const data = tensor_bytes(tensor, &bytes) ? malloc(bytes + 1) : NULL;
    if (!data) {
        text->failed = true;
        return;
    }
    put_bytes(text, TENSOR_RAW_DATA, (const char *)data, put_data(tensor, data, bytes));
    free(data);
}

static void put_value(struct text *graph, unsigned field, const char *name,
                      const struct tensor *tensor)
{
    struct text value = {0}, type = {0}, of_tensor = {0}, shape = {0};
    for (unsigned i = 0; i < tensor->rank; i++) {
        struct text dim = {0};
        put_integer(&dim, DIM_VALUE, (int64_t)tensor->shape[i]);
        put_message(&shape, SHAPE_DIM, &dim);
    }
    put_integer(&of_tensor, TENSOR_TYPE_ELEMENT, data_types[tensor->dtype]);
    put_message(&of_tensor, TENSOR_TYPE_SHAPE, &shape);
    put_message(&type, TYPE_TENSOR, &of_tensor);
    put_words(&value, VALUE_NAME, name);
    put_message(&value, VALUE_TYPE, &type);
    put_message(graph, field, &value);
}

// ---- the node -----------------------------------------------------------------

static const char prefix[] = "onnx.", hidden_size[] = "hidden_size", opset[] = "opset";

bool onnx_is_operator(const struct operation *operation)
{
    return !strncmp(operation->name, prefix, sizeof prefix - 1);
}

bool onnx_has_opset(const struct operation *operation)
{
    return operation_attribute(operation, opset) >= 0;
}

// A word of a name begins with a capital; these are spelled otherwise.
const char *onnx_operator_name(const struct operation *operation, char name[ONNX_NAME_SIZE])
{
    static const struct {
        const char *word, *spelled;
    } others[] = {{"rnn", "RNN"}, {"gru", "GRU"}, {"lstm", "LSTM"},    {"rms", "RMS"},
                  {"lrn", "LRN"}, {"nan", "NaN"}, {"swiglu", "SwiGLU"}};
    const char *at = operation->name + sizeof prefix - 1;
    size_t size = 0;
    assert(onnx_is_operator(operation));
    while (*at && size + 1 < ONNX_NAME_SIZE) {
        const size_t length = strcspn(at, "_");
        const char *from = at;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (strlen(others[i].word) == length && !strncmp(others[i].word, at, length))
                from = others[i].spelled;
        for (size_t i = 0; i < length && size + 1 < ONNX_NAME_SIZE; i++)
            name[size++] = (char)(i ? from[i] : toupper((unsigned char)from[i]));
        at += length + (at[length] == '_');
    }
    name[size] = '\0';
    return name;
}

bool onnx_gives(const struct request *request, const struct inference *inference, unsigned index)
{
    return tensor_present(&inference->output[index]) &&
           (!request->outputs || request->outputs >> index & 1);
}

static void put_list(struct text *text, const struct attribute_spec *spec,
                     const struct attribute_value *value)
{
    for (size_t i = 0; i < value->count; i++)
        if (spec->kind == ATTRIBUTE_REALS)
            put_float(text, ATTRIBUTE_FLOATS, value->reals[i]);
        else if (spec->kind == ATTRIBUTE_WORDS)
            put_words(text, ATTRIBUTE_STRINGS, spec->words[value->integers[i]]);
        else
            put_integer(text, ATTRIBUTE_INTS, value->integers[i]);
}

static void put_attribute(struct text *node, const struct attribute_spec *spec,
                          const struct attribute_value *value)
{
    static const uint8_t types[] = {
        [ATTRIBUTE_INTEGER] = TYPE_INT,   [ATTRIBUTE_INTEGER64] = TYPE_INT,
        [ATTRIBUTE_BOOLEAN] = TYPE_INT,   [ATTRIBUTE_WORD] = TYPE_STRING,
        [ATTRIBUTE_DTYPE] = TYPE_INT,     [ATTRIBUTE_SIZES] = TYPE_INTS,
        [ATTRIBUTE_WORDS] = TYPE_STRINGS, [ATTRIBUTE_REAL] = TYPE_FLOAT,
        [ATTRIBUTE_REALS] = TYPE_FLOATS,
    };
    const uint8_t type = types[spec->kind];
    struct text text = {0};
    put_words(&text, ATTRIBUTE_NAME, spec->name);
    if (type == TYPE_FLOAT)
        put_float(&text, ATTRIBUTE_F, value->real);
    else if (type == TYPE_STRING)
        put_words(&text, ATTRIBUTE_S, spec->words[value->integer]);
    else if (type == TYPE_INT)
        put_integer(&text, ATTRIBUTE_I,
                    spec->kind == ATTRIBUTE_DTYPE ? data_types[value->integer] : value->integer);
    else
        put_list(&text, spec, value);
    put_integer(&text, ATTRIBUTE_TYPE, type);
    put_message(node, NODE_ATTRIBUTE, &text);
}

// Those among `names` (NULL: all).
static void put_attributes(struct text *node, const struct request *request,
                           const char *const *names)
{
    const struct operation *const operation = request->operation;
    const int r = operation_input(operation, "R");
    for (unsigned i = 0; i < operation->attribute_count; i++) {
        const struct attribute_spec *const spec = &operation->attributes[i];
        struct attribute_value value = request->attribute[i];
        const bool standard = spec->presence == ATTRIBUTE_DEFAULT && spec->kind != ATTRIBUTE_REAL &&
                              value.integer == spec->standard;
        if (!strcmp(spec->name, opset) || (names && text_index(names, spec->name) < 0))
            continue;
        if (!strcmp(spec->name, hidden_size) && !value.given && r >= 0 &&
            request->input[r].rank == 3)
            value = (struct attribute_value){.given = true,
                                             .integer = (int64_t)request->input[r].shape[2]};
        if (value.given && !standard)
            put_attribute(node, spec, &value);
    }
}

static void put_node(struct text *graph, const struct request *request,
                     const struct inference *inference)
{
    const struct operation *const operation = request->operation;
    char name[ONNX_NAME_SIZE];
    struct text node = {0};
    unsigned inputs = 0, outputs = 0;
    for (unsigned i = 0; i < operation->input_count; i++)
        inputs = tensor_present(&request->input[i]) ? i + 1 : inputs;
    for (unsigned i = 0; operation->outputs[i]; i++)
        outputs = onnx_gives(request, inference, i) ? i + 1 : outputs;
    for (unsigned i = 0; i < inputs; i++) // what is absent between others has an empty name
        put_words(&node, NODE_INPUT,
                  tensor_present(&request->input[i]) ? operation->inputs[i].name : "");
    for (unsigned i = 0; i < outputs; i++)
        put_words(&node, NODE_OUTPUT,
                  onnx_gives(request, inference, i) ? operation->outputs[i] : "");
    put_words(&node, NODE_OP_TYPE, onnx_operator_name(operation, name));
    put_attributes(&node, request, NULL);
    put_message(graph, GRAPH_NODE, &node);
}

// The nodes as which a declared operator is written.
static void put_nodes(struct text *graph, const struct request *request)
{
    const struct graph *const of = declared_graph(request->operation);
    for (unsigned i = 0; i < of->onnx_count; i++) {
        const struct onnx_node *const from = &of->onnx[i];
        struct text node = {0};
        for (const char *const *name = from->inputs; *name; name++)
            put_words(&node, NODE_INPUT, *name);
        for (const char *const *name = from->outputs; *name; name++)
            put_words(&node, NODE_OUTPUT, *name);
        put_words(&node, NODE_OP_TYPE, from->type);
        put_attributes(&node, request, from->attributes);
        put_message(graph, GRAPH_NODE, &node);
    }
}

// ---- the model ----------------------------------------------------------------

static void put_graph(struct text *model, const struct request *request,
                      const struct inference *inference, uint32_t initializers)
{
    const struct operation *const operation = request->operation;
    struct text graph = {0};
    if (declared_is(operation) && declared_graph(operation)->onnx_count)
        put_nodes(&graph, request);
    else
        put_node(&graph, request, inference);
    put_words(&graph, GRAPH_NAME, request->id ? request->id : operation->name);
    for (unsigned i = 0; i < operation->input_count; i++) {
        struct text tensor = {0};
        if (!tensor_present(&request->input[i]) || !(initializers >> i & 1))
            continue;
        onnx_put_tensor(&tensor, operation->inputs[i].name, &request->input[i]);
        put_message(&graph, GRAPH_INITIALIZER, &tensor);
    }
    for (unsigned i = 0; i < operation->input_count; i++)
        if (tensor_present(&request->input[i]) && !(initializers >> i & 1))
            put_value(&graph, GRAPH_INPUT, operation->inputs[i].name, &request->input[i]);
    for (unsigned i = 0; operation->outputs[i]; i++)
        if (onnx_gives(request, inference, i))
            put_value(&graph, GRAPH_OUTPUT, operation->outputs[i], &inference->output[i]);
    put_message(model, MODEL_GRAPH, &graph);
}

static int version_of(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_F4E2M1:
        return 11;
    case DTYPE_F8E8M0:
        return 12;
    case DTYPE_I2:
    case DTYPE_U2:
        return 13;
    default:
        return IR_VERSION;
    }
}

// The first version of the format that knows every type of the model.
static int ir_version(const struct request *request, const struct inference *inference)
{
    const struct operation *const operation = request->operation;
    int version = IR_VERSION;
    for (unsigned i = 0; i < operation->input_count; i++)
        if (version_of(request->input[i].dtype) > version)
            version = version_of(request->input[i].dtype);
    for (unsigned i = 0; operation->outputs[i]; i++)
        if (version_of(inference->output[i].dtype) > version)
            version = version_of(inference->output[i].dtype);
    return version;
}

void onnx_put_model(struct text *text, const struct request *request,
                    const struct inference *inference, uint32_t initializers)
{
    const int version = operation_attribute(request->operation, opset);
    struct text import = {0};
    assert(version >= 0);
    put_integer(text, MODEL_IR_VERSION, ir_version(request, inference));
    put_words(text, MODEL_PRODUCER, "assay");
    put_graph(text, request, inference, initializers);
    put_words(&import, OPSET_DOMAIN, "");
    put_integer(&import, OPSET_VERSION, request->attribute[version].integer);
    put_message(text, MODEL_OPSET_IMPORT, &import);
}
