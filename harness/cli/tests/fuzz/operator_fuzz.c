// SPDX-License-Identifier: Apache-2.0
// Any bytes as the declaration of an operator; one that is sound is evaluated, with bounds, on
// small inputs of several shapes, under every option of every choice.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/declared/operator.h"

enum { ELEMENTS_MAX = 4096 };

static void fill_input(struct tensor *input, const struct graph_input *of, unsigned shape,
                       double *data)
{
    static const struct {
        unsigned rank;
        uint64_t size[3];
    } shapes[] = {{1, {3}}, {2, {2, 2}}, {0, {0}}, {3, {1, 2, 0}}};
    *input = (struct tensor){.rank = shapes[shape].rank, .data = data};
    memcpy(input->shape, shapes[shape].size, sizeof shapes[shape].size);
    for (unsigned type = 1; type < DTYPE_COUNT; type++)
        if (of->types & DTYPE_BIT(type))
            input->dtype = (enum dtype)type;
    for (unsigned i = 0; i < 4; i++)
        data[i] = input->dtype == DTYPE_BOOL ? 0 : (double)i - 0.5;
}

static void evaluate(const struct declared_operation *declared, unsigned shape, unsigned choice,
                     unsigned option)
{
    struct arena arena = {.limit = 64 << 20};
    struct request request;
    struct diagnostic diagnostic;
    struct inference inference;
    struct evaluation evaluation;
    double data[OPERATION_INPUTS_MAX][4];
    request_start(&request, &declared->operation);
    if (choice < PROFILE_CHOICES_MAX)
        request.profile.option[choice] = (uint16_t)option;
    for (unsigned i = 0; i < declared->operation.input_count; i++)
        fill_input(&request.input[i], &declared->graph.input[i], shape, data[i]);
    uint64_t count = 0;
    bool small = !variant_infer(&request, &inference, &diagnostic);
    for (unsigned i = 0; small && declared->operation.outputs[i]; i++)
        small = tensor_count(&inference.output[i], &count) && count <= ELEMENTS_MAX;
    size_t size = 0;
    small = small &&
            !declared->operation.workspace_size(&request, &inference, true, &size, &diagnostic) &&
            size < 4 << 20;
    if (small)
        (void)variant_evaluate_with(&request, true, &arena, &evaluation, &diagnostic);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct declared_operation *declared = NULL;
    if (!operator_read(&source, &arena, &declared, &diagnostic)) {
        for (unsigned shape = 0; shape < 4; shape++)
            evaluate(declared, shape, PROFILE_CHOICES_MAX, 0);
        for (unsigned c = 0; c < declared->operation.choice_count; c++)
            for (unsigned o = 1; declared->operation.choices[c].options[o]; o++)
                evaluate(declared, 1, c, o);
    }
    arena_release(&arena);
    return 0;
}
