// SPDX-License-Identifier: Apache-2.0
// The generators as data, and the two rules that are not: the original form of threefry2x32, whose
// counters pair the two halves of the whole array, and the stream behind rbg.

#include "ref/op/jax/random.h"

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"
#include "ref/rng/threefry.h"
#include "ref/rng/threefry_stream.h"

__extension__ typedef unsigned __int128 uint128;

enum { CHUNK = 1024 };

const char *const jax_generator_names[] = {
    "threefry2x32", "threefry4x32", "philox2x32", "philox4x32", "rbg", "unsafe_rbg", NULL};

struct layout {
    const struct threefry_form *threefry; // one of the two, or neither for the streams
    const struct philox_form *philox;
    uint8_t words, key_words;
    uint8_t bits_at, split_at; // the counter word that takes the index's high half; the next one
                               // takes the low half
    uint8_t mixed, high, low;  // sets of block words: exclusive or of them for up to 32 bits, and
                               // for the halves of 64
};

static const struct layout layouts[JAX_GENERATORS] = {
    [JAX_THREEFRY2X32] = {&threefry2x32, NULL, 2, 2, 0, 0, 0x3, 0x1, 0x2},
    [JAX_THREEFRY4X32] = {&threefry4x32, NULL, 4, 4, 0, 2, 0xf, 0x5, 0xa},
    [JAX_PHILOX2X32] = {NULL, &philox2x32, 2, 1, 0, 0, 0x3, 0x1, 0x2},
    [JAX_PHILOX4X32] = {NULL, &philox4x32, 4, 2, 0, 2, 0xf, 0x1, 0x2},
    [JAX_RBG] = {NULL, NULL, 4, 4, 0, 0, 0, 0, 0},
    [JAX_UNSAFE_RBG] = {NULL, NULL, 4, 4, 0, 0, 0, 0, 0},
};

unsigned jax_key_words(enum jax_generator generator)
{
    assert(generator <= JAX_UNSAFE_RBG);
    return layouts[generator].key_words;
}

static bool is_stream(const struct jax_key *key)
{
    return key->generator == JAX_RBG || key->generator == JAX_UNSAFE_RBG;
}

// ---- blocks -----------------------------------------------------------------

static void hash(const struct jax_key *key, const uint32_t counter[4], uint32_t out[4])
{
    const struct layout *const layout = &layouts[key->generator];
    const unsigned rounds = key->reading.rounds ? key->reading.rounds
                            : layout->threefry  ? THREEFRY_ROUNDS
                                                : PHILOX_ROUNDS;
    if (layout->threefry) {
        struct threefry_words at = {{0}}, under = {{0}};
        for (unsigned i = 0; i < layout->words; i++) {
            at.word[i] = counter[i];
            under.word[i] = key->word[i];
        }
        at = threefry_block(layout->threefry, at, under, rounds);
        for (unsigned i = 0; i < 4; i++)
            out[i] = (uint32_t)at.word[i];
    } else {
        struct philox_counter at = {{0}};
        struct philox_key under = {{0}};
        for (unsigned i = 0; i < layout->words; i++)
            at.word[i] = counter[i];
        for (unsigned i = 0; i < layout->key_words; i++)
            under.word[i] = key->word[i];
        at = philox_block(layout->philox, at, under, rounds);
        for (unsigned i = 0; i < 4; i++)
            out[i] = (uint32_t)at.word[i];
    }
}

// The block whose counter holds `index` in words `place` and place + 1.
static void hash_index(const struct jax_key *key, unsigned place, uint64_t index, uint32_t out[4])
{
    index += key->reading.from_one;
    uint32_t counter[4] = {0};
    counter[place + key->reading.low_first] = (uint32_t)(index >> 32);
    counter[place + !key->reading.low_first] = (uint32_t)index;
    hash(key, counter, out);
}

static uint32_t combine(const uint32_t word[4], unsigned set)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < 4; i++)
        if (set >> i & 1)
            all ^= word[i];
    return all;
}

static struct jax_key child(const struct jax_key *key, const uint32_t word[4])
{
    struct jax_key made = *key;
    memcpy(made.word, word, sizeof made.word);
    for (unsigned i = layouts[key->generator].key_words; i < JAX_KEY_WORDS_MAX; i++)
        made.word[i] = 0;
    return made;
}

