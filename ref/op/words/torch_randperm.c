// SPDX-License-Identifier: Apache-2.0
// torch.cuda_randperm, torch.mt19937_randperm: the numbers below n in random order
// (torch.randperm).
//
// On a CPU: place i changes with place i + word mod (n - i), i from 0 on.
// On a CUDA device, after ATen/native/cuda/Randperm.cu and .cuh of PyTorch 2: a stable sort by the
// low bits of random keys, as many that all are different with a probability of 0.9. Keys are drawn
// like torch.randint's, of 32 bits where the sort looks at no more, else of 64. What still has
// equal keys is then shuffled from its last place down, by the subsequence of its first place, at
// the offset that the keys left.

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/op/words/cousin.h"
#include "ref/op/words/torch_cuda.h"
#include "ref/rng/mt19937.h"

enum { N = TORCH_CUDA_SHAPE, DTYPE = TORCH_CUDA_DTYPE };

static const uint64_t COUNT_MAX = UINT64_C(1) << 22;

enum {
    INTEGERS = DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_I16) |
               DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64),
};

#define ATTRIBUTE_ROWS                                                                             \
    [N] = ATTRIBUTE("n", INTEGER, REQUIRED, .maximum = INT64_MAX / 2), [DTYPE] = ATTRIBUTE(        \
                                                                           "dtype", DTYPE,         \
                                                                           DEFAULT,                \
                                                                           .standard = DTYPE_I64,  \
                                                                           .dtypes = INTEGERS)

static enum error set_output(const struct request *request, struct inference *inference,
                             struct diagnostic *diagnostic)
{
    struct tensor *const output = &inference->output[0];
    const uint64_t n = (uint64_t)request->attribute[N].integer;
    output->dtype = (enum dtype)request->attribute[DTYPE].integer;
    const unsigned bits = 8 * (unsigned)dtype_size(output->dtype) - (output->dtype != DTYPE_U8);
    if (n && (n - 1) >> bits)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "n - 1 must be in %s",
                               dtype_name(output->dtype));
    if (n > COUNT_MAX)
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "n is more than 2^22");
    return operation_set_shape(output, &request->attribute[N].integer, 1, "n", diagnostic);
}

// ---- CUDA -------------------------------------------------------------------

enum { WIDE_FROM = TORCH_CUDA_CHOICES, KEY, ISLANDS, CHOICES };

static const struct attribute_spec cuda_attributes[] = {ATTRIBUTE_ROWS, TORCH_CUDA_DEVICE_ROWS};

static const struct choice cuda_choices[CHOICES] = {
    TORCH_CUDA_CHOICE_ROWS,
    [WIDE_FROM] = {"wide_from", OPERATION_WORDS("2^28", "2^32")},
    [KEY] = {"key", OPERATION_WORDS("low_bits", "all_bits")},
    [ISLANDS] = {"islands", OPERATION_WORDS("shuffled", "in_order")},
};

struct item {
    uint64_t key, source;
};

static enum error cuda_infer(const struct request *request, struct inference *inference,
                             struct diagnostic *diagnostic)
{
    const enum error error = torch_cuda_check_seeds(request, diagnostic);
    return error ? error : set_output(request, inference, diagnostic);
}

static enum error cuda_workspace(const struct request *request, const struct inference *inference,
                                 bool bounds, size_t *size, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)bounds;
    (void)diagnostic;
    *size = 2 * (size_t)request->attribute[N].integer * sizeof(struct item);
    return ERROR_NONE;
}

// The least b with 2^b >= n - (6 n^2 + 1) / (12 log(0.9)). For no n up to 2^22 is the right side
// within 10^-9 of a power of two: roundings do not matter.
static unsigned key_bits(uint64_t count)
{
    const double n = (double)count;
    const double keys = n - (6 * n * n + 1) / -0x1.43aae18c7b105p+0;
    unsigned bits = 1;
    while (ldexp(1, (int)bits) < keys)
        bits++;
    return bits;
}

static void draw_keys(const struct request *request, const struct inference *inference,
                      unsigned bits, unsigned each, uint64_t count, struct item *item)
{
    const uint64_t span = bits <= 32 ? UINT32_MAX : UINT64_MAX;
    const uint64_t mask = request->profile.option[KEY] ? UINT64_MAX : UINT64_MAX >> (64 - bits);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word[4];
        const unsigned place = torch_cuda_draw(request, inference, each, i, word);
        const uint64_t drawn =
            each == 2 ? (uint64_t)word[2 * place] << 32 | word[2 * place + 1] : word[place];
        item[i] = (struct item){drawn % span & mask, i};
    }
}

static void swap(struct item *a, struct item *b)
{
    const struct item moved = *a;
    *a = *b;
    *b = moved;
}

