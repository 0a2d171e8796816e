// SPDX-License-Identifier: Apache-2.0
// Parts of a job, read: one file with every byte checked, and a folder of them.

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "ref/base/shard/shard_file.h"

enum { HEAD_USUAL = 1 << 16, HEAD_MAX = 1 << 20 };

// ---- one file ---------------------------------------------------------------

static enum error damaged(const char *path, const char *what, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is not a whole part: %s", path, what);
}

static enum error read_head(const struct document_source *head, struct arena *arena,
                            struct shard_file *file, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"assay_shard", "command", "plan",  "digest",
                                       "index",       "count",   "bytes", NULL};
    static const char *const own[] = {"assay_shard", "index", "bytes"};
    struct document_node *root;
    long long value[] = {0, 0, 0};
    enum error error = json_read(head, arena, &root, diagnostic);
    if (!error)
        error = document_only_keys(root, keys, "the head of a part", diagnostic);
    if (!error)
        error = shard_plan_read(root, &file->plan, &file->digest, diagnostic);
    const long long least[] = {1, 1, 0}, most[] = {1, file->plan.count, (long long)SHARD_BYTES_MAX};
    for (unsigned i = 0; i < sizeof own / sizeof *own && !error; i++) {
        const struct document_node *const node = document_find(root, own[i]);
        error = node ? document_integer(node, least[i], most[i], &value[i], own[i], diagnostic)
                     : document_fail(root, ERROR_INPUT, diagnostic, "there is no %s", own[i]);
    }
    file->plan.index = (unsigned)value[1];
    file->size = (size_t)value[2];
    return error;
}

// As many of the `size` bytes from `offset` on as there are.
static enum error read_at(int descriptor, const char *path, size_t offset, void *bytes, size_t size,
                          size_t *got, struct diagnostic *diagnostic)
{
    return file_take(descriptor, offset, bytes, size, got)
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, error_of_reading(errno), "cannot read %.400s: %s",
                                 path, strerror(errno));
}

// The first line, with its newline. Its text is the arena's, since the tree made of it speaks of
// it.
static enum error find_head(int descriptor, const char *path, struct arena *arena,
                            struct document_source *head, struct diagnostic *diagnostic)
{
    for (size_t most = HEAD_USUAL; most <= HEAD_MAX; most *= HEAD_MAX / HEAD_USUAL) {
        size_t got = 0;
        char *const bytes = malloc(most);
        enum error error = bytes ? read_at(descriptor, path, 0, bytes, most, &got, diagnostic)
                                 : diagnostic_no_memory(diagnostic);
        const char *const newline = error ? NULL : memchr(bytes, '\n', got);
        if (newline) {
            head->size = (size_t)(newline - bytes) + 1;
            head->text = arena_copy_text(arena, bytes, head->size);
            error = head->text ? ERROR_NONE : diagnostic_no_memory(diagnostic);
        }
        free(bytes);
        if (error || newline)
            return error;
    }
    return damaged(path, "it has no head", diagnostic);
}

static enum error read_payload(int descriptor, const char *path, const struct document_source *head,
                               uint64_t file_size, struct arena *arena, struct shard_file *file,
                               struct diagnostic *diagnostic)
{
    char foot[SHARD_FOOT_SIZE];
    size_t got = 0;
    if (file_size - head->size - file->size >= SHARD_FOOT_SIZE)
        return damaged(path, "more follows than its last line", diagnostic);
    const size_t rest = (size_t)(file_size - head->size);
    unsigned char *const bytes = arena_take_unset(arena, rest + 1);
    if (!bytes)
        return diagnostic_no_memory(diagnostic);
    enum error error = read_at(descriptor, path, head->size, bytes, rest, &got, diagnostic);
    if (!error && got < rest)
        return damaged(path, "it is cut short", diagnostic);
    if (!error)
        error = shard_foot(head->text, head->size, bytes, file->size, foot, diagnostic);
    if (error)
        return error;
    file->payload = bytes;
    if (rest - file->size != strlen(foot) || memcmp(bytes + file->size, foot, strlen(foot)) != 0)
        return damaged(path, "its last line is not the digest of the others", diagnostic);
    return ERROR_NONE;
}

