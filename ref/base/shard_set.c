// SPDX-License-Identifier: Apache-2.0
// Parts of a job, read: one file with every byte checked, and a folder of them.

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/file.h"
#include "ref/base/shard_file.h"

enum { HEAD_MAX = 1 << 20 };

// ---- one file -------------------------------------------------------------------------------------------------------

static enum error damaged(const char *path, const char *what, struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s is not a whole part: %s", path, what);
}

static enum error read_head(const struct document_source *head, struct arena *arena, struct shard_file *file,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"assay_shard", "command", "plan", "digest", "index", "count", "bytes", NULL};
    struct document_node *root;
    enum error error = json_read(head, arena, &root, diagnostic);
    if (!error)
        error = document_only_keys(root, keys, "the head of a part", diagnostic);
    for (unsigned i = 0; keys[i] && !error; i++) {
        const struct document_node *const node = document_find(root, keys[i]);
        error = node ? document_expect(node, DOCUMENT_SCALAR, keys[i], diagnostic)
                     : document_fail(root, ERROR_INPUT, diagnostic, "the head has no %s", keys[i]);
    }
    long long form = 0, index = 0, count = 0, bytes = 0;
    if (!error)
        error = document_integer(document_find(root, "assay_shard"), 1, 1, &form, "assay_shard", diagnostic);
    if (!error)
        error = document_integer(document_find(root, "count"), 1, SHARD_COUNT_MAX, &count, "count", diagnostic);
    if (!error)
        error = document_integer(document_find(root, "index"), 1, count, &index, "index", diagnostic);
    if (!error)
        error = document_integer(document_find(root, "bytes"), 0, DOCUMENT_BYTES_MAX, &bytes, "bytes", diagnostic);
    if (error)
        return error;
    *file = (struct shard_file){.plan = {.command = document_find(root, "command")->text,
                                         .text = document_find(root, "plan")->text,
                                         .index = (unsigned)index,
                                         .count = (unsigned)count},
                                .digest = document_find(root, "digest")->text,
                                .size = (size_t)bytes};
    char digest[DIGEST_HEX_SIZE];
    error = shard_plan_digest(&file->plan, digest, diagnostic);
    if (!error && strcmp(digest, file->digest) != 0)
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "the plan's digest is not that of the plan");
    return error;
}

enum error shard_file_read(const char *path, bool whole, struct arena *arena, struct shard_file *file,
                           struct diagnostic *diagnostic)
{
    struct document_source source = {0};
    struct diagnostic why = {.text = ""};
    char foot[SHARD_FOOT_SIZE];
    enum error error = file_read(path, arena, &source, diagnostic);
    if (error)
        return error;
    const char *const newline = memchr(source.text, '\n', source.size < HEAD_MAX ? source.size : HEAD_MAX);
    if (!newline)
        return damaged(path, "it has no head", diagnostic);
    struct document_source *const head = arena_take(arena, sizeof *head);
    if (!head)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    *head = (struct document_source){.name = source.name, .text = source.text, .size = (size_t)(newline - source.text)};
    error = read_head(head, arena, file, &why);
    if (error)
        return error == ERROR_INTERNAL ? diagnostic_fail(diagnostic, error, "%s", why.text)
                                       : damaged(path, why.text, diagnostic);
    const size_t before = head->size + 1 + file->size;
    file->payload = (const unsigned char *)newline + 1;
    if (before > source.size)
        return damaged(path, "it is cut short", diagnostic);
    if (!whole)
        return ERROR_NONE;
    if ((error = shard_foot(source.text, before, foot, diagnostic)))
        return error;
    if (source.size - before != strlen(foot) || memcmp(source.text + before, foot, strlen(foot)) != 0)
        return damaged(path, "its last line is not the digest of the others", diagnostic);
    return ERROR_NONE;
}

// ---- a folder -------------------------------------------------------------------------------------------------------

static bool is_part(const char *name)
{
    return !strncmp(name, "shard-", 6) && !strstr(name, ".part"); // what a killed process left behind
}

