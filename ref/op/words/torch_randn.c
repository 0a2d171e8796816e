// SPDX-License-Identifier: Apache-2.0
// torch.mt19937_randn: normal floats of PyTorch's default generator on a CPU.
//
// Fewer than 16: pairs, each of two f64 draws, the angle first and the cosine first, whatever the
// type. From 16 on: blocks of 16 draws, of which the first eight are lengths and the other eight
// angles; eight cosines, then eight sines. Where the number is no multiple of 16, the last 16 are
// computed once more, from 16 new draws: of f32 and f64 those after one for each element, of f16
// and bf16 those after the whole blocks.
//
// PyTorch computes blocks of f32 and 16 bits by its own vector functions; with AVX2 it makes the
// angle in f32, without it in f64 and then rounds it: so the last bits depend on the processor.

#include "ref/base/bytes.h"
#include "ref/op/words/box_muller.h"
#include "ref/op/words/cousin.h"
#include "ref/rng/mt19937.h"

enum { SHAPE, DTYPE };
enum { BLOCK = 16, HALF = BLOCK / 2 };

static const uint64_t COUNT_MAX = UINT64_C(1) << 24;

enum { ANGLE, TAIL, FILL, CHOICES };

static const struct attribute_spec attributes[] = {
    [SHAPE] = COUSIN_ATTRIBUTE_SHAPE,
    [DTYPE] = ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = DTYPE_F32, .dtypes = DTYPES_FLOAT),
};

static const struct choice choices[CHOICES] = {
    [ANGLE] = {"angle", OPERATION_WORDS("rounded", "product")},
    [TAIL] = {"tail", OPERATION_WORDS("drawn_again", "cut_off")},
    [FILL] = {"fill", OPERATION_WORDS("halves", "neighbours")},
};

static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[SHAPE];
    enum error error = cousin_check_seeds(request, diagnostic);
    if (!error)
        error = operation_set_shape(&inference->output[0], shape->integers, shape->count, "shape",
                                    diagnostic);
    inference->output[0].dtype = (enum dtype)request->attribute[DTYPE].integer;
    inference->level[0] = LEVEL_BOUND;
    uint64_t total;
    if (!error && tensor_count(&inference->output[0], &total) && total > COUNT_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE,
                               "shape asks for more than 2^24 elements");
    return error;
}

// ---- draws ------------------------------------------------------------------

// The generator after `at` words.
struct stream {
    struct mt19937 generator;
    uint64_t at;
};

static double draw(struct stream *stream, bool wide)
{
    uint32_t word[2];
    mt19937_fill(&stream->generator, word, wide ? 2 : 1);
    stream->at += wide ? 2 : 1;
    if (!wide)
        return (word[0] & 0xffffff) * 0x1p-24;
    return (double)(((uint64_t)word[0] << 32 | word[1]) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

// `at` is not before the stream's place.
static void go_to(struct stream *stream, uint64_t at)
{
    mt19937_skip(&stream->generator, at - stream->at);
    stream->at = at;
}

// ---- values -----------------------------------------------------------------

// Elements [first, first + count). The last 16 may overlap the block before them.
struct group {
    uint64_t first;
    unsigned count;
    struct normal number[BLOCK];
};

static bool is_tail(const struct request *request, uint64_t total, uint64_t element)
{
    return total >= BLOCK && total % BLOCK && element + BLOCK >= total &&
           !request->profile.option[TAIL];
}

static uint64_t group_first(const struct request *request, uint64_t total, uint64_t element)
{
    return is_tail(request, total, element) ? total - BLOCK
                                            : element - element % (total < BLOCK ? 2 : BLOCK);
}

static void fill_pair(struct stream *stream, struct group *group)
{
    group->count = 2;
    go_to(stream, 2 * group->first);
    const double angle = draw(stream, true), length = draw(stream, true);
    const struct normal_pair pair = box_muller_torch_double(angle, length);
    group->number[0] = pair.cosine;
    group->number[1] = pair.sine;
}

static void fill_block(const struct request *request, enum dtype dtype, uint64_t total,
                       struct stream *stream, struct group *group)
{
    const uint16_t *const option = request->profile.option;
    const bool wide = dtype == DTYPE_F64;
    uint64_t at = group->first;
    double u[BLOCK];
    if (is_tail(request, total, total - 1) && group->first == total - BLOCK)
        at = dtype_size(dtype) == 2 ? total - total % BLOCK : total;
    group->count = BLOCK;
    go_to(stream, at * (wide ? 2 : 1));
    for (unsigned i = 0; i < BLOCK; i++)
        u[i] = draw(stream, wide);
    for (unsigned i = 0; i < BLOCK; i++) {
        const unsigned length = option[FILL] ? i - i % 2 : i % HALF;
        const struct normal_pair pair = box_muller_torch_block(
            dtype, option[ANGLE], u[length], u[length + (option[FILL] ? 1 : HALF)]);
        group->number[i] = (option[FILL] ? i % 2 : i >= HALF) ? pair.sine : pair.cosine;
    }
}

static void fill_all(const struct request *request, const struct inference *inference,
                     const struct slice *slice, void *data, void *lower, void *upper)
{
    const enum dtype dtype = inference->output[0].dtype;
    struct stream stream = {.at = 0};
    struct group group = {.count = 0};
    uint64_t total;
    tensor_count(&inference->output[0], &total);
    mt19937_seed(&stream.generator, (uint32_t)cousin_load(request, 0, 0));
    for (uint64_t i = 0; i < slice->count; i++) {
        const uint64_t element = slice->first + i;
        const uint64_t first = group_first(request, total, element);
        if (!group.count || first != group.first) {
            group.first = first;
            if (total < BLOCK)
                fill_pair(&stream, &group);
            else
                fill_block(request, dtype, total, &stream, &group);
        }
        normal_store(dtype, group.number[element - group.first], i, data, lower, upper);
    }
}

static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    fill_all(request, inference, slice, slice->data, NULL, NULL);
    return ERROR_NONE;
}

static enum error fill_bounds(const struct request *request, const struct inference *inference,
                              const struct slice *slice, void *lower, void *upper,
                              struct diagnostic *diagnostic)
{
    (void)diagnostic;
    fill_all(request, inference, slice, NULL, lower, upper);
    return ERROR_NONE;
}

const struct operation torch_mt19937_randn_operation = {
    .name = "torch.mt19937_randn",
    .summary = "normal floats of PyTorch's default generator on a CPU (torch.randn)",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUT_ROWS({.name = "seed"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u64,
    .infer = infer,
    .fill = fill,
    .fill_bounds = fill_bounds,
};
