// SPDX-License-Identifier: Apache-2.0
// assay audit night and history: nights, and the evidence that they add up to.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/cli.h"
#include "ref/base/json.h"
#include "stats/nights/history.h"

// ---- the course -------------------------------------------------------------

void audit_put_night(struct text *text, const struct history_night *night)
{
    json_put_unsigned_at(text, "number", night->night);
    json_put_unsigned_at(text, "first_byte", night->first_block * AUDIT_BLOCK_BYTES);
    json_put_unsigned_at(text, "bytes", night->blocks * AUDIT_BLOCK_BYTES);
    json_put_real_at(text, "log10_p", audit_log10(night->log_p));
    json_put_pair(text, "verdict", night->flawed ? "flawed" : "clean");
    json_put_real_at(text, "log10_evidence", audit_log10(night->log_e));
    json_put_real_at(text, "alpha", night->alpha);
    json_put_boolean_at(text, "alarm", night->alarm != 0);
    json_put_pair(text, "version", night->version);
}

struct listing {
    unsigned nights;
    struct text *json; // NULL: lines for a person
};

static void print_night(void *context, const struct history_night *night)
{
    struct listing *const listing = context;
    struct text *const json = listing->json;
    char size[32], p[32], at[32];
    listing->nights++;
    if (json) {
        json_begin_object(json);
        json_put_pairs(json, {"source", night->source}, {"profile", night->profile});
        audit_put_night(json, night);
        json_put_pairs(json, {"test", night->test}, {"what", night->what}, {"tool", night->tool},
                       {"closed", night->closed});
        json_end_object(json);
        return;
    }
    if (listing->nights == 1)
        printf("%-24s %-8s %6s %12s %10s %9s %12s  %s\n", "source", "profile", "night", "from byte",
               "bytes", "p", "evidence", "");
    printf("%-24s %-8s %6" PRIu64 " %12s %10s %9s %12.4g  %s%s%s\n", night->source, night->profile,
           night->night, audit_text_bytes(night->first_block * AUDIT_BLOCK_BYTES, at, sizeof at),
           audit_text_bytes(night->blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
           audit_text_p(night->log_p, p, sizeof p),
           __builtin_exp(night->log_e < 700 ? night->log_e : 700), night->alarm ? "ALARM " : "",
           night->flawed ? "FLAWED " : "",
           night->log_p < -9.2 ? night->what
           : night->flawed     ? ""
                               : "clean");
}

// The course of the nights; the evidence may be read at any time: under a perfect source it passes
// 1/alpha with a chance of at most alpha over all nights.
static int show_history(const struct audit_arguments *a)
{
    struct history *history;
    struct diagnostic diagnostic;
    struct text json = {0};
    struct listing listing = {0, a->json ? &json : NULL};
    if (access(a->database, R_OK)) {
        fprintf(stderr,
                "assay: there is no audit history %s; `assay audit night --source NAME` begins "
                "one\n",
                a->database);
        return CLI_INPUT;
    }
    if (history_open(&history, a->database, HISTORY_READ, &diagnostic))
        return cli_fail(&diagnostic);
    if (a->json) {
        json_begin_object(&json);
        json_begin_list_at(&json, "nights");
    }
    enum error error = history_list(history, a->source, print_night, &listing, &diagnostic);
    history_close(history);
    if (a->json) {
        json_end_list(&json);
        json_end_object(&json);
        text_put_bytes(&json, "\n", 1);
        if (!error && json.failed)
            error = diagnostic_no_memory(&diagnostic);
        if (!error)
            printf("%s", json.bytes);
        text_release(&json);
    }
    if (error)
        return cli_fail(&diagnostic);
    if (!listing.nights)
        fprintf(stderr, "assay: no night has been closed yet\n");
    return listing.nights ? CLI_CONFORMS : CLI_NOTHING;
}

static int run_history(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = AUDIT_DEFAULTS;
    const struct cli_option options[] = {
        {"source", CLI_TEXT, &a.source, "NAME", "only the nights of this source (default: all)"},
        AUDIT_HISTORY_OPTION(a),
        {"json", CLI_FLAG, &a.json, NULL, "one JSON object instead of text"}};
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    return code ? code : show_history(&a);
}

const struct cli_command audit_part_history = {
    .name = "audit history",
    .arguments = "[--source NAME] [options]",
    .summary = "print the nights so far, and their evidence",
    .help = "Prints every closed night of a history and changes nothing. Evidence may be read at "
            "any time: under a perfect source it exceeds 1/alpha with a chance of at most alpha "
            "over all nights.",
    .exits = {"printed", [CLI_NOTHING] = "no night has been closed yet"},
    .run = run_history,
};

// ---- one night --------------------------------------------------------------

static void print_result(const struct audit_arguments *a, const struct audit_result *result)
{
    const struct history_night *const night = a->entry;
    char p[32], size[32];
    audit_print_text(a, result);
    if (*night->older)
        printf("a new course: this target has version %s, and the nights of version %s are not "
               "continued\n",
               night->version, night->older);
    printf("night %" PRIu64 ": %s from byte %" PRIu64
           " on, p = %s%s; evidence of all nights %.4g, alarm at %.4g: %s\n",
           night->night, audit_text_bytes(night->blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
           night->first_block * AUDIT_BLOCK_BYTES, audit_text_p(night->log_p, p, sizeof p),
           night->flawed ? ", FLAWED by this night alone" : "",
           __builtin_exp(night->log_e < 700 ? night->log_e : 700), 1 / night->alpha,
           night->alarm ? "ALARM, the source is flawed" : "no alarm");
}

enum { VERSION = 96 };

// What a course is about; `version` gets the target's, and belongs to it.
static enum error name_subject(const struct audit_arguments *a, char version[VERSION],
                               struct history_subject *subject, struct diagnostic *diagnostic)
{
    *subject = (struct history_subject){a->source, a->streams > 1 ? audit_kin_names[a->kin] : "",
                                        version, a->seed, (unsigned)a->streams};
    return audit_source_version(a->source, version, VERSION, diagnostic);
}

enum error audit_next_block(const struct audit_arguments *a, uint64_t *first_block,
                            struct diagnostic *diagnostic)
{
    char version[VERSION];
    struct history_subject subject;
    struct history *history;
    *first_block = 0;
    if (access(a->database, F_OK))
        return ERROR_NONE;
    enum error error = name_subject(a, version, &subject, diagnostic);
    if (!error)
        error = history_open(&history, a->database, HISTORY_READ, diagnostic);
    if (error)
        return error;
    error = history_next_block(history, &subject, first_block, diagnostic);
    history_close(history);
    return error;
}

// Runs the night and says what it was; *code is the exit code where there is no error.
static enum error run_night(const struct audit_arguments *a, struct history *history, double alpha,
                            struct audit_options *audit, const struct source *source, int *code,
                            struct diagnostic *diagnostic)
{
    char version[VERSION];
    struct history_subject subject;
    struct audit_arguments with = *a;
    struct history_night night;
    struct audit_result result;
    enum error error = name_subject(a, version, &subject, diagnostic);
    if (error)
        return error;
    error = history_run(history, &subject, alpha, audit, source, &night, &result, diagnostic);
    with.entry = &night;
    if (!error && a->out)
        error = audit_write_result(&with, &result, diagnostic);
    if (!error)
        error = audit_keep_window(a, &result, diagnostic);
    if (!error && a->json)
        audit_print_json(&with, &result);
    else if (!error)
        print_result(&with, &result);
    *code = night.alarm || night.flawed ? CLI_DIFFERS : CLI_CONFORMS;
    audit_release(&result);
    return error;
}

// One night: the next range of blocks, and the evidence of all nights so far.
int audit_run_night(const struct audit_arguments *a, struct audit_options *audit,
                    const struct source *source)
{
    struct history *history;
    struct diagnostic diagnostic;
    char *end;
    int code = CLI_CONFORMS;
    const double alpha = a->alpha ? strtod(a->alpha, &end) : 1e-6;
    if (a->alpha && (*end || !(alpha > 0 && alpha < 1))) {
        fprintf(stderr, "assay: --alpha is '%s'; expected a number between 0 and 1\n", a->alpha);
        return CLI_INPUT;
    }
    const int piped =
        !strcmp(a->source, "stdin") || !strcmp(a->source, "-") || !strncmp(a->source, "file:", 5);
    if (piped && !source->random_access) {
        fprintf(
            stderr,
            "assay: a night reads the words after those of the nights before, and a pipe cannot "
            "be read from there: %s has no nights. Keep its words in a file (file:PATH), or use "
            "audit run\n",
            a->source);
        return CLI_INPUT;
    }
    if (history_open(&history, a->database, HISTORY_WRITE, &diagnostic))
        return cli_fail(&diagnostic);
    const enum error error = run_night(a, history, alpha, audit, source, &code, &diagnostic);
    history_close(history);
    return error ? cli_fail(&diagnostic) : code;
}
