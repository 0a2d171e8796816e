// SPDX-License-Identifier: Apache-2.0
// What --help prints: text, options and exit codes of a command, filled to 80 columns.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/cli.h"

enum { WIDTH = 80, OPTION_COLUMN = 25, PART_COLUMN = 11, CODE_COLUMN = 5 };

// Words from `column` on; a line that is full goes on at column `indent`. Ends the line.
static void fill(const char *text, size_t size, unsigned column, unsigned indent)
{
    const char *const end = text + size;
    bool first = true;
    for (const char *at = text; at < end; first = false) {
        const size_t length = strcspn(at, " \n");
        if (!first && column + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", (int)length, at);
        column += (unsigned)length + !first;
        at += length;
        at += at < end ? strspn(at, " \n") : 0;
    }
    printf("\n");
}

// Paragraphs are filled; lines that begin with a blank, and empty ones, are printed as they are.
static void print_text(const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        if (*text == ' ' || !size) {
            printf("%.*s\n", (int)size, text);
        } else {
            while (text[size] == '\n' && text[size + 1] && !strchr(" \n", text[size + 1]))
                size += 1 + strcspn(text + size + 1, "\n");
            fill(text, size, 0, 0);
        }
        text += size + (text[size] == '\n');
    }
}

// `left`, and beside it or, where it is too wide for that, below it the text.
static void print_row(const char *left, const char *text, unsigned column)
{
    const bool beside = 2 + strlen(left) + 2 <= column;
    printf("  %s%*s", left, beside ? (int)(column - 2 - strlen(left)) : 0, "");
    if (!beside)
        printf("\n%*s", (int)column, "");
    fill(text, strlen(text), column, column);
}

static void print_exits(const struct cli_command *command)
{
    static const char *const everywhere[CLI_NOTHING + 1] = {
        [CLI_INPUT] = "usage or input", [CLI_HARNESS] = "harness or environment"};
    printf("\nExit codes:\n");
    for (unsigned code = 0; code <= CLI_NOTHING; code++) {
        const char *const text = command->exits[code] ? command->exits[code] : everywhere[code];
        const char number[] = {(char)('0' + code), '\0'};
        if (text)
            print_row(number, text, CODE_COLUMN);
    }
}

void cli_print_help(const struct cli_command *command, const struct cli_option *options,
                    size_t option_count)
{
    assert(command && (options || !option_count));
    printf("assay %s %s\n\n", command->name, command->arguments);
    print_text(command->help);
    if (command->parts)
        printf("\nParts:\n");
    for (unsigned i = 0; command->parts && command->parts[i]; i++)
        print_row(strchr(command->parts[i]->name, ' ') + 1, command->parts[i]->summary,
                  PART_COLUMN);
    if (option_count)
        printf("\nOptions:\n");
    for (size_t i = 0; i < option_count; i++) {
        const bool flag = options[i].kind == CLI_FLAG;
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", options[i].name, flag ? "" : " ",
                 flag ? "" : options[i].value);
        print_row(left, options[i].help, OPTION_COLUMN);
    }
    print_exits(command);
}
