// SPDX-License-Identifier: Apache-2.0
// The frame that all commands share: their table, options, messages and exit codes.

#ifndef ASSAY_HARNESS_CLI_CLI_H
#define ASSAY_HARNESS_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "ref/base/error.h"
#include "ref/base/text.h"

// Exit codes of every command.
enum cli_exit {
    CLI_CONFORMS = 0, // audit: clean
    CLI_DIFFERS = 1,  // audit: flawed
    CLI_INPUT = 2,    // usage or input
    CLI_HARNESS = 3,  // harness or environment
    CLI_NOTHING = 4,  // nothing selected, or nothing proved
};

enum cli_option_kind {
    CLI_FLAG,   // bool
    CLI_TEXT,   // const char *
    CLI_OUT,    // const char *, a file to write; for "-" see cli_parse
    CLI_NUMBER, // unsigned long long
    CLI_SIZE,   // unsigned long long, of bytes, at least 1; also in KiB, MiB, GiB, TiB
};

// One `--name` of a command. `place` points to what the kind says, and is left alone when the
// option is not given.
struct cli_option {
    const char *name;
    enum cli_option_kind kind;
    void *place;
    const char *value; // what the value is called in the help, e.g. "FILE"
    const char *help;
};

struct cli_command {
    const char *name;      // of a part: "audit night"
    const char *arguments; // "[options] FILE"
    const char *summary;   // one line
    // What it does, with an example. Lines that begin with a blank are printed as they are, the
    // others filled to 80 columns.
    const char *help;
    // What an exit code means here; NULL: never happens, for 2 and 3: what it means everywhere.
    const char *exits[CLI_NOTHING + 1];
    struct {
        int least, most;
        const char *what; // "the id of one case"
    } takes;              // arguments beside options
    // Returns an exit code, or -1 after --help. `argv[0]` is the command's name.
    int (*run)(const struct cli_command *command, int argc, char **argv);
    const struct cli_command *const *parts; // `assay NAME PART`, last NULL; NULL: no parts
    bool hidden;
};

#define CLI_OPTIONS_MAX 40

// An array of options or rules and its length, as cli_parse and cli_check take them.
#define CLI_TABLE(options) (options), sizeof(options) / sizeof *(options)

// Parses options (anywhere) and moves the other arguments to argv[1..]; *count says how many (count
// may be NULL). Returns CLI_CONFORMS, or -1 after help was printed, or CLI_INPUT after a message:
// the command returns what is not CLI_CONFORMS. "-" for a CLI_OUT is standard output: everything
// that the command prints from then on goes to standard error.
int cli_parse(const struct cli_command *command, const struct cli_option *options,
              size_t option_count, int argc, char **argv, int *count);

// Prints the help of a command, filled to 80 columns.
void cli_print_help(const struct cli_command *command, const struct cli_option *options,
                    size_t option_count);

// Ends the program with exit code 3 and a message that needs no memory. Files are replaced whole,
// so nothing is lost by it.
_Noreturn void cli_leave_without_memory(void);

// Writes the text to standard output; one that failed ends the program.
void cli_put_text(const struct text *text);

// Prints "assay: file:line:column: text", the offending line and a caret to stderr.
void cli_print_diagnostic(const struct diagnostic *diagnostic);

// Prints a diagnostic and returns its exit code.
int cli_fail(const struct diagnostic *diagnostic);

// A usage message to stderr; returns CLI_INPUT.
__attribute__((format(printf, 2, 3))) int cli_usage(const struct cli_command *command,
                                                    const char *format, ...);

// Options that do not go together, as rows: the first that is broken is the usage message. Returns
// CLI_CONFORMS or CLI_INPUT.
struct cli_rule {
    bool broken;
    const char *message;
};
int cli_check(const struct cli_command *command, const struct cli_rule *rules, size_t count);

// Whether `path` (NULL: nothing is to be written) can be written, asked before the work whose
// result goes there. ERROR_SYSTEM.
enum error cli_check_out(const char *path, struct diagnostic *diagnostic);

// Whether to colour what goes to `stream`: it is a terminal and NO_COLOR is not set.
bool cli_coloured(FILE *stream);

// ---- where things are -------------------------------------------------------

// The folder of data files `name` ("yaml/suites", "vectors/golden", "harness/targets"): beside the
// sources when the program runs from a build tree, else under the installed share folder;
// ASSAY_HOME overrides both. Writes at most `size` bytes to `path`, the caller's buffer, and
// returns it.
const char *cli_data_path(const char *name, char *path, size_t size);

// The same for what was built: "targets/openvino.so".
const char *cli_built_path(const char *name, char *path, size_t size);

#endif
