// SPDX-License-Identifier: Apache-2.0
// The letters of products: einsum as NumPy writes it, with `...`, matmul as NumPy has it, and
// dot_general as StableHLO has it.

#include <inttypes.h>
#include <string.h>

#include "ref/op/declared/plan.h"

// While letters are read: what each stands for. Axes under `...` are letters of their own, counted
// from the last.
struct letters {
    unsigned count;
    int name[PRODUCT_LETTERS_MAX]; // a character, or 256 + the place under `...` from the right
    uint64_t size[PRODUCT_LETTERS_MAX];
};

static int letter_of(struct letters *letters, int name)
{
    for (unsigned i = 0; i < letters->count; i++)
        if (letters->name[i] == name)
            return (int)i;
    if (letters->count == PRODUCT_LETTERS_MAX)
        return -1;
    letters->name[letters->count] = name;
    letters->size[letters->count] = 1;
    return (int)letters->count++;
}

// The axes' names of one tensor of a term such as "...ij": as many as `rank` (of the result: as
// many as there are). Returns how many; -1: it cannot be so.
static int spell(const char *term, size_t length, int rank, unsigned rest, int *names)
{
    int count = 0;
    const char *const dots = memchr(term, '.', length) ? strstr(term, "...") : NULL;
    const int written = (int)length - (dots ? 3 : 0),
              under = dots ? (rank < 0 ? (int)rest : rank - written) : 0;
    if (under < 0 || written + under > GRAPH_RANK_MAX || (rank >= 0 && written + under != rank))
        return -1;
    for (size_t i = 0; i < length;) {
        if (term[i] == '.') {
            for (int k = under; k > 0; k--)
                names[count++] = 256 + k;
            i += 3;
        } else {
            names[count++] = (unsigned char)term[i++];
        }
    }
    return count;
}

static enum error refuse_rank(const char *what, const struct plan_value *operand,
                              struct diagnostic *diagnostic)
{
    char text[160];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "a product %s does not fit an operand of shape %s", what,
                           plan_describe(operand->rank, operand->size, text, sizeof text));
}

static enum error take_axes(struct plan_product *product, struct letters *letters, unsigned side,
                            const struct plan_value *operand, const int *names, const char *what,
                            struct diagnostic *diagnostic)
{
    for (unsigned i = 0; i < operand->rank; i++) {
        const int letter = letter_of(letters, names[i]);
        if (letter < 0)
            return refuse_rank(what, operand, diagnostic);
        uint64_t *const size = &letters->size[letter];
        if (*size == 1)
            *size = operand->size[i];
        else if (operand->size[i] != 1 && operand->size[i] != *size)
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "a product %s has sizes %" PRIu64 " and %" PRIu64
                                   " for one index",
                                   what, *size, operand->size[i]);
        product->axis[side][i] = (int8_t)letter;
    }
    return ERROR_NONE;
}

// Puts contracted letters last, and sets -1 where one element serves all.
static void settle_letters(struct plan *plan, struct plan_value *value,
                           struct plan_product *product, const struct letters *letters)
{
    int8_t place[PRODUCT_LETTERS_MAX] = {0};
    bool kept[PRODUCT_LETTERS_MAX] = {false};
    for (unsigned i = 0; i < value->rank; i++)
        kept[product->out[i]] = true;
    product->letters = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < letters->count; i++)
            if (kept[i] == (pass == 0)) {
                product->size[product->letters] = letters->size[i];
                place[i] = (int8_t)product->letters++;
                product->contracted += pass;
            }
    for (unsigned i = 0; i < value->rank; i++) {
        value->size[i] = letters->size[product->out[i]];
        product->out[i] = place[product->out[i]];
    }
    for (unsigned side = 0; side < 2; side++) {
        const struct plan_value *const operand =
            plan_operand(plan, value, plan_operands(plan, value) - 2 + side);
        for (unsigned i = 0; i < operand->rank; i++) {
            const int letter = product->axis[side][i];
            product->axis[side][i] =
                operand->size[i] == 1 && letters->size[letter] != 1 ? (int8_t)-1 : place[letter];
        }
    }
}

// As matmul of NumPy: the terms of an einsum for these ranks.
static const char *matmul_text(unsigned left, unsigned right)
{
    return left == 1 && right == 1 ? "k,k->"
           : left == 1             ? "k,...kj->...j"
           : right == 1            ? "...ik,k->...i"
                                   : "...ik,...kj->...ij";
}

// The letters of the result, which the operands have.
static bool give_axes(struct plan_value *value, struct plan_product *product,
                      struct letters *letters, const int *names, int rank)
{
    const unsigned known = letters->count;
    bool right = rank >= 0 && rank <= GRAPH_RANK_MAX;
    value->rank = right ? (unsigned)rank : 0;
    for (unsigned i = 0; i < value->rank && right; i++) {
        const int letter = letter_of(letters, names[i]);
        right = letter >= 0 && (unsigned)letter < known;
        product->out[i] = (int8_t)letter;
    }
    return right;
}

