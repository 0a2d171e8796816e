// SPDX-License-Identifier: Apache-2.0
// The RNN primitive once more, forward and backward, in f32, bf16, f16, u8 and i8: written from the
// equations of the specification, in plain f32, sums in their natural order. With mistakes in
// force it is wrong in just these. Knows nothing of the reference.

#ifndef ASSAY_HARNESS_JUDGE_TESTS_FLEET_RNN_H
#define ASSAY_HARNESS_JUDGE_TESTS_FLEET_RNN_H

#include <stdbool.h>

#include "harness/judge/tests/fleet/mistake.h"
#include "harness/plugin.h"

enum { MISTAKES_MAX = 2 };

// Inputs and outputs by name. Gradients of inputs stand in the order of the inputs.
enum tensor_name {
    X_,
    H0_,
    C0_,
    A_,
    W_,
    U_,
    P_,
    R_,
    B_, // src_layer ... bias
    DIFF_Y,
    DIFF_H,
    DIFF_C,
    INITIAL_W,
    INITIAL_U,
    INITIAL_P,
    INITIAL_R,
    INITIAL_B,
    INPUTS
};
enum output_name { Y_OUT, H_OUT, C_OUT, DIFF_OUT, OUTPUTS = DIFF_OUT + B_ + 1 };

// What a step leaves: vectors of one row.
enum vector {
    OLD_H,
    OLD_C,
    V_Z,
    V_GATE = V_Z + 4,
    V_C = V_GATE + 4,
    V_T,
    V_M,
    V_S,
    V_W,
    V_UA,
    V_H,
    V_CS,
    V_WIDE_H,
    VECTORS
};

struct rnn {
    const struct assay_request *request;
    const struct mistake *mistake[MISTAKES_MAX];
    bool at[POINTS];
    enum kind cell;
    enum type type, c_type, h_type, y_type;
    enum direction direction;
    enum propagation propagation;
    float alpha;
    int times, batch, layers, directions, slc, sic, dhc, dic, gates, rows, width;
    float scale, shift;
    const double *scales, *projection_scales;
    unsigned scale_count, projection_scale_count;
    int l, d, step, row; // where it is
    float *in[INPUTS], *out[OUTPUTS];
    float *trace; // of every layer, direction, step and row: VECTORS vectors of `width`
    void *memory[64];
    int memory_count;
};

// Computes the request with these mistakes. False where it does not support it.
bool fleet_run(const struct assay_request *request, const struct mistake *const *mistakes,
               size_t count);

// Whether the mistake says something of this request.
bool fleet_concerns(const struct assay_request *request, const struct mistake *mistake);

// ---- between the files ------------------------------------------------------

bool fleet_read(const struct assay_request *request, struct rnn *n);
bool fleet_is_asked(const struct rnn *n, const struct mistake *mistake);
float *fleet_take(struct rnn *n, size_t count);
void fleet_write(struct rnn *n);
void fleet_forward(struct rnn *n);
void fleet_backward(struct rnn *n);

// The mistake at that point, NULL: none is here.
const struct mistake *fleet_mistake(const struct rnn *n, enum point point, int gate, int channel);

static inline bool fleet_does(const struct rnn *n, enum point point)
{
    return n->at[point] && fleet_mistake(n, point, -1, -1);
}

// The value at that point, with what is wrong there.
float fleet_spoil(const struct rnn *n, enum point point, int gate, int channel, float value);

static inline float fleet_value(const struct rnn *n, enum point point, int gate, int channel,
                                float value)
{
    return n->at[point] ? fleet_spoil(n, point, gate, channel, value) : value;
}

double fleet_act(const struct mistake *mistake, double value);

// z[o] += the sum of x[i] * w[i * stride + o], and z[i] += that of x[o] * w[i * stride + o].
void fleet_add_products(const struct rnn *n, enum point point, int gate, float *z, int width,
                        const float *x, int count, const float *w, int stride);
void fleet_add_transposed(const struct rnn *n, enum point point, int gate, float *z, int count,
                          const float *x, int width, const float *w, int stride);

float fleet_tanh(const struct rnn *n, int gate, int channel, float z);
float fleet_logistic(const struct rnn *n, int gate, int channel, float z);
double fleet_narrow(double value, int bits, bool truncate, bool away);
float fleet_store(const struct rnn *n, enum type type, float value);

static inline float *fleet_trace(const struct rnn *n, int l, int d, int t, int row)
{
    const size_t at =
        (((size_t)l * (size_t)n->directions + (size_t)d) * (size_t)n->times + (size_t)t) *
            (size_t)n->batch +
        (size_t)row;
    return n->trace + at * VECTORS * (size_t)n->width;
}

static inline float *fleet_vector(const struct rnn *n, float *step, int vector)
{
    return step + (size_t)vector * (size_t)n->width;
}

// The time of a stack's `step`th step.
int fleet_time(const struct rnn *n, int d, int step);

// Input of the layer at this step and row.
const float *fleet_below(struct rnn *n, int l, int d, int step, int row);

// 8-bit data.
void fleet_step_quantised(struct rnn *n, const float *x, float *v);
float fleet_quantised(const struct rnn *n, double value);
float fleet_dequantised(const struct rnn *n, float q, int zero_points);

#endif
