// SPDX-License-Identifier: Apache-2.0
// What bounds need to know of weights, looked at once for each layer and orientation.

#include <math.h>

#include "ref/op/onednn/rnn_interval.h"

// The common value of `count` numbers, or -1.
static double common_value(const double *value, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (value[i] != value[0])
            return -1;
    return value[0];
}

// Of each vector of an operand the least bit that divides it, the largest odd part, and how many
// numbers are not 0.
static void look_at_vectors(const struct num_operand *of, double *bit, double *odd, double *leaves)
{
    for (size_t v = 0; v < of->vectors; v += NUM_PANEL) {
        const float *const panel = num_operand_vector(of, v);
        const size_t rest = of->vectors - v, vectors = rest < NUM_PANEL ? rest : NUM_PANEL;
        float least[RNN_SPAN], most[RNN_SPAN] = {0};
        uint32_t many[RNN_SPAN] = {0};
        for (size_t i = 0; i < RNN_SPAN; i++)
            least[i] = (float)INFINITY;
        for (size_t at = 0; at < of->depth * NUM_PANEL; at += RNN_SPAN) {
            const size_t left = of->depth * NUM_PANEL - at;
            rnn_span_chosen()->low_bits_f32(left < RNN_SPAN ? left : RNN_SPAN, panel + at, least,
                                            most, many);
        }
        for (size_t i = NUM_PANEL; i < RNN_SPAN; i++) {
            least[i % NUM_PANEL] =
                least[i] < least[i % NUM_PANEL] ? least[i] : least[i % NUM_PANEL];
            most[i % NUM_PANEL] = most[i] > most[i % NUM_PANEL] ? most[i] : most[i % NUM_PANEL];
            many[i % NUM_PANEL] += many[i];
        }
        for (size_t i = 0; i < vectors; i++) {
            bit[v + i] = (double)least[i];
            odd[v + i] = (double)most[i];
            leaves[v + i] = many[i];
        }
    }
}

static void round_up(struct rnn_upward *upward, const struct num_operand *of)
{
    upward->usable = upward->buffer && num_upward_right(&upward->magnitudes, of, upward->buffer);
}

void rnn_bound_open_weights(struct rnn_weights *weights, bool backward)
{
    const size_t inputs = weights->inputs;
    if (!backward) {
        round_up(&weights->forward_upward, &weights->forward);
        look_at_vectors(&weights->forward, weights->column_bit, weights->column_odd,
                        weights->column_leaves);
        weights->column_uniform =
            common_value(weights->column_leaves, weights->gates * weights->outputs);
        return;
    }
    for (size_t g = 0; g < weights->gates; g++) {
        round_up(&weights->backward_upward[g], &weights->backward[g]);
        look_at_vectors(&weights->backward[g], weights->row_bit + g * inputs,
                        weights->row_odd + g * inputs, weights->row_leaves + g * inputs);
    }
    weights->row_uniform = common_value(weights->row_leaves, weights->gates * inputs);
}
