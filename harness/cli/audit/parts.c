// SPDX-License-Identifier: Apache-2.0
// assay audit --shard, and how assay merge joins its parts.

#include <stdlib.h>
#include <string.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/certify/files.h"
#include "harness/cli/cli.h"
#include "harness/cli/shards.h"
#include "ref/base/json.h"
#include "stats/audit/shard.h"

// What a target is on this machine: its version, and the files that it has loaded and assay has
// not, or names itself. What a program reads beyond that is not recorded.
static enum error put_target(const struct audit_arguments *a, struct text *text,
                             struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct host *host = NULL;
    struct certify_session session = {.library_count = 0};
    const struct target *target = NULL;
    enum error error = audit_source_start(a->source, &arena, &target, &host, diagnostic);
    if (!error && host)
        error = certify_find_files(host, target->path, &arena, &session, diagnostic);
    if (!error && host) {
        json_begin_object_at(text, SHARDS_MACHINE);
        json_put_pair(text, "version", host_describe(host)->version);
        json_begin_list_at(text, "files");
        for (size_t i = 0; i < session.library_count; i++) {
            json_put_object(text, {"name", session.library[i].name},
                            {"sha256", session.library[i].sha256});
        }
        json_end_list(text);
        json_end_object(text);
    }
    if (host)
        host_close(host, NULL);
    arena_release(&arena);
    return error;
}

// The plan: what is to be counted, by which program, and the plugin or program that gives the
// words. `here`: on this machine, which starts the target.
static enum error describe(const struct audit_arguments *a, const struct battery *battery,
                           bool here, struct text *text, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    const char *file = NULL;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"seed", a->seed},
                   {"streams", a->streams},
                   {"bytes", a->bytes},
                   {"rows", battery->rows},
                   {"blocks", battery->stage[battery->stages - 1]},
                   {"first_block", a->first_block}};
    json_begin_object(text);
    enum error error = shards_put_program(text, diagnostic);
    json_put_pair(text, "source", a->source);
    if (!error)
        error = audit_source_file(a->source, &arena, &file, diagnostic);
    json_begin_list_at(text, "files");
    if (!error && file)
        error = shards_put_file(text, a->source, file, diagnostic);
    json_end_list(text);
    arena_release(&arena);
    json_put_pairs(text, {"profile", a->profile}, {"kin", audit_kin_names[a->kin]});
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_put_unsigned_at(text, numbers[i].key, numbers[i].value);
    if (!error && here)
        error = put_target(a, text, diagnostic);
    json_end_object(text);
    return error ? error : text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

int audit_say_plan(const struct audit_arguments *a, const struct audit_options *audit)
{
    struct text text = {0};
    struct diagnostic diagnostic;
    struct shard_plan plan = {.command = "audit"};
    shard_parse(a->shard, &plan.index, &plan.count);
    const enum error error = describe(a, &audit->battery, false, &text, &diagnostic);
    plan.text = text.bytes;
    const int code = error ? cli_fail(&diagnostic) : shards_say_plan(a->to, &plan);
    text_release(&text);
    return code;
}

int audit_run_part(const struct audit_arguments *a, const struct audit_options *audit,
                   const struct source *source)
{
    struct text text = {0};
    struct shard_payload payload = {0};
    struct diagnostic diagnostic;
    struct shard_plan plan = {.command = "audit"};
    bool complete = false;
    shard_parse(a->shard, &plan.index, &plan.count);
    // A source without random access has no parts; counting reports that.
    enum error error = describe(a, &audit->battery, source->random_access, &text, &diagnostic);
    plan.text = text.bytes;
    if (!error && source->random_access)
        error = shard_begin(a->to, &plan, &complete, &diagnostic);
    if (!error && !complete)
        error = audit_count_part(audit, source, plan.index, plan.count, &payload, &diagnostic);
    if (!error && !complete)
        error = shard_write(a->to, &plan, &payload, &diagnostic);
    text_release(&payload.bytes);
    text_release(&text);
    if (error)
        return cli_fail(&diagnostic);
    printf("audit: part %u of %u %s\n", plan.index, plan.count,
           complete ? "was complete" : "is complete");
    return CLI_CONFORMS;
}

