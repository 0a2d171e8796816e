// SPDX-License-Identifier: Apache-2.0
// The header of results.jsonl: checked against its table and against the headers of other files,
// and kept; and what records find by the names that it gives.

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

// ---- what records name -------------------------------------------------------

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

bool results_find_requirement(const struct results *results, uint32_t suite, const char *id,
                              uint32_t *number)
{
    char name[512];
    *number = requirement_name(results->suite[suite].name, id, name)
                  ? index_find(&results->requirements, name)
                  : NOT_FOUND;
    return *number != NOT_FOUND;
}
