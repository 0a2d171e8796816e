// SPDX-License-Identifier: Apache-2.0
// assay certify: its options, which of them go together, and what it does with them.

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/certify/work.h"
#include "harness/cli/commands.h"
#include "harness/cli/project.h"
#include "harness/cli/seal.h"
#include "harness/cli/shards.h"
#include "harness/cli/target_of.h"
#include "harness/host/watch.h"

// Keeps memory that a case gave back: the next case would otherwise fault in every page again.
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
    enum { KEPT = 128 << 20, MAPPED = 32 << 20 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, MAPPED);
#endif
}

static int parse(const struct cli_command *command, int argc, char **argv,
                 struct certify_arguments *a)
{
    const struct cli_option options[] = {
        {"target", CLI_TEXT, &a->target, "NAME,...",
         "targets by name (`assay targets` lists them), or all"},
        {"plugin", CLI_TEXT, &a->plugin, "FILE.so", "a plugin of your own, alone or beside others"},
        {"exec", CLI_TEXT, &a->program, "PROGRAM",
         "a process target of your own, with its arguments"},
        {"exec-onnx", CLI_TEXT, &a->command, "COMMAND",
         "a command that runs an ONNX model: '... {model} {inputs} {outputs}'"},
        {"recorded", CLI_TEXT, &a->recorded, "DIR",
         "in place of a target: answers that `assay record` or a runner kept there"},
        {"recorded-by", CLI_TEXT, &a->recorded_by, "KEY.pem",
         "with --recorded: only if this public key signed the record"},
        {"suite", CLI_TEXT, &a->suite, "NAME,...", "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &a->pattern, "PATTERN", "only cases whose id matches, as in a shell"},
        {"out", CLI_OUT, &a->out, "FILE",
         "write results there (with --sign: results.jsonl when not given)"},
        {"sign", CLI_TEXT, &a->key, "KEY.pem",
         "also write statement and, where the target conforms, certificate, signed with this "
         "Ed25519 key"},
        {"seed", CLI_TEXT, &a->seed, "N",
         "also run the cases with other data, drawn from the number N; with draw, from a "
         "random number that is taken after the target's files are digested"},
        {"known", CLI_TEXT, &a->known, "FILE",
         "expected failures, with their reasons (the project's own list when not given)"},
        {"write-known", CLI_OUT, &a->write_known, "FILE",
         "write entries for what is new, grouped by what explains it"},
        {"failures", CLI_NUMBER, &a->failures, "N",
         "how many failures to print in full for each suite (10)"},
        {"survey", CLI_NUMBER, &a->survey, "N",
         "run the first N failures of each suite under every combination of conditions, and say on "
         "which conditions their bits depend"},
        {"time", CLI_NUMBER, &a->time_ms, "MS", "longest that one call may take (10,000)"},
        {"mode", CLI_TEXT, &a->mode, "NAME",
         "bounds over many steps: observed (the default), sequence or stepwise; see above"},
        {"requirements", CLI_FLAG, &a->requirements, NULL,
         "print every requirement, not only those that are not met"},
        {"no-explain", CLI_FLAG, &a->no_explain, NULL,
         "do not search the choices for what a failing target does"},
        {"resume", CLI_TEXT, &a->resume, "DIR",
         "go on with what an interrupted certification kept there (Ctrl-C says where)"},
        {"quick", CLI_FLAG, &a->quick, NULL,
         "one set of conditions for all cases (not a certification)"},
        {"quiet", CLI_FLAG, &a->quiet, NULL, "print the result line alone"},
        {"verbose", CLI_FLAG, &a->verbose, NULL,
         "print every suite of every target, with --failures N of them in full"},
        {"log", CLI_OUT, &a->log, "FILE", "write there what --verbose prints"},
        {"html", CLI_OUT, &a->html, "FILE", "also write the results as a page to look at"},
        {"junit", CLI_OUT, &a->junit, "FILE", "also write them as JUnit XML"},
        {"jobs", CLI_NUMBER, &a->jobs, "N",
         "number of processes (default 1; 0: one per processor); results do not depend on it"},
        {"shard", CLI_TEXT, &a->shard, "I/N", "only run part I of N, for assay merge"},
        {"to", CLI_TEXT, &a->to, "DIR", "with --shard: the folder of the parts"},
        {"plan", CLI_FLAG, &a->plan, NULL,
         "with --shard: run nothing; exit 2 when the folder belongs to another plan, machines "
         "apart"},
    };
    return cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
}

static int check(const struct cli_command *command, const struct certify_arguments *a)
{
    const enum judge_mode mode = certify_mode(a);
    if (mode == JUDGE_MODES)
        return cli_usage(
            command, "there is no mode '%s'; there are observed, sequence and stepwise", a->mode);
    const bool stepwise = mode == JUDGE_STEPWISE, drawn = a->seed && !strcmp(a->seed, CERTIFY_DRAW);
    const struct cli_rule rules[] = {
        {!a->shard != !a->to || (a->shard && a->out),
         "--shard and --to go together, without --out: assay merge writes the results"},
        {a->recorded && (a->target || a->plugin || a->program || a->command),
         "--recorded cannot be combined with --target, --plugin or --exec: a record is the target"},
        {a->recorded && (a->quick || a->survey || a->shard || a->resume),
         "--recorded cannot be combined with --quick, --survey, --shard or --resume: nothing is "
         "run again"},
        {a->recorded && drawn,
         "--recorded needs the number after --seed that the answers were recorded with"},
        {a->recorded_by && !a->recorded, "--recorded-by goes with --recorded"},
        {a->plan && !a->shard, "--plan goes with --shard and --to"},
        {a->survey && (a->shard || a->jobs != 1),
         "--survey cannot be combined with --shard or --jobs: it runs the target again at "
         "the end"},
        {a->survey && stepwise,
         "--survey cannot be combined with --mode stepwise, which names the first wrong step"},
        {a->resume && a->shard,
         "--resume cannot be combined with --shard: an interrupted part is run again whole"},
        {a->resume && a->survey,
         "--resume cannot be combined with --survey, which keeps no finished cases"},
        {a->resume && stepwise,
         "--resume cannot be combined with --mode stepwise, which keeps no finished cases"},
        {drawn && (a->resume || a->shard),
         "--resume and --shard need a number after --seed, not draw"},
        {a->key && (a->quick || a->pattern || a->shard),
         "--sign cannot be combined with --case, --quick or --shard: a certificate is about "
         "all cases under all conditions"},
        {a->key && a->resume,
         "--sign cannot be combined with --resume: what was kept may have been edited. `assay "
         "report --certificate` runs all of it again"},
        {a->key && mode != JUDGE_OBSERVED,
         "--sign cannot be combined with --mode: a certificate stands on the standard one"},
    };
    return cli_check(command, CLI_TABLE(rules));
}

// --exec-onnx is --exec with a command that reads and writes files.
static int certify_take_command(const struct cli_command *command, struct certify_arguments *a)
{
    static char text[4096];
    if (!a->command)
        return CLI_CONFORMS;
    if (a->program)
        return cli_usage(command, "--exec and --exec-onnx cannot be combined");
    if (snprintf(text, sizeof text, "%s%s", TARGET_ONNX, a->command) >= (int)sizeof text)
        return cli_usage(command, "--exec-onnx takes at most %zu bytes", sizeof text - 8);
    a->program = text;
    return CLI_CONFORMS;
}

// Without --known, the project's own list.
static enum error take_known(struct arena *arena, struct certify_arguments *a,
                             struct diagnostic *diagnostic)
{
    struct project project;
    const enum error error = a->known ? ERROR_NONE : project_find(arena, &project, diagnostic);
    if (!error && !a->known)
        a->known = project.known;
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct certify_arguments a = {.failures = 10, .jobs = 1};
    unsigned index = 0, parts = 0;
    int code = parse(command, argc, argv, &a);
    code = code ? code : certify_take_command(command, &a);
    code = code ? code : shards_parse(command, a.shard, &index, &parts);
    code = code ? code : check(command, &a);
    if (code)
        return code;
    if (certify_mode(&a) == JUDGE_OBSERVED)
        a.mode = NULL; // the default
    if (a.key && !a.out)
        a.out = "results.jsonl";
    struct diagnostic diagnostic = {.text = ""};
    struct certify_work work = {.arguments = &a};
    keep_memory();
    enum error error = a.key ? seal_check_key(a.key, &diagnostic) : ERROR_NONE;
    if (!error && a.key && !a.recorded)
        error = watch_ask(&diagnostic);
    if (!error)
        error = cli_check_out(a.out, &diagnostic);
    if (!error)
        error = take_known(&work.arena, &a, &diagnostic);
    if (!error)
        error = certify_prepare(&work, &diagnostic);
    for (size_t t = 0; t < work.target_count && !error && a.survey; t++)
        error = certify_run_target(&work, t, NULL, &diagnostic);
    const int exit_code = error     ? cli_fail(&diagnostic)
                          : a.shard ? certify_part(&work, index, parts)
                          : a.survey
                              ? certify_finish(&work)
                              : certify_whole(&work, (unsigned)(a.jobs > 1024 ? 1024 : a.jobs));
    certify_release(&work);
    return exit_code;
}

const struct cli_command command_certify = {
    .name = "certify",
    .arguments = "--target NAME [options]",
    .summary = "certify a library against the suites",
    .help =
        "Runs every case in a worker process: buffers against inaccessible pages, outputs "
        "poisoned, several numbers of threads, again and in another order. What always gives the "
        "same bits is compared with the reference under one allowed profile. Support is declared "
        "by the target before the run, with its reason.\n\n"
        "Bounds of outputs that many steps lead to (onednn.rnn) are derived in one of three "
        "modes:\n"
        "  observed  of each step from the target's own output of the step before, where\n"
        "            that output is what the next step reads (one layer, directions not\n"
        "            added): narrow over any number of steps; of gradients where the\n"
        "            target shows that output beside them; else as sequence\n"
        "  sequence  over all steps from the inputs of the first\n"
        "  stepwise  the target runs one step of one layer at a time, from the states\n"
        "            that the reference reaches (of gradients, from the last layer and\n"
        "            step on, with what its reverse pass hands on); of a case that\n"
        "            fails, the first wrong layer, direction, time and gate is named\n\n"
        "With --recorded the answers come from a folder that `assay record` made, on this machine "
        "or another. Cases whose request is not the one that was recorded are unsupported.\n\n"
        "Ctrl-C lets the cases under way end and keeps what is finished in DIR\n"
        "(FILE.unfinished, with --out FILE). The same command with --resume DIR goes on,\n"
        "and its results are those of a run that was not interrupted. It is not signed.\n\n"
        "At the end standard error says how long it took, and how long the target's calls\n"
        "took of that: to load, open, prepare, run, repeat and release.\n\n"
        "  assay certify --target openvino --suite openvino.random_uniform \\\n"
        "    --out results.jsonl\n"
        "A runtime of ONNX models is a target of the ONNX suites: --target onnx:MODULE\n"
        "(a Python package with ONNX's backend interface; onnxruntime, openvino and\n"
        "onnx.reference are known), onnx:MODULE@DEVICE, or --exec-onnx.\n\n"
        "  assay certify --target onnx:onnxruntime --suite onnx.lstm\n"
        "  assay certify --plugin ./acme.so --suite philox --out acme.jsonl \\\n"
        "    --sign key.pem",
    .exits = {"the target conforms, or nothing unexpected happened", "it does not conform",
              [CLI_NOTHING] = "no case was selected, or those that were prove nothing"},
    .run = run,
};
