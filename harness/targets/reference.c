// SPDX-License-Identifier: Apache-2.0
// The reference as a target like any other: a request of the ABI turned back into one of ref/op and
// evaluated.
//
// It shows that nothing is lost on the way through worker, shared memory and plugin, and that the
// harness accuses no target wrongly.

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/plugin.h"
#include "harness/targets/helper/request.h"
#include "harness/targets/helper/stateless.h"
#include "ref/base/arena.h"
#include "ref/base/bytes.h"
#include "ref/base/text.h"
#include "ref/num/small_float.h"
#include "ref/op/operation.h"
#include "ref/op/request.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"
#include "ref/variant/variant.h"
#include "yaml/declared/operator.h"

_Static_assert((int)ASSAY_BOOL == (int)DTYPE_BOOL && (int)ASSAY_F64 == (int)DTYPE_F64 &&
                   (int)ASSAY_DTYPE_LAST == (int)DTYPE_COUNT - 1,
               "the ABI numbers dtypes as ref/base does");

static const char *version(struct assay_session *session)
{
    (void)session;
    return "of this program";
}

// RandomUniform with both seeds zero: a sequence left to chance, which a reference does not have.
static bool asks_for_chance(const struct assay_request *request)
{
    if (strcmp(request->operation, "openvino.random_uniform") != 0)
        return false;
    return !assay_integer(request, "global_seed", 0) && !assay_integer(request, "op_seed", 0);
}

static const char *declaration_of(const struct assay_request *request)
{
    return request->size > offsetof(struct assay_request, declaration) ? request->declaration
                                                                       : NULL;
}

// ---- declarations -------------------------------------------------------------
// What was read of a declaration is kept as long as the session: the cases of a suite bring the
// same few again and again.

struct assay_session {
    pthread_mutex_t lock;
    struct arena arena;
    unsigned count;
    const struct declared_operation *read[OPERATORS_MAX];
};

static enum assay_status open_session(struct assay_session **result, struct assay_message *message)
{
    struct assay_session *const session = calloc(1, sizeof *session);
    if (!session || pthread_mutex_init(&session->lock, NULL)) {
        free(session);
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    }
    *result = session;
    return ASSAY_OK;
}

static void close_session(struct assay_session *session)
{
    arena_release(&session->arena);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

// An instance is its session.
static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    (void)request, (void)message;
    *instance = (struct assay_instance *)session;
    return ASSAY_OK;
}

static enum error read_declaration(const char *name, const char *text, struct arena *arena,
                                   struct declared_operation **declared,
                                   struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(arena, sizeof *source);
    char *const copy = arena_copy_text(arena, text, strlen(text));
    char *const copied_name = arena_copy_text(arena, name, strlen(name));
    if (!source || !copy || !copied_name)
        return diagnostic_no_memory(diagnostic);
    *source = (struct document_source){copied_name, copy, strlen(copy), 0};
    return operator_read(source, arena, declared, diagnostic);
}

// Those that are beyond what a session keeps are read into `arena`, for this call.
static enum error find_declared(struct assay_session *session, const char *name, const char *text,
                                struct arena *arena, const struct operation **operation,
                                struct diagnostic *diagnostic)
{
    struct declared_operation *declared = NULL;
    enum error error = ERROR_NONE;
    unsigned i = 0;
    pthread_mutex_lock(&session->lock);
    while (i < session->count && (strcmp(session->read[i]->operation.name, name) != 0 ||
                                  strcmp(session->read[i]->graph.text, text) != 0))
        i++;
    const bool kept = i < session->count, room = i < OPERATORS_MAX;
    if (!kept)
        error = read_declaration(name, text, room ? &session->arena : arena, &declared, diagnostic);
    if (!kept && !error && room)
        session->read[session->count++] = declared;
    if (!error)
        *operation = kept ? &session->read[i]->operation : &declared->operation;
    pthread_mutex_unlock(&session->lock);
    return error;
}

