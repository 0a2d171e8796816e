// SPDX-License-Identifier: Apache-2.0
// Reading a record of what tests of others notice.

#include "reports/results.h"
#include "reports/results_shape.h"

static enum error take_mistakes(struct results *results, const struct document_node *list,
                                struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct document_node *const node = list->item[i];
        struct results_mistake item = {
            .profile = results_join(results, document_find(node, "profile"), true, SIZE_MAX),
            .theirs = results_keep(results, shape_text(node, "theirs")),
            .ours = results_keep(results, shape_text(node, "ours")),
        };
        if (!item.profile ||
            !array_grow(&results->mistake, results->mistake_count, sizeof *results->mistake))
            return diagnostic_no_memory(diagnostic);
        results->mistake[results->mistake_count++] = item;
    }
    return ERROR_NONE;
}

static enum error take_flaws(struct results *results, const struct document_node *list,
                             struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct document_node *const node = list->item[i];
        struct results_flaw item = {
            .test = results_keep(results, shape_text(node, "test")),
            .verdict = results_keep(results, shape_text(node, "verdict")),
            .reason = results_keep(results, shape_text(node, "reason")),
            .profile = results_join(results, document_find(node, "profile"), true, SIZE_MAX),
            .output = results_keep(results, shape_text(node, "output")),
            .dtype = results_keep(results, shape_text(node, "dtype")),
            .expected = results_keep(results, shape_text(node, "expected")),
            .right = results_keep(results, shape_text(node, "right")),
            .lower = results_keep(results, shape_text(node, "lower")),
            .upper = results_keep(results, shape_text(node, "upper")),
            .at = shape_count(node, "at", 0),
            .wrong = shape_count(node, "wrong", 0),
            .compared = shape_count(node, "compared", 0),
        };
        if (item.output && (!item.dtype || !item.expected || !item.right))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "a flaw of an output has 'dtype', 'expected' and 'right'");
        if (!item.test || !item.verdict ||
            !array_grow(&results->flaw, results->flaw_count, sizeof *results->flaw))
            return diagnostic_no_memory(diagnostic);
        results->flaw[results->flaw_count++] = item;
    }
    return ERROR_NONE;
}

enum error results_take_score(struct results *results, const struct document_node *root,
                              const struct results_case *place, struct diagnostic *diagnostic)
{
    (void)place;
    struct results_score item = {.source = results_keep(results, shape_text(root, "source")),
                                 .declared = results_keep(results, shape_text(root, "operator")),
                                 .tests = shape_count(root, "tests", 0),
                                 .held = shape_count(root, "held", 0),
                                 .refused = shape_count(root, "refused", 0)};
    enum error error = results_look_up(&results->suites, root, "suite", &item.suite, diagnostic);
    if (!error && item.held > item.tests)
        error = document_fail(document_find(root, "held"), ERROR_INPUT, diagnostic,
                              "more tests held than there are");
    item.mistake_first = results->mistake_count;
    item.flaw_first = results->flaw_count;
    if (!error)
        error = take_mistakes(results, document_find(root, "mistakes"), diagnostic);
    if (!error)
        error = take_flaws(results, document_find(root, "flaws"), diagnostic);
    if (error)
        return error;
    item.mistake_count = results->mistake_count - item.mistake_first;
    item.flaw_count = results->flaw_count - item.flaw_first;
    if (!item.source || !array_grow(&results->score, results->score_count, sizeof *results->score))
        return diagnostic_no_memory(diagnostic);
    results->score[results->score_count++] = item;
    return ERROR_NONE;
}
