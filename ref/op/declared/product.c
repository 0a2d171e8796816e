// SPDX-License-Identifier: Apache-2.0
// Products of two stored tensors by the certified product: the exact sum, rounded once.
//
// Letters that all three tensors go through as through one are one. The longest letter of the left
// operand alone becomes the rows, that of the right alone the columns; what is left over is gone
// through one by one.

#include "ref/op/declared/evaluate.h"

#include <string.h>

#include "ref/base/size.h"
#include "ref/base/threads.h"
#include "ref/num/path.h"
#include "ref/num/product/product.h"
#include "ref/op/declared/movement.h"

enum { LEFT, RIGHT, RESULT, SIDES };

// A letter: its size, and how far its steps lie apart in both operands and in the result.
struct letter {
    uint64_t size;
    ptrdiff_t stride[SIDES];
    bool contracted;
};

struct letters {
    unsigned count;
    struct letter letter[PRODUCT_LETTERS_MAX];
};

static void add_strides(struct letters *letters, unsigned side, unsigned rank, const uint64_t *size,
                        const int8_t *axis)
{
    ptrdiff_t stride = 1;
    for (unsigned i = rank; i-- > 0;) {
        if (axis[i] >= 0)
            letters->letter[axis[i]].stride[side] += size[i] == 1 ? 0 : stride;
        stride *= (ptrdiff_t)size[i];
    }
}

static bool is_one(const struct letter *outer, const struct letter *inner)
{
    bool one = outer->contracted == inner->contracted;
    for (unsigned s = 0; s < SIDES; s++)
        one = one && outer->stride[s] == inner->stride[s] * (ptrdiff_t)inner->size;
    return one;
}

static void read_letters(const struct plan *plan, const struct plan_value *root,
                         struct letters *letters)
{
    const struct plan_product *const product = &plan->product[root->own[0]];
    const unsigned last = plan_operands(plan, root) - 1;
    memset(letters, 0, sizeof *letters);
    letters->count = product->letters;
    for (unsigned i = 0; i < product->letters; i++) {
        letters->letter[i].size = product->size[i];
        letters->letter[i].contracted = i >= product->letters - product->contracted;
    }
    for (unsigned side = 0; side < 2; side++) {
        const struct plan_value *const operand = plan_operand(plan, root, last - 1 + side);
        add_strides(letters, side, operand->rank, operand->size, product->axis[side]);
    }
    add_strides(letters, RESULT, root->rank, root->size, product->out);
    for (unsigned outer = 0; outer < letters->count; outer++)
        for (unsigned inner = 0; inner < letters->count; inner++)
            if (outer != inner && letters->letter[inner].size > 1 &&
                is_one(&letters->letter[outer], &letters->letter[inner])) {
                letters->letter[inner].size *= letters->letter[outer].size;
                letters->letter[outer] = letters->letter[--letters->count];
                outer = (unsigned)-1;
                break;
            }
}

// Takes the longest letter that `side` alone has (SIDES: that is contracted) away; one of size 1
// where there is none.
static struct letter take_letter(struct letters *letters, unsigned side)
{
    unsigned best = PRODUCT_LETTERS_MAX;
    for (unsigned i = 0; i < letters->count; i++) {
        const struct letter *const l = &letters->letter[i];
        const bool fits =
            side == SIDES ? l->contracted : !l->contracted && l->stride[side] && !l->stride[!side];
        if (fits && (best == PRODUCT_LETTERS_MAX || l->size > letters->letter[best].size))
            best = i;
    }
    if (best == PRODUCT_LETTERS_MAX)
        return (struct letter){.size = 1};
    const struct letter taken = letters->letter[best];
    letters->letter[best] = letters->letter[--letters->count];
    return taken;
}

static bool is_narrow(enum dtype type)
{
    return (DTYPE_BIT(type) & (DTYPES_F8 | DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16) |
                               DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_U8) |
                               DTYPE_BIT(DTYPE_I16) | DTYPE_BIT(DTYPE_U16))) != 0;
}

// What lies under words that leave every element where it is.
static const struct plan_value *under_shapes(const struct plan *plan,
                                             const struct plan_value *value)
{
    while (value->kind == PLAN_KEPT && movement_stays(plan_op(plan, value)))
        value = plan_operand(plan, value, 0);
    return value;
}

bool plan_is_product(const struct plan *plan, const struct plan_node *node,
                     const struct plan_value *root)
{
    root = under_shapes(plan, root);
    if (root->kind != PLAN_KEPT || root->narrow ||
        words_row(plan_op(plan, root))->class != CLASS_PRODUCT ||
        !(DTYPE_BIT(node->type) & DTYPES_FLOAT))
        return false;
    const unsigned last = plan_operands(plan, root) - 1;
    for (unsigned side = 0; side < 2; side++) {
        const struct plan_value *const operand =
            under_shapes(plan, plan_operand(plan, root, last - 1 + side));
        if (operand->kind != PLAN_STORED || !is_narrow(operand->type))
            return false;
    }
    struct letters letters;
    read_letters(plan, root, &letters);
    take_letter(&letters, SIDES);
    for (unsigned i = 0; i < letters.count; i++)
        if (letters.letter[i].contracted)
            return false;
    return true;
}

