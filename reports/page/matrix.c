// SPDX-License-Identifier: Apache-2.0
// Suite by suite: requirements by the targets that support something of it. A cell says what was
// reached and leads to the cases behind it.

#include <string.h>

#include "reports/page/page.h"
#include "reports/summary_line.h"

enum { OPEN_SUITES = 3 }; // more suites than that are closed

static const struct tally_cell *cell_of(const struct page *page, uint32_t suite, size_t target)
{
    return &page->tally->by_suite[suite * page->tally->targets + target];
}

// Whether the target is a column of the suite's matrix.
static bool has_column(const struct page *page, uint32_t suite, size_t target)
{
    const struct tally_cell *const cell = cell_of(page, suite, target);
    return cell->total > cell->verdict[VERDICT_UNSUPPORTED] && !page_is_source(page, target);
}

static bool suite_was_run(const struct page *page, uint32_t suite)
{
    for (size_t t = 0; t < page->tally->targets; t++)
        if (has_column(page, suite, t))
            return true;
    return false;
}

bool page_has_matrix(const struct page *page)
{
    for (uint32_t s = 0; s < page->results->suite_count; s++)
        if (suite_was_run(page, s))
            return true;
    return false;
}

// ---- the matrix of one suite ------------------------------------------------

// On a narrow screen each cell names its target.
static void put_label(struct page *page, size_t target)
{
    page_print(page, " data-label=\"%s\"", page->results->target[target].name);
}

// "✓ bits", "✗ 3 of 9", "– unsupported": few words, the rest is behind the link.
static void put_cell(struct page *page, size_t requirement, size_t target)
{
    struct text *const text = &page->text;
    const struct tally_cell *const cell =
        &page->tally->by_requirement[requirement * page->tally->targets + target];
    const enum tally_outcome outcome = tally_outcome_of(cell);
    char words[64];
    if (!cell->total) {
        text_put(text, "<td");
        put_label(page, target);
        text_put(text, "><span class=\"faint\">no case</span></td>");
        return;
    }
    if (outcome == OUTCOME_DIFFERS || outcome == OUTCOME_EXPECTED)
        snprintf(words, sizeof words, "%u of %u%s", tally_failures(cell) + cell->cured, cell->total,
                 outcome == OUTCOME_EXPECTED ? ", known" : "");
    else if (outcome == OUTCOME_NOTHING)
        snprintf(words, sizeof words, "unsupported");
    else if (tally_level(cell) == LEVEL_NONE)
        snprintf(words, sizeof words,
                 cell->verdict[VERDICT_REJECTED]   ? "refused"
                 : cell->verdict[VERDICT_SURVIVED] ? "survived"
                                                   : "vacuous");
    else
        snprintf(words, sizeof words, "%s", results_level_name(tally_level(cell)));
    if (outcome == OUTCOME_PARTLY)
        snprintf(words + strlen(words), sizeof words - strlen(words), ", %u of %u",
                 tally_good(cell), cell->cases);
    text_put(text, "<td");
    put_label(page, target);
    if (tally_failures(cell) || cell->cured)
        text_print(text, "><a href=\"#r%zu-%zu\">", requirement + 1, target + 1);
    else
        text_print(text, "><a href=\"#n%u-%zu\">",
                   page->results->requirement[requirement].suite + 1, target + 1);
    page_put_outcome(page, outcome, words);
    text_put(text, "</a></td>");
}

static void put_matrix(struct page *page, uint32_t suite)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    text_put(text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                   "aria-label=\"Requirements by target\"><table class=\"matrix\">\n"
                   "<thead><tr><th scope=\"col\">requirement</th>");
    for (size_t t = 0; t < results->target_count; t++)
        if (has_column(page, suite, t))
            page_print(page, "<th scope=\"col\">%s</th>", results->target[t].name);
    text_put(text, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < results->requirement_count; r++) {
        if (results->requirement[r].suite != suite)
            continue;
        page_print(page, "<tr><th scope=\"row\"><strong>%s</strong> %s</th>",
                   results->requirement[r].id, results->requirement[r].text);
        for (size_t t = 0; t < results->target_count; t++)
            if (has_column(page, suite, t))
                put_cell(page, r, t);
        text_put(text, "</tr>\n");
    }
    text_put(text, "</tbody></table></div>\n");
}

// ---- the cases behind a cell ------------------------------------------------

// Of each requirement that is not met: which cases fail.
static void put_failing(struct page *page, uint32_t suite, const struct page_order *order)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    for (size_t r = 0; r < results->requirement_count; r++) {
        const size_t first = r * results->target_count;
        if (results->requirement[r].suite != suite ||
            order->first[first] == order->first[first + results->target_count])
            continue;
        page_print(page, "<details class=\"list\"><summary><strong>%s</strong> %s</summary>\n",
                   results->requirement[r].id, results->requirement[r].text);
        if (results->requirement[r].clause)
            page_print(page, "<p class=\"faint\">Clause: %s</p>\n", results->requirement[r].clause);
        for (size_t t = 0; t < results->target_count; t++) {
            const size_t key = first + t, count = order->first[key + 1] - order->first[key];
            size_t most = PAGE_CASES_PER_CELL_MAX;
            if (!count || !has_column(page, suite, t))
                continue;
            text_print(text, "<div id=\"r%zu-%zu\"><h4>", r + 1, t + 1);
            page_print(page, "%s: ", results->target[t].name);
            summary_put_verdicts(text, &page->tally->by_requirement[key]);
            text_put(text, "</h4>\n");
            page_put_names(page, order->item + order->first[key], count, &most, true);
            text_put(text, "</div>\n");
        }
        text_put(text, "</details>\n");
    }
}

