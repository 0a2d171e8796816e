// SPDX-License-Identifier: Apache-2.0
// Drawings: errors of each target, evidence over the nights, throughput.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/svg.h"

// ---- errors -----------------------------------------------------------------

static void put_figure(struct page *page, const struct results_target *target, const char *title,
                       const char *about, const char *description, const struct svg_bar *bars,
                       size_t count)
{
    text_put(&page->text, "<figure>");
    svg_bars(&page->text, title, description, bars, count);
    page_print(
        page,
        "<figcaption><strong>%s</strong>: %s (heights are logarithms); %s</figcaption></figure>\n",
        target->name, about, description);
}

static void put_ulp(struct page *page, const struct results_target *target)
{
    struct svg_bar bars[HISTOGRAM_ULP_BINS];
    char label[HISTOGRAM_ULP_BINS][16], description[128];
    size_t count = 0, used = HISTOGRAM_ULP_BINS;
    while (used > 1 && !target->histogram.ulp[used - 1])
        used--;
    for (size_t i = 0; i < used; i++) {
        if (i >= 12 && !target->histogram.ulp[i])
            continue; // far out, only bins that hold something
        if (i < 2)
            snprintf(label[count], sizeof label[count], i ? "<1" : "0");
        else if (i < 12)
            snprintf(label[count], sizeof label[count], "%u", 1U << (i - 2));
        else
            snprintf(label[count], sizeof label[count], "2^%u", (unsigned)(i - 2) % 100);
        bars[count] = (struct svg_bar){label[count], NULL, target->histogram.ulp[i]};
        count++;
    }
    snprintf(description, sizeof description, "largest %.4g ulp", target->histogram.ulp_largest);
    put_figure(page, target, "Errors in ulp", "errors in ulp, elements by lower edge", description,
               bars, count);
}

static void put_radius(struct page *page, const struct results_target *target)
{
    struct svg_bar bars[HISTOGRAM_RADIUS_BINS];
    char label[HISTOGRAM_RADIUS_BINS][16], description[128];
    for (size_t i = 0; i < HISTOGRAM_RADIUS_BINS; i++) {
        snprintf(label[i], sizeof label[i], i < 10 ? "0.%zu" : "1", i);
        bars[i] = (struct svg_bar){label[i], i == HISTOGRAM_RADIUS_BINS - 1 ? "wrong" : NULL,
                                   target->histogram.radius[i]};
    }
    snprintf(description, sizeof description, "the most that was used is %.4g",
             target->histogram.radius_largest);
    put_figure(page, target, "Used part of the radius",
               "used part of the radius, from 1 up is wrong", description, bars,
               HISTOGRAM_RADIUS_BINS);
}

void page_put_errors(struct page *page)
{
    bool any = false;
    text_put(&page->text, "<section aria-labelledby=\"errors\"><h2 id=\"errors\">Errors</h2>\n"
                          "<details><summary>Errors in ulp and used part of the radius, of each "
                          "target</summary>\n<div class=\"plots\">\n");
    for (size_t i = 0; i < page->results->target_count && i < PAGE_CURVES_MAX; i++) {
        const struct results_target *const target = &page->results->target[i];
        any |= target->histogram.ulp_total || target->histogram.radius_total;
        if (target->histogram.ulp_total)
            put_ulp(page, target);
        if (target->histogram.radius_total)
            put_radius(page, target);
    }
    if (!any)
        text_put(&page->text, "<p>No record holds errors in ulp or a used radius: what passed, "
                              "passed bit for bit.</p>");
    text_put(&page->text, "</div></details></section>\n");
}

// ---- evidence ---------------------------------------------------------------

static int compare_evidence(const void *left, const void *right)
{
    const struct results_evidence *const a = *(const struct results_evidence *const *)left,
                                         *const b = *(const struct results_evidence *const *)right;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    const int test = strcmp(a->test, b->test);
    if (test)
        return test;
    const int night = strcmp(a->night ? a->night : "", b->night ? b->night : "");
    return night ? night : a < b ? -1 : a > b; // equal nights stay in the order of the file
}

