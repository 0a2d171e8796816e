// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/target_table.h"

#include <string.h>
#include <unistd.h>

#include "harness/cli/cli.h"
#include "harness/cli/project.h"
#include "harness/cli/target_of.h"
#include "harness/cli/target_rows.h"
#include "ref/base/file.h"
#include "ref/base/nearest.h"
#include "ref/base/text.h"

enum { PATH_SIZE = 4096 };

static enum error named_twice(const char *name, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INPUT, "target '%s' is named twice", name);
}

static enum error add_python(struct arena *arena, const char *name, struct target *target,
                             struct diagnostic *diagnostic)
{
    const char *const script = arena_print(arena, "%s.py", name);
    const enum error error = script ? target_of_script(script, NULL, arena, target, diagnostic)
                                    : diagnostic_no_memory(diagnostic);
    target->name = name;
    return error;
}

enum error targets_list(struct arena *arena, struct target **targets, size_t *count,
                        struct diagnostic *diagnostic)
{
    char built[PATH_SIZE], sources[PATH_SIZE];
    char **plugins = NULL, **programs = NULL;
    size_t plugin_count = 0, program_count = 0;
    cli_built_path("targets", built, sizeof built);
    cli_data_path("harness/targets", sources, sizeof sources);
    enum error error = file_list(built, ".so", arena, &plugins, &plugin_count, diagnostic);
    if (!error)
        error = file_list(sources, ".py", arena, &programs, &program_count, diagnostic);
    *targets =
        error ? NULL : arena_take_array(arena, plugin_count + program_count + 1, sizeof **targets);
    *count = 0;
    if (!error && !*targets)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < plugin_count && !error; i++) {
        (*targets)[*count] = (struct target){
            .name = plugins[i], .path = arena_print(arena, "%s/%s.so", built, plugins[i])};
        if (!(*targets)[(*count)++].path)
            error = diagnostic_no_memory(diagnostic);
    }
    for (size_t i = 0; i < program_count && !error; i++)
        error = add_python(arena, programs[i], &(*targets)[(*count)++], diagnostic);
    if (!error)
        error = target_rows_apply(sources, arena, targets, count, diagnostic);
    struct project project;
    if (!error)
        error = project_find(arena, &project, diagnostic);
    return error ? error : target_rows_add(&project, arena, targets, count, diagnostic);
}

static enum error no_such_target(const struct target *all, size_t count, const char *name,
                                 size_t length, struct diagnostic *diagnostic)
{
    struct nearest nearest = {.asked = name, .length = length};
    char hint[NEAREST_HINT_SIZE];
    for (size_t i = 0; i < count && length; i++)
        nearest_offer(&nearest, all[i].name);
    return diagnostic_fail(diagnostic, ERROR_INPUT,
                           "there is no target '%.*s'%s `assay targets` "
                           "lists them",
                           (int)length, name, *nearest_hint(&nearest, hint) ? hint : ";");
}

// Results are told apart by the names of their targets.
static enum error add_own(struct target *own, struct target *targets, size_t *count,
                          struct diagnostic *diagnostic)
{
    own->named = true;
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(targets[i].name, own->name))
            return named_twice(own->name, diagnostic);
    targets[(*count)++] = *own;
    return ERROR_NONE;
}

