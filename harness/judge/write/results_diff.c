// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/write/results_diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/compare/verdict.h"
#include "harness/judge/write/results_case.h"

struct row {
    const char *target, *suite, *id, *verdict;
    const char *detail; // profile of a pass, first wrong elements of a failure
    enum verdict kind;
    double radius; // the most that an output uses of it; 0: not said
    bool met;
};

struct table {
    size_t count;
    struct row *row;
};

const char *diff_kind_name(enum diff_kind kind)
{
    assert((unsigned)kind < DIFF_KINDS);
    static const char *const names[DIFF_KINDS] = {
        [DIFF_NEWLY_FAILING] = "newly failing",
        [DIFF_NEWLY_PASSING] = "newly passing",
        [DIFF_OTHER_FAILURE] = "fails otherwise",
        [DIFF_OTHER_PROFILE] = "passes with other bits",
        [DIFF_RADIUS] = "uses more of the radius",
        [DIFF_SUPPORT] = "support changed",
        [DIFF_ADDED] = "added",
        [DIFF_REMOVED] = "removed",
    };
    return names[kind];
}

// Flattens a value to text, so that two can be compared and shown.
static void flatten(const struct document_node *node, struct text *text)
{
    if (node->kind == DOCUMENT_SCALAR) {
        text_put_bytes(text, node->text, node->count);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        if (i)
            text_put_bytes(text, " ", 1);
        if (node->kind == DOCUMENT_MAPPING) {
            text_put_bytes(text, node->key[i]->text, node->key[i]->count);
            text_put_bytes(text, "=", 1);
        }
        flatten(node->item[i], text);
    }
}

static double largest_radius(const struct document_node *outputs)
{
    double largest = 0;
    for (size_t i = 0; outputs && outputs->kind == DOCUMENT_SEQUENCE && i < outputs->count; i++) {
        const struct document_node *const radius = outputs->item[i]->kind == DOCUMENT_MAPPING
                                                       ? document_find(outputs->item[i], "radius")
                                                       : NULL;
        const double value = strtod(results_text(radius, "largest"), NULL);
        largest = value > largest ? value : largest;
    }
    return largest;
}

static enum error take_row(const struct document_node *node, struct arena *arena, struct row *row,
                           struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"profile", "outputs", "reason"};
    struct text text = {0};
    *row = (struct row){.target = results_text(node, "target"),
                        .suite = results_text(node, "suite"),
                        .id = results_text(node, "case"),
                        .verdict = results_text(node, "verdict"),
                        .radius = largest_radius(document_find(node, "outputs"))};
    row->kind = verdict_named(row->verdict);
    if (row->kind == VERDICT_COUNT)
        return document_fail(node, ERROR_INPUT, diagnostic, "'%.40s' is not a verdict",
                             row->verdict);
    // Reasons name addresses and orders of calls, which vary; bits and profiles count.
    for (size_t i = 0; i < 2; i++)
        if (document_find(node, keys[i])) {
            text_put_bytes(&text, i ? "; " : "", i && text.size ? 2 : 0);
            flatten(document_find(node, keys[i]), &text);
        }
    row->detail = arena_copy_text(arena, text.size ? text.bytes : "", text.size);
    const bool failed = text.failed || !row->detail;
    text_release(&text);
    return failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

static enum error read_table(const char *path, struct arena *arena, struct table *table,
                             struct diagnostic *diagnostic)
{
    struct document_node **records;
    size_t count;
    enum error error = results_lines(path, arena, &records, &count, diagnostic);
    table->row = error ? NULL : arena_take_array(arena, count + 1, sizeof *table->row);
    if (!error && !table->row)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        if (!strcmp(results_text(records[i], "record"), "case"))
            error = take_row(records[i], arena, &table->row[table->count++], diagnostic);
    const bool footer =
        !error && count && !strcmp(results_text(records[count - 1], "record"), "footer");
    if (!error && !footer)
        error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                "%s does not end with a footer: it is not whole", path);
    return error;
}

static int by_name(const void *a, const void *b)
{
    const struct row *const x = *(struct row *const *)a, *const y = *(struct row *const *)b;
    int order = strcmp(x->target, y->target);
    if (!order)
        order = strcmp(x->suite, y->suite);
    return order ? order : strcmp(x->id, y->id);
}

static bool compare(const struct row *before, const struct row *after, enum diff_kind *kind)
{
    const bool failed = verdict_is_failure(before->kind), fails = verdict_is_failure(after->kind);
    if (failed != fails)
        *kind = fails ? DIFF_NEWLY_FAILING : DIFF_NEWLY_PASSING;
    else if (before->kind != after->kind)
        *kind = fails ? DIFF_OTHER_FAILURE : DIFF_SUPPORT;
    else if (!fails && after->radius >= before->radius + DIFF_RADIUS_GROWN)
        *kind = DIFF_RADIUS;
    else if (strcmp(before->detail, after->detail) != 0)
        *kind = fails ? DIFF_OTHER_FAILURE : DIFF_OTHER_PROFILE;
    else
        return false;
    return true;
}

// What is said of a row: its verdict, or how much of the radius it uses.
static const char *say(struct results_diff *diff, enum diff_kind kind, const struct row *row)
{
    const char *const used = row && kind == DIFF_RADIUS
                                 ? arena_print(&diff->arena, "%.2f of the radius", row->radius)
                                 : NULL;
    return used ? used : row ? row->verdict : "";
}

static void add(struct results_diff *diff, enum diff_kind kind, const struct row *before,
                const struct row *after)
{
    const struct row *const named = after ? after : before;
    diff->entry[diff->count++] = (struct diff_entry){.kind = kind,
                                                     .target = named->target,
                                                     .suite = named->suite,
                                                     .id = named->id,
                                                     .before = say(diff, kind, before),
                                                     .after = say(diff, kind, after)};
    diff->kinds[kind]++;
}

enum error results_diff(const char *before, const char *after, struct results_diff *diff,
                        struct diagnostic *diagnostic)
{
    struct table old = {0}, new = {0};
    *diff = (struct results_diff){0};
    enum error error = read_table(before, &diff->arena, &old, diagnostic);
    if (!error)
        error = read_table(after, &diff->arena, &new, diagnostic);
    struct row **const sorted =
        error ? NULL : arena_take_array(&diff->arena, old.count + 1, sizeof *sorted);
    diff->entry =
        error ? NULL
              : arena_take_array(&diff->arena, old.count + new.count + 1, sizeof *diff->entry);
    if (error)
        return error;
    if (!sorted || !diff->entry)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < old.count; i++)
        sorted[i] = &old.row[i];
    qsort(sorted, old.count, sizeof *sorted, by_name);
    for (size_t i = 0; i < new.count; i++) {
        const struct row *const row = &new.row[i];
        struct row *const *const found = bsearch(&row, sorted, old.count, sizeof *sorted, by_name);
        enum diff_kind kind = DIFF_ADDED;
        if (found)
            (*found)->met = true;
        if (!found || compare(*found, row, &kind))
            add(diff, kind, found ? *found : NULL, row);
        else
            diff->same++;
    }
    for (size_t i = 0; i < old.count; i++)
        if (!old.row[i].met)
            add(diff, DIFF_REMOVED, &old.row[i], NULL);
    return ERROR_NONE;
}

void results_diff_release(struct results_diff *diff)
{
    arena_release(&diff->arena);
    *diff = (struct results_diff){0};
}
