// SPDX-License-Identifier: Apache-2.0
// assay verify: does a certificate hold? Its signature, every file that it names, and, when asked,
// a sample of its cases.

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/target_table.h"
#include "harness/cli/verify/rerun.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "reports/envelope.h"
#include "reports/shape.h"
#include "reports/statement.h"
#include "reports/tally.h"
#include "reports/text.h"

enum { STATEMENTS = 2 }; // test-result and conformance

struct arguments {
    const char *certificate, *key, *program, *suites;
    struct verify_places places;
    unsigned long long rerun;
    bool signature_only;
};

struct verification {
    const struct arguments *arguments;
    struct arena arena;
    struct document_node *statement[STATEMENTS];
    struct document_source payload[STATEMENTS];
    unsigned count, faults;
    bool readable; // as a certificate: what is not is bad input, and nothing that does not hold
};

// ---- signature --------------------------------------------------------------

static enum error read_json(struct verification *verification, const struct document_source *source,
                            struct document_node **root, struct diagnostic *diagnostic)
{
    const enum error error = json_read(source, &verification->arena, root, diagnostic);
    verification->readable = !error;
    return error;
}

// The statement of one line, which must be an envelope that the key signed.
static enum error open_line(struct verification *verification, const struct document_source *source,
                            struct diagnostic *diagnostic)
{
    struct document_source *const payload = &verification->payload[verification->count];
    struct document_node *root = NULL, *statement = NULL;
    enum error error = read_json(verification, source, &root, diagnostic);
    if (!error)
        error = envelope_open(root, verification->arguments->key, &verification->arena, payload,
                              diagnostic);
    if (!error)
        error = read_json(verification, payload, &statement, diagnostic);
    if (!error)
        error = shape_check(statement, statement_shape, diagnostic);
    if (!error && strcmp(shape_text(statement, "_type"), STATEMENT_TYPE) != 0)
        error = document_fail(statement, ERROR_INPUT, diagnostic,
                              "the payload is no in-toto Statement");
    if (!error)
        verification->statement[verification->count++] = statement;
    return error;
}

// Whether two statements are one certificate: of two kinds, about the same files.
static enum error check_pair(struct verification *verification,
                             const struct document_source *second, struct diagnostic *diagnostic)
{
    struct document_node *const *const statement = verification->statement;
    struct text subjects[STATEMENTS] = {{0}};
    const char *why = NULL;
    for (unsigned i = 0; i < STATEMENTS; i++)
        json_put_document(&subjects[i], document_find(statement[i], "subject"));
    const bool failed = subjects[0].failed || subjects[1].failed;
    if (!strcmp(shape_text(statement[0], "predicateType"),
                shape_text(statement[1], "predicateType")))
        why = "this statement is of the same kind as the one before";
    else if (!failed && strcmp(subjects[0].bytes, subjects[1].bytes) != 0)
        why = "this statement is about other files than the one before";
    for (unsigned i = 0; i < STATEMENTS; i++)
        text_release(&subjects[i]);
    verification->readable = !why;
    return failed ? diagnostic_no_memory(diagnostic)
           : why  ? document_fail_at(second, second->lines_before + 1, 1, ERROR_INPUT, diagnostic,
                                     "%s: a file holds one certificate", why)
                  : ERROR_NONE;
}

// Two lines, each an envelope that the key signed, and nothing behind them.
static enum error open_envelopes(struct verification *verification, struct diagnostic *diagnostic)
{
    struct document_source file, *const source = arena_take_array(&verification->arena, STATEMENTS,
                                                                  sizeof *source);
    enum error error = source ? file_read(verification->arguments->certificate,
                                          &verification->arena, &file, diagnostic)
                              : diagnostic_no_memory(diagnostic);
    const char *at = error ? NULL : file.text, *const end = error ? NULL : file.text + file.size;
    for (unsigned line = 0; !error && at < end; line++) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        verification->readable = line < STATEMENTS;
        if (line == STATEMENTS)
            return document_fail_at(&file, line + 1, 1, ERROR_INPUT, diagnostic,
                                    "something follows the certificate, which ends with line %d: a "
                                    "file holds one certificate",
                                    STATEMENTS);
        if (!newline)
            return document_fail_at(&file, line + 1, 1, ERROR_INPUT, diagnostic,
                                    "the last line does not end: the certificate is cut off");
        source[line] = (struct document_source){file.name, at, (size_t)(newline - at), line};
        error = open_line(verification, &source[line], diagnostic);
        at = newline + 1;
    }
    return error || verification->count < STATEMENTS
               ? error
               : check_pair(verification, &source[1], diagnostic);
}

static const struct document_node *find_statement(const struct verification *verification,
                                                  const char *predicate)
{
    for (unsigned i = 0; i < verification->count; i++)
        if (!strcmp(shape_text(verification->statement[i], "predicateType"), predicate))
            return verification->statement[i];
    return NULL;
}

// ---- cases ------------------------------------------------------------------

static const struct document_node *in_mapping(const struct document_node *node, const char *key)
{
    return node && node->kind == DOCUMENT_MAPPING ? document_find(node, key) : NULL;
}

