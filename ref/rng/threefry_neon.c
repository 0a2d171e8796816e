// SPDX-License-Identifier: Apache-2.0
// threefry_fill in vectors of 128 bits, for AArch64.

#include <arm_neon.h>
#include <string.h>

#include "ref/rng/threefry_forms.h"

#define WIDE_BYTES 16
#define WIDE_SETS 4
#define WIDE_ELEMENTS threefry_elements_neon
typedef uint32_t wide __attribute__((vector_size(WIDE_BYTES)));

static inline wide wide_rotate(wide value, unsigned by)
{
    return by == 16 ? (wide)vrev32q_u16((uint16x8_t)value) : value << by | value >> (32 - by);
}

static inline wide wide_first(wide a, wide b)
{
    return (wide)vzip1q_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline wide wide_second(wide a, wide b)
{
    return (wide)vzip2q_u32((uint32x4_t)a, (uint32x4_t)b);
}

// An ordinary store: compilers offer none for AArch64 that bypasses the caches. It needs no fence.
static inline void wide_stream(unsigned char *out, wide value)
{
    memcpy(out, &value, sizeof value);
}

#include "ref/rng/threefry_wide.h"
