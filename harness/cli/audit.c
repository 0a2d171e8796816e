// SPDX-License-Identifier: Apache-2.0
// assay audit: is this source of random words what it claims to be?

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/audit_source.h"
#include "harness/cli/commands.h"
#include "harness/cli/shards.h"
#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "stats/audit_shard.h"
#include "stats/history.h"
#include "stats/laws.h"
#include "stats/roster.h"
#include "stats/source.h"

struct arguments {
    const char *source, *profile, *database, *alpha, *out, *shard, *to, *window;
    unsigned long long bytes, seed, width, threads, streams;
    enum audit_kin kin; // of the streams
    const char *kin_name;
    bool json, write, panel, history, night, laws;
};

static const double LN_10 = 2.302585092994046;
static const uint64_t BLOCK_BYTES = UINT64_C(4) << BATTERY_BLOCK_LOG2;

static enum error open_source(struct source *source, const struct arguments *a, struct diagnostic *diagnostic)
{
    return a->streams == 1 ? audit_source_open(source, a->source, a->seed, diagnostic)
                           : audit_source_open_streams(source, a->source, a->seed, (unsigned)a->streams, a->kin, diagnostic);
}

// p = 10^x as a person reads it, also where it is below what a double holds.
static const char *print_p(double log_p, char *text, size_t size)
{
    const double exponent = log_p / LN_10;
    if (exponent > -4)
        snprintf(text, size, "%.2g", __builtin_exp(log_p));
    else if (exponent > -1e9)
        snprintf(text, size, "1e%.0f", exponent);
    else
        snprintf(text, size, "0");
    return text;
}

