// SPDX-License-Identifier: Apache-2.0
// assay record: a certification without verdicts. The target is asked what the judge asks, and each
// answer is kept, so that a later judgement has all that a live run has.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/cli/certify/recorded.h"
#include "harness/cli/cli.h"
#include "harness/cli/commands.h"
#include "harness/cli/seal.h"
#include "harness/host/watch.h"
#include "harness/host/conditions.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/version.h"

// ---- the header -------------------------------------------------------------

static void put_now(char text[32])
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts))
        snprintf(text, 32, "0000-00-00T00:00:00Z");
}

static void put_machine(struct text *text, const struct machine *machine)
{
    json_begin_object_at(text, "machine");
    json_put_pairs(text, {"architecture", machine->architecture}, {"class", machine->class},
                   {"instructions", machine->instructions}, {"processor", machine->processor},
                   {"system", machine->system});
    json_put_unsigned_at(text, "processors", machine->threads);
    json_end_object(text);
}

static enum error put_target(struct text *text, struct certify_work *work,
                             struct diagnostic *diagnostic)
{
    const struct target *const target = work->targets;
    const struct certify_session *const session = work->session;
    char sha256[DIGEST_HEX_SIZE] = "";
    struct text untried = {0};
    enum error error = digest_is_there(target->path)
                           ? digest_path(target->path, sha256, diagnostic)
                           : ERROR_NONE; // a program that is looked for in PATH
    conditions_put_untried(&session->description, &untried);
    json_begin_object_at(text, "target");
    json_put_pair(text, "name", target->name);
    record_put_description(text, &session->description);
    json_put_pairs(text, {"file", file_name(target->path)}, {"sha256", sha256[0] ? sha256 : NULL},
                   {"held_to", target->held_to},
                   {"environment", host_environment(target->environment, &work->arena)},
                   {"unseen", session->unseen}, {"untried", untried.size ? untried.bytes : NULL},
                   {"outside", session->closing});
    if (target->native)
        json_put_boolean_at(text, "native", true);
    json_begin_list_at(text, "libraries");
    for (size_t i = 0; i < session->library_count; i++)
        json_put_object(text, {"file", session->library[i].name},
                        {"sha256", session->library[i].sha256});
    json_end_list(text);
    json_end_object(text);
    text->failed |= untried.failed;
    text_release(&untried);
    return error;
}

static enum error put_header(struct text *text, struct certify_work *work, const char *now,
                             struct diagnostic *diagnostic)
{
    json_begin_object(text);
    json_put_pairs(text, {"record", "header"}, {"format", RECORD_FORMAT}, {"recorded", now},
                   {"by", "assay " ASSAY_VERSION});
    enum error error = put_target(text, work, diagnostic);
    put_machine(text, &work->machine);
    json_begin_list_at(text, "suites");
    for (size_t i = 0; i < work->suite_count && !error; i++) {
        char sha256[DIGEST_HEX_SIZE];
        error = digest_path(work->suites[i].path, sha256, diagnostic);
        if (!error)
            json_put_object(text, {"name", work->suites[i].name},
                            {"version", work->suites[i].version}, {"sha256", sha256});
    }
    json_end_list(text);
    return error;
}

// ---- the command ------------------------------------------------------------

static enum error write_record(struct certify_work *work, struct record_writer *writer,
                               struct diagnostic *diagnostic)
{
    const char *const key = work->arguments->key;
    char sha256[DIGEST_HEX_SIZE], now[32];
    struct text header = {0}, signature = {0};
    put_now(now);
    enum error error = put_header(&header, work, now, diagnostic);
    if (!error)
        error = form_close(writer->form, &header, sha256, diagnostic);
    if (!error && key)
        error = recorded_sign(&signature, key, work->targets[0].name, now, sha256, diagnostic);
    if (!error && key)
        error = signature.failed ? diagnostic_no_memory(diagnostic)
                                 : form_add_file(writer->form, RECORDED_SIGNATURE, signature.bytes,
                                                 signature.size, diagnostic);
    if (!error)
        error = form_commit(writer->form, diagnostic);
    text_release(&header);
    text_release(&signature);
    return error;
}

static size_t count_cases(const struct certify_work *work, size_t *answered)
{
    size_t count = 0;
    *answered = 0;
    for (size_t s = 0; s < work->suite_count; s++) {
        const struct judge_run *const run = &work->runs[s];
        count += work->judged[s] ? run->result_count : 0;
        for (size_t i = 0; work->judged[s] && i < run->result_count; i++)
            *answered += run->result[i].verdict != VERDICT_UNSUPPORTED;
    }
    return count;
}

