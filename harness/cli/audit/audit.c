// SPDX-License-Identifier: Apache-2.0
// assay audit: is this source of random words what it claims to be? The command and its parts; run
// and night stand here, the others in files of their own. Flags that once chose a part still do:
// `audit --panel` is `audit panel`, and `audit --source NAME` is `audit run --source NAME`.

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/commands.h"
#include "harness/cli/shards.h"
#include "ref/base/nearest.h"

enum error audit_open(struct source *source, const struct audit_arguments *a,
                      struct diagnostic *diagnostic)
{
    return a->streams == 1 ? audit_source_open(source, a->source, a->seed, diagnostic)
                           : audit_source_open_streams(source, a->source, a->seed,
                                                       (unsigned)a->streams, a->kin, diagnostic);
}

static bool is_pipe(const char *source)
{
    return !strcmp(source, "stdin") || !strcmp(source, "-");
}

int audit_check_profile(const struct cli_command *command, const struct audit_arguments *a,
                        struct audit_options *audit)
{
    if (!battery_named(a->profile, &audit->battery))
        return cli_usage(command, "--profile is '%s'; expected quick, nightly or deep", a->profile);
    audit->threads = a->threads > 1024 ? 1024 : (unsigned)a->threads;
    if (a->bytes)
        battery_limit(&audit->battery, a->bytes);
    return CLI_CONFORMS;
}

int audit_check_source(const struct cli_command *command, struct audit_arguments *a)
{
    if (!a->source)
        return cli_usage(command, "--source is missing: it names what to audit");
    if (a->width != 32 && a->width != 64)
        return cli_usage(command, "--width is %llu; expected 32 or 64", a->width);
    if (a->streams < 1 || a->streams > SOURCE_STREAMS_MAX || (a->streams & (a->streams - 1)))
        return cli_usage(command, "--streams is %llu; expected a power of two up to %d", a->streams,
                         SOURCE_STREAMS_MAX);
    if (a->kin_name && a->streams == 1)
        return cli_usage(command, "--kin has no effect without --streams");
    while (a->kin_name && a->kin < AUDIT_KINDS && strcmp(a->kin_name, audit_kin_names[a->kin]) != 0)
        a->kin++;
    if (a->kin == AUDIT_KINDS)
        return cli_usage(command, "--kin is '%s'; expected next, bit or tree", a->kin_name);
    if (a->streams > 1 && is_pipe(a->source))
        return cli_usage(command,
                         "--streams cannot be combined with standard input, which is one stream");
    return CLI_CONFORMS;
}

// Whether two paths lead to one file.
static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

// The options of one part of N, and those that have no effect there.
static int check_part(const struct cli_command *command, const struct audit_arguments *a)
{
    unsigned index, parts;
    const char *const idle = a->out      ? "--out"
                             : a->window ? "--window"
                             : a->json   ? "--json"
                             : a->alpha  ? "--alpha"
                                         : NULL;
    if (!a->shard && (a->to || a->plan))
        return cli_usage(command, "%s has no effect without --shard", a->to ? "--to" : "--plan");
    if (!a->shard)
        return CLI_CONFORMS;
    if (idle)
        return cli_usage(command, "%s has no effect with --shard", idle);
    if (shards_parse(command, a->shard, &index, &parts))
        return CLI_INPUT;
    if (!a->to || !strncmp(a->source, "file:", 5) || is_pipe(a->source))
        return cli_usage(command, "--shard needs --to DIR and a source that every machine has");
    return CLI_CONFORMS;
}

static int run_once(const struct audit_arguments *a, struct audit_options *audit,
                    const struct source *source)
{
    struct audit_result result;
    struct diagnostic diagnostic;
    audit->progress = isatty(STDERR_FILENO) && !a->json ? audit_show_progress : NULL;
    if (audit_run(audit, source, &result, &diagnostic) ||
        (a->out && audit_write_result(a, &result, &diagnostic)) ||
        audit_keep_window(a, &result, &diagnostic))
        return cli_fail(&diagnostic);
    if (a->json)
        audit_print_json(a, &result);
    else
        audit_print_text(a, &result);
    audit_release(&result);
    return result.verdict == AUDIT_FLAWED ? CLI_DIFFERS : CLI_CONFORMS;
}

// What `audit run` and `audit night` do, or one part of it.
static int audit_stream(const struct cli_command *command, struct audit_arguments *a, bool night)
{
    static struct audit_options audit;
    struct source source;
    struct diagnostic diagnostic;
    int code = audit_check_source(command, a);
    code = code ? code : check_part(command, a);
    code = code ? code : audit_check_profile(command, a, &audit);
    if (code)
        return code;
    if (a->window && !strncmp(a->source, "file:", 5) && same_file(a->window, a->source + 5))
        return cli_usage(command, "--window would replace the source, %s", a->window);
    if (a->plan)
        return audit_say_plan(a, &audit);
    if (cli_check_out(a->out, &diagnostic) || cli_check_out(a->window, &diagnostic) ||
        audit_open(&source, a, &diagnostic))
        return cli_fail(&diagnostic);
    audit.keep_always = a->window != NULL;
    if (a->shard && night && audit_next_block(a, &a->first_block, &diagnostic))
        code = cli_fail(&diagnostic);
    audit.first_block = a->first_block;
    if (!code)
        code = a->shard ? audit_run_part(a, &audit, &source)
               : night  ? audit_run_night(a, &audit, &source)
                        : run_once(a, &audit, &source);
    source_close(&source);
    return code;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = AUDIT_DEFAULTS;
    const struct cli_option options[] = {AUDIT_STREAM_OPTIONS(a), AUDIT_BATTERY_OPTIONS(a),
                                         AUDIT_RESULT_OPTIONS(a), AUDIT_PART_OPTIONS(a)};
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    return code ? code : audit_stream(command, &a, false);
}

