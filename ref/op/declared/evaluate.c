// SPDX-License-Identifier: Apache-2.0
// Node by node: estimates, the rounding test, and what is left open.

#include "ref/op/declared/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/threads.h"
#include "ref/num/product/certify.h"
#include "ref/num/product/expression_parts.h"
#include "ref/num/small_float.h"
#include "ref/op/declared/look.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/passing.h"
#include "ref/op/declared/second.h"
#include "ref/op/declared/settle.h"

struct storing {
    struct plan *plan;
    const struct plan_node *node;
    const char *name;
    const struct look *look;
    enum num_overflow overflow;
    struct left *left; // NULL: an element that is left open is looked at as it stands
};

// Elements that stay open since sums were glanced at.
enum { LEFT_MAX = 256 };
struct left {
    _Atomic unsigned count; // more than LEFT_MAX: not all of them are known
    uint64_t index[LEFT_MAX];
};

enum num_overflow evaluate_overflow(const struct graph_node *node, enum dtype type)
{
    const bool whole = dtype_kind(type) != DTYPE_KIND_FLOAT; // floats never wrap
    return type == DTYPE_BOOL                     ? NUM_IEEE
           : node->overflow == NODE_SATURATE      ? NUM_SATURATE
           : node->overflow == NODE_WRAP && whole ? NUM_WRAP
                                                  : NUM_IEEE;
}

static uint64_t rounded(const struct storing *of, double value)
{
    return num_convert(of->node->type, DTYPE_F64, double_bits(value), NUM_NEAREST_EVEN,
                       of->overflow);
}

// The rounding test for types and overflows that num_certify does not serve.
static size_t certify_slowly(const struct storing *of, size_t count, const double *value,
                             const double *error, void *out, uint16_t *open)
{
    size_t opened = 0;
    for (size_t i = 0; i < count; i++) {
        const double e = error[i] + fabs(value[i]) * 0x1p-52;
        const double whole = rint(value[i]);
        // both sums are off by less than e itself
        if (of->node->type == DTYPE_I64 && fabs(value[i]) < 0x1p51 && whole != 0 &&
            fabs(value[i] - whole) + e < 0.25) {
            element_store(out, sizeof(int64_t), i, (uint64_t)(int64_t)whole);
            continue;
        }
        const uint64_t low = rounded(of, value[i] - e);
        const bool narrow = of->overflow != NUM_WRAP || e < 0.5,
                   same = isfinite(e) && narrow && fabs(value[i]) > e &&
                          low == rounded(of, value[i] + e);
        element_store(out, dtype_size(of->node->type), i, low);
        open[opened] = (uint16_t)i;
        opened += !same;
    }
    return opened;
}

// The second look for narrower types: both ends of what it may be round to one number.
static bool round_second(const struct storing *of, const struct plan_value *root,
                         const uint64_t *at, uint64_t *bits)
{
    struct second x;
    if (dtype_kind(of->node->type) != DTYPE_KIND_FLOAT || of->overflow != NUM_IEEE ||
        !second_estimate(of->plan, root, at, &x) || x.pair.high == 0)
        return false;
    // the pair's sum and both ends are off by one rounding each, and the error is far less than it
    const double value = x.pair.high + x.pair.low, e = x.error + fabs(value) * 0x1p-51;
    *bits = rounded(of, value - e);
    return *bits == rounded(of, value + e);
}

static enum error settle(const struct storing *of, uint64_t index, uint64_t *bits,
                         struct diagnostic *diagnostic)
{
    uint64_t at[GRAPH_RANK_MAX];
    const struct plan_value *const root = of->look->root;
    movement_place(root->rank, root->size, index, at);
    if (of->node->type == DTYPE_F64 ? second_round(of->plan, root, at, bits)
                                    : round_second(of, root, at, bits)) {
        of->plan->pairs++;
        return ERROR_NONE;
    }
    bool rationally = false;
    const enum error error = settle_round(of->plan, root, at, of->node->type, of->overflow, bits,
                                          &rationally, diagnostic);
    if (!error) {
        *(rationally ? &of->plan->rational : &of->plan->settled) += 1;
        return ERROR_NONE;
    }
    if (!diagnostic)
        return error;
    char text[DIAGNOSTIC_TEXT_SIZE];
    snprintf(text, sizeof text, "%.500s", diagnostic->text);
    return diagnostic_fail(diagnostic, error, "node %s, element %llu: %s", of->name,
                           (unsigned long long)index, text);
}