enum error audit_read_plan(const struct shard_set *set, struct arena *arena,
                           struct audit_arguments *a, struct diagnostic *diagnostic)
{
    struct document_source *const text = arena_take(arena, sizeof *text);
    struct document_node *root;
    if (!text)
        return diagnostic_no_memory(diagnostic);
    *text = (struct document_source){.name = "plan", .text = set->text, .size = strlen(set->text)};
    enum error error = json_read(text, arena, &root, diagnostic);
    static const char *const keys[] = {"assay",  "program",     "source",       "files", "profile",
                                       "kin",    "seed",        "streams",      "bytes", "rows",
                                       "blocks", "first_block", SHARDS_MACHINE, NULL};
    if (!error)
        error = document_only_keys(root, keys, "the plan of an audit", diagnostic);
    for (unsigned i = 0; keys[i] && !error; i++) {
        const struct document_node *const node = document_find(root, keys[i]);
        const bool scalar = strcmp(keys[i], "files") != 0 && strcmp(keys[i], SHARDS_MACHINE) != 0;
        if (!node && strcmp(keys[i], SHARDS_MACHINE) != 0)
            error = document_fail(root, ERROR_INPUT, diagnostic, "the plan has no %s", keys[i]);
        else if (node && scalar)
            error = document_expect(node, DOCUMENT_SCALAR, keys[i], diagnostic);
    }
    if (error)
        return error;
    a->source = document_find(root, "source")->text;
    a->profile = document_find(root, "profile")->text;
    a->kin_name = document_find(root, "kin")->text;
    while (a->kin < AUDIT_KINDS && strcmp(a->kin_name, audit_kin_names[a->kin]) != 0)
        a->kin++;
    if (a->kin == AUDIT_KINDS)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the plan asks for streams of kin '%.80s'",
                               a->kin_name);
    a->seed = strtoull(document_find(root, "seed")->text, NULL, 10);
    a->streams = strtoull(document_find(root, "streams")->text, NULL, 10);
    a->bytes = strtoull(document_find(root, "bytes")->text, NULL, 10);
    a->first_block = strtoull(document_find(root, "first_block")->text, NULL, 10);
    if (a->streams < 1 || a->streams > SOURCE_STREAMS_MAX || (a->streams & (a->streams - 1)))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the plan asks for %llu streams",
                               a->streams);
    return ERROR_NONE;
}

// The joined counts as the next night of a history.
static int run_night(const struct audit_arguments *a, struct audit_options *audit,
                     const struct source *source, const struct shard_set *set)
{
    struct diagnostic diagnostic;
    struct audit_parts *const parts = audit_parts_attach(audit, set, a->first_block);
    if (!parts) {
        diagnostic_no_memory(&diagnostic);
        return cli_fail(&diagnostic);
    }
    const int code = audit_run_night(a, audit, source);
    audit_parts_detach(audit, parts);
    return code;
}

int audit_merge(const struct shard_set *set, const char *out, const char *night, const char *alpha)
{
    static struct audit_options audit;
    struct arena arena = {0};
    struct audit_arguments a = {.width = 32, .out = out, .database = night, .alpha = alpha};
    struct diagnostic diagnostic;
    struct audit_result result = {.verdict = AUDIT_CLEAN};
    struct text text = {0};
    struct source source;
    char difference[500];
    enum error error = audit_read_plan(set, &arena, &a, &diagnostic);
    if (!error && !battery_named(a.profile, &audit.battery))
        error = diagnostic_fail(&diagnostic, ERROR_INPUT, "there is no profile '%.80s'", a.profile);
    if (!error && a.bytes)
        battery_limit(&audit.battery, a.bytes);
    if (!error)
        error = describe(&a, &audit.battery, true, &text, &diagnostic);
    if (!error && shard_plan_difference(set->text, "there", text.bytes, "here", NULL, difference,
                                        sizeof difference))
        error = diagnostic_fail(&diagnostic, ERROR_INPUT,
                                "these parts are of another audit than this one would be: %s",
                                difference);
    text_release(&text);
    // A flaw ends the joining; what lies beyond it must be sound all the same.
    for (unsigned i = 0; i < set->count && !error; i++) {
        struct arena own = {0};
        struct shard_reader reader;
        error = shard_open(set, i, &own, &reader, &diagnostic);
        arena_release(&own);
    }
    audit.first_block = a.first_block;
    if (!error && !(error = audit_open(&source, &a, &diagnostic))) {
        if (night) {
            const int code = run_night(&a, &audit, &source, set);
            source_close(&source);
            arena_release(&arena);
            return code;
        }
        error = audit_run_parts(&audit, &source, set, &result, &diagnostic);
        source_close(&source);
    }
    if (!error && out)
        error = audit_write_result(&a, &result, &diagnostic);
    if (!error)
        audit_print_text(&a, &result);
    audit_release(&result);
    arena_release(&arena);
    if (error)
        return cli_fail(&diagnostic);
    return result.verdict == AUDIT_FLAWED ? CLI_DIFFERS : CLI_CONFORMS;
}
