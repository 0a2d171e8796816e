// SPDX-License-Identifier: Apache-2.0
// One failure: what differs, bit by bit, why, and how to see it again.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/shape.h"
#include "reports/page/svg.h"
#include "reports/value.h"

enum { ELEMENTS_OPEN = 8 }; // elements shown without opening anything

static void put_row(struct page *page, const char *label, const char *words)
{
    if (!words)
        return;
    text_print(&page->text, "<dt>%s</dt><dd>", label);
    page_put(page, words);
    text_put(&page->text, "</dd>\n");
}

// ---- bits -------------------------------------------------------------------

// Field by field, the bits in which the two differ marked.
static void put_bits(struct text *text, enum dtype dtype, uint64_t bits, uint64_t other)
{
    unsigned width[3], at = 8 * (unsigned)dtype_size(dtype);
    const unsigned fields = value_fields(dtype, width);
    text_put(text, "<span class=\"bits\">");
    for (unsigned field = 0; field < fields; field++) {
        bool marked = false;
        text_put(text, field ? "<i>" : "");
        for (unsigned i = 0; i < width[field]; i++) {
            at--;
            const bool differs = (bits ^ other) >> at & 1;
            if (differs != marked)
                text_put(text, differs ? "<b>" : "</b>");
            marked = differs;
            text_put(text, bits >> at & 1 ? "1" : "0");
        }
        text_put(text, marked ? "</b>" : "");
        text_put(text, field ? "</i>" : "");
    }
    text_put(text, "</span>");
}

static void put_index(struct text *text, const struct document_node *shape, uint64_t at)
{
    uint64_t size[16] = {0}, index[16] = {0};
    for (size_t i = 0; i < shape->count; i++)
        size[i] = strtoull(shape->item[i]->text, NULL, 10);
    for (size_t i = shape->count; i-- > 0;) {
        index[i] = size[i] ? at % size[i] : 0;
        at = size[i] ? at / size[i] : 0;
    }
    text_put(text, "[");
    for (size_t i = 0; i < shape->count; i++)
        text_print(text, "%s%" PRIu64, i ? "," : "", index[i]);
    text_put(text, "]");
}

// Expected above got, so that bits stand under bits.
static void put_element(struct page *page, enum dtype dtype, const struct document_node *shape,
                        const struct document_node *element)
{
    struct text *const text = &page->text;
    const char *const hex[] = {shape_text(element, "expected"), shape_text(element, "got"),
                               shape_text(element, "lower"), shape_text(element, "upper")};
    const struct document_node *const ulp = document_find(element, "ulp");
    uint64_t bits[4] = {0};
    char value[VALUE_TEXT_SIZE];
    bool whole = true;
    for (unsigned i = 0; i < 4; i++)
        whole &= !hex[i] || value_parse(dtype, hex[i], &bits[i]);
    for (unsigned i = 0; i < 2; i++) {
        text_put(text, i ? "<tr>" : "<tr><th scope=\"rowgroup\" rowspan=\"2\">");
        if (!i)
            put_index(text, shape, shape_count(element, "at", 0));
        text_print(
            text, "%s<th scope=\"row\">%s</th><td class=\"n\"><code>%s</code></td><td class=\"n\">",
            i ? "" : "</th>", i ? "got" : "expected", hex[i]);
        if (whole) {
            value_write(dtype, bits[i], value);
            text_put(text, value);
        }
        text_put(text, "</td><td>");
        if (whole)
            put_bits(text, dtype, bits[i], bits[1 - i]);
        text_put(text, "</td>");
        if (!i) {
            int64_t steps;
            text_put(text, "<td class=\"n\" rowspan=\"2\">");
            if (ulp)
                text_print(text, "%.4g ulp", shape_real(ulp));
            else if (whole && value_steps(dtype, bits[0], bits[1], &steps))
                text_print(text, "%+" PRId64 "%s", steps,
                           dtype_kind(dtype) == DTYPE_KIND_FLOAT ? " steps" : "");
            text_put(text, "</td>");
        }
        text_put(text, "</tr>\n");
    }
    if (whole && hex[2] && hex[3]) {
        text_put(text, "<tr><td colspan=\"6\">allowed: ");
        value_write(dtype, bits[2], value);
        text_print(text, "<code>%s</code> (%s) to ", hex[2], value);
        value_write(dtype, bits[3], value);
        text_print(text, "<code>%s</code> (%s)</td></tr>\n", hex[3], value);
    }
}

