// SPDX-License-Identifier: Apache-2.0
// Plans of jobs in parts: their digest, and the file by which a folder belongs to one.
//
// plan.json is linked into its place, so that of several processes that begin at once on machines
// of two kinds one wins, and the others fail before they have worked.

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "ref/base/leftover.h"
#include "ref/base/shard/shard_file.h"

enum { DIFFERENCE_SIZE = 500 };

enum error shard_plan_digest(const struct shard_plan *plan, char hex[DIGEST_HEX_SIZE],
                             struct diagnostic *diagnostic)
{
    struct text text = {0};
    unsigned char digest[DIGEST_SIZE];
    json_begin_object(&text);
    json_put_pair(&text, plan->command, plan->text);
    json_put_unsigned_at(&text, "count", plan->count);
    json_end_object(&text);
    const enum error error = text.failed ? diagnostic_no_memory(diagnostic)
                                         : digest_of(text.bytes, text.size, digest, diagnostic);
    text_release(&text);
    if (!error)
        digest_write_hex(digest, hex);
    return error;
}

// ---- as text ----------------------------------------------------------------

void shard_plan_put(struct text *text, const struct shard_plan *plan, const char *digest)
{
    json_put_pairs(text, {"command", plan->command}, {"plan", plan->text}, {"digest", digest});
    json_put_unsigned_at(text, "count", plan->count);
}

enum error shard_plan_read(const struct document_node *root, struct shard_plan *plan,
                           const char **digest, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"command", "plan", "digest", "count"};
    enum error error = document_expect(root, DOCUMENT_MAPPING, "a plan", diagnostic);
    for (unsigned i = 0; i < sizeof keys / sizeof *keys && !error; i++) {
        const struct document_node *const node = document_find(root, keys[i]);
        error = node ? document_expect(node, DOCUMENT_SCALAR, keys[i], diagnostic)
                     : document_fail(root, ERROR_INPUT, diagnostic, "there is no %s", keys[i]);
    }
    long long count = 0;
    if (!error)
        error = document_integer(document_find(root, "count"), 1, SHARD_COUNT_MAX, &count, "count",
                                 diagnostic);
    if (error)
        return error;
    *plan = (struct shard_plan){.command = document_find(root, "command")->text,
                                .text = document_find(root, "plan")->text,
                                .count = (unsigned)count};
    *digest = document_find(root, "digest")->text;
    char right[DIGEST_HEX_SIZE];
    error = shard_plan_digest(plan, right, diagnostic);
    if (!error && strcmp(right, *digest) != 0)
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "the plan's digest is not that of the plan");
    return error;
}

// ---- of a folder ------------------------------------------------------------

static void plan_path(const char *folder, char path[SHARD_PATH_SIZE])
{
    snprintf(path, SHARD_PATH_SIZE, "%.4000s/plan.json", folder);
}

// plan->text NULL: there is none, or no whole one.
static enum error read_plan_file(const char *folder, struct arena *arena, struct shard_plan *plan,
                                 struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"assay_plan", "command", "plan", "digest", "count", NULL};
    char path[SHARD_PATH_SIZE];
    struct stat status;
    struct document_node *root = NULL;
    const char *digest;
    struct document_source *const source = arena_take(arena, sizeof *source);
    *plan = (struct shard_plan){0};
    plan_path(folder, path);
    if (!source)
        return diagnostic_no_memory(diagnostic);
    if (stat(path, &status) || !S_ISREG(status.st_mode)) // a pipe would be waited for
        return ERROR_NONE;
    enum error error = file_read(path, arena, source, diagnostic);
    if (!error)
        error = json_read(source, arena, &root, diagnostic);
    if (!error)
        error = document_only_keys(root, keys, "a plan", diagnostic);
    const struct document_node *const version = error ? NULL : document_find(root, "assay_plan");
    long long form;
    if (!error)
        error = version ? document_integer(version, 1, 1, &form, "assay_plan", diagnostic)
                        : ERROR_INPUT;
    if (!error)
        error = shard_plan_read(root, plan, &digest, diagnostic);
    if (error)
        *plan = (struct shard_plan){0};
    return error == ERROR_INPUT ? ERROR_NONE : error;
}

