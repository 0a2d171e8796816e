// SPDX-License-Identifier: Apache-2.0
// Memory that lives as long as a case or a run.

#include "ref/base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/size.h"

struct arena_block {
    struct arena_block *next;
    size_t size, used; // of the bytes behind the header
};

// Blocks grow with what the arena holds: one that stays small costs no large block, which in a
// worker is filled when it is taken and when it is given back.
enum { HEADER_SIZE = 64, BLOCK_LEAST = 4 * 1024, BLOCK_MOST = 64 * 1024 };

_Static_assert(sizeof(struct arena_block) <= HEADER_SIZE, "the header fits its place");

static struct arena_block *add_block(struct arena *arena, size_t size)
{
    size_t total, least = BLOCK_LEAST;
    while (least < BLOCK_MOST && least < arena->used)
        least *= 2;
    least -= HEADER_SIZE;
    if (!size_add(size < least ? least : size, HEADER_SIZE, &total) ||
        !size_round_up(total, ARENA_ALIGNMENT, &total))
        return NULL;
    struct arena_block *const block = aligned_alloc(ARENA_ALIGNMENT, total);
    if (!block)
        return NULL;
    *block = (struct arena_block){arena->first, total - HEADER_SIZE, 0};
    arena->first = block;
    return block;
}

void *arena_take_unset(struct arena *arena, size_t size)
{
    assert(!arena->first || arena->first->used <= arena->first->size);
    size_t padded;
    if (!size_round_up(size ? size : 1, ARENA_ALIGNMENT, &padded))
        return NULL;
    if (arena->limit && (padded > arena->limit || arena->used > arena->limit - padded)) {
        arena->limited = true;
        return NULL;
    }
    struct arena_block *block = arena->first;
    if (!block || block->size - block->used < padded)
        block = add_block(arena, padded);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    void *const at = (unsigned char *)block + HEADER_SIZE + block->used;
    block->used += padded;
    arena->used += padded;
    return at;
}

void *arena_take(struct arena *arena, size_t size)
{
    void *const at = arena_take_unset(arena, size);
    return at ? memset(at, 0, size) : NULL;
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
    size_t total;
    return size_multiply(count, size, &total) ? arena_take(arena, total) : NULL;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length)
{
    assert(text || !length);
    char *const copy = length < SIZE_MAX ? arena_take(arena, length + 1) : NULL;
    return copy ? memcpy(copy, text, length) : NULL;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *const text = length < 0 ? NULL : arena_take(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void arena_release(struct arena *arena)
{
    while (arena->first) {
        struct arena_block *const next = arena->first->next;
        free(arena->first);
        arena->first = next;
    }
    arena->used = 0;
    arena->limited = arena->failed = false;
}

bool array_grow(void *list, size_t count, size_t size)
{
    if (count & (count - 1))
        return true;
    const size_t wanted = count ? 2 * count : 1;
    void *old, *longer;
    memcpy(&old, list, sizeof old);
    if (wanted > SIZE_MAX / size || !(longer = realloc(old, wanted * size)))
        return false;
    memcpy(list, &longer, sizeof longer);
    return true;
}
