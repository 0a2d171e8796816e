// SPDX-License-Identifier: Apache-2.0
// assay verify: does a certificate hold? Its signature, and every file that it speaks of.

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "ref/base/digest.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "reports/envelope.h"
#include "reports/shape.h"
#include "reports/statement.h"
#include "reports/text.h"

enum { PATH_SIZE = 1024, STATEMENTS_MAX = 8 };

struct arguments {
    const char *certificate, *key, *library, *plugin, *results;
    unsigned long long rerun;
    bool signature_only;
};

struct verification {
    const struct arguments *arguments;
    struct arena arena;
    struct document_node *statement[STATEMENTS_MAX];
    struct document_source payload[STATEMENTS_MAX];
    unsigned count, checked, faults;
};

// One line of the answer; what comes from the certificate is made safe for a terminal.
static void say(const char *what, const char *name, const char *more)
{
    struct json_text text = {0};
    text_put(&text, what);
    text_put(&text, " ");
    text_put_plain(&text, name);
    text_put(&text, more);
    if (text.bytes)
        puts(text.bytes);
    json_text_release(&text);
}

// ---- signature ------------------------------------------------------------------------------------------------------

// Every line is an envelope; all must be signed by the key.
static enum error open_envelopes(struct verification *verification, struct diagnostic *diagnostic)
{
    struct document_source file;
    enum error error = file_read(verification->arguments->certificate, &verification->arena, &file, diagnostic);
    const char *at = file.text, *const end = error ? at : file.text + file.size;
    for (unsigned line = 0; !error && at < end; line++) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        struct document_source *const source = arena_take(&verification->arena, sizeof *source);
        struct document_node *root, *statement;
        if (!newline)
            return document_fail_at(&file, line + 1, 1, ERROR_INPUT, diagnostic,
                                    "the last line does not end: the certificate is cut off");
        if (!source)
            return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
        if (verification->count == STATEMENTS_MAX)
            return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d envelopes in one certificate", STATEMENTS_MAX);
        *source = (struct document_source){file.name, at, (size_t)(newline - at), line};
        struct document_source *const payload = &verification->payload[verification->count];
        error = json_read(source, &verification->arena, &root, diagnostic);
        if (!error)
            error = envelope_open(root, verification->arguments->key, &verification->arena, payload, diagnostic);
        if (!error)
            error = json_read(payload, &verification->arena, &statement, diagnostic);
        if (!error)
            error = shape_check(statement, statement_shape, diagnostic);
        if (!error && strcmp(shape_text(statement, "_type"), STATEMENT_TYPE) != 0)
            error = document_fail(statement, ERROR_INPUT, diagnostic, "the payload is no in-toto Statement");
        if (!error)
            verification->statement[verification->count++] = statement;
        at = newline + 1;
    }
    return error;
}

static const struct document_node *find_statement(const struct verification *verification, const char *predicate)
{
    for (unsigned i = 0; i < verification->count; i++)
        if (!strcmp(shape_text(verification->statement[i], "predicateType"), predicate))
            return verification->statement[i];
    return NULL;
}

// ---- files ----------------------------------------------------------------------------------------------------------

// Where a subject's file lies on this machine; false when nobody said.
static bool find_file(const struct arguments *arguments, const char *name, char path[PATH_SIZE])
{
    const char *const slash = strchr(name, '/'), *const rest = slash ? slash + 1 : name;
    const size_t folder = slash ? (size_t)(slash - name) : 0;
    const char *given = NULL;
    path[0] = '\0';
    if (strstr(name, ".."))
        return false; // names come from the certificate; they lead nowhere else
    if (folder == 7 && !strncmp(name, "library", 7))
        given = arguments->library;
    else if (folder == 7 && !strncmp(name, "results", 7))
        given = arguments->results;
    else if (folder == 6 && !strncmp(name, "target", 6) && !(given = arguments->plugin)) {
        char below[PATH_SIZE / 2];
        snprintf(below, sizeof below, "targets/%.400s", rest);
        cli_built_path(below, path, PATH_SIZE);
        if (access(path, R_OK) != 0) {
            snprintf(below, sizeof below, "harness/targets/%.400s", rest);
            cli_data_path(below, path, PATH_SIZE);
        }
        return access(path, R_OK) == 0;
    } else if (!strncmp(name, "yaml/suites/", 12) || !strncmp(name, "vectors/golden/", 15)) {
        cli_data_path(name, path, PATH_SIZE);
        return access(path, R_OK) == 0;
    }
    if (given)
        snprintf(path, PATH_SIZE, "%s", given);
    return given != NULL;
}