// What is exact, rounded.
static uint64_t rounded_exact(const struct storing *of, double value)
{
    if (of->node->type == DTYPE_F32 && of->overflow == NUM_IEEE && !isnan(value))
        return float_bits((float)value);
    return rounded(of, value);
}

// What is exact, rounded into types that num_certify does not serve.
static void store_exact(const struct storing *of, size_t count, const double *value, void *out)
{
    unsigned char *const byte = out;
    int64_t *const whole = out;
    const size_t size = dtype_size(of->node->type);
    bool small = true; // whole numbers that both types hold
    for (size_t i = 0; i < count; i++)
        small &= fabs(value[i]) < 0x1p53 && value[i] == trunc(value[i]);
    if (small && of->node->type == DTYPE_I64)
        for (size_t i = 0; i < count; i++)
            whole[i] = (int64_t)value[i];
    else if (small && of->node->type == DTYPE_BOOL)
        for (size_t i = 0; i < count; i++)
            byte[i] = value[i] != 0;
    else
        for (size_t i = 0; i < count; i++)
            element_store(out, size, i, rounded(of, value[i]));
}

// An exact run rounded to f32.
static void store_singles(const struct storing *of, ptrdiff_t to, size_t count,
                          const struct glance_run *run)
{
    float *const at = (float *)of->node->data + (to - (ptrdiff_t)of->node->shift);
    if (run->kind == GLANCE_SINGLES && run->single != at)
        memcpy(at, run->single, count * sizeof *at);
    else if (run->kind == GLANCE_DOUBLES)
        glance_form_chosen()->narrow(count, run->value, at);
}

// num_certify takes so many at once.
static size_t certify(enum dtype type, size_t count, const struct look_taken *numbers, void *out,
                      uint16_t *open)
{
    size_t opened = 0;
    for (size_t i = 0, some; i < count; i += some) {
        some = count - i < NUM_CHUNK ? count - i : NUM_CHUNK;
        const size_t more = num_certify(type, some, numbers->value + i, numbers->error + i,
                                        (char *)out + i * dtype_size(type), open + opened);
        for (size_t k = opened; k < opened + more; k++)
            open[k] = (uint16_t)(open[k] + i);
        opened += more;
    }
    return opened;
}

// Rounds a run to `out`; the places of those that stay open go to `open`.
static size_t round_run(const struct storing *of, size_t count, const struct look_taken *taken,
                        void *out, uint16_t *open)
{
    const enum dtype type = of->node->type;
    const struct glance_run *const run = taken->run;
    double room[2][LOOK_RUN];
    const bool plain = dtype_kind(type) == DTYPE_KIND_FLOAT && of->overflow == NUM_IEEE;
    if (run && plain && type == DTYPE_F32 &&
        (run->kind == GLANCE_DOUBLES || run->kind == GLANCE_PRODUCT))
        return glance_form_chosen()->round(count, run, out, open);
    if (run && run->kind == GLANCE_FUNCTION)
        return function_form_chosen()->product(count, run->function, out, open);
    const struct look_taken numbers = look_spread(taken, count, room[0], room[1]);
    if (plain)
        return certify(type, count, &numbers, out, open);
    if (!run || !run->bits)
        return certify_slowly(of, count, numbers.value, numbers.error, out, open);
    store_exact(of, count, numbers.value, out);
    return 0;
}

