// SPDX-License-Identifier: Apache-2.0
// A specimen as YAML: every value is written out, only what differs from a default is named.

#include <stdlib.h>
#include <limits.h>
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "harness/judge/compare/compare.h"
#include "harness/judge/search/specimen.h"
#include "ref/op/declared/graph.h"
#include "ref/base/json.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"
#include "ref/variant/variant.h"
#include "yaml/relation.h"

enum { VALUES_A_LINE = 16, EQUAL_VALUES_MAX = 64 };

static void add_number(struct text *text, enum dtype dtype, uint64_t bits)
{
    char number[NUM_TEXT_SIZE];
    num_format(dtype, bits, number, sizeof number);
    text_print(text, "%s", number);
}

static void add_list(struct text *text, const struct attribute_spec *spec,
                     const struct attribute_value *value)
{
    text_print(text, "[");
    for (size_t i = 0; i < value->count; i++) {
        text_print(text, "%s", i ? ", " : "");
        if (spec->kind == ATTRIBUTE_SIZES)
            text_print(text, "%" PRId64, value->integers[i]);
        else if (spec->kind == ATTRIBUTE_WORDS)
            json_put_quoted(text, spec->words[value->integers[i]]);
        else
            add_number(text, DTYPE_F32, float_bits((float)value->reals[i]));
    }
    text_print(text, "]");
}

static void add_attribute(struct text *text, const struct attribute_spec *spec,
                          const struct attribute_value *value)
{
    switch (spec->kind) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_INTEGER64:
        text_print(text, "%" PRId64, value->integer);
        break;
    case ATTRIBUTE_BOOLEAN:
        text_print(text, "%s", value->integer ? "true" : "false");
        break;
    case ATTRIBUTE_WORD:
        json_put_quoted(text, spec->words[value->integer]);
        break;
    case ATTRIBUTE_DTYPE:
        text_print(text, "%s", dtype_name((enum dtype)value->integer));
        break;
    case ATTRIBUTE_REAL:
        add_number(text, DTYPE_F32, float_bits((float)value->real));
        break;
    case ATTRIBUTE_SIZES:
    case ATTRIBUTE_WORDS:
    case ATTRIBUTE_REALS:
        add_list(text, spec, value);
        break;
    }
}

static bool is_standard(const struct attribute_spec *spec, const struct attribute_value *value)
{
    if (spec->presence != ATTRIBUTE_DEFAULT)
        return !value->present;
    if (spec->kind == ATTRIBUTE_REAL)
        return value->real ==
               (spec->standard_real != 0 ? spec->standard_real : (double)spec->standard);
    if (spec->kind == ATTRIBUTE_SIZES)
        return spec->standard < 0 ? !value->count
                                  : value->count == 1 && value->integers[0] == spec->standard;
    return spec->kind == ATTRIBUTE_REALS || spec->kind == ATTRIBUTE_WORDS
               ? !value->count
               : value->integer == spec->standard;
}

static void add_tensor(struct text *text, const struct tensor *tensor, int indent)
{
    const size_t size = dtype_size(tensor->dtype);
    uint64_t count = 0;
    bool equal = true, nan = false;
    if (!tensor_count(tensor, &count))
        return;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = element_load(tensor->data, size, (size_t)i);
        equal = equal && bits == element_load(tensor->data, size, 0);
        nan = nan || compare_is_nan(tensor->dtype, bits);
    }
    const bool fill = equal && count > EQUAL_VALUES_MAX && !nan, alone = tensor->rank == 0;
    text_print(text, "{%sdtype: %s, shape: [", fill ? "fill: cycle, " : "",
               dtype_name(tensor->dtype));
    for (unsigned d = 0; d < tensor->rank; d++)
        text_print(text, "%s%" PRIu64, d ? ", " : "", tensor->shape[d]);
    text_print(text, "], %s: %s", fill ? "values" : nan ? "bits" : "data", alone ? "" : "[");
    for (uint64_t i = 0; i < (fill ? 1 : count); i++) {
        char hex[2 * sizeof(uint64_t) + 1];
        const uint64_t bits = element_load(tensor->data, size, (size_t)i);
        if (i)
            text_print(text, i % VALUES_A_LINE ? ", " : ",\n%*s", i % VALUES_A_LINE ? 0 : indent,
                       "");
        bytes_write_hex(hex, bits, size);
        if (nan)
            text_print(text, "\"%s\"", hex);
        else
            add_number(text, tensor->dtype, bits);
    }
    text_print(text, "%s}", alone ? "" : "]");
}

