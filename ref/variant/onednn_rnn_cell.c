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
