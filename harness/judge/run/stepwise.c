// SPDX-License-Identifier: Apache-2.0
// Steps are cases: those of all cases are judged in one run, then the gates of each first wrong one
// in a run of their own, so that what comes of a case does not depend on the others, and cases can
// go to several processes.

#include "harness/judge/run/stepwise.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/by_profile.h"
#include "harness/judge/run/cases.h"
#include "harness/judge/run/fit.h"

// The steps of all selected cases. A case that has none stands for itself.
struct steps {
    const struct suite *suite;
    struct suite_case *step;
    size_t count, room;
    size_t *first;  // of each selected case, its first step; one more at the end
    size_t *parent; // of each step, its case
    const struct suite_case **of;
    size_t case_count;
    struct arena arena;
};

// Adds one case, or with `where` one step of it.
static enum error add_step(struct steps *all, const struct suite_case *of, const int64_t *where,
                           struct diagnostic *diagnostic)
{
    if (all->count == all->room) {
        const size_t room = all->room ? 2 * all->room : 256;
        struct suite_case *const more = arena_take_array(&all->arena, room, sizeof *more);
        if (!more)
            return diagnostic_no_memory(diagnostic);
        if (all->count)
            memcpy(more, all->step, all->count * sizeof *more);
        all->step = more;
        all->room = room;
    }
    int64_t *const step =
        where ? arena_take_array(&all->arena, OPERATION_STEP, sizeof *step) : NULL;
    if (where && !step)
        return diagnostic_no_memory(diagnostic);
    all->step[all->count] = *of;
    all->step[all->count++].step =
        where ? memcpy(step, where, OPERATION_STEP * sizeof *step) : NULL;
    return ERROR_NONE;
}

// Of which steps the case consists; false when it has none.
static bool describe(const struct suite *suite, const struct suite_case *of,
                     struct operation_steps *steps)
{
    struct arena arena = {0};
    struct request request;
    struct diagnostic ignored;
    const bool has = suite_case_has_values(of) && of->operation->stepping &&
                     !suite_case_request(suite, of, &arena, &request, &ignored) &&
                     !of->operation->stepping->describe(&request, steps, &ignored);
    arena_release(&arena);
    return has;
}

// All steps of a case, in the order in which they are reached: going backward, the last layer and
// the last time first.
static enum error add_steps(struct steps *all, const struct suite_case *of,
                            struct diagnostic *diagnostic)
{
    struct operation_steps steps;
    enum error error = ERROR_NONE;
    if (!describe(all->suite, of, &steps))
        return add_step(all, of, NULL, diagnostic);
    for (size_t i = 0; i < steps.layers; i++)
        for (size_t d = 0; d < steps.directions; d++)
            for (size_t k = 0; k < steps.times && !error; k++) {
                const size_t layer = steps.backward ? steps.layers - 1 - i : i;
                const size_t time = steps.reversed[d] != steps.backward ? steps.times - 1 - k : k;
                const int64_t where[OPERATION_STEP] = {(int64_t)layer, (int64_t)d, (int64_t)time,
                                                       -1};
                error = add_step(all, of, where, diagnostic);
            }
    return error;
}

static enum error cut(struct steps *all, const char *pattern, struct diagnostic *diagnostic)
{
    const struct suite *const suite = all->suite;
    all->first = arena_take_array(&all->arena, suite->case_count + 1, sizeof *all->first);
    all->of = arena_take_array(&all->arena, suite->case_count, sizeof *all->of);
    enum error error = all->first && all->of ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < suite->case_count && !error; i++) {
        if (pattern && fnmatch(pattern, suite->cases[i].id, 0) != 0)
            continue;
        all->first[all->case_count] = all->count;
        all->of[all->case_count++] = &suite->cases[i];
        error = add_steps(all, &suite->cases[i], diagnostic);
    }
    if (!error && !all->case_count)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "no case of %s matches '%s'",
                                suite->name, pattern ? pattern : "*");
    if (error)
        return error;
    all->first[all->case_count] = all->count;
    all->parent = arena_take_array(&all->arena, all->count, sizeof *all->parent);
    for (size_t i = 0; all->parent && i < all->case_count; i++)
        for (size_t k = all->first[i]; k < all->first[i + 1]; k++)
            all->parent[k] = i;
    return all->parent ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// Judges the steps as the cases of a copy of the suite, and chooses no profile.
