// SPDX-License-Identifier: Apache-2.0
// assay emit: golden vectors made anew, and held against those that are kept. They are written only
// where a word asks for it: --write, --reason or --to.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/emit/emit.h"
#include "harness/cli/emit/first.h"
#include "harness/cli/emit/program.h"
#include "harness/cli/emit/stored.h"
#include "harness/cli/suite_table.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "harness/cli/shards.h"
#include "vectors/golden_shard.h"
#include "vectors/stored.h"
#include "vectors/sums.h"

// Where the suite's vectors are kept.
static void enter(struct emit *emit, const struct suite *suite)
{
    suites_vectors(suite, emit->folder, sizeof emit->folder);
    snprintf(emit->changes, sizeof emit->changes, "%s/../CHANGES", emit->folder);
}

// ---- checking ---------------------------------------------------------------

static const char *const change_names[] = {
    [GOLDEN_SAME] = "same",
    [GOLDEN_ADDED] = "not kept yet",
    [GOLDEN_REMOVED] = "kept, but no longer in the suite",
    [GOLDEN_RELABELLED] = "kept with other requirements",
    [GOLDEN_CHANGED] = "changed",
};

void emit_print_difference(const char *suite, const struct golden_difference *difference)
{
    printf("%s: case %s: %s%s%s\n", suite, difference->id, change_names[difference->change],
           difference->what[0] ? ": " : "", difference->what);
}

bool emit_is_first(const struct emit *emit, const struct suite *suite)
{
    char manifest[EMIT_PATH_SIZE + 200];
    snprintf(manifest, sizeof manifest, "%s/%s.jsonl", emit->folder, suite->name);
    return access(manifest, F_OK) != 0;
}

static enum error check_suite(struct emit *emit, const struct suite *suite,
                              const struct golden *made, struct diagnostic *diagnostic)
{
    static struct golden_difference shown[EMIT_SHOWN];
    struct golden kept;
    size_t found = 0;
    if (emit_is_first(emit, suite)) {
        printf("%s: no case of %zu is kept yet\n", suite->name, made->count);
        emit->differences += made->count;
        return ERROR_NONE;
    }
    enum error error = golden_read(emit->folder, suite->name, &kept, diagnostic);
    if (error == ERROR_INPUT) {
        printf("%s: ", suite->name);
        if (diagnostic->line)
            printf("%s:%u:%u: ", diagnostic->file, diagnostic->line, diagnostic->column);
        printf("%s\n", diagnostic->text);
        found++;
        error = ERROR_NONE;
    }
    if (!error && kept.cases) {
        const size_t differences = golden_compare(&kept, made, shown, EMIT_SHOWN);
        for (size_t i = 0; i < differences && i < EMIT_SHOWN; i++)
            emit_print_difference(suite->name, &shown[i]);
        if (differences > EMIT_SHOWN)
            printf("%s: and %zu more\n", suite->name, differences - EMIT_SHOWN);
        found += differences;
    }
    if (!error && (!kept.suite_sha256 || strcmp(kept.suite_sha256, suite->sha256) != 0))
        printf("%s: the vectors were made from another suite than %s is now (SHA-256 %s, now %s)\n",
               suite->name, suite->path, kept.suite_sha256 ? kept.suite_sha256 : "not stated",
               suite->sha256),
            found++;
    if (!error && !text_same(kept.program, made->program))
        printf("%s: the vectors were made by the program %s, which is now %s\n", suite->name,
               kept.program ? kept.program : "of none", made->program ? made->program : "none"),
            found++;
    if (!error && !text_same(kept.operators, made->operators)) {
        const char *const changed = golden_changed_operator(kept.operators, suite);
        printf("%s: the vectors were made with another declaration of %s\n", suite->name,
               changed ? changed : "more operators");
        found++;
    }
    if (!error && kept.version && strcmp(kept.version, suite->version) != 0)
        printf("%s: the vectors are those of version %s, the suite is %s\n", suite->name,
               kept.version, suite->version),
            found++;
    // The sums also see what no tensor and no line shows: padding, spaces in a header.
    if (!error && (error = sums_check(emit->folder, suite->name, diagnostic)) == ERROR_INPUT) {
        printf("%s: %s\n", suite->name, diagnostic->text);
        found++;
        error = ERROR_NONE;
    }
    if (!error && !found)
        printf("%s: %zu cases as kept\n", suite->name, made->count);
    golden_release(&kept);
    emit->differences += found;
    return error;
}

