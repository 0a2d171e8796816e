// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/known.h"

#include <fnmatch.h>
#include <string.h>

#include "ref/base/file.h"
#include "yaml/reader.h"

static enum error take_text(const struct document_node *node, const char *key, bool required,
                            const char **text, struct diagnostic *diagnostic)
{
    const struct document_node *const value = document_find(node, key);
    *text = NULL;
    if (!value)
        return required
                   ? document_fail(node, ERROR_INPUT, diagnostic, "a known failure needs '%s'", key)
                   : ERROR_NONE;
    const enum error error = document_expect(value, DOCUMENT_SCALAR, key, diagnostic);
    if (!error)
        *text = value->text;
    return error;
}

static enum error take_when(const struct document_node *node, struct known_entry *entry,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"isa", "threads", "mode", NULL};
    const struct document_node *const when = document_find(node, "when");
    if (!when)
        return ERROR_NONE;
    enum error error = document_expect(when, DOCUMENT_MAPPING, "when", diagnostic);
    if (!error)
        error = document_only_keys(when, keys, "when", diagnostic);
    if (!error)
        error = take_text(when, "isa", false, &entry->isa, diagnostic);
    if (!error)
        error = take_text(when, "mode", false, &entry->mode, diagnostic);
    if (!error && entry->mode && judge_mode_named(entry->mode) == JUDGE_MODES)
        error = document_fail(document_find(when, "mode"), ERROR_INPUT, diagnostic,
                              "there is no mode '%.40s'; there are observed, sequence and stepwise",
                              entry->mode);
    const struct document_node *const threads = error ? NULL : document_find(when, "threads");
    long long value = 0;
    if (threads)
        error = document_integer(threads, 1, 1024, &value, "threads", diagnostic);
    entry->threads = (unsigned)value;
    return error;
}

static enum error take_entry(const struct document_node *node, struct known_entry *entry,
                             struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"target",  "version", "suite", "case",
                                       "verdict", "why",     "when",  NULL};
    const char *verdict = NULL;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "a known failure", diagnostic);
    if (!error)
        error = document_only_keys(node, keys, "a known failure", diagnostic);
    if (!error)
        error = take_text(node, "target", true, &entry->target, diagnostic);
    if (!error)
        error = take_text(node, "version", false, &entry->version, diagnostic);
    if (!error)
        error = take_text(node, "suite", true, &entry->suite, diagnostic);
    if (!error)
        error = take_text(node, "case", true, &entry->pattern, diagnostic);
    if (!error)
        error = take_text(node, "verdict", true, &verdict, diagnostic);
    if (!error)
        error = take_text(node, "why", true, &entry->why, diagnostic);
    if (!error)
        error = take_when(node, entry, diagnostic);
    if (error)
        return error;
    entry->line = node->line;
    entry->verdict = verdict_named(verdict);
    if (!verdict_is_failure(entry->verdict))
        return document_fail(document_find(node, "verdict"), ERROR_INPUT, diagnostic,
                             "'%.40s' is not a failing verdict", verdict);
    return ERROR_NONE;
}

enum error known_read(const char *path, struct known_list *list, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"known", NULL};
    struct document_source *const source = arena_take(&list->arena, sizeof *source);
    struct document_node *root = NULL;
    list->path = path;
    enum error error = source ? file_read(path, &list->arena, source, diagnostic)
                              : diagnostic_no_memory(diagnostic);
    if (!error)
        error = digest_of(source->text, source->size, list->digest, diagnostic);
    if (!error)
        error = yaml_read(source, &list->arena, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "a list of known failures", diagnostic);
    if (!error)
        error = document_only_keys(root, keys, "a list of known failures", diagnostic);
    const struct document_node *const entries = error ? NULL : document_find(root, "known");
    if (!error && !entries)
        error = document_fail(root, ERROR_INPUT, diagnostic, "expected a list under 'known'");
    if (!error)
        error = document_expect(entries, DOCUMENT_SEQUENCE, "known", diagnostic);
    if (error)
        return error;
    list->entry = arena_take_array(&list->arena, entries->count, sizeof *list->entry);
    if (!list->entry)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < entries->count && !error; i++)
        error = take_entry(entries->item[i], &list->entry[list->count++], diagnostic);
    return error;
}

void known_release(struct known_list *list)
{
    arena_release(&list->arena);
    *list = (struct known_list){0};
}

static bool holds(const struct known_entry *entry, const char *target, const struct judge_run *run)
{
    return !strcmp(entry->target, target) && !strcmp(entry->suite, run->suite->name) &&
           (!entry->version || !fnmatch(entry->version, run->description.version, 0)) &&
           (!entry->isa ||
            !fnmatch(entry->isa, processor_class_held(run->machine.class, run->held_to), 0)) &&
           (!entry->mode || judge_mode_named(entry->mode) == run->mode) &&
           (!entry->threads || entry->threads == run->machine.threads);
}

void known_apply(struct known_list *list, const char *target, struct judge_run *run)
{
    for (size_t e = 0; e < list->count; e++) {
        struct known_entry *const entry = &list->entry[e];
        if (!holds(entry, target, run))
            continue;
        for (size_t i = 0; i < run->result_count; i++) {
            struct judge_result *const result = &run->result[i];
            if (fnmatch(entry->pattern, result->of->id, 0) || result->known.why)
                continue;
            entry->used++;
            const bool fails = verdict_is_failure(result->verdict);
            if (fails && result->verdict != entry->verdict &&
                entry->verdict != VERDICT_NONDETERMINISTIC)
                continue; // another failure than the one that is known
            result->known.why = entry->why;
            result->known.cured = !fails;
        }
    }
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
