// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/known/claim.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/run/fit.h"
#include "harness/judge/run/reference.h"
#include "ref/variant/variant.h"

enum error known_claim_profile(const struct known_entry *entry, size_t at,
                               const struct suite *suite, struct named_profile *profile,
                               struct diagnostic *diagnostic)
{
    const struct document_node *const equals =
        at < entry->alternative_count ? entry->equals[at] : NULL;
    *profile = (struct named_profile){{0}};
    for (size_t i = 0; equals && i < equals->count; i++) {
        const struct document_node *const value = equals->item[i];
        const char *const name = equals->key[i]->text;
        size_t c = 0, o = 0;
        const enum error error = document_expect(value, DOCUMENT_SCALAR, name, diagnostic);
        if (error)
            return error;
        while (c < suite->choice_count && strcmp(suite->choice[c].name, name) != 0)
            c++;
        if (c == suite->choice_count || c >= PROFILES_CHOICES_MAX)
            return document_fail(equals->key[i], ERROR_INPUT, diagnostic,
                                 "suite %s has no choice '%.60s'", suite->name, name);
        while (o < suite->choice[c].count && strcmp(suite->choice[c].option[o], value->text) != 0)
            o++;
        if (o == suite->choice[c].count)
            return document_fail(value, ERROR_INPUT, diagnostic, "%s has no option '%.60s'", name,
                                 value->text);
        profile->option[c] = (uint16_t)o;
    }
    return ERROR_NONE;
}

bool known_is_open(const struct judge_result *result)
{
    return result->recorded && !result->answer_count &&
           (result->verdict == VERDICT_FAIL || result->verdict == VERDICT_NONDETERMINISTIC);
}

static bool has_values(const struct judge_answer *answer)
{
    return answer->outcome == HOST_OK || answer->outcome == HOST_ENVIRONMENT;
}

// A result that holds nothing but the answer, or those of its outputs that `without` does not name.
static enum error only_answer(const struct judge_result *result, const struct judge_answer *answer,
                              const struct known_patterns *without, struct arena *arena,
                              struct judge_result *only, struct diagnostic *diagnostic)
{
    *only = *result;
    only->by_default = false;
    only->windows = NULL;
    only->output_count = 0;
    only->outputs = arena_take_array(arena, answer->output_count + 1, sizeof *only->outputs);
    if (!only->outputs)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < answer->output_count; i++)
        if (!without || !known_fits(without, answer->outputs[i].name))
            only->outputs[only->output_count++] = answer->outputs[i];
    if (without)
        only->observed = false; // states may be among what is left out
    return ERROR_NONE;
}

static enum error fits(const struct judge_run *run, const struct judge_result *result,
                       const struct named_profile *profile, bool *matches,
                       struct diagnostic *diagnostic)
{
    return result->required == LEVEL_BOUND
               ? judge_is_near(run->suite, &run->model, result, profile, matches, diagnostic)
               : judge_matches(run->suite, result, profile, matches, diagnostic);
}

enum error known_answer_is_right(const struct judge_run *run, const struct judge_result *result,
                                 const struct judge_answer *answer, bool *right,
                                 struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct judge_result only;
    *right = false;
    if (!has_values(answer))
        return ERROR_NONE;
    enum error error = only_answer(result, answer, NULL, &arena, &only, diagnostic);
    if (!error)
        error = fits(run, &only, &run->profile, right, diagnostic);
    arena_release(&arena);
    return error;
}