// What is exact, and open for its sign or because it is not finite.
static bool find_exact(const struct look_taken *taken, size_t i, double *value)
{
    const struct glance_run *const run = taken->run;
    if (run && run->bits)
        *value = glance_at(run, i);
    else if (!run)
        *value = taken->value[i];
    return run ? run->bits != 0 : taken->error[i] == 0;
}

static enum error store_run(void *context, ptrdiff_t to, ptrdiff_t stride, size_t count,
                            const struct look_taken *taken, struct look_open *left,
                            struct diagnostic *diagnostic)
{
    struct storing *const of = context;
    const size_t size = dtype_size(of->node->type);
    uint64_t out[LOOK_RUN];
    uint16_t open[LOOK_RUN];
    (void)stride;
    if (taken->run && taken->run->bits && taken->run->kind != GLANCE_NUMBER &&
        of->node->type == DTYPE_F32 && of->overflow == NUM_IEEE) {
        store_singles(of, to, count, taken->run);
        return ERROR_NONE;
    }
    // whole steps of f32 are rounded where they belong
    const bool direct = taken->run && of->node->type == DTYPE_F32 && count % GLANCE_STEP == 0;
    void *const own = (char *)of->node->data + ((size_t)to - of->node->shift) * size, *const at =
                                                                                          direct
                                                                                              ? own
                                                                                              : out;
    size_t opened = round_run(of, count, taken, at, open);
    if (of->node->type == DTYPE_F64 && of->overflow == NUM_IEEE)
        opened = single_settle(of->plan, of->look->root, (uint64_t)to, taken, opened, open, at);
    for (size_t k = 0; k < opened; k++) {
        const size_t i = open[k];
        double exact = 0;
        uint64_t bits = 0;
        if (find_exact(taken, i, &exact)) {
            bits = rounded_exact(of, exact);
        } else if (left && of->left) {
            const unsigned place = of->left->count++;
            if (place < LEFT_MAX)
                of->left->index[place] = (uint64_t)to + i;
        } else if (left) {
            left->index[left->count++] = open[k];
        } else {
            const enum error failed = settle(of, (uint64_t)to + i, &bits, diagnostic);
            if (failed)
                return failed;
        }
        element_store(at, size, i, bits);
    }
    if (!direct)
        memcpy(own, out, count * size); // cppcheck-suppress uninitvar ; round_run filled it
    return ERROR_NONE;
}

static enum error store_part(void *context, uint64_t first, uint64_t count,
                             struct diagnostic *diagnostic)
{
    struct storing *const of = context;
    return look_through(of->look, first, count, store_run, of, diagnostic);
}

// Rounds all elements, or that at `at` alone, or the rows of `band`. With `left` some may be left
// out, which is said there.
static enum error store_node(struct plan *plan, unsigned index, const struct plan_value *root,
                             struct left *left, const uint64_t *at, const struct look_band *band,
                             struct diagnostic *diagnostic)
{
    enum { GRAIN = 16 * 1024 };
    struct look look;
    struct glance glance;
    ptrdiff_t stride[GRAPH_RANK_MAX], next = 1;
    uint64_t beside = 1;
    const struct graph_node *const node = &plan->graph->node[index];
    struct storing of = {.plan = plan,
                         .node = &plan->node[index],
                         .name = node->name,
                         .look = &look,
                         .overflow = evaluate_overflow(node, plan->node[index].type),
                         .left = left};
    for (unsigned i = root->rank; i-- > 0;) {
        stride[i] = root->size[i] == 1 ? 0 : next;
        next *= (ptrdiff_t)root->size[i];
    }
    enum error error = look_start(&look, plan, root, stride, at, band, diagnostic);
    if (error || !root->count)
        return error;
    // Of f64 a glance decides nothing but what is exact.
    if (of.node->type != DTYPE_F64 && !at &&
        glance_make(&glance, &look,
                    of.node->type == DTYPE_F32 && of.overflow == NUM_IEEE ? GLANCE_ROUNDED
                                                                          : GLANCE_PLAIN))
        look.glance = &glance;
    if (look.glance && glance.use == GLANCE_ROUNDED) {
        glance.results = of.node->data;
        glance.shift = (ptrdiff_t)of.node->shift;
    }
    for (unsigned i = 0; i < look.rank; i++)
        beside *= i == look.split ? 1 : look.size[i];
    if (look.split == look.rank || band)
        error = store_part(&of, 0, look.split == look.rank ? 1 : look.size[look.split], diagnostic);
    else
        error = threads_run(0, look.size[look.split], beside > GRAIN ? 1 : GRAIN / beside,
                            store_part, &of, diagnostic);
    return error;
}

