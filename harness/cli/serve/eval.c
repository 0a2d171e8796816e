// SPDX-License-Identifier: Apache-2.0
// assay eval: requests in, one JSON line out for each.

#include <limits.h>
#include <stdlib.h>

#include "harness/cli/commands.h"
#include "harness/cli/serve/eval.h"
#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "ref/op/declared/graph.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/fill.h"
#include "yaml/reader.h"

enum { LINE_BYTES_KEPT = 1 << 20 };

struct answer {
    const struct request *request;
    const struct evaluation *evaluation;
    bool bounds;
};

static uint64_t elements_held(const struct answer *answer, unsigned output)
{
    uint64_t count;
    if (answer->request->windowed && output == answer->evaluation->windowed_output)
        return answer->request->window_count;
    tensor_count(&answer->evaluation->inference.output[output], &count);
    return count;
}

// Prints what is finished at once: a line takes several times the memory of its tensor.
static void let_go(struct text *text)
{
    if (text->size < LINE_BYTES_KEPT || text->failed)
        return;
    fwrite(text->bytes, 1, text->size, stdout);
    text->size = 0;
}

static void put_bits(struct text *text, const char *key, const struct tensor *tensor,
                     uint64_t count)
{
    const size_t size = dtype_size(tensor->dtype);
    json_begin_list_at(text, key);
    for (uint64_t i = 0; i < count; i++) {
        char hex[24] = ", \"";
        const size_t skip = i ? 0 : 2;
        bytes_write_hex(hex + 3, element_load(tensor->data, size, i), size);
        hex[3 + 2 * size] = '"';
        text_put_bytes(text, hex + skip, 4 + 2 * size - skip);
        let_go(text);
    }
    json_end_list(text);
}

static void put_tensor(struct text *text, const struct answer *answer, unsigned output,
                       unsigned run)
{
    const struct tensor *const tensor =
        &answer->evaluation->tensor[(size_t)run * OPERATION_OUTPUTS_MAX + output];
    const uint64_t count = elements_held(answer, output);
    json_begin_object(text);
    tensor_put_type(tensor, text);
    if (answer->request->windowed && output == answer->evaluation->windowed_output) {
        json_put_numbers_at(
            text, "window",
            (const uint64_t[]){answer->request->window_first, answer->request->window_count}, 2);
    }
    put_bits(text, "bits", tensor, count);
    if (answer->bounds && tensor_present(&answer->evaluation->lower[output])) {
        put_bits(text, "lower", &answer->evaluation->lower[output], count);
        put_bits(text, "upper", &answer->evaluation->upper[output], count);
    }
    json_end_object(text);
}

static void put_outputs(struct text *text, const struct answer *answer)
{
    const struct request *const request = answer->request;
    json_begin_object_at(text, "outputs");
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        if (!tensor_present(&answer->evaluation->tensor[i]))
            continue;
        json_put_key(text, request->operation->outputs[i]);
        if (request->runs == 1) {
            put_tensor(text, answer, i, 0);
            continue;
        }
        json_begin_list(text);
        for (unsigned run = 0; run < request->runs; run++)
            put_tensor(text, answer, i, run);
        json_end_list(text);
    }
    json_end_object(text);
}

// The closed set of codes that an answer may carry.
static const char *answer_code(enum error error)
{
    if (error == ERROR_INPUT)
        return error_name(ERROR_INVALID_ARGUMENT);
    return error_name(error == ERROR_SYSTEM ? ERROR_INTERNAL : error);
}

void eval_put_error(struct text *text, enum error error, const struct diagnostic *diagnostic)
{
    char message[DIAGNOSTIC_TEXT_SIZE + 64];
    if (diagnostic->line)
        snprintf(message, sizeof message, "line %u, column %u: %s", diagnostic->line,
                 diagnostic->column, diagnostic->text);
    else
        snprintf(message, sizeof message, "%s", diagnostic->text);
    json_begin_object_at(text, "error");
    json_put_pairs(text, {"code", answer_code(error)}, {"message", message});
    json_end_object(text);
}

