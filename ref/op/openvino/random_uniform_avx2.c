// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, eight words at a time.

#include <immintrin.h>

#define BYTES 32
#define FORM random_uniform_form_avx2
#define MULTIPLY(a, b) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#define F16_OF(x) _mm256_cvtps_ph((__m256)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F32_OF_F16(x) _mm256_cvtph_ps(x)
#define store_past_caches(at, value) _mm256_stream_si256((__m256i *)(void *)(at), (__m256i)(value))

#include "ref/op/openvino/random_uniform_wide.h"
