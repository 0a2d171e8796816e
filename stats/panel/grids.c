// SPDX-License-Identifier: Apache-2.0
// Threads that take turns, frames with check words, sums of sums, and recurrences over long
// distances.

#include "stats/panel/panel.h"

enum { THREADS_MAX = 24576, ROUND = 240 };

struct state {
    unsigned parameter, at; // at: thread, place in a frame, or in a table
    uint64_t seed, place;
    union {
        uint32_t thread[THREADS_MAX][4];
        uint64_t state[THREADS_MAX];
        uint32_t table[4 * THREADS_MAX];
        uint32_t frame[256];
        struct {
            uint64_t value[ROUND], total;
        } sums;
    } u;
};

static uint32_t good(struct state *g)
{
    return (uint32_t)(panel_mix(&g->seed) >> 32);
}

static void start(struct state *g, uint64_t seed, unsigned parameter)
{
    memset(g, 0, sizeof *g);
    g->parameter = parameter;
    g->seed = panel_mix(&seed);
    for (unsigned i = 0; i < sizeof g->u.table / sizeof *g->u.table; i++)
        g->u.table[i] = good(g);
}

// `parameter` xorshift generators of 128 bits (Marsaglia, doi:10.18637/jss.v008.i14), each from a
// good state.
static uint32_t threads_xorshift(struct state *g)
{
    uint32_t *const s = g->u.thread[g->at];
    g->at = (g->at + 1) % g->parameter;
    const uint32_t t = s[0] ^ s[0] << 11;
    s[0] = s[1];
    s[1] = s[2];
    s[2] = s[3];
    return s[3] = s[3] ^ s[3] >> 19 ^ t ^ t >> 8;
}

// High halves of `parameter` congruential generators modulo 2^64.
static uint32_t threads_congruential(struct state *g)
{
    uint64_t *const s = &g->u.state[g->at];
    g->at = (g->at + 1) % g->parameter;
    return (uint32_t)((*s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) >>
                      32);
}

// The last of `parameter` words is the cyclic redundancy check of the others (polynomial of ISO
// 3309).
static uint32_t frame_check(struct state *g)
{
    if (g->at == 0) {
        uint32_t check = UINT32_MAX;
        for (unsigned i = 0; i + 1 < g->parameter; i++) {
            check ^= g->u.frame[i] = good(g);
            for (unsigned bit = 0; bit < 32; bit++)
                check = check >> 1 ^ ((0u - (check & 1)) & UINT32_C(0xedb88320));
        }
        g->u.frame[g->parameter - 1] = ~check;
    }
    const uint32_t word = g->u.frame[g->at];
    g->at = (g->at + 1) % g->parameter;
    return word;
}

// Frames of `parameter` words of 64 bits, the last of which is the sum of the others.
static uint32_t frame_sum(struct state *g)
{
    uint32_t *const frame = g->u.frame;
    if (g->at == 0) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < 2 * g->parameter; i += 2) {
            const bool last = i + 2 == 2 * g->parameter;
            frame[i] = last ? (uint32_t)sum : good(g);
            frame[i + 1] = last ? (uint32_t)(sum >> 32) : good(g);
            sum += frame[i] | (uint64_t)frame[i + 1] << 32;
        }
    }
    const uint32_t word = frame[g->at];
    g->at = (g->at + 1) % (2 * g->parameter);
    return word;
}

// Frames of `parameter` words that have an even number of ones.
static uint32_t frame_even(struct state *g)
{
    g->u.frame[0] ^= g->u.frame[1] = good(g);
    g->at = (g->at + 1) % g->parameter;
    if (g->at)
        return g->u.frame[1];
    unsigned odd = 0;
    for (uint32_t left = g->u.frame[0]; left; left &= left - 1)
        odd ^= 1;
    g->u.frame[0] = 0;
    return g->u.frame[1] ^ odd << 11;
}

static uint64_t modulo_mersenne(uint64_t x)
{
    const uint64_t m = (UINT64_C(1) << 61) - 1, r = (x & m) + (x >> 61);
    return r >= m ? r - m : r;
}

