// SPDX-License-Identifier: Apache-2.0
// Columns of a table become parts of a case. A column's meaning is one of
//   id, op, reject                     of the case
//   attributes.NAME[:KIND]             KIND: word (where none is said), integer, real, boolean
//   inputs.NAME:DTYPE[:FORM]           an element in each row
//   expected.NAME:DTYPE[:FORM]         likewise; NAME.lower and NAME.upper are ends
//   nothing                            not looked at
// FORM says how the elements are spelled: decimal where none is said; `bits`, hexadecimal digits,
// the most significant first; `scalar`, one decimal, of rank 0; `hex`, all bytes of a vector of u8
// in one cell.

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/text.h"
#include "vectors/foreign/foreign.h"

enum { COLUMNS_MAX = 256, ELEMENTS_MAX = 1 << 26 };

enum part { PART_NONE, PART_ID, PART_OP, PART_REJECT, PART_ATTRIBUTE, PART_INPUT, PART_EXPECTED };
enum form { FORM_DECIMAL, FORM_BITS, FORM_SCALAR, FORM_HEX, FORMS };
enum end { END_VALUE, END_LOWER, END_UPPER };

struct column {
    const char *name; // of the column
    enum part part;
    const char *of; // of the attribute or the tensor
    enum dtype dtype;
    enum form form;
    enum end end;
    bool quoted; // an attribute that is a word
};

struct foreign_table {
    struct foreign *foreign;
    const struct document_source *source;
    size_t count, ids;
    struct column column[COLUMNS_MAX];
};

size_t foreign_table_ids(const struct foreign_table *table)
{
    return table->ids;
}

// ---- meanings ---------------------------------------------------------------

static enum error fail_meaning(const struct column *column, const char *meaning,
                               struct diagnostic *diagnostic)
{
    return diagnostic_fail(diagnostic, ERROR_INPUT,
                           "column '%.80s': '%.120s' is no meaning: expected id, op, reject, "
                           "attributes.NAME[:integer|real|boolean|word], "
                           "inputs.NAME:DTYPE[:bits|scalar|hex] or "
                           "expected.NAME[.lower|.upper]:DTYPE[:bits|scalar|hex]; --columns "
                           "'COLUMN=MEANING,...' gives others, and COLUMN= leaves one out",
                           column->name, meaning);
}

static bool begins(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

// Cuts a text at its colons into three parts, "" where there are fewer; false: there are more.
static bool cut(char *text, char *part[3])
{
    for (unsigned i = 0; i < 3; i++) {
        part[i] = text;
        text += strcspn(text, ":");
        if (*text && i < 2)
            *text++ = '\0';
    }
    return !*text;
}

static bool take_attribute(struct column *column, const char *kind)
{
    static const char *const kinds[] = {"", "word", "integer", "real", "boolean", NULL};
    column->part = PART_ATTRIBUTE;
    column->quoted = !*kind || !strcmp(kind, "word");
    for (unsigned i = 0; kinds[i]; i++)
        if (!strcmp(kinds[i], kind))
            return true;
    return false;
}

static bool take_tensor(struct column *column, char *of, const char *dtype, const char *form)
{
    static const char *const forms[FORMS] = {"", "bits", "scalar", "hex"};
    column->dtype = dtype_named(dtype);
    for (column->form = FORM_DECIMAL; column->form < FORMS; column->form++)
        if (!strcmp(forms[column->form], form))
            break;
    char *const dot = strrchr(of, '.');
    if (column->part == PART_EXPECTED && dot &&
        (!strcmp(dot, ".lower") || !strcmp(dot, ".upper"))) {
        column->end = dot[1] == 'l' ? END_LOWER : END_UPPER;
        *dot = '\0';
    }
    return column->dtype && column->form < FORMS &&
           (column->form != FORM_HEX || column->dtype == DTYPE_U8);
}

static enum error give_meaning(struct column *column, const char *meaning, struct arena *arena,
                               struct diagnostic *diagnostic)
{
    static const struct {
        const char *word;
        enum part part;
    } words[] = {{"", PART_NONE}, {"id", PART_ID}, {"op", PART_OP}, {"reject", PART_REJECT}};
    const char *at = meaning;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, meaning)) {
            column->part = words[i].part;
            return ERROR_NONE;
        }
    column->part = begins(&at, "attributes.") ? PART_ATTRIBUTE
                   : begins(&at, "inputs.")   ? PART_INPUT
                   : begins(&at, "expected.") ? PART_EXPECTED
                                              : PART_NONE;
    if (!column->part)
        return fail_meaning(column, meaning, diagnostic);
    char *const text = arena_copy_text(arena, at, strlen(at)), *word[3];
    if (!text)
        return diagnostic_no_memory(diagnostic);
    const bool whole = cut(text, word);
    column->of = word[0];
    const bool right =
        whole && *word[0] &&
        (column->part == PART_ATTRIBUTE ? !*word[2] && take_attribute(column, word[1])
                                        : take_tensor(column, word[0], word[1], word[2]));
    return right ? ERROR_NONE : fail_meaning(column, meaning, diagnostic);
}