static enum error judge(const struct steps *all, struct host *host,
                        const struct judge_options *options, struct judge_run *run,
                        struct diagnostic *diagnostic)
{
    static const struct shard_plan whole = {.index = 1, .count = 1};
    struct suite cut_up = *all->suite;
    struct judge_options each = *options;
    cut_up.cases = all->step;
    cut_up.case_count = all->count;
    each.pattern = NULL;
    each.part = options->part && all->parent ? options->part : &whole;
    each.parent = all->parent;
    each.uncut = all->suite;
    each.pool = NULL;
    each.mode = JUDGE_OBSERVED;
    const enum error error = judge_cases(&cut_up, host, &each, run, diagnostic);
    run->suite = all->suite;
    return error;
}

// ---- from steps to cases ----------------------------------------------------

// The result that stands for steps [from, to): the first that fails under every profile, else the
// first failure, else the first that was not run, else the first vacuous one, else the one that
// used most of its radius.
static const struct judge_result *find_telling(const struct judge_result *from,
                                               const struct judge_result *to)
{
    static const enum verdict order[] = {VERDICT_UNSUPPORTED, VERDICT_VACUOUS};
    const struct judge_result *most = from;
    for (const struct judge_result *r = from; r < to; r++)
        if (by_profile_fails_all(r))
            return r;
    for (const struct judge_result *r = from; r < to; r++)
        if (verdict_is_failure(r->verdict))
            return r;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        for (const struct judge_result *r = from; r < to; r++)
            if (r->verdict == order[i])
                return r;
    for (const struct judge_result *r = from; r < to; r++)
        most = r->radius_used > most->radius_used ? r : most;
    return most;
}

static enum error keep_step(struct judge_run *run, struct judge_result *result,
                            const struct suite_case *whole, struct diagnostic *diagnostic)
{
    if (!result->steps.wrong) {
        result->of = whole;
        return ERROR_NONE;
    }
    struct suite_case *const of = arena_take(&run->arena, sizeof *of);
    int64_t *const where = arena_take_array(&run->arena, OPERATION_STEP, sizeof *where);
    if (!of || !where)
        return diagnostic_no_memory(diagnostic);
    *of = *whole;
    of->step = memcpy(where, result->of->step, OPERATION_STEP * sizeof *where);
    result->of = of;
    return ERROR_NONE;
}

struct again {
    const struct judge_run *run;
    struct judge_result *step;
};

static enum error judge_step(void *context, const struct named_profile *profile,
                             enum verdict *verdict, struct diagnostic *diagnostic)
{
    const struct again *const again = context;
    return judge_again(again->run, again->step, profile, false, verdict, diagnostic);
}

// Of a step inside its bounds outputs were kept if another profile gives others.
static bool is_same_under_all(const struct judge_result *step)
{
    return step->required == LEVEL_BOUND && step->by_default && step->output_count &&
           !step->outputs[0].tensor.data;
}

// Joins the steps' verdicts under each allowed profile.
static enum error join(struct judge_run *run, struct judge_result *from, struct judge_result *to,
                       struct judge_result *joined, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    *joined = (struct judge_result){.of = from->of};
    for (struct judge_result *step = from; step < to && !error; step++) {
        struct again again = {.run = run, .step = step};
        if (by_profile_applies(step) && !is_same_under_all(step))
            error = by_profile_fill(run, step, judge_step, &again, diagnostic);
        if (!error)
            error = by_profile_join(run, joined, step, diagnostic);
    }
    return error;
}

// The results of all steps become those of the cases, in place. Those of other parts stand for
// nothing.
static enum error fold(const struct steps *all, struct judge_run *run,
                       struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < all->case_count && !error; i++) {
        const size_t first = all->first[i], end = all->first[i + 1];
        if (i % run->step != run->first) {
            run->result[i] = (struct judge_result){.of = all->of[i]};
            continue;
        }
        struct judge_result joined = {.under = NULL};
        if (all->step[first].step)
            error = join(run, &run->result[first], &run->result[end], &joined, diagnostic);
        if (error)
            break;
        struct judge_result result = *find_telling(&run->result[first], &run->result[end]);
        if (all->step[first].step) {
            result.under = joined.under;
            result.under_count = joined.under_count;
            result.steps.count = end - first;
            result.compared = 0;
            for (size_t k = first; k < end; k++)
                result.compared += run->result[k].compared;
            result.steps.wrong = verdict_is_failure(result.verdict);
            result.observed = false; // a step has no step before it
            memcpy(result.steps.where, result.of->step, sizeof result.steps.where);
        }
        error = keep_step(run, &result, all->of[i], diagnostic);
        run->result[i] = result;
    }
    run->result_count = all->case_count;
    return error;
}

