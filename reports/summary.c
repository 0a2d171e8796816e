// SPDX-License-Identifier: Apache-2.0
// The summary that is read at a glance. It concludes before it lists: outcome, targets, causes.

#include "reports/summary.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "reports/caveats.h"
#include "reports/summary_part.h"

enum paint { PLAIN, GOOD, BAD, DOUBTFUL };

static void put_painted(struct summary *summary, enum paint paint, const char *words)
{
    static const char *const code[] = {[GOOD] = "32", [BAD] = "1;31", [DOUBTFUL] = "33"};
    const bool coloured = summary->style->coloured && code[paint];
    if (coloured)
        text_print(summary->text, "\033[%sm", code[paint]);
    text_put(summary->text, words);
    text_put(summary->text, coloured ? "\033[0m" : "");
}

void summary_put_foreign(struct summary *summary, const char *words, size_t most)
{
    char cut[SUMMARY_CUT_MAX + 4];
    size_t size = strlen(words);
    assert(most >= 4 && most <= SUMMARY_CUT_MAX);
    if (summary->style->markdown) {
        text_put_markdown(summary->text, words);
        return;
    }
    if (size <= most) {
        text_put_plain(summary->text, words);
        return;
    }
    for (size = most - 3; size && ((unsigned char)words[size] & 0xc0) == 0x80;)
        size--;
    snprintf(cut, sizeof cut, "%.*s...", (int)size, words);
    text_put_plain(summary->text, cut);
}

// Text from the results, escaped and whole.
static void put_whole(struct summary *summary, const char *words)
{
    (summary->style->markdown ? text_put_markdown : text_put_plain)(summary->text, words);
}

void summary_put_heading(struct summary *summary, const char *words)
{
    text_print(summary->text, summary->style->markdown ? "\n### %s\n\n" : "\n%s\n", words);
}

// ---- targets ----------------------------------------------------------------

static enum paint paint_of(enum tally_outcome outcome)
{
    return outcome == OUTCOME_CONFORMS ? GOOD : outcome == OUTCOME_DIFFERS ? BAD : DOUBTFUL;
}

// One number of a row, from the right; a dash for none.
static void put_number(struct summary *summary, uint32_t count, int width, enum paint paint)
{
    struct text digits = {0};
    text_put_count(&digits, count);
    const char *const words = count && digits.size ? digits.bytes : "-";
    text_print(summary->text, summary->style->markdown ? " | " : "%*s", width - (int)strlen(words),
               "");
    put_painted(summary, count ? paint : PLAIN, words);
    summary->text->failed |= digits.failed;
    text_release(&digits);
}

static void put_target(struct summary *summary, size_t t)
{
    static const char *const conforms[] = {[OUTCOME_CONFORMS] = "yes",
                                           [OUTCOME_PARTLY] = "in part",
                                           [OUTCOME_EXPECTED] = "as known",
                                           [OUTCOME_DIFFERS] = "NO",
                                           [OUTCOME_NOTHING] = "nothing"};
    const struct results_target *const target = &summary->results->target[t];
    const struct tally_cell *const cell = &summary->tally->by_target[t];
    const enum tally_outcome outcome = tally_outcome_of(cell);
    const bool markdown = summary->style->markdown;
    struct text name = {0};
    text_put(&name, target->name);
    text_put(&name, target->version ? " " : "");
    text_put(&name, target->version ? target->version : "");
    text_put(summary->text, markdown ? "| " : "");
    const size_t start = summary->text->size;
    summary_put_foreign(summary, name.bytes ? name.bytes : "", SUMMARY_NAME_MAX);
    summary->text->failed |= name.failed;
    text_release(&name);
    for (size_t used = summary->text->size - start; !markdown && used < SUMMARY_NAME_MAX + 2;
         used++)
        text_put(summary->text, " ");
    text_put(summary->text, markdown ? " | " : "");
    if (target->unavailable) {
        put_painted(summary, BAD, "not available: ");
        summary_put_foreign(summary, target->unavailable, SUMMARY_CUT_MAX - SUMMARY_NAME_MAX);
        text_put(summary->text, markdown ? " | | | | | | | |\n" : "\n");
        return;
    }
    put_painted(summary, paint_of(outcome), conforms[outcome]);
    for (size_t used = strlen(conforms[outcome]); !markdown && used < 8; used++)
        text_put(summary->text, " ");
    put_number(summary, cell->verdict[VERDICT_PASS] + cell->verdict[VERDICT_VACUOUS], 8, PLAIN);
    put_number(summary, cell->verdict[VERDICT_REJECTED], 9, PLAIN);
    put_number(summary, cell->verdict[VERDICT_SURVIVED], 10, PLAIN);
    put_number(summary, cell->expected, 8, DOUBTFUL);
    put_number(summary, tally_failures(cell) - cell->expected, 8, BAD);
    put_number(summary, cell->cured, 8, BAD);
    put_number(summary, cell->verdict[VERDICT_UNSUPPORTED], 13, PLAIN);
    text_put(summary->text, markdown ? " |\n" : "\n");
}

