// SPDX-License-Identifier: Apache-2.0
// Drawn cases: those of a suite with other data, so that knowing the answers to a suite is of no
// use. What is drawn is what no requirement fixes: random fills, and the words of counters, keys,
// states and seeds. Every word comes from the name of the case, which holds the seed: the name says
// all.

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/digest.h"
#include "yaml/suite_words.h"

#define PREFIX "drawn-"
enum { SEED_DIGITS = 16, PREFIX_SIZE = sizeof PREFIX - 1 + SEED_DIGITS + 1 };

// One drawing: the words of a case, one after the other.
struct drawing {
    const char *id;
    struct arena *arena;
    unsigned count; // of what was drawn
    unsigned bits;  // of the next word
};

static struct document_node *put_text(const struct drawing *drawing, const struct document_node *at,
                                      const char *text)
{
    struct document_node *const node =
        document_new(drawing->arena, DOCUMENT_SCALAR, at->source, at->line, at->column);
    if (!node || !text)
        return NULL;
    node->text = text;
    node->count = strlen(text);
    return node;
}

static enum error draw_word(struct drawing *drawing, const struct document_node *at,
                            struct document_node **to, struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    uint64_t word = 0;
    char *end, text[SUITE_ID_SIZE_MAX + 32];
    strtoull(at->text, &end, 0);
    if (at->quoted || end == at->text || *end)
        return ERROR_NONE; // no integer
    snprintf(text, sizeof text, "%s/%u", drawing->id, drawing->count++);
    const enum error error = digest_of(text, strlen(text), digest, diagnostic);
    if (error)
        return error;
    for (unsigned i = 0; i < sizeof word; i++)
        word = word << 8 | digest[i];
    *to = put_text(drawing, at,
                   arena_print(drawing->arena, "%" PRIu64, word >> (64 - drawing->bits)));
    return *to ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

// A copy of a list of words, or of one, with all words drawn; what holds none stays.
static enum error draw_words(struct drawing *drawing, struct document_node *at,
                             struct document_node **to, struct diagnostic *diagnostic)
{
    *to = at;
    if (at->kind == DOCUMENT_SCALAR)
        return draw_word(drawing, at, to, diagnostic);
    if (at->kind != DOCUMENT_SEQUENCE)
        return ERROR_NONE;
    struct document_node *const list =
        document_new(drawing->arena, DOCUMENT_SEQUENCE, at->source, at->line, at->column);
    enum error error = list ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < at->count && !error; i++) {
        struct document_node *item;
        error = draw_words(drawing, at->item[i], &item, diagnostic);
        if (!error)
            error = document_append(drawing->arena, list, NULL, item, diagnostic);
    }
    *to = list;
    return error;
}

// A copy of the mapping with another value under one key.
static enum error replace(struct drawing *drawing, const struct document_node *from,
                          const char *key, struct document_node *value, struct document_node **to,
                          struct diagnostic *diagnostic)
{
    *to = document_new(drawing->arena, DOCUMENT_MAPPING, from->source, from->line, from->column);
    enum error error = *to ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < from->count && !error; i++)
        error =
            document_append(drawing->arena, *to, from->key[i],
                            strcmp(from->key[i]->text, key) ? from->item[i] : value, diagnostic);
    return error;
}

// Bits of the words that a type holds, none below 0; 0: no words.
static unsigned bits_of(const struct document_node *dtype)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"u8", 8}, {"u16", 16}, {"u32", 32}, {"u64", 64},
                 {"i8", 7}, {"i16", 15}, {"i32", 31}, {"i64", 63}};
    for (unsigned i = 0; dtype && i < sizeof types / sizeof *types; i++)
        if (dtype->kind == DOCUMENT_SCALAR && !strcmp(types[i].name, dtype->text))
            return types[i].bits;
    return dtype ? 0 : 32;
}

// A fill gets its words from the name of the case, unless it says `as`.
static enum error draw_fill(struct drawing *drawing, struct document_node *at,
                            struct document_node **to, struct diagnostic *diagnostic)
{
    static const char *const fixed[] = {"ramp", "cycle", NULL};
    const struct document_node *const as = document_find(at, "as");
    const struct document_node *const kind = document_find(at, "fill");
    if (kind->kind != DOCUMENT_SCALAR || suite_is_one_of(kind->text, fixed))
        return ERROR_NONE;
    drawing->count++;
    if (!as || as->kind != DOCUMENT_SCALAR)
        return ERROR_NONE;
    struct document_node *const text =
        put_text(drawing, as, arena_print(drawing->arena, "%s/%s", as->text, drawing->id));
    return text ? replace(drawing, at, "as", text, to, diagnostic)
                : diagnostic_no_memory(diagnostic);
}

static enum error draw_value(struct drawing *drawing, const char *name, struct document_node *at,
                             struct document_node **to, struct diagnostic *diagnostic)
{
    static const char *const words[] = {"counter",     "key",     "input_state", "seed",
                                        "global_seed", "op_seed", NULL};
    *to = at;
    if (at->kind == DOCUMENT_MAPPING && document_find(at, "fill"))
        return draw_fill(drawing, at, to, diagnostic);
    if (!suite_is_one_of(name, words))
        return ERROR_NONE;
    if (at->kind != DOCUMENT_MAPPING) {
        drawing->bits = 32;
        return draw_words(drawing, at, to, diagnostic);
    }
    struct document_node *const data = document_find(at, "data"), *drawn;
    drawing->bits = bits_of(document_find(at, "dtype"));
    if (!data || !drawing->bits)
        return ERROR_NONE;
    const enum error error = draw_words(drawing, data, &drawn, diagnostic);
    return error ? error : replace(drawing, at, "data", drawn, to, diagnostic);
}

