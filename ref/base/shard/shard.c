// SPDX-License-Identifier: Apache-2.0
// Parts of a job: their share of the work, and what their payloads are made of.

#include "ref/base/shard/shard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
    assert(plan->index >= 1 && plan->index <= plan->count);
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
    assert(reader->at <= reader->end);
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
