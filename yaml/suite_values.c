// SPDX-License-Identifier: Apache-2.0
// What is stated for a case: values with their tolerances, intervals, or a refusal. Tensors stand
// in the suite or in files that its sources name.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/op/request.h"
#include "ref/op/stored.h"
#include "yaml/suite_words.h"

// ---- tensors in files -------------------------------------------------------

static const struct suite_tensor *find_tensor(const struct suite *suite, const char *file,
                                              const char *name)
{
    const struct suite_tensor wanted = {.file = file, .name = name};
    return suite->tensor_count ? bsearch(&wanted, suite->tensor, suite->tensor_count, sizeof wanted,
                                         suite_compare_tensors)
                               : NULL;
}

static bool is_of_a_source(const struct suite *suite, const char *file)
{
    for (size_t i = 0; i < suite->source_count; i++)
        if (suite->sources[i].file && !strcmp(suite->sources[i].file, file))
            return true;
    return false;
}

enum error suite_read_file_tensor(void *context, const struct document_node *node, const char *name,
                                  struct arena *arena, struct tensor *tensor,
                                  struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"dtype", "shape", "file", "tensor", NULL};
    const struct suite *const suite = ((const struct suite_context *)context)->suite;
    const char *file, *of;
    char found[96];
    (void)arena;
    enum error error = document_only_keys(node, keys, name, diagnostic);
    if (error || (error = request_read_type(node, name, tensor, diagnostic)) ||
        (error = suite_read_text(node, "file", true, &file, diagnostic)) ||
        (error = suite_read_text(node, "tensor", true, &of, diagnostic)))
        return error;
    if (!is_of_a_source(suite, file))
        return document_fail(document_find(node, "file"), ERROR_INPUT, diagnostic,
                             "no source of this suite names the file '%.200s'", file);
    if (!suite->loaded)
        return ERROR_NONE;
    const struct suite_tensor *const at = find_tensor(suite, file, of);
    if (!at)
        return document_fail(document_find(node, "tensor"), ERROR_INPUT, diagnostic,
                             "%.200s holds no tensor '%.200s'", file, of);
    if (at->tensor.dtype != tensor->dtype || !tensor_same_shape(&at->tensor, tensor))
        return document_fail(node, ERROR_INPUT, diagnostic, "%s is %s in %.200s", name,
                             tensor_describe(&at->tensor, found, sizeof found), file);
    *tensor = at->tensor;
    return ERROR_NONE;
}

// ---- intervals --------------------------------------------------------------

// The middle of an interval without a stated value: shown, and compared with nothing.
static uint64_t middle(enum dtype dtype, uint64_t lower, uint64_t upper)
{
    const double l = num_to_double(dtype, lower), u = num_to_double(dtype, upper);
    return isfinite(l) && isfinite(u) ? num_from_double(dtype, l / 2 + u / 2) : lower;
}

static bool is_between(enum dtype dtype, uint64_t lower, uint64_t value, uint64_t upper)
{
    const bool nan = num_is_nan(dtype, lower);
    return nan ? num_is_nan(dtype, upper) && num_is_nan(dtype, value)
               : !num_is_nan(dtype, upper) && !num_is_nan(dtype, value) &&
                     !num_less(dtype, value, lower) && !num_less(dtype, upper, value);
}

static enum error check_interval(const struct document_node *node, const char *name,
                                 struct tensor *value, const struct tensor *lower,
                                 const struct tensor *upper, bool stated, struct arena *arena,
                                 struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(lower->dtype);
    uint64_t count = 0;
    size_t bytes = 0;
    if (!tensor_count(lower, &count) || !tensor_bytes(lower, &bytes))
        return document_fail(node, ERROR_TOO_LARGE, diagnostic, "%s is too large", name);
    if (!stated && !(value->data = arena_take(arena, bytes)))
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++) {
        const uint64_t low = element_load(lower->data, size, i),
                       high = element_load(upper->data, size, i);
        if (!stated)
            element_store(value->data, size, i, middle(lower->dtype, low, high));
        if (!is_between(lower->dtype, low, element_load(value->data, size, i), high))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "%s: element %zu: lower, value and upper are not in this order",
                                 name, i);
    }
    return ERROR_NONE;
}

