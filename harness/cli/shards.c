// SPDX-License-Identifier: Apache-2.0
// What the plans of emit, certify and audit have in common.

#include "harness/cli/shards.h"

#include <stdio.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "ref/base/digest_file.h"
#include "ref/base/json.h"
#include "ref/base/version.h"

static const char program[] = "/proc/self/exe";

int shards_parse(const struct cli_command *command, const char *text, unsigned *index,
                 unsigned *count)
{
    return !text || shard_parse(text, index, count)
               ? CLI_CONFORMS
               : cli_usage(command, "--shard is '%s'; expected I/N with I from 1 to N", text);
}

enum error shards_put_program(struct text *text, struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    const enum error error = digest_path(program, hex, diagnostic);
    if (error)
        return error;
    json_put_pairs(text, {"assay", ASSAY_VERSION}, {"program", hex});
    return ERROR_NONE;
}

enum error shards_put_file(struct text *text, const char *name, const char *path,
                           struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    const enum error error = digest_path(path, hex, diagnostic);
    if (error)
        return error;
    json_put_object(text, {"name", name}, {"sha256", hex});
    return ERROR_NONE;
}

enum error shards_check_program(const struct shard_set *set, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_node *root = NULL;
    const struct document_source source = {
        .name = "plan", .text = set->text, .size = strlen(set->text)};
    char hex[DIGEST_HEX_SIZE];
    enum error error = json_read(&source, &arena, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "a plan", diagnostic);
    if (!error)
        error = digest_path(program, hex, diagnostic);
    const struct {
        const char *key, *here;
    } own[] = {{"assay", ASSAY_VERSION}, {"program", hex}};
    for (size_t i = 0; i < sizeof own / sizeof *own && !error; i++) {
        const char *const there = document_text(root, own[i].key);
        if (!there || strcmp(there, own[i].here) != 0)
            error = diagnostic_fail(
                diagnostic, ERROR_INPUT,
                "these parts were made by another program than this one: %s is %.80s there, %s "
                "here",
                own[i].key, there ? there : "not given", own[i].here);
    }
    arena_release(&arena);
    return error;
}

int shards_say_plan(const char *folder, const struct shard_plan *plan)
{
    struct diagnostic diagnostic;
    if (shard_check_plan(folder, plan, SHARDS_MACHINE, &diagnostic))
        return cli_fail(&diagnostic);
    printf("%s: %s may take parts of this plan\n", plan->command, folder);
    return CLI_CONFORMS;
}
