// SPDX-License-Identifier: Apache-2.0
// Counting a battery. The first group is counted row by row, so that a verdict after the first
// mebibyte uses all threads; later groups are handed out whole, but the last ones in pieces, a row
// or a block each: groups differ much in what they cost, as long as rows of few blocks see them,
// and no thread shall wait for another's last group. A source without random access is read under a
// lock in the order of its words.

#include "stats/audit/tally.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/threads.h"

enum { BLOCK_WORDS = 1 << BATTERY_BLOCK_LOG2 };

// One of the workers counts into the sums themselves, so that no thread needs tables of its own
// beside them.
struct tally_worker {
    struct tally_worker *next;
    uint64_t *count[BATTERY_ROWS_MAX];
    struct bag own[BATTERY_ROWS_MAX], *bag; // `own` or, where `count` is the tally's, the tally's
    unsigned char
        touched[BATTERY_ROWS_MAX]; // the row has counted here since its counts were last taken away
    void *scratch;
    uint32_t *words; // one group
};

static void *aligned(size_t size)
{
    return aligned_alloc(64, (size + 63) / 64 * 64 + 64);
}

static void free_sums(uint64_t **count, struct bag *bag)
{
    for (unsigned r = 0; r < BATTERY_ROWS_MAX; r++) {
        free(count[r]);
        bag_release(&bag[r]);
    }
}

static void free_worker(struct tally_worker *worker)
{
    if (worker->bag == worker->own)
        free_sums(worker->count, worker->own);
    free(worker->scratch);
    free(worker->words);
    free(worker);
}

static bool make_sums(const struct battery *battery, uint64_t **count)
{
    bool ok = true;
    for (unsigned r = 0; r < battery->rows && ok; r++) {
        count[r] = calloc(battery->row[r].test.counts + 1, sizeof(uint64_t));
        ok = count[r] != NULL;
    }
    return ok;
}

static struct tally_worker *make_worker(struct tally *tally)
{
    const struct battery *const battery = tally->battery;
    struct tally_worker *const worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    const bool first = !tally->worker;
    worker->bag = first ? tally->bag : worker->own;
    if (first)
        memcpy(worker->count, tally->count, sizeof worker->count);
    const bool ok = first || make_sums(battery, worker->count);
    size_t scratch = 64;
    for (unsigned r = 0; r < battery->rows; r++)
        if (battery->row[r].test.scratch > scratch)
            scratch = battery->row[r].test.scratch;
    worker->scratch = aligned(scratch);
    worker->words = aligned((size_t)TALLY_GROUP * BLOCK_WORDS * sizeof(uint32_t));
    if (!ok || !worker->scratch || !worker->words) {
        free_worker(worker);
        return NULL;
    }
    return worker;
}

enum error tally_open(struct tally *tally, const struct battery *battery, unsigned threads,
                      struct diagnostic *diagnostic)
{
    assert(battery->rows > 0 && battery->rows <= BATTERY_ROWS_MAX);
    *tally = (struct tally){.battery = battery, .threads = threads ? threads : threads_available()};
    bool ok = make_sums(battery, tally->count);
    for (unsigned t = 0; t < tally->threads && ok; t++) {
        struct tally_worker *const worker = make_worker(tally);
        ok = worker != NULL;
        if (worker) {
            worker->next = tally->worker;
            tally->worker = worker;
        }
    }
    tally->head = aligned((size_t)TALLY_GROUP * BLOCK_WORDS * sizeof(uint32_t));
    if (ok && tally->head)
        return ERROR_NONE;
    tally_close(tally);
    return diagnostic_no_memory(diagnostic);
}

void tally_close(struct tally *tally)
{
    free_sums(tally->count, tally->bag);
    while (tally->worker) {
        struct tally_worker *const next = tally->worker->next;
        free_worker(tally->worker);
        tally->worker = next;
    }
    free(tally->head);
    *tally = (struct tally){0};
}

// A group whose rows are handed out, not itself.
struct shared_group {
    uint64_t from, to; // blocks
    uint32_t *words;   // of a worker, which does not need them meanwhile
};