static const char *print_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    unsigned u = 0;
    double value = (double)bytes;
    for (; value >= 1024 && u < 5; u++)
        value /= 1024;
    snprintf(text, size, value < 10 && value != (double)(int)value ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

static void put_finding(struct json_text *text, const struct audit_finding *finding)
{
    json_begin_object(text);
    json_put_key(text, "test");
    json_put_string(text, finding->test ? finding->test : "");
    json_put_key(text, "what");
    json_put_string(text, finding->what);
    json_put_key(text, "means");
    json_put_string(text, finding->about ? finding->about : "");
    json_put_key(text, "log10_p");
    json_put_real(text, (double)(int64_t)(finding->log_p / LN_10 * 1000 - 0.5) / 1000);
    json_put_key(text, "observed");
    json_put_real(text, finding->observed);
    json_put_key(text, "expected");
    json_put_real(text, finding->expected);
    json_put_key(text, "first_byte");
    json_put_unsigned(text, finding->first_block * BLOCK_BYTES);
    json_put_key(text, "bytes");
    json_put_unsigned(text, finding->blocks * BLOCK_BYTES);
    json_end_object(text);
}

static void put_result(struct json_text *text, const struct arguments *a, const struct audit_result *result, bool timed)
{
    json_begin_object(text);
    json_put_key(text, "source");
    json_put_string(text, a->source);
    json_put_key(text, "profile");
    json_put_string(text, a->profile);
    json_put_key(text, "verdict");
    json_put_string(text, result->verdict == AUDIT_FLAWED ? "flawed" : "clean");
    json_put_key(text, "bytes");
    json_put_unsigned(text, result->blocks * BLOCK_BYTES);
    if (timed) {
        json_put_key(text, "seconds");
        json_put_real(text, (double)(int64_t)(result->seconds * 1e3) / 1e3);
    }
    json_put_key(text, "looks");
    json_put_unsigned(text, result->looks);
    json_put_key(text, "ended_early");
    json_put_boolean(text, result->ended);
    json_put_key(text, "unconfirmed");
    json_put_boolean(text, result->unconfirmed);
    json_put_key(text, "strongest");
    put_finding(text, &result->finding);
    if (result->window.words) {
        json_put_key(text, "window");
        json_begin_object(text);
        json_put_key(text, "first_word");
        json_put_unsigned(text, result->window.first);
        json_put_key(text, "words");
        json_put_unsigned(text, result->window.words);
        json_put_key(text, "log10_p");
        json_put_real(text, (double)(int64_t)(result->window.log_p / LN_10 * 1000 - 0.5) / 1000);
        json_end_object(text);
    }
    if (result->repeated) {
        json_put_key(text, "repeat");
        put_finding(text, &result->repeat);
    }
    json_end_object(text);
    json_put_raw(text, "\n", 1);
}

static void print_json(const struct arguments *a, const struct audit_result *result)
{
    struct json_text text = {0};
    put_result(&text, a, result, true);
    if (!text.failed)
        printf("%s", text.bytes);
    json_text_release(&text);
}

// The same without the time it took: equal audits give equal bytes.
static enum error write_result(const struct arguments *a, const struct audit_result *result, struct diagnostic *diagnostic)
{
    struct json_text text = {0};
    put_result(&text, a, result, false);
    const enum error error = text.failed ? diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory")
                                         : file_replace_with(a->out, text.bytes, text.size, diagnostic);
    json_text_release(&text);
    return error;
}

static enum error keep_window(const struct arguments *a, const struct audit_result *result, struct diagnostic *diagnostic)
{
    const struct audit_window *const window = &result->window;
    if (!a->window || !window->words)
        return ERROR_NONE;
    bytes_copy_little_endian(window->words_kept, window->words_kept, 4, (size_t)window->words);
    return file_replace_with(a->window, window->words_kept, (size_t)window->words * 4, diagnostic);
}

static void print_text(const struct arguments *a, const struct audit_result *result)
{
    char p[32], size[32], where[32];
    const struct audit_finding *const f = &result->finding;
    const bool flawed = result->verdict == AUDIT_FLAWED;
    const bool colour = cli_coloured(stdout);
    printf("%s%s%s: %s after %s, %.2f s, %u looks\n", colour ? (flawed ? "\033[1;31m" : "\033[1;32m") : "",
           flawed ? "FLAWED" : "clean", colour ? "\033[0m" : "", a->source,
           print_bytes(result->blocks * BLOCK_BYTES, size, sizeof size), result->seconds, result->looks);
    if (flawed) {
        printf("  %s\n", f->about);
        printf("  test %s: %s\n  observed %.7g, expected %.7g; p = %s with every other look counted in\n", f->test, f->what,
               f->observed, f->expected, print_p(f->log_p, p, sizeof p));
        if (f->blocks)
            printf("  seen in %s from byte %" PRIu64 " on\n", print_bytes(f->blocks * BLOCK_BYTES, where, sizeof where),
                   f->first_block * BLOCK_BYTES);
        if (result->repeated)
            printf("  and again on fresh data: observed %.7g in %s from byte %" PRIu64 " on, p = %s\n", result->repeat.observed,
                   print_bytes(result->repeat.blocks * BLOCK_BYTES, where, sizeof where),
                   result->repeat.first_block * BLOCK_BYTES, print_p(result->repeat.log_p, p, sizeof p));
        const struct audit_window *const w = &result->window;
        if (w->words)
            printf("  clearest in words %" PRIu64 " to %" PRIu64 ": p = %s there alone%s%s\n", w->first,
                   w->first + w->words - 1, print_p(w->log_p, p, sizeof p),
                   a->window ? ", kept in " : " (--window FILE keeps them)", a->window ? a->window : "");
        printf("  How sure: a perfect source is called flawed less than once in 900 million audits.\n");
        return;
    }
    printf("  strongest evidence: %s, %s; p = %s with every other look counted in\n", f->test, f->what,
           print_p(f->log_p, p, sizeof p));
    if (result->repeated)
        printf("  a suspicion was put to fresh data and did not hold there (p = %s)\n",
               print_p(result->repeat.log_p, p, sizeof p));
    if (result->unconfirmed)
        printf("  WARNING: the source ended before a suspicion could be put to fresh data\n");
    if (result->ended)
        printf("  the source ended before the profile did\n");
}

static void show_progress(void *context, uint64_t blocks, uint64_t of, double log_p)
{
    (void)context;
    char size[32], all[32], p[32];
    fprintf(stderr, "\r  %s of %s, strongest p %s   ", print_bytes(blocks * BLOCK_BYTES, size, sizeof size),
            print_bytes(of * BLOCK_BYTES, all, sizeof all), print_p(log_p, p, sizeof p));
    if (blocks >= of)
        fprintf(stderr, "\r%60s\r", "");
}

// Every generator of the panel: the table, and whether all went as the roster says.
static int run_panel(const struct arguments *a, struct audit_options *audit)
{
    unsigned flawed = 0, caught = 0, good = 0, alarms = 0, beyond = 0;
    printf("%-24s %-9s %-16s %10s %9s  %s\n", "generator", "verdict", "test", "bytes", "seconds", "what was seen");
    for (unsigned i = 0; i < panel_roster_count; i++) {
        const struct panel_row *const row = &panel_roster[i];
        struct source source;
        struct diagnostic diagnostic;
        struct audit_result result;
        char size[32];
        if (audit_source_open_row(&source, row, a->seed, &diagnostic))
            return cli_fail(&diagnostic);
        const struct battery whole = audit->battery;
        if (panel_bytes(row))
            battery_limit(&audit->battery, panel_bytes(row));
        const enum error error = audit_run(audit, &source, &result, &diagnostic);
        audit->battery = whole;
        source_close(&source);
        if (error)
            return cli_fail(&diagnostic);
        audit_release(&result);
        const bool found = result.verdict == AUDIT_FLAWED;
        flawed += row->expectation == PANEL_FLAWED;
        caught += row->expectation == PANEL_FLAWED && found;
        good += row->expectation == PANEL_GOOD;
        alarms += row->expectation == PANEL_GOOD && found;
        beyond += row->expectation == PANEL_BEYOND;
        const char *const verdict = row->expectation == PANEL_GOOD ? (found ? "ALARM" : "clean") : found ? "flawed" : "MISSED";
        printf("%-24s %-9s %-16s %10s %9.3f  %s\n", row->generator,
               row->expectation == PANEL_BEYOND && !found ? "beyond" : verdict, found ? result.finding.test : "-",
               print_bytes(result.blocks * BLOCK_BYTES, size, sizeof size), result.seconds,
               found      ? result.finding.what
               : row->why ? row->why
                          : "");
        fflush(stdout);
    }
    printf("%u of %u flawed generators caught, %u false alarms among %u good ones, %u beyond reach\n", caught, flawed, alarms,
           good, beyond);
    return caught == flawed && !alarms ? CLI_CONFORMS : CLI_DIFFERS;
}

static void print_night(void *context, const struct history_night *night)
{
    unsigned *const lines = context;
    char size[32], p[32], at[32];
    if (!(*lines)++)
        printf("%-24s %-8s %6s %12s %10s %9s %12s  %s\n", "source", "profile", "night", "from byte", "bytes", "p", "evidence",
               "");
    printf("%-24s %-8s %6" PRIu64 " %12s %10s %9s %12.4g  %s%s%s\n", night->source, night->profile, night->night,
           print_bytes(night->first_block * BLOCK_BYTES, at, sizeof at),
           print_bytes(night->blocks * BLOCK_BYTES, size, sizeof size), print_p(night->log_p, p, sizeof p),
           __builtin_exp(night->log_e < 700 ? night->log_e : 700), night->alarm ? "ALARM " : "",
           night->log_p < -9.2 ? night->what : "", night->log_p < -9.2 ? "" : "clean");
}

// The course of the nights; the evidence may be read at any time: under a perfect source it passes 1/alpha with a chance of at
// most alpha over all nights.
static int show_history(const struct arguments *a)
{
    struct history *history;
    struct diagnostic diagnostic;
    unsigned lines = 0;
    if (access(a->database, R_OK)) {
        fprintf(stderr, "assay: there is no audit history %s; `assay audit --source NAME --night` begins one\n", a->database);
        return CLI_INPUT;
    }
    if (history_open(&history, a->database, &diagnostic))
        return cli_fail(&diagnostic);
    const enum error error = history_list(history, a->source, print_night, &lines, &diagnostic);
    history_close(history);
    if (error)
        return cli_fail(&diagnostic);
    if (!lines)
        fprintf(stderr, "assay: no night has been closed yet\n");
    return lines ? CLI_CONFORMS : CLI_NOTHING;
}

// One night: the next range of blocks, and the evidence of all nights so far.
static int run_night(const struct arguments *a, struct audit_options *audit, const struct source *source)
{
    struct history *history;
    struct diagnostic diagnostic;
    struct history_night night;
    struct audit_result result;
    char *end, p[32], size[32];
    const double alpha = a->alpha ? strtod(a->alpha, &end) : 1e-6;
    if (a->alpha && (*end || !(alpha > 0 && alpha < 1))) {
        fprintf(stderr, "assay: --alpha is '%s'; expected a number between 0 and 1\n", a->alpha);
        return CLI_INPUT;
    }
    if (history_open(&history, a->database, &diagnostic))
        return cli_fail(&diagnostic);
    const enum error error = history_run(history, a->source, alpha, audit, source, &night, &result, &diagnostic);
    history_close(history);
    if (error)
        return cli_fail(&diagnostic);
    if (a->json)
        print_json(a, &result);
    else
        print_text(a, &result);
    if (!a->json)
        printf("night %" PRIu64 ": %s from byte %" PRIu64 " on, p = %s; evidence of all nights %.4g, alarm at %.4g: %s\n",
               night.night, print_bytes(night.blocks * BLOCK_BYTES, size, sizeof size), night.first_block * BLOCK_BYTES,
               print_p(night.log_p, p, sizeof p), __builtin_exp(night.log_e < 700 ? night.log_e : 700), 1 / alpha,
               night.alarm ? "ALARM, the source is flawed" : "no alarm");
    audit_release(&result);
    return night.alarm ? CLI_DIFFERS : CLI_CONFORMS;
}

static void print_law(void *context, const struct law_result *result)
{
    (void)context;
    char p[32];
    printf("%-26s %-8s %-7s %12.0f  %s%s%s\n", result->operation, result->proof ? "proof" : "sample",
           result->holds ? "holds" : "BROKEN", result->draws, result->what,
           result->proof ? "" : "; p = ", result->proof ? "" : print_p(result->log_p, p, sizeof p));
}

static int run_laws(const struct arguments *a)
{
    struct diagnostic diagnostic;
    unsigned broken;
    if (laws_check(a->threads > 1024 ? 1024 : (unsigned)a->threads, strcmp(a->profile, "quick") != 0, print_law, NULL, &broken,
                   &diagnostic))
        return cli_fail(&diagnostic);
    printf("%u broken\n", broken);
    return broken ? CLI_DIFFERS : CLI_CONFORMS;
}

// The raw words to standard output, until the budget is spent or nobody reads on.
static int write_source(const struct arguments *a, const struct source *source)
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

// ---- parts ----------------------------------------------------------------------------------------------------------

static void describe(const struct arguments *a, const struct battery *battery, struct json_text *text)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"seed", a->seed},
                   {"streams", a->streams},
                   {"bytes", a->bytes},
                   {"rows", battery->rows},
                   {"blocks", battery->stage[battery->stages - 1]}};
    json_begin_object(text);
    json_put_key(text, "source");
    json_put_string(text, a->source);
    json_put_key(text, "profile");
    json_put_string(text, a->profile);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_put_key(text, numbers[i].key);
        json_put_unsigned(text, numbers[i].value);
    }
    json_end_object(text);
}