// High 32 of 61 bits of the matrix generator MIXMAX, 240 values a round, without the special entry
// of its matrix (Savvidy, doi:10.1016/j.cpc.2015.06.003).
static uint32_t matrix_of_sums(struct state *g)
{
    uint64_t *const y = g->u.sums.value;
    if (g->at == 0) { // the first round
        for (unsigned i = 0; i < ROUND; i++)
            g->u.sums.total = modulo_mersenne(i ? g->u.sums.total + (y[i] >>= 3) : (y[i] >>= 3));
        g->at = ROUND;
    }
    if (g->at == ROUND) {
        uint64_t part = 0, sum = y[0] = g->u.sums.total, total = sum;
        for (unsigned i = 1; i < ROUND; i++) {
            part = modulo_mersenne(part + y[i]);
            y[i] = sum = modulo_mersenne(sum + part);
            total = modulo_mersenne(total + sum);
        }
        g->u.sums.total = total;
        g->at = 1;
    }
    return (uint32_t)(y[g->at++] >> 29);
}

// High 32 of 60 bits of an additive congruential generator of order `parameter` (Wikramaratna,
// doi:10.1016/0021-9991(89)90221-0).
static uint32_t sums_of_order(struct state *g)
{
    uint64_t *const y = g->u.state;
    y[0] |= 1;
    for (unsigned k = 1; k <= g->parameter; k++)
        y[k] += y[k - 1];
    return (uint32_t)(y[g->parameter] << 4 >> 32);
}

// One bit is the exclusive or of two others, 30 and 77 words before.
static uint32_t bit_of_two_far(struct state *g)
{
    uint32_t *const recent = g->u.frame,
                    bit = (recent[(g->at - 30) % 128] >> 9 ^ recent[(g->at - 77) % 128] >> 20) & 1;
    return recent[g->at++ % 128] = (good(g) & ~(1u << 5)) | bit << 5;
}

// A bit of one word of 2^parameter is stuck.
static uint32_t word_of_buffer(struct state *g)
{
    const uint32_t word = good(g);
    return (g->place++ & ((UINT64_C(1) << g->parameter) - 1)) == 711 ? word | 1u << 9 : word;
}

// Once in 2^18 words of 64 bits a bit sticks for 64 of them, at 0 or 1.
static uint32_t bit_sticks(struct state *g)
{
    const uint32_t word = good(g);
    const uint64_t place = g->place++ & 0x7ffff; // in words of 32 bits
    if (!place)
        g->at = word;
    return place % 2 && place < 128 ? (word & ~(1u << 9)) | (g->at & 1u << 9) : word;
}

// Words of 64 bits, `parameter` of which are never in rising order.
static uint32_t never_rises(struct state *g)
{
    g->at ^= 1;
    uint64_t *const recent = g->u.state;
    if (g->at) {
        uint64_t word = good(g) | (uint64_t)good(g) << 32;
        unsigned rising = 1;
        while (rising < g->parameter && recent[rising - 1] > recent[rising])
            rising++;
        while (rising + 1 >= g->parameter && word > recent[0])
            word = good(g) | (uint64_t)good(g) << 32;
        memmove(recent + 1, recent, g->parameter * sizeof *recent);
        recent[0] = word;
    }
    return (uint32_t)(g->at ? recent[0] : recent[0] >> 32);
}

// The words of two registers, each stepped by the bits of a third; registers of 29, 31 and 25 bits.
static uint32_t alternating_step(struct state *g)
{
    uint32_t *const s = g->u.frame, out = 0;
    s[0] |= 1, s[1] |= 1, s[2] |= 1;
    for (unsigned i = 0; i < 32; i++) {
        s[0] = (s[0] << 1 | ((s[0] >> 24 ^ s[0] >> 21) & 1)) & 0x1ffffff;
        if (s[0] & 1)
            s[1] = (s[1] << 1 | ((s[1] >> 28 ^ s[1] >> 26) & 1)) & 0x1fffffff;
        else
            s[2] = (s[2] << 1 | ((s[2] >> 30 ^ s[2] >> 27) & 1)) & 0x7fffffff;
        out = out << 1 | ((s[1] ^ s[2]) & 1);
    }
    return out;
}

#define PANEL_LIST "stats/roster/grids.inc"
#include "stats/panel/plugin.h"