// How often each look decides, where the operation counts it: operators that are declared.
static void put_looks(struct text *text, const struct operation_looks *looks)
{
    json_begin_object_at(text, "looks");
    json_put_unsigned_at(text, "elements", looks->elements);
    json_put_unsigned_at(text, "first",
                         looks->elements - looks->pairs - looks->enclosed - looks->rational);
    json_put_unsigned_at(text, "pairs", looks->pairs);
    json_put_unsigned_at(text, "enclosed", looks->enclosed);
    json_put_unsigned_at(text, "rational", looks->rational);
    json_end_object(text);
}

enum error eval_put_outputs(const struct document_node *node, struct eval_wanted wanted,
                            struct operators *operators, struct arena *arena, struct text *text,
                            struct diagnostic *diagnostic)
{
    static const char *const more[] = {"profile", "observed", NULL};
    struct request request = {.runs = 1};
    struct evaluation evaluation;
    const struct request_sources sources = {.fill = fill_make_tensor,
                                            .operation = wanted.operation,
                                            .operators = operators,
                                            .find = operators_source};
    enum error error = request_read(node, more, &sources, arena, &request, diagnostic);
    const struct document_node *const profile = error ? NULL : document_find(node, "profile");
    if (profile)
        error = variant_read_profile(profile, request.operation, &request.profile, diagnostic);
    const struct document_node *const observed = error ? NULL : document_find(node, "observed");
    if (observed)
        error = request_read_observed(observed, &sources, arena, &request, diagnostic);
    struct operation_looks looks = {0};
    request.looks = wanted.looks ? &looks : NULL;
    if (!error)
        error = variant_evaluate_with(&request, wanted.bounds, arena, &evaluation, diagnostic);
    if (!error)
        put_outputs(text, &(struct answer){&request, &evaluation, wanted.bounds});
    if (!error && wanted.looks && declared_is(request.operation))
        put_looks(text, &looks);
    return error;
}

// Begins the line of an answer; `id` NULL: none.
static void begin_line(struct text *text, const struct document_node *id)
{
    json_begin_object(text);
    json_put_key(text, "id");
    if (id)
        json_put_string(text, id->text);
    else
        text_put_bytes(text, "null", 4), text->comma = true;
}

static void print_line(struct text *text)
{
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
    if (text->failed)
        fputs(
            "{\"id\": null, \"error\": {\"code\": \"internal\", \"message\": \"out of memory\"}}\n",
            stdout);
    else
        fwrite(text->bytes, 1, text->size, stdout);
}

static enum error answer_one(const struct document_node *node, const struct eval_asked *asked)
{
    struct arena arena = {0};
    struct text text = {0};
    struct diagnostic diagnostic = {.text = ""};
    const struct document_node *const id =
        node->kind == DOCUMENT_MAPPING ? document_find(node, "id") : NULL;
    begin_line(&text, id && id->kind == DOCUMENT_SCALAR ? id : NULL);
    enum error error = asked->put(asked->context, node, &arena, &text, &diagnostic);
    if (error)
        eval_put_error(&text, error, &diagnostic);
    print_line(&text);
    if (text.failed)
        error = ERROR_INTERNAL;
    text_release(&text);
    arena_release(&arena);
    return error;
}

// The line of a document that cannot be read at all.
static void answer_unread(enum error error, const struct diagnostic *diagnostic)
{
    struct text text = {0};
    begin_line(&text, NULL);
    eval_put_error(&text, error, diagnostic);
    print_line(&text);
    text_release(&text);
}

