// SPDX-License-Identifier: Apache-2.0
// Text that grows, and the characters of UTF-8.

#ifndef ASSAY_REF_BASE_TEXT_H
#define ASSAY_REF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that grow at their end. Zero-initialised is empty and ready; text_release gives the memory
// back. A failed allocation sets `failed`, and everything further is ignored, so that a writer
// checks once, at the end.
struct text {
    char *bytes; // NUL-terminated when size > 0
    size_t size, capacity;
    bool failed;
    bool comma; // JSON: the next value in the current list or object needs a comma first
};

void text_release(struct text *text);

// Empties the text and keeps its memory. A text that failed stays failed.
void text_clear(struct text *text);

void text_put_bytes(struct text *text, const char *bytes, size_t size);
void text_put(struct text *text, const char *words);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

// Whether both are the same words, or both NULL.
bool text_same(const char *a, const char *b);

// The index of `text` in a NULL-terminated list, or -1.
int text_index(const char *const *words, const char *text);

// Decodes the first character of the NUL-terminated, non-empty `at` (Unicode 15, table 3-7): its
// length in bytes, and *code. 0, with *code U+FFFD: no valid sequence begins there; overlong forms
// and surrogates are none.
size_t utf8_decode(const char *at, uint32_t *code);

#endif