static void put_elements(struct page *page, enum dtype dtype, const struct document_node *output,
                         size_t first, size_t count)
{
    static const char head[] =
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Elements that differ\"><table "
        "class=\"elements\">\n<thead><tr>"
        "<th scope=\"col\">element</th><th scope=\"col\"></th><th scope=\"col\">hexadecimal</th><th scope=\"col\">decimal</th>"
        "<th scope=\"col\">bits</th><th scope=\"col\">apart</th></tr></thead>\n<tbody>\n";
    const struct document_node *const elements = document_find(output, "elements"),
                                      *const shape = document_find(output, "shape");
    text_put(&page->text, head);
    for (size_t i = first; i < first + count; i++)
        put_element(page, dtype, shape, elements->item[i]);
    text_put(&page->text, "</tbody></table></div>\n");
}

// ---- drawings ---------------------------------------------------------------

static void put_map(struct page *page, const struct document_node *map)
{
    uint64_t *const cells = calloc(64 * 64, sizeof *cells);
    const struct document_node *const list = document_find(map, "cells");
    const unsigned rows = (unsigned)shape_count(map, "rows", 1),
                   columns = (unsigned)shape_count(map, "columns", 1);
    const char *const down = shape_text(map, "row_name"), *const across =
                                                              shape_text(map, "column_name");
    if (!cells) {
        page->text.failed = true;
        return;
    }
    unsigned touched = 0;
    for (size_t i = 0; i < list->count; i++) {
        cells[i] = strtoull(list->item[i]->text, NULL, 10);
        touched += cells[i] > 0;
    }
    char description[128];
    snprintf(description, sizeof description, "%u of %u fields hold wrong elements", touched,
             rows * columns);
    text_put(&page->text, "<figure>");
    svg_map(&page->text, "Map of wrong elements", description, rows, columns, cells,
            down ? down : "first", across ? across : "last");
    text_put(&page->text, "<figcaption>Where the wrong elements lie: ");
    page_put(page, down ? down : "rows");
    text_put(&page->text, " down (");
    text_put_count(&page->text, shape_count(map, "row_count", rows));
    text_put(&page->text, "), ");
    page_put(page, across ? across : "columns");
    text_put(&page->text, " across (");
    text_put_count(&page->text, shape_count(map, "column_count", columns));
    text_put(&page->text, "); the stronger the colour, the more of them</figcaption></figure>\n");
    free(cells);
}

static void put_histogram(struct page *page, const struct document_node *histogram, bool radius)
{
    const struct document_node *const edges = document_find(histogram, "edges"), *const counts =
                                                                                     document_find(
                                                                                         histogram,
                                                                                         "counts");
    struct svg_bar bars[65];
    char label[65][16];
    char description[96];
    size_t shown = 0;
    for (size_t i = 0; i < edges->count; i++) {
        const double edge = shape_real(edges->item[i]);
        const uint64_t elements = strtoull(counts->item[i]->text, NULL, 10);
        if (edge >= 16 && !elements)
            continue; // far out, only what is there
        if (edge >= 1024 && ldexp(1, ilogb(edge)) == edge)
            snprintf(label[shown], sizeof label[shown], "2^%d", ilogb(edge) % 10000);
        else
            snprintf(label[shown], sizeof label[shown], "%.3g", edge);
        bars[shown] =
            (struct svg_bar){label[shown], radius && edge >= 1 ? "wrong" : NULL, elements};
        shown++;
    }
    snprintf(description, sizeof description, "%zu bins, the largest value is %.4g", edges->count,
             shape_real(document_find(histogram, "largest")));
    text_put(&page->text, "<figure>");
    svg_bars(&page->text, radius ? "Used part of the radius" : "Errors in ulp", description, bars,
             shown);
    text_print(
        &page->text,
        "<figcaption>%s, elements by lower edge (heights are logarithms); largest %.4g</figcaption></figure>\n",
        radius ? "Used part of the radius (from 1 up is wrong)" : "Errors in ulp",
        shape_real(document_find(histogram, "largest")));
}

// ---- one failure ------------------------------------------------------------

