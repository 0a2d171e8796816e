// SPDX-License-Identifier: Apache-2.0
// Small cases are tried first; a case that killed one mutant of a choice is tried first on the
// next.

#include "harness/judge/search/mutants.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/reference.h"
#include "ref/base/threads.h"
#include "ref/op/declared/graph.h"
#include "yaml/relation.h"

static const uint64_t MUTANTS_ELEMENTS_MAX = UINT64_C(1) << 20;

struct sized_case {
    const struct suite_case *of;
    uint64_t elements;
    bool repeats; // a smaller case of the same form went before
};

struct work {
    struct mutants *mutants;
    const struct suite *suite;
    struct sized_case *cases; // answered ones, by size
    size_t case_count;
    struct named_profile *allowed;
    size_t allowed_count;
    bool single; // it is one profile
    const char *pattern;
    bool matrix;
    _Atomic uint64_t evaluations;
};

static int by_size(const void *a, const void *b)
{
    const struct sized_case *const x = a, *const y = b;
    if (x->elements != y->elements)
        return x->elements < y->elements ? -1 : 1;
    return (x->of > y->of) - (x->of < y->of);
}

static uint64_t elements_of(const struct evaluation *evaluation, const struct request *request,
                            size_t index)
{
    uint64_t count = 0;
    const struct tensor *const tensor = &evaluation->tensor[index];
    if (!tensor_present(tensor))
        return 0;
    if (request->windowed && index % OPERATION_OUTPUTS_MAX == evaluation->windowed_output)
        return request->window_count;
    return tensor_count(tensor, &count) ? count : 0;
}

static bool same_outputs(const struct request *request, const struct evaluation *a,
                         const struct evaluation *b)
{
    for (size_t i = 0; i < (size_t)request->runs * OPERATION_OUTPUTS_MAX; i++) {
        const uint64_t count = elements_of(a, request, i);
        if (a->tensor[i].dtype != b->tensor[i].dtype ||
            !tensor_same_shape(&a->tensor[i], &b->tensor[i]))
            return false;
        if (compare_first_difference(a->tensor[i].dtype, a->tensor[i].data, b->tensor[i].data,
                                     count) != count)
            return false;
    }
    return true;
}

// Whether some output has another type or shape, or lies outside its interval.
static bool is_outside(const struct request *request, const struct evaluation *mutant,
                       const struct evaluation *reference)
{
    for (size_t i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        struct comparison comparison;
        const uint64_t count = elements_of(reference, request, i);
        struct expected expected = {.dtype = reference->tensor[i].dtype,
                                    .bits = reference->tensor[i].data};
        if (mutant->tensor[i].dtype != reference->tensor[i].dtype ||
            !tensor_same_shape(&mutant->tensor[i], &reference->tensor[i]))
            return true;
        if (!count)
            continue;
        if (tensor_present(&reference->lower[i])) {
            expected.lower = reference->lower[i].data;
            expected.upper = reference->upper[i].data;
        }
        compare_elements(&expected, mutant->tensor[i].data, count, &comparison);
        if (comparison.wrong)
            return true;
    }
    return false;
}

// Whether some output that `side` has lies outside its interval.
static bool leaves_bounds(const struct evaluation *reference, const struct tensor *side)
{
    for (size_t i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        struct comparison comparison;
        uint64_t count = 0;
        if (!tensor_present(&side[i]) || !tensor_count(&side[i], &count))
            continue;
        struct expected expected = {.dtype = side[i].dtype, .bits = reference->tensor[i].data};
        if (tensor_present(&reference->lower[i])) {
            expected.lower = reference->lower[i].data;
            expected.upper = reference->upper[i].data;
        }
        compare_elements(&expected, side[i].data, count, &comparison);
        if (comparison.wrong)
            return true;
    }
    return false;
}

