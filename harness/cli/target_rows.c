// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/target_rows.h"

#include <string.h>
#include <unistd.h>

#include "harness/cli/target_onnx.h"
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

static enum error apply_row(const struct document_node *row, struct arena *arena,
                            struct target *targets, size_t *count, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"name", "of", "held_to", "native", "environment", NULL};
    const char *name = NULL, *of = NULL, *held_to = NULL;
    enum error error = document_only_keys(row, keys, "a target", diagnostic);
    if (!error)
        error = take_text(row, "name", &name, diagnostic);
    if (!error)
        error = take_text(row, "of", &of, diagnostic);
    if (!error)
        error = take_text(row, "held_to", &held_to, diagnostic);
    if (error)
        return error;
    if (!name)
        return document_fail(row, ERROR_INPUT, diagnostic, "a target needs 'name'");
    struct target *target = find(targets, *count, name);
    if (target && (of || target->held_to || target->environment))
        return document_fail(row, ERROR_INPUT, diagnostic, "target '%.80s' is there already", name);
    const struct target *base = of ? find(targets, *count, of) : target;
    struct target made;
    if (!base && target_is_onnx(of ? of : name)) {
        const char *const backend = of ? of : name;
        error = target_of_backend(backend, strlen(backend), arena, &made, diagnostic);
        base = &made;
    }
    if (error || !base)
        return error;
    if (of || base == &made) {
        target = &targets[(*count)++];
        *target = *base;
        target->name = name;
        target->environment = NULL;
    }
    const struct document_node *const native = document_find(row, "native");
    target->held_to = held_to;
    target->native = false;
    if (native && (error = document_boolean(native, &target->native, "native", diagnostic)))
        return error;
    if (target->native && held_to)
        return document_fail(native, ERROR_INPUT, diagnostic,
                             "target '%.80s' cannot be native and held to %.40s", name, held_to);
    return take_environment(row, arena, target, diagnostic);
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
    struct target *const all =
        error ? NULL : arena_take_array(arena, *count + rows->count + 1, sizeof *all);
    if (!error && !all)
        error = diagnostic_no_memory(diagnostic);
    if (error)
        return error;
    memcpy(all, *targets, *count * sizeof *all);
    *targets = all;
    for (size_t i = 0; i < rows->count && !error; i++)
        error = apply_row(rows->item[i], arena, all, count, diagnostic);
    return error;
}