static void put_output(struct page *page, const struct document_node *output)
{
    struct text *const text = &page->text;
    const enum dtype dtype = dtype_named(shape_text(output, "dtype"));
    const struct document_node *const
        shape = document_find(output, "shape"),
        *const elements = document_find(output, "elements"),
        *const map = document_find(output, "map"), *const ulp = document_find(output, "ulp"),
        *const radius = document_find(output, "radius"), *const run = document_find(output, "run");
    text_put(text, "<p><strong>");
    page_put(page, shape_text(output, "name"));
    text_print(text, "</strong> %s[", dtype_name(dtype));
    for (size_t i = 0; i < shape->count; i++)
        text_print(text, "%s%llu", i ? "," : "", strtoull(shape->item[i]->text, NULL, 10));
    text_put(text, "]");
    if (run)
        text_print(text, ", run %llu", shape_count(output, "run", 0));
    if (document_find(output, "wrong")) {
        text_put(text, ": ");
        text_put_count(text, shape_count(output, "wrong", 0));
        text_put(text, " elements differ");
    }
    if (document_find(output, "compared")) {
        text_put(text, " of ");
        text_put_count(text, shape_count(output, "compared", 0));
        text_put(text, " compared");
    }
    if (shape_text(output, "shape_got")) {
        text_put(text, "; the target gave ");
        page_put(page, shape_text(output, "shape_got"));
    }
    text_put(text, "</p>\n");
    if (elements && elements->count) {
        const size_t open = elements->count < ELEMENTS_OPEN ? elements->count : ELEMENTS_OPEN;
        put_elements(page, dtype, output, 0, open);
        if (elements->count > open) {
            text_print(text, "<details><summary>%zu more elements</summary>\n",
                       elements->count - open);
            put_elements(page, dtype, output, open, elements->count - open);
            text_put(text, "</details>\n");
        }
    }
    if (map || ulp || radius)
        text_put(text, "<div class=\"plots\">");
    if (map)
        put_map(page, map);
    if (ulp)
        put_histogram(page, ulp, false);
    if (radius)
        put_histogram(page, radius, true);
    text_put(text, map || ulp || radius ? "</div>\n" : "");
}

static void put_condition(struct page *page, const struct document_node *condition)
{
    if (!condition || !condition->count)
        return;
    text_put(&page->text, "<dt>first under</dt><dd>");
    for (size_t i = 0; i < condition->count; i++) {
        text_print(&page->text, "%s%s ", i ? ", " : "", condition->key[i]->text);
        page_put(page, condition->item[i]->text);
    }
    text_put(&page->text, "</dd>\n");
}

static void put_explanation(struct page *page, const struct document_node *explained)
{
    struct text *const text = &page->text;
    if (!explained)
        return;
    const struct document_node *const profile = document_find(explained, "profile");
    text_put(text, "<dt>explained by</dt><dd>");
    if (shape_text(explained, "text"))
        page_put(page, shape_text(explained, "text"));
    for (size_t i = 0; !shape_text(explained, "text") && profile && i < profile->count; i++) {
        text_put(text, i ? ", <code>" : "<code>");
        page_put(page, profile->key[i]->text);
        text_put(text, "=");
        page_put(page, profile->item[i]->text);
        text_put(text, "</code>");
    }
    if (!profile)
        text_print(text, "%snone of %llu profiles gives these bits",
                   shape_text(explained, "text") ? "; " : "",
                   shape_count(explained, "searched", 0));
    text_put(text, "</dd>\n");
}

static void put_covers(struct page *page, const struct results_case *item)
{
    text_put(&page->text, "<dt>requirements</dt><dd>");
    for (uint32_t k = 0; k < item->covers_count; k++) {
        const uint32_t requirement = page->results->covers[item->covers_first + k];
        text_print(&page->text, "%s<a href=\"#r%u-%u\">", k ? ", " : "", requirement + 1,
                   item->target + 1);
        page_put(page, page->results->requirement[requirement].id);
        text_put(&page->text, "</a>");
    }
    text_put(&page->text, "</dd>\n");
}

// The first wrong one of the steps that the target was driven by.
static void put_step(struct page *page, const struct document_node *step)
{
    if (!step)
        return;
    text_put(&page->text, "<dt>first wrong step</dt><dd>");
    for (size_t i = 0; i < step->count; i++) {
        const bool name = !strcmp(step->key[i]->text, "gate_name");
        text_print(&page->text, "%s%s",
                   name ? " ("
                   : i  ? ", "
                        : "",
                   name ? "" : step->key[i]->text);
        text_put(&page->text, name ? "" : " ");
        page_put(page, step->item[i]->text);
        text_put(&page->text, name ? ")" : "");
    }
    text_put(&page->text, "</dd>\n");
}

