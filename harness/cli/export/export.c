// SPDX-License-Identifier: Apache-2.0
// assay export: complete vectors, inputs and answers, for programs that know neither suites nor
// fills.

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <errno.h>

#include "harness/cli/commands.h"
#include "harness/cli/export/onnx.h"
#include "harness/cli/export/requests.h"
#include "harness/cli/suite_table.h"
#include "ref/base/file.h"
#include "ref/base/json.h"
#include "ref/variant/variant.h"
#include "vectors/safetensors.h"
#include "yaml/relation.h"
#include "yaml/suite.h"

enum { INLINE_ELEMENTS = 64, NAME_SIZE = 512 };

// A tensor above INLINE_ELEMENTS elements, which goes to the file of tensors. Its data are made
// when they are written.
struct export_tensor {
    const struct suite *suite;
    const struct suite_case *of;
    bool output;
    unsigned index, run;
    // While it is written:
    struct arena arena;
    struct request request;
    struct inference inference;
    const unsigned char *data; // NULL: streamed
};

struct export
{
    const struct suite *suite;
    unsigned long long limit;
    struct text text;
    struct safetensors_entry *entry;
    size_t count, left_out;
    char file[NAME_SIZE];
    struct arena arena; // names
};

// ---- tensors in a file ------------------------------------------------------

static enum error prepare(struct export_tensor *tensor, struct diagnostic *diagnostic)
{
    struct evaluation evaluation;
    memset(&tensor->inference, 0, sizeof tensor->inference);
    enum error error =
        suite_case_request(tensor->suite, tensor->of, &tensor->arena, &tensor->request, diagnostic);
    if (error || !tensor->output) {
        tensor->data = error ? NULL : tensor->request.input[tensor->index].data;
        return error;
    }
    if ((error = variant_infer(&tensor->request, &tensor->inference, diagnostic)))
        return error;
    if (variant_streams(&tensor->request) && !tensor->request.windowed)
        return ERROR_NONE;
    if ((error = variant_evaluate(&tensor->request, &tensor->arena, &evaluation, diagnostic)))
        return error;
    tensor->data =
        evaluation.tensor[(size_t)tensor->run * OPERATION_OUTPUTS_MAX + tensor->index].data;
    return ERROR_NONE;
}

static enum error make_elements(void *context, uint64_t first, uint64_t count, void *out,
                                struct diagnostic *diagnostic)
{
    struct export_tensor *const tensor = context;
    enum error error = first ? ERROR_NONE : prepare(tensor, diagnostic);
    const struct tensor *const like = tensor->output ? &tensor->inference.output[tensor->index]
                                                     : &tensor->request.input[tensor->index];
    const size_t size = error ? 0 : dtype_size(like->dtype);
    uint64_t total = 0;
    if (!error && tensor->data)
        memcpy(out, tensor->data + first * size, (size_t)count * size);
    else if (!error)
        error = variant_fill(&tensor->request, &tensor->inference,
                             &(struct slice){.output = tensor->index,
                                             .run = tensor->run,
                                             .first = first,
                                             .count = count,
                                             .data = out},
                             0, diagnostic);
    tensor_count(like, &total);
    if (tensor->output && tensor->request.windowed)
        total = tensor->request.window_count;
    if (error || first + count == total) {
        arena_release(&tensor->arena);
        tensor->data = NULL;
    }
    return error;
}

static enum error add_entry(struct export *export, const struct export_tensor *like,
                            const char *name, const struct tensor *shape,
                            struct diagnostic *diagnostic)
{
    struct export_tensor *const tensor = arena_take(&export->arena, sizeof *tensor);
    const char *const copy = arena_copy_text(&export->arena, name, strlen(name));
    if (!tensor || !copy || !array_grow(&export->entry, export->count, sizeof *export->entry))
        return diagnostic_no_memory(diagnostic);
    *tensor = *like;
    export->entry[export->count++] = (struct safetensors_entry){
        .name = copy, .tensor = *shape, .source = make_elements, .context = tensor};
    return ERROR_NONE;
}

// ---- lines ------------------------------------------------------------------