// Answers a document: a request, or a list of them under `cases`. Counts the requests that failed.
static enum error answer_document(const struct document_node *node, const struct eval_asked *asked,
                                  size_t *failed, struct diagnostic *diagnostic)
{
    const struct document_node *const cases =
        node->kind == DOCUMENT_MAPPING ? document_find(node, "cases") : NULL;
    if (!cases) {
        *failed += answer_one(node, asked) != ERROR_NONE;
        return ERROR_NONE;
    }
    static const char *const keys[] = {"cases", NULL};
    enum error error = document_only_keys(node, keys, "a list of requests", diagnostic);
    if (!error)
        error = document_expect(cases, DOCUMENT_SEQUENCE, "cases", diagnostic);
    if (!error && !cases->count)
        error = document_fail(cases, ERROR_INPUT, diagnostic,
                              "cases is empty: there is nothing to evaluate");
    for (size_t i = 0; i < cases->count && !error; i++)
        *failed += answer_one(cases->item[i], asked) != ERROR_NONE;
    return error;
}

// Answers every document of a file, also those after one that cannot be read, which is named on
// standard error too.
static int answer_all(const struct document_source *source, const struct eval_asked *asked,
                      size_t *failed)
{
    struct yaml_stream stream = {.source = source};
    int exit_code = CLI_CONFORMS;
    for (;;) {
        struct arena arena = {0};
        struct diagnostic diagnostic = {.text = ""};
        struct document_node *node;
        const size_t before = stream.count;
        enum error error = yaml_stream_next(&stream, &arena, &node, &diagnostic);
        if (error && stream.count > before)
            answer_unread(error, &diagnostic);
        else if (node)
            error = answer_document(node, asked, failed, &diagnostic);
        if (error)
            exit_code = cli_fail(&diagnostic);
        arena_release(&arena);
        if (!node && stream.count == before)
            return exit_code;
    }
}

int eval_each(const char *path, const struct eval_asked *asked)
{
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    struct document_source source;
    size_t failed = 0;
    enum error error = file_read(path, &arena, &source, &diagnostic);
    int exit_code = error ? cli_fail(&diagnostic) : answer_all(&source, asked, &failed);
    if (exit_code == CLI_CONFORMS && failed)
        exit_code = CLI_INPUT;
    arena_release(&arena);
    return exit_code;
}

struct asked {
    struct eval_wanted wanted;
    struct operators operators;
};

static enum error put_outputs_of(void *context, const struct document_node *node,
                                 struct arena *arena, struct text *text,
                                 struct diagnostic *diagnostic)
{
    struct asked *const asked = context;
    return eval_put_outputs(node, asked->wanted, &asked->operators, arena, text, diagnostic);
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct asked asked = {.wanted = {.bounds = false}};
    struct diagnostic diagnostic = {.text = ""};
    const char *operators = NULL;
    char folder[PATH_MAX];
    const struct cli_option options[] = {
        {"bounds", CLI_FLAG, &asked.wanted.bounds, NULL,
         "also print the admissible interval of each element compared at level bound"},
        {"looks", CLI_FLAG, &asked.wanted.looks, NULL,
         "also print which look decided how many elements of a declared operator's nodes"},
        {"operators", CLI_TEXT, &operators, "FILE", "an operator of one's own, declared in YAML"},
    };
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    asked.operators.folder = cli_data_path("yaml/operators", folder, sizeof folder);
    if (operators && operators_add_file(&asked.operators, operators, &diagnostic))
        code = cli_fail(&diagnostic);
    else
        code = eval_each(argv[1], &(struct eval_asked){put_outputs_of, &asked});
    operators_release(&asked.operators);
    return code;
}

const struct cli_command command_eval = {
    .name = "eval",
    .arguments = "[--bounds] [--looks] [--operators FILE] FILE|-",
    .summary = "evaluate requests with the reference, one JSON line each",
    .help = "Reads requests (YAML or JSON; several separated by `---`, or a list under `cases:`) "
            "and prints one JSON line for each, in order, with the bits of every output or an "
            "error. Goes on after an error.\n\n"
            "  printf '%s\\n' 'op: openvino.random_uniform' \\\n"
            "    'attributes: {output_type: f32, global_seed: 150, op_seed: 10}' \\\n"
            "    'inputs: {shape: [3, 3], minval: 0, maxval: 1}' | assay eval -",
    .exits = {"all requests were evaluated", [CLI_INPUT] = "usage, or a request has an error"},
    .takes = {1, 1, "one file, or - for standard input"},
    .run = run,
};
