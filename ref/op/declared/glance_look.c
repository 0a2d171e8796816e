// SPDX-License-Identifier: Apache-2.0
// Runs of the glance: leaves are loaded, and steps taken one after another. Where two or three
// steps have one loop (a function of a number times a run, a product that is rounded or added up)
// they are taken together.

#include "ref/op/declared/look.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "ref/num/function/function_estimate.h"

static size_t padded(size_t count)
{
    return (count + GLANCE_STEP - 1) / GLANCE_STEP * GLANCE_STEP;
}

// ---- leaves -----------------------------------------------------------------

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

bool glance_find_range(struct glance_ranges *known, size_t count, struct glance_run *of)
{
    if (!isnan(of->low))
        return true;
    struct glance_range *const range =
        known ? &known->range[(uintptr_t)of->single / (LOOK_RUN * sizeof(float)) % GLANCE_RANGES]
              : NULL;
    if (range && range->of == of->single && range->count == count) {
        of->low = range->low;
        of->high = range->high;
        return true;
    }
    if (!glance_form_chosen()->range_singles(count, of->single, &of->low, &of->high))
        return false;
    if (range)
        *range = (struct glance_range){of->single, count, of->low, of->high};
    return true;
}

// ---- steps ------------------------------------------------------------------

// A run on its way through the steps.
struct stepping {
    const struct glance *glance;
    const struct look *look;
    size_t count;
    struct glance_rooms *rooms;
};

static struct glance_run *run_of(const struct stepping *s, unsigned slot)
{
    return &s->rooms->run[slot];
}

static double *room_of(const struct stepping *s, unsigned slot)
{
    return s->rooms->room[s->glance->slot[slot].room];
}

static bool find_range(const struct stepping *s, struct glance_run *of)
{
    return glance_find_range(s->look->ranges, s->count, of);
}

static bool is_arithmetic(enum word_op op)
{
    return op == WORD_ADD || op == WORD_SUBTRACT || op == WORD_MULTIPLY || op == WORD_DIVIDE;
}

static bool is_exact_single(const struct glance_run *of)
{
    return of->bits && of->bits <= GLANCE_SINGLE_BITS;
}

static bool is_single(const struct stepping *s, const struct glance_step *step)
{
    return s->glance->use == GLANCE_ROUNDED && step->to == s->glance->root &&
           is_arithmetic(step->op) && is_exact_single(run_of(s, step->operand[0])) &&
           is_exact_single(run_of(s, step->operand[1]));
}

// Where the root's floats go, which are exact: to their place, or to a room.
static float *take_floats(const struct stepping *s)
{
    const struct glance *const glance = s->glance;
    const bool there = glance->results && s->count % GLANCE_STEP == 0;
    float *const to = there ? glance->results + (s->look->leaf[0].at - glance->shift)
                            : (float *)(void *)room_of(s, glance->root);
    *run_of(s, glance->root) = (struct glance_run){.kind = GLANCE_SINGLES,
                                                   .single = to,
                                                   .low = (double)NAN,
                                                   .high = (double)NAN,
                                                   .bits = GLANCE_SINGLE_BITS};
    return to;
}

static bool take_single(const struct stepping *s, const struct glance_step *step)
{
    const struct glance_run *const of[2] = {run_of(s, step->operand[0]),
                                            run_of(s, step->operand[1])};
    return s->glance->form->single(step->op, padded(s->count), of, take_floats(s));
}

// What the last step adds to the product of the one before it; NULL: it does something else.
static const struct glance_run *find_term(const struct stepping *s, const struct glance_step *step)
{
    const unsigned to = step->to, a = step[1].operand[0], b = step[1].operand[1];
    return step[1].op == WORD_ADD && a != b && (a == to || b == to) ? run_of(s, a == to ? b : a)
                                                                    : NULL;
}

// The last product and what is added to it, where all are numbers of f32; false: they are not, or
// one is not finite.
static bool take_fused(const struct stepping *s, unsigned first)
{
    const struct glance *const glance = s->glance;
    const struct glance_step *const step = &glance->step[first];
    const bool square = step->op == WORD_SQUARE;
    if (glance->use != GLANCE_ROUNDED || glance->steps - first != 2 ||
        (step->op != WORD_MULTIPLY && !square) || !glance->form->fused_single)
        return false;
    const struct glance_run *const of[3] = {run_of(s, step->operand[0]),
                                            run_of(s, step->operand[!square]), find_term(s, step)};
    for (unsigned p = 0; p < 3; p++)
        if (!of[p] || !is_exact_single(of[p]) || of[p]->kind == GLANCE_DOUBLES)
            return false;
    return glance->form->fused_single(padded(s->count), of, take_floats(s));
}

