// SPDX-License-Identifier: Apache-2.0
// Operators by name, each read once.

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ref/base/file.h"
#include "yaml/declared/operator.h"

static const struct operation *find(const struct operators *operators, const char *name)
{
    for (unsigned i = 0; i < operators->count; i++)
        if (!strcmp(operators->item[i]->operation.name, name))
            return &operators->item[i]->operation;
    return operation_named(name);
}

enum error operators_add_file(struct operators *operators, const char *path,
                              struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(&operators->arena, sizeof *source);
    struct declared_operation *declared = NULL;
    if (!source)
        return diagnostic_no_memory(diagnostic);
    enum error error = file_read(path, &operators->arena, source, diagnostic);
    if (!error)
        error = operator_read(source, &operators->arena, &declared, diagnostic);
    if (error)
        return error;
    declared->graph.path = source->name;
    const char *const name = declared->operation.name, *const file = file_name(path);
    if (find(operators, name))
        return document_fail_at(source, 1, 1, ERROR_INPUT, diagnostic,
                                "there is an operation %s already", name);
    if (strncmp(file, name, strlen(name)) != 0 || strcmp(file + strlen(name), ".yaml") != 0)
        return document_fail_at(source, 1, 1, ERROR_INPUT, diagnostic,
                                "operator %s must stand in a file %s.yaml", name, name);
    if (operators->count == OPERATORS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d operators", OPERATORS_MAX);
    operators->item[operators->count++] = declared;
    return ERROR_NONE;
}

enum error operators_add_folder(struct operators *operators, struct diagnostic *diagnostic)
{
    char **names = NULL, path[4096];
    size_t count = 0;
    enum error error = operators->folder ? file_list(operators->folder, ".yaml", &operators->arena,
                                                     &names, &count, diagnostic)
                                         : ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++) {
        snprintf(path, sizeof path, "%s/%s.yaml", operators->folder, names[i]);
        if (!find(operators, names[i]))
            error = operators_add_file(operators, path, diagnostic);
    }
    return error;
}

enum error operators_find(struct operators *operators, const char *name,
                          const struct operation **operation, struct diagnostic *diagnostic)
{
    char path[4096];
    struct stat status;
    *operation = find(operators, name);
    if (*operation || !operators->folder || strchr(name, '/') ||
        snprintf(path, sizeof path, "%s/%s.yaml", operators->folder, name) >= (int)sizeof path ||
        stat(path, &status))
        return ERROR_NONE;
    const enum error error = operators_add_file(operators, path, diagnostic);
    *operation = error ? NULL : find(operators, name);
    return error;
}

enum error operators_source(void *context, const char *name, const struct operation **operation,
                            struct diagnostic *diagnostic)
{
    return operators_find(context, name, operation, diagnostic);
}

void operators_release(struct operators *operators)
{
    arena_release(&operators->arena);
    const char *const folder = operators->folder;
    *operators = (struct operators){.folder = folder};
}