static enum error choose_named(const char *names, struct arena *arena, struct target **targets,
                               size_t *count, struct diagnostic *diagnostic)
{
    struct target *all = NULL;
    size_t all_count = 0;
    enum error error = targets_list(arena, &all, &all_count, diagnostic);
    *targets =
        error ? NULL : arena_take_array(arena, all_count + strlen(names) + 1, sizeof **targets);
    *count = 0;
    if (!error && !*targets)
        error = diagnostic_no_memory(diagnostic);
    for (const char *at = names; !error && *at;) {
        const size_t length = strcspn(at, ",");
        const bool every = length == 3 && !strncmp(at, "all", 3);
        const size_t before = *count;
        for (size_t i = 0; i < all_count && !error; i++)
            if (every || (strlen(all[i].name) == length && !strncmp(all[i].name, at, length))) {
                for (size_t j = 0; j < *count && !error; j++)
                    if (!strcmp((*targets)[j].name, all[i].name))
                        error = named_twice(all[i].name, diagnostic);
                if (!error) {
                    (*targets)[*count] = all[i];
                    (*targets)[(*count)++].named = !every;
                }
            }
        if (!error && *count == before && target_is_onnx(at) && length >= sizeof TARGET_ONNX) {
            struct target own;
            error = target_of_backend(at, length, arena, &own, diagnostic);
            if (!error)
                error = add_own(&own, *targets, count, diagnostic);
        } else if (!error && *count == before)
            error = no_such_target(all, all_count, at, length, diagnostic);
        at += length + (at[length] == ',');
    }
    return error;
}

// The same for one that an option names in these words.
static enum error add_selected(struct target *own, const char *selector, struct target *targets,
                               size_t *count, struct diagnostic *diagnostic)
{
    if (!selector)
        return diagnostic_no_memory(diagnostic);
    own->selector = selector;
    return add_own(own, targets, count, diagnostic);
}

// The names of the project's own targets, parted by commas.
static enum error project_names(struct arena *arena, const char **names,
                                struct diagnostic *diagnostic)
{
    struct project project;
    const enum error error = project_find(arena, &project, diagnostic);
    const struct document_node *const rows = error ? NULL : project.targets;
    struct text text = {0};
    for (size_t i = 0; rows && i < rows->count; i++) {
        const char *const name = document_text(rows->item[i], "name");
        text_print(&text, "%s%s", i ? "," : "", name ? name : "");
    }
    *names = text.size ? arena_copy_text(arena, text.bytes, text.size) : NULL;
    const bool lost = text.failed || (text.size && !*names);
    text_release(&text);
    if (error || *names)
        return error;
    return lost ? diagnostic_no_memory(diagnostic)
                : diagnostic_fail(diagnostic, ERROR_INPUT,
                                  "name a target with --target, --plugin or --exec");
}

enum error targets_choose(const char *names, const char *plugin, const char *program,
                          struct arena *arena, struct target **targets, size_t *count,
                          struct diagnostic *diagnostic)
{
    struct target *named = NULL, own;
    enum error error = ERROR_NONE;
    *count = 0;
    if (!names && !plugin && !program)
        error = project_names(arena, &names, diagnostic);
    if (names && !error)
        error = choose_named(names, arena, &named, count, diagnostic);
    *targets = error ? NULL : arena_take_array(arena, *count + 2, sizeof **targets);
    if (!error && !*targets)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < *count && !error; i++)
        (*targets)[i] = named[i];
    if (!error && plugin)
        error = target_of_plugin(plugin, arena, &own, diagnostic);
    if (!error && plugin)
        error = add_selected(&own, arena_print(arena, "--plugin %s", plugin), *targets, count,
                             diagnostic);
    if (!error && program)
        error = target_of_program(program, "", arena, &own, diagnostic);
    if (!error && program)
        error = add_selected(&own, arena_print(arena, "--exec '%s'", program), *targets, count,
                             diagnostic);
    return error;
}

enum error target_open(const struct target *target, unsigned time_ms, struct host **host,
                       struct diagnostic *diagnostic)
{
    const struct host_options options = {.plugin = target->program ? NULL : target->path,
                                         .program = target->program,
                                         .environment = target->environment,
                                         .replay = target->replay,
                                         .recorder = target->recorder,
                                         .trace = target->trace,
                                         .time_ms = time_ms};
    if (target->program && strchr(target->program[0], '/') && access(target->program[0], X_OK))
        return diagnostic_fail(
            diagnostic, ERROR_SYSTEM,
            "%s is not there or cannot be run (scripts/setup makes the environment)",
            target->program[0]);
    return host_open(&options, host, diagnostic);
}
