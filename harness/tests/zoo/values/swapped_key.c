// SPDX-License-Identifier: Apache-2.0
// Takes the words of a key of two in the other order. No option of the reference says that; where
// the key is zero, it is right.

#include "harness/tests/zoo/zoo.h"

enum { INPUTS = 4 };

static enum assay_status run(const struct assay_request *request, struct assay_message *message)
{
    struct assay_tensor inputs[INPUTS];
    uint64_t words[2];
    struct assay_request swapped = *request;
    if (request->input_count > INPUTS)
        return ASSAY_FAILED;
    memcpy(inputs, request->inputs, request->input_count * sizeof *inputs);
    swapped.inputs = inputs;
    for (size_t i = 0; i < request->input_count; i++) {
        const struct assay_tensor *const key = &request->inputs[i];
        if (strcmp(key->name, "key") != 0 || key->layout.ndim != 1 ||
            assay_element_count(key) != 2 || key->layout.dtype.bits < 32)
            continue;
        inputs[i].layout.data = words;
        inputs[i].layout.strides = NULL;
        zoo_store(&inputs[i], 0, zoo_load(key, 1));
        zoo_store(&inputs[i], 1, zoo_load(key, 0));
    }
    return zoo_compute(&swapped, message);
}

static const struct zoo_plugin zoo_plugin = {.name = "swapped_key", .run = run};
