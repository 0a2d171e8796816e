// SPDX-License-Identifier: Apache-2.0
// Support is asked first, then cases go through in chunks.

#include "harness/judge/run/certify.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/run/certify_chunk.h"
#include "harness/judge/run/stepwise.h"
#include "harness/judge/run/windows.h"
#include "yaml/reader.h"

enum { CERTIFY_KEEP_BYTES = 48 << 20 };

// Few at a time: inputs may be large, and other processes wait for the last answer, or for the last
// cases.
enum { CERTIFY_ASK = 64, CERTIFY_CREW_CASES = 32 };

static enum level required_level(const struct trial *trial)
{
    static const enum level levels[] = {[SUITE_LEVEL_BITS] = LEVEL_BITS,
                                        [SUITE_LEVEL_BOUND] = LEVEL_BOUND,
                                        [SUITE_LEVEL_DISTRIBUTION] = LEVEL_DISTRIBUTION};
    if (trial->chance)
        return LEVEL_DISTRIBUTION;
    if (trial->of->level != SUITE_LEVEL_AUTOMATIC)
        return levels[trial->of->level];
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX; i++)
        if (tensor_present(&trial->inference.output[i]) && trial->inference.level[i] == LEVEL_BOUND)
            return LEVEL_BOUND;
    return LEVEL_BITS;
}

static const char *const modes[] = {
    [JUDGE_OBSERVED] = "observed", [JUDGE_SEQUENCE] = "sequence", [JUDGE_STEPWISE] = "stepwise"};

const char *judge_mode_name(enum judge_mode mode)
{
    return modes[mode];
}

enum judge_mode judge_mode_named(const char *name)
{
    unsigned mode = 0;
    while (mode < JUDGE_MODES && strcmp(modes[mode], name) != 0)
        mode++;
    return (enum judge_mode)mode;
}

// ---- support ----------------------------------------------------------------

static char *copy_text(struct arena *arena, const char *text)
{
    return text[0] ? arena_copy_text(arena, text, strlen(text)) : NULL;
}

// Whether result `i` is of the part that is run.
static bool is_of_part(const struct judge_run *run, const struct judge_options *options, size_t i)
{
    return (options->whole ? options->whole[i] : i) % run->step == run->first;
}

static uint64_t output_bytes(const struct trial *trial)
{
    uint64_t bytes = 0;
    for (size_t o = 0; o < trial->call.output_count; o++)
        bytes += trial_output_count(trial, o) * dtype_size(trial->call.outputs[o].tensor.dtype) *
                 trial->runs;
    return bytes;
}

// Whether the outputs are kept where they differ is settled before anything runs, so that it does
// not depend on what ran before. A piece has a room of its own, since a part does not ask about
// those of others.
static void plan_to_keep(struct judge_run *run, const struct judge_options *options)
{
    const size_t room = options->whole
                            ? CERTIFY_KEEP_BYTES / (options->whole[run->result_count - 1] + 1)
                            : CERTIFY_KEEP_BYTES;
    uint64_t kept = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        struct judge_result *const result = &run->result[i];
        result->keeps =
            result->verdict == VERDICT_PASS && !result->of->reject && kept + result->bytes <= room;
        kept += result->keeps && !options->whole ? result->bytes : 0;
    }
}

static enum error ask_some(struct judge_run *run, struct host *host,
                           const struct judge_options *options, size_t first, size_t count,
                           struct trial *trials, struct host_call *calls,
                           struct diagnostic *diagnostic)
{
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        struct judge_result *const result = &run->result[first + i];
        result->verdict = VERDICT_PASS; // so far
        if (options->whole && !is_of_part(run, options, first + i))
            continue;
        const enum error error =
            trial_make(run->suite, result->of, &run->description, true, &trials[i], diagnostic);
        result->required = required_level(&trials[i]);
        if (error == ERROR_INTERNAL)
            return error;
        if (error) {
            result->verdict = error == ERROR_UNSUPPORTED ? VERDICT_UNSUPPORTED : VERDICT_HARNESS;
            result->reason = copy_text(&run->arena, diagnostic->text);
        } else
            calls[asked++] = (struct host_call){.request = &trials[i].call, .ask = true};
    }
    host_run(host, calls, asked);
    asked = 0;
    for (size_t i = 0; i < count; i++) {
        struct judge_result *const result = &run->result[first + i];
        if (result->verdict != VERDICT_PASS ||
            (options->whole && !is_of_part(run, options, first + i)))
            continue;
        const struct host_call *const call = &calls[asked++];
        static const enum verdict verdicts[] = {[HOST_OK] = VERDICT_PASS,
                                                [HOST_UNSUPPORTED] = VERDICT_UNSUPPORTED,
                                                [HOST_REJECTED] = VERDICT_FAIL,
                                                [HOST_FAILED] = VERDICT_FAIL,
                                                [HOST_WRONG_RESULT] = VERDICT_FAIL,
                                                [HOST_CRASH] = VERDICT_CRASH,
                                                [HOST_TIMEOUT] = VERDICT_TIMEOUT,
                                                [HOST_MEMORY] = VERDICT_MEMORY,
                                                [HOST_ENVIRONMENT] = VERDICT_ENVIRONMENT,
                                                [HOST_LOST] = VERDICT_HARNESS};
        result->verdict = verdicts[call->outcome];
        result->reason = copy_text(&run->arena, call->message);
        result->bytes = output_bytes(&trials[i]);
        result->windowed = result->verdict == VERDICT_PASS && trials[i].windows;
    }
    return ERROR_NONE;
}

