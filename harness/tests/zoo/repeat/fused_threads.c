// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, all within their bounds, but fuses products with their sums
// where the number of threads is odd.

#include <stdbool.h>

#include "harness/tests/zoo/zoo.h"

static bool odd;
static enum assay_status run_by_threads(const struct assay_request *request,
                                        struct assay_message *message);

#define RNN_NAME "fused_threads"
#define RNN_TAKES_BIAS 1
#define RNN_RUN run_by_threads
#define RNN_CAPABILITIES ASSAY_CAPABILITY_THREADS
#define RNN_ADD(fused, sum, a, b) (odd ? fmaf(a, b, sum) : (sum) + (a) * (b))
#include "harness/tests/zoo/good/good_rnn.c"

static enum assay_status run_by_threads(const struct assay_request *request,
                                        struct assay_message *message)
{
    odd = request->threads % 2;
    return run(request, message);
}
