// SPDX-License-Identifier: Apache-2.0
// What an implementation of 16-bit data may have stored before it uses it again, and in which type.
//
// A library keeps gates in its workspace in the type of the state, converts what enters a product
// of 16-bit matrices, and reads c as it was stored. Its backward pass makes the rest anew of what
// it kept: r*h' of a stored r is another number than the forward pass had.

#include "ref/op/onednn/rnn_interval.h"

// What a backward pass keeps of the forward one, and what enters its products.
static bool is_kept(unsigned variable)
{
    switch (variable) {
    case RNN_G0:
    case RNN_G1:
    case RNN_G2:
    case RNN_G3:
    case RNN_UPDATE:
    case RNN_W:
    case RNN_T:
    case RNN_DIFF_H:
    case RNN_DIFF_M:
    case RNN_DIFF_Z0:
    case RNN_DIFF_Z1:
    case RNN_DIFF_Z2:
    case RNN_DIFF_Z3:
    case RNN_DIFF_S:
    case RNN_DIFF_W:
        return true;
    default:
        return false;
    }
}

bool rnn_is_remade(unsigned variable)
{
    switch (variable) {
    case RNN_UPDATE:
    case RNN_S:
    case RNN_S_STORED:
    case RNN_T:
    case RNN_M:
    case RNN_M_STORED:
        return true;
    default:
        return false;
    }
}

// In a frame all that lies between two nodes is a tensor of the operator's one type, or wider.
enum dtype rnn_kept_type(const struct rnn_run *run, unsigned variable, bool backward)
{
    const enum model_gates gates = run->model.declared->gates;
    if (dtype_size(run->problem.state) != 2)
        return DTYPE_NONE;
    if (variable == RNN_C_NEW && backward && dtype_size(run->problem.c) == 2)
        return run->problem.c;
    if (run->problem.frame && gates != MODEL_GATES_F32 && variable == RNN_C_NEW)
        return run->problem.c;
    if (run->problem.frame && gates != MODEL_GATES_F32 && variable == RNN_S)
        return run->problem.state;
    const bool narrow = gates == MODEL_GATES_STATE ||
                        (gates == MODEL_GATES_AUTOMATIC && (backward || run->problem.frame));
    return narrow && is_kept(variable) ? run->problem.state : DTYPE_NONE;
}
