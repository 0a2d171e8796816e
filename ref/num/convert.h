// SPDX-License-Identifier: Apache-2.0
// Forms of num_convert_array for one instruction set. Each converts as many leading elements as it
// has a fast way for and says how many; the caller does the rest.

#ifndef ASSAY_REF_NUM_CONVERT_H
#define ASSAY_REF_NUM_CONVERT_H

#include <stddef.h>
#include <stdint.h>

#include "ref/num/small_float.h"

size_t convert_array_avx2(enum dtype to, void *out, enum dtype from, const void *in, size_t count);
size_t convert_f8_avx512(enum dtype to, uint8_t *out, const float *in, size_t count); // of 8 bits
size_t convert_bf16_avx512(uint16_t *out, const float *in, size_t count);

#endif
