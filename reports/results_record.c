// SPDX-License-Identifier: Apache-2.0
// Records of results.jsonl: checked against their tables and against the header, and kept.

#include <math.h>
#include <string.h>

#include "ref/base/text.h"
#include "reports/results.h"
#include "reports/results_shape.h"

// The requirements of a list, into results->covers.
static enum error take_covers(struct results *results, uint32_t suite,
                              const struct document_node *list, uint32_t *first, uint32_t *count,
                              struct diagnostic *diagnostic)
{
    *first = (uint32_t)results->covers_count;
    *count = 0;
    for (size_t i = 0; list && i < list->count; i++) {
        uint32_t number;
        if (!results_find_requirement(results, suite, list->item[i]->text, &number))
            return document_fail(list->item[i], ERROR_INPUT, diagnostic,
                                 "'%.80s' is no requirement that the header names",
                                 list->item[i]->text);
        if (results->covers_count >= UINT32_MAX - 1 ||
            !array_grow(&results->covers, results->covers_count, sizeof *results->covers))
            return diagnostic_no_memory(diagnostic);
        results->covers[results->covers_count++] = number;
        ++*count;
    }
    return ERROR_NONE;
}

static enum error check_outputs(const struct document_node *outputs, struct diagnostic *diagnostic)
{
    for (size_t i = 0; outputs && i < outputs->count; i++) {
        const struct document_node *const output = outputs->item[i],
                                          *const first = document_find(output, "first"),
                                          *const shape = document_find(output, "shape"),
                                          *const map = document_find(output, "map");
        if (first && first->count != shape->count)
            return document_fail(first, ERROR_INPUT, diagnostic,
                                 "'first' has %zu numbers for a tensor of rank %zu", first->count,
                                 shape->count);
        static const char *const histograms[] = {"ulp", "radius"};
        for (unsigned k = 0; k < 2; k++) {
            const struct document_node *const histogram = document_find(output, histograms[k]);
            if (histogram && document_find(histogram, "edges")->count !=
                                 document_find(histogram, "counts")->count)
                return document_fail(histogram, ERROR_INPUT, diagnostic,
                                     "a histogram needs as many counts as edges");
        }
        if (map && shape_count(map, "rows", 1) * shape_count(map, "columns", 1) !=
                       document_find(map, "cells")->count)
            return document_fail(map, ERROR_INPUT, diagnostic,
                                 "a map needs rows times columns cells");
    }
    return ERROR_NONE;
}

// Checks that a verdict agrees with the other members of its record.
static enum error check_sense(const struct results_case *item, const struct document_node *root,
                              struct diagnostic *diagnostic)
{
    const bool ran = item->verdict == VERDICT_PASS || item->verdict == VERDICT_VACUOUS;
    const bool refusal = item->verdict == VERDICT_REJECTED || item->verdict == VERDICT_ACCEPTED ||
                         item->verdict == VERDICT_SURVIVED;
    if (ran != (item->reached != LEVEL_NONE))
        return document_fail(
            root, ERROR_INPUT, diagnostic,
            "'reached' belongs to the verdicts pass and vacuous, and only to them");
    if (ran && item->reached < item->required)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "a pass that reached less than the case requires");
    if (refusal && !item->negative)
        return document_fail(root, ERROR_INPUT, diagnostic, "'%s' is a verdict on a negative case",
                             verdict_words[item->verdict]);
    if (ran && item->negative)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "a negative case cannot pass: it is rejected, accepted or survived");
    if (item->known != KNOWN_NOT &&
        (item->known == KNOWN_EXPECTED) != verdict_is_failure(item->verdict))
        return document_fail(
            root, ERROR_INPUT, diagnostic,
            "a known failure is expected when it fails and cured when it does not");
    return check_outputs(document_find(root, "outputs"), diagnostic);
}

