// SPDX-License-Identifier: Apache-2.0
// Block functions with something left out or mistyped, or with too few rounds, and counters that
// are counted wrongly. A block is made when its first word is asked for; its number is the counter
// unless said otherwise.

#include "stats/panel/steps.h"

// Philox4x32 of a counter; `how` says what is wrong.
enum {
    PHILOX_GOOD,
    PHILOX_UNMIXED,    // each half keeps to itself
    PHILOX_MUL24,      // products of the low 24 bits
    PHILOX_SAME_INPUT, // both products of word 0
    PHILOX_NO_XOR,     // high products not joined with the other half
    PHILOX_HIGH_16,    // high products lose their low 16 bits
    PHILOX_SWAPPED,    // high and low products exchanged
    PHILOX_OR,         // or where an exclusive or belongs
    PHILOX_ADD_KEY_ONCE
};

static void philox(uint32_t c[4], uint32_t k0, uint32_t k1, unsigned rounds, unsigned how)
{
    for (unsigned r = 0; r < rounds; r++) {
        uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
        if (how == PHILOX_MUL24)
            a = (uint64_t)(0xd2511f53u & 0xffffff) * (c[0] & 0xffffff),
            b = (uint64_t)(0xcd9e8d57u & 0xffffff) * (c[2] & 0xffffff);
        if (how == PHILOX_SAME_INPUT)
            b = (uint64_t)0xcd9e8d57u * c[0];
        uint32_t ah = (uint32_t)(a >> 32), al = (uint32_t)a, bh = (uint32_t)(b >> 32),
                 bl = (uint32_t)b;
        if (how == PHILOX_HIGH_16)
            ah &= 0xffff0000u, bh &= 0xffff0000u;
        if (how == PHILOX_SWAPPED) {
            uint32_t t = ah;
            ah = al, al = t, t = bh, bh = bl, bl = t;
        }
        if (how == PHILOX_UNMIXED) {
            const uint32_t x = ah ^ c[1] ^ k0, y = bh ^ c[3] ^ k1;
            c[0] = x, c[1] = al, c[2] = y, c[3] = bl;
        } else {
            uint32_t x = bh ^ c[1] ^ k0, y = ah ^ c[3] ^ k1;
            if (how == PHILOX_NO_XOR)
                x = bh ^ k0, y = ah ^ k1;
            if (how == PHILOX_OR)
                x = (bh | c[1]) ^ k0, y = (ah | c[3]) ^ k1;
            c[0] = x, c[1] = bl, c[2] = y, c[3] = al;
        }
        if (how != PHILOX_ADD_KEY_ONCE)
            k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
        else
            k0 = k1 = 0;
    }
}

#define OUT (g->small + 64)
#define KEY (g->small + 96)
// A block of so many words, number `at`, is made in OUT.
#define BLOCK(name, words)                                                                         \
    static void name##_block(struct state *g, uint64_t at);                                        \
    static uint32_t name(struct state *g)                                                          \
    {                                                                                              \
        if (g->n % (words) == 0)                                                                   \
            name##_block(g, g->n / (words));                                                       \
        return OUT[g->n % (words)];                                                                \
    }                                                                                              \
    static void name##_block(struct state *g, uint64_t at)

// Word n of blocks under the key k; the first and the third word of the block's counter.
static uint32_t philox_under(struct state *g, const uint32_t k[2], uint32_t first, uint32_t third,
                             unsigned how)
{
    if (g->n % 4 == 0) {
        uint32_t c[4] = {first, (uint32_t)(g->n >> 34), third, 0};
        philox(c, k[0], k[1], 10, how);
        memcpy(OUT, c, 16);
    }
    return OUT[g->n % 4];
}

static uint32_t philox_wrong(struct state *g, unsigned how)
{
    return philox_under(g, KEY, (uint32_t)(g->n / 4), 0, how);
}

static uint32_t counted(struct state *g, uint64_t first)
{
    return philox_under(g, KEY, (uint32_t)first, 0, PHILOX_GOOD);
}

static uint32_t keyed(struct state *g, uint32_t k0, uint32_t k1, uint64_t first)
{
    return philox_under(g, (const uint32_t[2]){k0, k1}, (uint32_t)first, 0, PHILOX_GOOD);
}

WORD(philox_unmixed,
     philox_under(g, KEY, (uint32_t)(n / 4), (uint32_t)(n / 4 >> 8), PHILOX_UNMIXED))
