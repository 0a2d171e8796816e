// SPDX-License-Identifier: Apache-2.0
// assay explain: what does a failing target do instead?

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/summary.h"
#include "harness/cli/commands.h"
#include "harness/cli/subject.h"
#include "harness/judge/run/reference.h"
#include "harness/judge/search/explain.h"
#include "ref/op/declared/graph.h"
#include "ref/variant/variant.h"

static bool same_profile(const struct judge_explanation *a, const struct judge_explanation *b)
{
    return a->found == b->found &&
           (!a->found || !memcmp(&a->profile, &b->profile, sizeof a->profile));
}

static void print_group(const struct judge_result *first, size_t count)
{
    printf("  %zu cases, first %s: ", count, first->of->id);
    if (first->explanation.found) {
        printf("%s with", first->required == LEVEL_BOUND
                              ? "lie inside the radius around the reference"
                              : "equal the reference bit for bit");
        summary_print_options(stdout, first);
    } else if (first->explanation.searched_any)
        printf("no profile of those searched gives these bits\n");
    else
        printf("%s, which no choice explains: %s\n", verdict_name(first->verdict),
               first->reason ? first->reason : "");
}

// Failures with one explanation are printed together.
static void print_run(const char *target, const struct judge_run *run)
{
    size_t failures = 0;
    for (size_t i = 0; i < run->result_count; i++)
        failures += verdict_is_failure(run->result[i].verdict);
    printf("%s %s, %s: %zu of %zu cases fail, %llu profiles searched\n", target,
           run->description.version, run->suite->name, failures, run->result_count,
           (unsigned long long)run->explained);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct judge_result *const result = &run->result[i];
        size_t count = 0;
        bool seen = false;
        if (!verdict_is_failure(result->verdict))
            continue;
        for (size_t k = 0; k < run->result_count; k++) {
            const struct judge_result *const other = &run->result[k];
            const bool same = other->verdict == result->verdict &&
                              other->of->operation == result->of->operation &&
                              other->explanation.searched_any == result->explanation.searched_any &&
                              same_profile(&other->explanation, &result->explanation);
            seen = seen || (same && k < i);
            count += same;
        }
        if (!seen)
            print_group(result, count);
    }
}

// How the reference found the values of declared operators, in the cases that were judged: how many
// elements of nodes each look decided.
static enum error print_looks(const struct judge_run *run, struct diagnostic *diagnostic)
{
    struct operation_looks looks = {0};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < run->result_count && !error; i++) {
        const struct judge_result *const result = &run->result[i];
        struct arena arena = {0};
        struct request request;
        struct evaluation evaluation;
        if (!declared_is(result->of->operation) || result->verdict == VERDICT_UNSUPPORTED ||
            result->of->reject || result->of->survive)
            continue;
        error =
            judge_make_request(run->suite, result->of, &run->profile, &arena, &request, diagnostic);
        request.looks = &looks;
        if (!error)
            error = variant_evaluate(&request, &arena, &evaluation, diagnostic);
        arena_release(&arena);
    }
    if (looks.elements)
        printf("  the reference rounded %" PRIu64 " elements of nodes: %" PRIu64
               " decided by the first look, %" PRIu64 " in pairs, %" PRIu64
               " by enclosures, %" PRIu64 " by rationals\n",
               looks.elements, looks.elements - looks.pairs - looks.enclosed - looks.rational,
               looks.pairs, looks.enclosed, looks.rational);
    return error;
}

// Of all suites: how many cases the pattern fits, how many were run, and how many failures no known
// mistake explains.
struct found {
    size_t offered, selected, unexplained;
    struct nearest nearest; // to a pattern that fits no case
};

static enum error explain_suite(const struct subject *subject, const char *path, struct host *host,
                                const char *pattern, struct found *found,
                                struct diagnostic *diagnostic)
{
    struct suite suite;
    struct judge_run run;
    const struct judge_options judged = {
        .pattern = pattern, .explain = judge_explain_pairs, .quick = true};
    enum error error = suites_read_file(path, &suite, diagnostic);
    if (!error) {
        const enum error judging = judge_certify(&suite, host, &judged, &run, diagnostic);
        const size_t selected = run.result_count - judge_count(&run, VERDICT_UNSUPPORTED);
        found->selected += selected;
        found->offered += run.result_count;
        if (pattern && !run.result_count)
            subject_offer_cases(&found->nearest, &suite);
        error = judging == ERROR_INVALID_ARGUMENT && !run.result_count ? ERROR_NONE : judging;
        if (!error && selected)
            print_run(subject->targets[0].name, &run);
        if (!error)
            error = print_looks(&run, diagnostic);
        for (size_t k = 0; k < run.result_count; k++)
            found->unexplained +=
                verdict_is_failure(run.result[k].verdict) && !run.result[k].explanation.found;
        judge_release(&run);
    }
    suite_release(&suite);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct subject subject = {.target = NULL};
    const char *pattern = NULL;
    const struct cli_option options[] = {
        SUBJECT_TARGET_OPTIONS(subject),
        {"suite", CLI_TEXT, &subject.suites, "NAME,...",
         "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &pattern, "PATTERN", "the same as CASE"},
    };
    int count;
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, &count);
    if (code)
        return code;
    if (count && pattern)
        return cli_usage(command, "CASE and --case cannot be combined");
    pattern = count ? argv[1] : pattern;
    struct diagnostic diagnostic = {.text = ""};
    struct host *host = NULL;
    struct found found = {.nearest = {.asked = pattern ? pattern : ""}};
    enum error error = subject_choose_one(&subject, &diagnostic);
    if (!error)
        error = target_open(&subject.targets[0], 0, &host, &diagnostic);
    for (size_t i = 0; i < subject.path_count && !error; i++)
        error = explain_suite(&subject, subject.paths[i], host, pattern, &found, &diagnostic);
    if (host)
        host_close(host, NULL);
    subject_release(&subject);
    if (error)
        return cli_fail(&diagnostic);
    if (!found.offered && pattern)
        return subject_no_case(&found.nearest);
    if (!found.selected)
        fprintf(stderr, "assay explain: %s\n",
                found.offered ? "the target supports none of these cases" : "no case was selected");
    return !found.selected ? CLI_NOTHING : found.unexplained ? CLI_DIFFERS : CLI_CONFORMS;
}

const struct cli_command command_explain = {
    .name = "explain",
    .arguments = "[CASE] --target NAME [options]",
    .summary = "find out what a failing target does instead",
    .help = "Runs the cases and searches the choices, one option changed, then two, for the "
            "profile whose bits the failing ones have. Failures with one explanation are listed "
            "together. Of declared operators it counts how many elements of nodes each look of "
            "the reference decided. CASE is the id of one case, or a shell pattern of ids.\n\n"
            "  assay explain --target openvino --suite openvino.random_uniform\n"
            "  assay explain 'tail-*' --target openvino --suite openvino.random_uniform",
    .exits = {"nothing fails, or every failure is explained", "some failures stay unexplained",
              [CLI_NOTHING] = "no case was selected, or the target supports none of them"},
    .takes = {0, 1, "the id of one case at most"},
    .run = run,
};
