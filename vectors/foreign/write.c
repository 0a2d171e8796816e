// SPDX-License-Identifier: Apache-2.0
// Cases as a suite: its head, one source, the operations that assay does not have, and a line for
// each case in JSON, which YAML reads too. Small tensors stand in the line, as decimals where these
// are the same bits.

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ref/base/bytes.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/share.h"
#include "ref/num/text.h"
#include "vectors/foreign/foreign.h"
#include "vectors/safetensors.h"
#include "yaml/declared/operator.h"

enum { INLINE_MAX = 8, DECLARED_MAX = 256 };

struct writer {
    const struct foreign *foreign;
    const struct foreign_suite *suite;
    const char *file;           // name of the file of tensors
    struct operators operators; // that assay comes with
    struct arena arena;
    struct text text;
    size_t entry_count;
    struct safetensors_entry *entry;
    struct diagnostic *diagnostic;
};

// ---- operations that are declared --------------------------------------------

// In the order of what they hold: an integer is a real, too.
enum kind { KIND_WORD, KIND_BOOLEAN, KIND_INTEGER, KIND_REAL, KIND_INTEGERS, KIND_REALS };

static bool is_integer(const struct document_node *node)
{
    uint64_t bits;
    return !num_parse(DTYPE_I64, node->text, node->count, &bits, NULL) ||
           !num_parse(DTYPE_U64, node->text, node->count, &bits, NULL);
}

static enum error find_kind(const struct document_node *key, const struct document_node *node,
                            enum kind *kind, struct diagnostic *diagnostic)
{
    *kind = KIND_INTEGERS;
    if (node->kind == DOCUMENT_SCALAR)
        *kind = node->quoted                                                  ? KIND_WORD
                : !strcmp(node->text, "true") || !strcmp(node->text, "false") ? KIND_BOOLEAN
                : is_integer(node)                                            ? KIND_INTEGER
                                                                              : KIND_REAL;
    bool right = node->kind != DOCUMENT_MAPPING;
    for (size_t i = 0; node->kind == DOCUMENT_SEQUENCE && i < node->count && right; i++) {
        right = node->item[i]->kind == DOCUMENT_SCALAR && !node->item[i]->quoted;
        if (right && !is_integer(node->item[i]))
            *kind = KIND_REALS;
    }
    return right ? ERROR_NONE
                 : document_fail(node, ERROR_INPUT, diagnostic,
                                 "attribute %.80s: a suite declares words, numbers, booleans and "
                                 "lists of numbers",
                                 key->text);
}

// Whether `name` stands among the first `count`, or is added to them.
static bool note(const char **names, size_t *count, size_t most, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(names[i], name))
            return true;
    if (*count == most)
        return false;
    names[(*count)++] = name;
    return true;
}

struct attribute {
    const char *name;
    enum kind kind;
    const char *words[DECLARED_MAX];
    size_t word_count;
};

struct declared {
    size_t attribute_count, input_count, output_count;
    struct attribute attribute[OPERATION_ATTRIBUTES_MAX];
    const char *input[OPERATION_INPUTS_MAX], *output[OPERATION_OUTPUTS_MAX];
};

static enum error note_attribute(struct declared *to, const struct document_node *key,
                                 const struct document_node *node, struct diagnostic *diagnostic)
{
    enum kind kind;
    size_t i = 0;
    const enum error error = find_kind(key, node, &kind, diagnostic);
    if (error)
        return error;
    while (i < to->attribute_count && strcmp(to->attribute[i].name, key->text) != 0)
        i++;
    if (i == OPERATION_ATTRIBUTES_MAX)
        return document_fail(key, ERROR_INPUT, diagnostic, "more than %d attributes",
                             OPERATION_ATTRIBUTES_MAX);
    struct attribute *const at = &to->attribute[i];
    if (i == to->attribute_count) {
        to->attribute_count++;
        at->name = key->text;
        at->kind = kind;
    }
    if ((at->kind == KIND_INTEGER && kind == KIND_REAL) ||
        (at->kind == KIND_INTEGERS && kind == KIND_REALS))
        at->kind = kind;
    const bool wider = (at->kind == KIND_REAL && kind == KIND_INTEGER) ||
                       (at->kind == KIND_REALS && kind == KIND_INTEGERS);
    if (at->kind != kind && !wider)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "attribute %.80s is of another kind in a case before", key->text);
    return kind != KIND_WORD || note(at->words, &at->word_count, DECLARED_MAX, node->text)
               ? ERROR_NONE
               : document_fail(node, ERROR_INPUT, diagnostic, "attribute %.80s: more than %d words",
                               key->text, DECLARED_MAX);
}

