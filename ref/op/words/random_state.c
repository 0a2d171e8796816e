// SPDX-License-Identifier: Apache-2.0
// numpy.random_state_randn: normal floats of NumPy's legacy RandomState.
//
// mt19937 of the seed; a double takes the high 27 bits of one word and the high 26 of the next;
// pairs x1, x2 in [-1, 1) outside the unit circle, or at its centre, are drawn again; the polar
// method (Marsaglia, Bray, SIAM Review 6 (1964), doi:10.1137/1006063) gives f x2 first, then f x1,
// with f = sqrt(-2 log(r) / r), r = x1^2 + x2^2.
//
// NumPy takes the logarithm of the C library, so the level is `bound`. Relative to the value, with
// u = 2^-53: r may be rounded with or without FMA, 4 u between any two, which moves log(r) by
// 4 u / |log(r)| and the quotient by 4 u; the logarithm errs by 2 u here and there; quotient, root
// and product round once each on both sides. Half of what stands under the root counts.

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/function/function.h"
#include "ref/op/words/cousin.h"
#include "ref/rng/mt19937.h"

enum { COUNT };
enum { COUNT_MAX = 1 << 20 };

static const struct attribute_spec attributes[] = {
    [COUNT] = ATTRIBUTE("count", INTEGER, REQUIRED, .maximum = COUNT_MAX),
};

enum { PAIR_OF_NORMALS };

static const struct choice choices[] = {
    [PAIR_OF_NORMALS] = {"pair_of_normals", OPERATION_WORDS("second_first", "first_first")},
};

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const enum error error = cousin_check_input(request, 0, DTYPE_U64, 0, diagnostic);
    if (error)
        return error;
    if (request->input[0].data && cousin_load(request, 0, 0) > UINT32_MAX)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "a seed of RandomState is below 2^32");
    inference->output[0] = (struct tensor){
        .dtype = DTYPE_F64, .rank = 1, .shape = {(uint64_t)request->attribute[COUNT].integer}};
    inference->level[0] = LEVEL_BOUND;
    return ERROR_NONE;
}

static double draw(struct mt19937 *generator)
{
    uint32_t word[2];
    mt19937_fill(generator, word, 2);
    return ((word[0] >> 5) * 0x1p26 + (word[1] >> 6)) * 0x1p-53;
}

struct pair {
    double value[2], radius; // the radius is relative
};

static struct pair next_pair(struct mt19937 *generator, bool first_first)
{
    double x1, x2, r;
    do {
        x1 = 2 * draw(generator) - 1;
        x2 = 2 * draw(generator) - 1;
        r = x1 * x1 + x2 * x2;
    } while (r >= 1 || !(r > 0));
    const double log_r =
        double_from_bits(num_function_round(NUM_LOG, DTYPE_F64, DTYPE_F64, double_bits(r), NULL));
    const double f = sqrt(-2 * log_r / r);
    return (struct pair){.value = {f * (first_first ? x1 : x2), f * (first_first ? x2 : x1)},
                         .radius = 0x1p-53 * (2 / -log_r + 12)};
}

static enum error fill_bounds(const struct request *request, const struct inference *inference,
                              const struct slice *slice, void *lower, void *upper,
                              struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    struct mt19937 generator;
    struct pair pair = {.radius = 0};
    mt19937_seed(&generator, (uint32_t)cousin_load(request, 0, 0));
    for (uint64_t i = 0; i < slice->first + slice->count; i++) {
        if (i % 2 == 0)
            pair = next_pair(&generator, request->profile.option[PAIR_OF_NORMALS]);
        if (i < slice->first)
            continue;
        const double value = pair.value[i % 2], radius = lower ? fabs(value) * pair.radius : 0;
        if (slice->data)
            element_store(slice->data, 8, i - slice->first, double_bits(value));
        if (lower)
            element_store(lower, 8, i - slice->first, double_bits(value - radius));
        if (upper)
            element_store(upper, 8, i - slice->first, double_bits(value + radius));
    }
    return ERROR_NONE;
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    return fill_bounds(request, inference, slice, NULL, NULL, diagnostic);
}

static enum error fill_ends(const struct request *request, const struct inference *inference,
                            const struct slice *slice, void *lower, void *upper,
                            struct diagnostic *diagnostic)
{
    struct slice ends = *slice;
    ends.data = NULL;
    return fill_bounds(request, inference, &ends, lower, upper, diagnostic);
}

const struct operation numpy_random_state_randn_operation = {
    .name = "numpy.random_state_randn",
    .summary = "normal floats of NumPy's legacy generator (numpy.random.RandomState.randn)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "seed"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u64,
    .infer = infer,
    .fill = fill,
    .fill_bounds = fill_ends,
};
