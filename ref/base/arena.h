// SPDX-License-Identifier: Apache-2.0
// Memory that lives as long as a case or a run: taken piece by piece, given back at once.

#ifndef ASSAY_REF_BASE_ARENA_H
#define ASSAY_REF_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

// A zero-initialised arena is empty and ready. Not for use by two threads at once.
struct arena {
    struct arena_block *first;
    size_t used;  // bytes handed out, for limits and reports
    size_t limit; // refuse beyond this many bytes; 0: no limit
    bool limited; // something was refused for the limit
    bool failed;  // something was refused since there was no memory
};

enum { ARENA_ALIGNMENT = 64 };

// `size` zeroed bytes aligned to ARENA_ALIGNMENT, valid until arena_release; NULL when there is no
// memory or the limit is reached. A size of 0 gives a valid pointer.
void *arena_take(struct arena *arena, size_t size);

// The same, and what the bytes hold is left open.
void *arena_take_unset(struct arena *arena, size_t size);

// As arena_take, for `count` elements of `size` bytes; NULL also when the product does not fit.
void *arena_take_array(struct arena *arena, size_t count, size_t size);

// `count` pointers that are NULL, aligned for pointers alone, which takes less room.
void *arena_take_pointers(struct arena *arena, size_t count);

// A copy, aligned to nothing, of `length` bytes of `text` with a final NUL, or NULL.
char *arena_copy_text(struct arena *arena, const char *text, size_t length);

// The formatted text in the arena, or NULL.
__attribute__((format(printf, 2, 3))) char *arena_print(struct arena *arena, const char *format,
                                                        ...);

// Gives everything back; the arena is empty again.
void arena_release(struct arena *arena);

// Of memory that the heap has, not an arena: makes room for one more item of `size` bytes behind
// `count` in `*list`, whose memory doubles at powers of two; false when there is no memory.
bool array_grow(void *list, size_t count, size_t size);

#endif
