// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/search/score.h"

#include <string.h>

#include "harness/judge/compare/compare.h"
#include "ref/base/bytes.h"
#include "ref/op/declared/graph.h"
#include "ref/variant/variant.h"

// The test's request under the suite's option (NULL: the default profile), with the admissible
// intervals where `bounds`. ERROR_NONE too where the request is refused: *refused then says so.
static enum error evaluate(const struct suite *suite, const struct score_test *test,
                           const struct score_option *option, bool bounds, struct arena *arena,
                           struct evaluation *evaluation, bool *refused,
                           struct diagnostic *diagnostic)
{
    struct named_profile profile;
    struct request request = test->request;
    memset(&profile, 0, sizeof profile);
    if (option)
        profile.option[option->choice] = (uint16_t)option->option;
    profiles_apply(suite, &profile, request.operation, &request.profile);
    const enum error error = variant_evaluate_with(&request, bounds, arena, evaluation, diagnostic);
    *refused = error;
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

// The first output that the test looks at and that is of another type or shape, or NULL.
static const struct tensor *find_misshapen(const struct score_test *test,
                                           const struct evaluation *evaluation)
{
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        const struct tensor *const expected = &test->expected[i];
        if (tensor_present(expected) && (evaluation->tensor[i].dtype != expected->dtype ||
                                         !tensor_same_shape(&evaluation->tensor[i], expected)))
            return expected;
    }
    return NULL;
}

// Whether element `at` of output `i` is wrong: by the tolerance, or, where `bounds`, because no
// right implementation gives what is expected.
static bool is_wrong(const struct score_test *test, const struct evaluation *evaluation, unsigned i,
                     size_t at, bool bounds)
{
    const struct tensor *const expected = &test->expected[i];
    if (!bounds)
        return !score_is_near(&test->tolerance, &evaluation->tensor[i], expected, at);
    const struct expected interval = {.dtype = expected->dtype,
                                      .lower = evaluation->lower[i].data,
                                      .upper = evaluation->upper[i].data};
    return tensor_present(&evaluation->lower[i]) &&
           !compare_is_right(&interval, at,
                             element_load(expected->data, dtype_size(expected->dtype), at));
}

// The first output with wrong elements, to `flaw`; false where there is none.
static bool find_wrong(const struct score_test *test, const struct evaluation *evaluation,
                       bool bounds, struct score_flaw *flaw)
{
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++) {
        const struct tensor *const expected = &test->expected[i];
        uint64_t count = 0;
        if (!tensor_present(expected) || !tensor_count(expected, &count))
            continue;
        flaw->wrong = 0;
        for (size_t at = 0; at < count; at++)
            if (is_wrong(test, evaluation, i, at, bounds) && !flaw->wrong++)
                flaw->at = at;
        if (!flaw->wrong)
            continue;
        const size_t size = dtype_size(expected->dtype), at = flaw->at;
        flaw->kind = bounds ? SCORE_OUTSIDE : SCORE_NARROW;
        flaw->output = i;
        flaw->compared = count;
        flaw->dtype = expected->dtype;
        flaw->expected = element_load(expected->data, size, at);
        flaw->right = element_load(evaluation->tensor[i].data, size, at);
        flaw->bound = evaluation->lower && tensor_present(&evaluation->lower[i]);
        flaw->lower = flaw->bound ? element_load(evaluation->lower[i].data, size, at) : 0;
        flaw->upper = flaw->bound ? element_load(evaluation->upper[i].data, size, at) : 0;
        return true;
    }
    return false;
}

// Whether the test passes under the suite's option.
static enum error passes(const struct suite *suite, const struct score_test *test,
                         const struct score_option *option, bool bounds, bool *pass,
                         struct diagnostic *diagnostic)
{
    struct evaluation evaluation = {.tensor = NULL};
    struct score_flaw flaw;
    struct arena arena = {0};
    bool refused = false;
    const enum error error =
        evaluate(suite, test, option, bounds, &arena, &evaluation, &refused, diagnostic);
    *pass = !error && !refused && !find_misshapen(test, &evaluation) &&
            !find_wrong(test, &evaluation, bounds, &flaw);
    arena_release(&arena);
    return error;
}

