// SPDX-License-Identifier: Apache-2.0
// JSON into the document tree. YAJL checks grammar and UTF-8; places, depth, repeated keys and
// limits are checked here.

#include "ref/base/json.h"

#include <setjmp.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "ref/base/size.h"

struct reader {
    const struct document_source *source;
    struct arena *arena;
    struct diagnostic *diagnostic;
    enum error error;
    yajl_handle yajl;
    struct document_node *open[DOCUMENT_DEPTH_MAX];
    struct document_node *key[DOCUMENT_DEPTH_MAX]; // the key that waits for its value
    unsigned depth;
    struct document_node *root;
    size_t nodes;
    size_t counted; // line and column up to this offset
    unsigned line, column;
    struct arena scratch; // YAJL's own memory
    jmp_buf no_memory;
};

// ---- YAJL's memory ----------------------------------------------------------

// YAJL does not check for a failed allocation, so a failure must not return to it.
static void *take(void *context, size_t size)
{
    struct reader *const reader = context;
    size_t whole;
    size_t *const block =
        size_add(size, ARENA_ALIGNMENT, &whole) ? arena_take(&reader->scratch, whole) : NULL;
    if (!block)
        longjmp(reader->no_memory, 1);
    *block = size;
    return (char *)block + ARENA_ALIGNMENT;
}

static void *take_more(void *context, void *old, size_t size)
{
    const size_t before =
        old ? *(const size_t *)(const void *)((const char *)old - ARENA_ALIGNMENT) : 0;
    void *const now = take(context, size);
    if (before)
        memcpy(now, old, before < size ? before : size);
    return now;
}

static void give_back(void *context, void *block)
{
    (void)context;
    (void)block;
}

// ---- the tree ---------------------------------------------------------------

// Offsets only grow, so the place is counted on from where it was.
static void move_to(struct reader *reader, size_t offset)
{
    if (offset > reader->source->size)
        offset = reader->source->size;
    for (; reader->counted < offset; reader->counted++) {
        if (reader->source->text[reader->counted] == '\n') {
            reader->line++;
            reader->column = 1;
        } else {
            reader->column++;
        }
    }
}

// YAJL has consumed a token of `length` bytes (without quotes and escapes) when it calls back. Its
// start is found from its end: exact for everything but strings, for which the end of the previous
// token is skipped forward to the opening quote.
static void place_token(struct reader *reader)
{
    size_t at = reader->counted;
    const char *const text = reader->source->text;
    while (at < reader->source->size && strchr(" \t\r\n,:", text[at]))
        at++;
    move_to(reader, at);
}

static int fail(struct reader *reader, enum error error)
{
    reader->error = error;
    return 0;
}

static struct document_node *new_node(struct reader *reader, enum document_kind kind)
{
    place_token(reader);
    struct document_node *node = NULL;
    if (++reader->nodes > DOCUMENT_NODES_MAX)
        fail(reader, document_fail_at(reader->source, reader->line, reader->column, ERROR_INPUT,
                                      reader->diagnostic, "more than %d values in one document",
                                      DOCUMENT_NODES_MAX));
    else if (!(node =
                   document_new(reader->arena, kind, reader->source, reader->line, reader->column)))
        fail(reader, diagnostic_no_memory(reader->diagnostic));
    move_to(reader, yajl_get_bytes_consumed(reader->yajl));
    return node;
}

static int add(struct reader *reader, struct document_node *node)
{
    if (!node)
        return 0;
    if (!reader->depth) {
        reader->root = node;
        return 1;
    }
    const unsigned top = reader->depth - 1;
    const enum error error = document_append(reader->arena, reader->open[top], reader->key[top],
                                             node, reader->diagnostic);
    return error ? fail(reader, error) : 1;
}

static struct document_node *new_scalar(struct reader *reader, const char *text, size_t length,
                                        bool quoted)
{
    struct document_node *const node = new_node(reader, DOCUMENT_SCALAR);
    if (!node)
        return NULL;
    node->quoted = quoted;
    node->count = length;
    if (memchr(text, 0, length)) {
        fail(reader, document_fail(node, ERROR_INPUT, reader->diagnostic,
                                   "a string holds a NUL character"));
        return NULL;
    }
    node->text = arena_copy_text(reader->arena, text, length);
    if (!node->text) {
        fail(reader, diagnostic_no_memory(reader->diagnostic));
        return NULL;
    }
    return node;
}