// Draws in the case's attributes and inputs; `node` is a mapping of its own.
static enum error draw_document(struct drawing *drawing, struct document_node *node,
                                struct diagnostic *diagnostic)
{
    static const char *const drawn[] = {"attributes", "inputs", NULL};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < node->count && !error; i++) {
        struct document_node *const from = node->item[i];
        if (!suite_is_one_of(node->key[i]->text, drawn) || from->kind != DOCUMENT_MAPPING)
            continue;
        struct document_node *const to =
            document_new(drawing->arena, DOCUMENT_MAPPING, from->source, from->line, from->column);
        error = to ? ERROR_NONE : diagnostic_no_memory(diagnostic);
        for (size_t k = 0; k < from->count && !error; k++) {
            struct document_node *value;
            error = draw_value(drawing, from->key[k]->text, from->item[k], &value, diagnostic);
            if (!error)
                error = document_append(drawing->arena, to, from->key[k], value, diagnostic);
        }
        node->item[i] = to;
    }
    return error;
}

enum error suite_draw_case(const struct suite_case *of, struct arena *arena,
                           struct document_node *node, unsigned *count,
                           struct diagnostic *diagnostic)
{
    assert(of->id && node->kind == DOCUMENT_MAPPING);
    struct drawing drawing = {.id = of->id, .arena = arena};
    const enum error error = draw_document(&drawing, node, diagnostic);
    *count = drawing.count;
    return error;
}

// Whether anything of the case could be drawn, and it is still a request.
static enum error try_case(const struct suite *suite, const struct suite_case *of, bool *good,
                           struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_node *node;
    struct request request;
    unsigned count = 0;
    enum error error = suite_form_expand(of->form, of->row, of->id, &arena, &node, diagnostic);
    if (!error)
        error = suite_draw_case(of, &arena, node, &count, diagnostic);
    const enum error shaped =
        error || !count ? error : suite_case_shapes(suite, of, &arena, &request, diagnostic);
    *good = !error && count && !shaped;
    arena_release(&arena);
    return error                      ? error
           : shaped == ERROR_INTERNAL ? shaped
                                      : ERROR_NONE; // a rule of the operation forbids it
}

enum error suite_draw_twin(const struct suite *suite, const struct suite_case *of,
                           struct arena *arena, struct suite_case *twin, bool *good,
                           struct diagnostic *diagnostic)
{
    *good = false;
    *twin = *of;
    twin->id = arena_print(arena, PREFIX "%s", of->id);
    twin->drawn = true;
    if (suite_case_is_stored(of)) // of other data nothing is stated
        return ERROR_NONE;
    return twin->id ? try_case(suite, twin, good, diagnostic) : diagnostic_no_memory(diagnostic);
}

enum error suite_draw(struct suite *suite, uint64_t seed, struct diagnostic *diagnostic)
{
    assert(suite->cases || !suite->case_count);
    struct suite_case *const all =
        arena_take_array(&suite->arena, 2 * suite->case_count + 1, sizeof *all);
    size_t count = suite->case_count;
    enum error error = all ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error && count)
        memcpy(all, suite->cases, count * sizeof *all);
    for (size_t i = 0; i < suite->case_count && !error; i++) {
        struct suite_case *const to = &all[count];
        bool good = false;
        *to = suite->cases[i];
        if (!suite_case_has_values(to) || suite_case_is_stored(to) ||
            to->level == SUITE_LEVEL_DISTRIBUTION || suite_case_is_unbiased(to) ||
            strlen(to->id) + PREFIX_SIZE >= SUITE_ID_SIZE_MAX)
            continue;
        to->id = arena_print(&suite->arena, PREFIX "%016" PRIx64 "-%s", seed, to->id);
        to->position = (uint32_t)count;
        to->drawn = true;
        to->printed = to->portable = false;
        if (!to->id)
            return diagnostic_no_memory(diagnostic);
        error = try_case(suite, to, &good, diagnostic);
        if (error || !good)
            continue;
        for (size_t k = 0; k < to->covers_count; k++)
            suite->requirement[to->covers[k]].cases++;
        count++;
    }
    if (error)
        return error;
    suite->cases = all;
    suite->case_count = count;
    return suite_sort_cases(suite, diagnostic);
}

bool suite_drawn_seed(const char *id, uint64_t *seed)
{
    char *end;
    if (strncmp(id, PREFIX, sizeof PREFIX - 1) != 0 || strlen(id) <= PREFIX_SIZE)
        return false;
    const char *const digits = id + sizeof PREFIX - 1;
    *seed = strtoull(digits, &end, 16);
    return end == digits + SEED_DIGITS && *end == '-' &&
           strspn(digits, "0123456789abcdef") == SEED_DIGITS;
}
