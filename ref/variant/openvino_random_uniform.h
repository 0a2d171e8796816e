// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.random_uniform.

#ifndef ASSAY_REF_VARIANT_OPENVINO_RANDOM_UNIFORM_H
#define ASSAY_REF_VARIANT_OPENVINO_RANDOM_UNIFORM_H

#include "ref/variant/lens.h"

// The lower bound is taken as zero.
enum error random_uniform_ignore_minimum(unsigned option, struct request *request,
                                         struct arena *arena, struct diagnostic *diagnostic);

// f16, bf16 and f64 are asked for as f32, i64 as i32 with bounds modulo 2^32; and the values
// converted back, floats to nearest even. What an implementation does that has one 32-bit kernel
// and converts around it.
enum error random_uniform_ask_in_32_bits(unsigned option, struct request *request,
                                         struct arena *arena, struct diagnostic *diagnostic);
enum error random_uniform_answer_from_32_bits(unsigned option, const struct request *request,
                                              struct tensor *tensor, struct arena *arena,
                                              struct diagnostic *diagnostic);

#endif
