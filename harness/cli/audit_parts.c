// SPDX-License-Identifier: Apache-2.0
// assay audit --shard, and how assay merge joins its parts.

#include <stdlib.h>
#include <string.h>

#include "harness/cli/audit.h"
#include "harness/cli/cli.h"
#include "harness/cli/shards.h"
#include "ref/base/json.h"
#include "stats/audit_shard.h"

static void describe(const struct audit_arguments *a, const struct battery *battery, struct json_text *text)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"seed", a->seed},
                   {"streams", a->streams},
                   {"bytes", a->bytes},
                   {"rows", battery->rows},
                   {"blocks", battery->stage[battery->stages - 1]}};
    json_begin_object(text);
    json_put_key(text, "source");
    json_put_string(text, a->source);
    json_put_key(text, "profile");
    json_put_string(text, a->profile);
    json_put_key(text, "kin");
    json_put_string(text, audit_kin_names[a->kin]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_put_key(text, numbers[i].key);
        json_put_unsigned(text, numbers[i].value);
    }
    json_end_object(text);
}

int audit_run_part(const struct audit_arguments *a, const struct audit_options *audit, const struct source *source)
{
    struct json_text text = {0};
    struct shard_payload payload = {0};
    struct diagnostic diagnostic;
    struct shard_plan plan = {.command = "audit"};
    bool complete = false;
    shard_parse(a->shard, &plan.index, &plan.count);
    describe(a, &audit->battery, &text);
    plan.text = text.bytes;
    enum error error = text.failed ? diagnostic_fail(&diagnostic, ERROR_INTERNAL, "out of memory")
                                   : shard_is_complete(a->to, &plan, &complete, &diagnostic);
    if (!error && !complete)
        error = audit_count_part(audit, source, plan.index, plan.count, &payload, &diagnostic);
    if (!error && !complete)
        error = shard_write(a->to, &plan, &payload, &diagnostic);
    json_text_release(&payload.bytes);
    json_text_release(&text);
    if (error)
        return cli_fail(&diagnostic);
    printf("audit: part %u of %u %s\n", plan.index, plan.count, complete ? "was complete" : "is complete");
    return CLI_CONFORMS;
}

static enum error read_plan(const struct shard_set *set, struct arena *arena, struct audit_arguments *a,
                            struct diagnostic *diagnostic)
{
    struct document_source *const text = arena_take(arena, sizeof *text);
    struct document_node *root;
    if (!text)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    *text = (struct document_source){.name = "plan", .text = set->text, .size = strlen(set->text)};
    enum error error = json_read(text, arena, &root, diagnostic);
    static const char *const keys[] = {"source", "profile", "kin", "seed", "streams", "bytes", "rows", "blocks", NULL};
    if (!error)
        error = document_only_keys(root, keys, "the plan of an audit", diagnostic);
    for (unsigned i = 0; keys[i] && !error; i++)
        if (!document_find(root, keys[i]))
            error = document_fail(root, ERROR_INPUT, diagnostic, "the plan has no %s", keys[i]);
    if (error)
        return error;
    a->source = document_find(root, "source")->text;
    a->profile = document_find(root, "profile")->text;
    a->kin_name = document_find(root, "kin")->text;
    while (a->kin < AUDIT_KINDS && strcmp(a->kin_name, audit_kin_names[a->kin]) != 0)
        a->kin++;
    if (a->kin == AUDIT_KINDS)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the plan asks for streams of kin '%.80s'", a->kin_name);
    a->seed = strtoull(document_find(root, "seed")->text, NULL, 10);
    a->streams = strtoull(document_find(root, "streams")->text, NULL, 10);
    a->bytes = strtoull(document_find(root, "bytes")->text, NULL, 10);
    if (a->streams < 1 || a->streams > SOURCE_STREAMS_MAX || (a->streams & (a->streams - 1)))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the plan asks for %llu streams", a->streams);
    return ERROR_NONE;
}

int audit_merge(const struct shard_set *set, const char *out)
{
    static struct audit_options audit;
    struct arena arena = {0};
    struct audit_arguments a = {.width = 32, .out = out};
    struct diagnostic diagnostic;
    struct audit_result result = {.verdict = AUDIT_CLEAN};
    struct json_text text = {0};
    struct source source;
    enum error error = read_plan(set, &arena, &a, &diagnostic);
    if (!error && !battery_named(a.profile, &audit.battery))
        error = diagnostic_fail(&diagnostic, ERROR_INPUT, "there is no profile '%.80s'", a.profile);
    if (!error && a.bytes)
        battery_limit(&audit.battery, a.bytes);
    if (!error) {
        describe(&a, &audit.battery, &text);
        if (text.failed || strcmp(text.bytes, set->text) != 0)
            error = diagnostic_fail(&diagnostic, ERROR_INPUT, "these parts were counted by another version of the battery");
    }
    json_text_release(&text);
    if (!error && !(error = audit_open(&source, &a, &diagnostic))) {
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
