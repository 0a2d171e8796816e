// SPDX-License-Identifier: Apache-2.0
// The file of known failures, read and checked as far as that needs no suite.

#include <stdint.h>

#include "harness/judge/known/known.h"
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

// A scalar, or a list of scalars that is not empty. `what` names it.
static enum error take_patterns(const struct document_node *node, const char *what,
                                struct arena *arena, struct known_patterns *patterns,
                                struct diagnostic *diagnostic)
{
    if (node->kind != DOCUMENT_SCALAR && (node->kind != DOCUMENT_SEQUENCE || !node->count))
        return document_fail(node, ERROR_INPUT, diagnostic, "%s is a pattern or a list of patterns",
                             what);
    const size_t count = node->kind == DOCUMENT_SCALAR ? 1 : node->count;
    patterns->pattern = arena_take_array(arena, count, sizeof *patterns->pattern);
    if (!patterns->pattern)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++) {
        const struct document_node *const item =
            node->kind == DOCUMENT_SCALAR ? node : node->item[i];
        const enum error error = document_expect(item, DOCUMENT_SCALAR, what, diagnostic);
        if (error)
            return error;
        patterns->pattern[patterns->count++] = item->text;
    }
    return ERROR_NONE;
}

static enum error take_named_patterns(const struct document_node *node, const char *key,
                                      bool required, struct arena *arena,
                                      struct known_patterns *patterns,
                                      struct diagnostic *diagnostic)
{
    const struct document_node *const value = document_find(node, key);
    if (value)
        return take_patterns(value, key, arena, patterns, diagnostic);
    return required
               ? document_fail(node, ERROR_INPUT, diagnostic, "a known failure needs '%s'", key)
               : ERROR_NONE;
}

static enum error take_where(const struct document_node *node, struct arena *arena,
                             struct known_entry *entry, struct diagnostic *diagnostic)
{
    const struct document_node *const where = document_find(node, "where");
    if (!where)
        return ERROR_NONE;
    enum error error = document_expect(where, DOCUMENT_MAPPING, "where", diagnostic);
    if (error)
        return error;
    entry->where = arena_take_array(arena, where->count + 1, sizeof *entry->where);
    if (!entry->where)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < where->count && !error; i++) {
        struct known_where *const to = &entry->where[entry->where_count++];
        to->key = where->key[i]->text;
        error = take_patterns(where->item[i], to->key, arena, &to->value, diagnostic);
    }
    return error;
}

static enum error take_when(const struct document_node *node, struct known_entry *entry,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"isa", "threads", "mode", NULL};
    const struct document_node *const when = document_find(node, "when");
    if (!when)
        return ERROR_NONE;
    enum error error = document_only_keys(when, keys, "when", diagnostic);
    if (!error)
        error = take_text(when, "isa", false, &entry->isa, diagnostic);
    if (!error)
        error = take_text(when, "mode", false, &entry->mode, diagnostic);
    if (!error && entry->mode && judge_mode_named(entry->mode) == JUDGE_MODES)
        error =
            document_fail(document_find(when, "mode"), ERROR_INPUT, diagnostic,
                          "mode is '%.40s'; expected observed, sequence or stepwise", entry->mode);
    const struct document_node *const threads = error ? NULL : document_find(when, "threads");
    long long value = 0;
    if (threads)
        error = document_integer(threads, 1, 1024, &value, "threads", diagnostic);
    entry->threads = (unsigned)value;
    return error;
}

static enum error take_equals(const struct document_node *value, struct arena *arena,
                              struct known_entry *entry, struct diagnostic *diagnostic)
{
    const bool list = value->kind == DOCUMENT_SEQUENCE && value->count;
    struct document_node **const one = arena_take(arena, sizeof *one);
    if (!one)
        return diagnostic_no_memory(diagnostic);
    *one = (struct document_node *)(uintptr_t)value;
    entry->equals = list ? value->item : one;
    entry->alternative_count = list ? value->count : 1;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < entry->alternative_count && !error; i++)
        error = document_expect(entry->equals[i], DOCUMENT_MAPPING, "equals", diagnostic);
    return error;
}