static bool is_bound(const struct inference *inference)
{
    for (size_t i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        if (tensor_present(&inference->output[i]) && inference->level[i] == LEVEL_BOUND)
            return true;
    return false;
}

// How the outputs under `profile` differ from those of every allowed profile.
static enum error differs_from_allowed(struct work *work, const struct suite_case *of,
                                       const struct request *request,
                                       const struct evaluation *mutant, enum mutant_trial *trial,
                                       struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    *trial = TRIAL_BITS;
    for (size_t i = 0; i<work->allowed_count && * trial> TRIAL_INSIDE && !error; i++) {
        struct arena arena = {0};
        struct request plain;
        struct evaluation evaluation;
        struct profile ignored;
        // A profile that changes what this operation does not have is like a simpler one, which is
        // tried as well.
        if (profiles_apply(work->suite, &work->allowed[i], of->operation, &ignored) &&
            profiles_is_allowed(work->suite, of, &work->allowed[i])) {
            error = judge_evaluate(work->suite, of, &work->allowed[i], &arena, &plain, &evaluation,
                                   diagnostic);
            work->evaluations++;
            if (!error && same_outputs(request, mutant, &evaluation))
                *trial = TRIAL_SAME; // nor is it outside any bounds
            else if (!error && is_bound(&evaluation.inference)) {
                error = variant_bound(&plain, &arena, &evaluation, diagnostic);
                if (!error)
                    *trial =
                        is_outside(request, mutant, &evaluation) ? TRIAL_OUTSIDE : TRIAL_INSIDE;
            }
        }
        arena_release(&arena);
        if (error == ERROR_INVALID_ARGUMENT ||
            error == ERROR_UNSUPPORTED) // this profile refuses the case: another answer
            error = ERROR_NONE;
    }
    return error;
}

// Whether the mutant does with the case what the reference does, seen before anything is computed.
static bool is_idle(const struct work *work, const struct named_profile *profile,
                    const struct suite_case *of)
{
    struct arena arena = {0};
    struct request request;
    struct diagnostic ignored;
    bool idle = false;
    if (!judge_make_request(work->suite, of, profile, &arena, &request, &ignored))
        idle = !variant_is_idle(&request, &arena, &idle, &ignored) && idle;
    arena_release(&arena);
    return idle;
}

// Whether the two sides of a case with `agrees` both lie in the bounds of what they answer, under
// the profile of `whole`.
static enum error sides_fit(const struct work *work, const struct suite_case *of,
                            const struct request *whole,
                            struct tensor side[2][OPERATION_OUTPUTS_MAX], bool *fit,
                            struct arena *arena, struct diagnostic *diagnostic)
{
    const enum relation_common common = relation_common(of);
    enum error error = ERROR_NONE;
    *fit = true;
    for (unsigned parts = 0; parts < 2 && *fit && !error; parts++) {
        struct request request = *whole;
        struct evaluation evaluation;
        if (common == RELATION_OF_PART || (common == RELATION_OF_EACH && parts))
            error =
                relation_request(work->suite, of, whole, 0, side[0], arena, &request, diagnostic);
        if (!error)
            error = variant_evaluate_with(&request, true, arena, &evaluation, diagnostic);
        if (!error)
            error = relation_cut_evaluation(of, side[parts], arena, &evaluation, diagnostic);
        if (!error)
            *fit = !leaves_bounds(&evaluation, side[parts]);
    }
    return error;
}

// At level bits the mutant's two answers differ; at level bound one of them lies outside of the
// bounds of every allowed profile.
static enum error try_relation(struct work *work, const struct named_profile *profile,
                               const struct suite_case *of, enum mutant_trial *trial,
                               struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct tensor side[2][OPERATION_OUTPUTS_MAX];
    struct evaluation evaluation;
    struct request request;
    enum error error = judge_make_request(work->suite, of, profile, &arena, &request, diagnostic);
    if (!error)
        error = relation_evaluate(work->suite, of, &request, &arena, &evaluation, side[0], side[1],
                                  diagnostic);
    work->evaluations++;
    const bool bound = !error && is_bound(&evaluation.inference);
    bool killed = bound;
    *trial = error ? TRIAL_REFUSED : TRIAL_SAME; // or it answers in another shape
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error && !bound; i++) {
        uint64_t count = 0;
        if (tensor_present(&side[0][i]) && tensor_count(&side[0][i], &count))
            killed = killed || compare_first_difference(side[0][i].dtype, side[0][i].data,
                                                        side[1][i].data, count) != count;
    }
    for (size_t i = 0; i < work->allowed_count && killed && bound && !error; i++) {
        struct request plain;
        struct profile ignored;
        bool fit = false;
        if (!profiles_apply(work->suite, &work->allowed[i], of->operation, &ignored) ||
            !profiles_is_allowed(work->suite, of, &work->allowed[i]))
            continue;
        error = judge_make_request(work->suite, of, &work->allowed[i], &arena, &plain, diagnostic);
        if (!error)
            error = sides_fit(work, of, &plain, side, &fit, &arena, diagnostic);
        killed = !fit;
    }
    if (killed)
        *trial = bound ? TRIAL_OUTSIDE : TRIAL_BITS;
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

static enum error try_case(struct work *work, const struct mutant *mutant,
                           const struct suite_case *of, enum mutant_trial *trial,
                           struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    struct named_profile profile;
    memset(&profile, 0, sizeof profile);
    profile.option[mutant->choice] = (uint16_t)mutant->option;
    *trial = TRIAL_SAME;
    if (of->relation.kind)
        return try_relation(work, &profile, of, trial, diagnostic);
    if (!work->single && is_idle(work, &profile, of))
        return ERROR_NONE;
    enum error error =
        judge_evaluate(work->suite, of, &profile, &arena, &request, &evaluation, diagnostic);
    work->evaluations++;
    if (!error)
        error = differs_from_allowed(work, of, &request, &evaluation, trial, diagnostic);
    else if (error != ERROR_INTERNAL) {
        *trial = TRIAL_REFUSED;
        error = ERROR_NONE;
    }
    arena_release(&arena);
    return error;
}

static bool is_deviant_here(const struct work *work, const struct mutant *mutant,
                            const struct suite_case *of)
{
    const struct suite_choice *const choice = &work->suite->choice[mutant->choice];
    unsigned own_choice, own_option;
    return (!mutant->operation || of->operation == mutant->operation) &&
           variant_find(of->operation, choice->name, choice->option[mutant->option], &own_choice,
                        &own_option) &&
           suite_classify(work->suite, of, choice->name, choice->option[mutant->option]) ==
               SUITE_DEVIANT;
}

// Cases that killed other mutants, the last one first.
struct hints {
    const struct suite_case *of[12];
    size_t count;
};

static void remember(struct hints *hints, const struct suite_case *of)
{
    size_t at = 0;
    while (at < hints->count && hints->of[at] != of)
        at++;
    if (at == hints->count && hints->count < sizeof hints->of / sizeof *hints->of)
        hints->count++;
    at -= at == sizeof hints->of / sizeof *hints->of;
    memmove(&hints->of[1], &hints->of[0], at * sizeof hints->of[0]);
    hints->of[0] = of;
}

// Tries the case, and takes down what it shows.
static enum error take_case(struct work *work, struct mutant *mutant, const struct suite_case *of,
                            const struct suite_case **refused, struct diagnostic *diagnostic)
{
    enum mutant_trial trial = TRIAL_SAME;
    const enum error error = try_case(work, mutant, of, &trial, diagnostic);
    if (error)
        return error;
    if (!work->matrix && trial == TRIAL_REFUSED && mutant->operation) {
        *refused = *refused ? *refused : of;
        return ERROR_NONE;
    }
    if (!mutant->kills && trial > mutant->best)
        mutant->best = trial;
    if (trial > TRIAL_INSIDE) {
        mutant->kills++;
        if (mutant->killer_count < MUTANT_KILLERS_MAX)
            mutant->killer[mutant->killer_count++] = of;
    }
    return ERROR_NONE;
}

// A mutant whose answers to each case are those of some allowed profile is killed by the cases that
// differ from each profile, where none has all of its answers: one holds for a whole suite.
static enum error hold_to_one_profile(struct work *work, struct mutant *mutant,
                                      struct diagnostic *diagnostic)
{
    const struct suite_case *killer[PROFILES_ALLOWED_MAX];
    size_t count = 0;
    for (size_t i = 0; i < work->allowed_count; i++) {
        struct work one = {.mutants = work->mutants,
                           .suite = work->suite,
                           .allowed = &work->allowed[i],
                           .allowed_count = 1,
                           .single = true};
        const struct suite_case *differing = NULL;
        struct profile ignored;
        enum error error = ERROR_NONE;
        if (!profiles_apply(work->suite, one.allowed, mutant->operation, &ignored))
            continue;
        for (size_t k = 0; k < work->case_count && !differing && !error; k++) {
            const struct suite_case *const of = work->cases[k].of;
            enum mutant_trial trial = TRIAL_SAME;
            if (is_deviant_here(work, mutant, of) &&
                profiles_is_allowed(work->suite, of, one.allowed))
                error = try_case(&one, mutant, of, &trial, diagnostic);
            if (trial > TRIAL_INSIDE)
                differing = of;
        }
        work->evaluations += one.evaluations;
        if (error || !differing)
            return error;
        killer[count++] = differing;
    }
    mutant->best = TRIAL_BITS;
    for (size_t i = 0; i < count; i++) {
        mutant->kills++;
        if (mutant->killer_count < MUTANT_KILLERS_MAX)
            mutant->killer[mutant->killer_count++] = killer[i];
    }
    return ERROR_NONE;
}

static enum error run_mutant(struct work *work, struct mutant *mutant, const struct hints *hints,
                             struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    const struct suite_case *refused = NULL;
    for (size_t i = 0; i < hints->count && !work->matrix && !mutant->kills && !error; i++)
        if (is_deviant_here(work, mutant, hints->of[i]))
            error = take_case(work, mutant, hints->of[i], &refused, diagnostic);
    // The smallest case of every form, then all others.
    const unsigned rounds = work->matrix ? 1 : 2;
    for (size_t k = 0; k < rounds * work->case_count && !error && (work->matrix || !mutant->kills);
         k++) {
        const struct sized_case *const at = &work->cases[k % work->case_count];
        if ((work->matrix || at->repeats == (k >= work->case_count)) &&
            is_deviant_here(work, mutant, at->of))
            error = take_case(work, mutant, at->of, &refused, diagnostic);
    }
    if (!error && !mutant->kills && refused) {
        mutant->kills = mutant->killer_count = 1;
        mutant->killer[0] = refused;
        mutant->best = TRIAL_REFUSED;
    }
    if (!error && mutant->best == TRIAL_SAME && mutant->operation && work->mutants->complete)
        error = hold_to_one_profile(work, mutant, diagnostic);
    return error;
}

static enum error run_some(void *context, uint64_t first, uint64_t count,
                           struct diagnostic *diagnostic)
{
    struct work *const work = context;
    struct hints hints = {.count = 0};
    enum error error = ERROR_NONE;
    for (uint64_t i = first; i < first + count && !error; i++) {
        struct mutant *const mutant = &work->mutants->mutant[i];
        error = run_mutant(work, mutant, &hints, diagnostic);
        if (mutant->killer_count)
            remember(&hints, mutant->killer[0]);
    }
    return error;
}

// The cases that the reference answers, small ones first.
static enum error list_cases(struct work *work, struct diagnostic *diagnostic)
{
    work->cases =
        arena_take_array(&work->mutants->arena, work->suite->case_count, sizeof *work->cases);
    if (!work->cases)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < work->suite->case_count; i++) {
        const struct suite_case *const of = &work->suite->cases[i];
        if (work->pattern && fnmatch(work->pattern, of->id, 0) != 0)
            continue;
        struct arena arena = {0};
        struct request request;
        struct inference inference = {0};
        uint64_t elements = 0;
        enum error error = suite_case_is_answered(of)
                               ? suite_case_request(work->suite, of, &arena, &request, diagnostic)
                               : ERROR_INVALID_ARGUMENT;
        if (!error)
            error = variant_infer(&request, &inference, diagnostic);
        for (size_t o = 0; o < OPERATION_OUTPUTS_MAX && !error; o++) {
            uint64_t count = 0;
            if (tensor_present(&inference.output[o]) && tensor_count(&inference.output[o], &count))
                elements += count; // of a window too: an option may need all of them
        }
        arena_release(&arena);
        if (error == ERROR_INTERNAL)
            return error;
        if (!error && elements <= MUTANTS_ELEMENTS_MAX)
            work->cases[work->case_count++] = (struct sized_case){of, elements, false};
    }
    qsort(work->cases, work->case_count, sizeof *work->cases, by_size);
    bool *const seen =
        arena_take_array(&work->mutants->arena, work->suite->form_count + 1, sizeof *seen);
    if (!seen)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < work->case_count; i++) {
        bool *const before = &seen[work->cases[i].of->form - work->suite->form];
        work->cases[i].repeats = *before;
        *before = true;
    }
    return ERROR_NONE;
}