// The operation: as it is declared, or one of the table.
static enum error find_operation(struct assay_session *session, const struct assay_request *from,
                                 struct arena *arena, const struct operation **operation,
                                 struct diagnostic *diagnostic)
{
    const char *const text = declaration_of(from);
    *operation = text ? NULL : operation_named(from->operation);
    if (text)
        return find_declared(session, from->operation, text, arena, operation, diagnostic);
    return *operation ? ERROR_NONE
                      : diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "no operation '%s'",
                                        from->operation);
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    (void)session;
    if (!declaration_of(request) && !operation_named(request->operation))
        return assay_answer(message, ASSAY_UNSUPPORTED, "the reference has no operation '%s'",
                            request->operation);
    if (asks_for_chance(request))
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "the reference gives no nondeterministic sequence");
    return ASSAY_OK;
}

// A list of words as text, with commas between them: their indices in the specification's list.
static bool take_words(const struct attribute_spec *spec, const struct assay_attribute *from,
                       struct arena *arena, struct attribute_value *value)
{
    int64_t *const index = arena_take_array(arena, from->count + 1, sizeof *index);
    const char *at = from->text;
    value->integers = index;
    for (uint32_t i = 0; index && i < from->count; i++) {
        const size_t length = strcspn(at, ",");
        while (spec->words[index[i]] && (strlen(spec->words[index[i]]) != length ||
                                         strncmp(spec->words[index[i]], at, length) != 0))
            index[i]++;
        if (!spec->words[index[i]])
            return false;
        at += length + (at[length] == ',');
    }
    return index && !*at;
}

static enum error take_attribute(const struct operation *operation,
                                 const struct assay_attribute *from, struct arena *arena,
                                 struct request *request, struct diagnostic *diagnostic)
{
    const int index = operation_attribute(operation, from->name);
    if (index < 0)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s has no attribute '%s'",
                               operation->name, from->name);
    const struct attribute_spec *const spec = &operation->attributes[index];
    struct attribute_value *const value = &request->attribute[index];
    value->present = value->given = true;
    value->integer = from->integer;
    value->real = from->real;
    value->count = from->count;
    value->integers = from->integers;
    value->reals = from->reals;
    const bool text = spec->kind == ATTRIBUTE_WORD || spec->kind == ATTRIBUTE_DTYPE ||
                      spec->kind == ATTRIBUTE_WORDS;
    if (text != (from->kind == ASSAY_TEXT))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute '%s' is of another kind", from->name);
    bool right = true;
    if (spec->kind == ATTRIBUTE_DTYPE) {
        value->integer = (int64_t)dtype_named(from->text);
        right = DTYPE_BIT((unsigned)value->integer) & spec->dtypes;
    } else if (spec->kind == ATTRIBUTE_WORD) {
        value->integer = text_index(spec->words, from->text);
        right = value->integer >= 0;
    } else if (spec->kind == ATTRIBUTE_WORDS) {
        right = take_words(spec, from, arena, value);
    } else if (spec->kind == ATTRIBUTE_INTEGER) {
        right = value->integer >= spec->minimum && value->integer <= spec->maximum;
    }
    for (size_t i = 0; spec->kind == ATTRIBUTE_SIZES && i < value->count; i++)
        right = right && value->integers[i] >= spec->minimum;
    return right ? ERROR_NONE
                 : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "attribute '%s' cannot have this value", from->name);
}

static enum error check_complete(const struct request *request, struct diagnostic *diagnostic)
{
    const struct operation *const operation = request->operation;
    for (unsigned i = 0; i < operation->attribute_count; i++)
        if (operation->attributes[i].presence == ATTRIBUTE_REQUIRED &&
            !request->attribute[i].present)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "attribute '%s' is required",
                                   operation->attributes[i].name);
    for (unsigned i = 0; i < operation->input_count; i++)
        if (!operation->inputs[i].optional && !tensor_present(&request->input[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "input '%s' is required",
                                   operation->inputs[i].name);
    return ERROR_NONE;
}

// Copies between a tensor, wherever its strides put its elements, and dense memory.
static void move_elements(const struct assay_tensor *tensor, unsigned char *dense, bool in)
{
    const size_t size = dtype_size((enum dtype)tensor->dtype);
    const int64_t count = assay_element_count(tensor);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, at = 0;
        for (int32_t d = tensor->layout.ndim; d-- > 0; rest /= tensor->layout.shape[d])
            at += rest % tensor->layout.shape[d] * tensor->layout.strides[d];
        unsigned char *const place = (unsigned char *)tensor->layout.data + (size_t)at * size;
        memcpy(in ? dense + (size_t)i * size : place, in ? place : dense + (size_t)i * size, size);
    }
}

