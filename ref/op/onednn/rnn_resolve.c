// SPDX-License-Identifier: Apache-2.0
// From the table of a cell to the equations of a problem.

#include <assert.h>
#include <string.h>

#include "ref/op/onednn/rnn_cell.h"

const struct rnn_cell *rnn_cell_of(const struct rnn_problem *problem)
{
    if (problem->frame)
        return problem->frame->cell;
    switch (problem->cell) {
    case RNN_VANILLA:
        return &rnn_cell_vanilla[problem->activation];
    case RNN_LSTM:
        return problem->quantised ? &rnn_cell_quantised_lstm : &rnn_cell_lstm;
    case RNN_GRU:
    case RNN_AUGRU:
        return problem->quantised ? &rnn_cell_quantised_gru : &rnn_cell_gru;
    default:
        return &rnn_cell_lbr_gru;
    }
}

static bool is_left_out(const struct rnn_problem *problem, const struct rnn_equation *equation)
{
    const enum rnn_coupling coupling = problem->frame ? problem->frame->coupling : RNN_UNCOUPLED;
    const bool folded = problem->request->profile.option[RNN_INT8_BIAS] != 0;
    switch ((enum rnn_when)equation->when) {
    case RNN_WHEN_PROJECTION:
        return !problem->projection;
    case RNN_WITHOUT_PROJECTION:
        return problem->projection;
    case RNN_WHEN_FOLDED:
        return !folded;
    case RNN_WITHOUT_FOLDING:
        return folded;
    case RNN_WITH_INPUT_GATE:
        return coupling == RNN_INPUT_OF_FORGET;
    case RNN_WITH_FORGET_GATE:
        return coupling == RNN_FORGET_OF_INPUT;
    case RNN_WITH_INPUT_OF_FORGET:
        return coupling != RNN_INPUT_OF_FORGET;
    case RNN_WITH_FORGET_OF_INPUT:
        return coupling != RNN_FORGET_OF_INPUT;
    default:
        return false;
    }
}

// The variable that stands for `variable` where the problem does not make it.
static uint8_t stand_in(const struct rnn_problem *problem, bool attention, uint8_t variable)
{
    if (variable == RNN_UPDATE && !attention)
        return RNN_G0;
    return variable == RNN_DIFF_M && !problem->projection ? RNN_DIFF_H : variable;
}

static bool is_peephole(uint8_t variable)
{
    return variable >= RNN_P0 && variable <= RNN_P2;
}

static void resolve_term(const struct rnn_problem *problem, bool attention,
                         const struct rnn_term *from, struct rnn_equation *equation)
{
    struct rnn_term term = {.negative = from->negative};
    for (unsigned f = 0; f < from->factors; f++) {
        struct rnn_factor factor = from->factor[f];
        if (is_peephole(factor.x) && !problem->peephole)
            return;
        if (factor.x == RNN_A && !attention)
            continue;
        factor.x = stand_in(problem, attention, factor.x);
        factor.y = stand_in(problem, attention, factor.y);
        term.factor[term.factors++] = factor;
    }
    equation->term[equation->terms++] = term;
}

static unsigned resolve_list(const struct rnn_problem *problem, bool attention,
                             const struct rnn_equation *from, struct rnn_equation *to,
                             unsigned room)
{
    unsigned count = 0;
    for (unsigned i = 0; i < room && from[i].result != RNN_NOTHING; i++) {
        if (is_left_out(problem, &from[i]) || (from[i].result == RNN_UPDATE && !attention))
            continue;
        struct rnn_equation *const equation = &to[count++];
        *equation = from[i];
        equation->terms = 0;
        for (unsigned t = 0; t < from[i].terms; t++)
            resolve_term(problem, attention, &from[i].term[t], equation);
    }
    return count;
}

void rnn_cell_resolve(const struct rnn_problem *problem, const struct rnn_cell *table,
                      struct rnn_cell *cell)
{
    assert(cell != table);
    memset(cell, 0, sizeof *cell);
    cell->name = table->name;
    cell->wiring = table->wiring;
    cell->gates = table->gates;
    cell->bias_rows = table->bias_rows;
    cell->carries_c = table->carries_c;
    cell->attention_slope = table->attention_slope;
    cell->attention = problem->cell == RNN_AUGRU || problem->cell == RNN_LBR_AUGRU;
    cell->forward_count =
        resolve_list(problem, cell->attention, table->forward, cell->forward, RNN_EQUATIONS_MAX);
    cell->backward_count =
        resolve_list(problem, cell->attention, table->backward, cell->backward, RNN_BACKWARD_MAX);
    for (unsigned i = 0; i < RNN_GRADIENTS_MAX && table->gradient[i].name; i++) {
        const struct rnn_gradient *const gradient = &table->gradient[i];
        const bool absent = (gradient->kind == RNN_PRODUCT && !problem->peephole) ||
                            (gradient->kind == RNN_OUTER &&
                             gradient->matrix == RNN_MATRIX_PROJECTION && !problem->projection) ||
                            (gradient->kind == RNN_TOTAL && !rnn_has(problem, RNN_BIAS));
        if (!absent)
            cell->gradient[cell->gradient_count++] = *gradient;
    }
}
