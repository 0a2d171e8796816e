// SPDX-License-Identifier: Apache-2.0
// assay findings: the pages about what libraries do otherwise, made anew from the libraries that
// are here.

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/suite_table.h"
#include "harness/cli/target_table.h"
#include "harness/judge/write/finding.h"
#include "harness/judge/write/results_case.h"
#include "ref/base/file.h"
#include "yaml/reader.h"

struct arguments {
    const char *source, *only, *to;
    unsigned long long seconds;
    bool check, write;
};

struct work {
    const struct arguments *arguments;
    struct arena arena;
    const char *folder; // of the pages: that of the source, or --to
    size_t made, kept, stale, differing;
};

// The page as it is, empty when there is none.
static enum error read_page(struct work *work, const char *path, struct document_source *page)
{
    struct diagnostic diagnostic;
    *page = (struct document_source){.name = path, .text = ""};
    return file_read(path, &work->arena, page, &diagnostic) ? ERROR_INPUT : ERROR_NONE;
}

static enum error put(struct work *work, const struct finding *finding, const struct text *text,
                      const char *what, struct diagnostic *diagnostic)
{
    const char *const path = arena_print(&work->arena, "%s/%s.md", work->folder, finding->name);
    struct document_source old;
    if (!path)
        return diagnostic_no_memory(diagnostic);
    read_page(work, path, &old);
    const bool same = old.size == text->size && !memcmp(old.text, text->bytes, text->size);
    const bool write = work->arguments->write && !same;
    work->made++;
    work->differing += !same && !write;
    work->stale += !same && work->arguments->check;
    printf("%-32s %s%s\n", finding->name, what,
           same                     ? ""
           : write                  ? ", written"
           : work->arguments->check ? ", and the page is stale"
                                    : ", and the page would change");
    return write ? file_replace_with(path, text->bytes, text->size, diagnostic) : ERROR_NONE;
}

static enum error read_profile(const struct document_node *node, const struct suite *suite,
                               struct named_profile *profile, struct diagnostic *diagnostic)
{
    memset(profile, 0, sizeof *profile);
    for (size_t i = 0; node && i < node->count; i++)
        if (!results_set_option(suite, node->key[i]->text, node->item[i]->text, profile))
            return document_fail(node->key[i], ERROR_INPUT, diagnostic,
                                 "suite %s has no such option", suite->name);
    return ERROR_NONE;
}

static enum error make_case(struct work *work, const struct finding *finding,
                            const struct document_node *node, struct host *host,
                            struct diagnostic *diagnostic)
{
    char **paths = NULL;
    size_t count = 0;
    struct suite suite;
    struct minimized minimized = {.tries = 0};
    struct survey survey;
    struct named_profile profile;
    struct text text = {0};
    char templates[PATH_MAX];
    const struct document_node *const chosen = document_find(node, "profile");
    enum error error = suites_choose(finding->suite, &work->arena, &paths, &count, diagnostic);
    if (!error)
        error = suites_read_file(paths[0], &suite, diagnostic);
    if (error)
        return error;
    const struct suite_case *const of = suite_find_case(&suite, finding->id);
    if (!of)
        error = document_fail(document_find(node, "case"), ERROR_INPUT, diagnostic,
                              "suite %s has no such case", finding->suite);
    if (!error)
        error = read_profile(chosen, &suite, &profile, diagnostic);
    const struct minimize_options options = {.profile = chosen ? &profile : NULL,
                                             .seconds = (unsigned)work->arguments->seconds};
    if (!error)
        error = minimize_case(&suite, of, host, &options, &minimized, diagnostic);
    if (!error)
        error = judge_survey(&minimized.alone.suite, &minimized.alone.of, host,
                             &minimized.run.profile, &survey, diagnostic);
    if (!error)
        error =
            finding_write(finding, &minimized, &survey,
                          cli_data_path("harness/targets/templates", templates, sizeof templates),
                          &text, diagnostic);
    if (!error)
        error = put(work, finding, &text, verdict_name(minimized.symptom.verdict), diagnostic);
    else if (error == ERROR_INVALID_ARGUMENT) {
        printf("%-32s no longer so: %s\n", finding->name, diagnostic->text);
        work->stale++;
        error = ERROR_NONE;
    }
    minimize_release(&minimized);
    text_release(&text);
    suite_release(&suite);
    return error;
}

// A page of a library that is not here stays as it is; where there is none yet, it says what was
// seen.
static enum error keep(struct work *work, const struct finding *finding, const char *why,
                       struct diagnostic *diagnostic)
{
    const char *const path = arena_print(&work->arena, "%s/%s.md", work->folder, finding->name);
    struct document_source old;
    struct text text = {0};
    if (path && !read_page(work, path, &old)) {
        printf("%-32s kept: %s\n", finding->name, why);
        work->kept++;
        return ERROR_NONE;
    }
    enum error error = finding_write_seen(
        finding, "the library was not installed where this page was made", &text, diagnostic);
    if (!error)
        error = put(work, finding, &text, "seen", diagnostic);
    text_release(&text);
    return error;
}

