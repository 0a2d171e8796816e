// SPDX-License-Identifier: Apache-2.0
// Congruential generators and other sums: each flawed in its low bits, in its lattice, or in both.

#include "stats/panel/panel.h"

__extension__ typedef unsigned __int128 uint128;

struct sums {
    uint64_t x, carry;
    uint128 wide;
    uint32_t lag[4096];
    unsigned at;
    unsigned kind;
};

enum kind {
    RANDU,
    LCG32,
    LCG32_HALVES,
    LCG64_LOW,
    LCG64_HIGH,
    MCG64_HIGH,
    MINSTD,
    MINSTD_PADDED,
    LCG48,
    ANSI_PACKED,
    COUNTER,
    COUNTER64,
    WEYL,
    WEYL64_HIGH,
    GRAY,
    LCG61,
    FIB_55_24,
    FIB_607_273,
    SWB_24_10,
    SWB_43_22,
    MIDDLE_SQUARE,
    QUADRATIC,
    WICHMANN,
    LCG128_LOW,
    MWC16,
    FIB_XOR_250,
    COUNTER_BYTES,
    WEYL_SQUARED,
    ICG,
    LCG64_STREAMS,
    ACORN,
    LCG_POWER_40,
    MULTIPLY_FIB
};

static void start(void *state, uint64_t seed, unsigned kind)
{
    struct sums *const s = state;
    s->kind = kind;
    s->x = panel_mix(&seed) | 1;
    if (kind == MINSTD || kind == MINSTD_PADDED || kind == WICHMANN || kind == ICG)
        s->x = s->x % 2147483646 + 1;
    if (kind == COUNTER || kind == COUNTER64 || kind == GRAY || kind == COUNTER_BYTES)
        s->x = 0;
    s->wide = (uint128)panel_mix(&seed) << 64 | panel_mix(&seed) | 1;
    for (unsigned i = 0; i < 4096; i++)
        s->lag[i] = (uint32_t)panel_mix(&seed);
    if (kind == MULTIPLY_FIB)
        for (unsigned i = 0; i < 4096; i++)
            s->lag[i] |= 1;
    if (kind == LCG64_STREAMS) { // 1,024 streams with seeds 0 to 1,023
        uint64_t *const stream = (uint64_t *)(void *)s->lag;
        for (unsigned i = 0; i < 1024; i++)
            stream[i] = i;
    }
}

static uint64_t inverse31(uint64_t x)
{
    uint64_t result = 1, base = x, e = 2147483645;
    for (; e; e >>= 1, base = base * base % 2147483647)
        if (e & 1)
            result = result * base % 2147483647;
    return result;
}

static uint32_t lagged(struct sums *s, unsigned r, unsigned q, int minus)
{
    const uint32_t a = s->lag[(s->at - r) & 4095], b = s->lag[(s->at - q) & 4095];
    uint32_t x;
    if (minus) { // subtract with borrow
        const uint64_t d = (uint64_t)b - a - s->carry;
        x = (uint32_t)d;
        s->carry = d >> 63;
    } else {
        x = a + b;
    }
    return s->lag[s->at++ & 4095] = x;
}

