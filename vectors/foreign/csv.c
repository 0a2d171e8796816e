// SPDX-License-Identifier: Apache-2.0
// Comma-separated values as RFC 4180 has them: cells in double quotes may hold commas, quotes
// (twice) and line ends; a line ends with LF or CRLF. All rows have as many cells as the first.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/foreign/foreign.h"

enum { CELLS_MAX = 256, BEGINNING = 3 }; // bytes of a byte order mark

struct scanner {
    const struct document_source *source;
    struct arena *arena;
    size_t at;
    unsigned line;
    size_t count; // of the row's cells
    const char *cell[CELLS_MAX];
    struct diagnostic *diagnostic;
};

static enum error fail(const struct scanner *scanner, const char *what)
{
    return document_fail_at(scanner->source, scanner->line, 1, ERROR_INPUT, scanner->diagnostic,
                            "%s", what);
}

static int look(const struct scanner *scanner)
{
    return scanner->at < scanner->source->size ? (unsigned char)scanner->source->text[scanner->at]
                                               : EOF;
}

// A cell in quotes, behind the first of them.
static enum error scan_quoted(struct scanner *scanner, struct text *cell)
{
    for (;;) {
        const int c = look(scanner);
        if (c == EOF)
            return fail(scanner, "a cell in quotes does not end");
        scanner->at++;
        scanner->line += c == '\n';
        if (c != '"') {
            text_put_bytes(cell, &(char){(char)c}, 1);
            continue;
        }
        if (look(scanner) != '"')
            return ERROR_NONE;
        scanner->at++;
        text_put_bytes(cell, "\"", 1);
    }
}

static enum error scan_cell(struct scanner *scanner)
{
    struct text cell = {0};
    enum error error = ERROR_NONE;
    int c = look(scanner);
    if (c == '"') {
        scanner->at++;
        error = scan_quoted(scanner, &cell);
        c = look(scanner);
    } else {
        const size_t start = scanner->at;
        while (c != EOF && c != ',' && c != '\n' && c != '\r' && c != '"') {
            scanner->at++;
            c = look(scanner);
        }
        text_put_bytes(&cell, scanner->source->text + start, scanner->at - start);
    }
    if (!error && c != EOF && c != ',' && c != '\n' && c != '\r')
        error = fail(scanner, "a quote stands inside of a cell");
    if (!error && cell.size && memchr(cell.bytes, '\0', cell.size))
        error = fail(scanner, "a cell holds a NUL");
    if (!error && scanner->count == CELLS_MAX)
        error = fail(scanner, "a row has more than 256 cells");
    if (!error) {
        const char *const kept =
            arena_copy_text(scanner->arena, cell.size ? cell.bytes : "", cell.size);
        scanner->cell[scanner->count++] = kept;
        if (cell.failed || !kept)
            error = diagnostic_no_memory(scanner->diagnostic);
    }
    text_release(&cell);
    return error;
}

// The cells of the next row; none where the file ends.
static enum error scan_row(struct scanner *scanner)
{
    scanner->count = 0;
    if (look(scanner) == EOF)
        return ERROR_NONE;
    for (;;) {
        const enum error error = scan_cell(scanner);
        if (error)
            return error;
        if (look(scanner) != ',')
            break;
        scanner->at++;
    }
    if (look(scanner) == '\r')
        scanner->at++;
    if (look(scanner) != EOF && look(scanner) != '\n')
        return fail(scanner, "a line ends with LF or CRLF");
    scanner->at++;
    scanner->line++;
    return ERROR_NONE;
}

// Rows that are kept until their case ends.
struct rows {
    struct foreign_row *row;
    size_t count;
};

static enum error keep_row(struct rows *rows, const struct scanner *scanner, unsigned line)
{
    const char **const cells = arena_take_array(scanner->arena, scanner->count, sizeof *cells);
    if (!cells || !array_grow(&rows->row, rows->count, sizeof *rows->row))
        return diagnostic_no_memory(scanner->diagnostic);
    memcpy(cells, scanner->cell, scanner->count * sizeof *cells);
    rows->row[rows->count++] = (struct foreign_row){.line = line, .cell = cells};
    return ERROR_NONE;
}

// Ends a case: its rows become one.
static enum error take_rows(struct foreign_table *table, struct rows *rows, const char *stem,
                            struct diagnostic *diagnostic)
{
    const size_t ids = foreign_table_ids(table), count = rows->count;
    if (!count)
        return ERROR_NONE;
    rows->count = 0;
    return foreign_table_take(table, rows->row, count,
                              ids == SIZE_MAX ? stem : rows->row[0].cell[ids], NULL, diagnostic);
}

static enum error scan_rows(struct scanner *scanner, struct foreign_table *table, size_t columns,
                            const char *stem, struct rows *rows)
{
    const size_t ids = foreign_table_ids(table);
    for (;;) {
        const unsigned line = scanner->line;
        enum error error = scan_row(scanner);
        if (error || !scanner->count)
            return error ? error : take_rows(table, rows, stem, scanner->diagnostic);
        if (scanner->count == 1 && !*scanner->cell[0] && columns > 1)
            continue; // an empty line
        if (scanner->count != columns)
            return document_fail_at(scanner->source, line, 1, ERROR_INPUT, scanner->diagnostic,
                                    "the row has %zu cells, the first line names %zu",
                                    scanner->count, columns);
        if (rows->count && ids != SIZE_MAX &&
            strcmp(scanner->cell[ids], rows->row[0].cell[ids]) != 0)
            error = take_rows(table, rows, stem, scanner->diagnostic);
        if (!error)
            error = keep_row(rows, scanner, line);
        if (error)
            return error;
    }
}

enum error foreign_read_csv(const struct document_source *source, const char *stem,
                            const struct foreign_words *words, struct foreign *foreign,
                            struct diagnostic *diagnostic)
{
    struct scanner scanner = {
        .source = source, .arena = &foreign->arena, .line = 1, .diagnostic = diagnostic};
    struct foreign_table *table;
    struct rows rows = {.count = 0};
    if (source->size >= BEGINNING && !memcmp(source->text, "\xef\xbb\xbf", BEGINNING))
        scanner.at = BEGINNING;
    enum error error = scan_row(&scanner);
    if (!error && !scanner.count)
        error = fail(&scanner, "the table is empty");
    const size_t columns = scanner.count;
    if (!error)
        error = foreign_table_begin(scanner.cell, columns, source, stem, words, foreign, &table,
                                    diagnostic);
    if (!error)
        error = scan_rows(&scanner, table, columns, stem, &rows);
    free(rows.row);
    return error ? error : foreign_finish(foreign, words, source, diagnostic);
}
