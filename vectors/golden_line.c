// SPDX-License-Identifier: Apache-2.0
// A line of the manifest, put together.

#include "vectors/golden_line.h"

#include <stdio.h>
#include <string.h>

#include "ref/base/nearest.h"
#include "vectors/golden.h"

enum error golden_line_operators(const struct suite *suite, struct arena *arena,
                                 const char **operators, struct diagnostic *diagnostic)
{
    struct text text = {0};
    *operators = NULL;
    if (!suite->operators.count)
        return ERROR_NONE;
    json_begin_object(&text);
    for (unsigned i = 0; i < suite->operators.count; i++)
        json_put_pair(&text, suite->operators.item[i]->operation.name,
                      suite->operators.item[i]->graph.sha256);
    json_end_object(&text);
    if (!text.failed)
        *operators = arena_copy_text(arena, text.bytes, text.size);
    text_release(&text);
    return *operators ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

const char *golden_changed_operator(const char *operators, const struct suite *suite)
{
    char pair[NEAREST_WORD_MAX + DIGEST_HEX_SIZE + 16];
    for (unsigned i = 0; i < suite->operators.count; i++) {
        const struct declared_operation *const at = suite->operators.item[i];
        snprintf(pair, sizeof pair, "\"%s\": \"%s\"", at->operation.name, at->graph.sha256);
        if (!operators || !strstr(operators, pair))
            return at->operation.name;
    }
    return NULL;
}

static void put_ready(struct text *line, const char *key, const char *json)
{
    if (!json)
        return;
    json_put_key(line, key);
    text_put(line, json);
    line->comma = true;
}

void golden_line_head(struct text *line, const struct golden *golden)
{
    json_begin_object(line);
    json_put_key(line, "manifest");
    json_put_integer(line, GOLDEN_MANIFEST_FORMAT);
    json_put_pairs(line, {"suite", golden->suite}, {"version", golden->version},
                   {"suite_sha256", golden->suite_sha256});
    put_ready(line, "program", golden->program);
    put_ready(line, "operators", golden->operators);
    json_put_unsigned_at(line, "cases", golden->count);
    json_end_object(line);
}

// Who states the values, and how closely they must be met.
static void put_stored(struct text *line, const struct suite *suite, const struct suite_case *of)
{
    json_begin_object_at(line, "stored");
    if (of->from)
        json_put_pairs(line, {"from", of->from->id}, {"title", of->from->title});
    else
        json_put_pair(line, "program", suite->program.command);
    json_put_pair(line, "tolerance", of->tolerance);
    json_end_object(line);
}

void golden_line_begin(struct text *line, const struct suite *suite, const struct suite_case *of,
                       const struct document_node *node)
{
    static const char *const copied[] = {"attributes", "window", "runs", "model", "step"};
    json_begin_object(line);
    json_put_pair(line, "id", of->id);
    json_begin_list_at(line, "requirements");
    for (size_t i = 0; i < of->covers_count; i++)
        json_put_string(line, suite->requirement[of->covers[i]].id);
    json_end_list(line);
    json_put_pair(line, "op", of->operation->name);
    if (of->level) {
        static const char *const name[] = {"", "bits", "bound", "distribution"};
        json_put_pair(line, "level", name[of->level]);
    }
    if (suite_case_is_stored(of))
        put_stored(line, suite, of);
    else
        json_put_pair(line, "profile", "default");
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const struct document_node *const value = document_find(node, copied[i]);
        if (!value)
            continue;
        json_put_document_at(line, copied[i], value);
    }
}

void golden_line_tensor(struct text *line, const struct tensor *tensor, const void *data,
                        uint64_t count, const uint64_t window[2],
                        const unsigned char digest[DIGEST_SIZE])
{
    json_begin_object(line);
    tensor_put_type(tensor, line);
    if (window)
        json_put_numbers_at(line, "window", window, 2);
    json_put_digest_at(line, "sha256", digest);
    if (count <= GOLDEN_HEX_MAX)
        tensor_put_bits(tensor->dtype, data, count, line);
    json_end_object(line);
}

void golden_line_chunks(struct text *line, const struct tensor *tensor, uint64_t chunks,
                        const unsigned char digest[DIGEST_SIZE])
{
    json_begin_object(line);
    tensor_put_type(tensor, line);
    json_put_unsigned_at(line, "chunks", chunks);
    json_put_digest_at(line, "sha256_of_chunks", digest);
    json_end_object(line);
}

void golden_line_survival(struct text *line, const char *why)
{
    json_put_pair(line, "survive", why);
}

void golden_line_refusal(struct text *line, enum error error, const char *because)
{
    json_begin_object_at(line, "reject");
    json_put_pair(line, "code", error_name(error == ERROR_INPUT ? ERROR_INVALID_ARGUMENT : error));
    json_put_pair(line, "because", because);
    json_end_object(line);
}
