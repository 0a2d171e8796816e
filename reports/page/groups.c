// SPDX-License-Identifier: Apache-2.0
// Failures by cause, new ones first: what explains them, then each case.

#include "reports/page/page.h"
#include "reports/summary_line.h"

enum { OPEN_CAUSES = 3, KNOWN_OPEN = 6 }; // shown without opening anything: new causes, known ones

static const char *const kind_id[] = {
    [CAUSE_NEW] = "new", [CAUSE_CURED] = "cured", [CAUSE_KNOWN] = "known"};

// ---- which failures are shown in full ---------------------------------------

static void choose_of(struct page *page, const struct cause *cause, size_t most)
{
    for (size_t i = 0; i < cause->count && i < most; i++)
        if (!page->number[cause->entry[i].item] && page->failure_count < PAGE_FAILURES_MAX)
            page->number[cause->entry[i].item] = (uint32_t)++page->failure_count;
}

// Chooses some cases of every new cause, some of every known one, then others while there is room.
static void choose_failures(struct page *page)
{
    const struct causes *const causes = &page->causes;
    for (size_t c = causes->first[CAUSE_NEW]; c < causes->first[CAUSE_NEW + 1]; c++)
        choose_of(page, &causes->cause[c], PAGE_PER_NEW_CAUSE);
    for (size_t c = causes->first[CAUSE_KNOWN]; c < causes->first[CAUSE_KNOWN + 1]; c++)
        choose_of(page, &causes->cause[c], PAGE_PER_KNOWN_CAUSE);
    for (size_t c = causes->first[CAUSE_NEW]; c < causes->first[CAUSE_NEW + 1]; c++)
        choose_of(page, &causes->cause[c], SIZE_MAX);
}

// ---- causes -----------------------------------------------------------------

static void put_summary(struct page *page, const struct cause *cause)
{
    struct text *const text = &page->text;
    const struct cause_entry *const entry = cause->entry;
    struct text words = {0};
    text_put(text, "<summary>");
    page_put_outcome(page, entry->kind == CAUSE_KNOWN ? OUTCOME_EXPECTED : OUTCOME_DIFFERS,
                     kind_id[entry->kind]);
    page_print(page, " <strong>%s</strong> ", page->results->target[entry->target].name);
    if (entry->kind == CAUSE_NEW) {
        page_print(page, "%s: ", page->results->suite[entry->suite].name);
        summary_put_conclusion(&words, &page->causes, cause);
    } else {
        text_put_count(&words, cause->count);
        text_put(&words, cause->count == 1 ? " case: " : " cases: ");
        text_put(&words, cause_text(cause));
    }
    page_print(page, "%s</summary>\n", words.size ? words.bytes : "");
    text->failed |= words.failed;
    text_release(&words);
}

static enum error put_in_full(struct page *page, const struct cause *cause, bool open)
{
    enum error error = ERROR_NONE;
    size_t shown = 0, full = 0;
    for (size_t i = 0; i < cause->count; i++)
        full += page->number[cause->entry[i].item] != 0;
    for (size_t i = 0; !error && i < cause->count; i++) {
        const uint32_t item = cause->entry[i].item;
        struct arena arena = {0};
        struct document_source line;
        struct document_node *root;
        if (!page->number[item])
            continue;
        if (shown++ == PAGE_PER_NEW_CAUSE)
            text_print(&page->text, "<details><summary>%zu more of this cause</summary>\n",
                       full - PAGE_PER_NEW_CAUSE);
        error = results_detail(page->results, &page->results->cases[item], &arena, &line, &root,
                               page->diagnostic);
        if (!error)
            page_put_failure(page, item, root, open && !i);
        arena_release(&arena);
        if (!error)
            error = text_flush(&page->text, page->sink, false, page->diagnostic);
    }
    text_put(&page->text, shown > PAGE_PER_NEW_CAUSE ? "</details>\n" : "");
    return error;
}

