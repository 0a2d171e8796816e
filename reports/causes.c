// SPDX-License-Identifier: Apache-2.0
// Causes are sorted, not hashed: a hostile input could choose texts that collide.

#include "reports/causes.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/shape.h"
#include "reports/text.h"

// ---- the cause of one case --------------------------------------------------

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Every word that starts with a digit or is of hexadecimal digits, one at least decimal, is "#":
// cases of one cause differ in places and values.
static char *leave_numbers_open(struct arena *arena, const char *text)
{
    char *const open = arena_copy_text(arena, text, strlen(text));
    size_t to = 0;
    for (const char *at = text; open && *at;) {
        size_t length = 0, hexadecimal = 0, decimal = 0;
        for (; is_word(at[length]); length++) {
            hexadecimal += isxdigit((unsigned char)at[length]) != 0;
            decimal += isdigit((unsigned char)at[length]) != 0;
        }
        const bool number =
            isdigit((unsigned char)*at) || (decimal && hexadecimal == length && length >= 4);
        if (number)
            open[to++] = '#';
        else
            for (size_t i = 0; i < (length ? length : 1); i++)
                open[to++] = at[i];
        at += length ? length : 1;
    }
    if (open)
        open[to] = '\0';
    return open;
}

// "rounds=9 halves=swapped"; NULL when nothing was found.
static char *describe_profile(struct arena *arena, const struct document_node *explained)
{
    const struct document_node *const profile =
        explained ? document_find(explained, "profile") : NULL;
    struct text text = {0};
    for (size_t i = 0; profile && i < profile->count; i++) {
        text_put(&text, i ? " " : "");
        text_put(&text, profile->key[i]->text);
        text_put(&text, "=");
        text_put(&text, profile->item[i]->text);
    }
    char *const copy = text.size ? arena_copy_text(arena, text.bytes, text.size) : NULL;
    arena->failed |= text.failed;
    text_release(&text);
    return copy;
}

// The condition or the values that a reason ends in differ from case to case.
static char *cut_condition(struct arena *arena, const char *reason, uint8_t verdict)
{
    static const char equal[] = " in an equal one", wrong[] = "wrong result: ";
    const char *end = NULL;
    if (verdict == VERDICT_NONDETERMINISTIC)
        end = strstr(reason, equal);
    else if (verdict == VERDICT_FAIL && !strncmp(reason, wrong, sizeof wrong - 1))
        end = strstr(reason, ": gave ");
    if (end && verdict == VERDICT_NONDETERMINISTIC)
        end += sizeof equal - 1;
    return arena_copy_text(arena, reason, end ? (size_t)(end - reason) : strlen(reason));
}

static void find_text(struct arena *arena, const struct document_node *root,
                      struct cause_entry *entry)
{
    const struct document_node *const explained = document_find(root, "explained"),
                                      *const known = document_find(root, "known");
    const char *const reason = shape_text(root, "reason");
    entry->explained = describe_profile(arena, explained);
    if (entry->kind == CAUSE_KNOWN || entry->kind == CAUSE_CURED) {
        entry->text = entry->exact =
            arena_copy_text(arena, shape_text(known, "why"), strlen(shape_text(known, "why")));
    } else if (entry->kind == CAUSE_UNSUPPORTED) {
        entry->text = entry->exact = arena_copy_text(arena, reason ? reason : "no reason given",
                                                     strlen(reason ? reason : "no reason given"));
    } else if (entry->explained) {
        entry->text = entry->exact = entry->explained;
    } else if (reason) {
        entry->exact = cut_condition(arena, reason, entry->verdict);
        entry->text = entry->exact ? leave_numbers_open(arena, entry->exact) : NULL;
    } else
        entry->text = entry->exact =
            explained ? "values differ, and no choice explains them" : "values differ";
}

static enum error take_case(struct causes *causes, const struct results *results, size_t i,
                            enum cause_kind kind, struct diagnostic *diagnostic)
{
    const struct results_case *const item = &results->cases[i];
    struct cause_entry *const entry = &causes->entry[causes->entry_count++];
    struct arena arena = {0};
    struct document_source line;
    struct document_node *root;
    *entry = (struct cause_entry){.item = (uint32_t)i,
                                  .target = item->target,
                                  .suite = item->suite,
                                  .kind = (uint8_t)kind,
                                  .verdict = item->verdict};
    const enum error error = results_detail(results, item, &arena, &line, &root, diagnostic);
    if (!error)
        find_text(&causes->arena, root, entry);
    arena_release(&arena);
    return error                                  ? error
           : !entry->text || causes->arena.failed ? diagnostic_no_memory(diagnostic)
                                                  : ERROR_NONE;
}

