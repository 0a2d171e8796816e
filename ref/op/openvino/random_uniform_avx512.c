// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, sixteen words at a time.

#include <immintrin.h>

#define BYTES 64
#define FORM random_uniform_form_avx512
#define MULTIPLY(a, b) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#define F16_OF(x) _mm512_cvtps_ph((__m512)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define F32_OF_F16(x) _mm512_cvtph_ps(x)
#define store_past_caches(at, value) _mm512_stream_si512((__m512i *)(void *)(at), (__m512i)(value))

#include "ref/op/openvino/random_uniform_wide.h"
