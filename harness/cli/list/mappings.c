// SPDX-License-Identifier: Apache-2.0
// assay list mappings: how the systems that draw from Philox, Threefry or mt19937 turn one stream
// of words into elements, side by side. The page to look at when two frameworks disagree.

#include <stdio.h>

#include "harness/cli/list/list.h"
#include "ref/op/words/mapping.h"

enum { OWN_MAX = 8, NOT_IN_TABLE = -1 };

// Where a system's stream starts, in words. Its elements come from mapping_table, or, for the
// systems whose operations have code of their own, stand here.
static const struct origin {
    int system; // enum mapping_system, or NOT_IN_TABLE
    const char *name, *operation, *generator, *key, *block;
    struct mapping own[OWN_MAX]; // up to the first without a dtype
} origins[] = {
    // clang-format off
    {NOT_IN_TABLE, "OpenVINO RandomUniform-8, TensorFlow alignment", "openvino.random_uniform",
     "Philox4x32-10", "global_seed, low word first",
     "counter words: j low, j high, op_seed low, op_seed high",
     {{0, DTYPE_F16, 1, false, MAPPING_LOW_BITS, 10},
      {0, DTYPE_BF16, 1, false, MAPPING_LOW_BITS, 7},
      {0, DTYPE_F32, 1, false, MAPPING_LOW_BITS, 23},
      {0, DTYPE_F64, 2, true, MAPPING_LOW_BITS, 52},
      {0, DTYPE_I32, 1, false, MAPPING_REMAINDER, 32},
      {0, DTYPE_I64, 2, false, MAPPING_REMAINDER, 64}}},
    {NOT_IN_TABLE, "OpenVINO RandomUniform-8, PyTorch alignment", "openvino.random_uniform",
     "mt19937", "init_genrand(global_seed mod 2^32)", "the stream from its start",
     {{0, DTYPE_F16, 1, false, MAPPING_LOW_BITS, 11},
      {0, DTYPE_BF16, 1, false, MAPPING_LOW_BITS, 8},
      {0, DTYPE_F32, 1, false, MAPPING_LOW_BITS, 24},
      {0, DTYPE_F64, 2, true, MAPPING_LOW_BITS, 53},
      {0, DTYPE_I32, 1, false, MAPPING_REMAINDER, 32},
      {0, DTYPE_I64, 2, true, MAPPING_REMAINDER, 64}}},
    {NOT_IN_TABLE, "DirectML RANDOM_GENERATOR", "directml.random_generator", "Philox4x32-10",
     "state words 4 and 5", "state words 0 to 3 as one number of 128 bits, plus j",
     {{0, DTYPE_U32, 1, false, MAPPING_WHOLE, 32}}},
    {NOT_IN_TABLE, "JAX, threefry2x32, partitionable", "jax.bits, jax.uniform", "Threefry2x32-20",
     "the key",
     "element i is block i: i high, i low; 32 bits are both words combined by exclusive or, "
     "64 bits both",
     {{0, DTYPE_U32, 1, false, MAPPING_WHOLE, 32},
      {0, DTYPE_U64, 2, true, MAPPING_WHOLE, 64},
      {0, DTYPE_F32, 1, false, MAPPING_HIGH_BITS, 23},
      {0, DTYPE_F64, 2, true, MAPPING_HIGH_BITS, 52}}},
    {MAPPING_TENSORFLOW, "TensorFlow stateless_*", "tensorflow.stateless_*", "Philox4x32-10",
     "words 0 and 1 of the block of the seed's four words under key 3ec8f720 02461e29",
     "0, 0 and that block's words 2 and 3, as one number of 128 bits, plus j", {{0}}},
    {MAPPING_TORCH, "PyTorch stateless", "torch.stateless_*", "Philox4x32-10",
     "seed, low word first", "counter words: offset + j low, high, 0, 0", {{0}}},
    {MAPPING_TORCH_MT19937, "PyTorch CPU default", "torch.mt19937_rand", "mt19937",
     "init_genrand(seed mod 2^32)", "the stream from its start", {{0}}},
    {NOT_IN_TABLE, "PyTorch on CUDA", "torch.cuda_*", "Philox4x32-10", "seed, low word first",
     "turn j of thread t; counter words: offset / 4 + j low, high, t low, high; its elements lie a "
     "grid apart; a 1 becomes 0",
     {{0, DTYPE_F16, 1, false, MAPPING_CENTRED, 32},
      {0, DTYPE_BF16, 1, false, MAPPING_CENTRED, 32},
      {0, DTYPE_F32, 1, false, MAPPING_CENTRED, 32},
      {0, DTYPE_F64, 2, false, MAPPING_CENTRED, 53},
      {0, DTYPE_I32, 1, false, MAPPING_REMAINDER, 32},
      {0, DTYPE_I64, 2, true, MAPPING_REMAINDER, 64}}},
    {MAPPING_CURAND, "cuRAND host API, default ordering", "curand.philox_*", "Philox4x32-10",
     "seed, low word first",
     "elements go to 65,536 subsequences in turn, four each; counter words: block low, high, "
     "subsequence low, high", {{0}}},
    {MAPPING_NUMPY, "NumPy Philox", "numpy.philox, numpy.philox_random", "Philox4x64-10",
     "the key", "counter + 1 + j: counted before it is used", {{0}}},
    {MAPPING_CPP, "C++26 philox_engine", "cpp.philox_engine", "Philox4x32-10, Philox4x64-10",
     "seed, 0", "j: used before it is counted", {{0}}},
    // clang-format on
};