// The least magnitude of a divisor.
static double least_of(const struct stepping *s, const struct glance_run *of)
{
    return of->low > 0    ? of->low
           : of->high < 0 ? -of->high
                          : s->glance->form->least(padded(s->count), of);
}

// The range and the errors of a word whose operands have theirs.
static bool bound_word(const struct stepping *s, const struct glance_step *step)
{
    struct glance_run *const of[3] = {run_of(s, step->operand[0]), run_of(s, step->operand[1]),
                                      run_of(s, step->operand[2])};
    for (unsigned o = 0; o < step->operands; o++)
        if (!find_range(s, of[o]))
            return false;
    return glance_bound(step->op, (const struct glance_run *const *)of,
                        step->op == WORD_DIVIDE ? least_of(s, of[1]) : 0, run_of(s, step->to));
}

static bool take_word(const struct stepping *s, const struct glance_step *step)
{
    const struct glance_form *const form = s->glance->form;
    struct glance_run *const to = run_of(s, step->to);
    const struct glance_run *const of[3] = {
        run_of(s, step->operand[0]), run_of(s, step->operand[1]), run_of(s, step->operand[2])};
    if (!bound_word(s, step) || !form->word(step->op, padded(s->count), of, room_of(s, step->to)))
        return false;
    to->value = room_of(s, step->to);
    if ((step->op == WORD_LEAST || step->op == WORD_GREATEST) && !to->bits)
        to->zeros = form->apart(step->op == WORD_LEAST ? -1 : 1,
                                glance_off(of[0]) + glance_off(of[1]), padded(s->count), of);
    return true;
}

// ---- steps together ---------------------------------------------------------

// A step that makes an argument of one run and a number: x and what it is times and plus.
static bool find_argument(const struct stepping *s, const struct glance_step *step,
                          const struct glance_run **x, struct function_argument *to)
{
    if (!is_arithmetic(step->op))
        return false;
    const struct glance_run *const a = run_of(s, step->operand[0]), *const b =
                                                                        run_of(s, step->operand[1]);
    const bool second = b->kind == GLANCE_NUMBER;
    const double number = second ? b->number : a->number;
    *x = second ? a : b;
    if ((!second && (a->kind != GLANCE_NUMBER || step->op == WORD_DIVIDE)) ||
        (*x)->kind == GLANCE_NUMBER)
        return false;
    *to = (struct function_argument){.factor = 1, .shift = -0.0};
    if (step->op == WORD_MULTIPLY)
        to->factor = number;
    else if (step->op == WORD_DIVIDE)
        to->factor = 1 / number;
    else
        to->shift = step->op == WORD_SUBTRACT && second ? -number : number;
    if (step->op == WORD_SUBTRACT && !second)
        to->factor = -1;
    return true;
}

// A number that the step adds to the run `to`; NULL: it does something else.
static const struct glance_run *find_addend(const struct stepping *s,
                                            const struct glance_step *step, unsigned to)
{
    if (step->op != WORD_ADD || step->operand[0] == step->operand[1])
        return NULL;
    const bool first = step->operand[0] == to;
    const struct glance_run *const other = run_of(s, step->operand[first]);
    return (first || step->operand[1] == to) && other->kind == GLANCE_NUMBER ? other : NULL;
}

// One number in all places of the room to spare.
static const double *doubles_of(const struct stepping *s, const struct glance_run *of)
{
    double *const spare = s->rooms->room[GLANCE_ROOMS];
    if (of->kind == GLANCE_DOUBLES)
        return of->value;
    for (size_t i = 0; i < padded(s->count); i++)
        spare[i] = of->number;
    return spare;
}

// Steps with one loop: what makes the argument of a function, the function, and what is added to
// it.
struct together {
    unsigned first, function, last; // steps
    const struct glance_run *x;
    struct function_product of;
};

static bool find_together(const struct stepping *s, unsigned first, struct together *to)
{
    const struct glance *const glance = s->glance;
    const struct glance_step *step = &glance->step[first];
    *to = (struct together){.first = first, .function = first, .x = run_of(s, step->operand[0])};
    to->of.x = (struct function_argument){.factor = 1, .shift = -0.0};
    if (look_function_of(step->op) < 0) {
        if (!bound_word(s, step) || !find_argument(s, step, &to->x, &to->of.x))
            return false;
        step = &glance->step[++to->function];
    } else if (!find_range(s, run_of(s, step->operand[0]))) {
        return false;
    }
    const struct glance_run *const argument = run_of(s, step->operand[0]);
    to->last = to->function;
    to->of.function = (enum num_function)look_function_of(step->op);
    to->of.x.largest = fmax(fabs(argument->low), fabs(argument->high));
    to->of.addend = -0.0;
    if (to->last + 1 < glance->steps) {
        const struct glance_run *const added = find_addend(s, step + 1, step->to);
        to->of.addend = added ? added->number : -0.0;
        to->last += added != NULL;
    }
    return glance_knows(to->of.function, argument);
}

