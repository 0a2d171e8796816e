// SPDX-License-Identifier: Apache-2.0
// assay diff: what changed between two certifications, say of two versions of a library?

#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/judge/write/results_diff.h"

static int run(const struct cli_command *command, int argc, char **argv)
{
    unsigned long long most = 20;
    const struct cli_option options[] = {
        {"show", CLI_NUMBER, &most, "N", "how many cases of each kind to name (20)"}};
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct results_diff diff;
    struct diagnostic diagnostic = {.text = ""};
    if (results_diff(argv[1], argv[2], &diff, &diagnostic)) {
        results_diff_release(&diff);
        return cli_fail(&diagnostic);
    }
    for (int kind = 0; kind < DIFF_KINDS; kind++) {
        unsigned long long shown = 0;
        if (!diff.kinds[kind])
            continue;
        printf("%zu %s\n", diff.kinds[kind], diff_kind_name((enum diff_kind)kind));
        for (size_t i = 0; i < diff.count && shown < most; i++) {
            const struct diff_entry *const entry = &diff.entry[i];
            if ((int)entry->kind != kind)
                continue;
            printf("  %s %s %s: %s%s%s\n", entry->target, entry->suite, entry->id, entry->before,
                   entry->before[0] && entry->after[0] ? " -> " : "", entry->after);
            shown++;
        }
    }
    printf("%zu cases changed, %zu the same\n", diff.count, diff.same);
    const int result = diff.count ? CLI_DIFFERS : diff.same ? CLI_CONFORMS : CLI_NOTHING;
    results_diff_release(&diff);
    return result;
}

const struct cli_command command_diff = {
    .name = "diff",
    .arguments = "OLD NEW",
    .summary = "compare two results files",
    .help = "Names the cases that newly fail, newly pass, fail otherwise, pass with other bits, or "
            "use more of the radius (by a tenth of it or more).",
    .exits = {"nothing changed", "something changed", [CLI_NOTHING] = "neither file holds a case"},
    .takes = {2, 2, "two results files, the older first"},
    .run = run,
};
