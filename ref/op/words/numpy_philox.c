// SPDX-License-Identifier: Apache-2.0
// numpy.philox and numpy.philox_random: NumPy's Philox bit generator (philox4x64-10) and the floats
// that its Generator makes.
//
// The counter is a state: it is counted up before each block, so the first block is that of counter
// + 1, and after ceil(n / 4) blocks it stands at the last one that was used.

#include "ref/op/words/cousin.h"

#include "ref/base/bytes.h"
#include "ref/rng/philox.h"

enum { COUNT, DTYPE };

static const struct attribute_spec attributes[] = {
    [COUNT] = COUSIN_ATTRIBUTE_COUNT,
    [DTYPE] = ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = DTYPE_F64,
                        .dtypes = DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64)),
};

enum { KEY, COUNTER };

static const struct input_spec inputs[] = {{.name = "key"}, {.name = "counter"}};

static const struct choice choices[] = {COUSIN_MAPPING_CHOICES};

static enum error infer_drawn(const struct request *request, enum dtype dtype,
                              struct inference *inference, struct diagnostic *diagnostic)
{
    enum error error = cousin_check_input(request, KEY, DTYPE_U64, 2, diagnostic);
    if (!error)
        error = cousin_check_input(request, COUNTER, DTYPE_U64, 4, diagnostic);
    inference->output[0] = (struct tensor){
        .dtype = dtype, .rank = 1, .shape = {(uint64_t)request->attribute[COUNT].integer}};
    return error;
}

static struct word_source source_of(const struct request *request)
{
    struct word_source source = {.generator = WORDS_PHILOX4X64, .first_block = 1};
    for (unsigned i = 0; i < 2; i++)
        source.key[i] = cousin_load(request, KEY, i);
    for (unsigned i = 0; i < 4; i++)
        source.counter[i] = cousin_load(request, COUNTER, i);
    return source;
}

// ---- numpy.philox -----------------------------------------------------------

static enum error raw_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    inference->output[1] = (struct tensor){.dtype = DTYPE_U64, .rank = 1, .shape = {4}};
    return infer_drawn(request, DTYPE_U64, inference, diagnostic);
}

static enum error raw_fill(const struct request *request, const struct inference *inference,
                           const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct word_source source = source_of(request);
    if (slice->output == 0) {
        cousin_fill(request, MAPPING_NUMPY, DTYPE_U64, source, 0, NULL, slice);
        return ERROR_NONE;
    }
    const uint64_t count = inference->output[0].shape[0];
    const struct philox_counter start = {
        {source.counter[0], source.counter[1], source.counter[2], source.counter[3]}};
    const struct philox_counter after =
        philox_advance(&philox4x64, start, count / 4 + (count % 4 != 0));
    for (uint64_t i = 0; i < slice->count; i++)
        element_store(slice->data, sizeof *after.word, i, after.word[slice->first + i]);
    return ERROR_NONE;
}

const struct operation numpy_philox_operation = {
    .name = "numpy.philox",
    .summary = "raw words of NumPy's Philox bit generator (random_raw)",
    .attributes = attributes,
    .attribute_count = DTYPE,
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output", "counter"),
    .choices = choices,
    .choice_count = COUSIN_FRACTION,
    .plain_dtype = operation_plain_u64,
    .infer = raw_infer,
    .fill = raw_fill,
};

// ---- numpy.philox_random ----------------------------------------------------

static enum error random_infer(const struct request *request, struct inference *inference,
                               struct diagnostic *diagnostic)
{
    return infer_drawn(request, (enum dtype)request->attribute[DTYPE].integer, inference,
                       diagnostic);
}

static enum error random_fill(const struct request *request, const struct inference *inference,
                              const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    cousin_fill(request, MAPPING_NUMPY, inference->output[0].dtype, source_of(request), 0, NULL,
                slice);
    return ERROR_NONE;
}

const struct operation numpy_philox_random_operation = {
    .name = "numpy.philox_random",
    .summary = "floats in [0, 1) of numpy.random.Generator(Philox)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u64,
    .infer = random_infer,
    .fill = random_fill,
};