static void put_failure(struct page *page, const struct results_case *item, size_t number,
                        const struct document_node *root)
{
    struct text *const text = &page->text;
    const struct document_node *const known = document_find(root, "known"), *const outputs =
                                                                                document_find(
                                                                                    root,
                                                                                    "outputs");
    text_print(
        text,
        "<article class=\"failure\" id=\"f%zu\" aria-labelledby=\"f%zu-name\"><h3 id=\"f%zu-name\">",
        number, number, number);
    page_put_outcome(page, item->known == KNOWN_EXPECTED ? OUTCOME_EXPECTED : OUTCOME_DIFFERS,
                     item->known == KNOWN_CURED ? "foreseen, did not come"
                                                : results_verdict_name(item->verdict));
    text_put(text, " ");
    page_put(page, page->results->target[item->target].name);
    text_put(text, " \xc2\xb7 ");
    page_put(page, page->results->suite[item->suite].name);
    text_put(text, " / ");
    page_put(page, item->id);
    text_put(text, "</h3>\n<dl>");
    put_row(page, "operation", item->op);
    if (item->covers_count)
        put_covers(page, item);
    put_step(page, document_find(root, "step"));
    put_row(page, "reason", shape_text(root, "reason"));
    if (item->observed)
        put_row(page, "bounds", "of each step, from the target's own output of the step before");
    put_row(page, "known", known ? shape_text(known, "why") : NULL);
    put_explanation(page, document_find(root, "explained"));
    put_condition(page, document_find(root, "condition"));
    if (shape_text(root, "reproduce")) {
        text_put(text, "<dt>again</dt><dd><pre>");
        page_put(page, shape_text(root, "reproduce"));
        text_put(text, "</pre></dd>");
    }
    text_put(text, "</dl>\n");
    for (size_t i = 0; outputs && i < outputs->count; i++)
        put_output(page, outputs->item[i]);
    if (shape_text(root, "stderr")) {
        text_put(text, "<details><summary>What the target wrote</summary><pre>");
        text_put_markup(text, shape_text(root, "stderr"), true);
        text_put(text, "</pre></details>\n");
    }
    text_put(text, "</article>\n");
}

static void put_rest(struct page *page)
{
    struct text *const text = &page->text;
    size_t rest = 0;
    for (size_t i = 0; i < page->results->case_count; i++) {
        const struct results_case *const item = &page->results->cases[i];
        if ((!results_case_unexpected(item) && item->known != KNOWN_EXPECTED) || page->number[i])
            continue;
        if (!rest++)
            text_put(text, "<details><summary>All other failures, by name</summary>\n<ul>\n");
        if (rest > PAGE_FAILURE_ROWS_MAX)
            continue;
        text_print(text, "<li>%s: ", results_verdict_name(item->verdict));
        page_put(page, page->results->target[item->target].name);
        text_put(text, " / ");
        page_put(page, page->results->suite[item->suite].name);
        text_put(text, " / ");
        page_put(page, item->id);
        text_put(text, "</li>\n");
    }
    if (rest > PAGE_FAILURE_ROWS_MAX) {
        text_put(text, "<li>and ");
        text_put_count(text, rest - PAGE_FAILURE_ROWS_MAX);
        text_put(text, " more, which results.jsonl holds</li>\n");
    }
    text_put(text, rest ? "</ul></details>\n" : "");
}

enum error page_put_failures(struct page *page)
{
    struct text *const text = &page->text;
    enum error error = ERROR_NONE;
    if (!page->failure_count)
        return ERROR_NONE;
    text_put(
        text,
        "<section aria-labelledby=\"failures\"><h2 id=\"failures\">Failures</h2>\n<p>Bits in which expected and got differ are "
        "marked and underlined; a thin line parts sign, exponent and fraction.</p>\n");
    for (size_t i = 0; !error && i < page->failure_count; i++) {
        const struct results_case *const item = &page->results->cases[page->failure[i]];
        struct arena arena = {0};
        struct document_source line;
        struct document_node *root;
        error = results_detail(page->results, item, &arena, &line, &root, page->diagnostic);
        if (!error)
            put_failure(page, item, i + 1, root);
        arena_release(&arena);
        if (!error)
            error = text_flush(text, page->sink, false, page->diagnostic);
    }
    if (!error)
        put_rest(page);
    text_put(text, "</section>\n");
    return error;
}
