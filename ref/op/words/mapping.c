// SPDX-License-Identifier: Apache-2.0

#include "ref/op/words/mapping.h"

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/rng/mt19937.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"

// ---- words ------------------------------------------------------------------

static void fill_from_wide_blocks(const struct word_source *source, uint64_t first, size_t count,
                                  uint32_t *out)
{
    const struct philox_key key = {{source->key[0], source->key[1]}};
    struct philox_counter start = {
        {source->counter[0], source->counter[1], source->counter[2], source->counter[3]}};
    start = philox_advance(&philox4x64, start, source->first_block);
    struct philox_counter block = {{0}};
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = first + i;
        if (i == 0 || at % 8 == 0)
            block = philox_block(&philox4x64, philox_advance(&philox4x64, start, at / 8), key,
                                 PHILOX_ROUNDS);
        out[i] = (uint32_t)(block.word[at % 8 / 2] >> 32 * (at % 2));
    }
}

static void fill_from_narrow_blocks(const struct word_source *source, uint64_t lane, uint64_t first,
                                    size_t count, uint32_t *out)
{
    const struct philox_stream stream = {
        .key = {(uint32_t)source->key[0], (uint32_t)source->key[1]},
        .counter = {(uint32_t)source->counter[0], (uint32_t)source->counter[1],
                    (uint32_t)(source->counter[2] + lane), (uint32_t)source->counter[3]},
        .rounds = PHILOX_ROUNDS,
        .carry_words = source->carry_words,
    };
    philox_fill_u32(&stream, first + 4 * (uint64_t)source->first_block, count, out);
}

static void fill_from_lanes(const struct word_source *source, unsigned per_element, uint64_t first,
                            size_t count, uint32_t *out)
{
    for (size_t i = 0; i < count;) {
        const uint64_t turn = (first + i) / 4;
        const unsigned ragged = (unsigned)((first + i) % 4);
        const size_t now = count - i < 4 - ragged ? count - i : 4 - ragged;
        fill_from_narrow_blocks(source, turn % source->lanes,
                                (turn / source->lanes * 4 + ragged) * per_element,
                                now * per_element, out + i * per_element);
        i += now;
    }
}

void word_source_fill(const struct word_source *source, unsigned per_element, uint64_t first,
                      size_t count, uint32_t *out)
{
    if (source->lanes) {
        fill_from_lanes(source, per_element, first, count, out);
        return;
    }
    const uint64_t first_word = first * per_element;
    count *= per_element;
    if (source->generator == WORDS_MT19937) {
        struct mt19937 twister;
        mt19937_seed(&twister, (uint32_t)source->key[0]);
        mt19937_skip(&twister, first_word);
        mt19937_fill(&twister, out, count);
    } else if (source->generator == WORDS_PHILOX4X64) {
        fill_from_wide_blocks(source, first_word, count, out);
    } else {
        fill_from_narrow_blocks(source, 0, first_word, count, out);
    }
}

// ---- elements ---------------------------------------------------------------

