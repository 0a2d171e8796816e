// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/target_table.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/cli.h"
#include "harness/cli/target_onnx.h"
#include "harness/cli/target_rows.h"
#include "ref/base/file.h"
#include "ref/base/nearest.h"
#include "ref/base/threads.h"
#include "yaml/suite.h"

enum { TARGETS_MAX = 256, PATH_SIZE = 4096, PROGRAM_WORDS_MAX = 32 };

static enum error named_twice(const char *what, const char *name, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INPUT, "%s '%s' is named twice", what, name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Names in `folder` that end in `suffix`, without it, sorted.
static enum error list_folder(const char *folder, const char *suffix, struct arena *arena,
                              char ***names, size_t *count, struct diagnostic *diagnostic)
{
    *count = 0;
    *names = arena_take_array(arena, TARGETS_MAX, sizeof **names);
    if (!*names)
        return diagnostic_no_memory(diagnostic);
    DIR *const directory = opendir(folder);
    if (!directory && (errno == ENOENT || errno == ENOTDIR))
        return ERROR_NONE;
    if (!directory)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s",
                               folder, strerror(errno));
    for (const struct dirent *entry = readdir(directory); entry && *count < TARGETS_MAX;
         entry = readdir(directory)) {
        const size_t length = strlen(entry->d_name), tail = strlen(suffix);
        if (length > tail && !strcmp(entry->d_name + length - tail, suffix) &&
            entry->d_name[0] != '.')
            (*names)[(*count)++] = arena_copy_text(arena, entry->d_name, length - tail);
    }
    closedir(directory);
    for (size_t i = 0; i < *count; i++)
        if (!(*names)[i])
            return diagnostic_no_memory(diagnostic);
    qsort(*names, *count, sizeof **names, by_text);
    return ERROR_NONE;
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
    enum error error = list_folder(built, ".so", arena, &plugins, &plugin_count, diagnostic);
    if (!error)
        error = list_folder(sources, ".py", arena, &programs, &program_count, diagnostic);
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
    return error ? error : target_rows_apply(sources, arena, targets, count, diagnostic);
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
            return named_twice("target", own->name, diagnostic);
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
                        error = named_twice("target", all[i].name, diagnostic);
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

// The file that a program of several words is: of an interpreter with its script, the script.
static const char *program_file(char *const *words)
{
    struct stat status;
    for (size_t i = 1; words[i]; i++)
        if (!stat(words[i], &status) && S_ISREG(status.st_mode))
            return words[i];
    return words[0];
}

static enum error choose_program(const char *program, struct arena *arena, struct target *target,
                                 struct diagnostic *diagnostic)
{
    char **const words = arena_take_array(arena, PROGRAM_WORDS_MAX + 1, sizeof *words);
    if (!words)
        return diagnostic_no_memory(diagnostic);
    size_t count = 0;
    const bool onnx = target_is_onnx(program); // a command that reads and writes ONNX files
    const char *const start = onnx ? program + sizeof TARGET_ONNX - 1 : program;
    for (const char *at = start + strspn(start, " "); *at && count < PROGRAM_WORDS_MAX;
         at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        words[count] = arena_copy_text(arena, at, length);
        if (!words[count++])
            return diagnostic_no_memory(diagnostic);
        at += length;
        if (count == PROGRAM_WORDS_MAX && at[strspn(at, " ")])
            return diagnostic_fail(diagnostic, ERROR_INPUT, "--exec has more than %d words",
                                   PROGRAM_WORDS_MAX);
    }
    if (!count)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "--exec needs a program");
    const char *const file = program_file(words);
    *target = (struct target){.path = file, .program = words};
    const enum error error =
        onnx ? target_of_command(words, arena, target, diagnostic) : ERROR_NONE;
    target->name = file_stem(file, arena);
    return error ? error : target->name ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// dlopen looks in the system's folders for a name without a slash.
static enum error choose_plugin(const char *plugin, struct arena *arena, struct target *target,
                                struct diagnostic *diagnostic)
{
    *target =
        (struct target){.name = file_stem(plugin, arena),
                        .path = strchr(plugin, '/') ? plugin : arena_print(arena, "./%s", plugin),
                        .selector = arena_print(arena, "--plugin %s", plugin)};
    return target->name && target->path ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

enum error targets_choose(const char *names, const char *plugin, const char *program,
                          struct arena *arena, struct target **targets, size_t *count,
                          struct diagnostic *diagnostic)
{
    struct target *named = NULL, own;
    *count = 0;
    if (!names && !plugin && !program)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "name a target with --target, --plugin or --exec");
    enum error error = names ? choose_named(names, arena, &named, count, diagnostic) : ERROR_NONE;
    *targets = error ? NULL : arena_take_array(arena, *count + 2, sizeof **targets);
    if (!error && !*targets)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < *count && !error; i++)
        (*targets)[i] = named[i];
    if (!error && plugin)
        error = choose_plugin(plugin, arena, &own, diagnostic);
    if (!error && plugin)
        error = add_own(&own, *targets, count, diagnostic);
    if (!error && program)
        error = choose_program(program, arena, &own, diagnostic);
    if (!error && program) {
        own.selector = arena_print(arena, "--exec '%s'", program);
        error = own.selector ? add_own(&own, *targets, count, diagnostic)
                             : diagnostic_no_memory(diagnostic);
    }
    return error;
}

