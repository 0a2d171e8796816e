// SPDX-License-Identifier: Apache-2.0
// What the files of `assay audit` share: its arguments, and how results are printed.

#ifndef ASSAY_HARNESS_CLI_AUDIT_AUDIT_H
#define ASSAY_HARNESS_CLI_AUDIT_AUDIT_H

#include <stdbool.h>

#include "harness/cli/audit/source.h"
#include "harness/cli/cli.h"
#include "stats/audit/audit.h"

struct history_night;
struct text;

struct audit_arguments {
    const char *source, *profile, *database, *alpha, *out, *shard, *to, *window, *kin_name;
    unsigned long long bytes, seed, width, threads, streams; // bytes and threads 0: not given
    enum audit_kin kin;                                      // of the streams
    bool json, plan;
    uint64_t first_block;              // of parts
    const struct history_night *entry; // of a night that has been closed: JSON says it too
};

#define AUDIT_DEFAULTS                                                                             \
    {                                                                                              \
        .profile = "quick", .database = "audit.sqlite", .seed = 1, .width = 32, .streams = 1       \
    }

// Rows of tables of options.
// clang-format off
#define AUDIT_STREAM_OPTIONS(a) \
    {"source", CLI_TEXT, &(a).source, "NAME", \
     "what to audit (`assay audit run -h` lists names)"}, \
    {"bytes", CLI_SIZE, &(a).bytes, "N", \
     "read no more than about N bytes (also 64MiB: KiB, MiB, GiB, TiB), repeats apart"}, \
    {"width", CLI_NUMBER, &(a).width, "BITS", \
     "width of raw words, 32 or 64; words are little-endian, so the verdict is the same"}, \
    {"seed", CLI_NUMBER, &(a).seed, "N", "seed of sources that take one (default 1)"}, \
    {"streams", CLI_NUMBER, &(a).streams, "N", \
     "audit N streams at once (a power of two up to 1024)"}, \
    {"kin", CLI_TEXT, &(a).kin_name, "HOW", \
     "seeds of the streams: next (seed, seed + 1, ...; the default), bit (one bit apart), " \
     "tree (jax.split)"}
#define AUDIT_BATTERY_OPTIONS(a) \
    {"profile", CLI_TEXT, &(a).profile, "NAME", \
     "quick (8 GiB, seconds; the default), nightly (1 TiB) or deep (64 TiB)"}, \
    {"threads", CLI_NUMBER, &(a).threads, "N", \
     "number of threads (default: one per processor); results do not depend on it"}
#define AUDIT_RESULT_OPTIONS(a) \
    {"json", CLI_FLAG, &(a).json, NULL, "one JSON object instead of text"}, \
    {"out", CLI_OUT, &(a).out, "FILE", \
     "also write the JSON object there, without the time it took"}, \
    {"window", CLI_OUT, &(a).window, "FILE", \
     "write there, as raw words, the window that shows a flaw best (audit it as file:FILE); " \
     "of a pipe, among the last 64 MiB"}
#define AUDIT_PART_OPTIONS(a) \
    {"shard", CLI_TEXT, &(a).shard, "I/N", "only count part I of N, for assay merge"}, \
    {"to", CLI_TEXT, &(a).to, "DIR", "with --shard: the folder of the parts"}, \
    {"plan", CLI_FLAG, &(a).plan, NULL, \
     "with --shard: count nothing; exit 2 when the folder belongs to another plan"}
#define AUDIT_HISTORY_OPTION(a) \
    {"db", CLI_TEXT, &(a).database, "FILE", "the history (default audit.sqlite)"}
// clang-format on

// The parts that stand in files of their own.
extern const struct cli_command audit_part_history, audit_part_laws, audit_part_panel,
    audit_part_write;

// Print a usage message where an option is wrong; CLI_CONFORMS or CLI_INPUT. The first also finds
// a->kin, the second fills *audit.
int audit_check_source(const struct cli_command *command, struct audit_arguments *a);
int audit_check_profile(const struct cli_command *command, const struct audit_arguments *a,
                        struct audit_options *audit);

// What the plan of the parts asks for. Texts are the arena's.
struct arena;
struct shard_set;
enum error audit_read_plan(const struct shard_set *set, struct arena *arena,
                           struct audit_arguments *a, struct diagnostic *diagnostic);

static const uint64_t AUDIT_BLOCK_BYTES = UINT64_C(4) << BATTERY_BLOCK_LOG2;

// The source, or the streams, that the arguments name.
enum error audit_open(struct source *source, const struct audit_arguments *a,
                      struct diagnostic *diagnostic);

// ---- print.c ----------------------------------------------------------------

// The decimal logarithm of e^log, to three places, as JSON has it.
double audit_log10(double log);

// p = e^log_p, and a number of bytes, as a person reads them; both return `text`.
const char *audit_text_p(double log_p, char *text, size_t size);
const char *audit_text_bytes(uint64_t bytes, char *text, size_t size);

void audit_print_text(const struct audit_arguments *a, const struct audit_result *result);
void audit_print_json(const struct audit_arguments *a, const struct audit_result *result);

// A night and the evidence of its course, as the keys of an object that is open.
void audit_put_night(struct text *text, const struct history_night *night);

// --out: the JSON object without the time it took, so that equal audits give equal bytes. --window:
// the words that show the flaw; without any, an older file there is removed.
enum error audit_write_result(const struct audit_arguments *a, const struct audit_result *result,
                              struct diagnostic *diagnostic);
enum error audit_keep_window(const struct audit_arguments *a, const struct audit_result *result,
                             struct diagnostic *diagnostic);

// For audit_options.progress.
void audit_show_progress(void *context, uint64_t blocks, uint64_t of, double log_p);

// ---- runs; all return the exit code -----------------------------------------

// The first block of the next night of a source; 0 where there is no history yet.
enum error audit_next_block(const struct audit_arguments *a, uint64_t *first_block,
                            struct diagnostic *diagnostic);
int audit_run_night(const struct audit_arguments *a, struct audit_options *audit,
                    const struct source *source);
int audit_run_part(const struct audit_arguments *a, const struct audit_options *audit,
                   const struct source *source);
int audit_say_plan(const struct audit_arguments *a, const struct audit_options *audit);

#endif
