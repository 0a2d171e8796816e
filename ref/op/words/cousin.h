// SPDX-License-Identifier: Apache-2.0
// The operations of the systems in mapping.h: each makes a word source of its inputs; all else is
// here.

#ifndef ASSAY_REF_OP_WORDS_COUSIN_H
#define ASSAY_REF_OP_WORDS_COUSIN_H

#include "ref/op/words/mapping.h"
#include "ref/op/operation.h"

extern const struct operation numpy_philox_operation, numpy_philox_random_operation,
    numpy_random_state_randn_operation, tensorflow_stateless_bits_operation,
    tensorflow_stateless_uniform_operation, torch_stateless_bits_operation,
    torch_stateless_uniform_operation, torch_mt19937_rand_operation, curand_philox_bits_operation,
    curand_philox_uniform_operation, curand_philox_normal_operation, cpp_philox_engine_operation,
    torch_mt19937_randn_operation;

// The choices of every operation of this kind come first and are these: the other side of each
// convention. `first_block`: the counter one later, or one earlier where the system itself counts
// before it draws.
enum { COUSIN_FIRST_BLOCK, COUSIN_PAIR, COUSIN_FRACTION, COUSIN_ROUNDING };

#define COUSIN_MAPPING_CHOICES                                                                     \
    [COUSIN_FIRST_BLOCK] = {"first_block", OPERATION_WORDS("as_documented", "other")},             \
    [COUSIN_PAIR] = {"pair_order", OPERATION_WORDS("as_documented", "other")},                     \
    [COUSIN_FRACTION] = {"fraction_end", OPERATION_WORDS("as_documented", "other")}

#define COUSIN_ROUNDING_CHOICE                                                                     \
    [COUSIN_ROUNDING] = {"rounding", OPERATION_WORDS("two_step", "fused")}

#define COUSIN_ATTRIBUTE_COUNT ATTRIBUTE("count", INTEGER, REQUIRED, .maximum = INT64_MAX / 2)
#define COUSIN_ATTRIBUTE_SHAPE ATTRIBUTE("shape", SIZES, DEFAULT, .standard = -1)

// Refuses input `input` unless it is `words` elements of `dtype` in one dimension, or a scalar
// where `words` is 0.
enum error cousin_check_input(const struct request *request, unsigned input, enum dtype dtype,
                              unsigned words, struct diagnostic *diagnostic);

// Reads element `index` of an input that cousin_check_input accepted.
uint64_t cousin_load(const struct request *request, unsigned input, unsigned index);

// Refuses inputs that are present and not one u64 each.
enum error cousin_check_seeds(const struct request *request, struct diagnostic *diagnostic);

// The number that an optional input holds, else `standard`.
uint64_t cousin_load_or(const struct request *request, unsigned input, uint64_t standard);

struct cousin_range {
    bool present;
    uint64_t minimum, maximum; // bits of the dtype
};

// Reads optional inputs `minval` and the one after it as the range of an output of `dtype`: absent
// ones are 0 and 1 for floats, and must be given for integers, whose range must not be empty.
enum error cousin_read_range(const struct request *request, unsigned minval, enum dtype dtype,
                             struct cousin_range *range, struct diagnostic *diagnostic);

// Writes a slice of elements of `source`, mapped as the profile says. `first` is added to every
// index.
void cousin_fill(const struct request *request, enum mapping_system system, enum dtype dtype,
                 struct word_source source, uint64_t first, const struct cousin_range *range,
                 const struct slice *slice);

#endif
