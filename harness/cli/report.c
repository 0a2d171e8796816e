// SPDX-License-Identifier: Apache-2.0
// assay report: results in, something to read or to hand to another program out.

#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/seal.h"
#include "ref/base/file.h"
#include "reports/junit.h"
#include "reports/page/page.h"
#include "reports/results.h"
#include "reports/summary.h"
#include "reports/tally.h"

static enum error write_summary(const struct text_sink *sink, const struct results *results,
                                const struct tally *tally, struct diagnostic *diagnostic)
{
    struct text text = {0};
    enum error error = summary_write(&text, results, tally,
                                     sink->stream && cli_coloured(sink->stream), diagnostic);
    if (!error)
        error = text_flush(&text, sink, true, diagnostic);
    text_release(&text);
    return error;
}

static enum error write_markdown(const struct text_sink *sink, const struct results *results,
                                 const struct tally *tally, struct diagnostic *diagnostic)
{
    struct text text = {0};
    enum error error = summary_write_markdown(&text, results, tally, diagnostic);
    if (!error)
        error = text_flush(&text, sink, true, diagnostic);
    text_release(&text);
    return error;
}

// A form of report: its option, and who writes it.
static const struct form {
    const char *name;
    enum error (*write)(const struct text_sink *, const struct results *, const struct tally *,
                        struct diagnostic *);
} forms[] = {
    {"summary", write_summary},
    {"markdown", write_markdown},
    {"junit", junit_write},
    {"html", page_write},
};

enum { FORM_COUNT = sizeof forms / sizeof *forms };

static enum error write_form(const struct form *form, const char *path,
                             const struct results *results, const struct tally *tally,
                             struct diagnostic *diagnostic)
{
    if (!strcmp(path, "-"))
        return form->write(&(struct text_sink){.stream = stdout}, results, tally, diagnostic);
    struct file_replacement file = {0};
    enum error error = file_replace(&file, path, diagnostic);
    if (!error)
        error = form->write(&(struct text_sink){.file = &file}, results, tally, diagnostic);
    if (!error)
        return file_commit(&file, diagnostic);
    file_abandon(&file);
    return error;
}

// ---- statements and certificates --------------------------------------------

struct sealing {
    const char *statement, *certificate, *key, *target;
};

// The target that a statement speaks of: the named one, or the only one.
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
    if (!error && sealing->certificate)
        error = seal_write(sealing->certificate, sealing->key, results, tally, target, diagnostic);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *path[FORM_COUNT] = {0};
    struct sealing sealing = {0};
    bool exit_code = false;
    const struct cli_option options[] = {
        {"summary", CLI_TEXT, &path[0], "FILE",
         "the summary (to standard output when no form is asked for)"},
        {"markdown", CLI_TEXT, &path[1], "FILE", "the summary as Markdown, for the page of a job"},
        {"junit", CLI_TEXT, &path[2], "FILE", "JUnit XML, one testcase a case"},
        {"html", CLI_TEXT, &path[3], "FILE",
         "one page that needs nothing else: no network, no script"},
        {"statement", CLI_TEXT, &sealing.statement, "FILE",
         "in-toto Statements of one target, unsigned"},
        {"certificate", CLI_TEXT, &sealing.certificate, "FILE",
         "the same, signed, for a target that conforms; needs --sign"},
        {"sign", CLI_TEXT, &sealing.key, "KEY.pem", "the Ed25519 private key to sign with"},
        {"target", CLI_TEXT, &sealing.target, "NAME",
         "the target that statement and certificate speak of"},
        {"exit-code", CLI_FLAG, &exit_code, NULL,
         "leave with 1 when the results do not conform, 4 when nothing was run"},
    };
    int count;
    const int parsed =
        cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (parsed)
        return parsed < 0 ? CLI_CONFORMS : parsed;
    if (!count)
        return cli_usage(command, "name at least one results.jsonl");
    if (!sealing.certificate != !sealing.key)
        return cli_usage(
            command,
            "--certificate and --sign belong together: what nobody signed is no certificate");

    struct diagnostic diagnostic;
    struct results results = {0};
    struct tally tally = {0};
    enum error error = ERROR_NONE;
    for (int i = 1; !error && i <= count; i++)
        error = results_read(&results, argv[i], &diagnostic);
    if (!error)
        error = tally_count(&tally, &results, &diagnostic);
    if (!error)
        error = seal(&sealing, &results, &tally, &diagnostic);
    bool asked = sealing.statement || sealing.certificate;
    for (unsigned i = 0; !error && i < FORM_COUNT; i++)
        if (path[i]) {
            asked = true;
            error = write_form(&forms[i], path[i], &results, &tally, &diagnostic);
        }
    if (!error && !asked)
        error = write_form(&forms[0], "-", &results, &tally, &diagnostic);
    int code = error ? cli_fail(&diagnostic) : CLI_CONFORMS;
    if (!error && exit_code) {
        const enum tally_outcome outcome = tally_outcome_of(&tally.all);
        code = outcome == OUTCOME_DIFFERS   ? CLI_DIFFERS
               : outcome == OUTCOME_NOTHING ? CLI_NOTHING
                                            : CLI_CONFORMS;
    }
    tally_release(&tally);
    results_release(&results);
    return code;
}

const struct cli_command command_report = {
    .name = "report",
    .arguments = "[options] RESULTS.jsonl...",
    .summary = "make a summary, a page, JUnit XML or Markdown from results",
    .help =
        "Reads one or more results.jsonl, checks them to the last digest, and writes each form that is asked for. Several are\n"
        "parts of one report: one for each target for example, or with them those of `assay mutants --out` and\n"
        "`assay history --audit`. FILE may be -, standard output. The same results always give the same bytes.\n\n"
        "  assay report results.jsonl\n"
        "  assay report --html report.html results.jsonl mutants.jsonl evidence.jsonl\n"
        "  assay report --junit junit.xml --markdown summary.md results.jsonl\n"
        "  assay report --certificate acme.cert --sign key.pem --target acme results.jsonl",
    .run = run,
};
