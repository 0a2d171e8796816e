// SPDX-License-Identifier: Apache-2.0
// What tests of others notice: a row for each of their suites, its survivors, and what they expect
// wrongly.

#include <string.h>

#include "reports/page/page.h"
#include "reports/value.h"

// How many wrong implementations the tests notice, or our cases.
static size_t count_noticed(const struct results *results, const struct results_score *score,
                            bool ours)
{
    size_t noticed = 0;
    for (size_t i = 0; i < score->mistake_count; i++) {
        const struct results_mistake *const mistake = &results->mistake[score->mistake_first + i];
        noticed += (ours ? mistake->ours : mistake->theirs) != NULL;
    }
    return noticed;
}

static const char *name_of(const struct results *results, const struct results_score *score)
{
    return score->declared ? score->declared : results->suite[score->suite].name;
}

// How many tests expect what is not right.
static size_t count_flawed(const struct results *results, const struct results_score *score)
{
    size_t count = 0;
    for (size_t i = 0; i < score->flaw_count; i++) {
        const char *const verdict = results->flaw[score->flaw_first + i].verdict;
        count += strcmp(verdict, "refused") != 0 && strcmp(verdict, "narrow") != 0;
    }
    return count;
}

static void put_row(struct page *page, const struct results_score *score)
{
    const size_t all = score->mistake_count, noticed = count_noticed(page->results, score, false);
    page_print(page,
               "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"n\">%zu</td>"
               "<td class=\"n\">%zu</td><td class=\"n\">%zu of %zu",
               score->source, name_of(page->results, score), (size_t)score->tests,
               (size_t)score->held, noticed, all);
    if (all)
        page_print(page, " (%zu %%)", (100 * noticed + all / 2) / all);
    page_print(page,
               "</td><td class=\"n\">%zu of %zu</td><td class=\"n\">%zu</td>"
               "<td class=\"n\">%zu</td></tr>\n",
               count_noticed(page->results, score, true), all, (size_t)score->refused,
               count_flawed(page->results, score));
}

// ---- what survives ----------------------------------------------------------

static void put_survivors(struct page *page, const struct results_score *score)
{
    const size_t survivors = score->mistake_count - count_noticed(page->results, score, false);
    if (!survivors || !score->tests)
        return;
    page_print(page,
               "<details><summary>%s: %zu wrong implementations of %s that pass</summary>"
               "<table class=\"mutants\">\n<thead><tr><th scope=\"col\">wrong implementation</th>"
               "<th scope=\"col\">our case that notices it</th></tr></thead>\n<tbody>\n",
               score->source, survivors, name_of(page->results, score));
    for (size_t i = 0; i < score->mistake_count; i++) {
        const struct results_mistake *const mistake =
            &page->results->mistake[score->mistake_first + i];
        if (!mistake->theirs)
            page_print(page, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td></tr>\n",
                       mistake->profile, mistake->ours ? mistake->ours : "none");
    }
    text_put(&page->text, "</tbody></table></details>\n");
}

// ---- expected values --------------------------------------------------------

// "3f800000 (1)"
static void put_value(struct page *page, enum dtype dtype, const char *hex)
{
    char decimal[VALUE_TEXT_SIZE] = "?";
    uint64_t bits = 0;
    if (value_parse(dtype, hex, &bits))
        value_write(dtype, bits, decimal);
    page_print(page, "<code>%s</code> (%s)", hex, decimal);
}

static void put_flaw(struct page *page, const struct results_flaw *flaw)
{
    page_print(page, "<tr><th scope=\"row\">%s</th><td>%s", flaw->test, flaw->verdict);
    if (flaw->profile[0])
        page_print(page, "; right under <code>%s</code>", flaw->profile);
    if (flaw->reason)
        page_print(page, ": %s", flaw->reason);
    if (!flaw->output) {
        text_put(&page->text, "</td><td></td><td></td><td></td></tr>\n");
        return;
    }
    const enum dtype dtype = dtype_named(flaw->dtype);
    page_print(page, "</td><td>%s[%zu], %zu of %zu</td><td>", flaw->output, (size_t)flaw->at,
               (size_t)flaw->wrong, (size_t)flaw->compared);
    put_value(page, dtype, flaw->expected);
    text_put(&page->text, "</td><td>");
    put_value(page, dtype, flaw->lower && flaw->upper ? flaw->lower : flaw->right);
    if (flaw->lower && flaw->upper) {
        text_put(&page->text, " to ");
        put_value(page, dtype, flaw->upper);
    }
    text_put(&page->text, "</td></tr>\n");
}

static void put_flaws(struct page *page, const struct results_score *score)
{
    if (!score->flaw_count)
        return;
    page_print(page,
               "<details><summary>%s: %zu tests of %s that a right implementation fails, or that "
               "expect what is not right</summary>"
               "<table class=\"mutants\">\n<thead><tr><th scope=\"col\">test</th>"
               "<th scope=\"col\">verdict</th><th scope=\"col\">element, how many</th>"
               "<th scope=\"col\">expected</th><th scope=\"col\">right</th></tr></thead>\n"
               "<tbody>\n",
               score->source, score->flaw_count, name_of(page->results, score));
    for (size_t i = 0; i < score->flaw_count; i++)
        put_flaw(page, &page->results->flaw[score->flaw_first + i]);
    text_put(&page->text, "</tbody></table></details>\n");
}

void page_put_scores(struct page *page)
{
    struct text *const text = &page->text;
    if (!page->results->score_count)
        return;
    text_put(
        text,
        "<section aria-labelledby=\"scores\"><h2 id=\"scores\">Scores</h2>\n"
        "<p>How many wrong implementations the tests of others notice, by their own "
        "tolerance, beside the cases here.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Scores\">"
        "<table>\n<thead><tr><th scope=\"col\">tests</th><th scope=\"col\">operator or suite</th>"
        "<th scope=\"col\">tests</th><th scope=\"col\">that the reference passes</th>"
        "<th scope=\"col\">wrong ones noticed</th><th scope=\"col\">by our cases</th>"
        "<th scope=\"col\">right ones refused</th>"
        "<th scope=\"col\">expected values not right</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < page->results->score_count; i++)
        put_row(page, &page->results->score[i]);
    text_put(text, "</tbody></table></div>\n");
    for (size_t i = 0; i < page->results->score_count; i++) {
        put_survivors(page, &page->results->score[i]);
        put_flaws(page, &page->results->score[i]);
    }
    text_put(text, "</section>\n");
}
