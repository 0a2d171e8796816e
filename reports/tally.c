// SPDX-License-Identifier: Apache-2.0
// Results counted.

#include "reports/tally.h"

#include <assert.h>
#include <stdlib.h>

#include "ref/base/size.h"

enum { CELLS_MAX = 1000 * 1000 };

static void add(struct tally_cell *cell, const struct results_case *item)
{
    cell->verdict[item->verdict]++;
    if (item->verdict == VERDICT_PASS)
        cell->level[item->reached]++;
    cell->partial += item->partial && !verdict_is_failure(item->verdict);
    cell->expected += item->known == KNOWN_EXPECTED;
    cell->cured += item->known == KNOWN_CURED;
    cell->total++;
}

// How many cases there are, as the suites say: results may lack some of them.
static void count_cases(struct tally *tally, const struct results *results)
{
    for (size_t t = 0; t < tally->targets; t++) {
        struct tally_cell *const target = &tally->by_target[t];
        for (size_t s = 0; s < tally->suites; s++) {
            struct tally_cell *const cell = &tally->by_suite[s * tally->targets + t];
            cell->cases = cell->total;
            if (cell->total && results->suite[s].cases > cell->total)
                cell->cases = (uint32_t)results->suite[s].cases;
            target->cases += cell->cases;
        }
        for (size_t r = 0; r < tally->requirements; r++) {
            const struct results_requirement *const requirement = &results->requirement[r];
            struct tally_cell *const cell = &tally->by_requirement[r * tally->targets + t];
            cell->cases = cell->total;
            if (tally->by_suite[requirement->suite * tally->targets + t].total) {
                cell->in_suite = true;
                if (requirement->cases > cell->total)
                    cell->cases = (uint32_t)requirement->cases;
            }
        }
        target->outside = results->target[t].outside != NULL;
        tally->all.cases += target->cases;
        tally->all.outside += target->outside;
    }
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
    count_cases(tally, results);
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

uint32_t tally_good(const struct tally_cell *cell)
{
    uint32_t good = 0;
    for (unsigned i = 0; i < VERDICT_COUNT; i++)
        good += verdict_is_good(i) ? cell->verdict[i] : 0;
    return good;
}

// What undefined cases came to is all that a requirement of them asks for. Of a target they prove
// nothing, as every answer will do.
enum tally_outcome tally_outcome_of(const struct tally_cell *cell)
{
    const uint32_t failures = tally_failures(cell), good = tally_good(cell);
    uint32_t proofs = cell->in_suite ? good + cell->verdict[VERDICT_VACUOUS] : 0;
    for (unsigned i = 0; i < VERDICT_COUNT; i++)
        proofs += verdict_is_proof(i) ? cell->verdict[i] : 0;
    if (failures > cell->expected || cell->cured || cell->outside)
        return OUTCOME_DIFFERS;
    if (failures)
        return OUTCOME_EXPECTED;
    if (!proofs)
        return OUTCOME_NOTHING;
    return good == cell->cases && !cell->partial ? OUTCOME_CONFORMS : OUTCOME_PARTLY;
}

const char *tally_outcome_name(enum tally_outcome outcome)
{
    static const char *const name[] = {
        [OUTCOME_CONFORMS] = "conforms",
        [OUTCOME_PARTLY] = "conforms in part",
        [OUTCOME_EXPECTED] = "does not conform, as known",
        [OUTCOME_DIFFERS] = "does not conform",
        [OUTCOME_NOTHING] = "proves nothing",
    };
    return name[outcome];
}

// The outcome of a target, or of all (`target` == tally->targets), by requirements.
struct requirements {
    uint32_t met;         // every case of it was run, whole, and is right
    uint32_t in_part;     // none failed, but not all were run or prove something
    uint32_t not_met;     // some failed
    uint32_t not_run;     // none was run
    uint32_t untested;    // the suite has no case of it
    uint64_t good, cases; // of those that are met in part
};

static struct requirements count_requirements(const struct tally *tally, size_t target)
{
    struct requirements count = {0};
    assert(target <= tally->targets);
    for (size_t t = 0; t < tally->targets; t++)
        for (size_t r = 0; r < tally->requirements && (target == tally->targets || target == t);
             r++) {
            const struct tally_cell *const cell = &tally->by_requirement[r * tally->targets + t];
            const enum tally_outcome outcome = tally_outcome_of(cell);
            if (!cell->in_suite)
                continue;
            count.untested += !cell->cases;
            count.not_run += cell->cases && outcome == OUTCOME_NOTHING;
            count.met += outcome == OUTCOME_CONFORMS;
            count.not_met += outcome == OUTCOME_DIFFERS || outcome == OUTCOME_EXPECTED;
            if (outcome != OUTCOME_PARTLY)
                continue;
            count.in_part++;
            count.good += tally_good(cell);
            count.cases += cell->cases;
        }
    return count;
}

// The part behind "requirements: ".
static void put_requirements(struct text *text, const struct requirements *count)
{
    text_print(text, "%u met", count->met);
    if (count->in_part)
        text_print(text, ", %u in part (%llu of %llu cases)", count->in_part,
                   (unsigned long long)count->good, (unsigned long long)count->cases);
    if (count->not_met)
        text_print(text, ", %u not met", count->not_met);
    if (count->not_run)
        text_print(text, ", %u not run", count->not_run);
    if (count->untested)
        text_print(text, ", %u that no case can show", count->untested);
}

void tally_put_outcome(struct text *text, const struct tally *tally, size_t target)
{
    const struct tally_cell *const cell =
        target == tally->targets ? &tally->all : &tally->by_target[target];
    const uint32_t good = tally_good(cell);
    const struct {
        uint32_t count;
        const char *words;
    } rest[] = {{cell->verdict[VERDICT_VACUOUS], "vacuous"},
                {cell->verdict[VERDICT_UNSUPPORTED], "unsupported"},
                {cell->expected, "failed as known"},
                {tally_failures(cell) - cell->expected, "failed"},
                {cell->cured, "did not fail as known"},
                {cell->cases - cell->total, "not run"},
                {cell->partial, "not run whole"}};
    const struct requirements requirements = count_requirements(tally, target);
    text_print(text, "%s: %u of %u cases", tally_outcome_name(tally_outcome_of(cell)), good,
               cell->cases);
    for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
        if (rest[i].count)
            text_print(text, ", %u %s", rest[i].count, rest[i].words);
    if (cell->outside)
        text_put(text, ", a failure outside of cases");
    text_put(text, "; requirements: ");
    put_requirements(text, &requirements);
}

const char *tally_requirement_name(enum tally_outcome outcome)
{
    static const char *const name[] = {
        [OUTCOME_CONFORMS] = "met",     [OUTCOME_PARTLY] = "met in part",
        [OUTCOME_EXPECTED] = "not met", [OUTCOME_DIFFERS] = "not met",
        [OUTCOME_NOTHING] = "not run",
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
