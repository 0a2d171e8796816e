// SPDX-License-Identifier: Apache-2.0
// What the reader accepts, and a wrong document of each kind with the message and the place it must
// give.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "yaml/reader.h"

static struct document_source source_of(const char *text)
{
    return (struct document_source){.name = "test.yaml", .text = text, .size = strlen(text)};
}

static void scalars_keep_their_spelling_and_their_place(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diagnostic diagnostic;
    struct document_node *root = NULL;
    const struct document_source source =
        source_of("# head\na: 0x1.8p3\nb:\n  - yes\n  - \"1\"\n  - nan\n");
    assert_int_equal(yaml_read(&source, &arena, &root, &diagnostic), ERROR_NONE);
    assert_int_equal(root->kind, DOCUMENT_MAPPING);
    const struct document_node *const a = document_find(root, "a"), *const b =
                                                                        document_find(root, "b");
    assert_string_equal(a->text, "0x1.8p3");
    assert_false(a->quoted);
    assert_int_equal(a->line, 2);
    assert_int_equal(a->column, 4);
    assert_int_equal(b->count, 3);
    assert_string_equal(b->item[0]->text, "yes");
    assert_true(b->item[1]->quoted);
    assert_int_equal(b->item[2]->line, 6);
    assert_int_equal(b->item[2]->column, 5);
    arena_release(&arena);
}

static void an_alias_repeats_its_value(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diagnostic diagnostic;
    struct document_node *root = NULL;
    const struct document_source source = source_of("a: &list [1, 2]\nb: *list\n");
    assert_int_equal(yaml_read(&source, &arena, &root, &diagnostic), ERROR_NONE);
    assert_ptr_equal(document_find(root, "a"), document_find(root, "b"));
    arena_release(&arena);
}

static void a_stream_mixes_yaml_and_json(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diagnostic diagnostic;
    struct document_node *roots[3];
    // The surrogate pair and the long key are JSON that libyaml refuses.
    char *const text = malloc(4096);
    char key[1501];
    memset(key, 'k', 1500);
    key[1500] = '\0';
    snprintf(text, 4096, "# head\n---\na: 1\n--- # more\n- 2\n---\n{\"%s\": \"\\ud83d\\ude00\"}\n",
             key);
    const struct document_source source = source_of(text);
    struct yaml_stream stream = {.source = &source};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(yaml_stream_next(&stream, &arena, &roots[i], &diagnostic), ERROR_NONE);
        assert_non_null(roots[i]);
    }
    struct document_node *end;
    assert_int_equal(yaml_stream_next(&stream, &arena, &end, &diagnostic), ERROR_NONE);
    assert_null(end);
    assert_int_equal(document_find(roots[0], "a")->line, 3);
    assert_string_equal(roots[1]->item[0]->text, "2");
    assert_int_equal(roots[1]->line, 5);
    assert_string_equal(document_find(roots[2], key)->text, "\xf0\x9f\x98\x80");
    assert_int_equal(roots[2]->line, 7);
    free(text);
    arena_release(&arena);
}

static void a_stream_goes_on_behind_a_wrong_document(void **state)
{
    (void)state;
    // Read, wrong as YAML, wrong as a tree, empty, wrong as JSON, read.
    const struct document_source source =
        source_of("a: 1\n---\nb: [2\n---\nc: 3\nc: 4\n---\n---\n{\"d\": }\n---\ne: 5\n");
    static const unsigned lines[] = {0, 4, 6, 7, 9, 0};
    struct yaml_stream stream = {.source = &source};
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct diagnostic diagnostic = {.text = ""};
        struct document_node *root;
        assert_int_equal(yaml_stream_next(&stream, &arena, &root, &diagnostic),
                         lines[i] ? ERROR_INPUT : ERROR_NONE);
        assert_int_equal(diagnostic.line, lines[i]);
        assert_int_equal(stream.count, i + 1);
        if (!lines[i])
            assert_string_equal(document_find(root, i ? "e" : "a")->text, i ? "5" : "1");
    }
    struct diagnostic diagnostic = {.text = ""};
    struct document_node *root;
    assert_int_equal(yaml_stream_next(&stream, &arena, &root, &diagnostic), ERROR_NONE);
    assert_null(root);
    arena_release(&arena);
}

struct wrong {
    const char *name, *text, *message;
    unsigned line, column;
    const char *excerpt;
};

