// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, but for the sum of gate 2 where the first channel of x is
// near the number in ASSAY_ZOO_INPUT: so it goes wrong in one step of one layer and direction of a
// case that is chosen for it.

#include <math.h>
#include <stdlib.h>

static float spoil_gate(float sum, int gate, const float *x)
{
    const char *const text = getenv("ASSAY_ZOO_INPUT");
    return gate == 2 && text && fabs((double)x[0] - strtod(text, NULL)) < 1e-5 ? sum + 0.01F : sum;
}

#define RNN_GATE(sum, gate, x) spoil_gate(sum, gate, x)
#define RNN_TAKES_BIAS 1
#define RNN_NAME "wrong_gate"
#include "harness/tests/zoo/good/good_rnn.c"