static int on_null(void *context)
{
    return add(context, new_scalar(context, "null", 4, false));
}

static int on_boolean(void *context, int value)
{
    return add(context, new_scalar(context, value ? "true" : "false", value ? 4 : 5, false));
}

static int on_number(void *context, const char *text, size_t length)
{
    return add(context, new_scalar(context, text, length, false));
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
    return add(context, new_scalar(context, (const char *)text, length, true));
}

static int on_key(void *context, const unsigned char *text, size_t length)
{
    struct reader *const reader = context;
    reader->key[reader->depth - 1] = new_scalar(reader, (const char *)text, length, true);
    return reader->key[reader->depth - 1] != NULL;
}

static int open_node(struct reader *reader, enum document_kind kind)
{
    struct document_node *const node = new_node(reader, kind);
    if (!add(reader, node))
        return 0;
    if (reader->depth == DOCUMENT_DEPTH_MAX)
        return fail(reader, document_fail(node, ERROR_INPUT, reader->diagnostic,
                                          "nested deeper than %d levels", DOCUMENT_DEPTH_MAX));
    reader->open[reader->depth++] = node;
    return 1;
}

static int on_start_map(void *context)
{
    return open_node(context, DOCUMENT_MAPPING);
}

static int on_start_array(void *context)
{
    return open_node(context, DOCUMENT_SEQUENCE);
}

static int on_end(void *context)
{
    struct reader *const reader = context;
    reader->depth--;
    move_to(reader, yajl_get_bytes_consumed(reader->yajl));
    return 1;
}

static void parse(struct reader *reader)
{
    static const yajl_callbacks callbacks = {
        .yajl_null = on_null,
        .yajl_boolean = on_boolean,
        .yajl_number = on_number,
        .yajl_string = on_string,
        .yajl_start_map = on_start_map,
        .yajl_map_key = on_key,
        .yajl_end_map = on_end,
        .yajl_start_array = on_start_array,
        .yajl_end_array = on_end,
    };
    yajl_alloc_funcs memory = {
        .malloc = take, .realloc = take_more, .free = give_back, .ctx = reader};
    const struct document_source *const source = reader->source;
    reader->yajl = yajl_alloc(&callbacks, &memory, reader);
    yajl_status status =
        yajl_parse(reader->yajl, (const unsigned char *)source->text, source->size);
    if (status == yajl_status_ok)
        status = yajl_complete_parse(reader->yajl);
    if (status == yajl_status_ok || reader->error)
        return;
    unsigned char *const message = yajl_get_error(reader->yajl, 0, NULL, 0);
    size_t length = message ? strlen((const char *)message) : 0;
    while (length && message[length - 1] == '\n')
        message[--length] = '\0';
    move_to(reader, yajl_get_bytes_consumed(reader->yajl));
    reader->error =
        document_fail_at(source, reader->line, reader->column, ERROR_INPUT, reader->diagnostic,
                         "not JSON: %s", message ? (const char *)message : "parse error");
}

enum error json_read(const struct document_source *source, struct arena *arena,
                     struct document_node **root, struct diagnostic *diagnostic)
{
    if (source->size > DOCUMENT_BYTES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%s is larger than %d bytes", source->name,
                               DOCUMENT_BYTES_MAX);
    struct reader reader = {
        .source = source, .arena = arena, .diagnostic = diagnostic, .column = 1};
    reader.line = source->lines_before + 1;
    if (setjmp(reader.no_memory)) {
        arena_release(&reader.scratch);
        return diagnostic_no_memory(diagnostic);
    }
    parse(&reader);
    arena_release(&reader.scratch);
    if (!reader.error && !reader.root)
        reader.error = document_fail_at(source, source->lines_before + 1, 1, ERROR_INPUT,
                                        diagnostic, "not JSON: the document is empty");
    *root = reader.root;
    return reader.error;
}
