// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/summary.h"

#include <inttypes.h>

#include "harness/judge/search/stored.h"
#include "harness/host/conditions.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"

static const char *paint(bool colour, enum verdict verdict)
{
    if (!colour)
        return "";
    if (verdict_is_failure(verdict))
        return "\033[31m";
    return verdict_is_good(verdict) ? "\033[32m" : "\033[33m";
}

static const char *unpaint(bool colour)
{
    return colour ? "\033[0m" : "";
}

static void print_index(FILE *stream, const struct judge_output *output, uint64_t at)
{
    uint64_t count = 0, index[TENSOR_RANK_MAX];
    if (!tensor_count(&output->tensor, &count) || count != output->count) {
        fprintf(stream, "[%" PRIu64 " of the window]", at);
        return;
    }
    for (unsigned d = output->tensor.rank; d-- > 0;) {
        index[d] = at % output->tensor.shape[d];
        at /= output->tensor.shape[d];
    }
    fprintf(stream, "[");
    for (unsigned d = 0; d < output->tensor.rank; d++)
        fprintf(stream, "%s%" PRIu64, d ? ", " : "", index[d]);
    fprintf(stream, "]");
}

static void print_value(FILE *stream, const char *what, enum dtype dtype, uint64_t bits)
{
    char hex[2 * sizeof bits + 1], decimal[NUM_TEXT_SIZE];
    bytes_write_hex(hex, bits, dtype_size(dtype));
    num_format(dtype, bits, decimal, sizeof decimal);
    fprintf(stream, "%s %s (%s)", what, hex, decimal);
}

static void print_output(FILE *stream, const struct judge_output *output)
{
    const struct comparison *const comparison = &output->comparison;
    char type[96];
    if (!comparison->wrong)
        return;
    const struct compare_element *const first = &comparison->element[0];
    fprintf(stream, "      %s %s: %" PRIu64 " of %" PRIu64 " elements differ, first %s",
            output->name, tensor_describe(&output->tensor, type, sizeof type), comparison->wrong,
            comparison->compared, output->name);
    print_index(stream, output, first->at);
    if (output->run)
        fprintf(stream, " of run %u", output->run);
    fprintf(stream, "\n");
    print_value(stream, "        expected", output->tensor.dtype, first->expected);
    if (comparison->interval) {
        print_value(stream, ", admissible from", output->tensor.dtype, first->lower);
        print_value(stream, " to", output->tensor.dtype, first->upper);
    }
    print_value(stream, "\n        got     ", output->tensor.dtype, first->got);
    fprintf(stream, "\n");
}

void summary_print_options(FILE *stream, const struct judge_result *result)
{
    const struct operation *const operation = result->of->operation;
    const uint16_t *const option = result->explanation.profile.option;
    for (unsigned i = 0; i < variant_choice_count(operation); i++)
        if (option[i])
            fprintf(stream, " %s=%s", variant_choice(operation, i)->name,
                    variant_choice(operation, i)->options[option[i]]);
    fprintf(stream, "\n");
}

static void print_explanation(FILE *stream, const struct judge_result *result)
{
    if (!result->explanation.searched_any)
        return;
    if (!result->explanation.found) {
        fprintf(stream, "      explained by none of %" PRIu64 " profiles\n",
                result->explanation.searched);
        return;
    }
    fprintf(stream, "      %s the reference %swith",
            result->required == LEVEL_BOUND ? "lies inside the radius around" : "equals",
            result->required == LEVEL_BOUND ? "" : "bit for bit ");
    summary_print_options(stream, result);
}

// Of stored values: who states them, and how they compare with assay's reference.
static void print_stored(FILE *stream, const struct suite *suite, const struct suite_case *of)
{
    enum stored_standing standing = STORED_UNDERIVED;
    char text[STORED_TEXT_SIZE];
    struct diagnostic ignored;
    if (!suite_case_is_stored(of))
        return;
    fprintf(stream, "      stored, not derived: %s%s%s\n",
            of->from ? of->from->title : suite->program.command, of->tolerance ? "; " : "",
            of->tolerance ? of->tolerance : "");
    if (!judge_stored(suite, of, true, &standing, text, &ignored) && standing == STORED_DIFFERS)
        fprintf(stream, "      what is stored differs from the reference: %s\n", text);
}

void summary_print_difference(FILE *stream, const struct judge_run *run,
                              const struct judge_result *result)
{
    char text[256];
    if (result->reason)
        fprintf(stream, "      %s\n", result->reason);
    print_stored(stream, run->suite, result->of);
    if (result->observed && verdict_is_failure(result->verdict))
        fprintf(stream,
                "      bounds: of each step, from the target's own output of the step before\n");
    if (result->placed)
        fprintf(stream, "      under: %s\n",
                conditions_describe(&run->description, &result->condition, text, sizeof text));
    if (result->verdict == VERDICT_FAIL)
        for (size_t i = 0; i < result->output_count; i++)
            print_output(stream, &result->outputs[i]);
    print_explanation(stream, result);
}