// {"dtype", "shape", "bits"} or {"dtype", "shape", "file", "tensor"}; with "window" where the data
// are one.
static enum error put_tensor(struct export *export, const struct export_tensor *like,
                             const struct tensor *tensor, const uint64_t window[2],
                             struct diagnostic *diagnostic)
{
    struct text *const text = &export->text;
    uint64_t count = window ? window[1] : 0;
    enum error error = ERROR_NONE;
    if (!window && !tensor_count(tensor, &count))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "case %s does not fit in memory",
                               like->of->id);
    json_begin_object(text);
    tensor_put_type(tensor, text);
    if (window)
        json_put_numbers_at(text, "window", window, 2);
    if (count > INLINE_ELEMENTS || !tensor->data) {
        char name[NAME_SIZE], run[24] = "";
        struct tensor shape = *tensor;
        if (like->run)
            snprintf(run, sizeof run, "/run=%u", like->run);
        snprintf(name, sizeof name, "%s/%s/%s%s", like->of->id, like->output ? "out" : "in",
                 like->output ? like->of->operation->outputs[like->index]
                              : like->of->operation->inputs[like->index].name,
                 run);
        if (window)
            shape = (struct tensor){.dtype = tensor->dtype, .rank = 1, .shape = {window[1]}};
        json_put_pairs(text, {"file", export->file}, {"tensor", name});
        error = add_entry(export, like, name, &shape, diagnostic);
    } else
        tensor_put_bits(tensor->dtype, tensor->data, count, text);
    json_end_object(text);
    return error;
}

static enum error put_inputs(struct export *export, const struct suite_case *of,
                             const struct request *request, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_begin_object_at(&export->text, "inputs");
    for (unsigned i = 0; i < request->operation->input_count && !error; i++) {
        const struct export_tensor like = {.suite = export->suite, .of = of, .index = i};
        if (!tensor_present(&request->input[i]))
            continue;
        json_put_key(&export->text, request->operation->inputs[i].name);
        error = put_tensor(export, &like, &request->input[i], NULL, diagnostic);
    }
    json_end_object(&export->text);
    return error;
}

// The largest output that the case gives, in elements.
static uint64_t largest(const struct request *request, const struct inference *inference)
{
    uint64_t most = 0;
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        uint64_t count = 0;
        if (!tensor_present(&inference->output[i]) ||
            (request->outputs && !(request->outputs >> i & 1)))
            continue;
        if (!tensor_count(&inference->output[i], &count))
            count = UINT64_MAX;
        most = count > most ? count : most;
    }
    return request->windowed ? request->window_count : most;
}

static enum error put_outputs(struct export *export, const struct suite_case *of,
                              const struct request *request, const struct inference *inference,
                              struct arena *arena, struct diagnostic *diagnostic)
{
    struct evaluation evaluation;
    const bool streamed = largest(request, inference) > INLINE_ELEMENTS && !request->windowed &&
                          variant_streams(request);
    const uint64_t window[2] = {request->window_first, request->window_count};
    enum error error =
        streamed ? ERROR_NONE : variant_evaluate(request, arena, &evaluation, diagnostic);
    json_begin_object_at(&export->text, "outputs");
    for (unsigned i = 0; request->operation->outputs[i] && !error; i++) {
        if (!tensor_present(&inference->output[i]) ||
            (request->outputs && !(request->outputs >> i & 1)))
            continue;
        json_put_key(&export->text, request->operation->outputs[i]);
        if (request->runs > 1)
            json_begin_list(&export->text);
        for (unsigned run = 0; run < request->runs && !error; run++) {
            const struct export_tensor like = {
                .suite = export->suite, .of = of, .output = true, .index = i, .run = run};
            const struct tensor *const tensor =
                streamed ? &inference->output[i]
                         : &evaluation.tensor[(size_t)run * OPERATION_OUTPUTS_MAX + i];
            const bool windowed = !streamed && request->windowed && i == evaluation.windowed_output;
            error = put_tensor(export, &like, tensor, windowed ? window : NULL, diagnostic);
        }
        if (request->runs > 1)
            json_end_list(&export->text);
    }
    json_end_object(&export->text);
    return error;
}