struct pool {
    struct tally *tally;
    const struct source *source;
    uint64_t origin, from, to; // blocks: this advance counts [from, to)
    uint64_t next_group;       // of a source without random access
    uint64_t end;              // no block at or after this one exists
    struct tally_worker *idle;
    struct shared_group *shared; // groups from `first_shared` on
    uint64_t first_shared;
    pthread_mutex_t lock, reading;
};

static struct tally_worker *take_worker(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct tally_worker *const worker = pool->idle;
    pool->idle = worker->next;
    pthread_mutex_unlock(&pool->lock);
    return worker;
}

static void return_worker(struct pool *pool, struct tally_worker *worker)
{
    pthread_mutex_lock(&pool->lock);
    worker->next = pool->idle;
    pool->idle = worker;
    pthread_mutex_unlock(&pool->lock);
}

// Runs the units of row `r` that lie in blocks [from, to) of a group whose words start at block
// `start`.
static void count_row(const struct pool *pool, struct tally_worker *worker, unsigned r,
                      const uint32_t *words, uint64_t start, uint64_t from, uint64_t to)
{
    const struct battery_row *const row = &pool->tally->battery->row[r];
    const uint64_t unit = UINT64_C(1) << (row->test.unit_log2 - BATTERY_BLOCK_LOG2);
    for (uint64_t b = from / unit * unit; b + unit <= to && b + unit <= row->from + row->blocks;
         b += unit)
        if (b + unit > from && b >= start && b >= row->from) {
            const struct counts counts = {worker->count[r], &worker->bag[r], worker->scratch,
                                          (b - row->from) / unit, pool->origin + b};
            row->test.count(&row->test, words + (b - start) * BLOCK_WORDS, &counts);
            worker->touched[r] = 1;
        }
}

static enum error read_blocks(struct pool *pool, uint64_t from, uint64_t to, uint32_t *words,
                              uint64_t *got, struct diagnostic *diagnostic)
{
    size_t count = 0;
    const enum error error =
        pool->source->read(pool->source->context, (pool->origin + from) * BLOCK_WORDS,
                           (size_t)(to - from) * BLOCK_WORDS, words, &count, diagnostic);
    *got = count / BLOCK_WORDS;
    if (*got < to - from) {
        pthread_mutex_lock(&pool->lock);
        if (from + *got < pool->end) {
            pool->end = from + *got;
            pool->tally->words_left = (uint32_t)(count % BLOCK_WORDS);
        }
        pthread_mutex_unlock(&pool->lock);
    }
    return error;
}

// A large table would leave the cache from block to block: such a test sees the group as a whole,
// and its table stays.
static bool goes_by_block(const struct test *test)
{
    enum { LARGE = 1 << 15 };
    return test->unit_log2 == BATTERY_BLOCK_LOG2 && test->counts < LARGE;
}

// The rows that go block by block, while the block is in the cache.
static void count_block(const struct pool *pool, struct tally_worker *worker, const uint32_t *words,
                        uint64_t block)
{
    const struct battery *const battery = pool->tally->battery;
    for (unsigned r = 0; r < battery->rows; r++)
        if (goes_by_block(&battery->row[r].test))
            count_row(pool, worker, r, words, block, block, block + 1);
}

// Blocks of a group of this advance.
static void place_group(const struct pool *pool, uint64_t group, uint64_t *from, uint64_t *to)
{
    const uint64_t start = group * TALLY_GROUP;
    *from = start > pool->from ? start : pool->from;
    *to = start + TALLY_GROUP < pool->to ? start + TALLY_GROUP : pool->to;
}

