// SPDX-License-Identifier: Apache-2.0
// The summary that is read at a glance.

#include "reports/summary.h"

#include <stdlib.h>
#include <string.h>

#include "reports/shape.h"
#include "reports/value.h"

enum paint { PLAIN, GOOD, BAD, DOUBTFUL, FAINT };

// How the two forms differ: everything else is said once.
struct style {
    bool coloured, markdown;
};

static void put_painted(struct text *text, const struct style *style, enum paint paint,
                        const char *words)
{
    static const char *const code[] = {
        [GOOD] = "32", [BAD] = "1;31", [DOUBTFUL] = "33", [FAINT] = "2"};
    if (style->coloured && code[paint])
        text_print(text, "\033[%sm", code[paint]);
    text_put(text, words);
    if (style->coloured && code[paint])
        text_put(text, "\033[0m");
}

static void put_foreign(struct text *text, const struct style *style, const char *words)
{
    if (style->markdown)
        text_put_markdown(text, words);
    else
        text_put_plain(text, words);
}

static enum paint paint_of(enum tally_outcome outcome)
{
    return outcome == OUTCOME_CONFORMS ? GOOD : outcome == OUTCOME_DIFFERS ? BAD : DOUBTFUL;
}

void summary_put_verdicts(struct text *text, const struct tally_cell *cell)
{
    bool first = true;
    for (unsigned i = 0; i < VERDICT_COUNT; i++) {
        if (!cell->verdict[i])
            continue;
        text_put(text, first ? "" : ", ");
        text_put_count(text, cell->verdict[i]);
        text_print(text, " %s", results_verdict_name(i));
        first = false;
    }
    if (first)
        text_put(text, "no cases");
}

static void put_target_line(struct text *text, const struct style *style,
                            const struct results_target *target, const struct tally_cell *cell)
{
    const enum tally_outcome outcome = tally_outcome_of(cell);
    put_painted(text, style, paint_of(outcome), tally_outcome_name(outcome));
    text_put(text, style->markdown ? " | " : ": ");
    if (target->unavailable) {
        text_put(text, "unavailable: ");
        put_foreign(text, style, target->unavailable);
    } else {
        summary_put_verdicts(text, cell);
    }
    if (tally_level(cell) != LEVEL_NONE)
        text_print(text, " (%s%s)", tally_level(cell) == LEVEL_BITS ? "all " : "at least ",
                   results_level_name(tally_level(cell)));
    if (cell->expected)
        text_print(text, "; %u foreseen", cell->expected);
    if (cell->cured)
        text_print(text, "; %u foreseen but not seen", cell->cured);
}

static size_t name_width(const struct results *results)
{
    size_t widest = 8;
    for (size_t i = 0; i < results->target_count; i++) {
        const size_t width = strlen(results->target[i].name) + 1 +
                             (results->target[i].version ? strlen(results->target[i].version) : 0);
        widest = width > widest && width <= 36 ? width : widest;
    }
    return widest;
}

static void put_targets(struct text *text, const struct style *style, const struct results *results,
                        const struct tally *tally)
{
    const size_t width = name_width(results);
    if (style->markdown)
        text_put(text, "| target | verdict | cases |\n|---|---|---|\n");
    for (size_t i = 0; i < results->target_count; i++) {
        const struct results_target *const target = &results->target[i];
        text_put(text, style->markdown ? "| " : "  ");
        const size_t start = text->size;
        put_foreign(text, style, target->name);
        if (target->version) {
            text_put(text, " ");
            put_foreign(text, style, target->version);
        }
        text_put(text, style->markdown ? "" : "  ");
        for (size_t used = text->size - start; !style->markdown && used < width + 2; used++)
            text_put(text, " ");
        text_put(text, style->markdown ? " | " : "");
        put_target_line(text, style, target, &tally->by_target[i]);
        text_put(text, style->markdown ? " |\n" : "\n");
    }
    for (size_t i = 0; i < results->suite_count; i++)
        if (results->suite[i].reference_only) {
            text_put(text, style->markdown ? "\n" : "  ");
            put_foreign(text, style, results->suite[i].name);
            text_put(text, ": reference only: ");
            put_foreign(text, style, results->suite[i].reference_only);
            text_put(text, "\n");
        }
}

