// SPDX-License-Identifier: Apache-2.0
// Suites are read when a line first needs them, and kept.

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "harness/cli/serve/serve.h"
#include "harness/cli/suite_table.h"
#include "ref/base/file.h"

static enum error read_suite(struct serve_suites *suites, const char *path,
                             const struct suite **suite, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < suites->count; i++)
        if (!strcmp(suites->of[i].path, path)) {
            *suite = suites->of[i].suite;
            return ERROR_NONE;
        }
    if (suites->count == SERVE_SUITES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d suites", SERVE_SUITES_MAX);
    struct suite *const made = arena_take(&suites->arena, sizeof *made);
    const char *const copy = arena_copy_text(&suites->arena, path, strlen(path));
    if (!made || !copy)
        return diagnostic_no_memory(diagnostic);
    const enum error error = suites_read_file(copy, made, diagnostic);
    if (error) {
        suite_release(made);
        return error;
    }
    suites->of[suites->count].path = copy;
    suites->of[suites->count++].suite = made;
    *suite = made;
    return ERROR_NONE;
}

enum error serve_suite_named(struct serve_suites *suites, const char *name,
                             const struct suite **suite, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    char **paths = NULL;
    size_t count = 0;
    enum error error = suites_choose(name, &arena, &paths, &count, diagnostic);
    if (!error && count != 1)
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "'%.80s' is not one suite", name);
    if (!error)
        error = read_suite(suites, paths[0], suite, diagnostic);
    arena_release(&arena);
    return error;
}

const struct operation *serve_operation_of(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->operation_count; i++)
        if (!strcmp(suite->operation[i]->name, name))
            return suite->operation[i];
    return NULL;
}

// How well a suite that has the operation is named for the request: 3, 2 or 1.
static unsigned rank(const struct suite *suite, const char *operation,
                     const struct document_node *attributes)
{
    const size_t length = strlen(operation);
    if (strncmp(suite->name, operation, length) != 0)
        return 1;
    if (!suite->name[length])
        return 2;
    if (suite->name[length] != '.' || !attributes || attributes->kind != DOCUMENT_MAPPING)
        return 1;
    for (size_t i = 0; i < attributes->count; i++)
        if (attributes->item[i]->kind == DOCUMENT_SCALAR &&
            !strcmp(attributes->item[i]->text, suite->name + length + 1))
            return 3;
    return 1;
}

// The best of these suites; *found stays NULL where none has the operation.
static enum error find_best(struct serve_suites *suites, char *const *paths, size_t count,
                            const struct document_node *request, const struct suite **found,
                            struct diagnostic *diagnostic)
{
    const char *const operation = document_text(request, "op");
    const struct document_node *const attributes = document_find(request, "attributes");
    unsigned best = 0;
    for (size_t i = 0; i < count; i++) {
        const struct suite *suite = NULL;
        const enum error error = read_suite(suites, paths[i], &suite, diagnostic);
        if (error)
            return error;
        if (!serve_operation_of(suite, operation) || rank(suite, operation, attributes) <= best)
            continue;
        best = rank(suite, operation, attributes);
        *found = suite;
    }
    return ERROR_NONE;
}

static enum error list_shipped(struct arena *arena, char ***paths, size_t *count,
                               struct diagnostic *diagnostic)
{
    char folder[PATH_MAX];
    const enum error error = file_list(cli_data_path("yaml/suites", folder, sizeof folder), ".yaml",
                                       arena, paths, count, diagnostic);
    for (size_t i = 0; i < *count && !error; i++) {
        (*paths)[i] = arena_print(arena, "%s/%s.yaml", folder, (*paths)[i]);
        if (!(*paths)[i])
            return diagnostic_no_memory(diagnostic);
    }
    return error;
}

enum error serve_suite_of(struct serve_suites *suites, const struct document_node *request,
                          const struct suite **suite, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    char **paths = NULL;
    size_t count = 0;
    const char *const operation = document_text(request, "op");
    *suite = NULL;
    if (!operation)
        return document_fail(request, ERROR_INPUT, diagnostic, "a request needs 'op'");
    enum error error = suites_choose(NULL, &arena, &paths, &count, diagnostic);
    if (!error)
        error = find_best(suites, paths, count, request, suite, diagnostic);
    if (!error && !*suite)
        error = list_shipped(&arena, &paths, &count, diagnostic);
    if (!error && !*suite)
        error = find_best(suites, paths, count, request, suite, diagnostic);
    if (!error && !*suite)
        error = document_fail(request, ERROR_UNSUPPORTED, diagnostic,
                              "no suite has the operation '%.80s', so that nothing says which of "
                              "its readings are allowed; name one with 'suite'",
                              operation);
    arena_release(&arena);
    return error;
}

void serve_release_suites(struct serve_suites *suites)
{
    for (size_t i = 0; i < suites->count; i++)
        suite_release(suites->of[i].suite);
    operators_release(&suites->operators);
    arena_release(&suites->arena);
    *suites = (struct serve_suites){.count = 0};
}
