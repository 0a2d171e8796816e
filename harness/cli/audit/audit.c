// SPDX-License-Identifier: Apache-2.0
// assay audit: is this source of random words what it claims to be? Options, and the plain audit;
// what it can do besides stands in the files audit_*.c.

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/commands.h"
#include "harness/cli/shards.h"
#include "ref/base/bytes.h"

enum error audit_open(struct source *source, const struct audit_arguments *a,
                      struct diagnostic *diagnostic)
{
    return a->streams == 1 ? audit_source_open(source, a->source, a->seed, diagnostic)
                           : audit_source_open_streams(source, a->source, a->seed,
                                                       (unsigned)a->streams, a->kin, diagnostic);
}

// The raw words to standard output, until the budget is spent or nobody reads on.
static int write_source(const struct audit_arguments *a, const struct source *source)
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

enum {
    MODE_PLAIN = 1,
    MODE_PART = 2,
    MODE_PANEL = 4,
    MODE_LAWS = 8,
    MODE_NIGHT = 16,
    MODE_HISTORY = 32,
    MODE_WRITE = 64
};

// A number that nobody gave: none of those who take numbers have a use for this one.
static const unsigned long long ABSENT = ~0ULL;

// What each option that is given means something to; nothing is passed over in silence.
static int check_options(const struct cli_command *command, const struct audit_arguments *a)
{
    static const struct {
        int mode;
        const char *text;
    } modes[] = {{MODE_HISTORY, "--history"}, {MODE_LAWS, "--laws"},   {MODE_PANEL, "--panel"},
                 {MODE_NIGHT, "--night"},     {MODE_WRITE, "--write"}, {MODE_PART, "--shard"}};
    const bool asked[] = {a->history,           a->laws, a->panel, a->night && !a->shard, a->write,
                          a->shard && !a->panel};
    enum { STREAM = MODE_PLAIN | MODE_PART | MODE_NIGHT | MODE_WRITE };
    const struct {
        bool given;
        const char *text;
        int modes;
    } options[] = {
        {a->source, "--source", STREAM | MODE_LAWS | MODE_HISTORY},
        {a->profile, "--profile", (STREAM & ~MODE_WRITE) | MODE_PANEL | MODE_LAWS},
        {a->bytes_text, "--bytes", STREAM | MODE_PANEL},
        {a->width != ABSENT, "--width", STREAM},
        {a->seed_text, "--seed", STREAM | MODE_PANEL},
        {a->streams != ABSENT, "--streams", STREAM},
        {a->kin_name, "--kin", STREAM},
        {a->threads != ABSENT, "--threads", (STREAM & ~MODE_WRITE) | MODE_PANEL | MODE_LAWS},
        {a->out, "--out", MODE_PLAIN | MODE_NIGHT},
        {a->window, "--window", MODE_PLAIN | MODE_NIGHT},
        {a->shard, "--shard", MODE_PART | MODE_PANEL},
        {a->to, "--to", MODE_PART},
        {a->plan, "--plan", MODE_PART},
        {a->json, "--json", MODE_PLAIN | MODE_NIGHT | MODE_HISTORY},
        {a->night, "--night", MODE_NIGHT | MODE_PART},
        {a->database, "--db", MODE_NIGHT | MODE_HISTORY | (a->night ? MODE_PART : 0)},
        {a->alpha, "--alpha", MODE_NIGHT}};
    int mode = MODE_PLAIN;
    const char *text = NULL;
    for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
        if (asked[m] && text)
            return cli_usage(command, "%s and %s are two different things to do", text,
                             modes[m].text);
        if (asked[m]) {
            mode = modes[m].mode;
            text = modes[m].text;
        }
    }
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && !(options[i].modes & mode) && text)
            return cli_usage(command, "%s says nothing with %s", options[i].text, text);
        else if (options[i].given && !(options[i].modes & mode))
            return cli_usage(command, "%s says nothing without %s", options[i].text,
                             options[i].modes & MODE_PART      ? "--shard"
                             : options[i].modes & MODE_HISTORY ? "--night or --history"
                                                               : "--night");
    if (a->kin_name && a->streams == ABSENT)
        return cli_usage(command, "--kin says how --streams are related");
    return CLI_CONFORMS;
}

