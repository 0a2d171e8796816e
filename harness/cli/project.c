// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/project.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "yaml/reader.h"

enum { UP = 3 }; // bytes of "../"

const char *project_path(const struct project *project, const char *path, struct arena *arena)
{
    return path[0] == '/' ? path : arena_print(arena, "%s%s", project->folder, path);
}

// A list under `key`, whose items are all of one kind.
static enum error take_list(const struct document_node *root, const char *key,
                            enum document_kind kind, const char *what,
                            const struct document_node **list, struct diagnostic *diagnostic)
{
    *list = document_find(root, key);
    if (!*list)
        return ERROR_NONE;
    enum error error = document_expect(*list, DOCUMENT_SEQUENCE, key, diagnostic);
    for (size_t i = 0; !error && i < (*list)->count; i++)
        error = document_expect((*list)->item[i], kind, what, diagnostic);
    return error;
}

static enum error read_file(const char *path, struct arena *arena, struct project *project,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"suites", "targets", "known", NULL};
    struct document_source *const source = arena_take(arena, sizeof *source);
    struct document_node *root = NULL;
    enum error error =
        source ? file_read(path, arena, source, diagnostic) : diagnostic_no_memory(diagnostic);
    if (!error)
        error = yaml_read(source, arena, &root, diagnostic);
    if (!error)
        error = document_only_keys(root, keys, "a project", diagnostic);
    if (!error)
        error = take_list(root, "suites", DOCUMENT_SCALAR, "a suite", &project->suites, diagnostic);
    if (!error)
        error =
            take_list(root, "targets", DOCUMENT_MAPPING, "a target", &project->targets, diagnostic);
    const struct document_node *const known = error ? NULL : document_find(root, "known");
    if (known && !(error = document_expect(known, DOCUMENT_SCALAR, "known", diagnostic)) &&
        !(project->known = project_path(project, known->text, arena)))
        error = diagnostic_no_memory(diagnostic);
    return error;
}

// The nearest file of a project: its path, and how many bytes of that stand before its name.
static bool look_upwards(char path[2 * PATH_MAX], size_t *length, struct stat *status)
{
    char here[PATH_MAX];
    size_t levels = 0;
    if (!getcwd(here, sizeof here))
        return false; // it was removed
    for (const char *at = here; *at; at++)
        levels += *at == '/';
    for (*length = 0; *length <= levels * UP; *length += UP) {
        memcpy(path + *length, PROJECT_FILE, sizeof PROJECT_FILE);
        if (!stat(path, status) && S_ISREG(status->st_mode))
            return true;
        memcpy(path + *length, "../", UP);
    }
    return false;
}

enum error project_find(struct arena *arena, struct project *project, struct diagnostic *diagnostic)
{
    char path[2 * PATH_MAX];
    size_t length;
    struct stat status;
    *project = (struct project){.folder = NULL};
    if (!look_upwards(path, &length, &status))
        return ERROR_NONE;
    const uid_t user = geteuid();
    if (user && status.st_uid && status.st_uid != user)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s belongs to another user, whose programs it may name", path);
    project->folder = arena_copy_text(arena, path, length);
    const char *const name = arena_copy_text(arena, path, strlen(path));
    return project->folder && name ? read_file(name, arena, project, diagnostic)
                                   : diagnostic_no_memory(diagnostic);
}
