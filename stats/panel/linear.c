// SPDX-License-Identifier: Apache-2.0
// Generators that are linear over GF(2), wholly or in their lowest bits.

#include "stats/panel/panel.h"

#define PANEL_LIST "stats/roster/linear.inc"

// The list names what kinds there are.
enum kind {
#define FLAWED(name) name,
#define BEYOND(name, why) name,
#include PANEL_LIST
#undef FLAWED
#undef BEYOND
};
#define PANEL_ROW(text, kind, n) {.name = (text), .parameter = (kind)},

struct state {
    uint64_t s[32];
    uint64_t mt64[312];
    uint32_t mt[624];
    unsigned at, kind;
};

static void start(struct state *r, uint64_t seed, unsigned kind)
{
    r->kind = kind;
    for (unsigned i = 0; i < 32; i++)
        r->s[i] = panel_mix(&seed) | 256;
    r->mt[0] = (uint32_t)panel_mix(&seed);
    for (unsigned i = 1; i < 624; i++)
        r->mt[i] = 1812433253u * (r->mt[i - 1] ^ r->mt[i - 1] >> 30) + i;
    r->mt64[0] = panel_mix(&seed);
    for (unsigned i = 1; i < 312; i++)
        r->mt64[i] = UINT64_C(6364136223846793005) * (r->mt64[i - 1] ^ r->mt64[i - 1] >> 62) + i;
    r->at = kind == mt19937 ? 624 : kind == mt19937_64 ? 312 : 0;
    if (kind == xorshift32 || kind == xorshift128 || kind == xorwow || kind == lfsr32_words ||
        kind == taus88 || kind == lfsr113)
        for (unsigned i = 0; i < 32; i++)
            r->s[i] = (uint32_t)r->s[i];
}