static const struct cli_command part_run = {
    .name = "audit run",
    .arguments = "--source NAME [options]",
    .summary = "read a source until it is found flawed or the profile is done",
    .help =
        "Reads a source of random words until it is found flawed or the profile is done, and says "
        "which. A flawed source ends the audit at once, and the pipe it comes from is closed. A "
        "verdict of flawed is wrong less than once in 900 million audits, all tests and looks "
        "together; a clean one says that this battery saw nothing in so many bytes. With "
        "--streams, streams that are equal or begin within each other's first words are named "
        "before anything else is read.\n\n"
        "  assay audit run --source philox4x32 --profile quick\n"
        "  my-generator | assay audit run --source stdin --width 64\n\n"
        "Sources:\n"
        "  stdin, file:PATH       raw little-endian words\n"
        "  philox4x32, threefry2x32, mt19937, chacha20\n"
        "                         generators (philox4x32-7: seven rounds)\n"
        "  openvino.random_uniform, directml.random_generator, jax.bits, jax.uniform,\n"
        "  jax.split              operations of the reference\n"
        "  TARGET:OPERATION       an operation of a target, in a worker process:\n"
        "                         openvino:openvino.random_uniform, jax:jax.bits,\n"
        "                         numpy:numpy.philox, reference:cpp.philox_engine,\n"
        "                         random123:philox (short: random123),\n"
        "                         ./my.so:philox, './my-program':jax.uniform;\n"
        "                         stats/SOURCES.md lists all operations\n"
        "  panel:NAME             a generator of the panel\n\n"
        "Requests of philox and threefry (philox-6: six rounds, philox.u64: 64-bit words) hold "
        "any counters and keys, so the block function is audited too. Other requests hold one "
        "seed, key or state each: of them only the stream is audited.",
    .exits = {"clean", "flawed"},
    .run = run,
};

static int run_night(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = AUDIT_DEFAULTS;
    const struct cli_option options[] = {
        AUDIT_STREAM_OPTIONS(a),
        AUDIT_BATTERY_OPTIONS(a),
        AUDIT_RESULT_OPTIONS(a),
        AUDIT_PART_OPTIONS(a),
        AUDIT_HISTORY_OPTION(a),
        {"alpha", CLI_TEXT, &a.alpha, "X",
         "largest chance of a false alarm over all nights together (default 1e-6); fixed by the "
         "first night"}};
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    return code ? code : audit_stream(command, &a, true);
}

static const struct cli_command part_night = {
    .name = "audit night",
    .arguments = "--source NAME [options]",
    .summary = "audit the next bytes of a source; the evidence of all nights adds up",
    .help =
        "Audits the next bytes that no night of the source has read (another seed, other streams "
        "or another version of a target is another source; profiles share one range). Prints the "
        "verdict of this night alone, as sure as that of `audit run`, and the evidence of all "
        "nights together, whose ALARM is false with a chance of at most alpha over all nights "
        "there will ever be. With --shard it counts one part; `assay merge DIR --night FILE` "
        "enters the joined counts.\n\n"
        "  assay audit night --source philox4x32 --db audit.sqlite",
    .exits = {"clean, and no alarm", "this night is flawed, or an alarm was raised now or before"},
    .run = run_night,
};

// ---- the command and its parts ----------------------------------------------

static const struct cli_command *const parts[] = {
    &part_run,         &part_night, &audit_part_history, &audit_part_panel, &audit_part_laws,
    &audit_part_write, NULL};

// The part that a flag ("--panel") names; NULL for any other word.
static const struct cli_command *part_of_flag(const char *word)
{
    for (unsigned i = 1; parts[i] && !strncmp(word, "--", 2); i++)
        if (!strcmp(word + 2, strchr(parts[i]->name, ' ') + 1))
            return parts[i];
    return NULL;
}

static int no_such_part(const struct cli_command *command, const char *word)
{
    struct nearest nearest = {.asked = word};
    char hint[NEAREST_HINT_SIZE];
    for (unsigned i = 0; parts[i]; i++)
        nearest_offer(&nearest, strchr(parts[i]->name, ' ') + 1);
    return cli_usage(command, "there is no part '%s'%s", word, nearest_hint(&nearest, hint));
}

static int choose_part(const struct cli_command *command, int argc, char **argv)
{
    const struct cli_command *part = NULL;
    if (argc < 2)
        return cli_usage(command, "expected a part");
    if (argv[1][0] != '-')
        return no_such_part(command, argv[1]);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return cli_parse(command, NULL, 0, argc, argv, NULL);
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const struct cli_command *const named = part_of_flag(argv[i]);
        if (!named)
            argv[kept++] = argv[i];
        else if (part && part != named)
            return cli_usage(command, "%s and %s cannot be combined", part->name, named->name);
        else
            part = named;
    }
    part = part ? part : &part_run;
    return part->run(part, kept, argv);
}

const struct cli_command command_audit = {
    .name = "audit",
    .arguments = "PART [options]",
    .summary = "audit a source of random words",
    .help = "Is a source of random words what it claims to be? Without a PART, `assay audit "
            "--source NAME` is `assay audit run --source NAME`. `assay help audit PART` says more.",
    .exits = {"clean", "flawed", [CLI_NOTHING] = "nothing to show"},
    .parts = parts,
    .run = choose_part,
};
