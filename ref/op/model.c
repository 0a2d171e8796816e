// SPDX-License-Identifier: Apache-2.0
// Evaluation models as documents.

#include "ref/op/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/text.h"
#include "ref/num/text.h"

const struct evaluation_model evaluation_model_standard = {
    .tanh_ulps = 2, .logistic_ulps = 4, .activation_absolute = 0x1p-125, .flush = true};

const struct model_dot model_dots[] = {
    {.name = "accumulator", .products = 1},
    {.name = "any_f8_any_f8_f32", .products = 1, .accumulator = DTYPE_F32},
    {.name = "any_f8_any_f8_f32_fast_accum",
     .products = 1,
     .accumulator = DTYPE_F32,
     .imprecise = true},
    {.name = "f16_f16_f16", .operands = DTYPE_F16, .products = 1, .accumulator = DTYPE_F16},
    {.name = "f16_f16_f32", .operands = DTYPE_F16, .products = 1, .accumulator = DTYPE_F32},
    {.name = "bf16_bf16_bf16", .operands = DTYPE_BF16, .products = 1, .accumulator = DTYPE_BF16},
    {.name = "bf16_bf16_f32", .operands = DTYPE_BF16, .products = 1, .accumulator = DTYPE_F32},
    {.name = "bf16_bf16_f32_x3", .bits = 8, .products = 3, .accumulator = DTYPE_F32},
    {.name = "bf16_bf16_f32_x6", .bits = 8, .products = 6, .accumulator = DTYPE_F32},
    {.name = "bf16_bf16_f32_x9", .bits = 8, .products = 9, .accumulator = DTYPE_F32},
    {.name = "tf32_tf32_f32", .bits = 11, .products = 1, .accumulator = DTYPE_F32},
    {.name = "tf32_tf32_f32_x3", .bits = 11, .products = 3, .accumulator = DTYPE_F32},
    {.name = "f32_f32_f32", .products = 1, .accumulator = DTYPE_F32},
    {.name = "f64_f64_f64", .products = 1, .accumulator = DTYPE_F64},
    {.name = NULL}};

int evaluation_model_dot(const char *name)
{
    for (int i = 0; i < MODEL_DOTS; i++)
        if (!strcmp(model_dots[i].name, name))
            return i;
    return -1;
}

bool evaluation_model_is_plain(const struct evaluation_model *model)
{
    return model->accumulator <= MODEL_BF16_PRODUCTS && model->additions == MODEL_NEAREST &&
           model->intermediates == MODEL_AS_DECLARED && !model->dot;
}

static enum error read_word(const struct document_node *node, const char *const *words,
                            unsigned *value, const char *what, struct diagnostic *diagnostic)
{
    char known[400];
    const enum error error = document_expect(node, DOCUMENT_SCALAR, what, diagnostic);
    if (error)
        return error;
    const int index = text_index(words, node->text);
    *value = (unsigned)index;
    if (index >= 0)
        return ERROR_NONE;
    size_t used = 0;
    for (unsigned i = 0; words[i] && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 !i             ? ""
                                 : words[i + 1] ? ", "
                                                : " or ",
                                 words[i]);
    return document_fail(node, ERROR_INPUT, diagnostic, "%s is '%.80s'; expected %s", what,
                         node->text, known);
}

static enum error read_number(const struct document_node *node, double *value, const char *what,
                              struct diagnostic *diagnostic)
{
    uint64_t bits;
    const enum error error = document_expect(node, DOCUMENT_SCALAR, what, diagnostic);
    if (error)
        return error;
    if (num_parse(DTYPE_F64, node->text, node->count, &bits, NULL) ||
        !isfinite(double_from_bits(bits)) || double_from_bits(bits) < 0)
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "%s is '%.80s'; expected a finite number from 0", what, node->text);
    *value = double_from_bits(bits);
    return ERROR_NONE;
}

enum { WORDS = 7, NUMBERS = 4 };

// OpenCL C 3.0, table "ULP values for single precision built-in math functions": tanh 5; logistic
// is made of exp 3, a sum and a quotient of 2.5, at most 12 ulps.
static void set_functions(struct evaluation_model *model)
{
    if (model->functions != MODEL_OPENCL)
        return;
    model->tanh_ulps = 5;
    model->logistic_ulps = 12;
}

static enum error read_words(const struct document_node *node, struct evaluation_model *model,
                             const char *const *keys, struct diagnostic *diagnostic)
{
    static const char *const words[WORDS][6] = {
        {"f32", "f64", "bf16_products", "f16", "bf16", NULL},
        {"free", "never", "always", NULL},
        {"automatic", "f32", "state", NULL},
        {"stored", "wide", NULL},
        {"nearest", "truncated", NULL},
        {"standard", "opencl", NULL},
        {"declared", "narrow", NULL}};
    unsigned word[WORDS] = {model->accumulator,  model->fused,     model->gates,
                            model->states,       model->additions, model->functions,
                            model->intermediates};
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < WORDS && !error; i++) {
        const struct document_node *const value = document_find(node, keys[i]);
        if (value)
            error = read_word(value, words[i], &word[i], keys[i], diagnostic);
    }
    if (error)
        return error;
    model->accumulator = (enum model_accumulator)word[0];
    model->fused = (enum model_fused)word[1];
    model->gates = (enum model_gates)word[2];
    model->states = (enum model_states)word[3];
    model->additions = (enum model_additions)word[4];
    model->functions = (enum model_functions)word[5];
    model->intermediates = (enum model_intermediates)word[6];
    return ERROR_NONE;
}

static enum error read_dot(const struct document_node *node, struct evaluation_model *model,
                           struct diagnostic *diagnostic)
{
    const char *names[MODEL_DOTS + 1] = {NULL};
    for (unsigned i = 0; i < MODEL_DOTS; i++)
        names[i] = model_dots[i].name;
    return read_word(node, names, &model->dot, "dot", diagnostic);
}

enum error evaluation_model_read(const struct document_node *node, struct evaluation_model *model,
                                 struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"accumulator",   "fused",
                                       "gates",         "states",
                                       "additions",     "functions",
                                       "intermediates", "tanh_ulps",
                                       "logistic_ulps", "activation_absolute",
                                       "erf_absolute",  "flush",
                                       "dot",           NULL};
    double *const numbers[NUMBERS] = {&model->tanh_ulps, &model->logistic_ulps,
                                      &model->activation_absolute, &model->erf_absolute};
    enum error error = document_only_keys(node, keys, "model", diagnostic);
    if (!error)
        error = read_words(node, model, keys, diagnostic);
    if (!error && document_find(node, "functions"))
        set_functions(model);
    for (unsigned i = 0; i < NUMBERS && !error; i++) {
        const struct document_node *const value = document_find(node, keys[WORDS + i]);
        if (value)
            error = read_number(value, numbers[i], keys[WORDS + i], diagnostic);
    }
    const struct document_node *const flush = error ? NULL : document_find(node, "flush"),
                                      *const dot = error ? NULL : document_find(node, "dot");
    if (flush)
        error = document_boolean(flush, &model->flush, "flush", diagnostic);
    return !error && dot ? read_dot(dot, model, diagnostic) : error;
}
