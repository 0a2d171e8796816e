// SPDX-License-Identifier: Apache-2.0
// Floats give the bits of their grid, packed; integers are words as they are.

#include "harness/cli/audit/target_words.h"

#include <assert.h>
#include <string.h>

static double half_value(uint16_t bits)
{
    const unsigned exponent = bits >> 10 & 31;
    if (bits >> 15 || exponent >= 15)
        return bits == 0x8000 ? 0
                              : 2; // negative, one or more, or no number: off the grid whichever
    return (double)((bits & 1023u) | (exponent ? 1024u : 0)) *
           (double)(UINT64_C(1) << (exponent ? exponent : 1)) * 0x1p-25;
}

static double value_of(const void *elements, enum dtype dtype, size_t i)
{
    switch (dtype) {
    case DTYPE_F64:
        return ((const double *)elements)[i];
    case DTYPE_F32:
        return (double)((const float *)elements)[i];
    default:
        return half_value(((const uint16_t *)elements)[i]);
    }
}

enum error target_words_pack(const void *elements, enum dtype dtype, size_t count, unsigned bits,
                             const char *name, uint32_t *words, struct diagnostic *diagnostic)
{
    assert(bits > 0 && bits < 64 &&
           (dtype == DTYPE_F64 || dtype == DTYPE_F32 || dtype == DTYPE_F16));
    const double scale = (double)(UINT64_C(1) << bits);
    __extension__ unsigned __int128 held = 0;
    unsigned have = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = value_of(elements, dtype, i), scaled = value * scale;
        const uint64_t element = scaled >= 0 && scaled < scale ? (uint64_t)scaled : 0;
        if (!(scaled >= 0 && scaled < scale) || (double)element < scaled)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%s gave %.17g; expected a multiple of 2^-%u in [0, 1)", name,
                                   value, bits);
        __extension__ const unsigned __int128 wide = element;
        held |= wide << have;
        for (have += bits; have >= 32; have -= 32) {
            *words++ = (uint32_t)held;
            held >>= 32;
        }
    }
    return ERROR_NONE;
}

void target_words_unpack(const void *elements, size_t count, unsigned width, uint32_t *words)
{
    assert(width == 1 || width == 2);
    if (width == 1)
        memcpy(words, elements, count * sizeof *words);
    for (size_t i = 0; width == 2 && i < count; i++) {
        const uint64_t element = ((const uint64_t *)elements)[i];
        words[2 * i] = (uint32_t)element;
        words[2 * i + 1] = (uint32_t)(element >> 32);
    }
}

void target_words_put(const uint32_t *words, unsigned width, size_t count, void *elements,
                      size_t at)
{
    assert(width == 1 || width == 2);
    for (size_t i = 0; i < count; i++)
        if (width == 2)
            ((uint64_t *)elements)[at + i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
        else
            ((uint32_t *)elements)[at + i] = words[i];
}
