// SPDX-License-Identifier: Apache-2.0
// curand.philox_bits, curand.philox_uniform, curand.philox_normal: arrays of cuRAND's host API,
// PHILOX4_32_10.
//
// 65,536 subsequences of the seed take turns, four elements each. The orderings default, best and
// legacy are the same one for this generator; dynamic ordering depends on the device and is not
// here. A normal number stands in a pair of elements, the sine first, wherever an offset begins.

#include "ref/base/bytes.h"
#include "ref/op/words/box_muller.h"
#include "ref/op/words/cousin.h"

enum { COUNT, DTYPE, ORDERING };
enum { SEED, OFFSET };
enum { LANES = 65536 };

#define CURAND_ATTRIBUTES(standard_dtype, set)                                                     \
    {                                                                                              \
        [COUNT] = COUSIN_ATTRIBUTE_COUNT,                                                          \
        [DTYPE] =                                                                                  \
            ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = (standard_dtype), .dtypes = (set)),     \
        [ORDERING] = ATTRIBUTE("ordering", WORD, DEFAULT,                                          \
                               .words = OPERATION_WORDS("default", "best", "legacy")),             \
    }

static const struct attribute_spec bits_attributes[] =
    CURAND_ATTRIBUTES(DTYPE_U32, DTYPE_BIT(DTYPE_U32));
static const struct attribute_spec float_attributes[] =
    CURAND_ATTRIBUTES(DTYPE_F32, DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64));

static const struct input_spec inputs[] = {
    [SEED] = {.name = "seed"}, [OFFSET] = {.name = "offset", .optional = true}};

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    inference->output[0] = (struct tensor){.dtype = (enum dtype)request->attribute[DTYPE].integer,
                                           .rank = 1,
                                           .shape = {(uint64_t)request->attribute[COUNT].integer}};
    return cousin_check_seeds(request, diagnostic);
}

enum { FIRST_BLOCK, OFFSET_OF_F64, PAIR_OF_NORMALS };

// The words from the first element of a round of all subsequences on; *first is where in the round
// the request begins. A round is a block of each subsequence, of 64-bit elements two.
static struct word_source source_of(const struct request *request, enum dtype dtype,
                                    uint64_t *first)
{
    const uint64_t seed = cousin_load(request, SEED, 0),
                   offset = cousin_load_or(request, OFFSET, 0),
                   blocks = offset / (4 * LANES) * (dtype == DTYPE_F64 ? 2 : 1);
    *first = offset % (4 * LANES);
    return (struct word_source){.generator = WORDS_PHILOX4X32,
                                .key = {(uint32_t)seed, seed >> 32},
                                .counter = {(uint32_t)blocks, blocks >> 32},
                                .first_block = request->profile.option[FIRST_BLOCK],
                                .carry_words = 2,
                                .lanes = LANES};
}

// `count` elements from `element` on, inside the four of one turn, as words. What cuRAND does
// instead with an offset of f64: it skips one block of a subsequence for each turn, not two.
static void draw(const struct request *request, enum dtype dtype, uint64_t element, size_t count,
                 uint32_t *word)
{
    uint64_t first;
    struct word_source source = source_of(request, dtype, &first);
    if (dtype == DTYPE_F64 && request->profile.option[OFFSET_OF_F64]) {
        const uint64_t lane = (first + element) / 4 % LANES,
                       turns =
                           cousin_load_or(request, OFFSET, 0) / (4 * LANES) + (lane < first / 4);
        const uint64_t block = (source.counter[0] | source.counter[1] << 32) - turns;
        source.counter[0] = (uint32_t)block;
        source.counter[1] = block >> 32;
    }
    word_source_fill(&source, dtype == DTYPE_F64 ? 2 : 1, first + element, count, word);
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const enum dtype dtype = inference->output[0].dtype;
    const struct mapping *const mapping = mapping_of(MAPPING_CURAND, dtype);
    const uint64_t offset = cousin_load_or(request, OFFSET, 0);
    for (uint64_t done = 0; done < slice->count;) {
        uint32_t word[8];
        const uint64_t element = slice->first + done, left = slice->count - done;
        const unsigned turn = 4 - (unsigned)((offset + element) % 4);
        const size_t now = left < turn ? (size_t)left : turn;
        draw(request, dtype, element, now, word);
        for (size_t i = 0; i < now; i++)
            element_store(slice->data, dtype_size(dtype), done + i,
                          mapping_element(mapping, word + i * mapping->words));
        done += now;
    }
    return ERROR_NONE;
}

// ---- curand.philox_normal ---------------------------------------------------

static struct normal number_at(const struct request *request, const struct inference *inference,
                               uint64_t element)
{
    const enum dtype dtype = inference->output[0].dtype;
    uint32_t word[4];
    const unsigned place = (unsigned)((cousin_load_or(request, OFFSET, 0) + element) % 2);
    draw(request, dtype, element - place, 2, word);
    const struct normal_pair pair = box_muller_curand(dtype, word);
    return (place != 0) != (request->profile.option[PAIR_OF_NORMALS] != 0) ? pair.cosine
                                                                           : pair.sine;
}

static enum error normal_infer(const struct request *request, struct inference *inference,
                               struct diagnostic *diagnostic)
{
    inference->level[0] = LEVEL_BOUND;
    return infer(request, inference, diagnostic);
}

static enum error numbers_fill(const struct request *request, const struct inference *inference,
                               const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    normal_fill(request, inference, slice, number_at, slice->data, NULL, NULL);
    return ERROR_NONE;
}

static enum error numbers_fill_bounds(const struct request *request,
                                      const struct inference *inference, const struct slice *slice,
                                      void *lower, void *upper, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    normal_fill(request, inference, slice, number_at, NULL, lower, upper);
    return ERROR_NONE;
}

// ---- the operations ---------------------------------------------------------

static const struct choice choices[] = {
    [FIRST_BLOCK] = {"first_block", OPERATION_WORDS("as_documented", "other")},
    [OFFSET_OF_F64] = {"offset_of_f64", OPERATION_WORDS("elements", "words")},
    [PAIR_OF_NORMALS] = {"pair_of_normals", OPERATION_WORDS("sine_first", "cosine_first")},
};

const struct operation curand_philox_bits_operation = {
    .name = "curand.philox_bits",
    .summary = "words of cuRAND's host API, PHILOX4_32_10, default ordering",
    OPERATION_ATTRIBUTES(bits_attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    .choices = choices,
    .choice_count = OFFSET_OF_F64,
    .plain_dtype = operation_plain_u64,
    .infer = infer,
    .fill = fill,
};

const struct operation curand_philox_uniform_operation = {
    .name = "curand.philox_uniform",
    .summary = "floats in (0, 1] of cuRAND's host API, PHILOX4_32_10, default ordering",
    OPERATION_ATTRIBUTES(float_attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    .choices = choices,
    .choice_count = PAIR_OF_NORMALS,
    .plain_dtype = operation_plain_u64,
    .infer = infer,
    .fill = fill,
};

const struct operation curand_philox_normal_operation = {
    .name = "curand.philox_normal",
    .summary = "normal floats of cuRAND's host API, PHILOX4_32_10, default ordering",
    OPERATION_ATTRIBUTES(float_attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u64,
    .infer = normal_infer,
    .fill = numbers_fill,
    .fill_bounds = numbers_fill_bounds,
};