static enum error note_case(struct declared *to, const struct foreign_case *of,
                            struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    bool right = true;
    for (size_t i = 0; of->attributes && i < of->attributes->count && !error; i++)
        error = note_attribute(to, of->attributes->key[i], of->attributes->item[i], diagnostic);
    for (size_t i = 0; i < of->input_count; i++)
        right = right && note(to->input, &to->input_count, OPERATION_INPUTS_MAX, of->input[i].name);
    for (size_t i = 0; i < of->expected_count; i++)
        right = right && note(to->output, &to->output_count, OPERATION_OUTPUTS_MAX - 1,
                              of->expected[i].name);
    return error || right
               ? error
               : diagnostic_fail(diagnostic, ERROR_INPUT,
                                 "operation %.100s has more than %d inputs or %d outputs",
                                 of->op->text, OPERATION_INPUTS_MAX, OPERATION_OUTPUTS_MAX - 1);
}

static void put_names(struct text *text, const char *key, const char *const *names, size_t count)
{
    json_begin_list_at(text, key);
    for (size_t i = 0; i < count; i++)
        json_put_string(text, names[i]);
    json_end_list(text);
}

static void put_declared(struct text *text, const char *name, const struct declared *of)
{
    static const char *const kinds[] = {"", "boolean", "integer", "real", "integers", "reals"};
    text_put(text, "  ");
    json_put_quoted(text, name);
    text_put(text, ": ");
    text->comma = false;
    json_begin_object(text);
    if (of->attribute_count)
        json_begin_object_at(text, "attributes");
    for (size_t i = 0; i < of->attribute_count; i++) {
        const struct attribute *const at = &of->attribute[i];
        if (at->kind == KIND_WORD)
            put_names(text, at->name, at->words, at->word_count);
        else
            json_put_pair(text, at->name, kinds[at->kind]);
    }
    if (of->attribute_count)
        json_end_object(text);
    if (of->input_count)
        put_names(text, "inputs", of->input, of->input_count);
    put_names(text, "outputs", of->output, of->output_count);
    json_end_object(text);
    text_put(text, "\n");
}

static enum error put_operations(struct writer *writer)
{
    const struct foreign *const foreign = writer->foreign;
    struct declared *const declared = arena_take(&writer->arena, sizeof *declared);
    const char *names[DECLARED_MAX];
    size_t count = 0;
    enum error error = declared ? ERROR_NONE : diagnostic_no_memory(writer->diagnostic);
    for (size_t i = 0; i < foreign->count && !error; i++) {
        const char *const name = foreign->cases[i]->op->text;
        const struct operation *own = NULL;
        error = operators_find(&writer->operators, name, &own, writer->diagnostic);
        if (!error && !own && !note(names, &count, DECLARED_MAX, name))
            error = diagnostic_fail(writer->diagnostic, ERROR_INPUT, "more than %d operations",
                                    DECLARED_MAX);
    }
    if (count)
        text_put(&writer->text, "operations:\n");
    for (size_t n = 0; n < count && !error; n++) {
        *declared = (struct declared){.attribute_count = 0};
        for (size_t i = 0; i < foreign->count && !error; i++)
            if (!strcmp(foreign->cases[i]->op->text, names[n]))
                error = note_case(declared, foreign->cases[i], writer->diagnostic);
        if (!error && !declared->output_count)
            error = diagnostic_fail(writer->diagnostic, ERROR_INPUT,
                                    "every case of %.100s must be refused: its outputs are not "
                                    "known",
                                    names[n]);
        if (!error)
            put_declared(&writer->text, names[n], declared);
    }
    return error;
}

// ---- tensors ----------------------------------------------------------------

// Whether decimals say all of the elements' bits.
static bool reads_back(const struct tensor *tensor, uint64_t count)
{
    const size_t size = dtype_size(tensor->dtype);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(tensor->data, size, i);
        char text[NUM_TEXT_SIZE];
        uint64_t again = ~bits;
        const size_t length = num_format(tensor->dtype, bits, text, sizeof text);
        if (num_parse(tensor->dtype, text, length, &again, NULL) || again != bits)
            return false;
    }
    return true;
}

static void put_elements(struct text *text, const struct tensor *tensor, uint64_t count)
{
    char number[NUM_TEXT_SIZE];
    json_begin_list_at(text, "data");
    for (size_t i = 0; i < count; i++) {
        const size_t size = dtype_size(tensor->dtype);
        num_format(tensor->dtype, element_load(tensor->data, size, i), number, sizeof number);
        // JSON has no number for what is not finite.
        const char *const quote = strchr("0123456789.-", number[0]) && number[1] != 'i' ? "" : "\"";
        text_print(text, "%s%s%s%s", i ? ", " : "", quote, number, quote);
    }
    json_end_list(text);
}