static enum error take_tensor(const struct assay_tensor *from, struct tensor *to,
                              struct diagnostic *diagnostic)
{
    if (from->layout.ndim < 0 || from->layout.ndim > TENSOR_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "tensor '%s' has a form that the reference does not take",
                               from->name);
    to->dtype = (enum dtype)from->dtype;
    to->rank = (unsigned)from->layout.ndim;
    for (unsigned d = 0; d < to->rank; d++)
        to->shape[d] = (uint64_t)from->layout.shape[d];
    to->data = from->layout.data;
    return ERROR_NONE;
}

// The same, dense whatever its strides.
static enum error take_input(const struct assay_tensor *from, struct arena *arena,
                             struct tensor *to, struct diagnostic *diagnostic)
{
    size_t bytes = 0;
    const enum error error = take_tensor(from, to, diagnostic);
    if (error || !from->layout.strides || !to->data || !tensor_bytes(to, &bytes))
        return error;
    to->data = arena_take(arena, bytes);
    if (!to->data)
        return diagnostic_no_memory(diagnostic);
    move_elements(from, to->data, true);
    return ERROR_NONE;
}

static enum error take_request(struct assay_session *session, const struct assay_request *from,
                               struct arena *arena, struct request *request,
                               struct diagnostic *diagnostic)
{
    const struct operation *operation;
    enum error error = find_operation(session, from, arena, &operation, diagnostic);
    if (error)
        return error;
    request_start(request, operation);
    for (size_t i = 0; i < from->attribute_count && !error; i++)
        error = take_attribute(operation, &from->attributes[i], arena, request, diagnostic);
    for (size_t i = 0; i < from->input_count && !error; i++) {
        const int index = operation_input(operation, from->inputs[i].name);
        error = index < 0
                    ? diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "%s has no input '%s'",
                                      operation->name, from->inputs[i].name)
                    : take_input(&from->inputs[i], arena, &request->input[index], diagnostic);
    }
    for (size_t i = 0; i < from->output_count && !error; i++) {
        const int index = operation_output(operation, from->outputs[i].name);
        if (index < 0)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "no output '%s'",
                                   from->outputs[i].name);
        request->outputs |= 1u << index;
    }
    if (!error)
        error = check_complete(request, diagnostic);
    request->windowed = from->window_count > 0;
    request->window_first = from->window_first;
    request->window_count = from->window_count;
    return error;
}

// Straight into the caller's memory where any slice can be computed alone.
static enum error stream(const struct assay_request *from, const struct request *request,
                         const struct inference *inference, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < from->output_count; i++) {
        struct slice slice = {
            .output = (unsigned)operation_output(request->operation, from->outputs[i].name),
            .data = from->outputs[i].layout.data};
        if (request->windowed && i == 0) {
            slice.first = request->window_first;
            slice.count = request->window_count;
        } else if (!tensor_count(&inference->output[slice.output], &slice.count))
            return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "output '%s' is too large",
                                   from->outputs[i].name);
        const enum error error =
            variant_fill(request, inference, &slice, from->threads, diagnostic);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

static enum error evaluate(const struct assay_request *from, const struct request *request,
                           struct arena *arena, struct diagnostic *diagnostic)
{
    struct evaluation evaluation;
    enum error error = variant_evaluate(request, arena, &evaluation, diagnostic);
    for (size_t i = 0; i < from->output_count && !error; i++) {
        const int index = operation_output(request->operation, from->outputs[i].name);
        const struct tensor *const tensor = &evaluation.tensor[index];
        size_t bytes = 0;
        if (!tensor_present(tensor) || !tensor_bytes(tensor, &bytes))
            error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                    "output '%s' does not exist", from->outputs[i].name);
        else if (request->windowed && i == 0)
            bytes = (size_t)request->window_count * dtype_size(tensor->dtype);
        if (!error && from->outputs[i].layout.strides)
            move_elements(&from->outputs[i], tensor->data, false);
        else if (!error && bytes)
            memcpy(from->outputs[i].layout.data, tensor->data, bytes);
    }
    return error;
}

