// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/write/records.h"

#include <stdio.h>
#include <string.h>

#include "harness/judge/search/stored.h"
#include "ref/base/bytes.h"
#include "ref/base/file.h"

static void end_line(struct records *records)
{
    text_put_bytes(&records->text, "\n", 1);
    records->text.comma = false;
}

// ---- records ----------------------------------------------------------------

static const char *level_name(enum level level)
{
    static const char *const names[] = {
        [LEVEL_BITS] = "bits", [LEVEL_BOUND] = "bound", [LEVEL_DISTRIBUTION] = "distribution"};
    return names[level];
}

// Choice to option, only what differs from the default.
static void put_profile(struct text *text, const struct operation *operation,
                        const struct profile *profile)
{
    json_begin_object_at(text, "profile");
    for (unsigned i = 0; i < variant_choice_count(operation); i++)
        if (profile->option[i])
            json_put_pair(text, variant_choice(operation, i)->name,
                          variant_choice(operation, i)->options[profile->option[i]]);
    json_end_object(text);
}

static void put_bits(struct text *text, const char *key, enum dtype dtype, uint64_t bits)
{
    char hex[2 * sizeof bits + 1];
    bytes_write_hex(hex, bits, dtype_size(dtype));
    json_put_pair(text, key, hex);
}

// Whether the output goes over time first and over channels last.
static bool is_sequence(const struct operation *operation, const char *name)
{
    return !strcmp(operation->name, "onednn.rnn") && strstr(name, "_layer") &&
           !strstr(name, "weights");
}

static void put_output(struct text *text, const struct judge_result *result,
                       const struct judge_output *output, bool runs)
{
    const struct comparison *const comparison = &output->comparison;
    json_begin_object(text);
    json_put_pair(text, "name", output->name);
    tensor_put_type(&output->tensor, text);
    if (runs)
        json_put_unsigned_at(text, "run", output->run);
    json_put_unsigned_at(text, "compared", comparison->compared);
    json_put_unsigned_at(text, "wrong", comparison->wrong);
    uint64_t count = 0;
    if (comparison->element_count && output->count && tensor_count(&output->tensor, &count) &&
        count == output->count) {
        uint64_t index[TENSOR_RANK_MAX], rest = comparison->element[0].at;
        for (unsigned d = output->tensor.rank; d-- > 0;) {
            index[d] = rest % output->tensor.shape[d];
            rest /= output->tensor.shape[d];
        }
        json_put_numbers_at(text, "first", index, output->tensor.rank);
    }
    json_begin_list_at(text, "elements");
    for (size_t i = 0; i < comparison->element_count; i++) {
        const struct compare_element *const element = &comparison->element[i];
        json_begin_object(text);
        json_put_unsigned_at(text, "at", element->at);
        put_bits(text, "expected", output->tensor.dtype, element->expected);
        put_bits(text, "got", output->tensor.dtype, element->got);
        if (comparison->interval) {
            put_bits(text, "lower", output->tensor.dtype, element->lower);
            put_bits(text, "upper", output->tensor.dtype, element->upper);
        }
        json_end_object(text);
    }
    json_end_list(text);
    if (output->picture)
        picture_put(text, output->picture, is_sequence(result->of->operation, output->name));
    json_end_object(text);
}

static void put_condition(struct text *text, const struct host_description *description,
                          const struct host_conditions *conditions)
{
    static const char *const guards[] = {
        [HOST_GUARD_END] = "end", [HOST_GUARD_START] = "start", [HOST_GUARD_INSIDE] = "inside"};
    json_begin_object_at(text, "condition");
    json_put_unsigned_at(text, "threads", conditions->threads);
    if (conditions->again)
        json_put_unsigned_at(text, "repeat", 1);
    if (conditions->feed < description->feed_count)
        json_put_pair(text, "feed", description->feeds[conditions->feed]);
    json_put_pair(text, "buffer", guards[conditions->guard]);
    json_put_pair(text, "fill", conditions->poison == HOST_POISON_A ? "a5" : "5a");
    json_end_object(text);
}

static void put_explanation(struct text *text, const struct judge_result *result)
{
    const struct judge_explanation *const explanation = &result->explanation;
    const struct operation *const operation = result->of->operation;
    json_begin_object_at(text, "explained");
    if (explanation->found) {
        char line[1024];
        size_t at = (size_t)snprintf(line, sizeof line, "%s with",
                                     result->required == LEVEL_BOUND
                                         ? "lies inside the radius around the reference"
                                         : "equals the reference bit for bit");
        put_profile(text, operation, &explanation->profile);
        for (unsigned i = 0; i < variant_choice_count(operation) && at < sizeof line; i++)
            if (explanation->profile.option[i])
                at += (size_t)snprintf(
                    line + at, sizeof line - at, " %s=%s", variant_choice(operation, i)->name,
                    variant_choice(operation, i)->options[explanation->profile.option[i]]);
        json_put_pair(text, "text", line);
    }
    json_put_unsigned_at(text, "searched", explanation->searched);
    json_end_object(text);
}

