// SPDX-License-Identifier: Apache-2.0
// Elements as bits, and bits as little-endian bytes.

#include "ref/base/bytes.h"

#include <assert.h>

void bytes_copy_little_endian(void *to, const void *from, size_t size, size_t count)
{
    assert(size == 1 || size == 2 || size == 4 || size == 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memmove(to, from, size * count);
#else
    unsigned char *const out = to;
    const unsigned char *const in = from;
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < size; b++)
            out[i * size + b] = in[i * size + size - 1 - b];
#endif
}

void bytes_write_hex(char *to, uint64_t bits, size_t size)
{
    assert(size >= 1 && size <= sizeof bits);
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < 2 * size; i++)
        to[i] = digit[bits >> (4 * (2 * size - 1 - i)) & 15];
    to[2 * size] = '\0';
}