// ---- draws --------------------------------------------------------------------
// Where the text leaves the values of a random operator of ONNX to chance, any right draws will do:
// these are made of Philox words, of the seed or of the time.

static double attribute_of(const struct request *request, const char *name, double standard)
{
    const int index = operation_attribute(request->operation, name);
    return index >= 0 && request->attribute[index].present ? request->attribute[index].real
                                                           : standard;
}

static double element_of(const struct tensor *tensor, uint64_t index)
{
    return num_to_double(tensor->dtype,
                         element_load(tensor->data, dtype_size(tensor->dtype), (size_t)index));
}

static uint64_t entropy(const struct request *request)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000007) + (uint64_t)now.tv_nsec +
           ((uint64_t)(uintptr_t)request << 32);
}

// Of the weights of a row up to each class the sums, up to a factor. Whatever class has none is
// never drawn.
static void add_up(const struct tensor *input, uint64_t row, double *sums)
{
    const uint64_t classes = input->shape[1];
    double largest = -INFINITY, all = 0;
    for (uint64_t i = 0; i < classes; i++)
        largest = fmax(largest, element_of(input, row * classes + i));
    for (uint64_t i = 0; i < classes; i++)
        sums[i] = all += exp(element_of(input, row * classes + i) - largest);
}

// The class below which the part `u`, less than 1, of all weights lies.
static double class_of(const double *sums, uint64_t classes, double u)
{
    uint64_t class = 0;
    while (class + 1 < classes && sums[class] <= u * sums[classes - 1])
        class ++;
    return (double)class;
}

// What one operator makes of two numbers in [0, 1).
struct drawing {
    const struct request *request;
    enum { RANGE, NORMAL, ONES, CLASSES } kind;
    double low, scale;
    uint64_t each; // draws of a row
    uint64_t row;  // whose sums these are
    double *sums;
};

static double value_of(struct drawing *drawing, uint64_t index, double u, double v)
{
    const struct tensor *const input = &drawing->request->input[0];
    switch (drawing->kind) {
    case ONES:
        return u < element_of(input, index);
    case NORMAL:
        return drawing->low + drawing->scale * sqrt(-2 * log(v)) * cos(2 * acos(-1) * u);
    case RANGE:
        return drawing->low + u * drawing->scale;
    case CLASSES:
        break;
    }
    if (index % drawing->each == 0 || index / drawing->each != drawing->row)
        add_up(input, drawing->row = index / drawing->each, drawing->sums);
    return class_of(drawing->sums, input->shape[1], u);
}