// einsum and matmul: axes have the letters of a text.
static enum error take_terms(struct plan_value *value, struct plan_product *product,
                             struct letters *letters, const struct plan_value *const *operand,
                             const char *text, bool matmul, struct diagnostic *diagnostic)
{
    int names[2 * GRAPH_RANK_MAX];
    unsigned rest = 0;
    const char *term = text;
    for (unsigned side = 0; side < 2; side++) {
        const size_t length = strcspn(term, ",-");
        const size_t written = length - (memchr(term, '.', length) ? 3 : 0);
        if ((matmul && operand[side]->rank == 0) ||
            spell(term, length, (int)operand[side]->rank, 0, names) < 0)
            return refuse_rank(text, operand[side], diagnostic);
        if (operand[side]->rank - written > rest && memchr(term, '.', length))
            rest = operand[side]->rank - (unsigned)written;
        const enum error error =
            take_axes(product, letters, side, operand[side], names, text, diagnostic);
        if (error)
            return error;
        term += length + 1;
    }
    term++; // the second half of ->
    const int rank = spell(term, strlen(term), -1, rest, names);
    return give_axes(value, product, letters, names, rank)
               ? ERROR_NONE
               : refuse_rank(text, operand[0], diagnostic);
}

// ---- dot_general ------------------------------------------------------------

// Names of letters: of batches, of what is contracted, and of what one operand alone has.
enum { NAME_BATCH = 0, NAME_CONTRACTED = GRAPH_RANK_MAX, NAME_FREE = 2 * GRAPH_RANK_MAX };

// Gives the axes that a list names the letters from `first` on.
static enum error name_axes(struct plan *plan, uint16_t list, const struct plan_value *operand,
                            int first, int *names, unsigned *count, struct diagnostic *diagnostic)
{
    int64_t axis[GRAPH_RANK_MAX];
    enum error error = plan_integers(plan, list, GRAPH_RANK_MAX, axis, count, diagnostic);
    for (unsigned i = 0; i < *count && !error; i++) {
        if (axis[i] < 0 || axis[i] >= (int64_t)operand->rank)
            error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                    "axis %" PRId64 " of a product is outside the %u dimensions "
                                    "there are",
                                    axis[i], operand->rank);
        else if (names[axis[i]] < NAME_FREE)
            error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                    "axis %" PRId64 " of a product is named twice", axis[i]);
        else
            names[axis[i]] = first + (int)i;
    }
    return error;
}

static enum error check_pairs(const unsigned *counts, const int (*names)[GRAPH_RANK_MAX],
                              const struct plan_value *const *operand,
                              struct diagnostic *diagnostic)
{
    for (unsigned pair = 0; pair < 4; pair += 2)
        if (counts[pair] != counts[pair + 1])
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "a product has %u and %u %s axes of its operands", counts[pair],
                                   counts[pair + 1], pair ? "contracted" : "batch");
    for (unsigned i = 0; i < operand[0]->rank; i++)
        for (unsigned j = 0; j < operand[1]->rank; j++)
            if (names[0][i] == names[1][j] && operand[0]->size[i] != operand[1]->size[j])
                return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                       "axes %u and %u of a product have sizes %" PRIu64
                                       " and %" PRIu64,
                                       i, j, operand[0]->size[i], operand[1]->size[j]);
    return ERROR_NONE;
}

// Axes are named by lists; the result has the batches, then what the first operand alone has, then
// what the second has.
static enum error take_lists(struct plan *plan, struct plan_value *value,
                             struct plan_product *product, struct letters *letters,
                             const struct plan_value *const *operand, struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    int names[2][GRAPH_RANK_MAX], out[3 * GRAPH_RANK_MAX];
    unsigned counts[4] = {0};
    enum error error = ERROR_NONE;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < GRAPH_RANK_MAX; i++)
            names[side][i] = NAME_FREE + (int)(side * GRAPH_RANK_MAX + i);
    for (unsigned i = 0; i < 4 && !error; i++)
        error = name_axes(plan, e->operand[i], operand[i % 2], i < 2 ? NAME_BATCH : NAME_CONTRACTED,
                          names[i % 2], &counts[i], diagnostic);
    if (!error)
        error = check_pairs(counts, (const int(*)[GRAPH_RANK_MAX])names, operand, diagnostic);
    int rank = 0;
    for (unsigned i = 0; i < counts[0]; i++)
        out[rank++] = NAME_BATCH + (int)i;
    for (unsigned side = 0; side < 2 && !error; side++) {
        error =
            take_axes(product, letters, side, operand[side], names[side], "of axes", diagnostic);
        for (unsigned i = 0; i < operand[side]->rank; i++)
            if (names[side][i] >= NAME_FREE)
                out[rank++] = names[side][i];
    }
    return error || give_axes(value, product, letters, out, rank)
               ? error
               : diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                                 "a product of rank %d; at most %d are supported", rank,
                                 GRAPH_RANK_MAX);
}

enum error plan_shape_product(struct plan *plan, struct plan_value *value,
                              struct diagnostic *diagnostic)
{
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const struct plan_value *const operand[2] = {plan_operand(plan, value, e->count - 2u),
                                                 plan_operand(plan, value, e->count - 1u)};
    const bool matmul = e->op == WORD_MATMUL;
    struct letters letters = {0};
    if (plan->products == PRODUCTS_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "more than %d products", PRODUCTS_MAX);
    struct plan_product *const product = &plan->product[plan->products];
    *product = (struct plan_product){0};
    value->own[0] = plan->products++;
    value->kind = PLAN_KEPT;
    value->natural =
        operand[0]->natural >= operand[1]->natural ? operand[0]->natural : operand[1]->natural;
    const enum error error =
        e->op == WORD_DOT_GENERAL
            ? take_lists(plan, value, product, &letters, operand, diagnostic)
            : take_terms(value, product, &letters, operand,
                         matmul ? matmul_text(operand[0]->rank, operand[1]->rank)
                                : plan->graph->expression[e->operand[0]].text,
                         matmul, diagnostic);
    if (!error)
        settle_letters(plan, value, product, &letters);
    return error;
}
