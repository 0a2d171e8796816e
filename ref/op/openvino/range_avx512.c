// SPDX-License-Identifier: Apache-2.0
// Fills of openvino.range, sixteen elements at a time.

#include <immintrin.h>

#define BYTES 64
#define FILL_F32 range_fill_f32_avx512
#define FILL_U32 range_fill_u32_avx512
#define store_past_caches(at, value) _mm512_stream_si512((void *)(at), (__m512i)(value))
#define settle_stores() _mm_sfence()

#include "ref/op/openvino/range_wide.h"