// The meaning that the words give the column, in the arena; NULL: they name it nowhere.
static const char *find_meaning(const char *columns, const char *name, struct arena *arena)
{
    const size_t length = strlen(name);
    for (const char *at = columns; at && *at;) {
        const size_t size = strcspn(at, ",");
        if (size > length && !strncmp(at, name, length) && at[length] == '=')
            return arena_copy_text(arena, at + length + 1, size - length - 1);
        at += size + (at[size] == ',');
    }
    return NULL;
}

// A column that the words name and the table does not have is misspelt.
static enum error check_columns(const struct foreign_table *table, const char *columns,
                                struct diagnostic *diagnostic)
{
    for (const char *at = columns; at && *at;) {
        const size_t size = strcspn(at, ","), name = strcspn(at, "=");
        bool there = false;
        for (size_t i = 0; i < table->count && !there; i++)
            there =
                strlen(table->column[i].name) == name && !strncmp(table->column[i].name, at, name);
        if (name >= size || !there)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.200s has no column for '%.*s' (COLUMN=MEANING,...)",
                                   table->source->name, (int)(size < 80 ? size : 80), at);
        at += size + (at[size] == ',');
    }
    return ERROR_NONE;
}

enum error foreign_table_begin(const char *const *names, size_t count,
                               const struct document_source *source, const char *stem,
                               const struct foreign_words *words, struct foreign *foreign,
                               struct foreign_table **table, struct diagnostic *diagnostic)
{
    struct foreign_table *const to = arena_take(&foreign->arena, sizeof *to);
    (void)stem;
    *table = to;
    if (!to)
        return diagnostic_no_memory(diagnostic);
    if (count > COLUMNS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%.200s has more than %d columns",
                               source->name, COLUMNS_MAX);
    *to = (struct foreign_table){.foreign = foreign, .source = source, .ids = SIZE_MAX};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++) {
        struct column *const column = &to->column[to->count++];
        const char *const meaning = find_meaning(words->columns, names[i], &foreign->arena);
        column->name = names[i];
        for (size_t k = 0; k < i; k++)
            if (!strcmp(names[k], names[i]))
                return diagnostic_fail(diagnostic, ERROR_INPUT, "%.200s has two columns '%.80s'",
                                       source->name, names[i]);
        error = give_meaning(column, meaning ? meaning : names[i], &foreign->arena, diagnostic);
        if (!error && column->part == PART_ID && to->ids != SIZE_MAX)
            error = diagnostic_fail(diagnostic, ERROR_INPUT, "%.200s has two columns of ids",
                                    source->name);
        if (!error && column->part == PART_ID)
            to->ids = i;
    }
    return error ? error : check_columns(to, words->columns, diagnostic);
}

// ---- cells ------------------------------------------------------------------

static enum error fail_cell(const struct foreign_table *table, const struct foreign_row *row,
                            const struct column *column, const char *what,
                            struct diagnostic *diagnostic)
{
    return document_fail_at(table->source, row->line, 1, ERROR_INPUT, diagnostic,
                            "column '%.80s': %.200s", column->name, what);
}

static bool read_hex(const char *text, size_t digits, uint64_t *bits)
{
    *bits = 0;
    for (size_t i = 0; i < digits; i++) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return false;
        *bits = *bits << 4 | (uint64_t)digit;
    }
    return true;
}

static enum error read_cell(const struct foreign_table *table, const struct column *column,
                            const struct foreign_row *row, const char *cell, uint64_t *bits,
                            struct diagnostic *diagnostic)
{
    struct diagnostic why = {.text = ""};
    const size_t digits = 2 * dtype_size(column->dtype);
    if (!cell)
        return fail_cell(table, row, column, "the row has no such cell", diagnostic);
    if (column->form == FORM_BITS)
        return strlen(cell) == digits && read_hex(cell, digits, bits) &&
                       *bits <= dtype_last_code(column->dtype)
                   ? ERROR_NONE
                   : fail_cell(table, row, column, "expected the bits in hexadecimal digits",
                               diagnostic);
    return num_parse(column->dtype, cell, strlen(cell), bits, &why)
               ? fail_cell(table, row, column, why.text, diagnostic)
               : ERROR_NONE;
}

