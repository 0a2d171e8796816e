// SPDX-License-Identifier: Apache-2.0
// Requirements by targets: a cell says what was reached and leads to the cases behind it.

#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/summary.h"

bool page_is_source(const struct page *page, size_t target)
{
    return !strcmp(page->results->target[target].kind, "source");
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
        text_put(text, "<td><span class=\"faint\">no case</span></td>");
        return;
    }
    if (outcome == OUTCOME_DIFFERS || outcome == OUTCOME_EXPECTED)
        snprintf(words, sizeof words, "%u of %u%s", tally_failures(cell) + cell->cured, cell->total,
                 outcome == OUTCOME_EXPECTED ? ", known" : "");
    else if (outcome == OUTCOME_NOTHING)
        snprintf(words, sizeof words, "unsupported");
    else if (tally_level(cell) == LEVEL_NONE)
        snprintf(words, sizeof words, cell->verdict[VERDICT_REJECTED] ? "refused" : "vacuous");
    else
        snprintf(words, sizeof words, "%s%s", results_level_name(tally_level(cell)),
                 outcome == OUTCOME_PARTLY ? ", in part" : "");
    text_print(text, "<td><a href=\"#r%zu-%zu\">", requirement + 1, target + 1);
    page_put_outcome(page, outcome, words);
    text_put(text, "</a></td>");
}

// Whether any target has a case of it: results of mutants name suites, too.
static bool suite_was_run(const struct page *page, uint32_t suite)
{
    for (size_t t = 0; t < page->tally->targets; t++)
        if (page->tally->by_suite[suite * page->tally->targets + t].total)
            return true;
    return false;
}

bool page_has_matrix(const struct page *page)
{
    for (size_t r = 0; r < page->results->requirement_count; r++)
        if (suite_was_run(page, page->results->requirement[r].suite))
            return true;
    return false;
}

void page_put_matrix(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    if (!page_has_matrix(page))
        return;
    text_put(
        text,
        "<section aria-labelledby=\"requirements\"><h2 id=\"requirements\">Requirements</h2>\n"
        "<p class=\"faint\">\xe2\x9c\x93 conforms, at the lowest level that a case reached; \xe2\x97\x90 part was not run or "
        "proves "
        "little; ! differs as known; \xe2\x9c\x97 differs; \xe2\x80\x93 not run. Each cell leads to its cases.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Requirements by target\"><table class=\"matrix\">\n"
        "<thead><tr><th scope=\"col\">requirement</th>");
    size_t columns = 1;
    for (size_t t = 0; t < results->target_count; t++) {
        if (page_is_source(page, t))
            continue;
        columns++;
        text_put(text, "<th scope=\"col\">");
        page_put(page, results->target[t].name);
        text_put(text, "</th>");
    }
    text_put(text, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < results->requirement_count; r++) {
        const struct results_requirement *const requirement = &results->requirement[r];
        if (!suite_was_run(page, requirement->suite))
            continue;
        if (!r || requirement->suite != results->requirement[r - 1].suite) {
            text_print(text, "<tr><th scope=\"colgroup\" colspan=\"%zu\"><strong>", columns);
            page_put(page, results->suite[requirement->suite].name);
            text_put(text, "</strong> ");
            page_put(page, results->suite[requirement->suite].version);
            text_put(text, "</th></tr>\n");
        }
        text_put(text, "<tr><th scope=\"row\"><strong>");
        page_put(page, requirement->id);
        text_put(text, "</strong> ");
        page_put(page, requirement->text);
        text_put(text, "</th>");
        for (size_t t = 0; t < results->target_count; t++)
            if (!page_is_source(page, t))
                put_cell(page, r, t);
        text_put(text, "</tr>\n");
    }
    text_put(text, "</tbody></table></div>\n");
}

// ---- the cases behind a cell ------------------------------------------------

// Cases in the order of requirement and target: a counting sort over results->covers.
struct order {
    uint32_t *first, *item;
};

