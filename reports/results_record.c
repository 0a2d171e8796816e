// SPDX-License-Identifier: Apache-2.0
// Header and records of results.jsonl: checked against their tables and against each other, and
// kept.

#include <math.h>
#include <string.h>

#include "ref/base/text.h"
#include "reports/results.h"
#include "reports/results_shape.h"

static const uint32_t NOT_FOUND = UINT32_MAX;

// ---- names ------------------------------------------------------------------

static size_t index_place(const struct results_index *index, const char *name)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(index->name[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t index_find(const struct results_index *index, const char *name)
{
    const size_t at = index_place(index, name);
    return at < index->count && !strcmp(index->name[at], name) ? index->number[at] : NOT_FOUND;
}

// Keeps both lists in order. Headers hold hundreds of names, lines at most 1 MiB: moving the rest
// up is cheap enough.
static bool index_add(struct results_index *index, const char *name, uint32_t number)
{
    const size_t at = index_place(index, name), count = index->count;
    if (!array_grow(&index->name, count, sizeof *index->name) ||
        !array_grow(&index->number, count, sizeof *index->number))
        return false;
    memmove(index->name + at + 1, index->name + at, (count - at) * sizeof *index->name);
    memmove(index->number + at + 1, index->number + at, (count - at) * sizeof *index->number);
    index->name[at] = name;
    index->number[at] = number;
    index->count++;
    return true;
}

// ---- header -----------------------------------------------------------------

static enum error take_suite(struct results *results, const struct document_node *node,
                             struct diagnostic *diagnostic)
{
    const char *const name = shape_text(node, "name");
    const uint32_t number = index_find(&results->suites, name);
    if (number != NOT_FOUND) {
        struct results_suite *const known = &results->suite[number];
        const char *const vectors = shape_text(node, "vectors");
        const char *const manifest = shape_text(node, "manifest");
        if (!text_same(known->version, shape_text(node, "version")) ||
            !text_same(known->sha256, shape_text(node, "sha256")) ||
            !results_same_operators(results, known, document_find(node, "operators")) ||
            (known->vectors && vectors && !text_same(known->vectors, vectors)) ||
            (known->manifest && manifest && !text_same(known->manifest, manifest)))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "suite %.80s was declared before with another version or digest: "
                                 "these results do not belong together",
                                 name);
        known->vectors = known->vectors
                             ? known->vectors
                             : results_keep(results, vectors); // results of mutants do not say
        known->manifest = known->manifest ? known->manifest : results_keep(results, manifest);
        return ERROR_NONE;
    }
    if (!array_grow(&results->suite, results->suite_count, sizeof *results->suite))
        return diagnostic_no_memory(diagnostic);
    struct results_suite *const suite = &results->suite[results->suite_count];
    *suite = (struct results_suite){
        .name = results_keep(results, name),
        .version = results_keep(results, shape_text(node, "version")),
        .title = results_keep(results, shape_text(node, "title")),
        .sha256 = results_keep(results, shape_text(node, "sha256")),
        .vectors = results_keep(results, shape_text(node, "vectors")),
        .manifest = results_keep(results, shape_text(node, "manifest")),
        .file = results_keep(results, shape_text(node, "file")),
        .reference_only = results_keep(results, shape_text(node, "reference_only")),
        .cases = shape_count(node, "cases", 0),
    };
    if (!suite->name || !suite->version || !suite->title || !suite->sha256 ||
        !results_take_operators(results, document_find(node, "operators"), suite) ||
        !index_add(&results->suites, suite->name, (uint32_t)results->suite_count))
        return diagnostic_no_memory(diagnostic);
    results->suite_count++;
    return ERROR_NONE;
}

// A requirement's name in the index; the separator cannot stand in a JSON string that passed as
// text of a line.
static bool requirement_name(const char *suite, const char *id, char name[512])
{
    return snprintf(name, 512, "%s\x1f%s", suite, id) < 512;
}

static enum error take_requirement(struct results *results, const struct document_node *node,
                                   struct diagnostic *diagnostic)
{
    char name[512];
    const char *const id = shape_text(node, "id");
    const uint32_t suite = index_find(&results->suites, shape_text(node, "suite"));
    if (suite == NOT_FOUND)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "requirement %.80s belongs to a suite that the header does not name",
                             id);
    if (!requirement_name(results->suite[suite].name, id, name))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "the names of a suite and its requirement are too long");
    const uint32_t number = index_find(&results->requirements, name);
    if (number != NOT_FOUND)
        return text_same(results->requirement[number].text, shape_text(node, "text"))
                   ? ERROR_NONE
                   : document_fail(node, ERROR_INPUT, diagnostic,
                                   "requirement %.80s was declared before with another text", id);
    if (!array_grow(&results->requirement, results->requirement_count,
                    sizeof *results->requirement))
        return diagnostic_no_memory(diagnostic);
    struct results_requirement *const requirement =
        &results->requirement[results->requirement_count];
    *requirement = (struct results_requirement){
        .suite = suite,
        .id = results_keep(results, id),
        .text = results_keep(results, shape_text(node, "text")),
        .clause = results_keep(results, shape_text(node, "clause")),
        .cases = shape_count(node, "cases", 0),
    };
    const char *const kept = results_keep(results, name);
    if (!requirement->id || !requirement->text || !kept ||
        !index_add(&results->requirements, kept, (uint32_t)results->requirement_count))
        return diagnostic_no_memory(diagnostic);
    results->requirement_count++;
    return ERROR_NONE;
}

