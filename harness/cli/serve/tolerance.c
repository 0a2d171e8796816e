// SPDX-License-Identifier: Apache-2.0
// assay tolerance: rtol and atol that every conforming implementation meets, for tools that compare
// so.

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/serve/eval.h"
#include "harness/cli/serve/serve.h"
#include "harness/judge/search/tolerance.h"
#include "ref/base/bytes.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "vectors/safetensors.h"
#include "yaml/fill.h"

enum { NAME_SIZE = 256 };

struct asked {
    struct serve_suites suites;
    const char *suite, *out;
    double rtol;
    // What goes to `out`:
    size_t requests, entries;
    struct safetensors_entry *entry;
    struct arena arena;
};

static void put_number(struct text *text, const char *key, double value)
{
    if (isfinite(value))
        json_put_real_at(text, key, value);
    else
        json_put_key(text, key), text_put_bytes(text, "null", 4), text->comma = true;
}

static void put_output(struct text *text, const struct tolerance_output *output, double rtol,
                       bool each)
{
    json_begin_object(text);
    tensor_put_type(&output->value, text);
    put_number(text, "atol", output->atol);
    put_number(text, "rtol", output->rtol);
    put_number(text, "between", output->between);
    if (rtol > 0) {
        json_begin_object_at(text, "beside");
        put_number(text, "rtol", rtol);
        put_number(text, "atol", output->beside);
        json_end_object(text);
    }
    json_put_unsigned_at(text, "unbounded", output->unbounded);
    json_put_unsigned_at(text, "nan", output->nan);
    if (each) {
        json_begin_object_at(text, "each");
        tensor_put_type(&output->each, text);
        tensor_put_bits(DTYPE_F64, output->each.data, output->count, text);
        json_end_object(text);
    }
    json_end_object(text);
}

static void put_tolerance(struct text *text, const struct suite *suite,
                          const struct request *request, const struct tolerance *tolerance,
                          double rtol, bool each)
{
    json_put_pairs(text, {"op", request->operation->name}, {"suite", suite->name});
    json_put_unsigned_at(text, "readings", tolerance->readings);
    json_put_unsigned_at(text, "other", tolerance->others);
    json_put_boolean_at(text, "complete", tolerance->complete);
    json_begin_object_at(text, "outputs");
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        if (!tensor_present(&tolerance->output[i].value))
            continue;
        json_put_key(text, request->operation->outputs[i]);
        put_output(text, &tolerance->output[i], rtol, each);
    }
    json_end_object(text);
}

// A suite that was named (else NULL) may have the operator to itself.
static enum error read_request(const struct document_node *node, const struct suite *named,
                               struct operators *operators, struct arena *arena,
                               struct request *request, bool *given, struct diagnostic *diagnostic)
{
    static const char *const more[] = {"profile", NULL};
    const char *const name = named ? document_text(node, "op") : NULL;
    const struct request_sources sources = {.fill = fill_make_tensor,
                                            .operation =
                                                name ? serve_operation_of(named, name) : NULL,
                                            .operators = operators,
                                            .find = operators_source};
    *request = (struct request){.runs = 1};
    const enum error error = request_read(node, more, &sources, arena, request, diagnostic);
    const struct document_node *const profile = error ? NULL : document_find(node, "profile");
    *given = profile != NULL;
    return !profile
               ? error
               : variant_read_profile(profile, request->operation, &request->profile, diagnostic);
}

static enum error derive(struct serve_suites *suites, const char *name,
                         const struct document_node *node, double rtol, struct arena *arena,
                         const struct suite **suite, struct request *request,
                         struct tolerance *tolerance, struct diagnostic *diagnostic)
{
    bool given = false;
    *suite = NULL;
    enum error error = name ? serve_suite_named(suites, name, suite, diagnostic) : ERROR_NONE;
    if (!error)
        error = read_request(node, *suite, &suites->operators, arena, request, &given, diagnostic);
    if (!error && !name)
        error = serve_suite_of(suites, node, suite, diagnostic);
    return error ? error
                 : tolerance_derive(*suite, request, given, rtol, arena, tolerance, diagnostic);
}

static enum error read_rtol(const char *text, double *rtol, struct diagnostic *diagnostic)
{
    char *end = NULL;
    *rtol = text ? strtod(text, &end) : 0;
    if (text && (end == text || *end || !(*rtol >= 0) || !isfinite(*rtol)))
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "rtol is '%.40s'; expected a number of at least 0", text);
    return ERROR_NONE;
}

enum error serve_tolerance(struct serve_suites *suites, const struct document_node *line,
                           struct arena *arena, struct text *text, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"tolerance", "rtol", "suite", NULL};
    const struct document_node *const node = document_find(line, "tolerance");
    const struct suite *suite = NULL;
    struct request request;
    struct tolerance tolerance;
    double rtol = 0;
    enum error error = document_only_keys(line, keys, "a line of a tolerance", diagnostic);
    if (!error)
        error = document_expect(node, DOCUMENT_MAPPING, "tolerance", diagnostic);
    if (!error)
        error = read_rtol(document_text(line, "rtol"), &rtol, diagnostic);
    if (!error)
        error = derive(suites, document_text(line, "suite"), node, rtol, arena, &suite, &request,
                       &tolerance, diagnostic);
    if (!error)
        put_tolerance(text, suite, &request, &tolerance, rtol, true);
    return error;
}