WORD(philox_mul24, philox_wrong(g, PHILOX_MUL24))
WORD(philox_same_input, philox_wrong(g, PHILOX_SAME_INPUT))
WORD(philox_no_xor, philox_wrong(g, PHILOX_NO_XOR))
WORD(philox_high_16, philox_wrong(g, PHILOX_HIGH_16))
WORD(philox_swapped, philox_wrong(g, PHILOX_SWAPPED))
WORD(philox_or, philox_wrong(g, PHILOX_OR))
// Counters: kept in a float, in p bits, without carry into the second word (from 2^32 - 2^p on), in
// the wrong lanes.
WORD(counter_in_float, counted(g, (uint64_t)(float)(n / 4 + (UINT64_C(16777216) >> p))))
WORD(counter_of_bits, counted(g, n / 4 & ((UINT64_C(1) << p) - 1)))
WORD(counter_gray_lost, counted(g, (n / 4 ^ n / 8) & ~(UINT64_C(1) << p)))
WORD(counter_or_offset, counted(g, n / 4 | 0x10000u << p))
// p lanes with their own counters; the common base moves on by one too few.
WORD(lanes_advance_short, counted(g, n / 4 / p * (p - 1) + n / 4 % p))
// Every p-th block is given out twice; of two neighbouring blocks the second's last word is the
// first's.
WORD(block_twice, counted(g, n / 4 - (n / 4 % p == p - 1)))
WORD(block_twice_later, counted(g, n / 4 % p == p - 1 && n / 4 > 100000 ? n / 4 - 54321 : n / 4))
// Subsequences in the key's place: thread t = m / p under key t, truncated; key words equal; low 16
// bits of each.
WORD(keys_of_16_bits, keyed(g, word(g->seed, n / 4 / p) >> 16, 0, n / 4 % p))
WORD(keys_of_31_bits, keyed(g, word(g->seed, n / 4 / p) >> 1, 0, n / 4 % p))
WORD(keys_exclusive_or, keyed(g, 0, (uint32_t)(n / 16384) ^ (uint32_t)(n / 256 % 64), n / 4 % 64))
WORD(keys_add_up, keyed(g, 0, 0, n / 4 % 64 + n / 256 * p))
// The block's words shared by four lanes of which one shows the last block's word.
static uint32_t stale_word_of_block(struct state *g)
{
    const uint32_t last = OUT[3], w = counted(g, g->n / 4);
    return g->n % 4 == 0 && g->n / 4 % g->p == 0 ? last : w;
}

// Four keys, of which bits below 2^p of the second word make no difference; the blocks of all are
// exclusive-ored in pairs.
BLOCK(philox_pair_difference, 4)
{
    uint32_t c[4] = {(uint32_t)(at / 2), 0, 0, 0}, d[4] = {(uint32_t)(at / 2) ^ 1u << 31, 0, 0, 0};
    philox(c, KEY[0], KEY[1], g->p, PHILOX_GOOD);
    philox(d, KEY[0], KEY[1], g->p, PHILOX_GOOD);
    for (unsigned j = 0; j < 4; j++)
        OUT[j] = at % 2 ? c[j] ^ d[j] : c[j];
}

// ---- threefry2x32 -----------------------------------------------------------
enum {
    THREEFRY_XOR,
    THREEFRY_SIXTEEN, // rotations by 16; by 8, 16, 24; by 1
    THREEFRY_EIGHTS,
    THREEFRY_ONES,
    THREEFRY_OR,
    THREEFRY_NO_KEYS,
    THREEFRY_ONE_LOST // one rotation of eight
};