// Stably by the low `bits` of the keys, byte after byte; what is sorted is returned, the other
// array is for between.
static struct item *sort(struct item *item, struct item *other, uint64_t count, unsigned bits)
{
    enum { DIGITS = 256 };
    for (unsigned shift = 0; shift < bits; shift += 8) {
        uint64_t start[DIGITS + 1] = {0};
        for (uint64_t i = 0; i < count; i++)
            start[(item[i].key >> shift) % DIGITS + 1]++;
        for (unsigned digit = 0; digit < DIGITS; digit++)
            start[digit + 1] += start[digit];
        for (uint64_t i = 0; i < count; i++)
            other[start[(item[i].key >> shift) % DIGITS]++] = item[i];
        struct item *const sorted = other;
        other = item;
        item = sorted;
    }
    return item;
}

// `block`: the first that the keys left.
static void shuffle_island(const struct request *request, struct item *item, uint64_t first,
                           uint64_t count, uint64_t block)
{
    uint32_t word[4];
    for (uint64_t drawn = 0; drawn + 1 < count; drawn++) {
        if (drawn % 4 == 0)
            torch_cuda_block(request, first, block + drawn / 4, word);
        const uint64_t last = count - 1 - drawn;
        swap(&item[first + last], &item[first + word[drawn % 4] % (last + 1)]);
    }
}

static enum error cuda_evaluate(const struct request *request, const struct inference *inference,
                                void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const uint64_t count = (uint64_t)request->attribute[N].integer;
    const unsigned bits = key_bits(count);
    const unsigned each = request->profile.option[WIDE_FROM] && bits <= 32 ? 4 : 2;
    const uint64_t block = torch_cuda_turns(request, inference, each);
    struct item *const drawn = workspace;
    draw_keys(request, inference, bits, each, count, drawn);
    struct item *const item =
        sort(drawn, drawn + count, count, request->profile.option[KEY] ? 64 : bits);
    for (uint64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && item[end].key == item[first].key;)
            end++;
        if (!request->profile.option[ISLANDS])
            shuffle_island(request, item, first, end - first, block);
    }
    for (uint64_t i = 0; i < count; i++)
        element_store(data[0], dtype_size(inference->output[0].dtype), i, item[i].source);
    return ERROR_NONE;
}

const struct operation torch_cuda_randperm_operation = {
    .name = "torch.cuda_randperm",
    .summary = "a permutation of PyTorch's generator on a CUDA device (torch.randperm)",
    OPERATION_ATTRIBUTES(cuda_attributes),
    OPERATION_INPUT_ROWS([TORCH_CUDA_SEED] = {.name = "seed"}, [TORCH_CUDA_OFFSET] = {.name =
                                                                                          "offset",
                                                                                      .optional =
                                                                                          true}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(cuda_choices),
    .plain_dtype = operation_plain_u64,
    .infer = cuda_infer,
    .evaluate = cuda_evaluate,
    .workspace_size = cuda_workspace,
};

// ---- CPU --------------------------------------------------------------------

enum { WALK, REDUCTION, CPU_CHOICES };

static const struct attribute_spec cpu_attributes[] = {ATTRIBUTE_ROWS};

static const struct choice cpu_choices[CPU_CHOICES] = {
    [WALK] = {"walk", OPERATION_WORDS("forward", "backward")},
    [REDUCTION] = {"reduction", OPERATION_WORDS("remainder", "product")},
};

static enum error cpu_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    const enum error error = cousin_check_seeds(request, diagnostic);
    return error ? error : set_output(request, inference, diagnostic);
}

static enum error cpu_evaluate(const struct request *request, const struct inference *inference,
                               void *const *data, void *workspace, struct diagnostic *diagnostic)
{
    (void)workspace;
    (void)diagnostic;
    const uint16_t *const option = request->profile.option;
    const size_t size = dtype_size(inference->output[0].dtype);
    const uint64_t count = (uint64_t)request->attribute[N].integer;
    struct mt19937 generator;
    mt19937_seed(&generator, (uint32_t)cousin_load(request, 0, 0));
    for (uint64_t i = 0; i < count; i++)
        element_store(data[0], size, i, i);
    for (uint64_t i = 0; i + 1 < count; i++) {
        const uint64_t left = count - i;
        uint32_t word;
        mt19937_fill(&generator, &word, 1);
        const uint64_t drawn = option[REDUCTION] ? word * left >> 32 : word % left;
        const uint64_t from = option[WALK] ? left - 1 : i, to = option[WALK] ? drawn : i + drawn;
        const uint64_t moved = element_load(data[0], size, from);
        element_store(data[0], size, from, element_load(data[0], size, to));
        element_store(data[0], size, to, moved);
    }
    return ERROR_NONE;
}

const struct operation torch_mt19937_randperm_operation = {
    .name = "torch.mt19937_randperm",
    .summary = "a permutation of PyTorch's default generator on a CPU (torch.randperm)",
    OPERATION_ATTRIBUTES(cpu_attributes),
    OPERATION_INPUT_ROWS({.name = "seed"}),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(cpu_choices),
    .plain_dtype = operation_plain_u64,
    .infer = cpu_infer,
    .evaluate = cpu_evaluate,
};