// clang-format off
const struct mapping mapping_table[] = {
    // system               dtype      words first_high rule       bits
    {MAPPING_NUMPY,         DTYPE_U64,  2, false, MAPPING_WHOLE,     64},
    {MAPPING_NUMPY,         DTYPE_F32,  1, false, MAPPING_HIGH_BITS, 24},
    {MAPPING_NUMPY,         DTYPE_F64,  2, false, MAPPING_HIGH_BITS, 53},
    {MAPPING_TENSORFLOW,    DTYPE_U32,  1, false, MAPPING_WHOLE,     32},
    {MAPPING_TENSORFLOW,    DTYPE_U64,  2, false, MAPPING_WHOLE,     64},
    {MAPPING_TENSORFLOW,    DTYPE_I32,  1, false, MAPPING_REMAINDER, 32},
    {MAPPING_TENSORFLOW,    DTYPE_I64,  2, false, MAPPING_REMAINDER, 64},
    {MAPPING_TENSORFLOW,    DTYPE_F16,  1, false, MAPPING_LOW_BITS,  10},
    {MAPPING_TENSORFLOW,    DTYPE_BF16, 1, false, MAPPING_LOW_BITS,   7},
    {MAPPING_TENSORFLOW,    DTYPE_F32,  1, false, MAPPING_LOW_BITS,  23},
    {MAPPING_TENSORFLOW,    DTYPE_F64,  2, true,  MAPPING_LOW_BITS,  52},
    {MAPPING_TORCH,         DTYPE_U32,  1, false, MAPPING_WHOLE,     32},
    {MAPPING_TORCH,         DTYPE_U64,  2, true,  MAPPING_WHOLE,     64},
    {MAPPING_TORCH,         DTYPE_I32,  1, false, MAPPING_REMAINDER, 32},
    {MAPPING_TORCH,         DTYPE_I64,  2, true,  MAPPING_REMAINDER, 64},
    {MAPPING_TORCH,         DTYPE_F16,  1, false, MAPPING_LOW_BITS,  11},
    {MAPPING_TORCH,         DTYPE_BF16, 1, false, MAPPING_LOW_BITS,   8},
    {MAPPING_TORCH,         DTYPE_F32,  1, false, MAPPING_LOW_BITS,  24},
    {MAPPING_TORCH,         DTYPE_F64,  2, true,  MAPPING_LOW_BITS,  53},
    {MAPPING_TORCH_MT19937, DTYPE_F16,  1, false, MAPPING_VIA_F32,   24},
    {MAPPING_TORCH_MT19937, DTYPE_BF16, 1, false, MAPPING_VIA_F32,   24},
    {MAPPING_TORCH_MT19937, DTYPE_F32,  1, false, MAPPING_LOW_BITS,  24},
    {MAPPING_TORCH_MT19937, DTYPE_F64,  2, true,  MAPPING_LOW_BITS,  53},
    {MAPPING_CURAND,        DTYPE_U32,  1, false, MAPPING_WHOLE,     32},
    {MAPPING_CURAND,        DTYPE_F32,  1, false, MAPPING_CENTRED,   32},
    {MAPPING_CURAND,        DTYPE_F64,  2, false, MAPPING_CENTRED,   53},
    {MAPPING_CPP,           DTYPE_U32,  1, false, MAPPING_WHOLE,     32},
    {MAPPING_CPP,           DTYPE_U64,  2, false, MAPPING_WHOLE,     64},
};
// clang-format on

const unsigned mapping_count = sizeof mapping_table / sizeof *mapping_table;

const struct mapping *mapping_of(enum mapping_system system, enum dtype dtype)
{
    for (unsigned i = 0; i < mapping_count; i++)
        if (mapping_table[i].system == system && mapping_table[i].dtype == dtype)
            return &mapping_table[i];
    return NULL;
}

const char *mapping_system_name(enum mapping_system system)
{
    static const char *const names[] = {
        [MAPPING_NUMPY] = "NumPy Philox",
        [MAPPING_TENSORFLOW] = "TensorFlow stateless (Philox)",
        [MAPPING_TORCH] = "PyTorch stateless (Philox)",
        [MAPPING_TORCH_MT19937] = "PyTorch CPU default (mt19937)",
        [MAPPING_CURAND] = "cuRAND host API, Philox, default ordering",
        [MAPPING_CPP] = "C++26 philox_engine",
    };
    return names[system];
}

// f32: x 2^-32 + 2^-33. f64: z 2^-53 + 2^-54 with z = x ^ (y << 21), which overlaps the two words
// in eleven bits.
static uint64_t centred(enum dtype dtype, const uint32_t *word)
{
    if (dtype == DTYPE_F32) {
        const float x = (float)word[0];
        return float_bits(x * 0x1p-32F + 0x1p-33F);
    }
    const uint64_t z = word[0] ^ (uint64_t)word[1] << 21;
    return double_bits((double)z * 0x1p-53 + 0x1p-54);
}

// numerator 2^-bits, rounded to the type.
static uint64_t fraction(const struct mapping *mapping, uint64_t numerator)
{
    const double unit = double_from_bits((uint64_t)(1023 - mapping->bits) << 52);
    return num_from_double(mapping->dtype, (double)numerator * unit);
}

uint64_t mapping_element(const struct mapping *mapping, const uint32_t *word)
{
    uint64_t whole = word[0];
    if (mapping->words == 2)
        whole = mapping->first_high ? whole << 32 | word[1] : whole | (uint64_t)word[1] << 32;
    const uint64_t mask = mapping->bits < 64 ? (UINT64_C(1) << mapping->bits) - 1 : UINT64_MAX;
    switch (mapping->rule) {
    case MAPPING_LOW_BITS:
        return fraction(mapping, whole & mask);
    case MAPPING_HIGH_BITS:
        return fraction(mapping, whole >> (32 * mapping->words - mapping->bits));
    case MAPPING_VIA_F32: {
        const uint64_t value = fraction(mapping, whole & mask);
        return value == num_from_double(mapping->dtype, 1) ? 0 : value;
    }
    case MAPPING_CENTRED:
        return centred(mapping->dtype, word);
    case MAPPING_WHOLE:
    case MAPPING_REMAINDER:
        break;
    }
    return whole;
}
