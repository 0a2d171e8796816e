// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/write/results_case.h"

#include <string.h>

#include "harness/judge/compare/verdict.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

const char *results_text(const struct document_node *record, const char *key)
{
    const char *const text = document_text(record, key);
    return text ? text : "";
}

enum error results_lines(const char *path, struct arena *arena, struct document_node ***records,
                         size_t *count, struct diagnostic *diagnostic)
{
    struct document_source file;
    size_t lines = 0;
    *count = 0;
    enum error error = file_read(path, arena, &file, diagnostic);
    for (size_t i = 0; i < file.size && !error; i++)
        lines += file.text[i] == '\n';
    *records = error ? NULL : arena_take_array(arena, lines + 1, sizeof **records);
    struct document_source *const line =
        error ? NULL : arena_take_array(arena, lines + 1, sizeof *line);
    if (!error && (!*records || !line))
        error = diagnostic_no_memory(diagnostic);
    for (size_t at = 0; !error && at < file.size; at += line[(*count)++].size + 1) {
        const char *const newline = memchr(file.text + at, '\n', file.size - at);
        line[*count] = (struct document_source){.name = path,
                                                .text = file.text + at,
                                                .size = newline ? (size_t)(newline - file.text) - at
                                                                : file.size - at};
        error = json_read(&line[*count], arena, &(*records)[*count], diagnostic);
        if (!error)
            error = document_expect((*records)[*count], DOCUMENT_MAPPING, "a record", diagnostic);
    }
    return error;
}

static bool is_wanted(const struct document_node *record, const char *id, const char *target,
                      const char *suite)
{
    return !strcmp(results_text(record, "record"), "case") &&
           !strcmp(results_text(record, "case"), id) &&
           (!target || !strcmp(results_text(record, "target"), target)) &&
           (!suite || !strcmp(results_text(record, "suite"), suite)) &&
           verdict_is_failure(verdict_named(results_text(record, "verdict")));
}

enum error results_find_case(const char *path, const char *id, const char *target,
                             const char *suite, struct arena *arena, struct results_case *found,
                             struct diagnostic *diagnostic)
{
    struct document_node **records;
    size_t count = 0;
    *found = (struct results_case){.target = NULL};
    enum error error = results_lines(path, arena, &records, &count, diagnostic);
    found->profile = error ? NULL : arena_take_array(arena, count, sizeof *found->profile);
    for (size_t i = 0; i < count && !error && !found->target; i++)
        if (is_wanted(records[i], id, target, suite))
            *found = (struct results_case){.target = results_text(records[i], "target"),
                                           .suite = results_text(records[i], "suite"),
                                           .id = id,
                                           .verdict = results_text(records[i], "verdict"),
                                           .profile = found->profile};
    if (!error && !found->target)
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "%s has no failure of a case '%s'", path, id);
    for (size_t i = 0; i < count && !error; i++)
        if (document_find(records[i], "profile") && document_find(records[i], "reached") &&
            !strcmp(results_text(records[i], "target"), found->target) &&
            !strcmp(results_text(records[i], "suite"), found->suite))
            found->profile[found->profile_count++] = document_find(records[i], "profile");
    return error;
}

bool results_set_option(const struct suite *suite, const char *choice, const char *option,
                        struct named_profile *profile)
{
    for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
        for (size_t o = 0; o < suite->choice[c].count; o++)
            if (!strcmp(suite->choice[c].name, choice) &&
                !strcmp(suite->choice[c].option[o], option)) {
                profile->option[c] = (uint16_t)o;
                return true;
            }
    return false;
}

enum error results_profile(const struct results_case *found, const struct suite *suite,
                           struct named_profile *profile, struct diagnostic *diagnostic)
{
    memset(profile, 0, sizeof *profile);
    for (size_t i = 0; i < found->profile_count; i++)
        for (size_t k = 0; k < found->profile[i]->count; k++) {
            const char *const choice = found->profile[i]->key[k]->text,
                              *const option = found->profile[i]->item[k]->text;
            if (!results_set_option(suite, choice, option, profile))
                return diagnostic_fail(diagnostic, ERROR_INPUT,
                                       "suite %s has no option %s=%s any more", suite->name, choice,
                                       option);
        }
    return ERROR_NONE;
}
