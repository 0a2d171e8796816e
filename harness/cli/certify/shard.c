// SPDX-License-Identifier: Apache-2.0
// A certification in parts: the plan, one part, and all parts judged as one run.
//
// The plan holds the command line and the digests of all that it names, so that the process that
// joins the parts reads the same suites, targets and known failures, or refuses. It also holds the
// machine: parts that ran on other processors are of another plan.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/certify/files.h"
#include "harness/cli/certify/work.h"
#include "harness/cli/cli.h"
#include "harness/cli/shards.h"
#include "harness/judge/run/cases.h"
#include "harness/judge/run/certify.h"
#include "harness/judge/run/certify_shard.h"
#include "harness/judge/search/explain.h"
#include "ref/base/digest.h"

// ---- the plan ---------------------------------------------------------------

// Every word of the command line that has a say in the result.
struct plan_word {
    const char *key;
    const char **text; // one of these is set
    unsigned long long *number;
    bool *flag;
};

enum { PLAN_WORDS = 13 };

static void list_words(struct certify_arguments *a, struct plan_word word[PLAN_WORDS])
{
    const struct plan_word words[PLAN_WORDS] = {{.key = "target", .text = &a->target},
                                                {.key = "plugin", .text = &a->plugin},
                                                {.key = "exec", .text = &a->program},
                                                {.key = "suite", .text = &a->suite},
                                                {.key = "case", .text = &a->pattern},
                                                {.key = "known", .text = &a->known},
                                                {.key = "failures", .number = &a->failures},
                                                {.key = "time", .number = &a->time_ms},
                                                {.key = "quick", .flag = &a->quick},
                                                {.key = "requirements", .flag = &a->requirements},
                                                {.key = "no-explain", .flag = &a->no_explain},
                                                {.key = "mode", .text = &a->mode},
                                                {.key = "seed", .text = &a->seed}};
    memcpy(word, words, sizeof words);
}

static enum error put_files(const struct certify_work *work, struct text *text,
                            struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_begin_list_at(text, "files");
    for (size_t s = 0; s < work->suite_count && !error; s++)
        error = shards_put_file(text, work->suites[s].name, work->suites[s].path, diagnostic);
    for (size_t t = 0; t < work->target_count && !error; t++) {
        const struct target *const target = &work->targets[t];
        const enum error unread =
            target->path ? shards_put_file(text, target->name, target->path, diagnostic)
                         : ERROR_NONE;
        if (unread == ERROR_INTERNAL || (unread && target->named && !target->program))
            error = unread;
        else if (unread)
            json_put_string(text,
                            target->name); // missing, or a program in the search path
    }
    if (!error && work->has_known)
        error = shards_put_file(text, "known", work->arguments->known, diagnostic);
    json_end_list(text);
    return error;
}

