// SPDX-License-Identifier: Apache-2.0
// The table of targets, and why cases are unsupported.

#include "reports/page/page.h"

static void put_target(struct page *page, size_t t)
{
    struct text *const text = &page->text;
    const struct results_target *const target = &page->results->target[t];
    const struct tally_cell *const cell = &page->tally->by_target[t];
    const enum tally_outcome outcome = tally_outcome_of(cell);
    page_print(page, "<tr><th scope=\"row\"><strong>%s</strong> %s</th>", target->name,
               target->version);
    if (target->unavailable) {
        page_print(page, "<td colspan=\"9\">not available: %s</td></tr>\n", target->unavailable);
        return;
    }
    text_put(text, "<td>");
    page_put_outcome(page, outcome, tally_outcome_name(outcome));
    text_print(text, "</td><td data-label=\"level\">%s</td>",
               tally_level(cell) == LEVEL_NONE ? "" : results_level_name(tally_level(cell)));
    page_put_cell(page, "pass", cell->verdict[VERDICT_PASS] + cell->verdict[VERDICT_VACUOUS], "");
    page_put_cell(page, "refused", cell->verdict[VERDICT_REJECTED], "");
    page_put_cell(page, "survived", cell->verdict[VERDICT_SURVIVED], "");
    page_put_cell(page, "known", cell->expected, "doubt");
    page_put_cell(page, "new", tally_failures(cell) - cell->expected, "bad");
    page_put_cell(page, "cured", cell->cured, "bad");
    page_put_cell(page, "unsupported", cell->verdict[VERDICT_UNSUPPORTED], "");
    text_put(text, "</tr>\n");
}

// Why cases are unsupported: reasons of all targets, the most frequent first.
static void put_unsupported(struct page *page)
{
    enum { REASONS = 200 };
    struct text *const text = &page->text;
    const struct causes *const causes = &page->causes;
    const size_t first = causes->first[CAUSE_UNSUPPORTED], count = causes->cause_count - first;
    if (!count)
        return;
    page_print(page, "<details><summary>Why %zu cases are unsupported</summary>\n<ul>\n",
               (size_t)causes->total[CAUSE_UNSUPPORTED]);
    for (size_t c = first; c < causes->cause_count && c < first + REASONS; c++)
        page_print(page, "<li>%zu of %s: %s</li>\n", (size_t)causes->cause[c].count,
                   page->results->target[causes->cause[c].entry->target].name,
                   cause_text(&causes->cause[c]));
    if (count > REASONS)
        text_print(text, "<li>and %zu more reasons</li>\n", count - REASONS);
    text_put(text, "</ul></details>\n");
}

void page_put_targets(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    text_put(text,
             "<section aria-labelledby=\"targets\"><h2 id=\"targets\">Targets</h2>\n"
             "<table class=\"rows targets\">\n<thead><tr><th scope=\"col\">target</th>"
             "<th scope=\"col\">verdict</th><th scope=\"col\">level</th><th scope=\"col\">pass</th>"
             "<th scope=\"col\">refused</th><th scope=\"col\">survived</th>"
             "<th scope=\"col\">known</th><th scope=\"col\">new</th>"
             "<th scope=\"col\">cured</th><th scope=\"col\">unsupported</th></tr></thead>\n"
             "<tbody>\n");
    for (size_t t = 0; t < results->target_count; t++)
        if (!page_is_source(page, t))
            put_target(page, t);
    text_put(text, "</tbody></table>\n");
    put_unsupported(page);
    for (size_t i = 0; i < results->suite_count; i++)
        if (results->suite[i].reference_only)
            page_print(page, "<p>%s: <strong>reference only</strong>: %s</p>\n",
                       results->suite[i].name, results->suite[i].reference_only);
    text_put(text, "</section>\n");
}
