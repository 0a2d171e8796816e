// SPDX-License-Identifier: Apache-2.0
// Vectors of two doubles, for AArch64, whose Advanced SIMD has a fused multiply-add.

#ifndef ASSAY_REF_NUM_VECTOR_NEON_H
#define ASSAY_REF_NUM_VECTOR_NEON_H

#include <arm_neon.h>

#define LANES 2
#define PRODUCT_ROWS 6
#define SINGLES 4
#define INTEGERS 4
#define INTEGER_ROWS 4
#define FUSED(a, b, c) vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#define FUSED_SINGLES(a, b, c) vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define FUSED_SINGLES_ONCE 1
#define WIDEN(x) vcvt_f64_f32((float32x2_t)(x))
#define NARROW(x) vcvt_f32_f64((float64x2_t)(x))
#define WIDEN_MASK(m) vmovl_s32((int32x2_t)(m))
#define GREATER(a, b) choose((a) > (b), a, b)
#define GREATER_SINGLES(a, b) choose_singles((a) > (b), a, b)
#define ALL(m) (((m)[0] & (m)[1]) != 0)
#define LOOK_UP(t, k) ((vector){(t)[(k)[0]], (t)[(k)[1]]})
#define ANY_BITS(m) (((m)[0] | (m)[1]) != 0)

#include "ref/num/vector.h"

#endif
