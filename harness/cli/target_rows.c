// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/target_rows.h"

#include <string.h>
#include <unistd.h>

#include "harness/cli/target_of.h"
#include "ref/base/file.h"
#include "yaml/reader.h"

// The scalar under `key`; NULL where there is none.
static enum error take_text(const struct document_node *row, const char *key, const char **text,
                            struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(row, key);
    *text = NULL;
    if (!node)
        return ERROR_NONE;
    const enum error error = document_expect(node, DOCUMENT_SCALAR, key, diagnostic);
    if (!error)
        *text = node->text;
    return error;
}

static enum error take_environment(const struct document_node *row, struct arena *arena,
                                   struct target *target, struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(row, "environment");
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "environment", diagnostic);
    if (error)
        return error;
    char **const environment = arena_take_array(arena, node->count + 1, sizeof *environment);
    if (!environment)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++) {
        error = document_expect(node->item[i], DOCUMENT_SCALAR, node->key[i]->text, diagnostic);
        if (!error && !(environment[i] =
                            arena_print(arena, "%s=%s", node->key[i]->text, node->item[i]->text)))
            error = diagnostic_no_memory(diagnostic);
    }
    target->environment = environment;
    return error;
}

static struct target *find(struct target *targets, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(targets[i].name, name))
            return &targets[i];
    return NULL;
}

// What a row says beside the environment.
struct row {
    const char *name, *of, *held_to;
    const char *plugin, *program; // of a project's
};

static enum error read_row(const struct document_node *node, bool of_project, struct row *row,
                           struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"name",        "of",     "held_to", "native",
                                       "environment", "plugin", "exec",    NULL};
    static const char *const shipped[] = {"name", "of", "held_to", "native", "environment", NULL};
    const struct {
        const char *key, **text;
    } texts[] = {{"name", &row->name},
                 {"of", &row->of},
                 {"held_to", &row->held_to},
                 {"plugin", &row->plugin},
                 {"exec", &row->program}};
    enum error error =
        document_only_keys(node, of_project ? keys : shipped, "a target", diagnostic);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !error; i++)
        error = take_text(node, texts[i].key, texts[i].text, diagnostic);
    if (error)
        return error;
    if (!row->name || !*row->name || strchr(row->name, ','))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a target needs 'name', without a comma");
    if (of_project && !!row->plugin + !!row->program + !!row->of != 1)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "target '%.80s' needs one of 'plugin', 'exec' and 'of'", row->name);
    return ERROR_NONE;
}

// What a row's target is made of: a file or command of the project, a target of the list, or
// whatever runs ONNX models. *found is false where none is there.
static enum error make_target(const struct row *row, const struct project *project,
                              const struct target *base, struct arena *arena, struct target *target,
                              bool *found, struct diagnostic *diagnostic)
{
    const char *const backend = row->of ? row->of : row->name;
    *found = true;
    if (row->plugin) {
        const char *const path = project_path(project, row->plugin, arena);
        return path ? target_of_plugin(path, arena, target, diagnostic)
                    : diagnostic_no_memory(diagnostic);
    }
    if (row->program)
        return target_of_program(row->program, project->folder, arena, target, diagnostic);
    if (!base && target_is_onnx(backend))
        return target_of_backend(backend, strlen(backend), arena, target, diagnostic);
    *found = base != NULL;
    if (base)
        *target = *base;
    return ERROR_NONE;
}

static enum error apply_row(const struct document_node *node, const struct project *project,
                            struct arena *arena, struct target *targets, size_t *count,
                            struct diagnostic *diagnostic)
{
    struct row row = {.name = NULL};
    enum error error = read_row(node, project, &row, diagnostic);
    if (error)
        return error;
    struct target *const there = find(targets, *count, row.name);
    if (there && (row.of || project || there->held_to || there->environment))
        return document_fail(node, ERROR_INPUT, diagnostic, "target '%.80s' is there already",
                             row.name);
    struct target made;
    bool found;
    error = make_target(&row, project, row.of ? find(targets, *count, row.of) : there, arena, &made,
                        &found, diagnostic);
    if (!error && !found && project)
        error = document_fail(node, ERROR_INPUT, diagnostic, "there is no target '%.80s'", row.of);
    if (error || !found)
        return error;
    struct target *const target = there ? there : &targets[(*count)++];
    *target = made;
    target->name = row.name;
    target->held_to = row.held_to;
    target->environment = NULL;
    const struct document_node *const native = document_find(node, "native");
    target->native = false;
    if (native && (error = document_boolean(native, &target->native, "native", diagnostic)))
        return error;
    if (target->native && row.held_to)
        return document_fail(native, ERROR_INPUT, diagnostic,
                             "target '%.80s' cannot be native and held to %.40s", row.name,
                             row.held_to);
    return take_environment(node, arena, target, diagnostic);
}

static enum error apply_rows(const struct document_node *rows, const struct project *project,
                             struct arena *arena, struct target **targets, size_t *count,
                             struct diagnostic *diagnostic)
{
    struct target *const all = arena_take_array(arena, *count + rows->count + 1, sizeof *all);
    if (!all)
        return diagnostic_no_memory(diagnostic);
    memcpy(all, *targets, *count * sizeof *all);
    *targets = all;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < rows->count && !error; i++)
        error = apply_row(rows->item[i], project, arena, all, count, diagnostic);
    return error;
}

enum error target_rows_add(const struct project *project, struct arena *arena,
                           struct target **targets, size_t *count, struct diagnostic *diagnostic)
{
    return project->targets
               ? apply_rows(project->targets, project, arena, targets, count, diagnostic)
               : ERROR_NONE;
}

enum error target_rows_apply(const char *folder, struct arena *arena, struct target **targets,
                             size_t *count, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"targets", NULL};
    const char *const path = arena_print(arena, "%s/targets.yaml", folder);
    struct document_source *const source = arena_take(arena, sizeof *source);
    struct document_node *root = NULL;
    if (!path || !source)
        return diagnostic_no_memory(diagnostic);
    if (access(path, F_OK))
        return ERROR_NONE;
    enum error error = file_read(path, arena, source, diagnostic);
    if (!error)
        error = yaml_read(source, arena, &root, diagnostic);
    if (!error)
        error = document_only_keys(root, keys, "a list of targets", diagnostic);
    const struct document_node *const rows = error ? NULL : document_find(root, "targets");
    if (!error && !rows)
        error = document_fail(root, ERROR_INPUT, diagnostic, "expected a list under 'targets'");
    if (!error)
        error = document_expect(rows, DOCUMENT_SEQUENCE, "targets", diagnostic);
    return error ? error : apply_rows(rows, NULL, arena, targets, count, diagnostic);
}
