// SPDX-License-Identifier: Apache-2.0
// assay audit --night and --history: nights, and the evidence that they add up to.

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/cli/audit.h"
#include "harness/cli/cli.h"
#include "stats/history.h"

static void print_night(void *context, const struct history_night *night)
{
    unsigned *const lines = context;
    char size[32], p[32], at[32];
    if (!(*lines)++)
        printf("%-24s %-8s %6s %12s %10s %9s %12s  %s\n", "source", "profile", "night", "from byte", "bytes", "p", "evidence",
               "");
    printf("%-24s %-8s %6" PRIu64 " %12s %10s %9s %12.4g  %s%s%s\n", night->source, night->profile, night->night,
           audit_text_bytes(night->first_block * AUDIT_BLOCK_BYTES, at, sizeof at),
           audit_text_bytes(night->blocks * AUDIT_BLOCK_BYTES, size, sizeof size), audit_text_p(night->log_p, p, sizeof p),
           __builtin_exp(night->log_e < 700 ? night->log_e : 700), night->alarm ? "ALARM " : "",
           night->log_p < -9.2 ? night->what : "", night->log_p < -9.2 ? "" : "clean");
}

// The course of the nights; the evidence may be read at any time: under a perfect source it passes 1/alpha with a chance of at
// most alpha over all nights.
int audit_show_history(const struct audit_arguments *a)
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
int audit_run_night(const struct audit_arguments *a, struct audit_options *audit, const struct source *source)
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
        audit_print_json(a, &result);
    else
        audit_print_text(a, &result);
    if (!a->json)
        printf("night %" PRIu64 ": %s from byte %" PRIu64 " on, p = %s; evidence of all nights %.4g, alarm at %.4g: %s\n",
               night.night, audit_text_bytes(night.blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
               night.first_block * AUDIT_BLOCK_BYTES, audit_text_p(night.log_p, p, sizeof p),
               __builtin_exp(night.log_e < 700 ? night.log_e : 700), 1 / alpha,
               night.alarm ? "ALARM, the source is flawed" : "no alarm");
    audit_release(&result);
    return night.alarm ? CLI_DIFFERS : CLI_CONFORMS;
}
