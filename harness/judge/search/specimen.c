// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/search/specimen.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/variant/variant.h"
#include "yaml/reader.h"
#include "yaml/relation.h"

enum error specimen_take(const struct suite *suite, const struct suite_case *of,
                         struct specimen *specimen, struct diagnostic *diagnostic)
{
    *specimen = (struct specimen){.suite = suite, .of = of};
    return suite_case_request(suite, of, &specimen->arena, &specimen->request, diagnostic);
}

enum error specimen_copy(const struct specimen *from, struct specimen *to,
                         struct diagnostic *diagnostic)
{
    *to = (struct specimen){.suite = from->suite, .of = from->of, .request = from->request};
    const struct operation *const operation = from->request.operation;
    for (unsigned i = 0; i < operation->attribute_count; i++) {
        struct attribute_value *const value = &to->request.attribute[i];
        int64_t *const integers = arena_take_array(&to->arena, value->count, sizeof *integers);
        double *const reals = arena_take_array(&to->arena, value->count, sizeof *reals);
        if (!integers || !reals)
            return diagnostic_no_memory(diagnostic);
        if (value->integers)
            memcpy(integers, value->integers, value->count * sizeof *integers);
        if (value->reals)
            memcpy(reals, value->reals, value->count * sizeof *reals);
        value->integers = value->integers ? integers : NULL;
        value->reals = value->reals ? reals : NULL;
    }
    for (unsigned i = 0; i < operation->input_count; i++) {
        struct tensor *const tensor = &to->request.input[i];
        size_t bytes = 0;
        if (!tensor_present(tensor))
            continue;
        void *const data = tensor_bytes(tensor, &bytes) ? arena_take(&to->arena, bytes) : NULL;
        if (!data)
            return diagnostic_no_memory(diagnostic);
        memcpy(data, tensor->data, bytes);
        tensor->data = data;
    }
    return ERROR_NONE;
}

void specimen_release(struct specimen *specimen)
{
    arena_release(&specimen->arena);
    *specimen = (struct specimen){0};
}

// Whether the requests of its relation can be made of it, and the reference answers them alike.
static bool agrees(const struct specimen *specimen)
{
    struct specimen_suite alone;
    struct diagnostic diagnostic = {.text = ""};
    enum error error = specimen_make_suite(specimen, &alone, &diagnostic);
    if (!error)
        error =
            relation_hold(&alone.suite, &alone.of, &specimen->request, &alone.arena, &diagnostic);
    specimen_release_suite(&alone);
    return !error;
}

bool specimen_is_legal(const struct specimen *specimen)
{
    struct inference inference;
    struct diagnostic diagnostic = {.text = ""};
    memset(&inference, 0, sizeof inference);
    const enum error error = variant_infer(&specimen->request, &inference, &diagnostic);
    if (specimen->of->survive)
        return error != ERROR_INTERNAL;
    if (specimen->of->relation.kind)
        return !error && agrees(specimen);
    if (!specimen->of->reject)
        return !error;
    return error && error != ERROR_INTERNAL && strstr(diagnostic.text, specimen->of->reject);
}

uint64_t specimen_size(const struct specimen *specimen, uint64_t *values)
{
    const struct request *const request = &specimen->request;
    struct inference inference;
    uint64_t size = 0, count = 0, nonzero = 0;
    memset(&inference, 0, sizeof inference);
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        const struct tensor *const tensor = &request->input[i];
        if (!tensor_present(tensor) || !tensor_count(tensor, &count))
            continue;
        size += count;
        for (uint64_t k = 0; k < count; k++)
            nonzero += element_load(tensor->data, dtype_size(tensor->dtype), (size_t)k) != 0;
    }
    const bool taken = !variant_infer(request, &inference, NULL);
    for (unsigned i = 0; taken && request->operation->outputs[i]; i++)
        if (tensor_present(&inference.output[i]) &&
            (!request->outputs || (request->outputs >> i & 1)) &&
            tensor_count(&inference.output[i], &count))
            size += request->windowed ? request->window_count : count;
    if (values)
        *values = nonzero;
    return size;
}

enum error specimen_make_suite(const struct specimen *specimen, struct specimen_suite *made,
                               struct diagnostic *diagnostic)
{
    struct text text = {0};
    struct document_node *list = NULL;
    *made = (struct specimen_suite){.suite = *specimen->suite, .of = *specimen->of};
    enum error error = specimen_write_case(specimen, specimen->of->id, 0, &text, diagnostic);
    const char *const copy = error ? NULL : arena_copy_text(&made->arena, text.bytes, text.size);
    made->source =
        (struct document_source){.name = specimen->suite->path, .text = copy, .size = text.size};
    text_release(&text);
    if (!error && !copy)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = yaml_read(&made->source, &made->arena, &list, diagnostic);
    if (error)
        return error;
    made->form = (struct suite_form){.node = list->item[0],
                                     .id = document_find(list->item[0], "id"),
                                     .matrix = {.combinations = 1}};
    made->of.form = &made->form;
    made->of.row = 0;
    made->of.printed = false;
    made->suite.cases = &made->of;
    made->suite.case_count = 1;
    made->sorted[0] = &made->of;
    made->suite.sorted = made->sorted;
    made->suite.form = &made->form;
    made->suite.form_count = 1;
    made->suite.arena = (struct arena){0};
    return ERROR_NONE;
}

void specimen_release_suite(struct specimen_suite *made)
{
    arena_release(&made->arena);
    *made = (struct specimen_suite){0};
}