static enum error read_open(int descriptor, const char *path, bool whole, struct arena *arena,
                            struct shard_file *file, struct diagnostic *diagnostic)
{
    struct stat status;
    struct diagnostic why = {.text = ""};
    struct document_source *const head = arena_take(arena, sizeof *head);
    if (!head)
        return diagnostic_no_memory(diagnostic);
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
        return damaged(path, "it is no regular file", diagnostic);
    head->name = arena_copy_text(arena, path, strlen(path));
    enum error error = head->name ? find_head(descriptor, path, arena, head, diagnostic)
                                  : diagnostic_no_memory(diagnostic);
    if (error)
        return error;
    error = read_head(head, arena, file, &why);
    if (error)
        return error == ERROR_INTERNAL ? diagnostic_fail(diagnostic, error, "%s", why.text)
                                       : damaged(path, why.text, diagnostic);
    if ((uint64_t)status.st_size < head->size + file->size)
        return damaged(path, "it is cut short", diagnostic);
    return whole ? read_payload(descriptor, path, head, (uint64_t)status.st_size, arena, file,
                                diagnostic)
                 : ERROR_NONE;
}

enum error shard_file_read(const char *path, bool whole, struct arena *arena,
                           struct shard_file *file, struct diagnostic *diagnostic)
{
    *file = (struct shard_file){.size = 0};
    // A pipe is opened too, without waiting for its other end, and then refused.
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s", path,
                               strerror(errno));
    const enum error error = read_open(descriptor, path, whole, arena, file, diagnostic);
    close(descriptor);
    return error;
}

// ---- a folder ---------------------------------------------------------------

bool shard_is_part(const char *name)
{
    return !strncmp(name, "shard-", 6) && !strstr(name, ".part");
}

// The set is of one plan: that of its folder.
static enum error take_plan(struct shard_set *set, const struct shard_plan *plan,
                            struct arena *arena, char *digest, struct diagnostic *diagnostic)
{
    set->command = plan->command;
    set->text = plan->text;
    set->count = plan->count;
    set->path = arena_take_array(arena, set->count, sizeof *set->path);
    return set->path ? shard_plan_digest(plan, digest, diagnostic)
                     : diagnostic_no_memory(diagnostic);
}

static enum error add(struct shard_set *set, const char *path, const struct shard_file *file,
                      const char *digest, struct arena *arena, struct diagnostic *diagnostic)
{
    if (strcmp(file->digest, digest) != 0) {
        char difference[500] = "";
        if (strcmp(file->plan.command, set->command) != 0)
            snprintf(difference, sizeof difference, "command is '%.40s', not '%.40s'",
                     file->plan.command, set->command);
        else if (file->plan.count != set->count)
            snprintf(difference, sizeof difference, "it is one of %u parts, not of %u",
                     file->plan.count, set->count);
        else
            shard_plan_difference(file->plan.text, "in it", set->text, "in them", NULL, difference,
                                  sizeof difference);
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.300s is of another plan than the other parts: %s", path,
                               difference);
    }
    const char **const place = &set->path[file->plan.index - 1];
    if (*place)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "part %u is there twice: %.300s and %.300s",
                               file->plan.index, *place, path);
    *place = arena_copy_text(arena, path, strlen(path));
    return *place ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

static enum error check_gaps(const char *folder, const struct shard_set *set,
                             struct diagnostic *diagnostic)
{
    unsigned missing = 0, first = 0;
    for (unsigned i = set->count; i-- > 0;)
        if (!set->path[i]) {
            missing++;
            first = i + 1;
        }
    if (missing)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%u of %u parts are missing in %.400s, the first is %u/%u", missing,
                               set->count, folder, first, set->count);
    return ERROR_NONE;
}