// Tells the other processes. Who asked about a case that is not to be run reports it.
static void tell(struct judge_run *run, struct judge_crew *crew, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        struct judge_result *const result = &run->result[i];
        atomic_store(&crew->of[i].bytes, result->bytes);
        atomic_store(&crew->of[i].windowed, result->windowed);
        atomic_store(&crew->of[i].answer, (uint32_t)result->verdict + 1);
        result->mine = result->verdict != VERDICT_PASS;
    }
    atomic_fetch_add(&crew->asked, count);
}

static enum error hear(struct judge_run *run, struct judge_crew *crew,
                       struct diagnostic *diagnostic)
{
    if (!judge_crew_wait(crew, run->result_count))
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "another process of this certification has ended");
    for (size_t i = 0; i < run->result_count; i++) {
        run->result[i].bytes = atomic_load(&crew->of[i].bytes);
        run->result[i].windowed = atomic_load(&crew->of[i].windowed) != 0;
        run->result[i].verdict = (enum verdict)(atomic_load(&crew->of[i].answer) - 1);
    }
    return ERROR_NONE;
}

static enum error ask(struct judge_run *run, struct host *host, const struct judge_options *options,
                      struct diagnostic *diagnostic)
{
    struct judge_crew *const crew = options->crew;
    struct trial *const trials = calloc(CERTIFY_ASK, sizeof *trials);
    struct host_call *const calls = calloc(CERTIFY_ASK, sizeof *calls);
    enum error error = trials && calls ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t next = 0; !error; next += CERTIFY_ASK) {
        const size_t at =
            crew ? (size_t)judge_crew_take(crew, &crew->next_asked, CERTIFY_ASK) : next;
        if (at >= run->result_count)
            break;
        const size_t left = run->result_count - at, count = left < CERTIFY_ASK ? left : CERTIFY_ASK;
        error = ask_some(run, host, options, at, count, trials, calls, diagnostic);
        for (size_t i = 0; i < count; i++)
            trial_release(&trials[i]);
        memset(trials, 0, count * sizeof *trials);
        if (!error && crew)
            tell(run, crew, at, count);
    }
    free(trials);
    free(calls);
    if (!error && crew)
        error = hear(run, crew, diagnostic);
    if (!error)
        plan_to_keep(run, options);
    return error;
}

// ---- running ----------------------------------------------------------------

// Supported cases [first, end), which this process has taken.
struct share {
    uint64_t first, end;
};

// Whether case `index` is this process's. What it has taken is run before it takes more.
static bool leave_or_take(struct judge_crew *crew, size_t index, struct share *share)
{
    if (index >= share->end) {
        share->first = judge_crew_take(crew, &crew->next_run, CERTIFY_CREW_CASES);
        share->end = share->first == UINT64_MAX ? UINT64_MAX : share->first + CERTIFY_CREW_CASES;
    }
    return index >= share->first;
}

// A case of many windows is everybody's, so that nobody waits for who met it; but of pieces of one
// whole, which go to one part.
static bool is_shared(const struct judge_run *run, const struct judge_options *options, size_t i)
{
    return run->result[i].windowed && !options->whole && (options->crew || run->step > 1);
}

// Runs what is this process's of the windows of result `i`, the `index`th that is supported.
static enum error run_windows(struct judge_run *run, struct host *host,
                              const struct judge_options *options,
                              const struct conditions_plan *plan, const struct trial *trial,
                              size_t i, size_t index, size_t supported,
                              struct diagnostic *diagnostic)
{
    struct judge_result *const result = &run->result[i];
    const bool shared = is_shared(run, options, i);
    struct windows_share share = {.first = 0, .step = 1};
    if (shared && options->crew)
        share = (struct windows_share){.crew = options->crew, .of = &options->crew->of[i]};
    else if (shared)
        share = (struct windows_share){
            .first = (run->first + run->step - index % run->step) % run->step, .step = run->step};
    const enum error error =
        windows_judge(run, host, trial, plan, index, supported, &share, diagnostic);
    result->mine = result->window != NULL;
    return error || shared ? error : windows_join(run, result, diagnostic);
}

