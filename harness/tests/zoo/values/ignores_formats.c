// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, and says that it takes requests for places in memory, but
// reads every tensor as if it lay row-major and dense.

#define RNN_TAKES_BIAS 1
#define RNN_NAME "ignores_formats"
#define RNN_RUN run
#define RNN_CAPABILITIES ASSAY_CAPABILITY_LAYOUTS
#include "harness/tests/zoo/good/good_rnn.c"
