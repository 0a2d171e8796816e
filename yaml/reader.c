// SPDX-License-Identifier: Apache-2.0
// libyaml's events into the document tree. libyaml's own composer is not used: it lets repeated
// keys pass and builds whatever aliases ask for.

#include "yaml/reader.h"

#include <string.h>
#include <yaml.h>

#include "ref/base/json.h"

enum { ANCHORS_MAX = 1024 };

struct anchor {
    const char *name;
    struct document_node *node;
    size_t nodes; // in its subtree, 0 until it is complete
    bool used;
};

struct level {
    struct document_node *node;
    struct document_node *key; // the key that waits for its value
    size_t nodes_before;       // the count when the level was opened
    struct anchor *anchor;     // its anchor, or NULL
};

struct reader {
    const struct document_source *source;
    struct arena *arena;
    struct diagnostic *diagnostic;
    struct level level[DOCUMENT_DEPTH_MAX];
    unsigned depth;
    struct document_node *root;
    size_t nodes; // with every alias written out
    bool aliased; // an alias was met
    struct anchor anchor[ANCHORS_MAX];
    unsigned anchors;
};

#define FAIL_AT(reader, mark, ...)                                                                 \
    document_fail_at((reader)->source, (reader)->source->lines_before + (unsigned)(mark).line + 1, \
                     (unsigned)(mark).column + 1, ERROR_INPUT, (reader)->diagnostic, __VA_ARGS__)

static enum error count_nodes(struct reader *reader, size_t more, yaml_mark_t mark)
{
    reader->nodes += more;
    if (reader->nodes > DOCUMENT_NODES_MAX)
        return FAIL_AT(reader, mark, "more than %d values in one document", DOCUMENT_NODES_MAX);
    if (reader->aliased && reader->nodes > YAML_ALIASED_NODES_MAX)
        return FAIL_AT(reader, mark,
                       "with its aliases written out the document holds more than %d values",
                       YAML_ALIASED_NODES_MAX);
    return ERROR_NONE;
}

static struct anchor *find_anchor(struct reader *reader, const char *name)
{
    for (unsigned i = 0; i < reader->anchors; i++)
        if (!strcmp(reader->anchor[i].name, name))
            return &reader->anchor[i];
    return NULL;
}

// `name` may be NULL: no anchor.
static enum error add_anchor(struct reader *reader, const yaml_char_t *name,
                             struct document_node *node, yaml_mark_t mark, struct anchor **anchor)
{
    *anchor = NULL;
    if (!name)
        return ERROR_NONE;
    const char *const text = (const char *)name;
    if (find_anchor(reader, text))
        return FAIL_AT(reader, mark, "anchor '&%.80s' is set twice", text);
    if (reader->anchors == ANCHORS_MAX)
        return FAIL_AT(reader, mark, "more than %d anchors", ANCHORS_MAX);
    const char *const copy = arena_copy_text(reader->arena, text, strlen(text));
    if (!copy)
        return diagnostic_no_memory(reader->diagnostic);
    *anchor = &reader->anchor[reader->anchors++];
    **anchor = (struct anchor){.name = copy, .node = node};
    return ERROR_NONE;
}

// Puts `node` where the document stands: the root, the next item, a key, or the value of the key
// that waits.
static enum error add_node(struct reader *reader, struct document_node *node)
{
    if (!reader->depth) {
        reader->root = node;
        return ERROR_NONE;
    }
    struct level *const top = &reader->level[reader->depth - 1];
    if (top->node->kind == DOCUMENT_MAPPING && !top->key) {
        if (node->kind != DOCUMENT_SCALAR)
            return document_fail(node, ERROR_INPUT, reader->diagnostic,
                                 "a key must be a single value, not a list or a mapping");
        if (!node->quoted && !strcmp(node->text, "<<"))
            return document_fail(node, ERROR_INPUT, reader->diagnostic,
                                 "merge keys (<<) are not supported: write the keys out");
        top->key = node;
        return ERROR_NONE;
    }
    struct document_node *const key = top->key;
    top->key = NULL;
    return document_append(reader->arena, top->node, key, node, reader->diagnostic);
}

static enum error refuse_tag(struct reader *reader, const yaml_char_t *tag, yaml_mark_t mark)
{
    return tag ? FAIL_AT(reader, mark,
                         "tags are not supported ('%.80s'): the place decides how a value is read",
                         (const char *)tag)
               : ERROR_NONE;
}

static struct document_node *new_node(struct reader *reader, enum document_kind kind,
                                      yaml_mark_t mark)
{
    struct document_node *const node = document_new(
        reader->arena, kind, reader->source, reader->source->lines_before + (unsigned)mark.line + 1,
        (unsigned)mark.column + 1);
    if (!node)
        diagnostic_no_memory(reader->diagnostic);
    return node;
}

