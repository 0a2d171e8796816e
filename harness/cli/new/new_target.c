// SPDX-License-Identifier: Apache-2.0
// assay new-target: a skeleton of a target that works as it stands, and the line that builds it.

#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/new/template.h"
#include "harness/cli/suite_table.h"
#include "ref/base/file.h"
#include "ref/base/text.h"
#include "ref/op/operation.h"
#include "yaml/declared/operator.h"

#define TEMPLATES "scripts/package/templates/"
#define FIRST_OPERATION "philox"

// How a skeleton is written, built and run. In `line`, an attribute: its variable, its name, and
// what it is; in `build` and `run` the target's name. `first` is the template where no operation
// was named.
static const struct language {
    const char *name, *ending, *template, *first;
    const char *line, *build, *run;
} languages[] = {
    {"c", ".c", TEMPLATES "any.c", TEMPLATES "plugin.c",
     "    const struct assay_attribute *const %s = attribute(request, \"%s\"); // %s\n",
     "cc -std=c11 -O2 -fPIC -shared -o %1$s.so %1$s.c $(pkg-config --cflags assay-plugin)",
     "--plugin ./%s.so"},
    {"python", ".py", TEMPLATES "any.py", TEMPLATES "target.py",
     "    %s = attributes.get(\"%s\")  # %s\n", NULL, "--exec 'python3 %s.py'"},
    {"node", ".mjs", TEMPLATES "any.mjs", TEMPLATES "any.mjs",
     "  const %s = attributes[\"%s\"]; // %s\n", NULL, "--exec 'node %s.mjs'"},
    {"rust", ".rs", TEMPLATES "any.rs", TEMPLATES "any.rs",
     "    let %s = attributes.get(\"%s\"); // %s\n", "rustc --edition 2021 -O -o %1$s %1$s.rs",
     "--exec ./%s"},
    {"go", ".go", TEMPLATES "any.go", TEMPLATES "any.go",
     "\t%1$s := attributes[\"%2$s\"] // %3$s\n"
     "\t_ = %1$s\n",
     "go build -o %1$s %1$s.go", "--exec ./%s"},
};

enum { LANGUAGES = sizeof languages / sizeof *languages, LINE_SIZE = 512 };

static const struct language *find_language(const char *name)
{
    for (size_t i = 0; i < LANGUAGES; i++)
        if (!strcmp(languages[i].name, name))
            return &languages[i];
    return NULL;
}

// ---- what the operation takes and gives -------------------------------------

static void put_words(struct text *text, const char *before, const char *const *words)
{
    text_put(text, before);
    for (size_t i = 0; words[i]; i++)
        text_print(text, "%s%s", i ? ", " : "", words[i]);
}

// "one of a, b; absent: a": the values that the attribute may have, and its default.
static void describe(struct text *text, const struct attribute_spec *spec)
{
    static const char *const kinds[] = {[ATTRIBUTE_INTEGER] = "a whole number",
                                        [ATTRIBUTE_INTEGER64] = "a 64-bit number",
                                        [ATTRIBUTE_BOOLEAN] = "true or false",
                                        [ATTRIBUTE_WORD] = "",
                                        [ATTRIBUTE_DTYPE] = "",
                                        [ATTRIBUTE_SIZES] = "a list of sizes",
                                        [ATTRIBUTE_WORDS] = "",
                                        [ATTRIBUTE_REAL] = "a number",
                                        [ATTRIBUTE_REALS] = "a list of numbers"};
    char types[160];
    text_put(text, kinds[spec->kind]);
    if (spec->kind == ATTRIBUTE_WORD || spec->kind == ATTRIBUTE_WORDS)
        put_words(text, spec->kind == ATTRIBUTE_WORD ? "" : "a list of ", spec->words);
    if (spec->kind == ATTRIBUTE_DTYPE)
        text_put(text, dtype_describe_set(spec->dtypes, types, sizeof types));
    if (spec->presence == ATTRIBUTE_OPTIONAL)
        text_put(text, "; may be absent");
    if (spec->presence != ATTRIBUTE_DEFAULT)
        return;
    if (spec->kind == ATTRIBUTE_WORD)
        text_print(text, "; %s by default", spec->words[spec->standard]);
    else if (spec->kind == ATTRIBUTE_DTYPE)
        text_print(text, "; %s by default", dtype_name((enum dtype)spec->standard));
    else if (spec->kind == ATTRIBUTE_BOOLEAN)
        text_print(text, "; %s by default", spec->standard ? "true" : "false");
    else if (spec->kind == ATTRIBUTE_REAL)
        text_print(text, "; %.9g by default",
                   spec->standard_real != 0 ? spec->standard_real : (double)spec->standard);
    else if (spec->kind != ATTRIBUTE_SIZES || spec->standard >= 0)
        text_print(text, "; %lld by default", (long long)spec->standard);
}

