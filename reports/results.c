// SPDX-License-Identifier: Apache-2.0
// Reading results.jsonl, line by line: memory holds what lists and matrices need, not the file.

#include "reports/results.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ref/base/json.h"
#include "reports/results_shape.h"

enum { POOL_SIZE = 256 * 1024, LINE_MEMORY_MAX = 96 * 1024 * 1024 };

const char *results_level_name(enum results_level level)
{
    return level < LEVEL_COUNT ? results_level_words[level] : "none";
}

bool results_case_unexpected(const struct results_case *item)
{
    return verdict_is_failure(item->verdict) ? item->known != KNOWN_EXPECTED
                                             : item->known == KNOWN_CURED;
}

const char *results_keep(struct results *results, const char *text)
{
    if (!text)
        return NULL;
    const size_t size = strlen(text) + 1;
    if (size > results->pool_left) {
        const size_t block = size > POOL_SIZE ? size : POOL_SIZE;
        char *const fresh = malloc(block);
        if (!fresh ||
            !array_grow(&results->blocks, results->block_count, sizeof *results->blocks)) {
            free(fresh);
            return NULL;
        }
        results->blocks[results->block_count++] = fresh;
        results->pool = fresh;
        results->pool_left = block;
    }
    char *const at = memcpy(results->pool, text, size);
    results->pool += size;
    results->pool_left -= size;
    return at;
}

void results_release(struct results *results)
{
    for (size_t i = 0; i < results->file_count; i++)
        if (results->file[i].stream)
            fclose(results->file[i].stream);
    for (size_t i = 0; i < results->block_count; i++)
        free(results->blocks[i]);
    struct results_index *const index[] = {&results->suites, &results->requirements,
                                           &results->targets};
    for (unsigned i = 0; i < sizeof index / sizeof *index; i++) {
        free(index[i]->name);
        free(index[i]->number);
    }
    free(results->blocks);
    free(results->suite);
    free(results->requirement);
    free(results->erratum);
    free(results->target);
    free(results->library);
    free(results->operators);
    free(results->cases);
    free(results->mutant);
    free(results->score);
    free(results->mistake);
    free(results->flaw);
    free(results->evidence);
    free(results->timing);
    free(results->covers);
    *results = (struct results){0};
}

// ---- lines ------------------------------------------------------------------

// The file under way.
struct reading {
    struct results *results;
    struct results_file *file;
    struct digest digest, before; // of all bytes, and of those before the current line
    struct arena arena;
    char *line;
    size_t size; // without the newline
    size_t capacity;
    unsigned number;
    uint64_t offset, records, verdicts[VERDICT_COUNT];
    bool header, footer;
};

// One line into reading->line, at most RESULTS_LINE_MAX bytes; *end at the end of the file.
static enum error read_line(struct reading *reading, bool *end, struct diagnostic *diagnostic)
{
    FILE *const stream = reading->file->stream;
    const struct document_source source = {
        .name = reading->file->path, .text = "", .lines_before = reading->number};
    reading->size = 0;
    for (int c = getc_unlocked(stream); c != EOF; c = getc_unlocked(stream)) {
        if (c == '\n') {
            reading->number++;
            return ERROR_NONE;
        }
        if (reading->size == RESULTS_LINE_MAX)
            return document_fail_at(&source, reading->number + 1, 1, ERROR_INPUT, diagnostic,
                                    "a line is longer than %d bytes", RESULTS_LINE_MAX);
        reading->line[reading->size++] = (char)c;
    }
    if (ferror(stream))
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot read %.400s: %s",
                               reading->file->path, strerror(errno));
    if (reading->size)
        return document_fail_at(&source, reading->number + 1, 1, ERROR_INPUT, diagnostic,
                                "the last line does not end: the file is cut off");
    *end = true;
    return ERROR_NONE;
}