static bool has_option(const struct operation *operation, const struct suite_choice *choice,
                       size_t option)
{
    unsigned own_choice, own_option;
    return variant_find(operation, choice->name, choice->option[option], &own_choice, &own_option);
}

// The option as a mutant of each declared operator that has it, and of all other operations.
static void list_option(struct mutants *mutants, size_t choice, size_t option)
{
    const struct suite *const suite = mutants->suite;
    bool others = false;
    for (size_t i = 0; i < suite->operation_count; i++) {
        const struct operation *const operation = suite->operation[i];
        if (!declared_is(operation))
            others = true;
        else if (has_option(operation, &suite->choice[choice], option))
            mutants->mutant[mutants->count++] =
                (struct mutant){.operation = operation, .choice = choice, .option = option};
    }
    if (others)
        mutants->mutant[mutants->count++] = (struct mutant){.choice = choice, .option = option};
}

static enum error list_mutants(struct mutants *mutants, struct diagnostic *diagnostic)
{
    const struct suite *const suite = mutants->suite;
    size_t most = 0;
    for (size_t c = 0; c < suite->choice_count; c++)
        most += suite->choice[c].count * (suite->operation_count + 1);
    mutants->mutant = arena_take_array(&mutants->arena, most, sizeof *mutants->mutant);
    if (!mutants->mutant || suite->choice_count > PROFILES_CHOICES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory, or more than %d choices",
                               PROFILES_CHOICES_MAX);
    for (size_t c = 0; c < suite->choice_count; c++)
        for (size_t o = 1; o < suite->choice[c].count; o++)
            if (suite->choice[c].class[o] == SUITE_DEVIANT)
                list_option(mutants, c, o);
    return ERROR_NONE;
}