enum error target_open(const struct target *target, unsigned time_ms, struct host **host,
                       struct diagnostic *diagnostic)
{
    const struct host_options options = {.plugin = target->program ? NULL : target->path,
                                         .program = target->program,
                                         .environment = target->environment,
                                         .time_ms = time_ms};
    if (target->program && strchr(target->program[0], '/') && access(target->program[0], X_OK))
        return diagnostic_fail(
            diagnostic, ERROR_SYSTEM,
            "%s is not there or cannot be run (scripts/setup makes the environment)",
            target->program[0]);
    return host_open(&options, host, diagnostic);
}

static enum error add_suite(char **paths, size_t *count, char *path, struct diagnostic *diagnostic)
{
    if (!path)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(paths[i], path))
            return named_twice("suite", path, diagnostic);
    if (*count == TARGETS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d suites", TARGETS_MAX);
    paths[(*count)++] = path;
    return ERROR_NONE;
}

enum error suites_choose(const char *names, struct arena *arena, char ***paths, size_t *count,
                         struct diagnostic *diagnostic)
{
    char folder[PATH_SIZE];
    char **all = NULL;
    size_t all_count = 0;
    cli_data_path("yaml/suites", folder, sizeof folder);
    enum error error = list_folder(folder, ".yaml", arena, &all, &all_count, diagnostic);
    *paths = error ? NULL : arena_take_array(arena, TARGETS_MAX, sizeof **paths);
    *count = 0;
    if (!error && !*paths)
        error = diagnostic_no_memory(diagnostic);
    for (const char *at = names ? names : "all"; !error && *at;) {
        const size_t length = strcspn(at, ",");
        const bool every = length == 3 && !strncmp(at, "all", 3),
                   path = memchr(at, '/', length) != NULL;
        const size_t before = *count;
        if (path)
            error = add_suite(*paths, count, arena_copy_text(arena, at, length), diagnostic);
        for (size_t i = 0; i < all_count && !path && !error; i++)
            if (every || (strlen(all[i]) == length && !strncmp(all[i], at, length)))
                error = add_suite(*paths, count, arena_print(arena, "%s/%s.yaml", folder, all[i]),
                                  diagnostic);
        if (!error && *count == before && names) {
            struct nearest nearest = {.asked = at, .length = length};
            char hint[NEAREST_HINT_SIZE];
            for (size_t i = 0; i < all_count && length; i++)
                nearest_offer(&nearest, all[i]);
            error = diagnostic_fail(diagnostic, ERROR_INPUT, "there is no suite '%.*s' in %s%s",
                                    (int)length, at, folder, nearest_hint(&nearest, hint));
        }
        at += length + (at[length] == ',');
    }
    return error;
}

// Whether a suite's file lies elsewhere than those that assay comes with.
static bool is_own(const char *path)
{
    char folder[PATH_SIZE], ours[PATH_SIZE], theirs[PATH_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)(file_name(path) - path), path);
    return !realpath(cli_data_path("yaml/suites", ours, sizeof ours), theirs) ||
           !realpath(folder[0] ? folder : ".", ours) || strcmp(ours, theirs) != 0;
}

const char *suites_vectors(const struct suite *suite, char *path, size_t size)
{
    if (!suite->own)
        return cli_data_path("vectors/golden", path, size);
    snprintf(path, size, "%.*svectors", (int)(file_name(suite->path) - suite->path), suite->path);
    return path;
}

enum error suites_read_file(const char *path, struct suite *suite, struct diagnostic *diagnostic)
{
    const enum error error = suite_read(path, suite, diagnostic);
    suite->own = is_own(path);
    return error;
}

struct reading {
    char *const *paths;
    struct suite *suites;
};

static enum error read_some(void *context, uint64_t first, uint64_t count,
                            struct diagnostic *diagnostic)
{
    const struct reading *const reading = context;
    enum error error = ERROR_NONE;
    for (uint64_t i = first; i < first + count && !error; i++)
        error = suites_read_file(reading->paths[i], &reading->suites[i], diagnostic);
    return error;
}

enum error suites_read(char *const *paths, size_t count, struct arena *arena, struct suite **suites,
                       struct diagnostic *diagnostic)
{
    *suites = arena_take_array(arena, count, sizeof **suites);
    if (!*suites)
        return diagnostic_no_memory(diagnostic);
    struct reading reading = {.paths = paths, .suites = *suites};
    return threads_run(0, count, 1, read_some, &reading, diagnostic);
}
