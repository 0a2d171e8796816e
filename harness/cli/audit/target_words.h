// SPDX-License-Identifier: Apache-2.0
// Between the elements that a target gives or takes and the words of 32 bits that an audit reads.

#ifndef ASSAY_HARNESS_CLI_AUDIT_TARGET_WORDS_H
#define ASSAY_HARNESS_CLI_AUDIT_TARGET_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/base/error.h"

// Floats of that type in [0, 1), of which each has `bits` (below 64) random ones: packed without
// gaps, the first in the lowest bits, to count * bits / 32 words. ERROR_INPUT, with `name`, for a
// value that is no multiple of 2^-bits.
enum error target_words_pack(const void *elements, enum dtype dtype, size_t count, unsigned bits,
                             const char *name, uint32_t *words, struct diagnostic *diagnostic);

// Integers of `width` (1 or 2) words each, the low half first, to count * width words.
void target_words_unpack(const void *elements, size_t count, unsigned width, uint32_t *words);

// The reverse: `count` integers to element `at` and on.
void target_words_put(const uint32_t *words, unsigned width, size_t count, void *elements,
                      size_t at);

#endif
