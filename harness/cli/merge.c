// SPDX-License-Identifier: Apache-2.0
// assay merge: all parts of a job as one, byte for byte what one process would have written.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/shards.h"
#include "vectors/golden_shard.h"
#include "vectors/sums.h"

// Every part holds every suite, in one order.
static enum error take_all(const struct shard_set *set, struct golden **golden, size_t *suites,
                           struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < set->count && !error; i++) {
        struct arena arena = {0};
        struct shard_reader reader;
        error = shard_open(set, i, &arena, &reader, diagnostic);
        const uint64_t count = error ? 0 : shard_get_number(&reader);
        if (!error && !*golden && count < 4096) {
            *golden = calloc((size_t)count + 1, sizeof **golden);
            *suites = *golden ? (size_t)count : 0;
            if (!*golden)
                error = diagnostic_no_memory(diagnostic);
        }
        if (!error && (!*golden || count != *suites))
            error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                    "part %u does not hold what the other parts hold", i + 1);
        for (size_t k = 0; k < *suites && !error; k++)
            error = golden_take(&reader, &(*golden)[k], diagnostic);
        if (!error)
            error = shard_finish(set, i, &reader, diagnostic);
        arena_release(&arena);
    }
    return error;
}

static int emit_merge(const struct shard_set *set, const char *out)
{
    struct diagnostic diagnostic;
    struct golden *golden = NULL;
    size_t suites = 0;
    enum error error = take_all(set, &golden, &suites, &diagnostic);
    for (size_t k = 0; k < suites && !error; k++)
        error = golden_join(&golden[k], &diagnostic);
    for (size_t k = 0; k < suites && !error; k++) {
        error = golden_write(out, &golden[k], &diagnostic);
        if (!error)
            error = sums_update(out, golden[k].suite, &diagnostic);
        if (!error)
            printf("%s: %zu cases\n", golden[k].suite, golden[k].count);
    }
    for (size_t k = 0; k < suites; k++)
        golden_release(&golden[k]);
    free(golden);
    return error ? cli_fail(&diagnostic) : CLI_CONFORMS;
}

// The parts that are missing or damaged, so that they can be started again.
static int print_missing(const char *folder, unsigned count)
{
    struct text text = {0};
    struct diagnostic diagnostic;
    const enum error error = shard_missing(folder, count, &text, &diagnostic);
    const bool none = !text.size;
    if (!error && !none)
        printf("%s\n", text.bytes);
    text_release(&text);
    if (error)
        return cli_fail(&diagnostic);
    // The list of parts is the answer: one that could not be printed is an error.
    return none ? CLI_CONFORMS : fflush(stdout) ? CLI_HARNESS : CLI_DIFFERS;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *out = NULL, *night = NULL, *alpha = NULL;
    unsigned long long missing = 0;
    const struct cli_option options[] = {
        {"out", CLI_OUT, &out, "PATH",
         "emit: the folder for the vectors; certify: the results; audit: the JSON object"},
        {"night", CLI_TEXT, &night, "FILE",
         "audit: enter the joined counts as the next night of that history"},
        {"alpha", CLI_TEXT, &alpha, "X", "with --night: as assay audit has it (1e-6)"},
        {"missing", CLI_NUMBER, &missing, "N",
         "join nothing; print which of N parts are missing, damaged or of another plan, exit 1 if "
         "any is"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (missing)
        return missing > SHARD_COUNT_MAX
                   ? cli_usage(command, "--missing is at most %d", SHARD_COUNT_MAX)
                   : print_missing(argv[1], (unsigned)missing);
    struct arena arena = {0};
    struct diagnostic diagnostic;
    struct shard_set set;
    if (alpha && !night)
        return cli_usage(command, "--alpha goes with --night");
    enum error error = shard_survey(argv[1], &arena, &set, &diagnostic);
    if (!error)
        error = shards_check_program(&set, &diagnostic);
    int result;
    if (error)
        result = cli_fail(&diagnostic);
    else if (night && strcmp(set.command, "audit") != 0)
        result = cli_usage(command, "--night goes with the parts of an audit; these are of '%s'",
                           set.command);
    else if (!strcmp(set.command, "audit"))
        result = audit_merge(&set, out, night, alpha);
    else if (!strcmp(set.command, "certify"))
        result = certify_merge(&set, out);
    else if (!out)
        result = cli_usage(command, "--out FILE is missing: where the result goes");
    else if (!strcmp(set.command, "emit"))
        result = emit_merge(&set, out);
    else
        result = cli_usage(command, "these are parts of '%s', which this version cannot join",
                           set.command);
    arena_release(&arena);
    return result;
}

const struct cli_command command_merge = {
    .name = "merge",
    .arguments = "DIR [--out PATH]",
    .summary = "join the parts that --shard wrote",
    .help =
        "Joins all parts in DIR into what one process would have written, byte for byte. Refuses "
        "parts that are missing, there twice, damaged, of another plan, or made by another "
        "program. Parts are written whole or not at all; a complete one is not computed again. "
        "DIR belongs to the plan of the first part that is begun there (plan.json), and takes no "
        "parts of another.\n\n"
        "  for i in 1 2 3 4; do assay emit --shard $i/4 --to parts; done\n"
        "  assay merge parts --out vectors\n\n"
        "  parallel assay certify --target openvino --shard {}/16 --to parts \\\n"
        "    ::: $(seq 16)\n"
        "  assay merge parts --out results.jsonl\n\n"
        "  parallel assay audit --source philox4x32 --shard {}/64 --to parts \\\n"
        "    ::: $(seq 64)\n"
        "  assay merge parts\n\n"
        "  for i in 1 2 3 4; do\n"
        "    assay audit night --source chacha20 --db FILE --shard $i/4 --to parts\n"
        "  done\n"
        "  assay merge parts --night FILE",
    .exits = {"the result conforms or is clean; with --missing: no part is missing",
              "the result does not conform or is flawed; with --missing: a part is missing",
              [CLI_NOTHING] = "the parts hold no case"},
    .takes = {1, 1, "one folder of parts"},
    .run = run,
};
