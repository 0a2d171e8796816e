// SPDX-License-Identifier: Apache-2.0
// The parts of openvino.random_uniform: a request made ready, its words, its values.
//
// Source: OpenVINO RandomUniform-8, "Detailed description". TensorFlow alignment draws
// Philox4x32-10 words with the counter (n low, n high, op_seed low, op_seed high) for the n-th
// group of four and the key (global_seed low, high); PyTorch alignment draws mt19937 words. Every
// written operation is one node with one rounding.

#ifndef ASSAY_REF_OP_OPENVINO_RANDOM_UNIFORM_H
#define ASSAY_REF_OP_OPENVINO_RANDOM_UNIFORM_H

#include "ref/op/operation.h"
#include "ref/rng/mt19937.h"

struct philox_stream;

enum {
    RANDOM_UNIFORM_OUTPUT_TYPE,
    RANDOM_UNIFORM_GLOBAL_SEED,
    RANDOM_UNIFORM_OP_SEED,
    RANDOM_UNIFORM_ALIGNMENT
};

enum { RANDOM_UNIFORM_OWN_MINIMUM, RANDOM_UNIFORM_OWN_MAXIMUM, RANDOM_UNIFORM_OWN_COUNT };

enum { RANDOM_UNIFORM_CHUNK = 4096 };        // words drawn at a time; even
enum { RANDOM_UNIFORM_NARROW_DRAWS = 2048 }; // the 16-bit types take at most 11 bits of a word

enum random_uniform_choice {
    RANDOM_UNIFORM_PHILOX_READING, // published, literal
    RANDOM_UNIFORM_ROUNDS,
    RANDOM_UNIFORM_ROUNDING,       // two_step, fused
    RANDOM_UNIFORM_I64_WORDS,      // second_high, one, first_high
    RANDOM_UNIFORM_F64_WORDS,      // first_high, second_high
    RANDOM_UNIFORM_BF16_ROUNDING,  // nearest_even, openvino, openvino_span
    RANDOM_UNIFORM_STATE,          // none, skip_256_groups, skip_groups, skip_256_elements
    RANDOM_UNIFORM_MANTISSA,       // low_bits, high_bits
    RANDOM_UNIFORM_INTEGER_RANGE,  // modulo, multiply_high, modulo_inclusive, signed_span,
                                   // signed_span_down
    RANDOM_UNIFORM_SEEDS,          // as_named, swapped, low_32_bits
    RANDOM_UNIFORM_COUNTER_START,  // zero, one
    RANDOM_UNIFORM_COUNTER_HALVES, // group_low, seed_low
    RANDOM_UNIFORM_WORD_ORDER,     // ascending, descending, pairs_swapped
    RANDOM_UNIFORM_CHOICES
};

// A request made ready: bounds as bits of `type`, seeds after the choice `seeds`, options by
// choice.
struct random_uniform {
    enum dtype type;
    bool pytorch;
    uint64_t global_seed, op_seed;
    uint64_t minimum, maximum;
    uint64_t count; // elements of the whole output
    unsigned rounds;
    uint16_t option[RANDOM_UNIFORM_CHOICES];
    bool streamed; // values go past the caches where they can
    bool tabled;   // the 16-bit types: every value stands in `narrow`
    uint16_t narrow[RANDOM_UNIFORM_NARROW_DRAWS]; // by the drawn bits
};

// Makes a request ready to draw about `elements` elements.
void random_uniform_start(struct random_uniform *uniform, const struct request *request,
                          const struct inference *inference, uint64_t elements);

// Whether values of a 16-bit type are looked up: no vector form makes them.
bool random_uniform_wants_table(const struct random_uniform *uniform);

// Fills the table of a 16-bit type, which pays when more elements are drawn than it has entries.
void random_uniform_make_table(struct random_uniform *uniform);

// 1 or 2: words that one element takes.
unsigned random_uniform_words_per_element(const struct random_uniform *uniform);

struct random_uniform_drawn;

// The values of as many blocks of `drawn` as there is a fast way for, in whole elements, to `data`;
// says how many blocks.
size_t random_uniform_values_drawn(const struct random_uniform *uniform,
                                   const struct random_uniform_drawn *drawn, void *data);

// A position in the sequence of words of one run.
struct random_uniform_words {
    const struct random_uniform *uniform;
    uint64_t next; // number of the next word
    uint64_t
        group_offset; // added to the number of a group: later runs, and the choice counter_start
    struct mt19937 twister; // PyTorch alignment
};

// Positions at word `first` of run `run` (from 0). `uniform` must outlive `words`.
void random_uniform_words_start(struct random_uniform_words *words,
                                const struct random_uniform *uniform, unsigned run, uint64_t first);

// The next `count` words.
void random_uniform_words_next(struct random_uniform_words *words, uint32_t *word, size_t count);

// The blocks that hold the next `count` words whole, as philox_fill_u32 would make them; false
// where it would not, or the next word does not begin one. `drawn` points into `stream`.
bool random_uniform_words_drawn(const struct random_uniform_words *words, uint64_t count,
                                struct philox_stream *stream, struct random_uniform_drawn *drawn);

// `count` elements of `uniform->type` from words_per_element words each, to `data` (native order).
void random_uniform_values(const struct random_uniform *uniform, const uint32_t *word, size_t count,
                           void *data);

extern const struct operation openvino_random_uniform;

#endif
