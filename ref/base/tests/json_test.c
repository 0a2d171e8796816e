// SPDX-License-Identifier: Apache-2.0
// JSON as RFC 8259 has it, and stricter: what is malformed is refused at its place; numbers keep
// their spelling.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/json.h"

static enum error read_text(const char *text, size_t size, struct arena *arena,
                            struct document_node **root, struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(arena, sizeof *source);
    *source = (struct document_source){.name = "test", .text = text, .size = size};
    return json_read(source, arena, root, diagnostic);
}

static void scalars_keep_their_spelling(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct document_node *root;
    struct diagnostic diagnostic;
    static const char text[] =
        "{\"a\": 0.10000000000000000001, \"b\": [18446744073709551616, -1E400], "
        "\"c\": \"\\ud83d\\ude00\"}";
    assert_int_equal(read_text(text, strlen(text), &arena, &root, &diagnostic), ERROR_NONE);
    assert_string_equal(document_find(root, "a")->text, "0.10000000000000000001");
    assert_false(document_find(root, "a")->quoted);
    assert_string_equal(document_find(root, "b")->item[0]->text, "18446744073709551616");
    assert_string_equal(document_find(root, "b")->item[1]->text, "-1E400");
    assert_string_equal(document_find(root, "c")->text, "\xf0\x9f\x98\x80");
    assert_true(document_find(root, "c")->quoted);
    arena_release(&arena);
}

static void nodes_know_their_place(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct document_node *root;
    struct diagnostic diagnostic;
    static const char text[] = "{\n  \"first\": [1,\n    \"two\"],\n  \"x\\\"y\": {\"z\": true}}\n";
    assert_int_equal(read_text(text, strlen(text), &arena, &root, &diagnostic), ERROR_NONE);
    const struct document_node *const list = document_find(root, "first"), *const nested =
                                                                               document_find(
                                                                                   root, "x\"y");
    assert_int_equal(list->line, 2);
    assert_int_equal(list->column, 12);
    assert_int_equal(list->item[1]->line, 3);
    assert_int_equal(list->item[1]->column, 5);
    assert_int_equal(nested->line, 4);
    assert_int_equal(nested->column, 11);
    assert_int_equal(document_find(nested, "z")->column, 17);
    arena_release(&arena);
}

static void malformed_text_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *says;
    } row[] = {
        {"", 1, "not JSON"},
        {"  ", 1, "not JSON"},
        {"{\"a\": 1,}", 1, "not JSON"},
        {"{\"a\": 1} x", 1, "not JSON"},
        {"[1, 2", 1, "not JSON"},
        {"[01]", 1, "not JSON"},
        {"{\n\"a\": 1,\n\"a\": 2}", 3, "key 'a' stands twice"},
        {"[\"\xff\"]", 1, "not JSON"},
        {"[\"\\u0000\"]", 1, "NUL"},
        {"[nan]", 1, "not JSON"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct arena arena = {0};
        struct document_node *root;
        struct diagnostic diagnostic = {.text = ""};
        assert_int_equal(read_text(row[i].text, strlen(row[i].text), &arena, &root, &diagnostic),
                         ERROR_INPUT);
        assert_int_equal(diagnostic.line, row[i].line);
        assert_non_null(strstr(diagnostic.text, row[i].says));
        arena_release(&arena);
    }
}

static void depth_is_limited(void **state)
{
    (void)state;
    char text[2 * (DOCUMENT_DEPTH_MAX + 1)];
    for (unsigned depth = DOCUMENT_DEPTH_MAX; depth <= DOCUMENT_DEPTH_MAX + 1; depth++) {
        struct arena arena = {0};
        struct document_node *root;
        struct diagnostic diagnostic;
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(read_text(text, (size_t)2 * depth, &arena, &root, &diagnostic),
                         depth <= DOCUMENT_DEPTH_MAX ? ERROR_NONE : ERROR_INPUT);
        arena_release(&arena);
    }
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    struct text text = {0};
    json_begin_object(&text);
    json_begin_list_at(&text, "quote\" back\\ line\n bell\a wide\xf0\x9f\x98\x80 wrong\xff");
    json_put_integer(&text, INT64_MIN);
    json_put_unsigned(&text, UINT64_MAX);
    json_put_real(&text, 0.1);
    json_put_boolean(&text, false);
    json_begin_object(&text);
    json_end_object(&text);
    json_end_list(&text);
    json_end_object(&text);
    assert_false(text.failed);
    struct arena arena = {0};
    struct document_node *root;
    struct diagnostic diagnostic;
    assert_int_equal(read_text(text.bytes, text.size, &arena, &root, &diagnostic), ERROR_NONE);
    assert_string_equal(root->key[0]->text,
                        "quote\" back\\ line\n bell\a wide\xf0\x9f\x98\x80 wrong\xef\xbf\xbd");
    const struct document_node *const list = root->item[0];
    assert_int_equal(list->count, 5);
    assert_string_equal(list->item[0]->text, "-9223372036854775808");
    assert_string_equal(list->item[1]->text, "18446744073709551615");
    assert_true(strtod(list->item[2]->text, NULL) == 0.1);
    assert_string_equal(list->item[3]->text, "false");
    arena_release(&arena);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_keep_their_spelling), cmocka_unit_test(nodes_know_their_place),
        cmocka_unit_test(malformed_text_is_refused),   cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(what_is_written_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
