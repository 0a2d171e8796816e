// SPDX-License-Identifier: Apache-2.0
// assay show: one case, what it is for, what it asks and what the answer is.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/subject.h"
#include "harness/judge/search/specimen.h"
#include "ref/base/bytes.h"
#include "ref/base/json.h"
#include "ref/num/text.h"
#include "ref/variant/variant.h"
#include "yaml/relation.h"
#include "yaml/suite.h"

enum { SHOWN_ELEMENTS = 16 };

static void show_purpose(const struct suite *suite, const struct suite_case *of)
{
    printf("%s %s of suite %s %s\n", "case", of->id, suite->name, suite->version);
    if (of->form->about)
        printf("  %s\n", of->form->about);
    for (size_t i = 0; i < of->covers_count; i++)
        printf("  covers %s: %s\n", suite->requirement[of->covers[i]].id,
               suite->requirement[of->covers[i]].text);
    for (size_t i = 0; i < suite->erratum_count; i++)
        for (size_t k = 0; k < suite->erratum[i].count; k++)
            if (!strcmp(suite->erratum[i].cases[k], of->id) ||
                !strcmp(suite->erratum[i].cases[k], of->form->id->text))
                printf("  erratum %s: the text says %s; decided: %s\n", suite->erratum[i].id,
                       suite->erratum[i].says, suite->erratum[i].decided);
}

static enum error show_request(const struct suite *suite, const struct suite_case *of,
                               struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct text text = {0};
    struct document_node *node;
    const enum error error = suite_case_document(suite, of, &arena, &node, diagnostic);
    if (!error) {
        json_put_document(&text, node);
        text_put_bytes(&text, "\n", 1);
        cli_put_text(&text);
    }
    text_release(&text);
    arena_release(&arena);
    return error;
}

// Request `part` of a relation, from 1, as a case of its own; what it takes of the one before is
// the reference's answer.
static enum error show_part(const struct suite *suite, const struct suite_case *of,
                            unsigned long long part, struct diagnostic *diagnostic)
{
    const unsigned long long count = relation_parts(of);
    struct arena arena = {0};
    struct text text = {0};
    struct request whole;
    struct evaluation evaluation;
    struct suite_case alone = *of;
    struct specimen specimen = {.suite = suite, .of = &alone};
    if (part < 1 || part > count)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "case %s has %llu other request%s", of->id, count,
                               count == 1 ? "" : "s");
    alone.relation = (struct relation){.kind = RELATION_NONE};
    enum error error = suite_case_request(suite, of, &arena, &whole, diagnostic);
    if (!error)
        error = variant_evaluate(&whole, &arena, &evaluation, diagnostic);
    for (size_t i = 0; i < part && !error; i++) {
        error = relation_request(suite, of, &whole, i, evaluation.tensor, &arena, &specimen.request,
                                 diagnostic);
        if (!error && i + 1 < part)
            error = variant_evaluate(&specimen.request, &arena, &evaluation, diagnostic);
    }
    if (!error)
        error = specimen_write_case(&specimen, of->id, 0, &text, diagnostic);
    if (!error)
        cli_put_text(&text);
    text_release(&text);
    arena_release(&arena);
    return error;
}

static void show_relation(const struct suite_case *of)
{
    char word[RELATION_TEXT_SIZE];
    if (!of->relation.kind)
        return;
    printf("  agrees: %s,", relation_side(of, false, word));
    printf(" and %s", relation_side(of, true, word));
    printf("; other requests: %zu, shown by --part 1%s\n", relation_parts(of),
           relation_parts(of) > 1 ? ", 2, ..." : "");
}

// The first elements as decimals, and what they are in bits.
static void show_tensor(const struct tensor *tensor, uint64_t count, uint64_t first)
{
    const size_t size = dtype_size(tensor->dtype);
    for (uint64_t i = 0; i < count && i < SHOWN_ELEMENTS; i++) {
        char decimal[NUM_TEXT_SIZE], hex[17];
        const uint64_t bits = element_load(tensor->data, size, (size_t)i);
        num_format(tensor->dtype, bits, decimal, sizeof decimal);
        bytes_write_hex(hex, bits, size);
        printf("    [%" PRIu64 "] %s  %s\n", first + i, hex, decimal);
    }
    if (count > SHOWN_ELEMENTS)
        printf("    ... %" PRIu64 " elements in all\n", count);
}

