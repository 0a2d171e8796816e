// SPDX-License-Identifier: Apache-2.0
// Cells of 16-bit data as a framework computes them that knows tensors alone: the result of each
// operation (a product with a matrix and its bias, a product, a sum, a function) is stored in the
// type of the data before the next one reads it.

#include "ref/variant/onednn_rnn.h"

#include <assert.h>
#include <string.h>

// Variables that the cell has no use for: one of the state's type, and two of f32.
struct writer {
    struct rnn_cell *cell;
    unsigned count;
    uint8_t store, first, second;
};

static void add(struct writer *writer, struct rnn_equation equation)
{
    assert(writer->count < RNN_EQUATIONS_MAX);
    writer->cell->forward[writer->count++] = equation;
}

// x, or x + y.
static struct rnn_equation sum_of(uint8_t result, uint8_t x, uint8_t y)
{
    struct rnn_equation equation = {.name = "sum", .result = result};
    equation.term[0] = (struct rnn_term){.factors = 1, .factor = {{.x = x}}};
    equation.term[1] = (struct rnn_term){.factors = 1, .factor = {{.x = y}}};
    equation.terms = y == RNN_NOTHING ? 1 : 2;
    return equation;
}

static void add_stored(struct writer *writer, struct rnn_equation equation)
{
    const uint8_t to = equation.result;
    add(writer, equation);
    // What the cell itself stores, or is about to.
    if (to == RNN_H_STORED || to == RNN_M_STORED || to == RNN_S_STORED || to == RNN_C_STORED ||
        to == RNN_H_NEW)
        return;
    add(writer, sum_of(writer->store, to, RNN_NOTHING));
    add(writer, sum_of(to, writer->store, RNN_NOTHING));
}

// Each product is an operation; a bias goes with the first.
static void add_sum(struct writer *writer, const struct rnn_equation *equation)
{
    struct rnn_equation operand[RNN_DOTS_MAX + RNN_TERMS_MAX] = {{.name = equation->name}};
    unsigned count = 0;
    for (unsigned d = 0; d < equation->dots; d++)
        operand[count++] =
            (struct rnn_equation){.name = equation->name, .dots = 1, .dot = {equation->dot[d]}};
    for (unsigned t = 0; t < equation->terms; t++)
        if (equation->term[t].factors > 1)
            operand[count++] = (struct rnn_equation){
                .name = equation->name, .terms = 1, .term = {equation->term[t]}};
    for (unsigned t = 0; t < equation->terms; t++)
        if (equation->term[t].factors == 1)
            operand[0].term[operand[0].terms++] = equation->term[t];
    operand[0].result = count > 1 ? writer->first : equation->result;
    add_stored(writer, operand[0]);
    for (unsigned i = 1; i < count; i++) {
        operand[i].result = writer->second;
        add_stored(writer, operand[i]);
        add_stored(writer, sum_of(i + 1 < count ? writer->first : equation->result, writer->first,
                                  writer->second));
    }
}

// u*h' + (1 - u)*o as (h' - o)*u + o.
static void add_blend(struct writer *writer, const struct rnn_equation *equation)
{
    const uint8_t u = equation->term[0].factor[0].x, h = equation->term[0].factor[1].x,
                  o = equation->term[1].factor[1].x;
    struct rnn_equation difference = sum_of(writer->first, h, RNN_NOTHING),
                        product = sum_of(writer->second, writer->first, RNN_NOTHING);
    difference.term[0].factor[0] = (struct rnn_factor){.form = NUM_DIFFERENCE, .x = h, .y = o};
    product.term[0].factors = 2;
    product.term[0].factor[1].x = u;
    add_stored(writer, difference);
    add_stored(writer, product);
    add_stored(writer, sum_of(equation->result, writer->second, o));
}

enum error rnn_lens_operations(const struct lens_call *call, struct request *request)
{
    struct rnn_problem problem;
    struct rnn_cell *cell;
    const enum error error = rnn_lens_own_cell(call, request, &problem, &cell);
    if (error || problem.backward || dtype_size(problem.state) != 2)
        return error;
    struct rnn_cell *const resolved = arena_take(call->arena, sizeof *resolved);
    if (!resolved)
        return diagnostic_no_memory(call->diagnostic);
    rnn_cell_resolve(&problem, cell, resolved);
    const bool gru = problem.cell >= RNN_GRU;
    struct writer writer = {.cell = cell,
                            .store = gru ? RNN_M_STORED : RNN_S_STORED,
                            .first = gru ? RNN_T : RNN_W,
                            .second = gru ? RNN_M : RNN_S};
    memset(cell->forward, 0, sizeof cell->forward);
    for (unsigned i = 0; i < resolved->forward_count; i++) {
        const struct rnn_equation *const equation = &resolved->forward[i];
        if (equation->kind == RNN_SUM)
            add_sum(&writer, equation);
        else if (equation->kind == RNN_BLEND)
            add_blend(&writer, equation);
        else
            add_stored(&writer, *equation);
    }
    return ERROR_NONE;
}
