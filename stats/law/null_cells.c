// SPDX-License-Identifier: Apache-2.0
// Tables of counts against known cell probabilities.

#include "stats/law/null.h"

#include <assert.h>
#include <stdbool.h>

#include "stats/law/real.h"

struct pools {
    double n, least, expected, pearson, deviance,
        inverse; // `inverse`: the sum of 1 / probability over the pools
    double worst, first_probability;
    uint64_t observed, first_observed;
    size_t count, first, worst_first;
};

static void close_pool(struct pools *pools, size_t next)
{
    const double e = pools->expected, o = (double)pools->observed, part = (o - e) * (o - e) / e;
    pools->pearson += part;
    pools->deviance += 2 * real_deviance(o, e);
    pools->inverse += pools->n / e;
    if (part > pools->worst) {
        pools->worst = part;
        pools->worst_first = pools->first;
    }
    if (!pools->count++) {
        pools->first_probability = e / pools->n;
        pools->first_observed = pools->observed;
    }
    pools->expected = 0;
    pools->observed = 0;
    pools->first = next;
}

// What the law of chi-square leaves out far in the tail, as null.h says.
static double with_reserve(double log_p)
{
    static const double LOG_3 = 0x1.193ea7aad030bp0, LOG_EXACT = -16 * 0x1.62e42fefa39efp-1;
    if (log_p >= LOG_EXACT)
        return log_p;
    return log_p + LOG_3 < LOG_EXACT ? log_p + LOG_3 : LOG_EXACT;
}

static double chi_square_log_p(double statistic, double df)
{
    enum { EVENNESS_DF = 64 };
    const double upper = null_chi_square_log_upper(statistic, df),
                 lower = null_chi_square_log_lower(statistic, df);
    const double p =
        df < EVENNESS_DF ? upper : 0x1.62e42fefa39efp-1 + (lower < upper ? lower : upper);
    return with_reserve(p > 0 ? 0 : p);
}

static struct null_cells judge(const uint64_t *count, const double *probability, size_t cells,
                               double least)
{
    enum { LARGE_TABLE = 256 };
    struct pools pools = {.least = least, .worst = -1};
    double left = 1; // probability that no pool has taken yet
    for (size_t i = 0; i < cells; i++)
        pools.n += (double)count[i];
    for (size_t i = 0; i < cells; i++) {
        const double p = probability ? probability[i] : 1.0 / (double)cells;
        left -= p;
        pools.expected += pools.n * p;
        pools.observed += count[i];
        const bool rest_is_a_pool = pools.n * left >= least * 0.999999;
        if (i + 1 == cells || (pools.expected >= least && rest_is_a_pool))
            close_pool(&pools, i + 1);
    }
    struct null_cells result = {0, 0, 0, pools.worst_first};
    if (pools.count < 2 || pools.n <= 0)
        return result;
    result.df = (double)(pools.count - 1);
    result.statistic = pools.count >= LARGE_TABLE
                           ? pools.pearson
                           : pools.deviance / (1 + (pools.inverse - 1) / (6 * pools.n * result.df));
    result.log_p = pools.count == 2
                       ? null_binomial_log_two_sided(pools.first_observed, (uint64_t)pools.n,
                                                     pools.first_probability)
                       : chi_square_log_p(result.statistic, result.df);
    return result;
}

struct null_cells null_cells_test(const uint64_t *count, const double *probability, size_t cells,
                                  double least)
{
    assert(cells > 0 && least > 0);
    return judge(count, probability, cells, least);
}

struct null_cells null_uniform_test(const uint64_t *count, size_t cells, double least)
{
    assert(cells > 0 && least > 0);
    return judge(count, NULL, cells, least);
}
