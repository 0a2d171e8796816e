// SPDX-License-Identifier: Apache-2.0
// Deviant cells of onednn.rnn: the right table with one equation changed, in every cell that has it.

#include "ref/op/onednn_rnn_cell.h"
#include "ref/op/onednn_rnn_engine.h"
#include "ref/variant/onednn_rnn.h"

struct change {
    uint8_t result, place; // of which equation, which operand
};

enum kind { OPERAND, SIGN, FACTOR };

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

static void leave_out_factor(struct rnn_term *term, unsigned place)
{
    if (place >= term->factors || term->factors < 2)
        return;
    term->factors--;
    for (unsigned i = place; i < term->factors; i++)
        term->factor[i] = term->factor[i + 1];
}

static void change_list(struct rnn_equation *equation, unsigned room, enum kind kind, const struct change *change)
{
    for (unsigned i = 0; i < room && equation[i].result != RNN_NOTHING; i++) {
        if (equation[i].result != change->result)
            continue;
        if (kind == OPERAND)
            leave_out_operand(&equation[i], change->place);
        else if (kind == SIGN && change->place < equation[i].terms)
            equation[i].term[change->place].negative ^= true;
        else if (kind == FACTOR && equation[i].terms)
            leave_out_factor(&equation[i].term[0], change->place);
    }
}

static enum error evaluate(const struct request *request, enum kind kind, const struct change *change, void *const *data,
                           void *workspace, struct diagnostic *diagnostic)
{
    struct rnn_problem problem;
    const enum error error = rnn_problem_read(request, &problem, diagnostic);
    if (error)
        return error;
    struct rnn_cell cell = *rnn_cell_of(&problem);
    change_list(cell.forward, RNN_EQUATIONS_MAX, kind, change);
    change_list(cell.backward, RNN_BACKWARD_MAX, kind, change);
    return rnn_evaluate_cell(request, &cell, data, workspace, diagnostic);
}

enum error rnn_lens_operand(unsigned option, const struct request *request, void *const *data, void *workspace,
                            struct diagnostic *diagnostic)
{
    static const struct change changes[] = {{RNN_Z0, 0},
                                            {RNN_Z0, 1},
                                            {RNN_Z0, 2},
                                            {RNN_Z0, 3},
                                            {RNN_Z1, 0},
                                            {RNN_Z1, 1},
                                            {RNN_Z1, 2},
                                            {RNN_Z1, 3},
                                            {RNN_Z2, 0},
                                            {RNN_Z2, 1},
                                            {RNN_Z2, 2},
                                            {RNN_Z3, 0},
                                            {RNN_Z3, 1},
                                            {RNN_Z3, 2},
                                            {RNN_Z3, 3},
                                            {RNN_W, 0},
                                            {RNN_W, 1},
                                            {RNN_C_NEW, 0},
                                            {RNN_C_NEW, 1},
                                            {RNN_H_NEW, 0},
                                            {RNN_H_NEW, 1},
                                            {RNN_DIFF_H, 0},
                                            {RNN_DIFF_H, 1},
                                            {RNN_DIFF_C_TOTAL, 0},
                                            {RNN_DIFF_C_TOTAL, 1},
                                            {RNN_DIFF_C_TOTAL, 2},
                                            {RNN_DIFF_C_PREV, 0},
                                            {RNN_DIFF_C_PREV, 1},
                                            {RNN_DIFF_C_PREV, 2},
                                            {RNN_DIFF_H_PREV, 0},
                                            {RNN_DIFF_H_PREV, 1},
                                            {RNN_DIFF_H_PREV, 2},
                                            {RNN_DIFF_H_PREV, 3},
                                            {RNN_DIFF_X, 0},
                                            {RNN_DIFF_X, 1},
                                            {RNN_DIFF_X, 2},
                                            {RNN_DIFF_X, 3}};
    return evaluate(request, OPERAND, &changes[option - 1], data, workspace, diagnostic);
}

