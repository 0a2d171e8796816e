// SPDX-License-Identifier: Apache-2.0
// What a test of the battery counts in words of a good source, and by which law it judges, for
// tests that hold both against plain loops. Include cmocka.h first.

#ifndef ASSAY_STATS_TESTS_COUNTING_H
#define ASSAY_STATS_TESTS_COUNTING_H

#include <math.h>
#include <stdlib.h>

#include "stats/battery/catalogue.h"
#include "stats/source/source.h"

enum {
    COUNTING_WORDS = 1 << 20,
    WHERE = 3 // the block of the source that a unit begins with
};

static uint32_t *words;

static inline int draw_words(void **state)
{
    (void)state;
    struct source source;
    struct diagnostic diagnostic;
    size_t got;
    words = aligned_alloc(64, COUNTING_WORDS * sizeof *words);
    if (!words || source_open_chacha(&source, 77, &diagnostic) ||
        source.read(source.context, 0, COUNTING_WORDS, words, &got, &diagnostic))
        return 1;
    source_close(&source);
    return 0;
}

static inline int release_words(void **state)
{
    (void)state;
    free(words);
    return 0;
}

struct counted {
    uint64_t *count;
    struct bag bag;
};

static inline struct counted counted_by(const struct test *test, const uint32_t *w)
{
    struct counted counted = {calloc(test->counts + 1, sizeof(uint64_t)), {0}};
    void *const scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64);
    assert_non_null(counted.count);
    assert_non_null(scratch);
    const struct counts to = {counted.count, &counted.bag, scratch, 0, WHERE};
    test->count(test, w, &to);
    free(scratch);
    return counted;
}

static inline void release(struct counted *counted)
{
    free(counted->count);
    bag_release(&counted->bag);
}

// The law by which one hypothesis is judged, and the size of its family.
static inline void judged_by(const struct test *test, uint32_t only, uint64_t units,
                             uint64_t hypotheses, double n, double p)
{
    uint64_t *const count = calloc(test->counts + 1, sizeof *count);
    struct bag bag = {0};
    struct judgement judgement;
    judgement_begin(&judgement, UINT32_MAX);
    test->judge(&(struct totals){test, count, &bag, units}, &judgement);
    assert_int_equal(judgement.hypotheses, hypotheses);
    judgement_begin(&judgement, only);
    test->judge(&(struct totals){test, count, &bag, units}, &judgement);
    assert_int_equal(judgement.kept, 1);
    assert_true(fabs(judgement.law.n - n) < 0.5);
    assert_true(fabs(judgement.law.p - p) <= 1e-12 * p);
    bag_release(&bag);
    free(count);
}

static inline int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// An empty bag has no items to hand to qsort.
static inline void sort_bag(struct bag *bag)
{
    if (bag->count)
        qsort(bag->item, bag->count, sizeof *bag->item, by_value);
}

#endif