static uint32_t next(struct sums *s)
{
    const uint64_t a64 = UINT64_C(6364136223846793005), c64 = UINT64_C(1442695040888963407);
    switch ((enum kind)s->kind) {
    case RANDU:
        return (uint32_t)(s->x = s->x * 65539 & 0x7fffffff) << 1;
    case LCG32:
        return (uint32_t)(s->x = (uint32_t)(s->x * 1664525 + 1013904223));
    case LCG32_HALVES: {
        const uint32_t high = (uint32_t)(s->x = (uint32_t)(s->x * 69069 + 1)) >> 16;
        s->x = (uint32_t)(s->x * 69069 + 1);
        return high << 16 | (uint32_t)s->x >> 16;
    }
    case LCG64_LOW:
        return (uint32_t)(s->x = s->x * a64 + c64);
    case LCG64_HIGH:
        return (uint32_t)((s->x = s->x * a64 + c64) >> 32);
    case MCG64_HIGH:
        return (uint32_t)((s->x = s->x * UINT64_C(0xf1357aea2e62a9c5)) >> 32);
    case MINSTD:
        return (uint32_t)(s->x = s->x * 48271 % 2147483647);
    case MINSTD_PADDED:
        s->x = s->x * 16807 % 2147483647;
        return (uint32_t)s->x << 1 | (uint32_t)(s->x >> 30);
    case LCG48:
        return (
            uint32_t)((s->x = (s->x * UINT64_C(0x5deece66d) + 11) & ((UINT64_C(1) << 48) - 1)) >>
                      16);
    case ANSI_PACKED: { // rand() of the C standard's example, 15 bits a call
        uint32_t out = 0;
        for (int i = 0; i < 4; i++) {
            s->x = (uint32_t)(s->x * 1103515245 + 12345);
            out = out << 8 | (s->x >> 16 & 255);
        }
        return out;
    }
    case COUNTER:
    case COUNTER64:
        return (uint32_t)(s->x++);
    case COUNTER_BYTES:
        s->x++;
        return (uint32_t)(s->x * 0x01010101u + 0x00408001u);
    case WEYL:
        return (uint32_t)(s->x = (uint32_t)(s->x + 0x9e3779b9));
    case WEYL64_HIGH:
        return (uint32_t)((s->x += UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    case GRAY:
        s->x++;
        return (uint32_t)(s->x ^ s->x >> 1);
    case LCG61: {
        const uint128 p = (uint128)(s->x & ((UINT64_C(1) << 61) - 1)) * 437799614237992725u;
        const uint64_t m = (UINT64_C(1) << 61) - 1;
        uint64_t r = (uint64_t)(p & m) + (uint64_t)(p >> 61);
        s->x = r >= m ? r - m : r;
        return (uint32_t)(s->x >> 29);
    }
    case FIB_55_24:
        return lagged(s, 55, 24, 0);
    case FIB_607_273:
        return lagged(s, 607, 273, 0);
    case SWB_24_10:
        return lagged(s, 24, 10, 1);
    case SWB_43_22:
        return lagged(s, 43, 22, 1);
    case FIB_XOR_250: {
        const uint32_t x = s->lag[(s->at - 250) & 4095] ^ s->lag[(s->at - 103) & 4095];
        return s->lag[s->at++ & 4095] = x;
    }
    case MULTIPLY_FIB: { // products of odd numbers, the constant last bit kept
        const uint32_t x = s->lag[(s->at - 17) & 4095] * s->lag[(s->at - 5) & 4095];
        return s->lag[s->at++ & 4095] = x;
    }
    case MIDDLE_SQUARE:
        s->x = (uint32_t)(((s->x & 0xffffffff) * (s->x & 0xffffffff)) >> 16);
        return (uint32_t)s->x;
    case QUADRATIC:
        s->x = s->x * (s->x + 1);
        if (s->x < 4)
            s->x = s->wide & 0xffffffff;
        s->x = (uint32_t)s->x | 2;
        return (uint32_t)s->x;
    case WICHMANN: {
        uint64_t a = s->x % 30269, b = s->x / 30269 % 30307;
        a = a * 171 % 30269;
        b = b * 172 % 30307;
        s->x = a + 30269 * b;
        return (uint32_t)(((a << 32) / 30269 + (b << 32) / 30307));
    }
    case LCG128_LOW:
        s->wide = s->wide * (((uint128)2549297995355413924u << 64) + 4865540595714422341u) + 1;
        return (uint32_t)(s->wide >> 32);
    case MWC16: // two multiply-with-carry halves of 16 bits
        s->x = 36969 * (s->x & 65535) + (s->x >> 16 & 65535);
        s->carry = 18000 * (s->carry & 65535) + (s->carry >> 16) + (s->carry == 0);
        return (uint32_t)(s->x << 16) + (uint32_t)(s->carry & 65535);
    case WEYL_SQUARED:
        s->x += UINT64_C(0xb5ad4eceda1ce2a9);
        return (uint32_t)((s->x * s->x) >> 32);
    case ICG:
        s->x = (inverse31(s->x) * 1288490188 + 1) % 2147483647;
        return (uint32_t)s->x << 1;
    case LCG64_STREAMS: {
        uint64_t *const stream = (uint64_t *)(void *)s->lag + (s->at++ & 1023);
        *stream = *stream * a64 + c64;
        return (uint32_t)(*stream >> 32);
    }
    case ACORN: {
        for (unsigned i = 1; i < 5; i++)
            s->lag[i] = (s->lag[i] + s->lag[i - 1]) & 0x3fffffff;
        return s->lag[4] << 2;
    }
    case LCG_POWER_40:
        return (uint32_t)((s->x = (s->x * 1099087573 + 1) & ((UINT64_C(1) << 40) - 1)) >> 8);
    }
    return 0;
}

static void fill(void *state, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = next(state);
}

static void fill_counter64(void *state, uint32_t *to, size_t count)
{
    struct sums *const s = state;
    for (size_t i = 0; i < count; i += 2) {
        to[i] = (uint32_t)s->x;
        to[i + 1] = (uint32_t)(s->x++ >> 32);
    }
}

const struct panel_generator panel_generators[] = {
    {"randu", start, fill, RANDU},
    {"lcg32", start, fill, LCG32},
    {"lcg32_halves", start, fill, LCG32_HALVES},
    {"lcg64_low", start, fill, LCG64_LOW},
    {"lcg64_high", start, fill, LCG64_HIGH},
    {"mcg64_high", start, fill, MCG64_HIGH},
    {"minstd", start, fill, MINSTD},
    {"minstd_padded", start, fill, MINSTD_PADDED},
    {"lcg48", start, fill, LCG48},
    {"ansi_packed", start, fill, ANSI_PACKED},
    {"counter", start, fill, COUNTER},
    {"counter64", start, fill_counter64, COUNTER64},
    {"counter_bytes", start, fill, COUNTER_BYTES},
    {"weyl", start, fill, WEYL},
    {"weyl64_high", start, fill, WEYL64_HIGH},
    {"gray", start, fill, GRAY},
    {"lcg61", start, fill, LCG61},
    {"fibonacci_55", start, fill, FIB_55_24},
    {"fibonacci_607", start, fill, FIB_607_273},
    {"borrow_24", start, fill, SWB_24_10},
    {"borrow_43", start, fill, SWB_43_22},
    {"fibonacci_xor_250", start, fill, FIB_XOR_250},
    {"fibonacci_times_17", start, fill, MULTIPLY_FIB},
    {"middle_square", start, fill, MIDDLE_SQUARE},
    {"quadratic", start, fill, QUADRATIC},
    {"wichmann_2", start, fill, WICHMANN},
    {"lcg128_low", start, fill, LCG128_LOW},
    {"carry_16", start, fill, MWC16},
    {"weyl_squared", start, fill, WEYL_SQUARED},
    {"inversive", start, fill, ICG},
    {"lcg64_streams", start, fill, LCG64_STREAMS},
    {"acorn_4", start, fill, ACORN},
    {"lcg40", start, fill, LCG_POWER_40},
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
