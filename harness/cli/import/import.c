// SPDX-License-Identifier: Apache-2.0
// assay import: a suite with its vectors, made of values that a file states.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cli/commands.h"
#include "harness/cli/emit/first.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/leftover.h"
#include "vectors/foreign/foreign.h"

struct import {
    const char *path, *to, *by, *where, *op, *attributes, *columns, *tolerance;
    struct foreign foreign;
    struct leftover_folder folder; // where Python put what it converted; empty: nothing was
    char sha256[DIGEST_HEX_SIZE];
};

enum format { FORMAT_LINES, FORMAT_SAFETENSORS, FORMAT_CSV, FORMAT_GROUPS, FORMAT_PYTHON };

static const struct {
    const char *ending;
    enum format format;
} endings[] = {{".jsonl", FORMAT_LINES},
               {".safetensors", FORMAT_SAFETENSORS},
               {".csv", FORMAT_CSV},
               {".json", FORMAT_GROUPS},
               {".npz", FORMAT_PYTHON}};

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && !strcmp(path + length - size, ending);
}

static enum error find_format(const char *path, enum format *format, struct diagnostic *diagnostic)
{
    struct stat status;
    if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
        *format = FORMAT_PYTHON;
        return ERROR_NONE;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(path, endings[i].ending)) {
            *format = endings[i].format;
            return ERROR_NONE;
        }
    return diagnostic_fail(diagnostic, ERROR_INPUT,
                           "%.300s: expected a file that ends in .safetensors, .npz, .jsonl, .csv "
                           "or .json, or a folder of ONNX backend tests",
                           path);
}

// ---- what Python converts ---------------------------------------------------

static enum error start_python(const char *const *words, struct diagnostic *diagnostic)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot start %.300s", words[0]);
    if (!child) {
        execv(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFEXITED(status) && !WEXITSTATUS(status))
        return ERROR_NONE;
    return WIFEXITED(status) && WEXITSTATUS(status) == 127
               ? diagnostic_fail(diagnostic, ERROR_SYSTEM,
                                 "%.200s cannot be run: .npz files and folders are read by Python "
                                 "with numpy and onnx (scripts/setup installs them)",
                                 words[0])
               : diagnostic_fail(diagnostic, ERROR_INPUT,
                                 "it was not converted; the reason stands "
                                 "above");
}

// Leaves JSON lines in the folder; *path is theirs.
static enum error convert(struct import *import, char path[PATH_MAX + 16],
                          struct diagnostic *diagnostic)
{
    char python[PATH_MAX], script[PATH_MAX], folder[PATH_MAX];
    enum error error = leftover_make_folder(&import->folder, diagnostic);
    if (error)
        return error;
    cli_built_path("venv/bin/python", python, sizeof python);
    snprintf(script, sizeof script, "%.4000s/helper/foreign.py",
             cli_data_path("harness/targets", folder, sizeof folder));
    const char *const words[] = {python, script, import->path, import->folder.path, NULL};
    error = start_python(words, diagnostic);
    snprintf(path, PATH_MAX + 16, "%s/cases.jsonl", import->folder.path);
    return error;
}

// ---- reading ----------------------------------------------------------------

static enum error read_words(struct import *import, struct foreign_words *words,
                             struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(&import->foreign.arena, sizeof *source);
    struct document_node *node = NULL;
    *words = (struct foreign_words){.op = import->op, .columns = import->columns};
    if (!import->attributes)
        return ERROR_NONE;
    if (!source)
        return diagnostic_no_memory(diagnostic);
    *source = (struct document_source){
        .name = "--attributes", .text = import->attributes, .size = strlen(import->attributes)};
    enum error error = json_read(source, &import->foreign.arena, &node, diagnostic);
    if (!error)
        error = document_expect(node, DOCUMENT_MAPPING, "--attributes", diagnostic);
    words->attributes = node;
    return error;
}

static enum error read_cases(struct import *import, struct diagnostic *diagnostic)
{
    char converted[PATH_MAX + 16], folder[PATH_MAX];
    struct foreign *const foreign = &import->foreign;
    struct document_source *const source = arena_take(&foreign->arena, sizeof *source);
    struct foreign_words words;
    enum format format = FORMAT_LINES;
    const char *path = import->path;
    if (!source)
        return diagnostic_no_memory(diagnostic);
    enum error error = find_format(path, &format, diagnostic);
    if (!error)
        error = digest_path(path, import->sha256, diagnostic);
    if (!error)
        error = read_words(import, &words, diagnostic);
    if (!error && format == FORMAT_PYTHON) {
        error = convert(import, converted, diagnostic);
        path = converted;
    }
    if (!error)
        error = file_read(path, &foreign->arena, source, diagnostic);
    const char *const stem = error ? NULL : file_stem(import->path, &foreign->arena);
    if (error || !stem)
        return error ? error : diagnostic_no_memory(diagnostic);
    snprintf(folder, sizeof folder, "%.*s", (int)(file_name(path) - path), path);
    switch (format) {
    case FORMAT_SAFETENSORS:
        return foreign_read_safetensors(source, stem, &words, foreign, diagnostic);
    case FORMAT_CSV:
        return foreign_read_csv(source, stem, &words, foreign, diagnostic);
    case FORMAT_GROUPS:
        return foreign_read_groups(source, stem, &words, foreign, diagnostic);
    default:
        return foreign_read_lines(source, folder[0] ? folder : ".", &words, foreign, diagnostic);
    }
}

