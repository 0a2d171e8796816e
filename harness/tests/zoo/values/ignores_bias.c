// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, and forgets the bias.

#define RNN_TAKES_BIAS 0
#define RNN_NAME "ignores_bias"
#include "harness/tests/zoo/good/good_rnn.c"