static enum error take_case(struct results *results, const struct document_node *root,
                            const struct results_case *place, struct diagnostic *diagnostic)
{
    struct results_case item = *place;
    const char *const reached = shape_text(root, "reached");
    const struct document_node *const known = document_find(root, "known");
    enum error error = results_look_up(&results->targets, root, "target", &item.target, diagnostic);
    if (!error)
        error = results_look_up(&results->suites, root, "suite", &item.suite, diagnostic);
    if (!error)
        error = take_covers(results, item.suite, document_find(root, "covers"), &item.covers_first,
                            &item.covers_count, diagnostic);
    if (error)
        return error;
    if (results->target[item.target].unavailable)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "a case of target %.80s, which the header says was unavailable",
                             results->target[item.target].name);
    item.verdict = (uint8_t)text_index(verdict_words, shape_text(root, "verdict"));
    item.required = (uint8_t)text_index(results_level_words, shape_text(root, "required"));
    item.reached = reached ? (uint8_t)text_index(results_level_words, reached) : LEVEL_NONE;
    item.known = !known                                             ? KNOWN_NOT
                 : strcmp(shape_text(known, "state"), "cured") != 0 ? KNOWN_EXPECTED
                                                                    : KNOWN_CURED;
    item.negative = document_find(root, "negative") != NULL;
    item.has_profile = document_find(root, "profile") != NULL;
    item.observed = document_find(root, "observed") != NULL;
    item.partial = results->file[item.file].quick || document_find(root, "steps") != NULL ||
                   (results->target[item.target].recorded.at &&
                    item.verdict != VERDICT_UNSUPPORTED && shape_count(root, "conditions", 0) < 2);
    error = check_sense(&item, root, diagnostic);
    if (error)
        return error;
    if (results->case_count == RESULTS_CASES_MAX)
        return document_fail(root, ERROR_INPUT, diagnostic, "more than %d cases in one report",
                             RESULTS_CASES_MAX);
    // Runs of cases of one operation share its name.
    const struct results_case *const last =
        results->case_count ? &results->cases[results->case_count - 1] : NULL;
    const char *const op = shape_text(root, "op");
    item.id = results_keep(results, shape_text(root, "case"));
    item.op = last && !strcmp(last->op, op) ? last->op : results_keep(results, op);
    const struct document_node *const stored = document_find(root, "stored");
    item.stated_by = stored ? results_keep(results, shape_text(stored, "by")) : NULL;
    item.standing =
        stored ? (uint8_t)text_index(results_standing_words, shape_text(stored, "reference")) : 0;
    if (!item.id || !item.op || (stored && !item.stated_by) ||
        !array_grow(&results->cases, results->case_count, sizeof *results->cases))
        return diagnostic_no_memory(diagnostic);
    histogram_add(&results->target[item.target].histogram, document_find(root, "outputs"));
    results->cases[results->case_count++] = item;
    return ERROR_NONE;
}

const char *results_join(struct results *results, const struct document_node *node, bool pairs,
                         size_t most)
{
    char text[1024] = "";
    size_t used = 0;
    for (size_t i = 0; node && i < node->count && i < most && used < sizeof text; i++)
        used += (size_t)(pairs ? snprintf(text + used, sizeof text - used, "%s%s=%s", i ? " " : "",
                                          node->key[i]->text, node->item[i]->text)
                               : snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                          node->item[i]->text));
    return results_keep(results, text);
}

