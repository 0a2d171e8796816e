// SPDX-License-Identifier: Apache-2.0
// Parts of a job: payloads, and the file around them. Plans stand in shard_plan.c, folders are
// surveyed in shard_set.c.

#include "ref/base/shard/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "ref/base/shard/shard_file.h"

bool shard_parse(const char *text, unsigned *index, unsigned *count)
{
    const size_t digits = strspn(text, "0123456789");
    const size_t more = text[digits] == '/' ? strspn(text + digits + 1, "0123456789") : 0;
    if (!digits || digits > 6 || !more || more > 6 || text[digits + 1 + more])
        return false;
    *index = (unsigned)strtoul(text, NULL, 10);
    *count = (unsigned)strtoul(text + digits + 1, NULL, 10);
    return *index >= 1 && *index <= *count && *count <= SHARD_COUNT_MAX;
}

void shard_range(const struct shard_plan *plan, uint64_t items, uint64_t *first, uint64_t *end)
{
    // items * index / count without overflow
    const uint64_t whole = items / plan->count, rest = items % plan->count;
    *first = whole * (plan->index - 1) + rest * (plan->index - 1) / plan->count;
    *end = whole * plan->index + rest * plan->index / plan->count;
}

// ---- payloads ---------------------------------------------------------------

void shard_put_number(struct shard_payload *payload, uint64_t value)
{
    char bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (char)(value | 0x80);
    bytes[size++] = (char)value;
    text_put_bytes(&payload->bytes, bytes, size);
}

void shard_put_bytes(struct shard_payload *payload, const void *bytes, size_t size)
{
    shard_put_number(payload, size);
    text_put_bytes(&payload->bytes, bytes, size);
}

void shard_put_text(struct shard_payload *payload, const char *text)
{
    shard_put_number(payload, text != NULL);
    if (text)
        shard_put_bytes(payload, text, strlen(text));
}

uint64_t shard_get_number(struct shard_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !reader->failed; shift += 7) {
        if (reader->at == reader->end || shift > 63 || (shift == 63 && *reader->at > 1)) {
            reader->failed = true;
            break;
        }
        const unsigned char byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return 0;
}

const void *shard_get_bytes(struct shard_reader *reader, size_t *size)
{
    const uint64_t wanted = shard_get_number(reader);
    *size = 0;
    if (reader->failed || wanted > (uint64_t)(reader->end - reader->at)) {
        reader->failed = true;
        return NULL;
    }
    const void *const bytes = reader->at;
    reader->at += wanted;
    *size = (size_t)wanted;
    return bytes;
}

const char *shard_get_text(struct shard_reader *reader, struct arena *arena)
{
    size_t size;
    if (shard_get_number(reader) != 1)
        return NULL;
    const char *const bytes = shard_get_bytes(reader, &size);
    const char *const text = bytes ? arena_copy_text(arena, bytes, size) : NULL;
    reader->failed = reader->failed || !text;
    return text;
}

// ---- the file ---------------------------------------------------------------

void shard_path(const char *folder, unsigned index, unsigned count, char path[SHARD_PATH_SIZE])
{
    snprintf(path, SHARD_PATH_SIZE, "%.4000s/shard-%u-of-%u", folder, index, count);
}

static void put_head(struct text *text, const struct shard_plan *plan, const char *digest,
                     size_t size)
{
    json_begin_object(text);
    json_put_key(text, "assay_shard");
    json_put_unsigned(text, 1);
    shard_plan_put(text, plan, digest);
    json_put_key(text, "index");
    json_put_unsigned(text, plan->index);
    json_put_key(text, "bytes");
    json_put_unsigned(text, size);
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
