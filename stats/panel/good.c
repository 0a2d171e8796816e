// SPDX-License-Identifier: Apache-2.0
// Generators without a known flaw within any audit's reach: none may be called flawed.

#include <openssl/evp.h>

#include "stats/panel/panel.h"

__extension__ typedef unsigned __int128 uint128;

struct state {
    uint64_t s[4];
    uint128 wide, step;
    uint64_t at;
};

static void start(struct state *g, uint64_t seed, unsigned parameter)
{
    (void)parameter;
    for (unsigned i = 0; i < 4; i++)
        g->s[i] = panel_mix(&seed);
    g->wide = (uint128)g->s[0] << 64 | g->s[1];
    g->step = ((uint128)g->s[2] << 64 | g->s[3]) | 1;
}

PANEL_PAIR(xoshiro256plusplus,
           panel_xoshiro256(g->s, panel_rotate64(g->s[0] + g->s[3], 23) + g->s[0]))
PANEL_PAIR(xoshiro256starstar, panel_xoshiro256(g->s, panel_rotate64(g->s[1] * 5, 7) * 9))
PANEL_PAIR(splitmix64, panel_mix(g->s))

static uint64_t sfc64(struct state *g)
{
    uint64_t *const s = g->s;
    const uint64_t x = s[0] + s[1] + s[3]++;
    s[0] = s[1] ^ s[1] >> 11;
    s[1] = s[2] + (s[2] << 3);
    s[2] = panel_rotate64(s[2], 24) + x;
    return x;
}

static uint64_t jsf64(struct state *g)
{
    uint64_t *const s = g->s;
    const uint64_t e = s[0] - panel_rotate64(s[1], 7);
    s[0] = s[1] ^ panel_rotate64(s[2], 13);
    s[1] = s[2] + panel_rotate64(s[3], 37);
    s[2] = s[3] + e;
    return s[3] = e + s[0];
}

static uint64_t wyrand(struct state *g)
{
    uint64_t *const s = g->s;
    s[0] += UINT64_C(0xa0761d6478bd642f);
    const uint128 m = (uint128)s[0] * (s[0] ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)(m >> 64) ^ (uint64_t)m;
}

static uint64_t pcg64(struct state *g)
{
    g->wide = g->wide * ((uint128)2549297995355413924u << 64 | 4865540595714422341u) + g->step;
    const uint64_t y = (uint64_t)(g->wide >> 64) ^ (uint64_t)g->wide;
    const unsigned turn = (unsigned)(g->wide >> 122);
    return y >> turn | y << (-turn & 63);
}

static uint64_t pcg64_dxsm(struct state *g)
{
    uint64_t h = (uint64_t)(g->wide >> 64);
    const uint64_t l = (uint64_t)g->wide | 1;
    g->wide = g->wide * UINT64_C(0xda942042e4dd58b5) + g->step;
    h ^= h >> 32;
    h *= UINT64_C(0xda942042e4dd58b5);
    h ^= h >> 48;
    return h * l;
}

static uint32_t pcg32(struct state *g)
{
    const uint64_t old = g->s[0];
    g->s[0] = old * UINT64_C(6364136223846793005) + (g->s[1] | 1);
    return panel_pcg32(old);
}

// AES-128 (FIPS 197) of a counter, by OpenSSL: the counter, its low byte first, fills half a block.
static void aes128(struct state *g, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 4, g->at++) {
        const unsigned char block[16] = {
            (unsigned char)g->at,         (unsigned char)(g->at >> 8),
            (unsigned char)(g->at >> 16), (unsigned char)(g->at >> 24),
            (unsigned char)(g->at >> 32), (unsigned char)(g->at >> 40),
            (unsigned char)(g->at >> 48), (unsigned char)(g->at >> 56)};
        memcpy(to + i, block, sizeof block);
    }
    unsigned char *const bytes = (unsigned char *)to;
    EVP_CIPHER_CTX *const cipher = EVP_CIPHER_CTX_new();
    int written = 0;
    if (!cipher ||
        EVP_EncryptInit_ex(cipher, EVP_aes_128_ecb(), NULL, (const unsigned char *)g->s, NULL) !=
            1 ||
        EVP_CIPHER_CTX_set_padding(cipher, 0) != 1 ||
        EVP_EncryptUpdate(cipher, bytes, &written, bytes, (int)(4 * count)) != 1)
        memset(to, 0, 4 * count); // no word at all is better than counters: the audit will say so
    EVP_CIPHER_CTX_free(cipher);
}

#define PANEL_LIST "stats/roster/good.inc"
#include "stats/panel/plugin.h"
