// SPDX-License-Identifier: Apache-2.0
// Results as one HTML file: its frame, the verdict, the targets, and where everything came from.

#include "reports/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "reports/summary.h"

void page_put(struct page *page, const char *words)
{
    text_put_markup(&page->text, words, false);
}

static const char *class_of(enum tally_outcome outcome)
{
    return outcome == OUTCOME_CONFORMS  ? "good"
           : outcome == OUTCOME_DIFFERS ? "bad"
           : outcome == OUTCOME_NOTHING ? "none"
                                        : "doubt";
}

void page_put_outcome(struct page *page, enum tally_outcome outcome, const char *words)
{
    static const char *const mark[] = {
        [OUTCOME_CONFORMS] = "\xe2\x9c\x93",
        [OUTCOME_PARTLY] = "\xe2\x97\x90",
        [OUTCOME_EXPECTED] = "!",
        [OUTCOME_DIFFERS] = "\xe2\x9c\x97",
        [OUTCOME_NOTHING] = "\xe2\x80\x93",
    };
    text_print(&page->text, "<span class=\"o %s\"><span aria-hidden=\"true\">%s</span> ",
               class_of(outcome), mark[outcome]);
    page_put(page, words);
    text_put(&page->text, "</span>");
}

// ---- the top ----------------------------------------------------------------

static void put_head(struct page *page)
{
    struct text *const text = &page->text;
    const enum tally_outcome outcome = tally_outcome_of(&page->tally->all);
    text_put(
        text,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>assay: ");
    text_put(text, outcome == OUTCOME_DIFFERS && page->tally->targets > 1
                       ? "not all conform"
                       : tally_outcome_name(outcome));
    text_put(text, "</title>\n<style>\n");
    for (unsigned i = 0; page_style[i]; i++)
        text_put(text, page_style[i]);
    text_put(
        text,
        "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n");
}

// What audits and mutants found, a line each.
static void put_other_verdicts(struct page *page)
{
    const struct results *const results = page->results;
    size_t sources = 0, flawed = 0, killed = 0, counted = 0;
    for (size_t t = 0; t < results->target_count; t++) {
        bool found = false;
        for (size_t i = 0; i < results->evidence_count; i++)
            found |= results->evidence[i].target == t && results->evidence[i].verdict &&
                     !strcmp(results->evidence[i].verdict, "flawed");
        sources += page_is_source(page, t);
        flawed += found;
    }
    for (size_t i = 0; i < results->mutant_count; i++) {
        killed += results->mutant[i].killed && !results->mutant[i].waived;
        counted += !results->mutant[i].waived;
    }
    if (sources || flawed)
        text_print(&page->text, "<p>%zu source%s audited, %zu flawed</p>\n", sources,
                   sources == 1 ? "" : "s", flawed);
    if (counted)
        text_print(&page->text, "<p>%zu of %zu mutants killed</p>\n", killed, counted);
}

static void put_verdict(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    const enum tally_outcome outcome = tally_outcome_of(&page->tally->all);
    size_t targets = 0, last = 0;
    for (size_t i = 0; i < results->target_count; i++)
        if (!page_is_source(page, i)) {
            last = i;
            targets++;
        }
    text_print(text, "<header><div class=\"verdict %s\">\n<h1>", class_of(outcome));
    if (!targets)
        text_put(text, "No library was judged here");
    else if (targets == 1) {
        page_put(page, results->target[last].name);
        text_put(text, " ");
        text_put(text, tally_outcome_name(outcome));
    } else {
        size_t good = 0, known = 0, bad = 0, partly = 0;
        for (size_t i = 0; i < results->target_count; i++) {
            const enum tally_outcome one = tally_outcome_of(&page->tally->by_target[i]);
            if (page_is_source(page, i))
                continue;
            good += one == OUTCOME_CONFORMS || one == OUTCOME_PARTLY;
            partly += one == OUTCOME_PARTLY;
            known += one == OUTCOME_EXPECTED;
            bad += one == OUTCOME_DIFFERS;
        }
        text_print(text, "%zu of %zu targets conform%s", good, targets,
                   partly ? " in what was run" : "");
        if (known)
            text_print(text, ", %zu as known", known);
        if (bad)
            text_print(text, ", %zu %s not", bad, bad == 1 ? "does" : "do");
    }
    text_put(text, "</h1>\n");
    if (targets) {
        text_put(text, "<p>");
        text_put_count(text, page->tally->all.total);
        text_put(text, " cases: ");
        summary_put_verdicts(text, &page->tally->all);
        text_put(text, "</p>\n");
    }
    put_other_verdicts(page);
    for (size_t i = 0; i < results->file_count; i++)
        if (results->file[i].shard_count > 1)
            text_print(text, "<p><strong>Only part %llu of %llu of the plan.</strong></p>\n",
                       (unsigned long long)results->file[i].shard_index,
                       (unsigned long long)results->file[i].shard_count);
    if (results->file_count && results->file[0].started) {
        text_put(text, "<p class=\"faint\">Started ");
        page_put(page, results->file[0].started);
        text_put(text, "</p>\n");
    }
    text_put(text, "</div>\n<nav aria-label=\"Sections\"><ul>");
    const struct {
        bool there;
        const char *id, *name;
    } sections[] = {
        {true, "targets", "Targets"},
        {page_has_matrix(page), "requirements", "Requirements"},
        {page->failure_count > 0, "failures", "Failures"},
        {true, "errors", "Errors"},
        {results->mutant_count > 0, "mutants", "Mutants"},
        {results->evidence_count > 0, "evidence", "Evidence"},
        {results->timing_count > 0, "throughput", "Throughput"},
        {true, "origin", "Origin"},
    };
    for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++)
        if (sections[i].there)
            text_print(text, "<li><a href=\"#%s\">%s</a></li>", sections[i].id, sections[i].name);
    text_put(text, "</ul></nav></header>\n<main id=\"main\">\n");
}