static enum error take_claim(const struct document_node *node, struct arena *arena,
                             struct known_entry *entry, struct diagnostic *diagnostic)
{
    static const char *const names[KNOWN_CLAIMS] = {
        [KNOWN_EQUALS] = "equals",          [KNOWN_REFUSED] = "refused",
        [KNOWN_SIGNAL] = "signal",          [KNOWN_UNWRITTEN] = "unwritten",
        [KNOWN_ACCEPTED] = "accepted",      [KNOWN_IN_WORDS] = "in_words",
        [KNOWN_UNEXPLAINED] = "unexplained"};
    const struct document_node *value = NULL;
    for (unsigned i = 0; i < KNOWN_CLAIMS; i++) {
        const struct document_node *const found = document_find(node, names[i]);
        if (found && value)
            return document_fail(
                found, ERROR_INPUT, diagnostic,
                "'%s' and '%s' cannot be combined: an entry explains its failure in one way",
                names[entry->claim], names[i]);
        if (!found)
            continue;
        value = found;
        entry->claim = (enum known_claim)i;
    }
    if (!value)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a known failure needs one of equals, refused, signal, unwritten, "
                             "accepted, in_words and unexplained");
    const char *const name = names[entry->claim];
    bool yes = true;
    switch (entry->claim) {
    case KNOWN_EQUALS:
        return take_equals(value, arena, entry, diagnostic);
    case KNOWN_REFUSED:
    case KNOWN_UNWRITTEN:
        return take_patterns(value, name, arena, &entry->claimed, diagnostic);
    case KNOWN_SIGNAL:
        return document_integer(value, 1, 64, &entry->signal, name, diagnostic);
    case KNOWN_ACCEPTED: {
        const enum error error = document_boolean(value, &yes, name, diagnostic);
        return error || yes
                   ? error
                   : document_fail(value, ERROR_INPUT, diagnostic, "accepted must be true");
    }
    case KNOWN_IN_WORDS:
    case KNOWN_UNEXPLAINED:
    case KNOWN_CLAIMS:
        break;
    }
    return document_expect(value, DOCUMENT_SCALAR, name, diagnostic);
}

static enum error take_verdict(const struct document_node *node, struct known_entry *entry,
                               struct diagnostic *diagnostic)
{
    const char *verdict = NULL;
    const enum error error =
        take_text(node, "verdict", entry->claim >= KNOWN_IN_WORDS, &verdict, diagnostic);
    entry->verdict = verdict ? verdict_named(verdict) : VERDICT_COUNT;
    if (!error && verdict && !verdict_is_failure(entry->verdict))
        return document_fail(document_find(node, "verdict"), ERROR_INPUT, diagnostic,
                             "'%.40s' is not a failing verdict", verdict);
    const struct document_node *const by_chance = document_find(node, "by_chance");
    if (error || !by_chance)
        return error;
    if (entry->verdict != VERDICT_NONDETERMINISTIC)
        return document_fail(by_chance, ERROR_INPUT, diagnostic,
                             "by_chance needs the verdict nondeterministic");
    return document_boolean(by_chance, &entry->by_chance, "by_chance", diagnostic);
}

static enum error take_entry(const struct document_node *node, struct arena *arena,
                             struct known_entry *entry, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"target", "version",   "suite",    "case",     "where",
                                       "feed",   "when",      "verdict",  "equals",   "refused",
                                       "signal", "unwritten", "accepted", "in_words", "unexplained",
                                       "why",    "by_chance", NULL};
    enum error error = document_only_keys(node, keys, "a known failure", diagnostic);
    if (!error)
        error = take_named_patterns(node, "target", true, arena, &entry->target, diagnostic);
    if (!error)
        error = take_named_patterns(node, "suite", true, arena, &entry->suite, diagnostic);
    if (!error)
        error = take_named_patterns(node, "case", false, arena, &entry->id, diagnostic);
    if (!error)
        error = take_text(node, "version", false, &entry->version, diagnostic);
    if (!error)
        error = take_text(node, "feed", false, &entry->feed, diagnostic);
    if (!error)
        error = take_text(node, "why", true, &entry->why, diagnostic);
    if (!error)
        error = take_where(node, arena, entry, diagnostic);
    if (!error)
        error = take_when(node, entry, diagnostic);
    if (!error)
        error = take_claim(node, arena, entry, diagnostic);
    if (!error)
        error = take_verdict(node, entry, diagnostic);
    entry->line = node->line;
    return error;
}

enum error known_read(const char *path, struct known_list *list, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"known", "classes", NULL};
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
        error = document_only_keys(root, keys, "a list of known failures", diagnostic);
    const struct document_node *const entries = error ? NULL : document_find(root, "known");
    if (!error && !entries)
        error = document_fail(root, ERROR_INPUT, diagnostic, "expected a list under 'known'");
    if (!error)
        error = document_expect(entries, DOCUMENT_SEQUENCE, "known", diagnostic);
    if (error)
        return error;
    error = take_named_patterns(root, "classes", false, &list->arena, &list->classes, diagnostic);
    if (error)
        return error;
    list->entry = arena_take_array(&list->arena, entries->count, sizeof *list->entry);
    if (!list->entry)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < entries->count && !error; i++)
        error = take_entry(entries->item[i], &list->arena, &list->entry[list->count++], diagnostic);
    return error;
}

void known_release(struct known_list *list)
{
    arena_release(&list->arena);
    *list = (struct known_list){0};
}
