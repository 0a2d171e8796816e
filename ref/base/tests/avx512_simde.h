// SPDX-License-Identifier: Apache-2.0
// AVX-512 in plain C, for processors without it: included in front of a file of AVX-512 source, it
// puts SIMDe's functions (Debian: libsimde-dev) in place of the intrinsics, and its own where SIMDe
// 0.7.4 has none. Built without -mavx512*, a file that uses any other intrinsic does not compile.

#ifndef ASSAY_REF_BASE_TESTS_AVX512_SIMDE_H
#define ASSAY_REF_BASE_TESTS_AVX512_SIMDE_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

// Elements converted one by one.
#define SHIM_CONVERT(name, to, to_element, from, from_element)                                     \
    static inline to name(from x)                                                                  \
    {                                                                                              \
        enum { ALL = sizeof(to) / sizeof(to_element) };                                            \
        from_element in[ALL];                                                                      \
        to_element out[ALL];                                                                       \
        to result;                                                                                 \
        memcpy(in, &x, sizeof in);                                                                 \
        for (int i = 0; i < ALL; i++)                                                              \
            out[i] = (to_element)in[i];                                                            \
        memcpy(&result, out, sizeof result);                                                       \
        return result;                                                                             \
    }

SHIM_CONVERT(shim_mm512_cvtps_pd, simde__m512d, double, simde__m256, float)
SHIM_CONVERT(shim_mm512_cvtpd_ps, simde__m256, float, simde__m512d, double)
SHIM_CONVERT(shim_mm512_cvtepi32_epi64, simde__m512i, int64_t, simde__m256i, int32_t)
SHIM_CONVERT(shim_mm512_cvtepu32_ps, simde__m512, float, simde__m512i, uint32_t)
SHIM_CONVERT(shim_mm512_cvtepu64_pd, simde__m512d, double, simde__m512i, uint64_t)

static inline void shim_mm512_stream_si512(void *to, simde__m512i x)
{
    memcpy(to, &x, sizeof x);
}

// Halves of 256 bits, by the processor's F16C; to nearest even.
static inline simde__m256i shim_mm512_cvtps_ph(simde__m512 x)
{
    __m256 half[2];
    __m128i narrow[2];
    simde__m256i result;
    memcpy(half, &x, sizeof half);
    for (int i = 0; i < 2; i++)
        narrow[i] = _mm256_cvtps_ph(half[i], 8);
    memcpy(&result, narrow, sizeof result);
    return result;
}

static inline simde__m512 shim_mm512_cvtph_ps(simde__m256i x)
{
    __m128i half[2];
    __m256 wide[2];
    simde__m512 result;
    memcpy(half, &x, sizeof half);
    for (int i = 0; i < 2; i++)
        wide[i] = _mm256_cvtph_ps(half[i]);
    memcpy(&result, wide, sizeof result);
    return result;
}

// at[k] of 8-byte elements for each index k.
static inline simde__m512d shim_mm512_i64gather_pd(simde__m512i k, const double *at)
{
    int64_t index[8];
    double found[8];
    simde__m512d result;
    memcpy(index, &k, sizeof index);
    for (int i = 0; i < 8; i++)
        found[i] = at[index[i]];
    memcpy(&result, found, sizeof result);
    return result;
}

// Elements of 32 bits: where `mask` has a bit, of `x` in the order of each four of them, else of
// `from`.
static inline simde__m512i shim_mm512_mask_shuffle_epi32(simde__m512i from, simde__mmask16 mask,
                                                         simde__m512i x, unsigned order)
{
    uint32_t in[16], out[16];
    simde__m512i result;
    memcpy(in, &x, sizeof in);
    memcpy(out, &from, sizeof out);
    for (unsigned i = 0; i < 16; i++)
        if (mask >> i & 1)
            out[i] = in[i / 4 * 4 + (order >> i % 4 * 2 & 3)];
    memcpy(&result, out, sizeof result);
    return result;
}

