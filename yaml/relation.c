// SPDX-License-Identifier: Apache-2.0
// What a relation says: it is read, makes the other requests, and holds their answers against the
// case's own.

#include "yaml/relation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/fill.h"
#include "yaml/relation_axes.h"
#include "yaml/relation_cut.h"
#include "yaml/suite_words.h"

// ---- reading ----------------------------------------------------------------

static enum error read_numbers(const struct document_node *node, const char *what, size_t most,
                               struct arena *arena, struct relation *relation,
                               struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SEQUENCE, what, diagnostic);
    if (!error && (!node->count || node->count > most))
        error = document_fail(node, ERROR_INPUT, diagnostic, "%s has 1 to %zu numbers", what, most);
    uint64_t *const numbers = error ? NULL : arena_take_array(arena, node->count, sizeof *numbers);
    if (!error && !numbers)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++) {
        long long number = 0;
        error = document_integer(node->item[i], 0, INT64_MAX, &number, what, diagnostic);
        numbers[i] = (uint64_t)number;
    }
    relation->numbers = numbers;
    relation->count = node->count;
    return error;
}

static enum error read_true(const struct document_node *node, struct diagnostic *diagnostic)
{
    bool value = false;
    const enum error error = document_boolean(node, &value, "reversed", diagnostic);
    return error || value
               ? error
               : document_fail(node, ERROR_INPUT, diagnostic, "reversed is true or left out");
}

enum error relation_read(const struct document_node *node, struct arena *arena,
                         struct relation *relation, struct diagnostic *diagnostic)
{
    enum { ROWS_MAX = 65536 };
    static const char *const keys[] = {"rows",     "batch",   "split", "through",
                                       "reversed", "instead", NULL};
    static const enum relation_kind kinds[] = {RELATION_ROWS,     RELATION_BATCH,
                                               RELATION_SPLIT,    RELATION_THROUGH,
                                               RELATION_REVERSED, RELATION_INSTEAD};
    static const char *const replaced[] = {"op", "attributes", "inputs", "outputs", NULL};
    *relation = (struct relation){.kind = RELATION_NONE};
    enum error error = document_only_keys(node, keys, "agrees", diagnostic);
    if (error)
        return error;
    if (node->count != 1)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "agrees has one of the keys rows, batch, split, through, reversed "
                             "and instead");
    const struct document_node *const value = node->item[0];
    for (size_t i = 0; keys[i]; i++)
        if (!strcmp(node->key[0]->text, keys[i]))
            relation->kind = kinds[i];
    if (relation->kind == RELATION_INSTEAD)
        return document_only_keys(value, replaced, "instead", diagnostic);
    if (relation->kind == RELATION_REVERSED)
        return read_true(value, diagnostic);
    return read_numbers(value, node->key[0]->text,
                        relation->kind == RELATION_ROWS      ? ROWS_MAX
                        : relation->kind == RELATION_THROUGH ? 1
                                                             : RELATION_PARTS_MAX - 1,
                        arena, relation, diagnostic);
}

// ---- another request --------------------------------------------------------

// *to is `from` with the entries of `other` in their places or at the end; `~` leaves one out.
// Mappings within are replaced key by key down to `depth`.
static enum error merge(const struct document_node *from, const struct document_node *other,
                        unsigned depth, struct arena *arena, struct document_node **to,
                        struct diagnostic *diagnostic)
{
    *to = document_new(arena, DOCUMENT_MAPPING, from->source, from->line, from->column);
    enum error error = *to ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < from->count && !error; i++) {
        struct document_node *value = document_find(other, from->key[i]->text);
        if (!value)
            value = from->item[i];
        else if (matrix_is_absent(value))
            continue;
        else if (depth && value->kind == DOCUMENT_MAPPING &&
                 from->item[i]->kind == DOCUMENT_MAPPING)
            error = merge(from->item[i], value, depth - 1, arena, &value, diagnostic);
        if (!error)
            error = document_append(arena, *to, from->key[i], value, diagnostic);
    }
    for (size_t i = 0; i < other->count && !error; i++)
        if (!document_find(from, other->key[i]->text) && !matrix_is_absent(other->item[i]))
            error = document_append(arena, *to, other->key[i], other->item[i], diagnostic);
    return error;
}

