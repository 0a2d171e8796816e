// SPDX-License-Identifier: Apache-2.0
// Stored values: the sources or the program that state them, and the operations that have no other
// values.

#include <string.h>

#include "ref/base/digest.h"
#include "ref/op/stored.h"
#include "yaml/suite_words.h"

enum { ULPS_MAX = 1 << 20 };

bool suite_case_is_stored(const struct suite_case *of)
{
    return of->from || of->asked;
}

int suite_compare_tensors(const void *a, const void *b)
{
    const struct suite_tensor *const left = a, *const right = b;
    const int files = strcmp(left->file ? left->file : "", right->file ? right->file : "");
    return files ? files : strcmp(left->name, right->name);
}

const struct operation *suite_operation_named(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->declared_count; i++)
        if (!strcmp(suite->declared[i].name, name))
            return &suite->declared[i];
    return operation_named(name);
}

// ---- tolerances -------------------------------------------------------------

// `bits`, or {ulps: N}.
enum error suite_read_tolerance(const struct document_node *node, struct suite_tolerance *to,
                                struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"ulps", NULL};
    long long ulps = 0;
    if (node->kind == DOCUMENT_SCALAR && !strcmp(node->text, "bits")) {
        *to = (struct suite_tolerance){.ulps = 0};
        return ERROR_NONE;
    }
    const struct document_node *const number =
        node->kind == DOCUMENT_MAPPING ? document_find(node, "ulps") : NULL;
    if (!number)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "a tolerance is bits or {ulps: N}; an interval is stated as {lower, "
                             "upper} in place of a value");
    enum error error = document_only_keys(node, keys, "a tolerance", diagnostic);
    if (!error)
        error = document_integer(number, 1, ULPS_MAX, &ulps, "ulps", diagnostic);
    to->ulps = (uint64_t)ulps;
    return error;
}

// ---- sources ----------------------------------------------------------------

static bool is_digest(const char *text)
{
    return strlen(text) == DIGEST_HEX_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == DIGEST_HEX_SIZE - 1;
}

static bool is_below(const char *path)
{
    return path[0] != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
}

// `file` and `sha256` of a mapping, both or neither.
static enum error read_file(const struct document_node *node, const char **file,
                            const char **sha256, struct diagnostic *diagnostic)
{
    enum error error = suite_read_text(node, "file", false, file, diagnostic);
    if (!error)
        error = suite_read_text(node, "sha256", *file != NULL, sha256, diagnostic);
    if (!error && *sha256 && (!*file || !is_digest(*sha256)))
        error = document_fail(document_find(node, "sha256"), ERROR_INPUT, diagnostic,
                              "sha256 goes with file, and is 64 lower-case hexadecimal digits");
    return error;
}

static enum error read_source(const struct document_node *key, const struct document_node *node,
                              struct suite_source *to, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"title",  "source",    "file", "sha256",
                                       "origin", "tolerance", NULL};
    static const char *const origin_keys[] = {"file", "sha256", NULL};
    to->id = key->text;
    enum error error = suite_check_word(key, key->text, false, "source", diagnostic);
    if (!error)
        error = document_only_keys(node, keys, "a source", diagnostic);
    if (!error)
        error = suite_read_text(node, "title", true, &to->title, diagnostic);
    if (!error)
        error = suite_read_text(node, "source", false, &to->where, diagnostic);
    if (!error)
        error = read_file(node, &to->file, &to->sha256, diagnostic);
    if (!error && to->file && !is_below(to->file))
        error = document_fail(document_find(node, "file"), ERROR_INPUT, diagnostic,
                              "the file of a source lies beside its suite, or below");
    const struct document_node *const origin = error ? NULL : document_find(node, "origin"),
                                      *const tolerance =
                                          error ? NULL : document_find(node, "tolerance");
    if (origin && !(error = document_only_keys(origin, origin_keys, "origin", diagnostic)))
        error = read_file(origin, &to->origin, &to->origin_sha256, diagnostic);
    if (!error && tolerance)
        error = suite_read_tolerance(tolerance, &to->tolerance, diagnostic);
    return error;
}

static enum error read_sources(struct suite *suite, const struct document_node *node,
                               struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "sources", diagnostic);
    if (error)
        return error;
    suite->sources = arena_take_array(&suite->arena, node->count, sizeof *suite->sources);
    if (!suite->sources)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++)
        error = read_source(node->key[i], node->item[i], &suite->sources[suite->source_count++],
                            diagnostic);
    return error;
}

// ---- the program ------------------------------------------------------------