// A second file may name the same again.
static enum error take_erratum(struct results *results, const struct document_node *node,
                               struct diagnostic *diagnostic)
{
    const char *const id = shape_text(node, "id");
    const uint32_t suite = index_find(&results->suites, shape_text(node, "suite"));
    if (suite == NOT_FOUND)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "erratum %.80s belongs to a suite that the header does not name", id);
    for (size_t i = 0; i < results->erratum_count; i++)
        if (results->erratum[i].suite == suite && text_same(results->erratum[i].id, id))
            return ERROR_NONE;
    if (!array_grow(&results->erratum, results->erratum_count, sizeof *results->erratum))
        return diagnostic_no_memory(diagnostic);
    struct results_erratum *const erratum = &results->erratum[results->erratum_count];
    *erratum = (struct results_erratum){
        .suite = suite,
        .id = results_keep(results, id),
        .clause = results_keep(results, shape_text(node, "clause")),
        .says = results_keep(results, shape_text(node, "says")),
        .decided = results_keep(results, shape_text(node, "decided")),
    };
    if (!erratum->id || !erratum->clause || !erratum->says || !erratum->decided)
        return diagnostic_no_memory(diagnostic);
    results->erratum_count++;
    return ERROR_NONE;
}

static bool same_libraries(const struct results *results, const struct results_target *target,
                           const struct document_node *libraries)
{
    const size_t count = libraries ? libraries->count : 0;
    bool alike = count == target->library_count;
    for (size_t i = 0; alike && i < count; i++) {
        const struct results_library *const known = &results->library[target->library_first + i];
        alike = text_same(known->file, shape_text(libraries->item[i], "file")) &&
                text_same(known->sha256, shape_text(libraries->item[i], "sha256"));
    }
    return alike;
}

static enum error take_libraries(struct results *results, struct results_target *target,
                                 const struct document_node *libraries,
                                 struct diagnostic *diagnostic)
{
    target->library_first = results->library_count;
    for (size_t i = 0; libraries && i < libraries->count; i++) {
        if (!array_grow(&results->library, results->library_count, sizeof *results->library))
            return diagnostic_no_memory(diagnostic);
        struct results_library *const library = &results->library[results->library_count++];
        *library = (struct results_library){
            results_keep(results, shape_text(libraries->item[i], "file")),
            results_keep(results, shape_text(libraries->item[i], "sha256"))};
        if (!library->file || !library->sha256)
            return diagnostic_no_memory(diagnostic);
        target->library_count++;
    }
    return ERROR_NONE;
}

static struct results_recorded take_recorded(struct results *results,
                                             const struct document_node *node)
{
    if (!node)
        return (struct results_recorded){.at = NULL};
    return (struct results_recorded){.at = results_keep(results, shape_text(node, "at")),
                                     .by = results_keep(results, shape_text(node, "by")),
                                     .sha256 = results_keep(results, shape_text(node, "sha256")),
                                     .suites = results_keep(results, shape_text(node, "suites")),
                                     .signer = results_keep(results, shape_text(node, "signer"))};
}

static enum error take_target(struct results *results, const struct document_node *node,
                              struct diagnostic *diagnostic)
{
    const char *const name = shape_text(node, "name");
    const struct document_node *const libraries = document_find(node, "libraries");
    const uint64_t file = 1ull << (results->file_count - 1);
    const uint32_t number = index_find(&results->targets, name);
    if (number != NOT_FOUND) {
        struct results_target *const known = &results->target[number];
        known->files |= file;
        if (!known->outside)
            known->outside = results_keep(results, shape_text(node, "outside"));
        if (!text_same(known->version, shape_text(node, "version")) ||
            !text_same(known->sha256, shape_text(node, "sha256")) ||
            !text_same(known->held_to, shape_text(node, "held_to")) ||
            !text_same(known->recorded.sha256,
                       document_text(document_find(node, "recorded"), "sha256")) ||
            !text_same(known->model, shape_text(node, "model")) ||
            !same_libraries(results, known, libraries))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "target %.80s was declared before with another version, digest, "
                                 "model or class of processors: these results do not belong "
                                 "together",
                                 name);
        return ERROR_NONE;
    }
    if (!array_grow(&results->target, results->target_count, sizeof *results->target))
        return diagnostic_no_memory(diagnostic);
    struct results_target *const target = &results->target[results->target_count];
    *target = (struct results_target){
        .name = results_keep(results, name),
        .kind = results_keep(results, shape_text(node, "kind")),
        .version = results_keep(results, shape_text(node, "version")),
        .file = results_keep(results, shape_text(node, "file")),
        .sha256 = results_keep(results, shape_text(node, "sha256")),
        .held_to = results_keep(results, shape_text(node, "held_to")),
        .model = results_keep(results, shape_text(node, "model")),
        .outside = results_keep(results, shape_text(node, "outside")),
        .environment = results_keep(results, shape_text(node, "environment")),
        .unseen = results_keep(results, shape_text(node, "unseen")),
        .untried = results_keep(results, shape_text(node, "untried")),
        .unavailable = results_keep(results, shape_text(node, "unavailable")),
        .recorded = take_recorded(results, document_find(node, "recorded")),
        .files = file,
    };
    if (!target->name || !target->kind ||
        !index_add(&results->targets, target->name, (uint32_t)results->target_count))
        return diagnostic_no_memory(diagnostic);
    results->target_count++;
    return take_libraries(results, target, libraries, diagnostic);
}