void summary_print_result(FILE *stream, const char *target, const struct judge_run *run,
                          const struct judge_result *result, bool colour)
{
    fprintf(stream, "    %s%s%s %s", paint(colour, result->verdict), verdict_name(result->verdict),
            unpaint(colour), result->of->id);
    for (size_t i = 0; i < result->of->covers_count; i++)
        fprintf(stream, "%s%s", i ? ", " : "  (",
                run->suite->requirement[result->of->covers[i]].id);
    fprintf(stream, "%s\n", result->of->covers_count ? ")" : "");
    summary_print_difference(stream, run, result);
    if (result->survey)
        fprintf(stream, "      by itself it fails %s\n", result->survey);
    if (result->known.why)
        fprintf(stream, "      %s: %s\n",
                result->known.cured ? "listed as a known failure, yet it did not fail so"
                                    : "expected",
                result->known.why);
    if (result->printed)
        fprintf(stream, "      it printed: %.300s\n", result->printed);
    char command[512];
    fprintf(stream, "      %s\n", judge_reproduce(run, result, target, command, sizeof command));
}

static void print_verdicts(FILE *stream, const struct judge_run *run, bool colour)
{
    const char *separator = "  ";
    for (int v = 0; v < VERDICT_COUNT; v++) {
        const size_t count = judge_count(run, (enum verdict)v);
        if (!count)
            continue;
        fprintf(stream, "%s%s%zu %s%s", separator, paint(colour, (enum verdict)v), count,
                verdict_name((enum verdict)v), unpaint(colour));
        separator = ", ";
    }
    fprintf(stream, "\n");
}

struct tally {
    size_t good, failed, run;
};

// Counts anew for each requirement, so that a summary allocates nothing.
static struct tally count_requirement(const struct judge_run *run, size_t requirement)
{
    struct tally tally = {0};
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t k = 0; k < run->result[i].of->covers_count; k++) {
            const enum verdict verdict = run->result[i].verdict;
            if (run->result[i].of->covers[k] != requirement || verdict == VERDICT_UNSUPPORTED ||
                !judge_counts(run, &run->result[i], k))
                continue;
            tally.run++;
            tally.failed += verdict_is_failure(verdict);
            tally.good += verdict_is_good(verdict);
        }
    return tally;
}

static void print_requirements(FILE *stream, const struct judge_run *run, bool all, bool colour)
{
    size_t met = 0, in_part = 0, not_met = 0, not_run = 0;
    for (size_t i = 0; i < run->suite->requirement_count; i++) {
        const struct tally tally = count_requirement(run, i);
        const size_t cases = run->suite->requirement[i].cases;
        not_met += tally.failed > 0;
        not_run += !tally.run;
        met += !tally.failed && tally.run && tally.good == cases;
        in_part += !tally.failed && tally.run && tally.good < cases;
    }
    fprintf(stream, "    requirements: %zu met, %zu in part, %zu not met, %zu not run\n", met,
            in_part, not_met, not_run);
    for (size_t i = 0; i < run->suite->requirement_count; i++) {
        const struct suite_requirement *const requirement = &run->suite->requirement[i];
        const struct tally tally = count_requirement(run, i);
        if (!all && !tally.failed)
            continue;
        const enum verdict sign = tally.failed                       ? VERDICT_FAIL
                                  : tally.good == requirement->cases ? VERDICT_PASS
                                                                     : VERDICT_UNSUPPORTED;
        fprintf(stream, "    %s%-10s%s %4zu of %4zu  %s\n", paint(colour, sign), requirement->id,
                unpaint(colour), tally.good, requirement->cases, requirement->text);
    }
}

void summary_print_run(FILE *stream, const char *target, const struct judge_run *run, size_t most,
                       bool all_requirements, bool colour)
{
    char text[512];
    fprintf(stream, "%s %s, %s %s:", target, run->description.version, run->suite->name,
            run->suite->version);
    print_verdicts(stream, run, colour);
    const bool any = judge_count(run, VERDICT_PASS) > 0;
    if (any)
        fprintf(stream, "    bits of %s%s\n",
                profiles_describe(run->suite, &run->profile, text, sizeof text),
                run->profile_complete ? "" : " (there are more allowed profiles than were tried)");
    size_t observed = 0;
    for (size_t i = 0; i < run->result_count; i++)
        observed += run->result[i].observed;
    if (observed)
        fprintf(stream, "    bounds of %zu cases step by step, from the target's own outputs\n",
                observed);
    print_requirements(stream, run, all_requirements, colour);
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct judge_result *const result = &run->result[i];
        if (!verdict_is_failure(result->verdict) && !result->known.cured)
            continue;
        if (shown < most || result->known.why) {
            summary_print_result(stream, target, run, result, colour);
            shown++;
        } else
            left++;
    }
    if (left)
        fprintf(stream, "    and %zu more failures (--failures N shows more, --out FILE has all)\n",
                left);
}