static int run_part(const struct arguments *a, const struct audit_options *audit, const struct source *source)
{
    struct json_text text = {0};
    struct shard_payload payload = {0};
    struct diagnostic diagnostic;
    struct shard_plan plan = {.command = "audit"};
    bool complete = false;
    shard_parse(a->shard, &plan.index, &plan.count);
    describe(a, &audit->battery, &text);
    plan.text = text.bytes;
    enum error error = text.failed ? diagnostic_fail(&diagnostic, ERROR_INTERNAL, "out of memory")
                                   : shard_is_complete(a->to, &plan, &complete, &diagnostic);
    if (!error && !complete)
        error = audit_count_part(audit, source, plan.index, plan.count, &payload, &diagnostic);
    if (!error && !complete)
        error = shard_write(a->to, &plan, &payload, &diagnostic);
    json_text_release(&payload.bytes);
    json_text_release(&text);
    if (error)
        return cli_fail(&diagnostic);
    printf("audit: part %u of %u %s\n", plan.index, plan.count, complete ? "was complete" : "is complete");
    return CLI_CONFORMS;
}

static enum error read_plan(const struct shard_set *set, struct arena *arena, struct arguments *a,
                            struct diagnostic *diagnostic)
{
    struct document_source *const text = arena_take(arena, sizeof *text);
    struct document_node *root;
    if (!text)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    *text = (struct document_source){.name = "plan", .text = set->text, .size = strlen(set->text)};
    enum error error = json_read(text, arena, &root, diagnostic);
    static const char *const keys[] = {"source", "profile", "seed", "streams", "bytes", "rows", "blocks", NULL};
    if (!error)
        error = document_only_keys(root, keys, "the plan of an audit", diagnostic);
    for (unsigned i = 0; keys[i] && !error; i++)
        if (!document_find(root, keys[i]))
            error = document_fail(root, ERROR_INPUT, diagnostic, "the plan has no %s", keys[i]);
    if (error)
        return error;
    a->source = document_find(root, "source")->text;
    a->profile = document_find(root, "profile")->text;
    a->seed = strtoull(document_find(root, "seed")->text, NULL, 10);
    a->streams = strtoull(document_find(root, "streams")->text, NULL, 10);
    a->bytes = strtoull(document_find(root, "bytes")->text, NULL, 10);
    if (a->streams < 1 || a->streams > SOURCE_STREAMS_MAX || (a->streams & (a->streams - 1)))
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the plan asks for %llu streams", a->streams);
    return ERROR_NONE;
}