// The value that an attribute has by default, after its key.
static void put_default(const struct attribute_spec *spec, const struct attribute_value *value,
                        struct text *text)
{
    const bool list = spec->kind == ATTRIBUTE_SIZES || spec->kind == ATTRIBUTE_WORDS ||
                      spec->kind == ATTRIBUTE_REALS;
    if (list)
        json_begin_list(text);
    for (size_t i = 0; i < (list ? value->count : 1); i++)
        switch (spec->kind) {
        case ATTRIBUTE_INTEGER:
        case ATTRIBUTE_INTEGER64:
            json_put_integer(text, value->integer);
            break;
        case ATTRIBUTE_BOOLEAN:
            json_put_boolean(text, value->integer != 0);
            break;
        case ATTRIBUTE_WORD:
            json_put_string(text, spec->words[value->integer]);
            break;
        case ATTRIBUTE_DTYPE:
            json_put_string(text, dtype_name((enum dtype)value->integer));
            break;
        case ATTRIBUTE_SIZES:
            json_put_integer(text, value->integers[i]);
            break;
        case ATTRIBUTE_WORDS:
            json_put_string(text, spec->words[value->integers[i]]);
            break;
        case ATTRIBUTE_REAL:
            json_put_real(text, value->real);
            break;
        case ATTRIBUTE_REALS:
            json_put_real(text, value->reals[i]);
            break;
        }
    if (list)
        json_end_list(text);
}

// The attributes as the suite writes them, and those that have their defaults. `request` NULL: it
// cannot be read, so that none has.
static void put_attributes(struct export *export, const struct document_node *given,
                           const struct request *request)
{
    struct text *const text = &export->text;
    json_begin_object_at(text, "attributes");
    for (size_t i = 0; given && i < given->count; i++)
        json_put_document_at(text, given->key[i]->text, given->item[i]);
    for (unsigned i = 0; request && i < request->operation->attribute_count; i++) {
        const struct attribute_spec *const spec = &request->operation->attributes[i];
        if (!request->attribute[i].present || request->attribute[i].given)
            continue;
        json_put_key(text, spec->name);
        put_default(spec, &request->attribute[i], text);
    }
    json_end_object(text);
}

static void put_head(struct export *export, const struct suite_case *of,
                     const struct document_node *node, const struct request *request)
{
    static const char *const copied[] = {"outputs", "window", "runs", "model", "step"};
    struct text *const text = &export->text;
    json_begin_object(text);
    json_put_pairs(text, {"id", of->id}, {"op", of->operation->name});
    json_begin_list_at(text, "requirements");
    for (size_t i = 0; i < of->covers_count; i++)
        json_put_string(text, export->suite->requirement[of->covers[i]].id);
    json_end_list(text);
    put_attributes(export, document_find(node, "attributes"), request);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const struct document_node *const value = document_find(node, copied[i]);
        if (!value)
            continue;
        json_put_document_at(text, !strcmp(copied[i], "outputs") ? "wanted" : copied[i], value);
    }
}

static enum error put_case(struct export *export, const struct suite_case *of,
                           struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct document_node *node;
    struct request request;
    struct inference inference;
    struct diagnostic refusal = {.text = ""};
    memset(&inference, 0, sizeof inference);
    enum error error = suite_case_document(export->suite, of, &arena, &node, diagnostic);
    if (error) {
        arena_release(&arena);
        return error;
    }
    enum error refused = suite_case_request(export->suite, of, &arena, &request, &refusal);
    const bool readable = !refused;
    put_head(export, of, node, readable ? &request : NULL);
    if (readable) {
        error = put_inputs(export, of, &request, diagnostic);
        refused = variant_infer(&request, &inference, &refusal);
    } else if (document_find(node, "inputs")) {
        // As the suite writes them: they break a rule of the form.
        json_put_document_at(&export->text, "inputs", document_find(node, "inputs"));
    }
    if (refused == ERROR_INTERNAL || refused == ERROR_SYSTEM) {
        *diagnostic = refusal;
        error = refused;
    }
    if (!error && of->reject) {
        json_put_pair(&export->text, "reject", of->reject);
    } else if (!error && of->survive) {
        json_put_pair(&export->text, "survive", of->survive);
    } else if (!error && of->relation.kind) {
        error = relation_put(export->suite, of, &export->text, diagnostic);
    } else if (!error && of->level == SUITE_LEVEL_DISTRIBUTION) {
        json_put_pair(&export->text, "level", "distribution");
    } else if (!error && refused) {
        *diagnostic = refusal;
        error = refused;
    } else if (!error && largest(&request, &inference) > export->limit) {
        json_put_pair(&export->text, "left_out", "more elements than --limit");
        export->left_out++;
    } else if (!error) {
        error = put_outputs(export, of, &request, &inference, &arena, diagnostic);
    }
    json_end_object(&export->text);
    export->text.comma = false;
    text_put_bytes(&export->text, "\n", 1);
    arena_release(&arena);
    return error;
}

