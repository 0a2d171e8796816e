// SPDX-License-Identifier: Apache-2.0
// Deviant cells of onednn.rnn: the right table with one equation changed, in every cell that has
// it.

#include "ref/variant/onednn_rnn.h"

#include <assert.h>
#include <string.h>

// Of which equation, or which kind of gradient; which operand, or which gate.
struct change {
    uint8_t result, place;
};

static struct change change_of(const struct rnn_row *row, unsigned option)
{
    for (; row->places; row++)
        for (unsigned place = 0; place < 8; place++)
            if (row->places >> place & 1 && --option == 0)
                return (struct change){row->result, (uint8_t)place};
    assert(false); // there are as many options as bits
    return (struct change){RNN_NOTHING, 0};
}

enum error rnn_lens_own_cell(const struct lens_call *call, struct request *request,
                             struct rnn_problem *problem, struct rnn_cell **cell)
{
    const enum error error = rnn_problem_read(request, problem, call->diagnostic);
    if (error)
        return error;
    *cell = arena_take(call->arena, sizeof **cell);
    if (!*cell)
        return diagnostic_no_memory(call->diagnostic);
    const struct rnn_cell *const made = request->deviation;
    **cell = made ? *made : *rnn_cell_of(problem);
    request->deviation = *cell;
    return ERROR_NONE;
}

bool rnn_lens_keeps(const struct request *request, const void *deviation)
{
    struct rnn_problem problem;
    struct diagnostic ignored;
    if (rnn_problem_read(request, &problem, &ignored))
        return false;
    struct rnn_cell resolved[2];
    const struct rnn_cell *const tables[] = {rnn_cell_of(&problem), deviation};
    for (unsigned i = 0; i < 2; i++) {
        rnn_cell_resolve(&problem, tables[i], &resolved[i]);
        if (!problem.backward) { // what nothing forward reads
            memset(resolved[i].backward, 0, sizeof resolved[i].backward);
            memset(resolved[i].gradient, 0, sizeof resolved[i].gradient);
            resolved[i].backward_count = resolved[i].gradient_count = 0;
        }
    }
    // A table that is copied keeps its padding; were it lost, the table would only be taken for
    // another.
    const void *const own = &resolved[0], *const made = &resolved[1];
    return !memcmp(made, own, sizeof resolved[0]);
}

// ---- neighbours -------------------------------------------------------------

// Variables that stand side by side: gates, their gradients, rows of bias and peephole, states
// before and after.
static const struct {
    uint8_t first, count;
} rows[] = {{RNN_B0, 4}, {RNN_P0, 3}, {RNN_G0, 4}, {RNN_DIFF_Z0, 4}};
static const uint8_t pairs[][2] = {{RNN_H, RNN_H_STORED},
                                   {RNN_C, RNN_C_NEW},
                                   {RNN_DIFF_ABOVE, RNN_DIFF_NEXT},
                                   {RNN_DIFF_C_TOTAL, RNN_DIFF_C},
                                   {RNN_UPDATE, RNN_G0},
                                   {RNN_T, RNN_G2},
                                   {RNN_DIFF_H, RNN_DIFF_ABOVE},
                                   {RNN_DIFF_W, RNN_DIFF_Z2},
                                   {RNN_W, RNN_G2},
                                   {RNN_DIFF_C, RNN_C}};

static bool is_made_before(const struct rnn_cell *cell, const struct rnn_equation *at,
                           uint8_t variable)
{
    const bool backward = at >= cell->backward && at < cell->backward + RNN_BACKWARD_MAX;
    if (variable < RNN_SCALE)
        return true;
    if (variable == RNN_DIFF_ABOVE || variable == RNN_DIFF_NEXT || variable == RNN_DIFF_C ||
        variable == RNN_H_STORED)
        return backward;
    for (unsigned i = 0;
         i < RNN_EQUATIONS_MAX && cell->forward[i].result && (backward || &cell->forward[i] < at);
         i++)
        if (cell->forward[i].result == variable && cell->forward[i].when == RNN_ALWAYS)
            return true;
    for (unsigned i = 0;
         i < RNN_BACKWARD_MAX && backward && cell->backward[i].result && &cell->backward[i] < at;
         i++)
        if (cell->backward[i].result == variable && cell->backward[i].when == RNN_ALWAYS)
            return true;
    return false;
}

