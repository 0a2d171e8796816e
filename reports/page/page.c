// SPDX-License-Identifier: Apache-2.0
// Results as one HTML file: its frame, the verdict, the targets.

#include "reports/page/page.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/digest.h"
#include "reports/caveats.h"
#include "reports/summary_line.h"

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
    page_print(page, "<span class=\"o %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
               class_of(outcome), mark[outcome], words);
}

void page_put_cell(struct page *page, const char *label, size_t count, const char *class_name)
{
    text_print(&page->text, "<td class=\"n%s%s\" data-label=\"%s\">", count ? " " : "",
               count ? class_name : "", label);
    if (count)
        text_put_count(&page->text, count);
    else
        text_put(&page->text, "<span class=\"faint\">\xe2\x80\x93</span>");
    text_put(&page->text, "</td>");
}

bool page_is_source(const struct page *page, size_t target)
{
    return !strcmp(page->results->target[target].kind, "source");
}

// ---- the top ----------------------------------------------------------------

// The policy lets only this script run, even if text slipped through the escaping.
static enum error put_policy(struct page *page)
{
    struct digest digest;
    unsigned char bytes[DIGEST_SIZE], hash[4 * DIGEST_SIZE];
    enum error error = digest_begin(&digest, page->diagnostic);
    for (unsigned i = 0; page_script[i] && !error; i++)
        error = digest_add(&digest, page_script[i], strlen(page_script[i]), page->diagnostic);
    if (!error)
        error = digest_end(&digest, bytes, page->diagnostic);
    if (error)
        return error;
    EVP_EncodeBlock(hash, bytes, DIGEST_SIZE);
    text_print(&page->text,
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:\">\n",
               (const char *)hash);
    return ERROR_NONE;
}

static enum error put_head(struct page *page)
{
    struct text *const text = &page->text;
    const enum tally_outcome outcome = tally_outcome_of(&page->tally->all);
    text_put(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    const enum error error = put_policy(page);
    text_put(text, "<link rel=\"icon\" href=\"data:,\">\n<title>assay: ");
    text_put(text, outcome == OUTCOME_DIFFERS && page->tally->targets > 1
                       ? "not all conform"
                       : tally_outcome_name(outcome));
    text_put(text, "</title>\n<style>\n");
    for (unsigned i = 0; page_style[i]; i++)
        text_put(text, page_style[i]);
    text_put(text, "</style>\n</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n");
    return error;
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

// "2 of 6 targets conform, 1 of them in part, 1 differs as known, 3 do not"; the name of the only
// one.
static void put_title(struct page *page, size_t targets)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    size_t good = 0, known = 0, bad = 0, partly = 0;
    if (!targets)
        text_put(text, "No library was judged here");
    for (size_t i = 0; i < results->target_count; i++) {
        const enum tally_outcome one = tally_outcome_of(&page->tally->by_target[i]);
        if (page_is_source(page, i))
            continue;
        if (targets == 1) {
            page_print(page, "%s ", results->target[i].name);
            text_put(text, tally_outcome_name(tally_outcome_of(&page->tally->all)));
        }
        good += one == OUTCOME_CONFORMS || one == OUTCOME_PARTLY;
        partly += one == OUTCOME_PARTLY;
        known += one == OUTCOME_EXPECTED;
        bad += one == OUTCOME_DIFFERS;
    }
    if (targets < 2)
        return;
    text_print(text, "%zu of %zu targets conform", good, targets);
    if (partly)
        text_print(text, ", %zu of them in part", partly);
    if (known)
        text_print(text, ", %zu %s as known", known, known == 1 ? "differs" : "differ");
    if (bad)
        text_print(text, ", %zu %s not", bad, bad == 1 ? "does" : "do");
}

// What must be known beside the outcome.
static enum error put_caveats(struct page *page)
{
    struct arena arena = {0};
    struct caveats caveats;
    const enum error error = caveats_of_all(page->results, &arena, &caveats, page->diagnostic);
    text_put(&page->text, !error && caveats.count ? "<ul class=\"caveats\">\n" : "");
    for (size_t i = 0; !error && i < caveats.count; i++)
        page_print(page, "<li>%s</li>\n", caveats.line[i]);
    text_put(&page->text, !error && caveats.count ? "</ul>\n" : "");
    arena_release(&arena);
    return error;
}

static enum error put_verdict(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    size_t targets = 0;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < results->target_count; i++)
        targets += !page_is_source(page, i);
    text_print(text, "<header><div class=\"verdict %s\">\n<h1>",
               class_of(tally_outcome_of(&page->tally->all)));
    put_title(page, targets);
    text_put(text, "</h1>\n");
    if (targets) {
        page_print(page, "<p>%zu cases: ", (size_t)page->tally->all.total);
        summary_put_verdicts(text, &page->tally->all);
        text_put(text, "</p>\n<p>");
        tally_put_outcome(text, page->tally, page->tally->targets);
        text_put(text, "</p>\n");
        error = put_caveats(page);
    }
    put_other_verdicts(page);
    for (size_t i = 0; i < results->file_count; i++)
        if (results->file[i].shard_count > 1)
            text_print(text, "<p><strong>Only part %llu of %llu of the plan.</strong></p>\n",
                       (unsigned long long)results->file[i].shard_index,
                       (unsigned long long)results->file[i].shard_count);
    if (results->file_count && results->file[0].started)
        page_print(page, "<p class=\"faint\">Started %s</p>\n", results->file[0].started);
    text_put(text, "</div>\n");
    return error;
}