// The number of processes is no part of the plan: results do not depend on it.
enum error certify_describe(const struct certify_work *work, struct text *text,
                            struct diagnostic *diagnostic)
{
    struct certify_arguments a = *work->arguments;
    a.seed = work->seed;
    struct plan_word word[PLAN_WORDS];
    list_words(&a, word);
    json_begin_object(text);
    enum error error = shards_put_program(text, diagnostic);
    for (unsigned i = 0; i < PLAN_WORDS; i++) {
        if (word[i].text && !*word[i].text)
            continue;
        json_put_key(text, word[i].key);
        if (word[i].text)
            json_put_string(text, *word[i].text);
        else if (word[i].number)
            json_put_unsigned(text, *word[i].number);
        else
            json_put_boolean(text, *word[i].flag);
    }
    json_begin_object_at(text, SHARDS_MACHINE);
    json_put_pairs(text, {"architecture", work->machine.architecture},
                   {"class", work->machine.class}, {"instructions", work->machine.instructions},
                   {"processor", work->machine.processor}, {"system", work->machine.system});
    json_end_object(text);
    json_begin_list_at(text, "held_to");
    for (size_t t = 0; t < work->target_count; t++)
        json_put_string(text, work->targets[t].native    ? "native"
                              : work->targets[t].held_to ? work->targets[t].held_to
                                                         : "");
    json_end_list(text);
    if (!error)
        error = put_files(work, text, diagnostic);
    json_end_object(text);
    return error ? error : text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

// What `describe` wrote; whether it is well-formed shows when it is written again and compared.
enum error certify_read_plan(const struct shard_set *set, struct arena *arena,
                             struct certify_arguments *a, struct machine *machine,
                             struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(arena, sizeof *source);
    struct document_node *root;
    struct plan_word word[PLAN_WORDS];
    if (!source)
        return diagnostic_no_memory(diagnostic);
    *source =
        (struct document_source){.name = "plan", .text = set->text, .size = strlen(set->text)};
    enum error error = json_read(source, arena, &root, diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "the plan of a certification", diagnostic);
    if (error)
        return error;
    list_words(a, word);
    for (unsigned i = 0; i < PLAN_WORDS; i++) {
        const char *const text = document_text(root, word[i].key);
        if (word[i].text)
            *word[i].text = text;
        else if (word[i].number)
            *word[i].number = text ? strtoull(text, NULL, 10) : 0;
        else
            *word[i].flag = text && !strcmp(text, "true");
    }
    if (a->mode && judge_mode_named(a->mode) == JUDGE_MODES)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "the plan names a mode '%.80s', which does not exist", a->mode);
    const struct document_node *const at = document_find(root, SHARDS_MACHINE);
    const char *const architecture = document_text(at, "architecture"),
                      *const class = document_text(at, "class"),
                      *const instructions = document_text(at, "instructions"),
                      *const processor = document_text(at, "processor"),
                      *const system = document_text(at, "system");
    snprintf(machine->architecture, sizeof machine->architecture, "%s",
             architecture ? architecture : "");
    snprintf(machine->class, sizeof machine->class, "%s", class ? class : "");
    snprintf(machine->instructions, sizeof machine->instructions, "%s",
             instructions ? instructions : "");
    snprintf(machine->processor, sizeof machine->processor, "%s", processor ? processor : "");
    snprintf(machine->system, sizeof machine->system, "%s", system ? system : "");
    return ERROR_NONE;
}

// ---- one part ---------------------------------------------------------------

static void code_session(const struct shard_codec *codec, struct certify_session *session)
{
    enum { LIBRARIES_MAX = 16384 };
    shard_code_text(codec, &session->unavailable);
    if (session->unavailable)
        return;
    judge_code_description(codec, &session->description);
    shard_code_text(codec, &session->closing);
    shard_code_text(codec, &session->unseen);
    SHARD_CODE(codec, session->spent, UINT64_MAX);
    struct records_library *const library = shard_code_list(
        codec, session->library, &session->library_count, sizeof *library, LIBRARIES_MAX);
    session->library = library;
    for (size_t i = 0; i < session->library_count; i++) {
        shard_code_text(codec, &library[i].name);
        shard_code_chars(codec, library[i].sha256, sizeof library[i].sha256);
        shard_code_check(codec,
                         library[i].name && strlen(library[i].sha256) == DIGEST_HEX_SIZE - 1);
    }
}

void certify_put_target(const struct certify_work *work, size_t t, bool begun,
                        struct shard_payload *payload)
{
    shard_put_number(payload, begun);
    if (!begun)
        return;
    code_session(&(struct shard_codec){.to = payload}, &work->session[t]);
    if (work->session[t].unavailable)
        return;
    for (size_t s = 0; s < work->suite_count; s++) {
        const size_t at = t * work->suite_count + s;
        shard_put_number(payload, work->judged[at]);
        if (work->judged[at])
            judge_put(payload, &work->runs[at]);
        judge_release(&work->runs[at]);
    }
}

// A complete part is never run again, so a failure of this machine must not get into it. Processes
// of one certification report such a failure as one process would.
static enum error check_ran(const struct certify_work *work, size_t t,
                            struct diagnostic *diagnostic)
{
    const struct target *const target = &work->targets[t];
    if (!work->arguments->shard)
        return ERROR_NONE;
    if (work->session[t].unavailable && target->named)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "%.100s: not available: %.500s. No part is written", target->name,
                               work->session[t].unavailable);
    for (size_t s = 0; s < work->suite_count && !work->session[t].unavailable; s++) {
        const struct judge_run *const run = &work->runs[t * work->suite_count + s];
        for (size_t i = 0; i < run->result_count; i++)
            if (run->result[i].mine && run->result[i].verdict == VERDICT_HARNESS)
                return diagnostic_fail(
                    diagnostic, ERROR_SYSTEM,
                    "%.100s: case %.100s could not be run: %.400s. No part is written",
                    target->name, run->result[i].of->id,
                    run->result[i].reason ? run->result[i].reason : "no reason");
    }
    return ERROR_NONE;
}

