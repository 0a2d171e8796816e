// SPDX-License-Identifier: Apache-2.0
// assay report: results in, something to read or to hand to another program out.

#include <string.h>

#include "harness/cli/commands.h"
#include "ref/base/file.h"
#include "reports/junit.h"
#include "reports/page.h"
#include "reports/results.h"
#include "reports/summary.h"
#include "reports/tally.h"

static enum error write_summary(const struct text_sink *sink, const struct results *results, const struct tally *tally,
                                struct diagnostic *diagnostic)
{
    struct json_text text = {0};
    enum error error = summary_write(&text, results, tally, sink->stream && cli_coloured(sink->stream), diagnostic);
    if (!error)
        error = text_flush(&text, sink, true, diagnostic);
    json_text_release(&text);
    return error;
}

static enum error write_markdown(const struct text_sink *sink, const struct results *results, const struct tally *tally,
                                 struct diagnostic *diagnostic)
{
    struct json_text text = {0};
    enum error error = summary_write_markdown(&text, results, tally, diagnostic);
    if (!error)
        error = text_flush(&text, sink, true, diagnostic);
    json_text_release(&text);
    return error;
}

// A form of report: its option, and who writes it.
static const struct form {
    const char *name;
    enum error (*write)(const struct text_sink *, const struct results *, const struct tally *, struct diagnostic *);
} forms[] = {
    {"summary", write_summary},
    {"markdown", write_markdown},
    {"junit", junit_write},
    {"html", page_write},
};

enum { FORM_COUNT = sizeof forms / sizeof *forms };

static enum error write_form(const struct form *form, const char *path, const struct results *results,
                             const struct tally *tally, struct diagnostic *diagnostic)
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

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *path[FORM_COUNT] = {0};
    bool exit_code = false;
    const struct cli_option options[] = {
        {"summary", CLI_TEXT, &path[0], "FILE", "the summary (to standard output when no form is asked for)"},
        {"markdown", CLI_TEXT, &path[1], "FILE", "the summary as Markdown, for the page of a job"},
        {"junit", CLI_TEXT, &path[2], "FILE", "JUnit XML, one testcase a case"},
        {"html", CLI_TEXT, &path[3], "FILE", "one page that needs nothing else: no network, no script"},
        {"exit-code", CLI_FLAG, &exit_code, NULL, "leave with 1 when the results do not conform, 4 when nothing was run"},
    };
    int count;
    const int parsed = cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (parsed)
        return parsed < 0 ? CLI_CONFORMS : parsed;
    if (!count)
        return cli_usage(command, "name at least one results.jsonl");

    struct diagnostic diagnostic;
    struct results results = {0};
    struct tally tally = {0};
    enum error error = ERROR_NONE;
    for (int i = 1; !error && i <= count; i++)
        error = results_read(&results, argv[i], &diagnostic);
    if (!error)
        error = tally_count(&tally, &results, &diagnostic);
    bool asked = false;
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
        code = outcome == OUTCOME_DIFFERS ? CLI_DIFFERS : outcome == OUTCOME_NOTHING ? CLI_NOTHING : CLI_CONFORMS;
    }
    tally_release(&tally);
    results_release(&results);
    return code;
}

const struct cli_command command_report = {
    .name = "report",
    .arguments = "[options] RESULTS.jsonl...",
    .summary = "make a summary, a page, JUnit XML or Markdown from results",
    .help = "Reads one or more results.jsonl (several are parts of one report, one for each target for example), checks them "
            "to the\n"
            "last digest, and writes each form that is asked for. FILE may be -, standard output. The same results always give "
            "the\n"
            "same bytes.\n\n"
            "  assay report results.jsonl\n"
            "  assay report --html report.html results.jsonl\n"
            "  assay report --junit junit.xml --markdown summary.md results.jsonl",
    .run = run,
};