// Only requirements of which some target shows more than plain passes: the rest is one line.
static void put_requirements(struct text *text, const struct style *style,
                             const struct results *results, const struct tally *tally)
{
    size_t clean = 0, listed = 0;
    for (size_t r = 0; r < results->requirement_count; r++) {
        bool doubtful = false;
        for (size_t t = 0; t < tally->targets; t++) {
            const enum tally_outcome outcome =
                tally_outcome_of(&tally->by_requirement[r * tally->targets + t]);
            doubtful |= outcome == OUTCOME_DIFFERS || outcome == OUTCOME_EXPECTED;
        }
        clean += !doubtful;
        if (!doubtful || ++listed > 40)
            continue;
        text_put(text, style->markdown ? "- " : "  ");
        put_foreign(text, style, results->requirement[r].id);
        text_put(text, ": ");
        put_foreign(text, style, results->requirement[r].text);
        text_put(text, "\n");
        for (size_t t = 0; t < tally->targets; t++) {
            const struct tally_cell *const cell = &tally->by_requirement[r * tally->targets + t];
            if (!tally_failures(cell) && !cell->cured)
                continue;
            text_put(text, style->markdown ? "  - " : "      ");
            put_foreign(text, style, results->target[t].name);
            text_put(text, " ");
            put_painted(text, style, paint_of(tally_outcome_of(cell)),
                        tally_outcome_name(tally_outcome_of(cell)));
            text_put(text, ": ");
            summary_put_verdicts(text, cell);
            text_put(text, "\n");
        }
    }
    if (listed > 40)
        text_print(text, "%sand %zu more requirements\n", style->markdown ? "- " : "  ",
                   listed - 40);
    text_print(text, "%s%zu of %zu requirements without a difference\n",
               style->markdown ? "\n" : "  ", clean, results->requirement_count);
}

static void put_bits(struct text *text, enum dtype dtype, const char *hex)
{
    char value[VALUE_TEXT_SIZE];
    uint64_t bits;
    text_put(text, hex);
    if (value_parse(dtype, hex, &bits)) {
        value_write(dtype, bits, value);
        text_print(text, " (%s)", value);
    }
}

void summary_put_first(struct text *text, const struct document_node *root)
{
    const struct document_node *const outputs = document_find(root, "outputs");
    for (size_t i = 0; outputs && i < outputs->count; i++) {
        const struct document_node *const output = outputs->item[i],
                                          *const elements = document_find(output, "elements"),
                                          *const first = document_find(output, "first"),
                                          *const got = document_find(output, "shape_got");
        if (!got && !(elements && elements->count))
            continue;
        const enum dtype dtype = dtype_named(shape_text(output, "dtype"));
        text_put_plain(text, shape_text(output, "name"));
        if (got) {
            text_put(text, ": the target gave ");
            text_put_plain(text, got->text);
            return;
        }
        if (first && first->count) {
            text_put(text, "[");
            for (size_t k = 0; k < first->count; k++)
                text_print(text, "%s%llu", k ? "," : "", strtoull(first->item[k]->text, NULL, 10));
            text_put(text, "]");
        }
        text_put(text, ": expected ");
        put_bits(text, dtype, shape_text(elements->item[0], "expected"));
        text_put(text, ", got ");
        put_bits(text, dtype, shape_text(elements->item[0], "got"));
        if (document_find(output, "wrong")) {
            unsigned long long count = 1;
            const struct document_node *const shape = document_find(output, "shape");
            for (size_t k = 0; k < shape->count; k++)
                if (__builtin_mul_overflow(count, strtoull(shape->item[k]->text, NULL, 10), &count))
                    count = 0;
            text_put(text, "; ");
            text_put_count(text, shape_count(output, "wrong", 0));
            text_put(text, " of ");
            text_put_count(text, shape_count(output, "compared", count));
            text_put(text, " elements differ");
        }
        return;
    }
}

// Lines that belong to a failure, each when the record has it.
static void put_label(struct text *text, const struct style *style, const char *label)
{
    text_print(text, style->markdown ? "   - %s: " : "      %-9s ", label);
}

