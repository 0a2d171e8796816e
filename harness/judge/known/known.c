// SPDX-License-Identifier: Apache-2.0
// Which entries cover a case, and what is said of it then. What an entry claims is held against the
// answers in claim.c.

#include "harness/judge/known/known.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/known/claim.h"

// ---- what an entry covers ---------------------------------------------------

static bool holds(const struct known_entry *entry, const char *target, const struct judge_run *run)
{
    const char *const class = processor_class_held(run->machine.class, run->held_to);
    return known_fits(&entry->target, target) && known_fits(&entry->suite, run->suite->name) &&
           (!entry->version || !fnmatch(entry->version, run->description.version, 0)) &&
           (!entry->isa || !fnmatch(entry->isa, class, 0)) &&
           (!entry->mode || judge_mode_named(entry->mode) == run->mode) &&
           (!entry->threads || entry->threads == run->machine.threads);
}

// A case, and its request once an entry has needed it.
struct asked {
    const struct suite *suite;
    const struct suite_case *of;
    bool made, failed;
    struct request request;
    struct arena arena;
};

static const char *text_of_attribute(const struct attribute_spec *spec,
                                     const struct attribute_value *value, char *text, size_t size)
{
    if (!value->present)
        return "absent";
    switch (spec->kind) {
    case ATTRIBUTE_WORD:
        return spec->words[value->integer];
    case ATTRIBUTE_DTYPE:
        return dtype_name((enum dtype)value->integer);
    case ATTRIBUTE_BOOLEAN:
        return value->integer ? "true" : "false";
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_INTEGER64:
        snprintf(text, size, "%lld", (long long)value->integer);
        return text;
    case ATTRIBUTE_REAL:
        snprintf(text, size, "%.9g", value->real);
        return text;
    case ATTRIBUTE_SIZES:
    case ATTRIBUTE_WORDS:
    case ATTRIBUTE_REALS:
        break;
    }
    return "given";
}

static const char *text_of_input(const struct tensor *tensor, const char *what, char *text,
                                 size_t size)
{
    if (!tensor_present(tensor))
        return "absent";
    if (!strcmp(what, ".dtype"))
        return dtype_name(tensor->dtype);
    if (strcmp(what, ".shape") != 0)
        return "given";
    size_t at = 0;
    text[0] = '\0';
    for (unsigned d = 0; d < tensor->rank && at < size; d++)
        at += (size_t)snprintf(text + at, size - at, "%s%llu", d ? "x" : "",
                               (unsigned long long)tensor->shape[d]);
    return text;
}

// What `key` asks of the request; NULL: its operation has nothing of that name.
static const char *text_of(const struct request *request, const char *key, char *text, size_t size)
{
    const struct operation *const operation = request->operation;
    if (!strcmp(key, "op"))
        return operation->name;
    const int attribute = operation_attribute(operation, key);
    if (attribute >= 0)
        return text_of_attribute(&operation->attributes[attribute], &request->attribute[attribute],
                                 text, size);
    for (unsigned i = 0; i < operation->input_count; i++) {
        const size_t length = strlen(operation->inputs[i].name);
        const char *const rest = key + length;
        if (!strncmp(key, operation->inputs[i].name, length) &&
            (!*rest || !strcmp(rest, ".dtype") || !strcmp(rest, ".shape")))
            return text_of_input(&request->input[i], rest, text, size);
    }
    return NULL;
}

// Whether the request has what is asked of it; "*.dtype" asks for some input of that type.
static bool has(const struct known_where *where, const struct request *request)
{
    char text[128];
    if (where->key[0] != '*') {
        const char *const found = text_of(request, where->key, text, sizeof text);
        return found && known_fits(&where->value, found);
    }
    for (unsigned i = 0; i < request->operation->input_count; i++)
        if (known_fits(&where->value,
                       text_of_input(&request->input[i], where->key + 1, text, sizeof text)))
            return true;
    return false;
}

// What must be refused need not be a request, so that nothing can be asked of it.
static bool covers(const struct known_entry *entry, struct asked *asked)
{
    struct diagnostic ignored;
    if (!known_fits(&entry->id, asked->of->id))
        return false;
    if (!entry->where_count)
        return true;
    if (!asked->made)
        asked->failed =
            !suite_case_is_answered(asked->of) ||
            suite_case_shapes(asked->suite, asked->of, &asked->arena, &asked->request, &ignored);
    asked->made = true;
    for (size_t i = 0; i < entry->where_count && !asked->failed; i++)
        if (!has(&entry->where[i], &asked->request))
            return false;
    return !asked->failed;
}

