// SPDX-License-Identifier: Apache-2.0
// The first line of results.jsonl: what was run, on what, by what, with digests of all of it.

#include <stdio.h>
#include <unistd.h>

#include "harness/judge/write/records.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static enum error put_digest_of(struct text *text, const char *key, const char *path,
                                struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    const enum error error = digest_path(path, hex, diagnostic);
    if (!error)
        json_put_pair(text, key, hex);
    return error;
}

// The suite's golden file and its manifest; a suite of one's own may have none.
static enum error put_vectors(struct text *text, const char *folder, const char *suite,
                              struct diagnostic *diagnostic)
{
    static const struct {
        const char *key, *ending;
    } files[] = {{"vectors", "safetensors"}, {"manifest", "jsonl"}};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; folder && !error && i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.%s", folder, suite, files[i].ending);
        if (!access(path, F_OK))
            error = put_digest_of(text, files[i].key, path, diagnostic);
    }
    return error;
}

// The declarations of operators that the suite's cases ask for.
static enum error put_operators(struct text *text, const struct operators *operators,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (operators->count)
        json_begin_list_at(text, "operators");
    for (unsigned i = 0; i < operators->count && !error; i++) {
        json_begin_object(text);
        json_put_pair(text, "name", operators->item[i]->operation.name);
        error = put_digest_of(text, "sha256", operators->item[i]->graph.path, diagnostic);
        json_end_object(text);
    }
    if (operators->count)
        json_end_list(text);
    return error;
}

static void put_errata(struct text *text, const struct records_plan *plan)
{
    json_begin_list_at(text, "errata");
    for (size_t i = 0; i < plan->suite_count; i++)
        for (size_t k = 0; k < plan->suite[i]->erratum_count; k++) {
            const struct suite_erratum *const erratum = &plan->suite[i]->erratum[k];
            json_put_object(text, {"suite", plan->suite[i]->name}, {"id", erratum->id},
                            {"clause", erratum->clause}, {"says", erratum->says},
                            {"decided", erratum->decided});
        }
    json_end_list(text);
}

static enum error put_suites(struct text *text, const struct records_plan *plan,
                             struct diagnostic *diagnostic)
{
    json_begin_list_at(text, "suites");
    for (size_t i = 0; i < plan->suite_count; i++) {
        const struct suite *const suite = plan->suite[i];
        json_begin_object(text);
        json_put_pairs(text, {"name", suite->name}, {"version", suite->version},
                       {"title", suite->title}, {"file", suite->own ? suite->path : NULL});
        enum error error = put_digest_of(text, "sha256", suite->path, diagnostic);
        if (!error)
            error =
                put_vectors(text, plan->vectors ? plan->vectors[i] : NULL, suite->name, diagnostic);
        if (!error)
            error = put_operators(text, &suite->operators, diagnostic);
        json_put_unsigned_at(text, "cases", suite->case_count);
        if (error)
            return error;
        json_end_object(text);
    }
    json_end_list(text);
    json_begin_list_at(text, "requirements");
    for (size_t i = 0; i < plan->suite_count; i++)
        for (size_t k = 0; k < plan->suite[i]->requirement_count; k++) {
            const struct suite_requirement *const requirement = &plan->suite[i]->requirement[k];
            json_begin_object(text);
            json_put_pairs(text, {"suite", plan->suite[i]->name}, {"id", requirement->id},
                           {"text", requirement->text}, {"clause", requirement->clause});
            json_put_unsigned_at(text, "cases", requirement->cases);
            json_end_object(text);
        }
    json_end_list(text);
    put_errata(text, plan);
    return ERROR_NONE;
}

static void put_libraries(struct text *text, const struct records_target *target)
{
    json_begin_list_at(text, "libraries");
    for (size_t i = 0; i < target->library_count; i++) {
        json_put_object(text, {"file", target->library[i].name},
                        {"sha256", target->library[i].sha256});
    }
    json_end_list(text);
}

static void put_recorded(struct text *text, const struct records_recorded *recorded)
{
    json_begin_object_at(text, "recorded");
    json_put_pairs(text, {"at", recorded->at}, {"by", recorded->by}, {"sha256", recorded->sha256},
                   {"suites", recorded->suites}, {"signer", recorded->signer});
    json_end_object(text);
}

static enum error put_targets(struct text *text, const struct records_plan *plan,
                              struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_begin_list_at(text, "targets");
    for (size_t i = 0; !error && i < plan->target_count; i++) {
        const struct records_target *const target = &plan->target[i];
        json_begin_object(text);
        json_put_pairs(text, {"name", target->name},
                       {"kind", target->source    ? "source"
                                : target->process ? "process"
                                                  : "plugin"},
                       {"version", target->version});
        if (target->path) {
            json_put_pair(text, "file", file_name(target->path));
            if (target->recorded)
                json_put_pair(text, "sha256", target->recorded->file_sha256);
            else if (!plan->unwritten &&
                     !access(target->path, F_OK)) // else it is looked for in PATH
                error = put_digest_of(text, "sha256", target->path, diagnostic);
        }
        json_put_pair(text, "held_to", target->held_to);
        if (target->library_count)
            put_libraries(text, target);
        if (target->model && target->model[0])
            json_put_pair(text, "model", target->model);
        json_put_pairs(text, {"outside", target->outside}, {"environment", target->environment},
                       {"unseen", target->unseen});
        if (target->untried && target->untried[0])
            json_put_pair(text, "untried", target->untried);
        json_put_pair(text, "unavailable", target->unavailable);
        if (target->recorded)
            put_recorded(text, target->recorded);
        json_end_object(text);
    }
    json_end_list(text);
    return error;
}

