// SPDX-License-Identifier: Apache-2.0
// What is said of one target, as in-toto Statements.

#include "reports/statement.h"

#include <string.h>

#include "ref/base/file.h"
#include "reports/caveats.h"
#include "reports/shape.h"

static const struct shape digest_shape[] = {
    {.key = "sha256", .kind = SHAPE_DIGEST}, {.key = "dirHash", .kind = SHAPE_DIGEST}, {0}};
static const struct shape subject_fields[] = {
    {.key = "name", .kind = SHAPE_TEXT, .needed = true},
    {.key = "digest", .kind = SHAPE_OBJECT, .needed = true, .fields = digest_shape},
    {0},
};

const struct shape statement_shape[] = {
    {.key = "_type", .kind = SHAPE_TEXT, .needed = true},
    {.key = "subject", SHAPE_OBJECTS(subject_fields), .needed = true, .most = 10000},
    {.key = "predicateType", .kind = SHAPE_TEXT, .needed = true},
    {.key = "predicate", .kind = SHAPE_ANY, .needed = true},
    {0},
};

// ---- subjects ---------------------------------------------------------------

static void put_digest(struct text *text, const char *algorithm, const char *hex)
{
    json_begin_object_at(text, "digest");
    json_put_pair(text, algorithm, hex);
    json_end_object(text);
}

static void put_subject(struct text *text, const char *folder, const char *name, const char *ending,
                        const char *sha256)
{
    struct text path = {0};
    if (!name || !sha256)
        return;
    text_put(&path, folder);
    text_put(&path, "/");
    text_put(&path, name);
    text_put(&path, ending);
    json_begin_object(text);
    json_put_pair(text, "name", path.bytes);
    put_digest(text, name[strlen(name) - 1] == '/' ? "dirHash" : "sha256", sha256);
    json_end_object(text);
    text->failed |= path.failed;
    text_release(&path);
}

static bool suite_concerns(const struct tally *tally, size_t suite, uint32_t target)
{
    return tally->by_suite[suite * tally->targets + target].total > 0;
}

static void put_subjects(struct text *text, const struct results *results,
                         const struct tally *tally, uint32_t target)
{
    const struct results_target *const about = &results->target[target];
    const bool elsewhere = about->recorded.at != NULL;
    json_begin_list_at(text, "subject");
    for (size_t i = 0; i < about->library_count; i++) {
        const struct results_library *const library = &results->library[about->library_first + i];
        put_subject(text, elsewhere ? STATEMENT_ELSEWHERE "library" : "library", library->file, "",
                    library->sha256);
    }
    put_subject(text, elsewhere ? STATEMENT_ELSEWHERE "target" : "target", about->file, "",
                about->sha256);
    put_subject(text, "record", "record", ".jsonl", about->recorded.sha256);
    for (size_t i = 0; i < results->suite_count; i++)
        if (suite_concerns(tally, i, target)) {
            put_subject(text, "yaml/suites", results->suite[i].name, ".yaml",
                        results->suite[i].sha256);
            for (size_t k = 0; k < results->suite[i].operator_count; k++) {
                const struct results_operator *const operator= &
                    results->operators[results->suite[i].operator_first + k];
                put_subject(text, "yaml/operators", operator->name, ".yaml", operator->sha256);
            }
            put_subject(text, "vectors/golden", results->suite[i].name, ".safetensors",
                        results->suite[i].vectors);
            put_subject(text, "vectors/golden", results->suite[i].name, ".jsonl",
                        results->suite[i].manifest);
        }
    for (size_t i = 0; i < results->file_count; i++)
        if (about->files >> i & 1) {
            put_subject(text, "tool", results->file[i].tool, "", results->file[i].tool_sha256);
            put_subject(text, "results", file_name(results->file[i].path), "",
                        results->file[i].sha256);
        }
    json_end_list(text);
}

// ---- test-result ------------------------------------------------------------

static void put_names(struct text *text, const struct results *results, uint32_t target,
                      const char *key, bool (*belongs)(const struct results_case *))
{
    char name[1024];
    json_begin_list_at(text, key);
    for (size_t i = 0; i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        if (item->target != target || !belongs(item))
            continue;
        snprintf(name, sizeof name, "%.500s/%.500s", results->suite[item->suite].name, item->id);
        json_put_string(text, name);
    }
    json_end_list(text);
}

