// SPDX-License-Identifier: Apache-2.0
// assay audit --panel: every generator of the panel, and whether all went as the roster says.

#include "harness/cli/audit/audit.h"
#include "harness/cli/cli.h"
#include "harness/cli/shards.h"
#include "stats/roster/roster.h"

int audit_run_panel(const struct audit_arguments *a, struct audit_options *audit)
{
    unsigned index = 1, parts = 1;
    if (a->shard)
        shard_parse(a->shard, &index, &parts);
    if (index > panel_roster_count) {
        fprintf(stderr, "assay: --shard %s takes none of the panel's %u generators\n", a->shard,
                panel_roster_count);
        return CLI_NOTHING;
    }
    unsigned flawed = 0, caught = 0, good = 0, alarms = 0, beyond = 0;
    printf("%-24s %-9s %-16s %10s %9s  %s\n", "generator", "verdict", "test", "bytes", "seconds",
           "what was seen");
    for (unsigned i = 0; i < panel_roster_count; i++) {
        const struct panel_row *const row = &panel_roster[i];
        if (i % parts != index - 1)
            continue;
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
        const char *const verdict = row->expectation == PANEL_GOOD ? (found ? "ALARM" : "clean")
                                    : found                        ? "flawed"
                                                                   : "MISSED";
        printf("%-24s %-9s %-16s %10s %9.3f  %s\n", row->generator,
               row->expectation == PANEL_BEYOND && !found ? "beyond" : verdict,
               found ? result.finding.test : "-",
               audit_text_bytes(result.judged * AUDIT_BLOCK_BYTES, size, sizeof size),
               result.seconds,
               found      ? result.finding.what
               : row->why ? row->why
                          : "");
        fflush(stdout);
    }
    printf(
        "%u of %u flawed generators caught, %u false alarms among %u good ones, %u beyond reach\n",
        caught, flawed, alarms, good, beyond);
    return caught == flawed && !alarms ? CLI_CONFORMS : CLI_DIFFERS;
}
