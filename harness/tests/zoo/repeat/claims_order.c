// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, and says that equal calls may differ; every second call
// gives what no order of sums can.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run_twice(const struct assay_request *request,
                                   struct assay_message *message);

#define RNN_RUN run_twice
#define RNN_CAPABILITIES ASSAY_CAPABILITY_NONDETERMINISTIC
#define RNN_TAKES_BIAS 1
#define RNN_NAME "claims_order"
#include "harness/tests/zoo/good/good_rnn.c"

static enum assay_status run_twice(const struct assay_request *request,
                                   struct assay_message *message)
{
    static unsigned calls;
    const enum assay_status status = run(request, message);
    const struct assay_tensor *const output = request->outputs;
    if (status == ASSAY_OK && assay_element_count(output) && calls++ % 2)
        zoo_store(output, 0, 0x42c80000); // 100
    return status;
}