// ---- the command ------------------------------------------------------------

static enum error print_digest(const struct suite *suite, const struct golden *made,
                               struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    const enum error error = golden_digest(made, hex, diagnostic);
    if (!error)
        printf("%s  %s %zu\n", hex, suite->name, made->count);
    return error;
}

// The suite is sound: then it is the reference that no longer does what the suite says.
static void report_refusal(struct emit *emit, const struct suite *suite, enum error *error,
                           const struct diagnostic *diagnostic)
{
    if (*error != ERROR_INVALID_ARGUMENT || !emit->check)
        return;
    printf("%s: %s\n", suite->name, diagnostic->text);
    emit->differences++;
    *error = ERROR_NONE;
}

static enum error finish_suite(struct emit *emit, struct golden_making *making,
                               struct diagnostic *diagnostic)
{
    const struct suite *const suite = making->suite;
    struct golden *const made = &making->golden;
    enum error error = making->error;
    size_t differ = 0;
    if (error) {
        *diagnostic = making->diagnostic;
        report_refusal(emit, suite, &error, diagnostic);
        return error;
    }
    enter(emit, suite);
    emit->suites++;
    emit->cases += made->count;
    if (emit->digest)
        error = print_digest(suite, made, diagnostic);
    else if (emit->check)
        error = check_suite(emit, suite, made, diagnostic);
    if (!error && !emit->digest)
        error = stored_tell(suite, &differ, diagnostic);
    if (!error)
        emit->differ += differ;
    if (!error)
        error = golden_check_printed(suite, made, diagnostic);
    report_refusal(emit, suite, &error, diagnostic);
    if (!error && emit->to)
        error = emit_write_elsewhere(emit, suite, made, diagnostic);
    else if (!error && emit->write)
        error = emit_write_suite(emit, suite, made, diagnostic);
    return error;
}

// Writes one part of all suites, for assay merge.
static enum error write_part(const struct emit *emit, struct golden_making *making, size_t suites,
                             const struct shard_plan *plan, struct diagnostic *diagnostic)
{
    struct shard_payload payload = {0};
    enum error error = ERROR_NONE;
    shard_put_number(&payload, suites);
    for (size_t i = 0; i < suites && !error; i++) {
        error = making[i].error;
        if (error)
            *diagnostic = making[i].diagnostic;
        else
            error = golden_check_printed(making[i].suite, &making[i].golden, diagnostic);
        if (!error)
            golden_put(&payload, &making[i].golden);
    }
    if (!error)
        error = shard_write(emit->to, plan, &payload, diagnostic);
    text_release(&payload.bytes);
    return error;
}

// Of each folder of vectors once.
static enum error check_changes(struct emit *emit, const struct suite *suites, size_t count,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++) {
        char before[EMIT_PATH_SIZE];
        snprintf(before, sizeof before, "%s", emit->folder);
        enter(emit, &suites[i]);
        if (!strcmp(before, emit->folder))
            continue;
        error = changes_check(emit->folder, emit->changes, diagnostic);
        if (error == ERROR_INPUT && emit->check) {
            printf("%s\n", diagnostic->text);
            emit->differences++;
            error = ERROR_NONE;
        }
    }
    return error;
}

