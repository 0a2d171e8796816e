// SPDX-License-Identifier: Apache-2.0
// One gate of a step by itself: the weights and peepholes of the others are 0 and their biases
// large, so that they are saturated and a wrong output is that gate's. Going backward their slopes
// are 0, and no gradient comes through them.

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/onednn/rnn_cell.h"
#include "ref/op/onednn/rnn_entries.h"
#include "ref/op/onednn/rnn_step.h"

// The reset gate acts through the candidate alone, which stays beside it, and the candidate only as
// far as the update gate is shut. Where all gates are saturated, sums may be off by a little and
// nothing shows.
const struct rnn_step_gates *rnn_step_gates_of(enum rnn_cell_kind cell)
{
    static const struct rnn_step_gates one = {{"the only one"}, {-1}, {0}};
    static const struct rnn_step_gates lstm = {
        {"i", "f", "c", "o"}, {-1, -1, -1, -1}, {32, 32, 32, 32}};
    static const struct rnn_step_gates gru = {{"u", "r", "o"}, {-1, 2, -1}, {-32, 32, 32}};
    return cell == RNN_VANILLA ? &one : cell == RNN_LSTM ? &lstm : &gru;
}

// [L, D, rows, G, DHC], or [L, D, G, DHC]: every gate but `gate` and `other` becomes its number of
// `values`. A row beyond the `count` gates, u' of a bias, is the last one's.
static enum error keep_gate(struct tensor *tensor, unsigned axis, size_t gate, size_t other,
                            size_t count, const double *values, struct arena *arena,
                            struct diagnostic *diagnostic)
{
    size_t bytes, inner = 1;
    if (!tensor_present(tensor) || !tensor->data || !tensor_bytes(tensor, &bytes))
        return ERROR_NONE;
    const size_t size = dtype_size(tensor->dtype), rows = (size_t)tensor->shape[axis];
    char *const data = arena_take(arena, bytes);
    if (!data)
        return diagnostic_no_memory(diagnostic);
    memcpy(data, tensor->data, bytes);
    for (unsigned i = axis + 1; i < tensor->rank; i++)
        inner *= (size_t)tensor->shape[i];
    for (size_t i = 0; i < bytes / size; i++) {
        const size_t row = i / inner % rows, of = row < count ? row : count - 1;
        if (of != gate && of != other)
            element_store(data, size, i, num_from_double(tensor->dtype, values[row]));
    }
    tensor->data = data;
    return ERROR_NONE;
}

enum error rnn_isolate_gate(struct request *step, const struct rnn_problem *p, size_t gate,
                            struct arena *arena, struct diagnostic *diagnostic)
{
    assert(gate < p->gates);
    static const size_t peephole[] = {0, 1, 3, 2}; // the row of each gate; the candidate has none
    static const double zeros[RNN_GATES_MAX] = {0};
    const struct rnn_step_gates *const gates = rnn_step_gates_of(p->cell);
    const size_t other = gates->beside[gate] < 0 ? gate : (size_t)gates->beside[gate];
    enum error error = keep_gate(&step->input[RNN_WEIGHTS_LAYER], 3, gate, other, p->gates, zeros,
                                 arena, diagnostic);
    if (!error)
        error = keep_gate(&step->input[RNN_WEIGHTS_ITER], 3, gate, other, p->gates, zeros, arena,
                          diagnostic);
    if (!error)
        error = keep_gate(&step->input[RNN_WEIGHTS_PEEPHOLE], 2, peephole[gate], peephole[gate], 3,
                          zeros, arena, diagnostic);
    if (!error)
        error = keep_gate(&step->input[RNN_BIAS], 2, gate, other, p->gates, gates->saturated, arena,
                          diagnostic);
    return error;
}

int rnn_gate_of(const struct request *request, unsigned output, uint64_t element)
{
    static const int of_peephole[] = {0, 1, 3};
    struct rnn_problem p;
    struct diagnostic ignored;
    if (output < RNN_DIFF_SRC_LAYER || rnn_problem_read(request, &p, &ignored))
        return OPERATION_ALL_GATES;
    switch (output) {
    case RNN_DIFF_SRC_ITER_C:
        return 1; // f*dct: what else there is in it is dct's own, or a peephole's
    case RNN_DIFF_ATTENTION:
        return 0;
    case RNN_DIFF_WEIGHTS_LAYER:
    case RNN_DIFF_WEIGHTS_ITER:
        return (int)(element / p.hidden_channels % p.gates);
    case RNN_DIFF_WEIGHTS_PEEPHOLE:
        return of_peephole[element / p.hidden_channels % 3];
    case RNN_DIFF_WEIGHTS_PROJECTION:
        return OPERATION_NO_GATE;
    case RNN_DIFF_BIAS: {
        const size_t row = element / p.hidden_channels % p.bias_rows;
        return (int)(row < p.gates ? row : p.gates - 1);
    }
    default:
        return OPERATION_ALL_GATES;
    }
}
