// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/search/score.h"

#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"

static double value_of(const struct tensor *tensor, size_t index)
{
    const uint64_t bits = element_load(tensor->data, dtype_size(tensor->dtype), index);
    if (dtype_kind(tensor->dtype) == DTYPE_KIND_FLOAT)
        return num_to_double(tensor->dtype, bits);
    return dtype_kind(tensor->dtype) == DTYPE_KIND_SIGNED
               ? (double)operation_load_integer(tensor, index)
               : (double)bits;
}

static bool is_near(const struct score_test *test, const struct tensor *got,
                    const struct tensor *expected)
{
    uint64_t count = 0;
    if (got->dtype != expected->dtype || !tensor_same_shape(got, expected) ||
        !tensor_count(expected, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const double g = value_of(got, i), e = value_of(expected, i);
        const bool same = (isnan(g) && isnan(e)) || (!isnan(g) && !(g < e) && !(g > e));
        if (!same && !(isfinite(e) && fabs(g - e) <= test->atol + test->rtol * fabs(e)))
            return false;
    }
    return true;
}

// Whether the test passes under the suite's option (choice -1: the default profile).
static enum error passes(const struct suite *suite, const struct score_test *test,
                         const struct score_option *option, bool *pass,
                         struct diagnostic *diagnostic)
{
    struct named_profile profile;
    struct request request = test->request;
    struct evaluation evaluation;
    struct arena arena = {0};
    memset(&profile, 0, sizeof profile);
    if (option)
        profile.option[option->choice] = (uint16_t)option->option;
    profiles_apply(suite, &profile, request.operation, &request.profile);
    const enum error error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
    *pass = !error;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && *pass; i++)
        if (tensor_present(&test->expected[i]))
            *pass = is_near(test, &evaluation.tensor[i], &test->expected[i]);
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

static bool has_operation(const struct suite *suite, const struct operation *operation)
{
    for (size_t i = 0; i < suite->operation_count; i++)
        if (suite->operation[i] == operation)
            return true;
    return false;
}

// The first of the tests that the option does not pass, to option->first.
static enum error find_first(const struct score *score, const struct score_test *tests,
                             const bool *held, size_t count, struct score_option *option,
                             struct diagnostic *diagnostic)
{
    const struct suite_choice *const choice = &score->suite->choice[option->choice];
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !option->first && !error; i++) {
        bool pass = true;
        unsigned own_choice, own_option;
        if (!held[i] || !variant_find(tests[i].request.operation, choice->name,
                                      choice->option[option->option], &own_choice, &own_option))
            continue;
        error = passes(score->suite, &tests[i], option, &pass, diagnostic);
        option->first = pass ? NULL : &tests[i];
    }
    return error;
}

static const struct suite_case *killer_of(const struct mutants *mutants, size_t choice,
                                          size_t option)
{
    for (size_t i = 0; i < mutants->count; i++)
        if (mutants->mutant[i].choice == choice && mutants->mutant[i].option == option)
            return mutants->mutant[i].killer_count ? mutants->mutant[i].killer[0] : NULL;
    return NULL;
}

static enum error judge_options(struct score *score, const struct score_test *tests,
                                const bool *held, size_t count, struct diagnostic *diagnostic)
{
    const struct suite *const suite = score->suite;
    enum error error = ERROR_NONE;
    for (size_t c = 0; c < suite->choice_count && !error; c++)
        for (size_t o = 1; o < suite->choice[c].count && !error; o++) {
            const bool deviant = suite->choice[c].class[o] == SUITE_DEVIANT;
            struct score_option option = {.choice = c, .option = o};
            error = find_first(score, tests, held, count, &option, diagnostic);
            option.ours = deviant ? killer_of(&score->mutants, c, o) : NULL;
            if (deviant)
                score->wrong[score->wrong_count++] = option;
            else if (option.first)
                score->allowed[score->allowed_count++] = option;
        }
    return error;
}

enum error score_run(const struct suite *suite, const struct score_test *tests, size_t count,
                     struct score *score, struct diagnostic *diagnostic)
{
    size_t most = 0;
    *score = (struct score){.suite = suite};
    enum error error = mutants_run(suite, NULL, false, &score->mutants, diagnostic);
    struct arena *const arena = &score->mutants.arena;
    for (size_t c = 0; c < suite->choice_count; c++)
        most += suite->choice[c].count;
    bool *const held = error ? NULL : arena_take_array(arena, count + 1, sizeof *held);
    score->wrong = error ? NULL : arena_take_array(arena, most + 1, sizeof *score->wrong);
    score->allowed = error ? NULL : arena_take_array(arena, most + 1, sizeof *score->allowed);
    if (!error && (!held || !score->wrong || !score->allowed))
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        held[i] = false;
        if (!has_operation(suite, tests[i].request.operation))
            continue;
        error = passes(suite, &tests[i], NULL, &held[i], diagnostic);
        score->tests++;
        score->held += held[i];
    }
    return error ? error : judge_options(score, tests, held, count, diagnostic);
}

void score_release(struct score *score)
{
    mutants_release(&score->mutants);
}

size_t score_survivors(const struct score *score)
{
    size_t count = 0;
    for (size_t i = 0; i < score->wrong_count; i++)
        count += !score->wrong[i].first;
    return count;
}