int certify_part(struct certify_work *work, unsigned index, unsigned count)
{
    struct text text = {0};
    struct shard_payload payload = {0};
    struct diagnostic diagnostic = {.text = ""};
    bool complete = false;
    enum error error = certify_describe(work, &text, &diagnostic);
    const struct shard_plan plan = {
        .command = "certify", .text = text.bytes, .index = index, .count = count};
    if (!error && work->arguments->plan) {
        const int code = shards_say_plan(work->arguments->to, &plan);
        text_release(&text);
        return code;
    }
    if (!error)
        error = shard_begin(work->arguments->to, &plan, &complete, &diagnostic);
    shard_put_number(&payload, work->machine.threads);
    for (size_t t = 0; t < work->target_count && !error && !complete; t++) {
        const bool runs = !*certify_stop() && !(work->complete && work->complete[t]);
        if (runs)
            error = certify_run_target(work, t, &plan, &diagnostic);
        if (runs && !error)
            error = check_ran(work, t, &diagnostic);
        if (!error)
            certify_put_target(work, t, runs, &payload);
    }
    if (!error && !complete)
        error = shard_write(work->arguments->to, &plan, &payload, &diagnostic);
    if (!error)
        printf("certify: part %u of %u %s\n", index, count,
               complete ? "was complete" : "is complete");
    text_release(&payload.bytes);
    text_release(&text);
    return error ? cli_fail(&diagnostic) : CLI_CONFORMS;
}

// ---- joining ----------------------------------------------------------------

bool certify_same_description(const struct host_description *a, const struct host_description *b)
{
    bool same = !strcmp(a->name, b->name) && !strcmp(a->version, b->version) &&
                a->capabilities == b->capabilities && a->process == b->process &&
                a->feed_count == b->feed_count && !strcmp(a->model, b->model) &&
                !strcmp(a->change, b->change);
    for (uint32_t i = 0; same && i < a->feed_count; i++)
        same = !strcmp(a->feeds[i], b->feeds[i]);
    return same;
}

// All parts must have met the same library.
static enum error take_session(struct certify_work *work, size_t t, struct shard_reader *reader,
                               unsigned part, struct diagnostic *diagnostic)
{
    struct certify_session *const session = &work->session[t];
    struct certify_session now = {.begun = true};
    code_session(&(struct shard_codec){.from = reader, .arena = &work->arena}, &now);
    if (reader->failed)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "part %u does not hold what a certification writes", part);
    if (!session->begun)
        *session = (struct certify_session){
            .begun = true, .unavailable = now.unavailable, .description = now.description};
    if (!text_same(session->unavailable, now.unavailable))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s in part %u: %.300s; in part 1: %.300s. Remove the wrong part",
                               work->targets[t].name, part,
                               now.unavailable ? now.unavailable : "available",
                               session->unavailable ? session->unavailable : "available");
    if (!certify_same_description(&session->description, &now.description))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "part %u met %s %s, part 1 %s (or it declares other abilities)",
                               part, work->targets[t].name, now.description.version,
                               session->description.version);
    session->spent += now.spent;
    session->closing = session->closing ? session->closing : now.closing;
    session->unseen = session->unseen ? session->unseen : now.unseen;
    return now.unavailable ? ERROR_NONE
                           : certify_add_files(&work->arena, session, now.library,
                                               now.library_count, diagnostic);
}

static enum error take_run(struct certify_work *work, size_t t, size_t s,
                           struct shard_reader *reader, unsigned part,
                           struct diagnostic *diagnostic)
{
    struct judge_run *const run = &work->runs[t * work->suite_count + s];
    const bool judged = shard_get_number(reader) == 1;
    const size_t at = t * work->suite_count + s;
    if (!run->suite) {
        *run = (struct judge_run){.suite = &work->suites[s],
                                  .description = work->session[t].description,
                                  .machine = work->machine,
                                  .mode = certify_mode(work->arguments),
                                  .held_to = work->targets[t].held_to,
                                  .native = work->targets[t].native,
                                  .selector = work->targets[t].selector};
        enum error error = judge_read_model(run, diagnostic);
        if (error)
            return error;
        error = judge_select(run, work->arguments->pattern, diagnostic);
        if (error && (error != ERROR_INVALID_ARGUMENT || judged))
            return error;
        work->judged[at] = judged;
    }
    if (*certify_stop()) // some processes may have stopped before this suite
        work->judged[at] |= judged;
    if (judged != work->judged[at] && !*certify_stop())
        return diagnostic_fail(diagnostic, ERROR_INPUT, "part %u does not hold what part 1 holds",
                               part);
    return judged ? judge_take(reader, part, run, diagnostic) : ERROR_NONE;
}

