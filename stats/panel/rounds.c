// SPDX-License-Identifier: Apache-2.0
// Block functions with too few rounds, counted up, or taken at counter 0 of keys 0, 1, 2, ...

#include "stats/panel/panel.h"

struct state {
    uint64_t at;
    uint32_t key[8];
    unsigned rounds;
};

static void start(struct state *b, uint64_t seed, unsigned rounds)
{
    b->rounds = rounds;
    for (unsigned i = 0; i < 8; i++)
        b->key[i] = (uint32_t)panel_mix(&seed);
}

static void philox(uint32_t c[4], uint32_t k0, uint32_t k1, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        const uint64_t p = (uint64_t)0xd2511f53u * c[0], q = (uint64_t)0xcd9e8d57u * c[2];
        const uint32_t a = (uint32_t)(q >> 32) ^ c[1] ^ k0, b = (uint32_t)(p >> 32) ^ c[3] ^ k1;
        c[1] = (uint32_t)q, c[3] = (uint32_t)p, c[0] = a, c[2] = b;
        k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
    }
}

static void philox4x32(struct state *b, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 4, b->at++) {
        uint32_t c[4] = {(uint32_t)b->at, (uint32_t)(b->at >> 32), 0, 0};
        philox(c, b->key[0], b->key[1], b->rounds);
        memcpy(to + i, c, sizeof c);
    }
}

static void philox_keys(struct state *b, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 4, b->at++) {
        uint32_t c[4] = {0, 0, 0, 0};
        philox(c, (uint32_t)b->at, (uint32_t)(b->at >> 32), b->rounds);
        memcpy(to + i, c, sizeof c);
    }
}

static void philox2x32(struct state *b, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 2, b->at++) { // philox2x32
        uint32_t x = (uint32_t)b->at, y = (uint32_t)(b->at >> 32), k = b->key[0];
        for (unsigned r = 0; r < b->rounds; r++) {
            const uint64_t p = (uint64_t)0xd256d193u * x;
            x = (uint32_t)(p >> 32) ^ y ^ k;
            y = (uint32_t)p;
            k += 0x9e3779b9u;
        }
        to[i] = x, to[i + 1] = y;
    }
}

static void threefry2x32(struct state *b, uint32_t *to, size_t count)
{
    static const unsigned char turn[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t k[3] = {b->key[0], b->key[1], b->key[0] ^ b->key[1] ^ 0x1bd11bdau};
    for (size_t i = 0; i < count; i += 2, b->at++) {
        uint32_t x = (uint32_t)b->at + k[0], y = (uint32_t)(b->at >> 32) + k[1];
        for (unsigned r = 0; r < b->rounds; r++) {
            x += y;
            y = panel_rotate32(y, turn[r % 8]) ^ x;
            if (r % 4 == 3) {
                const unsigned s = r / 4 + 1;
                x += k[s % 3];
                y += k[(s + 1) % 3] + s;
            }
        }
        to[i] = x, to[i + 1] = y;
    }
}

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b], x[d] = panel_rotate32(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = panel_rotate32(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = panel_rotate32(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = panel_rotate32(x[b] ^ x[c], 7);
}

static void chacha(struct state *b, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 16, b->at++) {
        uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
        memcpy(in + 4, b->key, sizeof b->key);
        in[12] = (uint32_t)b->at, in[13] = (uint32_t)(b->at >> 32);
        memcpy(x, in, sizeof x);
        for (unsigned r = 0; r < b->rounds; r++)
            if (r % 2 == 0) {
                quarter(x, 0, 4, 8, 12), quarter(x, 1, 5, 9, 13), quarter(x, 2, 6, 10, 14),
                    quarter(x, 3, 7, 11, 15);
            } else {
                quarter(x, 0, 5, 10, 15), quarter(x, 1, 6, 11, 12), quarter(x, 2, 7, 8, 13),
                    quarter(x, 3, 4, 9, 14);
            }
        for (unsigned j = 0; j < 16; j++)
            to[i + j] = x[j] + in[j];
    }
}

static void tea(struct state *b, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 2, b->at++) { // XTEA
        uint32_t x = (uint32_t)b->at, y = (uint32_t)(b->at >> 32), sum = 0;
        for (unsigned r = 0; r < b->rounds; r++) {
            x += ((y << 4 ^ y >> 5) + y) ^ (sum + b->key[sum & 3]);
            sum += 0x9e3779b9u;
            y += ((x << 4 ^ x >> 5) + x) ^ (sum + b->key[sum >> 11 & 3]);
        }
        to[i] = x, to[i + 1] = y;
    }
}

static void speck64(struct state *b, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i += 2, b->at++) { // Speck64, a key word for each round
        uint32_t x = (uint32_t)(b->at >> 32), y = (uint32_t)b->at;
        for (unsigned r = 0; r < b->rounds; r++) {
            x = (panel_rotate32(x, 24) + y) ^ b->key[r % 8];
            y = panel_rotate32(y, 3) ^ x;
        }
        to[i] = y, to[i + 1] = x;
    }
}

#define PANEL_LIST "stats/roster/rounds.inc"
#include "stats/panel/plugin.h"