// Ranges and errors of these steps.
static bool bound_together(const struct stepping *s, const struct together *of)
{
    const struct glance_step *const step = &s->glance->step[of->function];
    const struct function_claim claim =
        s->glance->functions->claim(of->of.function, of->of.x.largest);
    return glance_bound_function(of->of.function, run_of(s, step->operand[0]), claim.relative,
                                 claim.additional, run_of(s, step->to)) &&
           (of->last == of->function || bound_word(s, step + 1));
}

// What the sum of a function and a number is off, and the five roundings that its product makes of
// it. Below 0 a share of it would be less than it has to be.
static void bound_function(const struct glance_run *sum, struct function_product *to)
{
    to->relative = sum->relative + 0x1p-50;
    to->absolute = sum->absolute + 2 * to->relative * fmax(0, -sum->low);
}

// The factor of a function: floats, perhaps times a number, or doubles; false: it is not exact.
static bool find_times(const struct glance_run *times, struct function_product *to)
{
    const bool scaled = times->kind == GLANCE_PRODUCT;
    const struct glance_run *const floats = scaled ? times->part[0] : times;
    to->single = floats->kind == GLANCE_SINGLES ? floats->single : NULL;
    to->times = scaled ? times->part[1]->number : 1;
    to->value = times->value;
    return times->bits && (scaled || to->single || times->kind == GLANCE_DOUBLES);
}

// The last product, of these steps and another run, left to who rounds it; false: there is none.
static bool leave_function(const struct stepping *s, struct together *of)
{
    const struct glance *const glance = s->glance;
    const struct glance_step *const step = &glance->step[of->last + 1];
    const unsigned own = glance->step[of->last].to;
    if (glance->use != GLANCE_ROUNDED || of->last + 2 != glance->steps ||
        step->op != WORD_MULTIPLY || (step->operand[0] == own) == (step->operand[1] == own) ||
        !find_times(run_of(s, step->operand[step->operand[0] == own]), &of->of) ||
        !glance->functions->has_product(padded(s->count), &of->of) || !bound_word(s, step))
        return false;
    struct glance_run *const to = run_of(s, step->to);
    bound_function(run_of(s, own), &of->of);
    s->rooms->product = of->of;
    to->kind = GLANCE_FUNCTION;
    to->function = &s->rooms->product;
    return true;
}

// A first step that was left for the last one: where that is not left, it is taken after all.
static bool take_scaled(const struct stepping *s)
{
    const struct glance_step *const step = &s->glance->step[0];
    return run_of(s, step->to)->kind != GLANCE_PRODUCT || take_word(s, step);
}

// How many steps were taken, 0 where a look has to do it.
static unsigned take_function(const struct stepping *s, unsigned first)
{
    struct together of;
    if (!find_together(s, first, &of) || !bound_together(s, &of))
        return 0;
    of.of.x.value = of.x->kind == GLANCE_SINGLES ? NULL : doubles_of(s, of.x);
    of.of.x.single = of.x->single;
    if (leave_function(s, &of))
        return of.last + 2 - first;
    if (!take_scaled(s))
        return 0;
    const unsigned to = s->glance->step[of.last].to;
    double *const room = room_of(s, to);
    if (!s->glance->functions->value(of.of.function, padded(s->count), &of.of.x, of.of.addend,
                                     room))
        return 0;
    run_of(s, to)->value = room;
    return of.last - first + 1;
}

// Whether a step at `first`, and perhaps the next one, make the argument of a function.
static bool is_function(const struct stepping *s, unsigned first)
{
    const struct glance_step *const step = &s->glance->step[first];
    const struct glance_run *x;
    struct function_argument unused;
    return look_function_of(step->op) >= 0 ||
           (first + 1 < s->glance->steps && look_function_of(step[1].op) >= 0 &&
            step[1].operand[0] == step->to && find_argument(s, step, &x, &unused));
}

static const struct glance_run nothing = {.kind = GLANCE_NUMBER, .number = -0.0, .bits = 1};