// Products of pairs of 16-bit elements, added.
static inline simde__m512i shim_mm512_madd_epi16(simde__m512i a, simde__m512i b)
{
    int16_t x[32], y[32];
    int32_t sum[16];
    simde__m512i result;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 16; i++)
        sum[i] = x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
    memcpy(&result, sum, sizeof result);
    return result;
}

// a * b + c toward zero, where c is a zero: the product is exact in double.
static inline simde__m512 shim_mm512_fmadd_zero_ps(simde__m512 a, simde__m512 b, simde__m512 c)
{
    float x[16], y[16], z[16];
    simde__m512 result;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(z, &c, sizeof z);
    for (int i = 0; i < 16; i++) {
        const double sum = (double)x[i] * (double)y[i] + (double)z[i];
        const float rounded = (float)sum;
        z[i] = fabs((double)rounded) > fabs(sum) ? nextafterf(rounded, 0) : rounded;
    }
    memcpy(&result, z, sizeof result);
    return result;
}

// Lanes of 16 bits of `a` that are the same as those of `b`, or, with `above`, larger.
static inline simde__mmask32 shim_compare_epu16(simde__m512i a, simde__m512i b, int above)
{
    uint16_t x[32], y[32];
    simde__mmask32 holds = 0;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (unsigned i = 0; i < 32; i++)
        holds |= (simde__mmask32)(above ? x[i] > y[i] : x[i] == y[i]) << i;
    return holds;
}

static inline simde__m512i shim_mm512_mulhi_epu16(simde__m512i a, simde__m512i b)
{
    uint16_t x[32], y[32];
    simde__m512i result;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (unsigned i = 0; i < 32; i++)
        x[i] = (uint16_t)((uint32_t)x[i] * y[i] >> 16);
    memcpy(&result, x, sizeof result);
    return result;
}

// c + the low or the upper 52 bits of the products of low 52 bits.
static inline simde__m512i shim_mm512_madd52(simde__m512i c, simde__m512i a, simde__m512i b,
                                             unsigned upper)
{
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    uint64_t x[8], y[8], z[8];
    simde__m512i result;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(z, &c, sizeof z);
    for (unsigned i = 0; i < 8; i++) {
        __extension__ const unsigned __int128 product =
            (unsigned __int128)(x[i] & mask) * (y[i] & mask);
        z[i] += (uint64_t)(product >> (upper ? 52 : 0)) & mask;
    }
    memcpy(&result, z, sizeof result);
    return result;
}

#undef _mm512_madd_epi16
#define _mm512_madd_epi16 shim_mm512_madd_epi16
#define _mm512_fmadd_round_ps(a, b, c, toward_zero) shim_mm512_fmadd_zero_ps(a, b, c)
#define _mm512_cmpeq_epi16_mask(a, b) shim_compare_epu16(a, b, 0)
#define _mm512_cmpgt_epu16_mask(a, b) shim_compare_epu16(a, b, 1)
#define _mm512_mulhi_epu16 shim_mm512_mulhi_epu16
#define _mm512_madd52lo_epu64(c, a, b) shim_mm512_madd52(c, a, b, 0)
#define _mm512_madd52hi_epu64(c, a, b) shim_mm512_madd52(c, a, b, 1)
#define _kortestz_mask64_u8(a, b) (((a) | (b)) == 0)
#define _mm512_i64gather_pd(k, at, scale) shim_mm512_i64gather_pd(k, at)
#define _mm512_cvtps_ph(x, rounding) shim_mm512_cvtps_ph(x)
#define _mm512_cvtph_ps shim_mm512_cvtph_ps
#define _mm512_cvtps_pd shim_mm512_cvtps_pd
#define _mm512_cvtpd_ps shim_mm512_cvtpd_ps
#define _mm512_cvtepu32_ps shim_mm512_cvtepu32_ps
#define _mm512_cvtepu64_pd shim_mm512_cvtepu64_pd
#define _mm512_cvtepi32_epi64 shim_mm512_cvtepi32_epi64
#define _mm512_mask_shuffle_epi32 shim_mm512_mask_shuffle_epi32
#define _mm512_stream_si512 shim_mm512_stream_si512

#endif