static enum error check_cases(struct verification *verification,
                              const struct document_node *predicate, unsigned long long wanted,
                              struct diagnostic *diagnostic)
{
    const struct arguments *const arguments = verification->arguments;
    const struct document_node *const results = find_statement(verification, STATEMENT_TEST_RESULT),
                                      *const test = in_mapping(results, "predicate");
    const struct document_node *const seed = in_mapping(in_mapping(predicate, "run"), "seed");
    const struct verify_case_lists lists = {
        .suites = in_mapping(predicate, "suites"),
        .seed = seed && seed->kind == DOCUMENT_SCALAR ? seed->text : NULL,
        .passed = in_mapping(test, "passedTests"),
        .warned = in_mapping(test, "warnedTests"),
        .unsupported = in_mapping(predicate, "notRun")};
    return verify_cases(&lists, &arguments->places, arguments->program,
                        shape_text(document_find(predicate, "target"), "name"), wanted,
                        &verification->faults, diagnostic);
}

// ---- the command ------------------------------------------------------------

static int conclude(const struct verification *verification,
                    const struct document_node *conformance)
{
    const struct document_node *const predicate = document_find(conformance, "predicate"),
                                      *const target = document_find(predicate, "target");
    const char *const outcome = shape_text(predicate, "outcome");
    const char *const level = shape_text(predicate, "level");
    struct text text = {0};
    if (verification->faults)
        text_print(&text,
                   "The certificate does NOT hold: %u of its statements are not true here.\n",
                   verification->faults);
    else if (strcmp(outcome, tally_outcome_name(OUTCOME_CONFORMS)) != 0 &&
             strcmp(outcome, tally_outcome_name(OUTCOME_PARTLY)) != 0)
        text_put(&text,
                 "This is a signed statement and no certificate: the target does not conform.\n");
    else {
        text_put(&text, verification->arguments->signature_only
                            ? "The signature holds; files were not looked at: "
                            : "The certificate holds: ");
        text_put_plain(&text, shape_text(target, "name"));
        text_put(&text, " ");
        text_put_plain(&text, shape_text(target, "version") ? shape_text(target, "version") : "");
        text_put(&text, " ");
        text_put_plain(&text, shape_text(predicate, "summary"));
        text_put(&text, " (lowest level: ");
        text_put_plain(&text, level);
        text_put(&text, ").\n");
    }
    const bool good = text.bytes && !strncmp(text.bytes, "The ", 4) && !verification->faults;
    cli_put_text(&text);
    text_release(&text);
    return good ? CLI_CONFORMS : CLI_DIFFERS;
}

// What a reader must know beside the outcome.
static void say_lines(const char *what, const struct document_node *list)
{
    for (size_t i = 0; list && list->kind == DOCUMENT_SEQUENCE && i < list->count; i++)
        if (list->item[i]->kind == DOCUMENT_SCALAR)
            verify_say(what, list->item[i]->text, "");
}

// Prints on which machine it was certified; the reader judges whether this one is alike.
static void say_where(const struct document_node *run)
{
    static const char *const keys[] = {"processor", "architecture", "class", "system"};
    struct text text = {0};
    if (!run || run->kind != DOCUMENT_MAPPING)
        return;
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        if (document_find(run, keys[i]) && document_find(run, keys[i])->kind == DOCUMENT_SCALAR) {
            text_put(&text, text.size ? ", " : "");
            text_put(&text, shape_text(run, keys[i]));
        }
    if (text.failed)
        cli_leave_without_memory();
    if (text.size)
        verify_say("on       ", text.bytes, "");
    text_release(&text);
}