// All cases of the suite by name, target by target.
static void put_all_names(struct page *page, uint32_t suite, const struct page_order *order,
                          size_t *most)
{
    struct text *const text = &page->text;
    for (size_t t = 0; t < page->results->target_count; t++) {
        const size_t key = suite * page->results->target_count + t;
        if (!has_column(page, suite, t))
            continue;
        text_print(text, "<details class=\"list\" id=\"n%u-%zu\"><summary>All cases of <strong>",
                   suite + 1, t + 1);
        page_print(page, "%s</strong>: ", page->results->target[t].name);
        summary_put_verdicts(text, cell_of(page, suite, t));
        text_put(text, "</summary>\n");
        page_put_names(page, order->item + order->first[key],
                       order->first[key + 1] - order->first[key], most, false);
        text_put(text, "</details>\n");
    }
}

// ---- where the texts are wrong ----------------------------------------------

static void put_errata(struct page *page, uint32_t suite)
{
    const struct results *const results = page->results;
    size_t count = 0;
    for (size_t i = 0; i < results->erratum_count; i++)
        count += results->erratum[i].suite == suite;
    if (!count)
        return;
    text_print(&page->text,
               "<details class=\"list\"><summary>Errata: where the text contradicts itself or is "
               "silent, %zu</summary>\n<dl>\n",
               count);
    for (size_t i = 0; i < results->erratum_count; i++) {
        const struct results_erratum *const erratum = &results->erratum[i];
        if (erratum->suite == suite)
            page_print(page, "<dt>%s, %s</dt><dd>The text: %s.<br>Read as: %s.</dd>\n", erratum->id,
                       erratum->clause, erratum->says, erratum->decided);
    }
    text_put(&page->text, "</dl></details>\n");
}

// ---- all suites -------------------------------------------------------------

// "openvino.range 1.0.0: 18 of 19 requirements tested, 12 with a failure".
static void put_suite_summary(struct page *page, uint32_t suite)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    size_t count = 0, bad = 0, run = 0;
    for (size_t r = 0; r < results->requirement_count; r++) {
        bool failed = false, any = false;
        if (results->requirement[r].suite != suite)
            continue;
        for (size_t t = 0; t < results->target_count; t++) {
            const struct tally_cell *const cell =
                &page->tally->by_requirement[r * results->target_count + t];
            failed |= tally_failures(cell) || cell->cured;
            any |= cell->total > cell->verdict[VERDICT_UNSUPPORTED];
        }
        count++;
        bad += failed;
        run += any;
    }
    page_print(page, "<details class=\"suite\"%s><summary><strong>%s</strong> %s",
               bad && results->suite_count <= OPEN_SUITES ? " open" : "",
               results->suite[suite].name, results->suite[suite].version);
    text_print(text, ": %zu of %zu requirements tested", run, count);
    text_print(text, bad ? ", %zu with a failure</summary>\n" : ", none with a failure</summary>\n",
               bad);
}

static enum error put_suites(struct page *page, const struct page_order *failing,
                             const struct page_order *all)
{
    size_t most = PAGE_NAMES_MAX;
    enum error error = ERROR_NONE;
    for (uint32_t s = 0; s < page->results->suite_count && !error; s++) {
        if (!suite_was_run(page, s))
            continue;
        put_suite_summary(page, s);
        put_matrix(page, s);
        put_failing(page, s, failing);
        put_errata(page, s);
        put_all_names(page, s, all, &most);
        text_put(&page->text, "</details>\n");
        error = text_flush(&page->text, page->sink, false, page->diagnostic);
    }
    return error;
}

enum error page_put_suites(struct page *page)
{
    struct page_order failing = {0}, all = {0};
    if (!page_has_matrix(page))
        return ERROR_NONE;
    text_put(&page->text,
             "<section aria-labelledby=\"requirements\"><h2 id=\"requirements\">Requirements</h2>\n"
             "<p class=\"faint\">\xe2\x9c\x93 conforms, at the lowest level that a case reached; "
             "\xe2\x97\x90 part was not run or proves little; ! differs as known; \xe2\x9c\x97 "
             "differs; \xe2\x80\x93 not run. Each cell leads to its cases.</p>\n");
    const enum error error =
        page_sort_cases(page, true, &failing) && page_sort_cases(page, false, &all)
            ? put_suites(page, &failing, &all)
            : diagnostic_no_memory(page->diagnostic);
    text_put(&page->text, "</section>\n");
    page_release_order(&failing);
    page_release_order(&all);
    return error;
}