// A name that is a keyword of one of the languages gets an underscore.
static const char *variable(const char *name, char text[LINE_SIZE])
{
    static const char *const words[] = {"type",  "range", "default", "in",  "as",     "fn",
                                        "const", "final", "lambda",  "mod", "static", NULL};
    snprintf(text, LINE_SIZE, "%s%s", name, text_index(words, name) >= 0 ? "_" : "");
    return text;
}

static void put_attributes(struct text *text, const struct language *language,
                           const struct operation *operation)
{
    for (unsigned i = 0; i < operation->attribute_count; i++) {
        const char *const name = operation->attributes[i].name;
        char own[LINE_SIZE], line[2 * LINE_SIZE];
        struct text what = {0};
        describe(&what, &operation->attributes[i]);
        snprintf(line, sizeof line, language->line, variable(name, own), name,
                 what.failed ? "" : what.bytes);
        text_put(text, line);
        if (!strcmp(language->name, "c"))
            text_print(text, "    (void)%s;\n", own);
        text->failed |= what.failed;
        text_release(&what);
    }
    if (text->size) // the template has the last line's end
        text->bytes[--text->size] = '\0';
}

static void print_line(const char *format, const char *name)
{
    char line[LINE_SIZE];
    snprintf(line, sizeof line, format, name);
    printf("%s", line);
}

// The first of assay's suites that asks for the operation, as an option; "" where none does.
static enum error find_suite(const char *operation, struct arena *arena, const char **option,
                             struct diagnostic *diagnostic)
{
    char **paths = NULL;
    size_t count = 0;
    const char *const key = arena_print(arena, "op: %s\n", operation);
    enum error error = key ? suites_choose(NULL, arena, &paths, &count, diagnostic)
                           : diagnostic_no_memory(diagnostic);
    *option = "";
    for (size_t i = 0; i < count && !error && !**option; i++) {
        struct document_source source;
        error = file_read(paths[i], arena, &source, diagnostic);
        const char *const stem = error ? NULL : file_stem(paths[i], arena);
        if (stem && memmem(source.text, source.size, key, strlen(key)))
            *option = arena_print(arena, "--suite %s", stem);
        if (!error && !*option)
            error = diagnostic_no_memory(diagnostic);
    }
    return error;
}

// ---- the files --------------------------------------------------------------

struct making {
    const struct language *language;
    const struct operation *operation;
    const char *name, *folder, *suite;
    bool first; // no operation was named
};

static enum error write_files(const struct making *making, struct diagnostic *diagnostic)
{
    const struct language *const language = making->language;
    struct text attributes = {0}, inputs = {0}, outputs = {0};
    char path[PATH_MAX];
    put_attributes(&attributes, language, making->operation);
    for (unsigned i = 0; i < making->operation->input_count; i++)
        text_print(&inputs, "%s%s", i ? ", " : "", making->operation->inputs[i].name);
    put_words(&outputs, "", making->operation->outputs);
    const struct template_word words[] = {{"@NAME@", making->name},
                                          {"@OPERATION@", making->operation->name},
                                          {"@SUITE@", making->suite},
                                          {"@ATTRIBUTES@", attributes.size ? attributes.bytes : ""},
                                          {"@INPUTS@", inputs.size ? inputs.bytes : "none"},
                                          {"@OUTPUTS@", outputs.size ? outputs.bytes : "none"}};
    enum error error = template_folder(making->folder, diagnostic);
    if (!error && (attributes.failed || inputs.failed || outputs.failed))
        error = diagnostic_no_memory(diagnostic);
    snprintf(path, sizeof path, "%.2000s/%s%s", making->folder, making->name, language->ending);
    if (!error)
        error = template_file(making->first ? language->first : language->template, words,
                              sizeof words / sizeof *words, path, diagnostic);
    if (!error)
        printf("%s is there. Fill in compute(), set %s, then:\n\n  cd %s\n", path,
               strcmp(language->name, "go") != 0 ? "DONE" : "done", making->folder);
    snprintf(path, sizeof path, "%.2000s/assay_target.py", making->folder);
    if (!error && !strcmp(language->name, "python"))
        error = template_file("harness/python/assay/target.py", NULL, 0, path, diagnostic);
    text_release(&attributes);
    text_release(&inputs);
    text_release(&outputs);
    return error;
}