// The neighbour of `variable` that is there when equation `at` is computed; itself where there is
// none.
static uint8_t neighbour_of(const struct rnn_cell *cell, const struct rnn_equation *at,
                            uint8_t variable)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const unsigned first = rows[r].first;
        const unsigned count = first == RNN_B0   ? cell->bias_rows
                               : first == RNN_P0 ? 3
                                                 : cell->gates;
        for (unsigned k = 1; k < count && variable >= first && variable < first + count; k++) {
            const uint8_t other = (uint8_t)(first + (variable - first + k) % count);
            if (is_made_before(cell, at, other))
                return other;
        }
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned k = 0; k < 2; k++)
            if (variable == pairs[i][k] && is_made_before(cell, at, pairs[i][1 - k]))
                return pairs[i][1 - k];
    return variable;
}

// Of the factors of a term, the first that has a neighbour.
static void take_neighbour(const struct rnn_cell *cell, const struct rnn_equation *at,
                           struct rnn_term *term)
{
    for (unsigned f = 0; f < term->factors; f++) {
        const uint8_t other = neighbour_of(cell, at, term->factor[f].x);
        if (other != term->factor[f].x) {
            term->factor[f].x = other;
            return;
        }
    }
}

// ---- changes of an equation -------------------------------------------------

static void leave_out_operand(struct rnn_equation *equation, unsigned place)
{
    if (place < equation->dots) {
        equation->dots--;
        for (unsigned i = place; i < equation->dots; i++)
            equation->dot[i] = equation->dot[i + 1];
    } else if (place - equation->dots < equation->terms) {
        equation->terms--;
        for (unsigned i = place - equation->dots; i < equation->terms; i++)
            equation->term[i] = equation->term[i + 1];
        equation->kind = RNN_SUM;
    }
}

static void repeat_operand(struct rnn_equation *equation, unsigned place)
{
    if (place < equation->dots && equation->dots < RNN_DOTS_MAX) {
        equation->dot[equation->dots] = equation->dot[place];
        equation->dots++;
    } else if (place >= equation->dots && place - equation->dots < equation->terms &&
               equation->terms < RNN_TERMS_MAX) {
        equation->term[equation->terms] = equation->term[place - equation->dots];
        equation->terms++;
        equation->kind = RNN_SUM;
    }
}

static void take_operand_of_neighbour(const struct rnn_cell *cell, struct rnn_equation *equation,
                                      unsigned place)
{
    if (place < equation->dots && equation->dot[place].matrix != RNN_MATRIX_PROJECTION)
        equation->dot[place].gate = (uint8_t)((equation->dot[place].gate + 1) % cell->gates);
    else if (place >= equation->dots && place - equation->dots < equation->terms) {
        equation->kind = RNN_SUM;
        take_neighbour(cell, equation, &equation->term[place - equation->dots]);
    }
}

static void leave_out_factor(struct rnn_term *term, unsigned place)
{
    if (place >= term->factors || term->factors < 2)
        return;
    term->factors--;
    for (unsigned i = place; i < term->factors; i++)
        term->factor[i] = term->factor[i + 1];
}

static void change_equation(const struct rnn_cell *cell, struct rnn_equation *equation,
                            enum rnn_change change, unsigned place)
{
    struct rnn_term *const first = equation->terms ? &equation->term[0] : NULL;
    switch (change) {
    case RNN_LEAVE_OUT:
        leave_out_operand(equation, place);
        break;
    case RNN_REPEAT:
        repeat_operand(equation, place);
        break;
    case RNN_TAKE_NEIGHBOUR:
        take_operand_of_neighbour(cell, equation, place);
        break;
    case RNN_SUBTRACT:
        if (place < equation->terms)
            equation->term[place].negative ^= true;
        break;
    case RNN_LEAVE_OUT_FACTOR:
        if (first)
            leave_out_factor(first, place);
        break;
    case RNN_TAKE_NEIGHBOUR_FACTOR:
        if (first && place < first->factors)
            first->factor[place].x = neighbour_of(cell, equation, first->factor[place].x);
        break;
    }
}

void rnn_change_cell(struct rnn_cell *cell, enum rnn_change change, uint8_t result, unsigned place)
{
    assert(result != RNN_NOTHING);
    for (unsigned i = 0; i < RNN_EQUATIONS_MAX && cell->forward[i].result != RNN_NOTHING; i++)
        if (cell->forward[i].result == result)
            change_equation(cell, &cell->forward[i], change, place);
    for (unsigned i = 0; i < RNN_BACKWARD_MAX && cell->backward[i].result != RNN_NOTHING; i++)
        if (cell->backward[i].result == result)
            change_equation(cell, &cell->backward[i], change, place);
}