static enum error put_failure(struct text *text, const struct style *style,
                              const struct results *results, const struct results_case *item,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_source line;
    struct document_node *root;
    const enum error error = results_detail(results, item, &arena, &line, &root, diagnostic);
    if (error) {
        arena_release(&arena);
        return error;
    }
    text_put(text, style->markdown ? "1. " : "  ");
    put_painted(text, style, item->known == KNOWN_EXPECTED ? DOUBTFUL : BAD,
                item->known == KNOWN_CURED ? "foreseen failure did not come"
                                           : results_verdict_name(item->verdict));
    text_put(text, "  ");
    put_foreign(text, style, results->target[item->target].name);
    text_put(text, "  ");
    put_foreign(text, style, results->suite[item->suite].name);
    text_put(text, "/");
    put_foreign(text, style, item->id);
    text_put(text, "\n");
    struct text first = {0};
    summary_put_first(&first, root);
    if (first.size) {
        put_label(text, style, "first");
        put_foreign(text, style, first.bytes);
        text_put(text, "\n");
    }
    text->failed |= first.failed;
    text_release(&first);
    const struct document_node *const explained = document_find(root, "explained"),
                                      *const known = document_find(root, "known");
    if (explained && !document_find(explained, "profile") && !document_find(explained, "text")) {
        put_label(text, style, "explained");
        text_print(text, "no: none of %llu profiles gives these bits\n",
                   shape_count(explained, "searched", 0));
    }
    const struct {
        const char *label, *words;
        bool code;
    } lines[] = {
        {"reason", shape_text(root, "reason"), false},
        {"explained", explained ? shape_text(explained, "text") : NULL, false},
        {"known", known ? shape_text(known, "why") : NULL, false},
        {"again", shape_text(root, "reproduce"), true},
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].words)
            continue;
        put_label(text, style, lines[i].label);
        if (style->markdown && lines[i].code)
            text_put_code(text, lines[i].words);
        else
            put_foreign(text, style, lines[i].words);
        text_put(text, "\n");
    }
    arena_release(&arena);
    return ERROR_NONE;
}

static void put_heading(struct text *text, const struct style *style, const char *words)
{
    text_print(text, style->markdown ? "\n### %s\n\n" : "\n%s\n", words);
}

static enum error put_failures(struct text *text, const struct style *style,
                               const struct results *results, bool expected,
                               struct diagnostic *diagnostic)
{
    size_t found = 0;
    enum error error = ERROR_NONE;
    for (size_t i = 0; !error && i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        if (expected ? item->known != KNOWN_EXPECTED : !results_case_unexpected(item))
            continue;
        if (!found++)
            put_heading(text, style, expected ? "Foreseen failures" : "First failures");
        if (expected ? found <= 1000 : found <= SUMMARY_FAILURES_MAX)
            error = put_failure(text, style, results, item, diagnostic);
    }
    const size_t shown = expected ? 1000 : SUMMARY_FAILURES_MAX;
    if (found > shown)
        text_print(text, "%s%zu more\n", style->markdown ? "\n" : "  ", found - shown);
    return error;
}

static enum error write(struct text *text, const struct style *style, const struct results *results,
                        const struct tally *tally, struct diagnostic *diagnostic)
{
    const enum tally_outcome outcome = tally_outcome_of(&tally->all);
    text_put(text, style->markdown ? "## assay: " : "");
    if (outcome == OUTCOME_DIFFERS)
        put_painted(text, style, BAD, tally->targets > 1 ? "not all conform" : "does not conform");
    else
        put_painted(text, style, paint_of(outcome), tally_outcome_name(outcome));
    text_put(text, style->markdown ? "\n\n" : "\n");
    put_targets(text, style, results, tally);
    for (size_t i = 0; i < results->file_count; i++)
        if (results->file[i].shard_count > 1)
            text_print(text, "%sonly part %llu of %llu of the plan\n",
                       style->markdown ? "\n" : "  ",
                       (unsigned long long)results->file[i].shard_index,
                       (unsigned long long)results->file[i].shard_count);
    if (results->requirement_count && results->case_count) {
        put_heading(text, style, "Requirements");
        put_requirements(text, style, results, tally);
    }
    enum error error = put_failures(text, style, results, false, diagnostic);
    if (!error)
        error = put_failures(text, style, results, true, diagnostic);
    return error ? error : text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

enum error summary_write(struct text *text, const struct results *results,
                         const struct tally *tally, bool coloured, struct diagnostic *diagnostic)
{
    return write(text, &(struct style){.coloured = coloured}, results, tally, diagnostic);
}

enum error summary_write_markdown(struct text *text, const struct results *results,
                                  const struct tally *tally, struct diagnostic *diagnostic)
{
    return write(text, &(struct style){.markdown = true}, results, tally, diagnostic);
}