// ---- what is said of a case -------------------------------------------------

// Entries that were consulted for a run, one row for each of their alternatives, one after the
// other; and which of them cover the case at hand.
struct consulted {
    struct known_entry **entry;
    struct named_profile *profile;
    bool *covers;
    size_t count;
};

static bool is_fed(const struct judge_run *run, const struct known_entry *entry, uint32_t feed)
{
    return !entry->feed || feed == RESULT_ANY_FEED ||
           (feed < run->description.feed_count &&
            !strcmp(run->description.feeds[feed], entry->feed));
}

// Adds an entry's reason to what is known, once.
static bool add_why(struct judge_run *run, struct judge_result *result, const char *why)
{
    if (!result->known.why)
        result->known.why = why;
    else if (!strstr(result->known.why, why))
        result->known.why = arena_print(&run->arena, "%s; %s", result->known.why, why);
    return result->known.why != NULL;
}

// The first entry that explains the answer, marked; NULL: none does.
static enum error explain_answer(struct judge_run *run, const struct consulted *consulted,
                                 struct judge_result *result, const struct judge_answer *answer,
                                 bool *explained, struct diagnostic *diagnostic)
{
    *explained = false;
    for (size_t i = 0; i < consulted->count; i++) {
        struct known_entry *const entry = consulted->entry[i];
        if (!consulted->covers[i] || (answer && !is_fed(run, entry, answer->feed)))
            continue;
        const enum error error = known_claim_explains(entry, &consulted->profile[i], run, result,
                                                      answer, explained, diagnostic);
        if (error)
            return error;
        if (!*explained)
            continue;
        entry->used++;
        result->known.line = result->known.line ? result->known.line : entry->line;
        return add_why(run, result, entry->why) ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    }
    return ERROR_NONE;
}

// The line of the first entry that covers the case at hand.
static unsigned first_line(const struct consulted *consulted)
{
    size_t i = 0;
    while (i < consulted->count && !consulted->covers[i])
        i++;
    return i < consulted->count ? consulted->entry[i]->line : 0;
}

// Every wrong answer must be explained; where none is wrong by itself, the failure as a whole.
static enum error judge_failure(struct judge_run *run, const struct consulted *consulted,
                                struct judge_result *result, struct diagnostic *diagnostic)
{
    bool explained = true, any = false;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < result->answer_count && explained && !error; i++) {
        bool right = false;
        error = known_answer_is_right(run, result, &result->answer[i], &right, diagnostic);
        if (error || right)
            continue;
        any = true;
        error = explain_answer(run, consulted, result, &result->answer[i], &explained, diagnostic);
    }
    if (!error && !any)
        error = explain_answer(run, consulted, result, NULL, &explained, diagnostic);
    if (error || explained)
        return error;
    result->known = (struct judge_known){.line = first_line(consulted)};
    result->reason = arena_print(&run->arena, "not what the known failures say of it%s%s",
                                 result->reason ? "; " : "", result->reason ? result->reason : "");
    return result->reason ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// Whether a case that passes may do so for row `i` of what was consulted, or for another
// alternative of its entry; *i becomes the last of them.
static enum error may_pass(struct judge_run *run, const struct consulted *consulted,
                           const struct judge_result *result, size_t *i, bool *may,
                           struct diagnostic *diagnostic)
{
    const struct known_entry *const entry = consulted->entry[*i];
    enum error error = ERROR_NONE;
    *may = false;
    for (size_t k = *i; k < consulted->count && consulted->entry[k] == entry && !error; k++) {
        if (!*may)
            error =
                known_claim_may_pass(entry, &consulted->profile[k], run, result, may, diagnostic);
        *i = k;
    }
    return error;
}

// What passes must be what the entries say as well, or they say something wrong.
static enum error judge_pass(struct judge_run *run, const struct consulted *consulted,
                             struct judge_result *result, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < consulted->count; i++) {
        const struct known_entry *const entry = consulted->entry[i];
        bool fed = !entry->feed, may = false;
        for (uint32_t f = 0; f < HOST_FEEDS_MAX; f++)
            fed = fed || ((result->feeds >> f & 1) && is_fed(run, entry, f));
        if (!consulted->covers[i] || !fed || entry->by_chance)
            continue;
        const enum error error = may_pass(run, consulted, result, &i, &may, diagnostic);
        if (error)
            return error;
        if (!may)
            result->known =
                (struct judge_known){.why = entry->why, .cured = true, .line = entry->line};
    }
    return ERROR_NONE;
}