static enum error run_all(struct judge_run *run, struct host *host,
                          const struct judge_options *options, struct diagnostic *diagnostic)
{
    struct conditions_plan plan;
    struct chunk chunks[2] = {{.run = run},
                              {.run = run}}; // one is filled and run, the other judged beside
    struct chunk *chunk = &chunks[0], *judged = &chunks[1];
    struct share share = {0, 0};
    size_t supported = 0, index = 0, last = 0;
    enum error error = ERROR_NONE;
    conditions_make_plan(&run->description, &plan);
    if (options->quick)
        plan.count = 1;
    if (options->only)
        plan = (struct conditions_plan){.count = 1, .alone = true, .row = {*options->only}};
    for (size_t i = 0; i < run->result_count; i++) {
        supported += options->whole || run->result[i].verdict == VERDICT_PASS;
        if ((options->crew || is_of_part(run, options, i) || is_shared(run, options, i)) &&
            run->result[i].verdict == VERDICT_PASS)
            last = i;
    }
    for (size_t i = 0; i < run->result_count && !error; i++) {
        if (run->result[i].verdict != VERDICT_PASS)
            continue;
        if (is_shared(run, options, i))
            run->result[i].mine = true; // as long as there are windows
        else if (options->crew)
            run->result[i].mine = leave_or_take(options->crew, index, &share);
        if (!run->result[i].mine) {
            index++;
            continue;
        }
        index = options->whole ? i : index;
        struct trial *const trial = chunk_add(chunk);
        error = trial ? trial_make(run->suite, run->result[i].of, &run->description, false, trial,
                                   diagnostic)
                      : diagnostic_no_memory(diagnostic);
        if (error)
            break;
        trial->result = &run->result[i];
        trial->result->required = required_level(trial);
        if (trial->windows) {
            error =
                run_windows(run, host, options, &plan, trial, i, index++, supported, diagnostic);
            chunk_drop(chunk);
            if (error)
                break;
        } else
            trial_plan(trial, &run->description, &plan, index++, supported);
        if (!chunk_is_full(chunk) && i < last && index != share.end)
            continue;
        error = chunk_run(chunk, host, judged, diagnostic);
        struct chunk *const next = judged;
        judged = chunk;
        chunk = next;
        if (options->progress)
            options->progress(options->context, index, supported);
    }
    if (!error)
        error = chunk_judge(judged, host, diagnostic);
    chunk_release(chunk);
    chunk_release(judged);
    return error;
}

// ---- all together -----------------------------------------------------------

enum error judge_select(struct judge_run *run, const char *pattern, struct diagnostic *diagnostic)
{
    const struct suite *const suite = run->suite;
    run->result = arena_take_array(&run->arena, suite->case_count, sizeof *run->result);
    if (!run->result)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < suite->case_count; i++)
        if (!pattern || !fnmatch(pattern, suite->cases[i].id, 0))
            run->result[run->result_count++] = (struct judge_result){.of = &suite->cases[i]};
    if (run->result_count)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "no case of %s matches '%s'",
                           suite->name, pattern ? pattern : "*");
}

// The model that the target declares.
static enum error read_model(struct judge_run *run, struct diagnostic *diagnostic)
{
    const char *const text = run->description.model;
    const struct document_source source = {
        .name = "the target's model", .text = text, .size = strlen(text)};
    struct document_node *root = NULL;
    run->model = evaluation_model_standard;
    if (!source.size)
        return ERROR_NONE;
    const enum error error = yaml_read(&source, &run->arena, &root, diagnostic);
    return error ? error : evaluation_model_read(root, &run->model, diagnostic);
}

enum error judge_certify(const struct suite *suite, struct host *host,
                         const struct judge_options *options, struct judge_run *run,
                         struct diagnostic *diagnostic)
{
    if (options->mode == JUDGE_STEPWISE)
        return judge_certify_stepwise(suite, host, options, run, diagnostic);
    *run = (struct judge_run){.suite = suite,
                              .description = *host_describe(host),
                              .machine = judge_machine_here(),
                              .mode = options->mode};
    enum error error = read_model(run, diagnostic);
    if (!error)
        error = judge_select(run, options->pattern, diagnostic);
    // Neighbours are alike: every n-th case makes parts of about the same length.
    run->first = options->part ? options->part->index - 1 : 0;
    run->step = options->part ? options->part->count : 1;
    for (size_t i = 0; i < run->result_count && !error; i++)
        run->result[i].mine = !options->crew && is_of_part(run, options, i);
    if (!error)
        error = ask(run, host, options, diagnostic);
    if (!error)
        error = run_all(run, host, options, diagnostic);
    if (!error && !options->part)
        error = judge_conclude(run, options, diagnostic);
    return error;
}

void judge_release(struct judge_run *run)
{
    arena_release(&run->arena);
    *run = (struct judge_run){0};
}

size_t judge_count(const struct judge_run *run, enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++)
        count += run->result[i].verdict == verdict;
    return count;
}

const char *judge_reproduce(const struct judge_run *run, const struct judge_result *result,
                            const char *target, char *text, size_t size)
{
    snprintf(text, size, "assay %s %s --suite %s %s%s",
             result->steps.count ? "certify --mode stepwise --case" : "run", result->of->id,
             run->suite->name, run->selector ? "" : "--target ",
             run->selector ? run->selector : target);
    return text;
}
