// SPDX-License-Identifier: Apache-2.0
// assay audit write: the words of a source on standard output, for another battery.

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "harness/cli/audit/audit.h"
#include "ref/base/bytes.h"

// The raw words to standard output, until the budget is spent or the reader closes the pipe.
static int write_words(const struct audit_arguments *a, const struct source *source)
{
    enum { CHUNK = SOURCE_GRAIN };
    uint32_t *const words = malloc(CHUNK * sizeof *words);
    struct diagnostic diagnostic;
    if (!words)
        return CLI_HARNESS;
    signal(SIGPIPE, SIG_IGN);
    int code = CLI_CONFORMS;
    uint64_t left = a->bytes ? a->bytes : UINT64_MAX;
    for (uint64_t first = 0; left && code == CLI_CONFORMS; first += CHUNK) {
        size_t got;
        if (source->read(source->context, first, CHUNK, words, &got, &diagnostic)) {
            code = cli_fail(&diagnostic);
            break;
        }
        bytes_copy_little_endian(words, words, 4, got);
        const size_t size = got * 4 < left ? got * 4 : (size_t)left;
        if (fwrite(words, 1, size, stdout) != size) {
            code = errno == EPIPE ? CLI_CONFORMS : CLI_HARNESS;
            left = 0;
            clearerr(stdout);
            break;
        }
        left -= size;
        if (got < CHUNK)
            break;
    }
    free(words);
    return code;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = AUDIT_DEFAULTS;
    struct source source;
    struct diagnostic diagnostic;
    const struct cli_option options[] = {AUDIT_STREAM_OPTIONS(a)};
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    code = code ? code : audit_check_source(command, &a);
    if (code)
        return code;
    if (audit_open(&source, &a, &diagnostic))
        return cli_fail(&diagnostic);
    code = write_words(&a, &source);
    source_close(&source);
    return code;
}

const struct cli_command audit_part_write = {
    .name = "audit write",
    .arguments = "--source NAME [options]",
    .summary = "write the words of a source to standard output",
    .help = "Writes raw little-endian words, for another battery, until the bytes are spent or "
            "the reader closes the pipe.\n\n"
            "  assay audit write --source philox4x32 --bytes 1GiB | my-battery",
    .exits = {"written"},
    .run = run,
};
