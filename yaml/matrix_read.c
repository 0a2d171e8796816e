// SPDX-License-Identifier: Apache-2.0
// A matrix read and checked: lists and ranges, what is left out, and what a sweep draws from them.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/digest.h"
#include "yaml/matrix.h"

struct range {
    int64_t from, step;
    uint64_t count;
};

static enum error read_range(const struct document_node *node, struct range *range,
                             struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"from", "to", "step", NULL};
    const struct document_node *const from = document_find(node, "from"),
                                      *const to = document_find(node, "to"),
                                      *const step = document_find(node, "step");
    const long long most = INT64_MAX / 4;
    long long first = 0, last = 0, by = 1;
    enum error error = document_only_keys(node, keys, "a range", diagnostic);
    if (!error && (!from || !to))
        error = document_fail(node, ERROR_INPUT, diagnostic, "a range needs from and to");
    if (!error)
        error = document_integer(from, -most, most, &first, "from", diagnostic);
    if (!error)
        error = document_integer(to, first, most, &last, "to", diagnostic);
    if (!error && step)
        error = document_integer(step, 1, most, &by, "step", diagnostic);
    *range = (struct range){first, by, error ? 0 : (uint64_t)((last - first) / by) + 1};
    return error;
}

static enum error too_many(const struct document_node *names, struct diagnostic *diagnostic)
{
    return document_fail(names, ERROR_INPUT, diagnostic, "the matrix has more than %d combinations",
                         MATRIX_COMBINATIONS_MAX);
}

static enum error check_list(const struct document_node *key, const struct document_node *values,
                             struct diagnostic *diagnostic)
{
    const enum error error =
        document_expect(values, DOCUMENT_SEQUENCE, "a matrix entry", diagnostic);
    if (error)
        return error;
    if (!values->count)
        return document_fail(values, ERROR_INPUT, diagnostic, "the matrix has no value for '%.80s'",
                             key->text);
    for (size_t k = 0; k < values->count; k++)
        for (size_t m = 0; m < k; m++)
            if (matrix_same(values->item[k], values->item[m]))
                return document_fail(values->item[k], ERROR_INPUT, diagnostic,
                                     "this value stands twice under '%.80s'", key->text);
    return ERROR_NONE;
}

// The list that a range stands for.
static enum error write_out(const struct document_node *node, const struct range *range,
                            struct arena *arena, struct document_node **list,
                            struct diagnostic *diagnostic)
{
    if (range->count > MATRIX_COMBINATIONS_MAX)
        return too_many(node, diagnostic);
    *list = document_new(arena, DOCUMENT_SEQUENCE, node->source, node->line, node->column);
    enum error error = *list ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < range->count && !error; i++) {
        struct document_node *const number =
            matrix_new_number(arena, node, range->from + (int64_t)i * range->step);
        error = number ? document_append(arena, *list, NULL, number, diagnostic)
                       : diagnostic_no_memory(diagnostic);
    }
    return error;
}

// Checks the names and writes out ranges, but those of a sweep: of them few numbers are drawn.
static enum error read_names(const struct document_node *names, bool sweep, struct arena *arena,
                             struct matrix *matrix, struct diagnostic *diagnostic)
{
    enum error error = document_expect(names, DOCUMENT_MAPPING, "matrix", diagnostic);
    if (!error && (!names->count || names->count > MATRIX_NAMES_MAX))
        error = document_fail(names, ERROR_INPUT, diagnostic, "a matrix has 1 to %d names",
                              MATRIX_NAMES_MAX);
    struct document_node *const to =
        error ? NULL
              : document_new(arena, DOCUMENT_MAPPING, names->source, names->line, names->column);
    if (!error && !to)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < names->count && !error; i++) {
        struct document_node *values = names->item[i];
        struct range range;
        if (strchr(names->key[i]->text, '.') || (sweep && !strcmp(names->key[i]->text, "sweep")))
            return document_fail(
                names->key[i], ERROR_INPUT, diagnostic,
                "a name of the matrix cannot contain '.', which separates a field, nor be "
                "'sweep' beside a sweep");
        if (values->kind != DOCUMENT_MAPPING)
            error = check_list(names->key[i], values, diagnostic);
        else if (!(error = read_range(values, &range, diagnostic)) && !sweep)
            error = write_out(values, &range, arena, &values, diagnostic);
        if (!error)
            error = document_append(arena, to, names->key[i], values, diagnostic);
        if (!error && !sweep && (matrix->combinations *= values->count) > MATRIX_COMBINATIONS_MAX)
            error = too_many(names, diagnostic);
    }
    matrix->names = to;
    return error;
}

static enum error check_exceptions(const struct matrix *matrix, struct diagnostic *diagnostic)
{
    const struct document_node *const except = matrix->except;
    struct matrix_row row;
    enum error error = document_expect(except, DOCUMENT_SEQUENCE, "except", diagnostic);
    for (size_t i = 0; i < except->count && !error; i++) {
        if ((error =
                 document_expect(except->item[i], DOCUMENT_MAPPING, "an exception", diagnostic)))
            return error;
        bool used = false;
        for (uint64_t index = 0; index < matrix->combinations && !used; index++) {
            matrix_take_row(matrix, index, &row);
            used = matrix_is_left_out_by(&row, except->item[i]);
        }
        if (!used)
            return document_fail(except->item[i], ERROR_INPUT, diagnostic,
                                 "this exception leaves out no combination");
    }
    bool left = false;
    for (uint64_t index = 0; index < matrix->combinations && !left; index++)
        left = matrix_row(matrix, index, &row);
    if (!error && !left)
        error = document_fail(except, ERROR_INPUT, diagnostic,
                              "the exceptions leave out every combination");
    return error;
}