static uint32_t twist32(struct state *r, unsigned n, unsigned m, uint32_t matrix)
{
    if (r->at >= n) {
        for (unsigned i = 0; i < n; i++) {
            const uint32_t y = (r->mt[i] & 0x80000000u) | (r->mt[(i + 1) % n] & 0x7fffffffu);
            r->mt[i] = r->mt[(i + m) % n] ^ y >> 1 ^ (y & 1 ? matrix : 0);
        }
        r->at = 0;
    }
    uint32_t y = r->mt[r->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static uint64_t twist64(struct state *r)
{
    if (r->at >= 312) {
        for (unsigned i = 0; i < 312; i++) {
            const uint64_t y = (r->mt64[i] & UINT64_C(0xffffffff80000000)) |
                               (r->mt64[(i + 1) % 312] & 0x7fffffffu);
            r->mt64[i] =
                r->mt64[(i + 156) % 312] ^ y >> 1 ^ (y & 1 ? UINT64_C(0xb5026f5aa96619e9) : 0);
        }
        r->at = 0;
    }
    uint64_t y = r->mt64[r->at++];
    y ^= y >> 29 & UINT64_C(0x5555555555555555);
    y ^= y << 17 & UINT64_C(0x71d67fffeda60000);
    y ^= y << 37 & UINT64_C(0xfff7eee000000000);
    return y ^ y >> 43;
}

static uint32_t taus(uint64_t *s, unsigned a, unsigned b, unsigned c, uint32_t mask)
{
    const uint32_t x = (uint32_t)*s;
    return (uint32_t)(*s = (x & mask) << c ^ (uint32_t)((x << a) ^ x) >> b);
}

// 64-bit generators return both halves; narrower ones leave the high half to a second step.
static uint64_t next(struct state *r, bool *wide)
{
    uint64_t *const s = r->s;
    *wide = false;
    switch ((enum kind)r->kind) {
    case xorshift32: {
        uint32_t x = (uint32_t)s[0];
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        return s[0] = x;
    }
    case xorshift64:
    case xorshift64_reversed:
        *wide = true;
        s[0] ^= s[0] << 13;
        s[0] ^= s[0] >> 7;
        s[0] ^= s[0] << 17;
        return r->kind == xorshift64 ? s[0] : __builtin_bswap64(s[0]);
    case xorshift128:
    case xorwow: {
        uint32_t t = (uint32_t)s[3];
        const uint32_t w = (uint32_t)s[0];
        s[3] = s[2], s[2] = s[1], s[1] = w;
        t ^= r->kind == xorwow ? t >> 2 : t << 11;
        t ^= r->kind == xorwow ? t << 1 : t >> 8;
        s[0] = r->kind == xorwow ? t ^ w ^ (uint32_t)(w << 4) : t ^ w ^ w >> 19;
        s[4] += 362437;
        return r->kind == xorwow ? (uint32_t)(s[0] + s[4]) : s[0];
    }
    case xorshift128plus: {
        *wide = true;
        uint64_t a = s[0];
        const uint64_t b = s[1];
        s[0] = b;
        a ^= a << 23;
        s[1] = a ^ b ^ a >> 17 ^ b >> 26;
        return s[1] + b;
    }
    case xoroshiro128plus:
    case xoroshiro128plus_high: {
        *wide = r->kind == xoroshiro128plus;
        const uint64_t a = s[0], b = s[1] ^ s[0], sum = s[0] + s[1];
        s[0] = panel_rotate64(a, 24) ^ b ^ b << 16;
        s[1] = panel_rotate64(b, 37);
        return *wide ? sum : sum >> 32;
    }
    case xoshiro256plus: {
        *wide = true;
        const uint64_t sum = s[0] + s[3], t = s[1] << 17;
        s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
        s[3] = panel_rotate64(s[3], 45);
        return sum;
    }
    case xoshiro128plus: {
        uint32_t a = (uint32_t)s[0], b = (uint32_t)s[1], c = (uint32_t)s[2], d = (uint32_t)s[3];
        const uint32_t sum = a + d, t = b << 9;
        c ^= a, d ^= b, b ^= c, a ^= d, c ^= t;
        d = panel_rotate32(d, 11);
        s[0] = a, s[1] = b, s[2] = c, s[3] = d;
        return sum;
    }
    case taus88:
        return taus(&s[0], 13, 19, 12, 4294967294u) ^ taus(&s[1], 2, 25, 4, 4294967288u) ^
               taus(&s[2], 3, 11, 17, 4294967280u);
    case lfsr113:
        return taus(&s[0], 6, 13, 18, 4294967294u) ^ taus(&s[1], 2, 27, 2, 4294967288u) ^
               taus(&s[2], 13, 21, 7, 4294967280u) ^ taus(&s[3], 3, 12, 13, 4294967168u);
    case lfsr64_bits: { // one step a bit
        uint32_t out = 0;
        for (int i = 0; i < 32; i++) {
            out = out << 1 | (uint32_t)(s[0] & 1);
            s[0] = s[0] >> 1 ^ (s[0] & 1 ? UINT64_C(0xd800000000000000) : 0);
        }
        return out;
    }
    case lfsr32_words:
        s[0] = (uint32_t)s[0] >> 1 ^ (s[0] & 1 ? 0xa3000000u : 0);
        return s[0];
    case well512: {
        uint64_t *const w = s;
        uint32_t a = (uint32_t)w[r->at], c = (uint32_t)w[(r->at + 13) & 15];
        const uint32_t b = a ^ c ^ a << 16 ^ c << 15;
        c = (uint32_t)w[(r->at + 9) & 15];
        c ^= c >> 11;
        a = b ^ c;
        w[r->at] = a;
        const uint32_t d = a ^ ((a << 5) & 0xda442d24u);
        r->at = (r->at + 15) & 15;
        a = (uint32_t)w[r->at];
        return w[r->at] = (uint32_t)(a ^ b ^ d ^ a << 2 ^ b << 18 ^ c << 28);
    }
    case mt19937:
        return twist32(r, 624, 397, 0x9908b0dfu);
    case tt800:
        return twist32(r, 25, 7, 0x8ebfd028u);
    case mt19937_64:
        *wide = true;
        return twist64(r);
    case crc32: { // of a counter
        uint32_t x = (uint32_t)s[1]++;
        for (int i = 0; i < 32; i++)
            x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
        return x;
    }
    case xorshift1024plus: {
        *wide = true;
        const uint64_t s0 = s[r->at];
        r->at = (r->at + 1) & 15;
        uint64_t s1 = s[r->at];
        s1 ^= s1 << 31;
        s[r->at] = s1 ^ s0 ^ s1 >> 11 ^ s0 >> 30;
        return s[r->at] + s0;
    }
    }
    return 0;
}

static void draw_words(const struct panel_generator *of, struct state *r, uint32_t *to,
                       size_t count)
{
    (void)of;
    for (size_t i = 0; i < count; i++) {
        bool wide;
        const uint64_t x = next(r, &wide);
        to[i] = (uint32_t)x;
        if (wide)
            to[++i] = (uint32_t)(x >> 32);
    }
}

#include "stats/panel/plugin.h"