// What may decide bits beside the library: processor, kernel, C library, and what compiled this
// program.
static void put_machine(struct text *text, const struct records_plan *plan)
{
    const struct machine here = machine_here(), *const machine =
                                                    plan->machine ? plan->machine : &here;
    json_begin_object_at(text, "machine");
    json_put_pair(text, "architecture", machine->architecture);
    if (machine->processor[0])
        json_put_pair(text, "processor", machine->processor);
    if (machine->threads)
        json_put_unsigned_at(text, "processors", machine->threads);
    json_put_pair(text, "instructions", machine->instructions);
    if (machine->class[0])
        json_put_pair(text, "class", machine->class);
    json_put_pairs(text, {"system", machine->system}, {"compiler", COMPILER});
    json_end_object(text);
}

// The members `suites` and `targets`, which read and digest every file that takes part.
static enum error put_parts(struct text *parts, const struct records_plan *plan,
                            struct diagnostic *diagnostic)
{
    enum error error = put_suites(parts, plan, diagnostic);
    if (!error)
        error = put_targets(parts, plan, diagnostic);
    if (!error && parts->failed)
        error = diagnostic_no_memory(diagnostic);
    return error;
}

static void put_written(struct text *text, const struct text *members)
{
    if (text->comma)
        text_put_bytes(text, ", ", 2);
    text_put_bytes(text, members->bytes, members->size);
    text->comma = true;
}

// The digest of what was to be run: suites, targets and selection, not where it ran.
static enum error plan_digest(const struct records_plan *plan, const struct text *parts,
                              unsigned char digest[DIGEST_SIZE], struct diagnostic *diagnostic)
{
    struct text text = {0};
    json_begin_object(&text);
    json_put_pair(&text, "command", plan->command);
    put_written(&text, parts);
    json_put_pair(&text, "selection", plan->selection ? plan->selection : "");
    if (plan->quick)
        json_put_pair(&text, "quick", "yes");
    if (plan->mode != JUDGE_OBSERVED)
        json_put_pair(&text, "mode", judge_mode_name(plan->mode));
    const enum error error = text.failed ? diagnostic_no_memory(diagnostic)
                                         : digest_of(text.bytes, text.size, digest, diagnostic);
    text_release(&text);
    return error;
}

enum error records_begin(struct records *records, const struct records_plan *plan,
                         struct diagnostic *diagnostic)
{
    struct text *const text = &records->text, parts = {0};
    unsigned char digest[DIGEST_SIZE];
    enum error error = put_parts(&parts, plan, diagnostic);
    if (!error)
        error = plan_digest(plan, &parts, digest, diagnostic);
    if (error) {
        text_release(&parts);
        return error;
    }
    json_begin_object(text);
    json_put_pairs(text, {"record", "header"}, {"format", "assay.results/1"});
    json_begin_object_at(text, "tool");
    json_put_pairs(text, {"name", "assay"}, {"version", ASSAY_VERSION});
    if (!plan->unwritten)
        error = put_digest_of(text, "sha256", "/proc/self/exe", diagnostic);
    json_end_object(text);
    json_put_pair(text, "command", plan->command);
    json_put_digest_at(text, "plan", digest);
    if (plan->shard_count) {
        json_begin_object_at(text, "shard");
        json_put_unsigned_at(text, "index", plan->shard_index);
        json_put_unsigned_at(text, "count", plan->shard_count);
        json_end_object(text);
    }
    json_put_pair(text, "selection", plan->selection);
    if (plan->quick)
        json_put_boolean_at(text, "quick", true);
    if (plan->mode != JUDGE_OBSERVED)
        json_put_pair(text, "mode", judge_mode_name(plan->mode));
    if (plan->seed)
        json_put_pair(text, "seed", plan->seed);
    if (plan->drawn)
        json_put_boolean_at(text, "drawn", true);
    if (plan->time_ms)
        json_put_unsigned_at(text, "time_ms", plan->time_ms);
    if (plan->known) {
        json_begin_object_at(text, "known");
        json_put_pair(text, "name", file_name(plan->known->path));
        json_put_digest_at(text, "sha256", plan->known->digest);
        json_end_object(text);
    }
    put_written(text, &parts);
    text_release(&parts);
    put_machine(text, plan);
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
    text->comma = false;
    return error;
}
