// SPDX-License-Identifier: Apache-2.0
// assay report: results in, something to read or to hand to another program out.

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/again.h"
#include "harness/cli/commands.h"
#include "harness/cli/render.h"
#include "harness/cli/seal.h"
#include "harness/host/watch.h"
#include "reports/results.h"
#include "reports/statement.h"
#include "reports/tally.h"

// ---- statements and certificates --------------------------------------------

struct sealing {
    const char *statement, *certificate, *key, *target;
    struct again_target again;
};

// The target of a statement: the named one, or the only one.
static enum error find_target(const struct results *results, const char *name, uint32_t *target,
                              struct diagnostic *diagnostic)
{
    for (*target = 0; *target < results->target_count; ++*target)
        if (name ? !strcmp(results->target[*target].name, name) : results->target_count == 1)
            return ERROR_NONE;
    return name ? diagnostic_fail(diagnostic, ERROR_INPUT, "no target '%.100s' in these results",
                                  name)
                : diagnostic_fail(diagnostic, ERROR_INPUT,
                                  "%zu targets in these results: choose one with --target",
                                  results->target_count);
}

static enum error seal(const struct sealing *sealing, const struct results *results,
                       const struct tally *tally, struct diagnostic *diagnostic)
{
    uint32_t target;
    if (!sealing->statement && !sealing->certificate)
        return ERROR_NONE;
    enum error error = find_target(results, sealing->target, &target, diagnostic);
    if (!error && sealing->statement)
        error = seal_write(sealing->statement, NULL, results, tally, target, diagnostic);
    const char *reason;
    if (!error && sealing->certificate && statement_may_certify(results, tally, target, &reason)) {
        // A target that was watched when it was certified is watched again.
        if (results->target_count && !results->target[0].unseen)
            error = watch_ask(diagnostic);
        if (!error)
            error = again_results(results, &sealing->again, diagnostic);
    }
    if (!error && sealing->certificate)
        error = seal_write(sealing->certificate, sealing->key, results, tally, target, diagnostic);
    return error;
}

// Whether the results hold no mutants, scores, evidence or timings.
static bool holds_cases_alone(const struct results *results)
{
    return !results->mutant_count && !results->score_count && !results->evidence_count &&
           !results->timing_count;
}

// Reads the files, writes what is asked for: an exit code.
static int report(char *const *files, int count, const char *const path[RENDER_FORMS],
                  const struct sealing *sealing, bool exit_code)
{
    struct diagnostic diagnostic;
    struct results results = {0};
    struct tally tally = {0};
    enum error error = ERROR_NONE;
    for (int i = 0; !error && i < count; i++)
        error = results_read(&results, files[i], &diagnostic);
    if (!error)
        error = tally_count(&tally, &results, &diagnostic);
    if (!error)
        error = seal(sealing, &results, &tally, &diagnostic);
    if (!error)
        error = render_results(path, &results, &tally, &diagnostic);
    int result = error ? cli_fail(&diagnostic) : CLI_CONFORMS;
    const enum tally_outcome outcome = error ? OUTCOME_NOTHING : tally_outcome_of(&tally.all);
    if (!error && exit_code && outcome == OUTCOME_DIFFERS)
        result = CLI_DIFFERS;
    if (!error && outcome == OUTCOME_NOTHING && (exit_code || holds_cases_alone(&results)))
        result = CLI_NOTHING;
    tally_release(&tally);
    results_release(&results);
    return result;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *path[RENDER_FORMS] = {0};
    struct sealing sealing = {0};
    bool exit_code = false;
    const struct cli_option options[] = {
        {"summary", CLI_OUT, &path[RENDER_SUMMARY], "FILE",
         "the summary (to standard output when no form is asked for)"},
        {"markdown", CLI_OUT, &path[RENDER_MARKDOWN], "FILE",
         "the summary as Markdown, for the page of a job"},
        {"junit", CLI_OUT, &path[RENDER_JUNIT], "FILE", "JUnit XML, one testcase a case"},
        {"html", CLI_OUT, &path[RENDER_HTML], "FILE",
         "one page that needs nothing else: no network"},
        {"statement", CLI_OUT, &sealing.statement, "FILE",
         "in-toto Statements of one target, unsigned"},
        {"certificate", CLI_OUT, &sealing.certificate, "FILE",
         "the same, signed, for a target that conforms and does so when all is run again; needs "
         "--sign"},
        {"sign", CLI_TEXT, &sealing.key, "KEY.pem", "the Ed25519 private key to sign with"},
        {"target", CLI_TEXT, &sealing.target, "NAME",
         "the target that statement and certificate speak of"},
        {"plugin", CLI_TEXT, &sealing.again.plugin, "FILE.so",
         "with --certificate: the plugin that is run again, where it is not one of assay's own"},
        {"exec", CLI_TEXT, &sealing.again.program, "PROGRAM",
         "with --certificate: the process target that is run again"},
        {"exit-code", CLI_FLAG, &exit_code, NULL,
         "leave with 1 when the results do not conform, 4 when they prove nothing"},
    };
    int count;
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, &count);
    if (code)
        return code;
    if (!sealing.certificate != !sealing.key)
        return cli_usage(command, "--certificate and --sign need each other");
    if (sealing.certificate && count != 1)
        return cli_usage(command, "--certificate takes one results file");
    if (sealing.again.plugin && sealing.again.program)
        return cli_usage(command,
                         "--plugin and --exec cannot be combined: one target is run again");
    bool asked = sealing.statement || sealing.certificate;
    for (unsigned i = 0; i < RENDER_FORMS; i++)
        asked |= path[i] != NULL;
    if (!asked)
        path[RENDER_SUMMARY] = "-";
    return report(argv + 1, count, path, &sealing, exit_code);
}

const struct cli_command command_report = {
    .name = "report",
    .arguments = "[options] RESULTS.jsonl...",
    .summary = "make a summary, a page, JUnit XML or Markdown from results",
    .help = "Reads one or more results.jsonl, checks them to the last digest, and writes each form "
            "that is asked for. Several files are parts of one report, for example one for each "
            "target; those of `assay mutants --out`, `assay score --records` and `assay history "
            "--audit` may go with them. "
            "FILE may be -, standard output. The same results always give the same bytes.\n\n"
            "A file can be edited, so a certificate is made of one only where certifying all of "
            "it again, here and now, gives that very file. Nothing protects against the owner of "
            "the machine.\n\n"
            "  assay report results.jsonl\n"
            "  assay report --html report.html results.jsonl mutants.jsonl evidence.jsonl\n"
            "  assay report --junit junit.xml --markdown summary.md results.jsonl\n"
            "  assay report --certificate acme.cert --sign key.pem --target acme \\\n"
            "    results.jsonl",
    .exits = {"written; with --exit-code: the results conform",
              "with --exit-code: the results do not conform",
              [CLI_NOTHING] = "nothing is proved: no case passed or was refused"},
    .takes = {1, INT_MAX, "at least one results.jsonl"},
    .run = run,
};
