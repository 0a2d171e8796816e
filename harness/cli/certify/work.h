// SPDX-License-Identifier: Apache-2.0
// A certification under way: all targets over all suites. Shared by command.c, which asks for it,
// certify.c, which runs it, conclude.c, which reports, and those that run parts of it.

#ifndef ASSAY_HARNESS_CLI_CERTIFY_WORK_H
#define ASSAY_HARNESS_CLI_CERTIFY_WORK_H

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "harness/cli/suite_table.h"
#include "harness/cli/target_table.h"
#include "harness/judge/write/records.h"

#define CERTIFY_DRAW "draw" // in place of a seed

struct certify_arguments {
    const char *target, *plugin, *program, *suite, *pattern, *out, *known, *shard, *to, *key, *mode;
    const char *recorded, *recorded_by; // a folder, and the public key of who signed it
    const char *log, *html, *junit, *resume, *write_known, *seed, *command;
    unsigned long long time_ms, failures, survey, jobs;
    bool quick, requirements, no_explain, quiet, verbose, plan;
};

// The mode that the arguments name.
enum judge_mode certify_mode(const struct certify_arguments *arguments);

// What came of opening and closing a target.
struct certify_session {
    bool begun;
    const char *unavailable; // why it could not be opened, NULL: it could
    const char *closing;     // what went wrong when it was closed, NULL: nothing
    struct host_description description;
    const struct records_library
        *library; // what it had loaded, by name; looked for where results are to be written
    size_t library_count;
    uint64_t spent;     // nanoseconds of its calls, in all processes
    const char *unseen; // what is known to be missing among them, NULL: nothing
};

struct certify_work {
    const struct certify_arguments *arguments;
    struct arena arena;
    struct target *targets;
    size_t target_count, suite_count;
    struct suite *suites;
    struct golden_manifest *manifests; // of each suite
    struct certify_session *session;   // of each target
    struct judge_run *runs;            // target by target
    struct judge_pool **pools; // of each run, where several processes share it; NULL: they do not
    struct machine machine;
    struct record *record; // what the arguments name in place of a target; NULL: nothing
    struct records_recorded recorded;
    bool *judged;
    struct stat *noted; // of the files that the plan names, see certify_note_files
    struct known_list known;
    bool has_known;
    const char *seed; // of the drawn cases; NULL: there are none
    bool drawn;       // the seed was drawn here, after the targets' files were digested
    char (*fixed)[DIGEST_HEX_SIZE]; // with a seed: digest of each target's file; empty: unknown
    FILE *log; // where every failure is printed in full, besides standard output with `verbose`
    // Of a certification that can be interrupted; NULL: it cannot. Of each run and each target:
    // what a stopped one left; whether it left nothing to run.
    struct judge_run *finished;
    struct certify_session *kept;
    bool *complete;
    size_t selected, unexpected, expected, broken;
    size_t unlisted; // failures of native targets on a class that no list covers
    size_t lost;     // of the unexpected: what the harness could not run
    size_t proofs;   // cases that say something of their target
    size_t idle;     // entries of the list of known failures that cover no case
};

// Reads suites, targets and known failures as the arguments name them. Release the work also after
// an error.
enum error certify_prepare(struct certify_work *work, struct diagnostic *diagnostic);
void certify_release(struct certify_work *work);

// Adds the drawn cases to the suites, where the arguments ask for them.
enum error certify_draw(struct certify_work *work, struct diagnostic *diagnostic);

// ERROR_SYSTEM when a target's file is not the one for which cases were drawn.
enum error certify_check_fixed(const struct certify_work *work, struct diagnostic *diagnostic);

// Not 0 once the certification is to stop. Processes that are to stop together put the word into
// memory that they share.
const volatile sig_atomic_t *certify_stop(void);
void certify_share_stop(volatile sig_atomic_t *word);

// Opens target `t` and judges all suites, printing each; of a part (NULL: all) it runs only the
// share and prints nothing.
enum error certify_run_target(struct certify_work *work, size_t t, const struct shard_plan *part,
                              struct diagnostic *diagnostic);

// Counts what target `t` did, and prints it where everything is printed: its opening, its judged
// results of suite `s`, its closing.
void certify_report_opening(struct certify_work *work, size_t t);
enum error certify_report_run(struct certify_work *work, size_t t, size_t s,
                              struct diagnostic *diagnostic);
void certify_report_closing(struct certify_work *work, size_t t);

// Writes the results file and prints the conclusion, whose last line is the result: an exit code.
int certify_finish(struct certify_work *work);

// Runs and writes part `index` of `count`: an exit code.
int certify_part(struct certify_work *work, unsigned index, unsigned count);

// What the plan of the parts asks for, and on which machine they ran. Texts are the arena's.
enum error certify_read_plan(const struct shard_set *set, struct arena *arena,
                             struct certify_arguments *a, struct machine *machine,
                             struct diagnostic *diagnostic);

// The plan as JSON: everything that has a say in the results.
enum error certify_describe(const struct certify_work *work, struct text *text,
                            struct diagnostic *diagnostic);

// Writes down what target `t` did before any profile is chosen, and releases it (`begun` false:
// that there is nothing); reads it again, as part `part` of several (from 1). ERROR_INPUT where it
// is not that, or not of the same library.
void certify_put_target(const struct certify_work *work, size_t t, bool begun,
                        struct shard_payload *payload);
enum error certify_take_target(struct certify_work *work, size_t t, struct shard_reader *reader,
                               unsigned part, struct diagnostic *diagnostic);
bool certify_same_description(const struct host_description *a, const struct host_description *b);

// The whole certification, which Ctrl-C interrupts so that it can go on later, by `jobs` processes
// (0: one per processor): an exit code.
int certify_whole(struct certify_work *work, unsigned jobs);

// Reads all parts of the set as one run, which may lack cases.
enum error certify_take_parts(struct certify_work *work, const struct shard_set *set,
                              struct diagnostic *diagnostic);

// Judges what was taken, reports it and writes the results: an exit code.
int certify_join(struct certify_work *work);

// Runs what is left in `jobs` processes, each with workers of its own, and takes their parts: an
// exit code, 0 also where they were stopped.
int certify_jobs(struct certify_work *work, unsigned jobs);

#endif
