// SPDX-License-Identifier: Apache-2.0
// The search for what a target does instead: one option changed, then two, on all failing cases at
// once.
//
// A profile is tried first on the smallest failing case of each kind, so that most profiles cost
// only a few small evaluations. Failing cases may have several causes: what the best profile
// explains is taken away, and the search goes on with the rest.

#include "harness/judge/search/explain.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/fit.h"
#include "ref/num/exact.h"

enum { EXPLAIN_ROUNDS = 8, EXPLAIN_PAIRS_MAX = 4000, EXPLAIN_PROBES_MAX = 24 };

struct failing {
    struct judge_result *result;
    uint64_t elements;
};

static int by_size(const void *a, const void *b)
{
    const struct failing *const x = a, *const y = b;
    return (x->elements > y->elements) - (x->elements < y->elements);
}

// What the target gave, also where it has another shape than asked for.
static const struct judge_output *outputs(const struct judge_result *result)
{
    return result->received ? result->received : result->outputs;
}

static size_t output_count(const struct judge_result *result)
{
    return result->received ? 1 : result->output_count;
}

// Errors that lean are inside of bounds, which every profile near the right one then fits.
static bool is_about_errors(const struct judge_result *result)
{
    return suite_case_is_unbiased(result->of);
}

static size_t collect(struct judge_run *run, struct failing *failing)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        struct judge_result *const result = &run->result[i];
        if (result->verdict != VERDICT_FAIL || result->explanation.found ||
            result->required == LEVEL_DISTRIBUTION || is_about_errors(result) ||
            !(result->received || (result->valued && result->output_count)))
            continue;
        struct failing *const to = &failing[count++];
        *to = (struct failing){.result = result};
        for (size_t k = 0; k < output_count(result); k++)
            to->elements += outputs(result)[k].count;
    }
    qsort(failing, count, sizeof *failing, by_size);
    return count;
}

static bool same_kind(const struct failing *a, const struct failing *b)
{
    return a->result->of->form == b->result->of->form &&
           outputs(a->result)->tensor.dtype == outputs(b->result)->tensor.dtype;
}

// Brings the smallest case of each kind (form and dtype) to the front, so that probing meets every
// cause. Returns how many there are.
static size_t bring_kinds_forward(struct failing *failing, size_t count)
{
    size_t kinds = 0;
    for (size_t i = 0; i < count && kinds < EXPLAIN_PROBES_MAX; i++) {
        bool known = false;
        for (size_t k = 0; k < kinds && !known; k++)
            known = same_kind(&failing[k], &failing[i]);
        if (known)
            continue;
        const struct failing moved = failing[i];
        memmove(&failing[kinds + 1], &failing[kinds], (i - kinds) * sizeof *failing);
        failing[kinds++] = moved;
    }
    return kinds;
}

struct search {
    struct judge_run *run;
    struct failing *failing;
    size_t count, probes;
    struct named_profile best;
    size_t best_count;
    uint64_t tried;
};

// By bits, or, where the order of a sum is free, inside the radius.
static enum error fits(const struct judge_run *run, const struct judge_result *result,
                       const struct named_profile *profile, bool *matches,
                       struct diagnostic *diagnostic)
{
    return result->received
               ? judge_matches_received(run->suite, result, profile, matches, diagnostic)
           : result->required == LEVEL_BOUND
               ? judge_is_near(run->suite, &run->model, result, profile, matches, diagnostic)
               : judge_matches(run->suite, result, profile, matches, diagnostic);
}

// Bits that the outputs of a case can tell apart: those of the significands or of whole numbers.
static uint64_t evidence_of(const struct judge_result *result)
{
    uint64_t evidence = 0;
    for (size_t i = 0; i < output_count(result); i++) {
        const enum dtype dtype = outputs(result)[i].tensor.dtype;
        const struct num_format *const format = num_format_of(dtype);
        const uint64_t bits = format                ? (uint64_t)format->precision
                              : dtype == DTYPE_BOOL ? 1
                                                    : dtype_bits(dtype);
        evidence += outputs(result)[i].comparison.wrong * bits;
    }
    return evidence;
}

// Among many profiles one fits a few bits by chance, so the bits must outweigh the number of
// profiles searched by 2^8.
static bool is_convincing(const struct search *search, uint64_t evidence)
{
    uint64_t needed = 8;
    for (uint64_t tried = search->tried; tried; tried >>= 1)
        needed++;
    return evidence >= needed;
}