static void put_targets(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    text_put(
        text,
        "<section aria-labelledby=\"targets\"><h2 id=\"targets\">Targets</h2>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Targets\"><table class=\"targets\">\n"
        "<thead><tr><th scope=\"col\">target</th><th scope=\"col\">verdict</th><th scope=\"col\">level</th>"
        "<th scope=\"col\">cases</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < results->target_count; i++) {
        const struct results_target *const target = &results->target[i];
        const struct tally_cell *const cell = &page->tally->by_target[i];
        if (page_is_source(page, i))
            continue;
        text_put(text, "<tr><th scope=\"row\"><strong>");
        page_put(page, target->name);
        text_put(text, "</strong> ");
        page_put(page, target->version ? target->version : "");
        text_put(text, "</th><td>");
        page_put_outcome(page, tally_outcome_of(cell), tally_outcome_name(tally_outcome_of(cell)));
        text_print(text, "</td><td>%s</td><td>",
                   tally_level(cell) == LEVEL_NONE ? "" : results_level_name(tally_level(cell)));
        if (target->unavailable) {
            text_put(text, "unavailable: ");
            page_put(page, target->unavailable);
        } else {
            summary_put_verdicts(text, cell);
        }
        if (cell->expected)
            text_print(text, "; %u foreseen", cell->expected);
        if (cell->cured)
            text_print(text, "; %u foreseen but not seen", cell->cured);
        text_put(text, "</td></tr>\n");
    }
    text_put(text, "</tbody></table></div>\n");
    for (size_t i = 0; i < results->suite_count; i++)
        if (results->suite[i].reference_only) {
            text_put(text, "<p>");
            page_put(page, results->suite[i].name);
            text_put(text, ": <strong>reference only</strong>: ");
            page_put(page, results->suite[i].reference_only);
            text_put(text, "</p>\n");
        }
    text_put(text, "</section>\n");
}

// ---- the end ----------------------------------------------------------------

static void put_origin_row(struct page *page, const char *what, const char *name,
                           const char *version, const char *digest)
{
    struct text *const text = &page->text;
    if (!name && !digest)
        return;
    text_print(text, "<tr><th scope=\"row\">%s</th><td>", what);
    page_put(page, name ? name : "");
    text_put(text, " ");
    page_put(page, version ? version : "");
    text_put(text, "</td><td class=\"digest\"><code>");
    page_put(page, digest ? digest : "");
    text_put(text, "</code></td></tr>\n");
}