// ---- drawing ----------------------------------------------------------------

struct sweep {
    const char *id; // of the form, with its braces
    long long seed, count;
};

// A number for one name of one combination: the first 8 bytes, most significant first, of the
// SHA-256 of "ID/SEED/INDEX/TRY/NAME".
static enum error draw_word(const struct sweep *sweep, uint64_t index, unsigned attempt,
                            const char *name, uint64_t *word, struct diagnostic *diagnostic)
{
    char text[512];
    unsigned char digest[DIGEST_SIZE];
    snprintf(text, sizeof text, "%.300s/%lld/%" PRIu64 "/%u/%.100s", sweep->id, sweep->seed, index,
             attempt, name);
    const enum error error = digest_of(text, strlen(text), digest, diagnostic);
    *word = 0;
    for (unsigned i = 0; i < sizeof *word && !error; i++)
        *word = *word << 8 | digest[i];
    return error;
}

static enum error draw_row(const struct matrix *matrix, const struct sweep *sweep, uint64_t index,
                           unsigned attempt, struct arena *arena, struct matrix_row *row,
                           struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < matrix->names->count && !error; i++) {
        const struct document_node *const values = matrix->names->item[i];
        uint64_t word;
        struct range range;
        error = draw_word(sweep, index, attempt, matrix->names->key[i]->text, &word, diagnostic);
        if (error || values->kind != DOCUMENT_MAPPING) {
            row->value[i] = values->item[error ? 0 : word % values->count];
            continue;
        }
        error = read_range(values, &range, diagnostic);
        if (!error)
            row->value[i] = matrix_new_number(
                arena, values, range.from + (int64_t)(word % range.count) * range.step);
        if (!error && !row->value[i])
            error = diagnostic_no_memory(diagnostic);
    }
    return error;
}

static bool is_left_out(const struct matrix *matrix, const struct matrix_row *row)
{
    bool out = false;
    for (size_t i = 0; matrix->except && i < matrix->except->count && !out; i++)
        out = matrix_is_left_out_by(row, matrix->except->item[i]);
    return out;
}

// Draws all combinations; one that is left out is drawn anew.
static enum error draw(const struct sweep *sweep, struct arena *arena, struct matrix *matrix,
                       struct diagnostic *diagnostic)
{
    enum { TRIES_MAX = 1000 };
    const size_t count = (size_t)sweep->count;
    struct matrix_row *const rows = arena_take_array(arena, count, sizeof *rows);
    enum error error = rows ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        rows[i].names = matrix->names;
        rows[i].sweep = document_new(arena, DOCUMENT_SCALAR, matrix->names->source,
                                     matrix->names->line, matrix->names->column);
        const char *const text = arena_print(arena, "%lld.%zu", sweep->seed, i);
        if (!rows[i].sweep || !text)
            return diagnostic_no_memory(diagnostic);
        rows[i].sweep->text = text;
        rows[i].sweep->count = strlen(text);
        unsigned attempt = 0;
        do
            error = draw_row(matrix, sweep, i, attempt++, arena, &rows[i], diagnostic);
        while (!error && attempt < TRIES_MAX && is_left_out(matrix, &rows[i]));
        if (!error && is_left_out(matrix, &rows[i]))
            error = document_fail(matrix->except, ERROR_INPUT, diagnostic,
                                  "the exceptions leave out %d combinations in a row", TRIES_MAX);
    }
    matrix->drawn = rows;
    matrix->combinations = count;
    return error;
}

static enum error read_sweep(const struct document_node *node, const struct document_node *key,
                             struct arena *arena, struct matrix *matrix,
                             struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"seed", "count", NULL};
    enum error error = document_only_keys(key, keys, "sweep", diagnostic);
    if (error)
        return error;
    const struct document_node *const id = document_find(node, "id"),
                                      *const seed = document_find(key, "seed"),
                                      *const count = document_find(key, "count");
    struct sweep sweep = {.id = id->text};
    if (!seed || !count || !matrix->names)
        return document_fail(key, ERROR_INPUT, diagnostic,
                             "a sweep needs seed, count, and a matrix to draw from");
    if (!error && !strstr(id->text, "{sweep}"))
        error =
            document_fail(id, ERROR_INPUT, diagnostic, "the id of a sweep must contain {sweep}");
    if (!error)
        error = document_integer(seed, 0, INT64_MAX, &sweep.seed, "seed", diagnostic);
    if (!error)
        error = document_integer(count, 1, MATRIX_SWEEP_MAX, &sweep.count, "count", diagnostic);
    if (!error && matrix->except)
        error = document_expect(matrix->except, DOCUMENT_SEQUENCE, "except", diagnostic);
    for (size_t i = 0; !error && matrix->except && i < matrix->except->count; i++)
        error =
            document_expect(matrix->except->item[i], DOCUMENT_MAPPING, "an exception", diagnostic);
    return error ? error : draw(&sweep, arena, matrix, diagnostic);
}

enum error matrix_read(const struct document_node *node, struct arena *arena, struct matrix *matrix,
                       struct diagnostic *diagnostic)
{
    const struct document_node *const names = document_find(node, "matrix"),
                                      *const except = document_find(node, "except"),
                                      *const sweep = document_find(node, "sweep");
    *matrix = (struct matrix){.except = except, .combinations = 1};
    enum error error = names ? read_names(names, sweep, arena, matrix, diagnostic) : ERROR_NONE;
    if (!error && except && !names)
        error = document_fail(except, ERROR_INPUT, diagnostic, "except needs a matrix");
    if (!error && sweep)
        return read_sweep(node, sweep, arena, matrix, diagnostic);
    if (!error && except)
        error = check_exceptions(matrix, diagnostic);
    return error;
}