enum error shard_survey(const char *folder, struct arena *arena, struct shard_set *set,
                        struct diagnostic *diagnostic)
{
    *set = (struct shard_set){0};
    char digest[DIGEST_HEX_SIZE] = "";
    struct shard_plan plan;
    DIR *const directory = opendir(folder);
    if (!directory)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s",
                               folder, strerror(errno));
    enum error error = shard_folder_plan(folder, arena, &plan, diagnostic);
    if (!error && plan.text)
        error = take_plan(set, &plan, arena, digest, diagnostic);
    unsigned parts = 0;
    for (const struct dirent *entry; !error && (entry = readdir(directory));) {
        struct arena own = {0};
        struct shard_file file;
        char path[SHARD_PATH_SIZE + 300];
        if (!shard_is_part(entry->d_name))
            continue;
        parts++;
        snprintf(path, sizeof path, "%.4000s/%s", folder, entry->d_name);
        error = shard_file_read(path, false, &own, &file, diagnostic);
        if (!error && !set->text) // it came just now
            error = diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is being written to", folder);
        if (!error)
            error = add(set, path, &file, digest, arena, diagnostic);
        arena_release(&own);
    }
    closedir(directory);
    if (!error && !parts)
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s holds no parts", folder);
    return error ? error : check_gaps(folder, set, diagnostic);
}

// Whether the part is there, whole, and of the plan.
static enum error is_missing(const char *folder, unsigned index, unsigned count, const char *digest,
                             bool *missing, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct shard_file file;
    char path[SHARD_PATH_SIZE];
    shard_path(folder, index, count, path);
    const enum error error = shard_file_read(path, true, &arena, &file, diagnostic);
    *missing = error || file.plan.index != index || strcmp(file.digest, digest) != 0;
    arena_release(&arena);
    return error == ERROR_INPUT ? ERROR_NONE : error;
}

enum error shard_missing(const char *folder, unsigned count, struct text *text,
                         struct diagnostic *diagnostic)
{
    unsigned from = 0;
    struct arena arena = {0};
    struct shard_plan plan;
    char digest[DIGEST_HEX_SIZE] = "";
    enum error error = shard_folder_plan(folder, &arena, &plan, diagnostic);
    if (!error && plan.text && plan.count != count)
        error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                "%.400s belongs to a plan of %u parts, not of %u", folder,
                                plan.count, count);
    if (!error && plan.text)
        error = shard_plan_digest(&plan, digest, diagnostic);
    arena_release(&arena);
    for (unsigned i = 1; i <= count + 1 && !error; i++) {
        char range[32];
        bool missing = false;
        if (i <= count)
            error = is_missing(folder, i, count, digest, &missing, diagnostic);
        if (missing && !from)
            from = i;
        if (error || missing || !from)
            continue;
        const int size =
            from == i - 1
                ? snprintf(range, sizeof range, "%s%u", text->size ? "," : "", from)
                : snprintf(range, sizeof range, "%s%u-%u", text->size ? "," : "", from, i - 1);
        text_put_bytes(text, range, (size_t)size);
        from = 0;
    }
    return error ? error : text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

enum error shard_open(const struct shard_set *set, unsigned index, struct arena *arena,
                      struct shard_reader *reader, struct diagnostic *diagnostic)
{
    assert(index < set->count);
    struct shard_file file;
    const enum error error = shard_file_read(set->path[index], true, arena, &file, diagnostic);
    if (error)
        return error;
    // The folder may have changed since it was looked at.
    if (file.plan.index != index + 1 || file.plan.count != set->count ||
        strcmp(file.plan.text, set->text) != 0 || strcmp(file.plan.command, set->command) != 0)
        return damaged(set->path[index], "it was exchanged meanwhile", diagnostic);
    *reader = (struct shard_reader){.at = file.payload, .end = file.payload + file.size};
    return ERROR_NONE;
}

enum error shard_finish(const struct shard_set *set, unsigned index,
                        const struct shard_reader *reader, struct diagnostic *diagnostic)
{
    if (!reader->failed && reader->at == reader->end)
        return ERROR_NONE;
    return damaged(set->path[index], "its contents are not what its command writes", diagnostic);
}