static bool is_passed(const struct results_case *item)
{
    return !results_case_unexpected(item) && verdict_is_good(item->verdict);
}

static bool is_unsupported(const struct results_case *item)
{
    return item->verdict == VERDICT_UNSUPPORTED;
}

static bool is_warned(const struct results_case *item)
{
    return item->known == KNOWN_EXPECTED || item->verdict == VERDICT_VACUOUS;
}

static void put_test_result(struct text *text, const struct results *results,
                            const struct tally *tally, uint32_t target)
{
    const enum tally_outcome outcome = tally_outcome_of(&tally->by_target[target]);
    json_put_pair(text, "result",
                  outcome == OUTCOME_DIFFERS || outcome == OUTCOME_NOTHING ? "FAILED"
                  : outcome == OUTCOME_EXPECTED                            ? "WARNED"
                                                                           : "PASSED");
    json_begin_list_at(text, "configuration");
    for (size_t i = 0; i < results->suite_count; i++)
        if (suite_concerns(tally, i, target))
            put_subject(text, "yaml/suites", results->suite[i].name, ".yaml",
                        results->suite[i].sha256);
    json_end_list(text);
    put_names(text, results, target, "passedTests", is_passed);
    put_names(text, results, target, "warnedTests", is_warned);
    put_names(text, results, target, "failedTests", results_case_unexpected);
}

// ---- our own ----------------------------------------------------------------

static void put_counts(struct text *text, const struct tally_cell *cell)
{
    json_begin_object_at(text, "cases");
    for (unsigned i = 0; i < VERDICT_COUNT; i++)
        if (cell->verdict[i])
            json_put_unsigned_at(text, verdict_name(i), cell->verdict[i]);
    json_end_object(text);
    json_put_unsigned_at(text, "of", cell->cases);
    if (cell->expected)
        json_put_unsigned_at(text, "expected", cell->expected);
    if (cell->cured)
        json_put_unsigned_at(text, "cured", cell->cured);
}

static void put_requirements(struct text *text, const struct results *results,
                             const struct tally *tally, uint32_t target)
{
    json_begin_list_at(text, "requirements");
    for (size_t i = 0; i < results->requirement_count; i++) {
        const struct tally_cell *const cell = &tally->by_requirement[i * tally->targets + target];
        if (!suite_concerns(tally, results->requirement[i].suite, target))
            continue;
        json_begin_object(text);
        json_put_pairs(text, {"suite", results->suite[results->requirement[i].suite].name},
                       {"id", results->requirement[i].id}, {"text", results->requirement[i].text},
                       {"outcome", cell->cases ? tally_requirement_name(tally_outcome_of(cell))
                                               : "no case can show it"},
                       {"level", tally_level(cell) == LEVEL_NONE
                                     ? NULL
                                     : results_level_name(tally_level(cell))});
        put_counts(text, cell);
        json_end_object(text);
    }
    json_end_list(text);
}

// The profiles that passes were reached with, and every expected failure with its reason: both
// stand in the lines of the cases.
static enum error put_lines(struct text *text, const struct results *results, uint32_t target,
                            bool failures, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    struct arena seen = {0};
    struct list {
        struct list *next;
        const char *words;
    } *list = NULL;
    json_begin_list_at(text, failures ? "exclusions" : "profiles");
    for (size_t i = 0; !error && i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        if (item->target != target ||
            (failures ? item->known != KNOWN_EXPECTED
                      : item->verdict != VERDICT_PASS || item->reached != LEVEL_BITS ||
                            !item->has_profile))
            continue;
        struct arena arena = {0};
        struct document_source line;
        struct document_node *root;
        error = results_detail(results, item, &arena, &line, &root, diagnostic);
        const struct document_node *const profile = error ? NULL : document_find(root, "profile");
        if (!error && failures) {
            json_put_object(text, {"suite", results->suite[item->suite].name}, {"case", item->id},
                            {"verdict", verdict_name(item->verdict)},
                            {"why", shape_text(document_find(root, "known"), "why")});
        } else if (!error && profile && profile->count) {
            struct text words = {0};
            json_begin_object(&words);
            json_put_pair(&words, "suite", results->suite[item->suite].name);
            for (size_t k = 0; k < profile->count; k++)
                json_put_pair(&words, profile->key[k]->text, profile->item[k]->text);
            json_end_object(&words);
            const struct list *at = list;
            while (at && words.bytes && strcmp(at->words, words.bytes) != 0)
                at = at->next;
            struct list *const fresh = at ? NULL : arena_take(&seen, sizeof *fresh);
            if (fresh && words.bytes) {
                *fresh = (struct list){list, arena_copy_text(&seen, words.bytes, words.size)};
                list = fresh;
                if (text->comma)
                    text_put_bytes(text, ", ", 2);
                text_put_bytes(text, words.bytes, words.size);
                text->comma = true;
            }
            text->failed |= words.failed || (fresh && !fresh->words);
            text_release(&words);
        }
        arena_release(&arena);
    }
    json_end_list(text);
    arena_release(&seen);
    return error;
}