static enum error put_tensor(struct writer *writer, const struct foreign_case *of, const char *key,
                             const char *role, const char *name, const struct tensor *tensor)
{
    struct text *const text = &writer->text;
    uint64_t count = 0;
    size_t bytes = 0;
    if (!tensor_count(tensor, &count) || !tensor_bytes(tensor, &bytes))
        return diagnostic_fail(writer->diagnostic, ERROR_TOO_LARGE, "%s is too large", name);
    json_begin_object_at(text, key);
    tensor_put_type(tensor, text);
    if (count <= INLINE_MAX && reads_back(tensor, count)) {
        put_elements(text, tensor, count);
    } else if (count <= INLINE_MAX) {
        tensor_put_bits(tensor->dtype, tensor->data, count, text);
    } else {
        struct safetensors_entry *const entry = &writer->entry[writer->entry_count++];
        unsigned char *const little = arena_take(&writer->arena, bytes);
        *entry = (struct safetensors_entry){
            .name = arena_print(&writer->arena, "%s/%s/%s", of->id, role, name),
            .tensor = *tensor,
            .bytes = little,
            .size = bytes};
        if (!entry->name || !little)
            return diagnostic_no_memory(writer->diagnostic);
        bytes_copy_little_endian(little, tensor->data, dtype_size(tensor->dtype), (size_t)count);
        json_put_pairs(text, {"file", writer->file}, {"tensor", entry->name});
    }
    json_end_object(text);
    return ERROR_NONE;
}

static enum error put_expected(struct writer *writer, const struct foreign_case *of,
                               const struct foreign_tensor *tensor)
{
    if (!tensor_present(&tensor->lower))
        return put_tensor(writer, of, tensor->name, "out", tensor->name, &tensor->value);
    json_begin_object_at(&writer->text, tensor->name);
    enum error error = put_tensor(writer, of, "lower", "lower", tensor->name, &tensor->lower);
    if (!error)
        error = put_tensor(writer, of, "upper", "upper", tensor->name, &tensor->upper);
    if (!error && tensor_present(&tensor->value))
        error = put_tensor(writer, of, "value", "out", tensor->name, &tensor->value);
    json_end_object(&writer->text);
    return error;
}

// ---- cases ------------------------------------------------------------------

static enum error put_case(struct writer *writer, const struct foreign_case *of)
{
    struct text *const text = &writer->text;
    enum error error = ERROR_NONE;
    text_put(text, "  - ");
    text->comma = false;
    json_begin_object(text);
    json_put_pairs(text, {"id", of->id}, {"op", of->op->text});
    put_names(text, "covers", (const char *const[]){"STATED"}, 1);
    if (of->attributes && of->attributes->count)
        json_put_document_at(text, "attributes", of->attributes);
    if (of->input_count)
        json_begin_object_at(text, "inputs");
    for (size_t i = 0; i < of->input_count && !error; i++)
        error =
            put_tensor(writer, of, of->input[i].name, "in", of->input[i].name, &of->input[i].value);
    if (of->input_count)
        json_end_object(text);
    json_put_pair(text, "from", "stated");
    json_put_pair(text, "reject", of->reject);
    if (of->tolerance)
        json_put_document_at(text, "tolerance", of->tolerance);
    if (of->expected_count)
        json_begin_object_at(text, "expected");
    for (size_t i = 0; i < of->expected_count && !error; i++)
        error = put_expected(writer, of, &of->expected[i]);
    if (of->expected_count)
        json_end_object(text);
    json_end_object(text);
    text_put(text, "\n");
    return error;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp((*(struct foreign_case *const *)a)->id, (*(struct foreign_case *const *)b)->id);
}

static enum error check_ids(struct writer *writer)
{
    const struct foreign *const foreign = writer->foreign;
    struct foreign_case **const sorted =
        arena_take_array(&writer->arena, foreign->count, sizeof(struct foreign_case *));
    if (!sorted)
        return diagnostic_no_memory(writer->diagnostic);
    if (!foreign->count)
        return diagnostic_fail(writer->diagnostic, ERROR_INPUT, "there is no case%s%s",
                               foreign->why_left_out ? ": " : "",
                               foreign->why_left_out ? foreign->why_left_out : "");
    memcpy(sorted, foreign->cases, foreign->count * sizeof *sorted);
    qsort(sorted, foreign->count, sizeof *sorted, compare_ids);
    for (size_t i = 1; i < foreign->count; i++)
        if (!strcmp(sorted[i]->id, sorted[i - 1]->id))
            return diagnostic_fail(writer->diagnostic, ERROR_INPUT, "two cases are called %.120s",
                                   sorted[i]->id);
    return ERROR_NONE;
}

