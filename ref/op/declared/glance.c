// SPDX-License-Identifier: Apache-2.0
// The glance at elementwise expressions: the expression as steps on runs, in one order, made once
// for a box (glance_look.c goes through them for every run of leaves).

#include "ref/op/declared/look.h"

#include <math.h>
#include <string.h>

#include "ref/base/isa.h"
#include "ref/num/function/function_estimate.h"

const struct glance_form *glance_form_chosen(void)
{
    return ISA_FORM(isa_chosen(), &glance_form, &glance_form_portable);
}

// ---- making -----------------------------------------------------------------

enum { NONE = -1 };

static int new_slot(struct glance *glance, const struct plan_value *value)
{
    if (glance->slots == GLANCE_SLOTS_MAX)
        return NONE;
    glance->slot[glance->slots] = (struct glance_slot){.value = value, .room = GLANCE_ROOMS};
    return (int)glance->slots++;
}

// A room that is not in `but`.
static bool take_room(struct glance *glance, int slot, unsigned but)
{
    unsigned room = 0;
    while (room < GLANCE_ROOMS && (but >> room & 1))
        room++;
    glance->slot[slot].room = (uint8_t)room;
    glance->taken |= 1U << room;
    glance->used |= 1U << room;
    return room < GLANCE_ROOMS;
}

static int number_slot(struct glance *glance, struct glance_run number)
{
    const int slot =
        !isnan(number.number) && number.absolute < (double)INFINITY ? new_slot(glance, NULL) : NONE;
    if (slot != NONE)
        glance->slot[slot].number = number;
    return slot;
}

static bool is_same_leaf(const struct look_leaf *a, const struct look_leaf *b, unsigned rank)
{
    return a->value == b->value ||
           (a->value->kind == PLAN_STORED && b->value->kind == PLAN_STORED &&
            a->value->data == b->value->data && a->value->type == b->value->type &&
            a->at == b->at && !memcmp(a->stride, b->stride, rank * sizeof *a->stride));
}

static int leaf_slot(struct glance *glance, const struct look *look, const struct plan_value *value)
{
    unsigned leaf = 1;
    while (look->leaf[leaf].value != value)
        leaf++;
    for (unsigned i = 0; i < glance->slots; i++)
        if (glance->slot[i].leaf &&
            is_same_leaf(&look->leaf[glance->slot[i].leaf], &look->leaf[leaf], look->rank))
            return (int)i;
    const int slot = new_slot(glance, value);
    // leaves are loaded before the first step
    if (slot == NONE || !take_room(glance, slot, glance->used))
        return NONE;
    glance->slot[slot].leaf = (uint8_t)leaf;
    return slot;
}

static int find_slot(struct glance *glance, const struct look *look,
                     const struct plan_value *value);

static bool is_number(const struct glance *glance, int slot, bool zero)
{
    const struct glance_slot *const of = &glance->slot[slot];
    return !of->value && of->number.bits && (of->number.number == 0) == zero;
}

// The only operand that matters, where an exact number decides; NONE: all do.
static int decided(const struct glance *glance, enum word_op op, unsigned operand, int slot)
{
    if (operand)
        return NONE;
    if (op == WORD_SELECT)
        return is_number(glance, slot, false) ? 1 : is_number(glance, slot, true) ? 2 : NONE;
    return (op == WORD_OR && is_number(glance, slot, false)) ||
                   (op == WORD_AND && is_number(glance, slot, true))
               ? 0
               : NONE;
}

// A word on slots, whose rooms are free after it.
static int step_slot(struct glance *glance, const struct plan_value *value, enum word_op op,
                     unsigned operands, const int *operand)
{
    struct glance_step step = {.op = op, .operands = (uint8_t)operands};
    for (unsigned o = 0; o < operands; o++)
        step.operand[o] = (uint8_t)operand[o];
    if (op == WORD_MULTIPLY && operand[0] == operand[1])
        step.op = WORD_SQUARE;
    const int slot = glance->steps < GLANCE_STEPS_MAX ? new_slot(glance, value) : NONE;
    if (slot == NONE || !take_room(glance, slot, glance->taken))
        return NONE;
    for (unsigned o = 0; o < operands; o++) {
        const struct glance_slot *const of = &glance->slot[operand[o]];
        if (of->value && !of->leaf)
            glance->taken &= ~(1U << of->room);
    }
    step.to = (uint8_t)slot;
    glance->step[glance->steps++] = step;
    return slot;
}

static int fused_slot(struct glance *glance, const struct look *look,
                      const struct plan_value *value)
{
    const enum word_op op = plan_op(look->plan, value);
    const unsigned operands = plan_operands(look->plan, value);
    int operand[3];
    if (op == WORD_WITHIN)
        return find_slot(glance, look, plan_operand(look->plan, value, 0));
    for (unsigned o = 0; o < operands; o++) {
        operand[o] = find_slot(glance, look, plan_operand(look->plan, value, o));
        if (operand[o] == NONE)
            return NONE;
        const int alone = decided(glance, op, o, operand[o]);
        if (alone == 0)
            return number_slot(glance, glance_number(op == WORD_OR, 0));
        if (alone != NONE)
            return find_slot(glance, look, plan_operand(look->plan, value, (unsigned)alone));
    }
    return step_slot(glance, value, op, operands, operand);
}

// Values of one element are the same in every run.
static int find_slot(struct glance *glance, const struct look *look, const struct plan_value *value)
{
    if (value->count == 1 || value->kind == PLAN_SCALAR) {
        double number[GLANCE_STEP], error[GLANCE_STEP]; // functions fill whole vectors
        look_evaluate(look, value, 1, (struct look_run){number, error});
        return number_slot(glance, glance_number(number[0], error[0]));
    }
    return value->kind == PLAN_FUSED ? fused_slot(glance, look, value)
                                     : leaf_slot(glance, look, value);
}

bool glance_make(struct glance *glance, const struct look *look, enum glance_use use)
{
    glance->slots = glance->steps = glance->taken = glance->used = 0;
    glance->use = use;
    glance->results = NULL;
    glance->form = glance_form_chosen();
    glance->functions = function_form_chosen();
    const int root = find_slot(glance, look, look->root);
    glance->root = (uint8_t)root;
    return root != NONE;
}