static bool sort_covers(const struct page *page, struct order *order)
{
    const struct results *const results = page->results;
    const size_t cells = page->tally->requirements * page->tally->targets;
    order->first = calloc(cells + 2, sizeof *order->first);
    order->item = calloc(results->covers_count + 1, sizeof *order->item);
    if (!order->first || !order->item)
        return false;
    for (size_t i = 0; i < results->case_count; i++)
        for (uint32_t k = 0; k < results->cases[i].covers_count; k++)
            order
                ->first[results->covers[results->cases[i].covers_first + k] * page->tally->targets +
                        results->cases[i].target + 2]++;
    for (size_t g = 2; g < cells + 2; g++)
        order->first[g] += order->first[g - 1];
    for (size_t i = 0; i < results->case_count; i++)
        for (uint32_t k = 0; k < results->cases[i].covers_count; k++)
            order->item[order->first[results->covers[results->cases[i].covers_first + k] *
                                         page->tally->targets +
                                     results->cases[i].target + 1]++] = (uint32_t)i;
    return true;
}

static void put_case_name(struct page *page, uint32_t index)
{
    if (page->number[index])
        text_print(&page->text, "<a href=\"#f%u\">", page->number[index]);
    page_put(page, page->results->cases[index].id);
    text_put(&page->text, page->number[index] ? "</a>" : "");
}

// The cases of one cell, verdict by verdict.
static void put_cases(struct page *page, const uint32_t *items, size_t count)
{
    struct text *const text = &page->text;
    for (unsigned verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++) {
            if (page->results->cases[items[i]].verdict != verdict)
                continue;
            if (!found++)
                text_print(text, "<p><strong>%s</strong>: ", results_verdict_name(verdict));
            else if (found <= PAGE_CASES_PER_CELL_MAX)
                text_put(text, ", ");
            if (found <= PAGE_CASES_PER_CELL_MAX)
                put_case_name(page, items[i]);
        }
        if (found > PAGE_CASES_PER_CELL_MAX) {
            text_put(text, " and ");
            text_put_count(text, found - PAGE_CASES_PER_CELL_MAX);
            text_put(text, " more");
        }
        text_put(text, found ? "</p>\n" : "");
    }
}

enum error page_put_drilldown(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    struct order order = {0};
    enum error error = ERROR_NONE;
    if (!page_has_matrix(page))
        return ERROR_NONE;
    if (!sort_covers(page, &order))
        error = diagnostic_no_memory(page->diagnostic);
    text_put(text, "<h3>The cases of each requirement</h3>\n");
    for (size_t r = 0; !error && r < results->requirement_count; r++) {
        if (!suite_was_run(page, results->requirement[r].suite))
            continue;
        text_put(text, "<details><summary><strong>");
        page_put(page, results->requirement[r].id);
        text_put(text, "</strong> ");
        page_put(page, results->requirement[r].text);
        text_put(text, "</summary>\n");
        if (results->requirement[r].clause) {
            text_put(text, "<p class=\"faint\">Clause: ");
            page_put(page, results->requirement[r].clause);
            text_put(text, "</p>\n");
        }
        for (size_t t = 0; t < results->target_count; t++) {
            const size_t cell = r * results->target_count + t;
            if (page_is_source(page, t))
                continue;
            text_print(text, "<div id=\"r%zu-%zu\"><h3>", r + 1, t + 1);
            page_put(page, results->target[t].name);
            text_put(text, ": ");
            summary_put_verdicts(text, &page->tally->by_requirement[cell]);
            text_put(text, "</h3>\n");
            put_cases(page, order.item + order.first[cell],
                      order.first[cell + 1] - order.first[cell]);
            text_put(text, "</div>\n");
        }
        text_put(text, "</details>\n");
        error = text_flush(text, page->sink, false, page->diagnostic);
    }
    text_put(text, "</section>\n");
    free(order.first);
    free(order.item);
    return error;
}
