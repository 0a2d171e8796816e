// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#define WIDTH 32
#define FORM limits_form_avx2
#define FORM_NAME "AVX2"
#define PRODUCT(a, b) (u64_vector) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#define STREAM(to, value) _mm256_stream_si256((__m256i *)(void *)(to), (__m256i)(value))
#include "harness/bench/limits_form.h"