enum error certify_take_target(struct certify_work *work, size_t t, struct shard_reader *reader,
                               unsigned part, struct diagnostic *diagnostic)
{
    const uint64_t begun = shard_get_number(reader);
    if (reader->failed || begun > 1 || (!begun && !work->finished))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "part %u does not hold what a certification writes", part);
    if (!begun)
        return ERROR_NONE;
    enum error error = take_session(work, t, reader, part, diagnostic);
    for (size_t s = 0; s < work->suite_count && !error && !work->session[t].unavailable; s++)
        error = take_run(work, t, s, reader, part, diagnostic);
    return error;
}

// Parts may have had different numbers of processors: then the whole has no such number, and no
// known failure that asks for one.
static enum error take_part(struct certify_work *work, unsigned part, struct shard_reader *reader,
                            struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    const uint64_t threads = shard_get_number(reader);
    if (part == 1)
        work->machine.threads = threads <= UINT_MAX ? (unsigned)threads : 0;
    else if (threads != work->machine.threads)
        work->machine.threads = 0;
    for (size_t t = 0; t < work->target_count && !error; t++)
        error = certify_take_target(work, t, reader, part, diagnostic);
    return error;
}

enum error certify_take_parts(struct certify_work *work, const struct shard_set *set,
                              struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < set->count && !error; i++) {
        struct arena arena = {0};
        struct shard_reader reader;
        error = shard_open(set, i, &arena, &reader, diagnostic);
        if (!error)
            error = take_part(work, i + 1, &reader, diagnostic);
        if (!error)
            error = shard_finish(set, i, &reader, diagnostic);
        arena_release(&arena);
    }
    for (size_t i = 0; i < work->target_count * work->suite_count && !error; i++) {
        work->runs[i].machine.threads = work->machine.threads;
        if (work->judged[i])
            error = judge_join_windows(&work->runs[i], diagnostic);
    }
    return error;
}

// Chooses profiles, explains and reports all that was run.
static enum error conclude(struct certify_work *work, struct diagnostic *diagnostic)
{
    const struct judge_options options = {.explain =
                                              work->arguments->no_explain ? NULL : judge_explain};
    for (size_t t = 0; t < work->target_count; t++) {
        certify_report_opening(work, t);
        for (size_t s = 0; s < work->suite_count; s++) {
            const size_t at = t * work->suite_count + s;
            if (!work->judged[at])
                continue;
            enum error error = judge_conclude(&work->runs[at], &options, diagnostic);
            if (!error)
                error = certify_report_run(work, t, s, diagnostic);
            if (error)
                return error;
        }
        certify_report_closing(work, t);
    }
    return ERROR_NONE;
}

int certify_join(struct certify_work *work)
{
    struct diagnostic diagnostic = {.text = ""};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < work->target_count * work->suite_count && !error; i++)
        if (work->judged[i])
            error = judge_make_whole(&work->runs[i], &diagnostic);
    if (!error)
        error = conclude(work, &diagnostic);
    return error ? cli_fail(&diagnostic) : certify_finish(work);
}

int certify_merge(const struct shard_set *set, const char *out)
{
    struct arena arena = {0};
    struct text text = {0};
    struct diagnostic diagnostic = {.text = ""};
    struct certify_arguments a = {.out = out};
    struct machine machine = {.threads = 0};
    struct certify_work work = {.arguments = &a};
    char difference[500];
    enum error error = certify_read_plan(set, &arena, &a, &machine, &diagnostic);
    if (!error)
        error = certify_prepare(&work, &diagnostic);
    if (!error) {
        work.machine = machine;
        error = certify_describe(&work, &text, &diagnostic);
    }
    if (!error && shard_plan_difference(set->text, "there", text.bytes, "here", NULL, difference,
                                        sizeof difference))
        error = diagnostic_fail(
            &diagnostic, ERROR_INPUT,
            "these parts were made with other suites, targets or known failures than are there "
            "now: %s",
            difference);
    text_release(&text);
    if (!error)
        error = certify_take_parts(&work, set, &diagnostic);
    const int code = error ? cli_fail(&diagnostic) : certify_join(&work);
    certify_release(&work);
    arena_release(&arena);
    return code;
}
