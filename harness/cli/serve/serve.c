// SPDX-License-Identifier: Apache-2.0
// assay serve: one line of JSON in, one out, at once; for programs that ask often.

#include "harness/cli/serve/serve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/serve/eval.h"
#include "ref/base/json.h"
#include "ref/base/share.h"

static enum error serve_eval(struct serve_suites *suites, const struct document_node *line,
                             struct arena *arena, struct text *text, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"eval", "bounds", "suite", NULL};
    const struct document_node *const asked = document_find(line, "bounds");
    const struct document_node *const request = document_find(line, "eval");
    const char *const name = document_text(line, "suite");
    const struct suite *suite = NULL;
    struct eval_wanted wanted = {.bounds = false};
    enum error error = document_only_keys(line, keys, "an evaluation", diagnostic);
    if (!error && asked)
        error = document_boolean(asked, &wanted.bounds, "bounds", diagnostic);
    if (!error)
        error = document_expect(request, DOCUMENT_MAPPING, "eval", diagnostic);
    if (!error && name)
        error = serve_suite_named(suites, name, &suite, diagnostic);
    const char *const op = suite ? document_text(request, "op") : NULL;
    wanted.operation = op ? serve_operation_of(suite, op) : NULL;
    return error ? error
                 : eval_put_outputs(request, wanted, &suites->operators, arena, text, diagnostic);
}

static const struct {
    const char *key;
    serve_answer answer;
} kinds[] = {{"eval", serve_eval},
             {"check", serve_check},
             {"case", serve_case},
             {"cases", serve_cases},
             {"tolerance", serve_tolerance}};

static enum error answer(struct serve_suites *suites, const struct document_node *line,
                         struct arena *arena, struct text *text, struct diagnostic *diagnostic)
{
    const enum error error = document_expect(line, DOCUMENT_MAPPING, "a line", diagnostic);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !error; i++)
        if (document_find(line, kinds[i].key))
            return kinds[i].answer(suites, line, arena, text, diagnostic);
    return error ? error
                 : document_fail(
                       line, ERROR_INPUT, diagnostic,
                       "a line needs one of 'eval', 'check', 'case', 'cases' and 'tolerance'");
}

void serve_line(struct serve_suites *suites, const char *bytes, size_t size, struct text *text)
{
    const struct document_source source = {.name = "-", .text = bytes, .size = size};
    struct arena arena = {0};
    struct document_node *line = NULL;
    struct diagnostic diagnostic = {.text = ""};
    enum error error = size > DOCUMENT_BYTES_MAX
                           ? diagnostic_fail(&diagnostic, ERROR_INPUT, "a line of more than %d MiB",
                                             DOCUMENT_BYTES_MAX >> 20)
                           : json_read(&source, &arena, &line, &diagnostic);
    json_begin_object(text);
    if (!error)
        error = answer(suites, line, &arena, text, &diagnostic);
    if (error)
        eval_put_error(text, error, &diagnostic);
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
    arena_release(&arena);
}

// False: the answer could not be written, since the reader has gone.
static bool answer_line(struct serve_suites *suites, const char *bytes, size_t size)
{
    struct text text = {0};
    serve_line(suites, bytes, size, &text);
    cli_put_text(&text);
    text_release(&text);
    return !fflush(stdout);
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const int code = cli_parse(command, NULL, 0, argc, argv, NULL);
    if (code)
        return code;
    struct serve_suites suites = {.count = 0};
    char *line = NULL, folder[PATH_MAX];
    size_t room = 0;
    bool heard = true;
    suites.operators.folder = share_path("yaml/operators", folder, sizeof folder);
    for (ssize_t size; heard && (size = getline(&line, &room, stdin)) > 0;)
        heard = answer_line(&suites, line, (size_t)size);
    struct diagnostic diagnostic;
    int end = heard ? CLI_CONFORMS : CLI_HARNESS;
    if (heard && !feof(stdin)) {
        const int reason = errno;
        diagnostic_fail(&diagnostic, error_of_reading(reason), "standard input: %s",
                        strerror(reason));
        end = cli_fail(&diagnostic);
    }
    free(line);
    serve_release_suites(&suites);
    return end;
}

const struct cli_command command_serve = {
    .name = "serve",
    .arguments = "<LINES >ANSWERS",
    .summary = "answer a program line by line: values, verdicts, cases",
    .help = "Reads one JSON object a line from standard input and answers each at once with one "
            "line, until the input ends. An answer that cannot be given is `error` with code and "
            "message. The Python package asks so.\n\n"
            "  {\"eval\": REQUEST, \"bounds\": true, \"suite\": NAME}\n"
            "      the outputs, as `assay eval` gives them; the operation may be one\n"
            "      that the suite declares\n"
            "  {\"check\": REQUEST, \"outputs\": {NAME: TENSOR, ...}, \"suite\": NAME}\n"
            "      verdict and text of what certify says of these outputs; with\n"
            "      \"refused\": MESSAGE in place of them, of a refusal. Which readings\n"
            "      are allowed the suite says, or, without one, a suite that has the\n"
            "      operation. An ID in place of REQUEST is a case of the suite\n"
            "  {\"tolerance\": REQUEST, \"rtol\": R, \"suite\": NAME}\n"
            "      what `assay tolerance` says of it, and the least atol of each element\n"
            "  {\"cases\": SUITE}\n"
            "      ids, operations and kinds of all cases\n"
            "  {\"case\": ID, \"suite\": SUITE}\n"
            "      the request with its tensors written out\n\n"
            "  echo '{\"cases\": \"philox\"}' | assay serve",
    .exits = {"the input ended", [CLI_HARNESS] =
                                     "a line cannot be read, or nobody reads the answers"},
    .run = run,
};
