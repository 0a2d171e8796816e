// SPDX-License-Identifier: Apache-2.0
// What a recurrence of more than one step may give, for libraries that go through its steps in
// chunks. Expanded, a linear recurrence is a sum of products of what its steps are given; the
// magnitude of that sum, a recurrence itself, bounds what roundings do to it in any order.
// ref/PROOFS.md, "Scans", has the rules.

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/exact.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/bound.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/settle.h"

// ---- what a step is ---------------------------------------------------------

// How many factors of a product in it depend on other steps, at most.
static unsigned depends(const struct bounding *b, const struct plan_value *value)
{
    const struct plan *const plan = b->plan;
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const bool product = e->op == WORD_MULTIPLY || words_row(e->op)->class == CLASS_PRODUCT;
    unsigned found = 0;
    if (value->kind == PLAN_SCALAR)
        return 0;
    unsigned index;
    uint64_t step;
    if (value->kind == PLAN_STORED)
        return e->op == WORD_BEFORE                       ? 1
               : plan_scanned(plan, value, &index, &step) ? b->steps->node[index].past
                                                          : 0;
    for (unsigned o = 0; o < e->count; o++) {
        const unsigned of =
            words_operand_is_static(e->op, o) ? 0 : depends(b, plan_operand(plan, value, o));
        found = product ? found + of : found > of ? found : of;
    }
    return found < 3 ? found : 3;
}

static uint64_t terms_of(const struct plan *plan, const struct plan_value *value)
{
    const struct plan_product *const product = &plan->product[value->own[0]];
    uint64_t terms = 1;
    if (plan_op(plan, value) == WORD_SUM)
        return value->count ? plan_operand(plan, value, 0)->count / value->count : 1;
    for (unsigned i = product->letters - product->contracted; i < product->letters; i++)
        terms *= product->size[i];
    return terms ? terms : 1;
}

// Numbers from outside: the largest magnitude, and whether all are certain.
static void look_at(struct bounding *b, const struct plan_value *value)
{
    const bool before = plan_op(b->plan, value) == WORD_BEFORE;
    const struct interval range =
        bound_range(b, before ? plan_operand(b->plan, value, 1) : value, &b->steps->low);
    if (!before)
        b->steps->leaf = fmax(b->steps->leaf, interval_magnitude(range));
    b->steps->known = b->steps->known && !interval_is_any(range);
}

// A function of numbers that shapes and attributes decide.
static bool is_number(const struct plan *plan, const struct plan_value *value)
{
    const enum word_op op = plan_op(plan, value);
    bool number = value->kind == PLAN_FUSED && !words_is_rational(op);
    for (unsigned o = 0; number && o < plan_operands(plan, value); o++)
        number = plan_operand(plan, value, o)->kind == PLAN_SCALAR;
    return number;
}

// Counts what one product of the expanded expression meets in it; clears `linear` where that does
// not say all.
static double count(struct bounding *b, struct bound_step *step, const struct plan_value *value)
{
    const struct plan *const plan = b->plan;
    const struct graph_expression *const e = &plan->graph->expression[value->expression];
    const enum word_class class = words_row(e->op)->class;
    unsigned dependent = 0;
    double own = 0;
    if (value->kind == PLAN_SCALAR) {
        step->results += !value->exact;
        b->steps->leaf = fmax(b->steps->leaf, fabs(value->number));
        return !value->exact;
    }
    if (value->kind == PLAN_STORED) {
        unsigned index = 0;
        uint64_t at;
        const bool inside = e->op != WORD_BEFORE && plan_scanned(plan, value, &index, &at),
                   free = inside && !b->steps->node[index].past;
        if (!inside)
            look_at(b, value);
        step->functions += free ? b->steps->node[index].functions : 0;
        return free ? b->steps->node[index].roundings : 0;
    }
    for (unsigned o = 0; o < e->count; o++) {
        if (words_operand_is_static(e->op, o))
            continue;
        own += count(b, step, plan_operand(plan, value, o));
        dependent += depends(b, plan_operand(plan, value, o)) > 0;
    }
    if (is_number(plan, value)) {
        own += 1 + 2 * bound_ulps(b->model, e->op);
        step->results += 1 + 2 * bound_ulps(b->model, e->op);
    } else if (e->op == WORD_EXP && !dependent && own == 0) {
        b->steps->known = b->steps->known && step->listed < BOUND_FUNCTIONS_MAX;
        if (step->listed < BOUND_FUNCTIONS_MAX)
            step->function[step->listed++] = value;
        step->functions++;
    } else if (e->op == WORD_ADD || e->op == WORD_SUBTRACT) {
        own++;
        step->results++;
    } else if (e->op == WORD_MULTIPLY || class == CLASS_PRODUCT || e->op == WORD_SUM) {
        const uint64_t terms = e->op == WORD_MULTIPLY ? 1 : terms_of(plan, value);
        step->contracts = step->contracts || (dependent && terms > 1);
        own += (double)terms;
        step->results++;
        step->factors += e->op != WORD_SUM;
    } else if (e->op != WORD_NEGATE && (class != CLASS_MOVEMENT || e->op == WORD_GATHER))
        b->steps->sums = false;
    return own;
}

