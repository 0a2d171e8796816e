// SPDX-License-Identifier: Apache-2.0
// Between the files that make a step of a request.

#ifndef ASSAY_REF_OP_ONEDNN_RNN_STEP_H
#define ASSAY_REF_OP_ONEDNN_RNN_STEP_H

#include "ref/op/onednn/rnn_cell.h"

// The gates of a cell in the order of the weights: names, which other one stays when one is asked
// for alone (-1: none), and the biases that saturate them.
struct rnn_step_gates {
    const char *name[RNN_GATES_MAX];
    int beside[RNN_GATES_MAX];
    double saturated[RNN_GATES_MAX];
};

const struct rnn_step_gates *rnn_step_gates_of(enum rnn_cell_kind cell);

// Saturates all gates of `step` but `gate`. Memory is the arena's.
enum error rnn_isolate_gate(struct request *step, const struct rnn_problem *problem, size_t gate,
                            struct arena *arena, struct diagnostic *diagnostic);

#endif
