// SPDX-License-Identifier: Apache-2.0
// assay new-target: a skeleton that works, with its build line, for whoever wants to certify a
// library of their own.

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "ref/base/arena.h"
#include "ref/base/file.h"

// Names become file names and C strings: lower-case letters, digits and underscores.
static bool is_name(const char *name)
{
    return *name >= 'a' && *name <= 'z' && strlen(name) <= 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

// The template with every @NAME@ replaced, at `path`, which must not be there yet.
static enum error write_file(const char *template, const char *name, const char *path,
                             struct diagnostic *diagnostic)
{
    static const char mark[] = "@NAME@";
    char from[PATH_MAX];
    struct arena arena = {0};
    struct document_source source;
    struct text text = {0};
    enum error error =
        file_read(cli_data_path(template, from, sizeof from), &arena, &source, diagnostic);
    if (!error && !access(path, F_OK))
        error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                "%.400s is there already; it was left as it is", path);
    for (size_t i = 0; !error && i < source.size;) {
        const bool here =
            source.size - i >= sizeof mark - 1 && !memcmp(source.text + i, mark, sizeof mark - 1);
        text_put_bytes(&text, here ? name : source.text + i, here ? strlen(name) : 1);
        i += here ? sizeof mark - 1 : 1;
    }
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = file_replace_with(path, text.bytes, text.size, diagnostic);
    text_release(&text);
    arena_release(&arena);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    bool python = false;
    const char *folder = NULL;
    const struct cli_option options[] = {
        {"python", CLI_FLAG, &python, NULL, "a process target in Python in place of a plugin in C"},
        {"to", CLI_TEXT, &folder, "DIR", "the folder to make (NAME when not given)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (!is_name(argv[1]))
        return cli_usage(command,
                         "'%s' is no name: a lower-case letter, then lower-case letters, "
                         "digits and underscores",
                         argv[1]);
    const char *const name = argv[1];
    char path[PATH_MAX];
    struct diagnostic diagnostic;
    enum error error = ERROR_NONE;
    folder = folder ? folder : name;
    if (mkdir(folder, 0777) && errno != EEXIST)
        error = diagnostic_fail(&diagnostic, ERROR_SYSTEM, "cannot make the folder %.400s: %s",
                                folder, strerror(errno));
    snprintf(path, sizeof path, "%.2000s/%s%s", folder, name, python ? ".py" : ".c");
    if (!error)
        error = write_file(python ? "scripts/package/templates/target.py"
                                  : "scripts/package/templates/plugin.c",
                           name, path, &diagnostic);
    char helper[PATH_MAX];
    snprintf(helper, sizeof helper, "%.2000s/assay_target.py", folder);
    if (!error && python)
        error = write_file("harness/targets/helper/assay_target.py", name, helper, &diagnostic);
    if (error)
        return cli_fail(&diagnostic);
    printf("%s is there. Fill in compute(), set DONE, then:\n\n  cd %s\n", path, folder);
    if (python)
        printf("  assay certify --exec 'python3 %s.py' --suite philox\n", name);
    else
        printf("  cc -std=c11 -O2 -fPIC -shared -o %s.so %s.c $(pkg-config --cflags assay-plugin)\n"
               "  assay certify --plugin ./%s.so --suite philox\n",
               name, name, name);
    return CLI_CONFORMS;
}

const struct cli_command command_new_target = {
    .name = "new-target",
    .arguments = "NAME [options]",
    .summary = "write the skeleton of a target of your own",
    .help = "Writes a plugin in C, or a process target in Python, that compiles and runs as it "
            "stands and has one function to fill in. Existing files are never replaced.\n\n"
            "  assay new-target acme\n"
            "  assay new-target --python acme",
    .exits = {"written"},
    .takes = {1, 1, "a name"},
    .run = run,
};