// Whether exp is a factor of every term.
static bool has_exp(const struct plan *plan, const struct plan_value *value)
{
    const enum word_op op = plan_op(plan, value);
    const enum word_class class = words_row(op)->class;
    const bool all = op == WORD_ADD || op == WORD_SUBTRACT,
               any = op == WORD_MULTIPLY || class == CLASS_PRODUCT;
    const unsigned first = class == CLASS_PRODUCT ? plan_operands(plan, value) - 2 : 0;
    if (value->kind == PLAN_SCALAR || value->kind == PLAN_STORED || op == WORD_EXP)
        return op == WORD_EXP;
    if (all || any) {
        const bool one = has_exp(plan, plan_operand(plan, value, first)),
                   two = has_exp(plan, plan_operand(plan, value, first + 1));
        return all ? one && two : one || two;
    }
    return (op == WORD_NEGATE || op == WORD_SUM ||
            (class == CLASS_MOVEMENT && op != WORD_CONCAT)) &&
           has_exp(plan, plan_operand(plan, value, 0));
}

// Whether a step's node is read by any other of a scan, or by itself at the next step.
static bool is_carried(const struct plan *plan, unsigned index)
{
    for (unsigned i = 0; i < plan->graph->node_count; i++)
        for (unsigned v = plan->node[i].first;
             plan->used[i] && graph_in_scan(plan->graph, i) && v < plan->node[i].last; v++) {
            const struct graph_expression *const e =
                &plan->graph->expression[plan->value[v].expression];
            if ((e->op == WORD_NODE && e->index == index) ||
                (e->op == WORD_BEFORE && plan->graph->expression[e->operand[0]].index == index))
                return true;
        }
    return false;
}

void bound_steps_room(struct bounding *b, struct keep_store *room)
{
    for (unsigned i = 0; i < b->plan->graph->node_count && b->plan->steps > 1; i++)
        for (unsigned m = 0;
             m < BOUND_MEASURES && b->plan->used[i] && graph_in_scan(b->plan->graph, i); m++)
            b->steps->node[i].measure[m] =
                keep_take(room, b->plan->steps * b->plan->node[i].count, sizeof(double));
}

// Up to which whole number the operands of a chunk's products are held.
static double whole_of(const struct bounding *b)
{
    const struct evaluation_model *const model = b->model;
    const struct model_dot *const dot = &model_dots[model->dot];
    const bool narrow = b->narrow && model->intermediates == MODEL_NARROW;
    return narrow || model->accumulator == MODEL_BF16_PRODUCTS || dot->operands || dot->bits
               ? 0x1p8
               : 0x1p53;
}

void bound_steps_start(struct bounding *b, unsigned scan)
{
    const struct plan *const plan = b->plan;
    const struct graph_scan *const of = &plan->graph->scan[scan];
    struct bound_steps *const steps = b->steps;
    if (steps->leaf == 0) {
        steps->sums = steps->linear = true;
        steps->leaf = steps->low = steps->unit = 1;
        steps->known = evaluation_model_is_plain(b->model) && b->model->accumulator <= MODEL_F64;
        steps->whole = whole_of(b);
    }
    steps->chain += (double)plan->steps + (steps->chain > 0 ? 4 : 0);
    for (unsigned i = of->first; i < of->end; i++) {
        struct bound_step *const step = &steps->node[i];
        if (!plan->used[i])
            continue;
        const struct plan_value *const root = &plan->value[plan->slot[plan->root[i]] - 1];
        step->past = depends(b, root);
        step->carried = is_carried(plan, i);
        step->slope = step->past > 1 && has_exp(plan, root);
        steps->linear = steps->linear && step->past < (step->carried ? 2 : 3);
        step->roundings = count(b, step, root);
        steps->roundings += step->roundings;
        steps->functions += step->functions;
        steps->factors = fmax(steps->factors, step->factors);
        steps->contracts = steps->contracts || (step->contracts && step->carried);
    }
}

