// SPDX-License-Identifier: Apache-2.0
// The case is evaluated twice: as stated, and by assay's own operation of that name. An element
// agrees where the interval of the one meets that of the other; bits are an interval of one value.

#include "harness/judge/search/stored.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/reference.h"
#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"

// Both sides of a case.
struct sides {
    struct request stated, derived;
    struct evaluation stated_values;
};

const char *stored_standing_name(enum stored_standing standing)
{
    static const char *const names[STORED_STANDINGS] = {"underived", "agrees", "differs"};
    assert((unsigned)standing < STORED_STANDINGS);
    return names[standing];
}

static uint64_t end_of(const struct expected *of, const void *end, size_t i)
{
    return element_load(of->lower ? end : of->bits, dtype_size(of->dtype), i);
}

// Whether an answer meets both in element `i`.
static bool meets(const struct expected *a, const struct expected *b, size_t i)
{
    const uint64_t low[2] = {end_of(a, a->lower, i), end_of(b, b->lower, i)},
                   high[2] = {end_of(a, a->upper, i), end_of(b, b->upper, i)};
    if (!a->lower && !b->lower)
        return compare_same(a->dtype, low[0], low[1]);
    for (unsigned side = 0; side < 2; side++)
        if (compare_is_nan(a->dtype, low[side]))
            return compare_is_nan(a->dtype, low[!side]);
    return !num_less(a->dtype, high[0], low[1]) && !num_less(a->dtype, high[1], low[0]);
}

static struct expected side_of(const struct evaluation *evaluation, unsigned output)
{
    return judge_expected(evaluation, evaluation->lower ? LEVEL_BOUND : LEVEL_BITS, 0, output);
}

// Whether output `i` agrees; `text` says where it does not.
static bool agrees_output(const struct sides *sides, const struct evaluation *derived, unsigned i,
                          char text[STORED_TEXT_SIZE])
{
    const struct tensor *const a = &sides->stated_values.tensor[i], *const b = &derived->tensor[i];
    const char *const name = sides->stated.operation->outputs[i];
    const struct expected stated = side_of(&sides->stated_values, i), other = side_of(derived, i);
    uint64_t count = 0, wrong = 0;
    size_t first = 0;
    char types[2][96];
    if (a->dtype != b->dtype || !tensor_same_shape(a, b) || !tensor_count(a, &count)) {
        snprintf(text, STORED_TEXT_SIZE, "%s: stored %s, the reference gives %s", name,
                 tensor_describe(a, types[0], sizeof types[0]),
                 tensor_describe(b, types[1], sizeof types[1]));
        return false;
    }
    for (size_t e = 0; e < count; e++)
        if (!meets(&stated, &other, e)) {
            first = wrong ? first : e;
            wrong++;
        }
    if (!wrong)
        return true;
    const int digits = 2 * (int)dtype_size(a->dtype);
    snprintf(text, STORED_TEXT_SIZE,
             "%s: %" PRIu64 " of %" PRIu64 " elements, the first at %zu: stored %0*" PRIx64
             ", the reference gives %0*" PRIx64,
             name, wrong, count, first, digits,
             element_load(stated.bits, dtype_size(a->dtype), first), digits,
             element_load(other.bits, dtype_size(a->dtype), first));
    return false;
}

static enum error compare(const struct sides *sides, const struct request *derived,
                          struct arena *arena, bool *agrees, char text[STORED_TEXT_SIZE],
                          struct diagnostic *diagnostic)
{
    struct evaluation evaluation;
    struct request request = *derived;
    for (unsigned i = 0; sides->stated.operation->outputs[i];
         i++) // what is not stated is not asked
        if (tensor_present(&sides->stated_values.tensor[i]))
            request.outputs |= 1U << i;
    const enum error error = variant_evaluate_with(&request, true, arena, &evaluation, diagnostic);
    *agrees = !error;
    for (unsigned i = 0; !error && *agrees && request.operation->outputs[i]; i++)
        if (tensor_present(&sides->stated_values.tensor[i]))
            *agrees = agrees_output(sides, &evaluation, i, text);
    return error;
}

// The single option under which the reference agrees, if there is one.
static enum error search_options(const struct sides *sides, char text[STORED_TEXT_SIZE],
                                 struct diagnostic *diagnostic)
{
    const struct operation *const operation = sides->derived.operation;
    const unsigned choices = variant_choice_count(operation);
    for (unsigned c = 0; c < choices; c++) {
        const struct choice *const choice = variant_choice(operation, c);
        for (unsigned o = 1; choice->options[o]; o++) {
            struct request request = sides->derived;
            struct arena arena = {0};
            char unused[STORED_TEXT_SIZE];
            bool agrees = false;
            request.profile.option[c] = (uint16_t)o;
            const enum error error = compare(sides, &request, &arena, &agrees, unused, diagnostic);
            arena_release(&arena);
            if (error == ERROR_INTERNAL)
                return error;
            if (!agrees)
                continue;
            const size_t used = strlen(text);
            snprintf(text + used, STORED_TEXT_SIZE - used, "; it agrees with %s=%s", choice->name,
                     choice->options[o]);
            return ERROR_NONE;
        }
    }
    return ERROR_NONE;
}

static enum error judge_refusal(const struct suite_case *of, enum error derived,
                                enum stored_standing *standing, char text[STORED_TEXT_SIZE])
{
    *standing = derived == ERROR_INVALID_ARGUMENT ? STORED_AGREES : STORED_DIFFERS;
    if (*standing == STORED_DIFFERS)
        snprintf(text, STORED_TEXT_SIZE, "it is said to be refused (%.120s), the reference answers",
                 of->reject);
    return ERROR_NONE;
}

static enum error judge(const struct suite *suite, const struct suite_case *of, bool search,
                        struct arena *arena, enum stored_standing *standing,
                        char text[STORED_TEXT_SIZE], struct diagnostic *diagnostic)
{
    struct suite_case own = *of;
    struct sides sides;
    struct inference inference;
    bool agrees = false;
    own.operation = of->derived;
    own.from = NULL;
    own.asked = false;
    enum error error = suite_case_request(suite, &own, arena, &sides.derived, diagnostic);
    if (!error)
        error = variant_infer(&sides.derived, &inference, diagnostic);
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM || error == ERROR_INPUT)
        return error;
    if (of->reject)
        return judge_refusal(of, error, standing, text);
    if (error == ERROR_NONDETERMINISTIC || error == ERROR_TOO_LARGE)
        return ERROR_NONE;
    if (!error && !(error = suite_case_request(suite, of, arena, &sides.stated, diagnostic)))
        error = variant_evaluate_with(&sides.stated, true, arena, &sides.stated_values, diagnostic);
    if (!error)
        error = compare(&sides, &sides.derived, arena, &agrees, text, diagnostic);
    if (error == ERROR_INTERNAL)
        return error;
    *standing = !error && agrees ? STORED_AGREES : STORED_DIFFERS;
    if (error)
        snprintf(text, STORED_TEXT_SIZE, "the reference: %.250s", diagnostic->text);
    else if (!agrees && search)
        return search_options(&sides, text, diagnostic);
    return ERROR_NONE;
}

enum error judge_stored(const struct suite *suite, const struct suite_case *of, bool search,
                        enum stored_standing *standing, char text[STORED_TEXT_SIZE],
                        struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    text[0] = '\0';
    *standing = STORED_UNDERIVED;
    if (!of->derived || of->survive)
        return ERROR_NONE;
    const enum error error = judge(suite, of, search, &arena, standing, text, diagnostic);
    arena_release(&arena);
    return error;
}