static enum error judge_case(struct judge_run *run, struct consulted *consulted, bool *covered,
                             struct judge_result *result, struct diagnostic *diagnostic)
{
    struct asked asked = {.suite = run->suite, .of = result->of};
    bool any = false;
    for (size_t i = 0; i < consulted->count; i++) {
        consulted->covers[i] = covers(consulted->entry[i], &asked);
        any = any || consulted->covers[i];
        covered[i] = covered[i] || consulted->covers[i];
    }
    arena_release(&asked.arena);
    if (!any || result->verdict == VERDICT_UNSUPPORTED || result->verdict == VERDICT_HARNESS)
        return ERROR_NONE;
    if (result->required == LEVEL_DISTRIBUTION && !verdict_is_failure(result->verdict))
        return ERROR_NONE; // no option reproduces random draws
    return verdict_is_failure(result->verdict) ? judge_failure(run, consulted, result, diagnostic)
                                               : judge_pass(run, consulted, result, diagnostic);
}

// The entries that hold for the run, with their profiles in the suite's numbers.
static enum error consult(struct known_list *list, const char *target, struct judge_run *run,
                          struct consulted *consulted, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t e = 0; e < list->count && !error; e++) {
        struct known_entry *const entry = &list->entry[e];
        if (!holds(entry, target, run))
            continue;
        entry->consulted = true;
        const size_t rows = entry->alternative_count ? entry->alternative_count : 1;
        for (size_t at = 0; at < rows && !error; at++) {
            consulted->entry[consulted->count] = entry;
            error = known_claim_profile(entry, at, run->suite,
                                        &consulted->profile[consulted->count++], diagnostic);
        }
    }
    return error;
}

// What fails and is not listed, on a class of processors that the list does not cover.
static enum error mark_unlisted(const struct known_list *list, struct judge_run *run,
                                struct diagnostic *diagnostic)
{
    const char *const class = processor_class_held(run->machine.class, run->held_to);
    if (!run->native || (list->classes.count && known_fits(&list->classes, class)))
        return ERROR_NONE;
    const char *const why = arena_print(&run->arena, "unlisted: no list covers %s", class);
    for (size_t i = 0; i < run->result_count && why; i++) {
        struct judge_result *const result = &run->result[i];
        const bool open = result->known.why ? result->known.cured
                                            : verdict_is_failure(result->verdict) &&
                                                  result->verdict != VERDICT_HARNESS;
        if (open)
            result->known = verdict_is_failure(result->verdict)
                                ? (struct judge_known){.why = why, .unlisted = true}
                                : (struct judge_known){0};
    }
    return why ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

enum error known_apply(struct known_list *list, const char *target, struct judge_run *run,
                       struct diagnostic *diagnostic)
{
    assert(list && target && run->suite);
    struct arena arena = {0};
    size_t rows = 1;
    for (size_t e = 0; e < list->count; e++)
        rows += list->entry[e].alternative_count ? list->entry[e].alternative_count : 1;
    struct consulted consulted = {
        .entry = arena_take_array(&arena, rows, sizeof *consulted.entry),
        .profile = arena_take_array(&arena, rows, sizeof *consulted.profile),
        .covers = arena_take_array(&arena, rows, sizeof *consulted.covers)};
    bool *const covered = arena_take_array(&arena, rows, sizeof *covered);
    enum error error = consulted.entry && consulted.profile && consulted.covers && covered
                           ? consult(list, target, run, &consulted, diagnostic)
                           : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < run->result_count && consulted.count && !error; i++)
        error = judge_case(run, &consulted, covered, &run->result[i], diagnostic);
    const bool whole = run->result_count == run->suite->case_count;
    for (size_t i = 0; i < consulted.count && whole; i++)
        if (!covered[i])
            consulted.entry[i]->idle = run->suite->name;
    arena_release(&arena);
    return error ? error : mark_unlisted(list, run, diagnostic);
}

size_t known_unexpected(const struct judge_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct judge_result *const result = &run->result[i];
        count += result->known.why ? result->known.cured : verdict_is_failure(result->verdict);
    }
    return count;
}