// What the command line asks for.
struct asked {
    const char *names, *to, *onnx, *pattern, *initializers, *requests;
    unsigned long long limit;
    size_t cases; // written
};

static enum error export_suite(const char *path, struct asked *asked, struct diagnostic *diagnostic)
{
    const char *const to = asked->to;
    struct suite suite;
    struct export export = {.suite = &suite, .limit = asked->limit};
    size_t cases = 0;
    char lines[4096], tensors[4096];
    enum error error = suites_read_file(path, &suite, diagnostic);
    if (!error) {
        snprintf(export.file, sizeof export.file, "%.200s.safetensors", suite.name);
        snprintf(lines, sizeof lines, "%s/%.200s.jsonl", to, suite.name);
        snprintf(tensors, sizeof tensors, "%s/%s", to, export.file);
    }
    for (size_t i = 0; !error && i < suite.case_count; i++) {
        if (asked->pattern && fnmatch(asked->pattern, suite.sorted[i]->id, 0) != 0)
            continue;
        error = put_case(&export, suite.sorted[i], diagnostic);
        cases++;
    }
    const bool none = asked->pattern && !cases;
    if (!error && !none)
        error = safetensors_write(tensors, export.entry, export.count, diagnostic);
    if (!error && !none)
        error = export.text.failed
                    ? diagnostic_no_memory(diagnostic)
                    : file_replace_with(lines, export.text.bytes, export.text.size, diagnostic);
    asked->cases += cases;
    if (!error && !none)
        printf("%s: %zu cases, %zu tensors in %s%s\n", suite.name, cases, export.count, export.file,
               export.left_out ? "; answers above --limit were left out" : "");
    free(export.entry);
    text_release(&export.text);
    arena_release(&export.arena);
    suite_release(&suite);
    return error;
}