// ---- the original form of threefry2x32 --------------------------------------

static const uint64_t ORIGINAL_WORDS_MAX = UINT32_MAX; // that one key hashes

// Word `at` of the hash of the counters 0 .. words - 1: the first half of them is paired with the
// second, and the last one of an odd number with a zero.
static uint32_t original_word(const struct jax_key *key, uint64_t words, uint64_t at)
{
    const uint64_t half = words / 2 + words % 2, first = at < half ? at : at - half,
                   second = first + half;
    const uint32_t counter[4] = {(uint32_t)first, second < words ? (uint32_t)second : 0};
    uint32_t out[4];
    hash(key, counter, out);
    return out[at < half ? 0 : 1];
}

// The same of any number of words: beyond ORIGINAL_WORDS_MAX the key is split and each child hashes
// its own part.
static uint32_t original_long_word(const struct jax_key *key, uint64_t words, uint64_t at)
{
    if (words < ORIGINAL_WORDS_MAX)
        return original_word(key, words, at);
    const uint64_t parts = words / ORIGINAL_WORDS_MAX, part = at / ORIGINAL_WORDS_MAX;
    const struct jax_key under = jax_split(key, parts + 1, part);
    return original_word(&under, part < parts ? ORIGINAL_WORDS_MAX : words % ORIGINAL_WORDS_MAX,
                         at % ORIGINAL_WORDS_MAX);
}

static uint64_t original_element(const struct jax_key *key, unsigned width, uint64_t total,
                                 uint64_t index)
{
    if (width == 32)
        return original_long_word(key, total, index);
    if (width == 64)
        return (uint64_t)original_long_word(key, 2 * total, index) << 32 |
               original_long_word(key, 2 * total, total + index);
    const unsigned per_word = 32 / width;
    const uint32_t word =
        original_long_word(key, total / per_word + (total % per_word != 0), index / per_word);
    return word >> width * (index % per_word) & ((UINT32_C(1) << width) - 1);
}

// ---- rbg --------------------------------------------------------------------

// XLA's state is two 64-bit numbers; the first is the key and also the upper half of the counter.
static struct philox_stream stream_of(const uint32_t word[4], uint128 blocks)
{
    const uint128 counter =
        ((uint128)word[1] << 96 | (uint128)word[0] << 64 | (uint128)word[3] << 32 | word[2]) +
        blocks;
    return (struct philox_stream){
        .key = {word[0], word[1]},
        .counter = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)(counter >> 64),
                    (uint32_t)(counter >> 96)},
        .rounds = PHILOX_ROUNDS,
        .carry_words = 4,
    };
}

static void stream_bits(const struct jax_key *key, unsigned width, uint64_t first, size_t count,
                        void *out)
{
    const struct philox_stream stream = stream_of(key->word, 0);
    if (width == 32) {
        philox_fill_u32(&stream, first, count, out);
        return;
    }
    const unsigned per_element = width == 64 ? 2 : 1;
    for (size_t done = 0; done < count;) {
        uint32_t word[CHUNK];
        const size_t now = count - done < CHUNK / 2 ? count - done : CHUNK / 2;
        philox_fill_u32(&stream, (first + done) * per_element, now * per_element, word);
        for (size_t i = 0; i < now; i++)
            element_store(out, width / 8, done + i,
                          width == 64 ? (uint64_t)word[2 * i + 1] << 32 | word[2 * i] : word[i]);
        done += now;
    }
}

// Half of the key as a threefry2x32 key, for rbg, whose keys are two of them.
static struct jax_key half_key(const struct jax_key *key, unsigned half)
{
    return (struct jax_key){
        JAX_THREEFRY2X32, key->partitionable, {0}, {key->word[2 * half], key->word[2 * half + 1]}};
}

// ---- the operations on keys -------------------------------------------------

void jax_seed(struct jax_key *key, uint64_t seed)
{
    const uint32_t high = (uint32_t)(seed >> 32), low = (uint32_t)seed, zero[4] = {0},
                   halves[4] = {high, low};
    const uint32_t twice[4] = {high, low, high, low};
    uint32_t out[4];
    switch (key->generator) {
    case JAX_THREEFRY2X32:
        *key = child(key, halves);
        break;
    case JAX_THREEFRY4X32:
        *key = child(key, halves);
        hash(key, zero, out);
        *key = child(key, out);
        break;
    case JAX_PHILOX2X32:
    case JAX_PHILOX4X32:
        *key = child(key, zero);
        hash(key, halves, out);
        *key = child(key, out);
        break;
    case JAX_RBG:
    case JAX_UNSAFE_RBG:
        *key = child(key, twice);
        break;
    }
}