static enum error take_other(const struct suite *suite, const struct suite_case *of,
                             const struct request *whole, bool shapes, struct arena *arena,
                             struct request *part, struct diagnostic *diagnostic)
{
    const struct fill_names names = {suite->name, of->id};
    // Operations were found when the suite was read: its operators are not added to here.
    const struct request_sources sources = {.context = (void *)(uintptr_t)&names,
                                            .fill = shapes ? suite_read_fill : fill_make_tensor,
                                            .find = operators_source,
                                            .operators = (void *)(uintptr_t)&suite->operators};
    struct document_node *node, *other;
    enum error error = suite_case_expand(suite, of, arena, &node, diagnostic);
    const struct document_node *const agrees = error ? NULL : document_find(node, "agrees");
    if (!error)
        error = merge(node, agrees->item[0], 1, arena, &other, diagnostic);
    if (!error)
        error = request_read(other, suite_case_keys, &sources, arena, part, diagnostic);
    if (error)
        return error;
    if (part->operation == whole->operation) {
        part->outputs = whole->outputs;
        part->profile = whole->profile;
    }
    part->model = whole->model;
    return ERROR_NONE;
}

// ---- all --------------------------------------------------------------------

enum error relation_put(const struct suite *suite, const struct suite_case *of, struct text *text,
                        struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_node *node;
    const enum error error =
        of->relation.kind ? suite_case_expand(suite, of, &arena, &node, diagnostic) : ERROR_NONE;
    if (of->relation.kind && !error)
        json_put_document_at(text, "agrees", document_find(node, "agrees"));
    arena_release(&arena);
    return error;
}

size_t relation_parts(const struct suite_case *of)
{
    switch (of->relation.kind) {
    case RELATION_NONE:
        return 0;
    case RELATION_BATCH:
    case RELATION_SPLIT:
        return of->relation.count + 1;
    case RELATION_THROUGH:
        return 3; // forward, and back through both pieces
    default:
        return 1;
    }
}

enum relation_common relation_common(const struct suite_case *of)
{
    static const enum relation_common common[] = {
        [RELATION_ROWS] = RELATION_OF_PART,      [RELATION_BATCH] = RELATION_OF_WHOLE,
        [RELATION_SPLIT] = RELATION_OF_WHOLE,    [RELATION_THROUGH] = RELATION_OF_WHOLE,
        [RELATION_REVERSED] = RELATION_OF_WHOLE, [RELATION_INSTEAD] = RELATION_OF_EACH};
    assert(of->relation.kind != RELATION_NONE);
    return common[of->relation.kind];
}

enum error relation_request(const struct suite *suite, const struct suite_case *of,
                            const struct request *whole, size_t index, const struct tensor *before,
                            struct arena *arena, struct request *part,
                            struct diagnostic *diagnostic)
{
    assert(index < relation_parts(of));
    *part = *whole;
    if (whole->windowed || whole->runs > 1 || of->step)
        return relation_does_not_fit(
            of, "a case with a window, several runs or a step cannot have agrees", diagnostic);
    if (of->relation.kind == RELATION_INSTEAD)
        return take_other(suite, of, whole, !before, arena, part, diagnostic);
    part->observed = (struct tensor){.dtype = DTYPE_NONE};
    switch (of->relation.kind) {
    case RELATION_ROWS:
        return relation_cut_rows(of, arena, part, diagnostic);
    case RELATION_BATCH:
        return relation_cut_batch(of, whole, index, before, arena, part, diagnostic);
    case RELATION_REVERSED:
        return relation_cut_reversed(of, whole, arena, part, diagnostic);
    case RELATION_THROUGH:
        return relation_cut_through(of, whole, index, before, arena, part, diagnostic);
    default:
        return relation_cut_piece(of, whole, index, before, arena, part, diagnostic);
    }
}

