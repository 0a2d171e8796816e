// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/verify/files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/cli/certify/files.h"
#include "harness/cli/cli.h"
#include "harness/cli/project.h"
#include "harness/cli/suite_table.h"
#include "harness/cli/target_table.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "reports/envelope.h"
#include "reports/shape.h"
#include "reports/text.h"
#include "yaml/suite.h"

struct check {
    const struct verify_places *places;
    char target[PATH_MAX]; // where the target's file lies, empty: nowhere
    bool only_library;     // --library names one file, so that any name will do
};

void verify_say(const char *what, const char *name, const char *more)
{
    struct text text = {0};
    text_put(&text, what);
    text_put(&text, " ");
    text_put_plain(&text, name);
    text_put(&text, more);
    text_put(&text, "\n");
    cli_put_text(&text);
    text_release(&text);
}

// What follows `folder/` in the name, or NULL.
static const char *within(const char *name, const char *folder)
{
    const size_t length = strlen(folder);
    return !strncmp(name, folder, length) && name[length] == '/' ? name + length + 1 : NULL;
}

// Where the target's file lies, or "": names come from the certificate and lead only to targets
// that are known here.
static enum error find_target(const struct verify_places *places, const char *rest,
                              char path[PATH_MAX], struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct target *targets = NULL;
    size_t count = 0;
    const enum error error =
        places->target ? ERROR_NONE : targets_list(&arena, &targets, &count, diagnostic);
    snprintf(path, PATH_MAX, "%s", places->target ? places->target : "");
    for (size_t i = 0; i < count && !error && !path[0]; i++)
        if (!strcmp(file_name(targets[i].path), rest))
            snprintf(path, PATH_MAX, "%s", targets[i].path);
    arena_release(&arena);
    if (path[0] && !digest_is_there(path))
        path[0] = '\0';
    return error;
}

static bool is_below(const char *folder, const char *name, char *path)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && digest_is_there(path);
}

// Looks in one given place: a folder that holds it under its whole or its last name, or the file
// itself.
static bool find_in(const struct check *check, const char *place, const char *name, char *path)
{
    const char *last = name + strlen(name);
    struct stat status;
    while (last > name && (last[-1] != '/' || !*last))
        last--;
    if (stat(place, &status))
        return false;
    const char *const end = strrchr(place, '/');
    const bool named = !strncmp(end ? end + 1 : place, last, strcspn(last, "/")) &&
                       strlen(end ? end + 1 : place) == strcspn(last, "/");
    if (named || (check->only_library && !S_ISDIR(status.st_mode))) {
        snprintf(path, PATH_MAX, "%s", place);
        return true;
    }
    return S_ISDIR(status.st_mode) && (is_below(place, name, path) || is_below(place, last, path));
}

static bool find_library(const struct check *check, const char *name, char *path)
{
    char folder[PATH_MAX];
    if (strstr(name, ".."))
        return false;
    const bool absent = name[strlen(name) - 1] == DIGEST_ABSENT; // it is nowhere, not elsewhere
    for (const char *at = absent ? NULL : check->places->library; at && *at;) {
        const size_t length = strcspn(at, ",");
        char place[PATH_MAX];
        snprintf(place, sizeof place, "%.*s",
                 (int)(length && at[length - 1] == '/' ? length - 1 : length), at);
        if (find_in(check, place, name, path))
            return true;
        at += length + (at[length] == ',');
    }
    snprintf(folder, sizeof folder, "%s", check->target);
    char *const slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return certify_locate_file(name,
                               !check->target[0] ? NULL
                               : slash           ? folder
                                                 : ".",
                               path, PATH_MAX);
}

enum error verify_read_suites(struct verify_places *places, const char *names, struct arena *arena,
                              struct diagnostic *diagnostic)
{
    struct project project;
    char **paths = NULL;
    enum error error = names ? ERROR_NONE : project_find(arena, &project, diagnostic);
    if (error || (!names && !project.suites))
        return error;
    error = suites_choose(names, arena, &paths, &places->suite_count, diagnostic);
    return error ? error
                 : suites_read(paths, places->suite_count, arena, &places->suites, diagnostic);
}

void verify_release_suites(struct verify_places *places)
{
    for (size_t i = 0; places->suites && i < places->suite_count; i++)
        suite_release(&places->suites[i]);
}

const struct suite *verify_own_suite(const struct verify_places *places, const char *name)
{
    for (size_t i = 0; i < places->suite_count; i++)
        if (!strcmp(places->suites[i].name, name))
            return &places->suites[i];
    return NULL;
}

// A suite or its vectors: NAME.yaml, NAME.safetensors or NAME.jsonl.
static void find_of_suite(const struct check *check, const char *name, char path[PATH_MAX])
{
    char suite_name[256], folder[PATH_MAX];
    const char *const file = file_name(name), *const ending = strrchr(file, '.');
    snprintf(suite_name, sizeof suite_name, "%.*s",
             (int)(ending ? (size_t)(ending - file) : strlen(file)), file);
    const struct suite *const own = verify_own_suite(check->places, suite_name);
    if (!own)
        cli_data_path(name, path, PATH_MAX);
    else if (within(name, "yaml/suites"))
        snprintf(path, PATH_MAX, "%s", own->path);
    else if ((size_t)snprintf(path, PATH_MAX, "%s/%s", suites_vectors(own, folder, sizeof folder),
                              file) >= PATH_MAX)
        path[0] = '\0';
}

