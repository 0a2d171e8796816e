// SPDX-License-Identifier: Apache-2.0
// jax.choice without probabilities: with replacement random integers name the rows, without it the
// first of a permutation do.
//
// Without replacement it has no window for that reason (permutation.c), and the operation is
// evaluated whole either way; a window of draws with replacement is one of jax.randint's draws from
// 0 to the number of rows. The draws are i64 where `a` is an array of 64-bit elements: jax has
// those under x64 only, and there its default integer is i64.

#include <inttypes.h>

#include "ref/base/size.h"
#include "ref/op/jax/gather.h"
#include "ref/op/jax/operation.h"
#include "ref/op/jax/randint.h"

enum { REPLACE = JAX_OWN_ATTRIBUTES, AXIS };

static const struct attribute_spec attributes[] = {
    JAX_DRAWING_ATTRIBUTES,
    [REPLACE] = ATTRIBUTE("replace", BOOLEAN, DEFAULT, .standard = 1),
    [AXIS] = JAX_ATTRIBUTE_AXIS,
};

enum { A = 1 };

enum { OWN_DRAWS };

// shape_alone: where nothing is drawn, the other axes of `a` are forgotten.
enum { NOTHING_DRAWN = JAX_CHOICES };

static const struct choice choices[] = {
    JAX_READING_CHOICES,
    [NOTHING_DRAWN] = {"nothing_drawn", OPERATION_WORDS("as_shaped", "shape_alone")},
};

enum { CHUNK = 512 }; // wide draws at a time

static bool draws_wide(const struct tensor *a)
{
    return a->rank && dtype_size(a->dtype) == 8;
}

static void draw_rows(const struct jax_key *key, const struct tensor *a, uint64_t rows,
                      uint64_t draws, uint32_t *row)
{
    if (!draws_wide(a)) {
        const struct jax_randint which =
            jax_randint_start(key, DTYPE_I32, draws, 0, (jax_bound)rows);
        jax_randint_fill(&which, 0, (size_t)draws, row);
        return;
    }
    const struct jax_randint which = jax_randint_start(key, DTYPE_I64, draws, 0, (jax_bound)rows);
    for (uint64_t done = 0; done < draws;) {
        uint64_t drawn[CHUNK];
        const size_t now = draws - done < CHUNK ? (size_t)(draws - done) : CHUNK;
        jax_randint_fill(&which, done, now, drawn);
        for (size_t i = 0; i < now; i++)
            row[done + i] = (uint32_t)drawn[i];
        done += now;
    }
}

// The axis of `a` gives way to the shape of the draw.
static enum error set_output_shape(const struct request *request,
                                   const struct jax_population *population, uint64_t draws,
                                   struct tensor *output, struct diagnostic *diagnostic)
{
    const struct tensor *const a = &request->input[A];
    const struct attribute_value *const drawn = &request->attribute[JAX_SHAPE];
    const bool alone = request->profile.option[NOTHING_DRAWN] && !draws;
    int64_t sizes[2 * TENSOR_RANK_MAX];
    size_t rank = 0;
    if (drawn->count > TENSOR_RANK_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "shape has %zu dimensions; at most %d are supported", drawn->count,
                               TENSOR_RANK_MAX);
    for (unsigned i = 0; i < population->axis && !alone; i++)
        sizes[rank++] = (int64_t)a->shape[i];
    for (size_t i = 0; i < drawn->count; i++)
        sizes[rank++] = drawn->integers[i];
    for (unsigned i = population->axis + 1; i < a->rank && !alone; i++)
        sizes[rank++] = (int64_t)a->shape[i];
    output->dtype = population->numbers ? DTYPE_I32 : a->dtype;
    return operation_set_shape(output, sizes, rank, "the output", diagnostic);
}

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    struct tensor draw = {.dtype = DTYPE_U32};
    const struct attribute_value *const shape = &request->attribute[JAX_SHAPE];
    struct jax_population population;
    enum error error = jax_check_key(request, diagnostic);
    if (!error)
        error = jax_population_of(&request->input[A], request->attribute[AXIS].integer, &population,
                                  diagnostic);
    if (!error)
        error = operation_set_shape(&draw, shape->integers, shape->count, "shape", diagnostic);
    if (error)
        return error;
    uint64_t draws;
    tensor_count(&draw, &draws);
    inference->own.word[OWN_DRAWS] = draws;
    const uint64_t length = population.lanes.length;
    if (draws && !length)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "a is empty; there is nothing to choose from");
    if (length > INT32_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "a has %" PRIu64 " elements to choose from; at most 2^31 - 1",
                               length);
    if (!request->attribute[REPLACE].integer && draws > length)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "%" PRIu64 " draws without replacement from %" PRIu64 " elements",
                               draws, length);
    return set_output_shape(request, &population, draws, &inference->output[0], diagnostic);
}

static enum error workspace_size(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    (void)bounds;
    struct jax_population population;
    const enum error error = jax_population_of(&request->input[A], request->attribute[AXIS].integer,
                                               &population, diagnostic);
    if (error)
        return error;
    const bool fits =
        request->attribute[REPLACE].integer
            ? size_multiply((size_t)inference->own.word[OWN_DRAWS], sizeof(uint32_t), size)
            : jax_shuffle_workspace((struct jax_lanes){1, population.lanes.length, 1}, size);
    return fits ? ERROR_NONE : diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "too many draws");
}

static enum error evaluate(const struct request *request, const struct inference *inference,
                           void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    const struct tensor *const a = &request->input[A];
    const struct jax_key key = jax_drawing_key(request);
    const uint64_t draws = inference->own.word[OWN_DRAWS];
    struct jax_population population;
    const enum error error =
        jax_population_of(a, request->attribute[AXIS].integer, &population, diagnostic);
    if (error || !draws)
        return error;
    const uint32_t *source = workspace;
    if (request->attribute[REPLACE].integer)
        draw_rows(&key, a, population.lanes.length, draws, workspace);
    else
        source = jax_shuffle(&key, (struct jax_lanes){1, population.lanes.length, 1}, workspace);
    jax_gather(&population, a, source, draws, inference->output[0].dtype, data[0]);
    return ERROR_NONE;
}

const struct operation jax_choice_operation = {
    .name = "jax.choice",
    .summary = "elements of an array, with or without replacement (jax.random.choice)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "key"}, {.name = "a"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = jax_plain_i32,
    .infer = infer,
    .evaluate = evaluate,
    .workspace_size = workspace_size,
};