enum error relation_take(const struct suite_case *of, const struct request *whole,
                         const struct tensor *outputs, const struct tensor *parts,
                         struct arena *arena, struct tensor left[OPERATION_OUTPUTS_MAX],
                         struct tensor right[OPERATION_OUTPUTS_MAX], struct diagnostic *diagnostic)
{
    static enum error (*const joins[])(const struct suite_case *, const struct request *,
                                       const struct tensor *, const struct tensor *, struct arena *,
                                       struct tensor *, struct tensor *, struct diagnostic *) = {
        [RELATION_ROWS] = relation_join_rows,         [RELATION_BATCH] = relation_join_batch,
        [RELATION_SPLIT] = relation_join_pieces,      [RELATION_THROUGH] = relation_join_through,
        [RELATION_REVERSED] = relation_join_reversed, [RELATION_INSTEAD] = relation_join_corners};
    assert(of->relation.kind != RELATION_NONE);
    memset(left, 0, OPERATION_OUTPUTS_MAX * sizeof *left);
    memset(right, 0, OPERATION_OUTPUTS_MAX * sizeof *right);
    const enum error error =
        joins[of->relation.kind](of, whole, outputs, parts, arena, left, right, diagnostic);
    bool any = false;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error; i++) {
        any = any || tensor_present(&left[i]);
        if (left[i].dtype != right[i].dtype || !tensor_same_shape(&left[i], &right[i]))
            return relation_does_not_fit(of, "the outputs have other types or shapes", diagnostic);
    }
    return error || any
               ? error
               : relation_does_not_fit(of, "the requests have no output in common", diagnostic);
}

enum error relation_cut_evaluation(const struct suite_case *of, const struct tensor *side,
                                   struct arena *arena, struct evaluation *evaluation,
                                   struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && of->relation.kind == RELATION_INSTEAD; i++) {
        struct tensor *const cut[] = {&evaluation->tensor[i], &evaluation->lower[i],
                                      &evaluation->upper[i]};
        for (size_t k = 0; k < sizeof cut / sizeof *cut && tensor_present(&side[i]) && !error; k++)
            if (tensor_present(cut[k]) && cut[k]->rank == side[i].rank)
                error = relation_take_corner(cut[k], &side[i], arena, cut[k], diagnostic);
    }
    return error;
}

const char *relation_side(const struct suite_case *of, bool parts, char text[RELATION_TEXT_SIZE])
{
    static const char *const whole[] = {[RELATION_NONE] = "",
                                        [RELATION_ROWS] = "in the batch",
                                        [RELATION_BATCH] = "in one batch",
                                        [RELATION_SPLIT] = "in one piece",
                                        [RELATION_THROUGH] = "in one piece",
                                        [RELATION_REVERSED] = "as the case asks",
                                        [RELATION_INSTEAD] = "as the case asks"};
    if (!parts)
        return whole[of->relation.kind];
    if (of->relation.kind == RELATION_INSTEAD)
        return "as the other request asks";
    if (of->relation.kind == RELATION_REVERSED)
        return "with time reversed";
    static const char *const parted[] = {[RELATION_ROWS] = "with rows",
                                         [RELATION_BATCH] = "in batches, cut at",
                                         [RELATION_SPLIT] = "in pieces, split at",
                                         [RELATION_THROUGH] = "back through pieces, split at"};
    int at = snprintf(text, RELATION_TEXT_SIZE, "%s [", parted[of->relation.kind]);
    for (size_t i = 0; i < of->relation.count && at < RELATION_TEXT_SIZE / 2; i++)
        at += snprintf(text + at, RELATION_TEXT_SIZE - (size_t)at, "%s%llu", i ? ", " : "",
                       i < 8 ? (unsigned long long)of->relation.numbers[i] : 0ULL);
    snprintf(text + at, RELATION_TEXT_SIZE - (size_t)at, "]%s",
             of->relation.kind == RELATION_ROWS ? " alone" : "");
    return text;
}

// Index of the first element that differs, or the count.
static uint64_t find_difference(const struct tensor *a, const struct tensor *b, uint64_t count)
{
    const size_t size = dtype_size(a->dtype);
    uint64_t i = 0;
    while (i < count &&
           !memcmp((const char *)a->data + i * size, (const char *)b->data + i * size, size))
        i++;
    return i;
}

