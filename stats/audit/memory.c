// SPDX-License-Identifier: Apache-2.0
// The ring of words behind an audit. Reading below `head` copies out of it; reading on appends to
// it while it records, else empties it.

#include "stats/audit/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Both copy in two pieces where the end of the ring lies between.
static void copy_out(const struct audit_memory *memory, uint64_t first, size_t words, uint32_t *to)
{
    const size_t at = (size_t)(first % memory->capacity), left = memory->capacity - at,
                 piece = words < left ? words : left;
    memcpy(to, memory->words + at, piece * sizeof *to);
    memcpy(to + piece, memory->words, (words - piece) * sizeof *to);
}

static void append(struct audit_memory *memory, const uint32_t *from, size_t words)
{
    const size_t skip = words > memory->capacity ? words - memory->capacity : 0;
    from += skip;
    memory->head += skip;
    words -= skip;
    const size_t at = (size_t)(memory->head % memory->capacity), left = memory->capacity - at,
                 piece = words < left ? words : left;
    memcpy(memory->words + at, from, piece * sizeof *from);
    memcpy(memory->words, from + piece, (words - piece) * sizeof *from);
    memory->head += words;
    if (memory->head - memory->first > memory->capacity)
        memory->first = memory->head - memory->capacity;
}

static enum error memory_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    struct audit_memory *const memory = context;
    *got = 0;
    if (first < memory->head) {
        if (first < memory->first)
            return diagnostic_fail(diagnostic, ERROR_INTERNAL,
                                   "word %" PRIu64 " of the source is gone: %" PRIu64 " was read",
                                   first, memory->head);
        const uint64_t kept = memory->head - first;
        *got = kept < words ? (size_t)kept : words;
        copy_out(memory, first, *got, to);
    }
    if (*got == words || memory->ended)
        return ERROR_NONE;
    size_t more;
    const uint64_t from = first + *got;
    const enum error error =
        memory->of->read(memory->of->context, from, words - *got, to + *got, &more, diagnostic);
    if (error)
        return error;
    memory->ended = more < words - *got;
    if (from > memory->head)
        memory->first = memory->head = from; // what lies between was dropped
    if (memory->recording)
        append(memory, to + *got, more);
    else
        memory->first = memory->head = from + more;
    *got += more;
    return ERROR_NONE;
}

void audit_memory_open(struct audit_memory *memory, const struct source *of, uint64_t blocks)
{
    assert(blocks >= 1);
    *memory = (struct audit_memory){.source = *of, .of = of};
    memory->source.close = NULL;
    if (of->random_access)
        return;
    memory->capacity = (size_t)(blocks ? blocks : 1) * SOURCE_GRAIN;
    memory->source.context = memory;
    memory->source.read = memory_read;
}

void audit_memory_close(struct audit_memory *memory)
{
    free(memory->words);
    *memory = (struct audit_memory){0};
}

enum error audit_memory_record(struct audit_memory *memory, bool recording,
                               struct diagnostic *diagnostic)
{
    if (!memory->capacity)
        return ERROR_NONE;
    if (recording && !memory->words &&
        !(memory->words = malloc(memory->capacity * sizeof *memory->words)))
        return diagnostic_no_memory(diagnostic);
    memory->recording = recording;
    return ERROR_NONE;
}

bool audit_memory_fits(const struct audit_memory *memory, uint64_t blocks)
{
    return !memory->capacity || blocks <= memory->capacity / SOURCE_GRAIN;
}

bool audit_memory_holds(const struct audit_memory *memory, uint64_t first, uint64_t words)
{
    return !memory->capacity ||
           (first >= memory->first && words <= memory->head && first <= memory->head - words);
}