static void put_curve(struct page *page, const struct results_evidence *const *item, size_t count,
                      double *values)
{
    struct text *const text = &page->text;
    double *const p = values, *const e = values + count;
    double least = 0, most = 0;
    bool any_e = false;
    for (size_t i = 0; i < count; i++) {
        p[i] = log10(fmax(item[i]->p, 1e-300));
        e[i] = isnan(item[i]->e) ? (double)NAN : -log10(fmax(item[i]->e, 1e-300));
        any_e |= !isnan(e[i]);
        least = fmin(least, p[i]);
        if (!isnan(e[i])) {
            least = fmin(least, e[i]);
            most = fmax(most, e[i]);
        }
    }
    const double low = floor(fmin(least, -4)), high = ceil(most);
    char low_label[24], high_label[24], description[160];
    snprintf(low_label, sizeof low_label, "1e%.0f", low);
    snprintf(high_label, sizeof high_label, high > 0 ? "1e%.0f" : "1", high);
    const struct results_evidence *const last = item[count - 1];
    snprintf(description, sizeof description, "%zu runs, the last p is %.3g%s", count, last->p,
             last->verdict ? "; " : "");
    text_put(text, "<figure>");
    const struct svg_line lines[] = {{"p", "first", p}, {"1 / e", "second", e}};
    const char *const label[SVG_COURSE_LABELS] = {low_label, high_label,
                                                  item[0]->night ? item[0]->night : "first",
                                                  last->night ? last->night : "last"};
    svg_course(text, last->test, description, lines, any_e ? 2 : 1, count, low, high, label);
    page_print(page, "<figcaption><strong>%s</strong> %s: %s%s",
               page->results->target[last->target].name, last->test, description, last->verdict);
    if (!isnan(last->e))
        text_print(text, ", e is %.3g", last->e);
    if (last->reason)
        page_print(page, ": %s", last->reason);
    text_put(text, "</figcaption></figure>\n");
}

enum error page_put_evidence(struct page *page)
{
    const size_t count = page->results->evidence_count;
    struct text *const text = &page->text;
    if (!count)
        return ERROR_NONE;
    const struct results_evidence **const order = calloc(count, sizeof *order);
    double *const values = calloc(2 * count, sizeof *values);
    if (!order || !values) {
        free(order);
        free(values);
        return diagnostic_no_memory(page->diagnostic);
    }
    for (size_t i = 0; i < count; i++)
        order[i] = &page->results->evidence[i];
    qsort(order, count, sizeof *order, compare_evidence);
    text_put(text,
             "<section aria-labelledby=\"evidence\">"
             "<h2 id=\"evidence\">Evidence</h2>\n<p>The p-value of each run and, "
             "where it is kept, "
             "the evidence gathered so far as 1 / e; the lower, the more it speaks against the "
             "source.</p>\n"
             "<div "
             "class=\"plots\">\n");
    size_t curves = 0, rest = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && order[end]->target == order[first]->target &&
                              !strcmp(order[end]->test, order[first]->test);)
            end++;
        if (curves++ < PAGE_CURVES_MAX)
            put_curve(page, order + first, end - first, values);
        else
            rest++;
    }
    text_put(text, "</div>\n");
    if (rest)
        text_print(text, "<p>%zu more tests are in the results.</p>\n", rest);
    text_put(text, "</section>\n");
    free(order);
    free(values);
    return ERROR_NONE;
}

// ---- throughput -------------------------------------------------------------

struct words {
    char who[64], speed[64];
};

enum error page_put_timings(struct page *page)
{
    const size_t count = page->results->timing_count < 200 ? page->results->timing_count : 200;
    struct text *const text = &page->text;
    if (!count)
        return ERROR_NONE;
    struct svg_row *const rows = calloc(count, sizeof *rows);
    struct words *const words = calloc(count, sizeof *words);
    if (!rows || !words) {
        free(rows);
        free(words);
        return diagnostic_no_memory(page->diagnostic);
    }
    text_put(
        text,
        "<section aria-labelledby=\"throughput\">"
        "<h2 id=\"throughput\">Throughput</h2>\n<p>Measured on the machine "
        "named below; "
        "a ratio above 1 says that assay's own work is the faster.</p>\n<div class=\"plots\">\n");
    for (size_t first = 0, end; first < count; first = end) {
        const struct results_timing *const timing = &page->results->timing[first];
        for (end = first + 1;
             end < count && !strcmp(page->results->timing[end].what, timing->what);)
            end++;
        for (size_t i = first; i < end; i++) {
            const struct results_timing *const one = &page->results->timing[i];
            const double work = one->bytes        ? (double)one->bytes
                                : one->operations ? (double)one->operations
                                                  : 1;
            size_t used = (size_t)snprintf(words[i].speed, sizeof words[i].speed,
                                           one->bytes        ? "%.3g GB/s"
                                           : one->operations ? "%.3g G/s"
                                                             : "%.3g s",
                                           one->bytes || one->operations ? work / one->seconds / 1e9
                                                                         : one->seconds);
            if (!isnan(one->ratio))
                snprintf(words[i].speed + used, sizeof words[i].speed - used, " (ratio %.2f)",
                         one->ratio);
            snprintf(words[i].who, sizeof words[i].who, "%.40s",
                     one->ours   ? "assay"
                     : one->peer ? one->peer
                                 : "peer");
            rows[i] = (struct svg_row){words[i].who, one->ours ? "bar" : "bar2", words[i].speed,
                                       work / one->seconds};
        }
        text_put(text, "<figure>");
        svg_rows(text, timing->what, "speed of assay and of its peers", rows + first, end - first);
        page_print(page, "<figcaption>%s", timing->what);
        text_print(text, ", %llu thread%s</figcaption></figure>\n",
                   (unsigned long long)timing->threads, timing->threads == 1 ? "" : "s");
    }
    text_put(text, "</div></section>\n");
    free(rows);
    free(words);
    return ERROR_NONE;
}