// Reads and makes all suites at once, so that all threads have work to the end; `part` NULL: all of
// them, reported one by one.
static enum error emit_suites(struct emit *emit, char *const *paths, size_t count,
                              const struct shard_plan *part, struct arena *arena,
                              struct diagnostic *diagnostic)
{
    struct suite *suites = NULL;
    enum error error = suites_read(paths, count, arena, &suites, diagnostic);
    struct golden_making *const making = calloc(count + 1, sizeof *making);
    if (!error && !making)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && making && suites; i++)
        making[i].suite = &suites[i];
    for (size_t i = 0; i < count && !error; i++)
        error =
            part && suites[i].program.command
                ? diagnostic_fail(diagnostic, ERROR_INPUT,
                                  "suite %s, whose values a program gives, is not made in parts",
                                  suites[i].name)
                : program_ask(&suites[i], diagnostic);
    if (!error && !part && !emit->digest && !emit->to)
        error = check_changes(emit, suites, count, diagnostic);
    if (!error)
        golden_make(making, count, emit->portable, part ? part->index : 1, part ? part->count : 1,
                    0);
    if (!error && part)
        error = write_part(emit, making, count, part, diagnostic);
    for (size_t i = 0; i < count && !error && !part; i++) {
        error = stored_describe_program(&suites[i], arena, &making[i].golden.program, diagnostic);
        if (!error)
            error = finish_suite(emit, &making[i], diagnostic);
        golden_release(&making[i].golden);
    }
    for (size_t i = 0; i < count; i++) {
        if (making)
            golden_release(&making[i].golden);
        if (suites)
            suite_release(&suites[i]);
    }
    free(making);
    return error;
}

