// SPDX-License-Identifier: Apache-2.0
// Both answers to one request: what differs, bit by bit, and where it lies.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/svg.h"
#include "reports/shape.h"
#include "reports/value.h"

enum { ELEMENTS_MAX = 8 }; // elements shown of one output

// ---- bits -------------------------------------------------------------------

// Field by field, the bits in which the two differ marked.
static void put_bits(struct text *text, enum dtype dtype, uint64_t bits, uint64_t other)
{
    unsigned width[3], at = dtype_bits(dtype);
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

static void put_answer(struct page *page, enum dtype dtype, const char *which, const char *hex,
                       bool whole, uint64_t bits, uint64_t other)
{
    struct text *const text = &page->text;
    char value[VALUE_TEXT_SIZE];
    text_print(text, "<th scope=\"row\">%s</th><td><code>%s</code></td><td class=\"n\">", which,
               hex);
    if (whole) {
        value_write(dtype, bits, value);
        text_put(text, value);
    }
    text_put(text, "</td><td>");
    if (whole)
        put_bits(text, dtype, bits, other);
    text_put(text, "</td>");
}

// How far they are apart: in ulp, or in steps of representable values.
static void put_distance(struct text *text, enum dtype dtype, bool whole, const uint64_t bits[2],
                         const struct document_node *ulp)
{
    int64_t steps;
    text_put(text, "<td class=\"n\">");
    if (ulp)
        text_print(text, "%.4g ulp", shape_real(ulp));
    else if (whole && value_steps(dtype, bits[0], bits[1], &steps))
        text_print(text, "%+" PRId64 "%s", steps,
                   dtype_kind(dtype) == DTYPE_KIND_FLOAT ? " steps" : "");
    text_put(text, "</td>");
}

// Expected above got, so that bits stand under bits.
static void put_element(struct page *page, enum dtype dtype, const struct document_node *shape,
                        const struct document_node *element)
{
    struct text *const text = &page->text;
    const char *const hex[] = {shape_text(element, "expected"), shape_text(element, "got"),
                               shape_text(element, "lower"), shape_text(element, "upper")};
    uint64_t bits[4] = {0};
    char value[VALUE_TEXT_SIZE];
    bool whole = true;
    for (unsigned i = 0; i < 4; i++)
        whole &= !hex[i] || value_parse(dtype, hex[i], &bits[i]);
    text_put(text, "<tr><th scope=\"row\">");
    put_index(text, shape, shape_count(element, "at", 0));
    text_put(text, "</th>");
    put_answer(page, dtype, "expected", hex[0], whole, bits[0], bits[1]);
    text_put(text, "<td></td></tr>\n<tr><td></td>");
    put_answer(page, dtype, "got", hex[1], whole, bits[1], bits[0]);
    put_distance(text, dtype, whole, bits, document_find(element, "ulp"));
    text_put(text, "</tr>\n");
    if (whole && hex[2] && hex[3]) {
        text_put(text, "<tr><td></td><td colspan=\"5\">allowed: ");
        value_write(dtype, bits[2], value);
        text_print(text, "<code>%s</code> (%s) to ", hex[2], value);
        value_write(dtype, bits[3], value);
        text_print(text, "<code>%s</code> (%s)</td></tr>\n", hex[3], value);
    }
}

static void put_elements(struct page *page, enum dtype dtype, const struct document_node *output,
                         size_t count)
{
    const struct document_node *const elements = document_find(output, "elements"),
                                      *const shape = document_find(output, "shape");
    text_put(&page->text, "<table class=\"elements\">\n<thead><tr><th scope=\"col\">element</th>"
                          "<th scope=\"col\">answer</th><th scope=\"col\">hexadecimal</th>"
                          "<th scope=\"col\">decimal</th><th scope=\"col\">bits</th>"
                          "<th scope=\"col\">apart</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++)
        put_element(page, dtype, shape, elements->item[i]);
    text_put(&page->text, "</tbody></table>\n");
}

// ---- drawings ---------------------------------------------------------------

static void put_map(struct page *page, const struct document_node *map)
{
    uint64_t *const cells = calloc(64 * 64, sizeof *cells);
    const struct document_node *const list = document_find(map, "cells");
    const unsigned rows = (unsigned)shape_count(map, "rows", 1),
                   columns = (unsigned)shape_count(map, "columns", 1);
    const char *const down = shape_text(map, "row_name");
    const char *const across = shape_text(map, "column_name");
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
    page_print(
        page,
        "<figcaption>Where the wrong elements lie: %s down (%zu), %s across (%zu); the stronger "
        "the colour, the more of them</figcaption></figure>\n",
        down ? down : "rows", (size_t)shape_count(map, "row_count", rows),
        across ? across : "columns", (size_t)shape_count(map, "column_count", columns));
    free(cells);
}

static void put_histogram(struct page *page, const struct document_node *histogram, bool radius)
{
    const struct document_node *const edges = document_find(histogram, "edges");
    const struct document_node *const counts = document_find(histogram, "counts");
    struct svg_bar bars[65];
    char label[65][16];
    char description[96];
    size_t shown = 0;
    for (size_t i = 0; i < edges->count; i++) {
        const double edge = shape_real(edges->item[i]);
        const uint64_t elements = strtoull(counts->item[i]->text, NULL, 10);
        if (edge >= 16 && !elements)
            continue; // far out, only bins that hold something
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
    text_print(&page->text,
               "<figcaption>%s, elements by lower edge (heights are logarithms); largest %.4g"
               "</figcaption></figure>\n",
               radius ? "Used part of the radius (from 1 up is wrong)" : "Errors in ulp",
               shape_real(document_find(histogram, "largest")));
}

// ---- one output -------------------------------------------------------------

// "dst_layer f32[2,3], run 1: 5 elements differ of 6 compared".
static void put_output_line(struct page *page, const struct document_node *output)
{
    struct text *const text = &page->text;
    const struct document_node *const shape = document_find(output, "shape");
    const struct document_node *const run = document_find(output, "run");
    const enum dtype dtype = dtype_named(shape_text(output, "dtype"));
    page_print(page, "<p><strong>%s</strong> %s[", shape_text(output, "name"), dtype_name(dtype));
    for (size_t i = 0; i < shape->count; i++)
        text_print(text, "%s%llu", i ? "," : "", strtoull(shape->item[i]->text, NULL, 10));
    text_put(text, "]");
    if (run)
        text_print(text, ", run %llu", shape_count(output, "run", 0));
    if (document_find(output, "wrong"))
        page_print(page, ": %zu elements differ", (size_t)shape_count(output, "wrong", 0));
    if (document_find(output, "compared")) {
        page_print(page, " of %zu compared", (size_t)shape_count(output, "compared", 0));
    }
    if (shape_text(output, "shape_got"))
        page_print(page, "; the target gave %s", shape_text(output, "shape_got"));
    text_put(text, "</p>\n");
}

void page_put_output(struct page *page, const struct document_node *output)
{
    struct text *const text = &page->text;
    const enum dtype dtype = dtype_named(shape_text(output, "dtype"));
    const struct document_node *const elements = document_find(output, "elements"),
                                      *const map = document_find(output, "map"),
                                      *const ulp = document_find(output, "ulp"),
                                      *const radius = document_find(output, "radius");
    put_output_line(page, output);
    if (elements && elements->count) {
        const size_t shown = elements->count < ELEMENTS_MAX ? elements->count : ELEMENTS_MAX;
        put_elements(page, dtype, output, shown);
        if (elements->count > shown)
            text_print(text, "<p class=\"faint\">%zu more of them are in the results.</p>\n",
                       elements->count - shown);
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