static const struct wrong wrongs[] = {
    {"nothing", "", "the document is empty", 1, 1, ""},
    {"only a comment", "# x\n", "the document is empty", 1, 1, "# x"},
    {"an empty second document", "a: 1\n---\n", "the document is empty", 2, 1, "---"},
    {"a repeated key", "a: 1\nb: 2\na: 3\n", "key 'a' stands twice in one mapping", 3, 1, "a: 3"},
    {"a repeated key in JSON", "{\"a\": 1, \"a\": 2}", "key 'a' stands twice", 1, 10,
     "{\"a\": 1, \"a\": 2}"},
    {"a repeated key in later JSON", "a: 1\n---\n{\"a\": 1,\n \"a\": 2}", "key 'a' stands twice", 4,
     2, " \"a\": 2}"},
    {"a list as key", "? [1, 2]\n: 3\n", "a key must be a single value", 1, 3, "? [1, 2]"},
    {"a merge key", "a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys (<<) are not supported", 3, 3,
     "  <<: *x"},
    {"a tag", "a: !!str 1\n", "tags are not supported ('tag:yaml.org,2002:str')", 1, 4,
     "a: !!str 1"},
    {"a local tag on a list", "a: !mine [1]\n", "tags are not supported ('!mine')", 1, 4,
     "a: !mine [1]"},
    {"a directive", "%YAML 1.1\n---\na: 1\n", "not YAML", 2, 1, NULL},
    {"an unused anchor", "a: &x 1\nb: 2\n", "anchor '&x' is never used", 1, 4, "a: &x 1"},
    {"an anchor set twice", "a: &x 1\nb: &x 2\nc: *x\n", "anchor '&x' is set twice", 2, 4,
     "b: &x 2"},
    {"an alias without anchor", "a: *x\n", "alias '*x' has no anchor above it", 1, 4, "a: *x"},
    {"an alias inside its anchor", "a: &x [1, *x]\n", "alias '*x' stands inside its own anchor", 1,
     11, "a: &x [1, *x]"},
    {"an open bracket", "a: [1, 2\nb: 3\n", "not YAML: did not find expected ',' or ']'", 2, 2,
     "b: 3"},
    {"a tab as indentation", "a:\n\tb: 1\n",
     "not YAML: found character that cannot start any token", 2, 1, " b: 1"},
    {"a wrong indentation", "a: 1\n b: 2\n", "not YAML: mapping values are not allowed", 2, 3,
     " b: 2"},
    {"invalid UTF-8", "a: 1\nb: \xff\n", "not YAML: invalid leading UTF-8 octet", 2, 4, "b: \xff"},
    {"a control character", "a: \x01\n", "not YAML: control characters are not allowed", 1, 4,
     "a:  "},
    {"an escaped NUL", "a: \"x\\0\"\n", "a string holds a NUL character", 1, 4, "a: \"x\\0\""},
    {"a byte order mark",
     "\xef\xbb\xbf"
     "a: 1\n",
     "starts with a byte order mark", 1, 1, NULL},
    {"a second document after an end mark", "a: 1\n...\nb: 2\n",
     "not YAML: did not find expected <document start>", 3, 1, "b: 2"},
    {"a broken JSON", "{\"a\": 1,, }", "not JSON", 1, 0, "{\"a\": 1,, }"},
};

static void every_wrong_document_is_refused_at_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const struct wrong *const w = &wrongs[i];
        struct arena arena = {0};
        struct diagnostic d = {.text = ""};
        struct document_node *root = NULL;
        const struct document_source source = source_of(w->text);
        struct yaml_stream stream = {.source = &source};
        enum error error;
        do
            error = yaml_stream_next(&stream, &arena, &root, &d);
        while (!error && root);
        if (error != ERROR_INPUT || !strstr(d.text, w->message) || d.line != w->line ||
            (w->column && d.column != w->column) ||
            (w->excerpt && strcmp(d.excerpt, w->excerpt) != 0) || strcmp(d.file, "test.yaml") != 0)
            fail_msg("%s: got error %d %s:%u:%u: %s | %s", w->name, (int)error, d.file, d.line,
                     d.column, d.text, d.excerpt);
        arena_release(&arena);
    }
}

static void one_document_means_one(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diagnostic d;
    struct document_node *root;
    const struct document_source source = source_of("a: 1\n---\nb: 2\n");
    assert_int_equal(yaml_read(&source, &arena, &root, &d), ERROR_INPUT);
    assert_non_null(strstr(d.text, "a second document"));
    assert_int_equal(d.line, 3);
    arena_release(&arena);
}

static void nesting_is_limited(void **state)
{
    (void)state;
    for (unsigned style = 0; style < 2; style++)
        for (unsigned depth = DOCUMENT_DEPTH_MAX; depth <= 100000;
             depth = depth == DOCUMENT_DEPTH_MAX ? depth + 1 : 100000 + (depth == 100000)) {
            // Flow lists "[[[...", or block lists "- - - ...".
            char *const text = malloc(4 * (size_t)depth + 2);
            size_t size = 0;
            for (unsigned i = 0; i < depth; i++)
                for (const char *mark = style ? "- " : "["; *mark; mark++)
                    text[size++] = *mark;
            if (style)
                text[size++] = 'x';
            else
                for (unsigned i = 0; i < depth; i++)
                    text[size++] = ']';
            struct arena arena = {0};
            struct diagnostic d = {.text = ""};
            struct document_node *root;
            const struct document_source source = {.name = "deep", .text = text, .size = size};
            const enum error error = yaml_read(&source, &arena, &root, &d);
            assert_int_equal(error, depth <= DOCUMENT_DEPTH_MAX ? ERROR_NONE : ERROR_INPUT);
            if (depth > DOCUMENT_DEPTH_MAX)
                assert_non_null(strstr(d.text, "nested deeper than 64 levels"));
            arena_release(&arena);
            free(text);
        }
}

static void aliases_cannot_multiply_a_document(void **state)
{
    (void)state;
    char text[4096];
    FILE *const out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    fprintf(out, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 9; i++) {
        fprintf(out, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            fprintf(out, "%s*a%d", k ? ", " : "", i - 1);
        fprintf(out, "]\n");
    }
    fprintf(out, "last: *a8\n");
    fclose(out);
    struct arena arena = {0};
    struct diagnostic d = {.text = ""};
    struct document_node *root;
    const struct document_source source = source_of(text);
    assert_int_equal(yaml_read(&source, &arena, &root, &d), ERROR_INPUT);
    assert_non_null(
        strstr(d.text, "with its aliases written out the document holds more than 65536 values"));
    assert_true(arena.used < 1024 * 1024);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_keep_their_spelling_and_their_place),
        cmocka_unit_test(an_alias_repeats_its_value),
        cmocka_unit_test(a_stream_mixes_yaml_and_json),
        cmocka_unit_test(a_stream_goes_on_behind_a_wrong_document),
        cmocka_unit_test(every_wrong_document_is_refused_at_its_place),
        cmocka_unit_test(one_document_means_one),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(aliases_cannot_multiply_a_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