int audit_merge(const struct shard_set *set, const char *out)
{
    static struct audit_options audit;
    struct arena arena = {0};
    struct arguments a = {.width = 32, .out = out};
    struct diagnostic diagnostic;
    struct audit_result result = {.verdict = AUDIT_CLEAN};
    struct json_text text = {0};
    struct source source;
    enum error error = read_plan(set, &arena, &a, &diagnostic);
    if (!error && !battery_named(a.profile, &audit.battery))
        error = diagnostic_fail(&diagnostic, ERROR_INPUT, "there is no profile '%.80s'", a.profile);
    if (!error && a.bytes)
        battery_limit(&audit.battery, a.bytes);
    if (!error) {
        describe(&a, &audit.battery, &text);
        if (text.failed || strcmp(text.bytes, set->text) != 0)
            error = diagnostic_fail(&diagnostic, ERROR_INPUT, "these parts were counted by another version of the battery");
    }
    json_text_release(&text);
    if (!error && !(error = open_source(&source, &a, &diagnostic))) {
        error = audit_run_parts(&audit, &source, set, &result, &diagnostic);
        source_close(&source);
    }
    if (!error && out)
        error = write_result(&a, &result, &diagnostic);
    if (!error)
        print_text(&a, &result);
    audit_release(&result);
    arena_release(&arena);
    if (error)
        return cli_fail(&diagnostic);
    return result.verdict == AUDIT_FLAWED ? CLI_DIFFERS : CLI_CONFORMS;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments a = {.profile = "quick", .database = "audit.sqlite", .seed = 1, .width = 32, .streams = 1};
    const struct cli_option options[] = {
        {"source", CLI_TEXT, &a.source, "NAME", "what to audit (see above)"},
        {"profile", CLI_TEXT, &a.profile, "NAME", "quick (8 GiB, seconds; the default), nightly (1 TiB) or deep (64 TiB)"},
        {"bytes", CLI_NUMBER, &a.bytes, "N", "look at no more than about so many bytes, repeats apart"},
        {"width", CLI_NUMBER, &a.width, "BITS", "width of raw words, 32 or 64 (little-endian)"},
        {"seed", CLI_NUMBER, &a.seed, "N", "seed of sources that take one (1)"},
        {"streams", CLI_NUMBER, &a.streams, "N", "this many streams at once (a power of two up to 1024)"},
        {"kin", CLI_TEXT, &a.kin_name, "HOW",
         "seeds of the streams: next (seed, seed + 1, ...; the default), bit (one bit apart), tree (jax.split)"},
        {"threads", CLI_NUMBER, &a.threads, "N", "threads (all); the result does not depend on it"},
        {"out", CLI_TEXT, &a.out, "FILE", "also write the JSON object there, without the time it took"},
        {"window", CLI_TEXT, &a.window, "FILE",
         "keep there, as raw words, the window that shows a flaw best (audit it as file:FILE)"},
        {"shard", CLI_TEXT, &a.shard, "I/N", "only count part I of N, for assay merge"},
        {"to", CLI_TEXT, &a.to, "DIR", "with --shard: the folder of the parts"},
        {"json", CLI_FLAG, &a.json, NULL, "one JSON object instead of text"},
        {"panel", CLI_FLAG, &a.panel, NULL, "audit every generator of the panel instead, and print the table"},
        {"laws", CLI_FLAG, &a.laws, NULL,
         "check the laws of the reference's operations instead: conversions word by word, draws"},
        {"night", CLI_FLAG, &a.night, NULL, "run as the next night of the history: fresh blocks, evidence that adds up"},
        {"history", CLI_FLAG, &a.history, NULL, "print the course of the nights (of --source, or of all)"},
        {"db", CLI_TEXT, &a.database, "FILE", "the history (audit.sqlite)"},
        {"alpha", CLI_TEXT, &a.alpha, "X",
         "most chance of a false alarm over all nights together (1e-6); fixed by the first night"},
        {"write", CLI_FLAG, &a.write, NULL, "write the source's words to standard output instead (for another battery)"},
    };
    int count;
    const int parsed = cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (parsed)
        return parsed < 0 ? CLI_CONFORMS : parsed;
    if (a.history)
        return show_history(&a);
    if (a.laws)
        return run_laws(&a);
    if (!a.source && !a.panel)
        return cli_usage(command, "--source says what to audit");
    if (count)
        return cli_usage(command, "'%s' is not an option", argv[1]);
    if (a.width != 32 && a.width != 64)
        return cli_usage(command, "--width is %llu; expected 32 or 64", a.width);
    if (a.streams < 1 || a.streams > SOURCE_STREAMS_MAX || (a.streams & (a.streams - 1)))
        return cli_usage(command, "--streams is %llu; expected a power of two up to %d", a.streams, SOURCE_STREAMS_MAX);
    while (a.kin_name && a.kin < AUDIT_KINDS && strcmp(a.kin_name, audit_kin_names[a.kin]) != 0)
        a.kin++;
    if (a.kin == AUDIT_KINDS || (a.kin && a.shard))
        return cli_usage(command, "--kin is '%s'; expected next, bit or tree, and next for parts", a.kin_name);
    if (a.streams > 1 && a.source && (!strcmp(a.source, "stdin") || !strcmp(a.source, "-")))
        return cli_usage(command, "standard input is one stream");
    unsigned index, parts;
    if (a.shard && (!shard_parse(a.shard, &index, &parts) || !a.to || a.panel || a.write || a.night || !a.source ||
                    !strncmp(a.source, "file:", 5) || !strcmp(a.source, "stdin") || !strcmp(a.source, "-")))
        return cli_usage(command, "--shard I/N goes with --to DIR and a source that every machine has");
    static struct audit_options audit;
    struct source source;
    struct diagnostic diagnostic;
    if (!battery_named(a.profile, &audit.battery))
        return cli_usage(command, "there is no profile '%s'; there are quick, nightly and deep", a.profile);
    audit.threads = a.threads > 1024 ? 1024 : (unsigned)a.threads;
    if (a.bytes)
        battery_limit(&audit.battery, a.bytes);
    if (a.panel)
        return run_panel(&a, &audit);
    if (cli_check_out(a.out, &diagnostic) || cli_check_out(a.window, &diagnostic) || open_source(&source, &a, &diagnostic))
        return cli_fail(&diagnostic);
    if (a.write) {
        const int code = write_source(&a, &source);
        source_close(&source);
        return code;
    }
    if (a.shard) {
        const int code = run_part(&a, &audit, &source);
        source_close(&source);
        return code;
    }
    audit.progress = isatty(STDERR_FILENO) && !a.json ? show_progress : NULL;
    if (a.night) {
        audit.progress = NULL;
        const int code = run_night(&a, &audit, &source);
        source_close(&source);
        return code;
    }
    struct audit_result result;
    const enum error error = audit_run(&audit, &source, &result, &diagnostic);
    source_close(&source);
    if (error || (a.out && write_result(&a, &result, &diagnostic)) || keep_window(&a, &result, &diagnostic))
        return cli_fail(&diagnostic);
    if (a.json)
        print_json(&a, &result);
    else
        print_text(&a, &result);
    audit_release(&result);
    return result.verdict == AUDIT_FLAWED ? CLI_DIFFERS : CLI_CONFORMS;
}

