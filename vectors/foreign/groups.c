// SPDX-License-Identifier: Apache-2.0
// Tests in groups, as Project Wycheproof publishes them: what a group says is said of each of its
// tests. Columns are the names of members whose values are scalars; those that nothing names are
// left out, since such files say much beside the values.

#include <string.h>

#include "ref/base/json.h"
#include "vectors/foreign/foreign.h"

enum { MEMBERS_MAX = 256 };

// The names of columns, each once.
struct names {
    size_t count;
    const char *name[MEMBERS_MAX];
};

// The columns that the words name, in their order.
static enum error list_columns(const char *columns, struct arena *arena, struct names *names,
                               struct diagnostic *diagnostic)
{
    for (const char *at = columns; at && *at;) {
        const size_t size = strcspn(at, ","), length = strcspn(at, "=");
        if (names->count == MEMBERS_MAX)
            return diagnostic_fail(diagnostic, ERROR_INPUT, "more than %d columns", MEMBERS_MAX);
        const char *const name = arena_copy_text(arena, at, length < size ? length : size);
        if (!name)
            return diagnostic_no_memory(diagnostic);
        names->name[names->count++] = name;
        at += size + (at[size] == ',');
    }
    return names->count ? ERROR_NONE
                        : diagnostic_fail(diagnostic, ERROR_INPUT,
                                          "--columns says which members are inputs and which are "
                                          "expected: 'key=inputs.key:u8:hex,tag=expected.tag:u8:"
                                          "hex'");
}

// The member of a test or of its group; NULL: neither has it.
static enum error find_member(const struct document_node *group, const struct document_node *test,
                              const char *name, const char **text, struct diagnostic *diagnostic)
{
    const struct document_node *at = document_find(test, name);
    at = at ? at : document_find(group, name);
    *text = at && at->kind == DOCUMENT_SCALAR ? at->text : NULL;
    return !at || *text ? ERROR_NONE
                        : document_fail(at, ERROR_INPUT, diagnostic,
                                        "'%.80s' is no text and no number", name);
}

static enum error take_test(struct foreign_table *table, struct foreign *foreign,
                            const struct names *names, const struct document_node *group,
                            const struct document_node *test, const char *stem,
                            struct diagnostic *diagnostic)
{
    const char *cell[MEMBERS_MAX];
    enum error error = document_expect(test, DOCUMENT_MAPPING, "a test", diagnostic);
    if (error)
        return error;
    const char *const number = document_text(test, "tcId"),
                      *const result = document_text(test, "result"),
                      *const comment = document_text(test, "comment");
    if (!number || !result)
        return document_fail(test, ERROR_INPUT, diagnostic, "a test needs tcId and result");
    for (size_t i = 0; i < names->count && !error; i++)
        error = find_member(group, test, names->name[i], &cell[i], diagnostic);
    const bool valid = !strcmp(result, "valid");
    if (!error && !valid && strcmp(result, "invalid") != 0) {
        foreign->left_out++;
        foreign->why_left_out =
            foreign->why_left_out
                ? foreign->why_left_out
                : arena_print(&foreign->arena, "test %.40s is '%.40s'", number, result);
        return foreign->why_left_out ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    }
    const char *const id = arena_print(&foreign->arena, "%.60s-%.40s", stem, number);
    if (!id)
        return diagnostic_no_memory(diagnostic);
    const struct foreign_row row = {.line = test->line, .cell = cell};
    if (!error)
        error = foreign_table_take(table, &row, 1, id,
                                   valid                 ? NULL
                                   : comment && *comment ? comment
                                                         : "invalid",
                                   diagnostic);
    return error;
}

enum error foreign_read_groups(const struct document_source *source, const char *stem,
                               const struct foreign_words *words, struct foreign *foreign,
                               struct diagnostic *diagnostic)
{
    struct names *const names = arena_take(&foreign->arena, sizeof *names);
    struct document_node *root;
    struct foreign_table *table;
    enum error error = names ? json_read(source, &foreign->arena, &root, diagnostic)
                             : diagnostic_no_memory(diagnostic);
    if (!error)
        error = document_expect(root, DOCUMENT_MAPPING, "the file", diagnostic);
    const struct document_node *const groups = error ? NULL : document_find(root, "testGroups");
    if (!error && !groups)
        error = document_fail(root, ERROR_INPUT, diagnostic,
                              "the file has no testGroups; other JSON is read as lines (.jsonl)");
    if (!error)
        error = document_expect(groups, DOCUMENT_SEQUENCE, "testGroups", diagnostic);
    if (!error)
        error = list_columns(words->columns, &foreign->arena, names, diagnostic);
    if (!error)
        error = foreign_table_begin(names->name, names->count, source, stem, words, foreign, &table,
                                    diagnostic);
    for (size_t g = 0; !error && g < groups->count; g++) {
        const struct document_node *const group = groups->item[g];
        if ((error = document_expect(group, DOCUMENT_MAPPING, "a group", diagnostic)))
            break;
        const struct document_node *const tests = document_find(group, "tests");
        if (!tests)
            return document_fail(group, ERROR_INPUT, diagnostic, "a group needs tests");
        error = document_expect(tests, DOCUMENT_SEQUENCE, "tests", diagnostic);
        for (size_t i = 0; !error && i < tests->count; i++)
            error = take_test(table, foreign, names, group, tests->item[i], stem, diagnostic);
    }
    return error ? error : foreign_finish(foreign, words, source, diagnostic);
}
