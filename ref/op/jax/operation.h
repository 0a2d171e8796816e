// SPDX-License-Identifier: Apache-2.0
// What the tables of JAX's operations share: the first attributes, the choices, and how a key is
// read.

#ifndef ASSAY_REF_OP_JAX_OPERATION_H
#define ASSAY_REF_OP_JAX_OPERATION_H

#include "ref/op/jax/random.h"
#include "ref/op/operation.h"

extern const struct operation jax_key_operation, jax_split_operation, jax_fold_in_operation,
    jax_bits_operation, jax_uniform_operation, jax_randint_operation, jax_bernoulli_operation,
    jax_rademacher_operation, jax_permutation_operation, jax_choice_operation, jax_normal_operation,
    jax_exponential_operation, jax_gumbel_operation, jep263_split_operation,
    jep263_draw_samples_operation, jep263_dropout_operation, jep263_foo_operation;

// The attributes of an operation that draws begin with these.
enum { JAX_IMPL, JAX_PARTITIONABLE, JAX_SHAPE, JAX_OWN_ATTRIBUTES };

// clang-format off
#define JAX_ATTRIBUTE_IMPL \
    ATTRIBUTE("impl", WORD, DEFAULT, .words = jax_generator_names)
#define JAX_ATTRIBUTE_PARTITIONABLE \
    ATTRIBUTE("partitionable", BOOLEAN, DEFAULT, .standard = 1)
#define JAX_ATTRIBUTE_SHAPE \
    ATTRIBUTE("shape", SIZES, DEFAULT, .standard = -1)
#define JAX_ATTRIBUTE_X64 \
    ATTRIBUTE("x64", BOOLEAN, DEFAULT)
#define JAX_ATTRIBUTE_DTYPE(standard_dtype, set) \
    ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = (standard_dtype), .dtypes = (set))
#define JAX_DRAWING_ATTRIBUTES \
    [JAX_IMPL] = JAX_ATTRIBUTE_IMPL, [JAX_PARTITIONABLE] = JAX_ATTRIBUTE_PARTITIONABLE, \
    [JAX_SHAPE] = JAX_ATTRIBUTE_SHAPE
// clang-format on

// The choices of every operation that takes a key come first and are these; all but the default are
// readings of the hash that someone might take for jax's.
enum {
    JAX_CHOICE_ROUNDS,
    JAX_CHOICE_COUNTER_ORDER,
    JAX_CHOICE_COUNTER_ORIGIN,
    JAX_CHOICE_NARROW,
    JAX_CHOICE_WIDE,
    JAX_CHOICES
};

// clang-format off
#define JAX_READING_CHOICES                                                                        \
    [JAX_CHOICE_ROUNDS] = {"rounds", OPERATION_WORDS("published", "7", "12", "13", "16")},         \
    [JAX_CHOICE_COUNTER_ORDER] = {"counter_order", OPERATION_WORDS("high_first", "low_first")},    \
    [JAX_CHOICE_COUNTER_ORIGIN] = {"counter_origin", OPERATION_WORDS("zero", "one")},              \
    [JAX_CHOICE_NARROW] = {"narrow_elements", OPERATION_WORDS("exclusive_or", "first_word")},      \
    [JAX_CHOICE_WIDE] = {"wide_elements", OPERATION_WORDS("first_high", "second_high")}

// How u * span + minimum is rounded. XLA fuses where the processor can: with FMA in f32 and f64,
// with AVX512-FP16 in f16 too, never in bf16.
#define JAX_ROUNDING_CHOICE \
    {"rounding", OPERATION_WORDS("two_step", "fused", "fused_f32_f64", "fused_but_bf16")}
// clang-format on

// Whether option `option` of that choice rounds once in `dtype`.
bool jax_is_fused(unsigned option, enum dtype dtype);

enum { JAX_KEY }; // the first input of every operation that takes one

// Refuses a key that is not u32 with as many words as `impl` asks for.
enum error jax_check_key(const struct request *request, struct diagnostic *diagnostic);

// The key of a request that jax_check_key accepted, read as its profile says.
struct jax_key jax_request_key(const struct request *request, bool partitionable);

// The same for operations that draw, which say in an attribute whether the key is partitionable.
struct jax_key jax_drawing_key(const struct request *request);

// Checks the key and sets output 0 to `dtype` and the attribute shape.
enum error jax_infer_drawn(const struct request *request, struct inference *inference,
                           enum dtype dtype, struct diagnostic *diagnostic);

// The infer of operations whose output has their first own attribute, `dtype`.
enum error jax_infer_dtype(const struct request *request, struct inference *inference,
                           struct diagnostic *diagnostic);

// The plain_dtype of operations on an array: a key of u32, all else i32.
enum dtype jax_plain_i32(const struct request *request, unsigned input);

// Elements of the output.
uint64_t jax_total(const struct inference *inference);

#endif