static unsigned threefry_rotation(unsigned r, unsigned how)
{
    static const unsigned char rotation[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    switch (how) {
    case THREEFRY_SIXTEEN:
        return 16;
    case THREEFRY_EIGHTS:
        return 8 * (1 + r % 3);
    case THREEFRY_ONES:
        return 1;
    default:
        return how == THREEFRY_ONE_LOST && r % 8 == 3 ? 31 : rotation[r % 8];
    }
}

static uint32_t threefry(struct state *g, unsigned how)
{
    if (g->n % 2 == 0) {
        const uint32_t key[3] = {KEY[0], KEY[1], KEY[0] ^ KEY[1] ^ 0x1bd11bdau};
        uint32_t x = (uint32_t)(g->n / 2) + key[0], y = (uint32_t)(g->n >> 33) + key[1];
        for (unsigned r = 0; r < g->p; r++) {
            x = how == THREEFRY_XOR ? x ^ y : how == THREEFRY_OR ? x | y : x + y;
            y = panel_rotate32(y, threefry_rotation(r, how)) ^ x;
            if (r % 4 == 3 && how != THREEFRY_NO_KEYS) {
                const unsigned s = r / 4 + 1;
                x += key[s % 3], y += key[(s + 1) % 3] + s;
            }
        }
        OUT[0] = x, OUT[1] = y;
    }
    return OUT[g->n % 2];
}

WORD(threefry_xor, threefry(g, THREEFRY_XOR))
WORD(threefry_sixteen, threefry(g, THREEFRY_SIXTEEN))
WORD(threefry_eights, threefry(g, THREEFRY_EIGHTS))
WORD(threefry_ones, threefry(g, THREEFRY_ONES))
WORD(threefry_or, threefry(g, THREEFRY_OR))
WORD(threefry_no_keys, threefry(g, THREEFRY_NO_KEYS))
WORD(threefry_one_lost, threefry(g, THREEFRY_ONE_LOST))

// ---- ciphers with few rounds ------------------------------------------------
static void aes_tables(unsigned char box[256])
{
    unsigned char a = 1, b = 1;
    do {
        a = (unsigned char)(a ^ a << 1 ^ (a & 0x80 ? 0x1b : 0));
        b = (unsigned char)(b ^ b << 1), b = (unsigned char)(b ^ b << 2),
        b = (unsigned char)(b ^ b << 4);
        b ^= b & 0x80 ? 9 : 0;
        const unsigned v = b, x = v ^ (v << 1 | v >> 7) ^ (v << 2 | v >> 6) ^ (v << 3 | v >> 5) ^
                                  (v << 4 | v >> 4);
        box[a] = (unsigned char)(x ^ 0x63);
    } while (a != 1);
    box[0] = 0x63;
}
// Rounds of AES under random round keys; how: 0 as it is (the last round without mixing), 1 without
// mixing columns, 2 without shifting rows.
static void aes(struct state *g, unsigned char s[16], unsigned rounds, unsigned how)
{
    unsigned char *const box = (unsigned char *)(g->small + 512);
    if (!g->in)
        aes_tables(box), g->in = 1;
    const unsigned char *const key = (const unsigned char *)(g->small + 600);
    for (unsigned i = 0; i < 16; i++)
        s[i] ^= key[i];
    for (unsigned r = 1; r <= rounds; r++) {
        unsigned char t[16];
        for (unsigned i = 0; i < 16; i++)
            t[i] = box[s[how == 2 ? i : (i + i % 4 * 4) % 16]];
        for (unsigned c = 0; c < 16; c += 4) {
            const unsigned char all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];
            for (unsigned i = 0; i < 4; i++) {
                const unsigned char v = t[c + i] ^ t[c + (i + 1) % 4];
                const unsigned char d = (unsigned char)(v << 1 ^ (v & 0x80 ? 0x1b : 0));
                s[c + i] = how == 1 || r == rounds ? t[c + i] : t[c + i] ^ all ^ d;
            }
        }
        for (unsigned i = 0; i < 16; i++)
            s[i] ^= key[16 * r + i];
    }
}
static uint32_t aes_word(struct state *g, unsigned how)
{
    if (g->n % 4 == 0) {
        unsigned char s[16] = {0};
        for (unsigned b = 0; b < 8; b++)
            s[15 - b] = (unsigned char)(g->n / 4 >> 8 * b);
        aes(g, s, g->p, how);
        memcpy(OUT, s, 16);
    }
    return OUT[g->n % 4];
}

WORD(aes_rounds, aes_word(g, 0))
WORD(aes_no_columns, aes_word(g, 1))
WORD(aes_no_rows, aes_word(g, 2))