// ---- the files --------------------------------------------------------------

static void put_head(struct writer *writer, const char *sha256)
{
    const struct foreign_suite *const suite = writer->suite;
    struct text *const text = &writer->text;
    text_print(text, "suite: %s\nversion: 1.0.0\nspecification: ", suite->name);
    text->comma = false;
    json_put_object(text, {"title", suite->title}, {"source", suite->where});
    text_put(text, "\nrequirements:\n  STATED: {text: \"the values are those that were stated\"}\n"
                   "sources:\n  stated: ");
    text->comma = false;
    json_begin_object(text);
    json_put_pairs(text, {"title", suite->title}, {"source", suite->where},
                   {"file", sha256 ? writer->file : NULL}, {"sha256", sha256});
    json_begin_object_at(text, "origin");
    json_put_pairs(text, {"file", suite->origin}, {"sha256", suite->origin_sha256});
    json_end_object(text);
    if (!strncmp(suite->tolerance, "ulps=", 5)) {
        json_begin_object_at(text, "tolerance");
        json_put_unsigned_at(text, "ulps", strtoull(suite->tolerance + 5, NULL, 10));
        json_end_object(text);
    } else {
        json_put_pair(text, "tolerance", suite->tolerance);
    }
    json_end_object(text);
    text_put(text, "\n");
}

static enum error write_files(struct writer *writer, const char *yaml, const char *tensors)
{
    struct text body = writer->text;
    char sha256[DIGEST_HEX_SIZE];
    enum error error = ERROR_NONE;
    writer->text = (struct text){.bytes = NULL};
    if (writer->entry_count)
        error = safetensors_write(tensors, writer->entry, writer->entry_count, writer->diagnostic);
    if (!error && writer->entry_count)
        error = digest_path(tensors, sha256, writer->diagnostic);
    if (!error) {
        put_head(writer, writer->entry_count ? sha256 : NULL);
        text_put_bytes(&writer->text, body.size ? body.bytes : "", body.size);
        error =
            body.failed || writer->text.failed
                ? diagnostic_no_memory(writer->diagnostic)
                : file_make_with(yaml, writer->text.bytes, writer->text.size, writer->diagnostic);
        if (error && writer->entry_count)
            unlink(tensors);
    }
    text_release(&body);
    return error;
}

static enum error make_suite(struct writer *writer)
{
    const struct foreign *const foreign = writer->foreign;
    const struct foreign_suite *const suite = writer->suite;
    const char *const yaml = arena_print(&writer->arena, "%s/%s.yaml", suite->folder, suite->name);
    const char *const tensors =
        arena_print(&writer->arena, "%s/%s.safetensors", suite->folder, suite->name);
    size_t most = 0;
    writer->file = arena_print(&writer->arena, "%s.safetensors", suite->name);
    for (size_t i = 0; i < foreign->count; i++)
        most += foreign->cases[i]->input_count + 3 * foreign->cases[i]->expected_count;
    writer->entry = arena_take_array(&writer->arena, most, sizeof *writer->entry);
    if (!yaml || !tensors || !writer->file || !writer->entry)
        return diagnostic_no_memory(writer->diagnostic);
    for (unsigned i = 0; i < 2; i++)
        if (!access(i ? tensors : yaml, F_OK))
            return diagnostic_fail(writer->diagnostic, ERROR_INPUT,
                                   "%.400s is there already; it was left as it is",
                                   i ? tensors : yaml);
    enum error error = check_ids(writer);
    if (!error)
        error = put_operations(writer);
    text_put(&writer->text, "cases:\n");
    for (size_t i = 0; i < foreign->count && !error; i++)
        error = put_case(writer, foreign->cases[i]);
    return error ? error : write_files(writer, yaml, tensors);
}

enum error foreign_write(const struct foreign *foreign, const struct foreign_suite *suite,
                         struct diagnostic *diagnostic)
{
    struct writer writer = {.foreign = foreign, .suite = suite, .diagnostic = diagnostic};
    char folder[PATH_MAX];
    writer.operators.folder = share_path("yaml/operators", folder, sizeof folder);
    const enum error error = make_suite(&writer);
    operators_release(&writer.operators);
    text_release(&writer.text);
    arena_release(&writer.arena);
    return error;
}