static int verify(struct verification *verification, struct diagnostic *diagnostic)
{
    static const struct shape target_shape[] = {{.key = "name", .kind = SHAPE_TEXT, .needed = true},
                                                {.key = "kind", .kind = SHAPE_TEXT},
                                                {.key = "version", .kind = SHAPE_TEXT},
                                                {.key = "heldTo", .kind = SHAPE_TEXT},
                                                {.key = "model", .kind = SHAPE_TEXT},
                                                {.key = "environment", .kind = SHAPE_TEXT},
                                                {.key = "recorded", .kind = SHAPE_ANY},
                                                {0}};
    enum error error = open_envelopes(verification, diagnostic);
    if (error) {
        cli_print_diagnostic(diagnostic);
        if (error != ERROR_INTERNAL)
            puts("The certificate does NOT hold.");
        return error == ERROR_INTERNAL  ? CLI_HARNESS
               : verification->readable ? CLI_DIFFERS
                                        : CLI_INPUT;
    }
    const struct document_node *const conformance =
        find_statement(verification, STATEMENT_CONFORMANCE);
    const struct document_node *const predicate =
        conformance ? document_find(conformance, "predicate") : NULL;
    if (!predicate || predicate->kind != DOCUMENT_MAPPING || !shape_text(predicate, "outcome") ||
        !shape_text(predicate, "level") || !shape_text(predicate, "summary") ||
        !document_find(predicate, "target") ||
        shape_check(document_find(predicate, "target"), target_shape, diagnostic)) {
        puts(find_statement(verification, STATEMENT_CONFORMANCE_1)
                 ? "An older build made this certificate (" STATEMENT_CONFORMANCE_1
                   "). It may count expected failures as conformance, it may be made of a file "
                   "that was edited, and it does not name all code. It is not checked further: "
                   "certify again."
                 : "There is no statement of conformance in it: this is no certificate.");
        return CLI_DIFFERS;
    }
    printf("signed    by this key, %u statements\n", verification->count);
    say_where(document_find(predicate, "run"));
    if (shape_text(document_find(predicate, "target"), "environment"))
        verify_say("with     ", shape_text(document_find(predicate, "target"), "environment"), "");
    say_lines("beside   ", document_find(predicate, "beside"));
    say_lines("not seen ", document_find(predicate, "notExcluded"));
    if (!verification->arguments->signature_only)
        error =
            verify_files(&verification->arguments->places, document_find(conformance, "subject"),
                         &verification->faults, diagnostic);
    if (document_find(document_find(predicate, "target"), "recorded") &&
        verification->arguments->rerun && !verification->arguments->places.recorded)
        error = diagnostic_fail(diagnostic, ERROR_INPUT,
                                "--rerun needs --recorded DIR: the certificate is about answers "
                                "that were recorded");
    if (!error && verification->arguments->rerun && verification->faults)
        verify_say("not again", "the sample", ": not run, since it is not what was certified");
    if (!error && !verification->faults && !verification->arguments->signature_only)
        error = check_cases(verification, predicate, verification->arguments->rerun, diagnostic);
    if (error)
        return cli_fail(diagnostic);
    return conclude(verification, conformance);
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments arguments = {0};
    const struct cli_option options[] = {
        {"key", CLI_TEXT, &arguments.key, "FILE.pem",
         "the signer's public key, which you got by another way than the certificate"},
        {"plugin", CLI_TEXT, &arguments.places.target, "FILE.so",
         "the target's plugin, when it is not one of assay's own"},
        {"exec", CLI_TEXT, &arguments.program, "PROGRAM",
         "the process target, as it was certified"},
        {"library", CLI_TEXT, &arguments.places.library, "PATH,...",
         "libraries, or folders where they lie, when not where they were when certified"},
        {"results", CLI_TEXT, &arguments.places.results, "FILE",
         "the results that the certificate was made from"},
        {"recorded", CLI_TEXT, &arguments.places.recorded, "DIR",
         "the recorded answers that the certificate is about"},
        {"tool", CLI_TEXT, &arguments.places.tool, "FILE", "the assay program that certified"},
        {"suite", CLI_TEXT, &arguments.suites, "PATH,...",
         "suites of one's own, each with its vectors beside it"},
        {"rerun", CLI_NUMBER, &arguments.rerun, "N", "certify N of all cases of its suites again"},
        {"signature-only", CLI_FLAG, &arguments.signature_only, NULL, "do not look at files"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (!arguments.key)
        return cli_usage(command, "--key is missing: only the signer's key tells who certified");
    arguments.certificate = argv[1];
    struct verification verification = {.arguments = &arguments};
    struct diagnostic diagnostic = {.text = ""};
    const char *const given[] = {arguments.key, arguments.certificate};
    for (unsigned i = 0; i < 2; i++) // a missing file is no fault of a certificate
        if (strcmp(given[i], "-") != 0 && access(given[i], R_OK)) {
            diagnostic_fail(&diagnostic, error_of_reading(errno), "cannot open %s: %s", given[i],
                            strerror(errno));
            return cli_fail(&diagnostic);
        }
    if (arguments.program) {
        struct target *target;
        size_t targets;
        if (targets_choose(NULL, NULL, arguments.program, &verification.arena, &target, &targets,
                           &diagnostic))
            return cli_fail(&diagnostic);
        arguments.places.target = target->path;
    }
    const int result =
        verify_read_suites(&arguments.places, arguments.suites, &verification.arena, &diagnostic)
            ? cli_fail(&diagnostic)
            : verify(&verification, &diagnostic);
    verify_release_suites(&arguments.places);
    arena_release(&verification.arena);
    return result;
}

const struct cli_command command_verify = {
    .name = "verify",
    .arguments = "--key FILE.pem [options] CERTIFICATE",
    .summary = "check a certificate: its signature and every file it names",
    .help = "Says whether the key signed this certificate, and whether suites, golden vectors, "
            "target and every library that it loaded are byte for byte those that were certified, "
            "and whether it names every case of its suites. "
            "Another build of assay than the one that certified is named and is no fault.\n\n"
            "  assay verify --key public.pem acme.certificate.jsonl\n"
            "  assay verify --key public.pem --plugin ./acme.so --rerun 20 \\\n"
            "    acme.certificate.jsonl",
    .exits = {"all of it holds", "something does not hold"},
    .takes = {1, 1, "one certificate"},
    .run = run,
};
