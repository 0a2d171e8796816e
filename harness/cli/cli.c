// SPDX-License-Identifier: Apache-2.0
// The frame that all commands share.

#include "harness/cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "reports/text.h"

static void print_help(const struct cli_command *command, const struct cli_option *options,
                       unsigned option_count)
{
    printf("assay %s %s\n\n%s\n", command->name, command->arguments, command->help);
    if (option_count)
        printf("\nOptions:\n");
    for (unsigned i = 0; i < option_count; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", options[i].name,
                 options[i].kind == CLI_FLAG ? "" : " ",
                 options[i].kind == CLI_FLAG ? "" : options[i].value);
        printf("  %-24s %s\n", left, options[i].help);
    }
}

static const struct cli_option *find_option(const struct cli_option *options, unsigned count,
                                            const char *name, size_t length)
{
    for (unsigned i = 0; i < count; i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
            return &options[i];
    return NULL;
}

static bool parse_number(const char *text, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

int cli_parse(const struct cli_command *command, const struct cli_option *options,
              unsigned option_count, int argc, char **argv, int *count)
{
    int arguments = 0;
    bool only_arguments = false;
    uint64_t given = 0; // a bit for each option that has its value
    for (int i = 1; i < argc; i++) {
        if (only_arguments || strncmp(argv[i], "--", 2) != 0) {
            argv[++arguments] = argv[i];
            continue;
        }
        if (!argv[i][2]) {
            only_arguments = true;
            continue;
        }
        if (!strcmp(argv[i], "--help")) {
            print_help(command, options, option_count);
            return -1;
        }
        const char *const name = argv[i] + 2, *const equals = strchr(name, '=');
        const size_t length = equals ? (size_t)(equals - name) : strlen(name);
        const struct cli_option *const option = find_option(options, option_count, name, length);
        if (!option)
            return cli_usage(command, "unknown option '%s'", argv[i]);
        if (option->kind == CLI_FLAG) {
            if (equals)
                return cli_usage(command, "--%s takes no value", option->name);
            *(bool *)option->place = true;
            continue;
        }
        const uint64_t bit = UINT64_C(1) << (option - options);
        if (given & bit)
            return cli_usage(command, "--%s is given twice%s", option->name,
                             strstr(option->value, ",...") ? "; names are parted by commas" : "");
        given |= bit;
        const char *const value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (!value)
            return cli_usage(command, "--%s needs a value (%s)", option->name, option->value);
        if (option->kind == CLI_TEXT)
            *(const char **)option->place = value;
        else if (!parse_number(value, option->place))
            return cli_usage(command, "--%s is '%s'; expected a whole number", option->name, value);
    }
    if (arguments && !count)
        return cli_usage(command, "unexpected argument '%s'", argv[1]);
    if (count)
        *count = arguments;
    return CLI_CONFORMS;
}

// A diagnostic quotes what may be anybody's file: nothing in it may be obeyed by a terminal.
// Newlines of our own stay.
static void print_plain(const char *words)
{
    struct text text = {0};
    char line[sizeof((struct diagnostic *)0)->text];
    for (const char *at = words; *at;) {
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        text_put_plain(&text, line);
        text_put(&text, at[length] ? "\n" : "");
        at += length + (at[length] != '\0');
    }
    // Without memory for it, the plain letters.
    for (const char *at = words; text.failed && *at; at++)
        fputc((*at >= ' ' && *at <= '~') || *at == '\n' ? *at : '?', stderr);
    if (text.bytes && !text.failed)
        fwrite(text.bytes, 1, text.size, stderr);
    text_release(&text);
}

void cli_print_diagnostic(const struct diagnostic *diagnostic)
{
    fprintf(stderr, "assay: ");
    print_plain(diagnostic->file);
    if (diagnostic->file[0] && diagnostic->line)
        fprintf(stderr, ":%u:%u: ", diagnostic->line, diagnostic->column);
    else if (diagnostic->file[0])
        fprintf(stderr, ": ");
    print_plain(diagnostic->text);
    fprintf(stderr, "\n");
    if (!diagnostic->line || !diagnostic->excerpt[0])
        return;
    fprintf(stderr, "    ");
    print_plain(diagnostic->excerpt);
    fprintf(stderr, "\n");
    if (diagnostic->column && diagnostic->column <= strlen(diagnostic->excerpt) + 1)
        fprintf(stderr, "    %*s^\n", (int)diagnostic->column - 1, "");
}

int cli_exit_of(enum error error)
{
    switch (error) {
    case ERROR_NONE:
        return CLI_CONFORMS;
    case ERROR_INTERNAL:
    case ERROR_SYSTEM:
        return CLI_HARNESS;
    default:
        return CLI_INPUT;
    }
}

int cli_fail(const struct diagnostic *diagnostic)
{
    cli_print_diagnostic(diagnostic);
    return cli_exit_of(diagnostic->error);
}

enum error cli_check_out(const char *path, struct diagnostic *diagnostic)
{
    struct file_replacement file = {0};
    if (!path || !strcmp(path, "-"))
        return ERROR_NONE;
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return ERROR_NONE; // opening a pipe to look would be heard at its other end
    const enum error error = file_replace(&file, path, diagnostic);
    file_abandon(&file);
    return error;
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "assay %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nusage: assay %s %s (--help says more)\n", command->name, command->arguments);
    va_end(arguments);
    return CLI_INPUT;
}

bool cli_coloured(FILE *stream)
{
    const char *const off = getenv("NO_COLOR");
    return isatty(fileno(stream)) && !(off && *off);
}

#ifndef ASSAY_SHARE_FOLDER
#define ASSAY_SHARE_FOLDER "share/assay"
#endif

// The folder of the program itself, without a final slash.
static void program_folder(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *const slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

const char *cli_data_path(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    const char *const home = getenv("ASSAY_HOME");
    if (home && *home) {
        snprintf(path, size, "%s/%s", home, name);
        return path;
    }
    program_folder(folder, sizeof folder);
    // From <tree>/build or a folder below it; an installed program sits in <prefix>/bin.
    for (char *cut = folder + strlen(folder); cut; cut = strrchr(folder, '/')) {
        *cut = '\0';
        snprintf(path, size, "%s/%s", folder, name);
        if (!access(path, F_OK))
            return path;
        snprintf(path, size, "%s/" ASSAY_SHARE_FOLDER "/%s", folder, name);
        if (!access(path, F_OK))
            return path;
    }
    snprintf(path, size, "%s", name);
    return path;
}

const char *cli_built_path(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    program_folder(folder, sizeof folder);
    snprintf(path, size, "%s/%s", folder, name);
    if (access(path, F_OK) != 0)
        snprintf(path, size, "%s/../lib/assay/%s", folder, name);
    return path;
}
