// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#define WIDTH 64
#define FORM limits_form_avx512
#define FORM_NAME "AVX-512"
#define PRODUCT(a, b) (u64_vector) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#define STREAM(to, value) _mm512_stream_si512((__m512i *)(void *)(to), (__m512i)(value))
#include "harness/bench/limits_form.h"