enum error shard_folder_plan(const char *folder, struct arena *arena, struct shard_plan *plan,
                             struct diagnostic *diagnostic)
{
    enum error error = read_plan_file(folder, arena, plan, diagnostic);
    DIR *const directory = error || plan->text ? NULL : opendir(folder);
    if (!error && !plan->text && !directory && errno != ENOENT &&
        errno != ENOTDIR) // its parts may be there all the same
        error = diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s",
                                folder, strerror(errno));
    for (const struct dirent *entry;
         directory && !error && !plan->text && (entry = readdir(directory));) {
        struct shard_file file;
        char path[SHARD_PATH_SIZE + 300];
        if (!shard_is_part(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%.4000s/%s", folder, entry->d_name);
        error = shard_file_read(path, false, arena, &file, diagnostic);
        if (!error)
            *plan = file.plan;
        else if (error == ERROR_INPUT)
            error = ERROR_NONE; // the join reports it
    }
    if (directory)
        closedir(directory);
    return error;
}

static enum error put_plan_file(const char *folder, const struct shard_plan *plan, bool replace,
                                struct diagnostic *diagnostic)
{
    struct text text = {0};
    char digest[DIGEST_HEX_SIZE], path[SHARD_PATH_SIZE];
    enum error error = shard_plan_digest(plan, digest, diagnostic);
    plan_path(folder, path);
    json_begin_object(&text);
    json_put_unsigned_at(&text, "assay_plan", 1);
    shard_plan_put(&text, plan, digest);
    json_end_object(&text);
    text_put_bytes(&text, "\n", 1);
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error && replace)
        error = file_replace_with(path, text.bytes, text.size, diagnostic);
    else if (!error)
        error = file_make_with(path, text.bytes, text.size, diagnostic);
    text_release(&text);
    return error;
}

// Whether a part lies there, whole or not.
static bool holds_parts(const char *folder)
{
    DIR *const directory = opendir(folder);
    bool found = false;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));)
        found = shard_is_part(entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

static enum error compare(const char *folder, const struct shard_plan *there,
                          const struct shard_plan *here, const char *but,
                          struct diagnostic *diagnostic)
{
    char difference[DIFFERENCE_SIZE] = "";
    if (strcmp(there->command, here->command) != 0)
        snprintf(difference, sizeof difference, "command is '%.40s' there, '%.40s' here",
                 there->command, here->command);
    else if (there->count != here->count)
        snprintf(difference, sizeof difference, "the number of parts is %u there, %u here",
                 there->count, here->count);
    else if (!shard_plan_difference(there->text, "there", here->text, "here", but, difference,
                                    sizeof difference))
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, ERROR_INPUT, "%.200s belongs to another plan: %.330s. %s", folder, difference,
        holds_parts(folder)
            ? "Use another folder; or, if the parts that it holds are not needed any more, "
              "remove it"
            : "It holds no part yet: unless a job of that plan is running, remove its plan.json, "
              "and it takes this one; or use another folder");
}

enum error shard_check_plan(const char *folder, const struct shard_plan *plan, const char *but,
                            struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct shard_plan there;
    enum error error = shard_folder_plan(folder, &arena, &there, diagnostic);
    if (!error && there.text)
        error = compare(folder, &there, plan, but, diagnostic);
    arena_release(&arena);
    return error;
}

// Makes the folder and a file in it, which goes again.
static enum error try_folder(const char *folder, const struct shard_plan *plan,
                             struct diagnostic *diagnostic)
{
    struct file_replacement file = {0};
    char path[SHARD_PATH_SIZE];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot make %.400s: %s", folder,
                               strerror(errno));
    shard_path(folder, plan->index, plan->count, path);
    const enum error error = file_replace(&file, path, diagnostic);
    file_abandon(&file);
    return error;
}

static enum error take_folder(const char *folder, const struct shard_plan *plan,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct shard_plan kept, found;
    char path[SHARD_PATH_SIZE];
    plan_path(folder, path);
    enum error error = read_plan_file(folder, &arena, &kept, diagnostic);
    if (!error && kept.text)
        leftover_sweep_parts(path); // of a process that was killed before its own sweep
    if (!error && !kept.text) {
        error = shard_folder_plan(folder, &arena, &found, diagnostic);
        if (!error && found.text)
            error = compare(folder, &found, plan, NULL, diagnostic);
        if (!error)
            error = put_plan_file(folder, plan, !access(path, F_OK), diagnostic);
        if (!error)
            error = read_plan_file(folder, &arena, &kept,
                                   diagnostic); // perhaps another's who began at the same time
        if (!error && !kept.text)
            error = diagnostic_fail(diagnostic, ERROR_SYSTEM, "%.400s was there and is not", path);
    }
    if (!error)
        error = compare(folder, &kept, plan, NULL, diagnostic);
    arena_release(&arena);
    return error;
}

enum error shard_begin(const char *folder, const struct shard_plan *plan, bool *complete,
                       struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct shard_file file;
    char path[SHARD_PATH_SIZE], digest[DIGEST_HEX_SIZE];
    *complete = false;
    shard_path(folder, plan->index, plan->count, path);
    enum error error = shard_check_plan(folder, plan, NULL, diagnostic);
    if (!error)
        error = try_folder(folder, plan, diagnostic);
    if (!error)
        error = take_folder(folder, plan, diagnostic);
    if (!error)
        error = shard_plan_digest(plan, digest, diagnostic);
    if (!error && !access(path, F_OK)) {
        error = shard_file_read(path, true, &arena, &file, diagnostic);
        if (error == ERROR_INPUT)
            error = ERROR_NONE; // to be made again
        else if (!error)
            *complete = file.plan.index == plan->index && !strcmp(file.digest, digest);
    }
    arena_release(&arena);
    return error;
}