const struct cli_command command_audit = {
    .name = "audit",
    .arguments = "--source NAME [options]",
    .summary = "audit a source of random words",
    .help =
        "Reads a source of random words until it is found flawed or the profile is through, and says which.\n"
        "\n"
        "  assay audit --source philox4x32 --profile quick\n"
        "  my-generator | assay audit --source stdin --width 64\n"
        "\n"
        "Sources:\n"
        "  stdin, file:PATH       raw little-endian words\n"
        "  philox4x32, threefry2x32, mt19937, chacha20   generators (philox4x32-7: so many rounds)\n"
        "  openvino.random_uniform, directml.random_generator, jax.bits, jax.uniform, jax.split   the reference's operations\n"
        "  TARGET:OPERATION       a target's, in a worker: openvino:openvino.random_uniform, jax:jax.bits, "
        "numpy:numpy.philox,\n"
        "                         random123:philox (short: random123), reference:cpp.philox_engine, ./my.so:philox,\n"
        "                         './my-program':jax.uniform; stats/README.md has the list\n"
        "  panel:NAME             a generator of the panel\n"
        "A flawed source ends the audit at once, and the pipe it comes from is closed. A verdict of flawed is wrong less than\n"
        "once in 900 million audits, all tests and looks together; a clean one says that this battery saw nothing in so many\n"
        "bytes. Exit code 0: clean, 1: flawed.",
    .run = run,
};
