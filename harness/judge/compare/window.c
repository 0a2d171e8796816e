// SPDX-License-Identifier: Apache-2.0
// Digests are of little-endian bytes, so that parts from any machine go together.

#include "harness/judge/compare/window.h"

#include <assert.h>
#include <string.h>

#include "harness/judge/compare/compare.h"
#include "ref/base/bytes.h"

enum { PIECE = 1 << 14 };

uint64_t window_count(uint64_t count)
{
    return count / WINDOW_ELEMENTS + (count % WINDOW_ELEMENTS != 0);
}

uint64_t window_place(uint64_t total, uint64_t k, uint64_t *first)
{
    assert(k < window_count(total));
    *first = k * WINDOW_ELEMENTS;
    return total - *first < WINDOW_ELEMENTS ? total - *first : WINDOW_ELEMENTS;
}

enum error window_digest(enum dtype dtype, const void *data, uint64_t count,
                         unsigned char digest[DIGEST_SIZE], struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(dtype);
    unsigned char native[PIECE], little[PIECE];
    struct digest all;
    enum error error = digest_begin(&all, diagnostic);
    for (uint64_t at = 0; at < count && !error; at += PIECE / size) {
        const uint64_t left = count - at;
        const size_t part = left < PIECE / size ? (size_t)left : PIECE / size;
        const void *piece = (const char *)data + at * size;
        if (compare_has_nan(dtype, piece, part)) {
            memcpy(native, piece, part * size);
            for (size_t i = 0; i < part; i++)
                if (compare_is_nan(dtype, element_load(native, size, i)))
                    memset(native + i * size, 0xff, size); // a NaN in every type
            piece = native;
        }
        bytes_copy_little_endian(little, piece, size, part);
        error = digest_add(&all, little, part * size, diagnostic);
    }
    return error ? error : digest_end(&all, digest, diagnostic);
}
