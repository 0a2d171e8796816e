// SPDX-License-Identifier: Apache-2.0
// Fills of openvino.range, eight elements at a time.

#include <immintrin.h>

#define BYTES 32
#define FILL_F32 range_fill_f32_avx2
#define FILL_U32 range_fill_u32_avx2
#define store_past_caches(at, value) _mm256_stream_si256((__m256i *)(void *)(at), (__m256i)(value))
#define settle_stores() _mm_sfence()

#include "ref/op/openvino/range_wide.h"
