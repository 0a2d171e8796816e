// SPDX-License-Identifier: Apache-2.0
// The glance at elementwise expressions: the expression as steps on runs, in one order, made once
// and gone through for every run of leaves.

#include "ref/op/declared/look.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ref/base/isa.h"
#include "ref/num/function/function_estimate.h"

const struct glance_form *glance_form_chosen(void)
{
    return ISA_FORM(isa_chosen(), &glance_form, &glance_form_portable);
}

static size_t padded(size_t count)
{
    return (count + GLANCE_STEP - 1) / GLANCE_STEP * GLANCE_STEP;
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

bool glance_make(struct glance *glance, const struct look *look, bool single)
{
    glance->slots = glance->steps = glance->taken = glance->used = 0;
    glance->single = single;
    glance->results = NULL;
    glance->form = glance_form_chosen();
    glance->functions = function_form_chosen();
    const int root = find_slot(glance, look, look->root);
    glance->root = (uint8_t)root;
    return root != NONE;
}

// ---- runs -------------------------------------------------------------------

static unsigned bits_of(enum dtype type)
{
    const size_t size = dtype_size(type);
    return size <= 4 && (dtype_kind(type) == DTYPE_KIND_FLOAT || size < 4) ? GLANCE_SINGLE_BITS
                                                                           : GLANCE_BITS;
}

static bool load_number(const struct look_leaf *leaf, struct glance_run *to)
{
    double number, error;
    look_load(leaf, 0, 1, (struct look_run){&number, &error});
    const bool single = error == 0 && leaf->value->kind == PLAN_STORED;
    to->kind = GLANCE_NUMBER;
    to->number = to->low = to->high = number;
    to->relative = 0;
    to->zeros = false;
    to->absolute = error;
    to->bits = error != 0 ? 0 : single ? bits_of(leaf->value->type) : GLANCE_BITS;
    return isfinite(number) && error < (double)INFINITY;
}

static bool load_doubles(const struct look_leaf *leaf, ptrdiff_t stride, size_t count, double *room,
                         struct glance_run *to)
{
    double error[LOOK_RUN], low, least;
    const bool kept = leaf->value->kind == PLAN_KEPT;
    const enum dtype type = leaf->value->type;
    const bool wide = dtype_size(type) == 8 && dtype_kind(type) != DTYPE_KIND_FLOAT;
    look_load(leaf, stride, count, (struct look_run){room, kept ? error : NULL});
    *to = (struct glance_run){.kind = GLANCE_DOUBLES, .value = room};
    for (size_t i = count; i < padded(count); i++)
        room[i] = room[0];
    if (!glance_form_chosen()->range(count, room, &to->low, &to->high))
        return false;
    if (kept && !glance_form_chosen()->range(count, error, &least, &low))
        return false;
    to->absolute = kept ? low : 0;
    to->bits = kept ? low == 0 ? GLANCE_BITS : 0 : bits_of(type);
    return !wide || (to->low > -0x1p53 && to->high < 0x1p53);
}

// Ranges of floats are found when somebody asks.
static bool load(const struct look_leaf *leaf, unsigned last, size_t count, double *room,
                 struct glance_run *to)
{
    const ptrdiff_t stride = leaf->stride[last];
    const struct plan_value *const value = leaf->value;
    if (stride == 0)
        return load_number(leaf, to);
    if (stride != 1 || count % GLANCE_STEP || value->kind != PLAN_STORED ||
        value->type != DTYPE_F32)
        return load_doubles(leaf, stride, count, room, to);
    to->kind = GLANCE_SINGLES;
    to->single = (const float *)value->data + leaf->at;
    to->low = to->high = (double)NAN;
    to->relative = to->absolute = 0;
    to->zeros = false;
    to->bits = GLANCE_SINGLE_BITS;
    return true;
}

static bool find_range(const struct glance_form *form, size_t count, struct glance_run *of)
{
    return !isnan(of->low) || form->range_singles(count, of->single, &of->low, &of->high);
}

static bool is_single(const struct glance *glance, const struct glance_step *step,
                      struct glance_run *const *operand)
{
    const bool arithmetic = step->op == WORD_ADD || step->op == WORD_SUBTRACT ||
                            step->op == WORD_MULTIPLY || step->op == WORD_DIVIDE;
    return glance->single && step->to == glance->root && arithmetic && operand[0]->bits &&
           operand[0]->bits <= GLANCE_SINGLE_BITS && operand[1]->bits &&
           operand[1]->bits <= GLANCE_SINGLE_BITS;
}

// The least magnitude of a divisor.
static double least_of(const struct glance_form *form, const struct glance_run *of, size_t count)
{
    return of->low > 0 ? of->low : of->high < 0 ? -of->high : form->least(padded(count), of);
}

// Functions read doubles.
static const double *doubles_of(const struct glance_form *form, const struct glance_run *of,
                                size_t count, double *spare)
{
    const struct glance_run *const same[2] = {of, of};
    if (of->kind == GLANCE_DOUBLES)
        return of->value;
    form->word(WORD_GREATEST, padded(count), same, spare);
    return spare;
}

// One step; what comes out stands in `room`.
static bool apply(const struct glance *glance, const struct glance_step *step, size_t count,
                  struct glance_run *const *operand, void *room, double *spare,
                  struct glance_run *to)
{
    const struct glance_form *const form = glance->form;
    const struct glance_run *const of[3] = {operand[0], operand[1], operand[2]};
    const int function = look_function_of(step->op);
    if (is_single(glance, step, operand)) {
        to->kind = GLANCE_SINGLES;
        to->single = room;
        to->low = to->high = (double)NAN;
        to->bits = GLANCE_SINGLE_BITS;
        return form->single(step->op, padded(count), of, room);
    }
    for (unsigned o = 0; o < step->operands; o++)
        if (!find_range(form, count, operand[o]))
            return false;
    if (function >= 0) {
        struct function_claim claim;
        if (!glance_knows((enum num_function)function, of[0]) ||
            !glance->functions->value((enum num_function)function, padded(count),
                                      doubles_of(form, of[0], count, spare), room, &claim) ||
            !glance_bound_function((enum num_function)function, of[0], claim.relative,
                                   claim.additional, to))
            return false;
    } else if (!glance_bound(step->op, of,
                             step->op == WORD_DIVIDE ? least_of(form, of[1], count) : 0, to) ||
               !form->word(step->op, padded(count), of, room)) {
        return false;
    }
    to->value = room;
    if ((step->op == WORD_LEAST || step->op == WORD_GREATEST) && !to->bits)
        to->zeros = form->apart(step->op == WORD_LEAST ? -1 : 1,
                                glance_off(of[0]) + glance_off(of[1]), padded(count), of);
    return true;
}

const struct glance_run *glance_look(const struct glance *glance, const struct look *look,
                                     size_t count, struct glance_rooms *rooms)
{
    struct glance_run *const run = rooms->run;
    assert(count && count <= LOOK_RUN);
    for (unsigned i = 0; i < glance->slots; i++) {
        const struct glance_slot *const slot = &glance->slot[i];
        if (!slot->value)
            run[i] = slot->number;
        else if (slot->leaf && !load(&look->leaf[slot->leaf], look->rank - 1, count,
                                     rooms->room[slot->room], &run[i]))
            return NULL;
    }
    for (unsigned i = 0; i < glance->steps; i++) {
        const struct glance_step *const step = &glance->step[i];
        struct glance_run *const operand[3] = {&run[step->operand[0]], &run[step->operand[1]],
                                               &run[step->operand[2]]};
        void *room = rooms->room[glance->slot[step->to].room];
        if (glance->results && count % GLANCE_STEP == 0 && is_single(glance, step, operand))
            room = glance->results + look->leaf[0].at;
        if (!apply(glance, step, count, operand, room, rooms->room[GLANCE_ROOMS], &run[step->to]))
            return NULL;
    }
    return &run[glance->root];
}
