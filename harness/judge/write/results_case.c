// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/write/results_case.h"

#include <string.h>

#include "harness/judge/compare/verdict.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

static const char *text_of(const struct document_node *node, const char *key)
{
    const struct document_node *const value = document_find(node, key);
    return value && value->kind == DOCUMENT_SCALAR ? value->text : "";
}

static bool is_wanted(const struct document_node *record, const char *id, const char *target,
                      const char *suite)
{
    return !strcmp(text_of(record, "record"), "case") && !strcmp(text_of(record, "case"), id) &&
           (!target || !strcmp(text_of(record, "target"), target)) &&
           (!suite || !strcmp(text_of(record, "suite"), suite)) &&
           verdict_is_failure(verdict_named(text_of(record, "verdict")));
}

enum error results_find_case(const char *path, const char *id, const char *target,
                             const char *suite, struct arena *arena, struct results_case *found,
                             struct diagnostic *diagnostic)
{
    struct document_source file;
    size_t lines = 0, count = 0;
    *found = (struct results_case){.target = NULL};
    enum error error = file_read(path, arena, &file, diagnostic);
    for (size_t i = 0; i < file.size && !error; i++)
        lines += file.text[i] == '\n';
    struct document_node **const records =
        error ? NULL : arena_take_array(arena, lines + 1, sizeof *records);
    if (!error && !records)
        error = diagnostic_no_memory(diagnostic);
    for (size_t at = 0; !error && at < file.size;) {
        const char *const newline = memchr(file.text + at, '\n', file.size - at);
        const size_t size = newline ? (size_t)(newline - file.text) - at : file.size - at;
        struct document_source *const line = arena_take(arena, sizeof *line);
        if (!line)
            return diagnostic_no_memory(diagnostic);
        *line = (struct document_source){.name = path, .text = file.text + at, .size = size};
        error = json_read(line, arena, &records[count], diagnostic);
        if (!error)
            error = document_expect(records[count++], DOCUMENT_MAPPING, "a record", diagnostic);
        at += size + 1;
    }
    found->profile = error ? NULL : arena_take_array(arena, count, sizeof *found->profile);
    for (size_t i = 0; i < count && !error && !found->target; i++)
        if (is_wanted(records[i], id, target, suite))
            *found = (struct results_case){.target = text_of(records[i], "target"),
                                           .suite = text_of(records[i], "suite"),
                                           .id = id,
                                           .verdict = text_of(records[i], "verdict"),
                                           .profile = found->profile};
    if (!error && !found->target)
        error =
            diagnostic_fail(diagnostic, ERROR_INPUT, "%s has no failure of a case '%s'", path, id);
    for (size_t i = 0; i < count && !error; i++)
        if (document_find(records[i], "profile") && document_find(records[i], "reached") &&
            !strcmp(text_of(records[i], "target"), found->target) &&
            !strcmp(text_of(records[i], "suite"), found->suite))
            found->profile[found->profile_count++] = document_find(records[i], "profile");
    return error;
}

enum error results_profile(const struct results_case *found, const struct suite *suite,
                           struct named_profile *profile, struct diagnostic *diagnostic)
{
    memset(profile, 0, sizeof *profile);
    for (size_t i = 0; i < found->profile_count; i++)
        for (size_t k = 0; k < found->profile[i]->count; k++) {
            const char *const choice = found->profile[i]->key[k]->text,
                              *const option = found->profile[i]->item[k]->text;
            bool known = false;
            for (size_t c = 0; c < suite->choice_count && c < PROFILES_CHOICES_MAX; c++)
                for (size_t o = 0;
                     o < suite->choice[c].count && !strcmp(suite->choice[c].name, choice); o++)
                    if (!strcmp(suite->choice[c].option[o], option)) {
                        profile->option[c] = (uint16_t)o;
                        known = true;
                    }
            if (!known)
                return diagnostic_fail(diagnostic, ERROR_INPUT,
                                       "suite %s has no option %s=%s any more", suite->name, choice,
                                       option);
        }
    return ERROR_NONE;
}
