// SPDX-License-Identifier: Apache-2.0
// The window of a finding: every unit is judged by itself.

#include "stats/audit/window.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A unit with a p below this shows the flaw by itself: 1e-9.
static const double LOG_CLEAR = -20.723265836946411;

// One with a p above this, 1e-4, shows nothing where the units that were to be looked at are gone.
static const double LOG_FAINT = -9.2103403719761836;

uint64_t audit_map_block(const struct audit_map *map, uint64_t block)
{
    unsigned i = 0;
    while (i + 1 < map->stretches && map->from[i + 1] <= block)
        i++;
    return map->stretches ? map->origin[i] + block : block;
}

struct judge {
    const struct audit_search *search;
    struct audit_window *window;
    uint64_t *count;
    void *scratch;
    uint32_t *words, *best;   // a unit each
    uint64_t looked_at, gone; // blocks
};

// log p of the hypothesis in one unit; 0 where the unit has no count of it.
static double judge_unit(const struct judge *judge, uint64_t block)
{
    const struct test *const test = &judge->search->row->test;
    struct bag bag = {0};
    struct judgement judgement;
    memset(judge->count, 0, test->counts * sizeof *judge->count);
    const struct counts to = {judge->count, &bag, judge->scratch, 0, block};
    test->count(test, judge->words, &to);
    judgement_begin(&judgement, judge->search->hypothesis);
    test->judge(&(struct totals){test, judge->count, &bag, 1}, &judgement);
    bag_release(&bag);
    return judgement.kept ? judgement.worst[0].log_p : 0;
}

// The words of a unit that begins at block `block` of the source, block `counted` of the tally
// (UINT64_MAX: not of the tally).
static enum error read_unit(struct judge *judge, uint64_t block, uint64_t counted, size_t size,
                            size_t *got, struct diagnostic *diagnostic)
{
    const struct audit_search *const search = judge->search;
    const uint64_t first = block << BATTERY_BLOCK_LOG2;
    *got = 0;
    if (counted < search->head_blocks &&
        counted + (size >> BATTERY_BLOCK_LOG2) <= search->head_blocks) {
        memcpy(judge->words, search->head + (counted << BATTERY_BLOCK_LOG2),
               size * sizeof *judge->words);
        *got = size;
    } else if (audit_memory_holds(search->memory, first, size)) {
        return search->memory->source.read(search->memory->source.context, first, size,
                                           judge->words, got, diagnostic);
    }
    return ERROR_NONE;
}

// Blocks [from, to) of the tally, or where there is no map of the source.
static enum error search_range(struct judge *judge, const struct audit_map *map, uint64_t from,
                               uint64_t to, struct diagnostic *diagnostic)
{
    const size_t size = (size_t)1 << judge->search->row->test.unit_log2;
    const uint64_t unit = size >> BATTERY_BLOCK_LOG2;
    struct audit_window *const window = judge->window;
    for (uint64_t b = from; b + unit <= to && judge->looked_at < AUDIT_WINDOW_BLOCKS; b += unit) {
        if (judge->looked_at % AUDIT_WINDOW_STEP == 0 && window->log_p < LOG_CLEAR)
            break;
        const uint64_t block = map ? audit_map_block(map, b) : b;
        size_t got;
        const enum error error =
            read_unit(judge, block, map ? b : UINT64_MAX, size, &got, diagnostic);
        if (error)
            return error;
        if (got < size) {
            judge->gone += unit;
            continue;
        }
        judge->looked_at += unit;
        const double log_p = judge_unit(judge, block);
        if (log_p < window->log_p) {
            memcpy(judge->best, judge->words, size * sizeof *judge->best);
            window->first = block << BATTERY_BLOCK_LOG2;
            window->words = size;
            window->log_p = log_p;
        }
    }
    return ERROR_NONE;
}

enum error audit_window_find(const struct audit_search *search, struct audit_window *window,
                             struct diagnostic *diagnostic)
{
    assert(search->from <= search->to);
    const struct test *const test = &search->row->test;
    const size_t size = (size_t)1 << test->unit_log2;
    *window = (struct audit_window){0};
    struct judge judge = {.search = search,
                          .window = window,
                          .count = calloc((size_t)test->counts + 1, sizeof(uint64_t)),
                          .scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64),
                          .words = aligned_alloc(64, size * sizeof(uint32_t)),
                          .best = malloc(size * sizeof(uint32_t))};
    enum error error = ERROR_NONE;
    if (!judge.count || !judge.scratch || !judge.words || !judge.best)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = search_range(&judge, search->map, search->from, search->to, diagnostic);
    if (!error && window->log_p >= LOG_CLEAR)
        error = search_range(&judge, NULL, search->again, search->again + search->again_blocks,
                             diagnostic);
    if (!error && window->log_p >= LOG_CLEAR)
        error = search_range(&judge, search->map, search->row->from, search->from, diagnostic);
    free(judge.count);
    free(judge.scratch);
    free(judge.words);
    if (error || !window->words || (judge.gone && window->log_p > LOG_FAINT)) {
        free(judge.best);
        *window = (struct audit_window){0};
    } else {
        window->words_kept = judge.best;
    }
    if (!window->words && !judge.gone)
        snprintf(window->none, sizeof window->none,
                 "in none of %" PRIu64 " units looked at does it show by itself",
                 judge.looked_at / (size >> BATTERY_BLOCK_LOG2));
    else if (!window->words)
        snprintf(window->none, sizeof window->none,
                 "the source gives its words in order, and those that show it are gone");
    return error;
}
