// SPDX-License-Identifier: Apache-2.0
// Rank of square matrices over GF(2) filled with consecutive bits of the stream.
// Null: Kovalenko's law, exact (doi:10.1137/1117013); deficiencies 0, 1, 2, 3 and more are cells, and the rarest outcome seen is
// judged alone, as chi-square knows nothing of cells that expect less than one. Source: Marsaglia, Tsay,
// doi:10.1016/0024-3795(85)90192-2. Parameters: p[0] rows, a multiple of 32; p[1] matrices in a unit; p[2] words between rows' starts.

#include <stdio.h>
#include <string.h>

#include "stats/null.h"
#include "stats/real.h"
#include "stats/tests.h"

enum { UNIT_LOG2 = 16, CELLS = 32, ROWS_MAX = 512 };

static unsigned rank_of(uint32_t *row, unsigned size)
{
    const unsigned across = size / 32;
    unsigned rank = 0;
    for (unsigned column = 0; column < size && rank < size; column++) {
        unsigned pivot = rank;
        while (pivot < size && !(row[(size_t)pivot * across + column / 32] >> column % 32 & 1))
            pivot++;
        if (pivot == size)
            continue;
        for (unsigned w = column / 32; w < across; w++) {
            const uint32_t swap = row[(size_t)pivot * across + w];
            row[(size_t)pivot * across + w] = row[(size_t)rank * across + w];
            row[(size_t)rank * across + w] = swap;
        }
        for (unsigned r = pivot + 1; r < size; r++) {
            const uint32_t mask = 0u - (row[(size_t)r * across + column / 32] >> column % 32 & 1);
            for (unsigned w = column / 32; w < across; w++)
                row[(size_t)r * across + w] ^= row[(size_t)rank * across + w] & mask;
        }
        rank++;
    }
    return rank;
}

static void count(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned size = test->p[0];
    const size_t area = (size_t)size * size / 32;
    for (unsigned m = 0; m < test->p[1]; m++) {
        memcpy(to->scratch, words + m * area, area * sizeof *words);
        const unsigned missing = size - rank_of(to->scratch, size);
        to->count[missing < CELLS ? missing : CELLS - 1]++;
    }
}

static void judge(const struct test *test, const uint64_t *count, struct bag *bag, uint64_t units, struct judgement *judgement)
{
    (void)bag;
    const unsigned size = test->p[0];
    const uint64_t n = units * test->p[1];
    double probability[CELLS];
    unsigned worst = 0;
    for (unsigned d = 0; d < CELLS; d++) {
        probability[d] = null_rank_probability(size, d);
        if (count[d])
            worst = d;
    }
    judgement_add_cells(judgement, 0, count, probability, CELLS, 100);
    // P(deficiency >= worst) is within a factor 1.2 of its first term; 2 bounds it.
    const double p = worst < 2 ? 0 : real_log(probability[worst]) + real_log(2.0 * (double)n);
    judgement_add(judgement, 1, p < 0 ? p : 0, worst, 0);
    judgement_add_binomial(judgement, 2, count[0], n, probability[0]);
}

static void describe(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const what[] = {"chi-square of the rank", "largest missing rank", "fraction of regular matrices"};
    snprintf(text, size, "%s of %u x %u matrices of consecutive bits", what[index], test->p[0], test->p[0]);
}

struct test test_rank(unsigned size, unsigned matrices)
{
    return (struct test){.name = "rank",
                         .about = "bits are linearly dependent",
                         .unit_log2 = UNIT_LOG2,
                         .counts = CELLS,
                         .scratch = (size_t)size * size / 8,
                         .count = count,
                         .judge = judge,
                         .describe = describe,
                         .p = {size, matrices}};
}
