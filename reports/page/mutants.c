// SPDX-License-Identifier: Apache-2.0
// The reference with one mistake each: which cases and requirements notice it.

#include "reports/page/page.h"

enum { MATRIX_COLUMNS_MAX = 40 };

static void put_mutant_row(struct page *page, const struct results_mutant *mutant, size_t first,
                           size_t columns)
{
    struct text *const text = &page->text;
    page_print(page, "<tr><th scope=\"row\">%s <code>%s</code></th><td>", mutant->op,
               mutant->profile);
    if (mutant->waived)
        page_put_outcome(page, OUTCOME_NOTHING, "waived");
    else
        page_put_outcome(page, mutant->killed ? OUTCOME_CONFORMS : OUTCOME_DIFFERS,
                         mutant->killed ? "killed" : "lives");
    page_print(page, "</td><td class=\"n\">%zu</td><td class=\"by\">%s", (size_t)mutant->kills,
               mutant->waived ? mutant->waived : mutant->killers);
    if (!mutant->waived && mutant->kills > RESULTS_KILLERS_SHOWN)
        page_print(page, " and %zu more", (size_t)(mutant->kills - RESULTS_KILLERS_SHOWN));
    text_put(text, "</td>");
    for (size_t c = 0; c < columns; c++) {
        bool hit = false;
        for (uint32_t k = 0; k < mutant->covers_count; k++)
            hit |= page->results->covers[mutant->covers_first + k] == first + c;
        text_put(text, hit ? "<td class=\"hit\">\xe2\x9c\x93</td>" : "<td></td>");
    }
    text_put(text, "</tr>\n");
}

static void put_mutant_suite(struct page *page, uint32_t suite)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    size_t killed = 0, counted = 0, first = 0, columns = 0;
    for (size_t i = 0; i < results->mutant_count; i++)
        if (results->mutant[i].suite == suite && !results->mutant[i].waived) {
            killed += results->mutant[i].killed;
            counted++;
        }
    // Requirements of one suite stand together, as its header lists them.
    while (first < results->requirement_count && results->requirement[first].suite != suite)
        first++;
    while (first + columns < results->requirement_count &&
           results->requirement[first + columns].suite == suite)
        columns++;
    columns = columns > MATRIX_COLUMNS_MAX ? 0 : columns;
    page_print(page, "<h3>%s", results->suite[suite].name);
    text_print(text, ": %zu of %zu killed</h3>\n", killed, counted);
    text_put(text, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Mutants\">"
                   "<table class=\"mutants\">\n<thead><tr><th scope=\"col\">mutant</th>"
                   "<th scope=\"col\">verdict</th><th scope=\"col\">cases</th>"
                   "<th scope=\"col\">killed by</th>");
    for (size_t c = 0; c < columns; c++)
        page_print(page, "<th scope=\"col\" class=\"up\">%s</th>",
                   results->requirement[first + c].id);
    text_put(text, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < results->mutant_count; i++)
        if (results->mutant[i].suite == suite)
            put_mutant_row(page, &results->mutant[i], first, columns);
    text_put(text, "</tbody></table></div>\n");
}

void page_put_mutants(struct page *page)
{
    if (!page->results->mutant_count)
        return;
    text_put(&page->text,
             "<section aria-labelledby=\"mutants\">"
             "<h2 id=\"mutants\">Mutants</h2>\n<p>Each mutant is the reference with one "
             "mistake; a suite that lets one live has a gap.</p>\n");
    for (uint32_t suite = 0; suite < page->results->suite_count; suite++)
        for (size_t i = 0; i < page->results->mutant_count; i++)
            if (page->results->mutant[i].suite == suite) {
                put_mutant_suite(page, suite);
                break;
            }
    text_put(&page->text, "</section>\n");
}