// Salsa's rounds, ChaCha's columns only, a round of MD5 for each p, SHA-like schedules left out.
static void quarter(uint32_t x[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
    x[b] ^= panel_rotate32(x[a] + x[d], 7), x[c] ^= panel_rotate32(x[b] + x[a], 9);
    x[d] ^= panel_rotate32(x[c] + x[b], 13), x[a] ^= panel_rotate32(x[d] + x[c], 18);
}

static void columns(uint32_t x[16])
{
    quarter(x, 0, 4, 8, 12), quarter(x, 5, 9, 13, 1);
    quarter(x, 10, 14, 2, 6), quarter(x, 15, 3, 7, 11);
}

BLOCK(salsa_rounds, 16)
{
    uint32_t x[16], in[16];
    memcpy(in, KEY, sizeof in);
    in[8] = (uint32_t)(at), in[9] = 0;
    memcpy(x, in, sizeof x);
    for (unsigned r = 0; r < g->p; r++)
        if (r % 2 == 0)
            columns(x);
        else
            quarter(x, 0, 1, 2, 3), quarter(x, 5, 6, 7, 4), quarter(x, 10, 11, 8, 9),
                quarter(x, 15, 12, 13, 14);
    for (unsigned j = 0; j < 16; j++)
        OUT[j] = x[j] + in[j];
}

BLOCK(salsa_columns_only, 16)
{
    uint32_t x[16];
    memcpy(x, KEY, sizeof x);
    x[8] = (uint32_t)(at), x[9] = (uint32_t)(at / 2), x[2] = (uint32_t)(at / 4),
    x[3] = (uint32_t)(at / 8);
    for (unsigned r = 0; r < g->p; r++)
        columns(x);
    memcpy(OUT, x, sizeof x);
}

// Ascon's and Gimli's permutations, p rounds, first words out.
BLOCK(ascon_rounds, 2)
{
    uint64_t x[5];
    memcpy(x, KEY, sizeof x);
    x[0] = at;
    for (uint64_t r = 0; r < g->p; r++) {
        x[2] ^= 0xf0 - r * 0x0f, x[0] ^= x[4], x[4] ^= x[3], x[2] ^= x[1];
        uint64_t t[5];
        for (unsigned j = 0; j < 5; j++)
            t[j] = x[j] ^ (~x[(j + 1) % 5] & x[(j + 2) % 5]);
        t[1] ^= t[0], t[0] ^= t[4], t[3] ^= t[2], t[2] = ~t[2];
        static const unsigned char first[5] = {45, 3, 63, 54, 57}, second[5] = {36, 25, 58, 47, 23};
        for (unsigned j = 0; j < 5; j++)
            x[j] = t[j] ^ panel_rotate64(t[j], first[j]) ^ panel_rotate64(t[j], second[j]);
    }
    memcpy(OUT, x, 8);
}

BLOCK(gimli_rounds, 4)
{
    uint32_t s[12];
    memcpy(s, KEY, sizeof s);
    s[0] = (uint32_t)(at);
    for (unsigned r = g->p; r; r--) {
        for (unsigned c = 0; c < 4; c++) {
            const uint32_t x = panel_rotate32(s[c], 24), y = panel_rotate32(s[4 + c], 9),
                           z = s[8 + c];
            s[8 + c] = x ^ z << 1 ^ (y & z) << 2, s[4 + c] = y ^ x ^ (x | z) << 1,
                  s[c] = z ^ y ^ (x & y) << 3;
        }
        if (r % 4 == 0) {
            uint32_t t = s[0];
            s[0] = s[1] ^ 0x9e377900u ^ r, s[1] = t, t = s[2], s[2] = s[3], s[3] = t;
        } else if (r % 4 == 2) {
            uint32_t t = s[0];
            s[0] = s[2], s[2] = t, t = s[1], s[1] = s[3], s[3] = t;
        }
    }
    memcpy(OUT, s, 16);
}

// A Feistel network over 2^p values: outputs that never repeat, their high 32 bits.
static uint32_t feistel_bits(struct state *g)
{
    const uint64_t half = (UINT64_C(1) << g->p / 2) - 1;
    uint64_t x = g->n & half, y = g->n >> g->p / 2;
    for (unsigned r = 0; r < 6; r++) {
        const uint64_t t = x ^ (value(g->seed + r, y) & half);
        x = y, y = t;
    }
    return (uint32_t)((y << g->p / 2 | x) >> (g->p - 32));
}

BLOCK(simon_rounds, 2)
{
    uint32_t x = (uint32_t)(at);
    uint32_t y = 0;
    for (unsigned r = 0; r < g->p; r++) {
        const uint32_t t =
            y ^ (panel_rotate32(x, 1) & panel_rotate32(x, 8)) ^ panel_rotate32(x, 2) ^ KEY[r];
        y = x, x = t;
    }
    OUT[0] = x, OUT[1] = y;
}

BLOCK(rc5_rounds, 2)
{
    uint32_t x = (uint32_t)(at) + KEY[0];
    uint32_t y = KEY[1];
    for (unsigned r = 1; r <= g->p; r++) {
        x ^= y, x = (x << (y & 31) | x >> (-y & 31)) + KEY[2 * r];
        y ^= x, y = (y << (x & 31) | y >> (-x & 31)) + KEY[2 * r + 1];
    }
    OUT[0] = x, OUT[1] = y;
}

BLOCK(md5_steps, 4)
{
    static const unsigned char turn[4] = {7, 12, 17, 22};
    uint32_t a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    for (unsigned r = 0; r < g->p; r++) {
        const uint32_t f = r < 16 ? (b & c) | (~b & d) : (d & b) | (~d & c);
        const uint32_t t = a + f + KEY[r % 64] + (r % 16 == 0 ? (uint32_t)(at) : 0);
        a = d, d = c, c = b, b += panel_rotate32(t, turn[r % 4]);
    }
    OUT[0] = a, OUT[1] = b, OUT[2] = c, OUT[3] = d;
}

#define PANEL_LIST "stats/roster/blocks.inc"
#include "stats/panel/plugin.h"
