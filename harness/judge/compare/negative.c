// SPDX-License-Identifier: Apache-2.0
// The nearest valid request is searched for by changes, the smallest first: of one input its
// values, presence, extents, rank, type; of all inputs the values or one extent; of an attribute
// its value; of all inputs the type. Where none of them helps, by two at once. Where no request can
// be made of a case, what is legal of it is kept and the rest gets a legal value before.

#include "harness/judge/compare/negative.h"

#include <string.h>

#include "harness/judge/compare/convert.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/graph.h"
#include "ref/op/request.h"
#include "ref/op/request_attribute.h"
#include "ref/variant/variant.h"

enum {
    CHANGES_MAX = 2,
    TRIES_MAX = 100000,
    OUTPUT_MAX = 1 << 16, // elements
    VALUES_MAX = 64,      // of an input that is given others
    SMALL_MAX = 16        // extents, lengths of lists and numbers that are tried
};

struct search {
    struct request *request; // changed in place
    struct inference inference;
    unsigned changes;     // how many more are made
    bool attributes_only; // none of inputs
    size_t tries;
    uint64_t values[2][DTYPE_COUNT][VALUES_MAX]; // zeros and ones
    int64_t integers[SMALL_MAX];                 // ones
    double reals[SMALL_MAX];                     // ones
    struct diagnostic unheard;                   // why a try is not valid
};

static void fill_values(struct search *search)
{
    for (unsigned i = 0; i < SMALL_MAX; i++)
        search->reals[i] = (double)(search->integers[i] = 1);
    for (unsigned dtype = DTYPE_NONE + 1; dtype < DTYPE_COUNT; dtype++)
        for (size_t i = 0; i < VALUES_MAX; i++)
            element_store(search->values[1][dtype], dtype_size((enum dtype)dtype), i,
                          dtype_kind((enum dtype)dtype) == DTYPE_KIND_FLOAT
                              ? num_from_double((enum dtype)dtype, 1)
                              : 1);
}

static bool search_all(struct search *search);

// Whether every attribute that must be given is; inputs are, once they were read leniently.
static bool is_complete(const struct request *request)
{
    bool complete = true;
    for (unsigned i = 0; i < request->operation->attribute_count && complete; i++)
        complete = request->operation->attributes[i].presence != ATTRIBUTE_REQUIRED ||
                   request->attribute[i].present;
    return complete;
}

// Whether the request as it stands, or with more changes, is valid and asks for little.
static bool attempt(struct search *search)
{
    // The reason is not used. Only declared operators read the text of a diagnostic, and need one.
    struct diagnostic *const unheard =
        declared_is(search->request->operation) ? &search->unheard : NULL;
    uint64_t count = 0;
    if (search->changes) {
        search->changes--;
        const bool found = search_all(search);
        search->changes++;
        return found;
    }
    if (search->tries++ >= TRIES_MAX)
        return false;
    search->inference = (struct inference){0};
    bool valid = is_complete(search->request) &&
                 !variant_infer(search->request, &search->inference, unheard);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && valid; i++)
        valid = !tensor_present(&search->inference.output[i]) ||
                (tensor_count(&search->inference.output[i], &count) && count <= OUTPUT_MAX);
    return valid;
}

// ---- inputs -----------------------------------------------------------------

// Gives every element `value`, 0 or 1; false where there are too many.
static bool set_values(struct search *search, struct tensor *tensor, unsigned value)
{
    uint64_t count = 0;
    if (search->request->operation->shapes_suffice || !tensor_present(tensor))
        return true;
    tensor->data = search->values[value][tensor->dtype];
    return tensor_count(tensor, &count) && count <= VALUES_MAX;
}

static bool attempt_input(struct search *search, unsigned index, struct tensor tensor,
                          unsigned value)
{
    struct tensor *const input = &search->request->input[index];
    const struct tensor before = *input;
    if (!set_values(search, &tensor, value))
        return false;
    *input = tensor;
    const bool found = attempt(search);
    *input = before;
    return found;
}

static bool search_shapes(struct search *search, unsigned index)
{
    const struct tensor input = search->request->input[index];
    bool found = false;
    for (unsigned d = 0; d < input.rank; d++)
        for (uint64_t extent = 1; extent <= SMALL_MAX && !found; extent++) {
            struct tensor changed = input;
            changed.shape[d] = extent;
            found = attempt_input(search, index, changed, 1);
        }
    for (unsigned rank = 0; rank <= TENSOR_RANK_MAX && !found; rank++) {
        struct tensor changed = input;
        changed.rank = rank;
        for (unsigned d = input.rank; d < rank; d++)
            changed.shape[d] = 1;
        found = attempt_input(search, index, changed, 1);
    }
    return found;
}

static bool search_input(struct search *search, unsigned index)
{
    const struct tensor absent = {.dtype = DTYPE_NONE}, input = search->request->input[index];
    if (!tensor_present(&input))
        return false;
    bool found = attempt_input(search, index, input, 1) || attempt_input(search, index, input, 0) ||
                 (search->request->operation->inputs[index].optional &&
                  attempt_input(search, index, absent, 1)) ||
                 search_shapes(search, index);
    for (unsigned dtype = DTYPE_NONE + 1; dtype < DTYPE_COUNT && !found; dtype++) {
        struct tensor changed = input;
        changed.dtype = (enum dtype)dtype;
        found = attempt_input(search, index, changed, 1);
    }
    return found;
}