// How many failing cases the profile reproduces; gives up after the probes when it reproduced none
// of them.
static enum error try_profile(struct search *search, const struct named_profile *profile,
                              struct diagnostic *diagnostic)
{
    size_t matched = 0;
    search->tried++;
    for (size_t i = 0; i < search->count; i++) {
        bool matches = false;
        const enum error error =
            fits(search->run, search->failing[i].result, profile, &matches, diagnostic);
        if (error)
            return error;
        matched += matches;
        if (!matched && i + 1 >= search->probes)
            break;
        if (matched + (search->count - i - 1) <= search->best_count)
            break;
    }
    if (matched > search->best_count) {
        search->best_count = matched;
        search->best = *profile;
    }
    return ERROR_NONE;
}

static enum error try_singles(struct search *search, const struct named_profile *from,
                              struct diagnostic *diagnostic)
{
    const struct suite *const suite = search->run->suite;
    enum error error = ERROR_NONE;
    for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
        for (size_t o = 0; o < suite->choice[c].count && !error; o++) {
            struct named_profile profile = *from;
            if (profile.option[c] == o)
                continue;
            profile.option[c] = (uint16_t)o;
            error = try_profile(search, &profile, diagnostic);
        }
    return error;
}

static enum error try_pairs(struct search *search, const struct named_profile *from,
                            struct diagnostic *diagnostic)
{
    const struct suite *const suite = search->run->suite;
    enum error error = ERROR_NONE;
    for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
        for (size_t o = 0; o < suite->choice[c].count; o++)
            for (size_t d = c + 1; d < suite->choice_count && d < PROFILES_CHOICES_MAX; d++)
                for (size_t p = 0; p < suite->choice[d].count && !error; p++) {
                    struct named_profile profile = *from;
                    if (profile.option[c] == o || profile.option[d] == p ||
                        search->tried > EXPLAIN_PAIRS_MAX)
                        continue;
                    profile.option[c] = (uint16_t)o;
                    profile.option[d] = (uint16_t)p;
                    error = try_profile(search, &profile, diagnostic);
                }
    return error;
}

static enum error note(struct search *search, struct diagnostic *diagnostic)
{
    const struct suite *const suite = search->run->suite;
    uint64_t evidence = 0;
    for (size_t i = 0; i < search->count && search->best_count; i++) {
        bool matches = false;
        const enum error error =
            fits(search->run, search->failing[i].result, &search->best, &matches, diagnostic);
        if (error)
            return error;
        evidence += matches ? evidence_of(search->failing[i].result) : 0;
    }
    if (!is_convincing(search, evidence))
        search->best_count = 0;
    for (size_t i = 0; i < search->count; i++) {
        struct judge_explanation *const explanation = &search->failing[i].result->explanation;
        bool matches = false;
        explanation->searched_any = search->tried > 0;
        explanation->searched += search->tried;
        const enum error error = search->best_count ? fits(search->run, search->failing[i].result,
                                                           &search->best, &matches, diagnostic)
                                                    : ERROR_NONE;
        if (error)
            return error;
        if (!matches)
            continue;
        explanation->found = true;
        profiles_apply(suite, &search->best, search->failing[i].result->of->operation,
                       &explanation->profile);
    }
    return ERROR_NONE;
}

static enum error explain(struct judge_run *run, bool pairs, struct diagnostic *diagnostic)
{
    struct failing *const failing = calloc(run->result_count + 1, sizeof *failing);
    enum error error = failing ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (int round = 0; round < EXPLAIN_ROUNDS && !error; round++) {
        struct search search = {.run = run, .failing = failing, .count = collect(run, failing)};
        if (!search.count)
            break;
        search.probes = bring_kinds_forward(failing, search.count);
        error = try_singles(&search, &run->profile, diagnostic);
        if (!error && pairs && !search.best_count)
            error = try_pairs(&search, &run->profile, diagnostic);
        if (!error)
            error = note(&search, diagnostic);
        run->explained += search.tried;
        if (!search.best_count)
            break;
    }
    free(failing);
    return error;
}

enum error judge_explain(struct judge_run *run, struct diagnostic *diagnostic)
{
    return explain(run, false, diagnostic);
}

enum error judge_explain_pairs(struct judge_run *run, struct diagnostic *diagnostic)
{
    return explain(run, true, diagnostic);
}
