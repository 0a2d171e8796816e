// SPDX-License-Identifier: Apache-2.0
// Chunks that were run, in a list.

#include "harness/judge/run/backlog.h"

#include <assert.h>
#include <stdlib.h>

#include "harness/judge/run/chunk.h"

// Each chunk brings along what it was run for, since its suite may have ended.
struct backlog_entry {
    struct backlog_entry *next;
    struct judging judging;
    struct chunk chunk;
    size_t bytes;
};

enum error backlog_put(struct judge_backlog *backlog, struct chunk *chunk,
                       struct diagnostic *diagnostic)
{
    struct backlog_entry *const entry = malloc(sizeof *entry);
    if (!entry)
        return diagnostic_no_memory(diagnostic);
    *entry =
        (struct backlog_entry){.judging = *chunk->judging,
                               .chunk = *chunk,
                               .bytes = chunk_bytes(chunk) + chunk->count * sizeof *chunk->trials};
    entry->chunk.judging = &entry->judging;
    *chunk = (struct chunk){.judging = chunk->judging};
    *(backlog->last ? &backlog->last->next : &backlog->first) = entry;
    backlog->last = entry;
    backlog->bytes += entry->bytes;
    return ERROR_NONE;
}

static void drop_first(struct judge_backlog *backlog)
{
    struct backlog_entry *const entry = backlog->first;
    backlog->first = entry->next;
    backlog->last = backlog->first ? backlog->last : NULL;
    backlog->bytes -= entry->bytes;
    chunk_release(&entry->chunk);
    free(entry);
}

bool backlog_work(void *context)
{
    struct judge_backlog *const backlog = context;
    while (backlog->first && !chunk_judge_next(&backlog->first->chunk)) {
        if (backlog->first->chunk.error)
            return false;
        drop_first(backlog);
    }
    return backlog->first != NULL;
}

enum error backlog_judge(struct judge_backlog *backlog, size_t most, struct diagnostic *diagnostic)
{
    while (backlog->first && (!most || backlog->bytes > most)) {
        const enum error error = chunk_judge(&backlog->first->chunk, diagnostic);
        if (error)
            return error;
        drop_first(backlog);
    }
    return ERROR_NONE;
}

void backlog_release(struct judge_backlog *backlog)
{
    while (backlog->first)
        drop_first(backlog);
    assert(!backlog->bytes);
}