// ---- measures of the expanded sum -------------------------------------------

struct measuring {
    struct bounding *b;
    enum bound_measure measure;
    bool carried; // the node is
    const struct plan_value *value;
    double *to;
};

// Of a number; not certain: it is one of an interval, of which this is the largest magnitude.
static double leaf(const struct measuring *of, double x, bool certain)
{
    x = fabs(x);
    switch (of->measure) {
    case BOUND_MAGNITUDE:
        return x;
    case BOUND_REACH:
        return of->carried ? x : fmax(x, 1);
    default:
        return x == 0 ? (double)INFINITY : certain && isfinite(x) ? fmin(num_low_bit(x), 1) : 0;
    }
}

static double plus(enum bound_measure m, double x, double y)
{
    return m == BOUND_UNIT ? fmin(x, y) : interval_above(x + y);
}

static double times(enum bound_measure m, double x, double y)
{
    if (m == BOUND_UNIT)
        return isinf(x) || isinf(y) ? (double)INFINITY : x * y;
    return x == 0 || y == 0 ? 0 : interval_above(x * y);
}

static double element(const struct measuring *of, const struct plan_value *value,
                      const uint64_t *at);

// What a part of the step is: a number, or an element of a tensor, of this step or the one before.
static double of_part(const struct measuring *of, const struct plan_value *value,
                      const uint64_t *at)
{
    const struct plan *const plan = of->b->plan;
    unsigned index;
    uint64_t step;
    if (plan_scanned(plan, value, &index, &step))
        return of->b->steps->node[index]
            .measure[of->measure][step * value->count + movement_index(value, at)];
    const struct interval x = bound_element(of->b, value, at);
    return leaf(of, interval_magnitude(x), bound_is_point(x));
}

static double of_product(const struct measuring *of, const struct plan_value *value,
                         const uint64_t *at)
{
    const struct plan *const plan = of->b->plan;
    const struct plan_product *const product = &plan->product[value->own[0]];
    const unsigned kept = product->letters - product->contracted,
                   last = plan_operands(plan, value) - 1;
    uint64_t index[PRODUCT_LETTERS_MAX] = {0}, place[2][GRAPH_RANK_MAX];
    int64_t moves[PRODUCT_LETTERS_MAX] = {0};
    double sum = of->measure == BOUND_UNIT ? (double)INFINITY : 0;
    bool more = true;
    for (unsigned i = 0; i < value->rank; i++)
        index[product->out[i]] = at[i];
    for (unsigned i = kept; i < product->letters; i++) {
        moves[i] = 1;
        more = more && product->size[i] > 0;
    }
    for (; more; more = settle_next(product->letters, product->size, moves, index)) {
        settle_product_places(plan, value, index, place);
        sum = plus(of->measure, sum,
                   times(of->measure, element(of, plan_operand(plan, value, last - 1), place[0]),
                         element(of, plan_operand(plan, value, last), place[1])));
    }
    return sum;
}

static double of_sum(const struct measuring *of, const struct plan_value *value, const uint64_t *at)
{
    const struct plan_value *const from = plan_operand(of->b->plan, value, 0);
    uint64_t index[GRAPH_RANK_MAX] = {0};
    int64_t moves[GRAPH_RANK_MAX] = {0};
    double sum = of->measure == BOUND_UNIT ? (double)INFINITY : 0;
    bool more = from->count > 0;
    for (unsigned i = 0; i < from->rank; i++) {
        moves[i] = value->own[i] ? 1 : 0;
        index[i] = value->own[i] ? 0 : at[i];
    }
    for (; more; more = settle_next(from->rank, from->size, moves, index))
        sum = plus(of->measure, sum, element(of, from, index));
    return sum;
}