// {lower, upper} and perhaps value.
static enum error read_interval(const struct document_node *node, const char *name, unsigned output,
                                const struct request_sources *sources, struct arena *arena,
                                struct stored_outputs *to, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"lower", "upper", "value", NULL};
    const struct document_node *const part[] = {
        document_find(node, "lower"), document_find(node, "upper"), document_find(node, "value")};
    struct tensor tensor[3] = {{.dtype = DTYPE_NONE}};
    enum error error = document_only_keys(node, keys, name, diagnostic);
    if (!error && (!part[0] || !part[1]))
        error = document_fail(node, ERROR_INPUT, diagnostic, "%s: lower goes with upper", name);
    for (unsigned i = 0; i < 3 && !error; i++)
        if (part[i])
            error = request_read_tensor(part[i], DTYPE_NONE, name, sources, arena, &tensor[i],
                                        diagnostic);
    if (error)
        return error;
    if (!part[2])
        tensor[2] = tensor[0];
    if (dtype_kind(tensor[0].dtype) != DTYPE_KIND_FLOAT)
        return document_fail(node, ERROR_INPUT, diagnostic, "%s: intervals are of floats", name);
    for (unsigned i = 1; i < 3; i++)
        if (tensor[i].dtype != tensor[0].dtype || !tensor_same_shape(&tensor[i], &tensor[0]))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "%s: lower, upper and value have one type and shape", name);
    to->value[output] = tensor[2];
    to->lower[output] = tensor[0].data;
    to->upper[output] = tensor[1].data;
    if (!tensor[0].data || !tensor[1].data || !tensor[2].data)
        return ERROR_NONE; // still in files
    return check_interval(node, name, &to->value[output], &tensor[0], &tensor[1], part[2] != NULL,
                          arena, diagnostic);
}

// ---- tolerances -------------------------------------------------------------

// Ulps are of floats; all else is met by its bits.
static enum error widen(struct stored_outputs *to, unsigned output,
                        struct suite_tolerance tolerance, struct arena *arena,
                        struct diagnostic *diagnostic)
{
    const struct tensor *const value = &to->value[output];
    uint64_t count = 0;
    size_t bytes = 0;
    if (!tolerance.ulps || !value->data || dtype_kind(value->dtype) != DTYPE_KIND_FLOAT)
        return ERROR_NONE;
    void *const lower = tensor_bytes(value, &bytes) ? arena_take(arena, bytes) : NULL;
    void *const upper = lower ? arena_take(arena, bytes) : NULL;
    if (!upper || !tensor_count(value, &count))
        return diagnostic_no_memory(diagnostic);
    stored_ulps(value->dtype, tolerance.ulps, value->data, count, lower, upper);
    to->lower[output] = lower;
    to->upper[output] = upper;
    return ERROR_NONE;
}

// What the case says of output `name`, or its own word for all of them; else what its source says.
static enum error find_tolerance(const struct suite *suite, const struct suite_case *of,
                                 const struct document_node *node, const char *name,
                                 struct suite_tolerance *tolerance, struct diagnostic *diagnostic)
{
    const struct document_node *const said = document_find(node, "tolerance");
    *tolerance = of->from ? of->from->tolerance : suite->program.tolerance;
    if (!said)
        return ERROR_NONE;
    const struct document_node *const ulps =
        said->kind == DOCUMENT_MAPPING ? document_find(said, "ulps") : NULL;
    if (said->kind != DOCUMENT_MAPPING || (ulps && ulps->kind == DOCUMENT_SCALAR))
        return suite_read_tolerance(said, tolerance, diagnostic);
    for (size_t i = 0; i < said->count; i++)
        if (operation_output(of->operation, said->key[i]->text) < 0)
            return document_fail(said->key[i], ERROR_INPUT, diagnostic, "%s has no output '%.80s'",
                                 of->operation->name, said->key[i]->text);
    const struct document_node *const own = document_find(said, name);
    return own ? suite_read_tolerance(own, tolerance, diagnostic) : ERROR_NONE;
}

static void put_tolerance(struct text *text, const char *name, struct suite_tolerance tolerance)
{
    text_print(text, "%s%s: ", text->size ? "; " : "", name);
    if (tolerance.ulps)
        text_print(text, "within %llu ulp%s", (unsigned long long)tolerance.ulps,
                   tolerance.ulps == 1 ? "" : "s");
    else
        text_put(text, "the same bits");
}

enum error suite_describe_tolerance(struct suite *suite, const struct document_node *node,
                                    struct suite_case *of, struct diagnostic *diagnostic)
{
    const struct document_node *const expected = of->from ? document_find(node, "expected") : NULL;
    struct text text = {0};
    enum error error =
        expected ? document_expect(expected, DOCUMENT_MAPPING, "expected", diagnostic) : ERROR_NONE;
    for (unsigned i = 0; of->operation->outputs[i] && !error; i++) {
        const char *const name = of->operation->outputs[i];
        const struct document_node *const value = expected ? document_find(expected, name) : NULL;
        struct suite_tolerance tolerance = {.ulps = 0};
        if (expected && !value)
            continue;
        error = find_tolerance(suite, of, node, name, &tolerance, diagnostic);
        if (value && value->kind == DOCUMENT_MAPPING && document_find(value, "lower"))
            text_print(&text, "%s%s: in an interval", text.size ? "; " : "", name);
        else
            put_tolerance(&text, name, tolerance);
    }
    of->tolerance = text.size ? arena_copy_text(&suite->arena, text.bytes, text.size) : "";
    if (!error && (text.failed || !of->tolerance))
        error = diagnostic_no_memory(diagnostic);
    text_release(&text);
    return error;
}