// The plan: what is to be made, by which program.
static enum error describe(const struct emit *emit, char *const *paths, size_t suites,
                           struct text *text, struct diagnostic *diagnostic)
{
    json_begin_object(text);
    enum error error = shards_put_program(text, diagnostic);
    json_put_boolean_at(text, "portable", emit->portable);
    json_begin_list_at(text, "suites");
    for (size_t i = 0; i < suites && !error; i++)
        error = shards_put_file(text, file_name(paths[i]), paths[i], diagnostic);
    json_end_list(text);
    json_end_object(text);
    return error ? error : text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

static int emit_part(struct emit *emit, char *const *paths, size_t suites, unsigned index,
                     unsigned count, struct arena *arena)
{
    struct text text = {0};
    struct diagnostic diagnostic;
    bool complete = false;
    enum error error = describe(emit, paths, suites, &text, &diagnostic);
    const struct shard_plan plan = {
        .command = "emit", .text = text.bytes, .index = index, .count = count};
    if (!error && emit->plan) {
        const int code = shards_say_plan(emit->to, &plan);
        text_release(&text);
        return code;
    }
    if (!error)
        error = shard_begin(emit->to, &plan, &complete, &diagnostic);
    if (!error && !complete)
        error = emit_suites(emit, paths, suites, &plan, arena, &diagnostic);
    if (!error)
        printf("emit: part %u of %u %s\n", index, count, complete ? "was complete" : "is complete");
    text_release(&text);
    return error ? cli_fail(&diagnostic) : CLI_CONFORMS;
}

static bool has_line_breaks(const char *text)
{
    return strpbrk(text, "\r\n") != NULL;
}

static int parse(const struct cli_command *command, int argc, char **argv, struct emit *emit)
{
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &emit->only, "NAME,...", "suites by name or path; all when not given"},
        {"check", CLI_FLAG, &emit->check, NULL,
         "write nothing; exit 1 when what is kept is not what the reference gives (the default)"},
        {"write", CLI_FLAG, &emit->write, NULL,
         "keep what is new: added cases, other requirements, another text of the suite"},
        {"reason", CLI_TEXT, &emit->reason, "TEXT",
         "as --write, and replace existing cases that change: TEXT says why, is kept in "
         "vectors/CHANGES and raises the suite's version"},
        {"digest", CLI_FLAG, &emit->digest, NULL,
         "write nothing; print one SHA-256 for each suite"},
        {"to", CLI_TEXT, &emit->to, "DIR",
         "write into this folder, whatever is there, and leave the kept vectors alone"},
        {"portable", CLI_FLAG, &emit->portable, NULL,
         "with --to or --digest: only the cases marked portable"},
        {"shard", CLI_TEXT, &emit->shard, "I/N",
         "with --to: write part I of N there, for assay merge"},
        {"plan", CLI_FLAG, &emit->plan, NULL,
         "with --shard: make nothing; exit 2 when the folder belongs to another plan"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    const struct cli_rule rules[] = {
        {emit->check + (emit->write || emit->reason) + emit->digest + !!emit->to > 1,
         "--check, --digest, --to and --write or --reason cannot be combined"},
        {emit->portable && !emit->digest && !emit->to, "--portable goes with --to or --digest"},
        {(emit->shard && !emit->to) || (emit->plan && !emit->shard),
         "--shard goes with --to, and --plan with --shard"},
        {emit->reason && (!*emit->reason || has_line_breaks(emit->reason)),
         "--reason is one line of text"},
    };
    emit->write = emit->write || emit->reason;
    emit->no_word = !emit->check && !emit->write && !emit->digest && !emit->to;
    emit->check = emit->check || emit->no_word;
    return code ? code : cli_check(command, CLI_TABLE(rules));
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct emit emit = {.check = false};
    unsigned index = 0, parts = 0;
    int code = parse(command, argc, argv, &emit);
    code = code ? code : shards_parse(command, emit.shard, &index, &parts);
    if (code)
        return code;
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    char **paths = NULL;
    size_t suites = 0;
    enum error error = suites_choose(emit.only, &arena, &paths, &suites, &diagnostic);
    if (!error && suites && emit.shard) {
        const int part = emit_part(&emit, paths, suites, index, parts, &arena);
        arena_release(&arena);
        return part;
    }
    if (!error && suites)
        error = emit_suites(&emit, paths, suites, NULL, &arena, &diagnostic);
    arena_release(&arena);
    if (error)
        return cli_fail(&diagnostic);
    if (!suites) {
        fprintf(stderr, "assay emit: there is no suite\n");
        return CLI_NOTHING;
    }
    if (emit.check && !emit.differences)
        printf("%zu cases of %zu suites: nothing differs\n", emit.cases, emit.suites);
    else if (emit.check)
        printf("%zu cases of %zu suites: %zu differences%s\n", emit.cases, emit.suites,
               emit.differences,
               !emit.no_word
                   ? ""
                   : "; nothing was written. --write keeps what is new, --reason TEXT also what "
                     "changes existing cases");
    return emit.differences ? CLI_DIFFERS : CLI_CONFORMS;
}

enum error emit_first(const char *path, size_t *differ, struct diagnostic *diagnostic)
{
    struct emit emit = {.write = true};
    struct arena arena = {0};
    char *const copy = arena_copy_text(&arena, path, strlen(path));
    const enum error error = copy ? emit_suites(&emit, &copy, 1, NULL, &arena, diagnostic)
                                  : diagnostic_no_memory(diagnostic);
    *differ = emit.differ;
    arena_release(&arena);
    return error;
}

const struct cli_command command_emit = {
    .name = "emit",
    .arguments = "[--suite NAME] [--write | --reason TEXT | --to DIR | --digest]",
    .summary = "make the golden vectors of the suites, or prove that none changed",
    .help = "Evaluates every case of the suites with the reference, and names what differs from "
            "vectors/golden: SUITE.safetensors, SUITE.jsonl and SHA256SUMS. Those of a suite of "
            "one's own lie in a folder 'vectors' beside it. --write writes them: "
            "new cases are added; existing ones change only with --reason. A killed run leaves "
            "old files or new ones.\n\n"
            "  assay emit --check                      after any change of the reference\n"
            "  assay emit --suite philox               after adding cases: which they are\n"
            "  assay emit --suite philox --write       keeps them\n"
            "  assay emit --suite philox --reason 'the key was read from the wrong end'",
    .exits = {"written, or nothing differs",
              "the kept vectors differ, and were left alone", [CLI_NOTHING] = "there is no suite"},
    .run = run,
};