static double element(const struct measuring *of, const struct plan_value *value,
                      const uint64_t *at)
{
    const struct plan *const plan = of->b->plan;
    const enum word_op op = plan_op(plan, value);
    if (value->kind == PLAN_SCALAR || value->kind == PLAN_STORED || op == WORD_EXP ||
        is_number(plan, value))
        return of_part(of, value, at);
    if (words_row(op)->class == CLASS_PRODUCT)
        return of_product(of, value, at);
    if (op == WORD_SUM)
        return of_sum(of, value, at);
    if (words_row(op)->class == CLASS_MOVEMENT) {
        struct movement_source source;
        movement_find(plan, value, at, &source);
        return source.operand ? element(of, source.operand, source.at)
                              : leaf(of, source.number, true);
    }
    double x[2] = {0, 0};
    for (unsigned o = 0; o < plan_operands(plan, value); o++) {
        const struct plan_value *const operand = plan_operand(plan, value, o);
        uint64_t place[GRAPH_RANK_MAX];
        movement_align(operand, value->rank, at, place);
        x[o] = element(of, operand, place);
    }
    return op == WORD_NEGATE     ? x[0]
           : op == WORD_MULTIPLY ? times(of->measure, x[0], x[1])
                                 : plus(of->measure, x[0], x[1]);
}

static enum error measure_part(void *context, uint64_t first, uint64_t many,
                               struct diagnostic *diagnostic)
{
    const struct measuring *const of = context;
    uint64_t at[GRAPH_RANK_MAX];
    (void)diagnostic;
    for (uint64_t i = first; i < first + many; i++) {
        movement_place(of->value->rank, of->value->size, i, at);
        of->to[i] = element(of, of->value, at);
        if (of->measure == BOUND_REACH)
            of->to[i] = fmax(of->to[i], 1);
    }
    return ERROR_NONE;
}

// The sum, over what the node's functions are given, of its largest magnitude in this step.
static double given(const struct bounding *b, unsigned index)
{
    const struct plan *const plan = b->plan;
    double sum = 0;
    for (unsigned f = 0; f < b->steps->node[index].listed; f++) {
        const struct plan_value *const of =
            plan_operand(plan, b->steps->node[index].function[f], 0);
        uint64_t at[GRAPH_RANK_MAX];
        double most = 0;
        for (uint64_t i = 0; i < of->count; i++) {
            movement_place(of->rank, of->size, i, at);
            const double x = interval_magnitude(bound_element(b, of, at));
            most = isnan(x) ? (double)INFINITY : fmax(most, x);
        }
        sum = most == 0 ? sum : interval_above(sum + most);
    }
    return sum;
}

enum error bound_steps_measure(struct bounding *b, unsigned index, struct diagnostic *diagnostic)
{
    enum { GRAIN = 256 };
    const struct plan *const plan = b->plan;
    const uint64_t count = plan->node[index].count;
    struct bound_step *const step = &b->steps->node[index];
    enum error error = ERROR_NONE;
    step->type = b->type;
    b->steps->whole = fmin(b->steps->whole, fmin(b->sum.whole, b->dot.whole));
    if (step->carried)
        b->steps->u = fmax(b->steps->u, fmax(num_ulp(b->type, 1) / 2, fmax(b->sum.u, b->dot.u)));
    const double more = given(b, index);
    b->steps->given = more == 0 ? b->steps->given : interval_above(b->steps->given + more);
    for (unsigned m = 0; m < BOUND_MEASURES && b->steps->sums && !error; m++) {
        struct measuring of = {b, (enum bound_measure)m, step->carried,
                               &plan->value[plan->slot[plan->root[index]] - 1],
                               step->measure[m] + plan->step[plan->scan] * count};
        error = threads_run(0, count, GRAIN, measure_part, &of, diagnostic);
    }
    return error;
}

// ---- what any order may give ------------------------------------------------

// Of a node's elements: what roundings may make, as a share of their magnitude, in all, and as a
// share of their reach; beyond `largest`, a part of them may overflow.
struct loss {
    double share, lost, tiny, largest;
    double spread; // what the sum of magnitudes may have besides
};