static enum error on_scalar(struct reader *reader, const yaml_event_t *event)
{
    const char *const text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    struct anchor *anchor;
    enum error error;
    if ((error = refuse_tag(reader, event->data.scalar.tag, event->start_mark)) ||
        (error = count_nodes(reader, 1, event->start_mark)))
        return error;
    if (memchr(text, 0, length))
        return FAIL_AT(reader, event->start_mark, "a string holds a NUL character");
    struct document_node *const node = new_node(reader, DOCUMENT_SCALAR, event->start_mark);
    if (!node)
        return ERROR_INTERNAL;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->count = length;
    node->text = arena_copy_text(reader->arena, text, length);
    if (!node->text)
        return diagnostic_no_memory(reader->diagnostic);
    if ((error = add_anchor(reader, event->data.scalar.anchor, node, event->start_mark, &anchor)))
        return error;
    if (anchor)
        anchor->nodes = 1;
    return add_node(reader, node);
}

static enum error on_start(struct reader *reader, enum document_kind kind, const yaml_char_t *name,
                           const yaml_char_t *tag, yaml_mark_t mark)
{
    enum error error;
    struct anchor *anchor;
    const size_t before = reader->nodes;
    if ((error = refuse_tag(reader, tag, mark)) || (error = count_nodes(reader, 1, mark)))
        return error;
    if (reader->depth == DOCUMENT_DEPTH_MAX)
        return FAIL_AT(reader, mark, "nested deeper than %d levels", DOCUMENT_DEPTH_MAX);
    struct document_node *const node = new_node(reader, kind, mark);
    if (!node)
        return ERROR_INTERNAL;
    if ((error = add_anchor(reader, name, node, mark, &anchor)) || (error = add_node(reader, node)))
        return error;
    reader->level[reader->depth++] =
        (struct level){.node = node, .nodes_before = before, .anchor = anchor};
    return ERROR_NONE;
}

static void on_end(struct reader *reader)
{
    const struct level *const top = &reader->level[--reader->depth];
    if (top->anchor)
        top->anchor->nodes = reader->nodes - top->nodes_before;
}

static enum error on_alias(struct reader *reader, const yaml_event_t *event)
{
    const char *const name = (const char *)event->data.alias.anchor;
    struct anchor *const anchor = find_anchor(reader, name);
    if (!anchor)
        return FAIL_AT(reader, event->start_mark, "alias '*%.80s' has no anchor above it", name);
    if (!anchor->nodes)
        return FAIL_AT(reader, event->start_mark, "alias '*%.80s' stands inside its own anchor",
                       name);
    anchor->used = reader->aliased = true;
    const enum error error = count_nodes(reader, anchor->nodes, event->start_mark);
    return error ? error : add_node(reader, anchor->node);
}

static enum error check_anchors(struct reader *reader)
{
    for (unsigned i = 0; i < reader->anchors; i++)
        if (!reader->anchor[i].used)
            return document_fail(reader->anchor[i].node, ERROR_INPUT, reader->diagnostic,
                                 "anchor '&%.80s' is never used", reader->anchor[i].name);
    return ERROR_NONE;
}

// The only document of the text, or an error; `*done` at the end of the stream.
static enum error on_event(struct reader *reader, const yaml_event_t *event, bool *done)
{
    switch (event->type) {
    case YAML_STREAM_END_EVENT:
        *done = true;
        return ERROR_NONE;
    case YAML_DOCUMENT_START_EVENT:
        if (event->data.document_start.version_directive ||
            event->data.document_start.tag_directives.start !=
                event->data.document_start.tag_directives.end)
            return FAIL_AT(reader, event->start_mark,
                           "directives (%%YAML, %%TAG) are not supported");
        if (reader->root)
            return FAIL_AT(reader, event->start_mark,
                           "a second document; documents are parted by --- at the start of a line");
        return ERROR_NONE;
    case YAML_DOCUMENT_END_EVENT:
        return check_anchors(reader);
    case YAML_ALIAS_EVENT:
        return on_alias(reader, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(reader, DOCUMENT_SEQUENCE, event->data.sequence_start.anchor,
                        event->data.sequence_start.tag, event->start_mark);
    case YAML_MAPPING_START_EVENT:
        return on_start(reader, DOCUMENT_MAPPING, event->data.mapping_start.anchor,
                        event->data.mapping_start.tag, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        on_end(reader);
        return ERROR_NONE;
    default:
        return ERROR_NONE;
    }
}

static enum error parser_error(struct reader *reader, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return diagnostic_no_memory(reader->diagnostic);
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) { // no mark, only an offset in bytes
        mark.line = mark.column = 0;
        for (size_t i = 0; i < parser->problem_offset && i < reader->source->size; i++) {
            mark.column++;
            if (reader->source->text[i] == '\n')
                mark.line++, mark.column = 0;
        }
    }
    const char *const problem = parser->problem ? parser->problem : "parse error";
    return parser->context ? FAIL_AT(reader, mark, "not YAML: %s (%s)", problem, parser->context)
                           : FAIL_AT(reader, mark, "not YAML: %s", problem);
}

// One document that fills `source`; `*root` stays NULL when it holds nothing but white space and
// comments.
static enum error read_one(const struct document_source *source, struct arena *arena,
                           struct document_node **root, struct diagnostic *diagnostic)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diagnostic_no_memory(diagnostic);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, source->size);
    struct reader reader = {.source = source, .arena = arena, .diagnostic = diagnostic};
    enum error error = ERROR_NONE;
    for (bool done = false; !done && !error;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            error = parser_error(&reader, &parser);
            break;
        }
        error = on_event(&reader, &event, &done);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    *root = reader.root;
    return error;
}