// The command that reproduces the case in a shell.
static void put_reproduce(struct text *text, const char *target, const struct judge_run *run,
                          const struct judge_result *result)
{
    char line[512];
    json_put_pair(text, "reproduce", judge_reproduce(run, result, target, line, sizeof line));
}

// For a case that passes within its radius: how much of the radius was used.
static bool shows_radius(const struct judge_result *result, const struct judge_output *output)
{
    return (result->verdict == VERDICT_PASS || result->verdict == VERDICT_VACUOUS) &&
           result->required == LEVEL_BOUND && output->picture && output->comparison.interval;
}

static void put_values(struct text *text, const struct judge_run *run,
                       const struct judge_result *result)
{
    struct profile profile;
    if (result->verdict == VERDICT_PASS || result->verdict == VERDICT_VACUOUS)
        json_put_pair(text, "reached", level_name(result->required));
    if (result->verdict == VERDICT_PASS && result->required == LEVEL_BITS) {
        profiles_apply(run->suite, &run->profile, result->of->operation, &profile);
        put_profile(text, result->of->operation, &profile);
    }
    if (result->valued || (result->compared && result->required == LEVEL_DISTRIBUTION)) {
        json_put_key(text, "compared");
        json_put_unsigned(text, result->compared);
    }
    const bool failed = result->verdict == VERDICT_FAIL;
    bool runs = false, any = failed && result->output_count;
    for (size_t i = 0; i < result->output_count; i++) {
        runs = runs || result->outputs[i].run;
        any = any || shows_radius(result, &result->outputs[i]);
    }
    if (!any)
        return;
    json_begin_list_at(text, "outputs");
    for (size_t i = 0; i < result->output_count; i++)
        if (failed || shows_radius(result, &result->outputs[i]))
            put_output(text, result, &result->outputs[i], runs);
    json_end_list(text);
}

static void put_steps(struct text *text, const struct judge_steps *steps)
{
    static const char *const names[OPERATION_STEP] = {"layer", "direction", "time", "gate"};
    if (!steps->count)
        return;
    json_put_unsigned_at(text, "steps", steps->count);
    if (!steps->wrong)
        return;
    json_begin_object_at(text, "step");
    for (unsigned i = 0; i < OPERATION_STEP; i++)
        if (steps->where[i] >= 0)
            json_put_unsigned_at(text, names[i], (uint64_t)steps->where[i]);
    json_put_pair(text, "gate_name", steps->gate);
    json_end_object(text);
}

// What a failing case is for and what it asks, so that a report needs no suite beside it. A long
// request is cut: `assay show` has all of it.
static void put_purpose(struct text *text, const struct judge_run *run,
                        const struct judge_result *result)
{
    enum { REQUEST_MAX = 1200 };
    struct arena arena = {0};
    struct text request = {0};
    struct document_node *node;
    struct diagnostic ignored;
    if (result->of->form && result->of->form->about)
        json_put_pair(text, "about", result->of->form->about);
    if (!suite_case_document(run->suite, result->of, &arena, &node, &ignored)) {
        json_put_document(&request, node);
        size_t end = request.size;
        if (end > REQUEST_MAX)
            for (end = REQUEST_MAX; end && ((unsigned char)request.bytes[end] & 0xc0) == 0x80;)
                end--;
        if (end < request.size) {
            request.size = end;
            text_put_bytes(&request, " ...", 4);
        }
        if (!request.failed && request.size)
            json_put_pair(text, "request", request.bytes);
    }
    text->failed |= request.failed || arena.failed;
    text_release(&request);
    arena_release(&arena);
}

// Who states the values, how closely they must be met, and how they stand to assay's reference.
static void put_stored(struct text *text, const struct suite *suite, const struct suite_case *of)
{
    enum stored_standing standing;
    char differs[STORED_TEXT_SIZE];
    struct diagnostic ignored;
    if (judge_stored(suite, of, false, &standing, differs, &ignored)) {
        text->failed = true;
        return;
    }
    json_begin_object_at(text, "stored");
    json_put_pairs(text, {"by", of->from ? of->from->title : suite->program.command},
                   {"where", of->from ? of->from->where : NULL}, {"tolerance", of->tolerance},
                   {"reference", stored_standing_name(standing)},
                   {"differs", differs[0] ? differs : NULL});
    json_end_object(text);
}