static bool has_extent(const struct request *request, uint64_t extent)
{
    for (unsigned i = 0; i < request->operation->input_count; i++)
        for (unsigned d = 0; d < request->input[i].rank; d++)
            if (request->input[i].shape[d] == extent)
                return true;
    return false;
}

// All inputs get ones; extents `from` become `to`; with `dtype` all get that type, and scales,
// which other types do not have, go.
static bool attempt_inputs(struct search *search, uint64_t from, uint64_t to, enum dtype dtype)
{
    struct request *const request = search->request;
    const struct request before = *request;
    const struct operation *const operation = request->operation;
    bool can = true;
    for (unsigned i = 0; i < operation->input_count; i++) {
        struct tensor *const input = &request->input[i];
        for (unsigned d = 0; d < input->rank; d++)
            input->shape[d] = input->shape[d] == from ? to : input->shape[d];
        input->dtype = dtype && tensor_present(input) ? dtype : input->dtype;
        can = set_values(search, input, 1) && can;
    }
    for (unsigned i = 0; dtype && i < operation->attribute_count; i++)
        if (operation->attributes[i].kind >= ATTRIBUTE_REAL)
            request->attribute[i].present = operation->attributes[i].presence == ATTRIBUTE_DEFAULT;
    const bool found = can && attempt(search);
    *request = before;
    return found;
}

static bool search_extents(struct search *search)
{
    bool found = attempt_inputs(search, 0, 0, DTYPE_NONE);
    for (uint64_t from = 0; from <= SMALL_MAX && !found; from++)
        for (uint64_t to = 1; to <= SMALL_MAX && !found && has_extent(search->request, from); to++)
            found = from != to && attempt_inputs(search, from, to, DTYPE_NONE);
    return found;
}

static bool search_types(struct search *search)
{
    bool found = false;
    // 8-bit floats are not tried: no known operation takes them alone, and a plugin may not know
    // them.
    for (unsigned dtype = DTYPE_F64; dtype > DTYPE_NONE && !found; dtype--)
        found = attempt_inputs(search, 0, 0, (enum dtype)dtype);
    return found;
}

// ---- attributes -------------------------------------------------------------

// Whether the attribute can have the value, as far as its integer says.
static bool is_legal(const struct attribute_spec *spec, int64_t integer)
{
    int64_t words = 0;
    switch (spec->kind) {
    case ATTRIBUTE_INTEGER:
        return integer >= spec->minimum && integer <= spec->maximum;
    case ATTRIBUTE_BOOLEAN:
        return integer == 0 || integer == 1;
    case ATTRIBUTE_WORD:
        while (spec->words[words])
            words++;
        return integer >= 0 && integer < words;
    case ATTRIBUTE_DTYPE:
        return integer >= 0 && integer < DTYPE_COUNT && spec->dtypes & DTYPE_BIT((unsigned)integer);
    case ATTRIBUTE_INTEGER64:
    case ATTRIBUTE_WORDS: // not searched for
        return false;
    case ATTRIBUTE_SIZES:
    case ATTRIBUTE_REAL:
    case ATTRIBUTE_REALS:
        break;
    }
    return true;
}

static bool search_attribute(struct search *search, unsigned index)
{
    const struct attribute_spec *const spec = &search->request->operation->attributes[index];
    struct attribute_value *const attribute = &search->request->attribute[index];
    const struct attribute_value before = *attribute;
    const int64_t limits[] = {spec->standard, spec->minimum, spec->maximum};
    bool found = false;
    attribute_set_default(spec, attribute);
    found = spec->presence != ATTRIBUTE_REQUIRED && before.given && attempt(search);
    for (int i = -3; i < SMALL_MAX && !found; i++) {
        *attribute = (struct attribute_value){.present = true,
                                              .given = true,
                                              .integer = i < 0 ? limits[i + 3] : i,
                                              .real = 1,
                                              .count = i < 0 ? before.count : (size_t)i,
                                              .integers = search->integers,
                                              .reals = search->reals};
        found =
            is_legal(spec, attribute->integer) && attribute->count <= SMALL_MAX && attempt(search);
    }
    *attribute = before;
    return found;
}

static bool search_all(struct search *search)
{
    const struct operation *const operation = search->request->operation;
    const bool inputs = !search->attributes_only;
    bool found = false;
    for (unsigned i = 0; inputs && i < operation->input_count && !found; i++)
        found = search_input(search, i);
    found = found || (inputs && search_extents(search));
    for (unsigned i = 0; i < operation->attribute_count && !found; i++)
        found = search_attribute(search, i);
    return found || (inputs && search_types(search));
}

// ---- the call ---------------------------------------------------------------