static void put_targets(struct summary *summary)
{
    struct text *const text = summary->text;
    const struct results *const results = summary->results;
    if (results->target_count && summary->style->markdown)
        text_put(text, "| target | conforms | pass | refused | survived | known | NEW | cured | "
                       "unsupported |\n"
                       "|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
    else if (results->target_count)
        text_print(text, "%-*sconforms%8s%9s%10s%8s%8s%8s%13s\n", SUMMARY_NAME_MAX + 2, "target",
                   "pass", "refused", "survived", "known", "NEW", "cured", "unsupported");
    for (size_t t = 0; t < results->target_count; t++)
        put_target(summary, t);
    for (size_t i = 0; i < results->suite_count; i++)
        if (results->suite[i].reference_only) {
            text_put(text, summary->style->markdown ? "\n" : "");
            summary_put_foreign(summary, results->suite[i].name, SUMMARY_NAME_MAX);
            text_put(text, ": reference only: ");
            summary_put_foreign(summary, results->suite[i].reference_only,
                                SUMMARY_CUT_MAX - SUMMARY_NAME_MAX);
            text_put(text, "\n");
        }
}

// ---- all of it --------------------------------------------------------------

// ": 9 of 12 cases, 3 unsupported; requirements: 1 met, 2 in part (4 of 7 cases)"
static void put_numbers(struct summary *summary)
{
    struct text words = {0};
    tally_put_outcome(&words, summary->tally, summary->tally->targets);
    text_put(summary->text, words.bytes ? strchr(words.bytes, ':') : "");
    summary->text->failed |= words.failed;
    text_release(&words);
}

static void put_outcome(struct summary *summary)
{
    const enum tally_outcome outcome = tally_outcome_of(&summary->tally->all);
    const bool markdown = summary->style->markdown;
    text_put(summary->text, markdown ? "## assay: " : "");
    if (outcome == OUTCOME_DIFFERS)
        put_painted(summary, BAD,
                    summary->tally->targets > 1 ? "not all conform" : "does not conform");
    else
        put_painted(summary, paint_of(outcome), tally_outcome_name(outcome));
    if (summary->results->case_count)
        put_numbers(summary);
    for (size_t i = 0; i < summary->results->file_count; i++)
        if (summary->results->file[i].shard_count > 1)
            text_print(summary->text, "; only part %llu of %llu of the plan",
                       (unsigned long long)summary->results->file[i].shard_index,
                       (unsigned long long)summary->results->file[i].shard_count);
    text_put(summary->text, "\n");
}

static enum error put_caveats(struct summary *summary)
{
    struct arena arena = {0};
    struct caveats caveats;
    const enum error error =
        caveats_of_all(summary->results, &arena, &caveats, summary->diagnostic);
    for (size_t i = 0; !error && i < caveats.count; i++) {
        text_put(summary->text, summary->style->markdown ? "\n- " : "  ");
        put_whole(summary, caveats.line[i]);
        text_put(summary->text, summary->style->markdown ? "" : "\n");
    }
    text_put(summary->text, summary->style->markdown && !error && caveats.count ? "\n\n" : "\n");
    arena_release(&arena);
    return error;
}

static enum error write(const struct text_sink *sink, const struct summary_style *style,
                        const struct results *results, const struct tally *tally,
                        struct diagnostic *diagnostic)
{
    struct text text = {0};
    struct summary summary = {&text, style, results, tally, {0}, diagnostic};
    enum error error = causes_collect(&summary.causes, results, diagnostic);
    if (!error) {
        put_outcome(&summary);
        error = put_caveats(&summary);
    }
    if (!error) {
        put_targets(&summary);
        error = summary_put_causes(&summary);
    }
    causes_release(&summary.causes);
    if (!error)
        error = text_flush(&text, sink, true, diagnostic);
    text_release(&text);
    return error;
}

enum error summary_write(const struct text_sink *sink, const struct results *results,
                         const struct tally *tally, struct diagnostic *diagnostic)
{
    // Headings and their blank lines, the lines about what is left out, outcome and table: 16 lines
    // and one for each target.
    const bool many = tally->targets > 8;
    const struct summary_style style = {.coloured = sink->coloured,
                                        .causes = {[CAUSE_NEW] = many ? 3 : 5,
                                                   [CAUSE_CURED] = many ? 2 : 3,
                                                   [CAUSE_KNOWN] = many ? 4 : 6,
                                                   [CAUSE_UNSUPPORTED] = many ? 4 : 6}};
    return write(sink, &style, results, tally, diagnostic);
}

enum error summary_write_markdown(const struct text_sink *sink, const struct results *results,
                                  const struct tally *tally, struct diagnostic *diagnostic)
{
    const struct summary_style style = {
        .markdown = true,
        .causes = {
            [CAUSE_NEW] = 20, [CAUSE_CURED] = 20, [CAUSE_KNOWN] = 40, [CAUSE_UNSUPPORTED] = 100}};
    return write(sink, &style, results, tally, diagnostic);
}
