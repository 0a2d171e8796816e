// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a target declares of the way it computes.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <math.h>

#include "ref/op/model.h"
#include "yaml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct document_node *root;
    struct evaluation_model model = evaluation_model_standard;
    // A model that is taken widens the bounds by what it says, so that has to be numbers.
    if (!yaml_read(&source, &arena, &root, &diagnostic) &&
        !evaluation_model_read(root, &model, &diagnostic) &&
        !(isfinite(model.tanh_ulps) && isfinite(model.logistic_ulps) &&
          isfinite(model.activation_absolute) && model.tanh_ulps >= 0 && model.logistic_ulps >= 0 &&
          model.activation_absolute >= 0))
        abort();
    arena_release(&arena);
    return 0;
}