// ---- writing ----------------------------------------------------------------

static enum error make_suite(struct import *import, size_t *differ, struct diagnostic *diagnostic)
{
    struct arena *const arena = &import->foreign.arena;
    const char *const name = file_name(import->to);
    const struct foreign_suite suite = {
        .name = file_stem(name, arena),
        .title = import->by,
        .where = import->where,
        .origin = file_name(import->path),
        .origin_sha256 = import->sha256,
        .tolerance = import->tolerance ? import->tolerance : "bits",
        .folder = name == import->to
                      ? "."
                      : arena_copy_text(arena, import->to, (size_t)(name - import->to) - 1)};
    if (!suite.name || !suite.folder)
        return diagnostic_no_memory(diagnostic);
    const enum error error = foreign_write(&import->foreign, &suite, diagnostic);
    if (error)
        return error;
    if (import->foreign.left_out)
        printf("%s: %zu cases were left out, the first since %s\n", suite.name,
               import->foreign.left_out, import->foreign.why_left_out);
    const enum error made = emit_first(import->to, differ, diagnostic);
    if (made) { // all of it, or nothing
        const char *const tensors =
            arena_print(arena, "%s/%s.safetensors", suite.folder, suite.name);
        unlink(import->to);
        if (tensors)
            unlink(tensors);
    }
    return made;
}

static bool is_tolerance(const char *text)
{
    if (!text || !strcmp(text, "bits"))
        return true;
    return !strncmp(text, "ulps=", 5) && strlen(text) > 5 && strlen(text) < 13 &&
           strspn(text + 5, "0123456789") == strlen(text + 5) && text[5] != '0';
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct import import = {.path = NULL};
    const struct cli_option options[] = {
        {"to", CLI_TEXT, &import.to, "NAME.yaml", "the suite to write; it may not be there yet"},
        {"by", CLI_TEXT, &import.by, "TEXT",
         "who states the values: a paper, a library with its version, a person"},
        {"source", CLI_TEXT, &import.where, "URL", "where they are published"},
        {"op", CLI_TEXT, &import.op, "NAME", "the operation, of cases that do not say it"},
        {"attributes", CLI_TEXT, &import.attributes, "JSON",
         "attributes of every case that has none: '{\"axis\": 1}'"},
        {"tolerance", CLI_TEXT, &import.tolerance, "bits|ulps=N",
         "how closely values must be met, where a case does not say it (bits)"},
        {"columns", CLI_TEXT, &import.columns, "COLUMN=MEANING,...",
         "what the columns of a table are"},
    };
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    const struct cli_rule rules[] = {
        {!import.to || !import.by, "--to FILE and --by WHO are needed"},
        {import.to && (!ends_in(import.to, ".yaml") || import.to[strlen(import.to) - 6] == '/'),
         "--to is a path that ends in NAME.yaml"},
        {!is_tolerance(import.tolerance), "--tolerance is bits or ulps=N"},
    };
    code = code ? code : cli_check(command, CLI_TABLE(rules));
    if (code)
        return code;
    struct diagnostic diagnostic = {.text = ""};
    size_t differ = 0;
    import.path = argv[1];
    enum error error = read_cases(&import, &diagnostic);
    if (!error)
        error = make_suite(&import, &differ, &diagnostic);
    if (import.folder.path[0])
        leftover_remove_folder(&import.folder);
    foreign_release(&import.foreign);
    return error ? cli_fail(&diagnostic) : differ ? CLI_DIFFERS : CLI_CONFORMS;
}

const struct cli_command command_import = {
    .name = "import",
    .arguments = "FILE --to NAME.yaml --by WHO [options]",
    .summary = "make a suite of values that a file states: a paper's, a library's",
    .help =
        "Writes a suite whose values are stored, not derived, and its golden vectors. Where assay "
        "derives the operation itself, the values are judged first, and those that differ are "
        "named.\n\n"
        "  NAME.safetensors   tensors CASE/in/NAME and CASE/out/NAME; ends of intervals\n"
        "                     are CASE/lower/NAME and CASE/upper/NAME\n"
        "  NAME.npz           arrays of the same names (read by Python)\n"
        "  NAME.jsonl         a case a line: id, op, attributes, inputs, expected,\n"
        "                     tolerance, reject, as in a suite\n"
        "  NAME.csv           columns id, op, reject, attributes.NAME,\n"
        "                     inputs.NAME:DTYPE, expected.NAME:DTYPE, an element a row\n"
        "  NAME.json          testGroups with tests, as Wycheproof has them; --columns\n"
        "                     says which members are inputs and which are expected\n"
        "  FOLDER             ONNX backend tests: model.onnx and test_data_set_N\n\n"
        "  assay import table3.csv --to mine/erf.yaml --by 'Smith 2020, table 3' \\\n"
        "    --op acme.erf --tolerance ulps=1 \\\n"
        "    --columns 'x=inputs.x:f64,erf=expected.y:f64'",
    .exits = {"written", "written, and some values differ from the reference"},
    .takes = {1, 1, "a file or a folder"},
    .run = run,
};