bool score_has_operation(const struct score_part *part, const struct operation *operation)
{
    if (part->declared)
        return declared_same(part->declared, operation);
    for (size_t i = 0; i < part->suite->operation_count; i++)
        if (!declared_is(operation) && part->suite->operation[i] == operation)
            return true;
    return false;
}

const char *score_name(const struct score_part *part)
{
    return part->declared ? part->declared->name : part->suite->name;
}

// ---- expected values --------------------------------------------------------

// An allowed option that makes the test right, to `flaw`.
static enum error find_reading(const struct suite *suite, struct score_flaw *flaw,
                               struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t c = 0; c < suite->choice_count && !flaw->option && !error; c++)
        for (size_t o = 1; o < suite->choice[c].count && !flaw->option && !error; o++) {
            const struct score_option option = {.choice = c, .option = o};
            bool right = false;
            unsigned own_choice, own_option;
            if (suite->choice[c].class[o] == SUITE_DEVIANT ||
                !variant_find(flaw->test->request.operation, suite->choice[c].name,
                              suite->choice[c].option[o], &own_choice, &own_option))
                continue;
            error =
                passes(suite, flaw->test, &option, flaw->kind == SCORE_OUTSIDE, &right, diagnostic);
            if (right)
                flaw->choice = c, flaw->option = o;
        }
    return error;
}

// What is wrong with an answered test, to `flaw`; false where nothing is. *held: the reference
// passes it.
static bool find_flaw(const struct score_test *test, const struct evaluation *evaluation,
                      bool *held, struct score_flaw *flaw)
{
    struct score_flaw outside = *flaw;
    *held = false;
    if (find_misshapen(test, evaluation)) {
        flaw->kind = SCORE_SHAPED;
        return true;
    }
    const bool impossible = !test->rounded && find_wrong(test, evaluation, true, &outside);
    *held = !find_wrong(test, evaluation, false, flaw);
    if (*held)
        *flaw = outside;
    else if (impossible || (!flaw->bound && !test->rounded))
        flaw->kind = SCORE_WRONG;
    return !*held || impossible;
}

// Whether the reference passes the test, to *held, and what is wrong with it, to the score.
static enum error hold_test(struct score *score, const struct score_test *test, bool *held,
                            struct diagnostic *diagnostic)
{
    const struct suite *const suite = score->part.suite;
    struct score_flaw flaw = {.test = test};
    struct evaluation evaluation = {.tensor = NULL};
    struct arena arena = {0};
    bool refused = false, found = true;
    enum error error = evaluate(suite, test, NULL, true, &arena, &evaluation, &refused, diagnostic);
    *held = false;
    if (error)
        return error;
    if (refused) {
        flaw.kind = SCORE_REFUSED;
        flaw.reason = arena_copy_text(&score->arena, diagnostic->text, strlen(diagnostic->text));
        error = flaw.reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    } else {
        found = find_flaw(test, &evaluation, held, &flaw);
        if (found && flaw.kind != SCORE_SHAPED)
            error = find_reading(suite, &flaw, diagnostic);
        // Another reading of the specification admits the value.
        found = found && !(flaw.kind == SCORE_OUTSIDE && flaw.option);
    }
    arena_release(&arena);
    if (found)
        score->flaw[score->flaw_count++] = flaw;
    return error;
}

// ---- options ----------------------------------------------------------------

// The first of the tests that the option does not pass, to option->first.
static enum error find_first(const struct score *score, const struct score_test *tests,
                             const bool *held, size_t count, struct score_option *option,
                             struct diagnostic *diagnostic)
{
    const struct suite *const suite = score->part.suite;
    const struct suite_choice *const choice = &suite->choice[option->choice];
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !option->first && !error; i++) {
        bool pass = true;
        unsigned own_choice, own_option;
        if (!held[i] || !variant_find(tests[i].request.operation, choice->name,
                                      choice->option[option->option], &own_choice, &own_option))
            continue;
        error = passes(suite, &tests[i], option, false, &pass, diagnostic);
        option->first = pass ? NULL : &tests[i];
    }
    return error;
}