static void put_result(struct records *records, const char *target, const struct judge_run *run,
                       const struct judge_result *result)
{
    struct text *const text = &records->text;
    json_begin_object(text);
    json_put_pairs(text, {"record", "case"}, {"target", target}, {"suite", run->suite->name},
                   {"case", result->of->id}, {"op", result->of->operation->name});
    json_begin_list_at(text, "covers");
    for (size_t i = 0; i < result->of->covers_count; i++)
        if (judge_counts(run, result, i))
            json_put_string(text, run->suite->requirement[result->of->covers[i]].id);
    json_end_list(text);
    json_put_pair(text, "verdict", verdict_name(result->verdict));
    json_put_pair(text, "required", level_name(result->required));
    if (!suite_case_is_answered(result->of) || result->verdict == VERDICT_REJECTED)
        json_put_boolean_at(text, "negative", true);
    if (result->observed) {
        json_put_boolean_at(text, "observed", true);
    }
    if (suite_case_is_stored(result->of))
        put_stored(text, run->suite, result->of);
    put_steps(text, &result->steps);
    put_values(text, run, result);
    json_put_pair(text, "reason", result->reason);
    if (result->printed)
        json_put_pair(text, "stderr", result->printed);
    json_put_unsigned_at(text, "conditions", result->conditions);
    if (result->placed && verdict_is_failure(result->verdict))
        put_condition(text, &run->description, &result->condition);
    if (result->known.why) {
        json_begin_object_at(text, "known");
        json_put_pairs(text, {"why", result->known.why},
                       {"state", result->known.cured      ? "cured"
                                 : result->known.unlisted ? "unlisted"
                                                          : "expected"});
        json_end_object(text);
    }
    if (result->explanation.searched_any)
        put_explanation(text, result);
    if (verdict_is_failure(result->verdict)) {
        put_purpose(text, run, result);
        put_reproduce(text, target, run, result);
    }
    json_end_object(text);
    end_line(records);
    records->records++;
    records->verdicts[result->verdict]++;
}

void records_put_run(struct records *records, const char *target, const struct judge_run *run)
{
    for (size_t i = 0; i < run->result_count; i++)
        put_result(records, target, run, &run->result[i]);
}

enum error records_close(struct records *records, struct diagnostic *diagnostic)
{
    struct text *const text = &records->text;
    unsigned char digest[DIGEST_SIZE];
    if (text->failed)
        return diagnostic_no_memory(diagnostic);
    enum error error = digest_of(text->bytes, text->size, digest, diagnostic);
    if (error)
        return error;
    json_begin_object(text);
    json_put_pair(text, "record", "footer");
    json_put_unsigned_at(text, "records", records->records);
    json_begin_object_at(text, "verdicts");
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (records->verdicts[i])
            json_put_unsigned_at(text, verdict_name((enum verdict)i), records->verdicts[i]);
    json_end_object(text);
    json_put_digest_at(text, "sha256", digest);
    json_end_object(text);
    end_line(records);
    return text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

enum error records_end(struct records *records, const char *path, struct diagnostic *diagnostic)
{
    const enum error error = records_close(records, diagnostic);
    return error ? error
                 : file_replace_with(path, records->text.bytes, records->text.size, diagnostic);
}

void records_release(struct records *records)
{
    text_release(&records->text);
    *records = (struct records){0};
}

static bool covers(const struct suite_case *of, size_t requirement)
{
    for (size_t i = 0; i < of->covers_count; i++)
        if (of->covers[i] == requirement)
            return true;
    return false;
}

// The requirements whose cases kill the mutant, as far as its killers are listed.
static void put_killing_requirements(struct text *text, const struct suite *suite,
                                     const struct mutant *mutant)
{
    json_begin_list_at(text, "requirements");
    for (size_t r = 0; r < suite->requirement_count; r++)
        for (size_t k = 0; k < mutant->killer_count; k++)
            if (covers(mutant->killer[k], r)) {
                json_put_string(text, suite->requirement[r].id);
                break;
            }
    json_end_list(text);
}

void records_put_mutants(struct records *records, const struct mutants *mutants)
{
    struct text *const text = &records->text;
    for (size_t i = 0; i < mutants->count; i++) {
        const struct mutant *const mutant = &mutants->mutant[i];
        const struct suite_choice *const choice = &mutants->suite->choice[mutant->choice];
        json_begin_object(text);
        json_put_pairs(text, {"record", "mutant"}, {"suite", mutants->suite->name});
        // The operation that shows it; one of the suite's where none does.
        json_put_pair(text, "op",
                      mutant->operation      ? mutant->operation->name
                      : mutant->killer_count ? mutant->killer[0]->operation->name
                                             : mutants->suite->operation[0]->name);
        json_begin_object_at(text, "profile");
        json_put_pair(text, choice->name, choice->option[mutant->option]);
        json_end_object(text);
        json_put_boolean_at(text, "killed", mutant->kills > 0);
        json_begin_list_at(text, "killers");
        for (size_t k = 0; k < mutant->killer_count; k++)
            json_put_string(text, mutant->killer[k]->id);
        json_end_list(text);
        json_put_unsigned_at(text, "kills", mutant->kills);
        put_killing_requirements(text, mutants->suite, mutant);
        if (mutant->best == TRIAL_INSIDE)
            json_put_pair(text, "waived", "other bits, but inside the bound of every case");
        json_end_object(text);
        end_line(records);
        records->records++;
    }
}
