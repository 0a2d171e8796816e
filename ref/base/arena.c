// SPDX-License-Identifier: Apache-2.0
// Memory that lives as long as a case or a run. What is large or aligned fills a block from its
// start, texts and lists of pointers fill it from its end.

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

// The first block, or a new one, with room for `size` bytes, which are counted; NULL when the limit
// is reached or there is no memory.
static struct arena_block *find_room(struct arena *arena, size_t size)
{
    assert(!arena->first || arena->first->used <= arena->first->size);
    if (arena->limit && (size > arena->limit || arena->used > arena->limit - size)) {
        arena->limited = true;
        return NULL;
    }
    struct arena_block *block = arena->first;
    if (!block || block->size - block->used < size)
        block = add_block(arena, size);
    if (!block)
        arena->failed = true;
    else
        arena->used += size;
    return block;
}

void *arena_take_unset(struct arena *arena, size_t size)
{
    size_t padded;
    if (!size_round_up(size ? size : 1, ARENA_ALIGNMENT, &padded))
        return NULL;
    struct arena_block *const block = find_room(arena, padded);
    if (!block)
        return NULL;
    void *const at = (unsigned char *)block + HEADER_SIZE + block->used;
    block->used += padded;
    return at;
}

// From the end of a block, where small things stand close together. `alignment` is a power of two,
// and no more than ARENA_ALIGNMENT. Nothing is set.
static void *take_from_end(struct arena *arena, size_t size, size_t alignment)
{
    struct arena_block *const block =
        size < SIZE_MAX - alignment ? find_room(arena, size + alignment - 1) : NULL;
    if (!block)
        return NULL;
    block->size = (block->size - size) & ~(alignment - 1);
    return (unsigned char *)block + HEADER_SIZE + block->size;
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

void *arena_take_pointers(struct arena *arena, size_t count)
{
    size_t total;
    void *const at = size_multiply(count, sizeof(void *), &total)
                         ? take_from_end(arena, total, sizeof(void *))
                         : NULL;
    return at ? memset(at, 0, total) : NULL;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length)
{
    assert(text || !length);
    char *const copy = length < SIZE_MAX ? take_from_end(arena, length + 1, 1) : NULL;
    if (!copy)
        return NULL;
    copy[length] = '\0';
    return memcpy(copy, text, length);
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *const text = length < 0 ? NULL : take_from_end(arena, (size_t)length + 1, 1);
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