static void add_overrides(struct text *text, const struct suite_case *of, int indent)
{
    if (!of->override_count)
        return;
    text_print(text, "%*schoices: {", indent, "");
    for (size_t i = 0; i < of->override_count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || !strcmp(of->overrides[k].choice, of->overrides[i].choice);
        if (seen)
            continue;
        text_print(text, "%s%s: {", i ? ", " : "", of->overrides[i].choice);
        for (int class = SUITE_ALLOWED; class <= SUITE_DEVIANT; class ++) {
            text_print(text, "%s: [", class == SUITE_ALLOWED ? "allowed" : "], deviant");
            bool first = true;
            for (size_t k = i; k < of->override_count; k++)
                if (!strcmp(of->overrides[k].choice, of->overrides[i].choice) &&
                    (int)of->overrides[k].class == class) {
                    text_print(text, "%s\"%s\"", first ? "" : ", ", of->overrides[k].option);
                    first = false;
                }
        }
        text_print(text, "]}");
    }
    text_print(text, "}\n");
}

static void add_outputs(struct text *text, const struct request *request, int indent)
{
    const char *separator = "";
    if (!request->outputs)
        return;
    text_print(text, "%*soutputs: [", indent, "");
    for (unsigned i = 0; request->operation->outputs[i]; i++)
        if (request->outputs >> i & 1) {
            text_print(text, "%s%s", separator, request->operation->outputs[i]);
            separator = ", ";
        }
    text_print(text, "]\n");
}

void specimen_write_attributes(const struct specimen *specimen, struct text *text)
{
    const struct request *const request = &specimen->request;
    const char *separator = "";
    text_print(text, "{");
    for (unsigned i = 0; i < request->operation->attribute_count; i++) {
        if (is_standard(&request->operation->attributes[i], &request->attribute[i]))
            continue;
        text_print(text, "%s%s: ", separator, request->operation->attributes[i].name);
        add_attribute(text, &request->operation->attributes[i], &request->attribute[i]);
        separator = ", ";
    }
    text_print(text, "}");
}

enum error specimen_write_case(const struct specimen *specimen, const char *id, int indent,
                               struct text *text, struct diagnostic *diagnostic)
{
    assert(indent >= 0);
    static const char *const levels[] = {NULL, "bits", "bound", "distribution"};
    const struct request *const request = &specimen->request;
    const struct operation *const operation = request->operation;
    const struct suite_case *const of = specimen->of;
    const int inner = indent + 2;
    text_print(text, "%*s- id: %s\n%*scovers: [", indent, "", id, inner, "");
    for (size_t i = 0; i < of->covers_count; i++)
        text_print(text, "%s%s", i ? ", " : "", specimen->suite->requirement[of->covers[i]].id);
    text_print(text, "]\n%*sop: %s\n", inner, "", operation->name);
    if (!suite_case_is_answered(of)) {
        text_print(text, "%*s%s: ", inner, "", of->reject ? "reject" : "survive");
        json_put_quoted(text, of->reject ? of->reject : of->survive);
        text_print(text, "\n");
    }
    if (of->relation.kind) {
        text_print(text, "%*s", inner, "");
        text->comma = false;
        const enum error error = relation_put(specimen->suite, of, text, diagnostic);
        if (error)
            return error;
        text_print(text, "\n");
    }
    if (of->level)
        text_print(text, "%*slevel: %s\n", inner, "", levels[of->level]);
    add_overrides(text, of, inner);
    text_print(text, "%*sattributes: ", inner, "");
    specimen_write_attributes(specimen, text);
    text_print(text, "\n");
    bool any = false;
    for (unsigned i = 0; i < operation->input_count; i++)
        if (tensor_present(&request->input[i])) {
            if (!any)
                text_print(text, "%*sinputs:\n", inner, "");
            any = true;
            text_print(text, "%*s%s: ", inner + 2, "", operation->inputs[i].name);
            add_tensor(text, &request->input[i], inner + 6);
            text_print(text, "\n");
        }
    add_outputs(text, request, inner);
    if (request->windowed)
        text_print(text, "%*swindow: [%" PRIu64 ", %" PRIu64 "]\n", inner, "",
                   request->window_first, request->window_count);
    if (request->runs > 1)
        text_print(text, "%*sruns: %u\n", inner, "", request->runs);
    return text->failed ? diagnostic_no_memory(diagnostic) : ERROR_NONE;
}