// An attribute as spelled, with its index for words and types; false where it cannot have the
// value.
static bool take_legal(const struct attribute_spec *spec, const struct assay_attribute *from,
                       struct attribute_value *to)
{
    static const enum assay_attribute_kind kinds[] = {
        [ATTRIBUTE_INTEGER] = ASSAY_INTEGER, [ATTRIBUTE_INTEGER64] = ASSAY_INTEGER,
        [ATTRIBUTE_BOOLEAN] = ASSAY_BOOLEAN, [ATTRIBUTE_WORD] = ASSAY_TEXT,
        [ATTRIBUTE_DTYPE] = ASSAY_TEXT,      [ATTRIBUTE_SIZES] = ASSAY_INTEGERS,
        [ATTRIBUTE_REAL] = ASSAY_REAL,       [ATTRIBUTE_REALS] = ASSAY_REALS,
        [ATTRIBUTE_WORDS] = ASSAY_TEXT};
    if (from->kind != kinds[spec->kind])
        return false;
    *to = (struct attribute_value){.present = true,
                                   .given = true,
                                   .integer = from->integer,
                                   .real = from->real,
                                   .count = from->count,
                                   .integers = from->integers,
                                   .reals = from->reals};
    if (spec->kind == ATTRIBUTE_DTYPE)
        to->integer = (int64_t)dtype_named(from->text);
    for (to->integer = spec->kind == ATTRIBUTE_WORD ? 0 : to->integer;
         spec->kind == ATTRIBUTE_WORD && spec->words[to->integer] &&
         strcmp(spec->words[to->integer], from->text) != 0;)
        to->integer++;
    for (uint32_t i = 0; spec->kind == ATTRIBUTE_SIZES && i < from->count; i++)
        if (from->integers[i] < 0)
            return false;
    return is_legal(spec, to->integer);
}

// What is legal of a call as spelled; an input that is missing is like another one, or a zero.
static void read_leniently(const struct host_request *call, const struct operation *operation,
                           struct search *search)
{
    const struct tensor zero = {.dtype = DTYPE_U32, .data = search->values[0][DTYPE_U32]};
    const struct tensor *any = &zero;
    struct request *const request = search->request;
    request_start(request, operation);
    for (size_t i = 0; i < call->attribute_count; i++) {
        const int index = operation_attribute(operation, call->attributes[i].name);
        struct attribute_value value;
        if (index >= 0 && take_legal(&operation->attributes[index], &call->attributes[i], &value))
            request->attribute[index] = value;
    }
    for (size_t i = 0; i < call->input_count; i++) {
        const int index = operation_input(operation, call->inputs[i].name);
        any = &call->inputs[i].tensor;
        if (index >= 0)
            request->input[index] = *any;
    }
    for (unsigned i = 0; i < operation->input_count; i++)
        if (!operation->inputs[i].optional && !tensor_present(&request->input[i]))
            request->input[i] = *any;
}

// What is asked for by name and is not there looks like the first output.
static const struct inference *infer_nearest(struct search *search)
{
    const struct request *const request = search->request;
    bool found = false;
    fill_values(search);
    // Of pairs those of attributes first, which are few.
    for (unsigned round = 0; round <= CHANGES_MAX + 1 && !found; round++) {
        search->changes = round < CHANGES_MAX ? round : CHANGES_MAX;
        search->attributes_only = round == CHANGES_MAX;
        found = attempt(search);
    }
    if (!found)
        search->inference = (struct inference){0};
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        struct tensor *const output = &search->inference.output[i];
        if (!found)
            *output = (struct tensor){.dtype = DTYPE_F32, .rank = 1, .shape = {1}};
        else if (request->outputs >> i & 1 && !tensor_present(output))
            *output = search->inference.output[0];
    }
    return &search->inference;
}

enum error negative_make_call(const struct suite *suite, const struct suite_case *of,
                              struct arena *arena, struct request *request,
                              const struct inference **nearest, struct host_request *call,
                              struct diagnostic *diagnostic)
{
    struct document_node *node = NULL;
    struct host_request spelled;
    struct search *const search = arena_take(arena, sizeof *search);
    if (!search)
        return diagnostic_no_memory(diagnostic);
    *search = (struct search){.request = request};
    enum error error = suite_case_request(suite, of, arena, request, diagnostic);
    if (error == ERROR_INTERNAL)
        return error; // no fault of the request
    if (!error) {
        *nearest = *nearest ? *nearest : infer_nearest(search);
        return judge_convert_request(request, *nearest, arena, call, diagnostic);
    }
    error = suite_case_document(suite, of, arena, &node, diagnostic);
    if (!error)
        error = judge_convert_document(node, arena, &spelled, diagnostic);
    if (error)
        return error;
    read_leniently(&spelled, of->operation, search);
    *nearest = *nearest ? *nearest : infer_nearest(search);
    error = judge_convert_request(request, *nearest, arena, call, diagnostic);
    spelled.declaration = call->declaration;
    spelled.onnx = call->onnx;
    spelled.onnx_count = call->onnx_count;
    spelled.outputs = call->outputs;
    spelled.output_count = call->output_count;
    *call = spelled;
    return error;
}
