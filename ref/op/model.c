// SPDX-License-Identifier: Apache-2.0
// Evaluation models as documents.

#include "ref/op/model.h"

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/base/text.h"
#include "ref/num/text.h"

const struct evaluation_model evaluation_model_standard = {
    .tanh_ulps = 2, .logistic_ulps = 4, .activation_absolute = 0x1p-125, .flush = true};

static enum error read_word(const struct document_node *node, const char *const *words,
                            unsigned *value, const char *what, struct diagnostic *diagnostic)
{
    const enum error error = document_expect(node, DOCUMENT_SCALAR, what, diagnostic);
    if (error)
        return error;
    const int index = text_index(words, node->text);
    *value = (unsigned)index;
    if (index >= 0)
        return ERROR_NONE;
    return document_fail(node, ERROR_INPUT, diagnostic, "%s is '%.80s'; expected %s, %s or %s",
                         what, node->text, words[0], words[1], words[2] ? words[2] : words[0]);
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

enum error evaluation_model_read(const struct document_node *node, struct evaluation_model *model,
                                 struct diagnostic *diagnostic)
{
    enum { WORDS = 4, NUMBERS = 3 };
    static const char *const keys[] = {
        "accumulator",         "fused", "gates", "states", "tanh_ulps", "logistic_ulps",
        "activation_absolute", "flush", NULL};
    static const char *const words[WORDS][4] = {{"f32", "f64", "bf16_products", NULL},
                                                {"free", "never", "always", NULL},
                                                {"automatic", "f32", "state", NULL},
                                                {"stored", "wide", NULL}};
    unsigned word[WORDS] = {model->accumulator, model->fused, model->gates, model->states};
    double *const numbers[NUMBERS] = {&model->tanh_ulps, &model->logistic_ulps,
                                      &model->activation_absolute};
    enum error error = document_only_keys(node, keys, "model", diagnostic);
    for (unsigned i = 0; i < WORDS + NUMBERS && !error; i++) {
        const struct document_node *const value = document_find(node, keys[i]);
        if (value && i < WORDS)
            error = read_word(value, words[i], &word[i], keys[i], diagnostic);
        else if (value)
            error = read_number(value, numbers[i - WORDS], keys[i], diagnostic);
    }
    const struct document_node *const flush = error ? NULL : document_find(node, "flush");
    if (flush)
        error = document_boolean(flush, &model->flush, "flush", diagnostic);
    if (error)
        return error;
    model->accumulator = (enum model_accumulator)word[0];
    model->fused = (enum model_fused)word[1];
    model->gates = (enum model_gates)word[2];
    model->states = (enum model_states)word[3];
    return ERROR_NONE;
}
