// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 bytes, as the compiler makes them; SSE2 has instructions for what C cannot say.
#define WIDTH 16
#define FORM limits_form_portable
#if defined(__x86_64__)
#include <emmintrin.h>
#define FORM_NAME "SSE2"
#define PRODUCT(a, b) (u64_vector) _mm_mul_epu32((__m128i)(a), (__m128i)(b))
#define STREAM(to, value) _mm_stream_si128((__m128i *)(void *)(to), (__m128i)(value))
#else
#define FORM_NAME "16 bytes"
#define PRODUCT(a, b) (((a)&UINT32_MAX) * ((b)&UINT32_MAX))
#define STREAM(to, value) (*(to) = (value))
#endif
#include "harness/bench/limits_form.h"