static void put_origin(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    text_put(
        text,
        "<section aria-labelledby=\"origin\"><h2 id=\"origin\">Origin</h2>\n<p>Everything on this page was made from these "
        "results and from nothing else. It is a report, not a certificate: a certificate is signed.</p>\n"
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Origin\"><table>\n<thead><tr><th "
        "scope=\"col\">what</th>"
        "<th scope=\"col\">name</th><th scope=\"col\">SHA-256</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < results->file_count; i++) {
        const struct results_file *const file = &results->file[i];
        char place[512];
        put_origin_row(page, "results", file->command, file->selection, file->sha256);
        put_origin_row(page, "plan", NULL, NULL, file->plan);
        put_origin_row(page, "tool", file->tool, file->tool_version, file->tool_sha256);
        put_origin_row(page, "known failures", file->known_name, NULL, file->known_sha256);
        put_origin_row(page, "evaluation model", file->model, NULL, NULL);
        put_origin_row(page, "bounds over many steps", file->mode, NULL, NULL);
        snprintf(place, sizeof place, "%.100s %.150s %.40s %.150s", file->architecture,
                 file->processor ? file->processor : "",
                 file->class          ? file->class
                 : file->instructions ? file->instructions
                                      : "",
                 file->system ? file->system : "");
        put_origin_row(page, "machine", place, NULL, NULL);
    }
    for (size_t i = 0; i < results->suite_count; i++) {
        put_origin_row(page, "suite", results->suite[i].name, results->suite[i].version,
                       results->suite[i].sha256);
        if (results->suite[i].vectors)
            put_origin_row(page, "golden vectors", results->suite[i].name, NULL,
                           results->suite[i].vectors);
        if (results->suite[i].manifest)
            put_origin_row(page, "their list", results->suite[i].name, NULL,
                           results->suite[i].manifest);
    }
    for (size_t i = 0; i < results->target_count; i++) {
        put_origin_row(page, "target", results->target[i].file, NULL, results->target[i].sha256);
        put_origin_row(page, "its library held to", results->target[i].held_to, NULL, NULL);
        for (size_t k = 0; k < results->target[i].library_count; k++) {
            const struct results_library *const library =
                &results->library[results->target[i].library_first + k];
            put_origin_row(page, "library", library->file, NULL, library->sha256);
        }
    }
    text_put(
        text,
        "</tbody></table></div></section>\n</main>\n<footer><p>assay</p></footer>\n</body>\n</html>\n");
}

// ---- all of it --------------------------------------------------------------

static void choose_failures(struct page *page)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < page->results->case_count && page->failure_count < PAGE_FAILURES_MAX;
             i++) {
            const struct results_case *const item = &page->results->cases[i];
            if (pass ? item->known != KNOWN_EXPECTED : !results_case_unexpected(item))
                continue;
            page->failure[page->failure_count++] = (uint32_t)i;
            page->number[i] = (uint32_t)page->failure_count;
        }
}

static enum error flush(struct page *page, enum error error, bool now)
{
    return error ? error : text_flush(&page->text, page->sink, now, page->diagnostic);
}

enum error page_write(const struct text_sink *sink, const struct results *results,
                      const struct tally *tally, struct diagnostic *diagnostic)
{
    struct page page = {.sink = sink, .results = results, .tally = tally, .diagnostic = diagnostic};
    page.failure = calloc(PAGE_FAILURES_MAX, sizeof *page.failure);
    page.number = calloc(results->case_count + 1, sizeof *page.number);
    enum error error = ERROR_NONE;
    if (!page.failure || !page.number) {
        error = diagnostic_no_memory(diagnostic);
    } else {
        choose_failures(&page);
        put_head(&page);
        put_verdict(&page);
        put_targets(&page);
        page_put_matrix(&page);
        error = flush(&page, page_put_drilldown(&page), false);
        error = flush(&page, error ? error : page_put_failures(&page), false);
        page_put_errors(&page);
        page_put_mutants(&page);
        error = flush(&page, error ? error : page_put_evidence(&page), false);
        error = flush(&page, error ? error : page_put_timings(&page), false);
        put_origin(&page);
        error = flush(&page, error, true);
    }
    text_release(&page.text);
    free(page.failure);
    free(page.number);
    return error;
}
