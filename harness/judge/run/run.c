// SPDX-License-Identifier: Apache-2.0
// What every user of a run needs: its cases, how many have a verdict, the names of modes.

#include "harness/judge/run/run.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char *const modes[] = {
    [JUDGE_OBSERVED] = "observed", [JUDGE_SEQUENCE] = "sequence", [JUDGE_STEPWISE] = "stepwise"};

const char *judge_mode_name(enum judge_mode mode)
{
    assert((unsigned)mode < JUDGE_MODES);
    return modes[mode];
}

enum judge_mode judge_mode_named(const char *name)
{
    unsigned mode = 0;
    while (mode < JUDGE_MODES && strcmp(modes[mode], name) != 0)
        mode++;
    return (enum judge_mode)mode;
}

enum error judge_select(struct judge_run *run, const char *pattern, struct diagnostic *diagnostic)
{
    const struct suite *const suite = run->suite;
    assert(suite && !run->result_count);
    run->result = arena_take_array(&run->arena, suite->case_count, sizeof *run->result);
    if (!run->result)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < suite->case_count; i++)
        if (!pattern || !fnmatch(pattern, suite->cases[i].id, 0))
            run->result[run->result_count++] = (struct judge_result){.of = &suite->cases[i]};
    if (run->result_count)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "no case of %s matches '%s'",
                           suite->name, pattern ? pattern : "*");
}

void judge_release(struct judge_run *run)
{
    arena_release(&run->arena);
    *run = (struct judge_run){0};
}

bool judge_was_stopped(const struct judge_run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (!run->result[i].mine)
            return true;
    return false;
}

size_t judge_count(const struct judge_run *run, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += run->result[i].verdict == verdict;
    return count;
}

bool judge_counts(const struct judge_run *run, const struct judge_result *result, size_t k)
{
    assert(k < result->of->covers_count);
    const bool steps = result->steps.count || result->of->step;
    return !steps || verdict_is_failure(result->verdict) ||
           !run->suite->requirement[result->of->covers[k]].whole;
}

const char *judge_reproduce(const struct judge_run *run, const struct judge_result *result,
                            const char *target, char *text, size_t size)
{
    assert(size && (run->selector || target));
    snprintf(text, size, "assay %s %s --suite %s %s%s",
             result->steps.count         ? "certify --mode stepwise --case"
             : run->description.replayed ? "certify --case"
                                         : "run",
             result->of->id, suite_asked(run->suite), run->selector ? "" : "--target ",
             run->selector ? run->selector : target);
    return text;
}