static enum error check_footer(struct reading *reading, const struct document_node *root,
                               struct diagnostic *diagnostic)
{
    enum error error = shape_check(root, results_footer_shape, diagnostic);
    if (error)
        return error;
    const unsigned long long records = shape_count(root, "records", 0);
    if (records != reading->records)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "the footer counts %llu records, but %llu were found", records,
                             (unsigned long long)reading->records);
    const struct document_node *const verdicts = document_find(root, "verdicts");
    for (unsigned i = 0; verdicts && i < VERDICT_COUNT; i++)
        if (shape_count(verdicts, verdict_words[i], 0) != reading->verdicts[i])
            return document_fail(verdicts, ERROR_INPUT, diagnostic,
                                 "the footer's number of '%s' is not what was found (%llu)",
                                 verdict_words[i], (unsigned long long)reading->verdicts[i]);
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    error = digest_end(&reading->before, digest, diagnostic);
    if (error)
        return error;
    digest_write_hex(digest, hex);
    if (strcmp(hex, shape_text(root, "sha256")) != 0)
        return document_fail(
            root, ERROR_INPUT, diagnostic,
            "the footer's digest is not that of the lines before it: the file was changed");
    reading->footer = true;
    return ERROR_NONE;
}

static enum error take_line(struct reading *reading, struct diagnostic *diagnostic)
{
    struct document_source source = {reading->file->path, reading->line, reading->size,
                                     reading->number - 1};
    struct document_node *root;
    if (reading->footer)
        return document_fail_at(&source, reading->number, 1, ERROR_INPUT, diagnostic,
                                "nothing may follow the footer");
    enum error error = json_read(&source, &reading->arena, &root, diagnostic);
    if (error == ERROR_INTERNAL && reading->arena.limited)
        return document_fail_at(&source, reading->number, 1, ERROR_INPUT, diagnostic,
                                "the line holds too many values");
    if (error)
        return error;
    if (root->kind != DOCUMENT_MAPPING || !root->count)
        return document_fail_at(&source, reading->number, 1, ERROR_INPUT, diagnostic,
                                "expected an object with a 'record'");
    const struct document_node *const record = document_find(root, "record");
    const char *const kind = record && record->kind == DOCUMENT_SCALAR ? record->text : "";
    if (!reading->header) {
        reading->header = true;
        if (strcmp(kind, "header") != 0)
            return document_fail(root, ERROR_INPUT, diagnostic,
                                 "the first line must be the header");
        return results_take_header(reading->results, reading->file, root, diagnostic);
    }
    if (!strcmp(kind, "footer"))
        return check_footer(reading, root, diagnostic);
    const size_t cases = reading->results->case_count;
    const struct results_case place = {.file = (uint8_t)(reading->file - reading->results->file),
                                       .offset = reading->offset,
                                       .length = (uint32_t)reading->size,
                                       .line = reading->number};
    error = results_take_record(reading->results, root, &place, diagnostic);
    reading->records++;
    if (!error && reading->results->case_count > cases)
        reading->verdicts[reading->results->cases[cases].verdict]++;
    return error;
}

static enum error read_lines(struct reading *reading, struct diagnostic *diagnostic)
{
    bool end = false;
    enum error error = digest_begin(&reading->digest, diagnostic);
    if (!error)
        error = digest_begin(&reading->before, diagnostic);
    while (!error) {
        error = read_line(reading, &end, diagnostic);
        if (error || end)
            break;
        reading->arena.limit = LINE_MEMORY_MAX;
        error = take_line(reading, diagnostic);
        arena_release(&reading->arena);
        reading->line[reading->size] = '\n';
        if (!error)
            error = digest_add(&reading->digest, reading->line, reading->size + 1, diagnostic);
        if (!error && !reading->footer)
            error = digest_add(&reading->before, reading->line, reading->size + 1, diagnostic);
        reading->offset += reading->size + 1;
    }
    if (!error && !reading->footer)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s has no footer: the run did not end, or the file is cut off",
                               reading->file->path);
    unsigned char digest[DIGEST_SIZE];
    if (!error)
        error = digest_end(&reading->digest, digest, diagnostic);
    if (!error)
        digest_write_hex(digest, reading->file->sha256);
    return error;
}