// The suites' ONNX operators as folders of backend tests.
static enum error export_onnx(char *const *paths, size_t count, struct asked *asked,
                              struct arena *arena, struct diagnostic *diagnostic)
{
    struct suite *suites = NULL;
    struct onnx_export onnx = {.to = asked->onnx,
                               .pattern = asked->pattern,
                               .initializers = asked->initializers,
                               .limit = asked->limit};
    enum error error = suites_read(paths, count, arena, &suites, diagnostic);
    if (!error)
        error = export_onnx_check(&onnx, suites, count, diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        error = export_onnx_suite(&suites[i], &onnx, diagnostic);
    for (size_t i = 0; i < count && suites; i++)
        suite_release(&suites[i]);
    asked->cases = onnx.written;
    if (!error)
        printf("%zu folders in %s; left out: %zu cases that must be refused or are "
               "undefined, %zu without values of their own, %zu above --limit, %zu of operators "
               "without an attribute opset\n",
               onnx.written, onnx.to, onnx.refused, onnx.valueless, onnx.large, onnx.unversioned);
    return error;
}

// The suites' cases as requests without answers.
static enum error export_questions(char *const *paths, size_t count, struct asked *asked,
                                   struct arena *arena, struct diagnostic *diagnostic)
{
    struct suite *suites = NULL;
    size_t left_out = 0;
    enum error error = suites_read(paths, count, arena, &suites, diagnostic);
    if (!error)
        error = export_requests(suites, count, asked->requests, asked->pattern, &asked->cases,
                                &left_out, diagnostic);
    for (size_t i = 0; i < count && suites; i++)
        suite_release(&suites[i]);
    if (!error)
        printf("%zu requests in %s; left out: %zu cases above 64 MiB or that ask for places in "
               "memory\n",
               asked->cases, asked->requests, left_out);
    return error;
}

static enum error export_all(struct asked *asked, struct arena *arena,
                             struct diagnostic *diagnostic)
{
    char **paths = NULL;
    size_t count = 0;
    enum error error = suites_choose(asked->names, arena, &paths, &count, diagnostic);
    if (!error && asked->onnx)
        return export_onnx(paths, count, asked, arena, diagnostic);
    if (!error && asked->requests)
        return export_questions(paths, count, asked, arena, diagnostic);
    for (size_t i = 0; i < count && !error; i++)
        error = export_suite(paths[i], asked, diagnostic);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct asked asked = {.limit = 1 << 24};
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &asked.names, "NAME,...", "suites by name or path; all when not given"},
        {"case", CLI_TEXT, &asked.pattern, "PATTERN", "only cases whose id matches, as in a shell"},
        {"to", CLI_TEXT, &asked.to, "DIR", "folder to write into; made if it is not there"},
        {"onnx", CLI_TEXT, &asked.onnx, "DIR",
         "in place of --to: cases of ONNX operators as backend tests"},
        {"requests", CLI_TEXT, &asked.requests, "DIR",
         "in place of --to: requests without answers, for runners that record"},
        {"initializers", CLI_TEXT, &asked.initializers, "NAME,...",
         "with --onnx: inputs that are constants of the model, or all"},
        {"limit", CLI_NUMBER, &asked.limit, "N",
         "leave out answers with an output of more than N elements (16,777,216)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    const struct cli_rule rules[] = {
        {!!asked.to + !!asked.onnx + !!asked.requests != 1,
         "expected one of --to DIR, --onnx DIR and --requests DIR"},
        {asked.initializers && !asked.onnx, "--initializers goes with --onnx"},
    };
    if (cli_check(command, CLI_TABLE(rules)))
        return CLI_INPUT;
    struct diagnostic diagnostic = {.text = ""};
    if (asked.to && mkdir(asked.to, 0777) && errno != EEXIST) {
        diagnostic_fail(&diagnostic, ERROR_SYSTEM, "cannot make the folder %.400s: %s", asked.to,
                        strerror(errno));
        return cli_fail(&diagnostic);
    }
    struct arena arena = {0};
    const enum error error = export_all(&asked, &arena, &diagnostic);
    arena_release(&arena);
    return error ? cli_fail(&diagnostic) : asked.cases ? CLI_CONFORMS : CLI_NOTHING;
}

const struct cli_command command_export = {
    .name = "export",
    .arguments = "--to DIR | --onnx DIR | --requests DIR [options]",
    .summary = "complete vectors with their inputs, for other tools",
    .help =
        "With --to: writes DIR/SUITE.jsonl, one line a case with its attributes (defaults too), "
        "inputs and expected outputs (or `reject` and why), and DIR/SUITE.safetensors with every "
        "tensor of more than 64 elements, whole. Bits are hexadecimal, most significant digit "
        "first, row-major.\n\n"
        "With --onnx: writes DIR/SUITE/test_CASE for each case of an ONNX operator that has "
        "values, in the form of ONNX's backend tests: model.onnx, and in test_data_set_0 "
        "input_N.pb and output_N.pb. Beside an output stand low_N.pb and high_N.pb, the ends "
        "of the interval in which each element of a right answer lies. data.json holds the "
        "tolerance for runners that know no interval: the widest.\n\n"
        "With --requests: writes DIR/requests.jsonl and DIR/requests.data: each case as a target "
        "is asked for it (operation, all attributes, inputs, types and shapes of the wanted "
        "outputs), with the digest by which `certify --recorded` finds its answer, and nothing "
        "of what is right. Runners record what a library answers where assay cannot run.\n\n"
        "  assay export --suite directml.random_generator --to vectors-for-windows\n"
        "  assay export --suite onnx.lstm --onnx tests --initializers W,R,B,P",
    .exits = {"written", [CLI_NOTHING] = "there is no such suite or case"},
    .run = run,
};
