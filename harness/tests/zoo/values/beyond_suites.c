// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, but for one mistake beyond the sizes of the suites' values:
// ASSAY_ZOO_BEYOND says which. "rows": row 200 and those after it hold what row 0 does; "steps":
// in a sequence of more than 100 steps dst_iter is another one; "peephole": beside a peephole of
// more than 100 channels dst_layer is.

#include "harness/tests/zoo/zoo.h"

static enum assay_status run_beyond(const struct assay_request *request,
                                    struct assay_message *message);

#define RNN_RUN run_beyond
#define RNN_CAPABILITIES 0
#define RNN_TAKES_BIAS 1
#define RNN_NAME "beyond_suites"
#include "harness/tests/zoo/good/good_rnn.c"

enum { ROWS_RIGHT = 200, SIZE_RIGHT = 100 };

// Elements [first, end) become those `back` places before them; without `back`, 2.0.
static void take_elsewhere(const struct assay_tensor *output, int64_t first, int64_t end,
                           int64_t back)
{
    for (int64_t i = first; output && i < end; i++)
        zoo_store(output, i, back ? zoo_load(output, i - back) : 0x40000000);
}

static enum assay_status run_beyond(const struct assay_request *request,
                                    struct assay_message *message)
{
    const enum assay_status status = run(request, message);
    const char *const text = getenv("ASSAY_ZOO_BEYOND"), *const what = text ? text : "";
    const struct assay_tensor *const layer = assay_tensor_named(request->outputs,
                                                                request->output_count, "dst_layer"),
                                     *const iter = assay_tensor_named(
                                         request->outputs, request->output_count, "dst_iter"),
                                     *const peephole = assay_tensor_named(
                                         request->inputs, request->input_count, "weights_peephole");
    if (status != ASSAY_OK || !layer)
        return status;
    const int64_t *const shape = layer->layout.shape;
    if (!strcmp(what, "rows") && shape[1] > ROWS_RIGHT)
        take_elsewhere(layer, ROWS_RIGHT * shape[2], shape[1] * shape[2], ROWS_RIGHT * shape[2]);
    if (!strcmp(what, "steps") && shape[0] > SIZE_RIGHT && iter)
        take_elsewhere(iter, 0, assay_element_count(iter), 0);
    if (!strcmp(what, "peephole") && peephole && peephole->layout.shape[3] > SIZE_RIGHT)
        take_elsewhere(layer, 0, assay_element_count(layer), 0);
    return status;
}