// Whether the reference under the profile gives what an answer without values says: a refusal, or
// an output of another type or shape.
static enum error fits_message(const struct judge_run *run, const struct judge_result *result,
                               const struct named_profile *profile,
                               const struct judge_answer *answer, bool *matches,
                               struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    struct diagnostic refusal;
    char shape[128], said[256];
    const enum error error =
        judge_evaluate(run->suite, result->of, profile, &arena, &request, &evaluation, &refusal);
    *matches = answer->outcome == HOST_REJECTED && error;
    for (unsigned i = 0; !error && answer->outcome == HOST_WRONG_RESULT && answer->message &&
                         request.operation->outputs[i] && !*matches;
         i++) {
        if (!tensor_present(&evaluation.tensor[i]))
            continue;
        const int length =
            snprintf(said, sizeof said, "output '%s' is %s;", request.operation->outputs[i],
                     tensor_describe(&evaluation.tensor[i], shape, sizeof shape));
        *matches = length > 0 && !strncmp(answer->message, said, (size_t)length);
    }
    arena_release(&arena);
    if (error == ERROR_INTERNAL)
        *diagnostic = refusal;
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

static enum error equals(const struct judge_run *run, const struct judge_result *result,
                         const struct named_profile *profile, const struct judge_answer *answer,
                         bool *matches, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct judge_result only;
    // Nothing speaks against the entry where a record shows no values.
    *matches = known_is_open(result);
    if (!answer)
        return result->valued && result->verdict == VERDICT_FAIL
                   ? fits(run, result, profile, matches, diagnostic)
                   : ERROR_NONE;
    if (!has_values(answer))
        return fits_message(run, result, profile, answer, matches, diagnostic);
    enum error error = only_answer(result, answer, NULL, &arena, &only, diagnostic);
    if (!error)
        error = fits(run, &only, profile, matches, diagnostic);
    arena_release(&arena);
    return error;
}

// A record says of one output that it was not written.
static bool is_said_unwritten(const struct known_entry *entry, const struct judge_result *result)
{
    char name[64];
    return result->reason &&
           sscanf(result->reason, "element %*u of output '%63[^']' was never written", name) == 1 &&
           known_fits(&entry->claimed, name);
}

// What the named outputs hold is chance; the others must be right.
static enum error is_unwritten(const struct known_entry *entry, const struct judge_run *run,
                               const struct judge_result *result, const struct judge_answer *answer,
                               bool *unwritten, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct judge_result only;
    if (!answer && result->recorded)
        *unwritten = is_said_unwritten(entry, result);
    if (!answer || !has_values(answer))
        return ERROR_NONE;
    enum error error = only_answer(result, answer, &entry->claimed, &arena, &only, diagnostic);
    *unwritten = !error && only.output_count < answer->output_count;
    if (*unwritten && only.output_count)
        error = fits(run, &only, &run->profile, unwritten, diagnostic);
    arena_release(&arena);
    return error;
}

static bool is_killed(const struct judge_result *result, long long signal)
{
    char text[48];
    const int length = snprintf(text, sizeof text, "killed by signal %lld ", signal);
    return result->verdict == VERDICT_CRASH && result->reason &&
           !strncmp(result->reason, text, (size_t)length);
}

// What must be refused is not kept as an answer: that it failed stands in the reason.
static bool is_refused(const struct known_entry *entry, const struct judge_result *result,
                       const struct judge_answer *answer)
{
    static const char failed[] = "failed: ";
    const char *said = result->reason;
    if (answer)
        said = answer->outcome == HOST_REJECTED || answer->outcome == HOST_FAILED ? answer->message
                                                                                  : NULL;
    else if (said &&
             (result->verdict != VERDICT_FAIL || strncmp(said, failed, sizeof failed - 1) != 0))
        said = NULL;
    return said && known_fits(&entry->claimed, said);
}

enum error known_claim_explains(const struct known_entry *entry,
                                const struct named_profile *profile, const struct judge_run *run,
                                const struct judge_result *result,
                                const struct judge_answer *answer, bool *explains,
                                struct diagnostic *diagnostic)
{
    assert(verdict_is_failure(result->verdict));
    *explains = false;
    if (entry->verdict != VERDICT_COUNT && entry->verdict != VERDICT_NONDETERMINISTIC &&
        entry->verdict != result->verdict)
        return ERROR_NONE;
    switch (entry->claim) {
    case KNOWN_EQUALS:
        return equals(run, result, profile, answer, explains, diagnostic);
    case KNOWN_UNWRITTEN:
        return is_unwritten(entry, run, result, answer, explains, diagnostic);
    case KNOWN_REFUSED:
        *explains = is_refused(entry, result, answer);
        break;
    case KNOWN_SIGNAL:
        *explains = is_killed(result, entry->signal);
        break;
    case KNOWN_ACCEPTED:
        *explains = result->verdict == VERDICT_ACCEPTED;
        break;
    case KNOWN_IN_WORDS:
    case KNOWN_UNEXPLAINED:
        *explains = true;
        break;
    case KNOWN_CLAIMS:
        break;
    }
    return ERROR_NONE;
}

// Whether the reference gives under `profile` what it gives under that of the run: a record of a
// case that passes holds no values.
static enum error is_same(const struct judge_run *run, const struct judge_result *result,
                          const struct named_profile *profile, bool *same,
                          struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation right, other;
    enum error error =
        judge_evaluate(run->suite, result->of, &run->profile, &arena, &request, &right, diagnostic);
    if (!error)
        error =
            judge_evaluate(run->suite, result->of, profile, &arena, &request, &other, diagnostic);
    *same = !error;
    for (uint32_t i = 0; *same && i < (request.runs ? request.runs : 1) * OPERATION_OUTPUTS_MAX;
         i++) {
        const struct tensor *const a = &right.tensor[i], *const b = &other.tensor[i];
        uint64_t count = request.window_count;
        if (!tensor_present(a) && !tensor_present(b))
            continue;
        *same = tensor_present(a) && tensor_present(b) && a->dtype == b->dtype &&
                tensor_same_shape(a, b) && (request.windowed || tensor_count(a, &count)) &&
                compare_first_difference(a->dtype, a->data, b->data, count) == count;
    }
    arena_release(&arena);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

enum error known_claim_may_pass(const struct known_entry *entry,
                                const struct named_profile *profile, const struct judge_run *run,
                                const struct judge_result *result, bool *may_pass,
                                struct diagnostic *diagnostic)
{
    // Wrong values may agree; where bits are wanted, what is here was held to them, too.
    const bool relates = result->of->relation.kind != RELATION_NONE;
    *may_pass = entry->claim == KNOWN_EQUALS && relates &&
                (result->required != LEVEL_BITS || result->recorded);
    if (*may_pass)
        return ERROR_NONE;
    if (entry->claim == KNOWN_EQUALS && result->recorded && result->valued &&
        result->required == LEVEL_BITS)
        return is_same(run, result, profile, may_pass, diagnostic);
    if (entry->claim != KNOWN_EQUALS || !result->valued ||
        !(relates || suite_case_has_values(result->of)))
        return ERROR_NONE;
    return result->required == LEVEL_BOUND
               ? judge_may_be_near(run->suite, &run->model, result, profile, may_pass, diagnostic)
               : judge_matches(run->suite, result, profile, may_pass, diagnostic);
}