void rnn_change_by_option(const struct rnn_equation_lens *lens, unsigned option,
                          struct rnn_cell *cell)
{
    const struct change change = change_of(lens->row, option);
    rnn_change_cell(cell, lens->change, change.result, change.place);
}

enum error rnn_lens_equation(const struct lens_call *call, struct request *request)
{
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    if (!error)
        rnn_change_by_option(call->lens->detail, call->option, cell);
    return error;
}

// ---- gradients of parameters ------------------------------------------------

static bool is_gradient_of(const struct rnn_gradient *gradient, enum rnn_gradient_change kind)
{
    switch (kind) {
    case RNN_WEIGHTS_LAYER_OF_NEXT:
        return gradient->kind == RNN_OUTER && gradient->matrix == RNN_MATRIX_LAYER;
    case RNN_WEIGHTS_ITER_OF_NEXT:
    case RNN_WEIGHTS_ITER_OF_NEW:
    case RNN_WEIGHTS_ITER_OF_NEW_ALL:
        return gradient->kind == RNN_OUTER && gradient->matrix == RNN_MATRIX_ITER;
    case RNN_BIAS_OF_NEXT:
        return gradient->kind == RNN_TOTAL;
    case RNN_PEEPHOLE_OF_NEXT:
    case RNN_PEEPHOLE_OF_OTHER:
        return gradient->kind == RNN_PRODUCT;
    default:
        return gradient->kind == RNN_OUTER && gradient->matrix == RNN_MATRIX_PROJECTION;
    }
}

enum error rnn_lens_gradient(const struct lens_call *call, struct request *request)
{
    const struct change change = change_of(call->lens->detail, call->option);
    const enum rnn_gradient_change kind = (enum rnn_gradient_change)change.result;
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    for (unsigned i = 0; i < RNN_GRADIENTS_MAX && !error && cell->gradient[i].name; i++) {
        struct rnn_gradient *const gradient = &cell->gradient[i];
        const struct rnn_equation *const end = cell->backward + RNN_BACKWARD_MAX - 1; // all is made
        const bool all = kind == RNN_WEIGHTS_ITER_OF_NEW_ALL;
        if (!is_gradient_of(gradient, kind) || (gradient->gate != change.place && !all))
            continue;
        if (!all && kind != RNN_WEIGHTS_ITER_OF_NEW && kind != RNN_PEEPHOLE_OF_OTHER)
            gradient->right = neighbour_of(cell, end, gradient->right);
        else if (gradient->left != RNN_H || problem.iter_channels == problem.output_channels)
            gradient->left = neighbour_of(cell, end, gradient->left);
    }
    return error;
}

// Equation `result` of the backward pass reads u where it should read (1 - a)*u.
static void read_update_before_attention(struct rnn_cell *cell, uint8_t result)
{
    for (unsigned i = 0; i < RNN_BACKWARD_MAX && cell->backward[i].result != RNN_NOTHING; i++)
        for (unsigned t = 0; t < cell->backward[i].terms && cell->backward[i].result == result; t++)
            for (unsigned f = 0; f < cell->backward[i].term[t].factors; f++)
                if (cell->backward[i].term[t].factor[f].x == RNN_UPDATE)
                    cell->backward[i].term[t].factor[f].x = RNN_G0;
}

enum error rnn_lens_attention_gradient(const struct lens_call *call, struct request *request)
{
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    if (error || !cell->attention || (problem.cell != RNN_AUGRU && problem.cell != RNN_LBR_AUGRU))
        return error;
    read_update_before_attention(cell, RNN_DIFF_Z2);
    read_update_before_attention(cell, RNN_DIFF_H_PREV);
    cell->attention_slope = true;
    return ERROR_NONE;
}

// ---- stores -----------------------------------------------------------------

