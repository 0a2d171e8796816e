// SPDX-License-Identifier: Apache-2.0
// jax.permutation: an array in another order along one axis. A scalar x stands for the numbers 0 to
// x - 1.
//
// The order is that of a sort by random words, in which each element's place depends on all the
// words: unlike the other draws this one has no window that could be asked for by itself. It is
// evaluated whole, and refuses 2^32 elements and more.

#include "ref/base/bytes.h"
#include "ref/op/jax/gather.h"
#include "ref/op/jax/operation.h"

enum { AXIS = 2, INDEPENDENT };

static const struct attribute_spec attributes[] = {
    [JAX_IMPL] = JAX_ATTRIBUTE_IMPL,
    [JAX_PARTITIONABLE] = JAX_ATTRIBUTE_PARTITIONABLE,
    [AXIS] = JAX_ATTRIBUTE_AXIS,
    [INDEPENDENT] = ATTRIBUTE("independent", BOOLEAN, DEFAULT),
};

enum { X = 1 };

static const struct choice choices[] = {JAX_READING_CHOICES};

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct jax_population population;
    enum error error = jax_check_key(request, diagnostic);
    if (!error)
        error = jax_population_of(&request->input[X], request->attribute[AXIS].integer, &population,
                                  diagnostic);
    if (error)
        return error;
    inference->output[0] = request->input[X];
    inference->output[0].data = NULL;
    if (population.numbers) {
        inference->output[0].dtype = DTYPE_I32;
        inference->output[0].rank = 1;
        inference->output[0].shape[0] = population.lanes.length;
    }
    return ERROR_NONE;
}

// Unless the lanes are independent, one order is drawn for all of them.
static struct jax_lanes shuffled(const struct request *request,
                                 const struct jax_population *population)
{
    return request->attribute[INDEPENDENT].integer
               ? population->lanes
               : (struct jax_lanes){1, population->lanes.length, 1};
}

static enum error workspace_size(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)bounds;
    struct jax_population population;
    const enum error error = jax_population_of(&request->input[X], request->attribute[AXIS].integer,
                                               &population, diagnostic);
    if (!error && !jax_shuffle_workspace(shuffled(request, &population), size))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "a shuffle of 2^32 elements or more is not supported");
    return error;
}

static enum error evaluate(const struct request *request, const struct inference *inference,
                           void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    const struct tensor *const x = &request->input[X];
    const struct jax_key key = jax_drawing_key(request);
    struct jax_population population;
    const enum error error =
        jax_population_of(x, request->attribute[AXIS].integer, &population, diagnostic);
    if (error)
        return error;
    const uint32_t *const source = jax_shuffle(&key, shuffled(request, &population), workspace);
    if (request->attribute[INDEPENDENT].integer && !population.numbers) {
        const uint64_t count =
            population.lanes.outer * population.lanes.length * population.lanes.inner;
        for (uint64_t i = 0; i < count; i++)
            element_store(data[0], dtype_size(x->dtype), i,
                          element_load(x->data, dtype_size(x->dtype), source[i]));
    } else {
        jax_gather(&population, x, source, population.lanes.length, inference->output[0].dtype,
                   data[0]);
    }
    return ERROR_NONE;
}

const struct operation jax_permutation_operation = {
    .name = "jax.permutation",
    .summary = "an array in random order (jax.random.permutation)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "key"}, {.name = "x"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = jax_plain_i32,
    .infer = infer,
    .evaluate = evaluate,
    .workspace_size = workspace_size,
};
