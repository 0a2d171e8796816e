// SPDX-License-Identifier: Apache-2.0
// Congruential generators and other sums: each flawed in its low bits, in its lattice, or in both.

#include "stats/panel/panel.h"

#define PANEL_LIST "stats/roster/congruential.inc"

// The list names what kinds there are.
enum kind {
#define FLAWED(name) name,
#define BEYOND(name, why) name,
#include PANEL_LIST
#undef FLAWED
#undef BEYOND
};
#define PANEL_ROW(text, kind, n) {.name = (text), .parameter = (kind)},

__extension__ typedef unsigned __int128 uint128;

struct state {
    uint64_t x, carry;
    uint128 wide;
    uint32_t lag[4096];
    unsigned at;
    unsigned kind;
};

static void start(struct state *s, uint64_t seed, unsigned kind)
{
    s->kind = kind;
    s->x = panel_mix(&seed) | 1;
    if (kind == minstd || kind == minstd_padded || kind == wichmann_2 || kind == inversive)
        s->x = s->x % 2147483646 + 1;
    if (kind == counter || kind == counter64 || kind == gray || kind == counter_bytes)
        s->x = 0;
    s->wide = (uint128)panel_mix(&seed) << 64 | panel_mix(&seed) | 1;
    for (unsigned i = 0; i < 4096; i++)
        s->lag[i] = (uint32_t)panel_mix(&seed);
    if (kind == fibonacci_times_17)
        for (unsigned i = 0; i < 4096; i++)
            s->lag[i] |= 1;
    if (kind == lcg64_streams) { // 1,024 streams with seeds 0 to 1,023
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

static uint32_t lagged(struct state *s, unsigned r, unsigned q, int minus)
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

static uint32_t next(struct state *s)
{
    const uint64_t a64 = UINT64_C(6364136223846793005), c64 = UINT64_C(1442695040888963407);
    switch ((enum kind)s->kind) {
    case randu:
        return (uint32_t)(s->x = s->x * 65539 & 0x7fffffff) << 1;
    case lcg32:
        return (uint32_t)(s->x = (uint32_t)(s->x * 1664525 + 1013904223));
    case lcg32_halves: {
        const uint32_t high = (uint32_t)(s->x = (uint32_t)(s->x * 69069 + 1)) >> 16;
        s->x = (uint32_t)(s->x * 69069 + 1);
        return high << 16 | (uint32_t)s->x >> 16;
    }
    case lcg64_low:
        return (uint32_t)(s->x = s->x * a64 + c64);
    case lcg64_high:
        return (uint32_t)((s->x = s->x * a64 + c64) >> 32);
    case mcg64_high:
        return (uint32_t)((s->x = s->x * UINT64_C(0xf1357aea2e62a9c5)) >> 32);
    case minstd:
        return (uint32_t)(s->x = s->x * 48271 % 2147483647);
    case minstd_padded:
        s->x = s->x * 16807 % 2147483647;
        return (uint32_t)s->x << 1 | (uint32_t)(s->x >> 30);
    case lcg48:
        return (
            uint32_t)((s->x = (s->x * UINT64_C(0x5deece66d) + 11) & ((UINT64_C(1) << 48) - 1)) >>
                      16);
    case ansi_packed: { // rand() of the C standard's example, 15 bits a call
        uint32_t out = 0;
        for (int i = 0; i < 4; i++) {
            s->x = (uint32_t)(s->x * 1103515245 + 12345);
            out = out << 8 | (s->x >> 16 & 255);
        }
        return out;
    }
    case counter:
        return (uint32_t)(s->x++);
    case counter64:
        return (uint32_t)(s->at++ % 2 ? s->x++ >> 32 : s->x);
    case counter_bytes:
        s->x++;
        return (uint32_t)(s->x * 0x01010101u + 0x00408001u);
    case weyl:
        return (uint32_t)(s->x = (uint32_t)(s->x + 0x9e3779b9));
    case weyl64_high:
        return (uint32_t)((s->x += UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    case gray:
        s->x++;
        return (uint32_t)(s->x ^ s->x >> 1);
    case lcg61: {
        const uint128 p = (uint128)(s->x & ((UINT64_C(1) << 61) - 1)) * 437799614237992725u;
        const uint64_t m = (UINT64_C(1) << 61) - 1;
        uint64_t r = (uint64_t)(p & m) + (uint64_t)(p >> 61);
        s->x = r >= m ? r - m : r;
        return (uint32_t)(s->x >> 29);
    }
    case fibonacci_55:
        return lagged(s, 55, 24, 0);
    case fibonacci_607:
        return lagged(s, 607, 273, 0);
    case borrow_24:
        return lagged(s, 24, 10, 1);
    case borrow_43:
        return lagged(s, 43, 22, 1);
    case fibonacci_xor_250: {
        const uint32_t x = s->lag[(s->at - 250) & 4095] ^ s->lag[(s->at - 103) & 4095];
        return s->lag[s->at++ & 4095] = x;
    }
    case fibonacci_times_17: { // products of odd numbers, the constant last bit kept
        const uint32_t x = s->lag[(s->at - 17) & 4095] * s->lag[(s->at - 5) & 4095];
        return s->lag[s->at++ & 4095] = x;
    }
    case middle_square:
        s->x = (uint32_t)(((s->x & 0xffffffff) * (s->x & 0xffffffff)) >> 16);
        return (uint32_t)s->x;
    case quadratic:
        s->x = s->x * (s->x + 1);
        if (s->x < 4)
            s->x = s->wide & 0xffffffff;
        s->x = (uint32_t)s->x | 2;
        return (uint32_t)s->x;
    case wichmann_2: {
        uint64_t a = s->x % 30269, b = s->x / 30269 % 30307;
        a = a * 171 % 30269;
        b = b * 172 % 30307;
        s->x = a + 30269 * b;
        return (uint32_t)(((a << 32) / 30269 + (b << 32) / 30307));
    }
    case lcg128_low:
        s->wide = s->wide * (((uint128)2549297995355413924u << 64) + 4865540595714422341u) + 1;
        return (uint32_t)(s->wide >> 32);
    case carry_16: // two multiply-with-carry halves of 16 bits
        s->x = 36969 * (s->x & 65535) + (s->x >> 16 & 65535);
        s->carry = 18000 * (s->carry & 65535) + (s->carry >> 16) + (s->carry == 0);
        return (uint32_t)(s->x << 16) + (uint32_t)(s->carry & 65535);
    case weyl_squared:
        s->x += UINT64_C(0xb5ad4eceda1ce2a9);
        return (uint32_t)((s->x * s->x) >> 32);
    case inversive:
        s->x = (inverse31(s->x) * 1288490188 + 1) % 2147483647;
        return (uint32_t)s->x << 1;
    case lcg64_streams: {
        uint64_t *const stream = (uint64_t *)(void *)s->lag + (s->at++ & 1023);
        *stream = *stream * a64 + c64;
        return (uint32_t)(*stream >> 32);
    }
    case acorn_4: {
        for (unsigned i = 1; i < 5; i++)
            s->lag[i] = (s->lag[i] + s->lag[i - 1]) & 0x3fffffff;
        return s->lag[4] << 2;
    }
    case lcg40:
        return (uint32_t)((s->x = (s->x * 1099087573 + 1) & ((UINT64_C(1) << 40) - 1)) >> 8);
    }
    return 0;
}

static void draw_words(const struct panel_generator *of, struct state *s, uint32_t *to,
                       size_t count)
{
    (void)of;
    for (size_t i = 0; i < count; i++)
        to[i] = next(s);
}

#include "stats/panel/plugin.h"
