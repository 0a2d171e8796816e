// SPDX-License-Identifier: Apache-2.0
// Parts of a job: payloads, and the file around them. Folders are surveyed in shard_set.c.

#include "ref/base/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "ref/base/shard_file.h"

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

// ---- payloads -------------------------------------------------------------------------------------------------------

void shard_put_number(struct shard_payload *payload, uint64_t value)
{
    char bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (char)(value | 0x80);
    bytes[size++] = (char)value;
    json_put_raw(&payload->bytes, bytes, size);
}

void shard_put_bytes(struct shard_payload *payload, const void *bytes, size_t size)
{
    shard_put_number(payload, size);
    json_put_raw(&payload->bytes, bytes, size);
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

// ---- the file -------------------------------------------------------------------------------------------------------

enum error shard_plan_digest(const struct shard_plan *plan, char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic)
{
    struct json_text text = {0};
    unsigned char digest[DIGEST_SIZE];
    json_begin_object(&text);
    json_put_key(&text, plan->command);
    json_put_string(&text, plan->text);
    json_put_key(&text, "count");
    json_put_unsigned(&text, plan->count);
    json_end_object(&text);
    const enum error error =
        text.failed ? diagnostic_no_memory(diagnostic) : digest_of(text.bytes, text.size, digest, diagnostic);
    json_text_release(&text);
    if (!error)
        digest_write_hex(digest, hex);
    return error;
}

void shard_path(const char *folder, unsigned index, unsigned count, char path[SHARD_PATH_SIZE])
{
    snprintf(path, SHARD_PATH_SIZE, "%.4000s/shard-%u-of-%u", folder, index, count);
}

static void put_head(struct json_text *text, const struct shard_plan *plan, const char *digest, size_t size)
{
    json_begin_object(text);
    json_put_key(text, "assay_shard");
    json_put_unsigned(text, 1);
    json_put_pair(text, "command", plan->command);
    json_put_pair(text, "plan", plan->text);
    json_put_pair(text, "digest", digest);
    json_put_key(text, "index");
    json_put_unsigned(text, plan->index);
    json_put_key(text, "count");
    json_put_unsigned(text, plan->count);
    json_put_key(text, "bytes");
    json_put_unsigned(text, size);
    json_end_object(text);
    json_put_raw(text, "\n", 1);
}

enum error shard_foot(const void *bytes, size_t size, char foot[SHARD_FOOT_SIZE], struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    const enum error error = digest_of(bytes, size, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    snprintf(foot, SHARD_FOOT_SIZE, "\n{\"sha256\": \"%s\"}\n", hex);
    return ERROR_NONE;
}

enum error shard_write(const char *folder, const struct shard_plan *plan, struct shard_payload *payload,
                       struct diagnostic *diagnostic)
{
    struct json_text text = {0};
    char digest[DIGEST_HEX_SIZE], path[SHARD_PATH_SIZE], foot[SHARD_FOOT_SIZE];
    enum error error = shard_plan_digest(plan, digest, diagnostic);
    if (!error) {
        put_head(&text, plan, digest, payload->bytes.size);
        json_put_raw(&text, payload->bytes.bytes ? payload->bytes.bytes : "", payload->bytes.size);
        if (text.failed || payload->bytes.failed)
            error = diagnostic_no_memory(diagnostic);
    }
    json_text_release(&payload->bytes);
    if (!error)
        error = shard_foot(text.bytes, text.size, foot, diagnostic);
    if (!error && mkdir(folder, 0777) && errno != EEXIST)
        error = diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot make %.400s: %s", folder, strerror(errno));
    if (!error) {
        json_put_raw(&text, foot, strlen(foot));
        shard_path(folder, plan->index, plan->count, path);
        error = text.failed ? diagnostic_no_memory(diagnostic) : file_replace_with(path, text.bytes, text.size, diagnostic);
    }
    json_text_release(&text);
    return error;
}

enum error shard_is_complete(const char *folder, const struct shard_plan *plan, bool *complete, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct shard_file file;
    char path[SHARD_PATH_SIZE], digest[DIGEST_HEX_SIZE];
    *complete = false;
    shard_path(folder, plan->index, plan->count, path);
    enum error error = shard_plan_digest(plan, digest, diagnostic);
    if (!error && !access(path, F_OK)) {
        error = shard_file_read(path, true, &arena, &file, diagnostic);
        if (error == ERROR_INPUT)
            error = ERROR_NONE; // damaged: to be made again
        else if (!error && strcmp(file.digest, digest) != 0)
            error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                    "%.400s belongs to another plan (%.300s); use another folder for this one", path,
                                    file.plan.text);
        else if (!error)
            *complete = file.plan.index == plan->index;
    }
    arena_release(&arena);
    return error;
}
