// SPDX-License-Identifier: Apache-2.0
// The window of a finding: every unit is judged by itself.

#include "stats/audit_window.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct test *test;
    uint32_t hypothesis;
    uint64_t *count;
    void *scratch;
};

// log p of the hypothesis in one unit; 0 where the unit says nothing of it.
static double judge_unit(const struct search *search, const uint32_t *words, uint64_t block)
{
    const struct test *const test = search->test;
    struct bag bag = {0};
    struct judgement judgement;
    memset(search->count, 0, test->counts * sizeof *search->count);
    const struct counts to = {search->count, &bag, search->scratch, 0, block};
    test->count(test, words, &to);
    judgement_begin(&judgement, search->hypothesis);
    test->judge(test, search->count, &bag, 1, &judgement);
    bag_release(&bag);
    return judgement.kept ? judgement.worst[0].log_p : 0;
}

enum error audit_window_find(const struct source *source, const struct battery_row *row, uint32_t hypothesis, uint64_t from,
                             uint64_t blocks, const uint32_t *head, uint64_t origin, uint64_t head_blocks,
                             struct audit_window *window, struct diagnostic *diagnostic)
{
    const struct test *const test = &row->test;
    const size_t size = (size_t)1 << test->unit_log2;
    const uint64_t unit = size >> BATTERY_BLOCK_LOG2;
    const uint64_t end = from + (blocks < AUDIT_WINDOW_BLOCKS ? blocks : AUDIT_WINDOW_BLOCKS);
    uint32_t *const words = aligned_alloc(64, size * sizeof *words), *const best = malloc(size * sizeof *best);
    const struct search search = {test, hypothesis, calloc((size_t)test->counts + 1, sizeof(uint64_t)),
                                  aligned_alloc(64, (test->scratch + 127) / 64 * 64)};
    enum error error = ERROR_NONE;
    *window = (struct audit_window){0};
    if (!words || !best || !search.count || !search.scratch)
        error = diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    for (uint64_t b = from; b + unit <= end && !error; b += unit) {
        size_t got = 0;
        if (b >= origin && b + unit <= origin + head_blocks) {
            memcpy(words, head + ((b - origin) << BATTERY_BLOCK_LOG2), size * sizeof *words);
            got = size;
        } else if (source->random_access) {
            error = source->read(source->context, b << BATTERY_BLOCK_LOG2, size, words, &got, diagnostic);
        }
        const double log_p = !error && got == size ? judge_unit(&search, words, b) : 0;
        if (log_p < window->log_p) {
            memcpy(best, words, size * sizeof *best);
            *window = (struct audit_window){b << BATTERY_BLOCK_LOG2, size, log_p, best};
        }
    }
    free(words);
    free(search.count);
    free(search.scratch);
    if (error || !window->words) {
        free(best);
        *window = (struct audit_window){0};
    }
    return error;
}