static void put_menu(struct page *page)
{
    const struct results *const results = page->results;
    const struct {
        bool there;
        const char *id, *name;
    } sections[] = {
        {true, "targets", "Targets"},
        {page->causes.first[CAUSE_UNSUPPORTED] > 0, "failures", "Failures"},
        {page_has_matrix(page), "requirements", "Requirements"},
        {true, "errors", "Errors"},
        {results->mutant_count > 0, "mutants", "Mutants"},
        {results->score_count > 0, "scores", "Scores"},
        {results->evidence_count > 0, "evidence", "Evidence"},
        {results->timing_count > 0, "throughput", "Throughput"},
        {true, "origin", "Origin"},
    };
    text_put(&page->text, "<nav aria-label=\"Sections\"><ul>");
    for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++)
        if (sections[i].there)
            text_print(&page->text, "<li><a href=\"#%s\">%s</a></li>", sections[i].id,
                       sections[i].name);
    text_put(&page->text, "</ul></nav></header>\n<main id=\"main\">\n");
}

// ---- all of it --------------------------------------------------------------

static void put_end(struct page *page)
{
    text_put(&page->text, "</main>\n<footer><p>assay</p></footer>\n<script>");
    for (unsigned i = 0; page_script[i]; i++)
        text_put(&page->text, page_script[i]);
    text_put(&page->text, "</script>\n</body>\n</html>\n");
}

static enum error put_all(struct page *page)
{
    enum error error = put_head(page);
    if (!error)
        error = put_verdict(page);
    put_menu(page);
    page_put_targets(page);
    if (!error)
        error = page_put_failures(page);
    if (!error)
        error = page_put_suites(page);
    page_put_errors(page);
    page_put_mutants(page);
    page_put_scores(page);
    if (!error)
        error = page_put_evidence(page);
    if (!error)
        error = page_put_timings(page);
    page_put_origin(page);
    put_end(page);
    return error ? error : text_flush(&page->text, page->sink, true, page->diagnostic);
}

enum error page_write(const struct text_sink *sink, const struct results *results,
                      const struct tally *tally, struct diagnostic *diagnostic)
{
    struct page page = {.sink = sink, .results = results, .tally = tally, .diagnostic = diagnostic};
    page.number = calloc(results->case_count + 1, sizeof *page.number);
    enum error error = page.number ? causes_collect(&page.causes, results, diagnostic)
                                   : diagnostic_no_memory(diagnostic);
    if (!error)
        error = put_all(&page);
    causes_release(&page.causes);
    text_release(&page.text);
    free(page.number);
    return error;
}
