// SPDX-License-Identifier: Apache-2.0
// `assay`: one program, one file for each command.

#include <stdio.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "harness/cli/commands.h"
#include "ref/base/leftover.h"
#include "ref/base/libcrypto.h"
#include "ref/base/nearest.h"
#include "ref/base/version.h"
#include "ref/num/memory.h"

#define COMMAND_ADDRESS(name) &command_##name,
static const struct cli_command *const commands[] = {COMMANDS(COMMAND_ADDRESS)};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_overview(FILE *stream)
{
    fprintf(stream, "assay: conformance, golden vectors and statistical audit for numeric "
                    "libraries\n\n"
                    "usage: assay COMMAND [options]     (assay COMMAND --help says more)\n\n");
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (!commands[i]->hidden)
            fprintf(stream, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\nExit codes: 0 conforms or clean, 1 does not, 2 usage or input,\n"
                    "3 harness or environment, 4 nothing selected or proved\n");
}

// The command and, where it has parts and the next word names one, the part: *used words of them.
static const struct cli_command *find_command(int count, char **words, int *used)
{
    const struct cli_command *found = NULL;
    for (unsigned i = 0; i < COMMAND_COUNT && count > 0; i++)
        if (!strcmp(words[0], commands[i]->name))
            found = commands[i];
    *used = 1;
    for (unsigned i = 0; found && found->parts && count > 1 && found->parts[i]; i++)
        if (!strcmp(words[1], strchr(found->parts[i]->name, ' ') + 1)) {
            *used = 2;
            return found->parts[i];
        }
    return found;
}

static int no_such_command(const char *word)
{
    struct nearest nearest = {.asked = word};
    char hint[NEAREST_HINT_SIZE];
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (!commands[i]->hidden)
            nearest_offer(&nearest, commands[i]->name);
    nearest_offer(&nearest, "help");
    nearest_offer(&nearest, "version");
    fprintf(stderr, "assay: there is no command '%s'%s `assay --help` lists them\n", word,
            *nearest_hint(&nearest, hint) ? hint : ";");
    return CLI_INPUT;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_INPUT;
    }
    const bool help = is_one_of(argv[1], "--help", "-h", "help");
    if (help && argc == 2) {
        print_overview(stdout);
        return CLI_CONFORMS;
    }
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        puts("assay " ASSAY_VERSION);
        return CLI_CONFORMS;
    }
    const int skip = help ? 2 : 1;
    int used;
    const struct cli_command *const command = find_command(argc - skip, argv + skip, &used);
    if (!command)
        return no_such_command(argv[skip]);
    static char ask[] = "--help";
    char *words[] = {argv[skip], ask, NULL};
    const int at = skip + used - 1;
    const int code =
        help ? command->run(command, 2, words) : command->run(command, argc - at, argv + at);
    return code < 0 ? CLI_CONFORMS : code; // help was printed
}

int main(int argc, char **argv)
{
    num_on_no_memory(cli_leave_without_memory);
    libcrypto_on_no_memory(cli_leave_without_memory);
    leftover_remove_on_signals();
    const int code = run(argc, argv);
    if (!fflush(stdout) && !ferror(stdout))
        return code;
    fprintf(stderr, "assay: standard output could not be written\n");
    return code == CLI_CONFORMS ? CLI_HARNESS : code;
}
