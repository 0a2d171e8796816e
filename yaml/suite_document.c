// SPDX-License-Identifier: Apache-2.0
// A case of a suite as a document, with its row of the matrix put in, and as a request.

#include <assert.h>
#include <string.h>

#include "ref/op/request.h"
#include "yaml/fill.h"
#include "yaml/suite_words.h"

const char *const suite_case_keys[] = {"about",     "covers",   "matrix",  "except", "sweep",
                                       "printed",   "reject",   "survive", "level",  "portable",
                                       "choices",   "unbiased", "agrees",  "from",   "expected",
                                       "tolerance", "digests",  NULL};

bool suite_is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(text, *words) != 0)
        words++;
    return *words != NULL;
}

enum error suite_form_expand(const struct suite_form *form, uint64_t index, const char *id,
                             struct arena *arena, struct document_node **result,
                             struct diagnostic *diagnostic)
{
    assert(index < form->matrix.combinations);
    static const char *const dropped[] = {"matrix", "except", "sweep", "about", NULL};
    const struct document_node *const from = form->node;
    struct matrix_row row;
    matrix_row(&form->matrix, index, &row);
    struct document_node *const to =
        document_new(arena, DOCUMENT_MAPPING, from->source, from->line, from->column);
    struct document_node *const id_node = arena_take(arena, sizeof *id_node);
    if (!to || !id_node)
        return diagnostic_no_memory(diagnostic);
    *id_node = *form->id;
    id_node->text = id;
    id_node->count = strlen(id);
    for (size_t i = 0; i < from->count; i++) {
        struct document_node *value = id_node;
        if (suite_is_one_of(from->key[i]->text, dropped))
            continue;
        enum error error = ERROR_NONE;
        if (from->item[i] != form->id)
            error = matrix_substitute(&row, from->item[i], arena, &value, diagnostic);
        if (!error && value)
            error = document_append(arena, to, from->key[i], value, diagnostic);
        if (error)
            return error;
    }
    *result = to;
    return ERROR_NONE;
}

enum error suite_case_expand(const struct suite *suite, const struct suite_case *of,
                             struct arena *arena, struct document_node **node,
                             struct diagnostic *diagnostic)
{
    unsigned count;
    (void)suite;
    const enum error error = suite_form_expand(of->form, of->row, of->id, arena, node, diagnostic);
    return error || !of->drawn ? error : suite_draw_case(of, arena, *node, &count, diagnostic);
}

// A scalar that the file does not contain, at the place of `like`.
static struct document_node *new_text(struct arena *arena, const struct document_node *like,
                                      const char *text)
{
    struct document_node *const node =
        document_new(arena, DOCUMENT_SCALAR, like->source, like->line, like->column);
    if (!node || !text)
        return NULL;
    node->text = text;
    node->count = strlen(text);
    node->quoted = true;
    return node;
}

// The inputs with the name of its stream written into every fill, so that the request means the
// same away from its suite.
static enum error name_fills(const struct suite *suite, const struct suite_case *of,
                             const struct document_node *inputs, struct arena *arena,
                             struct document_node **result, struct diagnostic *diagnostic)
{
    struct document_node *const to =
        document_new(arena, DOCUMENT_MAPPING, inputs->source, inputs->line, inputs->column);
    if (!to)
        return diagnostic_no_memory(diagnostic);
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < inputs->count && !error; i++) {
        struct document_node *value = inputs->item[i];
        if (value->kind == DOCUMENT_MAPPING && document_find(value, "fill") &&
            !document_find(value, "as")) {
            struct document_node *const named =
                document_new(arena, DOCUMENT_MAPPING, value->source, value->line, value->column);
            struct document_node *const key = new_text(arena, value, "as");
            struct document_node *const as =
                new_text(arena, value,
                         arena_print(arena, "%s/%s/%s", suite->name, of->id, inputs->key[i]->text));
            if (!named || !key || !as)
                return diagnostic_no_memory(diagnostic);
            for (size_t k = 0; k < value->count && !error; k++)
                error = document_append(arena, named, value->key[k], value->item[k], diagnostic);
            if (!error)
                error = document_append(arena, named, key, as, diagnostic);
            value = named;
        }
        if (!error)
            error = document_append(arena, to, inputs->key[i], value, diagnostic);
    }
    *result = to;
    return error;
}

enum error suite_case_document(const struct suite *suite, const struct suite_case *of,
                               struct arena *arena, struct document_node **node,
                               struct diagnostic *diagnostic)
{
    struct document_node *whole;
    enum error error = suite_case_expand(suite, of, arena, &whole, diagnostic);
    if (error)
        return error;
    *node = document_new(arena, DOCUMENT_MAPPING, whole->source, whole->line, whole->column);
    if (!*node)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < whole->count && !error; i++) {
        struct document_node *value = whole->item[i];
        if (suite_is_one_of(whole->key[i]->text, suite_case_keys))
            continue;
        if (!strcmp(whole->key[i]->text, "inputs") && value->kind == DOCUMENT_MAPPING)
            error = name_fills(suite, of, value, arena, &value, diagnostic);
        if (!error)
            error = document_append(arena, *node, whole->key[i], value, diagnostic);
    }
    return error;
}

enum error suite_read_fill(void *context, const struct document_node *node, const char *name,
                           struct arena *arena, struct tensor *tensor,
                           struct diagnostic *diagnostic)
{
    (void)context;
    (void)name;
    struct fill fill = {.kind = FILL_BITS};
    const enum error error = fill_read(node, arena, &fill, diagnostic);
    *tensor = fill.tensor;
    return error;
}

static enum error read_request(const struct suite *suite, const struct suite_case *of,
                               request_tensor_source fill, struct arena *arena,
                               struct request *request, struct diagnostic *diagnostic)
{
    struct suite_context context = {.names = {suite->name, of->id}, .suite = suite};
    const struct request_sources sources = {.context = &context,
                                            .fill = fill,
                                            .file = suite_read_file_tensor,
                                            .operation = of->operation};
    struct document_node *node;
    enum error error = suite_case_expand(suite, of, arena, &node, diagnostic);
    if (!error)
        error = request_read(node, suite_case_keys, &sources, arena, request, diagnostic);
    if (!error && suite_case_is_stored(of))
        error = suite_store(suite, of, node, arena, request, diagnostic);
    if (!error && of->window) {
        request->windowed = true;
        request->window_first = of->window[0];
        request->window_count = of->window[1];
    }
    return error || !of->step
               ? error
               : request->operation->stepping->take(request, of->step, arena, diagnostic);
}

enum error suite_case_request(const struct suite *suite, const struct suite_case *of,
                              struct arena *arena, struct request *request,
                              struct diagnostic *diagnostic)
{
    return read_request(suite, of, fill_make_tensor, arena, request, diagnostic);
}

enum error suite_case_shapes(const struct suite *suite, const struct suite_case *of,
                             struct arena *arena, struct request *request,
                             struct diagnostic *diagnostic)
{
    return read_request(suite, of,
                        of->operation->shapes_suffice ? suite_read_fill : fill_make_tensor, arena,
                        request, diagnostic);
}