static enum error show_answer(const struct suite *suite, const struct suite_case *of,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    struct diagnostic refusal = {.text = ""};
    const char *const whose = suite_case_is_stored(of) ? "stored" : "reference";
    enum error error = suite_case_request(suite, of, &arena, &request, &refusal);
    // Enough of a large output to look at.
    struct inference inference = {.level = {LEVEL_BITS}};
    uint64_t count = 0;
    if (!error && !request.windowed && request.runs == 1 &&
        !(error = variant_infer(&request, &inference, &refusal)) && variant_streams(&request) &&
        tensor_count(&inference.output[0], &count) && count > SHOWN_ELEMENTS &&
        (!request.outputs || request.outputs & 1)) {
        request.windowed = true;
        request.window_count = SHOWN_ELEMENTS;
    }
    if (!error)
        error = variant_evaluate(&request, &arena, &evaluation, &refusal);
    if (error == ERROR_INTERNAL || error == ERROR_SYSTEM) {
        *diagnostic = refusal;
        arena_release(&arena);
        return error;
    }
    if (error)
        printf("%s: refuses it (%s): %s\n", whose, error_name(error), refusal.text);
    for (unsigned run = 0; !error && run < request.runs; run++)
        for (unsigned i = 0; request.operation->outputs[i]; i++) {
            const struct tensor *const tensor =
                &evaluation.tensor[(size_t)run * OPERATION_OUTPUTS_MAX + i];
            char text[96];
            if (!tensor_present(tensor) || !tensor_count(tensor, &count))
                continue;
            const bool windowed = request.windowed && i == evaluation.windowed_output;
            if (windowed && count > request.window_count)
                count = request.window_count;
            printf("%s: %s, %s", whose, request.operation->outputs[i],
                   tensor_describe(tensor, text, sizeof text));
            if (request.runs > 1)
                printf(", run %u", run);
            printf("\n");
            show_tensor(tensor, count, windowed ? request.window_first : 0);
        }
    arena_release(&arena);
    return ERROR_NONE;
}

static enum error show(const struct suite *suite, const struct suite_case *of, bool json,
                       struct diagnostic *diagnostic)
{
    enum error error;
    if (json)
        return show_request(suite, of, diagnostic);
    show_purpose(suite, of);
    if (suite_case_is_stored(of))
        printf("  stored, not derived: %s%s%s\n",
               of->from ? of->from->title : suite->program.command, of->tolerance ? "; " : "",
               of->tolerance ? of->tolerance : "");
    if (of->survive)
        printf("  undefined, to be survived: %s\n", of->survive);
    if (of->reject)
        printf("  a target must refuse it: %s\n", of->reject);
    show_relation(of);
    if (of->level == SUITE_LEVEL_DISTRIBUTION)
        printf("  any sequence is right that is distributed as specified\n");
    printf("request: ");
    if ((error = show_request(suite, of, diagnostic)) ||
        (error = show_answer(suite, of, diagnostic)))
        return error;
    printf("on a target: assay run %s --suite %s --target NAME\n", of->id, suite_asked(suite));
    return ERROR_NONE;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    const char *names = NULL;
    unsigned long long part = 0;
    bool json = false;
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &names, "NAME,...", "where to look for it; all suites when not given"},
        {"json", CLI_FLAG, &json, NULL, "only the request, as `assay eval` reads it"},
        {"part", CLI_NUMBER, &part, "N", "only the Nth other request of a case that agrees"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    char **paths = NULL;
    size_t path_count = 0, found = 0;
    struct nearest nearest = {.asked = argv[1]};
    enum error error = suites_choose(names, &arena, &paths, &path_count, &diagnostic);
    for (size_t i = 0; i < path_count && !error; i++) {
        struct suite suite;
        uint64_t seed;
        error = suites_read_file(paths[i], &suite, &diagnostic);
        if (!error && suite_drawn_seed(argv[1], &seed))
            error = suite_draw(&suite, seed, &diagnostic);
        const struct suite_case *const of = error ? NULL : suite_find_case(&suite, argv[1]);
        if (of) {
            if (found++ && !json)
                printf("\n");
            error = !part ? show(&suite, of, json, &diagnostic)
                          : show_part(&suite, of, part, &diagnostic);
        } else if (!error) {
            subject_offer_cases(&nearest, &suite);
        }
        suite_release(&suite);
    }
    arena_release(&arena);
    if (error)
        return cli_fail(&diagnostic);
    return found ? CLI_CONFORMS : subject_no_case(&nearest);
}

const struct cli_command command_show = {
    .name = "show",
    .arguments = "CASE [--suite NAME]",
    .summary = "one case: what it is for, its request and the reference's answer",
    .help = "Prints the requirements that a case covers, its request, and what the reference "
            "answers.\n\n"
            "  assay show example-1 --suite openvino.random_uniform\n"
            "  assay show example-1 --suite openvino.random_uniform --json | assay eval -",
    .exits = {"shown", [CLI_NOTHING] = "no suite has the case"},
    .takes = {1, 1, "the id of one case"},
    .run = run,
};