enum error rnn_lens_sign(unsigned option, const struct request *request, void *const *data, void *workspace,
                         struct diagnostic *diagnostic)
{
    static const struct change changes[] = {{RNN_Z0, 0},
                                            {RNN_Z0, 1},
                                            {RNN_Z1, 0},
                                            {RNN_Z1, 1},
                                            {RNN_Z2, 0},
                                            {RNN_Z2, 1},
                                            {RNN_Z3, 0},
                                            {RNN_Z3, 1},
                                            {RNN_W, 0},
                                            {RNN_C_NEW, 0},
                                            {RNN_C_NEW, 1},
                                            {RNN_H_NEW, 0},
                                            {RNN_H_NEW, 1},
                                            {RNN_DIFF_H, 0},
                                            {RNN_DIFF_H, 1},
                                            {RNN_DIFF_C_TOTAL, 0},
                                            {RNN_DIFF_C_TOTAL, 1},
                                            {RNN_DIFF_C_TOTAL, 2},
                                            {RNN_DIFF_C_PREV, 0},
                                            {RNN_DIFF_C_PREV, 1},
                                            {RNN_DIFF_C_PREV, 2},
                                            {RNN_DIFF_H_PREV, 0},
                                            {RNN_DIFF_H_PREV, 1},
                                            {RNN_DIFF_Z0, 0},
                                            {RNN_DIFF_Z1, 0},
                                            {RNN_DIFF_Z2, 0},
                                            {RNN_DIFF_Z3, 0},
                                            {RNN_M, 0},
                                            {RNN_S, 0},
                                            {RNN_DIFF_W, 0}};
    return evaluate(request, SIGN, &changes[option - 1], data, workspace, diagnostic);
}

enum error rnn_lens_factor(unsigned option, const struct request *request, void *const *data, void *workspace,
                           struct diagnostic *diagnostic)
{
    static const struct change changes[] = {
        {RNN_DIFF_Z0, 0}, {RNN_DIFF_Z0, 1}, {RNN_DIFF_Z0, 2}, {RNN_DIFF_Z0, 3}, {RNN_DIFF_Z1, 0}, {RNN_DIFF_Z1, 1},
        {RNN_DIFF_Z1, 2}, {RNN_DIFF_Z2, 0}, {RNN_DIFF_Z2, 1}, {RNN_DIFF_Z2, 2}, {RNN_DIFF_Z3, 0}, {RNN_DIFF_Z3, 1},
        {RNN_DIFF_Z3, 2}, {RNN_M, 0},       {RNN_M, 1},       {RNN_S, 0},       {RNN_S, 1},       {RNN_DIFF_W, 0},
        {RNN_DIFF_W, 1},  {RNN_UPDATE, 0},  {RNN_UPDATE, 1}};
    return evaluate(request, FACTOR, &changes[option - 1], data, workspace, diagnostic);
}

// Everything of the forward pass that reads `from` reads `to` instead; where `by` is set, only the equation that gives it.
static void read_instead(struct rnn_cell *cell, uint8_t from, uint8_t to, uint8_t by)
{
    for (unsigned i = 0; i < RNN_EQUATIONS_MAX && cell->forward[i].result != RNN_NOTHING; i++) {
        struct rnn_equation *const equation = &cell->forward[i];
        if (by && equation->result != by)
            continue;
        equation->argument = equation->argument == from ? to : equation->argument;
        for (unsigned d = 0; d < equation->dots; d++)
            equation->dot[d].vector = equation->dot[d].vector == from ? to : equation->dot[d].vector;
        for (unsigned t = 0; t < equation->terms; t++)
            for (unsigned f = 0; f < equation->term[t].factors; f++)
                if (equation->term[t].factor[f].x == from)
                    equation->term[t].factor[f].x = to;
    }
}

// The stores of the table stay; what reads them, or does not, changes. Where the store comes after its early reader, the reader
// would see the step before: it is moved up behind what it stores.
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

enum error rnn_lens_store(unsigned option, const struct request *request, void *const *data, void *workspace,
                          struct diagnostic *diagnostic)
{
    enum { C_BEFORE_TANH = 1, C_BEFORE_OUTPUT_GATE, S_AS_COMPUTED, M_AS_COMPUTED };
    struct rnn_problem problem;
    const enum error error = rnn_problem_read(request, &problem, diagnostic);
    if (error)
        return error;
    struct rnn_cell cell = *rnn_cell_of(&problem);
    if (!problem.quantised && !problem.backward) { // gradients would read what is no longer made
        if (option <= C_BEFORE_OUTPUT_GATE && cell.carries_c) {
            store_early(&cell, RNN_C_STORED, RNN_C_NEW);
            read_instead(&cell, RNN_C_NEW, RNN_C_STORED, option == C_BEFORE_TANH ? RNN_T : RNN_Z3);
        } else if (option == S_AS_COMPUTED) {
            read_instead(&cell, RNN_S_STORED, RNN_S, RNN_Z2);
        } else if (option == M_AS_COMPUTED && problem.projection) {
            read_instead(&cell, RNN_M_STORED, RNN_M, RNN_H_NEW);
        }
    }
    return rnn_evaluate_cell(request, &cell, data, workspace, diagnostic);
}