// What the node keeps; whether there is a sum among it, which a glance leaves with wider errors,
// goes to *kept.
static enum error keep_values(struct plan *plan, const struct plan_node *node, bool glance,
                              bool *kept, struct keep_store *store, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned v = node->first; v < node->last && !error; v++)
        if (plan->value[v].kind == PLAN_KEPT) {
            *kept = *kept ||
                    (glance && words_row(plan_op(plan, &plan->value[v]))->class == CLASS_REDUCTION);
            error = keep_value(plan, &plan->value[v], glance, store, diagnostic);
        }
    return error;
}

// Whether every element of the root has its place in the value.
static bool goes_along(const struct plan_value *value, const struct plan_value *root)
{
    bool along = value->rank <= root->rank;
    for (unsigned i = 0; along && i < value->rank; i++)
        along = value->size[i] == 1 || value->size[i] == root->size[root->rank - value->rank + i];
    return along;
}

// Sums that one element needs are summed up once more, and it is looked at.
static enum error look_again(struct plan *plan, unsigned index, const struct plan_value *root,
                             uint64_t element, struct diagnostic *diagnostic)
{
    const struct plan_node *const node = &plan->node[index];
    uint64_t at[GRAPH_RANK_MAX], aligned[GRAPH_RANK_MAX];
    enum error error = ERROR_NONE;
    movement_place(root->rank, root->size, element, at);
    for (unsigned v = node->first; v < node->last && !error; v++) {
        const struct plan_value *const value = &plan->value[v];
        if (value->kind != PLAN_KEPT || !goes_along(value, root) ||
            words_row(plan_op(plan, value))->class != CLASS_REDUCTION)
            continue;
        movement_align(value, root->rank, at, aligned);
        error = keep_again(plan, value, aligned, diagnostic);
    }
    return error ? error : store_node(plan, index, root, NULL, at, NULL, diagnostic);
}

// Whether the node could be a stored tensor as it stands.
static bool is_copy(const struct plan *plan, unsigned index, const struct plan_value *root)
{
    return root->kind == PLAN_STORED && root->type == plan->node[index].type &&
           plan->graph->node[index].overflow != NODE_SATURATE;
}

// Whether the node is a stored tensor as it stands; it then needs none of its own. Outputs have
// their own, and canonical NaN, but where a node was put there at once; an infinity that saturates
// is stored anew.
static bool is_same(const struct plan *plan, unsigned index, const struct plan_value *root)
{
    const bool there = root->data && root->data == plan->node[index].data;
    return !graph_in_scan(plan->graph, index) && is_copy(plan, index, root) &&
           (plan->graph->node[index].output < 0 || there);
}

// What the node keeps, anew: the rows of the band, or all in the same arrays.
static enum error keep_rows(struct plan *plan, const struct plan_node *node, bool glance,
                            bool *kept, const struct look_band *band, struct keep_store *store,
                            struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    if (!band)
        return keep_values(plan, node, glance, kept, store, diagnostic);
    for (unsigned v = node->first; v < node->last && !error; v++)
        if (plan->value[v].kind == PLAN_KEPT) {
            *kept = *kept || glance;
            error = keep_reduce(plan, &plan->value[v], glance, band, diagnostic);
        }
    return error;
}