static enum error take_bytes(const struct foreign_table *table, const struct column *column,
                             const struct foreign_row *row, const char *cell, struct tensor *tensor,
                             struct diagnostic *diagnostic)
{
    const size_t length = strlen(cell);
    *tensor = (struct tensor){.dtype = DTYPE_U8, .rank = 1, .shape = {length / 2}};
    unsigned char *const bytes = arena_take(&table->foreign->arena, length / 2);
    if (!bytes)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < length / 2; i++) {
        uint64_t bits;
        if (length % 2 || !read_hex(cell + 2 * i, 2, &bits))
            return fail_cell(table, row, column, "expected bytes, two hexadecimal digits each",
                             diagnostic);
        bytes[i] = (unsigned char)bits;
    }
    if (length % 2)
        return fail_cell(table, row, column, "expected bytes, two hexadecimal digits each",
                         diagnostic);
    tensor->data = bytes;
    return ERROR_NONE;
}

static enum error take_column(const struct foreign_table *table, size_t index,
                              const struct foreign_row *rows, size_t count, struct tensor *tensor,
                              struct diagnostic *diagnostic)
{
    const struct column *const column = &table->column[index];
    const size_t size = dtype_size(column->dtype);
    if (tensor_present(tensor))
        return fail_cell(table, rows, column, "another column is this one too", diagnostic);
    if ((column->form == FORM_HEX || column->form == FORM_SCALAR) && count != 1)
        return fail_cell(table, &rows[1], column, "one row holds all of it", diagnostic);
    if (column->form == FORM_HEX)
        return rows->cell[index]
                   ? take_bytes(table, column, rows, rows->cell[index], tensor, diagnostic)
                   : ERROR_NONE;
    *tensor = (struct tensor){.dtype = column->dtype, .rank = 1, .shape = {count}};
    if (column->form == FORM_SCALAR)
        tensor->rank = 0;
    tensor->data = arena_take_array(&table->foreign->arena, count, size);
    enum error error = tensor->data ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        uint64_t bits = 0;
        error = read_cell(table, column, &rows[i], rows[i].cell[index], &bits, diagnostic);
        if (!error)
            element_store(tensor->data, size, i, bits);
    }
    return error;
}

// What is said once of a case stands in each of its rows.
static enum error take_word(const struct foreign_table *table, size_t index,
                            const struct foreign_row *rows, size_t count, const char **word,
                            struct diagnostic *diagnostic)
{
    *word = rows->cell[index];
    for (size_t i = 1; i < count; i++)
        if (!*word != !rows[i].cell[index] || (*word && strcmp(*word, rows[i].cell[index]) != 0))
            return fail_cell(table, &rows[i], &table->column[index],
                             "it differs between rows of one case", diagnostic);
    if (*word && !**word)
        *word = NULL; // an empty cell says nothing
    return ERROR_NONE;
}

static enum error put_attribute(const struct foreign_table *table, const struct column *column,
                                const char *word, struct foreign_case *to,
                                struct document_node **attributes, struct diagnostic *diagnostic)
{
    struct arena *const arena = &table->foreign->arena;
    struct document_node *const key = foreign_scalar(arena, table->source, column->of, true);
    struct document_node *const value = foreign_scalar(arena, table->source, word, column->quoted);
    if (!*attributes)
        *attributes = document_new(arena, DOCUMENT_MAPPING, table->source, 0, 0);
    if (!key || !value || !*attributes)
        return diagnostic_no_memory(diagnostic);
    to->attributes = *attributes;
    return document_append(arena, *attributes, key, value, diagnostic);
}

enum error foreign_table_take(struct foreign_table *table, const struct foreign_row *rows,
                              size_t count, const char *id, const char *reject,
                              struct diagnostic *diagnostic)
{
    struct foreign *const foreign = table->foreign;
    struct document_node *attributes = NULL;
    struct foreign_case *to;
    if (count > ELEMENTS_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "a case of more than %d rows",
                               ELEMENTS_MAX);
    enum error error = foreign_add(foreign, id, &to, diagnostic);
    if (!error)
        to->reject = reject;
    for (size_t i = 0; i < table->count && !error; i++) {
        const struct column *const column = &table->column[i];
        const char *word = NULL;
        struct foreign_tensor *place;
        if (column->part == PART_NONE || column->part == PART_ID ||
            (column->part == PART_EXPECTED && reject))
            continue;
        if (column->part == PART_INPUT || column->part == PART_EXPECTED) {
            error = foreign_place(foreign, to, column->part == PART_EXPECTED, column->of, &place,
                                  diagnostic);
            if (!error)
                error = take_column(table, i, rows, count,
                                    column->end == END_LOWER   ? &place->lower
                                    : column->end == END_UPPER ? &place->upper
                                                               : &place->value,
                                    diagnostic);
            continue;
        }
        error = take_word(table, i, rows, count, &word, diagnostic);
        if (error || !word)
            continue;
        if (column->part == PART_REJECT)
            to->reject = word;
        else if (column->part == PART_ATTRIBUTE)
            error = put_attribute(table, column, word, to, &attributes, diagnostic);
        else if (!(to->op = foreign_scalar(&foreign->arena, table->source, word, true)))
            error = diagnostic_no_memory(diagnostic);
    }
    return error;
}