static int conclude(struct certify_work *work, struct record_writer *writer)
{
    const struct certify_arguments *const a = work->arguments;
    struct diagnostic diagnostic = {.text = ""};
    size_t answered;
    const size_t cases = count_cases(work, &answered);
    if (work->session[0].unavailable) {
        fprintf(stderr, "assay: %s: not available: %s\n", work->targets[0].name,
                work->session[0].unavailable);
        return CLI_HARNESS;
    }
    if (!answered) {
        fprintf(stderr, "assay: nothing was recorded: %s\n",
                cases ? "the target supports none of the cases" : "no case was selected");
        return CLI_NOTHING;
    }
    if (write_record(work, writer, &diagnostic))
        return cli_fail(&diagnostic);
    if (!a->quiet)
        printf("%s %s: %llu answers to %zu of %zu cases, %llu bytes of tensors, recorded in %s\n"
               "assay certify --recorded %s judges them\n",
               work->targets[0].name, work->session[0].description.version,
               (unsigned long long)form_lines(writer->form), answered, cases,
               (unsigned long long)form_bytes(writer->form), a->to, a->to);
    return CLI_CONFORMS;
}

static int record_all(struct certify_work *work)
{
    static const struct shard_plan whole = {.command = "record", .index = 1, .count = 1};
    struct record_writer writer = {.form = NULL};
    struct diagnostic diagnostic = {.text = ""};
    enum error error = certify_prepare(work, &diagnostic);
    if (!error && work->target_count != 1)
        error = diagnostic_fail(&diagnostic, ERROR_INPUT, "one target at a time; %zu are named",
                                work->target_count);
    if (!error)
        error = form_begin(work->arguments->to, RECORD_NAME, &writer.form, &diagnostic);
    if (!error) {
        work->targets[0].recorder = &writer;
        error = certify_run_target(work, 0, &whole, &diagnostic);
    }
    const int code = error ? cli_fail(&diagnostic) : conclude(work, &writer);
    form_release(writer.form);
    text_release(&writer.line);
    return code;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct certify_arguments a = {.jobs = 1, .no_explain = true};
    const struct cli_option options[] = {
        {"target", CLI_TEXT, &a.target, "NAME", "a target by name (`assay targets` lists them)"},
        {"plugin", CLI_TEXT, &a.plugin, "FILE.so", "a plugin of your own"},
        {"exec", CLI_TEXT, &a.program, "PROGRAM",
         "a process target of your own, with its arguments"},
        {"suite", CLI_TEXT, &a.suite, "NAME,...", "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &a.pattern, "PATTERN", "only cases whose id matches, as in a shell"},
        {"to", CLI_TEXT, &a.to, "DIR", "the folder to make: one that is not there, or is empty"},
        {"sign", CLI_TEXT, &a.key, "KEY.pem", "sign the record with this Ed25519 key"},
        {"mode", CLI_TEXT, &a.mode, "NAME", "what certify --mode NAME will ask for"},
        {"seed", CLI_TEXT, &a.seed, "N", "also the cases with other data, drawn from the number N"},
        {"time", CLI_NUMBER, &a.time_ms, "MS", "longest that one call may take (10,000)"},
        {"quiet", CLI_FLAG, &a.quiet, NULL, "print nothing where all goes well"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (!a.to)
        return cli_usage(command, "--to is missing: the folder to make");
    if (certify_mode(&a) == JUDGE_MODES)
        return cli_usage(
            command, "there is no mode '%s'; there are observed, sequence and stepwise", a.mode);
    if (a.seed && !strcmp(a.seed, CERTIFY_DRAW))
        return cli_usage(command, "--seed must be a number here: certify takes the same one");
    struct diagnostic diagnostic = {.text = ""};
    struct certify_work work = {.arguments = &a};
    if (a.key && (seal_check_key(a.key, &diagnostic) || watch_ask(&diagnostic)))
        return cli_fail(&diagnostic);
    const int result = record_all(&work);
    certify_release(&work);
    return result;
}

const struct cli_command command_record = {
    .name = "record",
    .arguments = "--target NAME --to DIR [options]",
    .summary = "keep a target's answers, to be judged elsewhere or later",
    .help = "Asks a target all that `certify` asks, under the same conditions, and keeps each "
            "answer in DIR with the machine, the target's files and their digests, and the suites. "
            "`certify --recorded DIR` judges them, on any machine, also by a newer suite as far as "
            "its requests are the same. Each line of record.jsonl and each tensor in record.data "
            "has a digest: a changed byte is refused, and its place named. Of outputs above 64 "
            "MiB nothing is kept.\n\n"
            "  assay record --target onednn2 --suite onednn.rnn --to there \\\n"
            "    --sign key.pem\n"
            "  assay certify --recorded there --recorded-by public.pem --out there.jsonl\n\n"
            "Where assay cannot run, runners that need only what `assay export --requests` writes "
            "make the same form: assay-runner (plugins), record.py (Python).",
    .exits = {"recorded", [CLI_NOTHING] = "no case was selected, or the target supports none"},
    .run = run,
};
