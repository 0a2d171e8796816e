// SPDX-License-Identifier: Apache-2.0
// A part's file, written. shard_set.c reads it.

#include "ref/base/shard/shard_file.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/file.h"

void shard_path(const char *folder, unsigned index, unsigned count, char path[SHARD_PATH_SIZE])
{
    snprintf(path, SHARD_PATH_SIZE, "%.4000s/shard-%u-of-%u", folder, index, count);
}

static void put_head(struct text *text, const struct shard_plan *plan, const char *digest,
                     size_t size)
{
    json_begin_object(text);
    json_put_unsigned_at(text, "assay_shard", 1);
    shard_plan_put(text, plan, digest);
    json_put_unsigned_at(text, "index", plan->index);
    json_put_unsigned_at(text, "bytes", size);
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
}

enum error shard_foot(const void *head, size_t head_size, const void *payload, size_t size,
                      char foot[SHARD_FOOT_SIZE], struct diagnostic *diagnostic)
{
    struct digest running;
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    enum error error = digest_begin(&running, diagnostic);
    if (!error)
        error = digest_add(&running, head, head_size, diagnostic);
    if (!error && size)
        error = digest_add(&running, payload, size, diagnostic);
    if (!error)
        error = digest_end(&running, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    snprintf(foot, SHARD_FOOT_SIZE, "\n{\"sha256\": \"%s\"}\n", hex);
    return ERROR_NONE;
}

enum error shard_write(const char *folder, const struct shard_plan *plan,
                       struct shard_payload *payload, struct diagnostic *diagnostic)
{
    assert(plan->index >= 1 && plan->index <= plan->count && plan->count <= SHARD_COUNT_MAX);
    struct text head = {0};
    struct file_replacement file = {0};
    char digest[DIGEST_HEX_SIZE], path[SHARD_PATH_SIZE], foot[SHARD_FOOT_SIZE];
    const struct text *const bytes = &payload->bytes;
    enum error error = shard_plan_digest(plan, digest, diagnostic);
    if (!error) {
        put_head(&head, plan, digest, bytes->size);
        if (head.failed || bytes->failed)
            error = diagnostic_no_memory(diagnostic);
        else if (bytes->size > SHARD_BYTES_MAX)
            error = diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                    "part %u of %u would hold %zu bytes: more parts are needed",
                                    plan->index, plan->count, bytes->size);
    }
    if (!error)
        error = shard_foot(head.bytes, head.size, bytes->bytes, bytes->size, foot, diagnostic);
    if (!error) {
        shard_path(folder, plan->index, plan->count, path);
        error = file_replace(&file, path, diagnostic);
    }
    if (!error)
        error = file_put(&file, head.bytes, head.size, diagnostic);
    if (!error && bytes->size)
        error = file_put(&file, bytes->bytes, bytes->size, diagnostic);
    if (!error)
        error = file_put(&file, foot, strlen(foot), diagnostic);
    if (!error)
        error = file_commit(&file, diagnostic);
    else
        file_abandon(&file);
    text_release(&payload->bytes);
    text_release(&head);
    return error;
}