// ---- no case twice ----------------------------------------------------------

static int compare_cases(const void *left, const void *right)
{
    const struct results_case *const a = *(const struct results_case *const *)left,
                                     *const b = *(const struct results_case *const *)right;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->suite != b->suite)
        return a->suite < b->suite ? -1 : 1;
    return strcmp(a->id, b->id);
}

static enum error refuse_doubles(const struct results *results, struct diagnostic *diagnostic)
{
    const size_t count = results->case_count;
    const struct results_case **const order = malloc((count ? count : 1) * sizeof *order);
    if (!order)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++)
        order[i] = &results->cases[i];
    qsort(order, count, sizeof *order, compare_cases);
    enum error error = ERROR_NONE;
    for (size_t i = 1; !error && i < count; i++)
        if (!compare_cases(&order[i - 1], &order[i]))
            error = diagnostic_fail(
                diagnostic, ERROR_INPUT,
                "case '%.200s' of %.100s stands twice for target %.100s (%.150s:%u and %.150s:%u)",
                order[i]->id, results->suite[order[i]->suite].name,
                results->target[order[i]->target].name, results->file[order[i - 1]->file].path,
                order[i - 1]->line, results->file[order[i]->file].path, order[i]->line);
    free(order);
    return error;
}

// Takes the stream, which is open, as the next file of the report.
static enum error read_stream(struct results *results, const char *name, FILE *stream,
                              struct diagnostic *diagnostic)
{
    struct reading reading = {.results = results, .file = &results->file[results->file_count++]};
    reading.file->stream = stream;
    reading.file->path = results_keep(results, name);
    reading.line = malloc(RESULTS_LINE_MAX + 1);
    enum error error = reading.file->path && reading.line ? read_lines(&reading, diagnostic)
                                                          : diagnostic_no_memory(diagnostic);
    arena_release(&reading.arena);
    free(reading.line);
    return error ? error : refuse_doubles(results, diagnostic);
}

enum error results_read(struct results *results, const char *path, struct diagnostic *diagnostic)
{
    struct stat status;
    if (results->file_count == RESULTS_FILES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d files in one report",
                               RESULTS_FILES_MAX);
    FILE *const stream = fopen(path, "rbe");
    if (!stream)
        return diagnostic_fail(diagnostic, error_of_reading(errno), "cannot open %.400s: %s", path,
                               strerror(errno));
    if (!fstat(fileno(stream), &status) && S_ISREG(status.st_mode))
        return read_stream(results, path, stream, diagnostic);
    fclose(stream);
    return diagnostic_fail(
        diagnostic, ERROR_INPUT,
        "%.400s is not a plain file; results are read twice, so a pipe will not do", path);
}

enum error results_read_bytes(struct results *results, const char *name, char *bytes, size_t size,
                              struct diagnostic *diagnostic)
{
    assert(size && results->file_count < RESULTS_FILES_MAX);
    FILE *const stream = fmemopen(bytes, size, "rb");
    return stream ? read_stream(results, name, stream, diagnostic)
                  : diagnostic_no_memory(diagnostic);
}

enum error results_detail(const struct results *results, const struct results_case *item,
                          struct arena *arena, struct document_source *line,
                          struct document_node **root, struct diagnostic *diagnostic)
{
    const struct results_file *const file = &results->file[item->file];
    char *const text = arena_take(arena, item->length + 1);
    if (!text)
        return diagnostic_no_memory(diagnostic);
    if (fseeko(file->stream, (off_t)item->offset, SEEK_SET) ||
        fread(text, 1, item->length, file->stream) != item->length)
        return diagnostic_fail(diagnostic, error_of_reading(errno),
                               "cannot read line %u of %.400s again", item->line, file->path);
    *line = (struct document_source){file->path, text, item->length, item->line - 1};
    enum error error = json_read(line, arena, root, diagnostic);
    return error ? error : shape_check(*root, results_case_shape, diagnostic);
}