static enum error check_size(const struct document_source *source, struct diagnostic *diagnostic)
{
    if (source->size > DOCUMENT_BYTES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%s is larger than %d bytes", source->name,
                               DOCUMENT_BYTES_MAX);
    if (source->size >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3))
        return document_fail_at(source, source->lines_before + 1, 1, ERROR_INPUT, diagnostic,
                                "starts with a byte order mark; expected plain UTF-8 without one");
    return ERROR_NONE;
}

static bool starts_with_marker(const char *text, size_t size)
{
    return size >= 3 && !memcmp(text, "---", 3) && (size == 3 || strchr(" \t\r\n", text[3]));
}

// The end of the document that starts at `from`: the next line that starts with `---`, which YAML
// reserves everywhere, even in quotes, and which cannot stand inside JSON.
static size_t document_end(const struct document_source *source, size_t from)
{
    const char *const text = source->text;
    for (size_t at = from; at < source->size;) {
        const char *const newline = memchr(text + at, '\n', source->size - at);
        if (!newline)
            break;
        at = (size_t)(newline - text) + 1;
        if (starts_with_marker(text + at, source->size - at))
            return at;
    }
    return source->size;
}

static bool only_comments(const char *text, size_t size)
{
    bool comment = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            comment = false;
        else if (text[i] == '#')
            comment = true;
        else if (!comment && !strchr(" \t\r", text[i]))
            return false;
    }
    return true;
}

// Reads one document with the marker that may open it. JSON does not know the marker, so that is
// cut off for it.
static enum error read_part(const struct document_source *part, struct arena *arena,
                            struct document_node **root, struct diagnostic *diagnostic)
{
    const size_t marker = starts_with_marker(part->text, part->size) ? 3 : 0;
    size_t first = marker;
    while (first < part->size && strchr(" \t\r\n", part->text[first]))
        first++;
    if (first < part->size && part->text[first] == '{') {
        struct document_source *const json = arena_take(arena, sizeof *json);
        if (!json)
            return diagnostic_no_memory(diagnostic);
        *json = *part;
        json->text += marker;
        json->size -= marker;
        return json_read(json, arena, root, diagnostic);
    }
    const enum error error = read_one(part, arena, root, diagnostic);
    if (error)
        return error;
    // libyaml turns a bare marker into an empty scalar.
    if (!*root || ((*root)->kind == DOCUMENT_SCALAR && !(*root)->quoted && !(*root)->count))
        return document_fail_at(part, part->lines_before + 1, 1, ERROR_INPUT, diagnostic,
                                "the document is empty");
    return ERROR_NONE;
}

enum error yaml_stream_next(struct yaml_stream *stream, struct arena *arena,
                            struct document_node **root, struct diagnostic *diagnostic)
{
    const struct document_source *const source = stream->source;
    *root = NULL;
    if (!stream->from) {
        const enum error error = check_size(source, diagnostic);
        if (error) {
            stream->from = source->size;
            return error;
        }
        stream->line = source->lines_before;
    }
    while (stream->from < source->size) {
        const size_t from = stream->from, end = document_end(source, from);
        struct document_source *const part = arena_take(arena, sizeof *part);
        if (!part)
            return diagnostic_no_memory(diagnostic);
        *part = *source;
        part->text += from;
        part->size = end - from;
        part->lines_before = stream->line;
        for (size_t i = from; i < end; i++)
            stream->line += source->text[i] == '\n';
        stream->from = end;
        if (!from && !starts_with_marker(part->text, part->size) &&
            only_comments(part->text, part->size))
            continue;
        stream->count++;
        return read_part(part, arena, root, diagnostic);
    }
    if (!stream->count)
        return document_fail_at(source, source->lines_before + 1, 1, ERROR_INPUT, diagnostic,
                                "the document is empty");
    return ERROR_NONE;
}

enum error yaml_read(const struct document_source *source, struct arena *arena,
                     struct document_node **root, struct diagnostic *diagnostic)
{
    struct yaml_stream stream = {.source = source};
    struct document_node *second = NULL;
    enum error error = yaml_stream_next(&stream, arena, root, diagnostic);
    if (!error && *root)
        error = yaml_stream_next(&stream, arena, &second, diagnostic);
    if (!error && second)
        error = document_fail(second, ERROR_INPUT, diagnostic,
                              "a second document; expected one in this file");
    return error;
}
