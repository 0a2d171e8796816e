// SPDX-License-Identifier: Apache-2.0
// assay new-target: a skeleton that works, with its build line, for whoever wants to certify a
// library of their own.

#include <limits.h>
#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/new/template.h"

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
    if (!template_is_name(argv[1]))
        return cli_usage(command, "'%s' is no name: " TEMPLATE_NAME, argv[1]);
    const char *const name = argv[1];
    char path[PATH_MAX];
    struct diagnostic diagnostic;
    folder = folder ? folder : name;
    enum error error = template_folder(folder, &diagnostic);
    snprintf(path, sizeof path, "%.2000s/%s%s", folder, name, python ? ".py" : ".c");
    if (!error)
        error = template_file(python ? "scripts/package/templates/target.py"
                                     : "scripts/package/templates/plugin.c",
                              name, path, &diagnostic);
    char helper[PATH_MAX];
    snprintf(helper, sizeof helper, "%.2000s/assay_target.py", folder);
    if (!error && python)
        error = template_file("harness/python/assay/target.py", name, helper, &diagnostic);
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