// ---- what is stated ---------------------------------------------------------

static enum error read_expected(const struct suite *suite, const struct suite_case *of,
                                const struct document_node *node,
                                const struct request_sources *sources, struct arena *arena,
                                struct stored_outputs *to, struct diagnostic *diagnostic)
{
    const struct document_node *const expected = document_find(node, "expected");
    enum error error = document_expect(expected, DOCUMENT_MAPPING, "expected", diagnostic);
    if (!error && !expected->count)
        error = document_fail(expected, ERROR_INPUT, diagnostic, "expected is empty");
    for (size_t i = 0; !error && i < expected->count; i++) {
        const struct document_node *const value = expected->item[i];
        const char *const name = expected->key[i]->text;
        const int output = operation_output(of->operation, name);
        struct suite_tolerance tolerance = {.ulps = 0};
        if (output < 0)
            return document_fail(expected->key[i], ERROR_INPUT, diagnostic,
                                 "%s has no output '%.80s'", of->operation->name, name);
        if (value->kind == DOCUMENT_MAPPING && document_find(value, "lower")) {
            error = read_interval(value, name, (unsigned)output, sources, arena, to, diagnostic);
            continue;
        }
        error = request_read_tensor(value, DTYPE_NONE, name, sources, arena, &to->value[output],
                                    diagnostic);
        if (!error)
            error = find_tolerance(suite, of, node, name, &tolerance, diagnostic);
        if (!error)
            error = widen(to, (unsigned)output, tolerance, arena, diagnostic);
    }
    return error;
}

// What the program answered under one profile, as the golden vectors hold it.
static enum error find_answered(const struct suite *suite, const struct suite_case *of,
                                const struct document_node *node, struct arena *arena,
                                struct stored_outputs *to, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; of->operation->outputs[i] && !error; i++) {
        const char *const output = of->operation->outputs[i];
        const char *const name = suite_answer_name(of, output, &to->profile, arena);
        struct suite_tolerance tolerance = {.ulps = 0};
        if (!name)
            return diagnostic_no_memory(diagnostic);
        const struct suite_tensor *const found = find_tensor(suite, NULL, name);
        if (found)
            to->value[i] = found->tensor;
        error = find_tolerance(suite, of, node, output, &tolerance, diagnostic);
        if (!error)
            error = widen(to, i, tolerance, arena, diagnostic);
    }
    return error;
}

// Whether there is a value, and each has its elements.
static bool is_complete(const struct stored_outputs *outputs)
{
    bool any = false;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        if (!tensor_present(&outputs->value[i]))
            continue;
        if (!outputs->value[i].data)
            return false;
        any = true;
    }
    return any;
}

// What the program answered under each profile.
static enum error find_all_answered(const struct suite *suite, const struct suite_case *of,
                                    const struct document_node *node, struct arena *arena,
                                    struct stored *stored, struct diagnostic *diagnostic)
{
    struct profile *const profile = arena_take_array(arena, SUITE_PROFILES_MAX, sizeof *profile);
    size_t count = 0;
    if (!profile)
        return diagnostic_no_memory(diagnostic);
    if (suite->unasked)
        return document_fail(of->form->id, ERROR_INPUT, diagnostic, "%s", suite->unasked);
    enum error error = suite_list_profiles(suite, of, profile, &count, diagnostic);
    struct stored_outputs *const under =
        error ? NULL : arena_take_array(arena, count, sizeof *under);
    if (!error && !under)
        error = diagnostic_no_memory(diagnostic);
    stored->under = under;
    for (size_t i = 0; i < count && !error; i++) {
        struct stored_outputs *const to = &under[stored->count];
        to->profile = profile[i];
        error = find_answered(suite, of, node, arena, to, diagnostic);
        if (is_complete(to))
            stored->count++;
        else
            *to = (struct stored_outputs){.value = {{.dtype = DTYPE_NONE}}};
    }
    return error;
}

enum error suite_store(const struct suite *suite, const struct suite_case *of,
                       const struct document_node *node, struct arena *arena,
                       struct request *request, struct diagnostic *diagnostic)
{
    struct suite_context context = {.names = {suite->name, of->id}, .suite = suite};
    const struct request_sources sources = {.context = &context, .file = suite_read_file_tensor};
    struct stored *const stored = arena_take(arena, sizeof *stored);
    struct stored_outputs *const outputs = arena_take(arena, sizeof *outputs);
    if (!stored || !outputs)
        return diagnostic_no_memory(diagnostic);
    *stored = (struct stored){.refused = of->reject, .under = outputs};
    enum error error = ERROR_NONE;
    if (!of->reject && of->from) {
        error = read_expected(suite, of, node, &sources, arena, outputs, diagnostic);
        stored->count = is_complete(outputs) ? 1 : 0;
    } else if (!of->reject) {
        error = find_all_answered(suite, of, node, arena, stored, diagnostic);
    }
    if (!error && (stored->count || stored->refused))
        request->stored = stored;
    return error;
}