struct evaluation_model relation_model(const struct suite_case *of, bool parts,
                                       const struct evaluation_model *declared)
{
    struct evaluation_model model = *declared;
    const bool handed =
        of->relation.kind == RELATION_BATCH || of->relation.kind == RELATION_THROUGH;
    if (parts && handed && model.accumulator == MODEL_F64)
        model.accumulator = MODEL_F32;
    return model;
}

// Index of the first element outside of its interval, or the count. ERROR_INVALID_ARGUMENT
// where no interval is known.
static enum error find_outside(const struct evaluation *evaluation, unsigned output,
                               const struct tensor *tensor, uint64_t count, uint64_t *at)
{
    const struct tensor *const lower = &evaluation->lower[output];
    const struct tensor *const upper = &evaluation->upper[output];
    if (!tensor_present(lower) || tensor->dtype != DTYPE_F32)
        return ERROR_INVALID_ARGUMENT;
    const float *const low = lower->data, *const high = upper->data, *const is = tensor->data;
    for (*at = 0; *at < count && is[*at] >= low[*at] && is[*at] <= high[*at]; ++*at)
        continue;
    return ERROR_NONE;
}

// Of one output of both sides.
static enum error hold_output(const struct suite_case *of, const struct request *whole,
                              struct evaluation *evaluation, unsigned output,
                              const struct tensor *left, const struct tensor *right,
                              struct arena *arena, struct diagnostic *diagnostic)
{
    uint64_t count = 0, at;
    if (!tensor_present(left) || !tensor_count(left, &count))
        return ERROR_NONE;
    at = find_difference(left, right, count);
    if (at < count && relation_is_handed_sum(of, whole, output)) {
        enum error error = variant_bound(whole, arena, evaluation, diagnostic);
        if (!error)
            error = find_outside(evaluation, output, right, count, &at);
        if (error)
            return error;
    }
    return at == count
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                 "the reference's answers do not agree: element %llu of '%s'",
                                 (unsigned long long)at, whole->operation->outputs[output]);
}

enum error relation_evaluate(const struct suite *suite, const struct suite_case *of,
                             const struct request *whole, struct arena *arena,
                             struct evaluation *evaluation,
                             struct tensor left[OPERATION_OUTPUTS_MAX],
                             struct tensor right[OPERATION_OUTPUTS_MAX],
                             struct diagnostic *diagnostic)
{
    const size_t count = relation_parts(of);
    struct tensor *const parts =
        arena_take_array(arena, count * OPERATION_OUTPUTS_MAX, sizeof *parts);
    struct evaluation part;
    enum error error = parts ? variant_evaluate(whole, arena, evaluation, diagnostic)
                             : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        struct request request;
        error = relation_request(suite, of, whole, i,
                                 i ? &parts[(i - 1) * OPERATION_OUTPUTS_MAX] : evaluation->tensor,
                                 arena, &request, diagnostic);
        if (!error)
            error = variant_evaluate(&request, arena, &part, diagnostic);
        if (!error)
            memcpy(&parts[i * OPERATION_OUTPUTS_MAX], part.tensor,
                   OPERATION_OUTPUTS_MAX * sizeof *parts);
    }
    return error ? error
                 : relation_take(of, whole, evaluation->tensor, parts, arena, left, right,
                                 diagnostic);
}

enum error relation_hold(const struct suite *suite, const struct suite_case *of,
                         const struct request *whole, struct arena *arena,
                         struct diagnostic *diagnostic)
{
    struct tensor left[OPERATION_OUTPUTS_MAX], right[OPERATION_OUTPUTS_MAX];
    struct evaluation evaluation;
    enum error error =
        relation_evaluate(suite, of, whole, arena, &evaluation, left, right, diagnostic);
    for (unsigned i = 0; i < OPERATION_OUTPUTS_MAX && !error; i++)
        error = hold_output(of, whole, &evaluation, i, &left[i], &right[i], arena, diagnostic);
    return error;
}
