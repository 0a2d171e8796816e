// SPDX-License-Identifier: Apache-2.0
// What the answers of a case's calls mean: outcomes first, then unwritten elements, then
// differences between equal calls.

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/compare/convert.h"
#include "harness/judge/compare/draws_law.h"
#include "harness/judge/run/trial.h"
#include "ref/base/bytes.h"

__attribute__((format(printf, 5, 6))) static void conclude(struct judge_result *result,
                                                           struct arena *arena,
                                                           enum verdict verdict,
                                                           const struct host_conditions *conditions,
                                                           const char *format, ...)
{
    char text[HOST_MESSAGE_SIZE + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    result->verdict = verdict;
    result->reason = text[0] ? arena_copy_text(arena, text, strlen(text)) : NULL;
    result->placed = conditions != NULL;
    if (conditions)
        result->condition = *conditions;
}

// The verdict of one answer; VERDICT_PASS when nothing speaks against it. That the case was
// supported was said before.
static enum verdict verdict_of(const struct trial *trial, const struct host_call *call)
{
    const enum verdict outcome = verdict_of_outcome(call->outcome);
    if (call->outcome == HOST_UNRECORDED)
        return outcome;
    if (trial->of->survive && (outcome == VERDICT_FAIL || outcome == VERDICT_UNSUPPORTED))
        return VERDICT_PASS;
    // Who computes something of another shape than the nearest valid request has, refused nothing.
    if (trial->negative && !trial->of->survive &&
        (call->outcome == HOST_OK || call->outcome == HOST_WRONG_RESULT))
        return VERDICT_ACCEPTED;
    if (trial->negative && call->outcome == HOST_REJECTED)
        return VERDICT_PASS;
    return outcome == VERDICT_UNSUPPORTED ? VERDICT_FAIL : outcome;
}

static void conclude_call(struct judge_result *result, struct arena *arena,
                          const struct host_call *call, enum verdict verdict)
{
    static const char *const before[] = {[HOST_REJECTED] = "refused: ",
                                         [HOST_FAILED] = "failed: ",
                                         [HOST_WRONG_RESULT] = "wrong result: ",
                                         [HOST_UNSUPPORTED] =
                                             "said that it supports this, and at the run: "};
    const char *const prefix = verdict == VERDICT_FAIL &&
                                       (size_t)call->outcome < sizeof before / sizeof before[0] &&
                                       before[call->outcome]
                                   ? before[call->outcome]
                                   : "";
    const char *const text = verdict == VERDICT_ACCEPTED ? "was not refused" : call->message;
    conclude(result, arena, verdict, &call->conditions, "%s%s", prefix, text);
}

// What every call gave, where it has another dtype or shape than was asked for.
static const struct host_received *find_received(const struct trial *trial,
                                                 struct host_call *const *calls)
{
    const struct host_received *first = NULL;
    for (size_t u = 0; u < trial->unit_count; u++)
        for (size_t i = 0; i < trial->unit[u].count; i++) {
            const struct host_call *const call =
                &calls[trial->unit[u].pass][trial->unit[u].call + i];
            first = first ? first : &call->received;
            if (call->outcome != HOST_WRONG_RESULT || !call->received.there ||
                call->received.tensor.dtype != first->tensor.dtype ||
                !tensor_same_shape(&call->received.tensor, &first->tensor) ||
                memcmp(call->received.data, first->data, sizeof first->data) != 0)
                return NULL;
        }
    return first;
}

enum { ENOUGH_BITS = 128 }; // random bits: right draws of so many never are the same

static bool all_refused(const struct trial *trial, struct host_call *const *calls)
{
    bool all = true;
    for (size_t u = 0; u < trial->unit_count; u++)
        for (size_t i = 0; i < trial->unit[u].count && all; i++)
            all = calls[trial->unit[u].pass][trial->unit[u].call + i].outcome == HOST_REJECTED;
    return all;
}

// The first answer that speaks against the target; a change of the environment only when nothing
// worse does.
static const struct host_call *find_bad(const struct trial *trial, struct host_call *const *calls,
                                        enum verdict *verdict)
{
    const struct host_call *environment = NULL;
    for (size_t u = 0; u < trial->unit_count; u++)
        for (size_t i = 0; i < trial->unit[u].count; i++) {
            const struct host_call *const call =
                &calls[trial->unit[u].pass][trial->unit[u].call + i];
            *verdict = verdict_of(trial, call);
            if (*verdict == VERDICT_ENVIRONMENT)
                environment = environment ? environment : call;
            else if (*verdict != VERDICT_PASS)
                return call;
        }
    *verdict = VERDICT_ENVIRONMENT;
    return environment;
}

// How the conditions of two calls differ, in words.
static const char *describe_difference(const struct host_description *description,
                                       const struct trial_unit *a, const struct trial_unit *b,
                                       char *text, size_t size)
{
    char first[160], second[160];
    if (a == b)
        snprintf(text, size, "two calls at the same time");
    else
        snprintf(text, size, "%s%s; %s%s",
                 conditions_describe(description, &a->conditions, first, sizeof first),
                 a->pass ? " in reverse order" : "",
                 conditions_describe(description, &b->conditions, second, sizeof second),
                 b->pass ? " in reverse order" : "");
    return text;
}

// Whether equal calls under these conditions may give different bits, within bounds: by the
// target's own word, or since two feeds of a process target are two programs that it makes.
static bool may_differ(const struct host_description *description, const struct host_conditions *a,
                       const struct host_conditions *b)
{
    return description->capabilities & ASSAY_CAPABILITY_NONDETERMINISTIC ||
           (description->process && a->feed != b->feed);
}

// Compares one run of two units; true when the verdict is settled.
static bool compare_calls(struct trial *trial, const struct host_description *description,
                          const struct trial_unit *unit_a, const struct trial_unit *unit_b,
                          const struct host_call *a, const struct host_call *b, struct arena *arena)
{
    char text[512];
    struct judge_result *const result = trial->result;
    for (size_t o = 0; o < trial->call.output_count; o++) {
        const enum dtype dtype = trial->call.outputs[o].tensor.dtype;
        const uint64_t count = trial_output_count(trial, o);
        const void *const from_a = trial_output_data(trial, a, o);
        const void *const from_b = trial_output_data(trial, b, o);
        const uint64_t at = compare_first_difference(dtype, from_a, from_b, count);
        if (at ==
            count) // then every element was written, too: the poisons differ, and neither is a NaN
            continue;
        const bool swapped = a->conditions.poison == HOST_POISON_B;
        if (a->conditions.poison != b->conditions.poison && !description->process) {
            const uint64_t unwritten = compare_first_unwritten(dtype, swapped ? from_b : from_a,
                                                               swapped ? from_a : from_b, count);
            if (unwritten < count) {
                conclude(result, arena, VERDICT_MEMORY, &b->conditions,
                         "element %llu of output '%s' was never written",
                         (unsigned long long)unwritten, trial->call.outputs[o].name);
                return true;
            }
        }
        // Where bits are wanted, two answers cannot both be right; within bounds both are held to
        // them. A seed starts the draws of an instance; those of its later runs may go on.
        const bool later = a->conditions.again || b->conditions.again || a->conditions.together ||
                           b->conditions.together;
        if ((trial->chance && (!trial->repeats || later)) ||
            (result->required == LEVEL_BOUND &&
             may_differ(description, &a->conditions, &b->conditions)))
            continue;
        char hex_a[2 * sizeof(uint64_t) + 1], hex_b[2 * sizeof(uint64_t) + 1];
        bytes_write_hex(hex_a, element_load(from_a, dtype_size(dtype), (size_t)at),
                        dtype_size(dtype));
        bytes_write_hex(hex_b, element_load(from_b, dtype_size(dtype), (size_t)at),
                        dtype_size(dtype));
        conclude(result, arena, VERDICT_NONDETERMINISTIC, &b->conditions,
                 "element %llu of output '%s' is %s in one call and %s in an equal one: %s",
                 (unsigned long long)at, trial->call.outputs[o].name, hex_a, hex_b,
                 describe_difference(description, unit_a, unit_b, text, sizeof text));
        return true;
    }
    return false;
}

static bool compare_units(struct trial *trial, const struct host_description *description,
                          struct host_call *const *calls, struct arena *arena)
{
    const struct trial_unit *const first = &trial->unit[0];
    for (size_t u = 0; u < trial->unit_count; u++) {
        const struct trial_unit *const unit = &trial->unit[u];
        for (size_t i = 0; i < unit->count; i++) {
            // A companion that ran at the same time stands for the same run.
            const size_t run = unit->conditions.together ? 0 : i;
            const struct host_call *const a = &calls[first->pass][first->call + run],
                                          *const b = &calls[unit->pass][unit->call + i];
            if (a != b && !(b->alike && b->like == a) &&
                compare_calls(trial, description, first, unit, a, b, arena))
                return true;
        }
    }
    return false;
}

// What the specification leaves to chance must differ from call to call, where there is room for
// it and no seed, lie in its range, and follow its law: the draws of each call, as few as they are,
// and more of them, for which the shape alone differs. Right draws are accused with a chance below
// `chance`, and `text` says of what; 0: their law is not looked at. `salt` tells calls apart. What
// has no law that is known is taken as it came.
static enum error check_draws(const struct trial *trial, const struct request *request,
                              const struct host_call *call, uint64_t salt, double chance,
                              bool *right, char text[HOST_MESSAGE_SIZE], struct draws *draws,
                              struct arena *arena, struct diagnostic *diagnostic)
{
    struct draws_law law;
    const enum dtype dtype = call->request->outputs[0].tensor.dtype;
    const void *const data = trial_output_data(trial, call, 0);
    const uint64_t count = judge_output_count(call->request, 0);
    *right = true;
    *draws = (struct draws){.dtype = dtype, .data = data, .count = count};
    if (!draws_take_law(request, dtype, &law))
        return ERROR_NONE;
    const enum error error = draws_take(&law, data, count, salt, arena, draws, right, text,
                                        HOST_MESSAGE_SIZE, diagnostic);
    return !error && *right && chance > 0
               ? draws_judge(draws, chance, right, text, HOST_MESSAGE_SIZE, diagnostic)
               : error;
}

// The draws of larger call `index`: false to *right, and concluded, where they are none or wrong.
static enum error check_more(struct trial *trial, const struct trial_draws *more, unsigned index,
                             double chance, bool *right, struct draws *draws,
                             struct judge_result *audit, struct arena *kept, struct arena *arena,
                             struct diagnostic *diagnostic)
{
    enum { APART = 1 << 20 }; // from the salts of calls
    char text[HOST_MESSAGE_SIZE];
    const struct host_call *const call = more[index].call;
    const enum verdict verdict = verdict_of(trial, call);
    *right = verdict == VERDICT_PASS;
    if (!*right) {
        conclude_call(audit, kept, call, verdict);
        return ERROR_NONE;
    }
    const enum error error = check_draws(trial, more[index].asked, call, APART + index, chance,
                                         right, text, draws, arena, diagnostic);
    if (!error && !*right)
        conclude(audit, kept, VERDICT_FAIL, &call->conditions, "%s", text);
    return error;
}

// The second larger call has another seed, where the first has one.
static void find_same_of_seeds(struct trial *trial, const struct trial_draws *more,
                               const struct draws *draws, struct judge_result *audit,
                               struct arena *kept)
{
    const struct host_call *const one = more[0].call, *const other = more[1].call;
    if (trial->repeats && draws_bits(draws) >= ENOUGH_BITS &&
        compare_first_difference(one->request->outputs[0].tensor.dtype,
                                 trial_output_data(trial, one, 0),
                                 trial_output_data(trial, other, 0), draws->count) == draws->count)
        conclude(audit, kept, VERDICT_FAIL, &other->conditions, "two seeds gave the same draws");
}

// Of those in several dimensions the law alone is looked at, with what is left of the chance.
enum error trial_audit_draws(struct trial *trial, const struct trial_draws more[TRIAL_MORE],
                             struct arena *kept, struct arena *arena, struct diagnostic *diagnostic)
{
    assert(more[0].call && more[1].call);
    char text[HOST_MESSAGE_SIZE];
    struct draws draws;
    bool flawed = false, right = true;
    struct judge_result *const audit = arena_take(kept, sizeof *audit);
    if (!audit)
        return diagnostic_no_memory(diagnostic);
    trial->audit = audit;
    enum error error =
        check_more(trial, more, 0, 0, &right, &draws, audit, kept, arena, diagnostic);
    if (!error && right)
        error = draws_audit(&draws, &flawed, text, sizeof text, diagnostic);
    if (error || !right)
        return error;
    audit->compared = draws.count;
    conclude(audit, kept, flawed ? VERDICT_FAIL : VERDICT_PASS, NULL, "%s", text);
    if (flawed)
        return ERROR_NONE;
    error = check_more(trial, more, 1, 2e-10, &right, &draws, audit, kept, arena, diagnostic);
    if (!error && right)
        find_same_of_seeds(trial, more, &draws, audit, kept);
    return error;
}

// What was found in more draws stands for the case.
static void take_audit(const struct trial *trial, size_t calls, struct arena *arena)
{
    const struct judge_result *const audit = trial->audit;
    if (!audit) {
        conclude(trial->result, arena, VERDICT_VACUOUS, NULL,
                 "%smore draws cannot be asked for, so the law is not tested",
                 calls > 1 ? "two runs differ; " : "");
        return;
    }
    trial->result->compared = audit->compared ? audit->compared : trial->result->compared;
    conclude(trial->result, arena, audit->verdict, audit->placed ? &audit->condition : NULL, "%s",
             audit->reason ? audit->reason : "");
}

// Call `index` of all that the trial makes.
static const struct host_call *call_at(const struct trial *trial, struct host_call *const *calls,
                                       size_t index)
{
    size_t u = 0;
    for (; index >= trial->unit[u].count; u++)
        index -= trial->unit[u].count;
    return &calls[trial->unit[u].pass][trial->unit[u].call + index];
}

// Of every two calls: draws that repeat those of another call, or depend on them, are not random.
static enum error judge_pairs(struct trial *trial, struct host_call *const *calls,
                              const struct draws *draws, size_t all, double chance, bool *right,
                              struct arena *arena, struct diagnostic *diagnostic)
{
    char text[HOST_MESSAGE_SIZE];
    enum error error = ERROR_NONE;
    if (!draws->law && draws->low == draws->high)
        return ERROR_NONE;
    for (size_t a = 0; a < all && !error && *right; a++)
        for (size_t b = a + 1; b < all && !error && *right; b++) {
            error =
                draws_judge_two(&draws[a], &draws[b], chance, right, text, sizeof text, diagnostic);
            if (!error && !*right)
                conclude(trial->result, arena, VERDICT_FAIL, &call_at(trial, calls, b)->conditions,
                         "calls %zu and %zu of %zu, draw by draw in turn: %s", a + 1, b + 1, all,
                         text);
        }
    return error;
}

// Concludes where two processes begin with the same draws, or one of them does not answer.
static void find_equal_afresh(struct trial *trial, const struct draws *draws, struct arena *arena)
{
    for (size_t i = 0; i < TRIAL_FRESH; i++) {
        const struct host_call *const call = trial->fresh[i];
        const enum verdict verdict = call ? verdict_of(trial, call) : VERDICT_PASS;
        if (!call)
            return;
        if (verdict != VERDICT_PASS) {
            conclude_call(trial->result, arena, call, verdict);
            return;
        }
    }
    if (draws_bits(draws) < ENOUGH_BITS ||
        compare_first_difference(
            trial->call.outputs[0].tensor.dtype, trial_output_data(trial, trial->fresh[0], 0),
            trial_output_data(trial, trial->fresh[1], 0), draws->count) < draws->count)
        return;
    conclude(trial->result, arena, VERDICT_FAIL, &trial->fresh[1]->conditions,
             "two processes, started a second apart, begin with the same values: draws without a "
             "seed must differ");
}

// Two calls, at the same time or not, that gave the same draws, where right ones hardly can.
static bool find_equal(struct trial *trial, struct host_call *const *calls, size_t all,
                       const struct draws *draws, struct arena *arena)
{
    const enum dtype dtype = trial->call.outputs[0].tensor.dtype;
    if (draws_bits(draws) < ENOUGH_BITS)
        return false;
    for (size_t a = 0; a < all; a++)
        for (size_t b = a + 1; b < all; b++) {
            const struct host_call *const one = call_at(trial, calls, a);
            const struct host_call *const other = call_at(trial, calls, b);
            if (compare_first_difference(dtype, trial_output_data(trial, one, 0),
                                         trial_output_data(trial, other, 0),
                                         draws->count) < draws->count)
                continue;
            conclude(trial->result, arena, VERDICT_FAIL, &other->conditions,
                     "two runs gave the same values: draws without a seed must differ");
            return true;
        }
    return false;
}

// Of calls that a seed makes equal the first is looked at: they were compared before.
static enum error judge_chance(struct trial *trial, struct host_call *const *calls,
                               struct arena *arena, struct diagnostic *diagnostic)
{
    char text[HOST_MESSAGE_SIZE];
    size_t all = 0;
    bool right = true;
    enum error error = ERROR_NONE;
    for (size_t u = 0; u < trial->unit_count; u++)
        all += trial->unit[u].count;
    all = trial->repeats ? 1 : all;
    struct draws *const draws = arena_take_array(&trial->arena, all, sizeof *draws);
    if (!draws)
        return diagnostic_no_memory(diagnostic);
    // The chance that right draws of any call, or of any two, are accused: 5e-10 for all of them.
    const double chance = 5e-10 / ((double)all * ((double)all + 1) / 2);
    for (size_t i = 0; i < all && !error && right; i++) {
        const struct host_call *const call = call_at(trial, calls, i);
        error = check_draws(trial, &trial->request, call, i, chance, &right, text, &draws[i],
                            &trial->arena, diagnostic);
        if (!error && !right)
            conclude(trial->result, arena, VERDICT_FAIL, &call->conditions, "%s", text);
    }
    if (error || !right || find_equal(trial, calls, all, draws, arena))
        return error;
    error = judge_pairs(trial, calls, draws, all, chance, &right, arena, diagnostic);
    if (!error && right)
        take_audit(trial, all, arena);
    if (!error && trial->result->verdict == VERDICT_PASS)
        find_equal_afresh(trial, draws, arena);
    return error;
}

enum error trial_judge(struct trial *trial, const struct host_description *description,
                       struct host_call *const *calls, struct arena *arena,
                       const struct host_call **valued, struct diagnostic *diagnostic)
{
    assert(trial->result && trial->unit_count);
    struct judge_result *const result = trial->result;
    enum verdict verdict = VERDICT_PASS;
    *valued = NULL;
    result->conditions = 0;
    result->nanoseconds = UINT64_MAX;
    for (size_t u = 0; u < trial->unit_count; u++) {
        const struct host_call *const call = &calls[trial->unit[u].pass][trial->unit[u].call];
        result->conditions++;
        if (call->nanoseconds < result->nanoseconds)
            result->nanoseconds = call->nanoseconds;
    }
    const struct host_call *const bad = find_bad(trial, calls, &verdict);
    if (bad) {
        conclude_call(result, arena, bad, verdict);
        result->refused = !trial->negative && !trial->chance && all_refused(trial, calls);
        if (!trial->negative && !trial->chance && trial->runs == 1)
            trial->received = find_received(trial, calls);
        if (verdict != VERDICT_ENVIRONMENT || trial->negative)
            return ERROR_NONE;
    } else if (trial->negative) {
        // No shape was expected of what is undefined.
        const struct host_call *const first = &calls[trial->unit[0].pass][trial->unit[0].call];
        conclude(result, arena, trial->of->survive ? VERDICT_SURVIVED : VERDICT_REJECTED, NULL,
                 "%s", first->outcome == HOST_WRONG_RESULT ? "" : first->message);
        return ERROR_NONE;
    } else
        conclude(result, arena, VERDICT_PASS, NULL, "%s", "");
    for (size_t u = 0; u < trial->unit_count; u++)
        for (size_t i = 0; i < trial->unit[u].count; i++)
            if (!calls[trial->unit[u].pass][trial->unit[u].call + i].answered)
                return ERROR_NONE;
    if (compare_units(trial, description, calls, arena))
        return ERROR_NONE;
    if (trial->chance)
        return bad ? ERROR_NONE : judge_chance(trial, calls, arena, diagnostic);
    *valued = &calls[trial->unit[0].pass][trial->unit[0].call];
    return ERROR_NONE;
}