static enum error count_group(void *context, uint64_t first, uint64_t pieces,
                              struct diagnostic *diagnostic)
{
    (void)pieces;
    struct pool *const pool = context;
    struct tally_worker *const worker = take_worker(pool);
    const struct battery *const battery = pool->tally->battery;
    const bool in_order = !pool->source->random_access;
    uint64_t got = 0, group = pool->from / TALLY_GROUP + first;
    if (in_order) {
        pthread_mutex_lock(&pool->reading);
        group = pool->next_group++;
    }
    uint64_t from, last;
    place_group(pool, group, &from, &last);
    const enum error error = in_order && from >= pool->end
                                 ? ERROR_NONE
                                 : read_blocks(pool, from, last, worker->words, &got, diagnostic);
    if (in_order)
        pthread_mutex_unlock(&pool->reading);
    const uint64_t to = error ? from : from + got;
    for (uint64_t b = from; b < to; b++)
        count_block(pool, worker, worker->words + (b - from) * BLOCK_WORDS, b);
    for (unsigned r = 0; r < battery->rows; r++)
        if (!goes_by_block(&battery->row[r].test))
            count_row(pool, worker, r, worker->words, from, from, to);
    return_worker(pool, worker);
    return error;
}

static enum error count_head_row(void *context, uint64_t row, uint64_t rows,
                                 struct diagnostic *diagnostic)
{
    (void)rows, (void)diagnostic;
    struct pool *const pool = context;
    struct tally_worker *const worker = take_worker(pool);
    count_row(pool, worker, (unsigned)row, pool->tally->head, 0, pool->from, pool->to);
    return_worker(pool, worker);
    return ERROR_NONE;
}

static enum error read_shared(void *context, uint64_t first, uint64_t count,
                              struct diagnostic *diagnostic)
{
    struct pool *const pool = context;
    enum error error = ERROR_NONE;
    for (uint64_t i = first; i < first + count && !error; i++) {
        struct shared_group *const group = &pool->shared[i];
        uint64_t got = 0;
        place_group(pool, pool->first_shared + i, &group->from, &group->to);
        if (pool->source->random_access || group->from < pool->end)
            error = read_blocks(pool, group->from, group->to, group->words, &got, diagnostic);
        group->to = group->from + got;
    }
    return error;
}

// Pieces of a shared group: a row that sees the group as a whole, or a block and all rows that go
// by block.
static uint64_t shared_pieces(const struct battery *battery)
{
    return battery->rows + TALLY_GROUP;
}

static enum error count_shared(void *context, uint64_t first, uint64_t count,
                               struct diagnostic *diagnostic)
{
    (void)count, (void)diagnostic; // 1
    struct pool *const pool = context;
    const struct battery *const battery = pool->tally->battery;
    const struct shared_group *const group = &pool->shared[first / shared_pieces(battery)];
    const uint64_t piece = first % shared_pieces(battery);
    struct tally_worker *const worker = take_worker(pool);
    if (piece < battery->rows) {
        if (!goes_by_block(&battery->row[piece].test))
            count_row(pool, worker, (unsigned)piece, group->words, group->from, group->from,
                      group->to);
    } else {
        const uint64_t place = piece - battery->rows, block = group->from + place;
        if (block < group->to)
            count_block(pool, worker, group->words + place * BLOCK_WORDS, block);
    }
    return_worker(pool, worker);
    return ERROR_NONE;
}

// Groups [first, first + count), no more than there are workers.
static enum error share_groups(struct pool *pool, uint64_t first, uint64_t count,
                               struct diagnostic *diagnostic)
{
    const unsigned threads = pool->tally->threads;
    struct tally_worker *worker = pool->idle;
    pool->shared = calloc((size_t)count, sizeof *pool->shared);
    if (!pool->shared)
        return diagnostic_no_memory(diagnostic);
    pool->first_shared = first;
    for (uint64_t i = 0; i < count; i++, worker = worker->next)
        pool->shared[i].words = worker->words;
    enum error error = threads_run(pool->source->random_access ? threads : 1, count, 1, read_shared,
                                   pool, diagnostic);
    if (!error)
        error = threads_run(threads, count * shared_pieces(pool->tally->battery), 1, count_shared,
                            pool, diagnostic);
    free(pool->shared);
    return error;
}

