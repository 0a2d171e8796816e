// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits (Fowler, Noll and Vo): tells whether bytes changed by accident. Against
// forgery there is SHA-256 (ref/base/digest.h).

#ifndef ASSAY_REF_BASE_HASH_H
#define ASSAY_REF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t HASH_EMPTY = UINT64_C(0xcbf29ce484222325);

// The hash of what `hash` stands for followed by `size` bytes (NULL: none).
static inline uint64_t hash_add(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size && bytes; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
