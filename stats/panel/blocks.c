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
// `c` is the counter of block m; the statements may change it before the rounds.
#define PHILOX(name, how, ...)                                                                     \
    EACH(                                                                                          \
        name, if (n % 4 == 0) {                                                                    \
            const uint64_t m = n / 4;                                                              \
            uint32_t c[4] = {(uint32_t)m, (uint32_t)(m >> 32), 0, 0}, k[2] = {KEY[0], KEY[1]};     \
            __VA_ARGS__;                                                                           \
            philox(c, k[0], k[1], 10, how);                                                        \
            memcpy(OUT, c, 16);                                                                    \
        } w = OUT[n % 4])

// clang-format off: one flaw a line
PHILOX(philox_unmixed, PHILOX_UNMIXED, c[2] = (uint32_t)(m >> 8))
PHILOX(philox_mul24, PHILOX_MUL24, )
PHILOX(philox_same_input, PHILOX_SAME_INPUT, )
PHILOX(philox_no_xor, PHILOX_NO_XOR, )
PHILOX(philox_high_16, PHILOX_HIGH_16, )
PHILOX(philox_swapped, PHILOX_SWAPPED, )
PHILOX(philox_or, PHILOX_OR, )
// Counters: kept in a float, in p bits, without carry into the second word (from 2^32 - 2^p on), in
// the wrong lanes.
PHILOX(counter_in_float, PHILOX_GOOD, const float f = (float)(m + (UINT64_C(16777216) >> p));
       c[0] = (uint32_t)f)
PHILOX(counter_of_bits, PHILOX_GOOD, c[0] = (uint32_t)(m & ((UINT64_C(1) << p) - 1)))
PHILOX(counter_gray_lost, PHILOX_GOOD, c[0] = (uint32_t)(m ^ m >> 1) & ~(1u << p))
PHILOX(counter_or_offset, PHILOX_GOOD, c[0] = (uint32_t)(m | 0x10000u << p))
// p lanes with their own counters; the common base moves on by one too few.
PHILOX(lanes_advance_short, PHILOX_GOOD, c[0] = (uint32_t)(m / p * (p - 1) + m % p))
// Every p-th block is given out twice; of two neighbouring blocks the second's last word is the
// first's.
PHILOX(block_twice, PHILOX_GOOD, c[0] = (uint32_t)(m - (m % p == p - 1)))
PHILOX(block_twice_later, PHILOX_GOOD,
       c[0] = (uint32_t)(m % p == p - 1 && m > 100000 ? m - 54321 : m))
// Subsequences in the key's place: thread t = m / p under key t, truncated; key words equal; low 16
// bits of each.
PHILOX(keys_of_16_bits, PHILOX_GOOD, k[0] = (uint32_t)(word(SEED, m / p) >> 16); k[1] = 0;
       c[0] = (uint32_t)(m % p))
PHILOX(keys_of_31_bits, PHILOX_GOOD, k[0] = word(SEED, m / p) >> 1; k[1] = 0;
       c[0] = (uint32_t)(m % p))
PHILOX(keys_exclusive_or, PHILOX_GOOD, const uint64_t t = m / 64; k[0] = 0;
       k[1] = (uint32_t)(t / 64) ^ (uint32_t)(t % 64); c[0] = (uint32_t)(m % 64))
PHILOX(keys_add_up, PHILOX_GOOD, k[0] = 0; k[1] = 0; c[0] = (uint32_t)(m % 64 + m / 64 * p))
// The block's words shared by four lanes of which one shows the last block's word.
EACH(
    stale_word_of_block, if (n % 4 == 0) {
        OUT[4] = OUT[3];
        uint32_t c[4] = {(uint32_t)(n / 4), 0, 0, 0};
        philox(c, KEY[0], KEY[1], 10, PHILOX_GOOD);
        memcpy(OUT, c, 16);
    } w = n % 4 == 0 && n / 4 % p == 0 ? OUT[4] : OUT[n % 4])
// Four keys, of which bits below 2^p of the second word make no difference; the blocks of all are
// exclusive-ored in pairs.
EACH(
    philox_pair_difference, if (n % 4 == 0) {
        uint32_t c[4] = {(uint32_t)(n / 8), 0, 0, 0},
                 d[4] = {(uint32_t)(n / 8) ^ 1u << 31, 0, 0, 0};
        philox(c, KEY[0], KEY[1], (unsigned)p, PHILOX_GOOD);
        philox(d, KEY[0], KEY[1], (unsigned)p, PHILOX_GOOD);
        for (unsigned j = 0; j < 4; j++)
            OUT[j] = n / 4 % 2 ? c[j] ^ d[j] : c[j];
    } w = OUT[n % 4])

