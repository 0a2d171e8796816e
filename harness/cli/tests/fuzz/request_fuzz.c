// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request with its profile: read, checked, and evaluated where the answer is small.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/reader.h"

enum { SMALL = 256 };

static int is_small(const struct request *request, const struct inference *inference)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        uint64_t count;
        if (!tensor_count(&inference->output[i], &count) || (count > SMALL && !request->windowed))
            return 0;
    }
    return request->runs <= 2 && (!request->windowed || request->window_count <= SMALL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const more[] = {"profile", NULL};
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct document_node *root;
    struct request request;
    struct inference inference;
    struct evaluation evaluation;
    if (!yaml_read(&source, &arena, &root, &diagnostic) &&
        !request_read(root, more, NULL, &arena, &request, &diagnostic)) {
        const struct document_node *const profile = document_find(root, "profile");
        if ((!profile ||
             !variant_read_profile(profile, request.operation, &request.profile, &diagnostic)) &&
            !variant_infer(&request, &inference, &diagnostic) && is_small(&request, &inference))
            variant_evaluate(&request, &arena, &evaluation, &diagnostic);
    }
    arena_release(&arena);
    return 0;
}
