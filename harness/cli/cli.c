// SPDX-License-Identifier: Apache-2.0
// The frame that all commands share.

#include "harness/cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/file.h"
#include "ref/base/nearest.h"
#include "ref/base/share.h"
#include "reports/text.h"

static const struct cli_option *find_option(const struct cli_option *options, size_t count,
                                            const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
            return &options[i];
    return NULL;
}

static bool parse_number(const char *text, unsigned long long *value, const char **end)
{
    errno = 0;
    *value = strtoull(text, (char **)end, 10);
    return *text >= '0' && *text <= '9' && !errno;
}

static bool parse_size(const char *text, unsigned long long *bytes)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
    const char *end;
    if (!parse_number(text, bytes, &end) || !*bytes)
        return false;
    for (unsigned u = 0; u < sizeof units / sizeof *units; u++)
        if (!strcmp(end, units[u])) {
            const bool fits = *bytes <= ULLONG_MAX >> 10 * u;
            *bytes <<= 10 * u;
            return fits;
        }
    return false;
}

// Keeps standard output for the file "-", and lets all that is printed go to standard error.
static bool take_standard_output(const char **path)
{
    static char name[32];
    if (*name)
        return false; // by another option
    fflush(stdout);
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return false;
    snprintf(name, sizeof name, "/dev/fd/%d", kept);
    *path = name;
    return true;
}

static int set_option(const struct cli_command *command, const struct cli_option *option,
                      const char *value)
{
    const char *end = "";
    switch (option->kind) {
    case CLI_OUT:
        if (!strcmp(value, "-"))
            return take_standard_output(option->place)
                       ? CLI_CONFORMS
                       : cli_usage(command, "--%s -: standard output is not free", option->name);
        // fall through
    case CLI_FLAG:
    case CLI_TEXT:
        *(const char **)option->place = value;
        return CLI_CONFORMS;
    case CLI_NUMBER:
        if (parse_number(value, option->place, &end) && !*end)
            return CLI_CONFORMS;
        return cli_usage(command, "--%s is '%s'; expected a whole number", option->name, value);
    case CLI_SIZE:
        if (parse_size(value, option->place))
            return CLI_CONFORMS;
        return cli_usage(command,
                         "--%s is '%s'; expected a whole number of bytes, KiB, MiB, GiB or TiB "
                         "(64MiB)",
                         option->name, value);
    }
    return CLI_INPUT;
}

static int unknown_option(const struct cli_command *command, const struct cli_option *options,
                          size_t option_count, const char *given)
{
    const char *const name = given + strspn(given, "-");
    const size_t length = strcspn(name, "=");
    struct nearest nearest = {.asked = name, .length = length};
    char hint[NEAREST_HINT_SIZE] = "";
    for (size_t i = 0; i < option_count && length; i++)
        nearest_offer(&nearest, options[i].name);
    if (length)
        nearest_offer(&nearest, "help");
    if (*nearest.best)
        snprintf(hint, sizeof hint, "; did you mean --%s?", nearest.best);
    return cli_usage(command, "unknown option '%s'%s", given, hint);
}

// One option and its value, which may be argv[*at + 1].
static int parse_option(const struct cli_command *command, const struct cli_option *options,
                        size_t option_count, int argc, char **argv, int *at, uint64_t *given)
{
    const char *const name = argv[*at] + 2, *const equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct cli_option *const option =
        argv[*at][1] == '-' ? find_option(options, option_count, name, length) : NULL;
    if (!option)
        return unknown_option(command, options, option_count, argv[*at]);
    if (option->kind == CLI_FLAG) {
        if (equals)
            return cli_usage(command, "--%s takes no value", option->name);
        *(bool *)option->place = true;
        return CLI_CONFORMS;
    }
    const uint64_t bit = UINT64_C(1) << (option - options);
    if (*given & bit)
        return cli_usage(command, "--%s is given twice%s", option->name,
                         strstr(option->value, ",...") ? "; separate names by commas" : "");
    *given |= bit;
    const char *const value = equals ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (!value)
        return cli_usage(command, "--%s needs a value (%s)", option->name, option->value);
    return set_option(command, option, value);
}

int cli_parse(const struct cli_command *command, const struct cli_option *options,
              size_t option_count, int argc, char **argv, int *count)
{
    assert(command && argc > 0 && argv && option_count <= CLI_OPTIONS_MAX);
    int arguments = 0;
    bool only_arguments = false;
    uint64_t given = 0; // a bit for each option that has its value
    for (int i = 1; i < argc; i++) {
        const char *const word = argv[i];
        if (only_arguments || word[0] != '-' || !word[1]) {
            argv[++arguments] = argv[i];
            continue;
        }
        if (!strcmp(word, "--")) {
            only_arguments = true;
            continue;
        }
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            cli_print_help(command, options, option_count);
            return -1;
        }
        const int code = parse_option(command, options, option_count, argc, argv, &i, &given);
        if (code)
            return code;
    }
    if (arguments && !command->takes.most)
        return cli_usage(command, "unexpected argument '%s'", argv[1]);
    if (arguments < command->takes.least || arguments > command->takes.most)
        return cli_usage(command, "expected %s", command->takes.what);
    if (count)
        *count = arguments;
    return CLI_CONFORMS;
}

// A diagnostic may quote any file: control characters in it must not reach the terminal.
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
    // Without memory the words are printed letter by letter.
    for (const char *at = words; text.failed && *at; at++)
        fputc((*at >= ' ' && *at <= '~') || *at == '\n' ? *at : '?', stderr);
    if (text.bytes && !text.failed)
        fwrite(text.bytes, 1, text.size, stderr);
    text_release(&text);
}

// Files are replaced whole, so that nothing is lost by leaving at once.
_Noreturn void cli_leave_without_memory(void)
{
    static const char text[] = "assay: out of memory\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(CLI_HARNESS); // standard error is gone, so no message
    _exit(CLI_HARNESS);
}

void cli_put_text(const struct text *text)
{
    if (text->failed)
        cli_leave_without_memory();
    if (text->size)
        fwrite(text->bytes, 1, text->size, stdout);
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

static int exit_code_of(enum error error)
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
    return exit_code_of(diagnostic->error);
}

enum error cli_check_out(const char *path, struct diagnostic *diagnostic)
{
    struct file_replacement file = {0};
    if (!path)
        return ERROR_NONE;
    struct stat status;
    if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return ERROR_NONE; // opening a pipe to look would show at its other end
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
    fprintf(stderr, "\nusage: assay %s %s (-h says more)\n", command->name, command->arguments);
    va_end(arguments);
    return CLI_INPUT;
}

int cli_check(const struct cli_command *command, const struct cli_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].broken)
            return cli_usage(command, "%s", rules[i].message);
    return CLI_CONFORMS;
}

bool cli_coloured(FILE *stream)
{
    const char *const off = getenv("NO_COLOR");
    return isatty(fileno(stream)) && !(off && *off);
}

const char *cli_data_path(const char *name, char *path, size_t size)
{
    return share_path(name, path, size);
}

const char *cli_built_path(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    share_program_folder(folder, sizeof folder);
    snprintf(path, size, "%s/%s", folder, name);
    if (access(path, F_OK) != 0)
        snprintf(path, size, "%s/../lib/assay/%s", folder, name);
    return path;
}
