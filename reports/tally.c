// SPDX-License-Identifier: Apache-2.0
// Results counted.

#include "reports/tally.h"

#include <stdlib.h>

#include "ref/base/size.h"

enum { CELLS_MAX = 1000 * 1000 };

static void add(struct tally_cell *cell, const struct results_case *item)
{
    cell->verdict[item->verdict]++;
    if (item->verdict == VERDICT_PASS)
        cell->level[item->reached]++;
    cell->expected += item->known == KNOWN_EXPECTED;
    cell->cured += item->known == KNOWN_CURED;
    cell->total++;
}

enum error tally_count(struct tally *tally, const struct results *results,
                       struct diagnostic *diagnostic)
{
    size_t requirements, suites;
    *tally = (struct tally){.targets = results->target_count,
                            .suites = results->suite_count,
                            .requirements = results->requirement_count};
    if (!size_multiply(tally->targets, tally->requirements, &requirements) ||
        !size_multiply(tally->targets, tally->suites, &suites) || requirements > CELLS_MAX ||
        suites > CELLS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%zu targets with %zu requirements are too many for one report",
                               tally->targets, tally->requirements);
    tally->by_requirement = calloc(requirements + 1, sizeof *tally->by_requirement);
    tally->by_suite = calloc(suites + 1, sizeof *tally->by_suite);
    tally->by_target = calloc(tally->targets + 1, sizeof *tally->by_target);
    if (!tally->by_requirement || !tally->by_suite || !tally->by_target) {
        tally_release(tally);
        return diagnostic_no_memory(diagnostic);
    }
    for (size_t i = 0; i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        add(&tally->all, item);
        add(&tally->by_target[item->target], item);
        add(&tally->by_suite[item->suite * tally->targets + item->target], item);
        for (uint32_t k = 0; k < item->covers_count; k++)
            add(&tally->by_requirement[results->covers[item->covers_first + k] * tally->targets +
                                       item->target],
                item);
    }
    return ERROR_NONE;
}

void tally_release(struct tally *tally)
{
    free(tally->by_requirement);
    free(tally->by_suite);
    free(tally->by_target);
    *tally = (struct tally){0};
}

uint32_t tally_failures(const struct tally_cell *cell)
{
    uint32_t failures = 0;
    for (unsigned i = 0; i < VERDICT_COUNT; i++)
        failures += verdict_is_failure(i) ? cell->verdict[i] : 0;
    return failures;
}

enum tally_outcome tally_outcome_of(const struct tally_cell *cell)
{
    const uint32_t failures = tally_failures(cell),
                   good = cell->verdict[VERDICT_PASS] + cell->verdict[VERDICT_REJECTED];
    if (failures > cell->expected || cell->cured)
        return OUTCOME_DIFFERS;
    if (failures)
        return OUTCOME_EXPECTED;
    if (!good && !cell->verdict[VERDICT_VACUOUS])
        return OUTCOME_NOTHING;
    return good == cell->total ? OUTCOME_CONFORMS : OUTCOME_PARTLY;
}

const char *tally_outcome_name(enum tally_outcome outcome)
{
    static const char *const name[] = {
        [OUTCOME_CONFORMS] = "conforms",         [OUTCOME_PARTLY] = "conforms in what was run",
        [OUTCOME_EXPECTED] = "differs as known", [OUTCOME_DIFFERS] = "does not conform",
        [OUTCOME_NOTHING] = "was not run",
    };
    return name[outcome];
}

enum results_level tally_level(const struct tally_cell *cell)
{
    for (unsigned i = 0; i < LEVEL_COUNT; i++)
        if (cell->level[i])
            return i;
    return LEVEL_NONE;
}