static enum error make(struct work *work, const struct document_node *node,
                       struct diagnostic *diagnostic)
{
    struct finding finding;
    enum error error = finding_read(node, &finding, diagnostic);
    if (error || (work->arguments->only && fnmatch(work->arguments->only, finding.name, 0)))
        return error;
    if (!finding.id) {
        struct text text = {0};
        error = finding_write_seen(&finding, "no case of a suite shows it", &text, diagnostic);
        if (!error)
            error = put(work, &finding, &text, "seen", diagnostic);
        text_release(&text);
        return error;
    }
    struct target *targets = NULL;
    struct host *host = NULL;
    struct diagnostic why = {.text = ""};
    size_t count = 0;
    error = targets_choose(finding.target, NULL, NULL, &work->arena, &targets, &count, &why);
    if (!error)
        error = target_open(&targets[0], 0, &host, &why);
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM) { // not the target, but this machine
        *diagnostic = why;
        return error;
    }
    if (error)
        return keep(work, &finding, why.text, diagnostic);
    error = make_case(work, &finding, node, host, diagnostic);
    host_close(host, NULL);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments a = {.only = NULL};
    const struct cli_option options[] = {
        {"source", CLI_TEXT, &a.source, "FILE",
         "the list (default reports/findings/findings.yaml); pages lie beside it"},
        {"only", CLI_TEXT, &a.only, "PATTERN", "only findings whose name matches, as in a shell"},
        {"seconds", CLI_NUMBER, &a.seconds, "N", "longest search for each (default 120)"},
        {"check", CLI_FLAG, &a.check, NULL, "write nothing; exit code 1 when a page is stale"},
        {"write", CLI_FLAG, &a.write, NULL, "write the pages that change, beside the list"},
        {"to", CLI_TEXT, &a.to, "DIR", "write the pages into this folder instead"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (a.check + a.write + !!a.to > 1)
        return cli_usage(command, "--check, --write and --to cannot be combined");
    a.write = a.write || a.to;
    char folder[4096];
    struct work work = {.arguments = &a};
    struct document_source source;
    struct document_node *root = NULL;
    struct diagnostic diagnostic = {.text = ""};
    cli_data_path("reports/findings", folder, sizeof folder);
    const char *const path =
        a.source ? a.source : arena_print(&work.arena, "%s/findings.yaml", folder);
    const char *const slash = path ? strrchr(path, '/') : NULL;
    work.folder = a.to    ? a.to
                  : slash ? arena_copy_text(&work.arena, path, (size_t)(slash - path))
                          : ".";
    enum error error = path && work.folder ? file_read(path, &work.arena, &source, &diagnostic)
                                           : diagnostic_no_memory(&diagnostic);
    if (!error)
        error = yaml_read(&source, &work.arena, &root, &diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "a list of findings", &diagnostic);
    const struct document_node *const list = error ? NULL : document_find(root, "findings");
    if (!error && (!list || list->kind != DOCUMENT_SEQUENCE))
        error = document_fail(root, ERROR_INPUT, &diagnostic, "the key findings is missing here");
    for (size_t i = 0; !error && i < list->count; i++)
        error = make(&work, list->item[i], &diagnostic);
    if (!error)
        printf("%zu pages made, %zu kept, %zu stale\n", work.made, work.kept, work.stale);
    if (!error && work.differing && !a.check)
        printf("%zu pages would change; nothing was written. --write writes them to %s\n",
               work.differing, work.folder);
    arena_release(&work.arena);
    if (error)
        return cli_fail(&diagnostic);
    return !work.made && !work.kept && !work.stale ? CLI_NOTHING
           : work.stale                            ? CLI_DIFFERS
                                                   : CLI_CONFORMS;
}

const struct cli_command command_findings = {
    .name = "findings",
    .arguments = "[--check | --write | --to DIR] [options]",
    .summary = "make the pages about what libraries do differently",
    .help = "Cuts down the case of each finding of the list, asks under which conditions it "
            "fails, and makes its page: a head for programs, requirement, input, expected, got, "
            "explanation, C program. Pages of libraries that are not installed are kept. Without "
            "--write or --to nothing is written: each page that would change is named.\n\n"
            "  assay findings --only 'openvino-*'\n"
            "  assay findings --only 'openvino-*' --write",
    .exits = {"made; with --check: every page is as kept",
              "a finding no longer holds; with --check: a page would change",
              [CLI_NOTHING] = "no finding was selected"},
    .run = run,
};