static enum error take_mutant(struct results *results, const struct document_node *root,
                              const struct results_case *place, struct diagnostic *diagnostic)
{
    (void)place;
    struct results_mutant item = {0};
    const struct document_node *const killers = document_find(root, "killers");
    enum error error = results_look_up(&results->suites, root, "suite", &item.suite, diagnostic);
    if (!error)
        error = take_covers(results, item.suite, document_find(root, "requirements"),
                            &item.covers_first, &item.covers_count, diagnostic);
    if (error)
        return error;
    item.op = results_keep(results, shape_text(root, "op"));
    item.profile = results_join(results, document_find(root, "profile"), true, SIZE_MAX);
    item.killers = results_join(results, killers, false, RESULTS_KILLERS_SHOWN);
    item.waived = results_keep(results, shape_text(root, "waived"));
    item.kills = shape_count(root, "kills", killers ? killers->count : 0);
    item.killed = !strcmp(shape_text(root, "killed"), "true");
    if (!item.op || !item.profile || !item.killers ||
        !array_grow(&results->mutant, results->mutant_count, sizeof *results->mutant))
        return diagnostic_no_memory(diagnostic);
    results->mutant[results->mutant_count++] = item;
    return ERROR_NONE;
}

static double real_or_nan(const struct document_node *root, const char *key)
{
    const struct document_node *const node = document_find(root, key);
    return node ? shape_real(node) : (double)NAN;
}

static enum error take_evidence(struct results *results, const struct document_node *root,
                                const struct results_case *place, struct diagnostic *diagnostic)
{
    (void)place;
    struct results_evidence item = {.p = real_or_nan(root, "p"),
                                    .e = real_or_nan(root, "e"),
                                    .statistic = real_or_nan(root, "statistic")};
    const enum error error =
        results_look_up(&results->targets, root, "source", &item.target, diagnostic);
    if (error)
        return error;
    if (!(item.p >= 0 && item.p <= 1))
        return document_fail(root, ERROR_INPUT, diagnostic, "p must lie in [0, 1]");
    item.test = results_keep(results, shape_text(root, "test"));
    item.night = results_keep(results, shape_text(root, "night"));
    item.verdict = results_keep(results, shape_text(root, "verdict"));
    item.reason = results_keep(results, shape_text(root, "reason"));
    item.bits = shape_count(root, "bits", 0);
    if (!item.test ||
        !array_grow(&results->evidence, results->evidence_count, sizeof *results->evidence))
        return diagnostic_no_memory(diagnostic);
    results->evidence[results->evidence_count++] = item;
    return ERROR_NONE;
}

static enum error take_timing(struct results *results, const struct document_node *root,
                              const struct results_case *place, struct diagnostic *diagnostic)
{
    (void)place;
    const struct results_timing item = {
        .what = results_keep(results, shape_text(root, "what")),
        .peer = results_keep(results, shape_text(root, "peer")),
        .ours = !strcmp(shape_text(root, "ours"), "true"),
        .seconds = real_or_nan(root, "seconds"),
        .ratio = real_or_nan(root, "ratio"),
        .bytes = shape_count(root, "bytes", 0),
        .operations = shape_count(root, "operations", 0),
        .threads = shape_count(root, "threads", 1),
    };
    if (!item.what || !array_grow(&results->timing, results->timing_count, sizeof *results->timing))
        return diagnostic_no_memory(diagnostic);
    results->timing[results->timing_count++] = item;
    return ERROR_NONE;
}

enum error results_take_record(struct results *results, const struct document_node *root,
                               const struct results_case *place, struct diagnostic *diagnostic)
{
    static const struct {
        const char *name;
        const struct shape *shape;
        enum error (*take)(struct results *, const struct document_node *,
                           const struct results_case *, struct diagnostic *);
    } kinds[] = {
        {"case", results_case_shape, take_case},
        {"mutant", results_mutant_shape, take_mutant},
        {"score", results_score_shape, results_take_score},
        {"evidence", results_evidence_shape, take_evidence},
        {"timing", results_timing_shape, take_timing},
    };
    const char *const record =
        document_find(root, "record") ? document_find(root, "record")->text : "";
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, record)) {
            const enum error error = shape_check(root, kinds[i].shape, diagnostic);
            return error ? error : kinds[i].take(results, root, place, diagnostic);
        }
    return document_fail(root, ERROR_INPUT, diagnostic, "'%.40s' is no record of a run", record);
}