// All elements, or the rows of a band, whose values have their room.
static enum error evaluate_rows(struct plan *plan, unsigned index, const struct plan_value *root,
                                const struct look_band *band, struct keep_store *store,
                                struct diagnostic *diagnostic)
{
    const struct plan_node *const node = &plan->node[index];
    const size_t used = store->used;
    struct left left = {.count = 0};
    bool kept = false;
    enum error error =
        keep_rows(plan, node, node->type != DTYPE_F64, &kept, band, store, diagnostic);
    if (error || !store->base)
        return error;
    error = store_node(plan, index, root, kept ? &left : NULL, NULL, band, diagnostic);
    for (unsigned i = 0; i < left.count && left.count <= LEFT_MAX && !error; i++)
        error = look_again(plan, index, root, left.index[i], diagnostic);
    if (error || left.count <= LEFT_MAX)
        return error;
    if (!band)
        store->used = used; // the same arrays again
    error = keep_rows(plan, node, false, &kept, band, store, diagnostic);
    return error ? error : store_node(plan, index, root, NULL, NULL, band, diagnostic);
}

static const struct plan_value *root_of(const struct plan *plan, unsigned index)
{
    return &plan->value[plan->slot[plan->root[index]] - 1];
}

static enum error evaluate_node(struct plan *plan, unsigned index, struct keep_store *store,
                                struct diagnostic *diagnostic)
{
    struct plan_node *const node = &plan->node[index];
    const struct plan_value *const root = root_of(plan, index);
    if (is_same(plan, index, root))
        return ERROR_NONE;
    if (plan_is_product(plan, node, root))
        return evaluate_product(plan, node, root, store, diagnostic);
    plan->elements += store->base ? root->count : 0;
    return evaluate_rows(plan, index, root, NULL, store, diagnostic);
}

// ---- bands ------------------------------------------------------------------

struct banded {
    struct plan *plan;
    struct passing_band rows;
    bool passing; // some node does
    struct keep_store *store;
};

// Some rows through all nodes, so that what one stores is near when the next reads it.
static enum error evaluate_bands(const struct banded *of, struct plan *plan, struct passing *own,
                                 uint64_t first, uint64_t count, struct diagnostic *diagnostic)
{
    const uint64_t rows = of->rows.rows;
    struct look_band band = of->rows.band;
    struct glance_ranges ranges;
    enum error error = ERROR_NONE;
    band.ranges = &ranges;
    for (uint64_t row = first; row < first + count && !error; row += rows) {
        memset(&ranges, 0, sizeof ranges);
        if (own)
            passing_place(own, &of->rows, row);
        band.first = row;
        band.count = first + count - row < rows ? first + count - row : rows;
        for (unsigned i = of->rows.first; i < of->rows.last && !error; i++)
            if (plan->used[i] && !is_same(plan, i, root_of(plan, i)))
                error = evaluate_rows(plan, i, root_of(plan, i), &band, of->store, diagnostic);
    }
    return error;
}

static enum error evaluate_passing(void *context, uint64_t first, uint64_t count,
                                   struct diagnostic *diagnostic)
{
    const struct banded *const of = context;
    struct passing own;
    passing_start(&own, of->plan);
    const enum error error = evaluate_bands(of, &own.plan, &own, first, count, diagnostic);
    passing_finish(&own, of->plan);
    return error;
}

static enum error evaluate_band(void *context, uint64_t first, uint64_t count,
                                struct diagnostic *diagnostic)
{
    const struct banded *const of = context;
    return evaluate_bands(of, of->plan, NULL, first, count, diagnostic);
}