// A first step that is a number times floats, for the last one alone, which is the product with the
// function that comes next.
static bool is_scaled(const struct stepping *s, unsigned first)
{
    const struct glance *const glance = s->glance;
    const struct glance_step *const step = &glance->step[first];
    const struct glance_step *const last = &glance->step[glance->steps - 1];
    const struct glance_run *x;
    struct function_argument of;
    unsigned uses = 0;
    if (first || glance->use != GLANCE_ROUNDED || glance->steps < 3 || step->op != WORD_MULTIPLY ||
        last->op != WORD_MULTIPLY || !is_function(s, 1) || !find_argument(s, step, &x, &of) ||
        x->kind != GLANCE_SINGLES)
        return false;
    for (unsigned i = 1; i < glance->steps; i++)
        for (unsigned o = 0; o < glance->step[i].operands; o++)
            uses += glance->step[i].operand[o] == step->to;
    return uses == 1 && (last->operand[0] == step->to || last->operand[1] == step->to) &&
           fabs(of.factor) > 0x1p-500 && fabs(of.factor) < 0x1p500;
}

static bool leave_scaled(const struct stepping *s, unsigned first)
{
    const struct glance_step *const step = &s->glance->step[first];
    struct glance_run *const to = run_of(s, step->to);
    const bool second = run_of(s, step->operand[1])->kind == GLANCE_NUMBER;
    if (!is_scaled(s, first) || !bound_word(s, step))
        return false;
    to->kind = GLANCE_PRODUCT;
    to->part[0] = run_of(s, step->operand[!second]);
    to->part[1] = run_of(s, step->operand[second]);
    to->part[2] = &nothing;
    return true;
}

// Any float: what is not finite shows in the result.
static struct glance_run anywhere(struct glance_run run)
{
    if (isnan(run.low)) {
        run.low = -(double)FLT_MAX;
        run.high = (double)FLT_MAX;
    }
    return run;
}

// The last product, and what is added to it, left to who takes the run: how many steps that is, or
// 0.
static unsigned leave_product(const struct stepping *s, unsigned first)
{
    const struct glance *const glance = s->glance;
    const struct glance_step *const step = &glance->step[first];
    const bool square = step->op == WORD_SQUARE;
    if (glance->use == GLANCE_PLAIN || (step->op != WORD_MULTIPLY && !square) ||
        glance->steps - first > 2)
        return 0;
    const struct glance_run *const x = run_of(s, step->operand[0]),
                                   *const y = square ? x : run_of(s, step->operand[1]);
    const struct glance_run *z = &nothing;
    if (glance->use == GLANCE_SUMMED &&
        (glance->steps - first > 1 || x->kind != GLANCE_SINGLES || y->kind != GLANCE_SINGLES))
        return 0;
    if (glance->steps - first == 2)
        z = find_term(s, step);
    if (!z)
        return 0;
    const bool exact = x->bits && y->bits && z->bits;
    if (!exact && (!find_range(s, run_of(s, step->operand[0])) ||
                   (!square && !find_range(s, run_of(s, step->operand[1]))) ||
                   (z != &nothing && isnan(z->low))))
        return 0;
    const struct glance_run a = anywhere(*x), b = anywhere(*y), c = anywhere(*z);
    struct glance_run product, sum;
    const struct glance_run *const factors[2] = {&a, square ? &a : &b}, *const terms[2] = {&product,
                                                                                           &c};
    if (!glance_bound(step->op, factors, 0, &product) ||
        (z != &nothing && !glance_bound(WORD_ADD, terms, 0, &sum)))
        return 0;
    struct glance_run *const to = run_of(s, glance->root);
    *to = z == &nothing ? product : sum;
    if (to->bits && glance->use == GLANCE_ROUNDED)
        return 0;
    to->kind = GLANCE_PRODUCT;
    to->part[0] = x;
    to->part[1] = y;
    to->part[2] = z;
    return glance->steps - first;
}

static unsigned take_steps(const struct stepping *s, unsigned first)
{
    const struct glance_step *const step = &s->glance->step[first];
    if (is_single(s, step))
        return take_single(s, step);
    if (leave_scaled(s, first))
        return 1;
    if (is_function(s, first))
        return take_function(s, first);
    if (take_fused(s, first))
        return 2;
    const unsigned left = leave_product(s, first);
    return left ? left : take_word(s, step);
}

const struct glance_run *glance_look(const struct glance *glance, const struct look *look,
                                     size_t count, struct glance_rooms *rooms)
{
    const struct stepping s = {glance, look, count, rooms};
    assert(count && count <= LOOK_RUN);
    for (unsigned i = 0; i < glance->slots; i++) {
        const struct glance_slot *const slot = &glance->slot[i];
        if (!slot->value)
            rooms->run[i] = slot->number;
        else if (slot->leaf && !load(&look->leaf[slot->leaf], look->rank - 1, count,
                                     rooms->room[slot->room], &rooms->run[i]))
            return NULL;
    }
    for (unsigned i = 0, taken; i < glance->steps; i += taken) {
        taken = take_steps(&s, i);
        if (!taken)
            return NULL;
    }
    return &rooms->run[glance->root];
}
