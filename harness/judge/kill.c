// SPDX-License-Identifier: Apache-2.0
// A deviant option is killed by a case when no allowed profile gives what it gives there.

#include "harness/judge/kill.h"

#include <string.h>

#include "harness/judge/certify.h"
#include "harness/judge/compare.h"

static uint64_t elements_of(const struct request *request, const struct evaluation *evaluation, unsigned output)
{
    uint64_t count = 0;
    if (request->windowed && output == evaluation->windowed_output)
        return request->window_count;
    return tensor_count(&evaluation->inference.output[output], &count) ? count : 0;
}

// Whether all bits are the same.
static bool is_same(const struct request *request, const struct evaluation *right, const struct evaluation *mutant)
{
    for (unsigned run = 0; run < request->runs; run++)
        for (unsigned i = 0; request->operation->outputs[i]; i++) {
            const size_t at = (size_t)run * OPERATION_OUTPUTS_MAX + i;
            const struct tensor *const a = &right->tensor[at], *const b = &mutant->tensor[at];
            const uint64_t count = tensor_present(a) ? elements_of(request, right, i) : 0;
            if (a->dtype != b->dtype || (tensor_present(a) && !tensor_same_shape(a, b)) ||
                (tensor_present(a) && compare_first_difference(a->dtype, a->data, b->data, count) != count))
                return false;
        }
    return true;
}

// Whether `mutant` differs from `right` in some output of some run.
static bool differs(const struct request *request, const struct evaluation *right, const struct evaluation *mutant)
{
    for (unsigned run = 0; run < request->runs; run++)
        for (unsigned i = 0; request->operation->outputs[i]; i++) {
            const size_t at = (size_t)run * OPERATION_OUTPUTS_MAX + i;
            const struct tensor *const a = &right->tensor[at], *const b = &mutant->tensor[at];
            if (a->dtype != b->dtype || (tensor_present(a) && !tensor_same_shape(a, b)))
                return true;
            if (!tensor_present(a))
                continue;
            struct expected expected = {.dtype = a->dtype, .bits = a->data};
            struct comparison comparison = {.compared = 0};
            if (right->lower && tensor_present(&right->lower[i])) {
                expected.lower = right->lower[i].data;
                expected.upper = right->upper[i].data;
            }
            compare_elements(&expected, b->data, elements_of(request, right, i), &comparison);
            if (comparison.wrong)
                return true;
        }
    return false;
}

static bool is_small(const struct request *request)
{
    struct inference inference;
    struct diagnostic ignored;
    memset(&inference, 0, sizeof inference);
    if (variant_infer(request, &inference, &ignored))
        return false;
    for (unsigned i = 0; request->operation->outputs[i] && !request->windowed; i++) {
        uint64_t count = 0;
        if (tensor_present(&inference.output[i]) && (!tensor_count(&inference.output[i], &count) || count > KILL_ELEMENTS_MAX))
            return false;
    }
    return true;
}

struct hunt {
    const struct suite *suite;
    struct named_profile mutant;
    const struct named_profile *allowed;
    size_t allowed_count;
};

static enum error try_case(const struct hunt *hunt, const struct suite_case *of, struct arena *arena, bool *killed,
                           struct diagnostic *diagnostic)
{
    struct request request;
    struct evaluation mutant, right;
    struct profile profile, seen[PROFILES_ALLOWED_MAX];
    size_t seen_count = 0;
    enum error error = suite_case_request(hunt->suite, of, arena, &request, diagnostic);
    if (error || !is_small(&request))
        return error;
    profiles_apply(hunt->suite, &hunt->mutant, of->operation, &request.profile);
    profile = request.profile;
    struct diagnostic refusal;
    error = variant_evaluate(&request, arena, &mutant, &refusal);
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM) {
        *diagnostic = refusal;
        return error;
    }
    *killed = true;
    if (error) // the mutant refuses what has to be answered
        return ERROR_NONE;
    for (size_t i = 0; i < hunt->allowed_count && *killed; i++) {
        if (!profiles_is_allowed(hunt->suite, of, &hunt->allowed[i]))
            continue;
        profiles_apply(hunt->suite, &hunt->allowed[i], of->operation, &request.profile);
        bool again = false;
        for (size_t k = 0; k < seen_count && !again; k++)
            again = !memcmp(&seen[k], &request.profile, sizeof profile);
        if (again)
            continue;
        seen[seen_count++] = request.profile;
        if ((error = variant_evaluate(&request, arena, &right, diagnostic)))
            return error;
        *killed = !is_same(&request, &right, &mutant); // else it is not outside bounds either
        if (*killed && (error = variant_bound(&request, arena, &right, diagnostic)))
            return error;
        *killed = *killed && differs(&request, &right, &mutant);
    }
    return ERROR_NONE;
}

static bool has_option(const struct operation *operation, const char *choice, const char *option)
{
    unsigned c, o;
    return variant_find(operation, choice, option, &c, &o);
}

enum error judge_find_killer(const struct suite *suite, size_t choice, size_t option, const struct suite_case **killer,
                             struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct named_profile *const allowed = arena_take_array(&arena, PROFILES_ALLOWED_MAX, sizeof *allowed);
    bool complete = true;
    *killer = NULL;
    if (!allowed)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    struct hunt hunt = {.suite = suite, .allowed = allowed};
    hunt.allowed_count = profiles_list_allowed(suite, allowed, PROFILES_ALLOWED_MAX, &complete);
    hunt.mutant.option[choice] = (uint16_t)option;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < suite->case_count && !error && !*killer; i++) {
        const struct suite_case *const of = &suite->cases[i];
        const char *const name = suite->choice[choice].name, *const text = suite->choice[choice].option[option];
        if (of->reject || of->level == SUITE_LEVEL_DISTRIBUTION || !has_option(of->operation, name, text) ||
            suite_classify(suite, of, name, text) == SUITE_ALLOWED)
            continue;
        struct arena scratch = {0};
        bool killed = false;
        error = try_case(&hunt, of, &scratch, &killed, diagnostic);
        arena_release(&scratch);
        if (killed && !error)
            *killer = of;
    }
    arena_release(&arena);
    return error;
}