static enum error draw(const struct request *request, const struct tensor *output, void *data,
                       struct arena *arena, struct diagnostic *diagnostic)
{
    enum { CHUNK = 1024, WORDS = 4 }; // a block of words for each draw
    const double seed = attribute_of(request, "seed", NAN), high = attribute_of(request, "high", 1),
                 scale = attribute_of(request, "scale", 0);
    const bool ones = !strcmp(request->operation->name, "onnx.bernoulli"),
               classes = !strcmp(request->operation->name, "onnx.multinomial");
    const uint64_t start = isnan(seed) ? entropy(request) : double_bits(seed);
    const struct philox_stream stream = {.key = {(uint32_t)start, (uint32_t)(start >> 32)},
                                         .counter = {0, 0, isnan(seed) ? 1U : 0U},
                                         .rounds = PHILOX_ROUNDS,
                                         .carry_words = 2};
    struct drawing drawing = {.request = request,
                              .kind = ones        ? ONES
                                      : classes   ? CLASSES
                                      : scale > 0 ? NORMAL
                                                  : RANGE,
                              .low = attribute_of(request, scale > 0 ? "mean" : "low", 0),
                              .each = classes ? output->shape[1] : 1};
    drawing.scale = scale > 0 ? scale : high - drawing.low;
    drawing.sums =
        arena_take_array(arena, classes ? (size_t)request->input[0].shape[1] : 1, sizeof(double));
    if (!drawing.sums)
        return diagnostic_no_memory(diagnostic);
    const bool is_narrow = output->dtype == DTYPE_F16 || output->dtype == DTYPE_BF16,
               whole = dtype_kind(output->dtype) != DTYPE_KIND_FLOAT;
    const size_t size = dtype_size(output->dtype);
    uint64_t count = 0;
    tensor_count(output, &count);
    for (uint64_t first = 0; first < count; first += CHUNK) {
        const size_t some = (size_t)(count - first < CHUNK ? count - first : CHUNK);
        uint32_t word[CHUNK * WORDS];
        double value[CHUNK];
        float single[CHUNK];
        philox_fill_u32(&stream, first * WORDS, some * WORDS, word);
        for (size_t i = 0; i < some; i++) {
            const uint32_t *const own = &word[i * WORDS];
            const uint64_t upper = (uint64_t)own[0] << 20 ^ own[1] >> 12;
            value[i] = value_of(&drawing, first + i, (double)upper * 0x1p-52,
                                ((double)own[2] + 0.5) * 0x1p-32);
            single[i] = (float)value[i];
        }
        char *const to = (char *)data + first * size;
        for (size_t i = 0; whole && i < some; i++) // numbers of classes
            element_store(to, size, i, (uint64_t)value[i]);
        if (whole)
            continue;
        if (is_narrow)
            num_convert_array(output->dtype, to, DTYPE_F32, single, some); // quicker
        else
            num_convert_array(output->dtype, to, DTYPE_F64, value, some);
    }
    return ERROR_NONE;
}

static enum assay_status answer(struct assay_session *session, const struct assay_request *from,
                                struct arena *arena, struct assay_message *message)
{
    struct request request;
    struct inference inference = {0};
    struct diagnostic diagnostic;
    enum error error = take_request(session, from, arena, &request, &diagnostic);
    if (!error)
        error = variant_infer(&request, &inference, &diagnostic);
    const bool drawn = error == ERROR_NONDETERMINISTIC && tensor_present(&inference.output[0]);
    error = drawn ? ERROR_NONE : error;
    for (size_t i = 0; i < from->output_count && !error; i++) {
        struct tensor wanted = {0};
        const int index = operation_output(request.operation, from->outputs[i].name);
        error = take_tensor(&from->outputs[i], &wanted, &diagnostic);
        if (!error && (wanted.dtype != inference.output[index].dtype ||
                       !tensor_same_shape(&wanted, &inference.output[index])))
            return assay_answer(message, ASSAY_WRONG_RESULT,
                                "output '%s' has another type or shape", from->outputs[i].name);
    }
    if (!error && drawn)
        error =
            draw(&request, &inference.output[0], from->outputs[0].layout.data, arena, &diagnostic);
    else if (!error)
        error = variant_streams(&request) ? stream(from, &request, &inference, &diagnostic)
                                          : evaluate(from, &request, arena, &diagnostic);
    if (!error)
        return ASSAY_OK;
    return assay_answer(
        message, error == ERROR_INTERNAL || error == ERROR_SYSTEM ? ASSAY_FAILED : ASSAY_REJECTED,
        "%.500s", diagnostic.text);
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *from,
                             struct assay_message *message)
{
    struct arena arena = {0};
    const enum assay_status status =
        answer((struct assay_session *)instance, from, &arena, message);
    arena_release(&arena);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = {
        .abi_version = ASSAY_PLUGIN_ABI_VERSION,
        .size = sizeof plugin,
        .name = "reference",
        .capabilities = ASSAY_CAPABILITY_WINDOW | ASSAY_CAPABILITY_THREADS |
                        ASSAY_CAPABILITY_REENTRANT | ASSAY_CAPABILITY_STATES |
                        ASSAY_CAPABILITY_LAYOUTS,
        .feed_count = 1,
        .feeds = assay_one_feed,
        .open = open_session,
        .version = version,
        .supports = supports,
        .prepare = prepare,
        .run = run,
        .release = assay_release_nothing,
        .close = close_session,
        .dtype_last = ASSAY_DTYPE_LAST};
    return &plugin;
}