// ---- threefry2x32 -----------------------------------------------------------
#define THREEFRY(name, ADD, ROTATION, INJECT)                                                      \
    EACH(                                                                                          \
        name, static const unsigned char rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};           \
        (void)rotations; if (n % 2 == 0) {                                                         \
            const uint32_t key[3] = {KEY[0], KEY[1], KEY[0] ^ KEY[1] ^ 0x1bd11bdau};               \
            uint32_t x = (uint32_t)(n / 2) + key[0], y = (uint32_t)(n >> 33) + key[1];             \
            for (unsigned r = 0; r < p; r++) {                                                     \
                x = ADD;                                                                           \
                y = panel_rotate32(y, ROTATION) ^ x;                                               \
                if (r % 4 == 3 && INJECT) {                                                        \
                    const unsigned s = r / 4 + 1;                                                  \
                    x += key[s % 3], y += key[(s + 1) % 3] + s;                                    \
                }                                                                                  \
            }                                                                                      \
            OUT[0] = x, OUT[1] = y;                                                                \
        } w = OUT[n % 2])
THREEFRY(threefry_xor, x ^ y, rotations[r % 8], 1)
THREEFRY(threefry_sixteen, x + y, 16, 1)
THREEFRY(threefry_eights, x + y, 8u * (1 + r % 3), 1)
THREEFRY(threefry_ones, x + y, 1, 1)
THREEFRY(threefry_or, x | y, rotations[r % 8], 1)
THREEFRY(threefry_no_keys, x + y, rotations[r % 8], 0)
THREEFRY(threefry_one_lost, x + y, r % 8 == 3 ? 31u : rotations[r % 8], 1)

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
static void aes(struct steps *g, unsigned char s[16], unsigned rounds, unsigned how)
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
#define AES(name, how)                                                                             \
    EACH(                                                                                          \
        name, if (n % 4 == 0) {                                                                    \
            unsigned char s[16] = {0};                                                             \
            for (unsigned b = 0; b < 8; b++)                                                       \
                s[15 - b] = (unsigned char)(n / 4 >> 8 * b);                                       \
            aes(g, s, (unsigned)p, how);                                                           \
            memcpy(OUT, s, 16);                                                                    \
        } w = OUT[n % 4])
AES(aes_rounds, 0)
AES(aes_no_columns, 1)
AES(aes_no_rows, 2)

// Salsa's rounds, ChaCha's columns only, a round of MD5 for each p, SHA-like schedules left out.
#define QUARTER(a, b, c, d)                                                                        \
    (x[b] ^= panel_rotate32(x[a] + x[d], 7), x[c] ^= panel_rotate32(x[b] + x[a], 9),               \
     x[d] ^= panel_rotate32(x[c] + x[b], 13), x[a] ^= panel_rotate32(x[d] + x[c], 18))
EACH(
    salsa_rounds, if (n % 16 == 0) {
        uint32_t x[16], in[16];
        memcpy(in, KEY, sizeof in);
        in[8] = (uint32_t)(n / 16), in[9] = 0;
        memcpy(x, in, sizeof x);
        for (uint64_t r = 0; r < p; r++)
            if (r % 2 == 0)
                QUARTER(0, 4, 8, 12), QUARTER(5, 9, 13, 1), QUARTER(10, 14, 2, 6),
                    QUARTER(15, 3, 7, 11);
            else
                QUARTER(0, 1, 2, 3), QUARTER(5, 6, 7, 4), QUARTER(10, 11, 8, 9),
                    QUARTER(15, 12, 13, 14);
        for (unsigned j = 0; j < 16; j++)
            OUT[j] = x[j] + in[j];
    } w = OUT[n % 16])
EACH(
    salsa_columns_only, if (n % 16 == 0) {
        uint32_t x[16];
        memcpy(x, KEY, sizeof x);
        x[8] = (uint32_t)(n / 16), x[9] = (uint32_t)(n / 32), x[2] = (uint32_t)(n / 64),
        x[3] = (uint32_t)(n / 128);
        for (uint64_t r = 0; r < p; r++)
            QUARTER(0, 4, 8, 12), QUARTER(5, 9, 13, 1), QUARTER(10, 14, 2, 6),
                QUARTER(15, 3, 7, 11);
        memcpy(OUT, x, sizeof x);
    } w = OUT[n % 16])
// Ascon's and Gimli's permutations, p rounds, first words out.
EACH(
    ascon_rounds, if (n % 2 == 0) {
        uint64_t x[5];
        memcpy(x, KEY, sizeof x);
        x[0] = n / 2;
        for (uint64_t r = 0; r < p; r++) {
            x[2] ^= 0xf0 - r * 0x0f, x[0] ^= x[4], x[4] ^= x[3], x[2] ^= x[1];
            uint64_t t[5];
            for (unsigned j = 0; j < 5; j++)
                t[j] = x[j] ^ (~x[(j + 1) % 5] & x[(j + 2) % 5]);
            t[1] ^= t[0], t[0] ^= t[4], t[3] ^= t[2], t[2] = ~t[2];
            static const unsigned char first[5] = {45, 3, 63, 54, 57},
                                       second[5] = {36, 25, 58, 47, 23};
            for (unsigned j = 0; j < 5; j++)
                x[j] = t[j] ^ panel_rotate64(t[j], first[j]) ^ panel_rotate64(t[j], second[j]);
        }
        memcpy(OUT, x, 8);
    } w = OUT[n % 2])