// The options of one choice of the operation that the suite puts in `class`, but the default.
static void add_class(struct text *text, const struct specimen *specimen,
                      const struct choice *choice, const struct suite_choice *of,
                      enum suite_class class)
{
    bool any = false;
    for (const char *const *option = choice->options + 1; *option; option++)
        for (size_t i = 0; i < of->count; i++)
            if (!strcmp(of->option[i], *option) && of->class[i] == class) {
                text_print(text, "%s\"%s\"",
                           any                      ? ", "
                           : class == SUITE_ALLOWED ? ", allowed: ["
                                                    : ", deviant: [",
                           *option);
                any = true;
            }
    if (any)
        text_print(text, "]");
    (void)specimen;
}

// Where an operator of the suite's own stands, wherever the suite will.
static void put_operator(struct text *text, const struct suite *suite,
                         const struct operation *operation)
{
    char path[PATH_MAX];
    const char *const folder = suite->operators.folder;
    if (!declared_is(operation) || !declared_graph(operation)->path ||
        (folder && !strncmp(declared_graph(operation)->path, folder, strlen(folder))) ||
        !realpath(declared_graph(operation)->path, path))
        return;
    text_print(text, "\noperators: [");
    json_put_quoted(text, path);
    text_print(text, "]");
}

enum error specimen_write_suite(const struct specimen *specimen, const char *name,
                                struct text *text, struct diagnostic *diagnostic)
{
    const struct suite *const suite = specimen->suite;
    const struct suite_case *const of = specimen->of;
    const struct operation *const operation = specimen->request.operation;
    text_print(text, "suite: %s\nversion: %s\nspecification:\n  title: ", name, suite->version);
    json_put_quoted(text, suite->title);
    put_operator(text, suite, operation);
    text_print(text, "\nrequirements:\n");
    for (size_t i = 0; i < of->covers_count; i++) {
        const struct suite_requirement *const requirement = &suite->requirement[of->covers[i]];
        text_print(text, "  %s: {text: ", requirement->id);
        json_put_quoted(text, requirement->text);
        if (requirement->clause) {
            text_print(text, ", clause: ");
            json_put_quoted(text, requirement->clause);
        }
        text_print(text, "}\n");
    }
    if (variant_choice_count(operation))
        text_print(text, "choices:\n");
    for (unsigned i = 0; i < variant_choice_count(operation); i++) {
        const struct choice *const choice = variant_choice(operation, i);
        text_print(text, "  %s: {default: \"%s\"", choice->name, choice->options[0]);
        for (size_t k = 0; k < suite->choice_count; k++)
            if (!strcmp(suite->choice[k].name, choice->name)) {
                add_class(text, specimen, choice, &suite->choice[k], SUITE_ALLOWED);
                add_class(text, specimen, choice, &suite->choice[k], SUITE_DEVIANT);
            }
        text_print(text, "}\n");
    }
    text_print(text, "cases:\n");
    return specimen_write_case(specimen, of->id, 2, text, diagnostic);
}