static enum error read_program(struct suite *suite, const struct document_node *node,
                               struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"exec", "files", "tolerance", NULL};
    struct suite_program *const program = &suite->program;
    enum error error = document_only_keys(node, keys, "reference", diagnostic);
    if (!error)
        error = suite_read_text(node, "exec", true, &program->command, diagnostic);
    const struct document_node *const files = error ? NULL : document_find(node, "files"),
                                      *const tolerance =
                                          error ? NULL : document_find(node, "tolerance");
    if (!error && tolerance)
        error = suite_read_tolerance(tolerance, &program->tolerance, diagnostic);
    if (error || !files)
        return error;
    if ((error = document_expect(files, DOCUMENT_SEQUENCE, "files", diagnostic)))
        return error;
    program->files = arena_take_array(&suite->arena, files->count, sizeof *program->files);
    if (!program->files)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < files->count && !error; i++) {
        const struct document_node *const file = files->item[i];
        error = document_expect(file, DOCUMENT_SCALAR, "a file", diagnostic);
        if (!error && !is_below(file->text))
            error = document_fail(file, ERROR_INPUT, diagnostic,
                                  "files of the program lie beside the suite, or below");
        program->files[program->count++] = file->text;
    }
    return error;
}

enum error suite_read_stored(struct suite *suite, const struct document_node *root,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const sources = document_find(root, "sources"),
                                      *const operations = document_find(root, "operations"),
                                      *const reference = document_find(root, "reference");
    enum error error = sources ? read_sources(suite, sources, diagnostic) : ERROR_NONE;
    if (!error && operations)
        error = suite_read_declared(suite, operations, diagnostic);
    if (!error && reference)
        error = read_program(suite, reference, diagnostic);
    suite->stored = error ? NULL
                          : arena_take_array(&suite->arena, operation_count + OPERATORS_MAX,
                                             sizeof *suite->stored);
    return error || suite->stored ? error : diagnostic_no_memory(diagnostic);
}

// ---- a case -----------------------------------------------------------------

// An operation over stored values that has the names of assay's own.
static const struct operation *stored_like(struct suite *suite, const struct operation *own)
{
    for (size_t i = 0; i < suite->stored_count; i++)
        if (!strcmp(suite->stored[i].name, own->name))
            return &suite->stored[i];
    stored_operation(own, false, &suite->stored[suite->stored_count]);
    return &suite->stored[suite->stored_count++];
}

static enum error find_source(const struct suite *suite, const struct document_node *node,
                              const struct suite_source **source, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_SCALAR, "from", diagnostic);
    for (size_t i = 0; i < suite->source_count && !error && !*source; i++)
        *source = strcmp(suite->sources[i].id, node->text) ? NULL : &suite->sources[i];
    if (!error && !*source)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "there is no source '%.80s'; `sources` of the suite names them",
                              node->text);
    return error;
}

enum error suite_read_from(struct suite *suite, const struct document_node *node,
                           struct suite_case *of, struct diagnostic *diagnostic)
{
    static const char *const without[] = {"agrees", "survive", "level",    "model",  "runs",
                                          "step",   "window",  "unbiased", "printed"};
    const struct document_node *const from = document_find(node, "from"), *const expected =
                                                                              document_find(
                                                                                  node, "expected");
    const bool declared = suite->declared_count && of->operation >= suite->declared &&
                          of->operation < suite->declared + suite->declared_count;
    enum error error = from ? find_source(suite, from, &of->from, diagnostic) : ERROR_NONE;
    if (error)
        return error;
    of->derived = declared ? NULL : of->operation;
    of->asked = suite->program.command && !from;
    if (!suite_case_is_stored(of) && declared)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "assay derives nothing of %s: the case says `from` which source its "
                             "values are",
                             of->operation->name);
    if (from && !expected == !of->reject)
        return document_fail(from, ERROR_INPUT, diagnostic,
                             "from goes with either expected or reject");
    if (expected && !from)
        return document_fail(expected, ERROR_INPUT, diagnostic,
                             "expected goes with from: who states these values?");
    if (document_find(node, "tolerance") && (!suite_case_is_stored(of) || of->reject))
        return document_fail(document_find(node, "tolerance"), ERROR_INPUT, diagnostic,
                             "a tolerance is for values that are stored; what assay derives has "
                             "bits or bounds");
    for (size_t i = 0; suite_case_is_stored(of) && i < sizeof without / sizeof *without; i++)
        if (document_find(node, without[i]))
            return document_fail(document_find(node, without[i]), ERROR_INPUT, diagnostic,
                                 "%s cannot be combined with values that are stored", without[i]);
    if (suite_case_is_stored(of) && !declared)
        of->operation = stored_like(suite, of->operation);
    return suite_case_is_stored(of) && !of->reject
               ? suite_describe_tolerance(suite, node, of, diagnostic)
               : ERROR_NONE;
}