// Those that are not shown in full, by name. *rows counts them over all causes.
static void put_by_name(struct page *page, const struct cause *cause, size_t *rows)
{
    struct text *const text = &page->text;
    size_t named = 0, left = 0;
    for (size_t i = 0; i < cause->count; i++) {
        const struct results_case *const item = &page->results->cases[cause->entry[i].item];
        if (page->number[cause->entry[i].item])
            continue;
        if (*rows == PAGE_ROWS_MAX) {
            left++;
            continue;
        }
        ++*rows;
        text_put(text, named++ ? "" : "<details><summary>By name</summary><ul class=\"names\">\n");
        text_put(text, "<li>");
        if (cause->entry->kind != CAUSE_NEW)
            page_print(page, "%s ", page->results->suite[item->suite].name);
        page_print(page, "%s</li>\n", item->id);
    }
    text_put(text, named ? "</ul></details>\n" : "");
    if (left)
        page_print(page, "<p>and %zu more, which results.jsonl holds</p>\n", left);
}

static enum error put_causes(struct page *page, enum cause_kind kind, const char *heading,
                             size_t *rows)
{
    struct text *const text = &page->text;
    const struct causes *const causes = &page->causes;
    const size_t first = causes->first[kind], end = causes->first[kind + 1];
    enum error error = ERROR_NONE;
    if (first == end)
        return ERROR_NONE;
    page_print(page, "<details class=\"kind\" data-kind=\"%s\"%s><summary><h3 id=\"%s\">%s: %zu",
               kind_id[kind], kind == CAUSE_NEW || end - first <= KNOWN_OPEN ? " open" : "",
               kind_id[kind], heading, causes->total[kind]);
    if (end - first == 1)
        text_put(text, ", of one cause</h3></summary>\n");
    else
        text_print(text, ", of %zu causes</h3></summary>\n", end - first);
    for (size_t c = first; c < end && !error; c++) {
        const struct cause *const cause = &causes->cause[c];
        const bool open = kind == CAUSE_NEW && c - first < OPEN_CAUSES;
        text_print(text, "<details class=\"cause\" data-target=\"%u\"%s>", cause->entry->target,
                   open ? " open" : "");
        put_summary(page, cause);
        error = put_in_full(page, cause, open);
        put_by_name(page, cause, rows);
        text_put(text, "</details>\n");
    }
    text_put(text, "</details>\n");
    return error;
}

// Search and filters, which the script shows and works.
static void put_tools(struct page *page)
{
    struct text *const text = &page->text;
    text_put(text, "<p class=\"tools\" id=\"tools\" hidden><label>Search <input type=\"search\" "
                   "id=\"search\" autocomplete=\"off\"></label> <label>Show <select id=\"kind\">"
                   "<option value=\"\">all</option>");
    for (unsigned k = CAUSE_NEW; k < CAUSE_UNSUPPORTED; k++)
        if (page->causes.total[k])
            text_print(text, "<option value=\"%s\">%s</option>", kind_id[k], kind_id[k]);
    text_put(text, "</select></label> <label>of <select id=\"target\">"
                   "<option value=\"\">every target</option>");
    for (size_t t = 0; t < page->results->target_count; t++)
        if (tally_failures(&page->tally->by_target[t]) || page->tally->by_target[t].cured) {
            text_print(text, "<option value=\"%zu\">", t);
            page_print(page, "%s</option>", page->results->target[t].name);
        }
    text_put(text, "</select></label> <span id=\"found\" role=\"status\"></span></p>\n");
}

enum error page_put_failures(struct page *page)
{
    struct text *const text = &page->text;
    size_t rows = 0;
    enum error error = ERROR_NONE;
    put_tools(page);
    if (!page->causes.first[CAUSE_UNSUPPORTED])
        return ERROR_NONE;
    choose_failures(page);
    text_put(text, "<section aria-labelledby=\"failures\"><h2 id=\"failures\">Failures</h2>\n"
                   "<p class=\"faint\">Bits in which expected and got differ are marked and "
                   "underlined; a thin line parts sign, exponent and fraction.</p>\n");
    error = put_causes(page, CAUSE_NEW, "New failures", &rows);
    if (!error)
        error = put_causes(page, CAUSE_CURED, "Expected failures that did not occur", &rows);
    if (!error)
        error = put_causes(page, CAUSE_KNOWN, "Known failures", &rows);
    text_put(text, "</section>\n");
    return error;
}
