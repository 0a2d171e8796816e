// SPDX-License-Identifier: Apache-2.0
// Elements as bits, and bits as little-endian bytes, on any machine.

#ifndef ASSAY_REF_BASE_BYTES_H
#define ASSAY_REF_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// to NAME(from): the same bytes as another type of the same size.
#define BYTES_AS(to, name, from)                                                                   \
    static inline to name(from value)                                                              \
    {                                                                                              \
        to as;                                                                                     \
        memcpy(&as, &value, sizeof as);                                                            \
        return as;                                                                                 \
    }
BYTES_AS(uint32_t, float_bits, float)
BYTES_AS(float, float_from_bits, uint32_t)
BYTES_AS(uint64_t, double_bits, double)
BYTES_AS(double, double_from_bits, uint64_t)

// Element `index` of an array of native elements of `size` bytes (1, 2, 4, 8), as bits in the low
// end.
static inline uint64_t element_load(const void *array, size_t size, size_t index)
{
    const unsigned char *const at = (const unsigned char *)array + index * size;
    switch (size) {
    case 1:
        return *at;
    case 2: {
        uint16_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    case 4: {
        uint32_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    default: {
        uint64_t v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    }
}

// Stores the low `size` bytes' worth of `bits` as native element `index`.
static inline void element_store(void *array, size_t size, size_t index, uint64_t bits)
{
    unsigned char *const at = (unsigned char *)array + index * size;
    const uint8_t b1 = (uint8_t)bits;
    const uint16_t b2 = (uint16_t)bits;
    const uint32_t b4 = (uint32_t)bits;
    switch (size) {
    case 1:
        memcpy(at, &b1, sizeof b1);
        break;
    case 2:
        memcpy(at, &b2, sizeof b2);
        break;
    case 4:
        memcpy(at, &b4, sizeof b4);
        break;
    default:
        memcpy(at, &bits, sizeof bits);
        break;
    }
}

// Copies `count` elements of `size` bytes between native and little-endian order (the same step
// either way).
void bytes_copy_little_endian(void *to, const void *from, size_t size, size_t count);

// Writes 2 * size lower-case hexadecimal digits, most significant first, and a final NUL.
void bytes_write_hex(char *to, uint64_t bits, size_t size);

#endif
