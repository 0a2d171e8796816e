// SPDX-License-Identifier: Apache-2.0
// JUnit XML. The strictest of the published schemas wants attributes that others only allow
// (package, hostname, timestamp, time), and the empty elements at the end; the others do not mind
// them.

#include "reports/junit.h"

#include <stdlib.h>

#include "reports/shape.h"
#include "reports/summary_line.h"

enum report { PASSED, SKIPPED, FAILED, ERRED };

static enum report report_of(const struct results_case *item)
{
    if (results_case_unexpected(item))
        return item->verdict == VERDICT_FAIL || item->verdict == VERDICT_ACCEPTED ||
                       item->verdict == VERDICT_NONDETERMINISTIC || item->known == KNOWN_CURED
                   ? FAILED
                   : ERRED;
    return verdict_is_good(item->verdict) ? PASSED : SKIPPED;
}

static const char *message_of(const struct results_case *item, const struct document_node *root)
{
    const struct document_node *const known = document_find(root, "known");
    if (item->known == KNOWN_EXPECTED)
        return shape_text(known, "why");
    if (item->known == KNOWN_CURED)
        return "listed as a known failure, but it did not fail";
    const char *const reason = shape_text(root, "reason");
    return reason ? reason : verdict_name(item->verdict);
}

// The element inside a testcase that did not simply pass.
static enum error put_outcome(struct text *text, const struct results *results,
                              const struct results_case *item, enum report report,
                              struct diagnostic *diagnostic)
{
    static const char *const element[] = {
        [SKIPPED] = "skipped", [FAILED] = "failure", [ERRED] = "error"};
    struct arena arena = {0};
    struct document_source line;
    struct document_node *root;
    const enum error error = results_detail(results, item, &arena, &line, &root, diagnostic);
    if (!error) {
        text_print_markup(text, "      <%s message=\"%s\"", element[report],
                          message_of(item, root));
        if (report != SKIPPED)
            text_print(text, " type=\"%s\"",
                       item->known == KNOWN_CURED ? "cured" : verdict_name(item->verdict));
        text_put(text, ">");
        struct text first = {0};
        summary_put_first(&first, root);
        if (first.size)
            text_print_markup(text, "%s\n", first.bytes);
        text->failed |= first.failed;
        text_release(&first);
        const struct document_node *const explained = document_find(root, "explained");
        const char *const lines[] = {explained ? shape_text(explained, "text") : NULL,
                                     shape_text(root, "reproduce")};
        for (unsigned i = 0; i < 2; i++)
            if (lines[i]) {
                text_put_markup(text, lines[i], true);
                text_put(text, "\n");
            }
        text_print(text, "</%s>\n", element[report]);
    }
    arena_release(&arena);
    return error;
}

static enum error put_case(struct text *text, const struct results *results,
                           const struct results_case *item, struct diagnostic *diagnostic)
{
    const enum report report = report_of(item);
    text_print_markup(text, "    <testcase classname=\"%s.%s\" name=\"%s\"",
                      results->target[item->target].name, results->suite[item->suite].name,
                      item->id);
    text_put(text, report == PASSED ? " time=\"0\"/>\n" : " time=\"0\">\n");
    if (report == PASSED)
        return ERROR_NONE;
    const enum error error = put_outcome(text, results, item, report, diagnostic);
    text_put(text, "    </testcase>\n");
    return error;
}

// Cases by suite and target, in the order of the files: a counting sort, so that interleaved files
// cost nothing.
struct order {
    uint32_t *first; // [suite * targets + target], one more at the end
    uint32_t *item;
};

static bool sort_cases(const struct results *results, const struct tally *tally,
                       struct order *order)
{
    const size_t groups = tally->suites * tally->targets;
    order->first = calloc(groups + 2, sizeof *order->first);
    order->item = calloc(results->case_count + 1, sizeof *order->item);
    if (!order->first || !order->item)
        return false;
    for (size_t i = 0; i < results->case_count; i++)
        order->first[results->cases[i].suite * tally->targets + results->cases[i].target + 2]++;
    for (size_t g = 2; g < groups + 2; g++)
        order->first[g] += order->first[g - 1];
    for (size_t i = 0; i < results->case_count; i++)
        order->item[order->first[results->cases[i].suite * tally->targets +
                                 results->cases[i].target + 1]++] = (uint32_t)i;
    return true;
}

static void put_suite_head(struct text *text, const struct results *results,
                           const struct order *order, size_t group, size_t number)
{
    const size_t suite = group / results->target_count, target = group % results->target_count;
    unsigned count[4] = {0};
    for (uint32_t i = order->first[group]; i < order->first[group + 1]; i++)
        count[report_of(&results->cases[order->item[i]])]++;
    text_print_markup(text, "  <testsuite name=\"%s.%s\" package=\"%s\"",
                      results->target[target].name, results->suite[suite].name,
                      results->target[target].name);
    const struct results_case *const first = &results->cases[order->item[order->first[group]]];
    const char *const started = results->file[first->file].started;
    text_print(text, " id=\"%zu\" timestamp=\"%.19s\" hostname=\"localhost\"", number,
               started ? started : "1970-01-01T00:00:00");
    text_print(text,
               " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"0\">\n    "
               "<properties>\n",
               count[PASSED] + count[SKIPPED] + count[FAILED] + count[ERRED], count[FAILED],
               count[ERRED], count[SKIPPED]);
    const struct {
        const char *name, *value;
    } properties[] = {
        {"target.version", results->target[target].version},
        {"suite.version", results->suite[suite].version},
        {"suite.sha256", results->suite[suite].sha256},
        {"results.sha256", results->file[first->file].sha256},
    };
    for (unsigned i = 0; i < sizeof properties / sizeof *properties; i++)
        if (properties[i].value)
            text_print_markup(text, "      <property name=\"%s\" value=\"%s\"/>\n",
                              properties[i].name, properties[i].value);
    text_put(text, "    </properties>\n");
}

enum error junit_write(const struct text_sink *sink, const struct results *results,
                       const struct tally *tally, struct diagnostic *diagnostic)
{
    struct text text = {0};
    struct order order = {0};
    enum error error = ERROR_NONE;
    size_t number = 0;
    if (!sort_cases(results, tally, &order))
        error = diagnostic_no_memory(diagnostic);
    text_put(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t group = 0; !error && group < tally->suites * tally->targets; group++) {
        if (order.first[group] == order.first[group + 1])
            continue;
        put_suite_head(&text, results, &order, group, number++);
        for (uint32_t i = order.first[group]; !error && i < order.first[group + 1]; i++) {
            error = put_case(&text, results, &results->cases[order.item[i]], diagnostic);
            if (!error)
                error = text_flush(&text, sink, false, diagnostic);
        }
        text_put(&text, "    <system-out/>\n    <system-err/>\n  </testsuite>\n");
    }
    text_put(&text, "</testsuites>\n");
    if (!error)
        error = text_flush(&text, sink, true, diagnostic);
    text_release(&text);
    free(order.first);
    free(order.item);
    return error;
}