// "the low 23 bits of a word, times 2^-23"
static void describe(const struct mapping *mapping, char *text, size_t size)
{
    const char *const words = mapping->words == 1   ? "a word"
                              : mapping->first_high ? "two words, high half first"
                                                    : "two words, low half first";
    switch (mapping->rule) {
    case MAPPING_WHOLE:
        snprintf(text, size, "%s", words);
        break;
    case MAPPING_LOW_BITS:
        snprintf(text, size, "low %u bits of %s, times 2^-%u", mapping->bits, words, mapping->bits);
        break;
    case MAPPING_HIGH_BITS:
        snprintf(text, size, "high %u bits of %s, times 2^-%u", mapping->bits, words,
                 mapping->bits);
        break;
    case MAPPING_REMAINDER:
        snprintf(text, size, "minval + %s mod (maxval - minval)", words);
        break;
    case MAPPING_VIA_F32:
        snprintf(text, size, "low %u bits of %s as f32, rounded; a 1 becomes 0", mapping->bits,
                 words);
        break;
    case MAPPING_CENTRED:
        snprintf(text, size, "(%s + 1/2) times 2^-%u, in (0, 1]", words, mapping->bits);
        break;
    }
}

static void put_mapping(const struct list *list, const struct origin *origin,
                        const struct mapping *mapping)
{
    char text[128];
    describe(mapping, text, sizeof text);
    if (!list->json) {
        printf("    %-5s %s\n", dtype_name(mapping->dtype), text);
        return;
    }
    struct text line = {0};
    json_begin_object(&line);
    json_put_pairs(&line, {"system", origin->name}, {"op", origin->operation},
                   {"generator", origin->generator}, {"key", origin->key}, {"block", origin->block},
                   {"dtype", dtype_name(mapping->dtype)}, {"element", text});
    json_put_unsigned_at(&line, "words", mapping->words);
    json_put_unsigned_at(&line, "bits", mapping->bits);
    list_end(&line);
}

enum error list_mappings(struct list *list, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        const struct origin *const origin = &origins[i];
        if (!list_takes(list, origin->name) && !list_takes(list, origin->operation))
            continue;
        if (!list->json)
            printf("%s (%s)\n  %s; key: %s\n  block j: %s\n", origin->name, origin->operation,
                   origin->generator, origin->key, origin->block);
        for (unsigned k = 0; k < OWN_MAX && origin->own[k].dtype; k++)
            put_mapping(list, origin, &origin->own[k]);
        for (unsigned k = 0; k < mapping_count; k++)
            if ((int)mapping_table[k].system == origin->system)
                put_mapping(list, origin, &mapping_table[k]);
    }
    return ERROR_NONE;
}
