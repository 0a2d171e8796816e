// SPDX-License-Identifier: Apache-2.0
// assay audit laws: the laws of the reference's operations, or of a target's draws.

#include <stdlib.h>
#include <string.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/cli.h"
#include "harness/cli/target_table.h"
#include "harness/judge/compare/convert.h"
#include "ref/variant/variant.h"
#include "stats/conversions/laws.h"

static void print_law(void *context, const struct law_result *result)
{
    (void)context;
    char p[32];
    if (!result->offered) {
        printf("%-42s %-8s %-7s %12s  %s\n", result->operation, "sample", "-", "not offered",
               result->what);
        return;
    }
    printf("%-42s %-8s %-7s %12.0f  %s%s%s\n", result->operation,
           result->proof ? "proof" : "sample", result->holds ? "holds" : "BROKEN", result->draws,
           result->what, result->proof ? "" : "; p = ",
           result->proof ? "" : audit_text_p(result->log_p, p, sizeof p));
    fflush(stdout); // the next may take a minute
}

// The target's draws, through its worker.
static enum error draw_from_target(void *context, const struct request *request,
                                   struct arena *arena, struct evaluation *evaluation,
                                   struct diagnostic *diagnostic)
{
    struct host_request asked, call;
    enum error error = variant_infer(request, &evaluation->inference, diagnostic);
    if (!error)
        error = judge_convert_request(request, &evaluation->inference, arena, &asked, diagnostic);
    if (!error)
        error = judge_copy_call(&asked, arena, &call, diagnostic);
    if (error)
        return error;
    struct tensor *const drawn = arena_take(arena, sizeof *drawn);
    if (!drawn)
        return diagnostic_no_memory(diagnostic);
    struct host_call host_call = {.request = &call, .ask = true};
    host_run(context, &host_call, 1);
    if (host_call.outcome == HOST_OK) {
        host_call = (struct host_call){.request = &call};
        host_run(context, &host_call, 1);
    }
    *drawn = call.outputs[0].tensor;
    evaluation->tensor = drawn;
    if (host_call.outcome == HOST_OK)
        return ERROR_NONE;
    return diagnostic_fail(
        diagnostic, host_call.outcome == HOST_UNSUPPORTED ? ERROR_UNSUPPORTED : ERROR_SYSTEM,
        "%s: %s%s%s", request->operation->name, host_outcome_name(host_call.outcome),
        *host_call.message ? ": " : "", host_call.message);
}

static int check_target(const struct audit_arguments *a)
{
    struct arena arena = {0};
    struct target *target = NULL;
    struct host *host = NULL;
    struct diagnostic diagnostic;
    unsigned broken = 0, judged = 0;
    enum error error = audit_source_choose_target(a->source, &arena, &target, &diagnostic);
    if (!error)
        error = target_open(target, AUDIT_TARGET_TIME_MS, &host, &diagnostic);
    if (!error) {
        const struct law_drawer drawer = {draw_from_target, host};
        error = laws_check_draws(&drawer, print_law, NULL, &broken, &judged, &diagnostic);
    }
    if (host)
        host_close(host, NULL);
    arena_release(&arena);
    if (error)
        return cli_fail(&diagnostic);
    printf("%u judged, %u broken\n", judged, broken);
    return !judged ? CLI_NOTHING : broken ? CLI_DIFFERS : CLI_CONFORMS;
}

static int check_reference(const struct audit_arguments *a)
{
    struct diagnostic diagnostic;
    unsigned broken;
    if (laws_check(a->threads > 1024 ? 1024 : (unsigned)a->threads,
                   strcmp(a->profile, "quick") != 0, print_law, NULL, &broken, &diagnostic))
        return cli_fail(&diagnostic);
    printf("%u broken\n", broken);
    return broken ? CLI_DIFFERS : CLI_CONFORMS;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct audit_arguments a = AUDIT_DEFAULTS;
    static struct audit_options audit;
    const struct cli_option options[] = {{"source", CLI_TEXT, &a.source, "TARGET",
                                          "check the draws of this target, not the reference's"},
                                         AUDIT_BATTERY_OPTIONS(a)};
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    code = code ? code : audit_check_profile(command, &a, &audit);
    return code ? code : a.source ? check_target(&a) : check_reference(&a);
}

const struct cli_command audit_part_laws = {
    .name = "audit laws",
    .arguments = "[--source TARGET] [options]",
    .summary = "check the laws of operations: conversions word by word, draws",
    .help = "Checks that the reference's operations turn words into numbers as specified: every "
            "word of a conversion, and draws against exact probabilities. With --source it checks "
            "the draws of a target.\n\n"
            "  assay audit laws\n"
            "  assay audit laws --source jax",
    .exits = {"every law holds", "a law is broken", [CLI_NOTHING] = "the target offers no draws"},
    .run = run,
};