// ---- the command ------------------------------------------------------------

static enum error add_tensor(struct asked *asked, const char *request, const char *output,
                             const char *part, const struct tensor *tensor,
                             struct diagnostic *diagnostic)
{
    const size_t size = dtype_size(tensor->dtype);
    size_t bytes = 0;
    const char *const name = arena_print(&asked->arena, "%.100s/%s/%s", request, output, part);
    void *const data = tensor_bytes(tensor, &bytes) ? arena_take(&asked->arena, bytes) : NULL;
    if (!name || !data || !array_grow(&asked->entry, asked->entries, sizeof *asked->entry))
        return diagnostic_no_memory(diagnostic);
    bytes_copy_little_endian(data, tensor->data, size, bytes / size);
    asked->entry[asked->entries++] =
        (struct safetensors_entry){.name = name, .tensor = *tensor, .bytes = data, .size = bytes};
    return ERROR_NONE;
}

static enum error keep(struct asked *asked, const char *id, const struct request *request,
                       const struct tolerance *tolerance, struct diagnostic *diagnostic)
{
    char name[NAME_SIZE];
    enum error error = ERROR_NONE;
    snprintf(name, sizeof name, "%zu", asked->requests);
    for (unsigned i = 0; request->operation->outputs[i] && !error; i++) {
        const struct tolerance_output *const output = &tolerance->output[i];
        const struct {
            const char *part;
            const struct tensor *tensor;
        } parts[] = {{"value", &output->value},
                     {"lower", &output->lower},
                     {"upper", &output->upper},
                     {"atol", &output->each}};
        for (size_t k = 0; k < 4 && tensor_present(&output->value) && !error; k++)
            error = add_tensor(asked, id ? id : name, request->operation->outputs[i], parts[k].part,
                               parts[k].tensor, diagnostic);
    }
    return error;
}

static enum error put_one(void *context, const struct document_node *node, struct arena *arena,
                          struct text *text, struct diagnostic *diagnostic)
{
    struct asked *const asked = context;
    const struct suite *suite = NULL;
    struct request request;
    struct tolerance tolerance;
    enum error error = derive(&asked->suites, asked->suite, node, asked->rtol, arena, &suite,
                              &request, &tolerance, diagnostic);
    if (!error && asked->out)
        error = keep(asked, request.id, &request, &tolerance, diagnostic);
    asked->requests++;
    if (!error)
        put_tolerance(text, suite, &request, &tolerance, asked->rtol, false);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct asked asked = {.requests = 0};
    const char *rtol = NULL;
    char folder[PATH_MAX];
    struct diagnostic diagnostic = {.text = ""};
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &asked.suite, "NAME",
         "whose readings count; one that has the operation when not given"},
        {"rtol", CLI_TEXT, &rtol, "R", "also the least atol beside this rtol"},
        {"out", CLI_OUT, &asked.out, "FILE",
         "write arrays there (safetensors): ID/OUTPUT/value, lower, upper and atol"},
    };
    asked.suites.operators.folder = cli_data_path("yaml/operators", folder, sizeof folder);
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (!code &&
        (read_rtol(rtol, &asked.rtol, &diagnostic) || cli_check_out(asked.out, &diagnostic)))
        code = cli_fail(&diagnostic);
    if (!code)
        code = eval_each(argv[1], &(struct eval_asked){put_one, &asked});
    if (!code && asked.out && safetensors_write(asked.out, asked.entry, asked.entries, &diagnostic))
        code = cli_fail(&diagnostic);
    serve_release_suites(&asked.suites);
    arena_release(&asked.arena);
    free(asked.entry);
    return code;
}

const struct cli_command command_tolerance = {
    .name = "tolerance",
    .arguments = "[options] FILE|-",
    .summary = "the rtol and atol that every conforming implementation meets",
    .help = "Reads requests as `assay eval` does and prints one JSON line for each: for every "
            "output the least tolerances by which a test of the form |got - expected| <= atol + "
            "rtol * |expected| accepts whatever the specification allows, where expected is the "
            "reference's value. They follow from the intervals of the elements under every reading "
            "that a suite allows, and hold for these shapes, types and data.\n\n"
            "  atol      beside rtol 0\n"
            "  rtol      beside atol 0; null: none, since a zero need not be met\n"
            "  between   atol for two implementations that are held against each other\n"
            "  beside    with --rtol R: the least atol beside it\n\n"
            "0 says that the bits are determined. `unbounded` counts elements that no tolerance "
            "covers, `nan` those that need equal_nan, `other` readings that refuse the request or "
            "answer in another type or shape, which no tolerance covers either.\n\n"
            "  assay show direction-forward-0 --suite onnx.lstm --json | \\\n"
            "    assay tolerance --rtol 1e-5 -",
    .exits = {"all tolerances were derived", [CLI_INPUT] = "usage, or a request has an error"},
    .takes = {1, 1, "one file, or - for standard input"},
    .run = run,
};