// ---- gathering --------------------------------------------------------------

static enum cause_kind kind_of(const struct results_case *item)
{
    return item->known == KNOWN_EXPECTED          ? CAUSE_KNOWN
           : item->known == KNOWN_CURED           ? CAUSE_CURED
           : verdict_is_failure(item->verdict)    ? CAUSE_NEW
           : item->verdict == VERDICT_UNSUPPORTED ? CAUSE_UNSUPPORTED
                                                  : CAUSE_KINDS;
}

// 0 for entries of one cause.
static int compare_causes(const struct cause_entry *a, const struct cause_entry *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->kind == CAUSE_NEW && a->suite != b->suite)
        return a->suite < b->suite ? -1 : 1;
    if (a->kind == CAUSE_NEW && a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int compare_entries(const void *left, const void *right)
{
    const struct cause_entry *const a = left, *const b = right;
    const int order = compare_causes(a, b);
    return order ? order : (a->item > b->item) - (a->item < b->item);
}

static int compare_sizes(const void *left, const void *right)
{
    const struct cause *const a = left, *const b = right;
    if (a->entry->kind != b->entry->kind)
        return a->entry->kind < b->entry->kind ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->entry->item > b->entry->item) - (a->entry->item < b->entry->item);
}

static void gather(struct causes *causes)
{
    qsort(causes->entry, causes->entry_count, sizeof *causes->entry, compare_entries);
    for (size_t i = 0; i < causes->entry_count; i++) {
        if (!i || compare_causes(&causes->entry[i - 1], &causes->entry[i]))
            causes->cause[causes->cause_count++].entry = &causes->entry[i];
        causes->cause[causes->cause_count - 1].count++;
        causes->total[causes->entry[i].kind]++;
    }
    qsort(causes->cause, causes->cause_count, sizeof *causes->cause, compare_sizes);
    for (size_t i = 0; i < causes->cause_count; i++)
        causes->first[causes->cause[i].entry->kind + 1]++;
    for (size_t k = 0; k < CAUSE_KINDS; k++)
        causes->first[k + 1] += causes->first[k];
}

enum error causes_collect(struct causes *causes, const struct results *results,
                          struct diagnostic *diagnostic)
{
    size_t count = 0;
    enum error error = ERROR_NONE;
    *causes = (struct causes){0};
    for (size_t i = 0; i < results->case_count; i++)
        count += kind_of(&results->cases[i]) != CAUSE_KINDS;
    causes->entry = calloc(count + 1, sizeof *causes->entry);
    causes->cause = calloc(count + 1, sizeof *causes->cause);
    if (!causes->entry || !causes->cause)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < results->case_count && !error; i++) {
        const enum cause_kind kind = kind_of(&results->cases[i]);
        if (kind != CAUSE_KINDS)
            error = take_case(causes, results, i, kind, diagnostic);
    }
    if (!error)
        gather(causes);
    return error;
}

void causes_release(struct causes *causes)
{
    free(causes->entry);
    free(causes->cause);
    arena_release(&causes->arena);
    *causes = (struct causes){0};
}

const char *cause_text(const struct cause *cause)
{
    assert(cause->count);
    for (size_t i = 1; i < cause->count; i++)
        if (strcmp(cause->entry[i].exact, cause->entry->exact) != 0)
            return cause->entry->text;
    return cause->entry->exact;
}

size_t causes_count_fits(const struct causes *causes, const struct cause *cause, size_t *failing)
{
    const struct cause_entry *const of = cause->entry;
    size_t fits = 0;
    *failing = 0;
    for (size_t i = 0; i < causes->entry_count; i++) {
        const struct cause_entry *const entry = &causes->entry[i];
        if (entry->target != of->target || entry->suite != of->suite ||
            (entry->kind != CAUSE_NEW && entry->kind != CAUSE_KNOWN))
            continue;
        ++*failing;
        fits += of->explained && entry->explained && !strcmp(entry->explained, of->explained);
    }
    return fits;
}