struct jax_key jax_split(const struct jax_key *key, uint64_t total, uint64_t index)
{
    uint32_t out[4];
    if (key->generator == JAX_UNSAFE_RBG) {
        const struct philox_stream stream = stream_of(key->word, (uint128)index * 10);
        philox_fill_u32(&stream, 0, 4, out);
    } else if (key->generator == JAX_RBG) {
        for (unsigned half = 0; half < 2; half++) {
            const struct jax_key under = half_key(key, half),
                                 made = jax_split(&under, total, index);
            memcpy(out + 2 * half, made.word, 2 * sizeof *out);
        }
    } else if (key->generator == JAX_THREEFRY2X32 && !key->partitionable) {
        out[0] = original_word(key, 2 * total, 2 * index);
        out[1] = original_word(key, 2 * total, 2 * index + 1);
    } else {
        hash_index(key, layouts[key->generator].split_at, index, out);
    }
    return child(key, out);
}

struct jax_key jax_fold_in(const struct jax_key *key, uint32_t data)
{
    uint32_t out[4];
    if (key->generator == JAX_UNSAFE_RBG) {
        const struct philox_stream stream = stream_of((const uint32_t[]){0, data, 0, data}, 9);
        philox_fill_u32(&stream, 0, 4, out);
        for (unsigned i = 0; i < 4; i++)
            out[i] ^= key->word[i];
    } else if (key->generator == JAX_RBG) {
        for (unsigned half = 0; half < 2; half++) {
            const struct jax_key under = half_key(key, half), made = jax_fold_in(&under, data);
            memcpy(out + 2 * half, made.word, 2 * sizeof *out);
        }
    } else {
        uint32_t counter[4] = {0};
        counter[layouts[key->generator].words - 1] = data;
        hash(key, counter, out);
    }
    return child(key, out);
}

// ---- bits -------------------------------------------------------------------

static uint64_t block_element(const struct jax_key *key, unsigned width, uint64_t index)
{
    const struct layout *const layout = &layouts[key->generator];
    uint32_t word[4];
    hash_index(key, layout->bits_at, index, word);
    const uint32_t high = combine(word, layout->high), low = combine(word, layout->low);
    if (width == 64)
        return key->reading.halves_swapped ? (uint64_t)low << 32 | high
                                           : (uint64_t)high << 32 | low;
    return key->reading.first_word ? word[0] : combine(word, layout->mixed);
}

static bool is_plain(const struct jax_reading *reading)
{
    return !reading->rounds && !reading->low_first && !reading->from_one && !reading->first_word &&
           !reading->halves_swapped;
}

static void threefry_bits(const struct jax_key *key, unsigned width, uint64_t first, size_t count,
                          void *out)
{
    if (width >= 32) {
        threefry_fill(width == 64 ? THREEFRY_U64 : THREEFRY_XOR, key->word, first, count, out);
        return;
    }
    for (size_t done = 0; done < count;) {
        uint32_t word[CHUNK];
        const size_t now = count - done < CHUNK ? count - done : CHUNK;
        threefry_fill(THREEFRY_XOR, key->word, first + done, now, word);
        for (size_t i = 0; i < now; i++)
            element_store(out, width / 8, done + i, word[i]);
        done += now;
    }
}

void jax_bits(const struct jax_key *key, unsigned width, uint64_t total, uint64_t first,
              size_t count, void *out)
{
    assert(width == 8 || width == 16 || width == 32 || width == 64);
    assert(key->generator <= JAX_UNSAFE_RBG);
    const bool original = key->generator == JAX_THREEFRY2X32 && !key->partitionable;
    if (is_stream(key)) {
        stream_bits(key, width, first, count, out);
    } else if (key->generator == JAX_THREEFRY2X32 && !original && is_plain(&key->reading)) {
        threefry_bits(key, width, first, count, out);
    } else {
        for (size_t i = 0; i < count; i++)
            element_store(out, width / 8, i,
                          original ? original_element(key, width, total, first + i)
                                   : block_element(key, width, first + i));
    }
}