// Everything of the forward pass that reads `from` reads `to` instead; where `by` is set, only the
// equation that gives it.
static void read_instead(struct rnn_cell *cell, uint8_t from, uint8_t to, uint8_t by)
{
    for (unsigned i = 0; i < RNN_EQUATIONS_MAX && cell->forward[i].result != RNN_NOTHING; i++) {
        struct rnn_equation *const equation = &cell->forward[i];
        if (by && equation->result != by)
            continue;
        equation->argument = equation->argument == from ? to : equation->argument;
        for (unsigned d = 0; d < equation->dots; d++)
            equation->dot[d].vector =
                equation->dot[d].vector == from ? to : equation->dot[d].vector;
        for (unsigned t = 0; t < equation->terms; t++)
            for (unsigned f = 0; f < equation->term[t].factors; f++)
                if (equation->term[t].factor[f].x == from)
                    equation->term[t].factor[f].x = to;
    }
}

// The stores of the table stay; what reads them, or does not, changes. Where the store comes after
// its early reader, the reader would see the step before: it is moved up behind what it stores.
static void store_early(struct rnn_cell *cell, uint8_t stored, uint8_t value)
{
    unsigned from = 0, to = 0;
    for (unsigned i = 0; i < RNN_EQUATIONS_MAX && cell->forward[i].result != RNN_NOTHING; i++) {
        from = cell->forward[i].result == stored ? i : from;
        to = cell->forward[i].result == value ? i + 1 : to;
    }
    const struct rnn_equation store = cell->forward[from];
    for (unsigned i = from; to && i > to; i--)
        cell->forward[i] = cell->forward[i - 1];
    if (to && from > to)
        cell->forward[to] = store;
}

enum error rnn_lens_store(const struct lens_call *call, struct request *request)
{
    enum { C_BEFORE_TANH = 1, C_BEFORE_OUTPUT_GATE, S_AS_COMPUTED, M_AS_COMPUTED };
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    if (error || problem.quantised ||
        problem.backward) // gradients would read what is no longer made
        return error;
    if (call->option <= C_BEFORE_OUTPUT_GATE && cell->carries_c) {
        store_early(cell, RNN_C_STORED, RNN_C_NEW);
        read_instead(cell, RNN_C_NEW, RNN_C_STORED, call->option == C_BEFORE_TANH ? RNN_T : RNN_Z3);
    } else if (call->option == S_AS_COMPUTED) {
        read_instead(cell, RNN_S_STORED, RNN_S, RNN_Z2);
    } else if (call->option == M_AS_COMPUTED && problem.projection) {
        read_instead(cell, RNN_M_STORED, RNN_M, RNN_H_NEW);
    }
    return ERROR_NONE;
}

static struct rnn_equation copy_of(uint8_t to, uint8_t from)
{
    return (struct rnn_equation){.name = "rounded",
                                 .result = to,
                                 .terms = 1,
                                 .term = {{.factors = 1, .factor = {{.x = from}}}}};
}

// Rounds a value of the forward pass to the type of the state, by way of a variable of that type
// that the cell has no use for.
enum error rnn_lens_early(const struct lens_call *call, struct request *request)
{
    const struct change change = change_of(call->lens->detail, call->option);
    const uint8_t variable = (uint8_t)(change.result + change.place);
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    unsigned count = 0, at = RNN_EQUATIONS_MAX;
    if (error || problem.quantised || problem.backward)
        return error;
    for (; count < RNN_EQUATIONS_MAX && cell->forward[count].result != RNN_NOTHING; count++)
        if (cell->forward[count].result == variable)
            at = count + 1;
    if (at == RNN_EQUATIONS_MAX || count + 2 > RNN_EQUATIONS_MAX)
        return ERROR_NONE;
    const uint8_t by = problem.cell >= RNN_GRU ? RNN_M_STORED : RNN_S_STORED;
    memmove(&cell->forward[at + 2], &cell->forward[at], (count - at) * sizeof cell->forward[0]);
    cell->forward[at] = copy_of(by, variable);
    cell->forward[at + 1] = copy_of(variable, by);
    return ERROR_NONE;
}

// ---- between cells ----------------------------------------------------------

enum error rnn_lens_wiring(const struct lens_call *call, struct request *request)
{
    enum { OTHER_DIRECTION = 1, SRC_LAYER, STEP_BEFORE, SECOND_DIRECTION_FORWARD };
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    if (error || problem.backward)
        return error;
    if (call->option == OTHER_DIRECTION)
        cell->wiring.crossed = problem.directions == 2;
    else if (call->option == SECOND_DIRECTION_FORWARD)
        cell->wiring.one_way = true;
    else if (call->option == SRC_LAYER || problem.iter_channels == problem.output_channels)
        cell->wiring.up = call->option == SRC_LAYER ? RNN_X : RNN_H;
    return ERROR_NONE;
}