EACH(
    gimli_rounds, if (n % 4 == 0) {
        uint32_t s[12];
        memcpy(s, KEY, sizeof s);
        s[0] = (uint32_t)(n / 4);
        for (unsigned r = (unsigned)p; r; r--) {
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
    } w = OUT[n % 4])
// A Feistel network over 2^p values: outputs that never repeat, their high 32 bits.
EACH(
    feistel_bits, const uint64_t half = (UINT64_C(1) << p / 2) - 1; uint64_t x = n & half;
    uint64_t y = n >> p / 2; for (unsigned r = 0; r < 6; r++) {
        const uint64_t t = x ^ (value(SEED + r, y) & half);
        x = y, y = t;
    } w = (uint32_t)((y << p / 2 | x) >> (p - 32)))
EACH(
    simon_rounds, if (n % 2 == 0) {
        uint32_t x = (uint32_t)(n / 2);
        uint32_t y = 0;
        for (unsigned r = 0; r < p; r++) {
            const uint32_t t =
                y ^ (panel_rotate32(x, 1) & panel_rotate32(x, 8)) ^ panel_rotate32(x, 2) ^ KEY[r];
            y = x, x = t;
        }
        OUT[0] = x, OUT[1] = y;
    } w = OUT[n % 2])
EACH(
    rc5_rounds, if (n % 2 == 0) {
        uint32_t x = (uint32_t)(n / 2) + KEY[0];
        uint32_t y = KEY[1];
        for (unsigned r = 1; r <= p; r++) {
            x ^= y, x = (x << (y & 31) | x >> (-y & 31)) + KEY[2 * r];
            y ^= x, y = (y << (x & 31) | y >> (-x & 31)) + KEY[2 * r + 1];
        }
        OUT[0] = x, OUT[1] = y;
    } w = OUT[n % 2])
EACH(
    md5_steps, if (n % 4 == 0) {
        static const unsigned char turn[4] = {7, 12, 17, 22};
        uint32_t a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
        for (unsigned r = 0; r < p; r++) {
            const uint32_t f = r < 16 ? (b & c) | (~b & d) : (d & b) | (~d & c);
            const uint32_t t = a + f + KEY[r % 64] + (r % 16 == 0 ? (uint32_t)(n / 4) : 0);
            a = d, d = c, c = b, b += panel_rotate32(t, turn[r % 4]);
        }
        OUT[0] = a, OUT[1] = b, OUT[2] = c, OUT[3] = d;
    } w = OUT[n % 4])
// clang-format on

const struct panel_generator panel_generators[] = {
    ONE(philox_unmixed),
    ONE(philox_mul24),
    ONE(philox_same_input),
    ONE(philox_no_xor),
    ONE(philox_high_16),
    ONE(philox_swapped),
    ONE(philox_or),
    WITH(counter_in_float, 0),
    WITH(counter_in_float, 20),
    WITH(counter_of_bits, 21),
    WITH(counter_of_bits, 24),
    WITH(counter_gray_lost, 19),
    WITH(counter_or_offset, 0),
    WITH(counter_or_offset, 6),
    WITH(lanes_advance_short, 8),
    WITH(lanes_advance_short, 256),
    WITH(lanes_advance_short, 65536),
    WITH(block_twice, 64),
    WITH(block_twice, 65536),
    WITH(block_twice_later, 64),
    WITH(block_twice_later, 65536),
    WITH(keys_of_16_bits, 16),
    WITH(keys_of_16_bits, 4096),
    WITH(keys_of_31_bits, 8),
    WITH(keys_exclusive_or, 1),
    WITH(keys_add_up, 1),
    WITH(keys_add_up, 63),
    WITH(stale_word_of_block, 1),
    WITH(stale_word_of_block, 1000),
    WITH(philox_pair_difference, 5),
    WITH(threefry_xor, 20),
    WITH(threefry_sixteen, 20),
    WITH(threefry_eights, 20),
    WITH(threefry_ones, 20),
    WITH(threefry_ones, 32),
    WITH(threefry_or, 20),
    WITH(threefry_no_keys, 8),
    WITH(threefry_one_lost, 9),
    WITH(aes_rounds, 2),
    WITH(aes_rounds, 3),
    WITH(aes_rounds, 4),
    WITH(aes_no_columns, 10),
    WITH(aes_no_rows, 10),
    WITH(salsa_rounds, 2),
    WITH(salsa_rounds, 3),
    WITH(salsa_rounds, 4),
    WITH(salsa_columns_only, 20),
    WITH(ascon_rounds, 2),
    WITH(ascon_rounds, 3),
    WITH(ascon_rounds, 4),
    WITH(gimli_rounds, 4),
    WITH(gimli_rounds, 6),
    WITH(gimli_rounds, 8),
    WITH(feistel_bits, 34),
    WITH(feistel_bits, 36),
    WITH(feistel_bits, 40),
    WITH(simon_rounds, 10),
    WITH(simon_rounds, 13),
    WITH(rc5_rounds, 3),
    WITH(rc5_rounds, 5),
    WITH(md5_steps, 12),
    WITH(md5_steps, 20),
};
const unsigned panel_generator_count = sizeof panel_generators / sizeof *panel_generators;

#include "stats/panel/plugin.h"