// What must be known beside the outcome.
static enum error put_caveats(struct text *text, const struct results *results, uint32_t target,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct caveats caveats;
    const enum error error = caveats_of_target(results, target, &arena, &caveats, diagnostic);
    json_begin_list_at(text, "beside");
    for (size_t i = 0; !error && i < caveats.count; i++)
        json_put_string(text, caveats.line[i]);
    json_end_list(text);
    arena_release(&arena);
    return error;
}

// Whether cases were drawn of which the target could not know before.
static bool is_drawn(const struct results *results, uint32_t target)
{
    bool drawn = false;
    for (size_t i = 0; i < results->file_count; i++)
        drawn |= (results->target[target].files >> i & 1) && results->file[i].drawn;
    return drawn;
}

// What no test from outside can find.
static const char *const not_excluded[] = {
    "code that the target makes in memory, or receives from another process, is not listed",
    "which names there are is listed only of those that were to be opened or run",
    "a file name that changed between its check and its opening goes unnoticed",
    "a compiled Python file is listed as its source where that lies beside it",
    "a target that asks a reference cannot be told from one that computes",
    NULL};

// The first file that holds cases of the target: what was run, by what and where.
static void put_first_run(struct text *text, const struct results *results,
                          const struct results_target *about)
{
    for (size_t i = 0; i < results->file_count; i++) {
        const struct results_file *const file = &results->file[i];
        if (!(about->files >> i & 1))
            continue;
        json_begin_object_at(text, "run");
        json_put_pairs(text, {"plan", file->plan}, {"tool", file->tool},
                       {"toolVersion", file->tool_version}, {"started", file->started},
                       {"selection", file->selection}, {"mode", file->mode}, {"seed", file->seed});
        if (file->time_ms)
            json_put_unsigned_at(text, "timeMs", file->time_ms);
        json_put_pairs(text, {"knownFailures", file->known_sha256},
                       {"architecture", file->architecture}, {"processor", file->processor},
                       {"instructions", file->instructions}, {"class", file->class},
                       {"system", file->system}, {"compiler", file->compiler});
        json_end_object(text);
        return;
    }
}

static void put_recorded(struct text *text, const struct results_recorded *recorded)
{
    if (!recorded->at)
        return;
    json_begin_object_at(text, "recorded");
    json_put_pairs(text, {"at", recorded->at}, {"by", recorded->by}, {"sha256", recorded->sha256},
                   {"suites", recorded->suites}, {"signer", recorded->signer});
    json_end_object(text);
}