static enum error add(struct shard_set *set, const char *path, const struct shard_file *file, char *digest, struct arena *arena,
                      struct diagnostic *diagnostic)
{
    if (!set->count) {
        set->command = file->plan.command;
        set->text = file->plan.text;
        set->count = file->plan.count;
        set->path = arena_take_array(arena, set->count, sizeof *set->path);
        snprintf(digest, DIGEST_HEX_SIZE, "%s", file->digest);
    }
    const char **const place = set->path ? &set->path[file->plan.index - 1] : NULL;
    if (!place)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    if (strcmp(file->digest, digest) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%.300s is of another plan than its neighbours: %.200s, not %.200s",
                               path, file->plan.text, set->text);
    if (*place)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "part %u is there twice: %.300s and %.300s", file->plan.index, *place,
                               path);
    *place = arena_copy_text(arena, path, strlen(path));
    return *place ? ERROR_NONE : diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
}

static enum error check_gaps(const char *folder, const struct shard_set *set, struct diagnostic *diagnostic)
{
    unsigned missing = 0, first = 0;
    for (unsigned i = set->count; i-- > 0;)
        if (!set->path[i]) {
            missing++;
            first = i + 1;
        }
    if (!set->count)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%.400s holds no parts", folder);
    if (missing)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%u of %u parts are missing in %.400s, the first is %u/%u", missing,
                               set->count, folder, first, set->count);
    return ERROR_NONE;
}

enum error shard_survey(const char *folder, struct arena *arena, struct shard_set *set, struct diagnostic *diagnostic)
{
    *set = (struct shard_set){0};
    char digest[DIGEST_HEX_SIZE] = "";
    DIR *const directory = opendir(folder);
    if (!directory)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "cannot open %.400s: %s", folder, strerror(errno));
    enum error error = ERROR_NONE;
    for (const struct dirent *entry; !error && (entry = readdir(directory));) {
        struct arena own = {0};
        struct shard_file file;
        char path[SHARD_PATH_SIZE + 300];
        if (!is_part(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%.4000s/%s", folder, entry->d_name);
        // The first one's texts stay with the set.
        struct arena *const keep = set->count ? &own : arena;
        error = shard_file_read(path, false, keep, &file, diagnostic);
        if (!error)
            error = add(set, path, &file, digest, arena, diagnostic);
        arena_release(&own);
    }
    closedir(directory);
    return error ? error : check_gaps(folder, set, diagnostic);
}

enum error shard_missing(const char *folder, unsigned count, struct json_text *text, struct diagnostic *diagnostic)
{
    unsigned from = 0;
    for (unsigned i = 1; i <= count + 1; i++) {
        struct arena arena = {0};
        struct shard_file file;
        char path[SHARD_PATH_SIZE], range[32];
        shard_path(folder, i, count, path);
        const enum error error = i > count ? ERROR_NONE : shard_file_read(path, true, &arena, &file, diagnostic);
        arena_release(&arena);
        if (error && error != ERROR_INPUT)
            return error;
        if (error && !from)
            from = i;
        if (error || !from)
            continue;
        const int size = from == i - 1 ? snprintf(range, sizeof range, "%s%u", text->size ? "," : "", from)
                                       : snprintf(range, sizeof range, "%s%u-%u", text->size ? "," : "", from, i - 1);
        json_put_raw(text, range, (size_t)size);
        from = 0;
    }
    return text->failed ? diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory") : ERROR_NONE;
}

enum error shard_open(const struct shard_set *set, unsigned index, struct arena *arena, struct shard_reader *reader,
                      struct diagnostic *diagnostic)
{
    struct shard_file file;
    const enum error error = shard_file_read(set->path[index], true, arena, &file, diagnostic);
    if (error)
        return error;
    // The folder may have changed since it was looked at.
    if (file.plan.index != index + 1 || file.plan.count != set->count || strcmp(file.plan.text, set->text) != 0 ||
        strcmp(file.plan.command, set->command) != 0)
        return damaged(set->path[index], "it was exchanged meanwhile", diagnostic);
    *reader = (struct shard_reader){.at = file.payload, .end = file.payload + file.size};
    return ERROR_NONE;
}

enum error shard_finish(const struct shard_set *set, unsigned index, const struct shard_reader *reader,
                        struct diagnostic *diagnostic)
{
    if (!reader->failed && reader->at == reader->end)
        return ERROR_NONE;
    return damaged(set->path[index], "its contents are not what its command writes", diagnostic);
}
