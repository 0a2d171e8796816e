// SPDX-License-Identifier: Apache-2.0
// assay audit panel: every generator of the panel, and whether all went as the roster says.

#include "harness/cli/audit/audit.h"
#include "harness/cli/cli.h"
#include "harness/cli/shards.h"
#include "stats/roster/roster.h"

struct tally {
    unsigned flawed, caught, good, alarms, beyond;
};

static void print_row(const struct panel_row *row, const struct audit_result *result,
                      struct tally *tally)
{
    char size[32];
    const bool found = result->verdict == AUDIT_FLAWED;
    tally->flawed += row->expectation == PANEL_FLAWED;
    tally->caught += row->expectation == PANEL_FLAWED && found;
    tally->good += row->expectation == PANEL_GOOD;
    tally->alarms += row->expectation == PANEL_GOOD && found;
    tally->beyond += row->expectation == PANEL_BEYOND;
    const char *const verdict = row->expectation == PANEL_GOOD     ? (found ? "ALARM" : "clean")
                                : found                            ? "flawed"
                                : row->expectation == PANEL_BEYOND ? "beyond"
                                                                   : "MISSED";
    printf("%-24s %-9s %-16s %10s %9.3f  %s\n", row->generator, verdict,
           found ? result->finding.test : "-",
           audit_text_bytes(result->judged * AUDIT_BLOCK_BYTES, size, sizeof size), result->seconds,
           found      ? result->finding.what
           : row->why ? row->why
                      : "");
    fflush(stdout);
}

static enum error audit_row(const struct panel_row *row, uint64_t seed, struct audit_options audit,
                            struct tally *tally, struct diagnostic *diagnostic)
{
    struct source source;
    struct audit_result result;
    enum error error = audit_source_open_row(&source, row, seed, diagnostic);
    if (error)
        return error;
    if (panel_bytes(row))
        battery_limit(&audit.battery, panel_bytes(row));
    error = audit_run(&audit, &source, &result, diagnostic);
    source_close(&source);
    if (error)
        return error;
    print_row(row, &result, tally);
    audit_release(&result);
    return ERROR_NONE;
}

static int run_panel(const struct audit_arguments *a, const struct audit_options *audit)
{
    unsigned index = 1, parts = 1;
    struct tally tally = {0};
    struct diagnostic diagnostic;
    if (a->shard)
        shard_parse(a->shard, &index, &parts);
    if (index > panel_roster_count) {
        fprintf(stderr, "assay: --shard %s takes none of the panel's %u generators\n", a->shard,
                panel_roster_count);
        return CLI_NOTHING;
    }
    printf("%-24s %-9s %-16s %10s %9s  %s\n", "generator", "verdict", "test", "bytes", "seconds",
           "what was seen");
    for (unsigned i = index - 1; i < panel_roster_count; i += parts)
        if (audit_row(&panel_roster[i], a->seed, *audit, &tally, &diagnostic))
            return cli_fail(&diagnostic);
    printf("%u of %u flawed generators caught, %u false alarms among %u good ones, %u beyond "
           "reach\n",
           tally.caught, tally.flawed, tally.alarms, tally.good, tally.beyond);
    return tally.caught == tally.flawed && !tally.alarms ? CLI_CONFORMS : CLI_DIFFERS;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = AUDIT_DEFAULTS;
    static struct audit_options audit;
    unsigned index, parts;
    const struct cli_option options[] = {
        {"bytes", CLI_SIZE, &a.bytes, "N", "read no more than about N bytes of each generator"},
        {"seed", CLI_NUMBER, &a.seed, "N", "seed of the generators (default 1)"},
        {"shard", CLI_TEXT, &a.shard, "I/N", "only every N-th generator, from the I-th on"},
        AUDIT_BATTERY_OPTIONS(a)};
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    code = code ? code : shards_parse(command, a.shard, &index, &parts);
    code = code ? code : audit_check_profile(command, &a, &audit);
    return code ? code : run_panel(&a, &audit);
}

const struct cli_command audit_part_panel = {
    .name = "audit panel",
    .arguments = "[options]",
    .summary = "audit every generator of the panel: flawed ones must be caught",
    .help = "Audits generators whose flaws are known, and good ones, and says whether every flaw "
            "within reach was caught and no good one accused.",
    .exits = {"all went as the roster says", "a flaw was missed, or a good generator accused",
              [CLI_NOTHING] = "--shard takes no generator"},
    .run = run,
};