// Whether an operation of the part that the tests have, or were looked for, has the option.
static bool is_theirs(const struct score_part *part, const struct score_operations *looked,
                      const struct score_test *tests, size_t count,
                      const struct score_option *option)
{
    const struct suite_choice *const choice = &part->suite->choice[option->choice];
    unsigned own_choice, own_option;
    for (size_t i = 0; i < looked->count + count; i++) {
        const struct operation *const operation =
            i < looked->count ? looked->list[i] : tests[i - looked->count].request.operation;
        if (score_has_operation(part, operation) &&
            variant_find(operation, choice->name, choice->option[option->option], &own_choice,
                         &own_option))
            return true;
    }
    return false;
}

// The part's mutant with the option, or NULL.
static const struct mutant *find_mutant(const struct score_part *part,
                                        const struct score_option *option)
{
    for (size_t i = 0; i < part->mutants->count; i++) {
        const struct mutant *const mutant = &part->mutants->mutant[i];
        if (mutant->choice == option->choice && mutant->option == option->option &&
            (part->declared ? mutant->operation && declared_same(mutant->operation, part->declared)
                            : !mutant->operation))
            return mutant;
    }
    return NULL;
}

static enum error judge_options(struct score *score, const struct score_operations *looked,
                                const struct score_test *tests, const bool *held, size_t count,
                                struct diagnostic *diagnostic)
{
    const struct suite *const suite = score->part.suite;
    enum error error = ERROR_NONE;
    for (size_t c = 0; c < suite->choice_count && !error; c++)
        for (size_t o = 1; o < suite->choice[c].count && !error; o++) {
            const bool deviant = suite->choice[c].class[o] == SUITE_DEVIANT;
            struct score_option option = {.choice = c, .option = o};
            if (!is_theirs(&score->part, looked, tests, count, &option))
                continue;
            const struct mutant *const mutant = find_mutant(&score->part, &option);
            if (deviant && mutant && mutant->best == TRIAL_INSIDE) {
                score->inside++;
                continue;
            }
            error = find_first(score, tests, held, count, &option, diagnostic);
            option.ours = mutant && mutant->killer_count ? mutant->killer[0] : NULL;
            if (deviant)
                score->wrong[score->wrong_count++] = option;
            else if (option.first)
                score->allowed[score->allowed_count++] = option;
        }
    return error;
}

enum error score_run(const struct score_part *part, const struct score_operations *looked,
                     const struct score_test *tests, size_t count, struct score *score,
                     struct diagnostic *diagnostic)
{
    size_t most = 0;
    *score = (struct score){.part = *part};
    struct arena *const arena = &score->arena;
    for (size_t c = 0; c < part->suite->choice_count; c++)
        most += part->suite->choice[c].count;
    bool *const held = arena_take_array(arena, count + 1, sizeof *held);
    score->wrong = arena_take_array(arena, most + 1, sizeof *score->wrong);
    score->allowed = arena_take_array(arena, most + 1, sizeof *score->allowed);
    score->flaw = arena_take_array(arena, count + 1, sizeof *score->flaw);
    if (!held || !score->wrong || !score->allowed || !score->flaw)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++) {
        held[i] = false;
        if (!score_has_operation(part, tests[i].request.operation))
            continue;
        const enum error error = hold_test(score, &tests[i], &held[i], diagnostic);
        if (error)
            return error;
        score->tests++;
        score->held += held[i];
    }
    return judge_options(score, looked, tests, held, count, diagnostic);
}

void score_release(struct score *score)
{
    arena_release(&score->arena);
}

size_t score_survivors(const struct score *score)
{
    size_t count = 0;
    for (size_t i = 0; i < score->wrong_count; i++)
        count += !score->wrong[i].first;
    return count;
}

size_t score_ours(const struct score *score)
{
    size_t count = 0;
    for (size_t i = 0; i < score->wrong_count; i++)
        count += score->wrong[i].ours != NULL;
    return count;
}

static size_t count_flaws(const struct score *score, enum score_flaw_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < score->flaw_count; i++)
        count += score->flaw[i].kind == kind;
    return count;
}

size_t score_flawed(const struct score *score)
{
    return score->flaw_count - count_flaws(score, SCORE_REFUSED) - score_narrow(score);
}

size_t score_narrow(const struct score *score)
{
    return count_flaws(score, SCORE_NARROW);
}
