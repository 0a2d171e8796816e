// SPDX-License-Identifier: Apache-2.0
// A range is cut where the low counter word wraps, so that a vector form never sees a carry; what a
// form leaves is done here.

#include "ref/rng/threefry_stream.h"

#include <assert.h>
#include <string.h>

#include "ref/rng/threefry.h"
#include "ref/rng/threefry_forms.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Outputs of this size would push all else out of a core's caches, and gain nothing from being in
// them.
enum { STREAMING_BYTES = 1 << 23, STREAMING_ALIGNMENT = 64 };

static size_t size_of(enum threefry_element element)
{
    return element == THREEFRY_PAIR || element == THREEFRY_U64 ? 8 : 4;
}

static uint32_t rotate_left(uint32_t value, unsigned by)
{
    return value << by | value >> (32 - by);
}

static inline void block(const uint32_t key[2], uint32_t x[2], unsigned rounds)
{
    static const unsigned char rotation[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t extended[3] = {key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]};
    x[0] += extended[0];
    x[1] += extended[1];
    for (unsigned time = 1; 4 * (time - 1) < rounds; time++) {
        for (unsigned r = 0; r < 4; r++) {
            if (4 * (time - 1) + r == rounds)
                return;
            x[0] += x[1];
            x[1] = rotate_left(x[1], rotation[(time - 1) % 2][r]) ^ x[0];
        }
        x[0] += extended[time % 3];
        x[1] += extended[(time + 1) % 3] + time;
    }
}

static void put(enum threefry_element element, const uint32_t x[2], unsigned char *out)
{
    const uint32_t mixed = x[0] ^ x[1];
    const uint64_t both = (uint64_t)x[0] << 32 | x[1];
    const float unit = (float)(mixed >> 9) * 0x1p-23F;
    switch (element) {
    case THREEFRY_XOR:
        memcpy(out, &mixed, sizeof mixed);
        break;
    case THREEFRY_PAIR:
        memcpy(out, x, 2 * sizeof *x);
        break;
    case THREEFRY_U64:
        memcpy(out, &both, sizeof both);
        break;
    case THREEFRY_UNIT_F32:
        memcpy(out, &unit, sizeof unit);
        break;
    }
}

static size_t scalar_elements(enum threefry_element element, const uint32_t key[2], uint32_t high,
                              uint32_t low, size_t count, void *out, int streaming)
{
    (void)streaming;
    const size_t size = size_of(element);
    for (size_t i = 0; i < count; i++) {
        uint32_t x[2] = {high, low + (uint32_t)i};
        block(key, x, THREEFRY_ROUNDS);
        put(element, x, (unsigned char *)out + i * size);
    }
    return count;
}

static threefry_elements *form_of(enum isa isa)
{
    return ISA_FORM(isa, threefry_elements, scalar_elements);
}

static size_t smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

void threefry_fill_with(enum isa isa, enum threefry_element element, const uint32_t key[2],
                        uint64_t first, size_t count, void *out)
{
    assert(element <= THREEFRY_UNIT_F32);
    threefry_elements *const form = form_of(isa_available(isa) ? isa : ISA_SCALAR);
    const size_t size = size_of(element);
    const int streaming = count >= STREAMING_BYTES / size;
    unsigned char *at = out;
    while (count) {
        const uint32_t high = (uint32_t)(first >> 32), low = (uint32_t)first;
        const size_t before_wrap = smaller((UINT64_C(1) << 32) - low, count);
        const size_t skew = streaming
                                ? (STREAMING_ALIGNMENT - (uintptr_t)at % STREAMING_ALIGNMENT) %
                                      STREAMING_ALIGNMENT / size
                                : 0;
        size_t done = skew ? 0 : form(element, key, high, low, before_wrap, at, streaming);
        done += scalar_elements(element, key, high, low + (uint32_t)done,
                                smaller(skew ? skew : SIZE_MAX, before_wrap - done),
                                at + done * size, 0);
        first += done, count -= done, at += done * size;
    }
#if defined(__x86_64__)
    if (streaming)
        _mm_sfence();
#endif
}

void threefry_fill_pairs(unsigned rounds, const uint32_t key[2], uint64_t first, size_t count,
                         uint32_t *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t *const x = out + 2 * i;
        x[0] = (uint32_t)((first + i) >> 32);
        x[1] = (uint32_t)(first + i);
        block(key, x, rounds);
    }
}

void threefry_fill(enum threefry_element element, const uint32_t key[2], uint64_t first,
                   size_t count, void *out)
{
    threefry_fill_with(isa_chosen(), element, key, first, count, out);
}