static enum error file_digest(const char *path, char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic)
{
    unsigned char bytes[64 * 1024], digest[DIGEST_SIZE];
    struct digest under_way = {0};
    FILE *const file = fopen(path, "rbe");
    if (!file)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "cannot open %.400s", path);
    enum error error = digest_begin(&under_way, diagnostic);
    for (size_t size; !error && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        error = digest_add(&under_way, bytes, size, diagnostic);
    if (!error && ferror(file))
        error = diagnostic_fail(diagnostic, ERROR_INPUT, "cannot read %.400s", path);
    if (!error)
        error = digest_end(&under_way, digest, diagnostic);
    digest_release(&under_way);
    fclose(file);
    if (!error)
        digest_write_hex(digest, hex);
    return error;
}

static enum error check_subject(struct verification *verification, const struct document_node *subject,
                                struct diagnostic *diagnostic)
{
    const char *const name = shape_text(subject, "name"), *const wanted =
                                                              shape_text(document_find(subject, "digest"), "sha256");
    char path[PATH_SIZE], hex[DIGEST_HEX_SIZE];
    if (!find_file(verification->arguments, name, path)) {
        if (!strncmp(name, "results/", 8)) {
            say("not given", name, " (--results FILE checks it too)");
            return ERROR_NONE;
        }
        say("missing  ", name,
            !strncmp(name, "library/", 8)  ? ": say where it is with --library FILE"
            : !strncmp(name, "target/", 7) ? ": say where it is with --plugin FILE"
                                           : ": it is not on this machine");
        verification->faults++;
        return ERROR_NONE;
    }
    const enum error error = file_digest(path, hex, diagnostic);
    if (error)
        return error;
    verification->checked++;
    if (!strcmp(hex, wanted)) {
        say("unchanged", name, "");
        return ERROR_NONE;
    }
    say("CHANGED  ", name, ": its bytes are not those that were certified");
    verification->faults++;
    return ERROR_NONE;
}

// ---- a sample, run again --------------------------------------------------------------------------------------------

