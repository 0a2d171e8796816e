// SPDX-License-Identifier: Apache-2.0
// What the files of `assay audit` share: its arguments, and how results are printed.

#ifndef ASSAY_HARNESS_CLI_AUDIT_AUDIT_H
#define ASSAY_HARNESS_CLI_AUDIT_AUDIT_H

#include <stdbool.h>

#include "harness/cli/audit/source.h"
#include "stats/audit/audit.h"

struct history_night;
struct text;

struct audit_arguments {
    const char *source, *profile, *database, *alpha, *out, *shard, *to, *window, *bytes_text,
        *seed_text;
    unsigned long long bytes, seed, width, threads, streams;
    enum audit_kin kin; // of the streams
    const char *kin_name;
    bool json, write, panel, history, night, laws, plan;
    uint64_t first_block;              // of parts
    const struct history_night *entry; // of a night that has been closed: JSON says it too
};

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

// A whole number of bytes, plain or in KiB, MiB, GiB, TiB ("64MiB"); false for anything else.
bool audit_read_size(const char *text, unsigned long long *bytes);

// --out: the JSON object without the time it took, so that equal audits give equal bytes. --window:
// the words that show the flaw; without any, an older file there is removed.
enum error audit_write_result(const struct audit_arguments *a, const struct audit_result *result,
                              struct diagnostic *diagnostic);
enum error audit_keep_window(const struct audit_arguments *a, const struct audit_result *result,
                             struct diagnostic *diagnostic);

// For audit_options.progress.
void audit_show_progress(void *context, uint64_t blocks, uint64_t of, double log_p);

// ---- one file each; all return the exit code --------------------------------

int audit_run_panel(const struct audit_arguments *a, struct audit_options *audit);
int audit_run_laws(const struct audit_arguments *a);
int audit_show_history(const struct audit_arguments *a);
// The first block of the next night of a source; 0 where there is no history yet.
enum error audit_next_block(const struct audit_arguments *a, uint64_t *first_block,
                            struct diagnostic *diagnostic);
int audit_run_night(const struct audit_arguments *a, struct audit_options *audit,
                    const struct source *source);
int audit_run_part(const struct audit_arguments *a, const struct audit_options *audit,
                   const struct source *source);
int audit_say_plan(const struct audit_arguments *a, const struct audit_options *audit);

#endif