// The declaration of an operator: that of a suite of one's own, else the one that assay comes with.
static void find_operator(const struct check *check, const char *name, char path[PATH_MAX])
{
    const char *const file = file_name(name);
    cli_data_path(name, path, PATH_MAX);
    for (size_t s = 0; s < check->places->suite_count; s++) {
        const struct operators *const own = &check->places->suites[s].operators;
        for (unsigned i = 0; i < own->count; i++)
            if (!strcmp(file_name(own->item[i]->graph.path), file))
                snprintf(path, PATH_MAX, "%s", own->item[i]->graph.path);
    }
}

// Where a subject's file lies on this machine; false when it was not given.
static bool find_file(const struct check *check, const char *name, char path[PATH_MAX])
{
    const char *rest;
    path[0] = '\0';
    if ((rest = within(name, "library")))
        return find_library(check, rest, path);
    if (strstr(name, ".."))
        return false;
    if (within(name, "target"))
        snprintf(path, PATH_MAX, "%s", check->target);
    else if (within(name, "record") && check->places->recorded)
        snprintf(path, PATH_MAX, "%s/%s", check->places->recorded, within(name, "record"));
    else if (within(name, "results") && check->places->results)
        snprintf(path, PATH_MAX, "%s", check->places->results);
    else if (within(name, "tool"))
        snprintf(path, PATH_MAX, "%s",
                 check->places->tool ? check->places->tool : "/proc/self/exe");
    else if (within(name, "yaml/suites") || within(name, "vectors/golden"))
        find_of_suite(check, name, path);
    else if (within(name, "yaml/operators"))
        find_operator(check, name, path);
    return path[0] && digest_is_there(path);
}

static const char *missing_help(const char *name)
{
    return within(name, "library") ? ": it is not there; say where it is with --library PATH"
           : within(name, "target")
               ? ": it is not there; say where it is with --plugin FILE or --exec PROGRAM"
           : within(name, "tool") ? ": it is not there"
           : within(name, "yaml/suites") || within(name, "yaml/operators")
               ? ": it is not on this machine; of a suite of one's own say where with --suite PATH"
               : ": it is not on this machine";
}

static enum error check_subject(const struct check *check, const struct document_node *subject,
                                bool *fault, struct diagnostic *diagnostic)
{
    const char *const name = shape_text(subject, "name");
    const struct document_node *const digests = document_find(subject, "digest");
    const bool folder = name[0] && name[strlen(name) - 1] == '/';
    const char *const wanted = shape_text(digests, folder ? "dirHash" : "sha256");
    char path[PATH_MAX], hex[DIGEST_HEX_SIZE];
    struct stat status;
    if (!wanted) {
        verify_say("unclear  ", name, ": the certificate gives no digest of it that is known here");
        *fault = true;
        return ERROR_NONE;
    }
    if (!strncmp(name, STATEMENT_ELSEWHERE, sizeof STATEMENT_ELSEWHERE - 1)) {
        verify_say("elsewhere", name + sizeof STATEMENT_ELSEWHERE - 1,
                   ": of the machine that recorded");
        return ERROR_NONE;
    }
    if (!find_file(check, name, path)) {
        const bool record = within(name, "record") && !check->places->recorded;
        const bool optional = record || (within(name, "results") && !check->places->results);
        verify_say(optional ? "not given" : "missing  ", name,
                   record     ? " (--recorded DIR checks it too)"
                   : optional ? " (--results FILE checks it too)"
                              : missing_help(name));
        *fault = !optional;
        return ERROR_NONE;
    }
    if (!stat(path, &status) && S_ISDIR(status.st_mode) != folder) {
        verify_say("CHANGED  ", name,
                   folder ? ": it is no longer a folder" : ": it is no longer a file");
        *fault = true;
        return ERROR_NONE;
    }
    const enum error error = digest_path(path, hex, diagnostic);
    if (error)
        return error;
    const bool same = !strcmp(hex, wanted);
    *fault = !same && (!within(name, "tool") || check->places->tool);
    verify_say(same     ? "unchanged"
               : *fault ? "CHANGED  "
                        : "another  ",
               name,
               same ? ""
               : *fault && name[strlen(name) - 1] == DIGEST_ABSENT
                   ? ": the target looked for it, and whether it is there is not as certified"
               : *fault
                   ? ": its bytes are not those that were certified"
                   : " (this is another build of it; --tool FILE checks the one that certified)");
    return ERROR_NONE;
}

enum error verify_files(const struct verify_places *places, const struct document_node *subjects,
                        unsigned *faults, struct diagnostic *diagnostic)
{
    struct check check = {.places = places};
    enum error error = ERROR_NONE;
    unsigned libraries = 0;
    for (size_t i = 0; i < subjects->count && !error; i++) {
        const char *const name = shape_text(subjects->item[i], "name");
        libraries += within(name, "library") != NULL;
        if (within(name, "target"))
            error = find_target(places, within(name, "target"), check.target, diagnostic);
    }
    check.only_library = libraries == 1;
    for (size_t i = 0; !error && i < subjects->count; i++) {
        bool fault = false;
        error = check_subject(&check, subjects->item[i], &fault, diagnostic);
        *faults += fault;
    }
    return error;
}