// Numbers and what is taken where nothing is given.
static int read_numbers(const struct cli_command *command, struct audit_arguments *a)
{
    if (a->bytes_text && (!audit_read_size(a->bytes_text, &a->bytes) || !a->bytes))
        return cli_usage(
            command,
            "--bytes is '%s'; expected a whole number of bytes, KiB, MiB, GiB or TiB (64MiB)",
            a->bytes_text);
    a->seed = 1;
    if (a->seed_text && (!audit_read_size(a->seed_text, &a->seed) ||
                         strspn(a->seed_text, "0123456789") != strlen(a->seed_text)))
        return cli_usage(command, "--seed is '%s'; expected a whole number", a->seed_text);
    a->width = a->width == ABSENT ? 32 : a->width;
    a->streams = a->streams == ABSENT ? 1 : a->streams;
    a->threads = a->threads == ABSENT ? 0 : a->threads;
    a->profile = a->profile ? a->profile : "quick";
    a->database = a->database ? a->database : "audit.sqlite";
    return CLI_CONFORMS;
}

// Whether two paths lead to one file.
static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = {.width = ABSENT, .streams = ABSENT, .threads = ABSENT};
    const struct cli_option options[] = {
        {"source", CLI_TEXT, &a.source, "NAME", "what to audit (see above)"},
        {"profile", CLI_TEXT, &a.profile, "NAME",
         "quick (8 GiB, seconds; the default), nightly (1 TiB) or deep (64 TiB)"},
        {"bytes", CLI_TEXT, &a.bytes_text, "N",
         "look at no more than about so many bytes (also 64MiB: KiB, MiB, GiB, TiB), repeats apart"},
        {"width", CLI_NUMBER, &a.width, "BITS",
         "width of raw words, 32 or 64: little-endian, so the same bytes are judged the same"},
        {"seed", CLI_TEXT, &a.seed_text, "N", "seed of sources that take one (1)"},
        {"streams", CLI_NUMBER, &a.streams, "N",
         "this many streams at once (a power of two up to 1024)"},
        {"kin", CLI_TEXT, &a.kin_name, "HOW",
         "seeds of the streams: next (seed, seed + 1, ...; the default), bit (one bit apart), tree (jax.split)"},
        {"threads", CLI_NUMBER, &a.threads, "N", "threads (all); the result does not depend on it"},
        {"out", CLI_TEXT, &a.out, "FILE",
         "also write the JSON object there, without the time it took"},
        {"window", CLI_TEXT, &a.window, "FILE",
         "keep there, as raw words, the window that shows a flaw best (audit it as file:FILE); of a pipe, among the last 64 "
         "MiB"},
        {"shard", CLI_TEXT, &a.shard, "I/N",
         "only count part I of N, for assay merge; with --panel: only every N-th generator"},
        {"to", CLI_TEXT, &a.to, "DIR", "with --shard: the folder of the parts"},
        {"plan", CLI_FLAG, &a.plan, NULL,
         "with --shard: count nothing; exit 2 when the folder belongs to another plan"},
        {"json", CLI_FLAG, &a.json, NULL, "one JSON object instead of text"},
        {"panel", CLI_FLAG, &a.panel, NULL,
         "audit every generator of the panel instead, and print the table"},
        {"laws", CLI_FLAG, &a.laws, NULL,
         "check the laws of the reference's operations instead: conversions word by word, draws; with --source a target's "
         "draws"},
        {"night", CLI_FLAG, &a.night, NULL,
         "run as the next night of the history: fresh blocks, evidence that adds up; with --shard: only count part I of it, "
         "for assay "
         "merge --night"},
        {"history", CLI_FLAG, &a.history, NULL,
         "print the course of the nights (of --source, or of all)"},
        {"db", CLI_TEXT, &a.database, "FILE", "the history (audit.sqlite)"},
        {"alpha", CLI_TEXT, &a.alpha, "X",
         "most chance of a false alarm over all nights together (1e-6); fixed by the first night"},
        {"write", CLI_FLAG, &a.write, NULL,
         "write the source's words to standard output instead (for another battery)"},
    };
    int count;
    const int parsed =
        cli_parse(command, options, sizeof options / sizeof *options, argc, argv, &count);
    if (parsed)
        return parsed < 0 ? CLI_CONFORMS : parsed;
    if (count)
        return cli_usage(command, "'%s' is not an option", argv[1]);
    const int refused = check_options(command, &a);
    if (refused || read_numbers(command, &a))
        return CLI_INPUT;
    if (a.history)
        return audit_show_history(&a);
    if (a.laws)
        return audit_run_laws(&a);
    if (!a.source && !a.panel)
        return cli_usage(command, "--source says what to audit");
    if (a.width != 32 && a.width != 64)
        return cli_usage(command, "--width is %llu; expected 32 or 64", a.width);
    if (a.streams < 1 || a.streams > SOURCE_STREAMS_MAX || (a.streams & (a.streams - 1)))
        return cli_usage(command, "--streams is %llu; expected a power of two up to %d", a.streams,
                         SOURCE_STREAMS_MAX);
    while (a.kin_name && a.kin < AUDIT_KINDS && strcmp(a.kin_name, audit_kin_names[a.kin]) != 0)
        a.kin++;
    if (a.kin == AUDIT_KINDS)
        return cli_usage(command, "--kin is '%s'; expected next, bit or tree", a.kin_name);
    if (a.streams > 1 && a.source && (!strcmp(a.source, "stdin") || !strcmp(a.source, "-")))
        return cli_usage(command, "standard input is one stream");
    unsigned index, parts;
    if (a.shard && a.panel && !shard_parse(a.shard, &index, &parts))
        return cli_usage(command, "--shard is '%s'; with --panel, I/N takes every N-th generator",
                         a.shard);
    if (a.window && a.source && !strncmp(a.source, "file:", 5) && same_file(a.window, a.source + 5))
        return cli_usage(command, "--window would replace the source, %s", a.window);
    if (a.shard && !a.panel &&
        (!shard_parse(a.shard, &index, &parts) || !a.to || !a.source ||
         !strncmp(a.source, "file:", 5) || !strcmp(a.source, "stdin") || !strcmp(a.source, "-")))
        return cli_usage(command,
                         "--shard I/N goes with --to DIR and a source that every machine has");
    static struct audit_options audit;
    struct source source;
    struct diagnostic diagnostic;
    if (!battery_named(a.profile, &audit.battery))
        return cli_usage(command, "there is no profile '%s'; there are quick, nightly and deep",
                         a.profile);
    audit.threads = a.threads > 1024 ? 1024 : (unsigned)a.threads;
    if (a.bytes)
        battery_limit(&audit.battery, a.bytes);
    if (a.panel)
        return audit_run_panel(&a, &audit);
    if (a.plan)
        return audit_say_plan(&a, &audit);
    if (cli_check_out(a.out, &diagnostic) || cli_check_out(a.window, &diagnostic) ||
        audit_open(&source, &a, &diagnostic))
        return cli_fail(&diagnostic);
    if (a.write) {
        const int code = write_source(&a, &source);
        source_close(&source);
        return code;
    }
    if (a.shard && a.night && audit_next_block(&a, &a.first_block, &diagnostic)) {
        source_close(&source);
        return cli_fail(&diagnostic);
    }
    audit.first_block = a.first_block;
    if (a.shard) {
        const int code = audit_run_part(&a, &audit, &source);
        source_close(&source);
        return code;
    }
    audit.keep_always = a.window != NULL;
    audit.progress = isatty(STDERR_FILENO) && !a.json ? audit_show_progress : NULL;
    if (a.night) {
        audit.progress = NULL;
        const int code = audit_run_night(&a, &audit, &source);
        source_close(&source);
        return code;
    }
    struct audit_result result;
    const enum error error = audit_run(&audit, &source, &result, &diagnostic);
    source_close(&source);
    if (error || (a.out && audit_write_result(&a, &result, &diagnostic)) ||
        audit_keep_window(&a, &result, &diagnostic))
        return cli_fail(&diagnostic);
    if (a.json)
        audit_print_json(&a, &result);
    else
        audit_print_text(&a, &result);
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
        "                         './my-program':jax.uniform; stats/SOURCES.md has the list. Of philox and threefry\n"
        "                         (philox-6: six rounds, philox.u64: 64-bit words), whose requests hold any counters and\n"
        "                         keys, the block function is looked at too; other requests hold one seed, key or state\n"
        "                         each, a call for every input: of them only the stream is audited\n"
        "  panel:NAME             a generator of the panel\n"
        "A flawed source ends the audit at once, and the pipe it comes from is closed. A verdict of flawed is wrong less than\n"
        "once in 900 million audits, all tests and looks together; a clean one says that this battery saw nothing in so many\n"
        "bytes. Exit code 0: clean, 1: flawed, 2: usage or input, 3: environment, 4: nothing to show. With --streams, streams "
        "that are\n"
        "equal or begin within each other's first words are named before anything else is read.\n"
        "\n"
        "--night audits the next bytes that no night of the source has read (another seed, other streams or another version "
        "of\n"
        "a target is another source; profiles share one range), and says two things: the verdict of this night alone, as sure\n"
        "as above; and the evidence of all nights together, whose ALARM is false with a chance of at most alpha over all\n"
        "nights there will ever be. Exit code 1: this night is flawed, or the alarm has been raised, tonight or before.\n"
        "--history shows the course and changes nothing.",
    .run = run,
};