static enum error put_conformance(struct text *text, const struct results *results,
                                  const struct tally *tally, uint32_t target,
                                  struct diagnostic *diagnostic)
{
    const struct results_target *const about = &results->target[target];
    struct text words = {0};
    tally_put_outcome(&words, tally, target);
    json_put_pair(text, "outcome", tally_outcome_name(tally_outcome_of(&tally->by_target[target])));
    json_put_pair(text, "summary", words.bytes);
    text->failed |= words.failed;
    text_release(&words);
    enum error error = put_caveats(text, results, target, diagnostic);
    json_begin_object_at(text, "target");
    json_put_pairs(text, {"name", about->name}, {"kind", about->kind}, {"version", about->version},
                   {"heldTo", about->held_to}, {"model", about->model},
                   {"environment", about->environment});
    put_recorded(text, &about->recorded);
    json_end_object(text);
    json_put_pair(text, "level", results_level_name(tally_level(&tally->by_target[target])));
    put_counts(text, &tally->by_target[target]);
    put_first_run(text, results, about);
    json_begin_list_at(text, "notExcluded");
    for (size_t i = 0; not_excluded[i]; i++)
        json_put_string(text, not_excluded[i]);
    json_put_string(text, about->environment
                              ? "the values of the variables that it was left with decide too, and "
                                "are not listed"
                              : "the environment decides too, and is not listed");
    if (about->recorded.at)
        json_put_string(text,
                        "that the target gave the recorded answers, by itself and on the machine "
                        "that is named, is the word of whoever recorded them");
    if (!is_drawn(results, target))
        json_put_string(text,
                        "no case was drawn once the target was fixed: a target that knows the "
                        "answers to the suites is not told from one that computes");
    json_end_list(text);
    json_begin_list_at(text, "suites");
    for (size_t i = 0; i < results->suite_count; i++)
        if (suite_concerns(tally, i, target)) {
            json_begin_object(text);
            json_put_pair(text, "name", results->suite[i].name);
            json_put_pair(text, "version", results->suite[i].version);
            json_put_pair(text, "title", results->suite[i].title);
            json_put_unsigned_at(text, "cases", tally->by_suite[i * tally->targets + target].cases);
            json_end_object(text);
        }
    json_end_list(text);
    put_requirements(text, results, tally, target);
    put_names(text, results, target, "notRun", is_unsupported);
    if (!error)
        error = put_lines(text, results, target, false, diagnostic);
    return error ? error : put_lines(text, results, target, true, diagnostic);
}

enum error statement_write(struct text *text, const struct results *results,
                           const struct tally *tally, uint32_t target, enum statement_kind kind,
                           struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_begin_object(text);
    json_put_pair(text, "_type", STATEMENT_TYPE);
    put_subjects(text, results, tally, target);
    json_put_pair(text, "predicateType",
                  kind == STATEMENT_KIND_TEST_RESULT ? STATEMENT_TEST_RESULT
                                                     : STATEMENT_CONFORMANCE);
    json_begin_object_at(text, "predicate");
    if (kind == STATEMENT_KIND_TEST_RESULT)
        put_test_result(text, results, tally, target);
    else
        error = put_conformance(text, results, tally, target, diagnostic);
    json_end_object(text);
    json_end_object(text);
    return error ? error : text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

bool statement_may_certify(const struct results *results, const struct tally *tally,
                           uint32_t target, const char **reason)
{
    const enum tally_outcome outcome = tally_outcome_of(&tally->by_target[target]);
    unsigned files = 0;
    *reason = NULL;
    for (size_t i = 0; i < results->file_count; i++) {
        if (!(results->target[target].files >> i & 1))
            continue;
        files++;
        if (results->file[i].shard_count > 1)
            *reason = "the results are one part of several; merge them first";
        else if (results->file[i].quick)
            *reason = "each case was run under one set of conditions only (--quick)";
        else if (results->file[i].mode)
            *reason = "bounds were derived another way than a certificate's (--mode)";
        else if (results->file[i].selection)
            *reason = "only a selection of the cases was run";
        else if (strcmp(results->file[i].command, "certify") != 0)
            *reason = "the results are not those of certify";
    }
    if (files > 1)
        *reason = "the target's cases stand in more than one file";
    if (outcome == OUTCOME_NOTHING)
        *reason = "no case passed or was refused: nothing is proved";
    else if (outcome == OUTCOME_DIFFERS)
        *reason = results->target[target].outside ? "the target failed outside of its cases"
                                                  : "the target does not conform";
    else if (outcome == OUTCOME_EXPECTED)
        *reason = "the target does not conform: an expected failure is a failure";
    else if (!results->target[target].sha256)
        *reason = "the results do not hold the digest of the target's file";
    return !*reason;
}