static enum error evaluate_banded(struct banded *of, struct diagnostic *diagnostic)
{
    enum { PIECES = 64 }; // a plan is copied for each of them
    struct plan *const plan = of->plan;
    const uint64_t rows = of->rows.band.rows, each = of->rows.rows;
    for (unsigned i = of->rows.first; i < of->rows.last; i++) {
        if (!plan->used[i] || is_same(plan, i, root_of(plan, i)))
            continue;
        for (unsigned v = plan->node[i].first; v < plan->node[i].last; v++)
            if (plan->value[v].kind == PLAN_KEPT)
                keep_take_reduction(&plan->value[v], of->store);
        plan->elements += of->store->base ? root_of(plan, i)->count : 0;
    }
    const uint64_t grain = of->passing ? (rows / PIECES / each + 1) * each : each;
    return of->store->base
               ? threads_run(0, rows, grain, of->passing ? evaluate_passing : evaluate_band, of,
                             diagnostic)
               : ERROR_NONE;
}

// An output that is a copy of the node, which then goes there at once; -1: there is none.
static int output_of(const struct plan *plan, unsigned index)
{
    if (plan->graph->node[index].output >= 0)
        return plan->graph->node[index].output;
    for (unsigned i = index + 1; i < plan->graph->node_count; i++) {
        const struct plan_value *const root = plan->used[i] ? root_of(plan, i) : NULL;
        if (root && plan_op(plan, root) == WORD_NODE && is_copy(plan, i, root) &&
            plan->graph->expression[root->expression].index == index &&
            plan->graph->node[i].output >= 0)
            return plan->graph->node[i].output;
    }
    return -1;
}

// Where the node's elements go.
static void place_node(struct plan *plan, unsigned index, void *const *data,
                       struct keep_store *store)
{
    struct plan_node *const node = &plan->node[index];
    const int output = output_of(plan, index);
    if (is_same(plan, index, root_of(plan, index)))
        node->data = (void *)(uintptr_t)root_of(plan, index)->data;
    else if (node->passing)
        return;
    else if (output < 0)
        node->data = keep_take(store, node->count, dtype_size(node->type));
    else
        node->data = data ? data[output] : NULL;
    passing_publish(plan, index);
}

// ---- the scan ---------------------------------------------------------------

// Step by step; what the expressions of one step keep has the same room at the next.
static enum error evaluate_scan(struct plan *plan, unsigned index, struct keep_store *store,
                                struct diagnostic *diagnostic)
{
    const struct graph_scan *const scan = &plan->graph->scan[index];
    const uint64_t steps = store->base || plan->steps < 2 ? plan->steps : 2;
    enum error error = ERROR_NONE;
    for (unsigned i = scan->first; i < scan->end; i++)
        if (plan->used[i])
            plan->node[i].all =
                keep_take(store, plan->steps * plan->node[i].count, dtype_size(plan->node[i].type));
    const size_t used = store->used;
    size_t most = used;
    for (uint64_t step = 0; step < steps && !error; step++) {
        store->used = used;
        plan_set_step(plan, index, step);
        for (unsigned i = scan->first; i < scan->end && !error; i++)
            if (plan->used[i])
                error = evaluate_node(plan, i, store, diagnostic);
        most = store->used > most ? store->used : most;
    }
    store->used = most;
    return error;
}

enum error evaluate_nodes(struct plan *plan, void *const *data, struct keep_store *store,
                          struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    settle_scalars(plan);
    for (unsigned i = 0, last; i < plan->graph->node_count && !error; i = last) {
        struct banded of = {.plan = plan, .rows = {.first = i}, .store = store};
        const unsigned scan = graph_scan_of(plan->graph, i);
        if (scan < GRAPH_SCANS) {
            error = evaluate_scan(plan, scan, store, diagnostic);
            last = plan->graph->scan[scan].end;
            continue;
        }
        last = of.rows.last = band_find(plan, i, &of.rows.band, &of.rows.rows);
        of.passing = of.rows.rows && passing_mark(plan, &of.rows);
        for (unsigned k = i; k < last; k++)
            if (plan->used[k])
                place_node(plan, k, data, store);
        if (of.rows.rows)
            error = evaluate_banded(&of, diagnostic);
        else if (plan->used[i])
            error = evaluate_node(plan, i, store, diagnostic);
    }
    return error || !store->failed
               ? error
               : diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "the nodes need too much memory");
}