static struct loss loss_of(const struct bounding *b, const struct bound_step *step)
{
    const struct bound_steps *const of = b->steps;
    const double n = of->chain, a = of->roundings,
                 roundings = of->contracts ? (n + 1) * (a + n + 4) : 2 * a + 6 * n,
                 times = of->contracts ? 3 * n + 2 : n + 4,
                 functions = times * (of->functions * 2 * bound_ulps(b->model, WORD_EXP) +
                                      (n + 4) * of->given),
                 own = step->carried ? 0 : step->results * num_ulp(step->type, 1) / 2,
                 exponent = ((roundings + functions) * of->u + own) * (1 + 0x1p-20);
    const enum dtype wide = step->type == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32;
    const double small = b->model->flush ? bound_least_normal(wide) : num_ulp(wide, 0),
                 ends = pow(of->leaf, 2 * of->factors) * (a + 1) * (a + 1);
    const double rest = step->past > 1 ? of->leaf * of->leaf * of->reach * of->reach : 1;
    return (struct loss){
        .spread = step->slope ? of->spread : 0,
        .share = exponent < 1 ? expm1(exponent) * (1 + 0x1p-20) : (double)INFINITY,
        .lost = n * n * a * a * ends * of->reach * of->reach * rest * small * exp(of->given),
        .tiny = step->results * num_ulp(step->type, 0),
        .largest = step->type == wide
                       ? 0x1p100 / (ends * exp(of->given))
                       : num_to_double(step->type, num_last_magnitude(step->type) - 1) / 4};
}

// Whether every order of every chunk's sums and products is exact.
static bool is_exact(const struct bounding *b, const struct bound_step *step,
                     const struct loss *loss, uint64_t i, struct interval x)
{
    const double unit = step->measure[BOUND_UNIT][i],
                 own = step->carried ? b->steps->whole : 2 / num_ulp(step->type, 1),
                 whole = fmin(b->steps->whole, own);
    return b->steps->given == 0 && bound_is_point(x) && unit >= bound_least_normal(DTYPE_F32) &&
           step->measure[BOUND_MAGNITUDE][i] <= whole * fmin(unit, 1) &&
           loss->spread <= whole * b->steps->unit * b->steps->low &&
           step->measure[BOUND_REACH][i] < loss->largest;
}

static void finish_node(struct bounding *b, unsigned index)
{
    const struct plan_node *const node = &b->plan->node[index];
    const struct bound_step *const step = &b->steps->node[index];
    const struct loss loss = loss_of(b, step);
    const bool sums = b->steps->sums,
               known = sums && b->steps->linear && b->steps->known && b->steps->given <= 64 &&
                       dtype_kind(node->type) == DTYPE_KIND_FLOAT && isfinite(loss.share);
    for (uint64_t i = 0; i < b->plan->steps * node->count; i++) {
        const double x =
            num_to_double(node->type, element_load(node->all, dtype_size(node->type), i));
        struct interval of = {b->node[index].low[i], b->node[index].high[i]};
        if (bound_is_nan(of) || !step->past ||
            (sums ? is_exact(b, step, &loss, i, of) : bound_is_point(of)))
            continue;
        const double reach = known ? step->measure[BOUND_REACH][i] + loss.spread : (double)INFINITY;
        if (known && isfinite(x) && reach < loss.largest) {
            const double off = (step->measure[BOUND_MAGNITUDE][i] + loss.spread) * loss.share +
                               loss.lost + reach * loss.tiny;
            of = interval_widen(interval_of(x), interval_above(2 * off));
            of = interval_hull(of, interval_round(node->type, of));
        } else {
            of = interval_any();
        }
        b->node[index].low[i] = of.lower;
        b->node[index].high[i] = of.upper;
    }
}

// What the nodes of a scan are at most, with those of the scan before it.
static void gather(struct bounding *b, const struct graph_scan *of)
{
    struct bound_steps *const steps = b->steps;
    uint64_t widest = 1;
    double most = 1;
    for (unsigned i = 0; i < of->end && steps->sums; i++) {
        const struct plan_node *const node = &b->plan->node[i];
        if (!b->plan->used[i] || !graph_in_scan(b->plan->graph, i))
            continue;
        widest = node->count > widest ? node->count : widest;
        for (uint64_t k = 0; k < b->plan->steps * node->count; k++) {
            steps->reach = fmax(steps->reach, steps->node[i].measure[BOUND_REACH][k]);
            steps->unit = fmin(steps->unit, steps->node[i].measure[BOUND_UNIT][k]);
            most = fmax(most, steps->node[i].measure[BOUND_MAGNITUDE][k]);
        }
    }
    steps->spread = interval_above(2 * steps->chain * (double)widest * steps->leaf * most);
}

void bound_steps_finish(struct bounding *b, unsigned scan)
{
    const struct graph_scan *const of = &b->plan->graph->scan[scan];
    gather(b, of);
    for (unsigned i = of->first; i < of->end; i++)
        if (b->plan->used[i])
            finish_node(b, i);
}
