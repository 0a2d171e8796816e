// SPDX-License-Identifier: Apache-2.0
// assay init: a project of one's own, which works as it stands.

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/new/template.h"
#include "harness/cli/project.h"
#include "ref/base/file.h"

static const char *const folders[] = {"", "/suites", "/targets"};

// The files, below the project's folder: its name stands between `before` and `after`, where it is
// asked for.
static const struct {
    const char *template, *before;
    bool named;
    const char *after;
} files[] = {
    {"scripts/package/templates/suite.yaml", "suites/", true, ".yaml"},
    {"scripts/package/templates/known.yaml", "known.yaml", false, ""},
    {"scripts/package/templates/target.py", "targets/", true, ".py"},
    {"harness/python/assay/target.py", "targets/assay_target.py", false, ""},
    {"scripts/package/templates/" PROJECT_FILE, PROJECT_FILE, false, ""}, // last: all is there then
};

enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };

static enum error place(const char *folder, const char *name, size_t i, char path[PATH_MAX],
                        struct diagnostic *diagnostic)
{
    if (snprintf(path, PATH_MAX, "%s/%s%s%s", folder, files[i].before, files[i].named ? name : "",
                 files[i].after) >= PATH_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the project's path is too long");
    return ERROR_NONE;
}

// All files, or none of them: none, too, where one is there already.
static enum error make_project(const char *folder, const char *name, struct diagnostic *diagnostic)
{
    char path[PATH_MAX];
    const struct template_word word = {"@NAME@", name};
    enum error error = ERROR_NONE;
    size_t made = 0;
    for (size_t i = 0; i < FOLDERS && !error; i++) {
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        error = template_folder(path, diagnostic);
    }
    for (; made < FILES && !error; made += !error) {
        error = place(folder, name, made, path, diagnostic);
        if (!error)
            error = template_file(files[made].template, &word, 1, path, diagnostic);
    }
    struct diagnostic ignored;
    for (size_t i = 0; i < made && error; i++)
        if (!place(folder, name, i, path, &ignored))
            unlink(path);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *name = NULL;
    const struct cli_option options[] = {
        {"name", CLI_TEXT, &name, "NAME", "of its suite and target (the folder's when not given)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    name = name ? name : file_name(argv[1]);
    if (!template_is_name(name))
        return cli_usage(command, "'%s' is no name (" TEMPLATE_NAME "); say one with --name", name);
    struct diagnostic diagnostic;
    if (make_project(argv[1], name, &diagnostic))
        return cli_fail(&diagnostic);
    printf("%s/" PROJECT_FILE " names what is there. As it stands:\n\n"
           "  cd %s\n"
           "  assay emit --write          keeps what its suite asks for, in suites/vectors\n"
           "  assay certify               certifies targets/%s.py, once compute() is filled in\n",
           argv[1], argv[1], name);
    return CLI_CONFORMS;
}

const struct cli_command command_init = {
    .name = "init",
    .arguments = "DIR [--name NAME]",
    .summary = "make a project of your own: suites, targets, known failures",
    .help = "Writes a project that works as it stands: " PROJECT_FILE ", which every command finds "
            "in the working directory or above it, a suite of five cases, a target in Python, and "
            "an empty list of known failures. In a project, commands that are given no --suite "
            "mean its suites, `certify` without --target its targets, and names of its suites and "
            "targets go before those of assay. Golden vectors lie beside their suite; nothing is "
            "written where assay is installed. Existing files are never replaced.\n\n"
            "  assay init mine\n"
            "  cd mine && assay emit --write && assay certify",
    .exits = {"written"},
    .takes = {1, 1, "a folder"},
    .run = run,
};