static int certify_again(const struct arguments *arguments, const char *target, const char *suite, const char *name)
{
    const char *const argv[] = {"assay",
                                "certify",
                                arguments->plugin ? "--plugin" : "--target",
                                arguments->plugin ? arguments->plugin : target,
                                "--suite",
                                suite,
                                "--case",
                                name,
                                "--quiet",
                                NULL};
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
        return -1;
    if (!child) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execv("/proc/self/exe", (char *const *)argv);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Cases at equal distances of those that passed.
static void rerun(struct verification *verification, const struct document_node *conformance)
{
    const struct document_node *const results = find_statement(verification, STATEMENT_TEST_RESULT);
    const struct document_node *const predicate = results ? document_find(results, "predicate") : NULL;
    const struct document_node *const passed =
        predicate && predicate->kind == DOCUMENT_MAPPING ? document_find(predicate, "passedTests") : NULL;
    const struct document_node *const target = document_find(document_find(conformance, "predicate"), "target");
    if (!passed || passed->kind != DOCUMENT_SEQUENCE || !passed->count || !target || target->kind != DOCUMENT_MAPPING ||
        !shape_text(target, "name")) {
        say("missing  ", "passed cases", ": there is nothing to run again");
        verification->faults++;
        return;
    }
    const size_t wanted =
        verification->arguments->rerun < passed->count ? (size_t)verification->arguments->rerun : passed->count;
    for (size_t i = 0; i < wanted; i++) {
        char name[PATH_SIZE];
        snprintf(name, sizeof name, "%s", passed->item[i * passed->count / wanted]->text);
        char *const slash = strchr(name, '/');
        if (!slash || name[0] == '-')
            continue;
        *slash = '\0';
        const int code = certify_again(verification->arguments, shape_text(target, "name"), name, slash + 1);
        *slash = '/';
        verification->checked++;
        verification->faults += code != CLI_CONFORMS;
        say(code == CLI_CONFORMS ? "again    " : "NOT AGAIN", name, code == CLI_CONFORMS ? "" : ": it does not pass now");
    }
}

// ---- the command ----------------------------------------------------------------------------------------------------

static int conclude(const struct verification *verification, const struct document_node *conformance)
{
    const struct document_node *const predicate = document_find(conformance, "predicate"), *const target = document_find(
                                                                                               predicate, "target");
    const char *const outcome = shape_text(predicate, "outcome"), *const level = shape_text(predicate, "level");
    struct json_text text = {0};
    if (verification->faults)
        text_print(&text, "The certificate does NOT hold: %u of its statements are not true here.\n", verification->faults);
    else if (!strcmp(outcome, tally_outcome_name(OUTCOME_DIFFERS)) || !strcmp(outcome, tally_outcome_name(OUTCOME_NOTHING)))
        text_put(&text, "This is a signed statement and no certificate: the target does not conform.\n");
    else {
        text_put(&text, verification->arguments->signature_only ? "The signature holds; files were not looked at: "
                                                                : "The certificate holds: ");
        text_put_plain(&text, shape_text(target, "name"));
        text_put(&text, " ");
        text_put_plain(&text, shape_text(target, "version") ? shape_text(target, "version") : "");
        text_put(&text, " ");
        text_put_plain(&text, outcome);
        text_put(&text, " (lowest level: ");
        text_put_plain(&text, level);
        text_put(&text, ").\n");
    }
    const bool good = text.bytes && !strncmp(text.bytes, "The ", 4) && !verification->faults;
    fputs(text.bytes ? text.bytes : "out of memory\n", stdout);
    json_text_release(&text);
    return good ? CLI_CONFORMS : CLI_DIFFERS;
}

static int verify(struct verification *verification, struct diagnostic *diagnostic)
{
    static const struct shape target_shape[] = {{.key = "name", .kind = SHAPE_TEXT, .needed = true},
                                                {.key = "kind", .kind = SHAPE_TEXT},
                                                {.key = "version", .kind = SHAPE_TEXT},
                                                {0}};
    enum error error = open_envelopes(verification, diagnostic);
    if (error) {
        cli_print_diagnostic(diagnostic);
        puts("The certificate does NOT hold.");
        return error == ERROR_INTERNAL ? CLI_HARNESS : CLI_DIFFERS;
    }
    const struct document_node *const conformance = find_statement(verification, STATEMENT_CONFORMANCE);
    const struct document_node *const predicate = conformance ? document_find(conformance, "predicate") : NULL;
    if (!predicate || predicate->kind != DOCUMENT_MAPPING || !shape_text(predicate, "outcome") ||
        !shape_text(predicate, "level") || !document_find(predicate, "target") ||
        shape_check(document_find(predicate, "target"), target_shape, diagnostic)) {
        puts("There is no statement of conformance in it: this is no certificate.");
        return CLI_DIFFERS;
    }
    printf("signed    by this key, %u statements\n", verification->count);
    const struct document_node *const subjects = document_find(conformance, "subject");
    for (size_t i = 0; !error && !verification->arguments->signature_only && i < subjects->count; i++)
        error = check_subject(verification, subjects->item[i], diagnostic);
    if (error)
        return cli_fail(diagnostic);
    if (verification->arguments->rerun)
        rerun(verification, conformance);
    return conclude(verification, conformance);
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments arguments = {0};
    const struct cli_option options[] = {
        {"key", CLI_TEXT, &arguments.key, "FILE.pem",
         "the signer's public key, which you got by another way than the certificate"},
        {"library", CLI_TEXT, &arguments.library, "FILE", "the library that was certified"},
        {"plugin", CLI_TEXT, &arguments.plugin, "FILE", "the target's plugin or program, when it is not one of assay's own"},
        {"results", CLI_TEXT, &arguments.results, "FILE", "the results that the certificate was made from"},
        {"rerun", CLI_NUMBER, &arguments.rerun, "N", "certify N of the cases that passed again"},
        {"signature-only", CLI_FLAG, &arguments.signature_only, NULL, "do not look at files"},
    };
    int count;
    const int parsed = cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (parsed)
        return parsed < 0 ? CLI_CONFORMS : parsed;
    if (count != 1)
        return cli_usage(command, "name one certificate");
    if (!arguments.key)
        return cli_usage(command, "--key is missing: without the signer's key a certificate says nothing");
    arguments.certificate = argv[1];
    struct verification verification = {.arguments = &arguments};
    struct diagnostic diagnostic = {.text = ""};
    const int code = verify(&verification, &diagnostic);
    arena_release(&verification.arena);
    return code;
}

const struct cli_command command_verify = {
    .name = "verify",
    .arguments = "--key FILE.pem [options] CERTIFICATE",
    .summary = "check a certificate: its signature and every file it speaks of",
    .help = "Says whether the key signed this certificate, and whether suites, golden vectors, plugin and library are byte for "
            "byte those\n"
            "that were certified. Exit code 0 when all of it holds, 1 when anything does not.\n\n"
            "  assay verify --key public.pem certificate.jsonl\n"
            "  assay verify --key public.pem --library libacme.so --rerun 20 certificate.jsonl",
    .run = run,
};