// ---- gates ------------------------------------------------------------------

// Whether gate `g`, asked for alone, is wrong: other gates' own gradients, and what is no gate's,
// are not its doing.
static bool is_wrong(const struct judge_result *alone, size_t g)
{
    return verdict_is_failure(alone[g].verdict) &&
           (!alone[g].valued || alone[g].wrong_gates & (1u << g | RESULT_SHARED));
}

// The gate that went wrong in a step: the first that is wrong with the others made constant, where
// that is not the doing of the one beside it; where all or none are, the only one whose own
// gradients are wrong in the step. -1: none.
static int64_t find_gate(const struct operation_steps *steps, const struct judge_result *step,
                         const struct judge_result *alone)
{
    int64_t first = -1, only = -1;
    size_t wrong = 0, own = 0;
    for (size_t g = steps->gates; g-- > 0;) {
        const int beside = steps->beside[g];
        wrong += is_wrong(alone, g);
        if (is_wrong(alone, g) && (beside < 0 || !is_wrong(alone, (size_t)beside)))
            first = (int64_t)g;
        if (!(step->wrong_gates >> g & 1) || (beside >= 0 && step->wrong_gates >> beside & 1))
            continue;
        only = (int64_t)g;
        own++;
    }
    const bool alike = wrong == steps->gates && steps->gates > 1;
    return first >= 0 && !alike ? first : own == 1 ? only : -1;
}

static enum error cut_gates(const struct judge_result *result, const struct operation_steps *steps,
                            struct steps *all, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t g = 0; g < steps->gates && !error; g++) {
        int64_t where[OPERATION_STEP];
        memcpy(where, result->steps.where, sizeof where);
        where[OPERATION_STEP - 1] = (int64_t)g;
        error = add_step(all, result->of, where, diagnostic);
    }
    return error;
}

// `gates` NULL: the step has none.
static enum error name_step(struct judge_run *run, struct judge_result *result,
                            const struct operation_steps *steps, const struct judge_result *gates,
                            struct diagnostic *diagnostic)
{
    char gate[64] = "";
    int64_t *const where = result->steps.where;
    if (gates) {
        where[3] = find_gate(steps, result, gates);
        result->steps.gate = where[3] < 0 ? NULL : steps->gate[where[3]];
        if (where[3] < 0)
            snprintf(gate, sizeof gate, ", no gate by itself");
        else
            snprintf(gate, sizeof gate, ", gate %d (%.32s)", (int)where[3], steps->gate[where[3]]);
    }
    result->reason =
        arena_print(&run->arena, "first wrong at layer %lld, direction %lld, time %lld%s%s%s",
                    (long long)where[0], (long long)where[1], (long long)where[2], gate,
                    result->reason ? ": " : "", result->reason ? result->reason : "");
    return result->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// Judges each gate of the first wrong step with the others made constant.
static enum error find_wrong_gate(struct judge_run *run, struct judge_result *result,
                                  struct host *host, const struct judge_options *options,
                                  struct diagnostic *diagnostic)
{
    struct steps gates = {.suite = run->suite};
    struct judge_run second = {.suite = run->suite};
    struct operation_steps steps = {.gates = 0};
    enum error error = ERROR_NONE;
    if (describe(run->suite, result->of, &steps))
        error = cut_gates(result, &steps, &gates, diagnostic);
    if (!error && gates.count)
        error = judge(&gates, host, options, &second, diagnostic);
    if (!error)
        error = name_step(run, result, &steps, gates.count ? second.result : NULL, diagnostic);
    judge_release(&second);
    arena_release(&gates.arena);
    return error;
}

static enum error name_gates(struct judge_run *run, struct host *host,
                             const struct judge_options *options, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < run->result_count && !error; i++)
        if (run->result[i].steps.wrong)
            error = find_wrong_gate(run, &run->result[i], host, options, diagnostic);
    return error;
}

enum error judge_steps(const struct suite *suite, struct host *host,
                       const struct judge_options *options, struct judge_run *run,
                       struct diagnostic *diagnostic)
{
    assert(!options->pool);
    struct steps all = {.suite = suite};
    *run = (struct judge_run){.suite = suite};
    enum error error = cut(&all, options->pattern, diagnostic);
    if (!error)
        error = judge(&all, host, options, run, diagnostic);
    run->mode = JUDGE_STEPWISE;
    if (!error)
        error = fold(&all, run, diagnostic);
    if (!error)
        error = name_gates(run, host, options, diagnostic);
    arena_release(&all.arena);
    return error;
}