struct multiplication {
    struct plan *plan;
    struct num_operand left, right;
    struct num_result out;
    struct letter row, column;
    char *workspace; // of num_sum_workspace for each thread's part
    size_t each, part;
};

static enum error multiply_rows(void *context, uint64_t first, uint64_t count,
                                struct diagnostic *diagnostic)
{
    const struct multiplication *const of = context;
    const struct num_sum sum = {
        .rows = (size_t)count,
        .columns = of->right.vectors,
        .products = 1,
        .product = {{num_operand_slice(&of->left, (size_t)first, (size_t)count), of->right}}};
    struct num_result out = of->out;
    out.data = (char *)out.data +
               (ptrdiff_t)first * of->row.stride[RESULT] * (ptrdiff_t)dtype_size(out.dtype);
    struct num_path path = {.exact = false};
    const bool counts = of->plan->request->looks != NULL;
    const enum error error = num_sum_round(&sum, &out, of->workspace + first / of->part * of->each,
                                           counts ? &path : NULL, diagnostic);
    of->plan->elements += path.elements;
    of->plan->pairs += path.second - path.third;
    of->plan->settled += path.third;
    return error;
}

static enum error prepare(struct num_operand *operand, const struct plan_value *value, ptrdiff_t at,
                          const struct letter *vectors, const struct letter *depth, unsigned side,
                          void *buffer, struct diagnostic *diagnostic)
{
    const struct num_view view = {
        value->type,           (const char *)value->data + at * (ptrdiff_t)dtype_size(value->type),
        (size_t)vectors->size, (size_t)depth->size,
        vectors->stride[side], depth->stride[side]};
    return num_operand_prepare(operand, &view, buffer, diagnostic);
}

// Goes through the letters that are left over.
static enum error multiply_all(struct multiplication *of, const struct letters *rest,
                               const struct letter *depth, const struct plan_value *const *operand,
                               const struct plan_node *node, void *const *buffer,
                               struct diagnostic *diagnostic)
{
    uint64_t at[PRODUCT_LETTERS_MAX] = {0};
    ptrdiff_t place[SIDES] = {0};
    enum error error = ERROR_NONE;
    bool more = true;
    while (more && !error) {
        error = prepare(&of->left, operand[LEFT], place[LEFT], &of->row, depth, LEFT, buffer[LEFT],
                        diagnostic);
        if (!error)
            error = prepare(&of->right, operand[RIGHT], place[RIGHT], &of->column, depth, RIGHT,
                            buffer[RIGHT], diagnostic);
        of->out.data = (char *)node->data + place[RESULT] * (ptrdiff_t)dtype_size(node->type);
        if (!error)
            error = threads_run(0, of->row.size, of->part, multiply_rows, of, diagnostic);
        more = false;
        for (unsigned i = 0; i < rest->count && !more; i++) {
            more = ++at[i] < rest->letter[i].size;
            for (unsigned s = 0; s < SIDES; s++)
                place[s] +=
                    (more ? 1 : 1 - (ptrdiff_t)rest->letter[i].size) * rest->letter[i].stride[s];
            at[i] = more ? at[i] : 0;
        }
    }
    return error;
}

enum error evaluate_product(struct plan *plan, struct plan_node *node,
                            const struct plan_value *root, struct keep_store *store,
                            struct diagnostic *diagnostic)
{
    root = under_shapes(plan, root);
    const unsigned last = plan_operands(plan, root) - 1;
    const struct plan_value *const operand[2] = {
        under_shapes(plan, plan_operand(plan, root, last - 1)),
        under_shapes(plan, plan_operand(plan, root, last))};
    struct letters letters;
    size_t bytes[2];
    read_letters(plan, root, &letters);
    const struct letter depth = take_letter(&letters, SIDES);
    struct multiplication of = {
        .plan = plan, .row = take_letter(&letters, LEFT), .column = take_letter(&letters, RIGHT)};
    const struct letter *const vectors[2] = {&of.row, &of.column};
    void *buffer[2];
    for (unsigned side = 0; side < 2; side++) {
        if (!num_operand_bytes((size_t)vectors[side]->size, (size_t)depth.size, &bytes[side]))
            return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "an operand is too large");
        buffer[side] = keep_take(store, bytes[side], 1);
    }
    // Each part of the rows has its own workspace, whichever thread takes it.
    const uint64_t threads = threads_available(), rows = of.row.size ? of.row.size : 1;
    const uint64_t parts = rows / 8 < threads ? rows / 8 + 1 : threads;
    of.part = (size_t)((rows + parts - 1) / parts + NUM_PANEL - 1) / NUM_PANEL * NUM_PANEL;
    if (!size_round_up(num_sum_workspace(of.part, (size_t)of.column.size), 64, &of.each))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "a product is too large");
    of.workspace = keep_take(store, (rows + of.part - 1) / of.part, of.each);
    if (!store->base || !root->count)
        return ERROR_NONE;
    of.out = (struct num_result){node->type, NULL, of.row.stride[RESULT], of.column.stride[RESULT]};
    return multiply_all(&of, &letters, &depth, operand, node, buffer, diagnostic);
}