static void print_commands(const struct making *making)
{
    if (making->language->build) {
        printf("  ");
        print_line(making->language->build, making->name);
        printf("\n");
    }
    printf("  assay certify ");
    print_line(making->language->run, making->name);
    printf("%s%s\n", *making->suite ? " " : "", making->suite);
}

static int make(const char *name, const char *folder, const struct language *language,
                const struct operation *operation)
{
    struct arena arena = {0};
    struct diagnostic diagnostic;
    struct making making = {.language = language,
                            .operation = operation ? operation : operation_named(FIRST_OPERATION),
                            .name = name,
                            .folder = folder ? folder : name,
                            .first = !operation};
    enum error error = find_suite(making.operation->name, &arena, &making.suite, &diagnostic);
    if (!error)
        error = write_files(&making, &diagnostic);
    if (!error)
        print_commands(&making);
    arena_release(&arena);
    return error ? cli_fail(&diagnostic) : CLI_CONFORMS;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    bool python = false;
    const char *folder = NULL, *operation = NULL, *word = NULL, *declared = NULL;
    const struct cli_option options[] = {
        {"language", CLI_TEXT, &word, "NAME",
         "c (a plugin), python, node, rust or go (process targets); c when not given"},
        {"python", CLI_FLAG, &python, NULL, "as --language python"},
        {"operation", CLI_TEXT, &operation, "OP",
         "the operation to compute (`assay list operations` names them; " FIRST_OPERATION
         " when not given)"},
        {"operators", CLI_TEXT, &declared, "FILE", "an operator of one's own, declared in YAML"},
        {"to", CLI_TEXT, &folder, "DIR", "the folder to make (NAME when not given)"},
    };
    int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    char hint[NEAREST_HINT_SIZE], share[PATH_MAX];
    if (code)
        return code;
    if (!template_is_name(argv[1]))
        return cli_usage(command, "'%s' is no name: " TEMPLATE_NAME, argv[1]);
    const struct language *const language = find_language(word ? word : python ? "python" : "c");
    if (!language || (python && word && strcmp(word, "python") != 0))
        return cli_usage(command, "--language is one of c, python, node, rust and go");
    struct operators operators = {.folder = cli_data_path("yaml/operators", share, sizeof share)};
    struct diagnostic diagnostic = {.text = ""};
    const struct operation *found = NULL;
    if ((declared && operators_add_file(&operators, declared, &diagnostic)) ||
        (operation && operators_find(&operators, operation, &found, &diagnostic)))
        code = cli_fail(&diagnostic);
    else if (operation && !found)
        code = cli_usage(command, "there is no operation '%.80s'%s", operation,
                         operation_hint(operation, hint));
    else
        code = make(argv[1], folder, language, found);
    operators_release(&operators);
    return code;
}

const struct cli_command command_new_target = {
    .name = "new-target",
    .arguments = "NAME [options]",
    .summary = "write the skeleton of a target of your own",
    .help = "Writes a plugin in C, or a process target in Python, JavaScript, Rust or Go, that "
            "builds and runs as it stands and has one function to fill in, and prints how to build "
            "it. With --operation that function begins with the operation's attributes. Existing "
            "files are never replaced.\n\n"
            "  assay new-target acme\n"
            "  assay new-target --language rust --operation onnx.lstm acme",
    .exits = {"written"},
    .takes = {1, 1, "a name"},
    .run = run,
};
