// SPDX-License-Identifier: Apache-2.0
// What random_uniform_value.c asks of an instruction set's form: values of the wide types from
// words, as the operation is written.

#ifndef ASSAY_REF_OP_OPENVINO_RANDOM_UNIFORM_FORMS_H
#define ASSAY_REF_OP_OPENVINO_RANDOM_UNIFORM_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct philox_stream;

// minimum + u * span, two roundings, where u is made of a word's (f64: two words', the first one
// high) bits from `shift` on: of the significand of [1, 2), less 1, or with `pytorch` of the 24 or
// 53 bits of an integer.
struct random_uniform_real {
    bool pytorch;
    unsigned shift;
    double span, minimum; // of f32 where the values are
};

// The quotient of an integer x of n = 32 or 64 bits by `span` is the upper half of x * multiplier,
// the quotient of 2^n - 1 by it, or one more: of x / span and x * multiplier / 2^n the second is
// not larger, and as the multiplier is at least (2^n - span) / span, by at most x / 2^n < 1.
struct random_uniform_integer {
    uint64_t span, multiplier, minimum;
};

// minimum + (bits of a word) * scale for f16 or bf16, rounded to it twice. Both steps may be
// computed in f32 first: the product is exact there, and a sum rounded to 24 bits and then to at
// most 11 is rounded as once (Figueroa 1995, doi:10.1145/221332.221334).
struct random_uniform_narrow {
    bool bf16;
    unsigned shift;
    uint32_t mask;
    float scale, minimum;
};

// Blocks of philox4x32 that follow `counter`, whose word 0 does not wrap among them.
struct random_uniform_drawn {
    const struct philox_stream *stream;
    uint32_t counter[4];
    size_t blocks;
    bool streamed;
};

// `count` values of `word` to `data`; with `streamed`, past the caches, where `data` is aligned.
// Reals of f64 not in the form `pytorch`; integers of 64 bits from two words, the second one
// high.
struct random_uniform_form {
    void (*narrow)(const struct random_uniform_narrow *narrow, const uint32_t *word, size_t count,
                   uint16_t *data);
    void (*f32)(const struct random_uniform_real *real, const uint32_t *word, size_t count,
                float *data, bool streamed);
    void (*f64)(const struct random_uniform_real *real, const uint32_t *word, size_t count,
                double *data, bool streamed);
    void (*i32)(const struct random_uniform_integer *integer, const uint32_t *word, size_t count,
                uint32_t *data, bool streamed);
    void (*i64)(const struct random_uniform_integer *integer, const uint32_t *word, size_t count,
                uint64_t *data, bool streamed);
    // Values of the words of as many of `drawn` as it likes, which never stand in memory; it says
    // how many blocks, 0 where it has no fast way.
    size_t (*narrow_drawn)(const struct random_uniform_narrow *narrow,
                           const struct random_uniform_drawn *drawn, uint16_t *data);
    size_t (*f32_drawn)(const struct random_uniform_real *real,
                        const struct random_uniform_drawn *drawn, float *data);
    size_t (*f64_drawn)(const struct random_uniform_real *real,
                        const struct random_uniform_drawn *drawn, double *data);
    size_t (*i32_drawn)(const struct random_uniform_integer *integer,
                        const struct random_uniform_drawn *drawn, uint32_t *data);
    size_t (*i64_drawn)(const struct random_uniform_integer *integer,
                        const struct random_uniform_drawn *drawn, uint64_t *data);
};

// Of integers alone, and of spans up to these, is the form avx512i.
enum { RANDOM_UNIFORM_I32_SPAN = 1 << 8, RANDOM_UNIFORM_I64_SPAN = 1 << 19 };

#if defined(__x86_64__)
extern const struct random_uniform_form random_uniform_form_avx2, random_uniform_form_avx512;
extern const struct random_uniform_form random_uniform_form_avx512i; // needs isa_has_products
#endif

// The numbers for a span of `bits` bits, at least 1.
struct random_uniform_integer random_uniform_integer_of(uint64_t span, uint64_t minimum,
                                                        unsigned bits);

#endif
