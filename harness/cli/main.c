// SPDX-License-Identifier: Apache-2.0
// `assay`: one program, one file for each command.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/cli.h"
#include "harness/cli/commands.h"
#include "ref/base/leftover.h"
#include "ref/base/version.h"
#include "ref/num/memory.h"

// clang-format off
static const struct cli_command *const commands[] = {
    &command_audit,
    &command_certify,
    &command_diff,
    &command_emit,
    &command_eval,
    &command_explain,
    &command_export,
    &command_findings,
    &command_history,
    &command_list,
    &command_merge,
    &command_minimize,
    &command_mutants,
    &command_new_target,
    &command_report,
    &command_run,
    &command_show,
    &command_stream,
    &command_targets,
    &command_verify,
    &command_worker,
};
// clang-format on

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_overview(FILE *stream)
{
    fprintf(stream,
            "assay: conformance, golden vectors and statistical audit for numeric libraries\n\n"
            "usage: assay COMMAND [options]     (assay COMMAND --help says more)\n\n");
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (!commands[i]->hidden)
            fprintf(stream, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(
        stream,
        "\nExit codes: 0 conforms or clean, 1 does not, 2 usage or input, 3 harness or environment, 4 nothing selected\n");
}

// Files are replaced whole, so that nothing is lost by leaving at once.
static void leave(void)
{
    static const char text[] = "assay: out of memory\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(CLI_HARNESS); // nobody is there to be told
    _exit(CLI_HARNESS);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_INPUT;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        print_overview(stdout);
        return CLI_CONFORMS;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("assay " ASSAY_VERSION);
        return CLI_CONFORMS;
    }
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(argv[1], commands[i]->name))
            return commands[i]->run(commands[i], argc - 1, argv + 1);
    fprintf(stderr, "assay: there is no command '%s'; `assay --help` lists them\n", argv[1]);
    return CLI_INPUT;
}

int main(int argc, char **argv)
{
    num_on_no_memory(leave);
    leftover_remove_on_signals();
    const int code = run(argc, argv);
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    fprintf(stderr, "assay: standard output could not be written\n");
    return code == CLI_CONFORMS ? CLI_HARNESS : code;
}