static enum error merge_row(void *context, uint64_t row, uint64_t rows,
                            struct diagnostic *diagnostic)
{
    struct tally *const tally = context;
    struct bag *const bag = &tally->bag[row];
    const uint32_t counts = tally->battery->row[row].test.counts;
    bool ok = !bag->failed;
    (void)rows;
    for (struct tally_worker *worker = tally->worker; worker; worker = worker->next) {
        // What was not touched is zeros that no memory has been taken for yet.
        if (worker->bag == tally->bag || !worker->touched[row])
            continue;
        for (uint32_t c = 0; c < counts; c++)
            tally->count[row][c] += worker->count[row][c];
        memset(worker->count[row], 0, counts * sizeof(uint64_t));
        for (size_t i = 0; i < worker->own[row].count; i++)
            bag_add(bag, worker->own[row].item[i]);
        ok = ok && !worker->own[row].failed && !bag->failed;
        bag_release(&worker->own[row]);
        worker->touched[row] = 0;
    }
    return ok ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// The head: blocks [from, to) of the first group.
static enum error advance_head(struct pool *pool, struct diagnostic *diagnostic)
{
    struct tally *const tally = pool->tally;
    uint64_t got;
    const enum error error = read_blocks(pool, pool->from, pool->to,
                                         tally->head + pool->from * BLOCK_WORDS, &got, diagnostic);
    if (error)
        return error;
    pool->to = pool->from + got;
    const enum error counting =
        threads_run(tally->threads, tally->battery->rows, 1, count_head_row, pool, diagnostic);
    tally->blocks = pool->to;
    return counting;
}

enum error tally_advance(struct tally *tally, const struct source *source, uint64_t origin,
                         uint64_t blocks, struct diagnostic *diagnostic)
{
    struct pool pool = {.tally = tally,
                        .source = source,
                        .origin = origin,
                        .end = UINT64_MAX,
                        .idle = tally->worker,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .reading = PTHREAD_MUTEX_INITIALIZER};
    enum error error = ERROR_NONE;
    if (tally->blocks < TALLY_GROUP && tally->blocks < blocks && !tally->ended) {
        pool.from = tally->blocks;
        pool.to = blocks < TALLY_GROUP ? blocks : TALLY_GROUP;
        error = advance_head(&pool, diagnostic);
        tally->ended = pool.end != UINT64_MAX;
    }
    if (!error && !tally->ended && tally->blocks < blocks) {
        pool.from = tally->blocks;
        pool.to = blocks;
        pool.next_group = pool.from / TALLY_GROUP;
        const uint64_t groups = (blocks + TALLY_GROUP - 1) / TALLY_GROUP - pool.next_group;
        // At least one group for each thread is shared, unless there is one thread.
        const uint64_t threads = tally->threads, rounds = groups / threads;
        uint64_t done = threads == 1 ? groups : rounds > 1 ? (rounds - 1) * threads : 0;
        error = threads_run(tally->threads, done, 1, count_group, &pool, diagnostic);
        for (uint64_t count; done < groups && !error; done += count) {
            count = groups - done < threads ? groups - done : threads;
            error = share_groups(&pool, pool.from / TALLY_GROUP + done, count, diagnostic);
        }
        tally->ended = pool.end != UINT64_MAX;
        tally->blocks = tally->ended ? pool.end : blocks;
    }
    tally->worker = pool.idle;
    struct diagnostic merging;
    const enum error merged =
        threads_run(tally->threads, tally->battery->rows, 1, merge_row, tally, &merging);
    if (error || !merged)
        return error;
    *diagnostic = merging;
    return merged;
}

uint64_t tally_units(const struct tally *tally, unsigned row)
{
    assert(row < tally->battery->rows);
    const struct battery_row *const r = &tally->battery->row[row];
    return battery_seen(r, tally->blocks) >> (r->test.unit_log2 - BATTERY_BLOCK_LOG2);
}

enum error tally_judge(struct tally *tally, unsigned row, uint32_t only,
                       struct judgement *judgement, struct diagnostic *diagnostic)
{
    const struct test *const test = &tally->battery->row[row].test;
    judgement_begin(judgement, only);
    const uint64_t units = tally_units(tally, row);
    if (units)
        test->judge(&(struct totals){test, tally->count[row], &tally->bag[row], units}, judgement);
    return tally->bag[row].failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}
