// SPDX-License-Identifier: Apache-2.0
// assay history: keep what became of each case, and say what is new.

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/history/audit.h"
#include "reports/chronicle.h"
#include "reports/text.h"

struct changes {
    unsigned worse, better, other, shown;
};

static void put_change(void *context, const struct chronicle_change *change)
{
    struct changes *const changes = context;
    struct text text = {0};
    changes->worse += change->worse;
    changes->better += change->better;
    changes->other += !change->worse && !change->better;
    if (changes->shown++ >= 100)
        return;
    text_print_plain(&text, "%s %s %s/%s: %s -> %s\n",
                     change->worse    ? "worse  "
                     : change->better ? "better "
                                      : "changed",
                     change->target, change->suite, change->name,
                     change->before ? change->before : "not there",
                     change->after ? change->after : "not there");
    cli_put_text(&text);
    text_release(&text);
}

static void put_run(void *context, const struct chronicle_run *run)
{
    ++*(unsigned *)context;
    struct text text = {0};
    text_print_plain(&text, "%s  %s", run->started ? run->started : "(no time)           ",
                     run->target);
    text_print(&text, ": %lld cases, %lld fail, %lld expected, %.12s\n", run->cases, run->failures,
               run->expected, run->sha256);
    cli_put_text(&text);
    text_release(&text);
}

// Each file by itself: runs of one target on several nights hold the same cases.
static enum error add_file(struct chronicle *chronicle, const char *path,
                           struct diagnostic *diagnostic)
{
    struct results results = {0};
    unsigned added = 0;
    enum error error = results_read(&results, path, diagnostic);
    if (!error)
        error = chronicle_add(chronicle, &results, &added, diagnostic);
    if (!error && !added)
        printf("%s: the same as the run before\n", path);
    results_release(&results);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *path = NULL, *audit = NULL, *out = NULL;
    unsigned long long most = 20;
    const struct cli_option options[] = {
        {"db", CLI_TEXT, &path, "FILE", "the database; made when it is not there"},
        {"audit", CLI_TEXT, &audit, "FILE",
         "in place of --db: the history that `assay audit night` keeps (audit.sqlite)"},
        {"out", CLI_OUT, &out, "FILE",
         "with --audit: write its nights as results, for the page of `assay report`"},
        {"runs", CLI_NUMBER, &most, "N", "without results: list the newest N runs (20)"},
    };
    int count;
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, &count);
    if (code)
        return code;
    struct diagnostic diagnostic = {.text = ""};
    if (!audit != !out || (audit && (path || count)))
        return cli_usage(
            command, "--audit and --out go together, and cannot be combined with --db or results");
    if (audit && access(audit, R_OK))
        return cli_usage(command, "there is no %s", audit);
    if (audit)
        return history_write_evidence(audit, out, &diagnostic) ? cli_fail(&diagnostic)
                                                               : CLI_CONFORMS;
    if (!path)
        return cli_usage(command, "--db is missing");
    struct chronicle *chronicle = NULL;
    enum error error = chronicle_open(&chronicle, path, &diagnostic);
    for (int i = 1; !error && i <= count; i++)
        error = add_file(chronicle, argv[i], &diagnostic);
    struct changes changes = {0};
    unsigned runs = 0;
    if (!error && !count)
        error = chronicle_runs(chronicle, most > 100000 ? 100000 : (unsigned)most, put_run, &runs,
                               &diagnostic);
    else if (!error)
        error = chronicle_changes(chronicle, put_change, &changes, &diagnostic);
    chronicle_close(chronicle);
    if (error)
        return cli_fail(&diagnostic);
    if (!count && !runs) {
        fprintf(stderr, "assay: no results have been added to %s yet\n", path);
        return CLI_NOTHING;
    }
    if (count) {
        if (changes.shown > 100)
            printf("and %u more\n", changes.shown - 100);
        printf("since the run before: %u worse, %u better, %u otherwise changed\n", changes.worse,
               changes.better, changes.other);
    }
    return changes.worse ? CLI_DIFFERS : CLI_CONFORMS;
}

const struct cli_command command_history = {
    .name = "history",
    .arguments = "--db FILE [RESULTS.jsonl...]",
    .summary = "keep results night after night, and say what is new",
    .help = "Adds results to a database and lists every case whose verdict differs from that of "
            "the run of the same target before it. The database is made from results alone: "
            "delete it, add all kept results again, and it is the same. Without results it lists "
            "the newest runs.\n\n"
            "  assay history --db history.db tonight.jsonl\n"
            "  assay history --audit audit.sqlite --out evidence.jsonl",
    .exits = {"no case got worse", "a case got worse", [CLI_NOTHING] = "no results are kept yet"},
    .takes = {0, INT_MAX, "results"},
    .run = run,
};
