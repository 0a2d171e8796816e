// SPDX-License-Identifier: Apache-2.0
// The audit's inner loops beside plain ones, linear complexity beside the textbook on packed words,
// and a battery on all threads beside one.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "stats/kernel/kernel.h"
#include "stats/battery/linear/linear.h"
#include "stats/source/source.h"
#include "stats/audit/tally.h"

enum { WORDS = 1 << 16, LEAD = 1024, LENGTH = 50000, BLOCKS = 16 };
enum { POSITIONS, LAG, LINEAR, BATTERY };

struct state {
    uint32_t *words; // LEAD words before those that are counted
    uint64_t count[KERNEL_POSITIONS], event[2];
    uint64_t *scratch;
    struct battery battery;
    struct source source;
};

static void positions(void *context)
{
    struct state *const s = context;
    kernel_chosen()->positions(s->words + LEAD, WORDS, s->count);
    bench_use(s->count);
}

static void lag(void *context)
{
    struct state *const s = context;
    kernel_chosen()->lag(s->words + LEAD, WORDS, 607, 0, s->count, s->event);
    bench_use(s->count);
}

// One word at a time, one bit at a time, as a compiler makes of it what it can.
static void count_plainly(struct state *s, size_t distance)
{
    for (size_t i = 0; i < WORDS; i++) {
        const uint32_t w = s->words[LEAD + i] ^ (distance ? s->words[LEAD + i - distance] : 0);
        for (unsigned b = 0; b < 32; b++)
            s->count[i % 8 * 32 + b] += w >> b & 1;
    }
    bench_use(s->count);
}

static void positions_plainly(void *context)
{
    count_plainly(context, 0);
}

static void lag_plainly(void *context)
{
    count_plainly(context, 607);
}

static void linear(void *context)
{
    struct state *const s = context;
    s->count[0] = linear_complexity((const uint64_t *)(const void *)s->words, LENGTH, s->scratch);
    bench_use(s->count);
}

// Berlekamp and Massey with both polynomials kept, 64 bits a word; the sequence is kept reversed,
// so that a discrepancy is the parity of an overlap.
static void linear_by_the_book(void *context)
{
    enum { SPAN = LENGTH / 64 + 2 };
    struct state *const s = context;
    const uint64_t *const bits = (const uint64_t *)(const void *)s->words;
    uint64_t *const c = s->scratch, *const b = c + SPAN, *const t = b + SPAN,
                    *const seen = t + SPAN;
    memset(s->scratch, 0, (size_t)4 * SPAN * sizeof(uint64_t));
    c[0] = b[0] = 1;
    size_t L = 0, m = 1;
    for (size_t n = 0; n < LENGTH; n++) {
        for (size_t i = L / 64 + 1; i-- > 0;) // the newest bit enters at the bottom
            seen[i] = seen[i] << 1 | (i ? seen[i - 1] >> 63 : bits[n / 64] >> n % 64 & 1);
        uint64_t sum = 0;
        for (size_t i = 0; i <= L / 64; i++)
            sum ^= c[i] & seen[i];
        if (!__builtin_parityll(sum)) {
            m++;
            continue;
        }
        const int longer = 2 * L <= n;
        if (longer)
            memcpy(t, c, SPAN * sizeof *t);
        for (size_t i = SPAN - 1; i + 1 > m / 64; i--) {
            const size_t from = i - m / 64;
            c[i] ^= b[from] << m % 64 | (m % 64 && from ? b[from - 1] >> (64 - m % 64) : 0);
            if (!i)
                break;
        }
        m++;
        if (longer) {
            const size_t grown = n + 1 - L;
            for (size_t i = L / 64 + 1; i <= grown / 64 && i < SPAN;
                 i++) // bits that a longer register sees
                for (unsigned j = 0; j < 64; j++)
                    if (n >= i * 64 + j)
                        seen[i] |= (bits[(n - i * 64 - j) / 64] >> (n - i * 64 - j) % 64 & 1) << j;
            L = grown;
            memcpy(b, t, SPAN * sizeof *b);
            m = 1;
        }
    }
    s->count[0] = L;
    bench_use(s->count);
}

static void run_battery(struct state *s, unsigned threads)
{
    struct tally tally;
    struct diagnostic diagnostic;
    if (tally_open(&tally, &s->battery, threads, &diagnostic) ||
        tally_advance(&tally, &s->source, 0, BLOCKS, &diagnostic))
        abort();
    bench_use(tally.count[0]);
    tally_close(&tally);
}

static void battery_all(void *context)
{
    run_battery(context, 0);
}

static void battery_one(void *context)
{
    run_battery(context, 1);
}

static void stop(struct bench_pair *pair)
{
    struct state *const s = pair->state;
    source_close(&s->source);
    free(s->words);
    free(s->scratch);
    free(s);
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    static const struct {
        const char *peer;
        uint64_t bytes;
        void (*ours)(void *), (*theirs)(void *);
    } work[] = {{"a plain loop", 4 * WORDS, positions, positions_plainly},
                {"a plain loop", 4 * WORDS, lag, lag_plainly},
                {"the textbook's two polynomials", 0, linear, linear_by_the_book},
                {"one thread", 0, battery_all, battery_one}};
    struct state *const s = calloc(1, sizeof *s);
    struct diagnostic diagnostic;
    size_t got;
    if (!s || source_open_reference(&s->source, "philox4x32", 1, &diagnostic)) {
        free(s);
        snprintf(why, BENCH_WHY_SIZE, "out of memory");
        return false;
    }
    s->words = bench_take((size_t)2 * WORDS * sizeof *s->words);
    s->scratch = bench_take(linear_scratch(LENGTH) * 4);
    if (!s->words || !s->scratch || !battery_named("quick", &s->battery) ||
        s->source.read(s->source.context, 0, (size_t)2 * WORDS, s->words, &got, &diagnostic)) {
        snprintf(why, BENCH_WHY_SIZE, "out of memory");
        pair->state = s;
        stop(pair);
        return false;
    }
    if (row->variant == LINEAR) {
        linear(s);
        const uint64_t ours = s->count[0];
        linear_by_the_book(s);
        if (ours != s->count[0]) {
            snprintf(why, BENCH_WHY_SIZE, "the two complexities differ");
            pair->state = s;
            stop(pair);
            return false;
        }
    }
    *pair = (struct bench_pair){.peer = work[row->variant].peer,
                                .bytes = work[row->variant].bytes,
                                .ours = work[row->variant].ours,
                                .theirs = work[row->variant].theirs,
                                .state = s};
    if (work[row->variant].bytes)
        pair->work = (struct bench_work){.unit = "byte", .units = 4 * WORDS, .read = 4 * WORDS};
    return true;
}

static const struct bench_frame frame = {.start = start, .stop = stop, .processor = true};
static const struct bench_frame threads_frame = {.start = start, .stop = stop, .threads = true};

static const struct bench_row rows[] = {
    {"audit/positions", "ones at each bit position", 0, POSITIONS, &frame},
    {"audit/lag", "exclusive or at one lag, counted by bit position", 0, LAG, &frame},
    {"audit/linear-50000", "linear complexity of 50,000 bits", 0, LINEAR, &frame},
    {"audit/threads", "the quick battery over 4 MiB of Philox on all threads", 0, BATTERY,
     &threads_frame},
};

const struct bench_table bench_stats = {rows, sizeof rows / sizeof *rows};
