// SPDX-License-Identifier: Apache-2.0
// Judgements and bags.

#include "stats/battery/frame.h"

#include <assert.h>
#include <stdlib.h>

#include "stats/law/evidence.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/kernel/sort.h"

void bag_add(struct bag *bag, uint64_t item)
{
    if (bag->count == bag->capacity) {
        const size_t capacity = bag->capacity ? 2 * bag->capacity : 1024;
        uint64_t *const grown = capacity < SIZE_MAX / sizeof *grown
                                    ? realloc(bag->item, capacity * sizeof *grown)
                                    : NULL;
        if (!grown) {
            bag->failed = true;
            return;
        }
        bag->item = grown;
        bag->capacity = capacity;
    }
    bag->item[bag->count++] = item;
}

void bag_release(struct bag *bag)
{
    free(bag->item);
    *bag = (struct bag){0};
}

bool bag_sort(struct bag *bag, unsigned bits)
{
    uint64_t *const spare = malloc((bag->count ? bag->count : 1) * sizeof *spare);
    if (spare)
        sort_u64(bag->item, spare, bag->count, bits);
    else
        bag->failed = true;
    free(spare);
    return !bag->failed;
}

uint64_t bag_commonest(struct bag *bag, unsigned bits, uint32_t only, uint32_t *value)
{
    assert(bits >= 1 && bits <= 32);
    uint64_t most = 0;
    if (only != UINT32_MAX)
        *value = only;
    if (!bag_sort(bag, bits))
        return 0;
    for (size_t i = 0, run; i < bag->count; i += run) {
        for (run = 1; i + run < bag->count && bag->item[i + run] == bag->item[i];)
            run++;
        if (only == UINT32_MAX ? run > most : bag->item[i] == only) {
            most = run;
            *value = (uint32_t)bag->item[i];
        }
    }
    return most;
}

void judgement_begin(struct judgement *judgement, uint32_t only)
{
    *judgement = (struct judgement){.only = only};
}

void judgement_weigh(struct judgement *judgement)
{
    *judgement =
        (struct judgement){.only = UINT32_MAX, .weighing = true, .log_sum = REAL_MINUS_INFINITY};
}

double judgement_log_e(const struct judgement *judgement)
{
    return judgement->weighed ? judgement->log_sum - real_log((double)judgement->hypotheses) : 0;
}

static void weigh(struct judgement *judgement, double log_e)
{
    judgement->hypotheses++;
    judgement->weighed++;
    judgement->log_sum = real_log_add(judgement->log_sum, log_e);
}

void judgement_enlarge(struct judgement *judgement, uint64_t count)
{
    if (judgement->only == UINT32_MAX)
        judgement->hypotheses += count;
}

void judgement_add(struct judgement *judgement, uint32_t index, double log_p, double observed,
                   double expected)
{
    if (judgement->only != UINT32_MAX && judgement->only != index)
        return;
    judgement->hypotheses++;
    if (judgement->weighing)
        return;
    unsigned at = judgement->kept;
    if (at == JUDGEMENT_KEPT) {
        if (log_p >= judgement->worst[at - 1].log_p)
            return;
        at--;
    } else {
        judgement->kept++;
    }
    for (; at > 0 && judgement->worst[at - 1].log_p > log_p; at--)
        judgement->worst[at] = judgement->worst[at - 1];
    judgement->worst[at] = (struct suspicion){index, log_p, observed, expected};
}

static void set_law(struct judgement *judgement, enum judgement_law kind, double n, double p)
{
    judgement->law.kind = kind;
    judgement->law.n = n;
    judgement->law.p = p;
}

// Whether a deviance is among the largest met so far; if so it is entered.
static bool is_far(struct judgement *judgement, double deviance)
{
    if (judgement->far == JUDGEMENT_KEPT) {
        if (deviance <= judgement->farthest[JUDGEMENT_KEPT - 1])
            return false;
        judgement->far--;
    }
    unsigned at = judgement->far++;
    for (; at > 0 && judgement->farthest[at - 1] < deviance; at--)
        judgement->farthest[at] = judgement->farthest[at - 1];
    judgement->farthest[at] = deviance;
    return true;
}

void judgement_add_binomial(struct judgement *judgement, uint32_t index, uint64_t count, uint64_t n,
                            double p)
{
    if (judgement->only != UINT32_MAX && judgement->only != index)
        return;
    if (judgement->weighing) {
        weigh(judgement, evidence_binomial(count, n, p));
        return;
    }
    set_law(judgement, LAW_BINOMIAL, (double)n, p);
    const double k = (double)count, N = (double)n;
    if (judgement->only == index ||
        is_far(judgement, real_deviance(k, N * p) + real_deviance(N - k, N * (1 - p))))
        judgement_add(judgement, index, null_binomial_log_two_sided(count, n, p), k, N * p);
    else
        judgement->hypotheses++;
}

void judgement_add_fair(struct judgement *judgement, uint32_t index, uint64_t ones, uint64_t n)
{
    if (judgement->only != UINT32_MAX && judgement->only != index)
        return;
    if (judgement->weighing) {
        weigh(judgement, evidence_binomial(ones, n, 0.5));
        return;
    }
    set_law(judgement, LAW_BINOMIAL, (double)n, 0.5);
    const double N = (double)n, away = 2 * (double)ones - N;
    if (judgement->only == index || is_far(judgement, away * away / (2 * N)))
        judgement_add(judgement, index, null_binomial_log_two_sided(ones, n, 0.5), (double)ones / N,
                      0.5);
    else
        judgement->hypotheses++;
}

void judgement_add_rare(struct judgement *judgement, uint32_t index, uint64_t count, uint64_t n,
                        double p)
{
    if (!n || (judgement->only != UINT32_MAX && judgement->only != index))
        return;
    set_law(judgement, LAW_RARE, (double)n, p);
    if (judgement->weighing)
        weigh(judgement,
              evidence_poisson(count,
                               (double)n * p)); // an e-value of the binomial law too: 1 + x <= e^x
    else
        judgement_add(judgement, index, null_binomial_log_upper(count, n, p), (double)count,
                      (double)n * p);
}

void judgement_add_poisson(struct judgement *judgement, uint32_t index, uint64_t count, double mean,
                           bool low_too)
{
    if (mean <= 0 || (judgement->only != UINT32_MAX && judgement->only != index))
        return;
    set_law(judgement, low_too ? LAW_POISSON : LAW_POISSON_UPPER, mean, 0);
    if (judgement->weighing)
        weigh(judgement, evidence_poisson(count, mean));
    else
        judgement_add(judgement, index,
                      low_too ? null_poisson_log_two_sided(count, mean)
                              : null_poisson_log_upper(count, mean),
                      (double)count, mean);
}

void judgement_add_cells(struct judgement *judgement, uint32_t index, const uint64_t *count,
                         const double *probability, size_t cells, double least)
{
    if (judgement->only != UINT32_MAX && judgement->only != index)
        return;
    set_law(judgement, LAW_CELLS, 0, 0);
    if (judgement->weighing) {
        weigh(judgement, evidence_cells(count, probability, cells));
        return;
    }
    const struct null_cells result = probability ? null_cells_test(count, probability, cells, least)
                                                 : null_uniform_test(count, cells, least);
    judgement_add(judgement, index, result.log_p, result.statistic, result.df);
}

double judgement_log_p(const struct judgement *judgement)
{
    if (!judgement->kept)
        return 0;
    const double log_p = judgement->worst[0].log_p + real_log((double)judgement->hypotheses);
    return log_p < 0 ? log_p : 0;
}