static void take_texts(struct results *results, struct results_file *file,
                       const struct document_node *root)
{
    const struct document_node *const tool = document_find(root, "tool"),
                                      *const machine = document_find(root, "machine"),
                                      *const shard = document_find(root, "shard"),
                                      *const known = document_find(root, "known");
    const struct {
        const char **to;
        const struct document_node *from;
        const char *key;
    } texts[] = {
        {&file->command, root, "command"},
        {&file->plan, root, "plan"},
        {&file->started, root, "started"},
        {&file->selection, root, "selection"},
        {&file->seed, root, "seed"},
        {&file->tool, tool, "name"},
        {&file->tool_version, tool, "version"},
        {&file->tool_sha256, tool, "sha256"},
        {&file->architecture, machine, "architecture"},
        {&file->processor, machine, "processor"},
        {&file->instructions, machine, "instructions"},
        {&file->class, machine, "class"},
        {&file->system, machine, "system"},
        {&file->compiler, machine, "compiler"},
        {&file->mode, root, "mode"},
        {&file->known_name, known, "name"},
        {&file->known_sha256, known, "sha256"},
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i].to =
            texts[i].from ? results_keep(results, shape_text(texts[i].from, texts[i].key)) : NULL;
    file->processors = shape_count(machine, "processors", 0);
    file->shard_index = shard ? shape_count(shard, "index", 1) : 1;
    file->shard_count = shard ? shape_count(shard, "count", 1) : 1;
    file->quick = document_find(root, "quick") != NULL;
    file->drawn = document_find(root, "drawn") != NULL;
    file->time_ms = shape_count(root, "time_ms", 0);
}

enum error results_take_header(struct results *results, struct results_file *file,
                               const struct document_node *root, struct diagnostic *diagnostic)
{
    static const struct {
        const char *key;
        enum error (*take)(struct results *, const struct document_node *, struct diagnostic *);
    } lists[] = {{"suites", take_suite},
                 {"requirements", take_requirement},
                 {"errata", take_erratum},
                 {"targets", take_target}};
    enum error error = shape_check(root, results_header_shape, diagnostic);
    if (error)
        return error;
    take_texts(results, file, root);
    if (!file->command || !file->plan || !file->tool || !file->tool_version || !file->architecture)
        return diagnostic_no_memory(diagnostic);
    if (file->shard_index > file->shard_count)
        return document_fail(
            root, ERROR_INPUT, diagnostic, "shard %llu is above the count of %llu shards",
            (unsigned long long)file->shard_index, (unsigned long long)file->shard_count);
    for (unsigned i = 0; !error && i < sizeof lists / sizeof *lists; i++) {
        const struct document_node *const list = document_find(root, lists[i].key);
        for (size_t k = 0; !error && list && k < list->count; k++)
            error = lists[i].take(results, list->item[k], diagnostic);
    }
    return error;
}

// ---- records ----------------------------------------------------------------

enum error results_look_up(const struct results_index *index, const struct document_node *root,
                           const char *key, uint32_t *number, struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(root, key);
    *number = index_find(index, node->text);
    return *number != NOT_FOUND
               ? ERROR_NONE
               : document_fail(node, ERROR_INPUT, diagnostic,
                               "'%.80s' is no %s that the header names", node->text, key);
}

// The requirements of a list, into results->covers.
static enum error take_covers(struct results *results, uint32_t suite,
                              const struct document_node *list, uint32_t *first, uint32_t *count,
                              struct diagnostic *diagnostic)
{
    *first = (uint32_t)results->covers_count;
    *count = 0;
    for (size_t i = 0; list && i < list->count; i++) {
        char name[512];
        const uint32_t number =
            requirement_name(results->suite[suite].name, list->item[i]->text, name)
                ? index_find(&results->requirements, name)
                : NOT_FOUND;
        if (number == NOT_FOUND)
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
