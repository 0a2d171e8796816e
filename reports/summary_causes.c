// SPDX-License-Identifier: Apache-2.0
// Failures by cause: how much of what fails each explains, one example, its command.

#include "reports/shape.h"
#include "reports/summary_line.h"
#include "reports/summary_part.h"

static void put_label(struct summary *summary, const struct cause_entry *entry, bool suite)
{
    summary_put_foreign(summary, summary->results->target[entry->target].name, SUMMARY_NAME_MAX);
    if (suite) {
        text_put(summary->text, " ");
        summary_put_foreign(summary, summary->results->suite[entry->suite].name, SUMMARY_NAME_MAX);
    }
    text_put(summary->text, ": ");
}

// The first case of a cause: what differs, or else the reason, and the command that shows it.
static enum error put_example(struct summary *summary, const struct cause *cause)
{
    const bool markdown = summary->style->markdown;
    const struct results_case *const item = &summary->results->cases[cause->entry->item];
    struct arena arena = {0};
    struct document_source line;
    struct document_node *root;
    struct text first = {0};
    const enum error error =
        results_detail(summary->results, item, &arena, &line, &root, summary->diagnostic);
    if (!error) {
        const char *const reason = shape_text(root, "reason");
        const char *const again = shape_text(root, "reproduce");
        summary_put_first(&first, root);
        text_put(summary->text, markdown ? "   - " : "    ");
        summary_put_foreign(summary, item->id, SUMMARY_NAME_MAX + SUMMARY_NAME_MAX);
        text_put(summary->text, first.size || reason ? ": " : "");
        summary_put_foreign(summary,
                            first.size ? first.bytes
                            : reason   ? reason
                                       : "",
                            SUMMARY_CUT_MAX);
        text_put(summary->text, again ? (markdown ? "\n   - " : "\n    ") : "");
        if (again && markdown)
            text_put_code(summary->text, again);
        else if (again)
            text_put_plain(summary->text, again);
        text_put(summary->text, "\n");
    }
    summary->text->failed |= first.failed;
    text_release(&first);
    arena_release(&arena);
    return error;
}

// From the right, in front of a cause.
static void put_count(struct summary *summary, size_t count)
{
    struct text digits = {0};
    text_put_count(&digits, count);
    for (size_t used = digits.size; !summary->style->markdown && used < 6; used++)
        text_put(summary->text, " ");
    text_put_count(summary->text, count);
    text_put(summary->text, summary->style->markdown ? " " : "  ");
    summary->text->failed |= digits.failed;
    text_release(&digits);
}

static enum error put_cause(struct summary *summary, const struct cause *cause)
{
    const enum cause_kind kind = cause->entry->kind;
    const bool markdown = summary->style->markdown;
    struct text words = {0};
    text_put(summary->text, markdown ? (kind == CAUSE_NEW ? "1. " : "- ") : "  ");
    if (kind == CAUSE_NEW) {
        put_label(summary, cause->entry, true);
        summary_put_conclusion(&words, &summary->causes, cause);
    } else {
        put_count(summary, cause->count);
        put_label(summary, cause->entry, false);
        text_put(&words, cause_text(cause));
    }
    summary_put_foreign(summary, words.size ? words.bytes : "", SUMMARY_CUT_MAX);
    text_put(summary->text, "\n");
    summary->text->failed |= words.failed;
    text_release(&words);
    return kind == CAUSE_NEW ? put_example(summary, cause) : ERROR_NONE;
}

static enum error put_kind(struct summary *summary, enum cause_kind kind, const char *heading)
{
    const struct causes *const causes = &summary->causes;
    const size_t first = causes->first[kind], end = causes->first[kind + 1],
                 most = summary->style->causes[kind];
    enum error error = ERROR_NONE;
    size_t left = 0;
    char words[128];
    if (first == end)
        return ERROR_NONE;
    snprintf(words, sizeof words, "%s: %zu, by cause", heading, causes->total[kind]);
    summary_put_heading(summary, words);
    for (size_t c = first; c < end && !error; c++)
        if (c - first < most)
            error = put_cause(summary, &causes->cause[c]);
        else
            left += causes->cause[c].count;
    if (!error && left)
        text_print(summary->text, "%sand %zu more of %zu other causes\n",
                   summary->style->markdown ? "- " : "  ", left, end - first - most);
    return error;
}

// One line a target: its most frequent reasons.
static void put_unsupported(struct summary *summary)
{
    enum { REASONS = 2 };
    const struct causes *const causes = &summary->causes;
    const size_t first = causes->first[CAUSE_UNSUPPORTED], end = causes->cause_count;
    size_t lines = 0;
    for (size_t t = 0; t < summary->results->target_count; t++) {
        size_t reasons = 0, cases = 0;
        for (size_t c = first; c < end; c++) {
            const struct cause *const cause = &causes->cause[c];
            if (cause->entry->target != t)
                continue;
            if (!lines && !reasons)
                summary_put_heading(summary, "Unsupported, by reason");
            if (!reasons && lines < summary->style->causes[CAUSE_UNSUPPORTED]) {
                text_put(summary->text, summary->style->markdown ? "- " : "  ");
                put_label(summary, cause->entry, false);
            }
            reasons++;
            cases += reasons > REASONS ? cause->count : 0;
            if (reasons > REASONS || lines >= summary->style->causes[CAUSE_UNSUPPORTED])
                continue;
            text_put(summary->text, reasons > 1 ? "; " : "");
            text_put_count(summary->text, cause->count);
            text_put(summary->text, " ");
            summary_put_foreign(summary, cause_text(cause), SUMMARY_CUT_MAX / REASONS);
        }
        lines += reasons > 0;
        if (reasons && lines <= summary->style->causes[CAUSE_UNSUPPORTED])
            text_print(summary->text, reasons > REASONS ? "; %zu for %zu other reason%s\n" : "\n",
                       cases, reasons - REASONS, reasons - REASONS == 1 ? "" : "s");
    }
    if (lines > summary->style->causes[CAUSE_UNSUPPORTED])
        text_print(summary->text, "%sand %zu more targets\n",
                   summary->style->markdown ? "- " : "  ",
                   lines - summary->style->causes[CAUSE_UNSUPPORTED]);
}

enum error summary_put_causes(struct summary *summary)
{
    static const char *const heading[] = {[CAUSE_NEW] = "New failures",
                                          [CAUSE_CURED] = "Expected failures that did not occur",
                                          [CAUSE_KNOWN] = "Known failures"};
    enum error error = ERROR_NONE;
    for (enum cause_kind kind = CAUSE_NEW; kind < CAUSE_UNSUPPORTED && !error; kind++)
        error = put_kind(summary, kind, heading[kind]);
    if (!error)
        put_unsupported(summary);
    return error;
}