enum error mutants_run(const struct suite *suite, const char *pattern, bool matrix,
                       struct mutants *mutants, struct diagnostic *diagnostic)
{
    *mutants = (struct mutants){.suite = suite};
    struct work work = {.mutants = mutants, .suite = suite, .pattern = pattern, .matrix = matrix};
    enum error error = list_mutants(mutants, diagnostic);
    if (!error)
        error = list_cases(&work, diagnostic);
    work.allowed =
        error ? NULL
              : arena_take_array(&mutants->arena, PROFILES_ALLOWED_MAX, sizeof *work.allowed);
    if (!error && !work.allowed)
        error = diagnostic_no_memory(diagnostic);
    if (error)
        return error;
    work.allowed_count =
        profiles_list_allowed(suite, work.allowed, PROFILES_ALLOWED_MAX, &mutants->complete);
    mutants->allowed = work.allowed_count;
    mutants->cases = work.case_count;
    error = threads_run(0, mutants->count, 4, run_some, &work, diagnostic);
    mutants->evaluations = work.evaluations;
    return error;
}

void mutants_release(struct mutants *mutants)
{
    arena_release(&mutants->arena);
    *mutants = (struct mutants){0};
}

size_t mutants_that(const struct mutants *mutants, enum mutant_trial best)
{
    size_t count = 0;
    for (size_t i = 0; i < mutants->count; i++)
        count += mutants->mutant[i].best == best;
    return count;
}

size_t mutants_survivors(const struct mutants *mutants)
{
    return mutants_that(mutants, TRIAL_SAME);
}
